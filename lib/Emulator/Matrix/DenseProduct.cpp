//===- DenseProduct.cpp - Dense products of matrices ------------*- C++ -*-===//
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

#include "Matrix/DenseProduct.h"
#include "Matrix/NearProduct.h"
#include "Matrix/RowVectors.h"

#include <algorithm>

namespace heddle::emu {

namespace {

constexpr unsigned M = DenseMatrices::M, N = DenseMatrices::N;
constexpr unsigned MaxK = DenseMatrices::MaxK;

/// Numbers as products of a significand and of a power of two.
struct Numbers {
  Words Significand, Exponent;
};

/// Adds to \p Special what is not finite.
HEDDLE_INLINE void decode(Words Bits, Format F, int32_t Zero, Numbers &To,
                          Words &Special) {
  int SignAt = F.ExpBits + F.FracBits;
  Bits >>= static_cast<int32_t>(F.Drop);
  Words Magnitude = Bits & static_cast<int32_t>((uint32_t(1) << SignAt) - 1);
  Special |= Magnitude > F.Largest;
  Words Exponent = Magnitude >> F.FracBits;
  Words Fraction = Magnitude & ((int32_t(1) << F.FracBits) - 1);
  Words IsNormal = Exponent != 0;
  Words V = Fraction | (IsNormal & int32_t(1) << F.FracBits);
  Words Sign = Bits << (31 - SignAt) >> 31;
  To.Significand = (V ^ Sign) - Sign;
  int32_t Bias = (int32_t(1) << (F.ExpBits - 1)) - 1;
  Words E = __builtin_elementwise_max(Exponent, Words(1)) - Bias;
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

/// False if something is not finite.
HEDDLE_INLINE bool decodeAll(const DenseMatrices &X, Operands &To) {
  Words Special = 0;
  for (unsigned K = 0; K < X.K; ++K)
    decode(load(X.A[K]), formatOf(X.TypeA), ZeroExponent, To.A[K], Special);
  for (unsigned Column = 0; Column < N; ++Column)
    for (unsigned K = 0; K < X.K; K += M) {
      Numbers B;
      decode(load(X.B[Column] + K), formatOf(X.TypeB), ZeroExponent, B,
             Special);
      store(To.SignificandOfB[Column] + K, B.Significand);
      store(To.ExponentOfB[Column] + K, B.Exponent);
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

HEDDLE_INLINE bool multiplyWords(const DenseMatrices &X, uint32_t (*D)[M]) {
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

HEDDLE_HOST_VERSIONS(bestMultiplyWords, multiplyWords,
                     (const DenseMatrices &X, uint32_t (*D)[M]), (X, D))

} // namespace

bool DenseMatrices::take(matrix::Element A, matrix::Element B, unsigned K) {
  auto IsTaken = [](matrix::Element E) {
    switch (E) {
    case matrix::Element::F16:
    case matrix::Element::BF16:
    case matrix::Element::TF32:
    case matrix::Element::E4M3:
    case matrix::Element::E5M2:
      return true;
    default:
      return false;
    }
  };
  return IsTaken(A) && IsTaken(B) && K % 8 == 0 && K <= MaxK;
}

bool multiplyDense(const DenseMatrices &X, uint32_t (*D)[M]) {
  if (multiplyNear(X, D))
    return true;
  static const auto Best = bestMultiplyWords();
  return Best(X, D);
}

} // namespace heddle::emu
