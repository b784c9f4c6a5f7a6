//===- ptx-opt.cpp - mlir-opt for Heddle's dialects -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs Heddle's and MLIR's passes over MLIR text, or over PTX, which it
// imports first: a file whose name ends in .ptx, or any input with --ptx-
// input.
//
//===----------------------------------------------------------------------===//

#include "heddle/Conversion/PTXImport.h"
#include "heddle/Conversion/PTXToLLVM.h"
#include "heddle/PTX/Parser.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace mlir;
using namespace heddle;

/// Parses and imports PTX and prints it as MLIR with locations, which is what
/// the driver takes. Null after an error.
static std::unique_ptr<llvm::MemoryBuffer>
importToText(llvm::MemoryBufferRef Source, const DialectRegistry &Registry) {
  ptx::DiagnosticEngine Diags;
  auto Module = ptx::parseModule(Source, Diags);
  Diags.print(llvm::errs());
  if (!Module)
    return nullptr;
  MLIRContext Context(Registry);
  llvm::SourceMgr SourceMgr;
  SourceMgr.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(Source, false),
                               llvm::SMLoc());
  SourceMgrDiagnosticHandler Handler(SourceMgr, &Context);
  OwningOpRef<ModuleOp> Result = importPTX(*Module, Source, Context);
  if (!Result)
    return nullptr;
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  // The generic form, so that an invalid operation can still be read.
  Result->print(OS, OpPrintingFlags().enableDebugInfo().printGenericOpForm());
  // Not the file's own name: errors at places in the PTX shall show the PTX.
  return llvm::MemoryBuffer::getMemBufferCopy(
      Text, (Source.getBufferIdentifier() + " imported").str());
}

int main(int Argc, char **Argv) {
  llvm::InitLLVM Init(Argc, Argv);
  llvm::cl::opt<bool> PTXInput("ptx-input", llvm::cl::desc("The input is PTX"));
  DialectRegistry Registry;
  registerPTXToLLVMDialects(Registry);
  registerConvertPTXToLLVMPass();
  registerTransformsPasses();
  auto [InputName, OutputName] = registerAndParseCLIOptions(
      Argc, Argv, "Heddle's pass driver\n", Registry);
  std::string Error;
  auto Input = openInputFile(InputName, &Error);
  auto Output = Input ? openOutputFile(OutputName, &Error) : nullptr;
  if (!Output) {
    llvm::errs() << "ptx-opt: error: " << Error << '\n';
    return 1;
  }
  if (PTXInput || StringRef(InputName).ends_with(".ptx"))
    Input = importToText(Input->getMemBufferRef(), Registry);
  if (!Input || failed(MlirOptMain(Output->os(), std::move(Input), Registry,
                                   MlirOptMainConfig::createFromCLOptions())))
    return 1;
  Output->keep();
  return 0;
}
