//===- HeddleSchedulingLimits.cpp - Keep scheduling linear -----*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divides long blocks by marks that no instruction is scheduled across, and
// removes the marks at the end. The time of the schedulers grows with the
// square of a region's size, and such long regions gain nothing. Functions that
// run out of registers have shorter regions before register allocation: the
// scheduler looks one step ahead, and where many values meet in one it moves
// them far from each other, while the PTX has them together.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleMachineFunctionInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/HeddlePasses.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/InitializePasses.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-scheduling-limits"
#define PASS_NAME "Heddle scheduling limits"

namespace {

class HeddleSchedulingLimits : public MachineFunctionPass {
  bool Remove = false;
  unsigned MaxRegion = 0;
  /// Stores of a region times its accesses: how many of its pairs the
  /// schedulers keep in order at most. Finding an order takes time for each of
  /// them.
  static constexpr unsigned MaxOrderedPairs = 1 << 16;

public:
  static char ID;
  explicit HeddleSchedulingLimits(bool Remove = false)
      : MachineFunctionPass(ID), Remove(Remove) {}

  StringRef getPassName() const override { return PASS_NAME; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override {
    // Behind the allocation the order takes no registers any more.
    bool IsAllocated = MF.getProperties().hasNoVRegs();
    MaxRegion = heddle::regionLengthOf(
        IsAllocated ? heddle::RegisterPressureLevel::None
                    : MF.getInfo<HeddleMachineFunctionInfo>()->Registers.Level);
    bool Changed = false;
    for (MachineBasicBlock &MBB : MF) {
      if (IsAllocated)
        Changed |= removeFrom(MBB);
      if (!Remove)
        Changed |= addTo(MBB);
    }
    return Changed;
  }

private:
  bool addTo(MachineBasicBlock &MBB) const {
    const TargetInstrInfo &TII =
        *MBB.getParent()->getSubtarget().getInstrInfo();
    // Most copies are gone when instructions are scheduled, and cost no time.
    bool IsLong = MaxRegion ==
                  heddle::regionLengthOf(heddle::RegisterPressureLevel::None);
    bool Changed = false;
    unsigned Size = 0, Stores = 0, Accesses = 0;
    for (MachineInstr &MI : MBB) {
      // Nothing but the end of the block may come between terminators, and
      // nothing between PHIs.
      if (MI.isTerminator())
        break;
      if (MI.isPHI() || MI.isDebugInstr() || (IsLong && MI.isTransient()))
        continue;
      if (TII.isSchedulingBoundary(MI, &MBB, *MBB.getParent())) {
        Size = Stores = Accesses = 0;
        continue;
      }
      ++Size;
      Stores += MI.mayStore();
      Accesses += MI.mayLoadOrStore();
      if (Size > MaxRegion || Stores * Accesses > MaxOrderedPairs) {
        BuildMI(MBB, MI, MI.getDebugLoc(), TII.get(Heddle::SCHEDULING_LIMIT));
        Size = 1;
        Stores = MI.mayStore();
        Accesses = MI.mayLoadOrStore();
        Changed = true;
      }
    }
    return Changed;
  }

  static bool removeFrom(MachineBasicBlock &MBB) {
    bool Changed = false;
    for (MachineInstr &MI : make_early_inc_range(MBB))
      if (MI.getOpcode() == Heddle::SCHEDULING_LIMIT) {
        MI.eraseFromParent();
        Changed = true;
      }
    return Changed;
  }
};

} // namespace

char HeddleSchedulingLimits::ID = 0;
INITIALIZE_PASS(HeddleSchedulingLimits, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleSchedulingLimitsPass(bool Remove) {
  return new HeddleSchedulingLimits(Remove);
}
