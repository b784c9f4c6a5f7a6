//===- MemoryLimit.cpp - What a compilation may allocate --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One number for each compilation, which its threads share.
//
//===----------------------------------------------------------------------===//

#include "MemoryLimit.h"
#include "FatalErrors.h"

namespace heddle::compiler {

/// Null: what the thread allocates is not counted.
static thread_local MemoryBudget *Current = nullptr;

std::atomic<bool> AnyLimited{false};

MemoryBudget::MemoryBudget(uint64_t Bytes, bool MayLeave)
    : BytesLeft(static_cast<int64_t>(Bytes < INT64_MAX ? Bytes : INT64_MAX)),
      IsLimited(Bytes != 0), MayLeave(MayLeave) {}

MemoryBudget::Scope::Scope(MemoryBudget &Budget) {
  if (Budget.IsLimited)
    AnyLimited.store(true, std::memory_order_relaxed);
  Current = Budget.IsLimited ? &Budget : nullptr;
}

MemoryBudget::Scope::~Scope() { forgetMemoryBudget(); }

void forgetMemoryBudget() { Current = nullptr; }

bool isCounted() { return Current; }

void noteAllocated(size_t Bytes) {
  if (!Current)
    return;
  auto Size = static_cast<int64_t>(Bytes);
  if (Current->BytesLeft.fetch_sub(Size, std::memory_order_relaxed) >= Size)
    return;
  Current->Exceeded.store(true, std::memory_order_relaxed);
  if (!Current->MayLeave)
    return;
  Current = nullptr; // what follows allocates, too
  leaveCompilation(MemoryLimitReason);
}

void noteFreed(size_t Bytes) {
  if (Current)
    Current->BytesLeft.fetch_add(static_cast<int64_t>(Bytes),
                                 std::memory_order_relaxed);
}

} // namespace heddle::compiler
