//===- HeddleISelDAGToDAG.cpp - Instruction selection ----------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the generated selector and selects by hand what patterns cannot say.
//
//===----------------------------------------------------------------------===//

#include "Heddle.h"
#include "HeddleSubtarget.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "llvm/CodeGen/SelectionDAGISel.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-isel"
#define PASS_NAME "Heddle instruction selection"

namespace {

class HeddleDAGToDAGISel : public SelectionDAGISel {
  const HeddleSubtarget *ST = nullptr;

public:
  HeddleDAGToDAGISel(TargetMachine &TM, CodeGenOptLevel OL)
      : SelectionDAGISel(TM, OL) {}

  bool runOnMachineFunction(MachineFunction &MF) override {
    ST = &MF.getSubtarget<HeddleSubtarget>();
    return SelectionDAGISel::runOnMachineFunction(MF);
  }

  void Select(SDNode *N) override;

#define GET_DAGISEL_DECL
#include "HeddleGenDAGISel.inc"
};

class HeddleDAGToDAGISelLegacy : public SelectionDAGISelLegacy {
public:
  static char ID;
  HeddleDAGToDAGISelLegacy(TargetMachine &TM, CodeGenOptLevel OL)
      : SelectionDAGISelLegacy(ID,
                               std::make_unique<HeddleDAGToDAGISel>(TM, OL)) {}
};

} // namespace

char HeddleDAGToDAGISelLegacy::ID = 0;
INITIALIZE_PASS(HeddleDAGToDAGISelLegacy, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleISelDag(TargetMachine &TM, CodeGenOptLevel OL) {
  return new HeddleDAGToDAGISelLegacy(TM, OL);
}

#define GET_DAGISEL_BODY HeddleDAGToDAGISel
#include "HeddleGenDAGISel.inc"

void HeddleDAGToDAGISel::Select(SDNode *N) {
  if (N->isMachineOpcode()) {
    N->setNodeId(-1);
    return;
  }
  SelectCode(N);
}
