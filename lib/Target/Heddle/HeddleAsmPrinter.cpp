//===- HeddleAsmPrinter.cpp - From machine code to MC ----------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits functions, variables and metadata through the MC layer.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleMCInstLower.h"
#include "HeddleMachineFunctionInfo.h"
#include "HeddleOccupancy.h"
#include "HeddleProbes.h"
#include "HeddleResourceUsage.h"
#include "HeddleSubtarget.h"
#include "HeddleTargetMachine.h"
#include "HeddleWarpTime.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "MCTargetDesc/HeddleTargetStreamer.h"
#include "Passes/HeddlePasses.h"
#include "heddle/IR/Kernels.h"
#include "heddle/IR/ProfileMetadata.h"
#include "heddle/ISA/Effects.h"
#include "heddle/ISA/ISA.h"
#include "heddle/Support/AddressSpace.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Support/Version.h"
#include "heddle/Target/RegisterPlan.h"
#include "heddle/Target/Relocatable.h"
#include "heddle/Tuning/Knobs.h"
#include "llvm/CodeGen/AsmPrinter.h"
#include "llvm/CodeGen/LazyMachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineJumpTableInfo.h"
#include "llvm/CodeGen/MachineOptimizationRemarkEmitter.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstBuilder.h"
#include "llvm/MC/MCStreamer.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace {

class HeddleAsmPrinter : public AsmPrinter {
public:
  static char ID;
  HeddleAsmPrinter(TargetMachine &TM, std::unique_ptr<MCStreamer> Streamer)
      : AsmPrinter(TM, std::move(Streamer), ID) {}

  StringRef getPassName() const override { return "Heddle assembly printer"; }

  void emitInstruction(const MachineInstr *MI) override {
    if (MI->getOpcode() == Heddle::PROBE)
      return Probes.add(*MI);
    if (MI->getOpcode() == Heddle::GENERATED)
      return emitGenerated(*MI);
    Probes.placeBefore(*MI, *this);
    ++Emitted;
    if (MI->getOpcode() == Heddle::BRX_TABLE)
      return emitTableBranch(*MI);
    MCInst Inst;
    lowerHeddleMachineInstr(*MI, Inst, *this);
    Inst.setFlags(Flags);
    EmitToStreamer(*OutStreamer, Inst);
  }

  void emitFunctionBodyStart() override {
    using namespace heddle::tuning;
    Flags = knobOf(MF->getFunction(), Knob::Compact) ? 0 : Heddle::FullForm;
    if (const auto &Code = MF->getInfo<HeddleMachineFunctionInfo>()->Generated)
      Labels.assign(Code->NumLabels, nullptr);
  }
  void emitBasicBlockEnd(const MachineBasicBlock &MBB) override {
    if (Probes.areWaiting())
      emitProbedNop();
    AsmPrinter::emitBasicBlockEnd(MBB);
    EmittedOf.push_back({&MBB, std::exchange(Emitted, 0)});
  }
  void emitFunctionBodyEnd() override {
    Probes.finish(*this);
    Usage.add(*MF);
    Usage.report(*MF, *ORE);
    noteRegisterUse();
    if (MF->getFunction().hasProfileData() &&
        ORE->allowExtraAnalysis(BlockCountsName))
      reportCounts();
    EmittedOf.clear();
  }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.addRequired<LazyMachineBlockFrequencyInfoPass>();
    AsmPrinter::getAnalysisUsage(AU);
  }

  void emitEndOfAsmFile(Module &M) override;
  const MCExpr *lowerConstant(const Constant *CV, const Constant *BaseCV,
                              uint64_t Offset) override;

private:
  static constexpr char BlockCountsName[] = "heddle-block-counts";

  void noteRegisterUse();
  bool isOccupancyWanted() const;
  std::optional<heddle::Occupancy> occupancy();
  std::optional<uint64_t> launchCycles();
  void reportOccupancy(const heddle::Occupancy &Before,
                       const heddle::Occupancy &Now);
  void emitTableBranch(const MachineInstr &MI);
  void emitGenerated(const MachineInstr &MI);
  void emitProbedNop();
  void reportCounts();

  HeddleProbes Probes;
  HeddleResourceUsage Usage;
  unsigned Flags = 0;             ///< of the function's instructions
  unsigned Emitted = 0;           ///< Instructions of this block so far.
  std::vector<MCSymbol *> Labels; ///< of code generated in one pass
  /// Of the blocks, in their order.
  SmallVector<std::pair<const MachineBasicBlock *, unsigned>, 16> EmittedOf;
};

