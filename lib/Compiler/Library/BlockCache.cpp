//===- BlockCache.cpp - Freed blocks that a thread keeps --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first and the last block that a thread keeps.
//
//===----------------------------------------------------------------------===//

#include "BlockCache.h"

#include <cstdlib>

namespace heddle::compiler {

constinit thread_local BlockCache ThreadBlocks;

namespace {

/// Frees what a thread keeps when it ends.
struct ThreadEnd {
  ~ThreadEnd() { ThreadBlocks.close(); }
  /// The thread's object is made when it is first used.
  void note() {}
};

thread_local ThreadEnd AtEnd;

} // namespace

bool BlockCache::open() {
  if (State != New)
    return false;
  State = Open; // noting the end may free, too
  AtEnd.note();
  BytesLeft = MostBytes;
  return true;
}

void BlockCache::close() {
  State = Closed;
  BytesLeft = 0;
  for (KeptBlock *&List : Lists)
    while (KeptBlock *Block = List) {
      List = Block->Next;
      std::free(Block); // Comes back to keep(), which keeps none now.
    }
}

} // namespace heddle::compiler
