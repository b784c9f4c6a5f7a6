//===- ProcessDevice.cpp - A device as a process has it ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Options by the environment, opening and closing.
//
//===----------------------------------------------------------------------===//

#include "Devices/ProcessDevice.h"
#include "CallerCapability.h"
#include "Devices/DeviceTime.h"
#include "Devices/Shares.h"
#include "Process.h"
#include "ProfiledCode.h"
#include "Profiling/LaunchTrials.h"
#include "Recording.h"
#include "heddle/Dashboard/Report.h"
#include "heddle/Debugger/Link.h"
#include "heddle/Native/ChooseExecution.h"
#include "heddle/Tooling/LoadedCompiler.h"

#include <cstdio>
#include <cstdlib>

using namespace llvm;

namespace heddle::cuda {

//===----------------------------------------------------------------------===//
// The environment
//===----------------------------------------------------------------------===//

bool isSet(const char *Variable) {
  const char *Value = std::getenv(Variable);
  return Value && *Value && StringRef(Value) != "0";
}

/// Where counts for the compiler go, and where it takes them from
/// (docs/pgo.md).
static constexpr char ProfileOut[] = "HEDDLE_PROFILE_OUT",
                      ProfileUse[] = "HEDDLE_PROFILE_USE";

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

Expected<emu::EmulatorOptions> ProcessDevice::options() const {
  emu::EmulatorOptions Options;
  Options.Chip = Machine.Chip;
  Options.Space = Space;
  Options.Ordinal = Ordinal;
  if (Machine.MemoryBytes)
    Options.MemoryBytes = *Machine.MemoryBytes;
  Options.StrictHazards = isSet("HEDDLE_STRICT");
  Options.RelaxedMemory = isSet("HEDDLE_RELAXED_MEMORY");
  if (Error E = numberFrom("HEDDLE_HOST_THREADS", Options.HostThreads))
    return std::move(E);
  if (Error E = numberFrom("HEDDLE_SEED", Options.Seed))
    return std::move(E);
  if (Options.RelaxedMemory && !Options.Seed)
    return createStringError("HEDDLE_RELAXED_MEMORY needs HEDDLE_SEED");
  if (Machine.ClockMHz)
    if (auto Fault =
            Options.Changes.parse("clock=" + std::to_string(*Machine.ClockMHz)))
      return createStringError("HEDDLE_DEVICES: " + *Fault);
  if (Error E = limitToShare(Options, Machine, Ordinal))
    return std::move(E);
  const char *Changes = std::getenv("HEDDLE_WHAT_IF");
  if (Changes && *Changes)
    if (auto Fault = Options.Changes.parse(Changes))
      return createStringError("HEDDLE_WHAT_IF: " + *Fault);
  Expected<std::shared_ptr<rt::VirtualTime>> Time =
      virtualTimeFor(Options.Chip, Options.Changes);
  if (!Time)
    return Time.takeError();
  Options.Time = std::move(*Time);
  bool IsLive = isSet(dash::ReportVariable),
       IsProfiled = isSet("HEDDLE_PROFILE");
  bool MayRecord = isSet("HEDDLE_PROFILING");
  Options.Timing =
      IsProfiled || Options.Time || ((IsLive || MayRecord) && mayCountCycles());
  if (Changes && *Changes && !Options.Timing)
    return createStringError("HEDDLE_WHAT_IF needs HEDDLE_TIMING");
  // As many as ptx-prof's guide gives figures for (docs/timing.md).
  if (Options.Time ? !Options.Time->isExact() : IsLive && !IsProfiled)
    Options.Model.SampleWaves = 16;
  if (Error E = wantedChecks().moveInto(Options.Checks))
    return std::move(E);
  if (const char *Fresh = std::getenv("HEDDLE_FRESH_MEMORY"))
    if (Error E = rt::parseFreshMemory(Fresh).moveInto(Options.FreshMemory))
      return std::move(E);
  if (const char *Bounds = std::getenv("HEDDLE_BOUNDS"))
    if (Error E = rt::parseMemoryBounds(Bounds).moveInto(Options.Bounds))
      return std::move(E);
  if (Error E = Process::wantedByProgram().takeError())
    return std::move(E);
  if (Error E = checkLibraryCapability())
    return std::move(E);
  return Options;
}

std::vector<std::string> compilerArgumentsOfEnvironment() {
  std::vector<std::string> Arguments;
  if (const char *Level = std::getenv("HEDDLE_OPT_LEVEL"))
    Arguments.push_back("-O" + std::string(Level));
  if (knownChecks().needMemberMasks())
    Arguments.push_back("--keep-member-masks");
  // Reports name source lines.
  if (isSet("HEDDLE_CHECK") || isSet("HEDDLE_PROFILE") ||
      isSet("HEDDLE_CORE") || isSet(dash::ReportVariable) ||
      isSet("HEDDLE_PROFILING") || debug::mayBeDebugged())
    Arguments.push_back("-lineinfo");
  // Each thread is one of the source then.
  if (debug::mayBeDebugged() || isSet("HEDDLE_CORE"))
    Arguments.push_back("--separate-ctas");
  if (isSet(ProfileOut))
    Arguments.push_back("-fprofile-probes");
  if (isSet(ProfileUse))
    Arguments.push_back("-fprofile-use=" +
                        std::string(std::getenv(ProfileUse)));
  return Arguments;
}

//===----------------------------------------------------------------------===//
// Opening and closing
//===----------------------------------------------------------------------===//

/// What instructions are called, for a debugger; the compiler knows it.
static Expected<debug::Disassembly> disassemble(ArrayRef<uint8_t> Object,
                                                StringRef Chip) {
  Expected<LoadedCompiler> Compiler = LoadedCompiler::load();
  if (!Compiler)
    return Compiler.takeError();
  return Compiler->disassemble(Object, Chip);
}

/// Launches whose profile somebody wants run again, to prove advice.
static bool mayTry() {
  return !isSet("HEDDLE_PROFILE_UNTRIED") &&
         (isSet("HEDDLE_PROFILE") || Recording::get().isUnderWay());
}

static Expected<std::unique_ptr<rt::Device>>
createEmulator(const emu::EmulatorOptions &Options) {
  Expected<std::unique_ptr<rt::Device>> Device =
      emu::createEmulatorDevice(Options);
  if (Device && Options.Timing)
    emu::setLaunchHook(**Device, [](const rt::KernelInfo &Kernel,
                                    const rt::LaunchConfig &Config,
                                    emu::LaunchWithout Run) {
      if (mayTry())
        LaunchTrials::get().prepare(Kernel, Config, Run);
    });
  return Device;
}

/// Looks for a service that shares the device out. One that is named has to be
/// there, and what it refuses is refused.
Error ProcessDevice::connect() {
  deviced::ServiceAddress Where = deviced::serviceAddress();
  if (Where.Path.empty())
    return Error::success();
  if (Expected<deviced::Descriptor> Is = deviced::connectTo(Where.Path); !Is) {
    std::string Why = toString(Is.takeError());
    if (Where.IsNamed)
      return createStringError("HEDDLE_DEVICE_SERVICE: " + Why);
    log(Why);
    return Error::success();
  }
  Expected<deviced::Wishes> Wishes = wishesOfProcess();
  if (!Wishes)
    return Wishes.takeError();
  return deviced::Client::open(Where.Path, Machine.uuid(), *Wishes,
                               [](const std::string &Why) {
                                 std::fprintf(stderr,
                                              "heddle: %s; this process goes "
                                              "on by itself\n",
                                              Why.c_str());
                               })
      .moveInto(Service);
}

std::shared_ptr<emu::DeviceBroker> ProcessDevice::broker() {
  std::lock_guard Lock(Mutex);
  return Service;
}

void ProcessDevice::leaveToParent() {
  if (Service)
    Service->leaveToParent();
}

Expected<std::unique_ptr<rt::Device>> ProcessDevice::create() {
  emu::EmulatorOptions Options;
  if (Error E = options().moveInto(Options))
    return std::move(E);
  if (Error E = connect())
    return std::move(E);
  Options.Broker = Service;
  emu::Execution Mode;
  if (Error E =
          native::executionOfEnvironment(emu::Execution::Auto).moveInto(Mode))
    return std::move(E);
  // A debugger sees single instructions.
  Options.Debug = debug::debuggerOfProcess(
      {disassemble, [](ArrayRef<uint8_t> Object, StringRef Chip) {
         return ProfiledCode::get().findPTX(Object, Chip);
       }});
  if (const char *Core = std::getenv("HEDDLE_CORE");
      Core && *Core && !Options.Debug)
    Options.Debug = debug::recordFault(Core);
  if (Options.Debug)
    Mode = emu::Execution::Emulate;
  if (Error E = native::chooseExecution(Options, Mode))
    return std::move(E);
  if (!isSet(ProfileOut))
    return createEmulator(Options);
  // A file that cannot take the counts shall not be found out in the end.
  if (Error E = pgo::ProfileData().addToFile(std::getenv(ProfileOut)))
    return std::move(E);
  auto Probes = std::make_shared<pgo::ProbeSink>();
  Options.Probes = Probes;
  if (Error E = createEmulator(Options).moveInto(Emulator))
    return std::move(E);
  auto Device = pgo::createProfilingDevice(*Emulator, std::move(Probes));
  Counting = Device.get();
  return Device;
}

Expected<rt::Context &> ProcessDevice::context() {
  std::lock_guard Lock(Mutex);
  if (Context)
    return *Context;
  Expected<std::unique_ptr<rt::Device>> Device = create();
  if (!Device)
    return Device.takeError();
  Properties = (*Device)->properties();
  Context = std::make_unique<rt::Context>(std::move(*Device), Neighbours);
  Process::get().observe(*Context, Ordinal, Service ? Service->process() : 0);
  return *Context;
}

rt::Context *ProcessDevice::opened() {
  std::lock_guard Lock(Mutex);
  return Context.get();
}

const rt::DeviceProperties &ProcessDevice::properties() {
  consumeError(context().takeError());
  return Properties;
}

Expected<DeviceDescription> ProcessDevice::describe() {
  auto Describe = [this](const rt::Device &Device) {
    return DeviceDescription{Device.name().str(), Device.chip().str(),
                             Device.properties(), Machine};
  };
  std::lock_guard Lock(Mutex);
  if (Context)
    return Describe(Context->device());
  emu::EmulatorOptions Options;
  if (Error E = options().moveInto(Options))
    return std::move(E);
  // Its memory is nobody's business.
  Options.Space = nullptr;
  Expected<std::unique_ptr<rt::Device>> Device =
      emu::createEmulatorDevice(Options);
  if (!Device)
    return Device.takeError();
  return Describe(**Device);
}

Error ProcessDevice::setAccess(ProcessDevice &Peer, bool Reaches) {
  Expected<rt::Context &> Other = Peer.context();
  if (!Other)
    return Other.takeError();
  if (Error E = Other->device().setPeerAccess(Ordinal, Reaches))
    return E;
  uint64_t Bit = uint64_t(1) << Peer.Ordinal;
  if (Reaches)
    Peers |= Bit;
  else
    Peers &= ~Bit;
  return Error::success();
}

/// Of an open device.
void ProcessDevice::reportLocked() {
  if (knownChecks().contains(emu::CheckKind::Mem)) {
    std::string Leaks =
        emu::describeLeaks(Emulator ? *Emulator : Context->device());
    if (!Leaks.empty())
      std::fprintf(stderr, "heddle: %s\n", Leaks.c_str());
  }
  if (!Counting)
    return;
  Expected<pgo::ProfileData> Counts = Counting->collect();
  Error E =
      Counts ? Counts->addToFile(std::getenv(ProfileOut)) : Counts.takeError();
  if (E)
    std::fprintf(stderr, "heddle: %s\n", toString(std::move(E)).c_str());
}

void ProcessDevice::report() {
  std::lock_guard Lock(Mutex);
  if (Context)
    reportLocked();
}

void ProcessDevice::close() {
  std::lock_guard Lock(Mutex);
  if (Context)
    reportLocked();
  Context.reset();
  Counting = nullptr;
  Emulator.reset();
  Service.reset();
  Peers = 0;
  ++Generation;
}

} // namespace heddle::cuda