/// An address in .const as an integer is the symbol's value, and as a generic
/// address that in its window.
const MCExpr *HeddleAsmPrinter::lowerConstant(const Constant *CV,
                                              const Constant *BaseCV,
                                              uint64_t Offset) {
  const auto *Expr = dyn_cast<ConstantExpr>(CV);
  bool IsCast = Expr && (Expr->getOpcode() == Instruction::AddrSpaceCast ||
                         Expr->getOpcode() == Instruction::PtrToInt);
  if (!IsCast || Expr->getOperand(0)->getType()->getPointerAddressSpace() !=
                     heddle::addrspace::Const)
    return AsmPrinter::lowerConstant(CV, BaseCV, Offset);
  const MCExpr *Address =
      AsmPrinter::lowerConstant(Expr->getOperand(0), BaseCV, Offset);
  if (Expr->getOpcode() == Instruction::PtrToInt)
    return Address;
  auto Window = int64_t(heddle::isa::abi::ConstWindow) << 32;
  return MCBinaryExpr::createAdd(
      Address, MCConstantExpr::create(Window, OutContext), OutContext);
}

/// How many threads come to each block, as far as the profile has come.
void HeddleAsmPrinter::reportCounts() {
  MachineBlockFrequencyInfo &Frequencies =
      getAnalysis<LazyMachineBlockFrequencyInfoPass>().getBFI();
  for (auto [MBB, Instructions] : EmittedOf)
    ORE->emit([&, MBB = MBB, Instructions = Instructions] {
      using Argument = DiagnosticInfoOptimizationBase::Argument;
      return MachineOptimizationRemarkAnalysis(BlockCountsName, "BlockCount",
                                               DebugLoc(), MBB)
             << Argument("Instructions", Instructions)
             << " instructions are executed by "
             << Argument("Threads",
                         Frequencies.getBlockProfileCount(MBB).value_or(0))
             << " threads, by the profile";
    });
}

/// Neither callees nor dynamic shared memory are known here.
/// HeddleProfiledRegisterLimit.cpp uses the launches of a profile.
bool HeddleAsmPrinter::isOccupancyWanted() const {
  const Function &F = MF->getFunction();
  return TM.getOptLevel() == CodeGenOptLevel::Aggressive &&
         heddle::ir::isKernel(F) && !F.hasProfileData() &&
         !F.hasFnAttribute(heddle::attr::DynamicShared) &&
         !MF->getFrameInfo().hasCalls();
}

/// None where there is no more to be gained.
std::optional<heddle::Occupancy> HeddleAsmPrinter::occupancy() {
  const Function &F = MF->getFunction();
  const heddle::isa::ChipInfo &Chip =
      MF->getSubtarget<HeddleSubtarget>().getChip();
  const heddle::RegisterPlan &Plan =
      MF->getInfo<HeddleMachineFunctionInfo>()->Registers;
  heddle::Occupancy O;
  O.Registers = Usage.registers(F);
  O.Warps = getWarpsPerCore(Chip, F, O.Registers);
  O.NextRegisters = getNextRegisters(Chip, F, O.Registers);
  if (!O.NextRegisters && !Plan.Limit)
    return std::nullopt;
  if (O.NextRegisters)
    O.NextLimit = O.NextRegisters +
                  !MF->getInfo<HeddleMachineFunctionInfo>()->HasStackPointer;
  if (Plan.Limit && Plan.Unlimited)
    reportOccupancy(*Plan.Unlimited, O);
  WarpTime Time = estimateWarpTime(
      *MF, getAnalysis<LazyMachineBlockFrequencyInfoPass>().getBFI());
  constexpr double Parts = 1024;
  auto CyclesWith = [&](unsigned Warps) {
    return static_cast<uint64_t>(
        Parts * Time.withWarps(double(Warps) / Chip.SchedulersPerCore));
  };
  O.Cycles = CyclesWith(O.Warps);
  O.NextCycles = O.NextRegisters
                     ? CyclesWith(getWarpsPerCore(Chip, F, O.NextRegisters))
                     : O.Cycles;
  O.Alone = static_cast<uint64_t>(Parts * Time.Unhindered);
  return O;
}

