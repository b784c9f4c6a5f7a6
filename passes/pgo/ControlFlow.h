//===- ControlFlow.h - What is counted of a function ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbering that instrumentation and use have in common.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_PGO_CONTROLFLOW_H
#define HEDDLE_PASSES_PGO_CONTROLFLOW_H

#include "heddle/ProfileData/ProfileData.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Dominators.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace heddle::passes {

/// Conditional branches and loops, in the order of their blocks.
class ControlFlow {
public:
  explicit ControlFlow(llvm::Function &F);
  llvm::ArrayRef<llvm::BranchInst *> branches() const { return Branches; }
  llvm::ArrayRef<llvm::Loop *> loops() const { return Loops; }

private:
  llvm::DominatorTree Dominators;
  llvm::LoopInfo Info;
  llvm::SmallVector<llvm::BranchInst *> Branches;
  llvm::SmallVector<llvm::Loop *> Loops;
};

/// Runs passes of LLVM that count edges or read their counts: all of them in
/// the same way, so that they number the same edges.
void runEdgePasses(llvm::Module &M, llvm::ModulePassManager MPM);

/// Runs LLVM's instrumentation for its intrinsics (llvm.instrprof.*).
void runEdgeInstrumentation(llvm::Module &M);

/// The functions of a module that are counted.
std::vector<llvm::Function *> countedFunctions(llvm::Module &M);

/// The hash and the number of edges that LLVM's instrumentation gave functions,
/// by name; others are not in it.
std::map<std::string, pgo::FunctionShape> edgeShapes(const llvm::Module &M);

} // namespace heddle::passes

#endif // HEDDLE_PASSES_PGO_CONTROLFLOW_H
