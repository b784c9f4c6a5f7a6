//===- HeddleScheduleLoads.cpp - Loads before the first wait ---*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads of later blocks may start early (passes/loops). To the
// schedulers, which see one block, nothing depends on such a load, and they put
// it anywhere; but an instruction that waits for another load ends the time in
// which both could be on their way.
//
//===----------------------------------------------------------------------===//

#include "Passes/HeddleScheduleLoads.h"
#include "HeddleInstrInfo.h"
#include "heddle/ISA/ISA.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/ScheduleDAGInstrs.h"
#include "llvm/CodeGen/ScheduleDAGMutation.h"

using namespace llvm;
using namespace heddle;

namespace {

/// More are not looked at: the work is their product.
constexpr size_t MostLoads = 32, MostUsers = 64;

bool isLoad(const SUnit &U) {
  const MachineInstr *MI = U.getInstr();
  return MI && MI->mayLoad() && !MI->mayStore() && !MI->isCall() &&
         !MI->hasUnmodeledSideEffects();
}

/// Of memory that may be far away.
bool isLongLoad(const SUnit &U) {
  if (!isLoad(U))
    return false;
  const isa::InstInfo *Info =
      HeddleInstrInfo::getISAInfo(U.getInstr()->getOpcode());
  return Info && Info->Latency == isa::LatencyClass::LDG;
}

/// Puts loads whose results the region does not use in front of instructions
/// that use the results of other loads.
class EarlyLoads : public ScheduleDAGMutation {
public:
  void apply(ScheduleDAGInstrs *DAG) override {
    SmallVector<SUnit *, MostLoads> Unused;
    SmallVector<SUnit *, MostUsers> Users;
    for (SUnit &U : DAG->SUnits) {
      if (!isLoad(U))
        continue;
      size_t Before = Users.size();
      for (const SDep &D : U.Succs)
        if (D.getKind() == SDep::Data && !D.getSUnit()->isBoundaryNode())
          Users.push_back(D.getSUnit());
      if (Users.size() == Before)
        Unused.push_back(&U);
    }
    if (Unused.size() > MostLoads || Users.size() > MostUsers)
      return;
    for (SUnit *Load : Unused)
      for (SUnit *User : Users)
        if (User != Load && DAG->canAddEdge(User, Load))
          DAG->addEdge(User, SDep(Load, SDep::Artificial));
  }
};

/// A list scheduler takes a load to last as long as in its best case. By that
/// it puts what waits for a load in front of other loads, which would have been
/// on their way meanwhile. What was behind them stays there.
class LoadsBeforeWaits : public ScheduleDAGMutation {
public:
  void apply(ScheduleDAGInstrs *DAG) override {
    SmallVector<SUnit *, MostLoads> Loads; // that wait for none of each other
    BitVector Waits(DAG->SUnits.size());
    size_t NumUsers = 0;
    for (SUnit &U : DAG->SUnits) {
      bool IsUser = false;
      for (const SDep &D : U.Preds) {
        if (D.getKind() != SDep::Data || D.getSUnit()->isBoundaryNode())
          continue;
        bool IsOfLoad = isLongLoad(*D.getSUnit());
        IsUser |= IsOfLoad;
        if (IsOfLoad || Waits[D.getSUnit()->NodeNum])
          Waits.set(U.NodeNum);
      }
      if (IsUser && ++NumUsers > MostUsers)
        return;
      if (IsUser)
        for (SUnit *Load : ArrayRef(Loads).take_back(MostLoads))
          if (DAG->canAddEdge(&U, Load))
            DAG->addEdge(&U, SDep(Load, SDep::Artificial));
      if (isLongLoad(U) && !Waits[U.NodeNum])
        Loads.push_back(&U);
    }
  }
};

/// Sets the latency of an edge, of which both ends have a copy.
void setLatency(SUnit &From, SDep &D, unsigned Cycles) {
  SUnit &To = *D.getSUnit();
  SDep Reverse = D;
  Reverse.setSUnit(&From);
  auto Other = find(To.Preds, Reverse);
  D.setLatency(Cycles);
  if (Other != To.Preds.end())
    Other->setLatency(Cycles);
  To.setDepthDirty();
  From.setHeightDirty();
}

/// Makes some results seem to take longer than they do, so that a list
/// scheduler finds another order that is as good by its own measure, or nearly.
class OtherOrder : public ScheduleDAGMutation {
public:
  explicit OtherOrder(unsigned Seed) : Seed(Seed) {}

  void apply(ScheduleDAGInstrs *DAG) override {
    constexpr unsigned MostCycles = 16;
    for (SUnit &U : DAG->SUnits)
      for (SDep &D : U.Succs)
        if (D.getKind() == SDep::Data && !D.getSUnit()->isBoundaryNode())
          setLatency(U, D,
                     D.getLatency() +
                         static_cast<unsigned>(hash(U.NodeNum) % MostCycles));
  }

private:
  /// A step of SplitMix64: the same numbers everywhere.
  uint64_t hash(uint64_t Number) const {
    uint64_t Z = (uint64_t(Seed) << 32 | Number) * 0x9E3779B97F4A7C15;
    Z = (Z ^ Z >> 30) * 0xBF58476D1CE4E5B9;
    Z = (Z ^ Z >> 27) * 0x94D049BB133111EB;
    return Z ^ Z >> 31;
  }

  unsigned Seed;
};

/// Gives loads another latency than the chip's.
class LoadLatency : public ScheduleDAGMutation {
public:
  explicit LoadLatency(unsigned Cycles) : Cycles(Cycles) {}

  void apply(ScheduleDAGInstrs *DAG) override {
    for (SUnit &U : DAG->SUnits) {
      if (!isLoad(U))
        continue;
      for (SDep &D : U.Succs)
        if (D.getKind() == SDep::Data && !D.getSUnit()->isBoundaryNode())
          setLatency(U, D, Cycles);
    }
  }

private:
  unsigned Cycles;
};

} // namespace

std::unique_ptr<ScheduleDAGMutation>
llvm::createHeddleLoadLatency(unsigned Cycles) {
  return std::make_unique<LoadLatency>(Cycles);
}

std::unique_ptr<ScheduleDAGMutation>
llvm::createHeddleOtherOrder(unsigned Seed) {
  return std::make_unique<OtherOrder>(Seed);
}

std::unique_ptr<ScheduleDAGMutation> llvm::createHeddleLoadsBeforeWaits() {
  return std::make_unique<LoadsBeforeWaits>();
}

std::unique_ptr<ScheduleDAGMutation> llvm::createHeddleEarlyLoads() {
  return std::make_unique<EarlyLoads>();
}
