//===- NearProduct.cpp - Products by the host's floats ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A term is the product of two floats, scaled so that what counts of it is its
// whole part, which a conversion cuts off as the sum wants it. Eight such parts
// fit into a word. Doubles have the sum exactly.
//
//===----------------------------------------------------------------------===//

#include "Matrix/NearProduct.h"
#include "Matrix/RowVectors.h"

namespace heddle::emu {

namespace {

constexpr unsigned M = DenseMatrices::M, N = DenseMatrices::N;
constexpr unsigned MaxK = DenseMatrices::MaxK;
/// All depths are multiples of it, and so many terms fit into a word.
constexpr unsigned Step = 8;

constexpr FloatFormat Single = F32Format, Double = F64Format;

/// The largest exponent of a sum's terms: all of 33 terms of less than four
/// times as much, and their bits that count, are normal numbers.
constexpr int32_t MostExponent = 118, LeastExponent = -100;

/// The bits of 2^\p Exponent, by element.
HEDDLE_INLINE Floats powerOfTwo(Words Exponent) {
  return __builtin_bit_cast(Floats, (Exponent + Single.bias())
                                        << Single.FracBits);
}
HEDDLE_INLINE Doubles doublePowerOfTwo(Words Exponent) {
  Sums Wide = __builtin_convertvector(Exponent, Sums);
  return __builtin_bit_cast(Doubles, (Wide + int64_t(Double.bias()))
                                         << int64_t(Double.FracBits));
}

struct Values {
  Floats Value;
  Words Exponent; ///< As MatrixTerm has it; that of zero is \p Zero.
};

/// Adds to \p Special what is not finite.
HEDDLE_INLINE Values decode(Words Bits, Format F, int32_t Zero,
                            Words &Special) {
  int SignAt = F.ExpBits + F.FracBits;
  int Bias = (1 << (F.ExpBits - 1)) - 1;
  Bits >>= static_cast<int32_t>(F.Drop);
  Words Magnitude = Bits & static_cast<int32_t>((uint32_t(1) << SignAt) - 1);
  Special |= Magnitude > F.Largest;
  // The same number but for what its exponent stands for.
  auto Shifted =
      __builtin_bit_cast(Floats, Magnitude << (Single.FracBits - F.FracBits));
  Floats Absolute = Shifted * powerOfTwo(Words(Single.bias() - Bias));
  auto Word = __builtin_bit_cast(Words, Absolute);
  Words Sign = (Bits >> SignAt) << 31;
  Words Exponent = (Word >> Single.FracBits) - Single.bias();
  Exponent = __builtin_elementwise_max(Exponent, Words(1 - Bias));
  Words IsZero = Magnitude == 0;
  return {__builtin_bit_cast(Floats, Word | Sign),
          (Exponent & ~IsZero) | (IsZero & Zero)};
}

/// Rows of A by k, and of B the elements of each column.
struct Operands {
  Values A[MaxK];
  float B[N][MaxK];
  int32_t ExponentOfB[N][MaxK];
};

/// False if something is not finite.
HEDDLE_INLINE bool decodeAll(const DenseMatrices &X, Format A, Format B,
                             Operands &To) {
  Words Special = 0;
  for (unsigned K = 0; K < X.K; ++K)
    To.A[K] = decode(load(X.A[K]), A, ZeroExponent, Special);
  for (unsigned Column = 0; Column < N; ++Column)
    for (unsigned K = 0; K < X.K; K += M) {
      Values V = decode(load(X.B[Column] + K), B, ZeroExponent, Special);
      std::memcpy(To.B[Column] + K, &V.Value, sizeof(V.Value));
      store(To.ExponentOfB[Column] + K, V.Exponent);
    }
  return !isAny(Special);
}

/// A sum in units of 2^(Largest - SumBits).
struct Column {
  Doubles Sum;
  Words Largest;
};

/// False if it is too far from 1.
HEDDLE_INLINE bool sumColumn(const Operands &X, unsigned Depth, unsigned Number,
                             Values C, Column &To) {
  Words Largest = C.Exponent;
  for (unsigned First = 0; First < Depth; First += Step)
    for (unsigned K = First; K < First + Step; ++K)
      Largest = __builtin_elementwise_max(
          Largest, X.A[K].Exponent + X.ExponentOfB[Number][K]);
  Words IsZero = Largest <= ZeroExponent / 2;
  Words IsNear = (Largest >= LeastExponent) & (Largest <= MostExponent);
  if (isAny(~(IsZero | IsNear)))
    return false;
  To.Largest = __builtin_elementwise_max(Largest, Words(LeastExponent));
  Floats Scale = powerOfTwo(int32_t(SumBits) - To.Largest);
  // The addend has too many bits for a word with the others.
  To.Sum = __builtin_convertvector(
      __builtin_convertvector(C.Value * Scale, Words), Doubles);
  for (unsigned First = 0; First < Depth; First += Step) {
    Words Part = 0;
    for (unsigned K = First; K < First + Step; ++K)
      Part +=
          __builtin_convertvector(X.A[K].Value * X.B[Number][K] * Scale, Words);
    To.Sum += __builtin_convertvector(Part, Doubles);
  }
  return true;
}

/// The sums themselves.
HEDDLE_INLINE Doubles values(const Column &From) {
  return From.Sum * doublePowerOfTwo(From.Largest - int32_t(SumBits));
}

/// The bits of sums in single precision, cut off. All are normal or zero.
HEDDLE_INLINE Words singles(Doubles Sum) {
  auto Bits = __builtin_bit_cast(Sums, Sum);
  constexpr int Cut = Double.FracBits - Single.FracBits;
  Sums Magnitude = (Bits & INT64_MAX) >> int64_t(Cut);
  Sums Rebias = Sums(int64_t(Double.bias() - Single.bias()) << Single.FracBits);
  Words Word = __builtin_convertvector(Magnitude - Rebias, Words);
  Words Sign = __builtin_convertvector(Bits >> 63, Words) << 31;
  Words IsZero = __builtin_convertvector(Bits == 0, Words);
  return (Word | Sign) & ~IsZero;
}

/// The bits of sums in half precision, to the nearest, or the even one of two.
HEDDLE_INLINE Words halves(Doubles Sum) {
  constexpr FloatFormat Half = F16Format;
  constexpr int64_t Cut = Double.FracBits - Half.FracBits;
  auto Bits = __builtin_bit_cast(Sums, Sum);
  Sums Magnitude = Bits & INT64_MAX;
  Sums Rounded =
      (Magnitude + ((int64_t(1) << (Cut - 1)) - 1) + (Magnitude >> Cut & 1)) >>
      Cut;
  Sums Normal =
      Rounded - (int64_t(Double.bias() - Half.bias()) << Half.FracBits);
  Normal = __builtin_elementwise_min(Normal, Sums(int64_t(Half.infinity())));
  // The last bit of this number is that of the subnormal ones.
  constexpr double Anchor = 0x1p28;
  static_assert(28 - Double.FracBits == Half.minExp() - Half.FracBits);
  auto Small =
      __builtin_bit_cast(Sums, __builtin_bit_cast(Doubles, Magnitude) + Anchor);
  Small &= int64_t(2 * Half.fracMask() + 1);
  Sums IsSmall =
      Magnitude < (int64_t(Double.bias() + Half.minExp()) << Double.FracBits);
  Sums Sign = (Bits >> 63) & int64_t(Half.signBit());
  return __builtin_convertvector((Small & IsSmall) | (Normal & ~IsSmall) | Sign,
                                 Words);
}

HEDDLE_INLINE void finish(const Column &From, matrix::Result Type,
                          uint32_t *D) {
  Doubles Sum = values(From);
  store(D, Type == matrix::Result::F32 ? singles(Sum) : halves(Sum));
}

HEDDLE_INLINE bool multiplyAs(const DenseMatrices &X, Format A, Format B,
                              uint32_t (*D)[M]) {
  Operands All;
  if (!decodeAll(X, A, B, All))
    return false;
  Column Columns[N];
  Words Special = 0;
  for (unsigned Each = 0; Each < N; ++Each) {
    Values C =
        decode(load(X.C[Each]), formatOf(X.TypeC), 2 * ZeroExponent, Special);
    if (isAny(Special) || !sumColumn(All, X.K, Each, C, Columns[Each]))
      return false;
  }
  for (unsigned Each = 0; Each < N; ++Each)
    finish(Columns[Each], X.TypeD, D[Each]);
  return true;
}

/// The formats of the most common products are constants.
HEDDLE_INLINE bool multiplyFloats(const DenseMatrices &X, uint32_t (*D)[M]) {
  using matrix::Element;
  if (X.TypeA == Element::F16 && X.TypeB == Element::F16)
    return multiplyAs(X, F16Format, F16Format, D);
  if (X.TypeA == Element::BF16 && X.TypeB == Element::BF16)
    return multiplyAs(X, BF16Format, BF16Format, D);
  return multiplyAs(X, formatOf(X.TypeA), formatOf(X.TypeB), D);
}

HEDDLE_HOST_VERSIONS(bestMultiplyFloats, multiplyFloats,
                     (const DenseMatrices &X, uint32_t (*D)[M]), (X, D))

} // namespace

bool multiplyNear(const DenseMatrices &X, uint32_t (*D)[M]) {
  static const auto Best = bestMultiplyFloats();
  return Best(X, D);
}

} // namespace heddle::emu
