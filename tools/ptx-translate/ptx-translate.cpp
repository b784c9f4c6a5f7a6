//===- ptx-translate.cpp - mlir-translate for PTX ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates PTX to the ptx dialect (--ptx-to-mlir; with locations by
// --mlir-print-debuginfo), the dialect to PTX (--mlir-to-ptx), and PTX to PTX
// by way of the dialect (--ptx-to-ptx).
//
//===----------------------------------------------------------------------===//

#include "heddle/Conversion/PTXExport.h"
#include "heddle/Conversion/PTXImport.h"
#include "heddle/Dialect/PTX/PTX.h"
#include "heddle/PTX/Parser.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Tools/mlir-translate/MlirTranslateMain.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace heddle;

static OwningOpRef<ModuleOp> readPTX(llvm::SourceMgr &Sources,
                                     MLIRContext *Context) {
  llvm::MemoryBufferRef Source =
      Sources.getMemoryBuffer(Sources.getMainFileID())->getMemBufferRef();
  ptx::DiagnosticEngine Diags;
  auto Module = ptx::parseModule(Source, Diags);
  Diags.print(llvm::errs());
  if (!Module)
    return {};
  OwningOpRef<ModuleOp> Result = importPTX(*Module, Source, *Context);
  if (Result)
    ptxir::replacePlaces(*Result);
  return Result;
}

static void registerDialects(DialectRegistry &Registry) {
  Registry.insert<ptxir::PTXDialect>();
}

int main(int Argc, char **Argv) {
  TranslateToMLIRRegistration FromPTX(
      "ptx-to-mlir", "PTX to the ptx dialect",
      [](llvm::SourceMgr &Sources, MLIRContext *Context) {
        return OwningOpRef<Operation *>(readPTX(Sources, Context).release());
      },
      registerDialects);
  TranslateFromMLIRRegistration ToPTX(
      "mlir-to-ptx", "The ptx dialect to PTX",
      [](ModuleOp Module, llvm::raw_ostream &OS) {
        return exportPTX(Module, OS);
      },
      registerDialects);
  TranslateRegistration RoundTrip(
      "ptx-to-ptx", "PTX to PTX by way of the ptx dialect",
      [](const std::shared_ptr<llvm::SourceMgr> &Sources, llvm::raw_ostream &OS,
         MLIRContext *Context) -> LogicalResult {
        OwningOpRef<ModuleOp> Module = readPTX(*Sources, Context);
        if (!Module || failed(verify(*Module)))
          return failure();
        return exportPTX(*Module, OS);
      });
  return failed(mlirTranslateMain(Argc, Argv, "Translates from and to PTX"));
}
