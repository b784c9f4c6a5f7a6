//===- Pointers.h - What the addresses of a program mean --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A CUDA program hands over addresses of four kinds: device memory, memory of
// the host that kernels can reach (pinned or managed), and memory that
// was never registered.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_POINTERS_H
#define HEDDLE_LIB_CUDA_POINTERS_H

#include "ABI.h"
#include "Devices/CurrentDevice.h"
#include "Devices/MemoryUse.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

namespace heddle::cuda {

struct Block {
  uint64_t Address = 0;
  uint64_t Size = 0;
  cudaMemoryType Type = cudaMemoryTypeUnregistered;
  bool IsOurs = true;   ///< false: the program's memory, which it registered
  unsigned Flags = 0;   ///< as given to cudaHostAlloc
  bool IsFixed = false; ///< a variable or mapped, so that it cannot be freed
  bool IsGraph = false; ///< a graph's, which is freed with it
  bool IsFile = false;  ///< pages of a file, mapped to the device
  /// Whose it is, or by whose context it was made.
  unsigned Device = currentDevice();
};

/// Any thread may call anything at any time.
class PointerTable {
public:
  /// Counts the devices' memory that can be freed.
  explicit PointerTable(MemoryUse &Use) : Use(Use) {}

  void add(const Block &B);
  /// Notes a variable, unless it is known: no memory of the program's.
  void addSymbol(uint64_t Address, uint64_t Size);
  /// The block that begins at Address, which is taken out.
  std::optional<Block> remove(const void *Address);
  /// The block in which Address lies.
  std::optional<Block> find(const void *Address) const;
  /// All blocks, in the order of their addresses.
  std::vector<Block> all() const;
  /// Forgets all blocks of a device, and frees those of the host that are ours.
  void clear(unsigned Device);

private:
  MemoryUse &Use;
  mutable std::mutex Mutex;
  std::map<uint64_t, Block> Blocks; ///< By address.
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_POINTERS_H
