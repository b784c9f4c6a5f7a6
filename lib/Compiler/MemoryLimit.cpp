//===- MemoryLimit.cpp - What a compilation may allocate --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One number for each thread.
//
//===----------------------------------------------------------------------===//

#include "MemoryLimit.h"
#include "FatalErrors.h"

namespace heddle::compiler {

static thread_local int64_t BytesLeft = 0;
static thread_local bool IsLimited = false;

MemoryBudget::MemoryBudget(uint64_t Bytes) {
  BytesLeft = static_cast<int64_t>(Bytes < INT64_MAX ? Bytes : INT64_MAX);
  IsLimited = Bytes != 0;
}

MemoryBudget::~MemoryBudget() { forgetMemoryBudget(); }

void forgetMemoryBudget() { IsLimited = false; }

void noteAllocated(size_t Bytes) {
  if (!IsLimited)
    return;
  BytesLeft -= static_cast<int64_t>(Bytes);
  if (BytesLeft >= 0)
    return;
  IsLimited = false; // what follows allocates, too
  leaveCompilation(MemoryLimitReason);
}

void noteFreed(size_t Bytes) {
  if (IsLimited)
    BytesLeft += static_cast<int64_t>(Bytes);
}

} // namespace heddle::compiler
