//===- HeddleTargetMachine.cpp - The target machine ------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The target for one chip, with its pipeline of passes.
//
//===----------------------------------------------------------------------===//

#include "HeddleTargetMachine.h"
#include "HeddleAliasAnalysis.h"
#include "HeddleMachineFunctionInfo.h"
#include "HeddleTargetObjectFile.h"
#include "HeddleTargetTransformInfo.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "Passes/Blocks/HeddleKeptAssignments.h"
#include "Passes/HeddleFewestRegisters.h"
#include "Passes/HeddlePasses.h"
#include "Passes/HeddleScheduleLoads.h"
#include "heddle/IR/LoopPlan.h"
#include "heddle/Target/HeddleTarget.h"
#include "heddle/Target/RegisterPlan.h"
#include "heddle/Target/TargetAnalyses.h"
#include "heddle/Tuning/Knobs.h"
#include "llvm/Analysis/BasicAliasAnalysis.h"
#include "llvm/Analysis/ScopedNoAliasAA.h"
#include "llvm/Analysis/TypeBasedAliasAnalysis.h"
#include "llvm/CodeGen/MIRParser/MIParser.h"
#include "llvm/CodeGen/MachineScheduler.h"
#include "llvm/CodeGen/Passes.h"
#include "llvm/CodeGen/PseudoSourceValue.h"
#include "llvm/CodeGen/RegAllocCommon.h"
#include "llvm/CodeGen/TargetLoweringObjectFileImpl.h"
#include "llvm/CodeGen/TargetPassConfig.h"
#include "llvm/InitializePasses.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/PassRegistry.h"
#include "llvm/Transforms/Scalar.h"
#include "llvm/Transforms/Utils.h"
#include <mutex>

using namespace llvm;

static StringRef chipName(StringRef CPU) { return CPU.empty() ? "hd100" : CPU; }

static TargetOptions adjustOptions(TargetOptions Options) {
  // Kernels and functions are linked and loaded one by one.
  Options.FunctionSections = true;
  // Control must not run on into the next function.
  Options.TrapUnreachable = true;
  Options.NoTrapAfterNoreturn = true;
  return Options;
}

HeddleTargetMachine::HeddleTargetMachine(const Target &T, const Triple &TT,
                                         StringRef CPU, StringRef FS,
                                         const TargetOptions &Options,
                                         std::optional<Reloc::Model> RM,
                                         std::optional<CodeModel::Model> CM,
                                         CodeGenOptLevel OL, bool)
    : CodeGenTargetMachineImpl(T, heddle::TargetDataLayout, TT, chipName(CPU),
                               FS, adjustOptions(Options), Reloc::Static,
                               CM.value_or(CodeModel::Large), OL),
      TLOF(std::make_unique<HeddleTargetObjectFile>()),
      Subtarget(TT, chipName(CPU), FS, *this, /*AllocatesFromEnd=*/false) {
  initAsmInfo();
}

HeddleTargetMachine::~HeddleTargetMachine() = default;

const HeddleSubtarget *
HeddleTargetMachine::getSubtargetImpl(const Function &F) const {
  if (Plans.of(F).Level < heddle::RegisterPressureLevel::FromStart)
    return &Subtarget;
  if (!AllocatesFromEnd)
    AllocatesFromEnd = std::make_unique<HeddleSubtarget>(
        getTargetTriple(), getTargetCPU(), getTargetFeatureString(), *this,
        /*AllocatesFromEnd=*/true);
  return AllocatesFromEnd.get();
}

TargetTransformInfo
HeddleTargetMachine::getTargetTransformInfo(const Function &F) const {
  return TargetTransformInfo(std::make_unique<HeddleTTIImpl>(this, F));
}

AnalysisKey heddle::RegisterPlanAnalysis::Key;

void heddle::registerTargetAnalyses(FunctionAnalysisManager &FAM,
                                    const RegisterPlans *Plans) {
  FAM.registerPass([] { return HeddleAA(); });
  FAM.registerPass([=] { return RegisterPlanAnalysis(Plans); });
}

