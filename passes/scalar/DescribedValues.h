//===- DescribedValues.h - That debuggers see true values -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds out which values that debuggers are told of a pass has changed.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_SCALAR_DESCRIBEDVALUES_H
#define HEDDLE_PASSES_SCALAR_DESCRIBEDVALUES_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/ValueHandle.h"

#include <array>
#include <optional>

namespace llvm {
class DbgVariableRecord;
class DIExpression;
class DILocalVariable;
class Function;
class Instruction;
} // namespace llvm

namespace heddle::passes {

/// The values of a function's variables, for some values of what they are
/// computed of.
class DescribedValues {
public:
  explicit DescribedValues(llvm::Function &F);

  /// Drops what is said of variables that have other values by now.
  void dropChanged();

private:
  /// A value in each of the trials.
  using Sample = std::array<uint64_t, 3>;
  /// What of a variable is computed of, and how.
  struct Record {
    const llvm::DILocalVariable *Variable;
    const llvm::DIExpression *Expression;
    llvm::SmallVector<Sample, 1> Values;
    llvm::SmallVector<unsigned, 4> Of; ///< Numbers of what is given.
  };

  std::optional<Sample> valueOf(llvm::Value *V, unsigned Depth = 0);
  std::optional<Sample> computed(llvm::Instruction &I, unsigned Depth);
  std::optional<Sample> given(llvm::Value *V);
  std::optional<Record> recordOf(llvm::DbgVariableRecord &R);
  bool findGiven(llvm::DbgVariableRecord &R, Record &To) const;

  llvm::Function &F;
  bool IsBehind = false; ///< The pass has run.
  llvm::DenseMap<const llvm::DbgVariableRecord *, Record> Records;
  llvm::DenseMap<llvm::Value *, std::optional<Sample>> Known;
  /// What is not computed here, by its number, and null once it is gone.
  llvm::DenseMap<llvm::Value *, unsigned> Numbers;
  llvm::SmallVector<llvm::WeakVH, 0> Given;
};

} // namespace heddle::passes

#endif // HEDDLE_PASSES_SCALAR_DESCRIBEDVALUES_H
