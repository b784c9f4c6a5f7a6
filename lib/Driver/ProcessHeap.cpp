//===- ProcessHeap.cpp - The heap of a process that compiles ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fetching memory page by page, each when it is first touched, takes a
// twentieth of a short compilation.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/ProcessHeap.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <malloc.h>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle {

/// What compiling the shortest kernel takes.
static constexpr size_t FirstBytes = size_t(2) << 20;
static constexpr int StepBytes = 1 << 20;
/// Blocks below come from the heap, which gives back nothing below.
static constexpr int LargeBytes = 32 << 20;

/// Has the system put memory behind the whole pages of a block at once. Where
/// it cannot, they come one by one as ever.
static void populate(void *Block, size_t Size) {
  auto Page = static_cast<size_t>(::sysconf(_SC_PAGESIZE));
  size_t Before = -reinterpret_cast<uintptr_t>(Block) & (Page - 1);
  ::madvise(static_cast<char *>(Block) + Before, (Size - Before) & -Page,
            MADV_POPULATE_WRITE);
}

void prepareProcessHeap() {
  // Else the compiler's thread has a heap apart, which grows page by page.
  ::mallopt(M_ARENA_MAX, 1);
  ::mallopt(M_TOP_PAD, StepBytes);
  ::mallopt(M_MMAP_THRESHOLD, LargeBytes);
  ::mallopt(M_TRIM_THRESHOLD, LargeBytes);
  if (void *Block = std::malloc(FirstBytes)) {
    populate(Block, FirstBytes);
    std::free(Block);
  }
}

} // namespace heddle
