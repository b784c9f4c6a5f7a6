//===- ElementTypeTest.cpp - Tests of scalars -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names, ranges and conversions of PTX's scalar types.
//
//===----------------------------------------------------------------------===//

#include "heddle/Manifest/ElementType.h"
#include "gtest/gtest.h"
#include <cmath>

using namespace heddle::rt;

TEST(ElementType, NamesAndSizes) {
  EXPECT_EQ(parseElementType("f16"), ElementType::F16);
  EXPECT_EQ(parseElementType("b64"), ElementType::B64);
  EXPECT_EQ(parseElementType("f8"), std::nullopt);
  EXPECT_EQ(parseElementType(""), std::nullopt);
  EXPECT_EQ(elementName(ElementType::BF16), "bf16");
  EXPECT_EQ(elementSize(ElementType::U8), 1u);
  EXPECT_EQ(elementSize(ElementType::F64), 8u);
}

TEST(ElementType, HalfRoundsToNearestEven) {
  const ElementType F16 = ElementType::F16;
  EXPECT_EQ(floatBits(F16, 1.0), 0x3c00u);
  EXPECT_EQ(floatBits(F16, -2.0), 0xc000u);
  // Halfway between two numbers: the even one; a little more: the next.
  EXPECT_EQ(floatBits(F16, 1.0 + 0x1p-11), 0x3c00u);
  EXPECT_EQ(floatBits(F16, 1.0 + 0x1p-11 + 0x1p-40), 0x3c01u);
  EXPECT_EQ(floatBits(F16, 1.0 + 3 * 0x1p-11), 0x3c02u);
  EXPECT_EQ(floatBits(F16, 65519.0), 0x7bffu);
  EXPECT_EQ(floatBits(F16, 65520.0), 0x7c00u);
  EXPECT_EQ(floatBits(F16, 0x1p-24), 0x0001u);
  EXPECT_EQ(floatBits(F16, 0x1p-25), 0x0000u);
  EXPECT_EQ(floatBits(F16, -0.0), 0x8000u);
}

TEST(ElementType, BrainFloatRoundsToNearestEven) {
  const ElementType BF16 = ElementType::BF16;
  EXPECT_EQ(floatBits(BF16, 1.0), 0x3f80u);
  EXPECT_EQ(floatBits(BF16, 1.0 + 0x1p-8), 0x3f80u);
  EXPECT_EQ(floatBits(BF16, 1.0 + 3 * 0x1p-8), 0x3f82u);
  EXPECT_EQ(floatBits(BF16, INFINITY), 0x7f80u);
}

TEST(ElementType, EveryHalfSurvivesTheRoundTrip) {
  for (ElementType Type : {ElementType::F16, ElementType::BF16})
    for (uint32_t Bits = 0; Bits < 0x10000; ++Bits) {
      if (isNaN(Type, Bits))
        continue;
      EXPECT_EQ(floatBits(Type, floatValue(Type, Bits)), Bits);
    }
}

TEST(ElementType, PoisonIsNaNInEveryFloatType) {
  EXPECT_TRUE(isNaN(ElementType::F16, 0x7FFB));
  EXPECT_TRUE(isNaN(ElementType::BF16, 0x7FFB));
  EXPECT_TRUE(isNaN(ElementType::F32, 0x7FFB7FFB));
  EXPECT_TRUE(isNaN(ElementType::F64, 0x7FFB7FFB7FFB7FFB));
  EXPECT_FALSE(isNaN(ElementType::U32, 0x7FFB7FFB));
}

TEST(ElementType, IntegerRanges) {
  auto Negative = [](ElementType Type, int64_t Value) {
    return integerBits(Type, static_cast<uint64_t>(Value), true);
  };
  EXPECT_EQ(integerBits(ElementType::U8, 255, false), 255u);
  EXPECT_EQ(integerBits(ElementType::U8, 256, false), std::nullopt);
  EXPECT_EQ(Negative(ElementType::U8, -1), std::nullopt);
  EXPECT_EQ(integerBits(ElementType::S8, 127, false), 127u);
  EXPECT_EQ(integerBits(ElementType::S8, 128, false), std::nullopt);
  EXPECT_EQ(Negative(ElementType::S8, -128), 0x80u);
  EXPECT_EQ(Negative(ElementType::S8, -129), std::nullopt);
  EXPECT_EQ(Negative(ElementType::B16, -1), 0xffffu);
  EXPECT_EQ(integerBits(ElementType::U64, UINT64_MAX, false), UINT64_MAX);
  EXPECT_EQ(integerBits(ElementType::S64, UINT64_MAX, false), std::nullopt);
  EXPECT_EQ(Negative(ElementType::S64, INT64_MIN), uint64_t(1) << 63);
}

TEST(ElementType, Formats) {
  EXPECT_EQ(formatElement(ElementType::F32, 0x3fc00000), "1.5 (0x3fc00000)");
  EXPECT_EQ(formatElement(ElementType::F16, 0x7e01), "nan (0x7e01)");
  EXPECT_EQ(formatElement(ElementType::S8, 0xff), "-1 (0xff)");
  EXPECT_EQ(formatElement(ElementType::U16, 7), "7 (0x0007)");
  EXPECT_EQ(formatElement(ElementType::F64, 0xfff0000000000000),
            "-inf (0xfff0000000000000)");
}

TEST(ElementType, MemoryIsLittleEndian) {
  uint8_t Bytes[8] = {};
  storeElement(ElementType::U32, 0x11223344, Bytes);
  EXPECT_EQ(Bytes[0], 0x44);
  EXPECT_EQ(Bytes[3], 0x11);
  EXPECT_EQ(Bytes[4], 0);
  EXPECT_EQ(loadElement(ElementType::U32, Bytes), 0x11223344u);
  EXPECT_EQ(loadElement(ElementType::B16, Bytes + 1), 0x2233u);
}
