//===- HeddleRegisterInfo.h - Registers ------------------------*- C++ -*--===//
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

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEREGISTERINFO_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEREGISTERINFO_H

#include "llvm/CodeGen/TargetRegisterInfo.h"

#define GET_REGINFO_HEADER
#include "HeddleGenRegisterInfo.inc"

namespace llvm {

class HeddleRegisterInfo : public HeddleGenRegisterInfo {
  bool AllocatesFromEnd;

public:
  /// Of functions with allocas of a size known at run time: the callee keeps
  /// it, and it is there however few registers a function may use.
  static const MCPhysReg FramePointer;

  explicit HeddleRegisterInfo(bool AllocatesFromEnd);

  const MCPhysReg *getCalleeSavedRegs(const MachineFunction *MF) const override;
  const MCPhysReg *getIPRACSRegs(const MachineFunction *MF) const override;
  const uint32_t *getCallPreservedMask(const MachineFunction &MF,
                                       CallingConv::ID) const override;
  /// What a system call keeps.
  const uint32_t *getSystemCallPreservedMask() const;
  BitVector getReservedRegs(const MachineFunction &MF) const override;
  bool eliminateFrameIndex(MachineBasicBlock::iterator MI, int SPAdj,
                           unsigned FIOperandNum,
                           RegScavenger *RS = nullptr) const override;
  Register getFrameRegister(const MachineFunction &MF) const override;
  /// No registers of very many values or uses, which each join looks at.
  bool shouldCoalesce(MachineInstr *Copy, const TargetRegisterClass *SrcRC,
                      unsigned SubReg, const TargetRegisterClass *DstRC,
                      unsigned DstSubReg, const TargetRegisterClass *NewRC,
                      LiveIntervals &LIS) const override;
  /// Not for long values of functions with very many blocks and many of them.
  bool shouldRegionSplitForVirtReg(const MachineFunction &MF,
                                   const LiveInterval &Value) const override;
  /// Where values take registers in turn, those with most time around them.
  bool getRegAllocationHints(Register Value, ArrayRef<MCPhysReg> Order,
                             SmallVectorImpl<MCPhysReg> &Hints,
                             const MachineFunction &MF, const VirtRegMap *VRM,
                             const LiveRegMatrix *Matrix) const override;
  bool reverseLocalAssignment() const override { return AllocatesFromEnd; }
  bool requiresRegisterScavenging(const MachineFunction &MF) const override {
    return true;
  }
  bool requiresFrameIndexScavenging(const MachineFunction &MF) const override {
    return true;
  }
  const TargetRegisterClass *
  getPointerRegClass(unsigned Kind = 0) const override;

  /// Whether RC has registers of each thread, for numbers and addresses.
  static bool isGeneral(const TargetRegisterClass &RC);

  /// The number of registers a thread of MF may use: what heddle-maxnreg says,
  /// or what lets a CTA of heddle-maxntid threads fit in a core.
  static unsigned getRegisterLimit(const MachineFunction &MF);
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEREGISTERINFO_H
