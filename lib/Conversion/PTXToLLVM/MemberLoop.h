//===- MemberLoop.h - Work for each member of a multicast -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A multimem address stands for places in the memories of several devices, of
// which the device knows how many and where they are: what is done there is
// done in a loop over them. The address of memory itself has one member.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXTOLLVM_MEMBERLOOP_H
#define HEDDLE_LIB_CONVERSION_PTXTOLLVM_MEMBERLOOP_H

#include "Emitter.h"

namespace heddle::lowering {

class MemberLoop {
public:
  /// Begins a loop in front of an operation, over the members of a generic
  /// address. What is emitted next is its body.
  MemberLoop(Emitter &E, mlir::Operation *Op, mlir::Value Address);

  /// The place of the member that it is the turn of.
  mlir::Value address() const { return Member; }
  /// Whether this is the first turn.
  mlir::Value isFirst();
  /// What the turn before gave to finish; zeros at first.
  llvm::SmallVector<mlir::Value> carry(mlir::TypeRange Types);
  /// Ends the body. What is emitted next is behind the loop, where the values
  /// of the last turn are returned.
  llvm::SmallVector<mlir::Value> finish(mlir::ValueRange Values = {});

private:
  Emitter &E;
  mlir::Operation *Op;
  mlir::Block *Before, *After, *Body;
  mlir::Value Count, Index, Member;
  llvm::SmallVector<mlir::Type> Carried;
};

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_MEMBERLOOP_H
