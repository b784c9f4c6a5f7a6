//===- HeddleFrameLowering.h - Frames in local memory ----------*- C++ -*--===//
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

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEFRAMELOWERING_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEFRAMELOWERING_H

#include "heddle/Support/Attributes.h"

#include "llvm/CodeGen/TargetFrameLowering.h"

namespace llvm {

/// R1 holds the byte offset in local memory of the frame's low end. In a
/// function with allocas of a size known at run time R1 moves on and
/// HeddleRegisterInfo::FramePointer keeps that offset.
class HeddleFrameLowering : public TargetFrameLowering {
public:
  HeddleFrameLowering()
      : TargetFrameLowering(StackGrowsDown, Align(16), /*LAO=*/0, Align(16),
                            /*StackReal=*/false) {}

  void emitPrologue(MachineFunction &MF, MachineBasicBlock &MBB) const override;
  void emitEpilogue(MachineFunction &MF, MachineBasicBlock &MBB) const override;
  MachineBasicBlock::iterator
  eliminateCallFramePseudoInstr(MachineFunction &MF, MachineBasicBlock &MBB,
                                MachineBasicBlock::iterator MI) const override;
  bool
  assignCalleeSavedSpillSlots(MachineFunction &MF,
                              const TargetRegisterInfo *TRI,
                              std::vector<CalleeSavedInfo> &CSI) const override;
  bool spillCalleeSavedRegisters(MachineBasicBlock &MBB,
                                 MachineBasicBlock::iterator MI,
                                 ArrayRef<CalleeSavedInfo> CSI,
                                 const TargetRegisterInfo *TRI) const override;
  bool
  restoreCalleeSavedRegisters(MachineBasicBlock &MBB,
                              MachineBasicBlock::iterator MI,
                              MutableArrayRef<CalleeSavedInfo> CSI,
                              const TargetRegisterInfo *TRI) const override;
  /// The attribute of functions that come before all their callers.
  static constexpr StringLiteral CallersFollow = heddle::attr::CallersFollow;
  /// Callers that come first rely on what every function keeps.
  bool isProfitableForNoCSROpt(const Function &F) const override {
    return F.hasFnAttribute(CallersFollow);
  }
  void determineCalleeSaves(MachineFunction &MF, BitVector &SavedRegs,
                            RegScavenger *RS) const override;
  /// Outgoing arguments have a fixed place at the frame's low end, unless
  /// memory of a size known at run time moves that end.
  bool hasReservedCallFrame(const MachineFunction &MF) const override {
    return !hasFP(MF);
  }

protected:
  bool hasFPImpl(const MachineFunction &MF) const override;
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEFRAMELOWERING_H
