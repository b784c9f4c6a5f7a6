//===- HoistInvariants.cpp - LICM in linear time ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What LLVM does with loops one by one takes the square of how many are inside
// of each other, since each is searched with those inside of it: it is done for
// the inner loops only.
//
//===----------------------------------------------------------------------===//

#include "HoistInvariants.h"

#include "llvm/Transforms/Scalar/LICM.h"

using namespace llvm;

namespace heddle::compiler {

bool holdsDeepLoops(const Loop &L) {
  constexpr unsigned MaxDepth = 64;
  SmallVector<const Loop *, 16> Level(L.begin(), L.end());
  for (unsigned Depth = 0; Depth != MaxDepth; ++Depth) {
    SmallVector<const Loop *, 16> Inner;
    for (const Loop *Sub : Level)
      Inner.append(Sub->begin(), Sub->end());
    if (Inner.empty())
      return false;
    Level = std::move(Inner);
  }
  return true;
}

FunctionPassManager hoistInvariants() {
  FunctionPassManager FPM;
  FPM.addPass(
      createFunctionToLoopPassAdaptor(FlatLoopPass(LICMPass(LICMOptions())),
                                      /*UseMemorySSA=*/true));
  return FPM;
}

} // namespace heddle::compiler
