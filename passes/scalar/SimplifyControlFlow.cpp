//===- SimplifyControlFlow.cpp - SimplifyCFG for warps ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where two branches test one value, SimplifyCFG copies what is between them,
// so that each thread goes by the second one without a test. If threads of a
// warp have different values they part for what they did together before: it
// takes twice the time, and programs rely on all accesses to memory of one
// instruction being made before those of the next one. A program that adds up
// in shared memory for one thread of a group lets that thread read the sum
// right behind the addition, without a barrier; NVIDIA's compiler keeps such
// threads together.
//
// While SimplifyCFG runs, a call that must not be copied is in each block that
// threads come to from several sides, access memory in, and may leave to
// several sides by a value that is tested elsewhere, too.
//
//===----------------------------------------------------------------------===//

#include "passes/scalar/Passes.h"

#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"

using namespace llvm;

namespace heddle::passes {

namespace {

/// Calls that keep their blocks whole while there is an object of this.
class WholeBlocks {
public:
  WholeBlocks(Function &F, FunctionAnalysisManager &AM);
  WholeBlocks(const WholeBlocks &) = delete;
  WholeBlocks &operator=(const WholeBlocks &) = delete;
  ~WholeBlocks();

private:
  Function *Mark = nullptr;
};

} // namespace

/// Whether it matters which of a warp's threads come by together.
static bool isShared(const Instruction &I) {
  return I.mayReadOrWriteMemory() && !I.isDebugOrPseudoInst() &&
         !I.hasMetadata(LLVMContext::MD_invariant_load);
}

/// Whether a value of a branch may be known where threads come from.
static bool isTestedElsewhere(const BranchInst &Branch) {
  const Value *Tested = Branch.getCondition();
  if (auto *Phi = dyn_cast<PHINode>(Tested);
      Phi && Phi->getParent() == Branch.getParent())
    return any_of(Phi->incoming_values(), IsaPred<Constant>);
  return any_of(Tested->users(), [&](const User *Other) {
    return Other != &Branch && isa<BranchInst>(Other);
  });
}

static bool mayBeCopied(const BasicBlock &B) {
  auto *Branch = dyn_cast<BranchInst>(B.getTerminator());
  return Branch && Branch->isConditional() && B.hasNPredecessorsOrMore(2) &&
         isTestedElsewhere(*Branch) && any_of(B, isShared);
}

/// A function of which SimplifyCFG knows that calls of it must not be copied,
/// and does not know that they do nothing.
static Function *declareMark(Module &M) {
  auto *Type = FunctionType::get(llvm::Type::getVoidTy(M.getContext()), false);
  Function *Mark =
      Function::Create(Type, GlobalValue::ExternalLinkage, "heddle.whole", M);
  Mark->setConvergent();
  Mark->setDoesNotThrow();
  Mark->setWillReturn();
  Mark->setOnlyAccessesInaccessibleMemory();
  return Mark;
}

WholeBlocks::WholeBlocks(Function &F, FunctionAnalysisManager &AM) {
  SmallVector<BasicBlock *> Blocks;
  for (BasicBlock &B : F)
    if (mayBeCopied(B))
      Blocks.push_back(&B);
  if (Blocks.empty())
    return;
  const auto &Uniformity = AM.getResult<UniformityInfoAnalysis>(F);
  erase_if(Blocks, [&](const BasicBlock *B) {
    return Uniformity.isUniform(
        cast<BranchInst>(B->getTerminator())->getCondition());
  });
  if (Blocks.empty())
    return;
  Mark = declareMark(*F.getParent());
  for (BasicBlock *B : Blocks)
    IRBuilder<>(B, B->getFirstInsertionPt()).CreateCall(Mark);
}

WholeBlocks::~WholeBlocks() {
  if (!Mark)
    return;
  for (User *Call : make_early_inc_range(Mark->users()))
    cast<CallInst>(Call)->eraseFromParent();
  Mark->eraseFromParent();
}

PreservedAnalyses SimplifyControlFlowPass::run(Function &F,
                                               FunctionAnalysisManager &AM) {
  WholeBlocks Whole(F, AM);
  return SimplifyCFGPass().run(F, AM);
}

} // namespace heddle::passes
