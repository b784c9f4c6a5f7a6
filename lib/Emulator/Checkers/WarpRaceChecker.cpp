//===- WarpRaceChecker.cpp - Races between the lanes of a warp --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes that happen to run together are not ordered by that: PTX lets each have
// its own way. Each lane has a vector clock of the lanes of its warp. What
// orders them are WARPSYNC and exchanges between lanes, barriers of the CTA and
// the cluster, and atomics and accesses with an order, after which a lane knows
// what the others did before.
//
// A lane that comes to a WARPSYNC knows the others' accesses once it goes on,
// which it does with its next access: all have come by then.
//
//===----------------------------------------------------------------------===//

#include "Accesses.h"
#include "Checkers/Checker.h"
#include "Cluster.h"
#include "Execute/Execute.h"
#include "Execute/ExecuteMemory.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace llvm;

namespace heddle::emu {

namespace {

using isa::Op;
using Inst = const DecodedInst &;

constexpr LaneMask AllLanes = ~LaneMask(0);

/// What the lanes of a warp know of each other.
class LaneClocks {
public:
  /// The time of accesses now.
  uint32_t now() const { return Time; }
  /// Whether \p Lane knows what the lanes of \p Others, apart from itself, did
  /// at \p When.
  bool knows(unsigned Lane, LaneMask Others, uint32_t When) const {
    for (unsigned Other : lanes(Others & ~(LaneMask(1) << Lane)))
      if (When >= Known[Lane][Other])
        return false;
    return true;
  }
  /// \p Lane comes to where it and the lanes of \p With wait for each other.
  void meet(unsigned Lane, LaneMask With) { Pending[Lane] |= With; }
  /// \p Lane goes on.
  void goOn(unsigned Lane) {
    if (!Pending[Lane])
      return;
    ++Time;
    for (unsigned Other : lanes(std::exchange(Pending[Lane], 0))) {
      for (unsigned L = 0; L < WarpSize; ++L)
        Known[Lane][L] = std::max(Known[Lane][L], Known[Other][L]);
      Known[Lane][Other] = Time;
    }
  }

private:
  uint32_t Time = 0;
  uint32_t Known[WarpSize][WarpSize] = {}; ///< Times before this.
  LaneMask Pending[WarpSize] = {};
};

/// What the lanes of a warp did last with a byte.
struct Cell {
  struct Access {
    LaneMask Lanes = 0;
    uint32_t Time = 0, PC = 0;
    bool IsAtomic = false;
  };
  Access Write, Read;
};

class WarpRaceChecker : public Checker {
public:
  explicit WarpRaceChecker(const Cluster &) {}

  void issue(Warp &W, Inst I, LaneMask Exec) override;
  void arriveAtBarrier(const CTA &, unsigned, Warp &W, LaneMask Exec,
                       Inst) override {
    meetAll(Warps[&W], Exec);
  }
  void completeClusterBarrier() override {
    for (auto &Entry : Warps)
      meetAll(Entry.second, AllLanes);
  }

private:
  struct WarpState {
    LaneClocks Clocks;
    /// By address, with its space in the bits that no address has.
    DenseMap<uint64_t, Cell> Cells;
  };

  static void meetAll(WarpState &S, LaneMask Exec) {
    for (unsigned L : lanes(Exec))
      S.Clocks.meet(L, AllLanes);
  }
  bool access(Warp &W, WarpState &S, Inst I, const LaneAccess &A,
              const AccessInfo &Info, bool IsAtomic);
  void report(Warp &W, const LaneAccess &A, unsigned Byte, bool IsWrite,
              const Cell::Access &Other, bool OtherWrites);

