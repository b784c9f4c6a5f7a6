//===- Frontend.cpp - PTX to LLVM IR ----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parsing, the check of .target, import into the ptx dialect and its lowering.
// Whatever a stage has to say about the input goes through one diagnostic
// engine, so that all messages look alike and come in the order of the text.
//
//===----------------------------------------------------------------------===//

#include "Stages.h"

#include "heddle/Conversion/PTXImport.h"
#include "heddle/Conversion/PTXToLLVM.h"
#include "heddle/PTX/Parser.h"
#include "heddle/Support/AddressSpace.h"

#include "llvm/Transforms/Utils/ModuleUtils.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"

using namespace llvm;

namespace heddle::compiler {

namespace {

/// Carries MLIR's diagnostics over to the engine, from line and column back to
/// the place in the text.
class DiagnosticBridge {
public:
  DiagnosticBridge(mlir::MLIRContext &Context, MemoryBufferRef Input,
                   ptx::DiagnosticEngine &Diags)
      : Input(Input), Diags(Diags),
        Handler(&Context, [this](mlir::Diagnostic &D) { return take(D); }) {}

private:
  mlir::LogicalResult take(mlir::Diagnostic &D) {
    ptx::SourceRange Where{find(D.getLocation())};
    ptx::Diagnostic &Result = D.getSeverity() == mlir::DiagnosticSeverity::Error
                                  ? Diags.error(Where, D.str())
                                  : Diags.warning(Where, D.str());
    for (mlir::Diagnostic &Note : D.getNotes())
      Result.note({find(Note.getLocation())}, Note.str());
    return mlir::success();
  }

  ptx::SourceLoc find(mlir::Location Loc) const {
    ptx::SourceLoc Result;
    Loc->walk([&](mlir::Location L) {
      auto Place = dyn_cast<mlir::FileLineColLoc>(L);
      if (!Place || Place.getFilename() != Input.getBufferIdentifier())
        return mlir::WalkResult::advance();
      Result = offsetOf(Place.getLine(), Place.getColumn());
      return mlir::WalkResult::interrupt();
    });
    return Result;
  }

  ptx::SourceLoc offsetOf(unsigned Line, unsigned Column) const {
    StringRef Text = Input.getBuffer();
    size_t Offset = 0;
    for (unsigned L = 1; L < Line; ++L) {
      size_t End = Text.find('\n', Offset);
      if (End == StringRef::npos)
        return {};
      Offset = End + 1;
    }
    Offset += Column ? Column - 1 : 0;
    if (Offset > Text.size())
      return {};
    return {static_cast<uint32_t>(Offset)};
  }

