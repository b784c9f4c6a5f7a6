//===- OptimizeProgram.cpp - Link-time optimisation -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A linked program is closed: every call of a function and every address of one
// is in it. nvcc optimised its modules one by one, so that what inlining brings
// together has never been seen as a whole; loops among it get the passes that
// nvcc would have run.
//
//===----------------------------------------------------------------------===//

#include "passes/lto/Passes.h"
#include "passes/pipeline/Pipelines.h"
#include "passes/scalar/Passes.h"

#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/InlineCost.h"
#include "llvm/Transforms/IPO/ArgumentPromotion.h"
#include "llvm/Transforms/IPO/ConstantMerge.h"
#include "llvm/Transforms/IPO/DeadArgumentElimination.h"
#include "llvm/Transforms/IPO/ElimAvailExtern.h"
#include "llvm/Transforms/IPO/FunctionAttrs.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/IPO/GlobalOpt.h"
#include "llvm/Transforms/IPO/Inliner.h"
#include "llvm/Transforms/IPO/MergeFunctions.h"
#include "llvm/Transforms/IPO/SCCP.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/DeadStoreElimination.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/IndVarSimplify.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/LICM.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopRotation.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"

using namespace llvm;

namespace heddle::passes {

namespace {

/// Arguments that promotion may make of one pointer.
constexpr unsigned MaxPromotedElements = 8;

/// Pointers become known, and with them what lies in a frame.
void addPointers(FunctionPassManager &FPM) {
  FPM.addPass(RecoverPointersPass());
  FPM.addPass(MaterializeNullsPass());
  FPM.addPass(InferAddressSpacesPass());
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
}

/// What a function needs after others were inlined into it.
FunctionPassManager simplification() {
  FunctionPassManager FPM;
  addPointers(FPM);
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(CombineInstructionsPass());
  FPM.addPass(SimplifyControlFlowPass());
  return FPM;
}

/// Loops that inlining has made complete. A choice of direct calls, which is
/// mostly the same in every iteration, leaves the loop.
FunctionPassManager loopOptimizations(unsigned OptLevel) {
  FunctionPassManager FPM;
  LoopPassManager Invariants;
  Invariants.addPass(LoopRotatePass());
  Invariants.addPass(LICMPass(LICMOptions()));
  Invariants.addPass(SimpleLoopUnswitchPass(/*NonTrivial=*/OptLevel >= 3));
  FPM.addPass(createFunctionToLoopPassAdaptor(std::move(Invariants),
                                              /*UseMemorySSA=*/true));
  FPM.addPass(CombineInstructionsPass());
  LoopPassManager Counted;
  // Addresses extend a counter of 32 bits on their way.
  Counted.addPass(IndVarSimplifyPass(/*WidenIndVars=*/false));
  Counted.addPass(LoopFullUnrollPass(OptLevel));
  FPM.addPass(createFunctionToLoopPassAdaptor(std::move(Counted)));
  addPointers(FPM);
  return FPM;
}

FunctionPassManager scalarOptimizations(unsigned OptLevel) {
  FunctionPassManager FPM;
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(MaterializeNullsPass());
  FPM.addPass(InferAddressSpacesPass());
  FPM.addPass(GVNPass());
  FPM.addPass(DSEPass());
  FPM.addPass(CombineInstructionsPass());
  if (OptLevel >= 3)
    FPM.addPass(LoopUnrollPass(LoopUnrollOptions(OptLevel)));
  FPM.addPass(SimplifyControlFlowPass());
  FPM.addPass(ADCEPass());
  return FPM;
}

/// Constants and unused values through calls.
void addInterprocedural(ModulePassManager &MPM) {
  MPM.addPass(GlobalOptPass());
  MPM.addPass(IPSCCPPass(IPSCCPOptions(/*AllowFuncSpec=*/true)));
  MPM.addPass(DeadArgumentEliminationPass());
  MPM.addPass(createModuleToFunctionPassAdaptor(cleanUp()));
}

/// From the callees to the callers.
void addInlining(ModulePassManager &MPM) {
  InlineParams Params = getInlineParams(InlineThreshold);
  Params.ColdThreshold = Params.ColdCallSiteThreshold = std::nullopt;
  ModuleInlinerWrapperPass Inliner(Params, /*MandatoryFirst=*/false);
  CGSCCPassManager &Functions = Inliner.getPM();
  Functions.addPass(PostOrderFunctionAttrsPass());
  Functions.addPass(ArgumentPromotionPass(MaxPromotedElements));
  Functions.addPass(createCGSCCToFunctionPassAdaptor(simplification()));
  MPM.addPass(std::move(Inliner));
}

} // namespace

ModulePassManager buildProgramPipeline(const PipelineOptions &Options,
                                       const Module *M) {
  ModulePassManager MPM;
  if (Options.OptLevel < 2)
    return MPM;
  MPM.addPass(createModuleToFunctionPassAdaptor(cleanUp()));
  // Before targets are dropped that a part of a program does not name.
  if (!M || areTargetsKnown(*M))
    MPM.addPass(IndirectCallPromotionPass());
  addInterprocedural(MPM);
  if (!Options.Relocatable)
    MPM.addPass(IndirectCallPromotionPass());
  addInlining(MPM);
  addInterprocedural(MPM);
  MPM.addPass(
      createModuleToFunctionPassAdaptor(loopOptimizations(Options.OptLevel)));
  MPM.addPass(
      createModuleToFunctionPassAdaptor(scalarOptimizations(Options.OptLevel)));
  MPM.addPass(EliminateAvailableExternallyPass());
  MPM.addPass(GlobalDCEPass());
  MPM.addPass(ConstantMergePass());
  MPM.addPass(MergeFunctionsPass());
  return MPM;
}

void optimizeProgram(Module &M, const PipelineOptions &Options,
                     const PassContext &Context) {
  if (Options.OptLevel >= 2)
    runPasses(M, buildProgramPipeline(Options, &M), Context);
}

} // namespace heddle::passes
