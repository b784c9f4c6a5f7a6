//===- Containers.h - Devices for containers --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What `ptx-smi cdi generate` prints.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_SMI_CONTAINERS_H
#define HEDDLE_TOOLS_PTX_SMI_CONTAINERS_H

#include "Snapshot.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle::smi {

/// A specification of the Container Device Interface, 0.5.0, as JSON: each
/// device, each compute instance, and `all`. \p Kind is what devices are asked
/// for by, such as nvidia.com/gpu.
llvm::Error printContainerDevices(const Snapshot &S, llvm::StringRef Kind,
                                  llvm::raw_ostream &OS);

} // namespace heddle::smi

#endif // HEDDLE_TOOLS_PTX_SMI_CONTAINERS_H
