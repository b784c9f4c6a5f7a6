//===- Pointers.cpp - What the addresses of a program mean ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A sorted table of blocks that do not overlap.
//
//===----------------------------------------------------------------------===//

#include "Pointers.h"
#include "Runtime/Copy.h"
#include "heddle/Support/HostMemory.h"
#include "heddle/Support/MemoryFile.h"

namespace heddle::cuda {

static uint64_t numberOf(const void *Address) {
  return reinterpret_cast<uintptr_t>(Address);
}

/// Whether a block is memory of a device that can be freed.
static bool isCounted(const Block &B) {
  return B.Type == cudaMemoryTypeDevice && !B.IsFixed;
}

void PointerTable::add(const Block &B) {
  std::lock_guard Lock(Mutex);
  Blocks[B.Address] = B;
  if (isCounted(B))
    Use.add(B.Device, B.Size);
}

void PointerTable::addSymbol(uint64_t Address, uint64_t Size) {
  std::lock_guard Lock(Mutex);
  Block B = {Address, Size, cudaMemoryTypeDevice};
  B.IsFixed = true;
  Blocks.try_emplace(Address, B);
}

std::optional<Block> PointerTable::remove(const void *Address) {
  std::lock_guard Lock(Mutex);
  auto It = Blocks.find(numberOf(Address));
  if (It == Blocks.end())
    return std::nullopt;
  Block Found = It->second;
  if (isCounted(Found))
    Use.remove(Found.Device, Found.Size);
  Blocks.erase(It);
  return Found;
}

std::optional<Block> PointerTable::find(const void *Address) const {
  std::lock_guard Lock(Mutex);
  auto It = Blocks.upper_bound(numberOf(Address));
  if (It == Blocks.begin())
    return std::nullopt;
  const Block &B = std::prev(It)->second;
  if (numberOf(Address) - B.Address >= std::max<uint64_t>(B.Size, 1))
    return std::nullopt;
  return B;
}

std::vector<Block> PointerTable::all() const {
  std::lock_guard Lock(Mutex);
  std::vector<Block> All;
  All.reserve(Blocks.size());
  for (const auto &[Address, B] : Blocks)
    All.push_back(B);
  return All;
}

void PointerTable::clear(unsigned Device) {
  std::lock_guard Lock(Mutex);
  std::erase_if(Blocks, [&](const auto &Entry) {
    const Block &B = Entry.second;
    if (B.Device != Device)
      return false;
    if (isCounted(B))
      Use.remove(Device, B.Size);
    if (B.IsFile)
      MemoryFile::unmap(pointerOf(B.Address), B.Size);
    else if (B.Type != cudaMemoryTypeDevice && B.IsOurs && !B.IsFixed)
      freeZeroed(static_cast<uint8_t *>(pointerOf(B.Address)), B.Size);
    return true;
  });
}

} // namespace heddle::cuda