/// What such instructions take depends on which words other threads change.
static bool hasAtomics(const MachineFunction &MF) {
  return any_of(MF, [](const MachineBasicBlock &MBB) {
    return any_of(MBB, [](const MachineInstr &MI) {
      const heddle::isa::InstInfo *Info =
          HeddleInstrInfo::getISAInfo(MI.getOpcode());
      return Info && heddle::isa::isAtomic(*Info);
    });
  });
}

/// None where no profile has launches of the kernel, or it takes more than is
/// known of its code.
std::optional<uint64_t> HeddleAsmPrinter::launchCycles() {
  const Function &F = MF->getFunction();
  std::optional<double> Threads = heddle::ir::threadsOfLaunch(F);
  if (TM.getOptLevel() != CodeGenOptLevel::Aggressive ||
      !heddle::ir::isKernel(F) || !Threads || MF->getFrameInfo().hasCalls() ||
      hasAtomics(*MF))
    return std::nullopt;
  const heddle::isa::ChipInfo &Chip =
      MF->getSubtarget<HeddleSubtarget>().getChip();
  // Of the core that has most: one CTA at least, and as many as fit at most.
  double InCTA = getUsualWarps(F), All = *Threads / WarpThreads,
         OfCore = std::max(All / Chip.Cores, std::min(All, InCTA)),
         Fitting = getWarpsPerCore(Chip, F, Usage.registers(F));
  double Warps = std::min(OfCore, Fitting) / Chip.SchedulersPerCore;
  constexpr double Parts = 1024;
  return static_cast<uint64_t>(
      Parts * estimateLaunchTime(
                  *MF,
                  getAnalysis<LazyMachineBlockFrequencyInfoPass>().getBFI(),
                  std::max(1.0, Warps)));
}

/// Tells the target machine's owner.
void HeddleAsmPrinter::noteRegisterUse() {
  heddle::RegisterUse Use;
  Use.SpillBytes = Usage.spillBytes(MF->getFunction());
  if (!Use.SpillBytes && isOccupancyWanted())
    Use.Occupancy = occupancy();
  Use.LaunchCycles = launchCycles();
  if (Use.SpillBytes || Use.Occupancy || Use.LaunchCycles)
    static_cast<HeddleTargetMachine &>(TM).noteRegisterUse(MF->getFunction(),
                                                           Use);
}

void HeddleAsmPrinter::reportOccupancy(const heddle::Occupancy &Before,
                                       const heddle::Occupancy &Now) {
  ORE->emit([&] {
    using Argument = DiagnosticInfoOptimizationBase::Argument;
    return MachineOptimizationRemark(
               "heddle-registers", "MoreWarps",
               DiagnosticLocation(MF->getFunction().getSubprogram()),
               &MF->front())
           << Argument("Registers", Now.Registers) << " registers in place of "
           << Argument("RegistersBefore", Before.Registers) << ", for "
           << Argument("Warps", Now.Warps) << " warps of a core in place of "
           << Argument("WarpsBefore", Before.Warps);
  });
}

/// Something in a block that has nothing but probes.
void HeddleAsmPrinter::emitProbedNop() {
  Probes.placeHere(*this);
  MCInst Nop = MCInstBuilder(Heddle::NOP)
                   .addReg(Heddle::PT)
                   .addImm(0)
                   .addImm(Heddle::DefaultControl);
  Nop.setFlags(Flags);
  ++Emitted;
  EmitToStreamer(*OutStreamer, Nop);
}

/// The branch and, behind it, its table, whose instructions are always compact.
void HeddleAsmPrinter::emitTableBranch(const MachineInstr &MI) {
  auto OperandOf = [&](Heddle::OpName Name) -> const MachineOperand & {
    return MI.getOperand(Heddle::getNamedOperandIdx(MI.getOpcode(), Name));
  };
  EmitToStreamer(*OutStreamer,
                 MCInstBuilder(Heddle::BRX)
                     .addReg(OperandOf(Heddle::OpName::a).getReg())
                     .addReg(OperandOf(Heddle::OpName::pg).getReg())
                     .addImm(OperandOf(Heddle::OpName::pgn).getImm())
                     .addImm(OperandOf(Heddle::OpName::ctl).getImm()));
  unsigned Table = OperandOf(Heddle::OpName::table).getIndex();
  Emitted += MF->getJumpTableInfo()->getJumpTables()[Table].MBBs.size();
  OutStreamer->emitLabel(getHeddleTableSymbol(*this, Table));
  for (const MachineBasicBlock *Target :
       MF->getJumpTableInfo()->getJumpTables()[Table].MBBs)
    EmitToStreamer(*OutStreamer, MCInstBuilder(Heddle::BRA)
                                     .addExpr(MCSymbolRefExpr::create(
                                         Target->getSymbol(), OutContext))
                                     .addReg(Heddle::PT)
                                     .addImm(0)
                                     .addImm(Heddle::DefaultControl));
}

