//===- HeddlePredicateSpills.cpp - Predicates kept in registers -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicates are allocated first; those that do not fit are kept in general
// registers, which are allocated afterwards. Convergence registers likewise.
//
//===----------------------------------------------------------------------===//

#include "Heddle.h"
#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/VirtRegMap.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-predicate-spills"
#define PASS_NAME "Heddle predicate spills"

namespace {

class HeddlePredicateSpills : public MachineFunctionPass {
  MachineFunction *MF = nullptr;
  const HeddleInstrInfo *TII = nullptr;
  LiveIntervals *LIS = nullptr;
  /// The general register that takes the place of a stack slot.
  MapVector<int, Register> Homes;

public:
  static char ID;
  HeddlePredicateSpills() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &Fn) override;

private:
  Register homeOf(int Slot);
  MachineInstr *replacement(MachineInstr &MI);
  void defineAtEntry(Register Home);
};

} // namespace

char HeddlePredicateSpills::ID = 0;
INITIALIZE_PASS(HeddlePredicateSpills, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddlePredicateSpillsPass() {
  return new HeddlePredicateSpills();
}

Register HeddlePredicateSpills::homeOf(int Slot) {
  Register &R = Homes[Slot];
  if (!R)
    R = MF->getRegInfo().createVirtualRegister(&Heddle::GPR32RegClass);
  return R;
}

// What MI becomes, built in front of it; null if it is no such spill.
MachineInstr *HeddlePredicateSpills::replacement(MachineInstr &MI) {
  MachineBasicBlock &MBB = *MI.getParent();
  const DebugLoc &DL = MI.getDebugLoc();
  const MachineOperand &Value = MI.getOperand(0);
  auto Build = [&](unsigned Opc) {
    return BuildMI(MBB, MI, DL, TII->get(Opc));
  };
  switch (MI.getOpcode()) {
  case Heddle::SPILL_PR: // 0 where the predicate does not hold, else 1
    return TII->addTrailing(Build(Heddle::SEL_i)
                                .addDef(homeOf(MI.getOperand(1).getIndex()))
                                .addReg(Heddle::RZ)
                                .addImm(1)
                                .add(Value)
                                .addImm(1));
  case Heddle::RELOAD_PR: {
    constexpr unsigned NotEqual = 5;
    return TII->addTrailing(Build(Heddle::ISETP_r)
                                .add(Value)
                                .addReg(homeOf(MI.getOperand(1).getIndex()))
                                .addReg(Heddle::RZ)
                                .addImm(NotEqual)
                                .addImm(0)
                                .addImm(0)
                                .addReg(Heddle::PT)
                                .addImm(0));
  }
  case Heddle::SPILL_BR:
    return TII->addTrailing(Build(Heddle::BMOV)
                                .addDef(homeOf(MI.getOperand(1).getIndex()))
                                .add(Value));
  case Heddle::RELOAD_BR:
    return TII->addTrailing(Build(Heddle::BMOVR)
                                .add(Value)
                                .addReg(homeOf(MI.getOperand(1).getIndex())));
  default:
    return nullptr;
  }
}

// A slot need not be written on every way to a reload whose value is not used,
// so each register is defined at the entry too; where that is not needed, the
// definition goes again.
void HeddlePredicateSpills::defineAtEntry(Register Home) {
  MachineBasicBlock &Entry = MF->front();
  MachineInstr *Def =
      BuildMI(Entry, Entry.SkipPHIsAndLabels(Entry.begin()), DebugLoc(),
              TII->get(TargetOpcode::IMPLICIT_DEF), Home);
  if (!LIS)
    return;
  SlotIndex At = LIS->InsertMachineInstrInMaps(*Def);
  if (LIS->createAndComputeVirtRegInterval(Home).Query(At).isDeadDef()) {
    LIS->removeInterval(Home);
    LIS->RemoveMachineInstrFromMaps(*Def);
    Def->eraseFromParent();
    LIS->createAndComputeVirtRegInterval(Home);
  }
  // Uses of one slot that have nothing to do with each other.
  SmallVector<LiveInterval *, 4> Parts;
  LIS->splitSeparateComponents(LIS->getInterval(Home), Parts);
}

bool HeddlePredicateSpills::runOnMachineFunction(MachineFunction &Fn) {
  MF = &Fn;
  TII = Fn.getSubtarget<HeddleSubtarget>().getInstrInfo();
  auto *LISPass = getAnalysisIfAvailable<LiveIntervalsWrapperPass>();
  LIS = LISPass ? &LISPass->getLIS() : nullptr;
  Homes.clear();
  for (MachineBasicBlock &MBB : Fn)
    for (MachineInstr &MI : make_early_inc_range(MBB))
      if (MachineInstr *New = replacement(MI)) {
        if (LIS)
          LIS->ReplaceMachineInstrInMaps(MI, *New);
        MI.eraseFromParent();
      }
  if (Homes.empty())
    return false;
  for (auto &[Slot, Home] : Homes) {
    Fn.getFrameInfo().RemoveStackObject(Slot);
    defineAtEntry(Home);
  }
  if (auto *VRM = getAnalysisIfAvailable<VirtRegMapWrapperLegacy>())
    VRM->getVRM().grow();
  return true;
}