void heddle::setRegisterPlans(TargetMachine &TM, RegisterPlans Plans) {
  static_cast<HeddleTargetMachine &>(TM).setRegisterPlans(std::move(Plans));
}

heddle::RegisterUses heddle::takeRegisterUses(TargetMachine &TM) {
  return static_cast<HeddleTargetMachine &>(TM).takeRegisterUses();
}

void HeddleTargetMachine::registerEarlyDefaultAliasAnalyses(AAManager &AAM) {
  AAM.registerFunctionAnalysis<HeddleAA>();
}

/// The scheduler that \p Create makes with the decisions on a function's order;
/// null if LLVM's own scheduler serves.
template <typename CreateT>
static ScheduleDAGInstrs *createScheduler(MachineSchedContext *C,
                                          CreateT Create) {
  using namespace heddle;
  const Function &F = C->MF->getFunction();
  bool Early = heddle::ir::wantsEarlyLoads(F);
  auto Latency =
      static_cast<unsigned>(tuning::knobOf(F, tuning::Knob::LoadLatency));
  if (Latency == 0 &&
      C->MF->getInfo<HeddleMachineFunctionInfo>()->Registers.HidesMemory)
    Latency = C->MF->getSubtarget<HeddleSubtarget>().getChip().DRAMLatency;
  auto Seed =
      static_cast<unsigned>(tuning::knobOf(F, tuning::Knob::ScheduleSeed));
  if (!Early && Latency == 0 && Seed == 0)
    return nullptr;
  auto *DAG = Create(C);
  if (Latency != 0)
    DAG->addMutation(createHeddleLoadLatency(Latency));
  if (Early)
    DAG->addMutation(createHeddleEarlyLoads());
  if (Seed != 0)
    DAG->addMutation(createHeddleOtherOrder(Seed));
  return DAG;
}

ScheduleDAGInstrs *
HeddleTargetMachine::createMachineScheduler(MachineSchedContext *C) const {
  if (C->MF->getInfo<HeddleMachineFunctionInfo>()->Registers.Level >=
      heddle::RegisterPressureLevel::Order)
    return new ScheduleDAGMILive(C, createHeddleFewestRegisters());
  return createScheduler(
      C, [](MachineSchedContext *Context) { return createSchedLive(Context); });
}

ScheduleDAGInstrs *
HeddleTargetMachine::createPostMachineScheduler(MachineSchedContext *C) const {
  auto Create = [](MachineSchedContext *Context) {
    auto *DAG = createSchedPostRA(Context);
    DAG->addMutation(createHeddleLoadsBeforeWaits());
    return DAG;
  };
  auto *Decided = createScheduler(C, Create);
  return Decided ? Decided : Create(C);
}

MachineFunctionInfo *HeddleTargetMachine::createMachineFunctionInfo(
    BumpPtrAllocator &Allocator, const Function &F,
    const TargetSubtargetInfo *STI) const {
  auto *Info = HeddleMachineFunctionInfo::create<HeddleMachineFunctionInfo>(
      Allocator, F, STI);
  Info->Registers = Plans.of(F);
  return Info;
}

void yaml::HeddleMachineFunctionInfo::mappingImpl(IO &Input) {
  Input.mapOptional("pressureLevel", PressureLevel);
  Input.mapOptional("registerLimit", RegisterLimit);
  Input.mapOptional("spreadsRegisters", SpreadsRegisters);
  Input.mapOptional("balancesPipes", BalancesPipes);
  Input.mapOptional("hidesMemory", HidesMemory);
  Input.mapOptional("hasStackPointer", HasStackPointer, true);
}

yaml::MachineFunctionInfo *
HeddleTargetMachine::createDefaultFuncInfoYAML() const {
  return new yaml::HeddleMachineFunctionInfo(Plans.ofOthers());
}

