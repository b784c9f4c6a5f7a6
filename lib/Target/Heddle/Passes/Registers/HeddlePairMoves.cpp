//===- HeddlePairMoves.cpp - Two constants in one move ---------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where many values begin with constants, as the sums of an unrolled loop do,
// registers that stand together are often set one after the other. A 64-bit
// move sets both. It takes the ALU as long as the two and is one instruction
// to fetch and to issue.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/HeddlePasses.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/InitializePasses.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-pair-moves"
#define PASS_NAME "Heddle pairing of moves"

STATISTIC(NumPaired, "Number of moves of constants that set a pair");

namespace {

/// A register's place in a pair.
struct Place {
  MCRegister Pair, Other;
  bool IsUpper = false;
};

class HeddlePairMoves : public MachineFunctionPass {
public:
  static char ID;
  HeddlePairMoves() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  std::optional<Place> placeOf(MCRegister Register) const;
  std::optional<Place> constantMove(const MachineInstr &MI) const;
  void forgetWhatIsTouched(const MachineInstr &MI);
  void pair(MachineInstr &Before, MachineInstr &MI, const Place &At);
  bool runOnBlock(MachineBasicBlock &MBB);

  const HeddleInstrInfo *TII = nullptr;
  const TargetRegisterInfo *TRI = nullptr;
  /// Moves to registers that nothing has read or written since.
  DenseMap<MCRegister, MachineInstr *> Waiting;
};

} // namespace

std::optional<Place> HeddlePairMoves::placeOf(MCRegister Register) const {
  for (bool IsUpper : {false, true}) {
    MCRegister Pair = TRI->getMatchingSuperReg(
        Register, IsUpper ? Heddle::sub1 : Heddle::sub0,
        &Heddle::GPR64RegClass);
    if (Pair)
      return Place{Pair,
                   TRI->getSubReg(Pair, IsUpper ? Heddle::sub0 : Heddle::sub1),
                   IsUpper};
  }
  return std::nullopt;
}

/// The place of the register that this does nothing but set to a number.
std::optional<Place>
HeddlePairMoves::constantMove(const MachineInstr &MI) const {
  if (MI.getOpcode() != Heddle::MOV_i || !MI.getOperand(1).isImm() ||
      TII->isPredicated(MI))
    return std::nullopt;
  std::optional<Place> At = placeOf(MI.getOperand(0).getReg());
  if (!At)
    return std::nullopt;
  // Implicit operands beyond the pair tie the instruction to its place.
  for (const MachineOperand &MO : MI.implicit_operands())
    if (!MO.isReg() || !MO.isDef() ||
        !TRI->isSubRegisterEq(At->Pair, MO.getReg()))
      return std::nullopt;
  return At;
}

void HeddlePairMoves::forgetWhatIsTouched(const MachineInstr &MI) {
  for (const MachineOperand &MO : MI.operands()) {
    if (MO.isRegMask())
      return Waiting.clear();
    if (MO.isReg() && MO.getReg())
      for (MCPhysReg Part : TRI->subregs_inclusive(MO.getReg()))
        Waiting.erase(Part);
  }
}

/// One move in the place of \p MI and of \p Before, which may wait until there.
void HeddlePairMoves::pair(MachineInstr &Before, MachineInstr &MI,
                           const Place &At) {
  const MachineInstr &Lower = At.IsUpper ? Before : MI;
  const MachineInstr &Upper = At.IsUpper ? MI : Before;
  auto Low = static_cast<uint32_t>(Lower.getOperand(1).getImm());
  auto High = static_cast<uint32_t>(Upper.getOperand(1).getImm());
  auto Both = static_cast<int64_t>(uint64_t(High) << 32 | Low);
  auto New =
      BuildMI(*MI.getParent(), MI, MI.getDebugLoc(),
              TII->get(isInt<32>(Both) ? Heddle::MOV64_i : Heddle::MOV64W),
              At.Pair)
          .addImm(Both);
  for (const MachineOperand &MO : drop_begin(MI.explicit_operands(), 2))
    New.add(MO);
  Before.eraseFromParent();
  MI.eraseFromParent();
  ++NumPaired;
}

bool HeddlePairMoves::runOnBlock(MachineBasicBlock &MBB) {
  bool Changed = false;
  Waiting.clear();
  for (MachineInstr &MI : make_early_inc_range(MBB)) {
    if (MI.isDebugInstr())
      continue;
    std::optional<Place> At = constantMove(MI);
    if (!At) {
      forgetWhatIsTouched(MI);
      continue;
    }
    auto Before = Waiting.find(At->Other);
    if (Before == Waiting.end()) {
      Waiting[MI.getOperand(0).getReg()] = &MI;
      continue;
    }
    pair(*Before->second, MI, *At);
    Waiting.erase(Before);
    Changed = true;
  }
  return Changed;
}

bool HeddlePairMoves::runOnMachineFunction(MachineFunction &MF) {
  if (skipFunction(MF.getFunction()))
    return false;
  TII = MF.getSubtarget<HeddleSubtarget>().getInstrInfo();
  TRI = MF.getSubtarget().getRegisterInfo();
  bool Changed = false;
  for (MachineBasicBlock &MBB : MF)
    Changed |= runOnBlock(MBB);
  return Changed;
}

char HeddlePairMoves::ID = 0;
INITIALIZE_PASS(HeddlePairMoves, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddlePairMovesPass() {
  return new HeddlePairMoves();
}
