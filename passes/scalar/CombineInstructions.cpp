//===- CombineInstructions.cpp - InstCombine in linear time -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each comparison InstCombine asks all branches that test the same value
// whether they decide it. Where very many do, the comparisons are of copies of
// the value while it runs, one for so many of them.
//
// What is used in a block that ends the function only is sunk there: of a sum
// to which many blocks add, all parts would be kept in registers until the end.
// In functions of very many blocks nothing is.
//
//===----------------------------------------------------------------------===//

#include "passes/scalar/DescribedValues.h"
#include "passes/scalar/Passes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

namespace heddle::passes {

namespace {

/// Branches that test one value or one copy.
constexpr unsigned MaxTests = 64;

class CopiedValues {
public:
  explicit CopiedValues(Function &F);
  CopiedValues(const CopiedValues &) = delete;
  CopiedValues &operator=(const CopiedValues &) = delete;
  ~CopiedValues();

  bool any() const { return !Copies.empty(); }

private:
  void countTest(Use &Tested);
  static Value *copy(Value &V);

  struct Tests {
    unsigned Count = 0;
    Value *Copy = nullptr;
  };
  DenseMap<Value *, Tests> TestsOf;
  /// Null once it was dropped.
  SmallVector<WeakVH, 16> Copies;
};

/// A copy that nothing looks through.
Value *CopiedValues::copy(Value &V) {
  auto *I = dyn_cast<Instruction>(&V);
  Function &F = I ? *I->getFunction() : *cast<Argument>(V).getParent();
  BasicBlock &Entry = F.getEntryBlock();
  std::optional<BasicBlock::iterator> At =
      I ? I->getInsertionPointAfterDef() : Entry.getFirstNonPHIOrDbgOrAlloca();
  if (!At)
    return nullptr;
  IRBuilder<> B((*At)->getParent(), *At);
  return B.CreateIntrinsic(Intrinsic::expect, {V.getType()},
                           {&V, Constant::getNullValue(V.getType())});
}

void CopiedValues::countTest(Use &Tested) {
  Value *V = Tested.get();
  if (!V->getType()->isIntegerTy() || !isa<Instruction, Argument>(V))
    return;
  Tests &T = TestsOf[V];
  if (++T.Count % MaxTests == 0) {
    T.Copy = copy(*V);
    if (T.Copy)
      Copies.emplace_back(T.Copy);
  }
  if (T.Copy)
    Tested.set(T.Copy);
}

CopiedValues::CopiedValues(Function &F) {
  // What a branch says of an operand's operand is asked for as well.
  auto CountOperand = [&](Use &Tested) {
    auto *Inner = dyn_cast<BinaryOperator>(Tested.get());
    if (Inner && isa<Constant>(Inner->getOperand(1)))
      countTest(Inner->getOperandUse(0));
    countTest(Tested);
  };
  if (F.size() <= MaxTests)
    return;
  for (BasicBlock &Block : F) {
    auto *Branch = dyn_cast<BranchInst>(Block.getTerminator());
    auto *Compare = Branch && Branch->isConditional()
                        ? dyn_cast<ICmpInst>(Branch->getCondition())
                        : nullptr;
    if (Compare)
      for (Use &Operand : Compare->operands())
        CountOperand(Operand);
  }
}

CopiedValues::~CopiedValues() {
  for (Value *Left : Copies) {
    auto *Copy = cast_or_null<CallInst>(Left);
    if (!Copy)
      continue;
    Copy->replaceAllUsesWith(Copy->getArgOperand(0));
    Copy->eraseFromParent();
  }
}

/// Returns in blocks of their own, into which nothing is sunk but what they
/// return.
class DividedReturns {
public:
  explicit DividedReturns(Function &F);
  DividedReturns(const DividedReturns &) = delete;
  DividedReturns &operator=(const DividedReturns &) = delete;
  ~DividedReturns() {
    for (BasicBlock *Return : Returns)
      MergeBlockIntoPredecessor(Return);
  }

  bool any() const { return !Returns.empty(); }

private:
  SmallVector<BasicBlock *, 4> Returns;
};

DividedReturns::DividedReturns(Function &F) {
  constexpr size_t MaxBlocks = 128;
  if (F.size() <= MaxBlocks)
    return;
  for (BasicBlock &B : make_early_inc_range(F))
    if (auto *Return = dyn_cast<ReturnInst>(B.getTerminator());
        Return && Return != &B.front())
      Returns.push_back(SplitBlock(&B, Return->getIterator()));
}

} // namespace

PreservedAnalyses CombineInstructionsPass::run(Function &F,
                                               FunctionAnalysisManager &AM) {
  DividedReturns Divided(F);
  if (Divided.any())
    AM.invalidate(F, PreservedAnalyses::none());
  CopiedValues Copied(F);
  DescribedValues Values(F);
  PreservedAnalyses Preserved = InstCombinePass().run(F, AM);
  Values.dropChanged();
  if (Divided.any())
    return PreservedAnalyses::none();
  if (!Copied.any())
    return Preserved;
  PreservedAnalyses OnlyCFG;
  OnlyCFG.preserveSet<CFGAnalyses>();
  return OnlyCFG;
}

} // namespace heddle::passes