yaml::MachineFunctionInfo *
HeddleTargetMachine::convertFuncInfoToYAML(const MachineFunction &MF) const {
  const auto &Info = *MF.getInfo<HeddleMachineFunctionInfo>();
  return new yaml::HeddleMachineFunctionInfo(Info.Registers,
                                             Info.HasStackPointer);
}

bool HeddleTargetMachine::parseMachineFunctionInfo(
    const yaml::MachineFunctionInfo &Info, PerFunctionMIParsingState &State,
    SMDiagnostic &Error, SMRange &Place) const {
  using heddle::RegisterPressureLevel;
  const auto &Text = static_cast<const yaml::HeddleMachineFunctionInfo &>(Info);
  auto Level = static_cast<RegisterPressureLevel>(Text.PressureLevel.Value);
  auto &Decided = *State.MF.getInfo<HeddleMachineFunctionInfo>();
  heddle::RegisterPlan &Plan = Decided.Registers;
  // A function has its subtarget already, which knows from which end registers
  // are given to values.
  if (Level >= RegisterPressureLevel::FromStart && Level != Plan.Level) {
    Place = Text.PressureLevel.SourceRange;
    Error = SMDiagnostic(
        *State.SM, SMLoc(), "", /*Line=*/0, /*Col=*/0, SourceMgr::DK_Error,
        "pressureLevel is above what machine code can state", "", {});
    return true;
  }
  Plan.Level = Level;
  Plan.Limit = Text.RegisterLimit;
  Plan.SpreadsRegisters = Text.SpreadsRegisters;
  Plan.BalancesPipes = Text.BalancesPipes;
  Plan.HidesMemory = Text.HidesMemory;
  Decided.HasStackPointer = Text.HasStackPointer;
  return false;
}

unsigned
HeddleTargetMachine::getAddressSpaceForPseudoSourceKind(unsigned Kind) const {
  constexpr unsigned Generic = 0, Local = 5;
  return Kind == PseudoSourceValue::Stack ||
                 Kind == PseudoSourceValue::FixedStack
             ? Local
             : Generic;
}

//===----------------------------------------------------------------------===//
// The pipeline
//===----------------------------------------------------------------------===//

namespace {

class HeddlePassConfig : public TargetPassConfig {
public:
  HeddlePassConfig(HeddleTargetMachine &TM, PassManagerBase &PM)
      : TargetPassConfig(TM, PM) {
    // Merged tails would mix threads that meet at different barriers.
    setEnableTailMerge(false);
    // Devices have no garbage collection, patching or tracing at entries, and
    // no exceptions; a pass that finds that out again costs time all the same.
    for (AnalysisID ID :
         {&FEntryInserterID, &FixupStatepointCallerSavedID, &FuncletLayoutID,
          &GCMachineCodeAnalysisID, &PatchableFunctionID, &StackMapLivenessID,
          &XRayInstrumentationID})
      disablePass(ID);
    // A copied tail would part threads that access memory together
    // (docs/threads.md). Barriers are set behind this pass.
    disablePass(&EarlyTailDuplicateLegacyID);
    // Passes that take a tenth of the time of -O1 and make optimised PTX no
    // faster (docs/compile-time.md).
    if (getOptLevel() == CodeGenOptLevel::Less)
      for (AnalysisID ID :
           {&EarlyMachineLICMID, &MachineCopyPropagationID, &MachineCSELegacyID,
            &MachineLateInstrsCleanupID, &MachineLICMID,
            &MachineSinkingLegacyID, &OptimizePHIsLegacyID,
            &PeepholeOptimizerLegacyID, &PostRAMachineSinkingID, &ShrinkWrapID,
            &StackSlotColoringID, &TailDuplicateLegacyID})
        disablePass(ID);
    if (getOptLevel() >= CodeGenOptLevel::Default)
      substitutePass(&PostRASchedulerID, &PostMachineSchedulerID);
    if (getOptLevel() != CodeGenOptLevel::None) {
      insertPass(&RenameIndependentSubregsID, &HeddleDebugValuesID);
      insertPass(&MachineSchedulerID, &HeddleDebugValuesID);
    }
  }

