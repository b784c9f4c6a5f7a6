//===- HeddleSharedSpills.cpp - Spilled values in shared memory -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory is nearer than local memory and writes nothing through to L2.
// A kernel whose frame consists of spilled values only keeps them behind its
// shared variables, where there is room: slot S of thread T, in the order of
// the threads of the CTA, is at
//
//   start of S + T * size of S
//
// so that a warp's accesses are to neighbouring words. T takes the place of the
// stack pointer, for which there is no use any more; the address forms multiply
// it by the size.
//
// The room is the shared memory that the CTAs leave which fit on a core by
// their other resources. The pragma "enable_smem_spilling" lets a kernel have
// room that costs CTAs. A kernel with the pragma that does not state its
// threads counts with as many as its registers allow.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleOccupancy.h"
#include "HeddleSubtarget.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "Passes/Blocks/HeddleSpillPlaces.h"
#include "Passes/HeddlePasses.h"
#include "heddle/IR/Kernels.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Target/Relocatable.h"
#include "heddle/Tuning/Knobs.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"
#include "llvm/CodeGen/MachineOptimizationRemarkEmitter.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/InitializePasses.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-shared-spills"
#define PASS_NAME "Heddle shared spills"

namespace {

/// The most shared memory of a CTA that no program has to ask for.
constexpr uint64_t MostSharedBytes = 48 * 1024;

/// Special registers; see HeddleABI.td.
enum : int64_t { TidX, TidY, TidZ, NTidX, NTidY };

class SharedSpills {
public:
  explicit SharedSpills(MachineFunction &MF)
      : MF(MF), F(MF.getFunction()), MFI(MF.getFrameInfo()),
        Subtarget(MF.getSubtarget<HeddleSubtarget>()),
        TII(*Subtarget.getInstrInfo()), Chip(Subtarget.getChip()) {}

  bool run(MachineOptimizationRemarkEmitter &Remarks);

private:
  /// The decision of a tuning document (Knob::SpillPlace).
  enum class Place : uint8_t { AsSeemsFit, Local, Shared };
  Place decision() const {
    using namespace heddle::tuning;
    return static_cast<Place>(knobOf(F, Knob::SpillPlace));
  }
  /// Even if fewer CTAs fit on a core then.
  bool wantsShared() const {
    return F.hasFnAttribute(heddle::attr::SharedSpilling) ||
           decision() == Place::Shared;
  }
  bool isEligible() const;
  bool collectSlots();
  bool collectAccesses();
  bool hasRoom() const;
  unsigned countRegisters() const;
  void place();
  void rewrite(MachineInstr &MI, int Slot) const;
  void describe();
  void computeThread() const;
  void read(MCRegister R, int64_t Special) const;

  MachineFunction &MF;
  Function &F;
  MachineFrameInfo &MFI;
  const HeddleSubtarget &Subtarget;
  const HeddleInstrInfo &TII;
  const heddle::isa::ChipInfo &Chip;
  SmallVector<int, 16> Slots; ///< the largest first
  SmallVector<std::pair<MachineInstr *, int>, 64> Accesses;
  SmallVector<MachineInstr *, 0> DebugValues;
  DenseMap<int, uint64_t> Starts;
  unsigned Threads = 0;
  uint64_t Start = 0, BytesPerThread = 0;
};

} // namespace

bool SharedSpills::isEligible() const {
  // Where functions are called, the frame is not the kernel's alone; where
  // shared memory is laid out later or its size is the launch's, there is no
  // known place behind it.
  return decision() != Place::Local && heddle::ir::isKernel(F) &&
         !MFI.hasCalls() && !MFI.hasVarSizedObjects() &&
         !F.hasFnAttribute(heddle::attr::DynamicShared) &&
         !heddle::isRelocatable(*F.getParent());
}

