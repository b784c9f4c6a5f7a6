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
// input. With --passes it runs passes over LLVM IR in place of that.
//
//===----------------------------------------------------------------------===//

#include "CompileCommand.h"
#include "IRPasses.h"

#include "heddle/Conversion/PTXDiagnostics.h"
#include "heddle/Conversion/PTXImport.h"
#include "heddle/Conversion/PTXToLLVM.h"
#include "heddle/Dialect/PTX/PTX.h"
#include "heddle/PTX/Parser.h"
#include "heddle/Support/Version.h"
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
importToText(llvm::MemoryBufferRef Source, const DialectRegistry &Registry,
             ptx::DiagnosticEngine &Diags) {
  auto Module = ptx::parseModule(Source, Diags);
  if (!Module)
    return nullptr;
  MLIRContext Context(Registry);
  PTXDiagnosticBridge Bridge(Context, Source.getBufferIdentifier(), Diags);
  OwningOpRef<ModuleOp> Result = importPTX(*Module, Source, Context);
  if (!Result)
    return nullptr;
  ptxir::replacePlaces(*Result);
  std::string Text;
  llvm::raw_string_ostream OS(Text);
  // The generic form, so that an invalid operation can still be read.
  Result->print(OS, OpPrintingFlags().enableDebugInfo().printGenericOpForm());
  // Not the file's own name: errors at places in the PTX shall show the PTX.
  return llvm::MemoryBuffer::getMemBufferCopy(
      Text, (Source.getBufferIdentifier() + " imported").str());
}

namespace {

/// How messages about PTX are given; MLIR's own remain as they are.
struct MessageOptions {
  llvm::cl::opt<DiagnosticFormat> Format{
      "diagnostics-format",
      llvm::cl::desc("How messages about PTX are written"),
      llvm::cl::values(
          clEnumValN(DiagnosticFormat::Text, "text", "As text"),
          clEnumValN(DiagnosticFormat::JSON, "json", "As a JSON document"),
          clEnumValN(DiagnosticFormat::SARIF, "sarif", "As SARIF 2.1.0")),
      llvm::cl::init(DiagnosticFormat::Text)};
  llvm::cl::list<std::string> Warnings{
      "W", llvm::cl::Prefix, llvm::cl::value_desc("name"),
      llvm::cl::desc("Give a warning about PTX, as ptx-compile takes it")};

  /// An error's text, or nothing.
  std::optional<std::string> apply(ptx::DiagnosticEngine &Diags) const;
};

} // namespace

std::optional<std::string>
MessageOptions::apply(ptx::DiagnosticEngine &Diags) const {
  WarningSettings Settings;
  for (const std::string &Text : Warnings)
    if (auto Error = Settings.apply(Text))
      return Error;
  Diags.setWarnings(Settings);
  return std::nullopt;
}

static void writeMessages(const ptx::DiagnosticEngine &Diags,
                          DiagnosticFormat Format) {
  DiagnosticWriter Writer(llvm::errs(), Format, "ptx-opt", HEDDLE_VERSION);
  for (const ptx::Diagnostic &D : Diags.getDiagnostics())
    Writer.write(Diags.render(D));
  for (const ptx::Diagnostic &D : Diags.getSummaries())
    Writer.write(Diags.render(D));
}

namespace {

/// What to do with LLVM IR.
struct IROptions {
  llvm::cl::opt<std::string> Passes{
      "passes", llvm::cl::value_desc("pass,..."),
      llvm::cl::desc("Run these passes over LLVM IR, as `opt -passes=` takes "
                     "them; the input is LLVM IR")};
  llvm::cl::opt<bool> List{
      "print-ir-passes",
      llvm::cl::desc("Print Heddle's passes over LLVM IR that --passes takes "
                     "besides LLVM's, and what they do")};
  llvm::cl::opt<bool> Document{"document-ir-passes",
                               llvm::cl::desc("Print docs/passes.md")};

  /// Prints what is asked for without an input; whether anything was.
  bool printInformation() const;
};

} // namespace

bool IROptions::printInformation() const {
  if (List)
    listIRPasses(llvm::outs());
  else if (Document)
    documentIRPasses(llvm::outs());
  return List || Document;
}

static int fail(const llvm::Twine &Text) {
  llvm::errs() << "ptx-opt: error: " << Text << '\n';
  return 1;
}

int main(int Argc, char **Argv) {
  llvm::InitLLVM Init(Argc, Argv);
  if (Argc > 1 && StringRef(Argv[1]) == "compile")
    return runCompileCommand(llvm::ArrayRef(Argv + 2, Argc - 2));
  llvm::cl::opt<bool> PTXInput("ptx-input", llvm::cl::desc("The input is PTX"));
  IROptions IR;
  MessageOptions Messages;
  DialectRegistry Registry;
  registerPTXToLLVMDialects(Registry);
  registerConvertPTXToLLVMPass();
  registerTransformsPasses();
  auto [InputName, OutputName] = registerAndParseCLIOptions(
      Argc, Argv, "Heddle's pass driver\n", Registry);
  if (IR.printInformation())
    return 0;
  std::string Error;
  auto Input = openInputFile(InputName, &Error);
  auto Output = Input ? openOutputFile(OutputName, &Error) : nullptr;
  if (!Output)
    return fail(Error);
  if (!IR.Passes.empty()) {
    if (llvm::Error E = runIRPasses(*Input, IR.Passes, Output->os()))
      return fail(toString(std::move(E)));
    Output->keep();
    return 0;
  }
  // The diagnostics refer to the text.
  std::unique_ptr<llvm::MemoryBuffer> Source;
  if (PTXInput || StringRef(InputName).ends_with(".ptx")) {
    ptx::DiagnosticEngine Diags;
    if (auto Fault = Messages.apply(Diags))
      return fail(*Fault);
    Source = std::move(Input);
    Input = importToText(Source->getMemBufferRef(), Registry, Diags);
    writeMessages(Diags, Messages.Format);
  }
  if (!Input || failed(MlirOptMain(Output->os(), std::move(Input), Registry,
                                   MlirOptMainConfig::createFromCLOptions())))
    return 1;
  Output->keep();
  return 0;
}
