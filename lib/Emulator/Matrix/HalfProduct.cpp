//===- HalfProduct.cpp - Products of matrices of halves ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An element of a vector is a row. A term has at most 27 bits when it is
// aligned, so that eight of them fit into a word before they are widened.
//
//===----------------------------------------------------------------------===//

#include "Matrix/HalfProduct.h"
#include "heddle/Emulator/Emulator.h"

#include <algorithm>
#include <cstring>

namespace heddle::emu {

namespace {

constexpr unsigned M = HalfMatrices::M, N = HalfMatrices::N;
constexpr unsigned MaxK = HalfMatrices::MaxK;
/// Below every exponent that a number has.
constexpr int32_t ZeroExponent = -0x4000;

typedef int32_t Words __attribute__((ext_vector_type(M)));
typedef uint32_t Magnitudes __attribute__((ext_vector_type(M)));
typedef int64_t Sums __attribute__((ext_vector_type(M)));

#define HEDDLE_INLINE static inline __attribute__((always_inline))

HEDDLE_INLINE Words load(const void *From) {
  Words V;
  std::memcpy(&V, From, sizeof(V));
  return V;
}
HEDDLE_INLINE void store(int32_t *To, Words V) {
  std::memcpy(To, &V, sizeof(V));
}

/// Numbers as products of a significand and of a power of two.
struct Numbers {
  Words Significand, Exponent;
};

/// Adds to \p Special what is not finite.
HEDDLE_INLINE void decode(Words Bits, FloatFormat F, int32_t Zero, Numbers &To,
                          Words &Special) {
  auto Most = static_cast<int32_t>((1u << F.ExpBits) - 1);
  Words Fraction = Bits & static_cast<int32_t>(F.fracMask());
  Words Exponent = Bits >> F.FracBits & Most;
  Special |= Exponent == Most;
  Words IsNormal = Exponent != 0;
  Words V = Fraction | (IsNormal & int32_t(1) << F.FracBits);
  Words Sign = Bits << (31 - F.ExpBits - F.FracBits) >> 31;
  To.Significand = (V ^ Sign) - Sign;
  Words E = __builtin_elementwise_max(Exponent, Words(1)) - F.bias();
  Words IsZero = V == 0;
  To.Exponent = (E & ~IsZero) | (IsZero & Zero);
}

/// A term cut off, towards zero, at a distance below the largest exponent.
HEDDLE_INLINE Words align(Words Significand, Words Exponent, Words Largest,
                          unsigned Shift) {
  // What is further down than its bits is zero.
  Words Down = __builtin_elementwise_min(Largest - Exponent, Words(31));
  Words Sign = Significand >> 31;
  auto V = __builtin_bit_cast(Magnitudes, (Significand ^ Sign) - Sign);
  V = V << Shift >> __builtin_bit_cast(Magnitudes, Down);
  return (__builtin_bit_cast(Words, V) ^ Sign) - Sign;
}

/// Rows of A by k, and of B the elements of each column.
struct Operands {
  Numbers A[MaxK];
  int32_t SignificandOfB[N][MaxK], ExponentOfB[N][MaxK];
  unsigned K, Shift, ShiftOfC; ///< From fraction bits to those of the sum.
};

HEDDLE_INLINE FloatFormat formatOf(matrix::Element E) {
  return E == matrix::Element::F16 ? F16Format : BF16Format;
}
HEDDLE_INLINE FloatFormat formatOf(matrix::Result R) {
  return R == matrix::Result::F16 ? F16Format : F32Format;
}

HEDDLE_INLINE bool isAny(Words V) { return __builtin_reduce_or(V) != 0; }

/// False if something is not finite.
HEDDLE_INLINE bool decodeAll(const HalfMatrices &X, Operands &To) {
  Words Special = 0;
  for (unsigned K = 0; K < X.K; ++K)
    decode(load(X.A[K]), formatOf(X.TypeA), ZeroExponent, To.A[K], Special);
  for (unsigned Column = 0; Column < N; ++Column) {
    Numbers B;
    Words Bits = load(X.B[Column]), Other = 0;
    decode(Bits, formatOf(X.TypeB), ZeroExponent, B, Other);
    store(To.SignificandOfB[Column], B.Significand);
    store(To.ExponentOfB[Column], B.Exponent);
    Special |= Other;
  }
  To.K = X.K;
  To.Shift = SumBits - fractionBits(X.TypeA) - fractionBits(X.TypeB);
  To.ShiftOfC = SumBits - addendFractionBits(X.TypeC);
  return !isAny(Special);
}

HEDDLE_INLINE void sumColumn(const Operands &X, unsigned Column,
                             const Numbers &C, int64_t *Results,
                             int32_t *LargestOf) {
  constexpr unsigned Narrow = 8; // Terms that fit into a word.
  const int32_t *Significands = X.SignificandOfB[Column],
                *Exponents = X.ExponentOfB[Column];
  Words Largest = C.Exponent;
  for (unsigned K = 0; K < X.K; ++K)
    Largest =
        __builtin_elementwise_max(Largest, X.A[K].Exponent + Exponents[K]);
  Sums Sum = __builtin_convertvector(
      align(C.Significand, C.Exponent, Largest, X.ShiftOfC), Sums);
  for (unsigned First = 0; First < X.K; First += Narrow) {
    Words Part = 0;
    for (unsigned K = First; K < First + Narrow; ++K)
      Part += align(X.A[K].Significand * Significands[K],
                    X.A[K].Exponent + Exponents[K], Largest, X.Shift);
    Sum += __builtin_convertvector(Part, Sums);
  }
  std::memcpy(Results, &Sum, sizeof(Sum));
  store(LargestOf, Largest);
}

HEDDLE_INLINE bool multiply(const HalfMatrices &X, uint32_t (*D)[M]) {
  Operands All;
  if (!decodeAll(X, All))
    return false;
  int64_t Sum[N][M];
  int32_t Largest[N][M];
  Words Special = 0;
  for (unsigned Column = 0; Column < N; ++Column) {
    Numbers C;
    decode(load(X.C[Column]), formatOf(X.TypeC), 2 * ZeroExponent, C, Special);
    sumColumn(All, Column, C, Sum[Column], Largest[Column]);
  }
  if (isAny(Special))
    return false;
  for (unsigned Column = 0; Column < N; ++Column)
    for (unsigned Row = 0; Row < M; ++Row)
      D[Column][Row] =
          finishSum(Sum[Column][Row], Largest[Column][Row], X.TypeD);
  return true;
}

using MultiplyFn = bool (*)(const HalfMatrices &, uint32_t (*)[M]);

#if defined(__x86_64__)
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))) bool
multiplyWithAVX512(const HalfMatrices &X, uint32_t (*D)[M]) {
  return multiply(X, D);
}
__attribute__((target("avx2"))) bool multiplyWithAVX2(const HalfMatrices &X,
                                                      uint32_t (*D)[M]) {
  return multiply(X, D);
}
#endif
bool multiplyPortably(const HalfMatrices &X, uint32_t (*D)[M]) {
  return multiply(X, D);
}

MultiplyFn bestMultiply() {
#if defined(__x86_64__)
  if (areSupported(HostVectors::AVX512))
    return multiplyWithAVX512;
  if (areSupported(HostVectors::AVX2))
    return multiplyWithAVX2;
#endif
  return multiplyPortably;
}

} // namespace

bool multiplyHalves(const HalfMatrices &X, uint32_t (*D)[M]) {
  static const MultiplyFn Best = bestMultiply();
  return Best(X, D);
}

} // namespace heddle::emu
