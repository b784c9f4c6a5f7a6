//===- Callbacks.cpp - Callbacks at calls -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a profiler gets of a call is made of registers and stack, since stubs
// know no types.
//
//===----------------------------------------------------------------------===//

#include "CUPTI/Callbacks.h"
#include "CUPTI/Activities.h"
#include "CUPTI/Resources.h"
#include "Driver/Driver.h"
#include "Process.h"
#include "Trace/CallbackIds.h"
#include "Trace/Calls.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <bitset>

using namespace llvm;

namespace heddle::cuda::cupti {

//===----------------------------------------------------------------------===//
// The subscriber
//===----------------------------------------------------------------------===//

namespace {
/// More than functions of a domain have.
constexpr size_t MaxNumber = 4096;

struct State {
  std::mutex Mutex; ///< Of everything below.
  Subscriber Number = 0, LastNumber = 0;
  CUpti_CallbackFunc Function = nullptr;
  void *UserData = nullptr;
  std::bitset<MaxNumber> Wanted[CUPTI_CB_DOMAIN_SIZE];

  static State &get() {
    static auto *TheState = new State; // see Process.h
    return *TheState;
  }
};
} // namespace

static bool isDomain(uint32_t Domain) {
  return Domain && Domain < CUPTI_CB_DOMAIN_SIZE;
}

bool isEnabled(uint32_t Domain, uint32_t Number) {
  State &S = State::get();
  std::lock_guard Lock(S.Mutex);
  return isDomain(Domain) && Number < MaxNumber && S.Wanted[Domain][Number];
}

bool isSubscribed(Subscriber Number) {
  State &S = State::get();
  std::lock_guard Lock(S.Mutex);
  return Number && S.Number == Number;
}

bool enableCallback(Subscriber Number, uint32_t Domain, uint32_t Function,
                    bool Wants) {
  State &S = State::get();
  std::lock_guard Lock(S.Mutex);
  if (!Number || S.Number != Number || !isDomain(Domain) ||
      Function >= MaxNumber)
    return false;
  if (Function)
    S.Wanted[Domain][Function] = Wants;
  else if (Wants)
    S.Wanted[Domain].set();
  else
    S.Wanted[Domain].reset();
  return true;
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

namespace {
/// What cuLaunchKernel gets, as a profiler knows it.
struct DriverLaunch {
  void *Function;
  uint32_t Grid[3], Block[3], SharedBytes;
  void *Stream, **Parameters, **Extra;
};

/// What a callback refers to while it runs.
struct Context {
  const trace::OpenCall &Open;
  /// Words in the order of the parameters. Those of 8 bytes are where a
  /// profiler expects them.
  uint64_t Words[16] = {};
  DriverLaunch Launch = {};
  uint64_t Result = 0;
  std::string Symbol;

  explicit Context(const trace::OpenCall &Open);
  /// What the function of that interface gets: of a call of the runtime also
  /// what the driver's in it would get.
  const void *parametersOf(trace::Interface Of) const;

private:
  bool isOf(trace::Interface Of) const { return Open.Call.Called->Of == Of; }
  bool isLaunch() const {
    StringRef Name = Open.Call.Called->Name;
    return (Name.contains("LaunchKernel") ||
            Name.contains("LaunchCooperativeKernel")) &&
           !takesConfiguration();
  }
  /// The launch's first parameter is a structure, its second the function.
  bool takesConfiguration() const {
    return StringRef(Open.Call.Called->Name).contains("KernelEx");
  }
  void readDriverLaunch();
  void readRuntimeLaunch();
  void findSymbol();
};
} // namespace

Context::Context(const trace::OpenCall &Open) : Open(Open) {
  constexpr unsigned NumRegisters = trace::NumArgumentRegisters;
  for (unsigned I = 0; I != std::size(Words); ++I)
    Words[I] =
        I < NumRegisters ? Open.Registers[I] : Open.Stack[I - NumRegisters];
  if (isLaunch() && isOf(trace::Interface::Driver))
    readDriverLaunch();
  else if (isLaunch() && isOf(trace::Interface::Runtime))
    readRuntimeLaunch();
  findSymbol();
}

void Context::readDriverLaunch() {
  Launch.Function = reinterpret_cast<void *>(Words[0]);
  for (unsigned I = 0; I != 3; ++I) {
    Launch.Grid[I] = Words[1 + I];
    Launch.Block[I] = Words[4 + I];
  }
  Launch.SharedBytes = Words[7];
  Launch.Stream = reinterpret_cast<void *>(Words[8]);
  Launch.Parameters = reinterpret_cast<void **>(Words[9]);
  Launch.Extra = reinterpret_cast<void **>(Words[10]);
}

/// The runtime's extents are structures of 12 bytes, which take two words each.
void Context::readRuntimeLaunch() {
  Launch.Function = reinterpret_cast<void *>(Words[0]);
  for (auto [Extents, Word] : {std::pair(Launch.Grid, 1), {Launch.Block, 3}}) {
    Extents[0] = Lo_32(Words[Word]);
    Extents[1] = Hi_32(Words[Word]);
    Extents[2] = Lo_32(Words[Word + 1]);
  }
  Launch.Parameters = reinterpret_cast<void **>(Words[5]);
  Launch.SharedBytes = Words[6];
  Launch.Stream = reinterpret_cast<void *>(Words[7]);
}

const void *Context::parametersOf(trace::Interface Of) const {
  return isLaunch() && Of == trace::Interface::Driver
             ? static_cast<const void *>(&Launch)
             : Words;
}

/// The kernel of a launch, by the host's address or the driver's handle.
void Context::findSymbol() {
  StringRef Name = Open.Call.Called->Name;
  if (!Name.contains("LaunchKernel") && !Name.contains("LaunchCooperative"))
    return;
  const auto *Function =
      reinterpret_cast<const void *>(Words[takesConfiguration() ? 1 : 0]);
  if (KernelHandle *Kernel = Process::get().Images.kernel(Function))
    Symbol = Kernel->Name;
}

namespace {
/// A call of which profilers are told.
struct ToldCall {
  trace::Interface Of;
  uint32_t Number; ///< 0: there is none.
  const char *Name;
  uint64_t *Kept;

  CUpti_CallbackDomain domain() const {
    return Of == trace::Interface::Driver ? CUPTI_CB_DOMAIN_DRIVER_API
                                          : CUPTI_CB_DOMAIN_RUNTIME_API;
  }
  bool isWanted() const { return Number && isEnabled(domain(), Number); }
};
} // namespace

static ToldCall callOfProgram(trace::OpenCall &Open) {
  const trace::Function &F = *Open.Call.Called;
  return {F.Of, F.Callback, F.Name.c_str(), &Open.Kept};
}

/// The driver's call that NVIDIA's runtime makes in it.
static ToldCall callOfDriver(trace::OpenCall &Open) {
  constexpr auto Of = trace::Interface::Driver;
  uint32_t Number = Open.Call.Called->DriverCallback;
  return {Of, Number, Number ? trace::callbackName(Of, Number) : nullptr,
          &Open.KeptOfDriver};
}

static void callBack(trace::OpenCall &Open, const ToldCall &T, bool IsEnd,
                     Context &C) {
  unsigned Device = currentDevice();
  C.Result = static_cast<uint32_t>(Open.Call.Result);
  CUpti_CallbackData Data = {};
  Data.callbackSite = IsEnd;
  Data.functionName = T.Name;
  Data.functionParams = C.parametersOf(T.Of);
  Data.functionReturnValue = IsEnd ? &C.Result : nullptr;
  Data.symbolName = C.Symbol.empty() ? nullptr : C.Symbol.c_str();
  Data.context = currentContext();
  Data.contextUid = contextIdOf(Device);
  Data.correlationData = T.Kept;
  Data.correlationId = Open.Call.Correlation;
  callSubscriber(T.domain(), T.Number, &Data);
}

void callSubscriber(CUpti_CallbackDomain Domain, uint32_t Number,
                    const void *Data) {
  CUpti_CallbackFunc Function;
  void *UserData;
  {
    State &S = State::get();
    std::lock_guard Lock(S.Mutex);
    if (!S.Function || !S.Wanted[Domain][Number])
      return;
    Function = S.Function;
    UserData = S.UserData;
  }
  Function(UserData, Domain, Number, Data);
}

/// Tells of calls in that order, as far as somebody wants to know of them.
static void callBack(trace::OpenCall &Open,
                     std::initializer_list<ToldCall> Calls, bool IsEnd) {
  if (llvm::none_of(Calls, [](const ToldCall &T) { return T.isWanted(); }))
    return;
  Context C(Open);
  for (const ToldCall &T : Calls)
    if (T.isWanted())
      callBack(Open, T, IsEnd, C);
}

static void onBegin(trace::OpenCall &Open) {
  tellBefore(Open.Call);
  callBack(Open, {callOfProgram(Open), callOfDriver(Open)}, /*IsEnd=*/false);
}

static void onEnd(trace::OpenCall &Open) {
  tellBehind(Open.Call);
  callBack(Open, {callOfDriver(Open), callOfProgram(Open)}, /*IsEnd=*/true);
  Activities::get().serve();
}

static constexpr trace::CallHooks Hooks = {onBegin, onEnd};

void watchForRecords(bool Wants) {
  trace::setCallHooks(&Hooks);
  trace::watchCalls(trace::CallWatcher::Activities, Wants);
}

//===----------------------------------------------------------------------===//
// Subscribing
//===----------------------------------------------------------------------===//

bool subscribe(CUpti_CallbackFunc Function, void *UserData,
               Subscriber &Number) {
  State &S = State::get();
  std::lock_guard Lock(S.Mutex);
  if (S.Number)
    return false;
  Number = S.Number = ++S.LastNumber;
  S.Function = Function;
  S.UserData = UserData;
  trace::setCallHooks(&Hooks);
  trace::watchCalls(trace::CallWatcher::Callbacks, true);
  return true;
}

bool unsubscribe(Subscriber Number) {
  State &S = State::get();
  std::lock_guard Lock(S.Mutex);
  if (!Number || S.Number != Number)
    return false;
  S.Number = 0;
  S.Function = nullptr;
  for (std::bitset<MaxNumber> &Wanted : S.Wanted)
    Wanted.reset();
  trace::watchCalls(trace::CallWatcher::Callbacks, false);
  return true;
}

} // namespace heddle::cuda::cupti
