//===- RaceChecker.cpp - Races in memory ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The check 'race': two accesses to a byte of shared or global memory by
// different warps, one of them a write, of which neither happens before the
// other. What happens before what is a vector clock for each warp. Barriers
// order; atomic operations and accesses with an order do both ways what
// releases and acquires do, so that a lock or a flag is no race.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Checkers/Checker.h"
#include "Checkers/GlobalRaces.h"
#include "Cluster.h"
#include "Execute/ExecuteMemory.h"
#include "SharedAddress.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/raw_ostream.h"

#include <map>

using namespace llvm;

namespace heddle::emu {

namespace {

using Clock = RaceClock;

/// An access, by the warp's clock at it.
struct Epoch {
  static constexpr uint16_t NoWarp = 0xFFFF;
  uint16_t Warp = NoWarp;
  bool IsAtomic = false;
  uint32_t Time = 0;
  uint32_t PC = 0;
};

/// What happened to a byte since its last write.
struct Cell {
  Epoch Write;
  SmallVector<Epoch, 1> Reads; ///< The last of each warp.
};

class RaceChecker : public Checker {
public:
  explicit RaceChecker(const Cluster &C);

  void issue(Warp &W, const DecodedInst &I, LaneMask Exec) override;
  void arriveAtBarrier(const CTA &C, unsigned Number, Warp &W, LaneMask Exec,
                       const DecodedInst &I) override;
  void completeBarrier(const CTA &C, unsigned Number) override;
  void completeClusterBarrier() override;

private:
  struct Barrier {
    Clock Known;
    std::vector<uint16_t> Waiting; ///< Warps that are told.
  };

  uint16_t indexOf(const Warp &W) const { return Indices.lookup(&W); }
  bool isBefore(const Epoch &E, uint16_t Index) const {
    return E.Warp == Epoch::NoWarp || E.Warp == Index ||
           Clocks[Index].Own[E.Warp] >= E.Time;
  }
  void access(Warp &W, const LaneAccess &A, const AccessInfo &Info,
              bool IsAtomic);
  void accessGlobal(Warp &W, const LaneAccess &A, const AccessInfo &Info,
                    bool IsAtomic);
  const Epoch *conflict(const Cell &C, uint16_t Index, bool IsWrite,
                        bool IsAtomic) const;
  void report(Warp &W, unsigned Lane, const std::string &Place, bool IsWrite,
              const std::string &OtherWarp, uint32_t OtherPC, bool OtherWrites);
  void synchronize(uint16_t Index, Clock &Place);

