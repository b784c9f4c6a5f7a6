//===- MatrixUnit.cpp - The arithmetic of matrix products -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Products are exact. They and the addend are cut off, towards zero, at a
// distance below the largest of their exponents, summed as integers, and the
// sum is converted once.
//
//===----------------------------------------------------------------------===//

#include "Matrix/MatrixUnit.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdlib>
#include <optional>

namespace heddle::emu {

using matrix::Element;
using Kind = MatrixTerm::Kind;

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static MatrixTerm decodeNarrow(uint32_t Bits, NarrowFormat F) {
  uint32_t Magnitude = Bits & (F.signBit() - 1);
  bool Negative = Bits & F.signBit();
  if (Magnitude > F.Largest) {
    bool IsInfinity = F.HasInfinity && Magnitude == F.Largest + 1;
    return {Negative ? -1 : 1, 0, IsInfinity ? Kind::Infinity : Kind::NaN};
  }
  uint32_t Fraction = Magnitude & ((1u << F.FracBits) - 1);
  int Exponent = Magnitude >> F.FracBits;
  if (Exponent == 0)
    return finiteTerm(Negative, Fraction, F.minExp());
  return finiteTerm(Negative, Fraction | 1u << F.FracBits,
                    F.minExp() + Exponent - 1);
}

MatrixTerm decodeNarrowElement(Element E, uint32_t Bits) {
  switch (E) {
  case Element::E4M3:
    return decodeNarrow(Bits, E4M3Format);
  case Element::E5M2:
    return decodeNarrow(Bits, E5M2Format);
  case Element::E3M2:
    return decodeNarrow(Bits, E3M2Format);
  case Element::E2M3:
    return decodeNarrow(Bits, E2M3Format);
  case Element::E2M1:
    return decodeNarrow(Bits >> 2 & 15, E2M1Format);
  default:
    return decodeNarrow(Bits & 15, E2M1Format);
  }
}

unsigned fractionBits(Element E) {
  switch (E) {
  case Element::F16:
  case Element::TF32:
    return 10;
  case Element::BF16:
    return 7;
  case Element::E4M3:
  case Element::E2M3:
    return 3;
  case Element::E5M2:
  case Element::E3M2:
    return 2;
  default:
    return 1;
  }
}

MatrixTerm decodeScale(bool IsUE4M3, uint8_t Bits) {
  if (IsUE4M3)
    return decodeNarrow(Bits & 0x7F, E4M3Format);
  if (Bits == 0xFF)
    return {1, 0, Kind::NaN};
  return {1, static_cast<int16_t>(int(Bits) - 127), Kind::Finite};
}

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

MatrixTerm multiplyTerms(const MatrixTerm &A, const MatrixTerm &B) {
  if (A.K == Kind::Finite && B.K == Kind::Finite)
    return {A.Significand * B.Significand,
            static_cast<int16_t>(A.Exponent + B.Exponent), Kind::Finite};
  if (A.K == Kind::Absent || B.K == Kind::Absent)
    return {};
  if (A.K == Kind::NaN || B.K == Kind::NaN)
    return {1, 0, Kind::NaN};
  bool IsInfinite = A.K == Kind::Infinity || B.K == Kind::Infinity;
  if (A.K == Kind::Zero || B.K == Kind::Zero)
    return {1, 0, IsInfinite ? Kind::NaN : Kind::Zero};
  return {(A.Significand < 0) != (B.Significand < 0) ? -1 : 1, 0,
          Kind::Infinity};
}

namespace {
/// Terms with their distances in fraction bits.
class AlignedSum {
public:
  void add(const MatrixTerm &T, unsigned Fraction) {
    switch (T.K) {
    case Kind::Finite:
      Terms[Count++] = {T.Significand, T.Exponent,
                        static_cast<uint8_t>(Fraction)};
      Largest = std::max<int>(Largest, T.Exponent);
      break;
    case Kind::NaN:
      NaN = true;
      break;
    case Kind::Infinity:
      (T.Significand < 0 ? Negative : Positive) = true;
      break;
    default:
      break;
    }
  }
  uint32_t finish(matrix::Result Type) const;

private:
  struct Term {
    int32_t Significand;
    int16_t Exponent;
    uint8_t Fraction;
  };
  int64_t sum() const {
    int64_t Sum = 0;
    for (unsigned N = 0; N < Count; ++N) {
      const Term &T = Terms[N];
      unsigned Down = std::min(Largest - T.Exponent, 63);
      uint64_t Magnitude = static_cast<uint64_t>(std::abs(T.Significand))
                               << (SumBits - T.Fraction) >>
                           Down;
      int64_t Value = static_cast<int64_t>(Magnitude);
      Sum += T.Significand < 0 ? -Value : Value;
    }
    return Sum;
  }

