//===- Import.h - LLVM IR for NVPTX as an input -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What clang and libNVVM's users hand to NVIDIA's compiler, brought to the form
// of docs/ir-contract.md. docs/nvvm.md says what is taken. Private to
// lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_NVVM_IMPORT_H
#define HEDDLE_LIB_COMPILER_NVVM_IMPORT_H

#include "Frontend.h"

namespace heddle::compiler::nvvm {

/// What the steps of an import work on.
struct Import {
  llvm::Module &M;
  llvm::StringRef File; ///< for messages
  const Settings &S;
  Reporter &Report;

  /// An error in a function.
  void error(const llvm::Function &F, const llvm::Twine &Message) {
    Report.error(File, "in '" + F.getName() + "': " + Message);
  }
};

/// An alias of a function.
struct Alias {
  std::string Name, Of;
  llvm::GlobalValue::LinkageTypes Linkage;
};

/// Makes declarations of the aliases, which get their aliasees back at last. An
/// alias of a variable is an error.
std::vector<Alias> takeAliases(Import &I);
void putAliasesBack(Import &I, llvm::ArrayRef<Alias> Taken);

/// What is said of a function, or of a call, once its arguments are passed
/// otherwise: what it accesses by pointers among them, it accesses.
llvm::AttributeSet withoutArguments(llvm::LLVMContext &Context,
                                    llvm::AttributeSet FnAttributes);

/// Functions and variables that have no meaning here, types and address spaces
/// that the target does not have.
void checkModule(Import &I);

/// Variables become arrays of bytes in the address spaces of PTX, whose names
/// and initial values stay; addresses as values stay, too.
void convertVariables(Import &I);

/// Kernels take no arguments any more, but load them; their properties become
/// our attributes.
void convertKernels(Import &I);

/// Stack memory moves to its own address space; arguments by value become
/// copies of the caller's; copies and fills of memory become loads and stores.
void convertMemory(Import &I);

/// Functions that can be linked get the types that PTX has for them.
void convertSignatures(Import &I);

/// Calls of intrinsics that docs/ir-contract.md does not have, and inline
/// assembly, become what the frontend makes of the PTX that they stand for.
llvm::Error convertCalls(Import &I, mlir::MLIRContext &MLIR);

/// PTX that computes the results of a call from its arguments.
struct Snippet {
  /// $0, $1, ... are the results, then the arguments.
  std::string Text;
  /// For each argument the result that it shares its register with, or -1.
  llvm::SmallVector<int> Ties;
  bool IsMemoryBarrier = false; ///< for the compiler
};

/// What an intrinsic of NVVM, or one of LLVM's that has an instruction of PTX,
/// stands for; none if the contract has the intrinsic. An error if neither.
llvm::Expected<std::optional<Snippet>>
describeIntrinsic(const llvm::CallBase &Call);

/// The same of inline assembly.
llvm::Expected<Snippet> describeAssembly(const llvm::CallBase &Call);

} // namespace heddle::compiler::nvvm

#endif // HEDDLE_LIB_COMPILER_NVVM_IMPORT_H
