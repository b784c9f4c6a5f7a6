//===- BlockCacheTest.cpp - Tests of kept blocks ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kept block is never smaller than what is asked for, and there are no more
// of them than a thread may keep.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Compiler/Library/BlockCache.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <malloc.h>

using heddle::compiler::BlockCache;

namespace {

/// Keeps a new block of malloc's; frees it if it is not kept.
bool keepNew(BlockCache &Cache, size_t Size, void **Kept = nullptr) {
  void *Block = std::malloc(Size);
  if (Kept)
    *Kept = Block;
  if (Cache.keep(Block, malloc_usable_size(Block)))
    return true;
  std::free(Block);
  return false;
}

} // namespace

TEST(BlockCache, HasNothingAtFirst) {
  BlockCache Cache;
  for (size_t Size : {0, 1, 24, 25, 1000, 100000})
    EXPECT_EQ(Cache.take(Size), nullptr);
  Cache.close();
}

TEST(BlockCache, GivesWhatItKeptOnce) {
  // The sizes of glibc's blocks.
  for (size_t Size = 24; Size < 1000; Size += 16) {
    BlockCache Cache;
    void *Kept;
    ASSERT_TRUE(keepNew(Cache, Size, &Kept));
    size_t Usable = malloc_usable_size(Kept);
    EXPECT_EQ(Cache.take(Usable), Kept) << Size;
    EXPECT_EQ(Cache.take(Usable), nullptr);
    std::free(Kept);
    Cache.close();
  }
}

TEST(BlockCache, GivesNoBlockThatIsTooSmall) {
  for (size_t Kept = 1; Kept != 600; ++Kept)
    for (size_t Asked : {Kept - 1, Kept, Kept + 1, Kept + 8, Kept + 16}) {
      BlockCache Cache;
      keepNew(Cache, Kept);
      if (void *Block = Cache.take(Asked)) {
        EXPECT_GE(malloc_usable_size(Block), Asked);
        std::free(Block);
      }
      Cache.close();
    }
}

TEST(BlockCache, LeavesLargeBlocksToTheirOwner) {
  BlockCache Cache;
  EXPECT_FALSE(keepNew(Cache, 1 << 20));
  Cache.close();
}

TEST(BlockCache, KeepsABoundedNumberOfBytes) {
  constexpr size_t Size = 1000, Most = size_t(4) << 20;
  BlockCache Cache;
  size_t Count = 0;
  while (Count * Size <= Most && keepNew(Cache, Size))
    ++Count;
  EXPECT_GT(Count, 100u);
  EXPECT_LT(Count * Size, Most);
  // One that is taken makes room for another.
  std::free(Cache.take(Size));
  EXPECT_TRUE(keepNew(Cache, Size));
  EXPECT_FALSE(keepNew(Cache, Size));
  Cache.close();
}

TEST(BlockCache, KeepsNothingOnceClosed) {
  BlockCache Cache;
  ASSERT_TRUE(keepNew(Cache, 50));
  Cache.close();
  EXPECT_EQ(Cache.take(50), nullptr);
  EXPECT_FALSE(keepNew(Cache, 50));
}
