//===- HostQueue.cpp - A queue carried out by a host thread -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A ring of packets between those who submit and one thread, which decodes each
// packet and does what it says through the device's synchronous interface.
//
//===----------------------------------------------------------------------===//

#include "QueueTime.h"
#include "heddle/Runtime/PacketCoding.h"
#include "heddle/Runtime/Signal.h"
#include "llvm/ADT/ScopeExit.h"

#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

using namespace llvm;

namespace heddle::rt {

Queue::~Queue() = default;

thread_local uint64_t WorkTag = 0;

/// That of std::chrono::steady_clock, by a call less: traces ask several times
/// a launch.
uint64_t timestampNow() {
  timespec Now;
  clock_gettime(CLOCK_MONOTONIC, &Now);
  return uint64_t(Now.tv_sec) * 1'000'000'000 + uint64_t(Now.tv_nsec);
}

namespace {

class HostQueue final : public Queue {
public:
  explicit HostQueue(Device &Owner)
      : Owner(Owner), Here(Owner.virtualTime(), Stop) {}
  ~HostQueue() override;

  void submit(const Packet &P) override;
  std::optional<QueueFailure> failure() const override {
    std::lock_guard Lock(Mutex);
    return Failure;
  }

private:
  void work();
  void carryOut(const Packet &P);
  Error perform(const Packet &P);
  Error dispatch(const DispatchPacket &P);
  Error copy(const RowCopy &Copy);
  Error fill(const RowFill &Fill);
  void wait(const WaitPacket &P);
  Error await(const AwaitPacket &P);
  Error branch(const BranchPacket &P);
  void raise(const RaisePacket &P);
  void fail(QueueFailure F);
  void report(ObservedWork W) const;

  static constexpr size_t RingPackets = 1024;
  struct Entry {
    Packet P;
    PacketStamp Stamp;
    uint64_t Tag = 0;
  };

