//===- AsyncUnit.cpp - What goes on beside the threads ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mbarriers, queues of copies, and endless waits.
//
//===----------------------------------------------------------------------===//

#include "Async/AsyncUnit.h"
#include "Cluster.h"
#include "Execute/ExecuteMemory.h"
#include "Matrix/TensorMemory.h"
#include "WaitReport.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace heddle::emu {

/// Looks in vain without any progress after which a warp gets nowhere.
static constexpr uint64_t PatientLooks = 4096;

//===----------------------------------------------------------------------===//
// Layout
//===----------------------------------------------------------------------===//

static constexpr unsigned CountBits = 20, ByteBits = 21, ByteShift = 40,
                          MarkShift = 61, PhaseShift = 63;
static constexpr uint64_t Mark = 2; ///< What tells a barrier from other bits.
static constexpr uint64_t MarkOfLayout1 = 1;
// In layout 1, above the shorter counts.
static constexpr unsigned CurrentShift = 9, LastShift = CountBits + 9,
                          SilentShift = LastShift + 9;

static uint64_t packReport(MBarrier::Report R) {
  return uint64_t(R.Something) | uint64_t(R.Value) << 1;
}

static MBarrier::Report unpackReport(uint64_t Bits) {
  return {(Bits & 1) != 0, static_cast<uint8_t>(Bits >> 1)};
}

uint64_t MBarrier::pack() const {
  constexpr uint64_t ByteMask = (uint64_t(1) << ByteBits) - 1;
  uint64_t Bits = Pending | uint64_t(Expected) << CountBits |
                  (uint64_t(Bytes) & ByteMask) << ByteShift |
                  (IsLayout1 ? MarkOfLayout1 : Mark) << MarkShift |
                  uint64_t(Phase) << PhaseShift;
  if (IsLayout1)
    Bits |= packReport(Current) << CurrentShift |
            packReport(Last) << LastShift |
            uint64_t(SilentPhase) << SilentShift;
  return Bits;
}

std::optional<MBarrier> MBarrier::unpack(uint64_t Bits) {
  uint64_t Found = Bits >> MarkShift & 3;
  if (Found != Mark && Found != MarkOfLayout1)
    return std::nullopt;
  MBarrier B;
  B.IsLayout1 = Found == MarkOfLayout1;
  B.Pending = Bits & B.maxCount();
  B.Expected = Bits >> CountBits & B.maxCount();
  constexpr unsigned Above = 64 - ByteShift - ByteBits;
  B.Bytes = static_cast<int32_t>(static_cast<int64_t>(Bits << Above) >>
                                 (64 - ByteBits));
  B.Phase = Bits >> PhaseShift;
  if (!B.IsLayout1)
    return B;
  B.Current = unpackReport(Bits >> CurrentShift);
  B.Last = unpackReport(Bits >> LastShift);
  B.SilentPhase = Bits >> SilentShift & 1;
  return B;
}

