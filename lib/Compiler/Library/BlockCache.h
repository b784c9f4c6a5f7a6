//===- BlockCache.h - Freed blocks that a thread keeps ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compilation makes and frees tens of thousands of operations, instructions
// and names, most of them together. The C library's allocator keeps seven freed
// blocks of each size at hand, and looks for places for all others. Here a
// thread keeps as many as its next function may need. Each is an ordinary block
// of malloc, so that any part of the process may free it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_LIBRARY_BLOCKCACHE_H
#define HEDDLE_LIB_COMPILER_LIBRARY_BLOCKCACHE_H

#include <cstddef>

namespace heddle::compiler {

/// The lists of a thread, one for each size that the C library's blocks have:
/// 24, 40, 56 bytes and so on. A list's blocks have at least that size,
/// whatever the C library. Nothing constructs or destroys the lists, so that
/// they may be used as long as the thread lives.
class BlockCache {
public:
  /// What malloc could have returned: a block of at least Size bytes. Null:
  /// none is kept.
  void *take(size_t Size) {
    size_t List =
        Size <= SmallestBlock ? 0 : (Size - SmallestBlock - 1) / BlockStep + 1;
    if (List >= NumLists)
      return nullptr;
    KeptBlock *Block = Lists[List];
    if (!Block)
      return nullptr;
    Lists[List] = Block->Next;
    BytesLeft += sizeOfList(List);
    return Block;
  }

  /// Keeps a block that would be freed, of which Size bytes may be used.
  /// False: the caller frees it.
  bool keep(void *Block, size_t Size) {
    if (Size < SmallestBlock || Size >= sizeOfList(NumLists))
      return false;
    size_t List = (Size - SmallestBlock) / BlockStep;
    if (BytesLeft < sizeOfList(List) && !open())
      return false;
    auto *First = static_cast<KeptBlock *>(Block);
    First->Next = Lists[List];
    Lists[List] = First;
    BytesLeft -= sizeOfList(List);
    return true;
  }

  /// Frees all blocks, and keeps none any more.
  void close();

private:
  /// What lies in a block that is kept.
  struct KeptBlock {
    KeptBlock *Next;
  };

  static constexpr size_t SmallestBlock = 24, BlockStep = 16;
  static constexpr size_t NumLists = 64;
  static constexpr size_t MostBytes = size_t(1) << 20;

  static constexpr size_t sizeOfList(size_t List) {
    return SmallestBlock + List * BlockStep;
  }

  /// What is done before the thread's first block is kept. False: there is no
  /// more space.
  bool open();

  KeptBlock *Lists[NumLists] = {};
  size_t BytesLeft = 0; ///< that may be kept
  enum { New, Open, Closed } State = New;
};

/// The thread's own.
extern constinit thread_local BlockCache ThreadBlocks;

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_LIBRARY_BLOCKCACHE_H
