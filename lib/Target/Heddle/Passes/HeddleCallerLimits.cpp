//===- HeddleCallerLimits.cpp - Limits of kernels, for callees --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread gets as many registers as the function that needs most among all
// that its kernel reaches. The limit of a kernel therefore limits its callees,
// too: otherwise the kernel could not be launched with the threads that its
// attributes promise.
//
//===----------------------------------------------------------------------===//

#include "Passes/HeddlePasses.h"
#include "heddle/IR/Kernels.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Target/Registers.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/InstrTypes.h"
#include "llvm/IR/Module.h"
#include "llvm/InitializePasses.h"
#include "llvm/Pass.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-caller-limits"

namespace {

/// Limits on their way from kernels to the functions that they reach.
class Limits {
public:
  Limits(Module &M, StringRef Chip) : Chip(Chip) {
    for (Function &F : M)
      if (!F.isDeclaration() && F.hasAddressTaken() && !heddle::ir::isKernel(F))
        Targets.push_back(&F);
  }

  void spreadFrom(Function &Caller);

private:
  void lower(Function &Callee, unsigned Limit);

  StringRef Chip;
  SmallVector<Function *, 8> Targets; ///< of calls through pointers
  SmallVector<Function *, 8> Changed;
};

class HeddleCallerLimits : public ModulePass {
public:
  static char ID;
  HeddleCallerLimits() : ModulePass(ID) {}
  StringRef getPassName() const override { return "Heddle limits of callers"; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.addRequired<TargetPassConfig>();
    AU.setPreservesAll();
  }
  bool runOnModule(Module &M) override {
    auto &TM = getAnalysis<TargetPassConfig>().getTM<TargetMachine>();
    return heddle::limitCallees(M, TM.getTargetCPU());
  }
};

} // namespace

char HeddleCallerLimits::ID = 0;
INITIALIZE_PASS_BEGIN(HeddleCallerLimits, DEBUG_TYPE,
                      "Heddle limits of callers", false, false)
INITIALIZE_PASS_DEPENDENCY(TargetPassConfig)
INITIALIZE_PASS_END(HeddleCallerLimits, DEBUG_TYPE, "Heddle limits of callers",
                    false, false)

void Limits::lower(Function &Callee, unsigned Limit) {
  if (Callee.isDeclaration() || heddle::registerLimitOf(Callee, Chip) <= Limit)
    return;
  Callee.addFnAttr(heddle::attr::CallerRegisters, std::to_string(Limit));
  Changed.push_back(&Callee);
}

/// Each function is looked at again only when its limit sinks.
void Limits::spreadFrom(Function &Kernel) {
  Changed.push_back(&Kernel);
  while (!Changed.empty()) {
    Function *Caller = Changed.pop_back_val();
    unsigned Limit = heddle::registerLimitOf(*Caller, Chip);
    for (const Instruction &I : instructions(*Caller)) {
      const auto *Call = dyn_cast<CallBase>(&I);
      if (!Call)
        continue;
      if (Function *Callee = Call->getCalledFunction())
        lower(*Callee, Limit);
      else
        for (Function *Target : Targets)
          lower(*Target, Limit);
    }
  }
}

bool heddle::limitCallees(Module &M, StringRef Chip) {
  auto IsCalled = [](const Function &F) {
    return !F.isDeclaration() && !heddle::ir::isKernel(F);
  };
  if (none_of(M, IsCalled))
    return false;
  Limits L(M, Chip);
  for (Function &F : M)
    if (!F.isDeclaration() && !IsCalled(F) &&
        registerLimitOf(F, Chip) < MostRegisters)
      L.spreadFrom(F);
  return true;
}

ModulePass *llvm::createHeddleCallerLimitsPass() {
  return new HeddleCallerLimits();
}