  Device &Owner;
  std::array<Entry, RingPackets> Ring;
  mutable std::mutex Mutex; ///< Of everything below but Stop.
  std::condition_variable NotEmpty, NotFull;
  uint64_t WriteIndex = 0, ReadIndex = 0; ///< Modulo RingPackets in Ring.
  const Signal *WaitingFor = nullptr;
  std::optional<QueueFailure> Failure;
  std::atomic<bool> Stop{false};
  QueueTime Here;
  uint64_t Tag = 0; ///< Of the packet at work.
  std::thread Worker;
};

HostQueue::~HostQueue() {
  {
    std::lock_guard Lock(Mutex);
    Stop = true;
    if (WaitingFor)
      WaitingFor->wake();
  }
  Here.wake();
  NotEmpty.notify_all();
  if (Worker.joinable())
    Worker.join();
}

void HostQueue::submit(const Packet &P) {
  {
    std::unique_lock Lock(Mutex);
    NotFull.wait(Lock, [&] { return WriteIndex - ReadIndex < RingPackets; });
    Ring[WriteIndex++ % RingPackets] = {P, Here.stamp(), WorkTag};
    if (!Worker.joinable())
      Worker = std::thread([this] { work(); });
  }
  NotEmpty.notify_one();
}

void HostQueue::work() {
  while (true) {
    Entry Next;
    {
      std::unique_lock Lock(Mutex);
      NotEmpty.wait(Lock, [&] { return WriteIndex != ReadIndex || Stop; });
      if (WriteIndex == ReadIndex)
        return;
      Next = Ring[ReadIndex % RingPackets];
    }
    Here.begin(Next.Stamp, Next.P.Kind);
    Tag = Next.Tag;
    carryOut(Next.P);
    Here.finish(Next.Stamp);
    {
      std::lock_guard Lock(Mutex);
      ++ReadIndex;
    }
    NotFull.notify_one();
  }
}

void HostQueue::fail(QueueFailure F) {
  Owner.setFailed();
  std::lock_guard Lock(Mutex);
  if (!Failure)
    Failure = std::move(F);
}

void HostQueue::carryOut(const Packet &P) {
  switch (P.Kind) {
  case PacketKind::Raise:
    return raise(P.Raise);
  case PacketKind::HostCall:
    Here.hold(nullptr);
    if (!Stop)
      packetPointer<void(void *)>(P.HostCall.Function)(
          packetPointer<void>(P.HostCall.Argument));
    Here.goOn();
    return;
  default:
    break;
  }
  if (Stop || failure())
    return;
  if (Error E = perform(P))
    fail({std::nullopt, toString(std::move(E))});
}

Error HostQueue::perform(const Packet &P) {
  switch (P.Kind) {
  case PacketKind::Dispatch:
    return dispatch(P.Dispatch);
  case PacketKind::Copy:
    return copy(decode(P.Copy));
  case PacketKind::Fill:
    return fill(decode(P.Fill));
  case PacketKind::Wait:
    wait(P.Wait);
    return Error::success();
  case PacketKind::Store:
    return Owner.storeNumber(P.Store.Address, P.Store.Value,
                             P.Store.NumberBytes);
  case PacketKind::Await:
    return await(P.Await);
  case PacketKind::Branch:
    return branch(P.Branch);
  default:
    return createStringError(inconvertibleErrorCode(),
                             "a packet of an unknown kind, " +
                                 Twine(static_cast<unsigned>(P.Kind)));
  }
}

void HostQueue::report(ObservedWork W) const {
  if (!Observer || !*Observer)
    return;
  W.End = Here.now();
  W.Stream = Stream;
  W.Tag = Tag;
  (*Observer)(W);
}

Error HostQueue::copy(const RowCopy &Copy) {
  uint64_t Begin = Here.now();
  Here.move(Copy);
  if (Error E = Owner.copyRows(Copy))
    return E;
  report({.Copy = &Copy, .Begin = Begin});
  return Error::success();
}

Error HostQueue::fill(const RowFill &Fill) {
  uint64_t Begin = Here.now();
  Here.move(Fill);
  if (Error E = Owner.fillRows(Fill))
    return E;
  report({.Fill = &Fill, .Begin = Begin});
  return Error::success();
}

Error HostQueue::dispatch(const DispatchPacket &P) {
  const auto &Kernel = *packetPointer<const KernelObject>(P.Kernel);
  LaunchConfig Config = decode(P);
  Config.Cancel = &Stop;
  std::optional<LaunchResult> Result;
  uint64_t Begin;
  auto Launch = [&]() -> Expected<LaunchResult> {
    UsageMeter *Counts = Meter ? *Meter : nullptr;
    if (Counts)
      Counts->begin();
    Expected<LaunchResult> Ended =
        Owner.launch(*Kernel.Owner, Kernel.Index, Config);
    std::optional<FaultKind> Why;
    if (Ended && Ended->Fault)
      Why = Ended->Fault->Kind;
    if (Counts)
      Counts->end(/*HasFailed=*/!Ended || Why, Why);
    return Ended;
  };
  if (Error E = Here.launch(*Kernel.Owner, Kernel.Index, Config, Launch, Result)
                    .moveInto(Begin))
    return E;
  if (auto *Observer = packetPointer<const LaunchObserver>(P.Observer))
    (*Observer)({Kernel.info(), Config, *Result, Begin, Here.now()});
  report({.Kernel = &Kernel.info(),
          .Config = &Config,
          .Result = &*Result,
          .Begin = Begin});
  if (Result->Fault) {
    Result->Fault->Launch = Config.Number;
    fail({Result->Fault, Result->Fault->str()});
  }
  return Error::success();
}

void HostQueue::wait(const WaitPacket &P) {
  const auto *S = packetPointer<const Signal>(P.Signal);
  {
    std::lock_guard Lock(Mutex);
    WaitingFor = S;
  }
  Here.hold(S, P.Value);
  bool IsReached = S->waitUnless(P.Value, Stop);
  Here.goOn();
  if (const auto *Timestamp = packetPointer<const uint64_t>(P.Timestamp);
      Timestamp && IsReached)
    Here.reach(*Timestamp);
  std::lock_guard Lock(Mutex);
  WaitingFor = nullptr;
}

/// Whether a number in memory is what a packet waits for.
static bool isSatisfied(const AwaitPacket &P, uint64_t Number) {
  unsigned UnusedBits = 64 - 8 * P.NumberBytes;
  auto NumberBits = [&](uint64_t V) { return V << UnusedBits; };
  switch (P.Comparison) {
  case Comparison::AtLeast:
    return static_cast<int64_t>(NumberBits(Number - P.Value)) >= 0;
  case Comparison::Equal:
    return NumberBits(Number ^ P.Value) == 0;
  case Comparison::AnyBit:
    return NumberBits(Number & P.Value) != 0;
  case Comparison::AnyBitInNone:
    return NumberBits(~(Number | P.Value)) != 0;
  }
  return true;
}

/// There is no notice of a store: the queue looks again and again, more seldom
/// the longer it takes.
Error HostQueue::await(const AwaitPacket &P) {
  constexpr unsigned EagerLooks = 64;
  constexpr auto LongestPause = std::chrono::microseconds(100);
  Here.hold(nullptr);
  scope_exit GoOn([this] { Here.goOn(); });
  for (unsigned Looks = 0; !Stop && !Owner.hasFailed(); ++Looks) {
    Expected<uint64_t> Number = Owner.loadNumber(P.Address, P.NumberBytes);
    if (!Number)
      return Number.takeError();
    if (isSatisfied(P, *Number))
      return Error::success();
    if (Looks < EagerLooks)
      std::this_thread::yield();
    else
      std::this_thread::sleep_for(std::min<std::chrono::microseconds>(
          std::chrono::microseconds(Looks - EagerLooks), LongestPause));
  }
  return Error::success();
}

/// Which body a number chooses; none where it ends the branch.
static std::optional<uint64_t> bodyOf(const BranchPacket &P, uint64_t Number) {
  uint64_t Body = P.Branch == BranchKind::Switch ? Number : Number ? 0 : 1;
  bool IsThere =
      Body < P.NumBodies && (Body == 0 || P.Branch != BranchKind::While);
  return IsThere ? std::optional(Body) : std::nullopt;
}

Error HostQueue::branch(const BranchPacket &P) {
  const auto *Bodies = packetPointer<const PacketRange>(P.Bodies);
  while (!Stop && !failure()) {
    Expected<uint64_t> Number = Owner.loadNumber(P.Address, 4);
    if (!Number)
      return Number.takeError();
    std::optional<uint64_t> Body = bodyOf(P, *Number);
    if (!Body)
      break;
    for (const Packet &Inner :
         ArrayRef(packetPointer<const Packet>(Bodies[*Body].Packets),
                  Bodies[*Body].Count))
      carryOut(Inner);
    if (P.Branch != BranchKind::While)
      break;
  }
  return Error::success();
}

void HostQueue::raise(const RaisePacket &P) {
  if (auto *Timestamp = packetPointer<uint64_t>(P.Timestamp))
    *Timestamp = Here.now();
  packetPointer<Signal>(P.Signal)->raise(P.Value);
}

} // namespace

std::unique_ptr<Queue> createHostQueue(Device &Owner) {
  return std::make_unique<HostQueue>(Owner);
}

} // namespace heddle::rt
