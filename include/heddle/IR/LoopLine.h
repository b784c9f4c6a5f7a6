//===- LoopLine.h - The source lines of loops -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where remarks say that a loop is. PTX has no lines of loops, and what LLVM
// takes in their place is mostly the line in front of one.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_IR_LOOPLINE_H
#define HEDDLE_IR_LOOPLINE_H

#include "llvm/IR/DebugLoc.h"

namespace llvm {
class Loop;
} // namespace llvm

namespace heddle::ir {

/// The line of the test for another iteration, as which compilers have that of
/// the statement; else the first that L has, if any.
llvm::DebugLoc lineOf(const llvm::Loop &L);

/// Notes it in the metadata of L, from where LLVM's passes take it.
void noteLine(llvm::Loop &L);

} // namespace heddle::ir

#endif // HEDDLE_IR_LOOPLINE_H
