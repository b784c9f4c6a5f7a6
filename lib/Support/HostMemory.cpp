//===- HostMemory.cpp - Host memory that stands for a device's --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks are pages of the system, or small ones the heap's.
//
//===----------------------------------------------------------------------===//

#include "heddle/Support/HostMemory.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <sys/mman.h>

namespace heddle {

/// Where blocks begin: at multiples of the pages that all hosts have.
static constexpr size_t PageBytes = 4096;
/// From here on a block is pages of its own: clearing it costs more than asking
/// the system.
static constexpr size_t LargeBytes = 128 * 1024;
/// From here on a block has room for pages of the largest common size.
static constexpr size_t HugeBytes = 4 * 1024 * 1024;

/// Size as whole pages; 0 if there are not as many bytes.
static size_t wholePages(size_t Size) {
  if (Size > std::numeric_limits<size_t>::max() - PageBytes)
    return 0;
  return (Size ? Size + PageBytes - 1 : PageBytes) / PageBytes * PageBytes;
}

uint8_t *allocateZeroed(size_t Size) {
  size_t Bytes = wholePages(Size);
  if (Bytes == 0)
    return nullptr;
  if (Bytes < LargeBytes) {
    void *Block = std::aligned_alloc(PageBytes, Bytes);
    if (Block)
      std::memset(Block, 0, Bytes);
    return static_cast<uint8_t *>(Block);
  }
  void *Block = mmap(nullptr, Bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (Block == MAP_FAILED)
    return nullptr;
  // The first touch of a page is what a large block costs. It does no harm if
  // the system has no larger pages.
  if (Bytes >= HugeBytes)
    madvise(Block, Bytes, MADV_HUGEPAGE);
  return static_cast<uint8_t *>(Block);
}

void freeZeroed(uint8_t *Block, size_t Size) {
  if (!Block)
    return;
  size_t Bytes = wholePages(Size);
  if (Bytes < LargeBytes)
    std::free(Block);
  else
    munmap(Block, Bytes);
}

/// Fills with as many words, and the beginning of one.
static void fillWords(uint8_t *To, uint64_t Word, uint64_t Size) {
  uint64_t Done = 0;
  for (; Size - Done >= sizeof(Word); Done += sizeof(Word))
    std::memcpy(To + Done, &Word, sizeof(Word));
  std::memcpy(To + Done, &Word, Size - Done);
}

void fillPattern(uint8_t *To, llvm::ArrayRef<uint8_t> Pattern, uint64_t Count) {
  if (Count == 0) // To may be null.
    return;
  uint64_t Size = Count * Pattern.size();
  if (llvm::all_equal(Pattern)) {
    std::memset(To, Pattern.front(), Size);
    return;
  }
  uint64_t Word;
  if (sizeof(Word) % Pattern.size() == 0) {
    for (size_t N = 0; N != sizeof(Word); ++N)
      reinterpret_cast<uint8_t *>(&Word)[N] = Pattern[N % Pattern.size()];
    return fillWords(To, Word, Size);
  }
  // Doubles what is there up to a part that stays in the host's fastest cache.
  constexpr uint64_t PartBytes = 8192;
  uint64_t Part = Pattern.size();
  std::memcpy(To, Pattern.data(), Part);
  for (uint64_t Done = Part; Done != Size; Done += Part) {
    if (Part < PartBytes)
      Part = Done;
    Part = std::min(Part, Size - Done);
    std::memcpy(To + Done, To, Part);
  }
}

} // namespace heddle
