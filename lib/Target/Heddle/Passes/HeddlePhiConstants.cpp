//===- HeddlePhiConstants.cpp - A move for each PHI ------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A constant that many PHIs begin with, as the sums of an unrolled loop do,
// stands in one register, and each PHI but one gets a copy of that. Here each
// PHI gets a move of its own: no register holds the constant, and moves of
// constants to registers that stand together are joined (HeddlePairMoves.cpp).
// Of hundreds of PHIs the coalescer would look at all the uses for each copy,
// and gives up (HeddleRegisterInfo::shouldCoalesce).
//
// Runs on SSA form, in front of register allocation.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/HeddlePasses.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/InitializePasses.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-phi-constants"
#define PASS_NAME "Heddle constants of PHIs"

namespace {

/// PHIs from which on a constant is divided.
constexpr unsigned Many = 8;

class HeddlePhiConstants : public MachineFunctionPass {
public:
  static char ID;
  HeddlePhiConstants() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override;
};

} // namespace

/// A move of the constant that \p MI moves, at the end of \p Block.
static Register moveAgain(const MachineInstr &MI, MachineBasicBlock &Block,
                          MachineRegisterInfo &MRI) {
  MachineInstr *Move = Block.getParent()->CloneMachineInstr(&MI);
  Block.insert(Block.getFirstTerminator(), Move);
  Register To = MRI.cloneVirtualRegister(MI.getOperand(0).getReg());
  Move->getOperand(0).setReg(To);
  return To;
}

/// Gives each PHI that uses the result of \p MI one of its own, if many do.
static bool divide(MachineInstr &MI, MachineRegisterInfo &MRI) {
  SmallVector<MachineOperand *> OfPhis;
  for (MachineOperand &Use : MRI.use_operands(MI.getOperand(0).getReg()))
    if (Use.getParent()->isPHI())
      OfPhis.push_back(&Use);
  if (OfPhis.size() < Many)
    return false;
  for (MachineOperand *Use : OfPhis) {
    const MachineInstr &Phi = *Use->getParent();
    MachineBasicBlock *From = Phi.getOperand(Use->getOperandNo() + 1).getMBB();
    Use->setReg(moveAgain(MI, *From, MRI));
  }
  return true;
}

bool HeddlePhiConstants::runOnMachineFunction(MachineFunction &MF) {
  if (skipFunction(MF.getFunction()))
    return false;
  MachineRegisterInfo &MRI = MF.getRegInfo();
  const auto *TII = MF.getSubtarget<HeddleSubtarget>().getInstrInfo();
  SmallVector<MachineInstr *> Moves;
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB)
      if (MI.getOpcode() == Heddle::MOV_i && !TII->isPredicated(MI) &&
          MI.getOperand(0).getReg().isVirtual())
        Moves.push_back(&MI);
  bool Changed = false;
  for (MachineInstr *MI : Moves)
    Changed |= divide(*MI, MRI);
  return Changed;
}

char HeddlePhiConstants::ID = 0;
INITIALIZE_PASS(HeddlePhiConstants, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddlePhiConstantsPass() {
  return new HeddlePhiConstants();
}
