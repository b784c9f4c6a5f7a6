//===- AllocationHooks.cpp - Counts what the library allocates --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The linker's --wrap makes every call of malloc and its relatives in this
// library, operator new and LLVM among the callers, come here first, where
// small blocks are mostly at hand (BlockCache.h). So does the registration of
// destructors.
//
//===----------------------------------------------------------------------===//

#include "../MemoryLimit.h"
#include "BlockCache.h"

#include <cstddef>
#include <cstdlib>
#include <malloc.h>

using namespace heddle::compiler;

// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming):
// the linker makes the names.
extern "C" {
void *__real_malloc(size_t Size);
void *__real_calloc(size_t Count, size_t Size);
void *__real_realloc(void *Block, size_t Size);
void *__real_aligned_alloc(size_t Align, size_t Size);
int __real_posix_memalign(void **Out, size_t Align, size_t Size);
void __real_free(void *Block);
}

/// Counts a new block, which is lost if the compilation ends here.
static void *counted(void *Block) {
  if (Block && countsMemory())
    noteAllocated(malloc_usable_size(Block));
  return Block;
}

extern "C" {

void *__wrap_malloc(size_t Size) {
  void *Kept = ThreadBlocks.take(Size);
  return counted(Kept ? Kept : __real_malloc(Size));
}

void *__wrap_calloc(size_t Count, size_t Size) {
  return counted(__real_calloc(Count, Size));
}

void *__wrap_realloc(void *Block, size_t Size) {
  size_t Before = Block && countsMemory() ? malloc_usable_size(Block) : 0;
  void *Result = __real_realloc(Block, Size);
  if (Result && Before)
    noteFreed(Before);
  return counted(Result);
}

void *__wrap_aligned_alloc(size_t Align, size_t Size) {
  if (Align <= alignof(std::max_align_t))
    return __wrap_malloc(Size);
  return counted(__real_aligned_alloc(Align, Size));
}

int __wrap_posix_memalign(void **Out, size_t Align, size_t Size) {
  int Result = __real_posix_memalign(Out, Align, Size);
  if (Result == 0)
    counted(*Out);
  return Result;
}

void __wrap_free(void *Block) {
  if (!Block)
    return;
  size_t Size = malloc_usable_size(Block);
  if (countsMemory())
    noteFreed(Size);
  if (!ThreadBlocks.keep(Block, Size))
    __real_free(Block);
}

/// The library stays until the process ends, and destructors of the host's,
/// which may run last, may call it: so nothing of it is ever destroyed.
int __wrap___cxa_atexit(void (*)(void *), void *, void *) { return 0; }
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)
