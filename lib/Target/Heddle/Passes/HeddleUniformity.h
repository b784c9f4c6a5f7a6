//===- HeddleUniformity.h - What all threads of a warp share ---*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's uniformity analysis walks from each branch through all that lies
// between it and the place where its threads meet again, which takes the square
// of the depth of nested conditions. Where that is too much, a simpler analysis
// takes its place, which finds fewer values uniform.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEUNIFORMITY_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEUNIFORMITY_H

#include "llvm/ADT/BitVector.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineUniformityAnalysis.h"

namespace llvm {

class HeddleUniformity : public MachineFunctionPass {
  MachineUniformityInfo Info; ///< empty if the simpler analysis was made
  bool IsSimple = false;
  BitVector DivergentRegisters; ///< by the number of a virtual register
  BitVector DivergentBlocks;    ///< whose terminators are, by number

  void analyzeSimply(const MachineFunction &MF, const MachineCycleInfo &Cycles);

public:
  static char ID;
  HeddleUniformity() : MachineFunctionPass(ID) {}

  /// Whether a virtual register may have other values in other threads that
  /// compute it.
  bool isDivergent(Register R) const {
    if (!IsSimple)
      return Info.isDivergent(R);
    unsigned N = R.virtRegIndex();
    return N >= DivergentRegisters.size() || DivergentRegisters.test(N);
  }
  /// Whether threads that are at the end of MBB together may go on to different
  /// blocks.
  bool hasDivergentTerminator(const MachineBasicBlock &MBB) {
    return IsSimple ? DivergentBlocks.test(MBB.getNumber())
                    : Info.hasDivergentTerminator(MBB);
  }

  StringRef getPassName() const override { return "Heddle uniformity"; }
  bool runOnMachineFunction(MachineFunction &MF) override;
  void getAnalysisUsage(AnalysisUsage &AU) const override;
  void releaseMemory() override;
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEUNIFORMITY_H
