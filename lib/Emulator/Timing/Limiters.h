//===- Limiters.h - Leaving something out of the model ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a launch would be like without one of the things that hold kernels back:
// other figures of the chip, or other requests to memory.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TIMING_LIMITERS_H
#define HEDDLE_LIB_EMULATOR_TIMING_LIMITERS_H

#include "AccessPattern.h"
#include "heddle/Runtime/Profile.h"

#include <vector>

namespace heddle::emu {

/// A chip without some limiters.
class ModelChip {
public:
  ModelChip(const isa::ChipInfo &Chip, rt::LimiterSet Without);
  ModelChip(const ModelChip &) = delete;
  ModelChip &operator=(const ModelChip &) = delete;

  const isa::ChipInfo &info() const { return Info; }

private:
  void widenMemory(rt::LimiterSet Without);
  void widenPipes(rt::LimiterSet Without);
  /// Lets a pipe take an instruction every \p Interval cycles at least.
  void widenPipe(std::string_view Pipe, uint16_t Interval);

  isa::ChipInfo Info;
  std::vector<isa::ClassTiming> Timings; ///< Of Info.
};

/// Makes the requests of an instruction what they were without some limiters.
void idealise(llvm::SmallVectorImpl<Request> &Requests, rt::LimiterSet Without);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TIMING_LIMITERS_H
