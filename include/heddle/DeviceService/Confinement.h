//===- Confinement.h - What a device service may do -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A service that listens needs its sockets, memory, and to read how devices are
// divided. Whatever a client may make of a defect of the service, it gets no
// program, no connection and nothing written by it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DEVICESERVICE_CONFINEMENT_H
#define HEDDLE_DEVICESERVICE_CONFINEMENT_H

namespace heddle::deviced {

/// Limits what the process may use: files for so many clients, memory, and no
/// dumps of it. False if the system does not let it have as many files.
bool limitResources(unsigned Clients);

/// From here on this process serves at the sockets that it has open, and reads
/// files; all else fails. Nothing takes this back. False where the kernel does
/// not have filters of system calls, or the build not libseccomp.
bool confineToServing();

} // namespace heddle::deviced

#endif // HEDDLE_DEVICESERVICE_CONFINEMENT_H
