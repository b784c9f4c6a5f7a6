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
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MemoryBufferRef.h"

namespace heddle {

/// Imports \p Module. \p Source is the text that it was parsed from; its
/// identifier names the file in locations. The MLIR module has the attributes
/// `ptx.version` and `ptx.target`. A construct that the dialect does not have
/// yet is reported through the context's diagnostics, at its place in the
/// text, and the result is null. Functions for which \p WantsBody is false
/// become declarations.
mlir::OwningOpRef<mlir::ModuleOp> importPTX(
    const ptx::Module &Module, llvm::MemoryBufferRef Source,
    mlir::MLIRContext &Context,
    llvm::function_ref<bool(const ptx::Function &)> WantsBody =
        [](const ptx::Function &) { return true; });

} // namespace heddle

#endif // HEDDLE_CONVERSION_PTXIMPORT_H
