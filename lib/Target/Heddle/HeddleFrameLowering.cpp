//===- HeddleFrameLowering.cpp - Frames in local memory --------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lays out a function's frame in local memory and writes prologues and
// epilogues.
//
//===----------------------------------------------------------------------===//

#include "HeddleFrameLowering.h"
#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "heddle/IR/Kernels.h"

#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/MachineInstrBuilder.h"

using namespace llvm;

// R1 += Bytes.
static void adjustStack(MachineFunction &MF, MachineBasicBlock &MBB,
                        MachineBasicBlock::iterator I, int64_t Bytes,
                        MachineInstr::MIFlag Flag) {
  if (!Bytes)
    return;
  const HeddleInstrInfo &TII =
      *MF.getSubtarget<HeddleSubtarget>().getInstrInfo();
  TII.addTrailing(
         BuildMI(MBB, I, DebugLoc(), TII.get(Heddle::IADD3_i), Heddle::R1)
             .addReg(Heddle::R1)
             .addImm(0)
             .addImm(Bytes)
             .addImm(0)
             .addReg(Heddle::RZ)
             .addImm(0))
      .setMIFlag(Flag);
}

/// Copies a register of the frame's bookkeeping by one instruction.
static void copyRegister(MachineFunction &MF, MachineBasicBlock &MBB,
                         MachineBasicBlock::iterator I, MCRegister To,
                         MCRegister From, MachineInstr::MIFlag Flag) {
  MF.getSubtarget<HeddleSubtarget>().getInstrInfo()->copyPhysReg(
      MBB, I, DebugLoc(), To, From, /*KillSrc=*/false);
  std::prev(I)->setFlag(Flag);
}

bool HeddleFrameLowering::hasFPImpl(const MachineFunction &MF) const {
  return MF.getFrameInfo().hasVarSizedObjects();
}

void HeddleFrameLowering::determineCalleeSaves(MachineFunction &MF,
                                               BitVector &SavedRegs,
                                               RegScavenger *RS) const {
  TargetFrameLowering::determineCalleeSaves(MF, SavedRegs, RS);
  if (hasFP(MF) && !heddle::ir::isKernel(MF.getFunction()))
    SavedRegs.set(HeddleRegisterInfo::FramePointer);
}

// While registers are saved and restored, R1 is where the frame pointer is.
void HeddleFrameLowering::emitPrologue(MachineFunction &MF,
                                       MachineBasicBlock &MBB) const {
  adjustStack(MF, MBB, MBB.begin(), -int64_t(MF.getFrameInfo().getStackSize()),
              MachineInstr::FrameSetup);
  if (!hasFP(MF))
    return;
  auto I = MBB.begin();
  while (I != MBB.end() && I->getFlag(MachineInstr::FrameSetup))
    ++I;
  copyRegister(MF, MBB, I, HeddleRegisterInfo::FramePointer, Heddle::R1,
               MachineInstr::FrameSetup);
  for (MachineBasicBlock &Other : drop_begin(MF))
    if (!Other.isLiveIn(HeddleRegisterInfo::FramePointer))
      Other.addLiveIn(HeddleRegisterInfo::FramePointer);
}

void HeddleFrameLowering::emitEpilogue(MachineFunction &MF,
                                       MachineBasicBlock &MBB) const {
  // A kernel's frame ends with the thread.
  if (heddle::ir::isKernel(MF.getFunction()))
    return;
  if (hasFP(MF)) {
    auto I = MBB.getFirstTerminator();
    while (I != MBB.begin() &&
           std::prev(I)->getFlag(MachineInstr::FrameDestroy))
      --I;
    copyRegister(MF, MBB, I, Heddle::R1, HeddleRegisterInfo::FramePointer,
                 MachineInstr::FrameDestroy);
  }
  adjustStack(MF, MBB, MBB.getFirstTerminator(),
              int64_t(MF.getFrameInfo().getStackSize()),
              MachineInstr::FrameDestroy);
}

MachineBasicBlock::iterator HeddleFrameLowering::eliminateCallFramePseudoInstr(
    MachineFunction &MF, MachineBasicBlock &MBB,
    MachineBasicBlock::iterator MI) const {
  if (!hasReservedCallFrame(MF)) {
    const TargetInstrInfo &TII = *MF.getSubtarget().getInstrInfo();
    int64_t Bytes = alignTo(TII.getFrameSize(*MI), getStackAlign());
    adjustStack(MF, MBB, MI, TII.isFrameSetup(*MI) ? -Bytes : Bytes,
                MachineInstr::NoFlags);
  }
  return MBB.erase(MI);
}

//===----------------------------------------------------------------------===//
// Registers that a function keeps
//===----------------------------------------------------------------------===//

// On their way to memory convergence registers go through R0, which is neither
// an argument nor a result, and which no function preserves.
static constexpr MCRegister Scratch = Heddle::R0;

