//===- OptimizeLoops.cpp - Loops, and what a profile makes pay --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is done to loops where a profile (docs/pgo.md) or a tuning document
// (docs/tuning.md) makes it worth its time, before everything else that -O2 and
// -O3 do. Other functions stay as they are until then (Optimize.cpp).
//
//===----------------------------------------------------------------------===//

#include "OptimizeLoops.h"
#include "CombineInstructions.h"
#include "LimitInlining.h"
#include "ProgramPasses.h"
#include "Stages.h"

#include "heddle/ISA/ISA.h"
#include "heddle/Loops/Passes.h"
#include "heddle/Loops/Plan.h"
#include "heddle/ProfileUse/Passes.h"
#include "heddle/Support/Check.h"
#include "heddle/Tuning/Passes.h"

#include "llvm/Analysis/InlineCost.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Transforms/IPO/FunctionAttrs.h"
#include "llvm/Transforms/Instrumentation/PGOInstrumentation.h"
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

/// Compares pointers with the functions that calls mostly reached, and calls
/// those directly.
struct PromotePointerCalls : PassInfoMixin<PromotePointerCalls> {
  /// Functions of a linked program are internal now, and were not when they
  /// were counted.
  bool IsLinked;

  explicit PromotePointerCalls(bool IsLinked) : IsLinked(IsLinked) {}
  PreservedAnalyses run(Module &M, ModuleAnalysisManager &AM) {
    // Profiles name internal functions without a file.
    std::string Source = M.getSourceFileName();
    M.setSourceFileName("");
    PreservedAnalyses PA = PGOIndirectCallPromotion(IsLinked).run(M, AM);
    M.setSourceFileName(Source);
    return PA;
  }
};

void add(ModulePassManager &MPM, PassesWhere::Condition Where,
         FunctionPassManager FPM) {
  MPM.addPass(
      createModuleToFunctionPassAdaptor(PassesWhere(Where, std::move(FPM))));
}

bool isRestructured(const Function &F) { return loops::planOf(F).Restructure; }
bool movesLoads(const Function &F) { return loops::planOf(F).movesLoads(); }
bool isSwizzled(const Function &F) {
  return tuning::knobOf(F, tuning::Knob::SharedSwizzle) != 0;
}
bool isMerged(const Function &F) {
  return tuning::knobOf(F, tuning::Knob::MergeCTAs) > 1;
}
bool isAggregated(const Function &F) {
  return tuning::knobOf(F, tuning::Knob::AggregateAtomics) == 1;
}
bool readsConstants(const Function &F) {
  return tuning::knobOf(F, tuning::Knob::LaunchConstants) != 0;
}
bool isConcerned(const Function &F) {
  return profile::hasProfile(F) || !loops::planOf(F).isEmpty() ||
         isSwizzled(F) || isMerged(F) || isAggregated(F) || readsConstants(F);
}

void addPointerCalls(ModulePassManager &MPM, const Settings &S) {
  MPM.addPass(
      createModuleToPostOrderCGSCCPassAdaptor(PostOrderFunctionAttrsPass()));
  // Of a program that is linked further functions may be missing.
  if (!S.Relocatable)
    MPM.addPass(DescribePointerCallsPass());
  MPM.addPass(PromotePointerCalls(S.LTO));
}

/// Simplifies the variables of loops with one exit, or a number of turns that
/// is known. What is left of others would take the numbers that it leaves with
/// by the exit behind all turns from the bound, which is then kept in a
/// register, and would need a block on that exit to do so.
struct SimplifyVariables : PassInfoMixin<SimplifyVariables> {
  PreservedAnalyses run(Loop &L, LoopAnalysisManager &AM,
                        LoopStandardAnalysisResults &AR, LPMUpdater &U) {
    return L.getExitingBlock() || AR.SE.getSmallConstantTripCount(&L)
               ? IndVarSimplifyPass().run(L, AM, AR, U)
               : PreservedAnalyses::all();
  }
};

const isa::ChipInfo &chipOf(const Settings &S) {
  const isa::ChipInfo *Chip = isa::findChip(S.Chip);
  HEDDLE_CHECK(Chip, "a chip that no table has");
  return *Chip;
}

