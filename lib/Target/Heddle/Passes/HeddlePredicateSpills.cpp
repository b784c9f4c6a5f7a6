//===- HeddlePredicateSpills.cpp - Predicates kept in registers -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicates are allocated first. Predicates without a register are kept in
// general registers, which are allocated afterwards. Convergence registers are
// treated alike.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "Passes/HeddlePasses.h"
#include "heddle/ISA/ISA.h"
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
  Register homeOf(int Slot, const TargetRegisterClass &RC);
  /// The register that takes the place of the slot of the spill or reload MI.
  Register homeOf(const MachineInstr &MI, const TargetRegisterClass &RC);
  MachineInstrBuilder build(MachineInstr &MI, unsigned Opc) {
    return BuildMI(*MI.getParent(), MI, MI.getDebugLoc(), TII->get(Opc));
  }
  /// 0 where the predicate that MI spills does not hold, else 1.
  MachineInstr *toInt(MachineInstr &MI, unsigned Opc, MCRegister Zero,
                      const TargetRegisterClass &RC);
  MachineInstr *toPredicate(MachineInstr &MI, unsigned Opc, MCRegister Zero,
                            MCRegister True, const TargetRegisterClass &RC);
  MachineInstr *byHalves(MachineInstr &MI, unsigned Opc);
  MachineInstr *replacement(MachineInstr &MI);
  void defineAtEntry(Register Home);
};

} // namespace

char HeddlePredicateSpills::ID = 0;
INITIALIZE_PASS(HeddlePredicateSpills, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddlePredicateSpillsPass() {
  return new HeddlePredicateSpills();
}

Register HeddlePredicateSpills::homeOf(int Slot,
                                       const TargetRegisterClass &RC) {
  Register &R = Homes[Slot];
  if (!R)
    R = MF->getRegInfo().createVirtualRegister(&RC);
  return R;
}

Register HeddlePredicateSpills::homeOf(const MachineInstr &MI,
                                       const TargetRegisterClass &RC) {
  return homeOf(MI.getOperand(1).getIndex(), RC);
}

MachineInstr *HeddlePredicateSpills::toInt(MachineInstr &MI, unsigned Opc,
                                           MCRegister Zero,
                                           const TargetRegisterClass &RC) {
  return TII->addTrailing(build(MI, Opc)
                              .addDef(homeOf(MI, RC))
                              .addReg(Zero)
                              .addImm(1)
                              .add(MI.getOperand(0))
                              .addImm(1));
}

MachineInstr *
HeddlePredicateSpills::toPredicate(MachineInstr &MI, unsigned Opc,
                                   MCRegister Zero, MCRegister True,
                                   const TargetRegisterClass &RC) {
  return TII->addTrailing(build(MI, Opc)
                              .add(MI.getOperand(0))
                              .addReg(homeOf(MI, RC))
                              .addReg(Zero)
                              .addImm(int64_t(heddle::isa::CmpI::NotEqual))
                              .addImm(0)
                              .addImm(0)
                              .addReg(True)
                              .addImm(0));
}

// Moves a uniform group of four registers by its halves, since no instruction
// moves it whole.
MachineInstr *HeddlePredicateSpills::byHalves(MachineInstr &MI, unsigned Opc) {
  const TargetRegisterInfo &TRI = TII->getRegisterInfo();
  const MachineOperand &Group = MI.getOperand(0);
  // The zero of four registers has no halves.
  Register Home = homeOf(MI, *TRI.getSubClassWithSubReg(&Heddle::GPR128RegClass,
                                                        Heddle::sub0_sub1));
  MachineInstr *Half = nullptr;
  for (unsigned Sub : {Heddle::sub0_sub1, Heddle::sub2_sub3}) {
    if (LIS && Half)
      LIS->InsertMachineInstrInMaps(*Half);
    MachineInstrBuilder Move = build(MI, Opc);
    Register Uniform = TRI.getSubReg(Group.getReg(), Sub);
    if (Group.isDef())
      Move.addDef(Uniform).addReg(Home, 0, Sub);
    else
      Move.addDef(Home, getUndefRegState(!Half), Sub)
          .addReg(Uniform, getKillRegState(Group.isKill()));
    Half = TII->addTrailing(Move);
  }
  return Half;
}

// Builds the replacement of the spill MI in front of MI; null if MI is no such
// spill.
MachineInstr *HeddlePredicateSpills::replacement(MachineInstr &MI) {
  // Instructions that are no spills may have no operand.
  auto Save = [&](unsigned Opc, const TargetRegisterClass &RC) {
    return TII->addTrailing(
        build(MI, Opc).addDef(homeOf(MI, RC)).add(MI.getOperand(0)));
  };
  auto Restore = [&](unsigned Opc, const TargetRegisterClass &RC) {
    return TII->addTrailing(
        build(MI, Opc).add(MI.getOperand(0)).addReg(homeOf(MI, RC)));
  };
  using namespace Heddle;
  switch (MI.getOpcode()) {
  case SPILL_PR:
    return toInt(MI, SEL_i, RZ, GPR32RegClass);
  case RELOAD_PR:
    return toPredicate(MI, ISETP_r, RZ, PT, GPR32RegClass);
  case SPILL_UP:
    return toInt(MI, USEL_i, URZ, UGPR32RegClass);
  case RELOAD_UP:
    return toPredicate(MI, UISETP_r, URZ, UPT, UGPR32RegClass);
  case SPILL_BR:
    return Save(BMOV, GPR32RegClass);
  case RELOAD_BR:
    return Restore(BMOVR, GPR32RegClass);
  case SPILL_UR:
    return Save(MOV_u, GPR32RegClass);
  case RELOAD_UR:
    return Restore(R2UR, GPR32RegClass);
  case SPILL_UR64:
    return Save(MOV64_u, GPR64RegClass);
  case RELOAD_UR64:
    return Restore(R2UR64, GPR64RegClass);
  case SPILL_UR128:
    return byHalves(MI, MOV64_u);
  case RELOAD_UR128:
    return byHalves(MI, R2UR64);
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
