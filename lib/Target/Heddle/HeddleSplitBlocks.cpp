//===- HeddleSplitBlocks.cpp - Divide very long blocks ---------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions are selected and scheduled block by block, at a cost that grows
// with the square of a block's length where one value is computed from all that
// went before. Divided, a block of any length costs what its parts cost.
//
//===----------------------------------------------------------------------===//

#include "Heddle.h"
#include "llvm/IR/Instructions.h"
#include "llvm/InitializePasses.h"
#include "llvm/Pass.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-split-blocks"

namespace {

/// Instructions of a block that stays as it is. Hardly a kernel has as long a
/// one; what a part loses at its ends is nothing beside its length.
constexpr unsigned MaxLength = 4096;
/// Stores of it, each of which may have to wait for all before.
constexpr unsigned MaxStores = 512;

class HeddleSplitBlocks : public FunctionPass {
public:
  static char ID;
  HeddleSplitBlocks() : FunctionPass(ID) {}

  StringRef getPassName() const override { return "Heddle split blocks"; }
  bool runOnFunction(Function &F) override;
};

/// Where the block is divided: at instructions behind each so many. What must
/// stand in a function's first block stays there.
SmallVector<Instruction *, 8> findEnds(BasicBlock &Block) {
  unsigned Length = 0, Stores = 0;
  SmallVector<Instruction *, 8> Ends;
  for (Instruction &I : Block) {
    ++Length;
    Stores += isa<StoreInst>(I);
    if (isa<AllocaInst, PHINode>(I)) {
      Ends.clear();
    } else if ((Length > MaxLength || Stores > MaxStores) &&
               !I.isTerminator()) {
      Ends.push_back(&I);
      Length = 1;
      Stores = isa<StoreInst>(I);
    }
  }
  return Ends;
}

bool HeddleSplitBlocks::runOnFunction(Function &F) {
  bool Changed = false;
  // New blocks follow the one that they are divided from.
  for (BasicBlock &Block : F) {
    SmallVector<Instruction *, 8> Ends = findEnds(Block);
    // From the back, so that each instruction moves once.
    for (Instruction *End : reverse(Ends))
      SplitBlock(&Block, End);
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
