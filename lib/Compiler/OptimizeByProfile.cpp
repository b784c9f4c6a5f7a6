//===- OptimizeByProfile.cpp - Passes where there is a profile --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a profile makes worth its time, before everything else that -O2 and -O3
// do (docs/pgo.md). Functions without a profile stay as they are.
//
//===----------------------------------------------------------------------===//

#include "Stages.h"

#include "heddle/ProfileUse/Passes.h"

#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Transforms/IPO/ModuleInliner.h"
#include "llvm/Transforms/InstCombine/InstCombine.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace heddle::compiler {

namespace {

/// Runs passes on the functions that have a profile.
struct WhereProfiled : PassInfoMixin<WhereProfiled> {
  explicit WhereProfiled(FunctionPassManager Passes)
      : Passes(std::move(Passes)) {}
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &AM) {
    return profile::hasProfile(F) ? Passes.run(F, AM)
                                  : PreservedAnalyses::all();
  }
  FunctionPassManager Passes;
};

void add(ModulePassManager &MPM, FunctionPassManager FPM) {
  MPM.addPass(createModuleToFunctionPassAdaptor(WhereProfiled(std::move(FPM))));
}

/// Copies for common arguments, and what their constants fold.
FunctionPassManager specialization() {
  FunctionPassManager FPM;
  FPM.addPass(profile::SpecializeArgumentsPass());
  FPM.addPass(SimplifyCFGPass());
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(InstCombinePass());
  FPM.addPass(SimplifyCFGPass());
  return FPM;
}

FunctionPassManager loops(unsigned OptLevel) {
  FunctionPassManager FPM;
  LoopPassManager Invariants;
  Invariants.addPass(LoopRotatePass());
  Invariants.addPass(LICMPass(LICMOptions()));
  FPM.addPass(createFunctionToLoopPassAdaptor(std::move(Invariants),
                                              /*UseMemorySSA=*/true));
  FPM.addPass(InstCombinePass());
  LoopPassManager Counted;
  Counted.addPass(IndVarSimplifyPass());
  Counted.addPass(LoopFullUnrollPass(OptLevel));
  FPM.addPass(createFunctionToLoopPassAdaptor(std::move(Counted)));
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(InstCombinePass());
  FPM.addPass(SimplifyCFGPass());
  FPM.addPass(profile::CloseSwitchesPass());
  FPM.addPass(LoopSimplifyPass());
  FPM.addPass(LCSSAPass());
  FPM.addPass(profile::ChooseUnrollingPass());
  FPM.addPass(
      LoopUnrollPass(LoopUnrollOptions(OptLevel, /*OnlyWhenForced=*/true)));
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(GVNPass());
  FPM.addPass(InstCombinePass());
  FPM.addPass(SimplifyCFGPass());
  FPM.addPass(ADCEPass());
  return FPM;
}

} // namespace

void optimizeByProfile(Module &M, TargetMachine &TM, const Settings &S,
                       CompileControl &Control) {
  if (S.OptLevel < 2 || none_of(M, profile::hasProfile))
    return;
  ModulePassManager MPM;
  add(MPM, cleanUp());
  MPM.addPass(ModuleInlinerPass(getInlineParams(S.OptLevel, 0)));
  add(MPM, cleanUp());
  add(MPM, specialization());
  add(MPM, loops(S.OptLevel));
  FunctionPassManager Loads;
  Loads.addPass(profile::CloseSwitchesPass());
  Loads.addPass(profile::HoistLoadsPass());
  Loads.addPass(LoopSimplifyPass());
  Loads.addPass(profile::PipelineLoadsPass());
  Loads.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  Loads.addPass(InstCombinePass());
  add(MPM, std::move(Loads));
  runPasses(M, std::move(MPM), &TM, Control);
}

} // namespace heddle::compiler
