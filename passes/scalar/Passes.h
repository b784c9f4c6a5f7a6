//===- Passes.h - Passes over single values ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes over LLVM IR that look at the values and accesses of a function,
// without regard to its loops.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_SCALAR_PASSES_H
#define HEDDLE_PASSES_SCALAR_PASSES_H

#include "llvm/IR/PassManager.h"

namespace heddle::passes {

/// Makes two jumps of one to very many places that are numbered without gaps:
/// one by the upper bits of the number, behind it one by the number.
struct SplitSwitchesPass : llvm::PassInfoMixin<SplitSwitchesPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// LLVM's InstCombine, in a time that does not grow with the square of the
/// branches that test one value.
struct CombineInstructionsPass : llvm::PassInfoMixin<CombineInstructionsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// LLVM's SimplifyCFG, which keeps threads of a warp together where they are:
/// blocks that access memory, and by whose end they may part, are not copied.
struct SimplifyControlFlowPass : llvm::PassInfoMixin<SimplifyControlFlowPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Makes instructions of generic null pointers. It goes before each inference
/// of address spaces, which takes a constant null for address 0 of a space,
/// where a variable may be.
struct MaterializeNullsPass : llvm::PassInfoMixin<MaterializeNullsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Makes address arithmetic on the integer of a pointer arithmetic on the
/// pointer.
struct RecoverPointersPass : llvm::PassInfoMixin<RecoverPointersPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// LLVM's GVN, without the steps whose time grows with the square of a
/// function's blocks or the depth of its loops.
struct RemoveRedundanciesPass : llvm::PassInfoMixin<RemoveRedundanciesPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Joins loads and stores of neighbouring places to wider ones, and makes a
/// remark of each.
struct VectorizeAccessesPass : llvm::PassInfoMixin<VectorizeAccessesPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &AM);
};

/// Rewrites plain division, remainder and square root of LLVM IR to calls of
/// the device library: fdiv, llvm.sqrt, sdiv, udiv, srem and urem, vectors one
/// element at a time. Integer divisions that the instruction selector expands
/// into multiplications stay: those of up to 32 bits by a constant other than
/// zero, and of 64 bits by a power of two. Returns whether it changed anything.
bool lowerDivisions(llvm::Function &F);
bool lowerDivisions(llvm::Module &M);

/// lowerDivisions(Function) as a pass.
struct LowerDivisionsPass : llvm::PassInfoMixin<LowerDivisionsPass> {
  llvm::PreservedAnalyses run(llvm::Function &F,
                              llvm::FunctionAnalysisManager &) {
    return lowerDivisions(F) ? llvm::PreservedAnalyses::none()
                             : llvm::PreservedAnalyses::all();
  }
  static bool isRequired() { return true; }
};

} // namespace heddle::passes

#endif // HEDDLE_PASSES_SCALAR_PASSES_H
