//===- Observations.cpp - What devices and compiler do ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers over time are those of a kernel's samples, from its begin to its end.
//
//===----------------------------------------------------------------------===//

#include "Trace/Observations.h"
#include "Devices/CurrentDevice.h"
#include "Process.h"
#include "ThreadValue.h"
#include "Trace/Recorder.h"
#include "heddle/Runtime/NodeTag.h"
#include "heddle/Runtime/Profile.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Demangle/Demangle.h"

#include <array>
#include <cstdlib>
#include <map>

using namespace llvm;

namespace heddle::cuda::trace {

namespace {
/// One side of a copy.
struct Place {
  MemoryKind Kind;
  std::optional<unsigned> Device; ///< None: it is the host's.
};
} // namespace

static Place placeOf(uint64_t Address, bool IsHost) {
  std::optional<Block> B =
      Process::get().Pointers.find(reinterpret_cast<const void *>(Address));
  if (B && B->Type == cudaMemoryTypeHost)
    return {MemoryKind::Pinned, std::nullopt};
  if (B && B->Type == cudaMemoryTypeManaged)
    return {MemoryKind::Managed, B->Device};
  if (IsHost)
    return {MemoryKind::Pageable, std::nullopt};
  return {MemoryKind::Device, B ? B->Device : 0};
}

static Direction directionOf(const Place &From, const Place &To) {
  if (From.Device && To.Device)
    return *From.Device == *To.Device ? Direction::InDevice : Direction::ToPeer;
  if (!From.Device && !To.Device)
    return Direction::InHost;
  return From.Device ? Direction::ToHost : Direction::ToDevice;
}

namespace {
/// The samples of a kernel, stretched to the time that it took: of a large one
/// only a part was timed, which stands for all of it.
class KernelSamples {
public:
  KernelSamples(const rt::LaunchProfile &P, const Work &W)
      : P(P), W(W), Stretch(double(W.End - W.Begin) / double(P.Cycles)) {}

