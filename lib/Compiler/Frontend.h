//===- Frontend.h - The steps from PTX to LLVM IR ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing, import into the ptx dialect, lowering to LLVM IR. Private to
// lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_FRONTEND_H
#define HEDDLE_LIB_COMPILER_FRONTEND_H

#include "Compilation.h"
#include "heddle/Conversion/PTXDiagnostics.h"
#include "heddle/Conversion/PTXImport.h"
#include "heddle/PTX/AST.h"
#include "heddle/PTX/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

namespace heddle::compiler {

using FunctionSet = llvm::DenseSet<const ptx::Function *>;

/// The functions of a whole program that are compiled: all that its kernels may
/// run, and all that cannot be left out. -e leaves out kernels.
FunctionSet reachableFunctions(const ptx::Module &File, const Settings &S);

/// Whether -e keeps the body of \p F. A body that -e leaves out need not be
/// imported.
bool wantsBody(const ptx::Function &F, const Settings &S);

/// Whether a body declares variables that all threads see. Their names get
/// numbers in the order of the text, which must not depend on what is left out.
bool declaresVariables(llvm::ArrayRef<const ptx::Statement *> Body);

/// The syntax tree of an input, and the messages about the input so far. No
/// message is reported before the tree was lowered.
struct ParsedInput {
  explicit ParsedInput(const Reporter &Report) {
    Diags.setWarnings(Report.warnings());
    Diags.setMaxErrors(Report.maxErrors());
  }
  /// Whether F is part of what is compiled.
  bool isReachable(const ptx::Function &F) const {
    return !Reachable || Reachable->contains(&F);
  }
  ptx::DiagnosticEngine Diags;
  std::shared_ptr<const ptx::Module> Module; ///< null after an error
  std::optional<FunctionSet> Reachable;      ///< unset: all are
};

/// The first step: text to a checked syntax tree.
ParsedInput parseInput(llvm::MemoryBufferRef Input, const Settings &S,
                       const Reporter &Report, CompileControl &Control);

/// Hands the messages about an input to the caller's handler.
void deliver(const ptx::DiagnosticEngine &Diags, Reporter &Report);

/// LLVM IR, or where --emit asks for a form of MLIR or nothing is generated,
/// text.
struct FrontendResult {
  std::unique_ptr<llvm::Module> Module; ///< null: Text is the output
  std::string Text;
};

/// Which part of each function is imported.
using FunctionFilter = llvm::function_ref<ImportedPart(const ptx::Function &)>;

/// The second and the third step, over some of the functions of a syntax tree.
/// The dialects are loaded in \p MLIR. A step is false after an error, whose
/// message is in \p Diags, or if the compilation was cancelled.
class Frontend {
public:
  Frontend(const ptx::Module &Tree, llvm::MemoryBufferRef Input,
           const Settings &S, mlir::MLIRContext &MLIR,
           llvm::LLVMContext &Context, ptx::DiagnosticEngine &Diags,
           CompileControl &Control)
      : Tree(Tree), Input(Input), S(S), MLIR(MLIR), Context(Context),
        Control(Control), Bridge(MLIR, Input.getBufferIdentifier(), Diags) {}

  /// Syntax tree to the ptx dialect.
  bool importPTX(FunctionFilter Wants);
  /// The ptx dialect to LLVM IR. Does nothing where --emit asks for the dialect
  /// or the input is only checked.
  bool lower();
  FrontendResult takeResult() { return std::move(Result); }

private:
  const ptx::Module &Tree;
  llvm::MemoryBufferRef Input;
  const Settings &S;
  mlir::MLIRContext &MLIR;
  llvm::LLVMContext &Context;
  CompileControl &Control;
  PTXDiagnosticBridge Bridge;
  std::unique_ptr<ptx::DebugInfo> Debug; ///< Null: none is there, or wanted.
  mlir::OwningOpRef<mlir::ModuleOp> Dialect;
  FrontendResult Result;
};

/// The third step over a module of the ptx dialect, which it uses up. False
/// after an error, which MLIR's context has reported, or if the compilation was
/// cancelled. \p Debug may be null.
bool lowerDialect(mlir::ModuleOp Dialect, const Settings &S,
                  const ptx::DebugInfo *Debug, llvm::LLVMContext &Context,
                  CompileControl &Control, FrontendResult &Result);
/// The end of that step: the LLVM dialect to LLVM IR.
bool translateDialect(mlir::ModuleOp Dialect, const Settings &S,
                      const ptx::DebugInfo *Debug, llvm::LLVMContext &Context,
                      CompileControl &Control, FrontendResult &Result);

/// The kernels that a module defines, and whether it calls functions through
/// pointers. Errors go to the reporter.
std::vector<std::string> listEntries(llvm::MemoryBufferRef Input,
                                     Reporter &Report, bool &CallsPointers);

/// Whether an input is LLVM bitcode.
bool isBitcode(llvm::StringRef Input);

/// LLVM bitcode for NVPTX to the form of docs/ir-contract.md, in place of the
/// first three steps.
llvm::Expected<FrontendResult>
runNVVMFrontend(llvm::MemoryBufferRef Input, const Settings &S,
                mlir::MLIRContext &MLIR, llvm::LLVMContext &Context,
                Reporter &Report, CompileControl &Control);

/// The same for a module that was read. What is not supported is told to the
/// reporter.
llvm::Error convertNVVM(llvm::Module &M, llvm::StringRef File,
                        const Settings &S, mlir::MLIRContext &MLIR,
                        Reporter &Report);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_FRONTEND_H
