//===- HeddleUniformity.cpp - What threads of a warp share -----*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The simpler analysis does not follow the effects of branches on values:
// results of PHIs, and values computed in loops, which threads leave at
// different times, count as divergent. Divergence spreads along uses only.
//
//===----------------------------------------------------------------------===//

#include "Passes/HeddleUniformity.h"
#include "Passes/HeddlePasses.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/CodeGen/MachinePostDominators.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/TargetInstrInfo.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"
#include "llvm/InitializePasses.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-uniformity"

/// Functions of fewer blocks are always worth LLVM's analysis.
static constexpr size_t MinBlocks = 512;
/// Steps for each block that are worth it.
static constexpr size_t MaxStepsPerBlock = 256;

/// Whether LLVM's analysis visits few blocks: it visits, from each branch, the
/// blocks up to the immediate post-dominator, and all blocks of the cycles
/// around the branch.
static bool isCheap(MachineFunction &MF, const MachineCycleInfo &Cycles) {
  if (MF.size() < MinBlocks)
    return true;
  MachinePostDominatorTree PDT(MF);
  std::vector<size_t> Order(MF.getNumBlockIDs(), 0);
  size_t Next = 0;
  for (const MachineBasicBlock *MBB :
       ReversePostOrderTraversal<MachineFunction *>(&MF))
    Order[MBB->getNumber()] = Next++;
  size_t Steps = 0;
  for (MachineBasicBlock &MBB : MF) {
    Steps += Cycles.getCycleDepth(&MBB);
    if (MBB.succ_size() < 2)
      continue;
    const auto *Node = PDT.getNode(&MBB);
    const auto *Meet = Node ? Node->getIDom() : nullptr;
    size_t End =
        Meet && Meet->getBlock() ? Order[Meet->getBlock()->getNumber()] : Next;
    size_t Begin = Order[MBB.getNumber()];
    Steps += End > Begin ? End - Begin : Begin - End;
  }
  return Steps <= MaxStepsPerBlock * MF.size();
}

void HeddleUniformity::analyzeSimply(const MachineFunction &MF,
                                     const MachineCycleInfo &Cycles) {
  const MachineRegisterInfo &MRI = MF.getRegInfo();
  const TargetInstrInfo &TII = *MF.getSubtarget().getInstrInfo();
  DivergentRegisters.resize(MRI.getNumVirtRegs());
  DivergentBlocks.resize(MF.getNumBlockIDs());
  SmallVector<const MachineInstr *, 32> Work;
  for (const MachineBasicBlock &MBB : MF) {
    bool IsInCycle = Cycles.getCycle(&MBB);
    for (const MachineInstr &MI : MBB) {
      InstructionUniformity U = TII.getInstructionUniformity(MI);
      if (U == InstructionUniformity::NeverUniform || MI.isPHI() ||
          (IsInCycle && U != InstructionUniformity::AlwaysUniform))
        Work.push_back(&MI);
    }
  }
  while (!Work.empty()) {
    const MachineInstr &MI = *Work.pop_back_val();
    if (MI.isTerminator())
      DivergentBlocks.set(MI.getParent()->getNumber());
    for (const MachineOperand &Def : MI.all_defs()) {
      Register R = Def.getReg();
      if (!R.isVirtual() || DivergentRegisters.test(R.virtRegIndex()))
        continue;
      DivergentRegisters.set(R.virtRegIndex());
      for (const MachineInstr &User : MRI.use_nodbg_instructions(R))
        if (TII.getInstructionUniformity(User) !=
            InstructionUniformity::AlwaysUniform)
          Work.push_back(&User);
    }
  }
}

bool HeddleUniformity::runOnMachineFunction(MachineFunction &MF) {
  const MachineCycleInfo &Cycles =
      getAnalysis<MachineCycleInfoWrapperPass>().getCycleInfo();
  IsSimple = !isCheap(MF, Cycles);
  if (IsSimple)
    analyzeSimply(MF, Cycles);
  else
    Info = computeMachineUniformityInfo(
        MF, Cycles, getAnalysis<MachineDominatorTreeWrapperPass>().getDomTree(),
        /*HasBranchDivergence=*/true);
  return false;
}

void HeddleUniformity::getAnalysisUsage(AnalysisUsage &AU) const {
  AU.setPreservesAll();
  AU.addRequiredTransitive<MachineCycleInfoWrapperPass>();
  AU.addRequired<MachineDominatorTreeWrapperPass>();
  MachineFunctionPass::getAnalysisUsage(AU);
}

void HeddleUniformity::releaseMemory() {
  Info = MachineUniformityInfo();
  DivergentRegisters.clear();
  DivergentBlocks.clear();
}

char HeddleUniformity::ID = 0;

INITIALIZE_PASS_BEGIN(HeddleUniformity, DEBUG_TYPE, "Heddle uniformity", false,
                      true)
INITIALIZE_PASS_DEPENDENCY(MachineCycleInfoWrapperPass)
INITIALIZE_PASS_DEPENDENCY(MachineDominatorTreeWrapperPass)
INITIALIZE_PASS_END(HeddleUniformity, DEBUG_TYPE, "Heddle uniformity", false,
                    true)
