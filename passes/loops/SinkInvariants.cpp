//===- SinkInvariants.cpp - Computing again in loops ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What does not change in a loop is computed in front of it and takes registers
// all through it, descriptors of matrices several each, although the loop may
// have what they are computed from anyway. Where registers run out, they are
// computed in front of their uses. The code generator computes values again as
// well, but not those that are put together of parts.
//
//===----------------------------------------------------------------------===//

#include "passes/loops/Passes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/Instructions.h"
#include "llvm/Transforms/Utils/Local.h"
#include "llvm/Transforms/Utils/ValueMapper.h"

using namespace llvm;

namespace heddle::passes {

namespace {

class InvariantSinker {
public:
  InvariantSinker(Function &F, const LoopInfo &LI)
      : LI(LI), DL(F.getDataLayout()), Blocks(&F) {
    for (BasicBlock *BB : Blocks)
      Places[BB] = Places.size();
  }

  /// Whether it changed the function.
  bool run();

private:
  /// Instructions, each behind those that it needs.
  using Recipe = SmallVector<Instruction *, 4>;

  const Loop *loopOfUses(const Instruction &I) const;
  static bool isLiveIn(const Value &V, const Loop &L);
  unsigned find(Instruction &I, const Loop &L, Recipe &R) const;
  bool sinkAll();
  void sink(Instruction &I, const Loop &L, const Recipe &R);
  unsigned registersOf(const Value &V) const {
    constexpr uint64_t BitsOfRegister = 32;
    return static_cast<unsigned>(
        divideCeil(DL.getTypeSizeInBits(V.getType()), BitsOfRegister));
  }

  const LoopInfo &LI;
  const DataLayout &DL;
  ReversePostOrderTraversal<Function *> Blocks;
  DenseMap<const BasicBlock *, size_t> Places; ///< in that order
};

} // namespace

/// Whether I can be executed anywhere, in hardly any time.
static bool isCheap(const Instruction &I) {
  if (!I.getType()->isIntOrIntVectorTy())
    return false;
  if (isa<InsertElementInst, ExtractElementInst, TruncInst, ZExtInst, SExtInst,
          BitCastInst>(I))
    return true;
  return isa<BinaryOperator>(I) && !I.isIntDivRem();
}

/// The outermost loop behind I that has uses of I, and behind which there are
/// none; null if there is none, or if PHIs use I.
const Loop *InvariantSinker::loopOfUses(const Instruction &I) const {
  const Loop *Found = nullptr;
  size_t LastOutside = 0;
  for (const User *U : I.users()) {
    const auto *Use = cast<Instruction>(U);
    if (isa<PHINode>(Use))
      return nullptr;
    const Loop *L = LI.getLoopFor(Use->getParent());
    if (!L || L->contains(&I)) {
      LastOutside = std::max(LastOutside, Places.lookup(Use->getParent()));
      continue;
    }
    while (L->getParentLoop() && !L->getParentLoop()->contains(&I))
      L = L->getParentLoop();
    if (Found && L != Found)
      return nullptr;
    Found = L;
  }
  // From the loop to what is in front of it, control comes by I.
  return Found && LastOutside < Places.lookup(Found->getHeader()) ? Found
                                                                  : nullptr;
}

/// Whether L needs V anyway, as far as a few uses tell.
bool InvariantSinker::isLiveIn(const Value &V, const Loop &L) {
  unsigned Left = 64;
  for (const User *U : V.users()) {
    if (L.contains(cast<Instruction>(U)))
      return true;
    if (--Left == 0)
      break;
  }
  return false;
}

/// Finds how I is computed in L. The registers that L needs for that besides
/// those that it has.
unsigned InvariantSinker::find(Instruction &I, const Loop &L, Recipe &R) const {
  constexpr size_t Most = 4;
  unsigned Registers = 0;
  for (const Use &U : I.operands()) {
    Value &V = *U;
    if (isa<Constant>(V) || isLiveIn(V, L))
      continue;
    auto *Inner = dyn_cast<Instruction>(&V);
    if (Inner && is_contained(R, Inner))
      continue;
    if (Inner && isCheap(*Inner) && R.size() + 1 < Most) {
      Recipe With = R;
      unsigned Theirs = find(*Inner, L, With);
      if (With.size() < Most && Theirs < registersOf(V)) {
        R = std::move(With);
        Registers += Theirs;
        continue;
      }
    }
    Registers += registersOf(V);
  }
  R.push_back(&I);
  return Registers;
}

/// Computes I for each block of L that uses it.
void InvariantSinker::sink(Instruction &I, const Loop &L, const Recipe &R) {
  MapVector<BasicBlock *, SmallVector<Instruction *, 4>> Uses;
  for (User *U : I.users())
    if (auto *Use = cast<Instruction>(U); L.contains(Use))
      Uses[Use->getParent()].push_back(Use);
  for (auto &[BB, Users] : Uses) {
    Instruction *First = Users.front();
    for (Instruction *Use : Users)
      if (Use->comesBefore(First))
        First = Use;
    ValueToValueMapTy Copies;
    for (Instruction *Part : R) {
      Instruction *Copy = Part->clone();
      Copy->insertBefore(First->getIterator());
      Copy->setName(Part->getName());
      RemapInstruction(Copy, Copies,
                       RF_NoModuleLevelChanges | RF_IgnoreMissingLocals);
      Copies[Part] = Copy;
    }
    for (Instruction *Use : Users)
      Use->replaceUsesOfWith(&I, Copies[&I]);
  }
}

bool InvariantSinker::sinkAll() {
  // The users of a value come before it.
  SmallVector<Instruction *> Cheap;
  for (BasicBlock *BB : Blocks)
    for (Instruction &I : *BB)
      if (isCheap(I))
        Cheap.push_back(&I);
  bool Changed = false;
  for (Instruction *I : reverse(Cheap)) {
    if (const Loop *L = loopOfUses(*I)) {
      Recipe R;
      if (find(*I, *L, R) < registersOf(*I)) {
        sink(*I, *L, R);
        Changed = true;
      }
    }
    if (isInstructionTriviallyDead(I))
      I->eraseFromParent();
  }
  return Changed;
}

bool InvariantSinker::run() {
  // What the first ones need in a loop, others find there.
  constexpr unsigned MaxRounds = 4;
  unsigned Round = 0;
  while (Round != MaxRounds && sinkAll())
    ++Round;
  return Round != 0;
}

PreservedAnalyses SinkInvariantsPass::run(Function &F,
                                          FunctionAnalysisManager &AM) {
  if (!InvariantSinker(F, AM.getResult<LoopAnalysis>(F)).run())
    return PreservedAnalyses::all();
  PreservedAnalyses PA;
  PA.preserveSet<CFGAnalyses>();
  return PA;
}

} // namespace heddle::passes
