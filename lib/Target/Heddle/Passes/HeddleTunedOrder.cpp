//===- HeddleTunedOrder.cpp - Moves in the final order ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries out what a search over the order of instructions decided
// (Knob::MoveUp): each move takes an instruction up over its predecessors, as
// far as the decision says and dependences allow. The hazards pass, which runs
// later, sets the waits of the new order, so that any moves are correct. Moves
// are the same whether or not debuggers are told of registers.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/Blocks/HeddleDebugValues.h"
#include "Passes/HeddlePasses.h"
#include "heddle/Tuning/Knobs.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/InitializePasses.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-tuned-order"
#define PASS_NAME "Heddle moves in the final order"

namespace {

class HeddleTunedOrder : public MachineFunctionPass {
public:
  static char ID;
  HeddleTunedOrder() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  bool isFixed(const MachineInstr &MI) const;
  bool shareResult(const MachineInstr &A, const MachineInstr &B) const;
  bool mayExchange(const MachineInstr &A, const MachineInstr &B) const;
  bool moveUp(MachineInstr &MI, unsigned Places) const;

  const MachineFunction *MF = nullptr;
  const TargetInstrInfo *TII = nullptr;
  const TargetRegisterInfo *TRI = nullptr;
};

} // namespace

/// Whether an instruction has effects beyond its results and stays where it is.
bool HeddleTunedOrder::isFixed(const MachineInstr &MI) const {
  return MI.isTerminator() || MI.isPosition() || MI.isMetaInstruction() ||
         MI.isCall() || MI.isInlineAsm() || MI.isConvergent() ||
         MI.hasUnmodeledSideEffects() ||
         TII->isSchedulingBoundary(MI, MI.getParent(), *MF);
}

/// Whether one of the two writes a register that the other reads or writes.
bool HeddleTunedOrder::shareResult(const MachineInstr &A,
                                   const MachineInstr &B) const {
  const MachineRegisterInfo &MRI = MF->getRegInfo();
  auto IsResult = [&](const MachineOperand &O) {
    return O.isReg() && O.getReg() && !MRI.isConstantPhysReg(O.getReg());
  };
  for (const MachineOperand &X : A.operands()) {
    if (X.isRegMask())
      return true;
    if (!IsResult(X))
      continue;
    for (const MachineOperand &Y : B.operands())
      if (Y.isRegMask() || (IsResult(Y) && (X.isDef() || Y.isDef()) &&
                            TRI->regsOverlap(X.getReg(), Y.getReg())))
        return true;
  }
  return false;
}

/// Whether B, which follows A, may come before it.
bool HeddleTunedOrder::mayExchange(const MachineInstr &A,
                                   const MachineInstr &B) const {
  if (isFixed(A) || isFixed(B) || shareResult(A, B))
    return false;
  if (!A.mayLoadOrStore() || !B.mayLoadOrStore())
    return true;
  // Loads may change places where nothing orders them.
  return !A.mayStore() && !B.mayStore() && !A.hasOrderedMemoryRef() &&
         !B.hasOrderedMemoryRef();
}

bool HeddleTunedOrder::moveUp(MachineInstr &MI, unsigned Places) const {
  MachineBasicBlock &MBB = *MI.getParent();
  auto To = MI.getIterator();
  while (Places != 0 && To != MBB.begin() && mayExchange(*std::prev(To), MI)) {
    --To;
    --Places;
  }
  if (To == MI.getIterator())
    return false;
  // The last reader of a register may be another instruction now.
  MI.clearKillInfo();
  MBB.splice(To, &MBB, MI.getIterator());
  return true;
}

bool HeddleTunedOrder::runOnMachineFunction(MachineFunction &Function) {
  using namespace heddle::tuning;
  SmallVector<InstructionChoice> Moves =
      instructionKnobOf(Function.getFunction(), Knob::MoveUp);
  if (Moves.empty())
    return false;
  MF = &Function;
  TII = MF->getSubtarget().getInstrInfo();
  TRI = MF->getSubtarget().getRegisterInfo();
  // They count instructions before the first move.
  std::vector<MachineInstr *> Numbered;
  for (MachineBasicBlock &MBB : Function)
    for (MachineInstr &MI : MBB)
      if (!MI.isMetaInstruction())
        Numbered.push_back(&MI);
  detachDebugValues(Function);
  bool Changed = false;
  for (const InstructionChoice &Move : Moves)
    if (Move.Number < Numbered.size())
      Changed |=
          moveUp(*Numbered[Move.Number], static_cast<unsigned>(Move.Value));
  Changed |= attachDebugValues(Function);
  return Changed;
}

char HeddleTunedOrder::ID = 0;
INITIALIZE_PASS(HeddleTunedOrder, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleTunedOrderPass() {
  return new HeddleTunedOrder();
}
