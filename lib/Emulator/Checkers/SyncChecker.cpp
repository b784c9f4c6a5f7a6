//===- SyncChecker.cpp - Rules of synchronisation ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The check 'sync': what PTX leaves undefined about member masks, shuffles,
// barriers and clusters. docs/emulator.md lists the rules.
//
// A member mask stands in the WARPSYNC in front of an exchange. The compiler
// drops those that it can do without; heddle-keep-warpsync keeps them.
//
//===----------------------------------------------------------------------===//

#include "Cluster.h"
#include "Execute/Execute.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace llvm;

namespace heddle::emu {

using isa::Op;
using Inst = const DecodedInst &;

namespace {

class SyncChecker : public Checker {
public:
  explicit SyncChecker(const Cluster &C);

  void issue(Warp &W, Inst I, LaneMask Exec) override;
  void accessOfOther(Warp &W, unsigned Lane, const CTA &Holder) override;
  void arriveAtBarrier(const CTA &C, unsigned Number, Warp &W, LaneMask Exec,
                       Inst I) override;
  void completeBarrier(const CTA &C, unsigned Number) override;
  void completeClusterBarrier() override;

private:
  struct WarpState {
    /// Member masks of the lanes' last WARPSYNC, until their next exchange.
    LaneMask HasMask = 0;
    LaneMask Mask[WarpSize];
    /// Lanes that have arrived at the cluster's barrier and not waited there.
    LaneMask MustWait = 0;
    /// Where a lane of the warp arrived in this phase of it.
    uint32_t ArrivePC = InvalidPC;
  };
  using BarrierKey = std::pair<const CTA *, unsigned>;

  void checkMembership(Warp &W, LaneMask Exec, const Source<uint32_t> &Masks);
  void checkWarpSync(Warp &W, Inst I, LaneMask Exec);
  void checkShuffle(Warp &W, Inst I, LaneMask Exec);
  void checkClusterBarrier(Warp &W, Inst I, LaneMask Exec);

