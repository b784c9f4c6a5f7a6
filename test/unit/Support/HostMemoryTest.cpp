//===- HostMemoryTest.cpp - Tests of blocks and fills -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are zero however large they are, and fills repeat a pattern of any
// size to the byte.
//
//===----------------------------------------------------------------------===//

#include "heddle/Support/HostMemory.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <numeric>
#include <vector>

using namespace heddle;

namespace {

TEST(HostMemory, BlocksBeginAtPagesAndAreZero) {
  for (size_t Size : {0, 1, 4096, 100'000, 131'071, 131'073, 9'000'000})
    for (unsigned Round = 0; Round < 3; ++Round) {
      uint8_t *Block = allocateZeroed(Size);
      ASSERT_NE(Block, nullptr);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(Block) % 4096, 0u);
      EXPECT_TRUE(std::all_of(Block, Block + Size,
                              [](uint8_t Byte) { return Byte == 0; }));
      std::memset(Block, 0xFF, Size);
      freeZeroed(Block, Size);
    }
  freeZeroed(nullptr, 1 << 20);
}

TEST(HostMemory, BlocksThatNoHostHas) {
  EXPECT_EQ(allocateZeroed(size_t(1) << 60), nullptr);
  EXPECT_EQ(allocateZeroed(std::numeric_limits<size_t>::max()), nullptr);
}

TEST(HostMemory, FillsRepeatAPattern) {
  constexpr uint8_t Guard = 0xEE;
  for (size_t Size : {1, 2, 3, 4, 7, 8, 16, 100, 9000})
    for (uint64_t Count : {0, 1, 2, 3, 5, 1000, 4097}) {
      std::vector<uint8_t> Pattern(Size), Wanted, Found;
      std::iota(Pattern.begin(), Pattern.end(), uint8_t(Size));
      for (uint64_t N = 0; N < Count; ++N)
        Wanted.insert(Wanted.end(), Pattern.begin(), Pattern.end());
      Found.resize(Wanted.size() + 1, Guard);
      fillPattern(Found.data(), Pattern, Count);
      Wanted.push_back(Guard);
      EXPECT_EQ(Found, Wanted) << Size << " bytes " << Count << " times";
    }
}

} // namespace
