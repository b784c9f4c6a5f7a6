//===- VirtualTime.h - When the modelled chip does what ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A device with virtual time tells what its chip would take, not what the
// emulator takes: events have modelled timestamps, and the host's clock is as
// if the chip had been waited for. docs/timing.md explains the rules.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_VIRTUALTIME_H
#define HEDDLE_RUNTIME_VIRTUALTIME_H

#include "heddle/Runtime/Device.h"
#include "heddle/Runtime/Profile.h"
#include "heddle/Runtime/ProgramClock.h"
#include "heddle/Runtime/Signal.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace heddle::rt {

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// The order in which queues may take the chip: that in which their packets
/// were submitted, whatever threads of the host do. Modelled times do not
/// depend on the emulator's speed then. Any thread may call anything at any
/// time.
class WorkOrder {
public:
  /// A packet of a queue. Later packets have larger tickets.
  uint64_t append(const void *Queue);
  /// The packet is done.
  void finish(uint64_t Ticket);

  /// The queue is held back: its packets keep nobody waiting until it goes on.
  /// With \p S it goes on by itself when the signal has the value.
  void hold(const void *Queue, const Signal *S, uint64_t Value);
  void goOn(const void *Queue);

  /// Returns when all packets before this one are done or held back, or when
  /// \p Stop was set and wake() called.
  void waitForTurn(uint64_t Ticket, const std::atomic<bool> &Stop);
  void wake();

  /// Returns when \p IsReached says so after some packet, or when all packets
  /// are held back.
  void settle(llvm::function_ref<bool()> IsReached);

private:
  struct Hold {
    const Signal *S = nullptr;
    uint64_t Value = 0;
  };

  bool isHeld(const void *Queue) const;
  bool isTurn(uint64_t Ticket) const;

  std::mutex Mutex; ///< Of everything below.
  std::condition_variable Changed;
  uint64_t LastTicket = 0;
  std::map<uint64_t, const void *> Pending; ///< Queues, by ticket.
  llvm::DenseMap<const void *, Hold> Held;
};

//===----------------------------------------------------------------------===//
// The chip
//===----------------------------------------------------------------------===//

/// When the chip's cores and its links to the host are taken.
class ChipSchedule {
public:
  /// The earliest begin from \p Ready on at which a part \p Share of the chip
  /// (more than 0, at most 1) is free for \p Nanoseconds. Takes it.
  uint64_t takeCores(uint64_t Ready, uint64_t Nanoseconds, double Share);
  /// The same of the link in one direction.
  uint64_t takeLink(bool ToHost, uint64_t Ready, uint64_t Nanoseconds);
  /// What took cores from \p Begin to \p End has them until \p Later.
  void extend(uint64_t Begin, uint64_t End, uint64_t Later);

private:
  struct Span {
    uint64_t Begin, End;
    double Share;
  };

  /// The end of the first span that leaves too little; none if there is enough.
  std::optional<uint64_t> obstacle(uint64_t Begin, uint64_t End,
                                   double Share) const;

  /// Spans that are remembered: more than run at once on any chip.
  static constexpr size_t MaxSpans = 256;
  std::deque<Span> Spans;
  uint64_t LinkFree[2] = {0, 0}; ///< To the device, to the host.
};

/// One direction of a link between two devices. Who comes later has what others
/// have left: a copy takes all of it, a kernel the part that it uses when it is
/// alone. Any thread may call anything at any time.
class PeerLink {
public:
  PeerLink(uint64_t BytesPerSecond, uint32_t LatencyNs)
      : BytesPerSecond(BytesPerSecond), LatencyNs(LatencyNs) {}

  /// When a copy that is ready at \p Ready is done. The latency is on the way:
  /// the next copy does not wait for it.
  uint64_t take(uint64_t Ready, uint64_t Bytes);
  /// When a kernel is done that begins at \p Begin and moves so many bytes in
  /// that time, if it is alone.
  uint64_t share(uint64_t Begin, uint64_t Nanoseconds, uint64_t Bytes);

private:
  /// A time in which somebody has a part of the link.
  struct Span {
    double Begin, End, Share;
  };
  uint64_t takeShare(uint64_t Begin, uint64_t Nanoseconds, double Share);

  /// Spans that are remembered.
  static constexpr size_t MaxSpans = 256;
  const uint64_t BytesPerSecond;
  const uint32_t LatencyNs;
  std::mutex Mutex; ///< Of what follows.
  std::deque<Span> Spans;
};

/// The link that a copy takes; null if both of its sides are one device's or
/// the host's.
using LinkLookup = std::function<PeerLink *(const RowCopy &Copy)>;
/// The link from one device to another, by their ordinals.
using PeerLookup = std::function<PeerLink &(unsigned From, unsigned To)>;

//===----------------------------------------------------------------------===//
// Launches that repeat
//===----------------------------------------------------------------------===//

/// How long launches took by the model. A launch of which MinTimed in a row
/// with the same kernel, shape and parameters took the same, but for a part
/// MaxSpread, is not timed again, except for one in RetimeEvery.
class LaunchTimes {
public:
  /// What equal launches have in common.
  using Key = std::string;
  static Key keyOf(const Module &M, unsigned Kernel,
                   const LaunchConfig &Config);

