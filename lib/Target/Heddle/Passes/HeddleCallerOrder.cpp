//===- HeddleCallerOrder.cpp - Functions before their callers ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts functions that only this module can call in front of their callers. Code
// is made in the order of the module, so that callers see which registers such
// a function writes, and it need not keep any for them.
//
// A function's place depends on its callers alone: modules that hold a part of
// the functions have them in the same order.
//
//===----------------------------------------------------------------------===//

#include "HeddleFrameLowering.h"
#include "Passes/HeddlePasses.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Instruction.h"
#include "llvm/IR/Module.h"
#include "llvm/Pass.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-caller-order"

namespace {

class HeddleCallerOrder : public ModulePass {
public:
  static char ID;
  HeddleCallerOrder() : ModulePass(ID) {}
  StringRef getPassName() const override { return "Heddle order of callers"; }

  bool runOnModule(Module &M) override;

private:
  void place(Function &F);

  DenseMap<const Function *, SmallVector<Function *, 2>> Callees;
  SetVector<Function *> Order;
  SmallPtrSet<const Function *, 16> Visited;
};

} // namespace

char HeddleCallerOrder::ID = 0;
INITIALIZE_PASS(HeddleCallerOrder, DEBUG_TYPE, "Heddle order of callers", false,
                false)

/// Marks the functions that stand before all their callers, which excludes
/// functions that call each other.
static void markFirst(Module &M) {
  SmallPtrSet<const Function *, 16> Before;
  for (Function &F : M) {
    if (F.hasLocalLinkage() && !F.isDeclaration() &&
        all_of(F.users(), [&](const User *U) {
          const auto *Call = dyn_cast<CallBase>(U);
          return Call && !Before.contains(Call->getFunction());
        }))
      F.addFnAttr(HeddleFrameLowering::CallersFollow);
    Before.insert(&F);
  }
}

/// F behind the functions that it calls.
void HeddleCallerOrder::place(Function &F) {
  if (!Visited.insert(&F).second)
    return;
  if (auto Found = Callees.find(&F); Found != Callees.end())
    for (Function *Callee : Found->second)
      place(*Callee);
  Order.insert(&F);
}

bool HeddleCallerOrder::runOnModule(Module &M) {
  Callees.clear();
  Order.clear();
  Visited.clear();
  SmallVector<Function *, 8> Known;
  for (Function &F : M)
    if (F.hasLocalLinkage() && !F.isDeclaration() && !F.hasAddressTaken())
      Known.push_back(&F);
  if (Known.empty())
    return false;
  llvm::sort(Known, [](const Function *A, const Function *B) {
    return A->getName() < B->getName();
  });
  for (Function *F : Known)
    for (const User *U : F->users())
      if (const auto *Call = dyn_cast<CallBase>(U))
        Callees[Call->getFunction()].push_back(F);
  for (Function &F : M)
    if (!F.hasLocalLinkage() || F.hasAddressTaken())
      place(F);
  for (Function *F : Known)
    place(*F);
  for (Function *F : Order)
    M.getFunctionList().splice(M.end(), M.getFunctionList(), F->getIterator());
  markFirst(M);
  return true;
}

ModulePass *llvm::createHeddleCallerOrderPass() {
  return new HeddleCallerOrder();
}
