//===- FunctionCosts.h - What functions cost to compile ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the code generator tells of each function that it was given. Private to
// lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_FUNCTIONCOSTS_H
#define HEDDLE_LIB_COMPILER_FUNCTIONCOSTS_H

#include "llvm/ADT/StringMap.h"

namespace heddle::compiler {

/// What a function cost, and which code generator it has its code from.
struct FunctionCost {
  enum OnePass {
    NotTried, ///< a single pass was not asked for
    Generated,
    NotGenerated,
  };
  double Milliseconds = 0;
  OnePass InOnePass = NotTried;
};

/// By the functions' names.
using FunctionCosts = llvm::StringMap<FunctionCost>;

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_FUNCTIONCOSTS_H
