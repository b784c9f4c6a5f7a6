//===- TensorMapTest.cpp - Making and checking tensor maps ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes of docs/tensor-maps.md, and what is refused.
//
//===----------------------------------------------------------------------===//

#include "heddle/ISA/TensorMap.h"
#include "gtest/gtest.h"

#include <cstring>
#include <string>

using namespace heddle;

static TensorDescription matrixOfHalves() {
  TensorDescription D;
  D.Element = TensorElement::F16;
  D.Rank = 2;
  D.Address = 0x123456780;
  D.Extent[0] = 100;
  D.Extent[1] = uint64_t(1) << 32;
  D.Stride[0] = 208;
  D.Box[0] = 64;
  D.Box[1] = 32;
  D.ElementStride[0] = D.ElementStride[1] = 1;
  D.Swizzle = TensorSwizzle::Bytes128;
  D.Fill = TensorFill::NaN;
  return D;
}

TEST(TensorMap, HasTheLayoutOfTheManual) {
  TensorMap Map;
  ASSERT_EQ(encodeTensorMap(matrixOfHalves(), Map), nullptr);
  uint8_t Bytes[TensorMapBytes];
  std::memcpy(Bytes, &Map, sizeof(Map));
  auto Word = [&](unsigned At) {
    uint32_t V;
    std::memcpy(&V, Bytes + At, 4);
    return V;
  };
  EXPECT_EQ(Word(0), 0x23456780u);
  EXPECT_EQ(Word(4), 1u);
  EXPECT_EQ(Word(8), 0x4D54u);
  EXPECT_EQ(Bytes[12], 6);
  EXPECT_EQ(Bytes[13], 1);
  EXPECT_EQ(Bytes[14], 0);
  EXPECT_EQ(Bytes[15], 3);
  EXPECT_EQ(Word(16), 99u);
  EXPECT_EQ(Word(20), 0xFFFFFFFFu);
  EXPECT_EQ(Bytes[36], 1);
  EXPECT_EQ(Word(40), 208u);
  EXPECT_EQ(Word(72), 64u);
  EXPECT_EQ(Word(76), 32u);
  EXPECT_EQ(Word(92), 1u);
  EXPECT_EQ(Word(96), 1u);
}

TEST(TensorMap, RefusesWhatBreaksARule) {
  auto Refusal = [](auto Change) -> std::string {
    TensorDescription D = matrixOfHalves();
    Change(D);
    TensorMap Map;
    const char *Error = encodeTensorMap(D, Map);
    return Error ? Error : "";
  };
  EXPECT_EQ(Refusal([](TensorDescription &) {}), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.Rank = 6; }), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.Rank = 0; }), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.Address += 8; }), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.Stride[0] = 200; }), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.Stride[0] = 0; }), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.Extent[1] += 1; }), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.Extent[0] = 0; }), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.Box[1] = 257; }), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.Box[0] = 65; }), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.Box[0] = 72; }), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.ElementStride[0] = 9; }), "");
  EXPECT_NE(
      Refusal([](TensorDescription &D) { D.Element = TensorElement::B4x16; }),
      "");
}
