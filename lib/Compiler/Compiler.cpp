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
#include "MemoryLimit.h"
#include "Stages.h"
#include "Workbench.h"

#include "heddle/Compiler/PartStore.h"
#include "heddle/DeviceLibrary/DeviceLibrary.h"
#include "heddle/Link/Bundle.h"
#include "heddle/Object/ObjectMerge.h"
#include "heddle/Target/HeddleTarget.h"

#include "llvm/Config/llvm-config.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
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

namespace {

/// What LLVM has to say of a module becomes a message about the input. (By
/// default it ends the process at an error.)
class BackendDiagnostics : public llvm::DiagnosticHandler {
public:
  BackendDiagnostics(StringRef File, Reporter &Report)
      : File(File), Report(Report) {}

  bool handleDiagnostics(const DiagnosticInfo &DI) override {
    if (const auto *Remark = dyn_cast<DiagnosticInfoOptimizationBase>(&DI)) {
      // What -pass-remarks and its like, given by -mllvm, ask for.
      if (Remark->isEnabled())
        Report.remark(Remark->isLocationAvailable()
                          ? Remark->getLocation().getRelativePath()
                          : File,
                      Remark->getMsg() + " [" + Remark->getPassName() + "]",
                      Remark->getLocation().getLine());
      return true;
    }
    if (DI.getSeverity() != DS_Error && DI.getSeverity() != DS_Warning)
      return true; // notes
    Report.countBackendMessage();
    std::string Text;
    raw_string_ostream OS(Text);
    DiagnosticPrinterRawOStream Printer(OS);
    DI.print(Printer);
    if (DI.getSeverity() == DS_Error)
      Report.error(File, StringRef(Text).trim());
    else
      Report.warning(WarningId::Backend, File, StringRef(Text).trim());
    return true;
  }

private:
  StringRef File;
  Reporter &Report;
};

} // namespace