  std::array<Term, MaxMatrixK / 2 + 1> Terms;
  unsigned Count = 0;
  int Largest = INT16_MIN;
  bool NaN = false, Positive = false, Negative = false;
};
} // namespace

static FloatFormat formatOf(matrix::Result Type) {
  return Type == matrix::Result::F16 ? F16Format : F32Format;
}

uint32_t AlignedSum::finish(matrix::Result Type) const {
  FloatFormat F = formatOf(Type);
  if (NaN || (Positive && Negative))
    return static_cast<uint32_t>(F.canonicalNaN());
  if (Positive || Negative)
    return static_cast<uint32_t>(F.infinity() | (Negative ? F.signBit() : 0));
  return finishSum(sum(), Largest, Type);
}

/// A normal number in single precision, cut off; none if it is not normal.
static std::optional<uint32_t> cutOff(uint64_t Magnitude, bool Negative,
                                      int Exponent) {
  constexpr int FracBits = 23, Bias = 127;
  int Leading = 63 - std::countl_zero(Magnitude);
  int Biased = Exponent + Leading + Bias;
  if (Biased < 1 || Biased > 2 * Bias)
    return std::nullopt;
  uint64_t Significand = Leading >= FracBits
                             ? Magnitude >> (Leading - FracBits)
                             : Magnitude << (FracBits - Leading);
  return uint32_t(Negative) << 31 | uint32_t(Biased) << FracBits |
         (uint32_t(Significand) & ((1u << FracBits) - 1));
}

uint32_t finishSum(int64_t Sum, int Largest, matrix::Result Type) {
  if (Sum == 0)
    return 0;
  if (Type == matrix::Result::F32)
    if (auto Normal = cutOff(static_cast<uint64_t>(std::abs(Sum)), Sum < 0,
                             Largest - int(SumBits)))
      return *Normal;
  FloatFormat F = formatOf(Type);
  Number N;
  N.K = Number::Kind::Finite;
  N.Sign = Sum < 0;
  N.Sig = static_cast<uint64_t>(std::abs(Sum));
  N.Exp = Largest - int(SumBits);
  // Whatever the rounding, what is too large is infinite.
  if (N.leadingExp() > F.bias())
    return static_cast<uint32_t>(F.infinity() | (N.Sign ? F.signBit() : 0));
  return static_cast<uint32_t>(pack(N, F,
                                    Type == matrix::Result::F16
                                        ? Rounding::NearestEven
                                        : Rounding::TowardZero));
}

unsigned addendFractionBits(matrix::Result Type) {
  return formatOf(Type).FracBits;
}

MatrixTerm decodeAddend(matrix::Result Type, uint32_t Bits) {
  return decodeIEEE(Bits, formatOf(Type));
}

uint32_t sumProducts(const ProductTerms &T, const MatrixTerm &C,
                     matrix::Result CType, matrix::Result DType) {
  AlignedSum Sum;
  Sum.add(C, addendFractionBits(CType));
  for (unsigned I = 0; I < T.K; ++I) {
    MatrixTerm Product = multiplyTerms(T.A[I], T.B[I]);
    if (T.Scales && Product.K != Kind::Absent) {
      unsigned Chunk = I * T.Scales / T.K;
      Product = multiplyTerms(multiplyTerms(Product, T.ScaleA[Chunk]),
                              T.ScaleB[Chunk]);
    }
    Sum.add(Product, T.Fraction);
  }
  return Sum.finish(DType);
}

uint32_t multiplyFloats(const FloatMatrices &X, unsigned M, unsigned N,
                        unsigned K, unsigned Scales, uint32_t C,
                        matrix::Result CType, matrix::Result DType) {
  ProductTerms T{X.A[M], X.B[N], X.ScaleA[M], X.ScaleB[N],
                 K,      Scales, X.Fraction};
  return sumProducts(T, decodeAddend(CType, C), CType, DType);
}

uint32_t finishInteger(int64_t Sum, bool Saturate) {
  if (Saturate)
    Sum = std::clamp<int64_t>(Sum, INT32_MIN, INT32_MAX);
  return static_cast<uint32_t>(Sum);
}

} // namespace heddle::emu