bool SharedSpills::collectSlots() {
  for (int I = MFI.getObjectIndexBegin(); I != MFI.getObjectIndexEnd(); ++I) {
    if (MFI.isDeadObjectIndex(I))
      continue;
    if (!MFI.isSpillSlotObjectIndex(I))
      return false;
    Slots.push_back(I);
    BytesPerThread += MFI.getObjectSize(I);
  }
  // Then each is aligned to its size.
  sort(Slots, [&](int A, int B) {
    return std::pair(-MFI.getObjectSize(A), A) <
           std::pair(-MFI.getObjectSize(B), B);
  });
  return !Slots.empty();
}

bool SharedSpills::collectAccesses() {
  for (MachineBasicBlock &MBB : MF)
    for (MachineInstr &MI : MBB) {
      // What debuggers are told does not change the code.
      if (MI.isDebugInstr()) {
        if (MI.isDebugValue() && MI.getDebugOperand(0).isFI())
          DebugValues.push_back(&MI);
        continue;
      }
      int Slot = 0;
      if (TII.isLoadFromStackSlot(MI, Slot) ||
          TII.isStoreToStackSlot(MI, Slot)) {
        Accesses.push_back({&MI, Slot});
        continue;
      }
      for (const MachineOperand &MO : MI.operands())
        if (MO.isFI() || (MO.isReg() && MO.getReg() == Heddle::R1))
          return false;
    }
  return true;
}

unsigned SharedSpills::countRegisters() const {
  const MachineRegisterInfo &MRI = MF.getRegInfo();
  unsigned Count = 0;
  for (MCRegister R : Heddle::GPR32RegClass)
    if (R != Heddle::RZ && MRI.isPhysRegUsed(R))
      Count = std::max<unsigned>(
          Count, MRI.getTargetRegisterInfo()->getEncodingValue(R) + 1);
  return Count;
}

bool SharedSpills::hasRoom() const {
  uint64_t End = Start + Threads * BytesPerThread;
  if (Threads == 0 || End > MostSharedBytes)
    return false;
  if (wantsShared())
    return true;
  unsigned Registers = countRegisters();
  return getCTAsPerCore(Chip, {Threads, Registers, End}) ==
         getCTAsPerCore(Chip, {Threads, Registers, Start});
}

void SharedSpills::place() {
  uint64_t End = Start;
  for (int Slot : Slots) {
    Starts[Slot] = End;
    End += Threads * MFI.getObjectSize(Slot);
  }
  F.addFnAttr(heddle::attr::SharedBytes, std::to_string(End));
}

static unsigned sharedOpcode(unsigned Opcode) {
  switch (Opcode) {
  case Heddle::LDL_r:
    return Heddle::LDS_r;
  case Heddle::LDL64_r:
    return Heddle::LDS64_r;
  case Heddle::LDL128_r:
    return Heddle::LDS128_r;
  case Heddle::STL_r:
    return Heddle::STS_r;
  case Heddle::STL64_r:
    return Heddle::STS64_r;
  case Heddle::STL128_r:
    return Heddle::STS128_r;
  default:
    return 0;
  }
}

/// Local and shared accesses have the same operands.
void SharedSpills::rewrite(MachineInstr &MI, int Slot) const {
  unsigned Opcode = sharedOpcode(MI.getOpcode());
  auto Operand = [&](Heddle::OpName Name) -> MachineOperand & {
    return MI.getOperand(Heddle::getNamedOperandIdx(Opcode, Name));
  };
  MI.setDesc(TII.get(Opcode));
  Operand(Heddle::OpName::a).ChangeToRegister(Heddle::R1, /*isDef=*/false);
  Operand(Heddle::OpName::sc).setImm(Log2_64(MFI.getObjectSize(Slot)));
  Operand(Heddle::OpName::imm).setImm(Starts.lookup(Slot));
}

