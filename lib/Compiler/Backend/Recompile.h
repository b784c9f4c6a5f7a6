//===- Recompile.h - Modules that are compiled again ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For what reasons a module is compiled several times. Private to
// lib/Compiler/Backend.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_BACKEND_RECOMPILE_H
#define HEDDLE_LIB_COMPILER_BACKEND_RECOMPILE_H

#include "Backend/Attempts.h"

namespace heddle::compiler {

/// What was made of a module so far.
struct Recompilation {
  Attempts &All;
  /// What the first attempt found, in which nothing was decided.
  RegisterUses Found;
  /// The best attempt: its decisions and its code.
  RegisterPlans Plans;
  Buffer Bytes;

  /// Makes Bytes the code of Plans.
  llvm::Error takePlans() {
    GeneratedCode Code;
    if (llvm::Error E = All.compile(Plans, Code))
      return E;
    Bytes = std::move(Code.Bytes);
    return llvm::Error::success();
  }
};

/// Whether a function of so many instructions may have more values than
/// registers.
bool mayRunOut(const llvm::Function &F, size_t Instructions,
               llvm::StringRef Chip);

/// Whether a function of so many instructions may be a kernel with more
/// registers than are good for it.
bool mayGainWarps(const llvm::Function &F, size_t Instructions);

/// Whether a function of so many instructions is a kernel whose launches a
/// profile has.
bool mayGainByProfile(const llvm::Function &F, size_t Instructions);

/// Looks for the code in which each function spills least.
llvm::Error recompileOnSpill(Recompilation &R);

/// Looks for the code with as many warps as are of use.
llvm::Error recompileForOccupancy(Recompilation &R);

/// Looks for the code with which launches as a profile has them take least, by
/// estimate.
llvm::Error recompileForProfile(Recompilation &R);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_BACKEND_RECOMPILE_H
