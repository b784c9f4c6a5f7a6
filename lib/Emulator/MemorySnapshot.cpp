//===- MemorySnapshot.cpp - What memory held before a launch ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies whole blocks: what runs twice is being looked into, not fast.
//
//===----------------------------------------------------------------------===//

#include "MemorySnapshot.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstring>

using namespace llvm;

namespace heddle::emu {

MemorySnapshot::MemorySnapshot(const DeviceMemory &Memory) : Memory(Memory) {
  for (const Allocation *A : Memory.liveBlocks())
    Blocks.emplace(A->Base, Bytes(A->Host, A->Host + A->Size));
}

void MemorySnapshot::restore() const {
  for (const auto &[Base, Kept] : Blocks) {
    const Allocation *A = Memory.findAny(Base);
    if (A && A->Live && A->Base == Base && A->Size == Kept.size() &&
        !Kept.empty())
      std::memcpy(A->Host, Kept.data(), Kept.size());
  }
}

std::string MemorySnapshot::differenceFrom(const MemorySnapshot &Other) const {
  auto NoBlock = [](uint64_t Base) {
    return "only one has a block at address 0x" + utohexstr(Base);
  };
  for (const auto &[Base, Theirs] : Other.Blocks)
    if (!Blocks.count(Base))
      return NoBlock(Base);
  for (const auto &[Base, Ours] : Blocks) {
    auto It = Other.Blocks.find(Base);
    if (It == Other.Blocks.end() || It->second.size() != Ours.size())
      return NoBlock(Base);
    auto [Here, There] =
        std::mismatch(Ours.begin(), Ours.end(), It->second.begin());
    if (Here == Ours.end())
      continue;
    return "the byte at address 0x" + utohexstr(Base + (Here - Ours.begin())) +
           " is " + std::to_string(*Here) + " and " + std::to_string(*There);
  }
  return "";
}

} // namespace heddle::emu
