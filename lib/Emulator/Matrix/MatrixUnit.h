//===- MatrixUnit.h - The arithmetic of matrix products ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of products as docs/matrix.md defines them, on whole matrices; where
// their elements stand in registers is ExecuteMatrix.cpp's.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_MATRIXUNIT_H
#define HEDDLE_LIB_EMULATOR_MATRIXUNIT_H

#include "heddle/Emulator/SoftFloat.h"
#include "heddle/ISA/Matrix.h"

#include <cstdint>

namespace heddle::emu {

/// An element of a product's operand, or an addend: Significand * 2^(Exponent -
/// the fraction bits of its type).
struct MatrixTerm {
  enum class Kind : uint8_t { Absent, Zero, Finite, Infinity, NaN };
  // Not initialised, since there are many; MatrixTerm() is absent.
  int32_t Significand;
  int16_t Exponent;
  Kind K;
};

constexpr unsigned MaxMatrixM = 16, MaxMatrixN = 8, MaxMatrixK = 256;

/// Operands of a product of floats. B is stored by columns.
struct FloatMatrices {
  MatrixTerm A[MaxMatrixM][MaxMatrixK / 2];
  MatrixTerm B[MaxMatrixN][MaxMatrixK / 2];
  /// Scales of the chunks of A's rows and of B's columns.
  MatrixTerm ScaleA[MaxMatrixM][4], ScaleB[MaxMatrixN][4];
  unsigned Fraction; ///< Fraction bits of a product, with its scales.
};

/// \p Significand and \p Exponent with a sign, or zero.
inline MatrixTerm finiteTerm(bool Negative, uint32_t Significand,
                             int Exponent) {
  if (Significand == 0)
    return {0, 0, MatrixTerm::Kind::Zero};
  int32_t Value = static_cast<int32_t>(Significand);
  return {Negative ? -Value : Value, static_cast<int16_t>(Exponent),
          MatrixTerm::Kind::Finite};
}
/// A number of a format from its bits.
inline MatrixTerm decodeIEEE(uint32_t Bits, FloatFormat F) {
  uint32_t Fraction = Bits & F.fracMask();
  unsigned Exponent = Bits >> F.FracBits & ((1u << F.ExpBits) - 1);
  bool Negative = Bits & F.signBit();
  if (Exponent == (1u << F.ExpBits) - 1)
    return {Negative ? -1 : 1, 0,
            Fraction ? MatrixTerm::Kind::NaN : MatrixTerm::Kind::Infinity};
  if (Exponent == 0)
    return finiteTerm(Negative, Fraction, F.minExp());
  return finiteTerm(Negative, Fraction | 1u << F.FracBits,
                    int(Exponent) - F.bias());
}

/// An element of a type of floats of at most 8 bits from its bits.
MatrixTerm decodeNarrowElement(matrix::Element E, uint32_t Bits);
/// An element of any type of floats.
inline MatrixTerm decodeElement(matrix::Element E, uint32_t Bits) {
  switch (E) {
  case matrix::Element::F16:
    return decodeIEEE(Bits, F16Format);
  case matrix::Element::BF16:
    return decodeIEEE(Bits, BF16Format);
  case matrix::Element::TF32:
    return decodeIEEE(Bits >> 13, TF32Format);
  default:
    return decodeNarrowElement(E, Bits);
  }
}
unsigned fractionBits(matrix::Element E);
/// A scale of type UE4M3, or else UE8M0.
MatrixTerm decodeScale(bool IsUE4M3, uint8_t Bits);
constexpr unsigned ScaleFractionBits = 3; ///< Of UE4M3; UE8M0 has none.

/// What a sum of products is of: \p K elements of a row and of a column, and
/// the scales of their \p Scales chunks (0: none).
struct ProductTerms {
  const MatrixTerm *A, *B;
  const MatrixTerm *ScaleA = nullptr, *ScaleB = nullptr;
  unsigned K = 0, Scales = 0;
  unsigned Fraction = 0; ///< Fraction bits of a product, with its scales.
};
/// The bits of the sum of the products and of an addend.
uint32_t sumProducts(const ProductTerms &T, const MatrixTerm &C,
                     matrix::Result CType, matrix::Result DType);
/// Bits of a term below the largest exponent that take part in a sum.
constexpr unsigned SumBits = 25;
/// The bits of a sum of finite terms: Sum * 2^(Largest - SumBits).
uint32_t finishSum(int64_t Sum, int Largest, matrix::Result DType);
unsigned addendFractionBits(matrix::Result Type);
/// An addend from its bits.
MatrixTerm decodeAddend(matrix::Result Type, uint32_t Bits);

/// The sum of the products of row \p M and column \p N over \p K elements with
/// \p Scales chunks (0: none) and of \p C, in the bits of the result's type.
uint32_t multiplyFloats(const FloatMatrices &X, unsigned M, unsigned N,
                        unsigned K, unsigned Scales, uint32_t C,
                        matrix::Result CType, matrix::Result DType);
/// Of two terms; Absent if one of them is.
MatrixTerm multiplyTerms(const MatrixTerm &A, const MatrixTerm &B);

/// An exact sum in 32 bits: clamped or wrapped.
uint32_t finishInteger(int64_t Sum, bool Saturate);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_MATRIXUNIT_H
