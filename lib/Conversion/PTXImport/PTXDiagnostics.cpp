//===- PTXDiagnostics.cpp - MLIR's messages about PTX -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From the locations that the importer made back to the text.
//
//===----------------------------------------------------------------------===//

#include "heddle/Conversion/PTXDiagnostics.h"
#include "heddle/Dialect/PTX/PTX.h"

using namespace mlir;
using namespace heddle;

PTXDiagnosticBridge::PTXDiagnosticBridge(MLIRContext &Context, StringRef Name,
                                         ptx::DiagnosticEngine &Diags)
    : Name(Name), Diags(Diags),
      Handler(&Context, [this](mlir::Diagnostic &D) { return take(D); }) {}

LogicalResult PTXDiagnosticBridge::take(mlir::Diagnostic &D) {
  ptx::SourceRange Where = find(D.getLocation());
  ptx::Diagnostic &Result =
      D.getSeverity() == DiagnosticSeverity::Error
          ? Diags.error(Where, D.str())
          : Diags.warning(WarningId::Backend, Where, D.str());
  for (mlir::Diagnostic &Note : D.getNotes())
    Result.note(find(Note.getLocation()), Note.str());
  return success();
}

ptx::SourceRange PTXDiagnosticBridge::find(Location Loc) const {
  ptx::SourceLoc Result;
  Loc->walk([&](Location L) {
    auto Place = isa<ptxir::PlaceAttr>(L) ? ptxir::getPTXLoc(L)
                                          : dyn_cast<FileLineColLoc>(L);
    if (!Place || Place.getFilename() != Name)
      return WalkResult::advance();
    Result = Diags.getLoc(Place.getLine(), Place.getColumn());
    return WalkResult::interrupt();
  });
  return Diags.getWordRange(Result);
}
