//===- DeviceTime.h - Virtual time by the environment -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What HEDDLE_TIMING and HEDDLE_TIMING_HOST ask for (docs/timing.md).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_DEVICETIME_H
#define HEDDLE_LIB_CUDA_DEVICETIME_H

#include "heddle/ISA/ChipChanges.h"
#include "heddle/Runtime/VirtualTime.h"

namespace heddle::cuda {

/// The virtual time of a device with that chip, some of whose figures are
/// others; null if none is asked for, or if there is no such chip.
llvm::Expected<std::shared_ptr<rt::VirtualTime>>
virtualTimeFor(llvm::StringRef Chip, const isa::ChipChanges &Changes);

/// The time as the program has it: virtual time if that is asked for.
uint64_t programTime();

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_DEVICETIME_H
