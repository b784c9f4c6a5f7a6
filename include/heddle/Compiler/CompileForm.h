//===- CompileForm.h - Compilations that begin midway -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way from any form that a compilation has in between to the end. With a
// form that another build has made, it shows what the stages behind it do.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_COMPILER_COMPILEFORM_H
#define HEDDLE_COMPILER_COMPILEFORM_H

#include "heddle/Compiler/Compiler.h"

namespace heddle {

/// What a compilation begins with.
enum class CodeForm {
  PTX,
  PTXDialect,  ///< what --emit=ptx-dialect writes
  LLVMDialect, ///< what --emit=llvm-dialect writes
  LLVMIR,      ///< what --emit=llvm writes, behind all passes over IR
  MachineIR,   ///< what -stop-before and -stop-after of LLVM write
};

/// The form with this name: ptx, ptx-dialect, llvm-dialect, llvm or mir.
std::optional<CodeForm> parseCodeForm(llvm::StringRef Name);

/// What ptx-compile has no options for.
struct FormOptions {
  CodeForm From = CodeForm::PTX;
  /// What is decided of registers, as JSON; none: attempts show what is best,
  /// of MachineIR and LLVMIR nothing is decided.
  std::optional<std::string> Plan;
  /// The output is the plan by which the code was made.
  bool EmitsPlan = false;
};

/// Compiles \p Input as Compiler::compile does. Where \p Options ask for lines,
/// forms of MLIR are written with them.
llvm::Expected<CompileOutput> compileForm(llvm::MemoryBufferRef Input,
                                          const FormOptions &Form,
                                          const CompileOptions &Options,
                                          DiagnosticHandler Handler);

} // namespace heddle

#endif // HEDDLE_COMPILER_COMPILEFORM_H