namespace {

/// General registers that a function and its callees do not write and that
/// callers do not expect to be preserved, as far as using one costs next to
/// nothing.
class FreeRegisters {
public:
  explicit FreeRegisters(const MachineFunction &MF)
      : MRI(MF.getRegInfo()),
        TRI(*MF.getSubtarget<HeddleSubtarget>().getRegisterInfo()),
        Taken(TRI.getNumRegs()) {
    unsigned Used = 0;
    for (MCRegister Reg : Heddle::GPR32RegClass)
      if (Reg != Heddle::RZ && MRI.isPhysRegUsed(Reg))
        Used = std::max(Used, TRI.getEncodingValue(Reg) + 1u);
    const auto &Chip = MF.getSubtarget<HeddleSubtarget>().getChip();
    Given = alignTo(Used + 1, Chip.RegisterGranule);
    for (const MCPhysReg *Reg = MRI.getCalleeSavedRegs(); *Reg; ++Reg)
      take(*Reg);
  }

  /// One of class RC, which is free no longer; none if there is none.
  MCRegister takeOne(const TargetRegisterClass &RC) {
    for (MCRegister Reg : RC)
      if (!Taken.test(Reg) && !MRI.isReserved(Reg) && !MRI.isPhysRegUsed(Reg) &&
          TRI.getEncodingValue(Reg) + TRI.getRegSizeInBits(RC) / 32 <= Given) {
        take(Reg);
        return Reg;
      }
    return MCRegister();
  }

private:
  void take(MCRegister Reg) {
    for (MCRegAliasIterator Alias(Reg, &TRI, /*IncludeSelf=*/true);
         Alias.isValid(); ++Alias)
      Taken.set(*Alias);
  }

  const MachineRegisterInfo &MRI;
  const HeddleRegisterInfo &TRI;
  BitVector Taken;
  /// The registers that a thread is given, which come in granules, if it needs
  /// one more.
  unsigned Given = 0;
};

} // namespace

// A register that is left over does in place of memory.
bool HeddleFrameLowering::assignCalleeSavedSpillSlots(
    MachineFunction &MF, const TargetRegisterInfo *TRI,
    std::vector<CalleeSavedInfo> &CSI) const {
  FreeRegisters Free(MF);
  for (CalleeSavedInfo &Info : CSI) {
    bool IsBarrier = Heddle::BRRegClass.contains(Info.getReg());
    const TargetRegisterClass *RC =
        IsBarrier ? &Heddle::GPR32RegClass
                  : TRI->getMinimalPhysRegClass(Info.getReg());
    if (MCRegister To = Free.takeOne(*RC))
      Info.setDstReg(To);
  }
  return false; // the others go where they always go
}

bool HeddleFrameLowering::spillCalleeSavedRegisters(
    MachineBasicBlock &MBB, MachineBasicBlock::iterator MI,
    ArrayRef<CalleeSavedInfo> CSI, const TargetRegisterInfo *TRI) const {
  MachineFunction &MF = *MBB.getParent();
  const HeddleInstrInfo &TII =
      *MF.getSubtarget<HeddleSubtarget>().getInstrInfo();
  for (const CalleeSavedInfo &Info : CSI) {
    MCRegister Reg = Info.getReg();
    const TargetRegisterClass *RC = TRI->getMinimalPhysRegClass(Reg);
    if (Info.isSpilledToReg()) {
      copyRegister(MF, MBB, MI, Info.getDstReg(), Reg,
                   MachineInstr::FrameSetup);
      continue;
    }
    if (Heddle::BRRegClass.contains(Reg)) {
      copyRegister(MF, MBB, MI, Scratch, Reg, MachineInstr::FrameSetup);
      TII.storeRegToStackSlot(MBB, MI, Scratch, /*IsKill=*/true,
                              Info.getFrameIdx(), &Heddle::GPR32RegClass,
                              Register(), MachineInstr::FrameSetup);
      continue;
    }
    MBB.addLiveIn(Reg);
    TII.storeRegToStackSlot(MBB, MI, Reg, /*IsKill=*/true, Info.getFrameIdx(),
                            RC, Register(), MachineInstr::FrameSetup);
  }
  return true;
}

bool HeddleFrameLowering::restoreCalleeSavedRegisters(
    MachineBasicBlock &MBB, MachineBasicBlock::iterator MI,
    MutableArrayRef<CalleeSavedInfo> CSI, const TargetRegisterInfo *TRI) const {
  MachineFunction &MF = *MBB.getParent();
  const HeddleInstrInfo &TII =
      *MF.getSubtarget<HeddleSubtarget>().getInstrInfo();
  for (const CalleeSavedInfo &Info : reverse(CSI)) {
    MCRegister Reg = Info.getReg();
    if (Info.isSpilledToReg()) {
      copyRegister(MF, MBB, MI, Reg, Info.getDstReg(),
                   MachineInstr::FrameDestroy);
      continue;
    }
    bool Barrier = Heddle::BRRegClass.contains(Reg);
    const TargetRegisterClass *RC =
        Barrier ? &Heddle::GPR32RegClass : TRI->getMinimalPhysRegClass(Reg);
    TII.loadRegFromStackSlot(MBB, MI, Barrier ? Scratch : Reg,
                             Info.getFrameIdx(), RC, Register(), 0,
                             MachineInstr::FrameDestroy);
    if (Barrier)
      copyRegister(MF, MBB, MI, Reg, Scratch, MachineInstr::FrameDestroy);
  }
  return true;
}