  /// Adds a number over time, which \p Of says of a sample, its cycles and the
  /// nanoseconds that it takes.
  template <typename Function> void add(Value V, Function Of) const {
    std::optional<double> Last;
    V.Device = W.Device;
    const std::vector<rt::ActivitySample> &Samples = P.Activity.Samples;
    for (size_t I = 0; I != Samples.size(); ++I) {
      uint64_t Begin = I * P.Activity.CyclesPerSample,
               Cycles = std::min(P.Activity.CyclesPerSample, P.Cycles - Begin);
      V.Number = Of(Samples[I], double(Cycles), double(Cycles) * Stretch);
      V.Time = W.Begin + static_cast<uint64_t>(double(Begin) * Stretch);
      if (std::exchange(Last, V.Number) != V.Number)
        Recorder::get().add(V);
    }
    V.Time = W.End;
    V.Number = 0;
    if (Last != 0)
      Recorder::get().add(V);
  }

private:
  const rt::LaunchProfile &P;
  const Work &W;
  const double Stretch; ///< Nanoseconds of a cycle.
};
} // namespace

static void addValues(const rt::LaunchProfile &P, const Work &W) {
  if (P.Activity.Samples.empty() || W.End == W.Begin)
    return;
  KernelSamples Samples(P, W);
  double Timed = P.Sample && P.Sample->TimedCTAs
                     ? double(P.Sample->CTAs) / P.Sample->TimedCTAs
                     : 1;
  using Sample = rt::ActivitySample;
  Samples.add({"DRAM bandwidth", "GB/s"},
              [&](const Sample &S, double, double Nanoseconds) {
                return Timed * S.DRAMBytes / Nanoseconds;
              });
  Samples.add({"L2 bandwidth", "GB/s"},
              [&](const Sample &S, double, double Nanoseconds) {
                return Timed * S.L2Sectors * P.SectorBytes / Nanoseconds;
              });
  double Pipes = double(P.Cores) * P.SchedulersPerCore;
  Samples.add({"tensor pipe busy", "%"},
              [&](const Sample &S, double Cycles, double) {
                return std::min(100.0, 100 * S.MatrixCycles / (Cycles * Pipes));
              });
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

/// The name of a function without its namespaces, parameters and arguments of
/// templates.
static std::string shortName(const std::string &Mangled) {
  ItaniumPartialDemangler Demangler;
  if (Demangler.partialDemangle(Mangled.c_str()))
    return Mangled;
  char *Name = Demangler.getFunctionBaseName(nullptr, nullptr);
  std::string Result = Name ? Name : Mangled;
  std::free(Name);
  return Result;
}

static bool describes(const Kernel &K, const rt::KernelInfo &Info) {
  return K.Registers == Info.Registers && K.SharedBytes == Info.SharedBytes &&
         K.LocalBytes == Info.LocalBytes && K.Symbol == Info.Name;
}

/// Kernels of one name may differ.
static const Kernel *findKernel(const rt::KernelInfo &Info) {
  static std::mutex Mutex; // of what follows
  static auto *Known = new StringMap<std::vector<std::unique_ptr<Kernel>>>;
  std::lock_guard Lock(Mutex);
  std::vector<std::unique_ptr<Kernel>> &Same = (*Known)[Info.Name];
  for (const std::unique_ptr<Kernel> &K : Same)
    if (describes(*K, Info))
      return K.get();
  return Same
      .emplace_back(new Kernel{Info.Name, demangle(Info.Name),
                               shortName(Info.Name), Info.Registers,
                               Info.SharedBytes, Info.LocalBytes})
      .get();
}

/// A thread asks for the same kernels again and again. Another module may have
/// another one at the same place later.
static const Kernel *kernelOf(const rt::KernelInfo &Info) {
  struct Latest : std::array<std::pair<const void *, const Kernel *>, 64> {};
  auto &Last = threadValue<Latest>();
  auto &[Address, Found] = Last[reinterpret_cast<uintptr_t>(&Info) /
                                alignof(rt::KernelInfo) % Last.size()];
  if (Address != &Info || !describes(*Found, Info)) {
    Found = findKernel(Info);
    Address = &Info;
  }
  return Found;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

/// The bytes of a fill's pattern as a number.
static uint64_t numberOf(const rt::RowFill &Fill) {
  uint64_t Number = 0;
  for (size_t I = 0; I != Fill.Pattern.size(); ++I)
    Number |= uint64_t(Fill.Pattern[I]) << (8 * I);
  return Number;
}

static void describe(Work &W, const rt::KernelInfo &Info,
                     const rt::LaunchConfig &Config) {
  W.Launched = kernelOf(Info);
  W.Grid = Config.Grid;
  W.Block = Config.Block;
  W.Cluster = rt::clusterOf(Info, Config);
  W.DynamicSharedBytes = Config.DynamicSharedBytes;
  W.IsCooperative = Config.Cooperative;
}

static void describe(Work &W, const rt::RowCopy &Copy) {
  W.Kind = WorkKind::Copy;
  Place From = placeOf(Copy.From.Address, Copy.From.IsHost),
        To = placeOf(Copy.To.Address, Copy.To.IsHost);
  W.Copied = directionOf(From, To);
  W.FromDevice = From.Device.value_or(W.Device);
  W.ToDevice = To.Device.value_or(W.Device);
  W.From = From.Kind;
  W.To = To.Kind;
  W.Bytes = Copy.RowBytes * Copy.Rows;
}

static void describe(Work &W, const rt::RowFill &Fill) {
  W.Kind = WorkKind::Fill;
  W.To = placeOf(Fill.To, /*IsHost=*/false).Kind;
  W.Bytes = Fill.Pattern.size() * Fill.Count * Fill.Rows;
  W.Pattern = numberOf(Fill);
}

namespace {
/// Which graphs the latest calls have launched, by their correlations.
struct GraphLaunches {
  static constexpr size_t Most = 1 << 16;
  std::mutex Mutex; ///< Of what follows.
  std::map<uint32_t, unsigned> Graphs;

  static GraphLaunches &get() {
    static auto *TheLaunches = new GraphLaunches; // see Process.h
    return *TheLaunches;
  }
  unsigned find(uint32_t Correlation) {
    std::lock_guard Lock(Mutex);
    auto It = Graphs.find(Correlation);
    return It == Graphs.end() ? 0 : It->second;
  }
};
} // namespace

void noteGraph(unsigned Exec) {
  auto Correlation = static_cast<uint32_t>(rt::WorkTag);
  if (!Recorder::get().isActive() || !Correlation)
    return;
  GraphLaunches &L = GraphLaunches::get();
  std::lock_guard Lock(L.Mutex);
  L.Graphs[Correlation] = Exec;
  if (L.Graphs.size() > GraphLaunches::Most)
    L.Graphs.erase(L.Graphs.begin());
}

static Work workOf(const rt::ObservedWork &What, unsigned Device) {
  Work W;
  W.Device = Device;
  W.Correlation = static_cast<uint32_t>(What.Tag);
  W.Node = rt::nodeOfTag(What.Tag);
  if (W.Node)
    W.Graph = GraphLaunches::get().find(W.Correlation);
  W.Stream = What.Stream;
  W.Begin = What.Begin;
  W.End = What.End;
  if (What.Copy)
    describe(W, *What.Copy);
  else if (What.Fill)
    describe(W, *What.Fill);
  else
    describe(W, *What.Kernel, *What.Config);
  return W;
}

/// Whether a launch is like one before.
static bool isLike(const Work &W, const rt::ObservedWork &What,
                   unsigned Device) {
  const rt::LaunchConfig &Config = *What.Config;
  return W.Launched && W.Stream == What.Stream && W.Grid == Config.Grid &&
         W.Block == Config.Block && W.Device == Device &&
         W.DynamicSharedBytes == Config.DynamicSharedBytes &&
         W.IsCooperative == Config.Cooperative &&
         !W.Correlation == !static_cast<uint32_t>(What.Tag) &&
         !W.Node == !rt::nodeOfTag(What.Tag) &&
         W.Cluster == rt::clusterOf(*What.Kernel, Config) &&
         describes(*W.Launched, *What.Kernel);
}

static Series &seriesOf(const rt::ObservedWork &What, unsigned Device) {
  ThreadSeries &Known = EventLog::series();
  if (What.Kernel) {
    size_t Place = reinterpret_cast<uintptr_t>(What.Kernel) / 8;
    return Known.ofWork(
        Place + What.Config->Grid.X + What.Stream,
        [&](const Work &W) { return isLike(W, What, Device); },
        [&] { return workOf(What, Device); });
  }
  Work Own = workOf(What, Device);
  return Known.ofWork(
      Own.Bytes + Own.Stream, [&](const Work &W) { return W.isAlike(Own); },
      [&] { return Own; });
}

/// For whom a span does not say enough.
static void noteDetails(const rt::ObservedWork &What, unsigned Device,
                        const rt::LaunchProfile *OverTime) {
  Work W = workOf(What, Device);
  Recorder::get().add(W);
  if (OverTime)
    addValues(*OverTime, W);
}

void noteWork(const rt::ObservedWork &What, unsigned Device) {
  Recorder &R = Recorder::get();
  const rt::LaunchProfile *OverTime = nullptr;
  if (R.hasFile()) {
    if (What.Result && What.Result->Profile)
      OverTime = &*What.Result->Profile;
    auto Correlation = static_cast<uint32_t>(What.Tag);
    uint32_t Node = rt::nodeOfTag(What.Tag);
    R.add(Span{&seriesOf(What, Device), What.Begin, What.End, Correlation,
               Node ? GraphLaunches::get().find(Correlation) : 0, Node});
  }
  if (R.hasSinks() || OverTime)
    noteDetails(What, Device, OverTime);
}

void noteMemory() {
  // Most calls leave the number as it is.
  static std::atomic<uint64_t> Seen{~uint64_t(0)};
  Process &P = Process::get();
  uint64_t Changes = P.memoryChanges();
  if (Seen.load(std::memory_order_relaxed) == Changes)
    return;
  Seen = Changes;
  static std::mutex Mutex;                              // of what follows
  static auto *Last = new std::map<unsigned, uint64_t>; // see Process.h
  std::lock_guard Lock(Mutex);
  for (unsigned I = 0; P.device(I); ++I) {
    uint64_t Bytes = P.bytesInUse(I);
    if (std::exchange((*Last)[I], Bytes) != Bytes)
      Recorder::get().add(
          Value{"memory in use", "B", I, now(), static_cast<double>(Bytes)});
  }
}

/// Looked up before the program can destroy it.
static void noteStream(Call &C) {
  auto Handle = reinterpret_cast<cudaStream_t>(C.Arguments[0]);
  if (!Handle && StringRef(C.Called->Name).ends_with("_ptsz"))
    Handle = cudaStreamPerThread;
  if (rt::Stream *Stream = Process::get().stream(Handle))
    C.Stream = static_cast<uint32_t>(Stream->id());
}

void noteWait(Call &C) {
  C.Device = static_cast<uint16_t>(currentDevice());
  if (C.Called->Waits == Synchronization::Stream ||
      C.Called->Waits == Synchronization::StreamForEvent)
    noteStream(C);
  Recorder::get().addWait(C);
}

void noteStage(const TraceEvent &Event) {
  if (!Recorder::get().isActive() || isSet("HEDDLE_TIMING"))
    return;
  auto Time = [](std::chrono::steady_clock::time_point T) {
    return static_cast<uint64_t>(
        std::chrono::nanoseconds(T.time_since_epoch()).count());
  };
  Recorder::get().add(Stage{Event.Stage, Event.Input, Event.Detail,
                            currentThread(), Time(Event.Begin),
                            Time(Event.End)});
}

} // namespace heddle::cuda::trace
