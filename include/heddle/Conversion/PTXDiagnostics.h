//===- PTXDiagnostics.h - MLIR's messages about PTX -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Brings what MLIR says of imported PTX back to places in the text, so that
// the messages of all stages look alike and come in the order of the text.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CONVERSION_PTXDIAGNOSTICS_H
#define HEDDLE_CONVERSION_PTXDIAGNOSTICS_H

#include "heddle/PTX/Diagnostics.h"
#include "mlir/IR/Diagnostics.h"

namespace heddle {

/// While it lives, carries the diagnostics of a context over to an engine, from
/// line and column back to the place in the text.
class PTXDiagnosticBridge {
public:
  /// \p Name is that of the PTX in locations, the identifier of its buffer.
  PTXDiagnosticBridge(mlir::MLIRContext &Context, llvm::StringRef Name,
                      ptx::DiagnosticEngine &Diags);

private:
  mlir::LogicalResult take(mlir::Diagnostic &D);
  ptx::SourceRange find(mlir::Location Loc) const;

  std::string Name;
  ptx::DiagnosticEngine &Diags;
  mlir::ScopedDiagnosticHandler Handler;
};

} // namespace heddle

#endif // HEDDLE_CONVERSION_PTXDIAGNOSTICS_H
