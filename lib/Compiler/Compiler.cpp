//===- Compiler.cpp - PTX in, code object out -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The compiler's interface: threads, budgets and contexts around a compilation,
// whose steps are in CompileInput.cpp.
//
//===----------------------------------------------------------------------===//

#include "heddle/Compiler/Compiler.h"
#include "CompileInput.h"
#include "CompilerContext.h"
#include "Link/LinkProgram.h"
#include "MemoryLimit.h"
#include "TaskGroup.h"

#include "passes/tuning/Passes.h"

#include "heddle/IR/Kernels.h"
#include "heddle/Link/Bundle.h"
#include "heddle/Support/CUDAVersion.h"
#include "heddle/Support/Version.h"
#include "heddle/Target/HeddleTarget.h"

#include "llvm/Config/llvm-config.h"
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

/// What the thread of a compilation does.
static Expected<CompileOutput> compileOnThread(MemoryBufferRef Input,
                                               DiagnosticHandler Handler,
                                               const CompileEnvironment &Env,
                                               CompileSteps Steps) {
  auto Start = std::chrono::steady_clock::now();
  // Asked before there is any work, so that measured times are complete.
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
  Compilation C{File, *S, Env, Report, Output};
  if (Error E = Steps(Input, C, Context))
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

Expected<CompileOutput>
compiler::runCompilation(WorkerPool &Workers, MemoryBufferRef Input,
                         const CompileOptions &Options,
                         DiagnosticHandler Handler, CompileControl &Caller,
                         PartitionStore *Store, CompileSteps Steps) {
  std::optional<Expected<CompileOutput>> Result;
  MemoryBudget Budget(Caller.memoryLimit(), Caller.endsProcess());
  SharedControl Shared(Caller, Budget);
  TaskGroup Helpers(Workers, Shared, Budget);
  std::optional<std::string> Fatal = Workers.run([&](CompilerContext &Ctx) {
    MemoryBudget::Scope Counted(Budget);
    Ctx.countInput(Input.getBufferSize());
    Result.emplace(compileOnThread(
        Input, Handler, {Options, Shared, Helpers, Store, Ctx}, Steps));
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

Expected<CompileOutput> Compiler::compile(MemoryBufferRef Input,
                                          const CompileOptions &Options,
                                          DiagnosticHandler Handler,
                                          CompileControl *Control,
                                          PartitionStore *Store) const {
  CompileControl DefaultControl;
  auto Steps = [](MemoryBufferRef Text, const Compilation &C,
                  LLVMContext &Context) {
    return C.S.IsLink ? linkProgram(Text, C, Context)
                      : compileInput(Text, C, Context);
  };
  return runCompilation(State->Workers, Input, Options, Handler,
                        Control ? *Control : DefaultControl, Store, Steps);
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
         "\nTakes the options of ptxas, release " +
         CUDARelease + ", V" + CUDABuild + "\n";
}

} // namespace heddle
