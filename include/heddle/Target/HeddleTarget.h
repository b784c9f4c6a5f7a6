//===- HeddleTarget.h - The Heddle target of LLVM ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where everything that uses LLVM's MC layer or code generator finds the
// target.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_HEDDLETARGET_H
#define HEDDLE_TARGET_HEDDLETARGET_H

#include "heddle/Support/TargetDescription.h"

namespace llvm {
class Target;
}

namespace heddle {

/// The one object that LLVM's factories hang on. Its processors are the chips'
/// names.
llvm::Target &getTheHeddleTarget();

/// Puts assembler, disassembler, instruction printer and object writer into the
/// target. May be called any number of times and from any thread.
void initializeHeddleMC();

/// The same and the code generator (library HeddleCodeGen) with its passes.
void initializeHeddleTarget();

} // namespace heddle

#endif // HEDDLE_TARGET_HEDDLETARGET_H
