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

void HeddleFrameLowering::emitPrologue(MachineFunction &MF,
                                       MachineBasicBlock &MBB) const {
  adjustStack(MF, MBB, MBB.begin(), -int64_t(MF.getFrameInfo().getStackSize()),
              MachineInstr::FrameSetup);
}

void HeddleFrameLowering::emitEpilogue(MachineFunction &MF,
                                       MachineBasicBlock &MBB) const {
  // A kernel's frame ends with the thread.
  if (MF.getFunction().getCallingConv() == CallingConv::PTX_Kernel)
    return;
  adjustStack(MF, MBB, MBB.getFirstTerminator(),
              int64_t(MF.getFrameInfo().getStackSize()),
              MachineInstr::FrameDestroy);
}

MachineBasicBlock::iterator HeddleFrameLowering::eliminateCallFramePseudoInstr(
    MachineFunction &MF, MachineBasicBlock &MBB,
    MachineBasicBlock::iterator MI) const {
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