  std::map<const Warp *, WarpState> Warps;
};

/// Whether two lanes store the same: then the order does not matter.
bool storesTheSame(const Warp &W, Inst I, unsigned A, unsigned B,
                   unsigned Bytes) {
  uint32_t Stored = Bytes < 4 ? (uint32_t(1) << 8 * Bytes) - 1 : ~uint32_t(0);
  for (unsigned N = 0; N < std::max(Bytes / 4, 1u); ++N)
    if ((W.R[I.C + N][A] ^ W.R[I.C + N][B]) & Stored)
      return false;
  return true;
}

} // namespace

void WarpRaceChecker::issue(Warp &W, Inst I, LaneMask Exec) {
  WarpState &S = Warps[&W];
  switch (I.Info->Operation) {
  case Op::WARPSYNC: {
    Source<uint32_t> Masks(W, I.KindB, I.B, I.Imm);
    for (unsigned L : lanes(Exec))
      S.Clocks.meet(L, Masks[L]);
    return;
  }
  case Op::BAR:
  case Op::CBAR:
    return meetAll(S, Exec);
  case Op::SHFL:
  case Op::SHFLV:
  case Op::VOTE:
  case Op::MATCH:
  case Op::MATCH64:
  case Op::REDUX:
  case Op::REDUXF:
    for (unsigned L : lanes(Exec))
      S.Clocks.meet(L, Exec);
    return;
  default:
    break;
  }
  // What is not seen may order anything.
  if (isOtherAccess(I))
    return meetAll(S, Exec);
  AccessInfo Info = accessInfo(I);
  if (!Info.IsAccess || (!Info.IsGeneric && Info.Space == AccessSpace::Local))
    return;
  bool IsAtomic = Info.Kind == AccessKind::Atomic ||
                  (I.Order != MemOrder::Weak && I.Order != MemOrder::Constant);
  if (IsAtomic)
    meetAll(S, Exec);
  for (unsigned L : lanes(Exec))
    S.Clocks.goOn(L);
  for (const LaneAccess &A : accessesOf(W, I, Info, Exec))
    if (A.Space != AccessSpace::Local && !access(W, S, I, A, Info, IsAtomic))
      return;
  if (IsAtomic)
    meetAll(S, Exec);
}

/// Notes an access. False if it is a race.
bool WarpRaceChecker::access(Warp &W, WarpState &S, Inst I, const LaneAccess &A,
                             const AccessInfo &Info, bool IsAtomic) {
  constexpr unsigned SpaceShift = 60;
  bool IsWrite = Info.Kind != AccessKind::Load;
  LaneMask Own = LaneMask(1) << A.Lane;
  auto IsRace = [&](const Cell::Access &Other) {
    return !(IsAtomic && Other.IsAtomic) &&
           !S.Clocks.knows(A.Lane, Other.Lanes, Other.Time);
  };
  for (unsigned B = 0; B < Info.Bytes; ++B) {
    Cell &C = S.Cells[uint64_t(A.Space) << SpaceShift | (A.Address + B)];
    bool IsSameStore =
        IsWrite && C.Write.Lanes && C.Write.PC == W.Current &&
        C.Write.Time == S.Clocks.now() &&
        storesTheSame(W, I, A.Lane, std::countr_zero(C.Write.Lanes),
                      Info.Bytes);
    bool IsWriteRace = !IsSameStore && IsRace(C.Write);
    if (IsWriteRace || (IsWrite && IsRace(C.Read))) {
      report(W, A, B, IsWrite, IsWriteRace ? C.Write : C.Read, IsWriteRace);
      return false;
    }
    Cell::Access Now{Own, S.Clocks.now(), W.Current, IsAtomic};
    Cell::Access &Last = IsWrite ? C.Write : C.Read;
    if (Last.Time == Now.Time && Last.PC == Now.PC)
      Now.Lanes |= Last.Lanes;
    Last = Now;
    if (IsWrite)
      C.Read = {};
  }
  return true;
}

void WarpRaceChecker::report(Warp &W, const LaneAccess &A, unsigned Byte,
                             bool IsWrite, const Cell::Access &Other,
                             bool OtherWrites) {
  LaneMask Others = Other.Lanes & ~(LaneMask(1) << A.Lane);
  std::string Place =
      A.Space == AccessSpace::Global
          ? formatv("address {0:x}", A.Address + Byte).str()
          : formatv("byte {0} of shared memory", A.Address + Byte).str();
  W.fault(rt::FaultKind::Race, A.Lane,
          formatv("{0} {1}, which lane {2} of the same warp {3} at {4} with "
                  "nothing that orders the two",
                  IsWrite ? "writes" : "reads", Place, std::countr_zero(Others),
                  OtherWrites ? "writes" : "reads",
                  describePC(W.Launch->Code, Other.PC))
              .str());
}

std::unique_ptr<Checker> makeWarpChecker(const Cluster &C) {
  return std::make_unique<WarpRaceChecker>(C);
}

} // namespace heddle::emu
