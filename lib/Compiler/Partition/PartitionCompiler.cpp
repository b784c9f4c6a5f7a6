//===- PartitionCompiler.cpp - Compiles partitions apart --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A partition that is given to another thread goes there as bitcode, since a
// context of LLVM belongs to one thread; the order of uses and all else that
// could make a difference to the code goes with it.
//
// The store is asked twice: by what a partition is made of, which is known
// without extracting it, and by its text, which does not change with anything
// that the code does not depend on.
//
//===----------------------------------------------------------------------===//

#include "Partition/PartitionCompiler.h"
#include "CompilerContext.h"
#include "TaskGroup.h"

#include "heddle/Object/ObjectMerge.h"

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

Error mergePartitions(ArrayRef<Buffer> Objects, ArrayRef<StringRef> Functions,
                      CompileOutput &Output) {
  SmallVector<ArrayRef<uint8_t>> Bytes;
  for (const Buffer &Object : Objects)
    Bytes.push_back(
        {reinterpret_cast<const uint8_t *>(Object.data()), Object.size()});
  Expected<std::string> Merged = mergeObjects(Bytes, Functions);
  if (!Merged)
    return Merged.takeError();
  Output.Bytes.append(Merged->begin(), Merged->end());
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The store
//===----------------------------------------------------------------------===//

bool PartitionCache::find(PartitionTask &T, StringRef Name) const {
  std::optional<std::string> Found =
      Store && !Name.empty() ? Store->find(Name) : std::nullopt;
  if (!Found)
    return false;
  T.Object.assign(Found->begin(), Found->end());
  T.IsFound = T.IsDone = true;
  return true;
}

bool PartitionCache::findText(PartitionTask &T, const Module &Part) const {
  if (!Store)
    return false;
  T.Text = partitionText(Part);
  if (!find(T, T.Text))
    return false;
  if (!T.Origin.empty())
    Store->insert(T.Origin, std::string(T.Object.begin(), T.Object.end()));
  return true;
}

void PartitionCache::keep(const PartitionTask &T) const {
  if (!Store || T.BackendMessages != 0)
    return;
  for (const std::string &Name : {T.Origin, T.Text})
    if (!Name.empty())
      Store->insert(Name, std::string(T.Object.begin(), T.Object.end()));
}

//===----------------------------------------------------------------------===//
// Other threads
//===----------------------------------------------------------------------===//

/// What the threads need of the compilation, and what they make. On the heap,
/// since a compilation that meets a fatal error leaves its frames while other
/// threads still work.
struct PartitionCompiler::Shared {
  explicit Shared(const PartitionCompiler &P)
      : S(P.C.S), Options(P.C.Env.Options), File(P.C.File),
        Control(P.C.Env.Control), Compile(P.Compile), Functions(P.Functions),
        Cache(P.Cache) {}

  Settings S;
  CompileOptions Options;
  std::string File;
  SharedControl &Control;
  CompilePartition Compile;
  std::shared_ptr<Progress> Functions;
  PartitionCache Cache;
  std::vector<PartitionTask> Tasks;
  /// Whose partitions Tasks are; none: Tasks have bitcode.
  std::vector<PartitionedModule> Modules;

  std::mutex Mutex; ///< Of Costs.
  FunctionCosts Costs;

  void work(CompilerContext &Ctx, TaskGroup::NextTask Next);

private:
  class Worker;
};

/// One of the threads.
class PartitionCompiler::Shared::Worker {
public:
  Worker(Shared &All, CompilerContext &Ctx)
      : All(All), Ctx(Ctx), Report(All.Options, Keep),
        OfBitcode(All.S, Ctx, Report, *All.Functions) {
    listenTo(Context);
  }
  ~Worker() { addCosts(OfBitcode); }

  /// False if there was an error, which is kept: nothing is to be done any
  /// more.
  bool compile(PartitionTask &T);
  bool compile(PartitionedModule Module);

private:
  bool finish(PartitionTask &T, Error E);
  void addCosts(const Backend &B);
  void listenTo(LLVMContext &To) {
    To.setDiagnosticHandler(createBackendDiagnostics(All.File, Report));
  }

  Shared &All;
  CompilerContext &Ctx;
  PartitionTask *Current = nullptr;
  std::function<void(const Diagnostic &)> Keep = [this](const Diagnostic &D) {
    Current->Messages.push_back(D);
  };
  Reporter Report;
  LLVMContext Context; ///< of bitcode
  Backend OfBitcode;
};

bool PartitionCompiler::Shared::Worker::finish(PartitionTask &T, Error E) {
  T.BackendMessages = Report.backendMessages() - T.BackendMessages;
  if (!E) {
    T.IsDone = true;
    return true;
  }
  if (E.isA<CompileStopped>())
    consumeError(std::move(E));
  else
    T.Failure = toString(std::move(E));
  All.Control.stop();
  return false;
}

void PartitionCompiler::Shared::Worker::addCosts(const Backend &B) {
  std::lock_guard Lock(All.Mutex);
  for (const auto &Each : B.costs())
    All.Costs[Each.getKey()] = Each.getValue();
}

bool PartitionCompiler::Shared::Worker::compile(PartitionTask &T) {
  Current = &T;
  T.BackendMessages = Report.backendMessages();
  Expected<std::unique_ptr<Module>> Part =
      parseBitcodeFile({T.Bitcode, ""}, Context);
  if (!Part)
    return finish(T, Part.takeError());
  (*Part)->setModuleIdentifier("");
  std::string().swap(T.Bitcode);
  return finish(T, All.Compile(OfBitcode, **Part, T.Object));
}

bool PartitionCompiler::Shared::Worker::compile(PartitionedModule Module) {
  listenTo(*Module.Context);
  Backend B(All.S, Ctx, Report, *All.Functions);
  PartitionExtractor Extractor(*Module.M);
  bool Good = true;
  for (size_t I = 0; Good && I != Module.Partitions.size(); ++I) {
    PartitionTask &T = All.Tasks[Module.Places[I]];
    Current = &T;
    T.BackendMessages = Report.backendMessages();
    T.Functions = Module.Partitions[I].size();
    std::unique_ptr<llvm::Module> Part =
        Module.IsUnit ? std::move(Module.M)
                      : Extractor.extract(Module.Partitions[I]);
    // Lines change with every edit, so that the store would not have it.
    if (!Module.IsUnit && All.Cache.findText(T, *Part)) {
      T.BackendMessages = 0;
      All.Functions->add(T.Functions);
    } else {
      Good = finish(T, All.Compile(B, *Part, T.Object));
    }
  }
  addCosts(B);
  return Good;
}

/// What each thread does.
void PartitionCompiler::Shared::work(CompilerContext &Ctx,
                                     TaskGroup::NextTask Next) {
  Worker W(*this, Ctx);
  while (std::optional<size_t> I = Next())
    if (!(Modules.empty() ? W.compile(Tasks[*I])
                          : W.compile(std::move(Modules[*I]))))
      break;
}

//===----------------------------------------------------------------------===//
// All partitions
//===----------------------------------------------------------------------===//

PartitionCompiler::PartitionCompiler(const Compilation &C,
                                     unsigned TotalFunctions,
                                     CompilePartition Compile)
    : C(C), Compile(Compile),
      Functions(std::make_shared<Progress>(C.Env.Control, TotalFunctions)),
      Cache(C.Env.Store), Serial(C.S, C.Env.Ctx, C.Report, *Functions) {}

/// Compiles a partition on this thread.
Error PartitionCompiler::compileHere(PartitionTask &T, Module &Part) {
  unsigned Before = C.Report.backendMessages();
  if (Error E = Compile(Serial, Part, T.Object))
    return E;
  T.BackendMessages = C.Report.backendMessages() - Before;
  T.IsDone = true;
  return Error::success();
}

/// Counts and keeps what was found or made.
Error PartitionCompiler::take(PartitionTask &T, std::vector<Buffer> &Objects) {
  for (const Diagnostic &D : T.Messages)
    C.Report.report(D);
  if (!T.Failure.empty())
    return createStringError(T.Failure);
  if (!T.IsDone)
    return make_error<CompileStopped>();
  if (T.IsFound) {
    ++C.Output.PartitionsFound;
  } else {
    ++C.Output.PartitionsMade;
    Cache.keep(T);
  }
  Objects[T.Number] = std::move(T.Object);
  return Error::success();
}

/// How many threads are worth their while.
unsigned PartitionCompiler::threadsFor(const PartitionSource &Source) const {
  if (Source.instructions() < MinSharedInstructions)
    return 1;
  return std::min<size_t>(threadsAllowed(C.S), Source.size());
}

Error PartitionCompiler::compileOnly(Module &M, Buffer &Code) {
  std::vector<Buffer> Objects(1);
  PartitionTask T;
  T.Functions = countFunctions(M);
  if (Cache.findText(T, M))
    Functions->add(T.Functions);
  else if (Error E = compileHere(T, M))
    return E;
  if (Error E = take(T, Objects))
    return E;
  Code = std::move(Objects.front());
  return Error::success();
}

/// The partition that \p T is about, to be compiled; null if its code was
/// found.
Expected<std::unique_ptr<Module>>
PartitionCompiler::extractMissing(PartitionSource &Source, PartitionTask &T) {
  if (Cache.findOrigin(T))
    return nullptr;
  Expected<std::unique_ptr<Module>> Part = Source.extract(T.Number);
  if (Part && Cache.findText(T, **Part))
    return nullptr;
  return Part;
}

static std::string bitcodeOf(const Module &M) {
  std::string Bitcode;
  raw_string_ostream OS(Bitcode);
  WriteBitcodeToFile(M, OS, /*ShouldPreserveUseListOrder=*/true);
  return Bitcode;
}

Error PartitionCompiler::compileAll(PartitionSource &Source,
                                    std::vector<Buffer> &Objects) {
  Objects.resize(Source.size());
  unsigned Threads = threadsFor(Source);
  auto All = std::make_shared<Shared>(*this);
  for (size_t I = 0; I != Source.size(); ++I) {
    if (Error E = checkStop(C.Env.Control))
      return E;
    PartitionTask T;
    T.Number = I;
    T.Functions = Source.functions(I);
    T.Origin = Source.origin(I);
    Expected<std::unique_ptr<Module>> Part = extractMissing(Source, T);
    if (!Part)
      return Part.takeError();
    if (*Part && Threads > 1) {
      T.Bitcode = bitcodeOf(**Part);
      All->Tasks.push_back(std::move(T));
      continue;
    }
    if (!*Part)
      Functions->add(T.Functions);
    else if (Error E = compileHere(T, **Part))
      return E;
    if (Error E = take(T, Objects))
      return E;
  }
  size_t Count = All->Tasks.size();
  return run(All, Count, Threads, Objects);
}

Error PartitionCompiler::compileAll(std::vector<PartitionedModule> Modules,
                                    std::vector<Buffer> &Objects) {
  auto All = std::make_shared<Shared>(*this);
  size_t Count = 0;
  for (const PartitionedModule &M : Modules)
    Count += M.Partitions.size();
  All->Tasks.resize(Count);
  for (auto [I, T] : enumerate(All->Tasks))
    T.Number = I;
  Objects.resize(Count);
  All->Modules = std::move(Modules);
  size_t ModuleCount = All->Modules.size();
  return run(All, ModuleCount, threadsAllowed(C.S), Objects);
}

/// Has \p Count pieces of work done by several threads, and hands on what they
/// made in the order of the partitions.
Error PartitionCompiler::run(const std::shared_ptr<Shared> &All, size_t Count,
                             unsigned Threads, std::vector<Buffer> &Objects) {
  if (Count == 0)
    return Error::success();
  std::optional<std::string> Fatal =
      C.Env.Helpers.run(Count, Threads, C.Env.Ctx,
                        [All](CompilerContext &Ctx, TaskGroup::NextTask Next) {
                          All->work(Ctx, Next);
                        });
  if (Fatal)
    return fatalError(*Fatal);
  SharedCosts = std::move(All->Costs);
  // A cancelled partition says less than one that failed.
  bool IsStopped = false;
  for (PartitionTask &T : All->Tasks) {
    Error E = take(T, Objects);
    IsStopped |= E.isA<CompileStopped>();
    if (E.isA<CompileStopped>())
      consumeError(std::move(E));
    else if (E)
      return E;
  }
  return IsStopped ? make_error<CompileStopped>() : Error::success();
}

FunctionCosts PartitionCompiler::costs() const {
  FunctionCosts All = Serial.costs();
  for (const auto &Each : SharedCosts)
    All[Each.getKey()] = Each.getValue();
  return All;
}

} // namespace heddle::compiler
