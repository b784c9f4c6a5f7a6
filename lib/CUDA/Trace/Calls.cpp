//===- Calls.cpp - Calls of NVIDIA's functions ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What stubs do of a call, and which function has which stub.
//
//===----------------------------------------------------------------------===//

#include "Trace/Calls.h"
#include "Trace/CallStubs.h"
#include "Trace/CallbackIds.h"
#include "Trace/GraphEvents.h"
#include "Trace/Observations.h"
#include "Trace/Recorder.h"
#include "Trace/Timeline.h"
#include "llvm/ADT/StringSwitch.h"

#include <map>

using namespace llvm;
using namespace heddle;

namespace heddle::cuda::trace {

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

namespace {
/// What a stub calls.
struct Target {
  void *Address = nullptr;
  const Function *Called = nullptr;
};
} // namespace

/// By number of the stub; the assembly reads the addresses.
extern "C" __attribute__((
    visibility("hidden"))) Target heddleCallTargets[HEDDLE_CALL_STUBS];
Target heddleCallTargets[HEDDLE_CALL_STUBS];

/// Whose calls are noted; none: nobody's. Functions that compilers call around
/// launches are no part of an interface.
static std::optional<Interface> interfaceOf(StringRef Name) {
  if (Name.starts_with("cufft"))
    return Interface::FFT;
  if (Name.starts_with("cuda"))
    return Interface::Runtime;
  if (Name.starts_with("cupti"))
    return std::nullopt;
  if (Name.starts_with("cu"))
    return Interface::Driver;
  if (Name.starts_with("nccl") || Name.starts_with("pnccl"))
    return Interface::Collectives;
  return std::nullopt;
}

/// The headers of CUDA 13 call some functions by names of their own.
static StringRef publicName(StringRef Name) {
  return Name.starts_with("__cudaLaunchKernel") ? Name.drop_front(2) : Name;
}

static Synchronization synchronizationOf(StringRef Name, Interface Of) {
  if (Of != Interface::Runtime && Of != Interface::Driver)
    return Synchronization::None;
  return StringSwitch<Synchronization>(Name)
      .StartsWith("cudaEventSynchronize", Synchronization::Event)
      .StartsWith("cuEventSynchronize", Synchronization::Event)
      .StartsWith("cudaStreamWaitEvent", Synchronization::StreamForEvent)
      .StartsWith("cuStreamWaitEvent", Synchronization::StreamForEvent)
      .StartsWith("cudaStreamSynchronize", Synchronization::Stream)
      .StartsWith("cuStreamSynchronize", Synchronization::Stream)
      .StartsWith("cudaDeviceSynchronize", Synchronization::Context)
      .StartsWith("cudaThreadSynchronize", Synchronization::Context)
      .StartsWith("cuCtxSynchronize", Synchronization::Context)
      .Default(Synchronization::None);
}

/// Whether a function makes graphs, or nodes otherwise than by a capture.
static bool makesGraphs(StringRef Name, Interface Of) {
  bool HasPrefix = Name.consume_front(Of == Interface::Runtime ? "cuda" : "cu");
  if (!HasPrefix || (Of != Interface::Runtime && Of != Interface::Driver))
    return false;
  return StringSwitch<bool>(Name)
      .StartsWith("GraphAddDependencies", false)
      .StartsWith("GraphAdd", true)
      .StartsWith("GraphInstantiate", true)
      .StartsWith("GraphClone", true)
      .StartsWith("GraphCreate", true)
      .StartsWith("StreamEndCapture", true)
      .Default(false);
}

static const Function *describe(StringRef Name, Interface Of, unsigned Number) {
  CallbackId Id = callbackOf(Of, Name);
  return new Function{Name.str(),
                      Of,
                      Id.Number,
                      Of == Interface::Runtime ? driverCallbackOf(Name) : 0,
                      Id.Name ? Id.Name : Name.str(),
                      synchronizationOf(Name, Of),
                      makesGraphs(Name, Of),
                      Number};
}

void *stubOf(StringRef Name, void *Address) {
  static std::mutex Mutex; // of what follows
  static auto *Known = new std::map<std::pair<void *, std::string>, unsigned>;
  Name = publicName(Name);
  std::optional<Interface> Of = interfaceOf(Name);
  if (!Of || !Address)
    return Address;
  openTimeline();
  std::lock_guard Lock(Mutex);
  auto [It, IsNew] = Known->try_emplace({Address, Name.str()}, Known->size());
  // More functions than there are: they are called, and not noted.
  if (It->second >= HEDDLE_CALL_STUBS)
    return Address;
  if (IsNew)
    heddleCallTargets[It->second] = {Address, describe(Name, *Of, It->second)};
  return heddleCallStubs + size_t(It->second) * HEDDLE_CALL_STUB_BYTES;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// CallWatchers; the assembly reads it.
extern "C" __attribute__((visibility("hidden"))) std::atomic<unsigned>
    heddleCallWatchers;
std::atomic<unsigned> heddleCallWatchers{0};

void watchCalls(CallWatcher Who, bool Wants) {
  if (Wants)
    heddleCallWatchers |= unsigned(Who);
  else
    heddleCallWatchers &= ~unsigned(Who);
}

static std::atomic<const CallHooks *> Hooks{nullptr};

void setCallHooks(const CallHooks *H) { Hooks = H; }

namespace {
/// What calls need of their thread, in one place, which is found once a call.
struct CallThread {
  /// Who called the stub that the thread is in.
  const void *StubCaller = nullptr;
  uint64_t *Tag = nullptr; ///< rt::WorkTag; null before the first call.
  uint32_t Number = 0;
  /// Nodes that calls have captured; null where nobody notes them.
  const std::vector<rt::CapturedNode> *Captured = nullptr;
};
} // namespace

static constinit thread_local CallThread Here;

const void *callerBehindStub(const void *ReturnAddress) {
  return ReturnAddress == heddleStubReturn ? Here.StubCaller : ReturnAddress;
}

bool isInCall() { return Here.StubCaller != nullptr; }

void forgetCaptures() { Here.Captured = nullptr; }

namespace {
/// What a stub keeps on its stack. CallStubs.cpp knows its size.
struct Frame : OpenCall {
  CallThread *On = nullptr;
  const void *OuterCaller = nullptr;
  uint64_t OuterTag = 0;
  unsigned Watchers = 0; ///< CallWatchers, when it began.
};
static_assert(sizeof(Frame) <= HEDDLE_CALL_FRAME_BYTES);
} // namespace

/// That a profiler watches.
static constexpr unsigned ProfilerWatches =
    unsigned(CallWatcher::Callbacks) | unsigned(CallWatcher::Activities);

static std::atomic<uint32_t> LastCorrelation{0};

/// The first call of a thread.
static void begin(CallThread &On) {
  On.Tag = &rt::WorkTag;
  On.Number = currentThread();
  if (!Recorder::get().hasFile())
    return;
  On.Captured = &capturedNodes();
  rt::NotedCaptures = &capturedNodes();
}

/// Begins a call. Returns what is to be called.
extern "C" __attribute__((used, visibility("hidden"))) void *
heddleCallBegins(uint64_t Stub, void *Memory, const uint64_t *Registers,
                 const uint64_t *Stack) {
  const Target &T = heddleCallTargets[Stub];
  CallThread &On = Here;
  if (!On.Tag)
    begin(On);
  auto *F = new (Memory) Frame;
  F->On = &On;
  F->OuterCaller = On.StubCaller;
  F->OuterTag = *On.Tag;
  F->Watchers = heddleCallWatchers.load(std::memory_order_relaxed);
  F->Registers = Registers;
  F->Stack = Stack + 1;
  On.StubCaller = reinterpret_cast<const void *>(*Stack);
  F->Call.Called = T.Called;
  F->Call.Thread = On.Number;
  F->Call.Arguments[0] = Registers[0];
  F->Call.Arguments[1] = Registers[1];
  F->Call.Correlation =
      LastCorrelation.fetch_add(1, std::memory_order_relaxed) + 1;
  *On.Tag = F->Call.Correlation;
  F->Call.Begin = now();
  if (F->Watchers & ProfilerWatches)
    if (const CallHooks *H = Hooks)
      H->Begin(*F);
  return T.Address;
}

extern "C" __attribute__((used, visibility("hidden"))) void
heddleCallEnds(void *Memory, uint64_t Result) {
  auto *F = static_cast<Frame *>(Memory);
  F->Call.End = now();
  F->Call.Result = static_cast<int>(Result);
  if (F->Watchers & ProfilerWatches)
    if (const CallHooks *H = Hooks)
      H->End(*F);
  *F->On->Tag = F->OuterTag;
  F->On->StubCaller = F->OuterCaller;
  if (F->Watchers & unsigned(CallWatcher::Recorder)) {
    if (F->Call.Called->Waits != Synchronization::None)
      noteWait(F->Call);
    Recorder::get().add(F->Call);
    if (F->Call.Called->MakesGraphs ||
        (F->On->Captured && !F->On->Captured->empty()))
      noteGraphs(F->Call);
    noteMemory();
  }
}

} // namespace heddle::cuda::trace

/// What the libraries with NVIDIA's names ask for when a function is called for
/// the first time.
extern "C" __attribute__((visibility("default"))) void *
heddleStubOf(const char *Name, void *Function) {
  return cuda::trace::stubOf(Name, Function);
}
