//===- Optimize.cpp - Passes over LLVM IR -----------------------*- C++ -*-===//
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

#include "CombineInstructions.h"
#include "DivideSwitches.h"
#include "HoistInvariants.h"
#include "LimitInlining.h"
#include "OptimizeLoops.h"
#include "ProgramPasses.h"
#include "SeparateLoops.h"
#include "SinkInvariants.h"
#include "Stages.h"
#include "Summaries.h"
#include "VectorizeAccesses.h"

#include "heddle/Loops/Passes.h"
#include "heddle/Loops/Plan.h"
#include "heddle/Object/Format.h"
#include "heddle/ProfileUse/Passes.h"
#include "heddle/Support/AddressSpace.h"
#include "heddle/Support/PassRunner.h"
#include "heddle/Target/Registers.h"
#include "heddle/Target/TargetAnalyses.h"
#include "heddle/Tuning/Knobs.h"
#include "heddle/Tuning/Passes.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/Analysis/CGSCCPassManager.h"
#include "llvm/Analysis/MemorySSA.h"
#include "llvm/Analysis/ScalarEvolutionExpressions.h"
#include "llvm/IR/DebugInfo.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/xxhash.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/FunctionAttrs.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"
#include "llvm/Transforms/Scalar/ADCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"
#include "llvm/Transforms/Scalar/GVN.h"
#include "llvm/Transforms/Scalar/InferAddressSpaces.h"
#include "llvm/Transforms/Scalar/InferAlignment.h"
#include "llvm/Transforms/Scalar/LoopDeletion.h"
#include "llvm/Transforms/Scalar/LoopPassManager.h"
#include "llvm/Transforms/Scalar/LoopStrengthReduce.h"
#include "llvm/Transforms/Scalar/LoopUnrollPass.h"
#include "llvm/Transforms/Scalar/SROA.h"
#include "llvm/Transforms/Scalar/SimplifyCFG.h"
#include "llvm/Transforms/Utils/CanonicalizeFreezeInLoops.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace heddle::compiler {

FunctionPassManager cleanUp() {
  FunctionPassManager FPM;
  FPM.addPass(DivideSwitchesPass());
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(HideNullsPass());
  FPM.addPass(InferAddressSpacesPass());
  FPM.addPass(CombineInstructionsPass());
  FPM.addPass(SimplifyCFGPass());
  return FPM;
}

/// Whether loops may be looked at one by one.
static bool hasFewLoops(const Function &F) {
  constexpr size_t MaxLoops = 4096;
  if (F.size() <= MaxLoops)
    return true;
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> Backedges;
  FindFunctionBackedges(F, Backedges);
  return Backedges.size() <= MaxLoops;
}

/// All that -O1 does behind the first cleaning up, since it inlines nothing
/// more: another round of the other passes takes time and finds little.
static FunctionPassManager hoist(unsigned OptLevel) {
  FunctionPassManager FPM, Loops = hoistInvariants();
  Loops.addPass(loops::UnrollCountedLoopsPass(OptLevel)); // for its remarks
  FPM.addPass(PassesWhere(hasFewLoops, std::move(Loops)));
  FPM.addPass(ADCEPass());
  return FPM;
}

/// Whether loads of F are moved by rule. What a profile or a document asks for
/// was done in the beginning.
static bool isPlanned(const Function &F) {
  return F.hasFnAttribute(loops::PlannedAttribute);
}

/// Whether threads of F reduce words of memory, and nothing says how.
static bool isAggregated(const Function &F) {
  return tuning::knobOf(F, tuning::Knob::AggregateAtomics) == 0 &&
         any_of(instructions(F), [](const Instruction &I) {
           return isa<AtomicRMWInst>(I) && I.use_empty();
         });
}

static bool isOptimizedMuch(const Function &F) {
  return frugalityOf(F) < Frugality::Passes;
}
static bool isOptimizedLittle(const Function &F) { return !isOptimizedMuch(F); }

static bool mayTakeRegisters(const Function &F) {
  return frugalityOf(F) < Frugality::Motion;
}
static bool runsOutOfRegisters(const Function &F) {
  return frugalityOf(F) >= Frugality::Order;
}
static bool mayReduceStrength(const Function &F) {
  return mayTakeRegisters(F) && hasFewLoops(F);
}

/// What is computed in loops takes fewer registers.
static FunctionPassManager sinkInvariants() {
  FunctionPassManager FPM;
  FPM.addPass(SinkInvariantsPass());
  FPM.addPass(EarlyCSEPass());
  return FPM;
}

