//===- LoopPipeline.cpp - Loops, and what a profile makes pay ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is done to loops where a profile (docs/pgo.md) or a tuning document
// (docs/tuning.md) makes it worth its time, before everything else that -O2 and
// -O3 do. Other functions stay as they are until then (ModulePipeline.cpp).
//
//===----------------------------------------------------------------------===//

#include "passes/loops/Passes.h"
#include "passes/lto/Passes.h"
#include "passes/pgo/KeepIfLoopsChange.h"
#include "passes/pgo/Passes.h"
#include "passes/pipeline/PassesWhere.h"
#include "passes/pipeline/Pipelines.h"
#include "passes/scalar/Passes.h"
#include "passes/tuning/Passes.h"

#include "heddle/IR/LoopPlan.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Tuning/Knobs.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Transforms/IPO/FunctionAttrs.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/LCSSA.h"
#include "llvm/Transforms/Utils/LoopSimplify.h"

using namespace llvm;

namespace heddle::passes {

namespace {

void add(ModulePassManager &MPM, const FunctionCondition &Where,
         FunctionPassManager FPM) {
  MPM.addPass(
      createModuleToFunctionPassAdaptor(PassesWhere(Where, std::move(FPM))));
}

bool isRestructured(const Function &F) { return ir::planOf(F).Restructure; }
bool movesLoads(const Function &F) {
  return ir::planOf(F).movesLoads() && !F.hasFnAttribute(attr::LoopsLeft);
}
bool isSwizzled(const Function &F) {
  return tuning::knobOf(F, tuning::Knob::SharedSwizzle) != 0;
}
bool isMerged(const Function &F) {
  return tuning::knobOf(F, tuning::Knob::CoarsenCTAs) > 1;
}
bool isAggregated(const Function &F) {
  return tuning::knobOf(F, tuning::Knob::AggregateAtomics) == 1;
}
bool readsConstants(const Function &F) {
  return tuning::knobOf(F, tuning::Knob::LaunchConstants) != 0;
}
bool isConcerned(const Function &F) {
  return hasProfile(F) || !ir::planOf(F).isEmpty() || isSwizzled(F) ||
         isMerged(F) || isAggregated(F) || readsConstants(F);
}

constexpr FunctionCondition Concerned{"profile-or-document", isConcerned};
constexpr FunctionCondition Profiled{"profile", hasProfile};
constexpr FunctionCondition Restructured{"restructured", isRestructured};
constexpr FunctionCondition MovesLoads{"early-loads", movesLoads};
constexpr FunctionCondition Coarsened{"coarsened", isMerged};

void addPointerCalls(ModulePassManager &MPM, const PipelineOptions &Options) {
  MPM.addPass(
      createModuleToPostOrderCGSCCPassAdaptor(PostOrderFunctionAttrsPass()));
  // Of a program that is linked further functions may be missing.
  if (!Options.Relocatable)
    MPM.addPass(AnnotateIndirectCallsPass());
  MPM.addPass(PromoteCountedCallsPass(Options.LTO));
}

/// Copies for common arguments, and what their constants fold.
FunctionPassManager specialization(StringRef Chip) {
  FunctionPassManager FPM;
  FPM.addPass(SpecializeArgumentsPass(launchCostsOf(Chip)));
  FPM.addPass(SimplifyControlFlowPass());
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(CombineInstructionsPass());
  FPM.addPass(SimplifyControlFlowPass());
  return FPM;
}

FunctionPassManager restructuring(unsigned OptLevel) {
  FunctionPassManager FPM;
  LoopPassManager Invariants;
  Invariants.addPass(LoopRotatePass());
  Invariants.addPass(LICMPass(LICMOptions()));
  FPM.addPass(createFunctionToLoopPassAdaptor(std::move(Invariants),
                                              /*UseMemorySSA=*/true));
  FPM.addPass(CombineInstructionsPass());
  FPM.addPass(LoopSimplifyPass());
  FPM.addPass(LCSSAPass());
  FPM.addPass(TripCountVersioningPass());
  FPM.addPass(LimitUnrollingPass());
  LoopPassManager Counted;
  Counted.addPass(SimplifyVariablesPass());
  Counted.addPass(LoopFullUnrollPass(OptLevel));
  FPM.addPass(createFunctionToLoopPassAdaptor(std::move(Counted)));
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(CombineInstructionsPass());
  FPM.addPass(SimplifyControlFlowPass());
  FPM.addPass(MakeSwitchDefaultReachablePass());
  FPM.addPass(LoopSimplifyPass());
  FPM.addPass(LCSSAPass());
  FPM.addPass(ChooseUnrollingPass());
  FPM.addPass(LimitUnrollingPass());
  FPM.addPass(
      LoopUnrollPass(LoopUnrollOptions(OptLevel, /*OnlyWhenForced=*/true)));
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(GVNPass());
  FPM.addPass(CombineInstructionsPass());
  FPM.addPass(SimplifyControlFlowPass());
  FPM.addPass(ADCEPass());
  if (OptLevel < 3) // which has nothing else to do with loops
    return FPM;
  FunctionPassManager Kept;
  Kept.addPass(KeepIfLoopsChangePass(std::move(FPM)));
  return Kept;
}

} // namespace

ModulePassManager buildLoopPipeline(const PipelineOptions &Options,
                                    const Module *M) {
  ModulePassManager MPM;
  if (Options.OptLevel < 2 || !isNeeded(M, isConcerned))
    return MPM;
  add(MPM, Concerned, cleanUp());
  if (isNeeded(M, hasProfile))
    addPointerCalls(MPM, Options);
  MPM.addPass(LimitedInlinerPass(getInlineParams(Options.OptLevel, 0)));
  add(MPM, Concerned, cleanUp());
  if (isNeeded(M, isMerged)) {
    MPM.addPass(CTACoarseningPass());
    add(MPM, Coarsened, cleanUp());
  }
  // Behind what looks for the registers.
  if (isNeeded(M, readsConstants))
    MPM.addPass(createModuleToFunctionPassAdaptor(LaunchConstantsPass()));
  if (isNeeded(M, isAggregated))
    MPM.addPass(createModuleToFunctionPassAdaptor(
        AggregateAtomicsPass(/*ByRule=*/false)));
  add(MPM, Profiled, specialization(Options.Chip));
  add(MPM, Restructured, restructuring(Options.OptLevel));
  FunctionPassManager Forgotten;
  Forgotten.addPass(ForgetProfilePass());
  add(MPM, Profiled, std::move(Forgotten));
  FunctionPassManager Early;
  Early.addPass(EarlyLoadsPass());
  add(MPM, MovesLoads, std::move(Early));
  if (isNeeded(M, isSwizzled))
    MPM.addPass(SwizzleSharedPass());
  return MPM;
}

void optimizeLoops(Module &M, const PipelineOptions &Options,
                   const PassContext &Context) {
  if (Options.OptLevel >= 2 && any_of(M, isConcerned))
    runPasses(M, buildLoopPipeline(Options, &M), Context);
}

} // namespace heddle::passes
