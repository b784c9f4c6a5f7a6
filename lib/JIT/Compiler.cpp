//===- Compiler.cpp - Compilers and jobs of the C API -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// heddle-c/Compiler.h, but for code objects.
//
//===----------------------------------------------------------------------===//

#include "Handles.h"
#include "heddle/ISA/ISA.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::jit;

//===----------------------------------------------------------------------===//
// Compilers
//===----------------------------------------------------------------------===//

/// What a caller that says nothing gets.
static constexpr uint64_t DefaultMaxInputBytes = uint64_t(256) << 20;

/// Reads Config over the defaults.
static HeddleError readConfig(const HeddleCompilerConfig *Config,
                              HeddleCompilerConfig &C) {
  heddleCompilerConfigInit(&C);
  if (!Config)
    return nullptr;
  if (!readStruct(Config, C))
    return makeError(HEDDLE_ERROR_VERSION,
                     "HeddleCompilerConfig states no StructSize");
  if (C.APIVersion == 0 || C.APIVersion > HEDDLE_C_API_VERSION)
    return makeError(HEDDLE_ERROR_VERSION,
                     "API version " + std::to_string(C.APIVersion) +
                         " is not served; this library serves 1 to " +
                         std::to_string(HEDDLE_C_API_VERSION));
  if (C.NumOptions && !C.Options)
    return nullArgument("Options");
  if (C.Allocator && (!C.Allocator->Allocate || !C.Allocator->Release))
    return nullArgument("a function of Allocator");
  if (C.CacheMode > HEDDLE_CACHE_REFRESH)
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT, "unknown cache mode");
  if (C.Chip && !isa::findChip(C.Chip))
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                     "unknown chip '" + std::string(C.Chip) + "'");
  return nullptr;
}

/// Settings of the cache: the user's, then the caller's.
static HeddleError loadSettings(const HeddleCompilerConfig &C,
                                cache::Settings &Settings,
                                std::vector<std::string> &Complaints) {
  static constexpr const char *Modes[] = {nullptr, "off", "read-only", "on",
                                          "refresh"};
  Settings = cache::Settings::load(cache::processEnvironment(), Complaints);
  cache::Status Wrong;
  if (C.CacheDirectory)
    Wrong =
        Settings.set(cache::SettingId::Dir, C.CacheDirectory, "CacheDirectory");
  if (!Wrong && C.MaxCacheBytes)
    Wrong = Settings.set(cache::SettingId::MaxSize,
                         std::to_string(C.MaxCacheBytes), "MaxCacheBytes");
  if (!Wrong && C.CacheMode != HEDDLE_CACHE_DEFAULT)
    Wrong =
        Settings.set(cache::SettingId::Mode, Modes[C.CacheMode], "CacheMode");
  return Wrong ? makeError(HEDDLE_ERROR_INVALID_ARGUMENT, Wrong->Text)
               : nullptr;
}

/// Hands an event to the host.
static void trace(HeddleTracer Tracer, void *Context, const TraceEvent &Event) {
  auto Nanoseconds = [](Clock::time_point T) {
    return static_cast<uint64_t>(
        std::chrono::nanoseconds(T.time_since_epoch()).count());
  };
  std::string Input(Event.Input), Origin(Event.Detail);
  HeddleTraceEvent E = {sizeof(E),
                        Event.Stage,
                        Input.c_str(),
                        Nanoseconds(Event.Begin),
                        Nanoseconds(Event.End),
                        Origin.c_str()};
  Tracer(Context, &E);
}

