//===- Memory.cpp - Memory of the interpreted device ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks and gaps.
//
//===----------------------------------------------------------------------===//

#include "Memory.h"
#include "llvm/Support/MathExtras.h"

namespace heddle::interp {

/// Between two blocks, so that an index that is off does not land in another.
static constexpr uint64_t GapBytes = 1 << 20;
/// Of one block, and of the addresses that are given out.
static constexpr uint64_t MaxBlockBytes = uint64_t(1) << 36;
static constexpr uint64_t EndOfMemory = uint64_t(1) << 47;

void poison(llvm::MutableArrayRef<uint8_t> Data) {
  for (size_t N = 0; N != Data.size(); ++N)
    Data[N] = uint8_t(rt::PoisonPattern >> (N & 1 ? 8 : 0));
}

uint64_t DeviceMemory::allocate(uint64_t Size, uint64_t Align, bool FromHost) {
  uint64_t Base = llvm::alignTo(NextAddress, std::max<uint64_t>(Align, 256));
  if (Size > MaxBlockBytes || Base > EndOfMemory)
    return 0;
  Block B;
  B.Data.resize(Size);
  if (Fresh == rt::FreshMemory::Poison)
    poison(B.Data);
  B.FromHost = FromHost;
  Blocks.emplace(Base, std::move(B));
  NextAddress = Base + Size + GapBytes;
  return Base;
}

bool DeviceMemory::free(uint64_t Address) {
  auto It = Blocks.find(Address);
  if (It == Blocks.end() || !It->second.FromHost)
    return false;
  Blocks.erase(It);
  return true;
}

uint64_t DeviceMemory::heapAllocate(uint64_t Size) {
  if (Size == 0 || Size > HeapLimit - HeapUsed)
    return 0;
  uint64_t Address = allocate(Size, 16, /*FromHost=*/false);
  if (!Address)
    return 0;
  Blocks[Address].FromKernel = true;
  HeapUsed += Size;
  return Address;
}

bool DeviceMemory::heapFree(uint64_t Address) {
  auto It = Blocks.find(Address);
  if (It == Blocks.end() || !It->second.FromKernel)
    return false;
  HeapUsed -= It->second.Data.size();
  Blocks.erase(It);
  return true;
}

uint8_t *DeviceMemory::find(uint64_t Address, uint64_t Size) {
  auto It = Blocks.upper_bound(Address);
  if (It == Blocks.begin())
    return nullptr;
  --It;
  uint64_t Offset = Address - It->first;
  std::vector<uint8_t> &Data = It->second.Data;
  if (Offset > Data.size() || Size > Data.size() - Offset)
    return nullptr;
  return Data.data() + Offset;
}

} // namespace heddle::interp
