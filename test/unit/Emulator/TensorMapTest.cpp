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
#include "heddle/ISA/ForeignTensorMap.h"
#include "gtest/gtest.h"

#include <array>
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
  EXPECT_EQ(Word(72), 63u);
  EXPECT_EQ(Word(76), 31u);
  EXPECT_EQ(Word(92), 0u);
  EXPECT_EQ(Word(96), 0u);
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
  // All rows are the same one.
  EXPECT_EQ(Refusal([](TensorDescription &D) { D.Stride[0] = 0; }), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.Extent[1] += 1; }), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.Extent[0] = 0; }), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.Box[1] = 257; }), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.Box[0] = 65; }), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.Box[0] = 72; }), "");
  EXPECT_NE(Refusal([](TensorDescription &D) { D.ElementStride[1] = 9; }), "");
  // CUDA ignores the step between elements that stand side by side.
  EXPECT_EQ(Refusal([](TensorDescription &D) { D.ElementStride[0] = 9; }), "");
  EXPECT_NE(
      Refusal([](TensorDescription &D) { D.Element = TensorElement::U16; }),
      "");
  EXPECT_NE(
      Refusal([](TensorDescription &D) { D.Element = TensorElement::B4x16; }),
      "");
}

/// What kernels make of 128 bytes that are zero: each field says something.
TEST(TensorMap, TakesZerosWhoseFieldsWereReplaced) {
  TensorMap Map;
  std::memset(static_cast<void *>(&Map), 0, sizeof(Map));
  EXPECT_STREQ(checkTensorMap(Map),
               "these bytes are all zero: nothing was written to the map");
  Map.Address = 0x1000;
  EXPECT_STREQ(checkTensorMap(Map),
               "a row of the box is no multiple of 16 bytes");
  Map.BoxMinusOne[0] = 15;
  EXPECT_EQ(checkTensorMap(Map), nullptr);
  EXPECT_EQ(Map.rank(), 1u);
  EXPECT_EQ(Map.Element, TensorElement::U8);
  EXPECT_EQ(Map.elementStride(0), 1u);
  Map.RankMinusOne = MaxTensorRank - 1;
  EXPECT_EQ(checkTensorMap(Map), nullptr);
  EXPECT_EQ(Map.box(4), 1u);
  // A kernel that says a box of no element.
  Map.BoxMinusOne[4] = 0u - 1;
  EXPECT_STREQ(checkTensorMap(Map), "an extent of the box is not in 1 to 256");
  Map.BoxMinusOne[4] = 0;
  Map.Magic = 0xFFFFFFFF;
  EXPECT_STREQ(checkTensorMap(Map), "these bytes are no tensor map");
}

static TensorMap asForeign(std::array<uint64_t, 8> Words) {
  TensorMap Map;
  std::memset(static_cast<void *>(&Map), 0, sizeof(Map));
  std::memcpy(static_cast<void *>(&Map), Words.data(), sizeof(Words));
  return Map;
}

/// The words are those that CUTLASS's DSL 4.8 prints for a tensor of 64 x 24 x
/// 6 x 5 x 3 halves and a box of 16 x 4 x 3 x 2 x 2.
TEST(TensorMap, TakesMapsAsNVIDIAHasThem) {
  std::array<uint64_t, 8> Words = {
      0x7F0000001000, 0x800240342, 0x480000000C0,      0x1680,
      0x170000003F,   0x400000005, 0x0F00000000000002, 0x1010203};
  TensorMap Map = asForeign(Words), Same;
  adoptTensorMap(Map);
  TensorDescription D;
  D.Element = TensorElement::F16;
  D.Rank = 5;
  D.Address = 0x7F0000001000;
  constexpr uint64_t Extents[] = {64, 24, 6, 5, 3};
  constexpr uint64_t Strides[] = {128, 3072, 18432, 92160};
  constexpr uint32_t Box[] = {16, 4, 3, 2, 2};
  for (unsigned N = 0; N < D.Rank; ++N) {
    D.Extent[N] = Extents[N];
    D.Box[N] = Box[N];
    D.ElementStride[N] = 1;
    if (N > 0)
      D.Stride[N - 1] = Strides[N - 1];
  }
  ASSERT_EQ(encodeTensorMap(D, Same), nullptr);
  EXPECT_EQ(std::memcmp(&Map, &Same, sizeof(Map)), 0);
  // Long strides have more bits in the fourth word.
  Words[3] = 0x432100001680;
  Map = asForeign(Words);
  adoptTensorMap(Map);
  EXPECT_EQ(Map.Stride[0], 0x1000000080u);
  EXPECT_EQ(Map.Stride[3], 0x4000016800u);
  // Ours stay as they are.
  Map = Same;
  adoptTensorMap(Map);
  EXPECT_EQ(std::memcmp(&Map, &Same, sizeof(Map)), 0);
}

