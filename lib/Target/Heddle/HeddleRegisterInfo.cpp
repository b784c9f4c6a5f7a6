//===- HeddleRegisterInfo.cpp - Registers ----------------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the register files mean to the code generator.
//
//===----------------------------------------------------------------------===//

#include "HeddleRegisterInfo.h"
#include "HeddleFrameLowering.h"
#include "HeddleMachineFunctionInfo.h"
#include "HeddleOccupancy.h"
#include "HeddleSubtarget.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "Passes/Registers/HeddleSpreadRegisters.h"
#include "heddle/IR/Kernels.h"
#include "heddle/Support/Attributes.h"
#include "heddle/Target/Registers.h"
#include "heddle/Tuning/Knobs.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"

using namespace llvm;

#define GET_REGINFO_TARGET_DESC
#include "HeddleGenRegisterInfo.inc"

const MCPhysReg HeddleRegisterInfo::FramePointer = Heddle::R16;

HeddleRegisterInfo::HeddleRegisterInfo(bool AllocatesFromEnd)
    : HeddleGenRegisterInfo(Heddle::R2_64), AllocatesFromEnd(AllocatesFromEnd) {
}

bool HeddleRegisterInfo::isGeneral(const TargetRegisterClass &RC) {
  return Heddle::GPR32RegClass.hasSubClassEq(&RC) ||
         Heddle::GPR64RegClass.hasSubClassEq(&RC) ||
         Heddle::GPR128RegClass.hasSubClassEq(&RC);
}

const MCPhysReg *
HeddleRegisterInfo::getCalleeSavedRegs(const MachineFunction *MF) const {
  // A kernel has no caller whose registers it could spoil.
  if (heddle::ir::isKernel(MF->getFunction()))
    return CSR_None_SaveList;
  // The allocator prefers registers that need no saving, so it has to know
  // which ones these are.
  const Function &F = MF->getFunction();
  const TargetFrameLowering &TFL = *MF->getSubtarget().getFrameLowering();
  return TargetFrameLowering::isSafeForNoCSROpt(F) &&
                 TFL.isProfitableForNoCSROpt(F)
             ? CSR_Heddle_KnownCallers_SaveList
             : CSR_Heddle_Save_SaveList;
}

const MCPhysReg *
HeddleRegisterInfo::getIPRACSRegs(const MachineFunction *MF) const {
  return heddle::ir::isKernel(MF->getFunction())
             ? CSR_None_SaveList
             : CSR_Heddle_KnownCallers_SaveList;
}

const uint32_t *
HeddleRegisterInfo::getCallPreservedMask(const MachineFunction &MF,
                                         CallingConv::ID) const {
  return CSR_Heddle_RegMask;
}

const uint32_t *HeddleRegisterInfo::getSystemCallPreservedMask() const {
  return CSR_SystemCall_RegMask;
}

/// The number of registers that a function's attributes and a tuning document
/// allow.
static unsigned limitOf(const Function &F, const heddle::isa::ChipInfo &Chip) {
  unsigned Limit = heddle::MostRegisters;
  if (std::optional<unsigned> Threads = getMostThreads(F)) {
    // Registers are given to a warp in steps of the granule.
    unsigned Warps = divideCeil(*Threads, 32u) *
                     std::max(1u, unsigned(F.getFnAttributeAsParsedInteger(
                                      heddle::attr::MinCTAs, 1)));
    unsigned PerThread = Chip.RegistersPerCore / (32 * std::max(1u, Warps));
    Limit =
        std::min(Limit, unsigned(alignDown(PerThread, Chip.RegisterGranule)));
  }
  for (StringRef Attribute :
       {heddle::attr::MaxNReg, heddle::attr::CallerRegisters})
    if (unsigned N = F.getFnAttributeAsParsedInteger(Attribute, 0))
      Limit = std::min(Limit, N);
  if (auto N = static_cast<unsigned>(
          heddle::tuning::knobOf(F, heddle::tuning::Knob::Registers)))
    Limit = std::min(Limit, N);
  return Limit;
}

unsigned heddle::registerLimitOf(const Function &F, StringRef Chip) {
  const isa::ChipInfo *Found = isa::findChip({Chip.data(), Chip.size()});
  return limitOf(F, Found ? *Found : isa::chips().front());
}

unsigned HeddleRegisterInfo::getRegisterLimit(const MachineFunction &MF) {
  unsigned Limit =
      limitOf(MF.getFunction(), MF.getSubtarget<HeddleSubtarget>().getChip());
  const auto &Info = *MF.getInfo<HeddleMachineFunctionInfo>();
  for (unsigned N : {Info.Registers.Limit, Info.ProfiledRegisterLimit})
    if (N)
      Limit = std::min(Limit, N);
  // Arguments, results and callee-saved registers must exist, and a few more.
  constexpr unsigned Least = 24;
  const MachineFrameInfo &Frame = MF.getFrameInfo();
  bool IsLeaf = !Frame.hasCalls() && !Frame.hasVarSizedObjects();
  unsigned Floor =
      heddle::ir::isKernel(MF.getFunction()) && IsLeaf ? 16 : Least;
  return std::max(Limit, Floor);
}

