//===- HeddleScheduleLoads.cpp - Loads before the first wait ---*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads of later blocks may start early (lib/Loops). To the
// schedulers, which see one block, nothing depends on such a load, and they put
// it anywhere; but an instruction that waits for another load ends the time in
// which both could be on their way.
//
//===----------------------------------------------------------------------===//

#include "HeddleScheduleLoads.h"
#include "llvm/CodeGen/MachineInstr.h"
#include "llvm/CodeGen/ScheduleDAGInstrs.h"
#include "llvm/CodeGen/ScheduleDAGMutation.h"

using namespace llvm;

namespace {

/// More are not looked at: the work is their product.
constexpr size_t MostLoads = 32, MostUsers = 64;

bool isLoad(const SUnit &U) {
  const MachineInstr *MI = U.getInstr();
  return MI && MI->mayLoad() && !MI->mayStore() && !MI->isCall() &&
         !MI->hasUnmodeledSideEffects();
}

/// Puts loads that no instruction of the region waits for in front of those
/// that wait for other loads.
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

/// Gives loads another latency than the chip's.
class LoadLatency : public ScheduleDAGMutation {
public:
  explicit LoadLatency(unsigned Cycles) : Cycles(Cycles) {}

  void apply(ScheduleDAGInstrs *DAG) override {
    for (SUnit &U : DAG->SUnits) {
      if (!isLoad(U))
        continue;
      for (SDep &D : U.Succs) {
        if (D.getKind() != SDep::Data || D.getSUnit()->isBoundaryNode())
          continue;
        SUnit &User = *D.getSUnit();
        // Both ends have a copy of the edge.
        SDep Reverse = D;
        Reverse.setSUnit(&U);
        auto Other = find(User.Preds, Reverse);
        D.setLatency(Cycles);
        if (Other != User.Preds.end())
          Other->setLatency(Cycles);
        User.setDepthDirty();
      }
      U.setHeightDirty();
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

std::unique_ptr<ScheduleDAGMutation> llvm::createHeddleEarlyLoads() {
  return std::make_unique<EarlyLoads>();
}
