//===- QueueTime.cpp - How far a queue has come in time ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A packet begins when the queue has come to it and the chip has heard of it.
//
//===----------------------------------------------------------------------===//

#include "QueueTime.h"
#include "heddle/Runtime/Profile.h"
#include "heddle/Runtime/Queue.h"

using namespace llvm;

namespace heddle::rt {

PacketStamp QueueTime::stamp() {
  return Time ? PacketStamp{Time->Order.append(this), Time->hostTime()}
              : PacketStamp();
}

/// Whether the packet is the chip's work.
static bool takesChip(PacketKind Kind) {
  switch (Kind) {
  case PacketKind::Dispatch:
  case PacketKind::Copy:
  case PacketKind::Fill:
  case PacketKind::Branch:
    return true;
  default:
    return false;
  }
}

void QueueTime::begin(const PacketStamp &Stamp, PacketKind Kind) {
  if (!Time)
    return;
  Asked = std::max(Now, Stamp.Time);
  uint64_t Heard = Stamp.Time + Time->Properties.DispatchNs;
  AtOnce = std::max(Now, Heard);
  if (Kind == PacketKind::Dispatch && HasWorked) {
    bool IsSameCall = Stamp.Time == LastCall;
    Now += IsSameCall ? Time->Properties.GraphGapNs
                      : Time->Properties.DispatchGapNs;
  }
  Now = std::max(Now, Heard);
  LastCall = Stamp.Time;
  if (takesChip(Kind)) {
    HasWorked = true;
    Time->Order.waitForTurn(Stamp.Ticket, Stop);
  }
}

void QueueTime::finish(const PacketStamp &Stamp) {
  if (Time)
    Time->Order.finish(Stamp.Ticket);
}

void QueueTime::hold(const Signal *S, uint64_t Value) {
  if (Time)
    Time->Order.hold(this, S, Value);
}

void QueueTime::goOn() {
  if (Time)
    Time->Order.goOn(this);
}

void QueueTime::wake() {
  if (Time)
    Time->Order.wake();
}

void QueueTime::move(TimeUse Use, const char *Name, uint64_t End) {
  Time->observe({TimeUse::Launch, "launch", this, Asked, Now});
  Time->observe({Use, Name, this, Now, End});
  Now = End;
}

void QueueTime::move(const RowCopy &Copy) {
  if (!Time)
    return;
  TimeUse Use = Time->useOf(Copy);
  const char *Name = Use == TimeUse::ToHost     ? "copy to host"
                     : Use == TimeUse::ToDevice ? "copy to device"
                     : Use == TimeUse::ToPeer   ? "copy to peer"
                                                : "copy";
  move(Use, Name, Time->endOf(Copy, Now));
}

void QueueTime::move(const RowFill &Fill) {
  if (Time)
    move(TimeUse::InDevice, "fill", Time->endOf(Fill, Now));
}

uint64_t QueueTime::now() const { return Time ? Now : timestampNow(); }

void QueueTime::reach(uint64_t Timestamp) {
  if (Time)
    Now = std::max(Now, Timestamp);
}

/// What a launch moves over links, be it timed as a whole or in part.
static std::vector<LinkUse> linkUses(const LaunchProfile &P) {
  std::vector<LinkUse> Uses = P.Memory.Links;
  double Factor = P.Cycles ? double(P.totalCycles()) / P.Cycles : 1;
  for (LinkUse &U : Uses) {
    U.ReadBytes = static_cast<uint64_t>(U.ReadBytes * Factor);
    U.WrittenBytes = static_cast<uint64_t>(U.WrittenBytes * Factor);
  }
  return Uses;
}

Expected<uint64_t> QueueTime::launch(const Module &Owner, unsigned Kernel,
                                     LaunchConfig &Config,
                                     function_ref<Expected<LaunchResult>()> Run,
                                     std::optional<LaunchResult> &Result) {
  std::optional<uint64_t> Nanoseconds;
  LaunchTimes::Key Key;
  // Somebody else has said how long it takes, together with other work.
  if (Time && Config.IsUntimed) {
    Now = AtOnce;
    Nanoseconds = 0;
    Config.StartTime = Now;
  } else if (Time) {
    Key = LaunchTimes::keyOf(Owner, Kernel, Config);
    Nanoseconds = Time->predict(Key);
    Config.IsUntimed = Nanoseconds.has_value();
    Config.StartTime = Now;
  }
  uint64_t Begin = now();
  Expected<LaunchResult> Done = Run();
  if (!Done)
    return Done.takeError();
  Result = std::move(*Done);
  if (!Time)
    return Begin;
  if (!Nanoseconds) {
    Nanoseconds =
        Result->Profile ? uint64_t(Result->Profile->totalSeconds() * 1e9) : 0;
    if (Result->Profile)
      Time->add(Key, *Nanoseconds, linkUses(*Result->Profile));
  }
  if (Key.empty())
    return Now;
  Begin = Time->begin(Owner.kernels()[Kernel], Config, Now, *Nanoseconds);
  Now = Time->endOf(Begin, *Nanoseconds, Time->linksOf(Key));
  Time->observe({TimeUse::Launch, "launch", this, Asked, Begin});
  Time->observe(
      {TimeUse::Kernel, Owner.kernels()[Kernel].Name, this, Begin, Now});
  return Begin;
}

} // namespace heddle::rt
