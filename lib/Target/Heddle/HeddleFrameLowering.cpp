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

static bool isKernel(const MachineFunction &MF) {
  return MF.getFunction().getCallingConv() == CallingConv::PTX_Kernel;
}

static void copyRegister(MachineFunction &MF, MachineBasicBlock &MBB,
                         MachineBasicBlock::iterator I, MCRegister To,
                         MCRegister From, MachineInstr::MIFlag Flag) {
  const HeddleInstrInfo &TII =
      *MF.getSubtarget<HeddleSubtarget>().getInstrInfo();
  TII.addTrailing(
         BuildMI(MBB, I, DebugLoc(), TII.get(Heddle::MOV_r), To).addReg(From))
      .setMIFlag(Flag);
}

bool HeddleFrameLowering::hasFPImpl(const MachineFunction &MF) const {
  return MF.getFrameInfo().hasVarSizedObjects();
}

void HeddleFrameLowering::determineCalleeSaves(MachineFunction &MF,
                                               BitVector &SavedRegs,
                                               RegScavenger *RS) const {
  TargetFrameLowering::determineCalleeSaves(MF, SavedRegs, RS);
  if (hasFP(MF) && !isKernel(MF))
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
  if (isKernel(MF))
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

// Convergence registers go through R0, which is neither an argument nor a
// result and which nobody keeps.
static constexpr MCRegister Scratch = Heddle::R0;

bool HeddleFrameLowering::spillCalleeSavedRegisters(
    MachineBasicBlock &MBB, MachineBasicBlock::iterator MI,
    ArrayRef<CalleeSavedInfo> CSI, const TargetRegisterInfo *TRI) const {
  MachineFunction &MF = *MBB.getParent();
  const HeddleInstrInfo &TII =
      *MF.getSubtarget<HeddleSubtarget>().getInstrInfo();
  for (const CalleeSavedInfo &Info : CSI) {
    MCRegister Reg = Info.getReg();
    const TargetRegisterClass *RC = TRI->getMinimalPhysRegClass(Reg);
    if (Heddle::BRRegClass.contains(Reg)) {
      TII.addTrailing(
             BuildMI(MBB, MI, DebugLoc(), TII.get(Heddle::BMOV), Scratch)
                 .addReg(Reg))
          .setMIFlag(MachineInstr::FrameSetup);
      TII.storeRegToStackSlot(MBB, MI, Scratch, /*isKill=*/true,
                              Info.getFrameIdx(), &Heddle::GPR32RegClass,
                              Register(), MachineInstr::FrameSetup);
      continue;
    }
    MBB.addLiveIn(Reg);
    TII.storeRegToStackSlot(MBB, MI, Reg, /*isKill=*/true, Info.getFrameIdx(),
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
    bool Barrier = Heddle::BRRegClass.contains(Reg);
    const TargetRegisterClass *RC =
        Barrier ? &Heddle::GPR32RegClass : TRI->getMinimalPhysRegClass(Reg);
    TII.loadRegFromStackSlot(MBB, MI, Barrier ? Scratch : Reg,
                             Info.getFrameIdx(), RC, Register(), 0,
                             MachineInstr::FrameDestroy);
    if (Barrier)
      TII.addTrailing(BuildMI(MBB, MI, DebugLoc(), TII.get(Heddle::BMOVR), Reg)
                          .addReg(Scratch, RegState::Kill))
          .setMIFlag(MachineInstr::FrameDestroy);
  }
  return true;
}
