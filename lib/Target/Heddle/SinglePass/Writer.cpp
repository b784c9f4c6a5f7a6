//===- Writer.cpp - Instructions with their control fields ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The hazards of docs/hazards.md, met one instruction at a time.
//
//===----------------------------------------------------------------------===//

#include "Writer.h"

#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "heddle/Support/Check.h"

#include <algorithm>

using namespace llvm;

namespace heddle::singlepass {

void Writer::addUnits(SmallVectorImpl<uint16_t> &List, isa::OperandKind Kind,
                      int64_t Number) {
  constexpr int64_t Zero = 255, True = 7;
  unsigned Count = 1;
  switch (Kind) {
  case isa::OperandKind::GPR128:
    Count = 4;
    break;
  case isa::OperandKind::GPR64:
    Count = 2;
    break;
  case isa::OperandKind::GPR32:
    break;
  case isa::OperandKind::PR:
    if (Number != True)
      List.push_back(FirstPredicate + Number);
    return;
  case isa::OperandKind::BR:
    List.push_back(FirstBarrier + Number);
    return;
  default:
    return;
  }
  if (Number != Zero)
    for (unsigned I = 0; I != Count; ++I)
      List.push_back(Number + I);
}

Writer::Units Writer::unitsOf(const isa::InstInfo &Info,
                              ArrayRef<Operand> Operands, Guard G) {
  Units U;
  for (size_t I = 0; I != Operands.size(); ++I) {
    const isa::OperandInfo &O = Info.Operands[I];
    addUnits(O.IsDef ? static_cast<SmallVectorImpl<uint16_t> &>(U.Writes)
                     : U.Reads,
             O.Kind, Operands[I].Number);
  }
  addUnits(U.Reads, isa::OperandKind::PR, G.Predicate);
  return U;
}

/// The counters that must be zero before an instruction issues.
unsigned Writer::countersFor(const Units &U) const {
  unsigned Mask = 0;
  auto AddResult = [&](unsigned Unit) {
    if (isPending(Result[Unit]))
      Mask |= 1u << Result[Unit].Counter;
  };
  for (unsigned Unit : U.Reads)
    AddResult(Unit);
  for (unsigned Unit : U.Writes) {
    AddResult(Unit);
    for (unsigned C = 0; C != isa::NumCounters; ++C)
      if (ReadEra[Unit][C] == Eras[C])
        Mask |= 1u << C;
  }
  return Mask;
}

bool Writer::isBusy(unsigned Register) const {
  bool IsBusy = isPending(Result[Register]);
  for (unsigned C = 0; C != isa::NumCounters; ++C)
    IsBusy |= ReadEra[Register][C] == Eras[C];
  return IsBusy;
}

uint64_t Writer::earliestIssue(const Units &U, bool Variable,
                               unsigned Latency) const {
  uint64_t Time = Clock;
  for (unsigned Unit : U.Reads)
    Time = std::max(Time, VisibleAt[Unit]);
  // A later result becomes visible later than an earlier one.
  for (unsigned Unit : U.Writes) {
    uint64_t Visible = VisibleAt[Unit];
    if (Variable)
      Time = std::max(Time, Visible);
    else if (Visible >= Time + Latency)
      Time = Visible + 1 - Latency;
  }
  return Time;
}

unsigned Writer::chooseCounter() {
  for (unsigned I = 0; I != isa::NumCounters; ++I) {
    unsigned C = (NextCounter + I) % isa::NumCounters;
    if (InUse >> C & 1)
      continue;
    NextCounter = C + 1;
    return C;
  }
  return NextCounter++ % isa::NumCounters;
}

void Writer::waitFor(unsigned Mask) {
  for (unsigned C = 0; C != isa::NumCounters; ++C)
    if (Mask >> C & 1)
      ++Eras[C];
  InUse &= ~Mask;
}

isa::Control Writer::issue(const isa::InstInfo &Info, const Units &U) {
  isa::Control Ctl;
  if (!isa::latencyClass(Info.Latency).Variable) {
    unsigned Latency = Chip.Timings[static_cast<size_t>(Info.Latency)].Latency;
    for (unsigned Unit : U.Writes)
      VisibleAt[Unit] = LastIssue + Latency;
    if (!U.Writes.empty())
      LatestResult = std::max(LatestResult, LastIssue + Latency);
    return Ctl;
  }
  bool IsLate = llvm::any_of(
      U.Reads, [](unsigned Unit) { return Unit < FirstPredicate; });
  if (U.Writes.empty() && !IsLate)
    return Ctl;
  unsigned C = chooseCounter();
  InUse |= 1u << C;
  (U.Writes.empty() ? Ctl.ReadCounter : Ctl.WriteCounter) = C;
  for (unsigned Unit : U.Writes)
    Result[Unit] = {static_cast<uint8_t>(C), Eras[C]};
  for (unsigned Unit : U.Reads)
    if (Unit < FirstPredicate)
      ReadEra[Unit][C] = Eras[C];
  return Ctl;
}

void Writer::append(unsigned Opcode, ArrayRef<Operand> Operands, Guard G,
                    isa::Control Ctl) {
  if (Location != LastLocation) {
    Out.Lines.push_back({unsigned(Out.Items.size()), Location});
    LastLocation = Location;
  }
  unsigned First = Out.Operands.size();
  Out.Operands.append(Operands.begin(), Operands.end());
  Out.Operands.append({G.Predicate, G.Negated, Ctl.pack()});
  Out.Items.push_back({Opcode, First, unsigned(Operands.size()) + 3});
  LastControl = Ctl;
  HasLast = true;
}

void Writer::stallUntil(uint64_t Time) {
  if (!HasLast || Time <= Clock)
    return;
  // No chip has a fixed latency that would need more.
  HEDDLE_CHECK(Time - LastIssue <= MaxStall,
               "a latency above the stall count's range");
  LastControl.Stall = Time - LastIssue;
  Out.Operands.back() = LastControl.pack();
  Clock = Time;
}

void Writer::emit(unsigned Opcode, ArrayRef<Operand> Operands, Guard G) {
  const isa::InstInfo *Info = Heddle::getInstInfo(Opcode);
  HEDDLE_CHECK(Info && Operands.size() + 3 == Info->Operands.size(),
               "an instruction with the wrong operands");
  Units U = unitsOf(*Info, Operands, G);
  unsigned Mask = countersFor(U);
  waitFor(Mask);
  stallUntil(
      earliestIssue(U, isa::latencyClass(Info->Latency).Variable,
                    Chip.Timings[static_cast<size_t>(Info->Latency)].Latency));
  LastIssue = Clock++;
  isa::Control Ctl = issue(*Info, U);
  Ctl.WaitMask = Mask;
  append(Opcode, Operands, G, Ctl);
}

void Writer::emitDrained(unsigned Opcode, ArrayRef<Operand> Operands, Guard G) {
  unsigned Before = InUse;
  emit(Opcode, Operands, G);
  LastControl.WaitMask |= Before;
  Out.Operands.back() = LastControl.pack();
  waitFor(Before);
  stallUntil(LatestResult);
}

void Writer::drain() {
  if (InUse)
    emitDrained(Heddle::NOP, {});
  stallUntil(LatestResult);
}

void Writer::place(unsigned Label) {
  HEDDLE_CHECK(!InUse, "something is pending at a label");
  Out.Items.push_back({0, Label, 0});
}

} // namespace heddle::singlepass
