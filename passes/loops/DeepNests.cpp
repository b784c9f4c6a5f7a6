//===- DeepNests.cpp - Loops inside of many others --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Measures nests of loops level by level.
//
//===----------------------------------------------------------------------===//

#include "passes/loops/DeepNests.h"

#include "llvm/Analysis/LoopInfo.h"

using namespace llvm;

namespace heddle::passes {

bool isInDeepNest(const Loop &L) {
  constexpr unsigned MaxDepth = 32;
  SmallVector<const Loop *, 16> Level = {L.getOutermostLoop()};
  for (unsigned Depth = 0; Depth != MaxDepth; ++Depth) {
    SmallVector<const Loop *, 16> Inner;
    for (const Loop *Outer : Level)
      Inner.append(Outer->begin(), Outer->end());
    if (Inner.empty())
      return false;
    Level = std::move(Inner);
  }
  return true;
}

} // namespace heddle::passes
