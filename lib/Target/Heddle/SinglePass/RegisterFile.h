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
#include "heddle/Support/Check.h"

#include <algorithm>
#include <bit>
#include <bitset>
#include <cstdint>
#include <optional>

namespace heddle::singlepass {

class RegisterFile {
public:
  /// \p IsCalled: of a function that keeps some registers for its callers, and
  /// the return address for itself.
  RegisterFile(unsigned Limit, bool IsCalled)
      : Limit(std::min(Limit, unsigned(Zero))), IsCalled(IsCalled) {
    Taken.set(isa::abi::StackPointer);
    if (IsCalled) {
      Taken.set(isa::abi::ReturnAddress);
      Taken.set(isa::abi::ReturnAddress + 1);
      Most = isa::abi::ReturnAddress + 2;
    }
  }

  static constexpr unsigned Zero = 255; ///< RZ

  /// A free aligned group of \p Count registers: the lowest, unless it costs
  /// the function saving a register, or \p IsBusy says that an instruction that
  /// was issued still needs a register. To write to that one would mean to wait
  /// for memory.
  template <typename IsBusyT>
  std::optional<unsigned> take(unsigned Count, IsBusyT IsBusy) {
    unsigned End =
        std::min(IsCalled ? isa::abi::FirstCalleeSaved : Cheap, Limit);
    for (uint32_t Free = freeGroups(End, Count); Free; Free &= Free - 1) {
      auto R = static_cast<unsigned>(std::countr_zero(Free));
      if (!isAny(R, Count, IsBusy)) {
        takeAt(R, Count);
        return R;
      }
    }
    return take(Count);
  }
  /// The same where nothing is busy.
  std::optional<unsigned> take(unsigned Count) {
    constexpr unsigned Kept = isa::abi::FirstCalleeSaved,
                       Behind = isa::abi::LastCalleeSaved + 1, Few = 2 * Behind;
    if (!IsCalled)
      return takeIn(0, Limit, Count);
    std::optional<unsigned> R = takeIn(0, Kept, Count);
    if (!R)
      R = takeIn(Behind, Few, Count);
    if (!R)
      R = takeIn(Kept, Behind, Count);
    return R ? R : takeIn(Few, Limit, Count);
  }
  /// The lowest of the registers from \p First on, in front of \p End.
  std::optional<unsigned> takeIn(unsigned First, unsigned End, unsigned Count) {
    for (unsigned R = First; R + Count <= std::min(End, Limit); R += Count)
      if (isFree(R, Count)) {
        takeAt(R, Count);
        return R;
      }
    return std::nullopt;
  }
  bool isFree(unsigned R, unsigned Count) const {
    bool IsFree = true;
    for (unsigned I = 0; I != Count; ++I)
      IsFree &= !Taken[R + I];
    return IsFree;
  }
  template <typename PredicateT>
  static bool isAny(unsigned R, unsigned Count, PredicateT Predicate) {
    bool IsAny = false;
    for (unsigned I = 0; I != Count; ++I)
      IsAny |= Predicate(R + I);
    return IsAny;
  }
  void takeAt(unsigned R, unsigned Count) {
    for (unsigned I = 0; I != Count; ++I) {
      Taken.set(R + I);
      Ever.set(R + I);
    }
    Most = std::max(Most, R + Count);
  }
  /// Whether a register was ever taken.
  bool wasTaken(unsigned R) const { return Ever[R]; }
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
  /// So many registers leave every chip its most warps.
  static constexpr unsigned Cheap = 32;
  static_assert(Cheap <= 32 && isa::abi::FirstCalleeSaved <= 32,
                "a mask has too few bits");

  /// A mask of the first registers of the free aligned groups in front of
  /// \p End.
  uint32_t freeGroups(unsigned End, unsigned Count) const {
    HEDDLE_CHECK(Count == 1 || Count == 2 || Count == 4,
                 "no group has so many registers");
    constexpr std::bitset<256> First(0xFFFFFFFF);
    auto Free = ~static_cast<uint32_t>((Taken & First).to_ulong());
    Free &= End >= 32 ? ~uint32_t(0) : (uint32_t(1) << End) - 1;
    if (Count >= 2)
      Free &= Free >> 1 & 0x55555555;
    if (Count >= 4)
      Free &= Free >> 2 & 0x11111111;
    return Free;
  }

  unsigned Limit, Most = 0, Predicates = 0;
  bool IsCalled;
  std::bitset<256> Taken, Ever;
};

} // namespace heddle::singlepass

#endif // HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_REGISTERFILE_H
