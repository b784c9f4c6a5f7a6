//===- HeddleSSAPass.h - Passes that keep SSA form and blocks ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the passes over machine code in SSA form that neither add nor remove
// blocks have in common.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_PASSES_HEDDLESSAPASS_H
#define HEDDLE_LIB_TARGET_HEDDLE_PASSES_HEDDLESSAPASS_H

#include "llvm/CodeGen/MachineFunctionPass.h"

namespace llvm {

class HeddleSSAPass : public MachineFunctionPass {
public:
  bool runOnMachineFunction(MachineFunction &MF) final {
    return !skipFunction(MF.getFunction()) && change(MF);
  }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesCFG();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  MachineFunctionProperties getRequiredProperties() const override {
    return MachineFunctionProperties().setIsSSA();
  }

protected:
  explicit HeddleSSAPass(char &ID) : MachineFunctionPass(ID) {}

  /// Whether it changed \p MF.
  virtual bool change(MachineFunction &MF) = 0;
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_PASSES_HEDDLESSAPASS_H