void SharedSpills::describe() {
  auto &Info = *MF.getInfo<HeddleMachineFunctionInfo>();
  for (int Slot : Slots)
    Info.SharedSlots.push_back(
        {Slot, Starts.lookup(Slot), uint64_t(MFI.getObjectSize(Slot))});
  for (MachineInstr *MI : DebugValues) {
    int Slot = MI->getDebugOperand(0).getIndex();
    moveToShared(*MI, *find_if(Info.SharedSlots,
                               [&](const auto &S) { return S.Slot == Slot; }));
  }
}

void SharedSpills::read(MCRegister R, int64_t Special) const {
  MachineBasicBlock &Entry = MF.front();
  TII.addTrailing(
      BuildMI(Entry, Entry.begin(), DebugLoc(), TII.get(Heddle::S2R), R)
          .addImm(Special));
}

/// Whether all CTAs of the kernel have one dimension.
static bool hasOneRow(const Function &Kernel) {
  auto [X, Others] = Kernel.getFnAttribute(heddle::attr::ReqNTid)
                         .getValueAsString()
                         .split(',');
  return !X.empty() && (Others.empty() || Others == "1" || Others == "1,1");
}

/// R1 = tid.x + ntid.x * (tid.y + ntid.y * tid.z), at the kernel's start.
void SharedSpills::computeThread() const {
  MachineBasicBlock &Entry = MF.front();
  if (hasOneRow(F)) {
    read(Heddle::R1, TidX);
    return;
  }
  auto MultiplyAdd = [&] {
    TII.addTrailing(BuildMI(Entry, Entry.begin(), DebugLoc(),
                            TII.get(Heddle::IMAD_r), Heddle::R1)
                        .addReg(Heddle::R1)
                        .addReg(Heddle::R2)
                        .addReg(Heddle::R3)
                        .addImm(0));
  };
  // Each goes in front of the one before. Nothing is in registers yet.
  MultiplyAdd();
  read(Heddle::R3, TidX);
  read(Heddle::R2, NTidX);
  MultiplyAdd();
  read(Heddle::R3, TidY);
  read(Heddle::R2, NTidY);
  read(Heddle::R1, TidZ);
}

bool SharedSpills::run(MachineOptimizationRemarkEmitter &Remarks) {
  if (!isEligible() || !collectSlots() || !collectAccesses())
    return false;
  constexpr uint64_t Widest = 16;
  Start = alignTo(F.getFnAttributeAsParsedInteger(heddle::attr::SharedBytes, 0),
                  Widest);
  std::optional<unsigned> Bound = getMostThreads(F);
  if (!Bound && wantsShared())
    Bound = getMostThreads(Chip, countRegisters());
  Threads = Bound.value_or(0);
  if (!hasRoom())
    return false;
  place();
  for (auto [MI, Slot] : Accesses)
    rewrite(*MI, Slot);
  describe();
  computeThread();
  for (int Slot : Slots)
    MFI.RemoveStackObject(Slot);
  Remarks.emit([&] {
    using Argument = DiagnosticInfoOptimizationBase::Argument;
    return MachineOptimizationRemark(DEBUG_TYPE, "SharedSpills",
                                     DiagnosticLocation(F.getSubprogram()),
                                     &MF.front())
           << Argument("Bytes", BytesPerThread)
           << " bytes of spilled values of each thread kept in shared memory";
  });
  return true;
}

namespace {

class HeddleSharedSpills : public MachineFunctionPass {
public:
  static char ID;
  HeddleSharedSpills() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesCFG();
    AU.addRequired<MachineOptimizationRemarkEmitterPass>();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override {
    dropUnknownSlots(MF);
    return SharedSpills(MF).run(
        getAnalysis<MachineOptimizationRemarkEmitterPass>().getORE());
  }
};

} // namespace

char HeddleSharedSpills::ID = 0;
INITIALIZE_PASS_BEGIN(HeddleSharedSpills, DEBUG_TYPE, PASS_NAME, false, false)
INITIALIZE_PASS_DEPENDENCY(MachineOptimizationRemarkEmitterPass)
INITIALIZE_PASS_END(HeddleSharedSpills, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleSharedSpillsPass() {
  return new HeddleSharedSpills();
}
