//===- Compiler.cpp - PTX in, code object out -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the stages, which is the way of a kernel through the compiler.
//
//===----------------------------------------------------------------------===//

#include "heddle/Compiler/Compiler.h"
#include "CompilerContext.h"
#include "MemoryLimit.h"
#include "Pieces.h"
#include "Stages.h"
#include "TaskGroup.h"
#include "heddle/IR/Kernels.h"
#include "passes/tuning/Passes.h"

#include "heddle/Link/Bundle.h"
#include "heddle/Link/ModuleLink.h"
#include "heddle/Support/Version.h"
#include "heddle/Target/HeddleTarget.h"
#include "heddle/Target/Relocatable.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>

using namespace llvm;

namespace heddle {

using namespace compiler;

struct Compiler::Shared {
  WorkerPool Workers;
};

Compiler::Compiler() : State(std::make_unique<Shared>()) {
  initializeHeddleTarget();
}

Compiler::~Compiler() = default;

Error compiler::aborted() {
  return createStringError(inconvertibleErrorCode(),
                           "PTX compilation aborted due to errors");
}

char CompileStopped::ID = 0;

void CompileStopped::log(raw_ostream &OS) const {
  OS << "the compilation was stopped";
}

std::error_code CompileStopped::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

char MemoryLimitReached::ID = 0;

void MemoryLimitReached::log(raw_ostream &OS) const {
  OS << "the compilation needs more memory than it is allowed to";
}

std::error_code MemoryLimitReached::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

Error compiler::fatalError(const std::string &Reason) {
  if (Reason == MemoryLimitReason)
    return make_error<MemoryLimitReached>();
  return createStringError(inconvertibleErrorCode(),
                           "internal error: LLVM: " + Reason +
                               "\nPlease report it with the input.");
}

Error compiler::checkStop(CompileControl &Control) {
  if (Control.shouldStop())
    return make_error<CompileStopped>();
  return Error::success();
}

/// IR of our own making that does not verify is a defect of ours; say so.
static Error verify(const Module &M) {
  std::string Fault;
  raw_string_ostream OS(Fault);
  if (!verifyModule(M, &OS))
    return Error::success();
  return createStringError(inconvertibleErrorCode(),
                           "internal error: invalid LLVM IR: " + Fault);
}

Error compiler::prepareModule(Module &M, const Settings &S) {
  if (S.DropDebugInfo) {
    if (S.Remarks)
      keepLinesForRemarks(M);
    else
      StripDebugInfo(M);
  }
  if (Error E = applyDirectives(M, S))
    return E;
  if (Error E = applyAssumptions(M, S))
    return E;
  return passes::applyDocument(M, S.Tuning);
}

Error compiler::checkModule(Module &M, const Settings &S, StringRef File,
                            Reporter &Report, CompileControl &Control) {
  if (Error E = verify(M))
    return E;
  if (Report.isEnabled(WarningId::DoublePrecision))
    warnOfDouble(M, File, Report);
  if (Error E = prepareModule(M, S))
    return E;
  if (S.Relocatable) {
    describeLinkedSymbols(M);
    setRelocatable(M);
  } else {
    checkExternalSymbols(M, File, Report);
    internalizeProgram(M, Control);
  }
  return Report.failed() ? aborted() : Error::success();
}

Error compiler::compileModule(Module &M, const Settings &S, StringRef File,
                              const CompileEnvironment &Env, Reporter &Report,
                              CompileOutput &Output) {
  if (Error E = checkModule(M, S, File, Report, Env.Control))
    return E;
  if (Error E = generateOutput(M, File, S, Env, Report, Output))
    return E;
  if (S.Emit == "obj")
    warnOfMemory(File, Output, Report);
  return Error::success();
}

/// The way from LLVM IR on.
static Error compileResult(Expected<FrontendResult> Front,
                           MemoryBufferRef Input, const Settings &S,
                           const CompileEnvironment &Env, Reporter &Report,
                           CompileOutput &Output) {
  if (!Front)
    return Front.takeError();
  if (Report.failed())
    return aborted();
  if (Error E = checkStop(Env.Control))
    return E;
  if (Front->Module)
    profile(*Front->Module, Input.getBufferIdentifier(), S, Report);
  if (Front->Module && !S.CheckOnly)
    return compileModule(*Front->Module, S, Input.getBufferIdentifier(), Env,
                         Report, Output);
  Output.Bytes.append(Front->Text.begin(), Front->Text.end());
  return Error::success();
}

static Error compilePTX(MemoryBufferRef Input, const Settings &S,
                        const CompileEnvironment &Env, LLVMContext &Context,
                        Reporter &Report, CompileOutput &Output) {
  ParsedInput Parsed = parseInput(Input, S, Report, Env.Control);
  if (Parsed.Module && S.isWholeProgram())
    Parsed.Reachable = reachableFunctions(*Parsed.Module, S);
  if (Parsed.Module && Parsed.Diags.getDiagnostics().empty()) {
    Expected<bool> Done = compilePieces(Parsed, Input, S, Env, Report, Output);
    if (!Done || *Done)
      return Done.takeError();
  }
  return compileResult(lowerInput(Parsed, Input, S, Env.Ctx.mlir(), Context,
                                  Report, Env.Control),
                       Input, S, Env, Report, Output);
}

/// The way of one input.
static Error compileInput(MemoryBufferRef Input, const Settings &S,
                          const CompileEnvironment &Env, LLVMContext &Context,
                          Reporter &Report, CompileOutput &Output) {
  if (!isBitcode(Input.getBuffer()))
    return compilePTX(Input, S, Env, Context, Report, Output);
  return compileResult(
      runNVVMFrontend(Input, S, Env.Ctx.mlir(), Context, Report, Env.Control),
      Input, S, Env, Report, Output);
}

static Expected<CompileOutput> compileHere(MemoryBufferRef Input,
                                           DiagnosticHandler Handler,
                                           const CompileEnvironment &Env) {
  auto Start = std::chrono::steady_clock::now();
  // Asked before there is any work, so that one who asks for the time sees all.
  if (Error E = checkStop(Env.Control))
    return std::move(E);
  Expected<Settings> S =
      decodeSettings(Env.Options, isLinkBundle(Input.getBuffer()));
  if (!S)
    return S.takeError();
  if (Error E = setLLVMOptions(Env.Options.list(OptionId::MLLVM)))
    return std::move(E);
  Reporter Report(Env.Options, Handler);
  CompileOutput Output;
  Output.Chip = S->Chip;
  Output.CheckedOnly = S->CheckOnly;

  LLVMContext Context;
  StringRef File = Input.getBufferIdentifier();
  Context.setDiagnosticHandler(createBackendDiagnostics(File, Report));
  auto Make = S->IsLink ? linkProgram : compileInput;
  if (Error E = Make(Input, *S, Env, Context, Report, Output))
    return std::move(E);
  if (Report.failed())
    return aborted();
  Output.Milliseconds = std::chrono::duration<double, std::milli>(
                            std::chrono::steady_clock::now() - Start)
                            .count();
  return Output;
}

Expected<std::vector<std::string>>
Compiler::listEntries(MemoryBufferRef Input, DiagnosticHandler Handler,
                      bool &CallsPointers) const {
  CompileOptions Options;
  Reporter Report(Options, Handler);
  std::vector<std::string> Names;
  std::optional<std::string> Fatal = State->Workers.run([&](CompilerContext &) {
    Names = compiler::listEntries(Input, Report, CallsPointers);
  });
  if (Fatal)
    return fatalError(*Fatal);
  if (Report.failed())
    return aborted();
  return Names;
}

Expected<std::map<std::string, std::vector<tuning::LoopShape>>>
Compiler::kernelLoops(MemoryBufferRef Input, const CompileOptions &Options,
                      DiagnosticHandler Handler) const {
  std::map<std::string, std::vector<tuning::LoopShape>> Loops;
  Reporter Report(Options, Handler);
  std::optional<Expected<FrontendResult>> Front;
  std::optional<std::string> Fatal =
      State->Workers.run([&](CompilerContext &Ctx) {
        CompileControl DefaultControl;
        LLVMContext Context;
        Expected<Settings> S = decodeSettings(Options, /*IsLink=*/false);
        if (!S) {
          Front.emplace(S.takeError());
          return;
        }
        Front.emplace(runFrontend(Input, *S, Ctx.mlir(), Context, Report,
                                  DefaultControl));
        if (!*Front || !(*Front)->Module)
          return;
        for (Function &F : *(*Front)->Module)
          if (ir::isKernel(F) && !F.isDeclaration())
            Loops[F.getName().str()] = passes::loopsOf(F);
        (*Front)->Module.reset(); // before its context
      });
  if (Fatal)
    return fatalError(*Fatal);
  if (!*Front)
    return Front->takeError();
  if (Report.failed())
    return aborted();
  return Loops;
}

Expected<CompileOutput> Compiler::compile(MemoryBufferRef Input,
                                          const CompileOptions &Options,
                                          DiagnosticHandler Handler,
                                          CompileControl *Control,
                                          PartStore *Parts) const {
  CompileControl DefaultControl;
  CompileControl &Caller = Control ? *Control : DefaultControl;
  std::optional<Expected<CompileOutput>> Result;
  MemoryBudget Budget(Caller.memoryLimit(), Caller.endsProcess());
  SharedControl Shared(Caller, Budget);
  TaskGroup Helpers(State->Workers, Shared, Budget);
  std::optional<std::string> Fatal =
      State->Workers.run([&](CompilerContext &Ctx) {
        MemoryBudget::Scope Counted(Budget);
        Ctx.countInput(Input.getBufferSize());
        Result.emplace(compileHere(Input, Handler,
                                   {Options, Shared, Helpers, Parts, Ctx}));
      });
  if (Fatal) {
    Shared.stop();
    Helpers.end();
    return fatalError(*Fatal);
  }
  if (!*Result && Result->errorIsA<CompileStopped>() && Budget.isExceeded()) {
    consumeError(Result->takeError());
    return make_error<MemoryLimitReached>();
  }
  return std::move(*Result);
}

Expected<std::string> describePipelines(const CompileOptions &Options) {
  // With -dlto the passes over the linked program come first.
  Expected<compiler::Settings> S =
      compiler::decodeSettings(Options, /*IsLink=*/Options.flag(OptionId::LTO));
  if (!S)
    return S.takeError();
  std::string Text;
  raw_string_ostream OS(Text);
  passes::printPipelines(OS, S->pipelineOptions());
  return Text;
}

std::string compilerVersionNumber() { return HEDDLE_VERSION; }

std::string compilerVersion() {
  return "Heddle PTX compiler " + compilerVersionNumber() +
         ", on LLVM " LLVM_VERSION_STRING
         "\nTakes the options of ptxas, release 13.0, V13.0.88\n";
}

} // namespace heddle
