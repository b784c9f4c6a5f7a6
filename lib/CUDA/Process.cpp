//===- Process.cpp - What the CUDA runtime knows of a process ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The environment says which devices there are and what is reported of them:
// HEDDLE_DEVICES, HEDDLE_PROFILE and others (docs/cuda.md).
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include "CallerCapability.h"
#include "Devices/MachineLinks.h"
#include "Driver/Driver.h"
#include "ErrorLog.h"
#include "ExitHandlers.h"
#include "FirstCause.h"
#include "LiveReport.h"
#include "PerThread.h"
#include "Profiler.h"
#include "Recording.h"
#include "Runtime/Device.h"
#include "Runtime/HostFunctions.h"
#include "ThreadValue.h"
#include "Trace/Observations.h"
#include "heddle/DeviceService/Protocol.h"
#include "heddle/Emulator/PeerLinks.h"

#include <cstdio>
#include <cstdlib>
#include <pthread.h>

using namespace llvm;

namespace heddle::cuda {

void log(const Twine &Message) {
  static const bool Wanted = isSet("HEDDLE_LOG");
  if (Wanted)
    std::fprintf(stderr, "heddle: %s\n", Message.str().c_str());
}

/// A line about a launch that is over.
static void printLaunch(const rt::ObservedLaunch &R) {
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

Expected<Process::ComputeCapability> Process::wantedByProgram() {
  return wantedCapability("HEDDLE_COMPUTE_CAPABILITY", {});
}

Process::ComputeCapability Process::programCapability() {
  Expected<ComputeCapability> Wanted = wantedByProgram();
  if (Wanted)
    return *Wanted;
  consumeError(Wanted.takeError()); // ProcessDevice reports it.
  return ComputeCapability();
}

Process::ComputeCapability Process::computeCapability() {
  return capabilityFor(CallerScope::caller());
}

//===----------------------------------------------------------------------===//
// What is reported
//===----------------------------------------------------------------------===//

void Process::observeLaunches(rt::Context &Context) {
  if (isSet("HEDDLE_PROFILE") && !Profile) {
    Expected<std::unique_ptr<Profiler>> Made = Profiler::create(
        std::getenv("HEDDLE_PROFILE"), Context.device().chip());
    if (Made)
      Profile = Made->release(); // see Process.h
    else
      std::fprintf(stderr, "heddle: %s\n", toString(Made.takeError()).c_str());
  }
  reportLive();
  bool Records = isSet("HEDDLE_PROFILING") && mayCountCycles();
  if (Records)
    Recording::get().allow(!Profile && !Live &&
                           !Context.device().virtualTime());
  bool Traces = isSet("HEDDLE_TRACE_LAUNCHES");
  if (Traces || Profile || Live || Records)
    Context.setLaunchObserver([Traces, Records, P = Profile,
                               L = Live.load()](const rt::ObservedLaunch &R) {
      if (Traces)
        printLaunch(R);
      if (P)
        P->add(R);
      if (L)
        L->add(R);
      if (Records)
        Recording::get().add(R);
    });
}

/// Connects to the dashboard, if there is one.
void Process::reportLive() {
  if (!isSet(dash::ReportVariable) || Live)
    return;
  auto Memory = [this] {
    std::vector<uint64_t> Bytes;
    for (unsigned I = 0; I != Devices.size(); ++I)
      Bytes.push_back(bytesInUse(I));
    return Bytes;
  };
  Expected<std::unique_ptr<LiveReport>> Made =
      LiveReport::connect(std::getenv(dash::ReportVariable), Memory);
  if (Made)
    Live = Made->release(); // see Process.h
  else
    std::fprintf(stderr, "heddle: %s\n", toString(Made.takeError()).c_str());
}

void Process::countCompilation(StringRef Origin) {
  if (LiveReport *L = Live)
    L->countCompilation(Origin);
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

static_assert(clients::RecordData::MaxDevices >= emu::MaxDevices);

/// Lets tools that watch the machine see what the process does. A program that
/// cannot tell them runs all the same.
void Process::observeUse(rt::Context &Context, unsigned Ordinal,
                         int64_t KnownAs) {
  if (!Record) {
    std::string Fault;
    Record = clients::OwnRecord::create(Fault, KnownAs);
    if (!Fault.empty())
      log(Fault);
  }
  clients::DeviceMeter &Meter =
      Record->open(Ordinal, Devices[Ordinal]->Machine.uuid());
  Memory.show(Ordinal, Meter);
  Context.setUsageMeter(&Meter);
}

/// In a child of the process that opened the device: its threads are the
/// parent's only, and locks may be held for good.
static std::atomic<bool> Forked{false};

bool Process::isForked() { return Forked; }

void Process::startChild() {
  Forked = true;
  for (std::unique_ptr<ProcessDevice> &D : get().Devices)
    D->leaveToParent();
  if (get().Record)
    get().Record->replaceInChild();
}

/// Work may still be in flight. What a child inherited is its parent's to
/// report.
void Process::atExit(void *) {
  if (isForked())
    return;
  Process &P = get();
  for (std::unique_ptr<ProcessDevice> &D : P.Devices)
    D->report();
  if (LiveReport *L = P.Live)
    L->finish();
  std::lock_guard Lock(P.Mutex);
  if (P.Profile)
    P.Profile->finish();
  if (P.Times)
    P.Times->finish(errs());
  if (P.Record)
    P.Record->withdraw();
}

/// Prints a text of a kernel's, one at a time whatever device it ran on.
static void printText(StringRef Text) {
  static auto *OneAtATime = new std::mutex; // see Process.h
  std::lock_guard Lock(*OneAtATime);
  std::fwrite(Text.data(), 1, Text.size(), stdout);
  std::fflush(stdout);
}

void Process::observe(rt::Context &Context, unsigned Ordinal, int64_t KnownAs) {
  std::lock_guard Lock(Mutex);
  Context.device().setOutputSink(printText);
  if (rt::VirtualTime *Time = Context.device().virtualTime()) {
    observeTime(*Time);
    if (Devices.size() > 1)
      Time->setLinks([this](const rt::RowCopy &C) { return linkOf(C); },
                     [this](unsigned From, unsigned To) -> rt::PeerLink & {
                       return linkBetween(From, To);
                     },
                     Ordinal);
  }
  observeLaunches(Context);
  observeUse(Context, Ordinal, KnownAs);
  Context.setWorkObserver(
      [Ordinal](const rt::ObservedWork &W) { trace::noteWork(W, Ordinal); });
  static std::once_flag Registered;
  std::call_once(Registered, [] {
    callAtExit(atExit);
    pthread_atfork(nullptr, nullptr, startChild);
  });
}

//===----------------------------------------------------------------------===//
// Devices
//===----------------------------------------------------------------------===//

thread_local unsigned DriverDepth = 0;
static thread_local bool UsesRuntime = false;
static std::atomic<bool> RuntimeIsInUse{false};

bool threadUsesRuntime() { return UsesRuntime; }
bool runtimeIsInUse() { return RuntimeIsInUse; }

unsigned coresOfChip(StringRef Chip) {
  const isa::ChipInfo *Known = isa::findChip(Chip);
  return Known ? Known->Cores : 0;
}

partitions::Partitions readPartitions() {
  Expected<partitions::Partitions> P = partitions::Partitions::read();
  if (P)
    return std::move(*P);
  log(toString(P.takeError()));
  return {};
}

namespace {
/// The devices of a machine, and how they are divided.
struct DividedMachine {
  Machine Devices;
  partitions::Partitions Parts;
};
} // namespace

/// What a service says that shares devices out, to a program that has not been
/// told of any; none if there is no such service.
static Expected<std::optional<DividedMachine>> machineOfService() {
  const char *Devices = std::getenv("HEDDLE_DEVICES"),
             *Chip = std::getenv("HEDDLE_CHIP");
  std::string Path = deviced::serviceAddress().Path;
  if (Path.empty() || (Devices && *Devices) || (Chip && *Chip))
    return std::nullopt;
  Expected<std::string> Text =
      deviced::ask(Path, deviced::MessageKind::Devices);
  if (!Text) {
    // Whoever opens a device says so, if it has to be there.
    consumeError(Text.takeError());
    return std::nullopt;
  }
  Expected<std::string> Divided =
      deviced::ask(Path, deviced::MessageKind::Parts);
  if (!Divided)
    return Divided.takeError();
  DividedMachine M;
  bool IsJSON = StringRef(*Text).ltrim().starts_with("{");
  if (Error E = (IsJSON ? Machine::parseJSON(*Text) : Machine::parse(*Text))
                    .moveInto(M.Devices))
    return std::move(E);
  if (Error E = partitions::Partitions::parse(*Divided).moveInto(M.Parts))
    return std::move(E);
  return std::move(M);
}

static Expected<DividedMachine> readMachine() {
  Expected<std::optional<DividedMachine>> Shared = machineOfService();
  if (!Shared)
    return Shared.takeError();
  if (*Shared)
    return std::move(**Shared);
  DividedMachine M;
  if (Error E = Machine::fromEnvironment().moveInto(M.Devices))
    return std::move(E);
  if (Error E = partitions::Partitions::read().moveInto(M.Parts))
    return std::move(E);
  return M;
}

/// Not when the process is made, which static constructors do: the program may
/// set variables before its first call.
void Process::findDevices() {
  std::call_once(DevicesFound, [this] {
    Expected<DividedMachine> Read = readMachine();
    if (!Read) {
      MachineFault = NoDevice = toString(Read.takeError());
      return;
    }
    TheMachine = std::move(Read->Devices);
    const char *List = std::getenv("CUDA_VISIBLE_DEVICES");
    std::shared_ptr<emu::AddressSpace> Space = emu::createAddressSpace();
    auto Neighbours = std::make_shared<rt::ContextGroup>();
    for (const MachineDevice &D : partitions::visible(
             TheMachine, Read->Parts,
             List ? std::optional<StringRef>(List) : std::nullopt, coresOfChip))
      Devices.push_back(std::make_unique<ProcessDevice>(Devices.size(), D,
                                                        Space, Neighbours));
    for (const auto &From : Devices)
      for (const auto &To : Devices)
        if (From != To) {
          DeviceLink Link = cuda::linkBetween(TheMachine, *From, *To);
          emu::setPeerLink(*Space, From->Ordinal, To->Ordinal,
                           {Link.BytesPerSecond, Link.LatencyNs});
        }
    if (Devices.empty())
      NoDevice = List ? "CUDA_VISIBLE_DEVICES, which is '" + std::string(List) +
                            "', names none of the " +
                            std::to_string(TheMachine.devices().size()) +
                            " devices"
                      : "all devices are divided, and have no compute instance";
  });
}

Expected<const Machine &> Process::machine() {
  findDevices();
  if (!MachineFault.empty())
    return createStringError(MachineFault);
  return TheMachine;
}

Expected<unsigned> Process::countDevices() {
  findDevices();
  if (Devices.empty())
    return createStringError(NoDevice);
  return Devices.size();
}

ProcessDevice *Process::device(int Ordinal) {
  findDevices();
  return Ordinal >= 0 && size_t(Ordinal) < Devices.size()
             ? Devices[Ordinal].get()
             : nullptr;
}

ProcessDevice *Process::device() { return device(currentDevice()); }

ProcessDevice &Process::deviceOf(const rt::Context &Context) {
  for (std::unique_ptr<ProcessDevice> &D : Devices)
    if (D->opened() == &Context)
      return *D;
  llvm_unreachable("the context is none of a device's");
}

Expected<rt::Context &> Process::context(unsigned Ordinal) {
  if (DriverDepth == 0) {
    UsesRuntime = true;
    RuntimeIsInUse = true;
  }
  if (HostFunctionScope::isActive())
    return createStringError("a function that a stream runs calls CUDA, which "
                             "is not permitted");
  if (isForked())
    return createStringError("the process that this one was forked from has "
                             "opened the device; a child cannot use it");
  if (ProcessDevice *D = device(Ordinal))
    return D->context();
  return createStringError(Devices.empty() ? NoDevice
                                           : "there is no such device");
}

Expected<rt::Context &> Process::context() { return context(currentDevice()); }

/// The device whose memory one side of a copy is; none if it is the host's.
static std::optional<unsigned> deviceOf(const rt::RowPlace &P) {
  std::optional<Block> B =
      P.IsHost ? std::nullopt
               : Process::get().Pointers.find(pointerOf(P.Address));
  if (!B || B->Type != cudaMemoryTypeDevice)
    return std::nullopt;
  return B->Device;
}

rt::PeerLink *Process::linkOf(const rt::RowCopy &Copy) {
  std::optional<unsigned> From = cuda::deviceOf(Copy.From),
                          To = cuda::deviceOf(Copy.To);
  return From && To && *From != *To ? &linkBetween(*From, *To) : nullptr;
}

rt::PeerLink &Process::linkBetween(unsigned From, unsigned To) {
  DeviceLink Link = cuda::linkBetween(TheMachine, *Devices[From], *Devices[To]);
  std::lock_guard Lock(LinksMutex);
  return Links.try_emplace({From, To}, Link.BytesPerSecond, Link.LatencyNs)
      .first->second;
}

uint64_t Process::bytesInUse(unsigned Ordinal) const {
  return isForked() ? 0 : Memory.bytes(Ordinal);
}

const rt::DeviceProperties &Process::properties() {
  static const rt::DeviceProperties None;
  ProcessDevice *D = device();
  return D ? D->properties() : None;
}

rt::VirtualTime *Process::virtualTime() {
  Expected<rt::Context &> C = context();
  if (C)
    return C->device().virtualTime();
  consumeError(C.takeError());
  return nullptr;
}

/// A service of devices knows what other processes have.
uint64_t Process::freeBytes(unsigned Ordinal) {
  ProcessDevice *D = device(Ordinal);
  uint64_t All = D ? D->properties().MemoryBytes : 0;
  uint64_t Used = bytesInUse(Ordinal);
  uint64_t Own = Used < All ? All - Used : 0;
  std::shared_ptr<emu::DeviceBroker> Broker = D ? D->broker() : nullptr;
  return Broker ? std::min(Own, Broker->freeMemory()) : Own;
}

void Process::makeRoom(unsigned Ordinal, uint64_t Bytes) {
  if (Pools.holds() && Bytes > freeBytes(Ordinal))
    Pools.release(Ordinal);
}

std::shared_ptr<emu::MemoryGrant> Process::takeMemory(unsigned Ordinal,
                                                      uint64_t Bytes) {
  if (!context(Ordinal) || !device(Ordinal))
    return nullptr;
  makeRoom(Ordinal, Bytes);
  ProcessDevice &D = *device(Ordinal);
  uint64_t All = D.properties().MemoryBytes, Used = bytesInUse(Ordinal);
  if (Used > All || Bytes > All - Used)
    return nullptr;
  return emu::MemoryGrant::take(D.broker(), Bytes);
}

void Process::reset() {
  ProcessDevice *D = isForked() ? nullptr : device();
  if (!D)
    return;
  unsigned Gone = D->Ordinal;
  Storage.end(primaryContext(Gone));
  Images.unload(Gone);
  // Not under Mutex: their memory is freed, which asks for the context.
  auto IsGone = [Gone](const auto &Handle) { return Handle.Device == Gone; };
  GraphExecs.removeIf(IsGone);
  Graphs.removeIf(IsGone);
  Arrays.clear(Gone);
  Textures.clear(Gone);
  // A device that opens its context holds its own lock and asks for Mutex.
  const rt::Context *Ended = D->opened();
  {
    std::lock_guard Lock(Mutex);
    std::erase_if(Streams, [Ended](cudaStream_t S) {
      if (&S->Stream->context() != Ended)
        return false;
      delete S;
      return true;
    });
  }
  for (std::unique_ptr<ProcessDevice> &Other : Devices)
    if (Other->hasAccess(*D))
      consumeError(Other->setAccess(*D, false));
  D->close();
  {
    std::lock_guard Lock(Mutex);
    if (clients::DeviceMeter *Meter = Record ? Record->find(Gone) : nullptr)
      Meter->close();
  }
  Pointers.clear(Gone); // which the device no longer uses
  FirstCause::get().forget();
  // Mapping memory takes the lock of Virtual and asks for the context.
  if (Gone == 0)
    Endpoints.clear();
  Virtual.clear(Gone);
  Ipc.clear(Gone);
  Pools.clear(Gone);
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

thread_local unsigned PerThreadScope::Depth = 0;
thread_local bool HostFunctionScope::IsInside = false;

/// Ordered with the default stream, as CUDA's is.
rt::Stream &Process::threadStream(rt::Context &C) {
  struct ThreadStream {
    rt::Stream *Stream = nullptr;
    unsigned Generation = 0; ///< Of the context that has the stream.
  };
  struct ThreadStreams : SmallVector<ThreadStream, 1> {}; ///< By device.
  auto &Streams = threadValue<ThreadStreams>();
  const ProcessDevice &D = deviceOf(C);
  if (Streams.size() <= D.Ordinal)
    Streams.resize(D.Ordinal + 1);
  ThreadStream &Own = Streams[D.Ordinal];
  if (!Own.Stream || Own.Generation != D.generation())
    Own = {&C.createStream(rt::Stream::Kind::Blocking), D.generation()};
  return *Own.Stream;
}

rt::Stream *Process::stream(cudaStream_t Handle) {
  if (HostFunctionScope::isActive())
    return nullptr;
  if (!Handle && PerThreadScope::isActive())
    Handle = cudaStreamPerThread;
  if (Handle && Handle != cudaStreamLegacy && Handle != cudaStreamPerThread) {
    std::lock_guard Lock(Mutex);
    return !isForked() && Streams.count(Handle) ? Handle->Stream : nullptr;
  }
  Expected<rt::Context &> C = context();
  if (!C) {
    consumeError(C.takeError());
    return nullptr;
  }
  return Handle == cudaStreamPerThread ? &threadStream(*C)
                                       : &C->defaultStream();
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
  Handle->Stream->context().destroyStream(*Handle->Stream);
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
  // Whatever the call did not get.
  if (Code != cudaSuccess && HostFunctionScope::isActive())
    Code = cudaErrorNotPermitted;
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

/// The failure of the thread's device, or that of another one from which an
/// error comes.
static std::optional<rt::QueueFailure> failureOf(rt::Context &Own,
                                                 StringRef Message) {
  if (std::optional<rt::QueueFailure> Failure = Own.failure())
    return Failure;
  for (int I = 0; ProcessDevice *D = Process::get().device(I); ++I)
    if (rt::Context *C = D->opened())
      if (std::optional<rt::QueueFailure> Failure = C->failure();
          Failure && Failure->Message == Message)
        return Failure;
  return std::nullopt;
}

cudaError_t convert(Error E, cudaError_t Otherwise) {
  if (!E)
    return cudaSuccess;
  cudaError_t Code = E.isA<rt::ImplicitCaptureError>()
                         ? cudaErrorStreamCaptureImplicit
                         : Otherwise;
  std::string Message = toString(std::move(E));
  if (Expected<rt::Context &> C = Process::get().context()) {
    if (std::optional<rt::QueueFailure> Failure = failureOf(*C, Message)) {
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
    // The kernel was loaded on the thread's device.
    ProcessDevice *D = Process::get().device();
    if (!D || D->opened() != &S->context())
      return cudaErrorInvalidResourceHandle;
    static const bool Blocks = isSet("CUDA_LAUNCH_BLOCKING");
    Kernel->Config.Number = FirstCause::get().countLaunch();
    IsAwaited = Blocks && !S->capture();
    // What a graph launches may be in a profile that begins later.
    // In virtual time all launches are timed but those that say otherwise.
    if (!S->context().device().virtualTime())
      Kernel->Config.IsUntimed = Recording::get().skipsNow() && !S->capture();
  }
  Error E = S->enqueue(std::move(Op));
  if (!E && IsAwaited)
    E = S->synchronize();
  return convert(std::move(E), cudaErrorInvalidValue);
}

} // namespace heddle::cuda
