//===- HostMemory.h - Host memory that stands for a device's ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks and fills. Large blocks are pages of the system that exist from the
// first access on, so that a block costs only the pages that are used.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_HOSTMEMORY_H
#define HEDDLE_SUPPORT_HOSTMEMORY_H

#include "llvm/ADT/ArrayRef.h"

#include <cstddef>
#include <cstdint>

namespace heddle {

/// A block of \p Size zero bytes that begins at a page of its own; null if the
/// host has no such block.
uint8_t *allocateZeroed(size_t Size);
/// Frees what allocateZeroed returned for \p Size bytes; null does nothing.
void freeZeroed(uint8_t *Block, size_t Size);

/// Writes \p Pattern, which is not empty, \p Count times, one after the other.
void fillPattern(uint8_t *To, llvm::ArrayRef<uint8_t> Pattern, uint64_t Count);

} // namespace heddle

#endif // HEDDLE_SUPPORT_HOSTMEMORY_H
