//===- ReductionBuffer.h - Reductions that wait together --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What host threads add to the same words goes to and fro between their caches.
// So each keeps the relaxed integer reductions that it executes, those of a
// place as one, and carries them out in front of whatever could tell: any other
// access to their block of memory by a thread that this host thread runs, a
// fence, an access with an order, and the end of the grid. A thread elsewhere
// sees a relaxed reduction later, but soon: time slices of warps end the wait
// too.
//
// Sums of floats depend on their order and are not kept.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_REDUCTIONBUFFER_H
#define HEDDLE_LIB_EMULATOR_REDUCTIONBUFFER_H

#include "Execute/AtomicArithmetic.h"
#include "Memory.h"

#include <limits>

namespace heddle::emu {

/// Of one host thread, and no other touches it.
class ReductionBuffer {
public:
  /// The part of a block whose places wait: a multiple of this from its start.
  static constexpr uint64_t WindowBytes = 64 * 1024;

  /// What is done to a place. Signed only says how Min and Max compare.
  struct Kind {
    AtomOp Operation;
    bool Signed;
    uint8_t Bytes; ///< Of a place, 4 or 8.
    bool operator==(const Kind &) const = default;
  };

  /// Whether keeping reductions has lately been worth it. To be asked once for
  /// each instruction.
  bool isWorthIt() {
    if (Pause == 0)
      return true;
    --Pause;
    return false;
  }
  /// Makes the buffer one for \p K in the window from \p Begin of \p A, which
  /// belongs to the device. To be called once for each instruction.
  void open(const Allocation *A, uint64_t Begin, Kind K) {
    ++Kept;
    if (A == Block && Begin == WindowBegin && K == What)
      return;
    flush();
    Block = A;
    WindowBegin = Begin;
    What = K;
    Kept = 1;
  }
  /// Keeps one reduction, at \p Offset in the window. \p K is that of open.
  template <Kind K, typename T> void add(uint64_t Offset, T Value) {
    uint64_t Line = Offset / LineBytes;
    T *Place = reinterpret_cast<T *>(Values + Offset);
    if (!Touched[Line])
      touch(Line, neutral<T>(K));
    *Place = applyToInteger<T>(K.Operation, *Place, Value, K.Signed);
  }

  /// Whether what waits is for \p A, which is a block.
  bool isFor(const Allocation *A) const { return A == Block; }
  /// The block that what waits is for; null if nothing waits.
  const Allocation *const &block() const { return Block; }
  /// Carries out what waits.
  void flush() {
    if (Block)
      flushBlock();
  }
  /// The time slice of a warp has ended.
  void endSlice() {
    if (!Block)
      return;
    // Warps that reduce nothing may wait for warps that do.
    if (Kept == KeptBefore || ++Slices == MaxSlices)
      flushBlock();
    KeptBefore = Kept;
  }

private:
  static constexpr uint64_t LineBytes = 64;
  static constexpr uint64_t NumLines = WindowBytes / LineBytes;
  /// Time slices that something waits at most.
  static constexpr unsigned MaxSlices = 64;
  /// Instructions that pay for opening and emptying the buffer, and how many
  /// are not kept after a time that had fewer.
  static constexpr uint64_t WorthwhileKept = 8, PauseAfterLess = 256;

  /// What changes no place.
  template <typename T> static constexpr T neutral(Kind K) {
    constexpr T Top = T(1) << (8 * sizeof(T) - 1);
    switch (K.Operation) {
    case AtomOp::Min:
      return K.Signed ? T(Top - 1) : T(~T(0));
    case AtomOp::Max:
      return K.Signed ? Top : T(0);
    case AtomOp::And:
      return ~T(0);
    default:
      return 0;
    }
  }

  template <typename T> void touch(uint64_t Line, T Neutral) {
    Touched[Line] = true;
    T *First = reinterpret_cast<T *>(Values + Line * LineBytes);
    std::fill_n(First, LineBytes / sizeof(T), Neutral);
  }
  void flushBlock();
  template <typename T> void flushLine(uint64_t Line);

  const Allocation *Block = nullptr; ///< Null: nothing waits.
  uint64_t WindowBegin = 0;
  Kind What = {AtomOp::Add, false, 4};
  uint64_t Kept = 0; ///< Instructions since the buffer was opened.
  uint64_t KeptBefore = 0;
  uint64_t Pause = 0;
  unsigned Slices = 0;
  bool Touched[NumLines] = {}; ///< Lines in which something may wait.
  alignas(LineBytes) uint8_t Values[WindowBytes];
};

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_REDUCTIONBUFFER_H
