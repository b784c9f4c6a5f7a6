//===- LimitInlining.cpp - Inlining that does not multiply ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The inliner looks at each call by itself, and the shortest functions first:
// where each of many short ones calls two others, it repeats them once for each
// way that leads to them. A function that would become long by what it calls,
// all of it inlined, is called.
//
//===----------------------------------------------------------------------===//

#include "passes/lto/Passes.h"

#include "llvm/ADT/SCCIterator.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/IR/Module.h"
#include "llvm/Transforms/IPO/ModuleInliner.h"

using namespace llvm;

namespace heddle::passes {

/// Instructions of LLVM IR of a function that is inlined for its length, and of
/// one with all that it calls.
static constexpr uint64_t MostOfItsOwn = 256, MostWhole = 1024;

/// The functions that are better called: short, and long with what they call.
static SmallVector<Function *, 0> findMultiplied(Module &M) {
  SmallVector<Function *, 0> Multiplied;
  CallGraph CG(M);
  // What a call of each brings; callees come before callers.
  DenseMap<const Function *, uint64_t> Whole;
  auto Measure = [&](const CallGraphNode &Node) {
    Function *F = Node.getFunction();
    if (!F || F->isDeclaration())
      return;
    uint64_t Own = F->getInstructionCount(), Sum = Own;
    for (const auto &[Call, Callee] : Node)
      Sum += Whole.lookup(Callee->getFunction());
    if (Own > MostOfItsOwn || F->hasFnAttribute(Attribute::NoInline))
      return;
    if (Sum > MostWhole && !F->hasFnAttribute(Attribute::AlwaysInline) &&
        F->hasNUsesOrMore(2))
      Multiplied.push_back(F);
    else
      Whole[F] = Sum;
  };
  for (auto SCC = scc_begin(&CG); !SCC.isAtEnd(); ++SCC)
    for (const CallGraphNode *Node : *SCC)
      Measure(*Node);
  return Multiplied;
}

PreservedAnalyses LimitedInlinerPass::run(Module &M,
                                          ModuleAnalysisManager &AM) {
  SmallVector<Function *, 0> Multiplied = findMultiplied(M);
  for (Function *F : Multiplied)
    F->addFnAttr(Attribute::NoInline);
  PreservedAnalyses PA = ModuleInlinerPass(Params).run(M, AM);
  for (Function *F : Multiplied)
    F->removeFnAttr(Attribute::NoInline);
  return PA;
}

} // namespace heddle::passes