HeddleError heddleCompilerCreate(const HeddleCompilerConfig *Config,
                                 HeddleCompiler *OutCompiler) {
  if (!OutCompiler)
    return nullArgument("OutCompiler");
  *OutCompiler = nullptr;
  HeddleCompilerConfig C;
  if (HeddleError E = readConfig(Config, C))
    return E;
  CompileService::Setup Setup;
  Setup.WriteInBackground = true;
  Setup.Isolate = C.Isolate;
  if (C.ReproducerDirectory)
    Setup.ReproducerDirectory = C.ReproducerDirectory;
  if (C.Tracer)
    Setup.OnTrace = [Tracer = C.Tracer,
                     Context = C.TracerContext](const TraceEvent &Event) {
      trace(Tracer, Context, Event);
    };
  std::vector<std::string> Complaints;
  if (HeddleError E = loadSettings(C, Setup.Settings, Complaints))
    return E;

  auto Result = std::make_unique<HeddleCompilerImpl>(std::move(Setup));
  if (C.Chip)
    Result->Options = {"--chip=" + std::string(C.Chip)};
  Result->Options.insert(Result->Options.end(), C.Options,
                         C.Options + C.NumOptions);
  CompileOptions Check;
  if (std::optional<std::string> Wrong = Check.parse(Result->Options))
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT, *Wrong);
  Result->MaxInputBytes =
      C.MaxInputBytes ? C.MaxInputBytes : DefaultMaxInputBytes;
  Result->MaxMemoryBytes = C.MaxMemoryBytes;
  Result->TimeoutNanoseconds = C.TimeoutNanoseconds;
  // A helper process cannot use the host's threads.
  Result->ThreadsPerInput = C.Isolate && C.Executor ? 1 : C.MaxThreads;
  Result->Logger = C.Logger;
  Result->LoggerContext = C.LoggerContext;
  if (C.Allocator)
    Result->Allocator = *C.Allocator;
  Result->Pool = C.Executor
                     ? std::make_unique<TaskPool>(C.Executor, C.ExecutorContext)
                     : std::make_unique<TaskPool>(C.MaxThreads);
  for (const std::string &Complaint : Complaints)
    Result->log(HEDDLE_SEVERITY_WARNING, Complaint);
  *OutCompiler = Result.release();
  return nullptr;
}

void heddleCompilerDestroy(HeddleCompiler Compiler) {
  if (!Compiler)
    return;
  {
    std::lock_guard Lock(Compiler->Mutex);
    for (std::weak_ptr<JobState> &Job : Compiler->Jobs)
      if (std::shared_ptr<JobState> State = Job.lock())
        State->Cancelled = true;
  }
  Compiler->Pool->finish();
  delete Compiler;
}

void heddleEnumerateChips(void (*Report)(void *, const char *, const char *),
                          void *Context) {
  for (const isa::ChipInfo &Chip : isa::chips())
    Report(Context, std::string(Chip.Name).c_str(),
           std::string(Chip.Description).c_str());
}

void heddleEnumerateOptions(void (*Report)(void *, const char *, const char *,
                                           const char *),
                            void *Context) {
  for (const OptionInfo &Info : compileOptionTable())
    if (Info.Effect != OptionEffect::Driver)
      Report(Context, std::string(Info.Long).c_str(),
             std::string(Info.Values).c_str(), std::string(Info.Help).c_str());
}

/// The compiler's library, loaded.
static HeddleError loadLibrary(HeddleCompiler Compiler,
                               const CompilerInterface *&Interface) {
  std::string Failure;
  Interface = Compiler->Service.compiler(Failure);
  return Interface ? nullptr : makeError(HEDDLE_ERROR_IO, Failure);
}

HeddleError heddleCompilerGetPTXVersions(HeddleCompiler Compiler,
                                         const char **OutVersions) {
  if (!Compiler || !OutVersions)
    return nullArgument(Compiler ? "OutVersions" : "Compiler");
  const CompilerInterface *Interface = nullptr;
  if (HeddleError E = loadLibrary(Compiler, Interface))
    return E;
  std::lock_guard Lock(Compiler->Mutex);
  if (Compiler->PTXVersions.empty())
    Compiler->PTXVersions = Interface->SupportedPTXVersions();
  *OutVersions = Compiler->PTXVersions.c_str();
  return nullptr;
}

