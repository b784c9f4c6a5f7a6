//===- PTXExport.h - ptx dialect to PTX text --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Prints a module of the ptx dialect as PTX text.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CONVERSION_PTXEXPORT_H
#define HEDDLE_CONVERSION_PTXEXPORT_H

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace heddle {

/// Writes \p Module, which verifies, as PTX that means the same. Importing the
/// text and writing it again gives the same text. What PTX cannot say is
/// reported at its place through the context's diagnostics; then \p OS has
/// been given nothing.
mlir::LogicalResult exportPTX(mlir::ModuleOp Module, llvm::raw_ostream &OS);

} // namespace heddle

#endif // HEDDLE_CONVERSION_PTXEXPORT_H
