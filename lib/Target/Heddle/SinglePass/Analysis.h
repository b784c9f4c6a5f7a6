//===- Analysis.h - Order, life times and convergence -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is known of a function before the walk that generates code: the order of
// the blocks, from where to where each value lives in that order, and where
// diverged threads meet again.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_ANALYSIS_H
#define HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_ANALYSIS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

#include <vector>

namespace heddle::singlepass {

/// The registers that hold a value of \p T: 1, 2 or 4 of 32 bits. 0: none of
/// the sizes that there are, or a predicate.
unsigned registersOf(const llvm::DataLayout &DL, llvm::Type *T);

/// Whether \p T is two integers of 16 bits.
bool isPairOfShorts(const llvm::Type *T);

/// Whether \p T is that of a predicate.
inline bool isPredicate(const llvm::Type *T) { return T->isIntegerTy(1); }

/// The value whose registers are those of \p V: casts that leave the bits as
/// they are have none of their own.
const llvm::Value *rootOf(const llvm::DataLayout &DL, const llvm::Value *V);

/// Whether \p V is the address of something in the function's frame.
bool isFrameAddress(const llvm::Value *V);

/// The element of a structure that insertions have made; null: none of them
/// has.
const llvm::Value *elementOf(const llvm::Value *Structure, unsigned Index);

/// Where an instruction has several results, the value that stands for one of
/// them: the first that takes it out. Null: nothing does.
const llvm::Value *partOf(const llvm::Instruction &I, unsigned Index);

/// Whether a call is one of code, and not one that stands for instructions.
bool isCallOfCode(const llvm::CallInst &I);

/// Whether a name is one of heddle/Target/MemoryBuiltins.def.
bool isMemoryBuiltin(llvm::StringRef Name);

/// An address as an instruction has it.
struct Address {
  const llvm::Value *Base; ///< a root
  int64_t Offset;          ///< of 24 bits
};
Address addressOf(const llvm::DataLayout &DL, const llvm::Value *Pointer);

/// Calls \p Visit with each instruction and argument whose registers \p I
/// reads. PHIs read theirs where the edges start.
void forEachUse(const llvm::DataLayout &DL, const llvm::Instruction &I,
                llvm::function_ref<void(const llvm::Value &)> Visit);

/// A value's place in time. Positions number the instructions in the blocks'
/// order.
struct LifeTime {
  unsigned DefBlock = 0, EndBlock = 0;
  unsigned End = 0;           ///< the last use, or the end of EndBlock
  bool IsUsed = false;        ///< by something that needs its registers
  bool EndsWithBlock = false; ///< its registers are free at EndBlock's end
};

/// Threads that come to the end of the block Start wait for each other in front
/// of the block Meet.
struct Region {
  unsigned Start, Meet;
  unsigned Register = 0;
  llvm::BitVector Blocks; ///< reachable from Start without passing Meet
};

class Analysis {
public:
  explicit Analysis(const llvm::Function &F);

  struct Block {
    const llvm::BasicBlock *BB;
    unsigned First, Last; ///< positions of the instructions
    llvm::SmallVector<unsigned, 2> Succs, Preds;
    /// Values whose registers are free behind the block.
    llvm::SmallVector<const llvm::Value *, 2> Ending;
    int StartOf = -1, MeetOf = -1; ///< regions
  };

  const std::vector<Block> &blocks() const { return Blocks; }
  /// How many instructions there are.
  unsigned positions() const {
    return Blocks.empty() ? 0 : Blocks.back().Last + 1;
  }
  unsigned indexOf(const llvm::BasicBlock *BB) const {
    return Index.lookup(BB);
  }
  const LifeTime &lifeOf(const llvm::Value &V) const {
    return Lives.find(&V)->second;
  }
  bool isUsed(const llvm::Value &V) const {
    auto It = Lives.find(&V);
    return It != Lives.end() && It->second.IsUsed;
  }
  /// What forEachUse visits for the instruction at a position.
  llvm::ArrayRef<const llvm::Value *> usesAt(unsigned Position) const {
    return llvm::ArrayRef(Uses).slice(
        FirstUse[Position], FirstUse[Position + 1] - FirstUse[Position]);
  }
  /// A mask of the barrier registers of the regions that a block is in.
  unsigned barriersAround(unsigned Block) const;
  const std::vector<Region> &regions() const { return Regions; }

private:
  void orderBlocks();
  void findLives();
  void noteDefinition(const llvm::Value &V, unsigned Block, unsigned Position);
  void noteUse(const llvm::Value &V, unsigned Block, unsigned Position);
  void notePHI(const llvm::PHINode &Phi, unsigned Block);
  void extendOverLoops();
  void findRegions();

  const llvm::Function &F;
  const llvm::DataLayout &DL;
  std::vector<Block> Blocks;
  llvm::DenseMap<const llvm::BasicBlock *, unsigned> Index;
  llvm::DenseMap<const llvm::Value *, LifeTime> Lives;
  std::vector<const llvm::Value *> Uses; ///< in the order of positions
  std::vector<size_t> FirstUse;          ///< of each position, and the end
  std::vector<Region> Regions;
};

/// The regions of a function, each with a register, so that each diverged
/// thread of a region waits once for the others. Branches for which there is
/// none cost time only.
std::vector<Region> findRegions(const std::vector<Analysis::Block> &Blocks);

} // namespace heddle::singlepass

#endif // HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_ANALYSIS_H
