//===- ReductionBuffer.cpp - Reductions that wait together ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each place that something waits for gets one atomic operation of the host.
//
//===----------------------------------------------------------------------===//

#include "Async/ReductionBuffer.h"

#include <utility>

namespace heddle::emu {

template <typename T>
static void reduceAtomically(T *Place, T Value, ReductionBuffer::Kind K) {
  switch (K.Operation) {
  case AtomOp::Add:
    __atomic_fetch_add(Place, Value, __ATOMIC_ACQ_REL);
    return;
  case AtomOp::And:
    __atomic_fetch_and(Place, Value, __ATOMIC_ACQ_REL);
    return;
  case AtomOp::Or:
    __atomic_fetch_or(Place, Value, __ATOMIC_ACQ_REL);
    return;
  case AtomOp::Xor:
    __atomic_fetch_xor(Place, Value, __ATOMIC_ACQ_REL);
    return;
  default:
    break;
  }
  T Old = __atomic_load_n(Place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(
      Place, &Old, applyToInteger<T>(K.Operation, Old, Value, K.Signed), false,
      __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
    ;
}

template <typename T> void ReductionBuffer::flushLine(uint64_t Line) {
  const T *Waiting = reinterpret_cast<T *>(Values + Line * LineBytes);
  T *Places =
      reinterpret_cast<T *>(Block->Host + WindowBegin + Line * LineBytes);
  T Neutral = neutral<T>(What);
  // A place without reductions may lie behind the end of the block.
  for (uint64_t N = 0; N < LineBytes / sizeof(T); ++N)
    if (Waiting[N] != Neutral)
      reduceAtomically(Places + N, Waiting[N], What);
}

void ReductionBuffer::flushBlock() {
  Slices = 0;
  if (Kept < WorthwhileKept)
    Pause = PauseAfterLess;
  // The host frees a block that a kernel uses at its own risk, but not ours.
  bool IsLive = Block->Live.load(std::memory_order_acquire);
  for (uint64_t Line = 0; Line < NumLines; ++Line) {
    if (!std::exchange(Touched[Line], false) || !IsLive)
      continue;
    if (What.Bytes == 4)
      flushLine<uint32_t>(Line);
    else
      flushLine<uint64_t>(Line);
  }
  Block = nullptr;
  Kept = KeptBefore = 0;
}

} // namespace heddle::emu
