//===- PlainProduct.h - Products of finite floats ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Sums of products as sumProducts defines them, for eight columns at once with
// the host's vectors. Infinities and NaNs are for sumProducts.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_EMULATOR_PLAINPRODUCT_H
#define HEDDLE_LIB_EMULATOR_PLAINPRODUCT_H

#include "Matrix/MatrixUnit.h"

#include "llvm/ADT/SmallVector.h"

namespace heddle::emu {

/// Elements of a row of A, or of columns of B, as words side by side.
class PlainTerms {
public:
  static constexpr unsigned Group = 8; ///< Columns.

  /// For K elements of each of so many columns, all zero.
  PlainTerms(unsigned K, unsigned Columns = 1)
      : Columns(Columns), Significands(size_t(K) * Columns, 0),
        Exponents(size_t(K) * Columns, ZeroExponent) {}

  /// False for what is not finite.
  bool set(unsigned K, unsigned Column, const MatrixTerm &T) {
    size_t At = size_t(K) * Columns + Column;
    if (T.K == MatrixTerm::Kind::Finite) {
      Significands[At] = T.Significand;
      Exponents[At] = T.Exponent;
      return true;
    }
    Significands[At] = 0;
    Exponents[At] = ZeroExponent;
    return T.K == MatrixTerm::Kind::Zero || T.K == MatrixTerm::Kind::Absent;
  }
  const int32_t *significands(unsigned K, unsigned Column = 0) const {
    return &Significands[size_t(K) * Columns + Column];
  }
  const int32_t *exponents(unsigned K, unsigned Column = 0) const {
    return &Exponents[size_t(K) * Columns + Column];
  }
  unsigned columns() const { return Columns; }

  /// Below every exponent that a number has, so that it is no largest one.
  static constexpr int32_t ZeroExponent = -0x4000;

private:
  unsigned Columns;
  llvm::SmallVector<int32_t, 128> Significands, Exponents;
};

/// The bits of the sums of K products of row \p A with \p Fraction fraction
/// bits each, and of addends, for the columns of \p B from \p First on. False,
/// and nothing done, if an addend is not finite.
bool sumPlainProducts(const PlainTerms &A, const PlainTerms &B, unsigned First,
                      unsigned K, unsigned Fraction, const MatrixTerm *C,
                      matrix::Result CType, matrix::Result DType,
                      uint32_t *Results);

} // namespace heddle::emu

#endif // HEDDLE_LIB_EMULATOR_PLAINPRODUCT_H
