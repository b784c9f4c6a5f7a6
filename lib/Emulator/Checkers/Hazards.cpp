//===- Hazards.cpp - The strict mode's bookkeeping --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Independent of the compiler's pass that fills in stall counts and counters:
// both read docs/hazards.md and the generated tables, and nothing else.
//
//===----------------------------------------------------------------------===//

#include "Checkers/Hazards.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cstring>

namespace heddle::emu {

using Rule = HazardReport::Rule;
using isa::Op;

/// Registers above are read at issue even by variable-latency instructions.
static bool isReadLate(RegId R) { return R < FirstPredicate; }

static bool isCallOrReturn(const DecodedInst &I) {
  Op O = I.Info->Operation;
  return O == Op::CALL || O == Op::CALLR || O == Op::RET;
}

static bool isSystemCall(const DecodedInst &I) {
  return I.Info->Operation == Op::SYSCALL;
}

std::optional<HazardReport>
HazardChecker::issue(const CodeImage &Image, uint32_t PC, const DecodedInst &I,
                     LaneMask Group, LaneMask Exec) {
  if (Group != MinGroup)
    selectGroup(Group);
  if (I.WaitMask && !Flights.empty())
    wait(Image, I.WaitMask);
  std::optional<HazardReport> Report;
  if (isSystemCall(I) && Exec)
    Report = checkNothingPending(Image, Exec);
  if (!Report)
    Report = checkReads(Image, I, Group, Exec);
  if (!Report && Exec)
    Report = checkWrites(Image, I, Exec);
  if (Report)
    return Report;
  if (Exec)
    record(Image, PC, I, Exec);
  advance(Group, I.Stall);
  if (isCallOrReturn(I) && Exec)
    return checkNothingPending(Image, Exec);
  return std::nullopt;
}

/// The lanes of Lanes whose last fixed-latency result in R becomes visible only
/// after their clock plus Later.
LaneMask HazardChecker::notReady(RegId R, LaneMask Lanes,
                                 uint32_t Later) const {
  if (LastReady[R] <= MinClock + Later)
    return 0;
  LaneMask Result = 0;
  for (unsigned L = 0; L < WarpSize; ++L)
    Result |= LaneMask(ReadyAt[R][L] > Clock[L] + Later) << L;
  return Result & Lanes;
}

/// The last instruction on its way of which Touches is true.
template <typename Fn>
static uint32_t findFlight(const auto &Flights, LaneMask Lanes, Fn Touches) {
  for (size_t N = Flights.size(); N-- > 0;)
    if ((Flights[N].Lanes & Lanes) && Touches(Flights[N].PC))
      return Flights[N].PC;
  return InvalidPC;
}

static bool contains(llvm::ArrayRef<RegId> List, RegId R) {
  return std::find(List.begin(), List.end(), R) != List.end();
}

std::optional<HazardReport> HazardChecker::checkReads(const CodeImage &Image,
                                                      const DecodedInst &I,
                                                      LaneMask Group,
                                                      LaneMask Exec) const {
  RegId Guard = (I.Uniform ? FirstUniformPredicate : FirstPredicate) + I.Guard;
  for (RegId R : Image.reads(I)) {
    LaneMask Lanes = R == Guard ? Group : Exec;
    if (LaneMask Bad = PendingWrite[R] & Lanes) {
      uint32_t From = findFlight(Flights, Bad, [&](uint32_t PC) {
        return contains(Image.writes(Image.Insts[PC]), R);
      });
      return HazardReport{Rule::ReadTooEarly, R, From, Bad};
    }
    if (LaneMask Bad = notReady(R, Lanes))
      return HazardReport{Rule::ReadTooEarly, R, Producer[R], Bad};
  }
  return std::nullopt;
}

std::optional<HazardReport> HazardChecker::checkWrites(const CodeImage &Image,
                                                       const DecodedInst &I,
                                                       LaneMask Exec) const {
  for (RegId R : Image.writes(I)) {
    if (LaneMask Bad = PendingRead[R] & Exec) {
      uint32_t From = findFlight(Flights, Bad, [&](uint32_t PC) {
        return contains(Image.reads(Image.Insts[PC]), R);
      });
      return HazardReport{Rule::SourceOverwritten, R, From, Bad};
    }
    if (LaneMask Bad = PendingWrite[R] & Exec) {
      uint32_t From = findFlight(Flights, Bad, [&](uint32_t PC) {
        return contains(Image.writes(Image.Insts[PC]), R);
      });
      return HazardReport{Rule::ResultOverwritten, R, From, Bad};
    }
    // A fixed-latency result must become visible after the one before it; a
    // variable one may arrive at any time.
    if (LaneMask Bad = notReady(R, Exec, I.Variable ? 0 : I.Latency - 1))
      return HazardReport{Rule::ResultOverwritten, R, Producer[R], Bad};
  }
  return std::nullopt;
}

std::optional<HazardReport>
HazardChecker::checkNothingPending(const CodeImage &Image,
                                   LaneMask Lanes) const {
  for (const InFlight &F : Flights)
    if (LaneMask Bad = F.Lanes & Lanes) {
      const DecodedInst &I = Image.Insts[F.PC];
      auto List = I.NumWrites ? Image.writes(I) : Image.reads(I);
      return HazardReport{Rule::PendingAtCall,
                          List.empty() ? RegId(0) : List[0], F.PC, Bad};
    }
  if (Latest <= MinClock)
    return std::nullopt;
  for (RegId R = 0; R < NumRegIds; ++R)
    if (LaneMask Bad = notReady(R, Lanes))
      return HazardReport{Rule::PendingAtCall, R, Producer[R], Bad};
  return std::nullopt;
}

void HazardChecker::record(const CodeImage &Image, uint32_t PC,
                           const DecodedInst &I, LaneMask Exec) {
  // The arguments of a system call are read, and its results there, at once.
  if (isSystemCall(I))
    return;
  if (I.Variable) {
    // Without a result and a source that is read late nothing is pending.
    if (!I.NumWrites && llvm::none_of(Image.reads(I), isReadLate))
      return;
    InFlight F{PC, Exec, false};
    auto Same = std::find_if(Flights.begin(), Flights.end(), [&](auto &Old) {
      return Old.PC == PC && !Old.SourcesRead;
    });
    if (Same != Flights.end())
      Same->Lanes |= Exec;
    else
      Flights.push_back(F);
    for (RegId R : Image.writes(I))
      PendingWrite[R] |= Exec;
    for (RegId R : Image.reads(I))
      if (isReadLate(R))
        PendingRead[R] |= Exec;
    return;
  }
  // Nothing can issue before the result is there.
  if (I.Latency <= I.Stall)
    return;
  for (RegId R : Image.writes(I)) {
    uint32_t Last = LastReady[R];
    for (unsigned L = 0; L < WarpSize; ++L) {
      uint32_t Ready = Clock[L] + I.Latency;
      bool Executes = Exec >> L & 1;
      ReadyAt[R][L] = Executes ? Ready : ReadyAt[R][L];
      Last = std::max(Last, Executes ? Ready : 0);
    }
    LastReady[R] = Last;
    Latest = std::max(Latest, Last);
    Producer[R] = PC;
  }
}

/// The instructions that count on one of Counters, a set of bits, are done.
void HazardChecker::wait(const CodeImage &Image, unsigned Counters) {
  std::vector<InFlight> Before;
  Before.swap(Flights);
  std::vector<const DecodedInst *> Changed;
  for (InFlight F : Before) {
    const DecodedInst &I = Image.Insts[F.PC];
    // Bit 7, of no counter, is never in the set.
    bool Complete = Counters >> I.WriteCounter & 1;
    bool Read = Complete || (Counters >> I.ReadCounter & 1);
    if (Read && !F.SourcesRead)
      Changed.push_back(&I);
    else if (Complete)
      Changed.push_back(&I);
    F.SourcesRead |= Read;
    if (Complete || (F.SourcesRead && I.NumWrites == 0))
      continue;
    auto Same = std::find_if(Flights.begin(), Flights.end(), [&](auto &Old) {
      return Old.PC == F.PC && Old.SourcesRead == F.SourcesRead;
    });
    if (Same != Flights.end())
      Same->Lanes |= F.Lanes;
    else
      Flights.push_back(F);
  }
  for (const DecodedInst *I : Changed)
    updateMasks(Image, *I);
}

/// Computes the pending masks of I's registers anew.
void HazardChecker::updateMasks(const CodeImage &Image, const DecodedInst &I) {
  for (RegId R : Image.writes(I)) {
    PendingWrite[R] = 0;
    for (const InFlight &F : Flights)
      if (contains(Image.writes(Image.Insts[F.PC]), R))
        PendingWrite[R] |= F.Lanes;
  }
  for (RegId R : Image.reads(I)) {
    PendingRead[R] = 0;
    if (!isReadLate(R))
      continue;
    for (const InFlight &F : Flights)
      if (!F.SourcesRead && contains(Image.reads(Image.Insts[F.PC]), R))
        PendingRead[R] |= F.Lanes;
  }
}

void HazardChecker::selectGroup(LaneMask Group) {
  MinGroup = Group;
  MinClock = ~uint32_t(0);
  for (unsigned L = 0; L < WarpSize; ++L)
    MinClock = std::min(MinClock, Group >> L & 1 ? Clock[L] : ~uint32_t(0));
}

void HazardChecker::advance(LaneMask Group, unsigned Cycles) {
  uint32_t Max = 0;
  for (unsigned L = 0; L < WarpSize; ++L) {
    Clock[L] += Group >> L & 1 ? Cycles : 0;
    Max = std::max(Max, Clock[L]);
  }
  MinClock += Cycles;
  if (Max > 0x7FFFFFFF)
    rebase();
}

/// Makes all clocks zero again, before they overflow.
void HazardChecker::rebase() {
  Latest = 0;
  for (RegId R = 0; R < NumRegIds; ++R) {
    LastReady[R] = 0;
    for (unsigned L = 0; L < WarpSize; ++L) {
      ReadyAt[R][L] = ReadyAt[R][L] > Clock[L] ? ReadyAt[R][L] - Clock[L] : 0;
      LastReady[R] = std::max(LastReady[R], ReadyAt[R][L]);
    }
    Latest = std::max(Latest, LastReady[R]);
  }
  std::memset(Clock, 0, sizeof(Clock));
  MinClock = 0;
}

} // namespace heddle::emu