  HeddleTargetMachine &getHeddleTM() const {
    return getTM<HeddleTargetMachine>();
  }

  void addIRPasses() override;
  // No callbr, and no stacks that anyone could smash.
  void addISelPrepare() override {
    addPass(createHeddleSplitBlocksPass());
    if (getOptLevel() != CodeGenOptLevel::None)
      addPass(createHeddleHideBitsPass());
  }

  bool addInstSelector() override {
    addPass(createHeddleISelDag(getHeddleTM(), getOptLevel()));
    return false;
  }
  void addPreRegAlloc() override {
    if (getOptLevel() != CodeGenOptLevel::None)
      addPass(createHeddleGridThreadsPass());
    addPass(createHeddleFoldImmediatesPass());
    if (getOptLevel() != CodeGenOptLevel::None)
      addPass(createHeddleFoldAddressesPass());
    addPass(createHeddleConvergencePass());
    if (getOptLevel() != CodeGenOptLevel::None) {
      addPass(createHeddleUniformPathPass());
      addPass(createHeddlePairOperationsPass());
      addPass(createHeddleGuardSelectionsPass());
      addPass(createHeddlePhiConstantsPass());
      addPass(createHeddlePhiMovesPass());
    }
    if (getOptLevel() >= CodeGenOptLevel::Default)
      addPass(createHeddleRecomputePredicatesPass());
    if (getOptLevel() != CodeGenOptLevel::None)
      addPass(createHeddleJoinParametersPass());
    addPass(createHeddleSchedulingLimitsPass(/*Undo=*/false));
  }
  void addPostRegAlloc() override {
    if (getOptLevel() != CodeGenOptLevel::None)
      addPass(createHeddleSharedSpillsPass());
  }
  void addPreSched2() override {
    if (getOptLevel() != CodeGenOptLevel::None) {
      addPass(createHeddleHoistCommonPass());
      addPass(createHeddlePairMovesPass());
      addPass(createHeddleIfConversionPass());
      addPass(createHeddleCompactRegistersPass());
      addPass(createHeddleBalancePipesPass());
    }
    addPass(createHeddleSchedulingLimitsPass(/*Undo=*/false));
    if (getOptLevel() != CodeGenOptLevel::None)
      addPass(createHeddleDebugValuesPass());
  }
  void addBlockPlacement() override {
    addPass(createHeddleDebugValuesPass());
    addPass(createHeddleWarpPlacementPass(/*Undo=*/false));
    addPass(createHeddlePlacementLimitsPass(/*Undo=*/false));
    TargetPassConfig::addBlockPlacement();
    addPass(createHeddlePlacementLimitsPass(/*Undo=*/true));
    addPass(createHeddleWarpPlacementPass(/*Undo=*/true));
  }
  bool addRegAssignAndRewriteFast() override;
  bool addRegAssignAndRewriteOptimized() override;
  void addPreEmitPass2() override {
    addPass(createHeddleSchedulingLimitsPass(/*Undo=*/true));
    if (getOptLevel() != CodeGenOptLevel::None)
      addPass(createHeddleTunedOrderPass());
    addPass(createHeddleBarrierTargetsPass());
    addPass(createHeddleHazardsPass());
  }
};

} // namespace

