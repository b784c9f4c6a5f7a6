//===- PrepareModule.h - LLVM IR before optimisation ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What happens to a module between the frontend and its optimisation. Private
// to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_PREPAREMODULE_H
#define HEDDLE_LIB_COMPILER_PREPAREMODULE_H

#include "Compilation.h"

namespace heddle::compiler {

/// Puts on LLVM IR what the settings say of its functions.
llvm::Error prepareModule(llvm::Module &M, const Settings &S);

/// Checks and directives on LLVM IR.
llvm::Error checkModule(llvm::Module &M, const Settings &S,
                        llvm::StringRef File, Reporter &Report,
                        CompileControl &Control);

/// Puts the profile on a module that the frontend made, or makes it count, as
/// the settings ask. A function whose profile is of another control flow is
/// told to the reporter.
void profile(llvm::Module &M, llvm::StringRef File, const Settings &S,
             Reporter &Report);

/// Reports what a whole program uses and does not define.
void checkExternalSymbols(const llvm::Module &M, llvm::StringRef File,
                          Reporter &Report);

/// Makes the functions of a whole program its own, so that they are optimised
/// for their callers alone and go where they are inlined or nothing calls them.
void internalizeProgram(llvm::Module &M, CompileControl &Control);

/// The host finds a module's variables by their names, also where PTX does not
/// call them visible, and copies to and from them. So no pass may drop one or
/// trust its initial value.
void keepVariables(llvm::Module &M);

/// Puts the command line's limits on the kernels (-maxrregcount, ...), and
/// drops what -e leaves out.
llvm::Error applyDirectives(llvm::Module &M, const Settings &S);

/// Puts the limit that a module's own build asked for on its functions, unless
/// their directives say more.
void limitRegisters(llvm::Module &M, unsigned Limit);

/// Makes use of what is assumed of launches.
llvm::Error applyAssumptions(llvm::Module &M, const Settings &S);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_PREPAREMODULE_H