/// Copies for common arguments, and what their constants fold.
FunctionPassManager specialization(const isa::ChipInfo &Chip) {
  FunctionPassManager FPM;
  FPM.addPass(profile::SpecializeArgumentsPass(
      {1.0 * Chip.Cores * Chip.SchedulersPerCore, 1.0 * Chip.L2Latency}));
  FPM.addPass(SimplifyCFGPass());
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(CombineInstructionsPass());
  FPM.addPass(SimplifyCFGPass());
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
  FPM.addPass(profile::SpecializeTurnsPass());
  FPM.addPass(loops::LimitUnrollingPass());
  LoopPassManager Counted;
  Counted.addPass(SimplifyVariables());
  Counted.addPass(LoopFullUnrollPass(OptLevel));
  FPM.addPass(createFunctionToLoopPassAdaptor(std::move(Counted)));
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(CombineInstructionsPass());
  FPM.addPass(SimplifyCFGPass());
  FPM.addPass(loops::CloseSwitchesPass());
  FPM.addPass(LoopSimplifyPass());
  FPM.addPass(LCSSAPass());
  FPM.addPass(profile::ChooseUnrollingPass());
  FPM.addPass(loops::LimitUnrollingPass());
  FPM.addPass(
      LoopUnrollPass(LoopUnrollOptions(OptLevel, /*OnlyWhenForced=*/true)));
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(GVNPass());
  FPM.addPass(CombineInstructionsPass());
  FPM.addPass(SimplifyCFGPass());
  FPM.addPass(ADCEPass());
  return FPM;
}

} // namespace

namespace {

/// Starts loads early, and cleans up behind that where any did.
struct EarlyLoads : PassInfoMixin<EarlyLoads> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &AM) {
    PreservedAnalyses All = PreservedAnalyses::all();
    auto Changes = [&](auto Pass) {
      PreservedAnalyses PA = Pass.run(F, AM);
      AM.invalidate(F, PA);
      All.intersect(PA);
      return !PA.areAllPreserved();
    };
    Changes(loops::CloseSwitchesPass());
    bool Moved = Changes(loops::HoistLoadsPass());
    Changes(LoopSimplifyPass());
    Moved |= Changes(loops::PipelineLoadsPass());
    if (Moved) {
      Changes(EarlyCSEPass(/*UseMemorySSA=*/true));
      Changes(CombineInstructionsPass());
    }
    return All;
  }
};

} // namespace

FunctionPassManager earlyLoads() {
  FunctionPassManager FPM;
  FPM.addPass(EarlyLoads());
  return FPM;
}

void optimizeLoops(Module &M, TargetMachine &TM, const Settings &S,
                   CompileControl &Control) {
  if (S.OptLevel < 2 || none_of(M, isConcerned))
    return;
  ModulePassManager MPM;
  add(MPM, isConcerned, cleanUp());
  if (any_of(M, profile::hasProfile))
    addPointerCalls(MPM, S);
  MPM.addPass(LimitedInlinerPass(getInlineParams(S.OptLevel, 0)));
  add(MPM, isConcerned, cleanUp());
  if (any_of(M, isMerged)) {
    MPM.addPass(tuning::MergeCTAsPass());
    add(MPM, isMerged, cleanUp());
  }
  // Behind what looks for the registers.
  if (any_of(M, readsConstants))
    MPM.addPass(
        createModuleToFunctionPassAdaptor(tuning::LaunchConstantsPass()));
  if (any_of(M, isAggregated))
    MPM.addPass(createModuleToFunctionPassAdaptor(
        tuning::AggregateAtomicsPass(/*ByRule=*/false)));
  add(MPM, profile::hasProfile, specialization(chipOf(S)));
  add(MPM, isRestructured, restructuring(S.OptLevel));
  add(MPM, movesLoads, earlyLoads());
  if (any_of(M, isSwizzled))
    MPM.addPass(tuning::SwizzleSharedPass());
  runPasses(M, std::move(MPM), &TM, Control);
}

} // namespace heddle::compiler
