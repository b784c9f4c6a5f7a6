//===- Generate.cpp - LLVM IR to what was asked for -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module is compiled as a whole, or its units apart, then by as many threads
// as the caller gives. A unit that is given to another thread goes there as
// bitcode, since contexts of LLVM's belong to one thread; order of uses and all
// that could make a difference to the code goes with it.
//
//===----------------------------------------------------------------------===//

#include "Stages.h"
#include "Team.h"
#include "Workbench.h"

#include "heddle/Compiler/PartStore.h"
#include "heddle/DeviceLibrary/DeviceLibrary.h"
#include "heddle/Object/DebugLayout.h"
#include "heddle/Object/ObjectMerge.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LLVMRemarkStreamer.h"

#include <thread>

using namespace llvm;

namespace heddle::compiler {

/// Instructions of units from which on more threads than one are worth it: what
/// a thread has to set up costs as much as some thousand.
static constexpr size_t MinSharedInstructions = 2000;
/// More are of no use, and a process has only so many.
static constexpr unsigned MaxThreadsPerCore = 4;

using Buffer = SmallVector<char, 0>;

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

std::unique_ptr<llvm::DiagnosticHandler>
createBackendDiagnostics(StringRef File, Reporter &Report) {
  return std::make_unique<BackendDiagnostics>(File, Report);
}

/// How many functions have code of their own.
static unsigned countFunctions(const Module &M) {
  return count_if(M, [](const Function &F) { return !F.isDeclaration(); });
}

//===----------------------------------------------------------------------===//
// One module
//===----------------------------------------------------------------------===//

namespace {

/// Generates modules of one context, one after another. What takes time to set
/// up is set up once.
class ModuleGenerator {
public:
  ModuleGenerator(const Settings &S, Workbench &Bench, Reporter &Report,
                  Progress &Functions)
      : S(S), Bench(Bench), Report(Report), Functions(Functions) {}

  Error generate(Module &Part, Buffer &Bytes);
  /// What each function cost to generate so far.
  StringMap<double> milliseconds() const {
    return CodeGen ? CodeGen->milliseconds() : StringMap<double>();
  }

private:
  Error linkLibrary(Module &Part);