  MemoryBufferRef Input;
  ptx::DiagnosticEngine &Diags;
  mlir::ScopedDiagnosticHandler Handler;
};

Severity severityOf(ptx::Severity Level) {
  switch (Level) {
  case ptx::Severity::Error:
    return Severity::Error;
  case ptx::Severity::Warning:
    return Severity::Warning;
  case ptx::Severity::Note:
    return Severity::Note;
  }
  llvm_unreachable("unknown severity");
}

/// Hands everything that the engine collected to the caller's handler.
void deliver(const ptx::DiagnosticEngine &Diags, MemoryBufferRef Input,
             Reporter &Report) {
  for (const ptx::Diagnostic &D : Diags.getDiagnostics()) {
    Diagnostic Result;
    Result.Level = severityOf(D.Level);
    Result.File = Input.getBufferIdentifier().str();
    Result.Message = D.Message;
    if (D.Range.Loc.isValid()) {
      ptx::LineColumn Place = Diags.getLineColumn(D.Range.Loc);
      Result.Line = Place.Line;
      Result.Column = Place.Column;
    }
    raw_string_ostream OS(Result.Rendered);
    Diags.print(OS, D, Report.useColor());
    Report.report(std::move(Result));
  }
}

/// PTX for a target runs on what meets it; -arch says what there is.
void checkTarget(const ptx::Module &Module, const Settings &S,
                 ptx::DiagnosticEngine &Diags) {
  if (S.PTXTarget.empty())
    return;
  ptx::Target Given;
  if (!ptx::parseTarget(S.PTXTarget, Given)) {
    Diags.error({}, "-arch=" + S.PTXTarget + ": no such target");
    return;
  }
  if (!Given.meets(Module.GPU))
    Diags.error({}, ".target " + Module.GPU.str() +
                        " asks for more than -arch=" + S.PTXTarget +
                        " has; compile with -arch=" + Module.GPU.str());
}

std::string printed(mlir::ModuleOp Module) {
  std::string Text;
  raw_string_ostream OS(Text);
  Module.print(OS);
  OS << '\n';
  return Text;
}

/// The object's metadata tells what PTX it was made from.
void recordOrigin(const ptx::Module &Parsed, Module &M) {
  auto AddFlag = [&](StringRef Name, const Twine &Value) {
    M.addModuleFlag(Module::Warning, Name,
                    MDString::get(M.getContext(), Value.str()));
  };
  AddFlag("ptx.version", Twine(unsigned(Parsed.PTXVersion.Major)) + "." +
                             Twine(unsigned(Parsed.PTXVersion.Minor)));
  AddFlag("ptx.target", Parsed.GPU.str());
}

/// The host finds a module's variables by their names, also those that PTX does
/// not call visible (nvcc writes __device__ variables so), and copies to and
/// from them. So no pass may drop one or trust its initial value.
void keepVariables(Module &M) {
  SmallVector<GlobalValue *> Variables;
  for (GlobalVariable &G : M.globals()) {
    bool IsHostVisible = G.getAddressSpace() == addrspace::Global ||
                         G.getAddressSpace() == addrspace::Const;
    if (IsHostVisible && !G.isDeclaration())
      Variables.push_back(&G);
  }
  appendToCompilerUsed(M, Variables);
}

/// The stages over the parsed module. False after an error, which is in Diags.
bool lower(const ptx::Module &Parsed, MemoryBufferRef Input, const Settings &S,
           LLVMContext &Context, ptx::DiagnosticEngine &Diags,
           FrontendResult &Result) {
  mlir::DialectRegistry Registry;
  registerPTXToLLVMDialects(Registry);
  mlir::MLIRContext MLIR(Registry, mlir::MLIRContext::Threading::DISABLED);
  DiagnosticBridge Bridge(MLIR, Input, Diags);

  mlir::OwningOpRef<mlir::ModuleOp> Module = importPTX(Parsed, Input, MLIR);
  if (!Module)
    return false;
  if (S.CheckOnly)
    return true;
  if (S.Emit == "ptx-dialect") {
    Result.Text = printed(*Module);
    return true;
  }
  PTXToLLVMOptions Options;
  Options.Contract = S.Contract;
  Options.LineInfo = S.LineInfo || S.DebugInfo;
  if (failed(convertPTXToLLVM(*Module, Options)))
    return false;
  if (S.Emit == "llvm-dialect") {
    Result.Text = printed(*Module);
    return true;
  }
  Result.Module = translateToLLVMIR(*Module, Context);
  if (!Result.Module)
    return false;
  recordOrigin(Parsed, *Result.Module);
  keepVariables(*Result.Module);
  return true;
}

} // namespace

Expected<FrontendResult> runFrontend(MemoryBufferRef Input, const Settings &S,
                                     LLVMContext &Context, Reporter &Report) {
  ptx::DiagnosticEngine Diags;
  FrontendResult Result;
  bool Lowered = false;
  if (std::unique_ptr<ptx::Module> Parsed = ptx::parseModule(Input, Diags)) {
    checkTarget(*Parsed, S, Diags);
    Lowered =
        !Diags.hasErrors() && lower(*Parsed, Input, S, Context, Diags, Result);
  }
  deliver(Diags, Input, Report);
  if (!Lowered && !Report.failed())
    return createStringError(
        inconvertibleErrorCode(),
        "internal error: a stage failed without a message");
  return Result;
}

} // namespace heddle::compiler

std::string heddle::supportedPTXVersions() {
  std::string Text;
  for (ptx::VersionRange V : ptx::getKnownVersions())
    for (unsigned Minor = 0; Minor <= V.LastMinor; ++Minor)
      Text += std::to_string(V.Major) + "." + std::to_string(Minor) + "\n";
  return Text;
}
