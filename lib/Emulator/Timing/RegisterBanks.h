//===- RegisterBanks.h - Reading sources from banks -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The registers of a scheduler's warps lie in banks, by their numbers. A bank
// gives one register of all lanes in a cycle, and the sources of an instruction
// are read in the OperandWindow cycles after it issues. What the instruction
// before it has read need not be read again, if it was the same warp's.
//
// The rule is that of Huerta et al., Dissecting and Modeling the Architecture
// of Modern GPU Cores (MICRO 2025), with a cache of operands that needs no
// marks in the instructions.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_TIMING_REGISTERBANKS_H
#define HEDDLE_LIB_EMULATOR_TIMING_REGISTERBANKS_H

#include "MemorySystem.h"

#include <array>

namespace heddle::emu {

constexpr unsigned MaxRegisterBanks = 8;

/// Registers to read, by bank.
using BankReads = std::array<uint8_t, MaxRegisterBanks>;

/// What each instruction of a module reads.
class RegisterReads {
public:
  /// With \p AreFree no instruction reads anything that others wait for.
  RegisterReads(const CodeImage &Image, unsigned Banks, bool AreFree);

  /// What the instruction at \p PC reads; \p Follows if the one before it in
  /// the code was the last that the scheduler issued, for the same warp.
  const BankReads &at(uint32_t PC, bool Follows) const {
    return Follows ? Following[PC] : All[PC];
  }

private:
  std::vector<BankReads> All, Following; ///< By PC.
};

/// The banks of a scheduler.
class RegisterBanks {
public:
  /// The first cycle in which an instruction can issue that reads so much.
  Cycle acceptsFrom(const BankReads &Reads, unsigned Window) const {
    Cycle From = 0;
    for (unsigned B = 0; B < MaxRegisterBanks; ++B) {
      // An idle bank begins at once, whatever it takes.
      Cycle Ahead = Window > Reads[B] ? Window - Reads[B] : 0;
      if (Reads[B] && Free[B] > Ahead)
        From = std::max(From, Free[B] - Ahead);
    }
    return From;
  }
  void read(const BankReads &Reads, Cycle Now) {
    for (unsigned B = 0; B < MaxRegisterBanks; ++B)
      Free[B] = std::max(Free[B], Now) + Reads[B];
  }

private:
  std::array<Cycle, MaxRegisterBanks> Free = {};
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_TIMING_REGISTERBANKS_H
