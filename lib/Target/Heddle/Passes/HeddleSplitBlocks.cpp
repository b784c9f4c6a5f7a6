//===- HeddleSplitBlocks.cpp - Divide very long blocks ---------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions are selected and scheduled block by block, at a cost that grows
// with the square of a block's length where one value is computed from all
// earlier ones. A divided block of any length costs as much as its parts.
//
// Vectors are built again in each part that uses them: each use of a vector
// from another part would copy the elements one by one.
//
//===----------------------------------------------------------------------===//

#include "Passes/HeddlePasses.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/Instructions.h"
#include "llvm/InitializePasses.h"
#include "llvm/Pass.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-split-blocks"

namespace {

/// The length of a block that stays as it is. Hardly any kernel has so long a
/// block, and the loss at the ends of a part is small beside its length.
constexpr unsigned MaxLength = 4096;
/// Stores of it, each of which may have to wait for all before.
constexpr unsigned MaxStores = 512;
/// Constants in one sum of it: each is moved to the sum's end, past the others.
constexpr unsigned MaxConstants = 64;

class HeddleSplitBlocks : public FunctionPass {
public:
  static char ID;
  HeddleSplitBlocks() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "Heddle split blocks"; }
  bool runOnFunction(Function &F) override;
};

/// The constants in the sums of a block.
class Sums {
public:
  /// The number of constants in the sum that I ends so far; 0 for another
  /// instruction.
  unsigned countAt(const Instruction &I) {
    if (I.getOpcode() != Instruction::Add)
      return 0;
    unsigned Count = 0;
    for (const Value *Operand : I.operands())
      if (isa<Constant>(Operand))
        ++Count;
      else if (Operand->hasOneUse())
        Count += Counts.lookup(Operand);
    if (Count)
      Counts[&I] = Count;
    return Count;
  }
  void clear() { Counts.clear(); }

private:
  DenseMap<const Value *, unsigned> Counts;
};

/// The instructions in front of which the block is divided. Instructions that
/// must stand in a function's first block stay there.
SmallVector<Instruction *, 8> findEnds(BasicBlock &Block) {
  unsigned Length = 0, Stores = 0;
  Sums Constants;
  SmallVector<Instruction *, 8> Ends;
  for (Instruction &I : Block) {
    ++Length;
    Stores += isa<StoreInst>(I);
    if (isa<AllocaInst, PHINode>(I)) {
      Ends.clear();
    } else if ((Constants.countAt(I) > MaxConstants || Length > MaxLength ||
                Stores > MaxStores) &&
               !I.isTerminator()) {
      Ends.push_back(&I);
      Length = 1;
      Stores = isa<StoreInst>(I);
      Constants.clear();
    }
  }
  return Ends;
}

/// Puts vectors together in one part of a block.
class VectorBuilder {
public:
  explicit VectorBuilder(BasicBlock &Part) : Part(Part) {}

  void run() {
    for (Instruction &I : Part)
      for (Use &Operand : I.operands())
        if (InsertElementInst *From = elsewhere(Operand))
          Operand.set(rebuild(*From, I));
  }

private:
  InsertElementInst *elsewhere(Value *V) const {
    auto *I = dyn_cast<InsertElementInst>(V);
    return I && I->getParent() != &Part ? I : nullptr;
  }

  Value *rebuild(InsertElementInst &From, Instruction &Before) {
    SmallVector<InsertElementInst *, 4> Missing;
    InsertElementInst *Next = &From;
    for (; Next && !Made.contains(Next); Next = elsewhere(Next->getOperand(0)))
      Missing.push_back(Next);
    Value *Vector = Next ? Made[Next] : Missing.back()->getOperand(0);
    for (InsertElementInst *I : reverse(Missing)) {
      Instruction *Copy = I->clone();
      Copy->setOperand(0, Vector);
      Copy->insertBefore(Before.getIterator());
      Vector = Made[I] = Copy;
    }
    return Vector;
  }

  BasicBlock &Part;
  DenseMap<InsertElementInst *, Instruction *> Made;
};

bool HeddleSplitBlocks::runOnFunction(Function &F) {
  bool Changed = false;
  // New blocks follow the one that they are divided from.
  for (BasicBlock &Block : F) {
    SmallVector<Instruction *, 8> Ends = findEnds(Block);
    // From the back, so that each instruction moves once.
    for (Instruction *End : reverse(Ends))
      VectorBuilder(*SplitBlock(&Block, End)).run();
    Changed |= !Ends.empty();
  }
  return Changed;
}

} // namespace

char HeddleSplitBlocks::ID = 0;

INITIALIZE_PASS(HeddleSplitBlocks, DEBUG_TYPE, "Heddle split blocks", false,
                false)

FunctionPass *llvm::createHeddleSplitBlocksPass() {
  return new HeddleSplitBlocks();
}
