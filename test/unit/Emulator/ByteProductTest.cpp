//===- ByteProductTest.cpp - Dense products of bytes ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Against sums of 64 bits, one element after the other.
//
//===----------------------------------------------------------------------===//

#include "lib/Emulator/Matrix/ByteProduct.h"
#include "gtest/gtest.h"

#include <random>

using namespace heddle;
using namespace heddle::emu;
using matrix::Element;

namespace {

constexpr unsigned M = DenseMatrices::M, N = DenseMatrices::N;

/// Bytes, the least and the greatest among them, and addends near to both ends.
DenseMatrices randomMatrices(Element A, Element B, unsigned K,
                             std::mt19937 &R) {
  constexpr uint32_t Ends[] = {0, 127, 128, 255};
  auto Byte = [&]() { return R() % 4 ? R() % 256 : Ends[R() % 4]; };
  DenseMatrices X = {};
  X.TypeA = A;
  X.TypeB = B;
  X.K = K;
  for (unsigned I = 0; I < K; ++I) {
    for (uint32_t &V : X.A[I])
      V = Byte();
    for (auto &Column : X.B)
      Column[I] = Byte();
  }
  for (auto &Column : X.C)
    for (uint32_t &V : Column)
      V = R() % 2 ? R() : INT32_MAX - 2'000'000 + R() % 4'000'000;
  return X;
}

int64_t valueOf(Element E, uint32_t Bits) {
  return E == Element::S8 ? static_cast<int8_t>(Bits) : int64_t(Bits);
}

void expectAsOneByOne(const DenseMatrices &X, bool Saturate) {
  uint32_t D[N][M];
  multiplyBytes(X, Saturate, D);
  for (unsigned Column = 0; Column < N; ++Column)
    for (unsigned Row = 0; Row < M; ++Row) {
      int64_t Sum = static_cast<int32_t>(X.C[Column][Row]);
      for (unsigned K = 0; K < X.K; ++K)
        Sum += valueOf(X.TypeA, X.A[K][Row]) * valueOf(X.TypeB, X.B[Column][K]);
      ASSERT_EQ(D[Column][Row], finishInteger(Sum, Saturate))
          << "row " << Row << ", column " << Column;
    }
}

TEST(ByteProduct, IsThatOfOneElement) {
  std::mt19937 R(1);
  for (Element A : {Element::S8, Element::U8})
    for (Element B : {Element::S8, Element::U8})
      for (unsigned K : {16U, 32U}) {
        ASSERT_TRUE(takesBytes(A, B, K));
        for (unsigned Round = 0; Round < 50; ++Round) {
          DenseMatrices X = randomMatrices(A, B, K, R);
          expectAsOneByOne(X, Round % 2);
        }
      }
}

/// The greatest sums there are keep their last bit.
TEST(ByteProduct, HasRoomForTheGreatest) {
  DenseMatrices X = {};
  X.TypeA = X.TypeB = Element::U8;
  X.K = DenseMatrices::MaxK;
  for (unsigned I = 0; I < X.K; ++I) {
    for (uint32_t &V : X.A[I])
      V = 255;
    for (auto &Column : X.B)
      Column[I] = I ? 255 : 254;
  }
  expectAsOneByOne(X, false);
}

TEST(ByteProduct, TakesNoOtherTypesAndDepths) {
  EXPECT_FALSE(takesBytes(Element::S8, Element::S4, 32));
  EXPECT_FALSE(takesBytes(Element::F16, Element::F16, 16));
  EXPECT_FALSE(takesBytes(Element::U8, Element::U8, 64));
}

} // namespace