  DenseMap<const Warp *, WarpState> Warps;
  /// Whether the barriers that are active reduce.
  std::map<BarrierKey, bool> Barriers;
};

std::string hex(LaneMask Mask) {
  std::string Text;
  raw_string_ostream(Text) << format_hex(Mask, 10);
  return Text;
}

void report(Warp &W, unsigned Lane, const Twine &Message) {
  W.fault(rt::FaultKind::Synchronization, Lane, Message.str());
}

} // namespace

SyncChecker::SyncChecker(const Cluster &C) {
  for (const std::unique_ptr<CTA> &Member : C.CTAs)
    for (const std::unique_ptr<Warp> &W : Member->warps())
      Warps.try_emplace(W.get());
}

void SyncChecker::issue(Warp &W, Inst I, LaneMask Exec) {
  switch (I.Info->Operation) {
  case Op::WARPSYNC:
    return checkWarpSync(W, I, Exec);
  case Op::SHFL:
  case Op::SHFLV:
    return checkShuffle(W, I, Exec);
  case Op::VOTE:
  case Op::MATCH:
  case Op::MATCH64:
  case Op::REDUX:
  case Op::REDUXF:
    checkMembership(W, Exec, Source<uint32_t>(W, I.KindB, I.B, I.Imm));
    Warps.find(&W)->second.HasMask &= ~Exec;
    return;
  case Op::CBAR:
    return checkClusterBarrier(W, I, Exec);
  default:
    return;
  }
}

//===----------------------------------------------------------------------===//
// Exchanges within a warp
//===----------------------------------------------------------------------===//

void SyncChecker::checkMembership(Warp &W, LaneMask Exec,
                                  const Source<uint32_t> &Masks) {
  for (unsigned L : lanes(Exec))
    if (!(Masks[L] >> L & 1))
      return report(W, L,
                    "lane " + Twine(L) + " is not in its member mask " +
                        hex(Masks[L]));
}

/// Lanes that name each other must name the same ones.
void SyncChecker::checkWarpSync(Warp &W, Inst I, LaneMask Exec) {
  Source<uint32_t> Masks(W, I.KindB, I.B, I.Imm);
  checkMembership(W, Exec, Masks);
  if (W.faulted())
    return;
  WarpState &S = Warps.find(&W)->second;
  LaneMask Waiting = W.waitingToConverge();
  for (unsigned L : lanes(Exec)) {
    for (unsigned Other : lanes(Masks[L] & (Exec | Waiting))) {
      LaneMask Others = Exec >> Other & 1 ? Masks[Other] : W.waitMask(Other);
      if (Others != Masks[L])
        return report(W, L,
                      "lanes " + Twine(L) + " and " + Twine(Other) +
                          " wait for each other with the member masks " +
                          hex(Masks[L]) + " and " + hex(Others));
    }
    S.Mask[L] = Masks[L];
  }
  S.HasMask |= Exec;
}

void SyncChecker::checkShuffle(Warp &W, Inst I, LaneMask Exec) {
  WarpState &S = Warps.find(&W)->second;
  for (unsigned L : lanes(Exec)) {
    int From = shuffleSource(W, I, L);
    if (From < 0 || From == int(L))
      continue;
    std::string Why;
    if (W.dead() >> From & 1)
      Why = "has exited or never was";
    else if (!((Exec | W.partners(L)) >> From & 1))
      Why = "does not execute the shuffle with it";
    else if (S.HasMask >> L & 1 && !(S.Mask[L] >> From & 1))
      Why = "is not in its member mask " + hex(S.Mask[L]);
    if (!Why.empty())
      return report(W, L,
                    "lane " + Twine(L) + " reads from lane " + Twine(From) +
                        ", which " + Why);
  }
  S.HasMask &= ~Exec;
}

//===----------------------------------------------------------------------===//
// Barriers of a CTA
//===----------------------------------------------------------------------===//

void SyncChecker::arriveAtBarrier(const CTA &C, unsigned Number, Warp &W,
                                  LaneMask Exec, Inst I) {
  bool Reduces = static_cast<BarMode>(I.Select) > BarMode::Arrive;
  unsigned Lane = std::countr_zero(Exec);
  if (Barriers.try_emplace({&C, Number}, Reduces).first->second != Reduces)
    return report(W, Lane,
                  "barrier " + Twine(Number) +
                      " is used with and without a reduction at a time");
  if (!I.Aligned)
    return;
  bool Elsewhere = false;
  for (unsigned L : lanes(W.waitingAtBarrier()))
    Elsewhere |= W.waitPC(L) != W.Current;
  if (Elsewhere)
    return report(W, Lane,
                  "threads of a warp execute different .aligned barriers");
}

void SyncChecker::completeBarrier(const CTA &C, unsigned Number) {
  Barriers.erase({&C, Number});
}

//===----------------------------------------------------------------------===//
// Clusters
//===----------------------------------------------------------------------===//

void SyncChecker::checkClusterBarrier(Warp &W, Inst I, LaneMask Exec) {
  WarpState &S = Warps.find(&W)->second;
  if (static_cast<isa::ClusterBarMode>(I.Select) == isa::ClusterBarMode::Wait) {
    if (LaneMask Never = Exec & ~S.MustWait)
      return report(W, std::countr_zero(Never),
                    "lanes " + hex(Never) +
                        " wait at the cluster's barrier without having "
                        "arrived there");
    S.MustWait &= ~Exec;
    return;
  }
  if (LaneMask Twice = Exec & S.MustWait)
    return report(W, std::countr_zero(Twice),
                  "lanes " + hex(Twice) +
                      " arrive at the cluster's barrier again without having "
                      "waited there");
  S.MustWait |= Exec;
  if (I.Aligned && S.ArrivePC != InvalidPC && S.ArrivePC != W.Current)
    return report(W, std::countr_zero(Exec),
                  "threads of a warp execute different .aligned arrivals at "
                  "the cluster's barrier");
  S.ArrivePC = W.Current;
}

void SyncChecker::completeClusterBarrier() {
  for (auto &Entry : Warps)
    Entry.second.ArrivePC = InvalidPC;
}

void SyncChecker::accessOfOther(Warp &W, unsigned Lane, const CTA &Holder) {
  if (Holder.status() == CTA::Status::Done)
    report(W, Lane,
           "lane " + Twine(Lane) +
               " accesses the shared memory of a CTA that has exited");
}

std::unique_ptr<Checker> makeSyncChecker(const Cluster &C) {
  return std::make_unique<SyncChecker>(C);
}

} // namespace heddle::emu
