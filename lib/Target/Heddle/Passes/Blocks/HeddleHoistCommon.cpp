//===- HeddleHoistCommon.cpp - Once in front of a branch --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop that may run no time at all has a branch around it, and on both ways
// the same registers are set to what its sums begin with. Instructions that
// both ways of a branch have, in whatever order, are executed once in front of
// it: none is executed more often than before, and the code is shorter. A way
// on which nothing is left is none any more.
//
// Runs on physical registers, where it takes none.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/HeddlePasses.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/CodeGen/LivePhysRegs.h"
#include "llvm/CodeGen/LiveRegUnits.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/InitializePasses.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-hoist-common"
#define PASS_NAME "Heddle hoisting of common instructions"

STATISTIC(NumHoisted, "Number of instructions that both ways had");

namespace {

/// Instructions that are looked at on each way, so that time stays linear.
constexpr unsigned MaxInstructions = 128;

/// What instructions that stay in front of others read and write.
class Passed {
public:
  explicit Passed(const TargetRegisterInfo &TRI)
      : TRI(TRI), Read(TRI), Written(TRI) {}
  void add(const MachineInstr &MI) {
    LiveRegUnits::accumulateUsedDefed(MI, Written, Read, &TRI);
  }
  /// Whether \p MI may stand in front of them.
  bool mayPass(const MachineInstr &MI) const {
    return none_of(MI.operands(), [&](const MachineOperand &MO) {
      if (!MO.isReg() || !MO.getReg())
        return false;
      return !Written.available(MO.getReg()) ||
             (MO.isDef() && !Read.available(MO.getReg()));
    });
  }

private:
  const TargetRegisterInfo &TRI;
  LiveRegUnits Read, Written;
};

class HeddleHoistCommon : public MachineFunctionPass {
public:
  static char ID;
  HeddleHoistCommon() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  bool mayMove(const MachineInstr &MI) const;
  SmallVector<MachineInstr *> firstOf(MachineBasicBlock &Way,
                                      const Passed &Branch) const;
  bool hoist(MachineBasicBlock &MBB);
  void skipEmptied(MachineBasicBlock &MBB, MachineBasicBlock &Way);

  const TargetRegisterInfo *TRI = nullptr;
  const TargetInstrInfo *TII = nullptr;
};

} // namespace

/// Whether MI does nothing but compute registers from registers.
bool HeddleHoistCommon::mayMove(const MachineInstr &MI) const {
  if (MI.isTerminator() || MI.isCall() || MI.isConvergent() ||
      MI.mayLoadOrStore() || MI.hasUnmodeledSideEffects() || MI.isInlineAsm() ||
      MI.isPosition() || MI.isMetaInstruction())
    return false;
  return none_of(MI.operands(), [](const MachineOperand &MO) {
    return MO.isRegMask() || (MO.isReg() && MO.isDef() && MO.isDead());
  });
}

/// The instructions that may be the first of \p Way, and stand in front of the
/// branch to it.
SmallVector<MachineInstr *>
HeddleHoistCommon::firstOf(MachineBasicBlock &Way, const Passed &Branch) const {
  SmallVector<MachineInstr *> First;
  Passed Before(*TRI);
  unsigned Count = 0;
  for (MachineInstr &MI : Way) {
    if (MI.isDebugInstr())
      continue;
    if (++Count > MaxInstructions)
      break;
    if (mayMove(MI) && Before.mayPass(MI) && Branch.mayPass(MI))
      First.push_back(&MI);
    Before.add(MI);
  }
  return First;
}

bool HeddleHoistCommon::hoist(MachineBasicBlock &MBB) {
  if (MBB.succ_size() != 2)
    return false;
  MachineBasicBlock &Left = **MBB.succ_begin(),
                    &Right = **std::next(MBB.succ_begin());
  if (&Left == &Right || Left.pred_size() != 1 || Right.pred_size() != 1)
    return false;
  Passed Branch(*TRI);
  for (const MachineInstr &MI : MBB.terminators())
    Branch.add(MI);
  SmallVector<MachineInstr *> OfRight = firstOf(Right, Branch);
  bool Changed = false;
  for (MachineInstr *MI : firstOf(Left, Branch)) {
    auto Same = find_if(OfRight, [&](const MachineInstr *Other) {
      return Other && MI->isIdenticalTo(*Other, MachineInstr::CheckDefs);
    });
    if (Same == OfRight.end())
      continue;
    (*Same)->eraseFromParent();
    *Same = nullptr;
    MI->removeFromParent();
    MBB.insert(MBB.getFirstTerminator(), MI);
    for (MachineOperand &MO : MI->all_uses())
      MO.setIsKill(false);
    ++NumHoisted;
    Changed = true;
  }
  if (!Changed)
    return false;
  fullyRecomputeLiveIns({&Left, &Right});
  skipEmptied(MBB, Left);
  skipEmptied(MBB, Right);
  return true;
}

/// Whether \p Way does nothing but go on.
static bool isEmptied(const MachineBasicBlock &Way) {
  return Way.succ_size() == 1 && !Way.isSuccessor(&Way) &&
         !Way.hasAddressTaken() && all_of(Way, [](const MachineInstr &MI) {
           return MI.isDebugInstr() || MI.isUnconditionalBranch();
         });
}

/// Lets \p MBB go to where \p Way goes on, if that is all it does. No other
/// block goes to \p Way.
void HeddleHoistCommon::skipEmptied(MachineBasicBlock &MBB,
                                    MachineBasicBlock &Way) {
  MachineBasicBlock *Taken = nullptr, *Other = nullptr;
  SmallVector<MachineOperand, 4> Condition;
  if (!isEmptied(Way) || TII->analyzeBranch(MBB, Taken, Other, Condition) ||
      Condition.empty())
    return;
  if (!Other)
    Other = MBB.getNextNode();
  MachineBasicBlock *To = *Way.succ_begin();
  (Taken == &Way ? Taken : Other) = To;
  DebugLoc Place = MBB.findBranchDebugLoc();
  TII->removeBranch(MBB);
  MBB.replaceSuccessor(&Way, To);
  Way.removeSuccessor(To);
  Way.eraseFromParent();
  if (Taken == Other)
    Condition.clear();
  bool Follows = MBB.isLayoutSuccessor(Other);
  if (!Condition.empty())
    TII->insertBranch(MBB, Taken, Follows ? nullptr : Other, Condition, Place);
  else if (!Follows)
    TII->insertBranch(MBB, Other, nullptr, Condition, Place);
}

bool HeddleHoistCommon::runOnMachineFunction(MachineFunction &MF) {
  if (skipFunction(MF.getFunction()))
    return false;
  TRI = MF.getSubtarget().getRegisterInfo();
  TII = MF.getSubtarget().getInstrInfo();
  bool Changed = false;
  // What comes up to a block may go on from there. Blocks that go were looked
  // at before the one that goes to them.
  SmallVector<MachineBasicBlock *> Blocks(post_order(&MF));
  for (MachineBasicBlock *MBB : Blocks)
    Changed |= hoist(*MBB);
  return Changed;
}

char HeddleHoistCommon::ID = 0;
INITIALIZE_PASS(HeddleHoistCommon, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleHoistCommonPass() {
  return new HeddleHoistCommon();
}
