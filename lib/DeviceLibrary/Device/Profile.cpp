//===- Profile.cpp - Counters of profiles -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What -fprofile-generate puts into code. Threads that run together count in
// one step: the first of them adds for all. That group is not known before the
// code runs, so that every function asks.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

using Counter = __attribute__((address_space(1))) unsigned long long;

#define HEDDLE_COUNTING                                                        \
  extern "C" __attribute__((always_inline, convergent)) void

static inline
    __attribute__((always_inline)) void add(Counter *Place, unsigned Count) {
  __scoped_atomic_fetch_add(Place, Count, __ATOMIC_RELAXED,
                            __MEMORY_SCOPE_DEVICE);
}

/// Whether this thread is the first of \p Mask, threads that run together.
static inline __attribute__((always_inline)) bool isFirst(unsigned Mask) {
  return (Mask & __nvvm_read_ptx_sreg_lanemask_lt()) == 0;
}

/// Threads that go along an edge.
HEDDLE_COUNTING __heddle_count_edge(Counter *Place) {
  unsigned Mask = __nvvm_activemask();
  if (isFirst(Mask))
    add(Place, __builtin_popcount(Mask));
}

using Variable = __attribute__((address_space(5))) unsigned;

/// Adds what threads have counted each for itself: \p Sum of all threads of
/// \p Mask, unless some of them, \p Large, have so much that it may not fit.
HEDDLE_COUNTING __heddle_count_sum(Counter *Place, unsigned Count, unsigned Sum,
                                   unsigned Large, unsigned Mask) {
  unsigned Value = Large ? Count : Sum;
  if ((unsigned(Large != 0) | unsigned(isFirst(Mask))) & unsigned(Value != 0))
    add(Place, Value);
}

/// Notes that threads come to a branch together, in variables of the first of
/// them; \p Apart is 1 if they go both ways, else 0.
HEDDLE_COUNTING __heddle_note_branch(Variable *Warps, Variable *Divergent,
                                     unsigned Apart) {
  unsigned First = isFirst(__nvvm_activemask());
  *Warps += First;
  *Divergent += First & Apart;
}

/// Threads that come to a branch together: warps, those whose threads go both
/// ways, for which \p Apart is 1, threads.
HEDDLE_COUNTING __heddle_count_branch(Counter *Place, unsigned Apart) {
  unsigned Mask = __nvvm_activemask();
  unsigned First = isFirst(Mask);
  if (First)
    add(Place, 1);
  if (First & Apart)
    add(Place + 1, 1);
  if (First)
    add(Place + 2, __builtin_popcount(Mask));
}

/// A thread that may have left a loop after so many iterations, if any; the
/// buckets are those of heddle::pgo::bucketOfTrips.
HEDDLE_COUNTING __heddle_count_trips(Counter *Place, unsigned Trips) {
  if (Trips == 0)
    return;
  Place += Trips <= 16 ? Trips : Trips <= 32 ? 17 : 18;
  // Mostly all threads have the same number.
  unsigned Mask = __nvvm_activemask();
  unsigned Common = __nvvm_redux_sync_umax(Trips, Mask);
  if (__nvvm_vote_ballot_sync(Mask, Trips == Common) != Mask)
    return add(Place, 1);
  if (isFirst(Mask))
    add(Place, __builtin_popcount(Mask));
}

/// A thread with a value, into one of eight pairs of a value and its count; a
/// value that finds no place is dropped.
HEDDLE_DEVICE_CALLED void __heddle_count_value(Counter *Place,
                                               unsigned long long Value) {
  for (int I = 0; I != 8; ++I, Place += 2) {
    unsigned long long Old = 0;
    if (__scoped_atomic_compare_exchange_n(Place, &Old, Value, false,
                                           __ATOMIC_RELAXED, __ATOMIC_RELAXED,
                                           __MEMORY_SCOPE_DEVICE) ||
        Old == Value) {
      add(Place + 1, 1);
      return;
    }
  }
}
