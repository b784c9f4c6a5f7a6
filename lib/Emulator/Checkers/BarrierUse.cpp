//===- BarrierUse.cpp - What barriers have ordered --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Of a word the last write and the last reads of two warps suffice: what is
// older was compared with them when they happened.
//
//===----------------------------------------------------------------------===//

#include "BarrierUse.h"
#include "Accesses.h"
#include "Cluster.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>

using namespace llvm;

namespace heddle::emu {

using isa::Op;

namespace {

constexpr uint32_t Never = ~uint32_t(0);

struct WordAccess {
  uint32_t Interval = Never;
  uint16_t Warp = 0;
  bool IsAtomic = false;
};

struct WordHistory {
  WordAccess Write;
  WordAccess Reads[2]; ///< Since then, by two warps; the last one first.
};

class BarrierObserver : public Checker {
public:
  BarrierObserver(const Cluster &C, BarrierUse &Use)
      : Use(Use), IsAlone(C.CTAs.size() == 1) {}

  void issue(Warp &W, const DecodedInst &I, LaneMask Exec) override;
  void arriveAtBarrier(const CTA &C, unsigned Number, Warp &W, LaneMask Exec,
                       const DecodedInst &I) override;
  void completeBarrier(const CTA &C, unsigned Number) override;

private:
  /// A barrier that some warps have come to.
  struct Arrival {
    uint32_t PC = 0;
    bool IsFull = true; ///< All threads, by one instruction.
  };

  void access(const WordAccess &Now, uint64_t Word, bool IsWrite);
  void meet(const WordAccess &Before, const WordAccess &Now);
  void beUnclear();

  BarrierUse &Use;
  bool IsAlone; ///< The accesses of other CTAs are not seen.
  DenseMap<uint64_t, WordHistory> Words;
  std::map<unsigned, Arrival> Arrivals; ///< By the barrier's number.
  uint32_t Interval = 0;
  /// All barriers since the beginning of interval RunStart were executed by the
  /// instruction at Last.
  uint32_t RunStart = 0;
  std::optional<uint32_t> Last;
  uint32_t UnclearAt = Never; ///< The last interval with something unclear.
};

} // namespace

/// Something happened that every barrier beside it may have ordered.
void BarrierObserver::beUnclear() {
  UnclearAt = Interval;
  if (Last && RunStart < Interval)
    Use.need(*Last);
}

/// Two accesses of which one writes.
void BarrierObserver::meet(const WordAccess &Before, const WordAccess &Now) {
  if (Before.Interval == Never || Before.Warp == Now.Warp ||
      (Before.IsAtomic && Now.IsAtomic))
    return;
  if (Before.Interval == Now.Interval) // Something else orders the two.
    return beUnclear();
  if (Last && Before.Interval >= RunStart)
    Use.need(*Last);
}

void BarrierObserver::access(const WordAccess &Now, uint64_t Word,
                             bool IsWrite) {
  WordHistory &H = Words[Word];
  meet(H.Write, Now);
  if (IsWrite) {
    for (const WordAccess &R : H.Reads)
      meet(R, Now);
    H = {Now, {}};
    return;
  }
  if (H.Reads[0].Interval != Never && H.Reads[0].Warp != Now.Warp)
    H.Reads[1] = H.Reads[0];
  H.Reads[0] = Now;
}

/// Whether an instruction orders accesses, or accesses what is not looked at.
static bool isUnclear(const DecodedInst &I, const AccessInfo &Info) {
  switch (I.Info->Operation) {
  case Op::MEMBAR:
  case Op::CBAR:
  case Op::GRIDDEP:
  case Op::SYSCALL:
    return true;
  default:
    break;
  }
  if (!Info.IsAccess)
    return isOtherAccess(I);
  bool IsWeak = I.Order == MemOrder::Weak || I.Order == MemOrder::Constant;
  bool IsShared = !Info.IsGeneric && Info.Space == AccessSpace::Shared;
  return !IsWeak && !(Info.Kind == AccessKind::Atomic && IsShared);
}

void BarrierObserver::issue(Warp &W, const DecodedInst &I, LaneMask Exec) {
  AccessInfo Info = accessInfo(I);
  if (!Exec)
    return;
  if (isUnclear(I, Info))
    return beUnclear();
  if (!Info.IsAccess)
    return;
  constexpr uint64_t SharedWords = uint64_t(1) << 62;
  WordAccess Now{Interval, uint16_t(W.Index), Info.Kind == AccessKind::Atomic};
  for (const LaneAccess &A : accessesOf(W, I, Info, Exec)) {
    if (A.Space == AccessSpace::OtherShared)
      return beUnclear();
    if (A.Space == AccessSpace::Local)
      continue;
    uint64_t First = A.Address / 4, End = (A.Address + Info.Bytes - 1) / 4;
    for (uint64_t Word = First; Word <= End; ++Word)
      access(Now, A.Space == AccessSpace::Shared ? Word | SharedWords : Word,
             Info.Kind != AccessKind::Load);
  }
}

void BarrierObserver::arriveAtBarrier(const CTA &, unsigned Number, Warp &W,
                                      LaneMask Exec, const DecodedInst &I) {
  Use.execute(W.Current);
  bool IsPlain = BarMode(I.Select) == BarMode::Sync && I.C == ZeroRow &&
                 Exec == W.live() && IsAlone;
  auto [It, IsNew] = Arrivals.try_emplace(Number, Arrival{W.Current, true});
  Arrival &A = It->second;
  if (IsPlain && A.IsFull && A.PC == W.Current)
    return;
  Use.need(A.PC);
  Use.need(W.Current);
  A.IsFull = false;
}

void BarrierObserver::completeBarrier(const CTA &, unsigned Number) {
  auto It = Arrivals.find(Number);
  if (It == Arrivals.end())
    return;
  Arrival A = It->second;
  Arrivals.erase(It);
  // What is needed anyway need not be told apart, but what others order is.
  if (!A.IsFull)
    return;
  if (!Last || *Last != A.PC) {
    Last = A.PC;
    RunStart = Interval;
  }
  ++Interval;
  if (UnclearAt != Never && UnclearAt >= RunStart)
    Use.need(A.PC);
}

std::unique_ptr<Checker> makeBarrierObserver(const Cluster &C,
                                             BarrierUse &Use) {
  return std::make_unique<BarrierObserver>(C, Use);
}

} // namespace heddle::emu