  /// Nanoseconds that such a launch will take; none: it has to be timed.
  std::optional<uint64_t> predict(const Key &K);
  void add(const Key &K, uint64_t Nanoseconds,
           llvm::ArrayRef<LinkUse> Links = {});
  /// What the last one that was timed moved over links.
  std::vector<LinkUse> linksOf(const Key &K) const;

  static constexpr unsigned MinTimed = 3, RetimeEvery = 64;
  static constexpr double MaxSpread = 0.01;
  /// Keys that are remembered; all are forgotten where there would be more, as
  /// of a program whose parameters are always others.
  static constexpr size_t MaxKeys = 10'000;
  size_t size() const { return Entries.size(); }

private:
  struct Entry {
    uint64_t Launches = 0; ///< Since the last one that was timed.
    unsigned Timed = 0;    ///< In a row, within MaxSpread of each other.
    uint64_t Least = 0, Most = 0;
    std::vector<LinkUse> Links;
  };
  std::map<Key, Entry> Entries;
};

//===----------------------------------------------------------------------===//
// Both sides
//===----------------------------------------------------------------------===//

/// What takes time; where several do at once, the first counts in the sum
/// (docs/timing.md).
enum class TimeUse : uint8_t {
  Kernel,   ///< A grid runs.
  ToDevice, ///< A copy from the host.
  ToHost,   ///< A copy to the host.
  InDevice, ///< A copy or fill of device memory.
  ToPeer,   ///< A copy between two devices.
  Launch,   ///< Work is on its way to the chip, or waits for room on it.
  Call,     ///< The host is in a call that enqueues work.
  Wait,     ///< The host waits for the device.
};

/// A use of time, in nanoseconds.
struct TimeSpan {
  TimeUse Use = TimeUse::Call;
  std::string Name;
  const void *Track = nullptr; ///< Of what follows each other: a queue.
  uint64_t Begin = 0, End = 0;
};

/// Called for each use of time, on the thread that it happens on.
using TimeObserver = std::function<void(const TimeSpan &Span)>;

/// The time of one device and of the program that uses it, in nanoseconds of
/// one clock. Any thread may call anything at any time.
class VirtualTime {
public:
  /// \p Exactly times every launch; otherwise those that repeat are predicted.
  VirtualTime(ProgramClock &Clock, const DeviceProperties &Properties,
              bool Exactly)
      : Clock(Clock), Properties(Properties), Exactly(Exactly) {}

  bool isExact() const { return Exactly; }

  /// The host's time; within a HostCall what it will be at its end.
  uint64_t hostTime();

  /// When a grid begins that is ready at \p Ready and takes that long.
  uint64_t begin(const KernelInfo &Kernel, const LaunchShape &Shape,
                 uint64_t Ready, uint64_t Nanoseconds);
  /// When a grid that begins at \p Begin, and alone takes that long, is done
  /// with links that others use, too.
  uint64_t endOf(uint64_t Begin, uint64_t Nanoseconds,
                 llvm::ArrayRef<LinkUse> Uses);
  /// What a copy is.
  TimeUse useOf(const RowCopy &Copy) const;
  /// When a copy or fill that is ready at \p Ready is done.
  uint64_t endOf(const RowCopy &Copy, uint64_t Ready);
  uint64_t endOf(const RowFill &Fill, uint64_t Ready);

  std::optional<uint64_t> predict(const LaunchTimes::Key &K);
  void add(const LaunchTimes::Key &K, uint64_t Nanoseconds,
           llvm::ArrayRef<LinkUse> Links);
  std::vector<LinkUse> linksOf(const LaunchTimes::Key &K);

  /// Set all before the first use; \p Own is the device's ordinal.
  void setLinks(LinkLookup L, PeerLookup P, unsigned Own) {
    Links = std::move(L);
    Peers = std::move(P);
    Ordinal = Own;
  }
  void setObserver(TimeObserver O) { Observer = std::move(O); }
  void observe(const TimeSpan &Span) const {
    if (Observer && Span.End > Span.Begin)
      Observer(Span);
  }

  ProgramClock &Clock;
  const DeviceProperties Properties;
  WorkOrder Order;

private:
  uint64_t moveInDevice(uint64_t Bytes, uint64_t Ready);

  const bool Exactly;
  TimeObserver Observer;
  LinkLookup Links; ///< Empty: there is one device.
  PeerLookup Peers; ///< The same.
  unsigned Ordinal = 0;
  std::mutex Mutex; ///< Of everything below.
  ChipSchedule Chip;
  LaunchTimes Times;
};

/// While there is one, the host is in a call of the device's interface: what it
/// really takes does not count, and at the end the clock tells the modelled
/// time. Calls in calls are part of the outermost.
class HostCall {
public:
  /// \p Time may be null: nothing happens. \p Nanoseconds is what the call
  /// takes by itself.
  HostCall(VirtualTime *Time, uint64_t Nanoseconds);
  ~HostCall();
  HostCall(const HostCall &) = delete;
  HostCall &operator=(const HostCall &) = delete;

  /// The host has waited for something that the device did at \p DeviceTime.
  static void waited(VirtualTime *Time, uint64_t DeviceTime);

private:
  friend class VirtualTime;

  VirtualTime *const Time; ///< Null in calls in calls.
  /// When the call began, its own part was over, and it ends.
  uint64_t Begin = 0, Called = 0, End = 0;
};

/// A host that asks whether something is done moves on by so much, or a loop
/// that asks would never end.
constexpr uint64_t QueryNs = 500;

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_VIRTUALTIME_H
