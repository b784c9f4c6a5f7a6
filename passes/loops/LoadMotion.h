//===- LoadMotion.h - What passes that move loads share ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The addresses that loads take along, and what a thread does on average.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_LOOPS_LOADMOTION_H
#define HEDDLE_PASSES_LOOPS_LOADMOTION_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/IR/Instructions.h"

namespace heddle::passes {

/// Bits of a register.
constexpr unsigned RegisterBits = 32;

using Instructions = llvm::SmallSetVector<llvm::Instruction *, 16>;

/// Adds the instructions that compute V from known ones to Into, operands
/// first; false if one of them cannot be executed elsewhere, or if they become
/// more than Most.
bool collectComputation(
    llvm::Value *V, llvm::function_ref<bool(const llvm::Instruction &)> IsKnown,
    unsigned Most, Instructions &Into);

/// How often blocks are executed, in a unit of the function's own.
class Frequencies {
public:
  explicit Frequencies(llvm::BlockFrequencyInfo &Info) : Info(Info) {}
  double of(const llvm::BasicBlock *B) const {
    return static_cast<double>(Info.getBlockFreq(B).getFrequency());
  }
  /// The instructions that are executed in the blocks.
  template <typename Range> double work(Range &&Blocks) const {
    double Work = 0;
    for (const llvm::BasicBlock *B : Blocks)
      Work += of(B) * B->sizeWithoutDebug();
    return Work;
  }

private:
  llvm::BlockFrequencyInfo &Info;
};

} // namespace heddle::passes

#endif // HEDDLE_PASSES_LOOPS_LOADMOTION_H