  const Cluster &Owner;
  DenseMap<const Warp *, uint16_t> Indices;
  std::vector<Clock> Clocks;                      ///< By warp.
  std::map<const CTA *, std::vector<Cell>> Cells; ///< By byte.
  std::map<std::pair<const CTA *, unsigned>, Barrier> Barriers;
  /// What is known through atomics on a word, and through what is not seen.
  std::map<std::pair<const CTA *, uint64_t>, Clock> Words; ///< Of shared.
  Clock Unseen;
};

} // namespace

RaceChecker::RaceChecker(const Cluster &C) : Owner(C) {
  size_t Count = 0;
  for (const std::unique_ptr<CTA> &Member : C.CTAs) {
    Cells[Member.get()].resize(Member->Shared.size());
    for (const std::unique_ptr<Warp> &W : Member->warps())
      Indices[W.get()] = Count++;
  }
  Clocks.assign(Count, Clock(Count));
  for (size_t N = 0; N < Count; ++N)
    Clocks[N].Own[N] = 1;
}

/// Releases to Place and acquires from it.
void RaceChecker::synchronize(uint16_t Index, Clock &Place) {
  Clocks[Index].join(Place);
  Place.join(Clocks[Index]);
  ++Clocks[Index].Own[Index];
}

void RaceChecker::issue(Warp &W, const DecodedInst &I, LaneMask Exec) {
  if (isOtherAccess(I))
    return synchronize(indexOf(W), Unseen);
  AccessInfo Info = accessInfo(I);
  if (!Info.IsAccess)
    return;
  bool IsAtomic = Info.Kind == AccessKind::Atomic ||
                  (I.Order != MemOrder::Weak && I.Order != MemOrder::Constant);
  for (const LaneAccess &A : accessesOf(W, I, Info, Exec)) {
    if (W.faulted())
      return;
    if (A.Space == AccessSpace::Shared || A.Space == AccessSpace::OtherShared)
      access(W, A, Info, IsAtomic);
    else if (A.Space == AccessSpace::Global)
      accessGlobal(W, A, Info, IsAtomic);
  }
}

/// An earlier access that is not ordered before one of the warp with Index.
const Epoch *RaceChecker::conflict(const Cell &C, uint16_t Index, bool IsWrite,
                                   bool IsAtomic) const {
  if (!(IsAtomic && C.Write.IsAtomic) && !isBefore(C.Write, Index))
    return &C.Write;
  if (IsWrite)
    for (const Epoch &R : C.Reads)
      if (!(IsAtomic && R.IsAtomic) && !isBefore(R, Index))
        return &R;
  return nullptr;
}

void RaceChecker::access(Warp &W, const LaneAccess &A, const AccessInfo &Info,
                         bool IsAtomic) {
  const CTA *Holder = W.Owner;
  SharedAddress Address(static_cast<uint32_t>(A.Address));
  uint64_t Offset = Address.offset();
  if (Address.hasRank())
    Holder = Address.rank() < Owner.CTAs.size()
                 ? Owner.CTAs[Address.rank()].get()
                 : nullptr;
  // Execution says what is wrong with the address.
  if (!Holder || Offset + Info.Bytes > Holder->Shared.size())
    return;
  uint16_t Index = indexOf(W);
  if (IsAtomic)
    synchronize(Index, Words[{Holder, Offset}]);
  bool IsWrite = Info.Kind != AccessKind::Load;
  Epoch Now{Index, IsAtomic, Clocks[Index].Own[Index], W.Current};
  for (unsigned B = 0; B < Info.Bytes; ++B) {
    Cell &C = Cells[Holder][Offset + B];
    if (const Epoch *E = conflict(C, Index, IsWrite, IsAtomic))
      return report(W, A.Lane, formatv("byte {0} of shared memory", Offset + B),
                    IsWrite,
                    formatv("warp {0}", E->Warp % W.Owner->warps().size()),
                    E->PC, E == &C.Write);
    if (IsWrite) {
      C.Write = Now;
      C.Reads.clear();
      continue;
    }
    auto *Same =
        llvm::find_if(C.Reads, [&](const Epoch &E) { return E.Warp == Index; });
    if (Same != C.Reads.end())
      *Same = Now;
    else
      C.Reads.push_back(Now);
  }
}

/// Accesses lie in a word, or are whole words.
void RaceChecker::accessGlobal(Warp &W, const LaneAccess &A,
                               const AccessInfo &Info, bool IsAtomic) {
  constexpr unsigned Word = GlobalRaces::WordBytes;
  uint16_t Index = indexOf(W);
  GlobalRaces &All = *W.Launch->Races;
  if (IsAtomic)
    All.learn(A.Address, Owner.Number, Clocks[Index]);
  GlobalAccess Now;
  Now.Cluster = Owner.Number;
  Now.Time = Clocks[Index].Own[Index];
  Now.PC = W.Current;
  Now.Warp = Index;
  Now.IsAtomic = IsAtomic;
  Now.IsWrite = Info.Kind != AccessKind::Load;
  unsigned InWord = std::min(Info.Bytes, Word);
  Now.Bytes = ((1u << InWord) - 1) << A.Address % Word;
  for (unsigned B = 0; B < Info.Bytes; B += Word) {
    std::optional<GlobalAccess> Other =
        All.access(A.Address + B, Now, Clocks[Index]);
    if (!Other)
      continue;
    uint64_t Warps = W.Owner->warps().size();
    uint64_t OtherCTA =
        Other->Cluster * Owner.CTAs.size() + Other->Warp / Warps;
    return report(W, A.Lane, formatv("address {0:x}", A.Address + B),
                  Now.IsWrite,
                  formatv("warp {0} of {1} {2}", Other->Warp % Warps,
                          Owner.CTAs.size() > 1 ? "a CTA of cluster" : "CTA",
                          Owner.CTAs.size() > 1 ? Other->Cluster : OtherCTA),
                  Other->PC, Other->IsWrite);
  }
  if (!IsAtomic)
    return;
  All.publish(A.Address, Owner.Number, Clocks[Index]);
  ++Clocks[Index].Own[Index];
}

void RaceChecker::report(Warp &W, unsigned Lane, const std::string &Place,
                         bool IsWrite, const std::string &OtherWarp,
                         uint32_t OtherPC, bool OtherWrites) {
  std::string Text;
  raw_string_ostream OS(Text);
  OS << (IsWrite ? "writes " : "reads ") << Place << ", which " << OtherWarp
     << (OtherWrites ? " writes" : " reads") << " at "
     << describePC(W.Launch->Code, OtherPC)
     << " with nothing that orders the two";
  W.fault(rt::FaultKind::Race, Lane, std::move(Text));
}

void RaceChecker::arriveAtBarrier(const CTA &C, unsigned Number, Warp &W,
                                  LaneMask, const DecodedInst &I) {
  Barrier &B = Barriers[{&C, Number}];
  uint16_t Index = indexOf(W);
  B.Known.join(Clocks[Index]);
  ++Clocks[Index].Own[Index];
  if (static_cast<BarMode>(I.Select) != BarMode::Arrive)
    B.Waiting.push_back(Index);
}

void RaceChecker::completeBarrier(const CTA &C, unsigned Number) {
  Barrier &B = Barriers[{&C, Number}];
  for (uint16_t Index : B.Waiting)
    Clocks[Index].join(B.Known);
  B = Barrier();
}

void RaceChecker::completeClusterBarrier() {
  Clock All(Clocks.size());
  for (const Clock &C : Clocks)
    All.join(C);
  for (size_t N = 0; N < Clocks.size(); ++N) {
    Clocks[N].join(All);
    ++Clocks[N].Own[N];
  }
}

std::unique_ptr<Checker> makeRaceChecker(const Cluster &C) {
  return std::make_unique<RaceChecker>(C);
}

} // namespace heddle::emu