BitVector HeddleRegisterInfo::getReservedRegs(const MachineFunction &MF) const {
  BitVector Reserved(getNumRegs());
  if (MF.getInfo<HeddleMachineFunctionInfo>()->HasStackPointer)
    markSuperRegs(Reserved, Heddle::R1);
  if (MF.getFrameInfo().hasVarSizedObjects())
    markSuperRegs(Reserved, FramePointer);
  for (MCRegister R : {Heddle::RZ, Heddle::RZ64, Heddle::RZ128, Heddle::PT,
                       Heddle::URZ, Heddle::URZ64, Heddle::UPT})
    markSuperRegs(Reserved, R);
  // The convergence pass assigns these.
  for (MCRegister R : Heddle::BRRegClass)
    markSuperRegs(Reserved, R);
  unsigned Limit = getRegisterLimit(MF);
  for (MCRegister R : Heddle::GPR32RegClass)
    if (R != Heddle::RZ && getEncodingValue(R) >= Limit)
      markSuperRegs(Reserved, R);
  return Reserved;
}

bool HeddleRegisterInfo::eliminateFrameIndex(MachineBasicBlock::iterator II,
                                             int SPAdj, unsigned FIOperandNum,
                                             RegScavenger *RS) const {
  MachineInstr &MI = *II;
  MachineFunction &MF = *MI.getMF();
  int Index = MI.getOperand(FIOperandNum).getIndex();
  Register Base;
  int64_t Offset = MF.getSubtarget()
                       .getFrameLowering()
                       ->getFrameIndexReference(MF, Index, Base)
                       .getFixed();
  // Where registers are saved and restored the frame pointer is not there yet
  // or not there any more.
  if (MI.getFlag(MachineInstr::FrameSetup) ||
      MI.getFlag(MachineInstr::FrameDestroy))
    Base = Heddle::R1;
  else if (Base == Heddle::R1)
    Offset += SPAdj;
  MI.getOperand(FIOperandNum).ChangeToRegister(Base, /*isDef=*/false);
  int ImmIdx = Heddle::getNamedOperandIdx(MI.getOpcode(), Heddle::OpName::imm);
  if (ImmIdx < 0) // the address itself: IADD3_i d, a, ma, b, ...
    ImmIdx = Heddle::getNamedOperandIdx(MI.getOpcode(), Heddle::OpName::b);
  MachineOperand &Imm = MI.getOperand(ImmIdx);
  Imm.ChangeToImmediate(Imm.getImm() + Offset);
  return false;
}

Register HeddleRegisterInfo::getFrameRegister(const MachineFunction &MF) const {
  return MF.getFrameInfo().hasVarSizedObjects() ? FramePointer : Heddle::R1;
}

const TargetRegisterClass *
HeddleRegisterInfo::getPointerRegClass(unsigned) const {
  return &Heddle::GPR64RegClass;
}

// Looking for the region in which a value is kept in a register takes time for
// each register and block: where hundreds of values live in hundreds of
// blocks, the cube of that.
bool HeddleRegisterInfo::shouldRegionSplitForVirtReg(
    const MachineFunction &MF, const LiveInterval &Value) const {
  constexpr unsigned MinBlocks = 128, BlocksOfEach = 32;
  if (!TargetRegisterInfo::shouldRegionSplitForVirtReg(MF, Value))
    return false;
  const uint64_t Blocks = MF.getNumBlockIDs();
  if (Blocks <= MinBlocks)
    return true;
  uint64_t Length = 0;
  for (const LiveRange::Segment &S : Value)
    Length += S.start.distance(S.end);
  const uint64_t All =
      uint64_t(MF.getInstructionCount()) * SlotIndex::InstrDist;
  uint64_t &Divided = MF.getInfo<HeddleMachineFunctionInfo>()->BlocksDivided;
  Divided += 1 + std::min(Blocks, Blocks * Length / All);
  return Divided <= Blocks * BlocksOfEach;
}

// A register that is not joined still gets the same physical register where
// that is free: the copy is a hint.
bool HeddleRegisterInfo::shouldCoalesce(MachineInstr *Copy,
                                        const TargetRegisterClass * /*SrcRC*/,
                                        unsigned /*SubReg*/,
                                        const TargetRegisterClass * /*DstRC*/,
                                        unsigned /*DstSubReg*/,
                                        const TargetRegisterClass * /*NewRC*/,
                                        LiveIntervals &LIS) const {
  constexpr unsigned MaxValues = 1024, MaxUses = 512;
  const MachineRegisterInfo &MRI = Copy->getMF()->getRegInfo();
  auto Registers =
      make_filter_range(Copy->operands(), [](const MachineOperand &MO) {
        return MO.isReg() && MO.getReg().isVirtual();
      });
  unsigned Values = 0;
  for (const MachineOperand &MO : Registers)
    Values += LIS.getInterval(MO.getReg()).getNumValNums();
  return Values <= MaxValues && none_of(Registers, [&](const auto &MO) {
           return hasNItemsOrMore(MRI.use_nodbg_operands(MO.getReg()), MaxUses);
         });
}

bool HeddleRegisterInfo::getRegAllocationHints(
    Register Value, ArrayRef<MCPhysReg> Order,
    SmallVectorImpl<MCPhysReg> &Hints, const MachineFunction &MF,
    const VirtRegMap *VRM, const LiveRegMatrix *Matrix) const {
  bool AreHard = TargetRegisterInfo::getRegAllocationHints(Value, Order, Hints,
                                                           MF, VRM, Matrix);
  if (!AreHard && Matrix)
    addRegistersInTurn(Value, Order, MF, *Matrix, Hints);
  return AreHard;
}