// As in the base class, without the passes that a device has no use for:
// garbage collection, memcmp, libraries of vector functions, instrumented
// entries. Setting up a pass takes longer than running it over a short kernel.
void HeddlePassConfig::addIRPasses() {
  bool Optimizes = getOptLevel() != CodeGenOptLevel::None;
  bool OptimizesMuch = getOptLevel() >= CodeGenOptLevel::Default;
  addPass(createHeddleSharedLayoutPass());
  addPass(createHeddleCallerLimitsPass());
  if (Optimizes)
    addPass(createHeddleCallerOrderPass());
  addPass(createAtomicExpandLegacyPass());
  if (Optimizes) {
    addPass(createTypeBasedAAWrapperPass());
    addPass(createScopedNoAliasAAWrapperPass());
    addPass(createBasicAAWrapperPass());
  }
  if (OptimizesMuch)
    addPass(createHeddleDivisionsPass());
  addPass(createUnreachableBlockEliminationPass());
  if (OptimizesMuch)
    addPass(createConstantHoistingPass());
  addPass(createScalarizeMaskedMemIntrinLegacyPass());
  addPass(createExpandReductionsPass());
}

// Register classes without loads from memory are allocated first: their spilled
// values are kept in registers of a class that is allocated later.
static bool isOfClass(const MachineRegisterInfo &MRI, Register R,
                      ArrayRef<const TargetRegisterClass *> Classes) {
  const TargetRegisterClass *RC = MRI.getRegClass(R);
  return any_of(Classes, [&](const TargetRegisterClass *C) {
    return C->hasSubClassEq(RC);
  });
}
static bool isUniformPredicate(const TargetRegisterInfo &,
                               const MachineRegisterInfo &MRI, Register R) {
  return isOfClass(MRI, R, {&Heddle::UPRRegClass});
}
static bool isNotGeneral(const TargetRegisterInfo &,
                         const MachineRegisterInfo &MRI, Register R) {
  return isOfClass(MRI, R,
                   {&Heddle::PRRegClass, &Heddle::UPRRegClass,
                    &Heddle::BRRegClass, &Heddle::UGPR32RegClass,
                    &Heddle::UGPR64RegClass, &Heddle::UGPR128RegClass});
}

bool HeddlePassConfig::addRegAssignAndRewriteFast() {
  // Without optimisation nothing is on the uniform path.
  addPass(createFastRegisterAllocator(isNotGeneral, false));
  addPass(createHeddlePredicateSpillsPass());
  addPass(createFastRegisterAllocator());
  return true;
}

bool HeddlePassConfig::addRegAssignAndRewriteOptimized() {
  addPass(createHeddleEvictionAnalysis());
  auto Kept = std::make_shared<KeptAssignments>();
  for (auto Filter : {isUniformPredicate, isNotGeneral}) {
    addPass(createGreedyRegisterAllocator(Filter));
    addPass(createHeddleKeepAssignmentsPass(Kept));
    addPass(createVirtRegRewriter(/*ClearVirtRegs=*/false));
    addPass(createHeddlePredicateSpillsPass());
  }
  addPass(createHeddleProfiledRegisterLimitPass());
  addPass(createHeddleRecomputeValuesPass());
  addPass(createGreedyRegisterAllocator());
  addPass(createHeddleReturnAssignmentsPass(Kept));
  addPreRewrite();
  addPass(&VirtRegRewriterID);
  return true;
}

TargetPassConfig *HeddleTargetMachine::createPassConfig(PassManagerBase &PM) {
  return new HeddlePassConfig(*this, PM);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

namespace llvm {
/// In HeddleAsmPrinter.cpp.
void registerHeddleAsmPrinter(Target &T);
} // namespace llvm

static void registerTarget() {
  heddle::initializeHeddleMC();
  Target &T = heddle::getTheHeddleTarget();
  RegisterTargetMachine<HeddleTargetMachine> X(T);
  registerHeddleAsmPrinter(T);
  PassRegistry &PR = *PassRegistry::getPassRegistry();
  initializeCodeGen(PR);
#define HEDDLE_CODEGEN_PASS(Over, Name, Class, Summary)                        \
  initializeHeddle##Class##Pass(PR);
// LLVM has registered it.
#define HEDDLE_CODEGEN_REPLACED_ANALYSIS(Name, Class, Summary)
#include "heddle/Target/CodeGenPasses.def"
}

void heddle::initializeHeddleTarget() {
  static std::once_flag Once;
  std::call_once(Once, registerTarget);
}