TEST(TensorMap, RefusesForeignMapsThatAreNotKnown) {
  constexpr std::array<uint64_t, 8> Words = {
      0x1000, 0x4000046312, 0, 0, 0x5F000001FF, 0, 0x3F00000000000000, 7};
  auto Refusal = [&](unsigned Word, uint64_t Bits) -> std::string {
    auto Changed = Words;
    Changed[Word] ^= Bits;
    TensorMap Map = asForeign(Changed);
    adoptTensorMap(Map);
    const char *Error = checkTensorMap(Map);
    return Error ? Error : "";
  };
  constexpr char Unknown[] = "a map as NVIDIA's chips have it, with fields "
                             "whose meaning is not known";
  EXPECT_EQ(Refusal(0, 0), "");
  // How much comes into L2, and how large the tensor is.
  EXPECT_EQ(Refusal(1, 0x260000), "");
  for (unsigned Bit : {11, 12, 15, 22, 31})
    EXPECT_EQ(Refusal(1, uint64_t(1) << Bit), Unknown) << Bit;
  EXPECT_EQ(Refusal(1, 0x40), Unknown);    // Six dimensions.
  EXPECT_EQ(Refusal(1, 0x10000), Unknown); // Halves as tf32.
  for (uint64_t Type : {3, 5, 8, 12, 14, 15})
    EXPECT_EQ(Refusal(1, (Type ^ 6) << 7), Unknown) << Type;
  EXPECT_EQ(Refusal(3, uint64_t(1) << 48), Unknown);
  EXPECT_EQ(Refusal(6, uint64_t(1) << 32), Unknown);
  EXPECT_EQ(Refusal(7, uint64_t(1) << 32), Unknown);
  // What is known has to be right.
  EXPECT_EQ(Refusal(0, 8), "the address is no multiple of 16, or not of 32 "
                           "where it has to be");
}

static TensorDescription imagesOfHalves() {
  TensorDescription D;
  D.Element = TensorElement::F16;
  D.Rank = 4;
  D.Address = 0x1000;
  const uint64_t Extents[] = {64, 9, 14, 4};
  uint64_t Stride = 2;
  for (unsigned N = 0; N < 4; ++N) {
    D.Extent[N] = Extents[N];
    Stride *= Extents[N];
    if (N < 3)
      D.Stride[N] = Stride;
    D.ElementStride[N] = 1;
  }
  D.Access = TensorAccess::Im2col;
  D.ChannelsPerPixel = 16;
  D.PixelsPerColumn = 1000;
  D.LowerCorner[0] = -1;
  D.LowerCorner[1] = -2;
  D.UpperCorner[0] = 3;
  D.UpperCorner[1] = -128;
  D.Extent[2] = 140;
  return D;
}

TEST(TensorMap, HasTheLayoutOfTheManualForColumns) {
  TensorDescription D = imagesOfHalves();
  TensorMap Map;
  ASSERT_EQ(encodeTensorMap(D, Map), nullptr);
  uint8_t Bytes[TensorMapBytes];
  std::memcpy(Bytes, &Map, sizeof(Map));
  auto Half = [&](unsigned At) {
    int16_t V;
    std::memcpy(&V, Bytes + At, 2);
    return V;
  };
  EXPECT_EQ(Bytes[38], 1);
  EXPECT_EQ(Half(72), 15);
  EXPECT_EQ(Half(76), 999);
  EXPECT_EQ(Half(112), -1);
  EXPECT_EQ(Half(114), -2);
  EXPECT_EQ(Half(116), 0);
  EXPECT_EQ(Half(118), 3);
  EXPECT_EQ(Half(120), -128);
  EXPECT_EQ(Half(122), 0);
  D.Access = TensorAccess::Im2colW128;
  ASSERT_EQ(encodeTensorMap(D, Map), nullptr);
  EXPECT_EQ(Map.access(), TensorAccess::Im2colW128);
}

