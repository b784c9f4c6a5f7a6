//===- HeddleSourceOrder.cpp - The order of the PTX ------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Who wrote the PTX has ordered it for few registers, and instruction selection
// keeps that order. A list scheduler, which looks one step ahead, loses it
// where many values meet in one.
//
//===----------------------------------------------------------------------===//

#include "HeddleSourceOrder.h"
#include "llvm/CodeGen/MachineScheduler.h"

using namespace llvm;

namespace {

class SourceOrder : public MachineSchedStrategy {
public:
  void initPolicy(MachineBasicBlock::iterator, MachineBasicBlock::iterator,
                  unsigned) override {}
  bool shouldTrackPressure() const override { return false; }
  void initialize(ScheduleDAGMI *) override { Ready.clear(); }
  /// The last one that nothing which is left has to come behind.
  SUnit *pickNode(bool &IsTopNode) override {
    IsTopNode = false;
    if (Ready.empty())
      return nullptr;
    auto Last = llvm::max_element(Ready, [](const SUnit *A, const SUnit *B) {
      return A->NodeNum < B->NodeNum;
    });
    SUnit *Picked = *Last;
    Ready.erase(Last);
    return Picked;
  }
  void schedNode(SUnit *, bool) override {}
  void releaseTopNode(SUnit *) override {}
  void releaseBottomNode(SUnit *U) override { Ready.push_back(U); }

private:
  std::vector<SUnit *> Ready;
};

} // namespace

std::unique_ptr<MachineSchedStrategy> llvm::createHeddleSourceOrder() {
  return std::make_unique<SourceOrder>();
}
