//===- Memory.h - Memory of the interpreted device --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks of global memory with gaps between them, so that each access can be
// checked exactly, and the windows of generic addresses.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_INTERPRETER_MEMORY_H
#define HEDDLE_LIB_INTERPRETER_MEMORY_H

#include "heddle/Runtime/Device.h"
#include "llvm/ADT/ArrayRef.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace heddle::interp {

/// A generic address is a window's number in its upper half and an address in
/// the window's space in its lower half. Global memory lies below all windows.
/// The numbers are not those of the ISA on purpose: no program may depend on
/// them.
enum class Window : uint32_t {
  Shared = 0x41000000,
  Local = 0x42000000,
  Constant = 0x43000000,
  Parameters = 0x44000000,
};
inline uint64_t windowBase(Window W) { return uint64_t(W) << 32; }

/// Bits of an address in .shared::cluster. Above them are zeros, for the CTA's
/// own memory, or a mark and the CTA's rank, whose lowest bit is where it is on
/// GPUs. The mark is not that of the ISA either.
constexpr unsigned ClusterShift = 24;
constexpr uint32_t RankMark = 0x20;
/// The address in the memory of the CTA with that rank.
inline uint32_t atRank(uint64_t Address, uint32_t Rank) {
  return (RankMark | Rank) << ClusterShift |
         (uint32_t(Address) & ((1u << ClusterShift) - 1));
}

/// Code lies here, apart from all memory; a function is 16 bytes long.
constexpr uint64_t CodeBase = uint64_t(1) << 48;

/// Fills memory with rt::PoisonPattern.
void poison(llvm::MutableArrayRef<uint8_t> Data);

/// A block of device memory.
struct Block {
  std::vector<uint8_t> Data;
  bool FromHost = false;
  bool FromKernel = false; ///< By malloc.
};

class DeviceMemory {
public:
  DeviceMemory(uint64_t HeapLimit, rt::FreshMemory Fresh)
      : HeapLimit(HeapLimit), Fresh(Fresh) {}

  /// A fresh block at a multiple of \p Align; 0 when memory is full.
  uint64_t allocate(uint64_t Size, uint64_t Align, bool FromHost);
  /// False if no live block that allocate made for the host begins there.
  bool free(uint64_t Address);
  /// For malloc and free in kernels: null and false when there is no room and
  /// nothing to free.
  uint64_t heapAllocate(uint64_t Size);
  bool heapFree(uint64_t Address);
  /// Ends a block of a module.
  void release(uint64_t Address) { Blocks.erase(Address); }

  /// The bytes at an address; null unless one block holds them all.
  uint8_t *find(uint64_t Address, uint64_t Size);

private:
  std::map<uint64_t, Block> Blocks; ///< By address.
  uint64_t NextAddress = uint64_t(1) << 32;
  uint64_t HeapLimit, HeapUsed = 0;
  rt::FreshMemory Fresh;
};

} // namespace heddle::interp

#endif // HEDDLE_LIB_INTERPRETER_MEMORY_H
