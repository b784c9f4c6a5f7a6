//===- ByteProduct.cpp - Dense products of bytes ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host multiplies and adds floats at once, and words not. Single precision
// has the sums of 32 products of bytes exactly: none reaches 2^24.
//
//===----------------------------------------------------------------------===//

#include "Matrix/ByteProduct.h"
#include "Matrix/RowVectors.h"

namespace heddle::emu {

namespace {

constexpr unsigned M = DenseMatrices::M, N = DenseMatrices::N;
constexpr unsigned MaxK = DenseMatrices::MaxK;
/// All depths are multiples of it.
constexpr unsigned Step = 8;

static_assert(MaxK * 255 * 255 < 1 << 24);

/// What a byte stands for: those from \p Wrap on are negative.
HEDDLE_INLINE Floats decode(const uint32_t *Bits, int32_t Wrap) {
  Words V = load(Bits);
  return __builtin_convertvector(V - ((V >= Wrap) & 256), Floats);
}

HEDDLE_INLINE int32_t wrapOf(matrix::Element E) {
  return matrix::isSigned(E) ? 128 : 256;
}

HEDDLE_INLINE Words finish(Words Sum, Words C, bool Saturate) {
  Words Wrapped =
      __builtin_bit_cast(Words, __builtin_bit_cast(Magnitudes, Sum) +
                                    __builtin_bit_cast(Magnitudes, C));
  // The sum has left its range if both terms have the other sign.
  Words Overflow = ((Sum ^ Wrapped) & (C ^ Wrapped)) >> 31;
  Words Bound = (C >> 31) ^ INT32_MAX;
  return Saturate ? (Wrapped & ~Overflow) | (Bound & Overflow) : Wrapped;
}

HEDDLE_INLINE bool multiplyExactly(const DenseMatrices &X, bool Saturate,
                                   uint32_t (*D)[M]) {
  Floats A[MaxK];
  for (unsigned K = 0; K < X.K; ++K)
    A[K] = decode(X.A[K], wrapOf(X.TypeA));
  for (unsigned Column = 0; Column < N; ++Column) {
    float B[MaxK];
    for (unsigned K = 0; K < X.K; K += M) {
      Floats V = decode(X.B[Column] + K, wrapOf(X.TypeB));
      std::memcpy(B + K, &V, sizeof(V));
    }
    Floats Sum = 0;
    for (unsigned First = 0; First < X.K; First += Step)
      for (unsigned K = First; K < First + Step; ++K)
        Sum += A[K] * B[K];
    store(D[Column], finish(__builtin_convertvector(Sum, Words),
                            load(X.C[Column]), Saturate));
  }
  return true;
}

HEDDLE_HOST_VERSIONS(bestMultiplyExactly, multiplyExactly,
                     (const DenseMatrices &X, bool Saturate, uint32_t (*D)[M]),
                     (X, Saturate, D))

} // namespace

bool takesBytes(matrix::Element A, matrix::Element B, unsigned K) {
  auto IsByte = [](matrix::Element E) {
    return E == matrix::Element::S8 || E == matrix::Element::U8;
  };
  return IsByte(A) && IsByte(B) && K % Step == 0 && K <= MaxK;
}

void multiplyBytes(const DenseMatrices &X, bool Saturate, uint32_t (*D)[M]) {
  static const auto Best = bestMultiplyExactly();
  Best(X, Saturate, D);
}

} // namespace heddle::emu
