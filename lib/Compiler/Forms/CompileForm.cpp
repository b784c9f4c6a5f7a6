//===- CompileForm.cpp - Compilations that begin midway ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a form and takes the steps that are left.
//
//===----------------------------------------------------------------------===//

#include "heddle/Compiler/CompileForm.h"
#include "Backend/PlanText.h"
#include "CompileInput.h"
#include "CompilerContext.h"
#include "GenerateOutput.h"
#include "TaskGroup.h"

#include "heddle/Dialect/PTX/PTX.h"
#include "heddle/Target/HeddleTarget.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/CodeGen/MIRParser/MIRParser.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IRReader/IRReader.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetLoweringObjectFile.h"

#include "mlir/Parser/Parser.h"

using namespace llvm;

namespace heddle {

using namespace compiler;

std::optional<CodeForm> parseCodeForm(StringRef Name) {
  return StringSwitch<std::optional<CodeForm>>(Name)
      .Case("ptx", CodeForm::PTX)
      .Case("ptx-dialect", CodeForm::PTXDialect)
      .Case("llvm-dialect", CodeForm::LLVMDialect)
      .Case("llvm", CodeForm::LLVMIR)
      .Case("mir", CodeForm::MachineIR)
      .Default(std::nullopt);
}

/// FILE:LINE:COLUMN as far as that is known.
static std::string placeOf(mlir::Location Loc, StringRef File) {
  mlir::FileLineColLoc Place = ptxir::getPTXLoc(Loc);
  if (Place.getLine() == 0)
    return File.str();
  return formatv("{0}:{1}:{2}", Place.getFilename().getValue(), Place.getLine(),
                 Place.getColumn());
}

static Error compileDialect(MemoryBufferRef Input, CodeForm From,
                            const Compilation &C, LLVMContext &Context) {
  mlir::MLIRContext &MLIR = C.Env.Ctx.mlir();
  mlir::ScopedDiagnosticHandler Messages(&MLIR, [&](mlir::Diagnostic &D) {
    if (D.getSeverity() == mlir::DiagnosticSeverity::Error)
      C.Report.error(placeOf(D.getLocation(), C.File), D.str());
    return mlir::success();
  });
  mlir::OwningOpRef<mlir::ModuleOp> Dialect =
      mlir::parseSourceString<mlir::ModuleOp>(Input.getBuffer(), &MLIR,
                                              Input.getBufferIdentifier());
  if (!Dialect)
    return aborted();
  FrontendResult Lowered;
  const auto Lower =
      From == CodeForm::PTXDialect ? lowerDialect : translateDialect;
  if (!Lower(*Dialect, C.S, /*Debug=*/nullptr, Context, C.Env.Control, Lowered))
    return aborted();
  if (Lowered.Module)
    return compileModule(*Lowered.Module, C);
  C.Output.Bytes.append(Lowered.Text.begin(), Lowered.Text.end());
  return Error::success();
}

static Error generateOnly(Backend &B, Module &Part, Buffer &Code) {
  GeneratedCode Made;
  if (Error E =
          B.generate(Part, B.settings().Plans.value_or(RegisterPlans()), Made))
    return E;
  Code = std::move(Made.Bytes);
  return Error::success();
}

static Error asError(const SMDiagnostic &D) {
  std::string Text;
  raw_string_ostream OS(Text);
  D.print(/*ProgName=*/nullptr, OS, /*ShowColors=*/false);
  return createStringError(StringRef(Text).rtrim());
}

/// What the file is called is not in the code.
static void dropNames(Module &M) {
  M.setModuleIdentifier("");
  M.setSourceFileName("");
}

static Error compileIR(MemoryBufferRef Input, const Compilation &C,
                       LLVMContext &Context) {
  SMDiagnostic Fault;
  std::unique_ptr<Module> M = parseIR(Input, Fault, Context);
  if (!M)
    return asError(Fault);
  dropNames(*M);
  return generateOutput(*M, C, generateOnly);
}

static Error compileMachineIR(MemoryBufferRef Input, const Compilation &C,
                              LLVMContext &Context) {
  std::unique_ptr<MIRParser> Parser = createMIRParser(
      MemoryBuffer::getMemBufferCopy(Input.getBuffer(), C.File), Context);
  std::unique_ptr<Module> M = Parser ? Parser->parseIRModule() : nullptr;
  if (!M)
    return aborted(); // The context's handler was told why.
  dropNames(*M);
  TargetMachine &TM = C.Env.Ctx.targetMachine(C.S);
  setRegisterPlans(TM, C.S.Plans.value_or(RegisterPlans()));
  legacy::PassManager Passes;
  auto *Functions = new MachineModuleInfoWrapperPass(&TM);
  TM.getObjFileLowering()->Initialize(Functions->getMMI().getContext(), TM);
  raw_svector_ostream OS(C.Output.Bytes);
  CodeGenFileType Kind = C.S.Emit == "asm" ? CodeGenFileType::AssemblyFile
                                           : CodeGenFileType::ObjectFile;
  if (TM.addPassesToEmitFile(Passes, OS, nullptr, Kind,
                             /*DisableVerify=*/true, Functions))
    return createStringError("the target cannot write this kind of file");
  if (Parser->parseMachineFunctions(*M, Functions->getMMI()))
    return aborted();
  Passes.run(*M);
  if (C.S.Emit == "obj" && !M->debug_compile_units().empty() &&
      TargetPassConfig::willCompleteCodeGenPipeline())
    return layOutDebug(C.Output);
  return Error::success();
}

static Expected<Settings> settingsOf(const Compilation &C,
                                     const FormOptions &Form) {
  Settings S = C.S;
  // A form is the whole of a module.
  S.Partitions = false;
  if (Form.EmitsPlan)
    S.Emit = PlanForm;
  if (Form.Plan)
    if (Error E = parsePlans(*Form.Plan).moveInto(S.Plans))
      return std::move(E);
  return S;
}

static Error compile(MemoryBufferRef Input, const FormOptions &Form,
                     const Compilation &Given, LLVMContext &Context) {
  Expected<Settings> S = settingsOf(Given, Form);
  if (!S)
    return S.takeError();
  const Compilation C{Given.File, *S, Given.Env, Given.Report, Given.Output};
  switch (Form.From) {
  case CodeForm::PTX:
    return compileInput(Input, C, Context);
  case CodeForm::PTXDialect:
  case CodeForm::LLVMDialect:
    return compileDialect(Input, Form.From, C, Context);
  case CodeForm::LLVMIR:
    return compileIR(Input, C, Context);
  case CodeForm::MachineIR:
    return compileMachineIR(Input, C, Context);
  }
  llvm_unreachable("all forms are listed");
}

Expected<CompileOutput> compileForm(MemoryBufferRef Input,
                                    const FormOptions &Form,
                                    const CompileOptions &Options,
                                    DiagnosticHandler Handler) {
  initializeHeddleTarget();
  WorkerPool Workers;
  CompileControl Control;
  return runCompilation(
      Workers, Input, Options, Handler, Control, /*Store=*/nullptr,
      [&](MemoryBufferRef Text, const Compilation &C, LLVMContext &Context) {
        return compile(Text, Form, C, Context);
      });
}

} // namespace heddle
