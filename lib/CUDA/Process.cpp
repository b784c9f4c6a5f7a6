//===- Process.cpp - What the CUDA runtime knows of a process ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The environment says what device there is and what is reported of it:
// HEDDLE_CHIP, HEDDLE_STRICT, HEDDLE_CHECK, HEDDLE_PROFILE and others
// (docs/cuda.md).
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include "CallerCapability.h"
#include "DeviceTime.h"
#include "ErrorLog.h"
#include "ExitHandlers.h"
#include "FirstCause.h"
#include "PerThread.h"
#include "Runtime/Device.h"
#include "heddle/Debugger/Link.h"
#include "heddle/Native/ChooseExecution.h"
#include "heddle/Tooling/LoadedCompiler.h"

#include <cstdio>
#include <cstdlib>
#include <pthread.h>

using namespace llvm;

namespace heddle::cuda {

static bool isSet(const char *Variable) {
  const char *Value = std::getenv(Variable);
  return Value && *Value && StringRef(Value) != "0";
}

/// Where counts for the compiler go, and where it takes them from
/// (docs/pgo.md).
static constexpr char ProfileOut[] = "HEDDLE_PROFILE_OUT",
                      ProfileUse[] = "HEDDLE_PROFILE_USE";

void log(const Twine &Message) {
  static const bool Wanted = isSet("HEDDLE_LOG");
  if (Wanted)
    std::fprintf(stderr, "heddle: %s\n", Message.str().c_str());
}

/// A line about a launch that is over.
static void trace(const rt::ObservedLaunch &R) {
  auto Extent = [](const rt::Dim3 &D) {
    return "(" + std::to_string(D.X) + ", " + std::to_string(D.Y) + ", " +
           std::to_string(D.Z) + ")";
  };
  std::string Line =
      "heddle: " + R.Kernel.Name + " grid " + Extent(R.Config.Grid) +
      " block " + Extent(R.Config.Block) + ": " +
      std::to_string(R.Result.Statistics.WarpInstructions) +
      " warp instructions, " + std::to_string((R.End - R.Begin) / 1000) +
      " us, launch " + std::to_string(R.Config.Number) +
      (R.Result.Fault ? ", faulted" : "") + "\n";
  std::fputs(Line.c_str(), stderr);
}

Process &Process::get() {
  static auto *TheProcess = new Process;
  return *TheProcess;
}

Process::Process()
    : Skipped(isSet("HEDDLE_SKIP_LAUNCHES")
                  ? std::getenv("HEDDLE_SKIP_LAUNCHES")
                  : "") {}

static Expected<emu::CheckSet> wantedChecks() {
  const char *Names = std::getenv("HEDDLE_CHECK");
  return Names ? emu::CheckSet::parse(Names) : emu::CheckSet();
}

/// The same; none if the names are wrong, which deviceOptions reports.
static emu::CheckSet knownChecks() {
  Expected<emu::CheckSet> Checks = wantedChecks();
  if (Checks)
    return *Checks;
  consumeError(Checks.takeError());
  return emu::CheckSet();
}

Expected<Process::ComputeCapability>
Process::wantedCapability(const char *Variable, ComputeCapability Default) {
  ComputeCapability Wanted = Default;
  const char *Text = std::getenv(Variable);
  if (!Text)
    return Wanted;
  auto [Major, Minor] = StringRef(Text).split('.');
  if (Major.getAsInteger(10, Wanted.Major) ||
      Minor.getAsInteger(10, Wanted.Minor) || Wanted.Major < 1 ||
      Wanted.Minor < 0)
    return createStringError(Twine(Variable) + ": '" + Text +
                             "' is no compute capability, such as 10.0");
  return Wanted;
}

static Expected<Process::ComputeCapability> wantedByProgram() {
  return Process::wantedCapability("HEDDLE_COMPUTE_CAPABILITY", {});
}

Process::ComputeCapability Process::programCapability() {
  Expected<ComputeCapability> Wanted = wantedByProgram();
  if (Wanted)
    return *Wanted;
  consumeError(Wanted.takeError()); // deviceOptions reports it.
  return ComputeCapability();
}

Process::ComputeCapability Process::computeCapability() {
  return capabilityFor(CallerScope::caller());
}

/// Reads a number, if the variable has one.
template <typename T> static Error numberFrom(const char *Variable, T &Number) {
  const char *Text = std::getenv(Variable);
  if (!Text || !*Text)
    return Error::success();
  uint32_t Value;
  if (StringRef(Text).getAsInteger(10, Value))
    return createStringError(Twine(Variable) + ": '" + Text + "' is no number");
  Number = Value;
  return Error::success();
}

Expected<emu::EmulatorOptions> Process::deviceOptions() const {
  emu::EmulatorOptions Options;
  if (const char *Chip = std::getenv("HEDDLE_CHIP"))
    Options.Chip = Chip;
  Options.StrictHazards = isSet("HEDDLE_STRICT");
  Options.RelaxedMemory = isSet("HEDDLE_RELAXED_MEMORY");
  if (Error E = numberFrom("HEDDLE_HOST_THREADS", Options.HostThreads))
    return std::move(E);
  if (Error E = numberFrom("HEDDLE_SEED", Options.Seed))
    return std::move(E);
  if (Options.RelaxedMemory && !Options.Seed)
    return createStringError("HEDDLE_RELAXED_MEMORY needs HEDDLE_SEED");
  const char *Changes = std::getenv("HEDDLE_WHAT_IF");
  if (Changes && *Changes)
    if (auto Fault = Options.Changes.parse(Changes))
      return createStringError("HEDDLE_WHAT_IF: " + *Fault);
  Expected<std::shared_ptr<rt::VirtualTime>> Time =
      virtualTimeFor(Options.Chip, Options.Changes);
  if (!Time)
    return Time.takeError();
  Options.Time = std::move(*Time);
  Options.Timing = isSet("HEDDLE_PROFILE") || Options.Time;
  if (!Options.Changes.empty() && !Options.Timing)
    return createStringError("HEDDLE_WHAT_IF needs HEDDLE_TIMING");
  // As many as ptx-prof's guide gives figures for (docs/timing.md).
  if (Options.Time && !Options.Time->isExact())
    Options.Model.SampleWaves = 16;
  if (Error E = wantedChecks().moveInto(Options.Checks))
    return std::move(E);
  if (const char *Fresh = std::getenv("HEDDLE_FRESH_MEMORY"))
    if (Error E = rt::parseFreshMemory(Fresh).moveInto(Options.FreshMemory))
      return std::move(E);
  if (const char *Bounds = std::getenv("HEDDLE_BOUNDS"))
    if (Error E = rt::parseMemoryBounds(Bounds).moveInto(Options.Bounds))
      return std::move(E);
  if (Error E = wantedByProgram().takeError())
    return std::move(E);
  if (Error E = checkLibraryCapability())
    return std::move(E);
  return Options;
}

std::vector<std::string> Process::compilerArguments() const {
  std::vector<std::string> Arguments;
  if (const char *Level = std::getenv("HEDDLE_OPT_LEVEL"))
    Arguments.push_back("-O" + std::string(Level));
  if (knownChecks().needMemberMasks())
    Arguments.push_back("--keep-member-masks");
  // Reports name source lines.
  if (isSet("HEDDLE_CHECK") || isSet("HEDDLE_PROFILE") ||
      isSet("HEDDLE_CORE") || debug::isDebugged())
    Arguments.push_back("-lineinfo");
  if (isSet(ProfileOut))
    Arguments.push_back("-fprofile-probes");
  if (isSet(ProfileUse))
    Arguments.push_back("-fprofile-use=" +
                        std::string(std::getenv(ProfileUse)));
  return Arguments;
}

void Process::observeLaunches(StringRef Chip) {
  if (isSet("HEDDLE_PROFILE") && !Profile) {
    Expected<std::unique_ptr<Profiler>> Made =
        Profiler::create(std::getenv("HEDDLE_PROFILE"), Chip);
    if (Made)
      Profile = std::move(*Made);
    else
      std::fprintf(stderr, "heddle: %s\n", toString(Made.takeError()).c_str());
  }
  bool Traces = isSet("HEDDLE_TRACE_LAUNCHES");
  if (Traces || Profile)
    Context->setLaunchObserver(
        [Traces, P = Profile.get()](const rt::ObservedLaunch &R) {
          if (Traces)
            trace(R);
          if (P)
            P->add(R);
        });
}

void Process::observeTime(rt::VirtualTime &Time) {
  const char *File = std::getenv("HEDDLE_TIMING_REPORT");
  if (!File || !*File)
    return;
  if (!Times) {
    Expected<std::unique_ptr<TimeReport>> Made =
        TimeReport::create(File, Time.Clock);
    if (!Made) {
      std::fprintf(stderr, "heddle: %s\n", toString(Made.takeError()).c_str());
      return;
    }
    Times = std::move(*Made);
  }
  Time.setObserver(
      [Report = Times.get()](const rt::TimeSpan &S) { Report->add(S); });
}

void Process::addCounts() {
  if (!Context || !Counting)
    return;
  Expected<pgo::ProfileData> Counts = Counting->collect();
  Error E =
      Counts ? Counts->addToFile(std::getenv(ProfileOut)) : Counts.takeError();
  if (E)
    std::fprintf(stderr, "heddle: %s\n", toString(std::move(E)).c_str());
}

void Process::reportLeaks() {
  if (!Context || !knownChecks().contains(emu::CheckKind::Mem))
    return;
  std::string Leaks =
      emu::describeLeaks(Emulator ? *Emulator : Context->device());
  if (!Leaks.empty())
    std::fprintf(stderr, "heddle: %s\n", Leaks.c_str());
}

/// In a child of the process that opened the device: its threads are the
/// parent's only, and locks may be held for good.
static std::atomic<bool> Forked{false};

bool Process::isForked() { return Forked; }

/// Work may still be in flight. What a child inherited is its parent's to
/// report.
void Process::atExit(void *) {
  if (isForked())
    return;
  Process &P = get();
  std::lock_guard Lock(P.Mutex);
  P.reportLeaks();
  P.addCounts();
  if (P.Profile)
    P.Profile->finish();
  if (P.Times)
    P.Times->finish(errs());
}

thread_local unsigned DriverDepth = 0;
static thread_local bool UsesRuntime = false;
static std::atomic<bool> RuntimeIsInUse{false};

bool threadUsesRuntime() { return UsesRuntime; }
bool runtimeIsInUse() { return RuntimeIsInUse; }

/// What instructions are called, for a debugger; the compiler knows it.
static Expected<debug::Disassembly> disassemble(ArrayRef<uint8_t> Object,
                                                StringRef Chip) {
  Expected<LoadedCompiler> Compiler = LoadedCompiler::load();
  if (!Compiler)
    return Compiler.takeError();
  return Compiler->disassemble(Object, Chip);
}

Expected<std::unique_ptr<rt::Device>> Process::createDevice() {
  emu::EmulatorOptions Options;
  if (Error E = deviceOptions().moveInto(Options))
    return std::move(E);
  emu::Execution Mode;
  if (Error E = native::executionOfEnvironment().moveInto(Mode))
    return std::move(E);
  // A debugger sees single instructions.
  Options.Debug = debug::sessionOfProcess(disassemble);
  if (const char *Core = std::getenv("HEDDLE_CORE");
      Core && *Core && !Options.Debug)
    Options.Debug = debug::recordFault(Core);
  if (Options.Debug)
    Mode = emu::Execution::Emulate;
  if (Error E = native::chooseExecution(Options, Mode))
    return std::move(E);
  if (!isSet(ProfileOut))
    return emu::createEmulatorDevice(Options);
  // A file that cannot take the counts shall not be found out in the end.
  if (Error E = pgo::ProfileData().addToFile(std::getenv(ProfileOut)))
    return std::move(E);
  auto Probes = std::make_shared<pgo::ProbeSink>();
  Options.Probes = Probes;
  if (Error E = emu::createEmulatorDevice(Options).moveInto(Emulator))
    return std::move(E);
  auto Device = pgo::createProfilingDevice(*Emulator, std::move(Probes));
  Counting = Device.get();
  return Device;
}

Expected<rt::Context &> Process::context() {
  if (DriverDepth == 0) {
    UsesRuntime = true;
    RuntimeIsInUse = true;
  }
  if (isForked())
    return createStringError("the process that this one was forked from has "
                             "opened the device; a child cannot use it");
  std::lock_guard Lock(Mutex);
  if (Context)
    return *Context;
  Expected<std::unique_ptr<rt::Device>> Device = createDevice();
  if (!Device)
    return Device.takeError();
  (*Device)->setOutputSink([](StringRef Text) {
    std::fwrite(Text.data(), 1, Text.size(), stdout);
    std::fflush(stdout);
  });
  Properties = (*Device)->properties();
  if (rt::VirtualTime *Time = (*Device)->virtualTime())
    observeTime(*Time);
  Context = std::make_unique<rt::Context>(std::move(*Device));
  observeLaunches(Context->device().chip());
  static std::once_flag Registered;
  std::call_once(Registered, [] {
    callAtExit(atExit);
    pthread_atfork(nullptr, nullptr, [] { Forked = true; });
  });
  return *Context;
}

Process::DeviceDescription Process::describe(const rt::Device &Device) {
  return {Device.name().str(), Device.chip().str(), Device.properties()};
}

Expected<Process::DeviceDescription> Process::describeDevice() {
  std::lock_guard Lock(Mutex);
  if (Context)
    return describe(Context->device());
  emu::EmulatorOptions Options;
  if (Error E = deviceOptions().moveInto(Options))
    return std::move(E);
  Expected<std::unique_ptr<rt::Device>> Device =
      emu::createEmulatorDevice(Options);
  if (!Device)
    return Device.takeError();
  return describe(**Device);
}

bool Process::usesDevice() {
  if (isForked())
    return false;
  std::lock_guard Lock(Mutex);
  return Context != nullptr;
}

bool Process::isBusy() {
  if (isForked())
    return false;
  std::lock_guard Lock(Mutex);
  return Context && !Context->isIdle();
}

uint64_t Process::bytesInUse() const {
  return isForked() ? 0 : Pointers.deviceBytes() + Virtual.bytes();
}

const rt::DeviceProperties &Process::properties() {
  consumeError(context().takeError());
  return Properties;
}

rt::VirtualTime *Process::virtualTime() {
  Expected<rt::Context &> C = context();
  if (C)
    return C->device().virtualTime();
  consumeError(C.takeError());
  return nullptr;
}

uint64_t Process::freeBytes() {
  uint64_t All = properties().MemoryBytes;
  uint64_t Used = bytesInUse();
  return Used < All ? All - Used : 0;
}

void Process::reset() {
  if (isForked())
    return;
  Images.unload();
  // Not under Mutex: their memory is freed, which asks for the context.
  GraphExecs.clear();
  Graphs.clear();
  {
    std::lock_guard Lock(Mutex);
    Arrays.clear();
    Textures.clear();
    for (cudaStream_t S : Streams)
      delete S;
    Streams.clear();
    reportLeaks();
    addCounts();
    Context.reset();
    Counting = nullptr;
    Emulator.reset();
    Pointers.clear(); // which the device no longer uses
    FirstCause::get().forget();
    ++Generation;
  }
  // Not under Mutex: mapping memory takes the lock of Virtual and asks for the
  // context.
  Endpoints.clear();
  Virtual.clear();
  Ipc.clear();
  Pools.clear();
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

thread_local unsigned PerThreadScope::Depth = 0;

/// Ordered with the default stream, as CUDA's is.
rt::Stream &Process::threadStream(rt::Context &C) {
  struct ThreadStream {
    rt::Stream *Stream = nullptr;
    unsigned Generation = 0; ///< Of the context that has the stream.
  };
  static thread_local ThreadStream Own;
  if (!Own.Stream || Own.Generation != Generation)
    Own = {&C.createStream(rt::Stream::Kind::Blocking), Generation};
  return *Own.Stream;
}

rt::Stream *Process::stream(cudaStream_t Handle) {
  Expected<rt::Context &> C = context();
  if (!C) {
    consumeError(C.takeError());
    return nullptr;
  }
  if (!Handle && PerThreadScope::isActive())
    Handle = cudaStreamPerThread;
  if (!Handle || Handle == cudaStreamLegacy)
    return &C->defaultStream();
  if (Handle == cudaStreamPerThread)
    return &threadStream(*C);
  std::lock_guard Lock(Mutex);
  return Streams.count(Handle) ? Handle->Stream : nullptr;
}

cudaStream_t Process::addStream(rt::Stream &S, unsigned Flags) {
  auto *Handle = new StreamHandle{&S, Flags};
  std::lock_guard Lock(Mutex);
  Streams.insert(Handle);
  return Handle;
}

bool Process::removeStream(cudaStream_t Handle) {
  {
    std::lock_guard Lock(Mutex);
    if (!Streams.erase(Handle))
      return false;
  }
  cantFail(context()).destroyStream(*Handle->Stream);
  delete Handle;
  return true;
}

cudaEvent_t Process::addEvent(bool HasTiming, SharedEvent Shared) {
  auto *Handle = new EventHandle;
  Handle->HasTiming = HasTiming;
  if (Shared.Records)
    Handle->Event = std::make_shared<rt::Event>(Shared.Records);
  Handle->Shared = std::move(Shared);
  std::lock_guard Lock(Mutex);
  Events.insert(Handle);
  return Handle;
}

EventHandle *Process::event(cudaEvent_t Handle) {
  std::lock_guard Lock(Mutex);
  return Events.count(Handle) ? Handle : nullptr;
}

bool Process::removeEvent(cudaEvent_t Handle) {
  std::lock_guard Lock(Mutex);
  if (!Events.erase(Handle))
    return false;
  delete Handle;
  return true;
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

static thread_local cudaError_t Last = cudaSuccess;

cudaError_t finish(cudaError_t Code) {
  if (Code != cudaSuccess && Code != cudaErrorNotReady)
    Last = Code;
  return Code;
}

cudaError_t savedError() { return Last; }
void restoreError(cudaError_t Code) { Last = Code; }

static cudaError_t codeOf(rt::FaultKind Kind) {
  switch (Kind) {
  case rt::FaultKind::OutOfBounds:
  case rt::FaultKind::Null:
    return cudaErrorIllegalAddress;
  case rt::FaultKind::Misaligned:
    return cudaErrorMisalignedAddress;
  case rt::FaultKind::IllegalInstruction:
    return cudaErrorIllegalInstruction;
  case rt::FaultKind::Assert:
    return cudaErrorAssert;
  case rt::FaultKind::Timeout:
    return cudaErrorLaunchTimeout;
  default:
    return cudaErrorLaunchFailure;
  }
}

/// The code of the context's failure, which is the same for every call.
static cudaError_t codeOf(const rt::QueueFailure &Failure) {
  return Failure.Fault ? codeOf(Failure.Fault->Kind)
                       : cudaErrorInvalidConfiguration;
}

void explainFirst(const std::string &Message) {
  ErrorLog::get().add(Message);
  static std::atomic<bool> IsFirst{true};
  if (IsFirst.exchange(false))
    std::fprintf(stderr, "heddle: %s\n", Message.c_str());
}

cudaError_t convert(Error E, cudaError_t Otherwise) {
  if (!E)
    return cudaSuccess;
  cudaError_t Code = E.isA<rt::ImplicitCaptureError>()
                         ? cudaErrorStreamCaptureImplicit
                         : Otherwise;
  std::string Message = toString(std::move(E));
  if (Expected<rt::Context &> C = Process::get().context()) {
    if (std::optional<rt::QueueFailure> Failure = C->failure()) {
      FirstCause::get().report(*Failure);
      return codeOf(*Failure);
    }
  } else {
    consumeError(C.takeError());
    Code =
        Process::isForked() ? cudaErrorInitializationError : cudaErrorNoDevice;
  }
  explainFirst(Message);
  return Code;
}

cudaError_t lastError(bool Clear) {
  cudaError_t Code = Last;
  if (Clear)
    Last = cudaSuccess;
  if (Expected<rt::Context &> C = Process::get().context()) {
    if (std::optional<rt::QueueFailure> Failure = C->failure()) {
      FirstCause::get().report(*Failure);
      return codeOf(*Failure); // stays for good
    }
  } else {
    consumeError(C.takeError());
  }
  return Code;
}

cudaError_t enqueue(cudaStream_t Stream, rt::Operation Op) {
  rt::Stream *S = Process::get().stream(Stream);
  if (!S)
    return Process::isForked() ? cudaErrorInitializationError
                               : cudaErrorInvalidResourceHandle;
  bool IsAwaited = false;
  if (auto *Kernel = std::get_if<rt::KernelOp>(&Op)) {
    static const bool Blocks = isSet("CUDA_LAUNCH_BLOCKING");
    Kernel->Config.Number = FirstCause::get().countLaunch();
    IsAwaited = Blocks && !S->capture();
  }
  Error E = S->enqueue(std::move(Op));
  if (!E && IsAwaited)
    E = S->synchronize();
  return convert(std::move(E), cudaErrorInvalidValue);
}

} // namespace heddle::cuda
