//===- Selector.cpp - The walk that generates code --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Goes through the blocks in their order.
//
//===----------------------------------------------------------------------===//

#include "Selector.h"

#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "heddle/IR/Kernels.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::singlepass {

/// Whether threads may wait in I for others of their warp, or for what others
/// write.
static bool mayWait(const Instruction &I) {
  if (I.isAtomic() || I.isVolatile())
    return true;
  const auto *Call = dyn_cast<CallInst>(&I);
  return Call && (Call->isConvergent() || isCallOfCode(*Call));
}

Selector::Selector(const Function &F, const Analysis &A, Code &Out,
                   const isa::ChipInfo &Chip, unsigned RegisterLimit)
    : F(F), DL(F.getDataLayout()), A(A), Out(Out), Chip(Chip), W(Out, Chip),
      Registers(RegisterLimit, /*IsCalled=*/!ir::isKernel(F)),
      IsKernel(ir::isKernel(F)), HasLines(F.getSubprogram()) {
  for (const Instruction &I : instructions(F)) {
    MayWait |= mayWait(I);
    const auto *Call = dyn_cast<CallInst>(&I);
    HasCalls |= Call && isCallOfCode(*Call) && !systemCallOf(*Call);
  }
  for (const Region &R : A.regions())
    BarriersInUse |= 1u << R.Register;
}

void Selector::fail(const Twine &Why) {
  if (!failed())
    Reason = Why.str();
}

bool Selector::run() {
  FirstLabel = Out.NumLabels;
  FirstMeetLabel = FirstLabel + A.blocks().size();
  Out.NumLabels += 2 * A.blocks().size();
  EpilogueLabel = W.makeLabel();
  layOutFrame();
  if (!IsKernel && !failed()) {
    receiveArguments();
    W.drain();
  }
  beginVariables();
  for (unsigned B = 0; B != A.blocks().size() && !failed(); ++B)
    selectBlock(B);
  if (!failed())
    finishFrame();
  Out.Registers = Registers.most();
  return !failed();
}

void Selector::beginBlock(unsigned B) {
  if (HasLines)
    W.setLocation(A.blocks()[B].BB->getFirstNonPHIIt()->getDebugLoc().get());
  int R = A.blocks()[B].MeetOf;
  if (R >= 0) {
    W.place(FirstMeetLabel + B);
    W.emit(Heddle::BSYNC, {A.regions()[R].Register, MayWait});
    W.drain();
  }
  W.place(FirstLabel + B);
  sayVariablesAt(B);
}

void Selector::selectBlock(unsigned B) {
  const Analysis::Block &Block = A.blocks()[B];
  CurrentBlock = B;
  beginBlock(B);
  Position = Block.First;
  for (const Instruction &I : *Block.BB) {
    if (HasLines)
      W.setLocation(I.getDebugLoc().get());
    Current = &I;
    sayVariables(I);
    if (I.isTerminator())
      selectTerminator(I, B);
    else if (!llvm::isa<PHINode>(I))
      select(I);
    if (failed())
      return;
    freeAfter(I, Position++);
  }
  for (const Value *V : Block.Ending)
    freeHome(*V);
}

void Selector::select(const Instruction &I) {
  if (root(&I) != &I || llvm::isa<ExtractValueInst, InsertValueInst>(I))
    return;
  bool IsNeeded = I.mayHaveSideEffects() ||
                  (llvm::isa<AllocaInst>(I) && !isFrameAddress(&I)) ||
                  A.isUsed(I) || I.getType()->isStructTy();
  if (IsNeeded && !selectPlain(I)) {
    std::string What = I.getOpcodeName();
    if (const auto *Call = dyn_cast<CallInst>(&I))
      if (const Function *Callee = Call->getCalledFunction())
        What += " of " + Callee->getName().str();
    fail(What);
  }
}

bool Selector::selectPlain(const Instruction &I) {
  if (const auto *Call = dyn_cast<CallInst>(&I))
    return selectCall(*Call);
  if (const auto *Compare = dyn_cast<ICmpInst>(&I))
    return selectComparison(*Compare), true;
  if (const auto *Compare = dyn_cast<FCmpInst>(&I))
    return selectFloatComparison(*Compare), true;
  if (const auto *Select = dyn_cast<SelectInst>(&I))
    return selectSelect(*Select), true;
  return selectInteger(I) || selectFloat(I) || selectCast(I) ||
         selectMemory(I) || selectElements(I);
}

void Selector::freeAfter(const Instruction &I, unsigned Position) {
  returnPredicates();
  for (auto [Register, Count] : Temporaries)
    Registers.give(Register, Count);
  Temporaries.clear();
  for (unsigned P : TemporaryPredicates)
    Registers.givePredicate(P);
  TemporaryPredicates.clear();
  HasScratchPredicate = false;
  auto Free = [&](const Value &V) {
    const LifeTime &L = A.lifeOf(V);
    if (L.End <= Position && !L.EndsWithBlock)
      freeHome(V);
  };
  for (const Value *V : A.usesAt(Position))
    Free(*V);
  if (!I.getType()->isVoidTy() && Homes.contains(&I))
    Free(I);
  if (I.getType()->isStructTy())
    for (const User *U : I.users())
      if (llvm::isa<ExtractValueInst>(U) && Homes.contains(U))
        Free(*U);
}

Result generate(const Function &F, const isa::ChipInfo &Chip,
                unsigned RegisterLimit) {
  auto Out = std::make_unique<Code>();
  Analysis A(F);
  // An instruction of LLVM IR becomes one with as many, or none.
  Out->Operands.reserve(6 * size_t(A.positions()));
  Selector S(F, A, *Out, Chip, RegisterLimit);
  if (!S.run())
    return {nullptr, S.reason()};
  return {std::move(Out), std::string()};
}

} // namespace heddle::singlepass
