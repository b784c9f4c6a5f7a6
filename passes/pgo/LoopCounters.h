//===- LoopCounters.h - Counters that threads keep in loops -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What -fprofile-generate keeps in registers: counters of loops, and where
// their sums are added to those in memory.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_PGO_LOOPCOUNTERS_H
#define HEDDLE_PASSES_PGO_LOOPCOUNTERS_H

#include "llvm/ADT/MapVector.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/IR/IRBuilder.h"

namespace heddle::passes {

/// Where threads that left loops of a function are together again.
class MeetingPlaces {
public:
  explicit MeetingPlaces(llvm::Function &F);

  /// The first block that every thread comes to after it left \p L, in no loop
  /// but those around \p L, and before it can come to \p L again; null if there
  /// is none.
  llvm::BasicBlock *behind(const llvm::Loop &L) const;
  const llvm::LoopInfo &loops() const { return Info; }

private:
  llvm::DominatorTree Dominators;
  llvm::LoopInfo Info;
  llvm::PostDominatorTree PostDominators;
  /// Threads may end in functions that this one calls.
  bool CanEndUnseen;
};

/// Counters of a loop that its threads keep to themselves until they have left
/// it, in variables that become registers.
class LoopCounters {
public:
  explicit LoopCounters(llvm::Function &F);

  struct Count {
    uint64_t Counter;
    llvm::Value *Number;
  };

  /// The variable of a thread that counts for \p Counter at a place; null if
  /// it is in no loop, or in one of too many counters.
  llvm::AllocaInst *variableAt(const llvm::BasicBlock &Place, uint64_t Counter);
  /// Calls \p Flush with a loop's counts wherever threads may have left it.
  void
  flush(llvm::function_ref<void(llvm::IRBuilder<> &, llvm::ArrayRef<Count>)>
            Flush);

private:
  /// Registers for the counters of a loop, and for those of them that are not
  /// in its innermost loops.
  static constexpr unsigned Most = 24, MostOutside = 8;

  llvm::SmallVector<llvm::BasicBlock *> placesToFlush(const llvm::Loop &L);

  llvm::Function &F;
  MeetingPlaces Meetings;
  bool CanEndUnseen;
  llvm::MapVector<llvm::Loop *, llvm::MapVector<uint64_t, llvm::AllocaInst *>>
      Variables;
};

/// Whether threads may end in functions that others call.
bool mayEndInCalls(const llvm::Module &M);

/// A variable of the threads of \p F, zero at first.
llvm::AllocaInst *createVariable(llvm::Function &F);

} // namespace heddle::passes

#endif // HEDDLE_PASSES_PGO_LOOPCOUNTERS_H
