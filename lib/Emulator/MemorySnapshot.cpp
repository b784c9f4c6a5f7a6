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

MemorySnapshot::MemorySnapshot(const DeviceMemory &Memory) {
  for (Allocation *A : Memory.liveBlocks())
    Blocks.push_back({A, std::vector<uint8_t>(A->Host, A->Host + A->Size)});
}

void MemorySnapshot::restore() const {
  for (const Block &B : Blocks)
    if (B.Of->Live && !B.Bytes.empty())
      std::memcpy(B.Of->Host, B.Bytes.data(), B.Bytes.size());
}

std::string MemorySnapshot::differenceFrom(const MemorySnapshot &Other) const {
  for (const Block &B : Blocks) {
    auto It = std::find_if(Other.Blocks.begin(), Other.Blocks.end(),
                           [&](const Block &O) { return O.Of == B.Of; });
    if (It == Other.Blocks.end())
      continue;
    auto [Here, There] = std::mismatch(B.Bytes.begin(), B.Bytes.end(),
                                       It->Bytes.begin(), It->Bytes.end());
    if (Here == B.Bytes.end())
      continue;
    return "the byte at address 0x" +
           utohexstr(B.Of->Base + (Here - B.Bytes.begin())) + " is " +
           std::to_string(*Here) + " and " + std::to_string(*There);
  }
  return "";
}

} // namespace heddle::emu
