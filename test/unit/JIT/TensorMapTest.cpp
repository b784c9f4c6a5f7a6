//===- TensorMapTest.cpp - Tensor maps through the C API --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the C API adds to encodeTensorMap: structures of other sizes, numbers
// that mean nothing, errors. The rules themselves have tests of the emulator.
//
//===----------------------------------------------------------------------===//

#include "heddle-c/heddle.h"
#include "gtest/gtest.h"

#include <cstring>
#include <string>

namespace {

struct TensorMapInC : testing::Test {
  TensorMapInC() {
    heddleTensorMapDescriptionInit(&Images);
    Images.Element = 6; // f16
    Images.Rank = 4;
    Images.Address = 0x4000;
    const uint64_t Extents[] = {32, 9, 7, 3};
    uint64_t Stride = 2;
    for (int N = 0; N < 4; ++N) {
      Images.Extent[N] = Extents[N];
      Stride *= Extents[N];
      if (N < 3)
        Images.Stride[N] = Stride;
    }
    heddleTensorMapColumnsInit(&Columns);
    Columns.ChannelsPerPixel = 16;
    Columns.PixelsPerColumn = 40;
    Columns.LowerCorner[0] = -1;
    Columns.UpperCorner[1] = -2;
  }

  /// What an error says; empty for success.
  static std::string taken(HeddleError Error) {
    if (!Error)
      return "";
    std::string Text = heddleErrorGetMessage(Error);
    heddleErrorDestroy(Error);
    return Text;
  }

  HeddleTensorMapDescription Images;
  HeddleTensorMapColumns Columns;
  unsigned char Map[HEDDLE_TENSOR_MAP_BYTES] = {};
};

TEST_F(TensorMapInC, EncodesColumns) {
  ASSERT_EQ(taken(heddleTensorMapEncodeIm2col(&Images, &Columns, Map)), "");
  EXPECT_EQ(Map[38], 1);
  EXPECT_EQ(Map[72], 15);
  EXPECT_EQ(Map[76], 39);
  EXPECT_EQ(Map[112], 0xFF);
  EXPECT_EQ(Map[113], 0xFF);
  EXPECT_EQ(Map[120], 0xFE);
  unsigned char Wide[HEDDLE_TENSOR_MAP_BYTES];
  ASSERT_EQ(taken(heddleTensorMapEncodeIm2colWide(&Images, &Columns,
                                                  HEDDLE_IM2COL_W_128, Wide)),
            "");
  EXPECT_EQ(Wide[38], 3);
  Wide[38] = Map[38];
  EXPECT_EQ(std::memcmp(Map, Wide, sizeof(Map)), 0);
}

TEST_F(TensorMapInC, TakesAnOlderDescription) {
  // Before there was interleaving, the description ended earlier.
  Images.StructSize = offsetof(HeddleTensorMapDescription, Interleave);
  Images.Interleave = 77;
  EXPECT_EQ(taken(heddleTensorMapEncodeIm2col(&Images, &Columns, Map)), "");
  EXPECT_EQ(Map[14], 0);
}

TEST_F(TensorMapInC, RefusesWhatMeansNothing) {
  unsigned char Untouched[HEDDLE_TENSOR_MAP_BYTES];
  std::memset(Map, 0xA5, sizeof(Map));
  std::memset(Untouched, 0xA5, sizeof(Untouched));
  EXPECT_NE(taken(heddleTensorMapEncodeIm2col(nullptr, &Columns, Map)), "");
  EXPECT_NE(taken(heddleTensorMapEncodeIm2col(&Images, nullptr, Map)), "");
  EXPECT_NE(taken(heddleTensorMapEncodeIm2col(&Images, &Columns, nullptr)), "");
  EXPECT_NE(taken(heddleTensorMapEncodeIm2colWide(
                &Images, &Columns, static_cast<HeddleIm2colWideMode>(2), Map)),
            "");
  Columns.LowerCorner[0] = -(1 << 16); // Zero in 16 bits.
  EXPECT_NE(
      taken(heddleTensorMapEncodeIm2col(&Images, &Columns, Map)).find("corner"),
      std::string::npos);
  Columns.LowerCorner[0] = 0;
  Columns.StructSize = 0;
  EXPECT_NE(taken(heddleTensorMapEncodeIm2col(&Images, &Columns, Map)), "");
  Columns.StructSize = sizeof(Columns);
  Images.Interleave = 3;
  EXPECT_NE(taken(heddleTensorMapEncodeIm2col(&Images, &Columns, Map)), "");
  EXPECT_EQ(std::memcmp(Map, Untouched, sizeof(Map)), 0);
}

} // namespace
