//===- Arena.h - Memory that is freed as a whole ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's BumpPtrAllocator for what may become hundreds of megabytes: its slabs
// double, and large ones stand on huge pages where the system has them. Without
// these the faults of pages take a third of the time that parsing does.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_ARENA_H
#define HEDDLE_SUPPORT_ARENA_H

#include "llvm/Support/Allocator.h"

#include <algorithm>
#ifdef __linux__
#include <sys/mman.h>
#endif

namespace heddle {

/// Slabs for an Arena.
class SlabAllocator : public llvm::AllocatorBase<SlabAllocator> {
public:
  LLVM_ATTRIBUTE_RETURNS_NONNULL void *Allocate(size_t Size, size_t Align) {
    void *Slab = llvm::allocate_buffer(Size, alignmentOf(Size, Align));
#ifdef __linux__
    // Nothing is lost where the system does not follow the advice.
    if (Size >= LargeSize)
      (void)madvise(Slab, Size, MADV_HUGEPAGE);
#endif
    return Slab;
  }
  void Deallocate(const void *Slab, size_t Size, size_t Align) {
    llvm::deallocate_buffer(const_cast<void *>(Slab), Size,
                            alignmentOf(Size, Align));
  }
  using AllocatorBase<SlabAllocator>::Allocate;
  using AllocatorBase<SlabAllocator>::Deallocate;

private:
  /// In bytes. A slab of less would mostly be what is left over.
  static constexpr size_t HugePageSize = size_t(2) << 20;
  static constexpr size_t LargeSize = 2 * HugePageSize;

  static size_t alignmentOf(size_t Size, size_t Align) {
    return Size >= LargeSize ? std::max(Align, HugePageSize) : Align;
  }
};

/// Objects in it are not destroyed. The slabs are 4 KB, 8 KB and so on.
using Arena = llvm::BumpPtrAllocatorImpl<SlabAllocator, /*SlabSize=*/4096,
                                         /*SizeThreshold=*/4096,
                                         /*GrowthDelay=*/1>;

} // namespace heddle

#endif // HEDDLE_SUPPORT_ARENA_H