/// The ranges of the driver API's documentation, on both sides of their ends.
TEST(TensorMap, RefusesColumnsThatBreakARule) {
  auto Refused = [](auto Change) {
    TensorDescription D = imagesOfHalves();
    Change(D);
    TensorMap Map;
    return encodeTensorMap(D, Map) != nullptr;
  };
  EXPECT_FALSE(Refused([](auto &) {}));
  EXPECT_TRUE(Refused([](auto &D) { D.Rank = 2; }));
  EXPECT_TRUE(Refused([](auto &D) { D.ChannelsPerPixel = 0; }));
  EXPECT_TRUE(Refused([](auto &D) { D.ChannelsPerPixel = 257; }));
  EXPECT_FALSE(Refused([](auto &D) { D.ChannelsPerPixel = 256; }));
  EXPECT_TRUE(Refused([](auto &D) { D.ChannelsPerPixel = 12; }));
  EXPECT_TRUE(Refused([](auto &D) { D.PixelsPerColumn = 1025; }));
  EXPECT_FALSE(Refused([](auto &D) { D.PixelsPerColumn = 1024; }));
  EXPECT_TRUE(Refused([](auto &D) { D.PixelsPerColumn = 0; }));
  EXPECT_FALSE(Refused([](auto &D) {
    D.Access = TensorAccess::Im2colW128;
    D.PixelsPerColumn = 0;
  }));
  // Two offsets have 8 bits each, three 5, and one 16.
  EXPECT_TRUE(Refused([](auto &D) { D.LowerCorner[0] = -129; }));
  EXPECT_FALSE(Refused([](auto &D) { D.LowerCorner[0] = -128; }));
  EXPECT_TRUE(Refused([](auto &D) { D.UpperCorner[0] = 128; }));
  EXPECT_FALSE(Refused([](auto &D) { D.UpperCorner[0] = 127; }));
  EXPECT_FALSE(Refused([](auto &D) {
    D.Access = TensorAccess::Im2colW;
    D.UpperCorner[0] = 32767;
  }));
  EXPECT_TRUE(Refused([](auto &D) {
    D.Access = TensorAccess::Im2colW;
    D.UpperCorner[0] = 32768;
  }));
  EXPECT_TRUE(Refused([](auto &D) {
    D.Rank = 5;
    D.Extent[4] = 1;
    D.Stride[3] = 16;
    D.ElementStride[4] = 1;
    D.UpperCorner[1] = 0;
    D.LowerCorner[2] = -17;
  }));
  // A box without a pixel.
  EXPECT_FALSE(Refused([](auto &D) { D.UpperCorner[0] = -9; }));
  EXPECT_TRUE(Refused([](auto &D) { D.UpperCorner[0] = -10; }));
}

TEST(TensorMap, RefusesInterleavingThatBreaksARule) {
  auto Refused = [](auto Change) {
    TensorDescription D = imagesOfHalves();
    D.Interleave = TensorInterleave::Bytes32;
    D.Swizzle = TensorSwizzle::Bytes32;
    Change(D);
    TensorMap Map;
    return encodeTensorMap(D, Map) != nullptr;
  };
  EXPECT_FALSE(Refused([](auto &) {}));
  EXPECT_TRUE(Refused([](auto &D) { D.Swizzle = TensorSwizzle::None; }));
  EXPECT_TRUE(Refused([](auto &D) { D.Address += 16; }));
  EXPECT_TRUE(Refused([](auto &D) { D.Stride[1] += 16; }));
  EXPECT_TRUE(Refused([](auto &D) { D.Access = TensorAccess::Im2colW; }));
  EXPECT_TRUE(Refused([](auto &D) { D.Element = TensorElement::B4x16P64; }));
  EXPECT_TRUE(Refused([](auto &D) { D.ElementStride[0] = 0; }));
  EXPECT_FALSE(Refused([](auto &D) {
    D.Interleave = TensorInterleave::Bytes16;
    D.Address += 16;
    D.Swizzle = TensorSwizzle::Bytes128;
  }));
  EXPECT_TRUE(Refused([](auto &D) {
    D.Access = TensorAccess::Tile;
    D.Rank = 2;
    D.Box[0] = D.Box[1] = 8;
  }));
}
