//===- SharedAddress.h - Addresses in a cluster's memory --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 32 bits of a shared address: docs/isa/addresses.md.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_SHAREDADDRESS_H
#define HEDDLE_LIB_EMULATOR_SHAREDADDRESS_H

#include "heddle/ISA/ISA.h"

#include <cstdint>

namespace heddle::emu {

class SharedAddress {
public:
  explicit constexpr SharedAddress(uint32_t Bits) : Bits(Bits) {}

  constexpr uint32_t bits() const { return Bits; }
  /// Whether it says whose memory it is; else it is the own CTA's.
  constexpr bool hasRank() const { return Bits >> Shift; }
  /// The rank that it has; one that no CTA has if bits 31..24 are wrong.
  constexpr uint32_t rank() const { return Bits >> Shift ^ HasRank >> Shift; }
  /// Where it is in that CTA's memory.
  constexpr uint32_t offset() const { return Bits & ((1u << Shift) - 1); }
  /// The same place in the memory of the CTA with that rank.
  constexpr SharedAddress atRank(uint32_t Rank) const {
    return SharedAddress(HasRank | Rank << Shift | offset());
  }

private:
  static constexpr unsigned Shift = isa::abi::SharedRankShift;
  static constexpr uint32_t HasRank = 1u << isa::abi::SharedHasRank;

  uint32_t Bits;
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_SHAREDADDRESS_H
