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
