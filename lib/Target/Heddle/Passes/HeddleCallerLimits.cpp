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
#include "llvm/ADT/StringMap.h"
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
  Limits(ArrayRef<Module *> Program, StringRef Chip);

  void spreadFrom(Function &Caller);

private:
  ArrayRef<Function *> bodiesOf(Function &Named) const;
  void lower(Function &Named, unsigned Limit);

  StringRef Chip;
  /// Of names that modules share. Of several bodies the linker keeps one.
  StringMap<SmallVector<Function *, 1>> Shared;
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

Limits::Limits(ArrayRef<Module *> Program, StringRef Chip) : Chip(Chip) {
  if (Program.size() > 1)
    for (Module *M : Program)
      for (Function &F : *M)
        if (!F.isDeclaration() && !F.hasLocalLinkage())
          Shared[F.getName()].push_back(&F);
  for (Module *M : Program)
    for (Function &F : *M)
      if (F.hasAddressTaken() && !heddle::ir::isKernel(F))
        Targets.push_back(&F);
}

/// The bodies that a function of one module may stand for.
ArrayRef<Function *> Limits::bodiesOf(Function &Named) const {
  auto Found =
      Named.hasLocalLinkage() ? Shared.end() : Shared.find(Named.getName());
  return Found == Shared.end() ? ArrayRef<Function *>() : Found->second;
}

void Limits::lower(Function &Named, unsigned Limit) {
  auto Lower = [&](Function &F) {
    if (F.isDeclaration() || heddle::registerLimitOf(F, Chip) <= Limit)
      return;
    F.addFnAttr(heddle::attr::CallerRegisters, std::to_string(Limit));
    Changed.push_back(&F);
  };
  Lower(Named);
  for (Function *Body : bodiesOf(Named))
    Lower(*Body);
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
  limitCallees(ArrayRef<Module *>{&M}, Chip);
  return true;
}

void heddle::limitCallees(ArrayRef<Module *> Program, StringRef Chip) {
  Limits L(Program, Chip);
  for (Module *M : Program)
    for (Function &F : *M)
      if (ir::isDefinedKernel(F) && registerLimitOf(F, Chip) < MostRegisters)
        L.spreadFrom(F);
}

ModulePass *llvm::createHeddleCallerLimitsPass() {
  return new HeddleCallerLimits();
}
