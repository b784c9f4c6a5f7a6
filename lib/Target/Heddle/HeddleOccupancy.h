//===- HeddleOccupancy.h - How many CTAs a core holds -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a kernel's directives say about its CTAs, and how many of them fit on a
// core at a time.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEOCCUPANCY_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEOCCUPANCY_H

#include "heddle/ISA/ISA.h"
#include <cstdint>
#include <optional>

namespace llvm {
class Function;

constexpr unsigned WarpThreads = 32;

/// The threads that heddle-maxntid and heddle-reqntid let a CTA of a kernel
/// have at most; none if the kernel has neither.
std::optional<unsigned> getMostThreads(const Function &Kernel);

/// The warps of a CTA: of as many threads as it may have, or of a usual number.
unsigned getUsualWarps(const Function &Kernel);

/// The threads that a CTA can have at most if each of them takes so many
/// registers.
unsigned getMostThreads(const heddle::isa::ChipInfo &Chip, unsigned Registers);

/// What one CTA takes of a core.
struct CTADemand {
  unsigned Threads = 0;
  unsigned Registers = 0; ///< of a thread
  uint64_t SharedBytes = 0;
};

/// How many such CTAs a core holds at a time.
unsigned getCTAsPerCore(const heddle::isa::ChipInfo &Chip, const CTADemand &D);

/// How many warps of Kernel a core holds if its threads take so many registers.
unsigned getWarpsPerCore(const heddle::isa::ChipInfo &Chip,
                         const Function &Kernel, unsigned Registers);

/// The most registers with which a core holds more warps of Kernel than with so
/// many; 0 if there is no such number.
unsigned getNextRegisters(const heddle::isa::ChipInfo &Chip,
                          const Function &Kernel, unsigned Registers);

/// The most registers with which a core holds as many warps of Kernel as with
/// so many.
unsigned getMostRegisters(const heddle::isa::ChipInfo &Chip,
                          const Function &Kernel, unsigned Registers);

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEOCCUPANCY_H