namespace {

/// Values of loops in steps: what multiplied adds, and takes a register. Where
/// threads share the turns of an inner loop, going on by how many threads there
/// are, each takes few turns, and the steps would have to be computed anew for
/// each turn of the outer loop.
struct ReduceStrength : PassInfoMixin<ReduceStrength> {
  PreservedAnalyses run(Loop &L, LoopAnalysisManager &AM,
                        LoopStandardAnalysisResults &AR, LPMUpdater &Updater) {
    if (L.getParentLoop() && isShared(L, AR.SE))
      return PreservedAnalyses::all();
    return LoopStrengthReducePass().run(L, AM, AR, Updater);
  }

private:
  /// Whether all that is counted goes by values of the program.
  static bool isShared(const Loop &L, ScalarEvolution &SE) {
    bool Any = false;
    for (PHINode &Phi : L.getHeader()->phis()) {
      if (!SE.isSCEVable(Phi.getType()))
        continue;
      const auto *Steps = dyn_cast<SCEVAddRecExpr>(SE.getSCEV(&Phi));
      if (!Steps || Steps->getLoop() != &L)
        continue;
      if (isa<SCEVConstant>(Steps->getStepRecurrence(SE)))
        return false;
      Any = true;
    }
    return Any;
  }
};

} // namespace

static FunctionPassManager reduceStrength() {
  LoopPassManager LPM;
  LPM.addPass(CanonicalizeFreezeInLoopsPass());
  LPM.addPass(ReduceStrength());
  FunctionPassManager FPM;
  FPM.addPass(createFunctionToLoopPassAdaptor(std::move(LPM)));
  return FPM;
}

/// Loops whose turns have no effect go.
static FunctionPassManager closeLoops() {
  LoopPassManager Closed;
  Closed.addPass(CloseLoopsPass());
  Closed.addPass(FlatLoopPass(LoopDeletionPass()));
  FunctionPassManager FPM;
  FPM.addPass(createFunctionToLoopPassAdaptor(std::move(Closed)));
  return FPM;
}

static FunctionPassManager separately(FunctionPassManager Passes) {
  FunctionPassManager FPM;
  FPM.addPass(WithSeparateLoops(std::move(Passes)));
  return FPM;
}

namespace {

/// GVN, which moves loads to where they are partly known already. In loops that
/// are deep inside of others it would do that from loop to loop, each time with
/// a search of all that are around.
struct RemoveRedundancies : PassInfoMixin<RemoveRedundancies> {
  PreservedAnalyses run(Function &F, FunctionAnalysisManager &AM) {
    bool IsDeep =
        any_of(AM.getResult<LoopAnalysis>(F),
               [](const Loop *Outermost) { return isInDeepNest(*Outermost); });
    GVNOptions Options;
    if (IsDeep)
      Options.setLoadPRE(false);
    // For each block it asks in how many others a value is computed.
    constexpr size_t MaxBlocks = 4096;
    if (F.size() > MaxBlocks)
      Options.setPRE(false);
    return GVNPass(Options).run(F, AM);
  }
};

} // namespace

/// What pays after inlining, from -O2 on.
static FunctionPassManager scalarOptimizations(unsigned OptLevel) {
  FunctionPassManager FPM;
  FPM.addPass(SROAPass(SROAOptions::ModifyCFG));
  FPM.addPass(HideNullsPass());
  FPM.addPass(InferAddressSpacesPass());
  FPM.addPass(EarlyCSEPass(/*UseMemorySSA=*/true));
  FPM.addPass(CombineInstructionsPass());
  FPM.addPass(PassesWhere(hasFewLoops, hoistInvariants()));
  FunctionPassManager Counted;
  Counted.addPass(loops::LimitUnrollingPass());
  Counted.addPass(loops::UnrollCountedLoopsPass(OptLevel));
  // What was decided, by that or a tuning document, no more.
  Counted.addPass(
      LoopUnrollPass(LoopUnrollOptions(OptLevel, /*OnlyWhenForced=*/true)));
  FPM.addPass(PassesWhere(hasFewLoops, separately(std::move(Counted))));
  if (OptLevel >= 3) {
    // GVN would keep it up to date for nobody, in the square of how many loops
    // are inside of each other.
    FPM.addPass(InvalidateAnalysisPass<MemorySSAAnalysis>());
    FPM.addPass(RemoveRedundancies());
  }
  FPM.addPass(CombineInstructionsPass());
  FPM.addPass(SimplifyCFGPass());
  FPM.addPass(ADCEPass());
  FunctionPassManager Late;
  Late.addPass(PassesWhere(hasFewLoops, closeLoops()));
  if (OptLevel >= 3) {
    FunctionPassManager Aggregated;
    Aggregated.addPass(tuning::AggregateAtomicsPass(/*ByRule=*/true));
    Late.addPass(PassesWhere(isAggregated, std::move(Aggregated)));
  }
  if (OptLevel >= 3)
    Late.addPass(PassesWhere(isPlanned, earlyLoads()));
  Late.addPass(InferAlignmentPass());
  Late.addPass(VectorizeAccessesPass());
  Late.addPass(PassesWhere(mayReduceStrength, reduceStrength()));
  FPM.addPass(WithSeparateLoops(std::move(Late)));
  FPM.addPass(profile::EarlyArgumentsPass());
  return FPM;
}

