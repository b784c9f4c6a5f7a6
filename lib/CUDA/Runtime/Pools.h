//===- Pools.h - Memory pools -----------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A pool counts what is allocated from it. The device has its memory back as
// soon as a block is freed, so that a pool never holds unused memory.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_POOLS_H
#define HEDDLE_LIB_CUDA_POOLS_H

#include "ABI.h"
#include "Handles.h"

#include <cstdint>
#include <map>
#include <mutex>

namespace heddle::cuda {

struct MemPoolHandle {
  uint64_t ReleaseThreshold = 0;   ///< As set; nothing depends on it.
  int Reuse[3] = {1, 1, 1};        ///< Likewise.
  uint64_t Used = 0, UsedHigh = 0; ///< In bytes.
};

/// All pools. Any thread may call anything at any time.
class PoolTable {
public:
  PoolTable() : Current(&Default) {}

  /// The device's pool, of which cudaMallocAsync takes.
  MemPoolHandle *current() const { return Current; }
  MemPoolHandle *deviceDefault() { return &Default; }
  /// What counts the memory of graphs; the program does not see it.
  MemPoolHandle *graphPool() { return &Graphs; }
  void setCurrent(MemPoolHandle *Pool) { Current = Pool; }
  MemPoolHandle *create() {
    return Pools.add(std::make_unique<MemPoolHandle>());
  }
  bool destroy(MemPoolHandle *Pool);
  bool contains(const MemPoolHandle *Pool) const {
    return Pool == &Default || Pools.contains(Pool);
  }

  /// Notes a block that was allocated from a pool, and its end.
  void allocated(const void *Block, uint64_t Size, MemPoolHandle *Pool);
  void freed(const void *Block);
  /// Reads and writes attributes: cudaMemPoolAttr.
  bool get(MemPoolHandle *Pool, int Attribute, void *Value);
  bool set(MemPoolHandle *Pool, int Attribute, const void *Value);

private:
  std::mutex Mutex; ///< Of what pools hold, and of Blocks.
  MemPoolHandle Default, Graphs;
  MemPoolHandle *Current;
  HandleSet<MemPoolHandle> Pools;
  std::map<const void *, std::pair<MemPoolHandle *, uint64_t>> Blocks;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_POOLS_H