/// A part of the code that was generated in one pass. In an object, what is
/// between labels and symbols goes to the streamer as bytes.
void HeddleAsmPrinter::emitGenerated(const MachineInstr &MI) {
  const heddle::singlepass::Code &Code =
      *MF->getInfo<HeddleMachineFunctionInfo>()->Generated;
  bool IsText = OutStreamer->hasRawTextSupport();
  SmallString<1024> Bytes;
  auto Flush = [&] {
    if (!Bytes.empty())
      OutStreamer->emitBytes(Bytes);
    Bytes.clear();
  };
  for (const heddle::singlepass::Item &I :
       ArrayRef(Code.Items)
           .slice(MI.getOperand(0).getImm(), MI.getOperand(1).getImm())) {
    if (I.Opcode == 0) {
      Flush();
      OutStreamer->emitLabel(getHeddleLabel(*this, I.First, Labels));
      continue;
    }
    ++Emitted;
    if (!IsText &&
        encodeHeddleGenerated(Code, I, Flags & Heddle::FullForm, Bytes))
      continue;
    Flush();
    MCInst Inst;
    lowerHeddleGenerated(Code, I, Labels, Inst, *this);
    Inst.setFlags(Flags);
    EmitToStreamer(*OutStreamer, Inst);
  }
  Flush();
}

/// A string of a module flag, or nothing.
std::string moduleString(const Module &M, StringRef Flag) {
  const auto *S = dyn_cast_or_null<MDString>(M.getModuleFlag(Flag));
  return S ? S->getString().str() : std::string();
}

/// Variables that other modules may name, and symbols that this module does not
/// define.
std::vector<heddle::SymbolMetadata> linkedSymbols(const Module &M) {
  std::vector<heddle::SymbolMetadata> Symbols;
  auto Add = [&](const GlobalValue &G, Attribute Type) {
    if (Type.isValid())
      Symbols.push_back({G.getName().str(), Type.getValueAsString().str()});
  };
  for (const GlobalVariable &G : M.globals())
    Add(G, G.getAttribute(heddle::attr::LinkType));
  for (const Function &F : M)
    if (F.isDeclaration() && !F.use_empty())
      Add(F, F.getFnAttribute(heddle::attr::LinkType));
  return Symbols;
}

void HeddleAsmPrinter::emitEndOfAsmFile(Module &M) {
  heddle::ModuleMetadata Metadata;
  Metadata.Chip = TM.getTargetCPU().str();
  Metadata.ISAVersion = std::to_string(heddle::isa::abi::Version);
  Metadata.Compiler = "heddle " HEDDLE_VERSION ", LLVM " LLVM_VERSION_STRING;
  Metadata.PTXVersion = moduleString(M, "ptx.version");
  Metadata.PTXTarget = moduleString(M, "ptx.target");
  // The next module starts anew.
  HeddleResourceUsage All = std::exchange(Usage, {});
  Metadata.Kernels = All.kernels();
  if (heddle::isRelocatable(M))
    Metadata.Link = {All.functions(), linkedSymbols(M)};
  if (MCTargetStreamer *Target = OutStreamer->getTargetStreamer())
    static_cast<HeddleTargetStreamer *>(Target)->emitMetadata(Metadata);
}

} // namespace

char HeddleAsmPrinter::ID = 0;
INITIALIZE_PASS(HeddleAsmPrinter, "heddle-asm-printer",
                "Heddle assembly printer", false, false)

namespace llvm {
void registerHeddleAsmPrinter(Target &T) {
  RegisterAsmPrinter<HeddleAsmPrinter> X(T);
}
} // namespace llvm
