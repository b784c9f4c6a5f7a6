//===- MBarrier.h - What an mbarrier holds -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The 64 bits of an mbarrier, which PTX leaves open, and what happens to them
// when arrivals, bytes and reports come.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_INTERPRETER_MBARRIER_H
#define HEDDLE_LIB_INTERPRETER_MBARRIER_H

#include "Machine.h"

namespace heddle::interp {

struct BarrierState {
  /// What asynchronous operations tell of a phase beside that they are done.
  struct Report {
    bool Something = false;
    uint8_t Value = 0;
  };

  uint64_t Pending = 0, Expected = 0;
  int64_t Bytes = 0; ///< Still to be completed.
  bool Phase = false;
  bool IsLayout1 = false;
  // Of layout 1: of this phase and of the last one, and the parity of the
  // phases without a report.
  Report Current, Last;
  bool SilentPhase = false;

  /// Most arrivals of a phase.
  static uint64_t maxCount(bool IsLayout1) {
    return (uint64_t(1) << (IsLayout1 ? 9 : 20)) - 1;
  }
  /// Most bytes that a phase can wait for, or be ahead of.
  static constexpr int64_t MaxBytes = (1 << 20) - 1;

  /// Nothing if the bits are no barrier's.
  static std::optional<BarrierState> decode(uint64_t Word);
  uint64_t encode() const;
  bool conditionalPhase() const { return IsLayout1 ? SilentPhase : Phase; }
  /// Ends the phase if nothing is missing.
  void advance();
};

/// The phase in a state that an arrival gave.
bool phaseOf(uint64_t State);

/// The barrier at a place; none without a place, or after a fault.
std::optional<BarrierState> readBarrier(Thread &T, const uint8_t *Place);
void writeBarrier(uint8_t *Place, const BarrierState &B);
/// Bytes that a phase is to wait for or, if they are fewer than zero, that are
/// done; false after a fault.
bool addBytes(Thread &T, BarrierState &B, int64_t Bytes);
/// An asynchronous operation is done; Stopped after a fault.
Outcome completeAt(Thread &T, uint8_t *Place, uint64_t Count,
                   BarrierState::Report R);

} // namespace heddle::interp

#endif // HEDDLE_LIB_INTERPRETER_MBARRIER_H
