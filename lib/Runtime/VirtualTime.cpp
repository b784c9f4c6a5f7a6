//===- VirtualTime.cpp - When the modelled chip does what -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host's clock, the chip's parts, and the costs between both.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/VirtualTime.h"
#include "heddle/Runtime/Occupancy.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>

using namespace llvm;

namespace heddle::rt {

//===----------------------------------------------------------------------===//
// The chip
//===----------------------------------------------------------------------===//

std::optional<uint64_t> ChipSchedule::obstacle(uint64_t Begin, uint64_t End,
                                               double Share) const {
  // Shares are sums of few parts: a little more than the whole is rounding.
  constexpr double Whole = 1 + 1e-9;
  // What is taken grows only where a span begins.
  SmallVector<uint64_t, 8> Instants = {Begin};
  for (const Span &S : Spans)
    if (S.Begin > Begin && S.Begin < End)
      Instants.push_back(S.Begin);
  std::optional<uint64_t> First;
  for (uint64_t Instant : Instants) {
    double Taken = Share;
    uint64_t Released = UINT64_MAX;
    for (const Span &S : Spans)
      if (S.Begin <= Instant && Instant < S.End) {
        Taken += S.Share;
        Released = std::min(Released, S.End);
      }
    if (Taken > Whole)
      First = std::min(First.value_or(Released), Released);
  }
  return First;
}

uint64_t ChipSchedule::takeCores(uint64_t Ready, uint64_t Nanoseconds,
                                 double Share) {
  uint64_t Begin = Ready;
  while (std::optional<uint64_t> Next =
             obstacle(Begin, Begin + Nanoseconds, Share))
    Begin = *Next;
  Spans.push_back({Begin, Begin + Nanoseconds, Share});
  if (Spans.size() > MaxSpans)
    Spans.pop_front();
  return Begin;
}

void ChipSchedule::extend(uint64_t Begin, uint64_t End, uint64_t Later) {
  auto It = find_if(reverse(Spans), [&](const Span &S) {
    return S.Begin == Begin && S.End == End;
  });
  if (It != Spans.rend())
    It->End = Later;
}

uint64_t ChipSchedule::takeLink(bool ToHost, uint64_t Ready,
                                uint64_t Nanoseconds) {
  uint64_t Begin = std::max(Ready, LinkFree[ToHost]);
  LinkFree[ToHost] = Begin + Nanoseconds;
  return Begin;
}

static uint64_t nanosecondsFor(uint64_t Bytes, uint64_t BytesPerSecond) {
  return BytesPerSecond ? uint64_t(Bytes * 1e9 / BytesPerSecond) : 0;
}

/// Goes on from one instant to the next at which others begin or end, at the
/// speed that they leave. Returns the end.
uint64_t PeerLink::takeShare(uint64_t Begin, uint64_t Nanoseconds,
                             double Share) {
  constexpr double Nothing = 1e-9;
  std::lock_guard Lock(Mutex);
  std::vector<Span> Own;
  double Time = Begin, Left = Nanoseconds;
  while (Left > Nothing) {
    double Taken = 0;
    std::optional<double> Next;
    for (const Span &S : Spans) {
      if (S.Begin <= Time && Time < S.End)
        Taken += S.Share;
      for (double Instant : {S.Begin, S.End})
        if (Instant > Time)
          Next = std::min(Next.value_or(Instant), Instant);
    }
    double Speed = std::min(1.0, std::max(0.0, 1 - Taken) / Share);
    double End = Speed > Nothing ? Time + Left / Speed : *Next;
    if (Next)
      End = std::min(End, *Next);
    if (Speed > Nothing)
      Own.push_back({Time, End, Share * Speed});
    Left -= (End - Time) * Speed;
    Time = End;
  }
  append_range(Spans, Own);
  while (Spans.size() > MaxSpans)
    Spans.pop_front();
  return static_cast<uint64_t>(std::ceil(Time - 1e-6));
}

uint64_t PeerLink::take(uint64_t Ready, uint64_t Bytes) {
  return takeShare(Ready, nanosecondsFor(Bytes, BytesPerSecond), 1) + LatencyNs;
}

uint64_t PeerLink::share(uint64_t Begin, uint64_t Nanoseconds, uint64_t Bytes) {
  double Alone = nanosecondsFor(Bytes, BytesPerSecond);
  double Share = Nanoseconds ? std::min(1.0, Alone / Nanoseconds) : 0;
  return Share > 0 ? takeShare(Begin, Nanoseconds, Share) : Begin + Nanoseconds;
}

//===----------------------------------------------------------------------===//
// Launches that repeat
//===----------------------------------------------------------------------===//

LaunchTimes::Key LaunchTimes::keyOf(const Module &M, unsigned Kernel,
                                    const LaunchConfig &Config) {
  std::string Key;
  auto Add = [&Key](uint64_t Number) {
    Key.append(reinterpret_cast<const char *>(&Number), sizeof(Number));
  };
  Add(M.Id);
  Add(Kernel);
  Add(Config.DynamicSharedBytes);
  Add(Config.Cooperative);
  Add(Config.Cluster.has_value());
  for (const Dim3 &D :
       {Config.Grid, Config.Block, Config.Cluster.value_or(Dim3())})
    for (uint64_t Extent : {D.X, D.Y, D.Z})
      Add(Extent);
  Key += toStringRef(Config.Params);
  return Key;
}

std::optional<uint64_t> LaunchTimes::predict(const Key &K) {
  auto It = Entries.find(K);
  if (It == Entries.end())
    return std::nullopt;
  Entry &E = It->second;
  if (E.Timed < MinTimed || ++E.Launches == RetimeEvery)
    return std::nullopt;
  return E.Least + (E.Most - E.Least) / 2;
}

std::vector<LinkUse> LaunchTimes::linksOf(const Key &K) const {
  auto It = Entries.find(K);
  return It == Entries.end() ? std::vector<LinkUse>() : It->second.Links;
}

void LaunchTimes::add(const Key &K, uint64_t Nanoseconds,
                      ArrayRef<LinkUse> Links) {
  if (Entries.size() == MaxKeys && !Entries.contains(K))
    Entries.clear();
  Entry &E = Entries[K];
  E.Launches = 0;
  uint64_t Least = std::min(E.Least, Nanoseconds);
  uint64_t Most = std::max(E.Most, Nanoseconds);
  if (E.Timed && Most - Least <= MaxSpread * Most) {
    ++E.Timed;
    E.Least = Least;
    E.Most = Most;
  } else {
    E = {0, 1, Nanoseconds, Nanoseconds, {}};
  }
  E.Links.assign(Links.begin(), Links.end());
}

//===----------------------------------------------------------------------===//
// The device's side
//===----------------------------------------------------------------------===//

/// The part of the chip that a grid fills.
static double shareOf(const DeviceProperties &P, const KernelInfo &Kernel,
                      const LaunchShape &Shape) {
  Occupancy O = computeOccupancy(P, Kernel, Shape.Block.count(),
                                 Shape.DynamicSharedBytes);
  uint64_t Room = uint64_t(P.Cores) * O.CTAsPerCore;
  return Room ? std::min(1.0, double(Shape.Grid.count()) / Room) : 1.0;
}

uint64_t VirtualTime::begin(const KernelInfo &Kernel, const LaunchShape &Shape,
                            uint64_t Ready, uint64_t Nanoseconds) {
  double Share = shareOf(Properties, Kernel, Shape);
  std::lock_guard Lock(Mutex);
  return Chip.takeCores(Ready, Nanoseconds, Share);
}

uint64_t VirtualTime::endOf(uint64_t Begin, uint64_t Nanoseconds,
                            ArrayRef<LinkUse> Uses) {
  uint64_t Alone = Begin + Nanoseconds, End = Alone;
  for (const LinkUse &U : Peers ? Uses : ArrayRef<LinkUse>()) {
    if (U.ReadBytes)
      End = std::max(
          End, Peers(U.Peer, Ordinal).share(Begin, Nanoseconds, U.ReadBytes));
    if (U.WrittenBytes)
      End = std::max(
          End,
          Peers(Ordinal, U.Peer).share(Begin, Nanoseconds, U.WrittenBytes));
  }
  if (End != Alone) {
    std::lock_guard Lock(Mutex);
    Chip.extend(Begin, Alone, End);
  }
  return End;
}

/// Kernels do it, at the rate of memory.
uint64_t VirtualTime::moveInDevice(uint64_t Bytes, uint64_t Ready) {
  uint64_t Nanoseconds =
      nanosecondsFor(Bytes, Properties.MemoryBytesPerSecond) +
      Properties.DispatchNs;
  std::lock_guard Lock(Mutex);
  return Chip.takeCores(Ready, Nanoseconds, 1) + Nanoseconds;
}

TimeUse VirtualTime::useOf(const RowCopy &Copy) const {
  if (Links && Links(Copy))
    return TimeUse::ToPeer;
  return Copy.To.IsHost     ? TimeUse::ToHost
         : Copy.From.IsHost ? TimeUse::ToDevice
                            : TimeUse::InDevice;
}

uint64_t VirtualTime::endOf(const RowCopy &Copy, uint64_t Ready) {
  uint64_t Bytes = Copy.RowBytes * Copy.Rows;
  if (PeerLink *Link = Links ? Links(Copy) : nullptr)
    return Link->take(Ready, Bytes);
  if (Copy.To.IsHost && Copy.From.IsHost)
    return Ready;
  if (!Copy.To.IsHost && !Copy.From.IsHost)
    return moveInDevice(2 * Bytes, Ready);
  uint64_t Nanoseconds = Properties.LinkLatencyNs +
                         nanosecondsFor(Bytes, Properties.LinkBytesPerSecond);
  std::lock_guard Lock(Mutex);
  return Chip.takeLink(Copy.To.IsHost, Ready, Nanoseconds) + Nanoseconds;
}

uint64_t VirtualTime::endOf(const RowFill &Fill, uint64_t Ready) {
  return moveInDevice(Fill.Pattern.size() * Fill.Count * Fill.Rows, Ready);
}

std::optional<uint64_t> VirtualTime::predict(const LaunchTimes::Key &K) {
  if (Exactly)
    return std::nullopt;
  std::lock_guard Lock(Mutex);
  return Times.predict(K);
}

void VirtualTime::add(const LaunchTimes::Key &K, uint64_t Nanoseconds,
                      ArrayRef<LinkUse> Links) {
  std::lock_guard Lock(Mutex);
  Times.add(K, Nanoseconds, Links);
}

std::vector<LinkUse> VirtualTime::linksOf(const LaunchTimes::Key &K) {
  std::lock_guard Lock(Mutex);
  return Times.linksOf(K);
}

//===----------------------------------------------------------------------===//
// The host's side
//===----------------------------------------------------------------------===//

/// The outermost call that the thread is in.
static thread_local HostCall *Current = nullptr;

uint64_t VirtualTime::hostTime() {
  return Current && Current->Time == this ? Current->End : Clock.now();
}

HostCall::HostCall(VirtualTime *Time, uint64_t Nanoseconds)
    : Time(Current ? nullptr : Time) {
  if (!this->Time)
    return;
  Begin = Time->Clock.now();
  Called = End = Begin + Nanoseconds;
  Current = this;
}

HostCall::~HostCall() {
  if (!Time)
    return;
  Current = nullptr;
  Time->Clock.set(End);
  Time->observe({TimeUse::Call, "call", nullptr, Begin, Called});
  Time->observe({TimeUse::Wait, "wait", nullptr, Called, End});
}

void HostCall::waited(VirtualTime *Time, uint64_t DeviceTime) {
  if (Time && Current && Current->Time == Time)
    Current->End = std::max(Current->End, DeviceTime + Time->Properties.WakeNs);
}

} // namespace heddle::rt