HeddleError heddleCompilerEnumerateTargets(HeddleCompiler Compiler,
                                           void (*Report)(void *, const char *,
                                                          const char *),
                                           void *Context) {
  if (!Compiler || !Report)
    return nullArgument(Compiler ? "Report" : "Compiler");
  const CompilerInterface *Interface = nullptr;
  if (HeddleError E = loadLibrary(Compiler, Interface))
    return E;
  for (const SupportedTarget &T : Interface->SupportedTargets())
    Report(Context, T.Name.c_str(), T.PTXVersion.c_str());
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Compilations
//===----------------------------------------------------------------------===//

HeddleError heddle::jit::readInput(const HeddleInput *Input, Compilation &C) {
  if (!Input)
    return nullArgument("Input");
  HeddleInput I = {};
  if (!readStruct(Input, I))
    return makeError(HEDDLE_ERROR_VERSION, "HeddleInput states no StructSize");
  if (!I.Data)
    return nullArgument("Input->Data");
  C.Input.assign(static_cast<const char *>(I.Data), I.Size);
  C.Name = I.Name ? I.Name : "<input>";
  return nullptr;
}

HeddleError heddle::jit::readOptions(const HeddleCompileOptions *Options,
                                     Compilation &C) {
  HeddleCompileOptions O;
  heddleCompileOptionsInit(&O);
  if (Options && !readStruct(Options, O))
    return makeError(HEDDLE_ERROR_VERSION,
                     "HeddleCompileOptions states no StructSize");
  if (O.NumOptions && !O.Options)
    return nullArgument("Options->Options");
  C.Options.assign(O.Options, O.Options + O.NumOptions);
  C.TimeoutNanoseconds = O.TimeoutNanoseconds;
  C.Progress = O.Progress;
  C.ProgressContext = O.ProgressContext;
  C.OnlyCached = O.OnlyCached;
  return nullptr;
}

HeddleError heddle::jit::readCompilation(const HeddleInput *Input,
                                         const HeddleCompileOptions *Options,
                                         Compilation &C) {
  if (HeddleError E = readInput(Input, C))
    return E;
  if (HeddleError E = readOptions(Options, C))
    return E;
  C.startClock();
  return nullptr;
}

static HeddleError handOver(CompilationResult Result,
                            HeddleCodeObject *OutCode) {
  *OutCode = Result.Code.release();
  return Result.Error.release();
}

HeddleError heddleCompile(HeddleCompiler Compiler, const HeddleInput *Input,
                          const HeddleCompileOptions *Options,
                          HeddleCodeObject *OutCode) {
  if (!Compiler || !OutCode)
    return nullArgument(Compiler ? "OutCode" : "Compiler");
  *OutCode = nullptr;
  Compilation C;
  if (HeddleError E = readCompilation(Input, Options, C))
    return E;
  return handOver(Compiler->run(C), OutCode);
}

/// What a thread of the pool does for a job.
static void runJob(HeddleCompiler Compiler, std::shared_ptr<JobState> State,
                   HeddleCompletion OnDone, void *OnDoneContext) {
  CompilationResult Result = Compiler->run(State->Work);
  {
    std::lock_guard Lock(State->Mutex);
    State->Result = std::move(Result);
    State->IsDone = true;
  }
  State->Changed.notify_all();
  if (OnDone) {
    HeddleJobImpl Handle{std::move(State)};
    OnDone(OnDoneContext, &Handle);
  }
}

HeddleError heddleCompileAsync(HeddleCompiler Compiler,
                               const HeddleInput *Input,
                               const HeddleCompileOptions *Options,
                               HeddleCompletion OnDone, void *OnDoneContext,
                               HeddleJob *OutJob) {
  if (!Compiler || !OutJob)
    return nullArgument(Compiler ? "OutJob" : "Compiler");
  *OutJob = nullptr;
  auto State = std::make_shared<JobState>();
  if (HeddleError E = readCompilation(Input, Options, State->Work))
    return E;
  State->Work.Cancelled = &State->Cancelled;
  {
    std::lock_guard Lock(Compiler->Mutex);
    std::erase_if(Compiler->Jobs, [](auto &Job) { return Job.expired(); });
    Compiler->Jobs.push_back(State);
  }
  *OutJob = new HeddleJobImpl{State};
  Compiler->Pool->submit([=, State = std::move(State)] {
    runJob(Compiler, State, OnDone, OnDoneContext);
  });
  return nullptr;
}

int heddleJobWait(HeddleJob Job, uint64_t Nanoseconds) {
  if (!Job)
    return 0;
  JobState &S = *Job->State;
  std::unique_lock Lock(S.Mutex);
  auto IsDone = [&] { return S.IsDone; };
  if (Nanoseconds == UINT64_MAX) {
    S.Changed.wait(Lock, IsDone);
    return 1;
  }
  // A far deadline must not overflow the clock.
  auto Limit =
      std::chrono::nanoseconds(std::min<uint64_t>(Nanoseconds, INT64_MAX / 2));
  return S.Changed.wait_for(Lock, Limit, IsDone);
}

void heddleJobCancel(HeddleJob Job) {
  if (Job)
    Job->State->Cancelled = true;
}

HeddleError heddleJobTakeResult(HeddleJob Job, HeddleCodeObject *OutCode) {
  if (!Job || !OutCode)
    return nullArgument(Job ? "OutCode" : "Job");
  *OutCode = nullptr;
  heddleJobWait(Job, UINT64_MAX);
  JobState &S = *Job->State;
  std::lock_guard Lock(S.Mutex);
  if (S.IsTaken)
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                     "the result of the job was taken before");
  S.IsTaken = true;
  return handOver(std::move(S.Result), OutCode);
}

void heddleJobDestroy(HeddleJob Job) { delete Job; }
