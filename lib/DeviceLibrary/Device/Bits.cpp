//===- Bits.cpp - Searches in words -----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bit operations of PTX that take a loop.
//
//===----------------------------------------------------------------------===//

#include "Instructions.h"

/// PTX fns: the position of the N-th one of Mask, counted from bit Base on
/// upwards (N > 0) or downwards (N < 0), Base itself included; for N = 0 Base
/// if its bit is set. All ones where there is none.
HEDDLE_DEVICE_CALLED unsigned __heddle_fns(unsigned Mask, unsigned Base,
                                           int N) {
  constexpr unsigned None = ~0u;
  if (Base > 31)
    return None;
  if (N == 0)
    return Mask >> Base & 1 ? Base : None;
  int Step = N > 0 ? 1 : -1;
  unsigned Left = N > 0 ? N : -static_cast<unsigned>(N);
  for (int Position = Base; Position >= 0 && Position < 32; Position += Step)
    if (Mask >> Position & 1 && --Left == 0)
      return Position;
  return None;
}

/// The product of \p A and \p B without carries, 128 bits.
static inline unsigned __int128 multiplyCarryless(unsigned long long A,
                                                  unsigned long long B) {
  unsigned __int128 Product = 0;
  for (int Bit = 0; Bit != 64; ++Bit)
    if (A >> Bit & 1)
      Product ^= static_cast<unsigned __int128>(B) << Bit;
  return Product;
}

/// PTX clmad without its addition: the lower and the upper half.
HEDDLE_DEVICE_CALLED unsigned long long
__heddle_clmul_lo(unsigned long long A, unsigned long long B) {
  return static_cast<unsigned long long>(multiplyCarryless(A, B));
}
HEDDLE_DEVICE_CALLED unsigned long long
__heddle_clmul_hi(unsigned long long A, unsigned long long B) {
  return static_cast<unsigned long long>(multiplyCarryless(A, B) >> 64);
}