  const Settings &S;
  Workbench &Bench;
  Reporter &Report;
  Progress &Functions;
  /// Made when they are needed.
  std::optional<DeviceLibrary> Library;
  std::optional<CodeGenerator> CodeGen;
};

} // namespace

Error ModuleGenerator::linkLibrary(Module &Part) {
  if (!DeviceLibrary::isNeededBy(Part))
    return Error::success();
  if (!Library)
    Library.emplace(Part.getContext());
  return Library->linkInto(Part);
}

Error ModuleGenerator::generate(Module &Part, Buffer &Bytes) {
  TargetMachine &TM = Bench.targetMachine(S);
  CompileControl &Control = Functions.control();
  StageTimer Stages(Control);
  if (S.EmbedBitcode && S.Emit == "obj")
    embedBitcode(Part, TM, S, Control);
  pgo::summarizeProfile(Part);
  // Divisions are whole until what they divide by is known.
  if (S.LTO)
    optimizeProgram(Part, TM, S, Control);
  optimizeLoops(Part, TM, S, Control);
  lowerDivisions(Part);
  if (Error E = linkLibrary(Part))
    return E;
  Stages.end("link device library");
  optimize(Part, TM, S, Control);
  // The trip counts of unrolled loops are quotients that were not there before.
  if (lowerDivisions(Part)) {
    if (Error E = linkLibrary(Part))
      return E;
    inlineLibrary(Part, TM, Control);
  }
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

//===----------------------------------------------------------------------===//
// Units that several threads share
//===----------------------------------------------------------------------===//

namespace {

/// A unit on its way through another thread.
struct SharedUnit {
  size_t Number;       ///< among the module's
  std::string Bitcode; ///< what it is, then empty
  std::string Text;    ///< for the part store
  Buffer Object;
  std::vector<Diagnostic> Messages;
  unsigned BackendMessages = 0;
  std::string Failure; ///< empty: none
  bool IsDone = false;
};

/// What the threads need of the compilation, and what they make. On the heap,
/// since a compilation that meets a fatal error leaves its frames while others
/// still work.
struct SharedUnits {
  Settings S;
  CompileOptions Options;
  std::string File;
  SharedControl &Control;
  std::shared_ptr<Progress> Functions;
  std::vector<SharedUnit> Units;

  std::mutex Mutex; ///< Of Milliseconds.
  StringMap<double> Milliseconds;

  void work(Workbench &Bench, Team::NextPiece Next);
  Error generate(ModuleGenerator &Generator, LLVMContext &Context,
                 SharedUnit &U);
};

} // namespace

Error SharedUnits::generate(ModuleGenerator &Generator, LLVMContext &Context,
                            SharedUnit &U) {
  Expected<std::unique_ptr<Module>> Part =
      parseBitcodeFile({U.Bitcode, ""}, Context);
  if (!Part)
    return Part.takeError();
  (*Part)->setModuleIdentifier("");
  std::string().swap(U.Bitcode);
  return Generator.generate(**Part, U.Object);
}

/// What each thread does.
void SharedUnits::work(Workbench &Bench, Team::NextPiece Next) {
  SharedUnit *Current = nullptr;
  auto Keep = [&](const Diagnostic &D) { Current->Messages.push_back(D); };
  Reporter Report(Options, Keep);
  LLVMContext Context;
  Context.setDiagnosticHandler(createBackendDiagnostics(File, Report));
  ModuleGenerator Generator(S, Bench, Report, *Functions);
  while (std::optional<size_t> Piece = Next()) {
    Current = &Units[*Piece];
    unsigned Before = Report.backendMessages();
    Error E = generate(Generator, Context, *Current);
    Current->BackendMessages = Report.backendMessages() - Before;
    if (!E) {
      Current->IsDone = true;
      continue;
    }
    if (!E.isA<CompileStopped>())
      Current->Failure = toString(std::move(E));
    consumeError(std::move(E));
    Control.stop();
    break;
  }
  std::lock_guard Lock(Mutex);
  for (const auto &Each : Generator.milliseconds())
    Milliseconds[Each.getKey()] = Each.getValue();
}

//===----------------------------------------------------------------------===//
// The whole
//===----------------------------------------------------------------------===//

namespace {

class Generator {
public:
  Generator(Module &M, StringRef File, const Settings &S,
            const CompileOptions &Options, Workbench &Bench, Reporter &Report,
            SharedControl &Control, Team &Helpers, PartStore *Parts,
            CompileOutput &Output)
      : M(M), File(File), S(S), Options(Options), Bench(Bench), Report(Report),
        Control(Control), Helpers(Helpers),
        Functions(std::make_shared<Progress>(Control, countFunctions(M))),
        Parts(Parts), Output(Output), Serial(S, Bench, Report, *Functions) {}

  Error run();

private:
  Error generateAll();
  Error recordRemarks();
  Error generatePart(Module &Part, Buffer &Bytes);
  bool findPart(Module &Part, StringRef Text, Buffer &Bytes);
  void keepPart(StringRef Text, const Buffer &Bytes, unsigned Messages);
  unsigned threadsFor(ArrayRef<Unit> Units) const;
  Error generateUnits(ArrayRef<Unit> Units);
  Error generateShared(ArrayRef<Unit> Units, MutableArrayRef<Buffer> Objects,
                       unsigned Threads);
  Error takeOver(SharedUnits &Shared, MutableArrayRef<Buffer> Objects);
  Error merge(ArrayRef<Buffer> Objects);
  Error layOutDebug();
  bool hasDebugInfo() const { return S.DebugInfo || S.LineInfo; }
  /// Line numbers are one table for all of the object, and change with
  /// everything; bitcode is of the whole, and so is what LTO looks at and what
  /// counts.
  bool usesParts() const {
    return S.Emit == "obj" && !hasDebugInfo() && !S.EmbedBitcode &&
           (!S.LTO || S.ByKernels) && !S.Counting;
  }

  Module &M;
  StringRef File;
  const Settings &S;
  const CompileOptions &Options;
  Workbench &Bench;
  Reporter &Report;
  SharedControl &Control;
  Team &Helpers;
  std::shared_ptr<Progress> Functions;
  PartStore *Parts;
  CompileOutput &Output;
  ModuleGenerator Serial; ///< for this thread
  StringMap<double> SharedMilliseconds;
};

} // namespace

/// Takes an object that the part store has.
bool Generator::findPart(Module &Part, StringRef Text, Buffer &Bytes) {
  std::optional<std::string> Found = Parts->find(Text);
  if (!Found)
    return false;
  Bytes.assign(Found->begin(), Found->end());
  ++Output.PartsFound;
  Functions->add(countFunctions(Part));
  return true;
}

/// Messages are not kept, so that what has some is made each time.
void Generator::keepPart(StringRef Text, const Buffer &Bytes,
                         unsigned Messages) {
  ++Output.PartsMade;
  if (Parts && Messages == 0)
    Parts->insert(Text, std::string(Bytes.begin(), Bytes.end()));
}

/// An object that the part store has, or else makes it and leaves it there.
Error Generator::generatePart(Module &Part, Buffer &Bytes) {
  std::string Text;
  if (Parts) {
    Text = unitText(Part);
    if (findPart(Part, Text, Bytes))
      return Error::success();
  }
  unsigned Before = Report.backendMessages();
  if (Error E = Serial.generate(Part, Bytes))
    return E;
  keepPart(Text, Bytes, Report.backendMessages() - Before);
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
  Output.Bytes.append(Merged->begin(), Merged->end());
  return Error::success();
}

/// Makes the object readable by programs that know DWARF and not our
/// relocations.
Error Generator::layOutDebug() {
  Expected<ObjectFile> Object = ObjectFile::create(
      {reinterpret_cast<const uint8_t *>(Output.Bytes.data()),
       Output.Bytes.size()});
  if (!Object)
    return Object.takeError();
  Expected<std::string> Bytes = layOutDebugInfo(*Object);
  if (!Bytes)
    return Bytes.takeError();
  Output.Bytes.assign(Bytes->begin(), Bytes->end());
  return Error::success();
}

/// How many threads are worth their while.
unsigned Generator::threadsFor(ArrayRef<Unit> Units) const {
  size_t Instructions = 0;
  for (const Function &F : M)
    Instructions += F.getInstructionCount();
  if (Instructions < MinSharedInstructions)
    return 1;
  unsigned Cores = std::max(1u, std::thread::hardware_concurrency());
  unsigned Wanted =
      S.Threads ? std::min(S.Threads, MaxThreadsPerCore * Cores) : Cores;
  return std::min<size_t>(Wanted, Units.size());
}

/// Hands the messages of the threads on, in the order of the units.
Error Generator::takeOver(SharedUnits &Shared,
                          MutableArrayRef<Buffer> Objects) {
  bool AllDone = true;
  for (SharedUnit &U : Shared.Units) {
    for (Diagnostic &D : U.Messages)
      Report.report(std::move(D));
    if (!U.Failure.empty())
      return createStringError(U.Failure);
    AllDone &= U.IsDone;
    if (!U.IsDone)
      continue;
    keepPart(U.Text, U.Object, U.BackendMessages);
    Objects[U.Number] = std::move(U.Object);
  }
  SharedMilliseconds = std::move(Shared.Milliseconds);
  return AllDone ? Error::success() : make_error<CompileStopped>();
}

Error Generator::generateShared(ArrayRef<Unit> Units,
                                MutableArrayRef<Buffer> Objects,
                                unsigned Threads) {
  std::shared_ptr<SharedUnits> Shared(
      new SharedUnits{S, Options, File.str(), Control, Functions, {}, {}, {}});
  UnitExtractor Extractor(M);
  for (auto [Number, U] : enumerate(Units)) {
    if (Error E = checkStop(Control))
      return E;
    std::unique_ptr<Module> Part = Extractor.extract(U);
    SharedUnit Piece{Number, {}, {}, {}, {}, 0, {}, false};
    if (Parts) {
      Piece.Text = unitText(*Part);
      if (findPart(*Part, Piece.Text, Objects[Number]))
        continue;
    }
    raw_string_ostream OS(Piece.Bitcode);
    WriteBitcodeToFile(*Part, OS, /*ShouldPreserveUseListOrder=*/true);
    Shared->Units.push_back(std::move(Piece));
  }
  std::optional<std::string> Fatal =
      Helpers.run(Shared->Units.size(), Threads, Bench,
                  [Shared](Workbench &Bench, Team::NextPiece Next) {
                    Shared->work(Bench, Next);
                  });
  return Fatal ? fatalError(*Fatal) : takeOver(*Shared, Objects);
}

/// Compiles each unit on its own, whether it is cached or not, so that the
/// result is the same.
Error Generator::generateUnits(ArrayRef<Unit> Units) {
  std::vector<Buffer> Objects(Units.size() + 1);
  if (Error E = Serial.generate(*extractVariables(M), Objects.front()))
    return E;
  auto Bodies = MutableArrayRef(Objects).drop_front();
  if (unsigned Threads = threadsFor(Units); Threads > 1) {
    if (Error E = generateShared(Units, Bodies, Threads))
      return E;
    return merge(Objects);
  }
  UnitExtractor Extractor(M);
  for (auto [U, Object] : zip(Units, Bodies))
    if (Error E = generatePart(*Extractor.extract(U), Object))
      return E;
  return merge(Objects);
}

Error Generator::generateAll() {
  if (!usesParts())
    return Serial.generate(M, Output.Bytes);
  // The linker tells functions apart; a unit's shared memory is not its own.
  if (!S.Units || S.Relocatable)
    return generatePart(M, Output.Bytes);
  std::vector<Unit> Units = S.LTO ? divideByKernels(M) : divideModule(M);
  return Units.size() > 1 ? generateUnits(Units)
                          : generatePart(M, Output.Bytes);
}

/// Generates code for what passes say of it meanwhile.
Error Generator::recordRemarks() {
  SmallString<0> Text;
  raw_svector_ostream OS(Text);
  if (Error E = setupLLVMOptimizationRemarks(M.getContext(), OS,
                                             /*RemarksPasses=*/"", "yaml",
                                             /*RemarksWithHotness=*/false))
    return E;
  Buffer Code;
  Error E = Serial.generate(M, Code);
  finalizeLLVMOptimizationRemarks(M.getContext());
  if (!E)
    Output.Bytes.append(Text.begin(), Text.end());
  return E;
}

Error Generator::run() {
  if (S.Emit == "remarks")
    return recordRemarks();
  if (Error E = generateAll())
    return E;
  if (S.Emit != "obj")
    return Error::success();
  if (hasDebugInfo())
    if (Error E = layOutDebug())
      return E;
  StringMap<double> Milliseconds = Serial.milliseconds();
  for (const auto &Each : SharedMilliseconds)
    Milliseconds[Each.getKey()] = Each.getValue();
  return readReports(Milliseconds, Output);
}

Error generateOutput(Module &M, StringRef File, const Settings &S,
                     const CompileOptions &Options, Workbench &Bench,
                     Reporter &Report, SharedControl &Control, Team &Helpers,
                     PartStore *Parts, CompileOutput &Output) {
  return Generator(M, File, S, Options, Bench, Report, Control, Helpers, Parts,
                   Output)
      .run();
}

} // namespace heddle::compiler
