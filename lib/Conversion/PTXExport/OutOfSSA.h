//===- OutOfSSA.h - Values that share a register ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A block argument is a register that the branches to the block write. This
// finds out which arguments can be the very register of a value passed to
// them, so that nothing need be written.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXEXPORT_OUTOFSSA_H
#define HEDDLE_LIB_CONVERSION_PTXEXPORT_OUTOFSSA_H

#include "mlir/IR/Region.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle::ptxexport {

/// Whether a value is the text of an operand (a constant, a symbol) and needs
/// no register.
bool isNamed(mlir::Value V);
/// Whether an operation becomes several instructions of which all but the last
/// may overwrite its result while its operands are still needed.
bool writesEarly(mlir::Operation *Op);

/// The registers of a function's values: those of one class share one. Two
/// values are in one class only if neither is live where the other is written.
class RegisterClasses {
public:
  explicit RegisterClasses(mlir::Region &Body);

  /// The class of a value that is not isNamed().
  unsigned classOf(mlir::Value V);
  /// A register of its own.
  unsigned newClass(mlir::Type Ty);
  mlir::Type typeOf(unsigned Class) const { return Types[Class]; }

private:
  struct Web;
  void number(mlir::Value V);
  void findWebs();
  void findLiveness();
  bool isLiveAfter(unsigned Candidate, mlir::Value Definition);
  bool interfere(unsigned A, unsigned B);
  bool interfereAny(unsigned ClassA, unsigned ClassB);
  void coalesce();
  unsigned find(unsigned Candidate);

  mlir::Region &Body;
  /// Block arguments and what is passed to them; only these are looked at.
  llvm::SmallVector<mlir::Value> Candidates;
  llvm::DenseMap<mlir::Value, unsigned> Numbers;
  llvm::DenseMap<mlir::Block *, llvm::BitVector> LiveIn, LiveOut;
  /// Union-find over candidates, and the members of each class.
  llvm::SmallVector<unsigned> Parent;
  llvm::SmallVector<llvm::SmallVector<unsigned, 4>> Members;

  llvm::DenseMap<mlir::Value, unsigned> Classes;
  llvm::SmallVector<mlir::Type> Types;
};

} // namespace heddle::ptxexport

#endif // HEDDLE_LIB_CONVERSION_PTXEXPORT_OUTOFSSA_H
