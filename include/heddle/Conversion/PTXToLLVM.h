//===- PTXToLLVM.h - ptx dialect to LLVM IR ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers the ptx dialect to the LLVM dialect and that to an llvm::Module. What
// comes out is described in docs/ir-contract.md.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CONVERSION_PTXTOLLVM_H
#define HEDDLE_CONVERSION_PTXTOLLVM_H

#include "heddle/PTXDebug/DebugInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "llvm/IR/Module.h"
#include <memory>

namespace heddle {

struct PTXToLLVMOptions {
  /// Lets a product and a sum that PTX wrote without a rounding modifier be
  /// fused (-fmad).
  bool Contract = true;
  /// Makes line tables: of what `.loc` names, and in functions without one of
  /// the PTX text (-lineinfo).
  bool LineInfo = false;
  /// What the PTX says of variables, or null; the module was imported with it.
  /// describeVariables has to follow the translation.
  const ptx::DebugInfo *Debug = nullptr;
};

/// Rewrites every ptx operation of \p Module in place. A construct that has no
/// lowering yet is reported as an error at its place in the PTX text.
mlir::LogicalResult convertPTXToLLVM(mlir::ModuleOp Module,
                                     const PTXToLLVMOptions &Options = {});

/// The same as a pass, `convert-ptx-to-llvm`.
std::unique_ptr<mlir::Pass>
createConvertPTXToLLVMPass(const PTXToLLVMOptions &Options = {});
void registerConvertPTXToLLVMPass();

/// Adds the dialects and translations that the functions here need.
void registerPTXToLLVMDialects(mlir::DialectRegistry &Registry);

/// Translates a module that convertPTXToLLVM has lowered. Triple and data
/// layout are Heddle's. Null after an error, which has been reported through
/// the MLIR context's diagnostics.
std::unique_ptr<llvm::Module> translateToLLVMIR(mlir::ModuleOp Module,
                                                llvm::LLVMContext &Context);

/// Gives the functions of a translated module that \p Debug describes their
/// scopes, lines, types and variables. With \p InMemory, as without
/// optimisation, what is in memory stays there.
void describeVariables(llvm::Module &M, const ptx::DebugInfo &Debug,
                       bool InMemory);

} // namespace heddle

#endif // HEDDLE_CONVERSION_PTXTOLLVM_H
