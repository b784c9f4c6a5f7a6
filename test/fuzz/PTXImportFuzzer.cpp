//===- PTXImportFuzzer.cpp - Fuzzes PTX to LLVM IR --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes PTX through the ptx dialect to LLVM IR: each stage says why it refuses
// a program, and what comes out verifies.
//
//===----------------------------------------------------------------------===//

#include "PTXFuzz.h"
#include "heddle/Conversion/PTXImport.h"
#include "heddle/Conversion/PTXToLLVM.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/IR/Verifier.h"

using namespace llvm;
using namespace heddle;

/// The rest of the way of a module that parsed. False after an error.
static bool lower(const ptx::Module &Parsed, StringRef Text,
                  mlir::MLIRContext &MLIR) {
  mlir::OwningOpRef<mlir::ModuleOp> Module =
      importPTX(Parsed, {Text, "fuzz.ptx"}, MLIR);
  PTXToLLVMOptions Options;
  Options.LineInfo = true;
  if (!Module || failed(convertPTXToLLVM(*Module, Options)))
    return false;
  LLVMContext Context;
  std::unique_ptr<llvm::Module> Result = translateToLLVMIR(*Module, Context);
  if (Result)
    HEDDLE_CHECK(!verifyModule(*Result, &errs()), "invalid LLVM IR");
  return Result != nullptr;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Text(reinterpret_cast<const char *>(Data), Size);
  ptx::DiagnosticEngine Diags;
  std::unique_ptr<ptx::Module> Parsed = ptx::parseForFuzzing(Text, Diags);
  if (!Parsed)
    return 0;
  mlir::DialectRegistry Registry;
  registerPTXToLLVMDialects(Registry);
  mlir::MLIRContext MLIR(Registry, mlir::MLIRContext::Threading::DISABLED);
  unsigned NumErrors = 0;
  mlir::ScopedDiagnosticHandler Handler(&MLIR, [&](mlir::Diagnostic &D) {
    NumErrors += D.getSeverity() == mlir::DiagnosticSeverity::Error;
    return mlir::success();
  });
  bool Lowered = lower(*Parsed, Text, MLIR);
  HEDDLE_CHECK(Lowered || NumErrors != 0, "a stage failed without a message");
  return 0;
}
