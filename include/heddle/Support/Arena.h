//===- Arena.h - Memory that is freed as a whole ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's BumpPtrAllocator for what may become hundreds of megabytes. Its slabs
// double, so that there are few of them and the faults of their pages come only
// where they are written.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_ARENA_H
#define HEDDLE_SUPPORT_ARENA_H

#include "llvm/Support/Allocator.h"

namespace heddle {

/// Objects in it are not destroyed. The slabs are 4 KB, 8 KB and so on.
using Arena = llvm::BumpPtrAllocatorImpl<llvm::MallocAllocator,
                                         /*SlabSize=*/4096,
                                         /*SizeThreshold=*/4096,
                                         /*GrowthDelay=*/1>;

} // namespace heddle

#endif // HEDDLE_SUPPORT_ARENA_H