static Error aborted() {
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

/// An error if nobody wants the compilation to go on.
static Error checkStop(CompileControl &Control) {
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

static void append(CompileOutput &Output, StringRef Text) {
  Output.Bytes.append(Text.begin(), Text.end());
}

/// How many functions have code of their own.
static unsigned countFunctions(const Module &M) {
  return count_if(M, [](const Function &F) { return !F.isDeclaration(); });
}

namespace {

/// From LLVM IR on. What takes time to set up is set up once for all units.
class Generator {
public:
  Generator(Module &M, const Settings &S, Workbench &Bench, Reporter &Report,
            CompileControl &Control, PartStore *Parts, CompileOutput &Output)
      : M(M), S(S), Bench(Bench), Report(Report),
        Functions(Control, countFunctions(M)), Parts(Parts), Output(Output) {}

  /// What --emit asks for, into Output; and the reports on the object.
  Error run();

private:
  using Buffer = SmallVector<char, 0>;
  Error generateAll();
  Error linkLibrary(Module &Part);
  Error generate(Module &Part, Buffer &Bytes);
  Error generatePart(Module &Part, Buffer &Bytes);
  Error generateUnits(ArrayRef<Unit> Units);
  Error merge(ArrayRef<Buffer> Objects);
  /// Line numbers are one table for all of the object, and change with
  /// everything; bitcode is of the whole, and so is what LTO looks at.
  bool usesParts() const {
    return S.Emit == "obj" && !S.DebugInfo && !S.LineInfo && !S.EmbedBitcode &&
           !S.LTO;
  }

  Module &M;
  const Settings &S;
  Workbench &Bench;
  Reporter &Report;
  Progress Functions;
  PartStore *Parts;
  CompileOutput &Output;
  /// Made when they are needed.
  std::optional<DeviceLibrary> Library;
  std::optional<CodeGenerator> CodeGen;
};

Error Generator::linkLibrary(Module &Part) {
  if (!DeviceLibrary::isNeededBy(Part))
    return Error::success();
  if (!Library) {
    Expected<DeviceLibrary> Loaded = DeviceLibrary::load(Part.getContext());
    if (!Loaded)
      return Loaded.takeError();
    Library.emplace(std::move(*Loaded));
  }
  return Library->linkInto(Part);
}

Error Generator::generate(Module &Part, Buffer &Bytes) {
  TargetMachine &TM = Bench.targetMachine(S);
  CompileControl &Control = Functions.control();
  StageTimer Stages(Control);
  if (S.EmbedBitcode && S.Emit == "obj")
    embedBitcode(Part, TM, S, Control);
  lowerDivisions(Part);
  if (Error E = linkLibrary(Part))
    return E;
  Stages.end("link device library");
  optimize(Part, TM, S, Control);
  Stages.end("optimize");
  if (Error E = checkStop(Control))
    return E;
  if (S.Emit == "llvm") {
    raw_svector_ostream(Bytes) << Part;
    return Error::success();
  }
  if (!CodeGen)
    CodeGen.emplace(TM, S.Emit == "asm", Functions);
  if (Error E = CodeGen->emit(Part, Bytes))
    return E;
  Stages.end("generate code");
  if (Error E = checkStop(Control))
    return E;
  return Report.failed() ? aborted() : Error::success();
}

/// An object that the part store has, or else makes it and leaves it there.
Error Generator::generatePart(Module &Part, Buffer &Bytes) {
  std::string Text;
  if (Parts) {
    Text = unitText(Part);
    if (std::optional<std::string> Found = Parts->find(Text)) {
      Bytes.assign(Found->begin(), Found->end());
      ++Output.PartsFound;
      Functions.add(countFunctions(Part));
      return Error::success();
    }
  }
  unsigned Messages = Report.backendMessages();
  if (Error E = generate(Part, Bytes))
    return E;
  ++Output.PartsMade;
  // Messages are not kept, so that what has some is made each time.
  if (Parts && Report.backendMessages() == Messages)
    Parts->insert(Text, std::string(Bytes.begin(), Bytes.end()));
  return Error::success();
}

/// Puts the objects of the units together as if they were one module's.
Error Generator::merge(ArrayRef<Buffer> Objects) {
  SmallVector<ArrayRef<uint8_t>> Bytes;
  for (const Buffer &Object : Objects)
    Bytes.push_back(
        {reinterpret_cast<const uint8_t *>(Object.data()), Object.size()});
  SmallVector<StringRef> Names;
  for (const Function &F : M)
    if (!F.isDeclaration())
      Names.push_back(F.getName());
  Expected<std::string> Merged = mergeObjects(Bytes, Names);
  if (!Merged)
    return Merged.takeError();
  append(Output, *Merged);
  return Error::success();
}

/// Compiles each unit on its own, whether it is cached or not, so that the
/// result is the same.
Error Generator::generateUnits(ArrayRef<Unit> Units) {
  std::vector<Buffer> Objects(Units.size() + 1);
  if (Error E = generate(*extractVariables(M), Objects.front()))
    return E;
  UnitExtractor Extractor(M);
  for (auto [U, Object] : zip(Units, drop_begin(Objects)))
    if (Error E = generatePart(*Extractor.extract(U), Object))
      return E;
  return merge(Objects);
}

Error Generator::generateAll() {
  if (!usesParts())
    return generate(M, Output.Bytes);
  if (!S.Units)
    return generatePart(M, Output.Bytes);
  std::vector<Unit> Units = divideModule(M);
  return Units.size() > 1 ? generateUnits(Units)
                          : generatePart(M, Output.Bytes);
}

Error Generator::run() {
  if (Error E = generateAll())
    return E;
  return S.Emit == "obj" ? readReports(CodeGen ? CodeGen->milliseconds()
                                               : StringMap<double>(),
                                       Output)
                         : Error::success();
}

} // namespace

/// Checks and directives on LLVM IR, then code.
static Error compileModule(Module &M, const Settings &S, StringRef File,
                           Workbench &Bench, Reporter &Report,
                           CompileControl &Control, PartStore *Parts,
                           CompileOutput &Output) {
  if (Error E = verify(M))
    return E;
  if (Report.isEnabled(WarningId::DoublePrecision))
    warnOfDouble(M, File, Report);
  if (Error E = applyDirectives(M, S))
    return E;
  if (Error E = applyAssumptions(M, S))
    return E;
  if (Error E = tuning::apply(M, S.Tuning))
    return E;
  if (!S.Relocatable)
    checkExternalSymbols(M, File, Report);
  if (Report.failed())
    return aborted();
  if (Error E = Generator(M, S, Bench, Report, Control, Parts, Output).run())
    return E;
  if (S.Emit == "obj")
    warnOfMemory(File, Output, Report);
  return Error::success();
}

Expected<CompileOutput>
Compiler::compileHere(MemoryBufferRef Input, const CompileOptions &Options,
                      DiagnosticHandler Handler, CompileControl &Control,
                      PartStore *Parts, Workbench &Bench) const {
  auto Start = std::chrono::steady_clock::now();
  Expected<Settings> S =
      decodeSettings(Options, isLinkBundle(Input.getBuffer()));
  if (!S)
    return S.takeError();
  if (Error E = setLLVMOptions(Options.list(OptionId::MLLVM)))
    return std::move(E);
  Reporter Report(Options, Handler);
  CompileOutput Output;
  Output.Chip = S->Chip;
  Output.CheckedOnly = S->CheckOnly;

  LLVMContext Context;
  Context.setDiagnosticHandler(std::make_unique<BackendDiagnostics>(
      Input.getBufferIdentifier(), Report));
  Expected<FrontendResult> Front =
      S->IsLink
          ? linkInputs(Input, *S, Bench.mlir(), Context, Report, Control)
          : runFrontend(Input, *S, Bench.mlir(), Context, Report, Control);
  if (!Front)
    return Front.takeError();
  if (Report.failed())
    return aborted();
  if (Error E = checkStop(Control))
    return std::move(E);
  if (Front->Module && !S->CheckOnly) {
    if (Error E = compileModule(*Front->Module, *S, Input.getBufferIdentifier(),
                                Bench, Report, Control, Parts, Output))
      return std::move(E);
  } else {
    append(Output, Front->Text);
  }
  if (Report.failed())
    return aborted();
  Output.Milliseconds = std::chrono::duration<double, std::milli>(
                            std::chrono::steady_clock::now() - Start)
                            .count();
  return Output;
}

/// The error of a compilation that LLVM ended.
static Error fatalError(const std::string &Reason) {
  if (Reason == MemoryLimitReason)
    return make_error<MemoryLimitReached>();
  return createStringError(inconvertibleErrorCode(),
                           "internal error: LLVM: " + Reason +
                               "\nPlease report it with the input.");
}

Expected<std::vector<std::string>>
Compiler::listEntries(MemoryBufferRef Input, DiagnosticHandler Handler,
                      bool &CallsPointers) const {
  CompileOptions Options;
  Reporter Report(Options, Handler);
  std::vector<std::string> Names;
  std::optional<std::string> Fatal = State->Workers.run([&](Workbench &) {
    Names = compiler::listEntries(Input, Report, CallsPointers);
  });
  if (Fatal)
    return fatalError(*Fatal);
  if (Report.failed())
    return aborted();
  return Names;
}

Expected<CompileOutput> Compiler::compile(MemoryBufferRef Input,
                                          const CompileOptions &Options,
                                          DiagnosticHandler Handler,
                                          CompileControl *Control,
                                          PartStore *Parts) const {
  CompileControl Nobody;
  std::optional<Expected<CompileOutput>> Result;
  uint64_t MemoryLimit = Control ? Control->memoryLimit() : 0;
  std::optional<std::string> Fatal = State->Workers.run([&](Workbench &Bench) {
    MemoryBudget Budget(MemoryLimit);
    Bench.countInput(Input.getBufferSize());
    Result.emplace(compileHere(Input, Options, Handler,
                               Control ? *Control : Nobody, Parts, Bench));
  });
  if (!Fatal)
    return std::move(*Result);
  return fatalError(*Fatal);
}

std::string compilerVersionNumber() { return "0.1.0"; }

std::string compilerVersion() {
  return "Heddle PTX compiler " + compilerVersionNumber() +
         ", on LLVM " LLVM_VERSION_STRING
         "\nTakes the options of ptxas, release 13.0, V13.0.88\n";
}

} // namespace heddle
