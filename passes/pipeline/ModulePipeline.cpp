//===- ModulePipeline.cpp - What every module gets --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// nvcc and clang write PTX that is optimised already, so that each pass here
// has to earn its time: what matters is to undo what PTX spells out (address
// arithmetic through generic pointers, local depots) and to inline what the
// frontend and the device library brought as calls.
//
//===----------------------------------------------------------------------===//

#include "passes/loops/BoundLoopGuards.h"
#include "passes/loops/DeepNests.h"
#include "passes/loops/Passes.h"
#include "passes/lto/Passes.h"
#include "passes/pgo/Passes.h"
#include "passes/pipeline/PassesWhere.h"
#include "passes/pipeline/Pipelines.h"
#include "passes/scalar/Passes.h"
#include "passes/tuning/Passes.h"

#include "heddle/IR/LoopPlan.h"
#include "heddle/Support/AddressSpace.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Tuning/Knobs.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/FunctionAttrs.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Utils/CanonicalizeFreezeInLoops.h"

using namespace llvm;

namespace heddle::passes {

//===----------------------------------------------------------------------===//
// Conditions
//===----------------------------------------------------------------------===//

/// Whether loops may be looked at one by one.
static bool hasFewLoops(const Function &F) {
  constexpr size_t MaxLoops = 4096;
  if (F.size() <= MaxLoops)
    return true;
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> Backedges;
  FindFunctionBackedges(F, Backedges);
  return Backedges.size() <= MaxLoops;
}

/// Whether loads of F are moved by rule. What a profile or a document asks for
/// was done in the loop pipeline.
static bool isPlanned(const Function &F) {
  return F.hasFnAttribute(attr::Loops);
}

/// Whether threads of F reduce words of memory, and no document says how.
static bool mayAggregateAtomics(const Function &F) {
  return tuning::knobOf(F, tuning::Knob::AggregateAtomics) == 0 &&
         any_of(instructions(F), [](const Instruction &I) {
           return isa<AtomicRMWInst>(I) && I.use_empty();
         });
}

static bool isOptimizedMuch(const Function &, const RegisterPlan &Plan) {
  return Plan.Level < RegisterPressureLevel::Passes;
}
static bool isOptimizedLittle(const Function &, const RegisterPlan &Plan) {
  return Plan.Level >= RegisterPressureLevel::Passes;
}
static bool mayTakeRegisters(const RegisterPlan &Plan) {
  return Plan.Level < RegisterPressureLevel::Motion;
}
static bool runsOutOfRegisters(const Function &, const RegisterPlan &Plan) {
  return Plan.Level >= RegisterPressureLevel::Order;
}
static bool mayReduceStrength(const Function &F, const RegisterPlan &Plan) {
  return mayTakeRegisters(Plan) && hasFewLoops(F);
}

/// Whether all callers of F are known, so that it matters to them what F does.
static bool isOwnFunction(const Function &F) {
  return F.hasLocalLinkage() && !F.isDeclaration();
}

static constexpr FunctionCondition FewLoops{"few-loops", hasFewLoops};
static constexpr FunctionCondition Planned{"planned", isPlanned};
static constexpr FunctionCondition Aggregable{"aggregable-atomics",
                                              mayAggregateAtomics};
static constexpr FunctionCondition OptimizedMuch{"registers-left",
                                                 isOptimizedMuch};
static constexpr FunctionCondition OptimizedLittle{"very-few-registers",
                                                   isOptimizedLittle};
static constexpr FunctionCondition OutOfRegisters{"few-registers",
                                                  runsOutOfRegisters};
static constexpr FunctionCondition Reducible{"reducible-strength",
                                             mayReduceStrength};

//===----------------------------------------------------------------------===//
// Groups of passes
//===----------------------------------------------------------------------===//

FunctionPassManager cleanUp() {
  FunctionPassManager FPM;
  FPM.addPass(SplitSwitchesPass());
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(MaterializeNullsPass());
  FPM.addPass(InferAddressSpacesPass());
  FPM.addPass(CombineInstructionsPass());
  FPM.addPass(SimplifyControlFlowPass());
  return FPM;
}

/// All that -O1 does behind the first cleaning up, since -O1 inlines nothing
/// more: another round of the other passes takes time and finds little.
static FunctionPassManager hoist(unsigned OptLevel) {
  FunctionPassManager FPM, Loops;
  Loops.addPass(HoistInvariantsPass());
  Loops.addPass(UnrollCountedLoopsPass(OptLevel)); // for its remarks
  FPM.addPass(PassesWhere(FewLoops, std::move(Loops)));
  FPM.addPass(ADCEPass());
  return FPM;
}

/// A value that is computed in a loop takes no register around the loop.
static FunctionPassManager sinkInvariants() {
  FunctionPassManager FPM;
  FPM.addPass(SinkInvariantsPass());
  FPM.addPass(EarlyCSEPass());
  return FPM;
}

static FunctionPassManager reduceStrength() {
  LoopPassManager LPM;
  LPM.addPass(CanonicalizeFreezeInLoopsPass());
  LPM.addPass(ReduceStrengthPass());
  FunctionPassManager FPM;
  FPM.addPass(createFunctionToLoopPassAdaptor(std::move(LPM)));
  return FPM;
}

/// Loops whose iterations have no effect go.
static FunctionPassManager deleteLoops() {
  LoopPassManager Deleted;
  Deleted.addPass(PrepareLoopDeletionPass());
  Deleted.addPass(FlatLoopPass(LoopDeletionPass()));
  FunctionPassManager FPM;
  FPM.addPass(createFunctionToLoopPassAdaptor(std::move(Deleted)));
  return FPM;
}

static FunctionPassManager withBoundedGuards(FunctionPassManager Passes) {
  FunctionPassManager FPM;
  FPM.addPass(WithBoundedLoopGuards(std::move(Passes)));
  return FPM;
}

/// What pays after inlining, from -O2 on.
static FunctionPassManager scalarOptimizations(unsigned OptLevel) {
  FunctionPassManager FPM;
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(MaterializeNullsPass());
  FPM.addPass(InferAddressSpacesPass());
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(CombineInstructionsPass());
  FunctionPassManager Invariants;
  Invariants.addPass(HoistInvariantsPass());
  FPM.addPass(PassesWhere(FewLoops, std::move(Invariants)));
  FunctionPassManager Counted;
  Counted.addPass(LimitUnrollingPass());
  Counted.addPass(UnrollCountedLoopsPass(OptLevel));
  // Only what the pass before or a tuning document decided.
  Counted.addPass(
      LoopUnrollPass(LoopUnrollOptions(OptLevel, /*OnlyWhenForced=*/true)));
  FPM.addPass(PassesWhere(FewLoops, withBoundedGuards(std::move(Counted))));
  if (OptLevel >= 3) {
    // GVN would keep MemorySSA up to date, which no later pass uses, in a time
    // that grows with the square of the depth of loops.
    FPM.addPass(InvalidateAnalysisPass<MemorySSAAnalysis>());
    FPM.addPass(RemoveRedundanciesPass());
  }
  FPM.addPass(CombineInstructionsPass());
  FPM.addPass(SimplifyControlFlowPass());
  FPM.addPass(ADCEPass());
  FunctionPassManager Late;
  Late.addPass(PassesWhere(FewLoops, deleteLoops()));
  if (OptLevel >= 3) {
    FunctionPassManager Aggregated;
    Aggregated.addPass(AggregateAtomicsPass(/*ByRule=*/true));
    Late.addPass(PassesWhere(Aggregable, std::move(Aggregated)));
  }
  if (OptLevel >= 3) {
    FunctionPassManager Early;
    Early.addPass(EarlyLoadsPass());
    Late.addPass(PassesWhere(Planned, std::move(Early)));
  }
  Late.addPass(InferAlignmentPass());
  Late.addPass(VectorizeAccessesPass());
  Late.addPass(PassesWhere(Reducible, reduceStrength()));
  FPM.addPass(WithBoundedLoopGuards(std::move(Late)));
  FPM.addPass(EarlyArgumentsPass());
  return FPM;
}

void alignVariables(Module &M) {
  const Align Widest(16);
  const DataLayout &DL = M.getDataLayout();
  for (GlobalVariable &G : M.globals())
    if (((G.getAddressSpace() == addrspace::Shared && G.hasLocalLinkage()) ||
         (G.getAddressSpace() == addrspace::Const &&
          G.isStrongDefinitionForLinker())) &&
        DL.getTypeAllocSize(G.getValueType()) >= Widest.value() &&
        G.getAlign().valueOrOne() < Widest)
      G.setAlignment(Widest);
}

/// Marks the functions whose loops neither a profile nor a tuning document has
/// decided on.
static void planByRule(Module &M, const RegisterPlans &Registers) {
  auto IsDecided = [](const Function &F) {
    return !F.hasFnAttribute(attr::LoopsLeft) &&
           (F.hasProfileData() || !ir::planOf(F).isEmpty());
  };
  for (Function &F : M)
    if (!F.isDeclaration() && mayTakeRegisters(Registers.of(F)) &&
        !IsDecided(F))
      F.addFnAttr(attr::Loops);
}

ModulePassManager buildModulePipeline(const PipelineOptions &Options,
                                      const Module *M,
                                      const RegisterPlans &Registers) {
  auto IsAny = [&](const FunctionCondition &Condition) {
    return isNeeded(
        M, [&](const Function &F) { return Condition(F, Registers.of(F)); });
  };
  ModulePassManager MPM;
  // The device library's short functions must be inlined at every level: what
  // they consist of are instructions.
  MPM.addPass(AlwaysInlinerPass(/*InsertLifetime=*/false));
  if (Options.OptLevel >= 1)
    MPM.addPass(createModuleToFunctionPassAdaptor(cleanUp()));
  if (Options.OptLevel >= 2)
    MPM.addPass(LimitedInlinerPass());
  if (Options.OptLevel >= 1 && isNeeded(M, isOwnFunction))
    MPM.addPass(
        createModuleToPostOrderCGSCCPassAdaptor(PostOrderFunctionAttrsPass()));
  if (Options.OptLevel == 1)
    MPM.addPass(createModuleToFunctionPassAdaptor(hoist(Options.OptLevel)));
  if (Options.OptLevel >= 2) {
    MPM.addPass(createModuleToFunctionPassAdaptor(
        PassesWhere(OptimizedMuch, scalarOptimizations(Options.OptLevel))));
    if (IsAny(OptimizedLittle))
      MPM.addPass(createModuleToFunctionPassAdaptor(
          PassesWhere(OptimizedLittle, hoist(Options.OptLevel))));
  }
  if (IsAny(OutOfRegisters))
    MPM.addPass(createModuleToFunctionPassAdaptor(
        PassesWhere(OutOfRegisters, sinkInvariants())));
  MPM.addPass(GlobalDCEPass());
  return MPM;
}

void optimizeModule(Module &M, const PipelineOptions &Options,
                    const PassContext &Context) {
  const RegisterPlans Nothing;
  const RegisterPlans &Registers =
      Context.Registers ? *Context.Registers : Nothing;
  if (Options.OptLevel >= 2)
    alignVariables(M);
  if (Options.OptLevel >= 3)
    planByRule(M, Registers);
  runPasses(M, buildModulePipeline(Options, &M, Registers), Context);
}

} // namespace heddle::passes
