//===- PlainProduct.cpp - Products of finite floats -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A column is an element of a vector of words: a term has at most 28 bits when
// it is aligned, so that eight of them fit before they are widened.
//
//===----------------------------------------------------------------------===//

#include "Matrix/PlainProduct.h"
#include "heddle/Emulator/Emulator.h"

#include <cstring>

namespace heddle::emu {

namespace {

constexpr unsigned Group = PlainTerms::Group;
typedef int32_t Words __attribute__((ext_vector_type(Group)));
typedef uint32_t Magnitudes __attribute__((ext_vector_type(Group)));
typedef int64_t Sums __attribute__((ext_vector_type(Group)));

/// What a sum consists of.
struct Columns {
  const PlainTerms *A, *B;
  unsigned First, K;
  unsigned Shift, ShiftOfC; ///< From fraction bits to those of the sum.
  int32_t C[Group], ExponentOfC[Group];
};
struct Totals {
  int64_t Sum[Group];
  int32_t Largest[Group];
};

#define HEDDLE_INLINE static inline __attribute__((always_inline))

HEDDLE_INLINE Words load(const int32_t *From) {
  Words V;
  std::memcpy(&V, From, sizeof(V));
  return V;
}

/// A term cut off, towards zero, at a distance below the largest exponent.
HEDDLE_INLINE Words align(Words Significand, Words Exponent, Words Largest,
                          unsigned Shift) {
  // What is further down than its bits is zero.
  Words Down = __builtin_elementwise_min(Largest - Exponent, Words(31));
  Words Sign = Significand >> 31;
  Magnitudes M = __builtin_bit_cast(Magnitudes, (Significand ^ Sign) - Sign);
  M = M << Shift >> __builtin_bit_cast(Magnitudes, Down);
  return (__builtin_bit_cast(Words, M) ^ Sign) - Sign;
}

HEDDLE_INLINE void sumColumns(const Columns &X, Totals &T) {
  constexpr unsigned Narrow = 8; // Terms that fit into a word.
  Words ExponentOfC = load(X.ExponentOfC), Largest = ExponentOfC;
  // Inlined like the rest: how vectors are returned depends on the target.
  auto Exponent = [&](unsigned K) __attribute__((always_inline)) {
    return *X.A->exponents(K) + load(X.B->exponents(K, X.First));
  };
  for (unsigned K = 0; K < X.K; ++K)
    Largest = __builtin_elementwise_max(Largest, Exponent(K));
  Sums Sum = __builtin_convertvector(
      align(load(X.C), ExponentOfC, Largest, X.ShiftOfC), Sums);
  for (unsigned K = 0; K < X.K;) {
    Words Part = 0;
    for (unsigned End = std::min(K + Narrow, X.K); K < End; ++K) {
      Words Product =
          *X.A->significands(K) * load(X.B->significands(K, X.First));
      Part += align(Product, Exponent(K), Largest, X.Shift);
    }
    Sum += __builtin_convertvector(Part, Sums);
  }
  std::memcpy(T.Sum, &Sum, sizeof(Sum));
  std::memcpy(T.Largest, &Largest, sizeof(Largest));
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) void sumWithAVX2(const Columns &X, Totals &T) {
  sumColumns(X, T);
}
#endif
void sumPortably(const Columns &X, Totals &T) { sumColumns(X, T); }

using SumFn = void (*)(const Columns &, Totals &);
SumFn bestSum() {
#if defined(__x86_64__)
  if (areSupported(HostVectors::AVX2))
    return sumWithAVX2;
#endif
  return sumPortably;
}

} // namespace

bool sumPlainProducts(const PlainTerms &A, const PlainTerms &B, unsigned First,
                      unsigned K, unsigned Fraction, const MatrixTerm *C,
                      matrix::Result CType, matrix::Result DType,
                      uint32_t *Results) {
  static const SumFn Sum = bestSum();
  Columns X{
      &A, &B, First, K, SumBits - Fraction, SumBits - addendFractionBits(CType),
      {}, {}};
  for (unsigned N = 0; N < Group; ++N) {
    bool IsZero = C[N].K == MatrixTerm::Kind::Zero;
    if (!IsZero && C[N].K != MatrixTerm::Kind::Finite)
      return false;
    X.C[N] = IsZero ? 0 : C[N].Significand;
    X.ExponentOfC[N] = IsZero ? 2 * PlainTerms::ZeroExponent : C[N].Exponent;
  }
  Totals T;
  Sum(X, T);
  for (unsigned N = 0; N < Group; ++N)
    Results[N] = finishSum(T.Sum[N], T.Largest[N], DType);
  return true;
}

} // namespace heddle::emu
