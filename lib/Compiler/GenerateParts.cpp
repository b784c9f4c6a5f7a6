//===- GenerateParts.cpp - LLVM IR to machine code --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A part that is given to another thread goes there as bitcode, since contexts
// of LLVM's belong to one thread; order of uses and all that could make a
// difference to the code goes with it.
//
// The part store is asked twice: by what a part is made of, which is known
// without making it, and by its text, which does not change with anything that
// the code does not depend on.
//
//===----------------------------------------------------------------------===//

#include "CompilerContext.h"
#include "Parts.h"
#include "passes/scalar/Passes.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"

#include <thread>

using namespace llvm;

namespace heddle::compiler {

/// More are of no use, and a process has only so many.
static constexpr unsigned MaxThreadsPerCore = 4;

unsigned countFunctions(const Module &M) {
  return count_if(M, [](const Function &F) { return !F.isDeclaration(); });
}

unsigned threadsAllowed(const Settings &S) {
  unsigned Cores = std::max(1u, std::thread::hardware_concurrency());
  return S.Threads ? std::min(S.Threads, MaxThreadsPerCore * Cores) : Cores;
}

//===----------------------------------------------------------------------===//
// One module
//===----------------------------------------------------------------------===//

Error ModuleGenerator::linkLibrary(Module &Part) {
  if (!DeviceLibrary::isNeededBy(Part))
    return Error::success();
  if (!Library)
    Library.emplace(Part.getContext());
  return Library->linkInto(Part);
}

Error ModuleGenerator::generateOnce(Module &Part, Buffer &Bytes) {
  TargetMachine &TM = Ctx.targetMachine(S);
  CompileControl &Control = Functions.control();
  StageTimer Stages(Control);
  auto ShouldStop = [&] { return Control.shouldStop(); };
  const passes::PassContext Context{&TM, ShouldStop};
  const passes::PipelineOptions Options = S.pipelineOptions();
  if (S.EmbedBitcode && S.Emit == "obj")
    embedBitcode(Part, S, Context);
  passes::summarizeProfile(Part);
  // Divisions are whole until what they divide by is known.
  if (S.LTO)
    passes::optimizeProgram(Part, Options, Context);
  passes::optimizeLoops(Part, Options, Context);
  passes::lowerDivisions(Part);
  if (Error E = linkLibrary(Part))
    return E;
  Stages.end("link device library");
  passes::optimizeModule(Part, Options, Context);
  // The trip counts of loops that are unrolled or of no use otherwise are
  // quotients that were not there before.
  if (passes::lowerDivisions(Part)) {
    if (Error E = linkLibrary(Part))
      return E;
    passes::inlineLibrary(Part, Context);
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
// Parts that several threads share
//===----------------------------------------------------------------------===//

namespace {

/// A part on its way through another thread.
struct SharedPart {
  std::string Bitcode; ///< what it is, then empty
  Buffer Object;
  std::vector<Diagnostic> Messages;
  unsigned BackendMessages = 0;
  std::string Failure; ///< empty: none
  bool IsDone = false;
  bool IsFound = false; ///< The part store had it.
};

} // namespace

/// What the threads need of the compilation, and what they make. On the heap,
/// since a compilation that meets a fatal error leaves its frames while others
/// still work.
struct PartGenerator::Shared {
  explicit Shared(const PartGenerator &G)
      : S(G.S), Options(G.Env.Options), File(G.File), Control(G.Env.Control),
        Functions(G.Functions), Store(G.Env.Parts) {}

  Settings S;
  CompileOptions Options;
  std::string File;
  SharedControl &Control;
  std::shared_ptr<Progress> Functions;
  PartStore *Store;
  std::vector<std::pair<Missing, SharedPart>> Parts;
  std::vector<UnitModule> Modules; ///< whose units Parts are; or none

  std::mutex Mutex; ///< Of Milliseconds and Store.
  StringMap<double> Milliseconds;

  void work(CompilerContext &Ctx, TaskGroup::NextTask Next);
  void workOnModules(CompilerContext &Ctx, TaskGroup::NextTask Next);

private:
  bool make(SharedPart &P, const Reporter &Report,
            function_ref<Error()> Generate);
  Error generateUnit(ModuleGenerator &Generator, const UnitExtractor &Extractor,
                     const Unit &U, Missing &M, SharedPart &P);
  void addMilliseconds(const ModuleGenerator &Generator);
  static Error generate(ModuleGenerator &Generator, LLVMContext &Context,
                        SharedPart &P);
};

Error PartGenerator::Shared::generate(ModuleGenerator &Generator,
                                      LLVMContext &Context, SharedPart &P) {
  Expected<std::unique_ptr<Module>> Part =
      parseBitcodeFile({P.Bitcode, ""}, Context);
  if (!Part)
    return Part.takeError();
  (*Part)->setModuleIdentifier("");
  std::string().swap(P.Bitcode);
  return Generator.generate(**Part, P.Object);
}

/// False if there was an error, which is kept.
bool PartGenerator::Shared::make(SharedPart &P, const Reporter &Report,
                                 function_ref<Error()> Generate) {
  unsigned Before = Report.backendMessages();
  Error E = Generate();
  P.BackendMessages = Report.backendMessages() - Before;
  if (!E) {
    P.IsDone = true;
    return true;
  }
  if (E.isA<CompileStopped>())
    consumeError(std::move(E));
  else
    P.Failure = toString(std::move(E));
  Control.stop();
  return false;
}

void PartGenerator::Shared::addMilliseconds(const ModuleGenerator &Generator) {
  std::lock_guard Lock(Mutex);
  for (const auto &Each : Generator.milliseconds())
    Milliseconds[Each.getKey()] = Each.getValue();
}

/// What each thread does with bitcode.
void PartGenerator::Shared::work(CompilerContext &Ctx,
                                 TaskGroup::NextTask Next) {
  SharedPart *Current = nullptr;
  auto Keep = [&](const Diagnostic &D) { Current->Messages.push_back(D); };
  Reporter Report(Options, Keep);
  LLVMContext Context;
  Context.setDiagnosticHandler(createBackendDiagnostics(File, Report));
  ModuleGenerator Generator(S, Ctx, Report, *Functions);
  while (std::optional<size_t> Piece = Next()) {
    Current = &Parts[*Piece].second;
    if (!make(*Current, Report,
              [&] { return generate(Generator, Context, *Current); }))
      break;
  }
  addMilliseconds(Generator);
}

Error PartGenerator::Shared::generateUnit(ModuleGenerator &Generator,
                                          const UnitExtractor &Extractor,
                                          const Unit &U, Missing &M,
                                          SharedPart &P) {
  std::unique_ptr<Module> Part = Extractor.extract(U);
  M.Functions = U.size();
  if (Store) {
    M.Text = unitText(*Part);
    std::lock_guard Lock(Mutex);
    if (std::optional<std::string> Found = Store->find(M.Text)) {
      P.Object.assign(Found->begin(), Found->end());
      P.IsFound = true;
    }
  }
  if (P.IsFound) {
    Functions->add(M.Functions);
    return Error::success();
  }
  return Generator.generate(*Part, P.Object);
}

/// What each thread does with modules.
void PartGenerator::Shared::workOnModules(CompilerContext &Ctx,
                                          TaskGroup::NextTask Next) {
  SharedPart *Current = nullptr;
  auto Keep = [&](const Diagnostic &D) { Current->Messages.push_back(D); };
  Reporter Report(Options, Keep);
  bool Good = true;
  while (Good) {
    std::optional<size_t> Piece = Next();
    if (!Piece)
      break;
    UnitModule From = std::move(Modules[*Piece]);
    From.Context->setDiagnosticHandler(createBackendDiagnostics(File, Report));
    ModuleGenerator Generator(S, Ctx, Report, *Functions);
    UnitExtractor Extractor(*From.M);
    for (size_t I = 0; Good && I != From.Units.size(); ++I) {
      auto &[M, P] = Parts[From.Places[I]];
      Current = &P;
      M.Number = From.Places[I];
      Good = make(P, Report, [&, &M = M, &P = P] {
        return generateUnit(Generator, Extractor, From.Units[I], M, P);
      });
    }
    addMilliseconds(Generator);
  }
}

//===----------------------------------------------------------------------===//
// All parts
//===----------------------------------------------------------------------===//

/// Takes an object that the part store has.
bool PartGenerator::find(StringRef Text, unsigned Count, Buffer &Bytes) {
  std::optional<std::string> Found =
      Env.Parts && !Text.empty() ? Env.Parts->find(Text) : std::nullopt;
  if (!Found)
    return false;
  Bytes.assign(Found->begin(), Found->end());
  ++Output.PartsFound;
  Functions->add(Count);
  return true;
}

/// The same for a part that had to be made to know its text.
bool PartGenerator::findMade(Module &Part, Missing &M, Buffer &Bytes) {
  if (!Env.Parts)
    return false;
  M.Text = unitText(Part);
  if (!find(M.Text, M.Functions, Bytes))
    return false;
  if (!M.Origin.empty())
    Env.Parts->insert(M.Origin, std::string(Bytes.begin(), Bytes.end()));
  return true;
}

/// Messages are not kept, so that what has some is made each time.
void PartGenerator::keep(const Missing &M, const Buffer &Bytes,
                         unsigned Messages) {
  ++Output.PartsMade;
  if (!Env.Parts || Messages != 0)
    return;
  for (const std::string &Name : {M.Origin, M.Text})
    if (!Name.empty())
      Env.Parts->insert(Name, std::string(Bytes.begin(), Bytes.end()));
}

/// An object that the part store has, or else makes it and leaves it there.
Error PartGenerator::generatePart(Module &Part, Buffer &Bytes) {
  Missing M;
  M.Functions = countFunctions(Part);
  if (findMade(Part, M, Bytes))
    return Error::success();
  unsigned Before = Report.backendMessages();
  if (Error E = Serial.generate(Part, Bytes))
    return E;
  keep(M, Bytes, Report.backendMessages() - Before);
  return Error::success();
}

/// How many threads are worth their while.
unsigned PartGenerator::threadsFor(const PartSource &Source) const {
  if (Source.instructions() < MinSharedInstructions)
    return 1;
  return std::min<size_t>(threadsAllowed(S), Source.size());
}

/// Hands the messages of the threads on, in the order of the parts.
Error PartGenerator::takeOver(Shared &All, std::vector<Buffer> &Objects) {
  bool AllDone = true;
  for (auto &[M, P] : All.Parts) {
    for (const Diagnostic &D : P.Messages)
      Report.report(D);
    if (!P.Failure.empty())
      return createStringError(P.Failure);
    AllDone &= P.IsDone;
    if (!P.IsDone)
      continue;
    if (P.IsFound)
      ++Output.PartsFound;
    else
      keep(M, P.Object, P.BackendMessages);
    Objects[M.Number] = std::move(P.Object);
  }
  SharedMilliseconds = std::move(All.Milliseconds);
  return AllDone ? Error::success() : make_error<CompileStopped>();
}

Expected<std::unique_ptr<Module>>
PartGenerator::extractMissing(PartSource &Source, Missing &M, Buffer &Bytes) {
  if (find(M.Origin, M.Functions, Bytes))
    return nullptr;
  Expected<std::unique_ptr<Module>> Part = Source.extract(M.Number);
  if (Part && findMade(**Part, M, Bytes))
    return nullptr;
  return Part;
}

Error PartGenerator::forEachMissing(
    PartSource &Source, std::vector<Buffer> &Objects,
    function_ref<Error(Missing, Module &)> Generate) {
  for (size_t I = 0; I != Source.size(); ++I) {
    if (Error E = checkStop(Env.Control))
      return E;
    Missing M{I, Source.functions(I), Source.origin(I), {}};
    Expected<std::unique_ptr<Module>> Part =
        extractMissing(Source, M, Objects[I]);
    if (!Part)
      return Part.takeError();
    if (*Part)
      if (Error E = Generate(std::move(M), **Part))
        return E;
  }
  return Error::success();
}

Error PartGenerator::generateShared(PartSource &Source,
                                    std::vector<Buffer> &Objects,
                                    unsigned Threads) {
  auto All = std::make_shared<Shared>(*this);
  if (Error E = forEachMissing(
          Source, Objects, [&](Missing M, Module &Part) -> Error {
            SharedPart P;
            raw_string_ostream OS(P.Bitcode);
            WriteBitcodeToFile(Part, OS, /*ShouldPreserveUseListOrder=*/true);
            All->Parts.emplace_back(std::move(M), std::move(P));
            return Error::success();
          }))
    return E;
  std::optional<std::string> Fatal =
      Env.Helpers.run(All->Parts.size(), Threads, Env.Ctx,
                      [All](CompilerContext &Ctx, TaskGroup::NextTask Next) {
                        All->work(Ctx, Next);
                      });
  return Fatal ? fatalError(*Fatal) : takeOver(*All, Objects);
}

Error PartGenerator::generateModules(std::vector<UnitModule> Modules,
                                     unsigned Threads,
                                     std::vector<Buffer> &Objects) {
  auto All = std::make_shared<Shared>(*this);
  size_t Count = 0;
  for (const UnitModule &M : Modules)
    Count += M.Units.size();
  All->Parts.resize(Count);
  Objects.resize(Count);
  All->Modules = std::move(Modules);
  std::optional<std::string> Fatal =
      Env.Helpers.run(All->Modules.size(), Threads, Env.Ctx,
                      [All](CompilerContext &Ctx, TaskGroup::NextTask Next) {
                        All->workOnModules(Ctx, Next);
                      });
  return Fatal ? fatalError(*Fatal) : takeOver(*All, Objects);
}

Error PartGenerator::generateParts(PartSource &Source,
                                   std::vector<Buffer> &Objects) {
  Objects.resize(Source.size());
  if (unsigned Threads = threadsFor(Source); Threads > 1)
    return generateShared(Source, Objects, Threads);
  return forEachMissing(Source, Objects, [&](Missing M, Module &Part) -> Error {
    unsigned Before = Report.backendMessages();
    if (Error E = Serial.generate(Part, Objects[M.Number]))
      return E;
    keep(M, Objects[M.Number], Report.backendMessages() - Before);
    return Error::success();
  });
}

StringMap<double> PartGenerator::milliseconds() const {
  StringMap<double> All = Serial.milliseconds();
  for (const auto &Each : SharedMilliseconds)
    All[Each.getKey()] = Each.getValue();
  return All;
}

} // namespace heddle::compiler
