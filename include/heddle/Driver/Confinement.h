//===- Confinement.h - What a compiling process may do ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A helper that compiles needs memory, threads and its socket. Whatever an
// input may make of a defect of the compiler, it gets no file, no connection
// and no program by it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DRIVER_CONFINEMENT_H
#define HEDDLE_DRIVER_CONFINEMENT_H

namespace heddle {

/// From here on this process computes, and reads and writes what it has open;
/// all else fails with EPERM. Nothing takes this back, and threads and children
/// have it, too. False where the kernel does not have filters of system calls,
/// or the build not libseccomp.
bool confineToComputing();

} // namespace heddle

#endif // HEDDLE_DRIVER_CONFINEMENT_H