void MBarrier::advance() {
  if (Pending != 0 || Bytes != 0)
    return;
  Phase = !Phase;
  Pending = Expected;
  if (!Current.Something)
    SilentPhase = !SilentPhase;
  Last = std::exchange(Current, {});
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

uint64_t
AsyncUnit::change(Warp &W, unsigned Lane, uint8_t *Host,
                  llvm::function_ref<const char *(MBarrier &)> Change) {
  if (W.Launch->Relaxed)
    W.Launch->Relaxed->settle(Host, 8);
  uint64_t Old = read<uint64_t>(Host);
  std::optional<MBarrier> B = MBarrier::unpack(Old);
  const char *Error = B ? Change(*B) : "there is no mbarrier at this address";
  if (Error) {
    W.fault(rt::FaultKind::IllegalInstruction, Lane, Error);
    return Old;
  }
  if (W.Observer)
    Known[Host].join(W.Observer->View);
  B->advance();
  write<uint64_t>(Host, B->pack());
  progress();
  return Old;
}

void AsyncUnit::arrive(Warp &W, unsigned Lane, uint8_t *Host, uint32_t Count) {
  change(W, Lane, Host, [&](MBarrier &B) -> const char * {
    if (Count > B.Pending)
      return "more arrivals at an mbarrier than it expects";
    B.Pending -= Count;
    return nullptr;
  });
}

void AsyncUnit::completeBytes(Warp &W, unsigned Lane, uint8_t *Host,
                              uint32_t Bytes, MBarrier::Report R) {
  change(W, Lane, Host, [&](MBarrier &B) -> const char * {
    if (R.Something && !B.IsLayout1)
      return "a report to an mbarrier that is not of layout 1";
    B.Current.Something |= R.Something;
    B.Current.Value |= R.Value;
    B.Bytes -= static_cast<int32_t>(Bytes);
    return nullptr;
  });
}

void AsyncUnit::acquire(Warp &W, const uint8_t *Host) {
  if (W.Observer)
    W.Observer->View.join(Known[Host]);
}

//===----------------------------------------------------------------------===//
// Work
//===----------------------------------------------------------------------===//

void AsyncUnit::enqueue(Warp &W, std::function<void()> Perform,
                        AsyncTraffic T) {
  Queue.push_back({&W, W.Current, std::move(Perform), std::move(T)});
}

void AsyncUnit::timeNew(
    llvm::function_ref<uint64_t(const Warp &, const AsyncTraffic &)> Time) {
  auto Begin = [&](Work &New) {
    New.EndsAt = Time(*New.W, New.Moves);
    New.IsTimed = true;
  };
  size_t First = Queue.size();
  while (First > 0 && !Queue[First - 1].IsTimed)
    --First;
  for (; First < Queue.size(); ++First)
    Begin(Queue[First]);
  First = Stores.size();
  while (First > 0 && !Stores[First - 1].Write.IsTimed)
    --First;
  for (; First < Stores.size(); ++First)
    Begin(Stores[First].Write);
  for (Work &P : Prefetches)
    Begin(P);
  Prefetches.clear();
}

void AsyncUnit::carryOut(const Work &Next) {
  // A fault is one of the instruction that began it.
  uint32_t Current = Next.W->Current;
  Next.W->Current = Next.PC;
  Next.Perform();
  Next.W->Current = Current;
}

bool AsyncUnit::step(uint64_t Now) {
  auto It = std::find_if(Queue.begin(), Queue.end(),
                         [&](const Work &W) { return W.EndsAt <= Now; });
  if (It == Queue.end())
    return false;
  Work Next = std::move(*It);
  Queue.erase(It);
  carryOut(Next);
  progress();
  return true;
}

/// Whether every other warp that lives looks in vain since the last progress,
/// or waits at a barrier. A warp that looks at something else than the unit's
/// work, like a flag in memory, does neither, and is not waited for long.
bool AsyncUnit::othersWait(const Warp &Waiter) const {
  constexpr uint64_t PatientSlices = 256;
  auto Own = Waiting.find(&Waiter);
  if (Own != Waiting.end() && Own->second.Times >= PatientSlices)
    return true;
  for (const std::unique_ptr<CTA> &C : Owner.CTAs)
    for (const std::unique_ptr<Warp> &W : C->warps())
      if (W.get() != &Waiter && W->live() && !W->isBlocked() &&
          !Waiting.contains(W.get()))
        return false;
  return true;
}

bool AsyncUnit::stepFor(Warp &Waiter) {
  bool IsTimed = !Queue.empty() && Queue.front().IsTimed;
  return (IsTimed || othersWait(Waiter)) && step(Waiter.Time);
}

void AsyncUnit::enqueueStore(Warp &W, unsigned Lane, std::function<void()> Read,
                             std::function<void()> Perform, AsyncTraffic T) {
  uint32_t Group = StoreGroups[&W][Lane];
  Stores.push_back({{&W, W.Current, std::move(Perform), std::move(T)},
                    std::move(Read),
                    Lane,
                    Group});
}

void AsyncUnit::commitStores(Warp &W, unsigned Lane) {
  ++StoreGroups[&W][Lane];
}

void AsyncUnit::waitStores(Warp &W, unsigned Lane, uint32_t Groups,
                           bool OnlyRead) {
  uint32_t Committed = StoreGroups[&W][Lane];
  for (auto It = Stores.begin(); It != Stores.end();) {
    if (It->Write.W != &W || It->Lane != Lane ||
        uint64_t(It->Group) + Groups >= Committed) {
      ++It;
      continue;
    }
    if (It->Read)
      It->Read();
    It->Read = nullptr;
    if (OnlyRead) {
      ++It;
      continue;
    }
    carryOut(It->Write);
    It = Stores.erase(It);
  }
  progress();
}

void AsyncUnit::prefetch(Warp &W, AsyncTraffic T) {
  // Nothing but time changes.
  if (Owner.Launch.IsTimed)
    Prefetches.push_back({&W, W.Current, nullptr, std::move(T)});
}

//===----------------------------------------------------------------------===//
// The fabric
//===----------------------------------------------------------------------===//

void AsyncUnit::issue(Warp &W, unsigned Lane, FabricWork F) {
  Fabric.push_back({FabricCount++, &W, Lane, W.Current, std::move(F)});
}

void AsyncUnit::submit(Warp &W, unsigned Lane, bool OnlyFetching) {
  for (auto It = Fabric.begin(); It != Fabric.end();) {
    bool Fetches = !It->Operation.Read;
    bool IsOwn = It->W == &W && (It->Lane == Lane || It->Lane == WarpSize);
    if (!IsOwn || It->IsSubmitted || (OnlyFetching && !Fetches)) {
      ++It;
      continue;
    }
    auto Perform = [this, Number = It->Number,
                    Own = std::move(It->Operation.Perform)] {
      Own();
      auto IsOwn = [&](const Issued &I) { return I.Number == Number; };
      Fabric.erase(std::remove_if(Fabric.begin(), Fabric.end(), IsOwn),
                   Fabric.end());
    };
    Queue.push_back(
        {&W, It->PC, std::move(Perform), std::move(It->Operation.Moves)});
    It->IsSubmitted = true;
    It = Fetches ? Fabric.erase(It) : std::next(It);
  }
  progress();
}

void AsyncUnit::commitFabric(Warp &W, unsigned Lane) {
  submit(W, Lane, /*OnlyFetching=*/false);
  uint32_t Group = FabricGroups[&W][Lane]++;
  for (Issued &I : Fabric)
    if (I.W == &W && I.Lane == Lane && !I.Group)
      I.Group = Group;
}

void AsyncUnit::readFabric(Warp &W, unsigned Lane,
                           std::optional<uint32_t> Groups) {
  uint32_t Committed = FabricGroups[&W][Lane];
  for (auto It = Fabric.begin(); It != Fabric.end();) {
    bool IsAwaited =
        It->W == &W && It->Lane == Lane && It->IsSubmitted &&
        (!Groups || (It->Group && uint64_t(*It->Group) + *Groups < Committed));
    if (IsAwaited)
      It->Operation.Read();
    It = IsAwaited ? Fabric.erase(It) : std::next(It);
  }
}

//===----------------------------------------------------------------------===//
// Copies by threads
//===----------------------------------------------------------------------===//

void AsyncUnit::addCopy(Warp &W, unsigned Lane, Copy C) {
  Copies[&W][Lane].Open.push_back(C);
}

void AsyncUnit::commitCopies(Warp &W, unsigned Lane) {
  LaneCopies &L = Copies[&W][Lane];
  L.Groups.push_back(std::move(L.Open));
  L.Open.clear();
}

void AsyncUnit::perform(Warp &W, std::deque<Copy> &Copies) {
  for (const Copy &C : Copies) {
    if (W.Launch->Relaxed) {
      W.Launch->Relaxed->settle(C.To, C.Bytes);
      W.Launch->Relaxed->settle(C.From, C.Given);
    }
    uint8_t Data[16] = {};
    for (unsigned N = 0; N < C.Given; ++N)
      Data[N] = read<uint8_t>(C.From + N);
    for (unsigned N = 0; N < C.Bytes; ++N)
      write<uint8_t>(C.To + N, Data[N]);
  }
  Copies.clear();
}

void AsyncUnit::waitCopies(Warp &W, unsigned Lane, uint32_t Groups) {
  LaneCopies &L = Copies[&W][Lane];
  while (L.Groups.size() > Groups) {
    perform(W, L.Groups.front());
    L.Groups.pop_front();
  }
}

void AsyncUnit::waitAllCopies(Warp &W, unsigned Lane) {
  waitCopies(W, Lane, 0);
  perform(W, Copies[&W][Lane].Open);
}

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

void AsyncUnit::progress() { Waiting.clear(); }

/// Whether each warp that lives looks in vain, or waits at a barrier.
bool AsyncUnit::isStuck(uint64_t Now) const {
  if (std::any_of(Queue.begin(), Queue.end(),
                  [&](const Work &W) { return W.EndsAt > Now; }))
    return false;
  for (const std::unique_ptr<CTA> &C : Owner.CTAs)
    for (const std::unique_ptr<Warp> &W : C->warps()) {
      if (!W->live() || W->isBlocked())
        continue;
      auto It = Waiting.find(W.get());
      if (It == Waiting.end() || It->second.Times < PatientLooks / 2)
        return false;
    }
  return true;
}

void AsyncUnit::lookedInVain(Warp &W, LaneMask Lanes, std::string What) {
  Vain &V = Waiting[&W];
  ++V.Times;
  V.Lanes = Lanes;
  V.What = std::move(What);
  if (V.Times < PatientLooks || V.Times % 256 || !isStuck(W.Time))
    return;
  WaitReport Report;
  for (const std::unique_ptr<CTA> &C : Owner.CTAs)
    for (const std::unique_ptr<Warp> &Other : C->warps()) {
      Other->describeWaits(Report);
      auto It = Waiting.find(Other.get());
      if (It != Waiting.end())
        Report.add("CTA " + std::to_string(C->Number) + " warp " +
                       std::to_string(Other->Index),
                   It->second.Lanes, "for " + It->second.What);
    }
  W.fault(rt::FaultKind::Deadlock, std::countr_zero(Lanes),
          "no thread of the cluster can go on" + Report.text());
}

void AsyncUnit::reset() {
  // Most often the unit was not used.
  auto Clear = [](auto &...All) {
    ((All.empty() ? void() : All.clear()), ...);
  };
  Clear(Queue, Stores, Fabric, Prefetches, StoreGroups, FabricGroups, Copies,
        Waiting, Known);
}

void AsyncUnit::checkNothingPending(Warp &Last) {
  for (const std::unique_ptr<CTA> &C : Owner.CTAs)
    if (auto PC = C->Tensor ? C->Tensor->pendingAllocation() : std::nullopt) {
      Last.Current = *PC;
      return Last.fault(rt::FaultKind::Synchronization, 0,
                        "all threads have exited, and nobody has released this "
                        "tensor memory");
    }
  // Stores come to their place, also those that nobody has waited for or put
  // into a group: GPUs keep the memory until then, and programs end so.
  bool IsStrict = Owner.Launch.Checks.contains(CheckKind::Sync);
  size_t Count = 0;
  std::optional<uint32_t> First;
  for (const Store &S : Stores) {
    if (!S.Read || !IsStrict) {
      if (S.Read)
        S.Read();
      carryOut(S.Write);
      continue;
    }
    First = First.value_or(S.Write.PC);
    ++Count;
  }
  for (const Issued &I : Fabric)
    if (!I.IsSubmitted) {
      Last.Current = I.PC;
      return Last.fault(
          rt::FaultKind::Synchronization, 0,
          "all threads have exited, and nobody has submitted this "
          "operation on the fabric");
    }
  // Nobody can see any more what operations on tensor memory do; kernels of
  // CUTLASS end with the arrival of some.
  for (const Work &W : Queue)
    if (IsStrict || !W.Moves.IsTensor) {
      First = Count == 0 ? W.PC : First;
      ++Count;
    }
  // PTX lets a thread leave copies of its own behind, and programs do.
  if (!First && IsStrict)
    First = findCopy();
  if (!First)
    return;
  Last.Current = *First;
  Last.fault(rt::FaultKind::Synchronization, 0,
             "all threads have exited, and nobody has waited for " +
                 std::to_string(std::max<size_t>(Count, 1)) +
                 " asynchronous operations, of which this is the first");
}

/// The instruction of a thread's copy that is on its way.
std::optional<uint32_t> AsyncUnit::findCopy() const {
  std::optional<uint32_t> First;
  auto Look = [&](const std::deque<Copy> &Group) {
    for (const Copy &C : Group)
      First = std::min(First.value_or(C.PC), C.PC);
  };
  for (const auto &[W, ByLane] : Copies)
    for (const LaneCopies &L : ByLane) {
      for (const std::deque<Copy> &Group : L.Groups)
        Look(Group);
      Look(L.Open);
    }
  return First;
}

} // namespace heddle::emu
