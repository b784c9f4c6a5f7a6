//===- Observations.cpp - What devices and compiler do ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bandwidths are those of a whole kernel, since the profile of a launch has
// sums: a number from its begin to its end.
//
//===----------------------------------------------------------------------===//

#include "Trace/Observations.h"
#include "Process.h"
#include "Trace/Recorder.h"
#include "heddle/Runtime/Profile.h"

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

/// What a kernel's profile says of the time in which it ran.
static void addValues(const rt::LaunchProfile &P, const Work &W) {
  double Nanoseconds = std::max<uint64_t>(W.End - W.Begin, 1);
  double Timed = P.Sample && P.Sample->TimedCTAs
                     ? double(P.Sample->CTAs) / P.Sample->TimedCTAs
                     : 1;
  double Slots = double(P.ActiveCycles) * P.SchedulersPerCore;
  double Matrix = 0;
  for (const rt::PipeProfile &Pipe : P.Pipes)
    if (Pipe.Name == "matrix" && Slots > 0)
      Matrix = 100 * Pipe.BusyCycles / Slots;
  const rt::MemoryProfile &M = P.Memory;
  const std::pair<Value, double> Values[] = {
      {{"DRAM bandwidth", "GB/s"},
       Timed * (M.DRAMReadBytes + M.DRAMWriteBytes) / Nanoseconds},
      {{"L2 bandwidth", "GB/s"},
       Timed * (M.L2Reads + M.L2Writes) * P.SectorBytes / Nanoseconds},
      {{"tensor pipe busy", "%"}, Matrix}};
  for (auto [V, Number] : Values) {
    V.Device = W.Device;
    V.Time = W.Begin;
    V.Number = Number;
    Recorder::get().add(V);
    V.Time = W.End;
    V.Number = 0;
    Recorder::get().add(V);
  }
}

void noteWork(const rt::ObservedWork &What, unsigned Device) {
  Recorder &R = Recorder::get();
  if (!R.isActive())
    return;
  Work W{What, Device, static_cast<uint32_t>(What.Tag)};
  W.Begin = What.Begin;
  W.End = What.End;
  if (const rt::RowCopy *Copy = What.Copy) {
    Place From = placeOf(Copy->From.Address, Copy->From.IsHost),
          To = placeOf(Copy->To.Address, Copy->To.IsHost);
    W.Copied = directionOf(From, To);
    W.FromDevice = From.Device.value_or(Device);
    W.ToDevice = To.Device.value_or(Device);
    W.From = From.Kind;
    W.To = To.Kind;
    W.Bytes = Copy->RowBytes * Copy->Rows;
  } else if (const rt::RowFill *Fill = What.Fill) {
    W.To = placeOf(Fill->To, /*IsHost=*/false).Kind;
    W.Bytes = Fill->Pattern.size() * Fill->Count * Fill->Rows;
  }
  R.add(W);
  if (What.Result && What.Result->Profile)
    addValues(*What.Result->Profile, W);
}

void noteMemory() {
  static std::mutex Mutex;                              // of what follows
  static auto *Last = new std::map<unsigned, uint64_t>; // see Process.h
  unsigned Device = currentDevice();
  uint64_t Bytes = Process::get().bytesInUse(Device);
  std::lock_guard Lock(Mutex);
  uint64_t &Known = (*Last)[Device];
  if (Known == Bytes)
    return;
  Known = Bytes;
  Recorder::get().add(
      Value{"memory in use", "B", Device, now(), static_cast<double>(Bytes)});
}

void noteStage(const TraceEvent &Event) {
  if (!Recorder::get().isActive() || isSet("HEDDLE_TIMING"))
    return;
  auto Time = [](std::chrono::steady_clock::time_point T) {
    return static_cast<uint64_t>(
        std::chrono::nanoseconds(T.time_since_epoch()).count());
  };
  Recorder::get().add(Stage{Event.Stage, Event.Input, Event.Detail,
                            Time(Event.Begin), Time(Event.End)});
}

} // namespace heddle::cuda::trace
