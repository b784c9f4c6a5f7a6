//===- VariableFlow.h - Variables where blocks begin ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Debug records say what a variable of the source is from an instruction on,
// wherever control goes. Code lies one block behind the other, so that places
// are stated anew where that differs.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_VARIABLEFLOW_H
#define HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_VARIABLEFLOW_H

#include "Analysis.h"

#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DebugProgramInstruction.h"

#include <vector>

namespace heddle::singlepass {

class VariableFlow {
public:
  VariableFlow(const llvm::Function &F, const Analysis &A);

  using Record = const llvm::DbgVariableRecord *;
  /// A record of each variable, by its number. Pieces of one have numbers of
  /// their own.
  llvm::ArrayRef<Record> variables() const { return Variables; }
  unsigned numberOf(const llvm::DbgVariableRecord &R) const {
    return Numbers.lookup(llvm::DebugVariable(&R));
  }
  /// The other numbers of the variable whose bytes are some of this one's.
  llvm::ArrayRef<unsigned> overlapping(unsigned Number) const {
    return Overlapping[Number];
  }
  /// What each variable is where a block begins; null: nothing that is known.
  llvm::ArrayRef<Record> at(unsigned Block) const { return Begin[Block]; }

private:
  void findOverlapping();
  void run(const llvm::BasicBlock &BB, std::vector<Record> &State) const;
  std::vector<Record> meet(const Analysis::Block &B) const;

  std::vector<Record> Variables;
  llvm::DenseMap<llvm::DebugVariable, unsigned> Numbers;
  std::vector<llvm::SmallVector<unsigned, 1>> Overlapping;
  std::vector<std::vector<Record>> Begin, End; ///< End: empty if not seen yet.
};

} // namespace heddle::singlepass

#endif // HEDDLE_LIB_TARGET_HEDDLE_SINGLEPASS_VARIABLEFLOW_H
