//===- HeddleConvergence.h - Which blocks are converged --------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass that sets convergence barriers, with what it knows afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLECONVERGENCE_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLECONVERGENCE_H

#include "Passes/HeddleInterThreadWaits.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/CodeGen/MachineFunctionPass.h"

namespace llvm {

class HeddleConvergence : public MachineFunctionPass {
  BitVector Converged;
  HeddleInterThreadWaits Waiting;

public:
  static char ID;
  HeddleConvergence() : MachineFunctionPass(ID) {}

  /// Whether all threads of a warp that have not exited, and will not without
  /// doing anything else, execute MBB together. Holds for the code behind the
  /// PHIs and the BSYNC at the block's start.
  bool isConverged(const MachineBasicBlock &MBB) const {
    return Converged.test(MBB.getNumber());
  }

  StringRef getPassName() const override { return "Heddle convergence"; }
  bool doInitialization(Module &) override {
    Waiting.clear();
    return false;
  }
  bool runOnMachineFunction(MachineFunction &MF) override;
  void getAnalysisUsage(AnalysisUsage &AU) const override;
  void releaseMemory() override { Converged.clear(); }
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLECONVERGENCE_H
