//===- HeddleKeptAssignments.cpp - For variables in registers ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's map of registers is made anew for each allocation, while its debug
// values wait for the last one, and those of the other allocations would be
// nowhere.
//
//===----------------------------------------------------------------------===//

#include "Passes/Blocks/HeddleKeptAssignments.h"

#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/VirtRegMap.h"
#include "llvm/IR/Function.h"

using namespace llvm;

namespace {

class HeddleKeptAssignments : public MachineFunctionPass {
public:
  static char ID;

  HeddleKeptAssignments(std::shared_ptr<KeptAssignments> Kept, bool IsLast)
      : MachineFunctionPass(ID), Kept(std::move(Kept)), IsLast(IsLast) {}

  StringRef getPassName() const override { return "Heddle kept assignments"; }

  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesAll();
    AU.addRequired<VirtRegMapWrapperLegacy>();
    MachineFunctionPass::getAnalysisUsage(AU);
  }

  bool runOnMachineFunction(MachineFunction &MF) override {
    if (!MF.getFunction().getSubprogram())
      return false;
    VirtRegMap &VRM = getAnalysis<VirtRegMapWrapperLegacy>().getVRM();
    if (!IsLast) {
      keep(MF, VRM);
      return false;
    }
    auto It = Kept->find(&MF);
    if (It == Kept->end())
      return false;
    for (auto [Virtual, Physical] : It->second)
      if (!VRM.hasPhys(Virtual))
        VRM.assignVirt2Phys(Virtual, Physical);
    Kept->erase(It);
    return false;
  }

private:
  void keep(const MachineFunction &MF, const VirtRegMap &VRM) {
    for (unsigned N = 0, End = MF.getRegInfo().getNumVirtRegs(); N != End; ++N)
      if (Register R = Register::index2VirtReg(N); VRM.hasPhys(R))
        (*Kept)[&MF].push_back({R, VRM.getPhys(R)});
  }

  std::shared_ptr<KeptAssignments> Kept;
  bool IsLast;
};

} // namespace

char HeddleKeptAssignments::ID = 0;

FunctionPass *
llvm::createHeddleKeepAssignmentsPass(std::shared_ptr<KeptAssignments> To) {
  return new HeddleKeptAssignments(std::move(To), /*IsLast=*/false);
}

FunctionPass *
llvm::createHeddleReturnAssignmentsPass(std::shared_ptr<KeptAssignments> From) {
  return new HeddleKeptAssignments(std::move(From), /*IsLast=*/true);
}
