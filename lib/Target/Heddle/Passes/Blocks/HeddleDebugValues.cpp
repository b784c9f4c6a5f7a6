//===- HeddleDebugValues.cpp - Places that scheduling keeps true *- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes debug values of registers out of the blocks that write these, and
// states them again where their blocks lead.
//
//===----------------------------------------------------------------------===//

#include "Passes/Blocks/HeddleDebugValues.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetRegisterInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"

using namespace llvm;

namespace {

class DebugValueSettler {
public:
  explicit DebugValueSettler(MachineFunction &MF)
      : MF(MF), TRI(*MF.getSubtarget().getRegisterInfo()),
        LastWrites(MF.getNumBlockIDs()) {}

  bool run();

private:
  void findWrites(MachineBasicBlock &MBB);
  /// The last of the instructions of a block, from 1 on, that write a register
  /// of a debug value; 0: none does.
  unsigned lastWrite(const MachineBasicBlock &MBB,
                     const MachineInstr &Value) const;
  void settle(MachineBasicBlock &MBB);
  void restate(MachineInstr &Value, MachineBasicBlock &From);

  MachineFunction &MF;
  const TargetRegisterInfo &TRI;
  /// By block and unit of a register.
  std::vector<DenseMap<unsigned, unsigned>> LastWrites;
  SmallVector<std::pair<MachineInstr *, MachineBasicBlock *>> Restated;
  SmallVector<MachineInstr *> Ended;
};

} // namespace

void DebugValueSettler::findWrites(MachineBasicBlock &MBB) {
  DenseMap<unsigned, unsigned> &Last = LastWrites[MBB.getNumber()];
  unsigned Number = 0;
  for (const MachineInstr &MI : MBB) {
    if (MI.isDebugInstr())
      continue;
    ++Number;
    for (const MachineOperand &MO : MI.operands()) {
      if (MO.isRegMask()) {
        for (unsigned Reg = 1; Reg != TRI.getNumRegs(); ++Reg)
          if (MO.clobbersPhysReg(Reg))
            for (MCRegUnit Unit : TRI.regunits(Reg))
              Last[unsigned(Unit)] = Number;
      } else if (MO.isReg() && MO.isDef() && MO.getReg()) {
        for (MCRegUnit Unit : TRI.regunits(MO.getReg().asMCReg()))
          Last[unsigned(Unit)] = Number;
      }
    }
  }
}

unsigned DebugValueSettler::lastWrite(const MachineBasicBlock &MBB,
                                      const MachineInstr &Value) const {
  const DenseMap<unsigned, unsigned> &Last = LastWrites[MBB.getNumber()];
  unsigned Result = 0;
  for (const MachineOperand &MO : Value.debug_operands())
    // The frame's registers are the same in all of the function's body.
    if (MO.isReg() && MO.getReg() && !MF.getRegInfo().isReserved(MO.getReg()))
      for (MCRegUnit Unit : TRI.regunits(MO.getReg().asMCReg()))
        Result = std::max(Result, Last.lookup(unsigned(Unit)));
  return Result;
}

void DebugValueSettler::settle(MachineBasicBlock &MBB) {
  // What holds at the end of the block.
  MapVector<DebugVariable, MachineInstr *> AtEnd;
  unsigned Number = 0;
  for (MachineInstr &MI : MBB) {
    if (!MI.isDebugValue()) {
      Number += !MI.isDebugInstr();
      continue;
    }
    DebugVariable Variable(MI.getDebugVariable(), MI.getDebugExpression(),
                           MI.getDebugLoc()->getInlinedAt());
    AtEnd.erase(Variable);
    unsigned Last = lastWrite(MBB, MI);
    if (Last == 0)
      continue;
    Ended.push_back(&MI);
    if (Last <= Number)
      AtEnd[Variable] = &MI;
  }
  for (auto &[Variable, MI] : AtEnd)
    Restated.push_back({MI, &MBB});
}

/// Each block that only \p From leads to begins with the value, as far as it
/// leaves the registers as they are.
void DebugValueSettler::restate(MachineInstr &Value, MachineBasicBlock &From) {
  for (MachineBasicBlock *Next : From.successors())
    if (Next->pred_size() == 1 && lastWrite(*Next, Value) == 0)
      Next->insert(Next->begin(), MF.CloneMachineInstr(&Value));
}

bool DebugValueSettler::run() {
  for (MachineBasicBlock &MBB : MF)
    findWrites(MBB);
  for (MachineBasicBlock &MBB : MF)
    settle(MBB);
  for (auto &[Value, From] : Restated)
    restate(*Value, *From);
  for (MachineInstr *Value : Ended)
    Value->setDebugValueUndef();
  return !Ended.empty();
}

bool llvm::settleHeddleDebugValues(MachineFunction &MF) {
  // Only functions with a description have any.
  return MF.getFunction().getSubprogram() && DebugValueSettler(MF).run();
}
