//===- MachineLinks.h - Links between a process's devices -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the machine's description says of devices as the program has them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_DEVICES_MACHINELINKS_H
#define HEDDLE_LIB_CUDA_DEVICES_MACHINELINKS_H

#include "Devices/ProcessDevice.h"

namespace heddle::cuda {

/// The machine; null if its description is wrong, which other calls say.
const Machine *knownMachine();

/// The link from one device to another.
inline DeviceLink linkBetween(const Machine &M, const ProcessDevice &From,
                              const ProcessDevice &To) {
  return M.link(From.Machine.Index, To.Machine.Index);
}

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_DEVICES_MACHINELINKS_H
