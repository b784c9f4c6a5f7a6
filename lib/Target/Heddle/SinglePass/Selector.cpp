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
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::singlepass {

/// Whether threads may wait in I for others of their warp, or for what others
/// write.
static bool mayWait(const Instruction &I) {
  if (I.isAtomic() || I.isVolatile())
    return true;
  const auto *Call = dyn_cast<CallInst>(&I);
  return Call && Call->isConvergent();
}

Selector::Selector(const Function &F, const Analysis &A, Code &Out,
                   const isa::ChipInfo &Chip, unsigned RegisterLimit)
    : F(F), DL(F.getDataLayout()), A(A), Out(Out), W(Out, Chip),
      Registers(RegisterLimit) {
  MayWait = any_of(instructions(F), mayWait);
}

void Selector::fail(const Twine &Why) {
  if (!failed())
    Reason = Why.str();
}

bool Selector::run() {
  FirstLabel = Out.NumLabels;
  FirstMeetLabel = FirstLabel + A.blocks().size();
  Out.NumLabels += 2 * A.blocks().size();
  for (unsigned B = 0; B != A.blocks().size() && !failed(); ++B)
    selectBlock(B);
  Out.Registers = Registers.most();
  return !failed();
}

void Selector::beginBlock(unsigned B) {
  int R = A.blocks()[B].MeetOf;
  if (R >= 0) {
    W.place(FirstMeetLabel + B);
    W.emit(Heddle::BSYNC, {A.regions()[R].Register, MayWait});
    W.drain();
  }
  W.place(FirstLabel + B);
}

void Selector::selectBlock(unsigned B) {
  const Analysis::Block &Block = A.blocks()[B];
  beginBlock(B);
  unsigned Position = Block.First;
  for (const Instruction &I : *Block.BB) {
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
  if (root(&I) != &I)
    return;
  bool IsNeeded = I.mayHaveSideEffects() ||
                  (!I.getType()->isVoidTy() && A.lifeOf(I).IsUsed);
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
  for (auto [Register, Count] : Temporaries)
    Registers.give(Register, Count);
  Temporaries.clear();
  HasScratchPredicate = false;
  auto Free = [&](const Value &V) {
    const LifeTime &L = A.lifeOf(V);
    if (L.End <= Position && !L.EndsWithBlock)
      freeHome(V);
  };
  forEachUse(DL, I, Free);
  if (!I.getType()->isVoidTy() && Homes.contains(&I))
    Free(I);
}

Result generate(const Function &F, const isa::ChipInfo &Chip,
                unsigned RegisterLimit) {
  if (!ir::isKernel(F))
    return {nullptr, "a function that is called"};
  if (F.getSubprogram())
    return {nullptr, "debug information"};
  auto Out = std::make_unique<Code>();
  Analysis A(F);
  Selector S(F, A, *Out, Chip, RegisterLimit);
  if (!S.run())
    return {nullptr, S.reason()};
  return {std::move(Out), std::string()};
}

} // namespace heddle::singlepass
