//===- PTXImport.h - PTX syntax tree to ptx dialect -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns a parsed and checked PTX module into SSA form in the ptx dialect.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CONVERSION_PTXIMPORT_H
#define HEDDLE_CONVERSION_PTXIMPORT_H

#include "heddle/PTX/AST.h"
#include "heddle/PTXDebug/DebugInfo.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace heddle {

/// What of a function an MLIR module shall have.
enum class ImportedPart : uint8_t {
  Nothing, ///< nothing else that is imported may name it
  Signature,
  Body,
};

/// Which variables of the source the dialect shall tell of.
struct ImportedVariables {
  const ptx::DebugInfo *Info = nullptr; ///< Null: of none.
  /// Makes memory of the registers that variables are in, so that these are
  /// there as long as their scopes, and can be changed.
  bool AreComplete = false;
};

/// Imports \p Module. \p Source is the text that it was parsed from; its
/// identifier names the file in locations. The MLIR module has the attributes
/// `ptx.version` and `ptx.target`. A construct that the dialect does not have
/// yet is reported through the context's diagnostics, at its place in the
/// text, and the result is null. \p Wants says what of each function that has a
/// body is imported.
mlir::OwningOpRef<mlir::ModuleOp> importPTX(
    const ptx::Module &Module, llvm::MemoryBufferRef Source,
    mlir::MLIRContext &Context,
    llvm::function_ref<ImportedPart(const ptx::Function &)> Wants =
        [](const ptx::Function &) { return ImportedPart::Body; },
    ImportedVariables Variables = {});

} // namespace heddle

#endif // HEDDLE_CONVERSION_PTXIMPORT_H
