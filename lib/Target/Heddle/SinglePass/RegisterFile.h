//===- RegisterFile.h - Which registers are free ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives out general registers, singly or as aligned groups, and predicates.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_REGISTERFILE_H
#define HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_REGISTERFILE_H

#include "heddle/ISA/ISA.h"

#include <algorithm>
#include <bitset>
#include <optional>

namespace heddle::singlepass {

class RegisterFile {
public:
  explicit RegisterFile(unsigned Limit)
      : Limit(std::min(Limit, unsigned(Zero))) {
    Taken.set(isa::abi::StackPointer);
  }

  static constexpr unsigned Zero = 255; ///< RZ

  /// The lowest aligned group of \p Count free registers.
  std::optional<unsigned> take(unsigned Count) {
    for (unsigned R = 0; R + Count <= Limit; R += Count) {
      bool IsFree = true;
      for (unsigned I = 0; I != Count; ++I)
        IsFree &= !Taken[R + I];
      if (!IsFree)
        continue;
      for (unsigned I = 0; I != Count; ++I)
        Taken.set(R + I);
      Most = std::max(Most, R + Count);
      return R;
    }
    return std::nullopt;
  }
  void give(unsigned R, unsigned Count) {
    for (unsigned I = 0; I != Count; ++I)
      Taken.reset(R + I);
  }
  /// One more than the highest register that was ever taken.
  unsigned most() const { return Most; }

  /// The lowest free predicate; none of the last one, which is for values that
  /// live no longer than an instruction.
  static constexpr unsigned ScratchPredicate = 6;
  std::optional<unsigned> takePredicate() {
    for (unsigned P = 0; P != ScratchPredicate; ++P)
      if (!(Predicates >> P & 1)) {
        Predicates |= 1u << P;
        return P;
      }
    return std::nullopt;
  }
  void givePredicate(unsigned P) { Predicates &= ~(1u << P); }

private:
  unsigned Limit, Most = 0, Predicates = 0;
  std::bitset<256> Taken;
};

} // namespace heddle::singlepass

#endif // HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_REGISTERFILE_H
