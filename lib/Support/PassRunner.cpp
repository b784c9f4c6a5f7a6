//===- PassRunner.cpp - Runs passes over LLVM IR ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the analyses that passes over IR ask for, one by one.
//
//===----------------------------------------------------------------------===//

#include "heddle/Support/PassRunner.h"

#include "llvm/Analysis/AliasAnalysis.h"
#include "llvm/Analysis/AssumptionCache.h"
#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/BlockFrequencyInfo.h"
#include "llvm/Analysis/BranchProbabilityInfo.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/CallGraph.h"
#include "llvm/Analysis/CtxProfAnalysis.h"
#include "llvm/Analysis/CycleAnalysis.h"
#include "llvm/Analysis/DemandedBits.h"
#include "llvm/Analysis/DependenceAnalysis.h"
#include "llvm/Analysis/DominanceFrontier.h"
#include "llvm/Analysis/EphemeralValuesCache.h"
#include "llvm/Analysis/FunctionPropertiesAnalysis.h"
#include "llvm/Analysis/GlobalsModRef.h"
#include "llvm/Analysis/IR2Vec.h"
#include "llvm/Analysis/IVUsers.h"
#include "llvm/Analysis/InlineAdvisor.h"
#include "llvm/Analysis/LastRunTrackingAnalysis.h"
#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/Analysis/LazyValueInfo.h"
#include "llvm/Analysis/LoopAccessAnalysis.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/Analysis/MemoryDependenceAnalysis.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/OptimizationRemarkEmitter.h"
#include "llvm/Analysis/PhiValues.h"
#include "llvm/Analysis/PostDominators.h"
#include "llvm/Analysis/ProfileSummaryInfo.h"
#include "llvm/Analysis/ScalarEvolution.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/Analysis/UniformityAnalysis.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/SimpleLoopUnswitch.h"

using namespace llvm;
using heddle::PassRunSetup;

namespace {

/// The managers of analyses, each of which reaches the others.
class Analyses {
public:
  explicit Analyses(const PassRunSetup &Setup) : Setup(Setup) {
    addModuleAnalyses();
    addFunctionAnalyses();
    addLoopAnalyses();
    connect();
  }

  ModuleAnalysisManager &ofModule() { return Modules; }

private:
  void addModuleAnalyses();
  void addFunctionAnalyses();
  void addLoopAnalyses();
  void connect();
  AAManager aliasAnalyses() const;

  template <typename AnalysisT, typename ManagerT> void add(ManagerT &To) {
    To.registerPass([] { return AnalysisT(); });
  }
  template <typename ManagerT> void addInstrumentation(ManagerT &To) {
    To.registerPass(
        [this] { return PassInstrumentationAnalysis(Setup.Callbacks); });
  }

  const PassRunSetup &Setup;
  // Declared in the order in which LLVM wants them destroyed, from the last.
  LoopAnalysisManager Loops;
  FunctionAnalysisManager Functions;
  CGSCCAnalysisManager Components;
  ModuleAnalysisManager Modules;
};

void Analyses::addModuleAnalyses() {
  addInstrumentation(Modules);
  add<CallGraphAnalysis>(Modules);
  add<CtxProfAnalysis>(Modules);
  add<GlobalsAA>(Modules);
  add<IR2VecVocabAnalysis>(Modules);
  add<InlineAdvisorAnalysis>(Modules);
  add<LastRunTrackingAnalysis>(Modules);
  add<LazyCallGraphAnalysis>(Modules);
  add<ProfileSummaryAnalysis>(Modules);
}

/// The order is that in which they are asked.
AAManager Analyses::aliasAnalyses() const {
  AAManager AA;
  if (Setup.TM)
    Setup.TM->registerEarlyDefaultAliasAnalyses(AA);
  AA.registerFunctionAnalysis<BasicAA>();
  AA.registerFunctionAnalysis<ScopedNoAliasAA>();
  AA.registerFunctionAnalysis<TypeBasedAA>();
  AA.registerModuleAnalysis<GlobalsAA>();
  return AA;
}

void Analyses::addFunctionAnalyses() {
  if (Setup.RegisterMore)
    Setup.RegisterMore(Functions);
  addInstrumentation(Functions);
  Functions.registerPass([this] { return aliasAnalyses(); });
  Functions.registerPass([this] {
    return Setup.TM ? Setup.TM->getTargetIRAnalysis() : TargetIRAnalysis();
  });
  add<AssumptionAnalysis>(Functions);
  add<BasicAA>(Functions);
  add<BlockFrequencyAnalysis>(Functions);
  add<BranchProbabilityAnalysis>(Functions);
  add<CycleAnalysis>(Functions);
  add<DemandedBitsAnalysis>(Functions);
  add<DependenceAnalysis>(Functions);
  add<DominanceFrontierAnalysis>(Functions);
  add<DominatorTreeAnalysis>(Functions);
  add<EphemeralValuesAnalysis>(Functions);
  add<FunctionPropertiesAnalysis>(Functions);
  add<LastRunTrackingAnalysis>(Functions);
  add<LazyValueAnalysis>(Functions);
  add<LoopAccessAnalysis>(Functions);
  add<LoopAnalysis>(Functions);
  add<MemoryDependenceAnalysis>(Functions);
  add<MemorySSAAnalysis>(Functions);
  add<OptimizationRemarkEmitterAnalysis>(Functions);
  add<PhiValuesAnalysis>(Functions);
  add<PostDominatorTreeAnalysis>(Functions);
  add<ScalarEvolutionAnalysis>(Functions);
  add<ScopedNoAliasAA>(Functions);
  add<ShouldNotRunFunctionPassesAnalysis>(Functions);
  add<TargetLibraryAnalysis>(Functions);
  add<TypeBasedAA>(Functions);
  add<UniformityInfoAnalysis>(Functions);
}

void Analyses::addLoopAnalyses() {
  addInstrumentation(Loops);
  add<IVUsersAnalysis>(Loops);
  add<ShouldRunExtraSimpleLoopUnswitch>(Loops);
  addInstrumentation(Components);
  add<FunctionAnalysisManagerCGSCCProxy>(Components);
}

void Analyses::connect() {
  Modules.registerPass(
      [this] { return FunctionAnalysisManagerModuleProxy(Functions); });
  Modules.registerPass(
      [this] { return CGSCCAnalysisManagerModuleProxy(Components); });
  Components.registerPass(
      [this] { return ModuleAnalysisManagerCGSCCProxy(Modules); });
  Functions.registerPass(
      [this] { return CGSCCAnalysisManagerFunctionProxy(Components); });
  Functions.registerPass(
      [this] { return ModuleAnalysisManagerFunctionProxy(Modules); });
  Functions.registerPass(
      [this] { return LoopAnalysisManagerFunctionProxy(Loops); });
  Loops.registerPass(
      [this] { return FunctionAnalysisManagerLoopProxy(Functions); });
}

} // namespace

void heddle::runPasses(Module &M, ModulePassManager Passes,
                       const PassRunSetup &Setup) {
  Analyses All(Setup);
  Passes.run(M, All.ofModule());
}