/// Aligns the shared variables that the module places itself, and the constants
/// that it defines, so that accesses to neighbouring words of them can be
/// joined.
static void alignVariables(Module &M) {
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

/// Marks the functions of which nobody knows more than the compiler.
static void planByRule(Module &M) {
  for (Function &F : M)
    if (!F.isDeclaration() && !F.hasProfileData() && mayTakeRegisters(F) &&
        loops::planOf(F).isEmpty())
      F.addFnAttr(loops::PlannedAttribute);
}

void runPasses(Module &M, ModulePassManager MPM, TargetMachine *TM,
               CompileControl &Control) {
  PassInstrumentationCallbacks Callbacks;
  Callbacks.registerShouldRunOptionalPassCallback(
      [&](StringRef, const Any &) { return !Control.shouldStop(); });
  heddle::runPasses(M, std::move(MPM),
                    {TM, &Callbacks, registerTargetAnalyses});
}

/// Whether all callers of F are known, so that it matters to them what F does.
static bool isOwnFunction(const Function &F) {
  return F.hasLocalLinkage() && !F.isDeclaration();
}

void optimize(Module &M, TargetMachine &TM, const Settings &S,
              CompileControl &Control) {
  ModulePassManager MPM;
  // The device library's short functions must be inlined at every level: what
  // they consist of are instructions.
  MPM.addPass(AlwaysInlinerPass(/*InsertLifetime=*/false));
  if (S.OptLevel >= 2)
    alignVariables(M);
  if (S.OptLevel >= 3)
    planByRule(M);
  if (S.OptLevel >= 1) {
    MPM.addPass(createModuleToFunctionPassAdaptor(cleanUp()));
    if (S.OptLevel >= 2)
      MPM.addPass(LimitedInlinerPass(getInlineParams(InlineThreshold)));
    if (any_of(M, isOwnFunction))
      MPM.addPass(createModuleToPostOrderCGSCCPassAdaptor(
          PostOrderFunctionAttrsPass()));
    if (S.OptLevel == 1) {
      MPM.addPass(createModuleToFunctionPassAdaptor(hoist(S.OptLevel)));
    } else {
      MPM.addPass(createModuleToFunctionPassAdaptor(
          PassesWhere(isOptimizedMuch, scalarOptimizations(S.OptLevel))));
      if (any_of(M, isOptimizedLittle))
        MPM.addPass(createModuleToFunctionPassAdaptor(
            PassesWhere(isOptimizedLittle, hoist(S.OptLevel))));
    }
  }
  if (any_of(M, runsOutOfRegisters))
    MPM.addPass(createModuleToFunctionPassAdaptor(
        PassesWhere(runsOutOfRegisters, sinkInvariants())));
  MPM.addPass(GlobalDCEPass());
  runPasses(M, std::move(MPM), &TM, Control);
}

void inlineLibrary(Module &M, TargetMachine &TM, CompileControl &Control) {
  ModulePassManager MPM;
  MPM.addPass(AlwaysInlinerPass(/*InsertLifetime=*/false));
  MPM.addPass(GlobalDCEPass());
  runPasses(M, std::move(MPM), &TM, Control);
}

void dropUnreachable(Module &M, CompileControl &Control) {
  ModulePassManager MPM;
  MPM.addPass(GlobalDCEPass());
  runPasses(M, std::move(MPM), nullptr, Control);
}

void embedBitcode(Module &M, TargetMachine &TM, const Settings &S,
                  CompileControl &Control) {
  std::unique_ptr<Module> Copy = CloneModule(M);
  if (S.Remarks && !S.hasLinesInOutput())
    StripDebugInfo(*Copy);
  if (S.OptLevel >= 1) {
    ModulePassManager MPM;
    MPM.addPass(createModuleToFunctionPassAdaptor(cleanUp()));
    MPM.addPass(GlobalDCEPass());
    runPasses(*Copy, std::move(MPM), &TM, Control);
  }
  SmallVector<char, 0> Bitcode;
  writeWithSummary(*Copy, Bitcode);
  auto Embed = [&](StringRef Bytes, StringRef Section) {
    embedBufferInModule(M, MemoryBufferRef(Bytes, ""), Section);
  };
  StringRef Bytes(Bitcode.data(), Bitcode.size());
  char Hash[sizeof(uint64_t)];
  support::endian::write64le(Hash, xxh3_64bits(Bytes));
  Embed(Bytes, BitcodeSectionName);
  Embed(StringRef(Hash, sizeof(Hash)), BitcodeHashSectionName);
}

} // namespace heddle::compiler
