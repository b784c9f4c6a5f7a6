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

#include "Frontend.h"
#include "LowerInput.h"
#include "PrepareModule.h"

#include "heddle/Conversion/PTXDiagnostics.h"
#include "heddle/Conversion/PTXImport.h"
#include "heddle/Conversion/PTXToLLVM.h"
#include "heddle/Dialect/PTX/PTX.h"
#include "heddle/Link/Bundle.h"
#include "heddle/PTX/Parser.h"
#include "heddle/Support/AddressSpace.h"

#include "llvm/Transforms/Utils/ModuleUtils.h"

#include "mlir/IR/MLIRContext.h"

using namespace llvm;

namespace heddle::compiler {

namespace {

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

/// The device's addresses have 64 bits; a file may be checked all the same.
void checkAddressSize(const ptx::Module &Module, const Settings &S,
                      ptx::DiagnosticEngine &Diags) {
  if (Module.AddressSize == 64 || S.CheckOnly || S.Emit == "ptx-dialect")
    return;
  Diags
      .error({}, "addresses of 32 bits are not supported, as in ptxas since "
                 "CUDA 12")
      .note({}, "the file says .address_size 32");
}

/// With the places where the object has lines.
std::string printed(mlir::ModuleOp Module, const Settings &S) {
  std::string Text;
  raw_string_ostream OS(Text);
  mlir::OpPrintingFlags Flags;
  if (S.hasLinesInOutput()) {
    ptxir::replacePlaces(Module);
    Flags.enableDebugInfo();
  }
  Module.print(OS, Flags);
  OS << '\n';
  return Text;
}

/// The object's metadata tells what PTX it was made from.
void recordOrigin(mlir::ModuleOp Dialect, Module &M) {
  for (StringRef Name : {"ptx.version", "ptx.target"})
    if (auto Value = Dialect->getAttrOfType<mlir::StringAttr>(Name))
      M.addModuleFlag(Module::Warning, Name,
                      MDString::get(M.getContext(), Value.getValue()));
}

/// Whether variables of the source stay in memory as long as their scopes.
bool keepsVariablesInMemory(const Settings &S) { return S.OptLevel == 0; }

} // namespace

bool Frontend::importPTX(FunctionFilter Wants) {
  StageTimer Stages(Control);
  if (S.hasLinesInOutput())
    Debug = ptx::DebugInfo::create(Tree, Input.getBuffer());
  Dialect = heddle::importPTX(
      Tree, Input, MLIR, Wants,
      {Debug.get(), /*AreComplete=*/keepsVariablesInMemory(S)});
  if (!Dialect)
    return false;
  Stages.end("import");
  if (S.Emit == "ptx-dialect" && !S.CheckOnly)
    Result.Text = printed(*Dialect, S);
  return !Control.shouldStop();
}

bool Frontend::lower() {
  if (S.CheckOnly || S.Emit == "ptx-dialect")
    return true;
  return lowerDialect(*Dialect, S, Debug.get(), Context, Control, Result);
}

bool lowerDialect(mlir::ModuleOp Dialect, const Settings &S,
                  const ptx::DebugInfo *Debug, LLVMContext &Context,
                  CompileControl &Control, FrontendResult &Result) {
  StageTimer Stages(Control);
  PTXToLLVMOptions Options;
  Options.Contract = S.Contract;
  Options.LineInfo = S.keepsLines();
  Options.Debug = Debug;
  if (failed(convertPTXToLLVM(Dialect, Options)))
    return false;
  Stages.end("lower");
  if (Control.shouldStop())
    return false;
  if (S.Emit != "llvm-dialect")
    return translateDialect(Dialect, S, Debug, Context, Control, Result);
  Result.Text = printed(Dialect, S);
  return true;
}

bool translateDialect(mlir::ModuleOp Dialect, const Settings &S,
                      const ptx::DebugInfo *Debug, LLVMContext &Context,
                      CompileControl &Control, FrontendResult &Result) {
  StageTimer Stages(Control);
  Result.Module = translateToLLVMIR(Dialect, Context);
  if (!Result.Module)
    return false;
  if (Debug)
    describeVariables(*Result.Module, *Debug, keepsVariablesInMemory(S));
  // What the input is called is not in the cache's key, so no output says it.
  Result.Module->setModuleIdentifier("");
  Result.Module->setSourceFileName("");
  if (!S.hasLinesInOutput())
    keepLinesForRemarks(*Result.Module);
  recordOrigin(Dialect, *Result.Module);
  keepVariables(*Result.Module);
  Stages.end("translate");
  return true;
}

void deliver(const ptx::DiagnosticEngine &Diags, Reporter &Report) {
  for (const ptx::Diagnostic &D : Diags.getDiagnostics())
    Report.report(Diags.render(D, Report.useColor()));
  for (const ptx::Diagnostic &D : Diags.getSummaries())
    Report.report(Diags.render(D, Report.useColor()));
}

bool declaresVariables(ArrayRef<const ptx::Statement *> Body) {
  return any_of(Body, [](const ptx::Statement *S) {
    if (const auto *Block = dyn_cast<ptx::BlockStatement>(S))
      return declaresVariables(Block->Body);
    const auto *Declared = dyn_cast<ptx::VariableStatement>(S);
    const auto *Var = Declared ? dyn_cast<ptx::Variable>(Declared->D) : nullptr;
    return Var && (Var->Space == ptx::StateSpace::Global ||
                   Var->Space == ptx::StateSpace::Const);
  });
}

bool wantsBody(const ptx::Function &F, const Settings &S) {
  return S.Entries.empty() || !F.isEntry() ||
         is_contained(S.Entries, F.getName()) || declaresVariables(F.Body);
}

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

ParsedInput parseInput(MemoryBufferRef Input, const Settings &S,
                       const Reporter &Report, CompileControl &Control) {
  StageTimer Stages(Control);
  ParsedInput Parsed(Report);
  Parsed.Module = ptx::parseModule(
      Input, Parsed.Diags, {.AcceptNewerVersion = S.AcceptNewerVersion});
  if (Parsed.Module) {
    checkTarget(*Parsed.Module, S, Parsed.Diags);
    checkAddressSize(*Parsed.Module, S, Parsed.Diags);
    Stages.end("parse");
  }
  return Parsed;
}

Expected<FrontendResult> lowerWhole(ParsedInput &Tree, MemoryBufferRef Input,
                                    const Settings &S, mlir::MLIRContext &MLIR,
                                    LLVMContext &Context, Reporter &Report,
                                    CompileControl &Control,
                                    FrontendSteps Steps) {
  FrontendResult Result;
  bool IsLowered = false;
  if (Tree.Module && !Tree.Diags.hasErrors() && !Control.shouldStop()) {
    Frontend F(*Tree.Module, Input, S, MLIR, Context, Tree.Diags, Control);
    IsLowered = Steps(F, [&](const ptx::Function &Function) {
      if (!wantsBody(Function, S))
        return ImportedPart::Signature;
      return Tree.isReachable(Function) ? ImportedPart::Body
                                        : ImportedPart::Nothing;
    });
    Result = F.takeResult();
  }
  deliver(Tree.Diags, Report);
  if (IsLowered || Report.failed())
    return Result;
  if (Error E = checkStop(Control))
    return std::move(E);
  return createStringError(inconvertibleErrorCode(),
                           "internal error: a stage failed without a message");
}

static bool callsPointers(ArrayRef<const ptx::Statement *> Body) {
  return any_of(Body, [](const ptx::Statement *S) {
    if (const auto *Block = dyn_cast<ptx::BlockStatement>(S))
      return callsPointers(Block->Body);
    const auto *Inst = dyn_cast<ptx::Instruction>(S);
    if (!Inst || Inst->getOpcode() != ptx::Opcode::Call)
      return false;
    const ptx::Operand &Callee = Inst->getOperand(1);
    return !Callee.is(ptx::Operand::Kind::Symbol) ||
           !isa<ptx::Function>(Callee.getSymbol());
  });
}

std::vector<std::string> listEntries(MemoryBufferRef Input, Reporter &Report,
                                     bool &CallsPointers) {
  std::vector<std::string> Names;
  CallsPointers = false;
  // Of what is not PTX it takes more than reading to know.
  if (isBitcode(Input.getBuffer()) || isLinkBundle(Input.getBuffer()))
    return Names;
  ptx::DiagnosticEngine Diags;
  Diags.setWarnings(Report.warnings());
  Diags.setMaxErrors(Report.maxErrors());
  std::unique_ptr<ptx::Module> Parsed = ptx::parseModule(Input, Diags);
  deliver(Diags, Report);
  if (!Parsed)
    return Names;
  for (const ptx::Function *F : Parsed->Functions) {
    if (F->isEntry() && F->isDefinition())
      Names.push_back(F->getName().str());
    CallsPointers |= callsPointers(F->Body);
  }
  return Names;
}

} // namespace heddle::compiler

std::string heddle::supportedPTXVersions() {
  std::string Text;
  for (ptx::VersionRange V : ptx::getKnownVersions())
    for (unsigned Minor = 0; Minor <= V.LastMinor; ++Minor)
      Text += std::to_string(V.Major) + "." + std::to_string(Minor) + "\n";
  return Text;
}
