//===- HeddlePlacementLimits.cpp - Keep placement linear -------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each block that LLVM places, it compares all that could be placed next.
// Behind a jump to thousands of places, that are thousands, so that the blocks
// of such a function stay in the order of its source.
//
//===----------------------------------------------------------------------===//

#include "HeddleMachineFunctionInfo.h"
#include "Passes/HeddlePasses.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/InitializePasses.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-placement-limits"
#define PASS_NAME "Heddle placement limits"

namespace {

class HeddlePlacementLimits : public MachineFunctionPass {
public:
  static char ID;
  explicit HeddlePlacementLimits(bool Remove = false)
      : MachineFunctionPass(ID), Remove(Remove) {}

  StringRef getPassName() const override { return PASS_NAME; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesAll();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  bool Remove;
};

bool isJump(const MachineBasicBlock &Block) { return Block.succ_size() > 2; }

/// Places that a jump in To or behind its test of the index leads to.
size_t countPlaces(const MachineBasicBlock &To) {
  if (isJump(To))
    return To.succ_size();
  size_t Most = 1;
  for (const MachineBasicBlock *Behind : To.successors())
    if (isJump(*Behind))
      Most = std::max<size_t>(Most, Behind->succ_size());
  return Most;
}

/// Whether a jump, made of one or two, leads to very many places.
bool hasLargeJump(const MachineFunction &MF) {
  constexpr size_t MaxPlaces = 1024;
  return any_of(MF, [&](const MachineBasicBlock &Block) {
    size_t Places = 0;
    if (isJump(Block))
      for (const MachineBasicBlock *To : Block.successors())
        Places += countPlaces(*To);
    return Places > MaxPlaces;
  });
}

} // namespace

bool HeddlePlacementLimits::runOnMachineFunction(MachineFunction &MF) {
  // Of a function that is marked so LLVM places nothing.
  constexpr auto Mark = Attribute::OptimizeNone;
  Function &F = MF.getFunction();
  auto *Info = MF.getInfo<HeddleMachineFunctionInfo>();
  if (Remove && Info->IsPlacedAsWritten) {
    F.removeFnAttr(Mark);
  } else if (!Remove && !F.hasFnAttribute(Mark) && hasLargeJump(MF)) {
    F.addFnAttr(Mark);
    Info->IsPlacedAsWritten = true;
  }
  return false;
}

char HeddlePlacementLimits::ID = 0;
INITIALIZE_PASS(HeddlePlacementLimits, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddlePlacementLimitsPass(bool Remove) {
  return new HeddlePlacementLimits(Remove);
}
