//===- HeddleSubtarget.h - The chip that code is made for ------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gathers the target's descriptions of one chip.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLESUBTARGET_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLESUBTARGET_H

#include "HeddleFrameLowering.h"
#include "HeddleInstrInfo.h"
#include "HeddleRegisterInfo.h"
#include "ISel/HeddleISelLowering.h"
#include "ISel/HeddleSelectionDAGInfo.h"
#include "heddle/ISA/ISA.h"
#include "llvm/CodeGen/TargetSubtargetInfo.h"

#define GET_SUBTARGETINFO_HEADER
#include "HeddleGenSubtargetInfo.inc"

namespace llvm {

class HeddleSubtarget : public HeddleGenSubtargetInfo {
  const heddle::isa::ChipInfo &Chip;
  HeddleRegisterInfo RegInfo;
  HeddleInstrInfo InstrInfo;
  HeddleFrameLowering FrameLowering;
  HeddleTargetLowering TLInfo;
  HeddleSelectionDAGInfo TSInfo;
  bool GeneratesInOnePass = false;

public:
  /// CPU is the name of a chip of isa-defs/HeddleChips.td. AllocatesFromEnd:
  /// whether a block's values get registers from the block's end on.
  HeddleSubtarget(const Triple &TT, StringRef CPU, StringRef FS,
                  const TargetMachine &TM, bool AllocatesFromEnd);

  void ParseSubtargetFeatures(StringRef CPU, StringRef TuneCPU, StringRef FS);

  /// Whether functions are generated in one pass at -O0 where that is
  /// possible.
  bool generatesInOnePass() const { return GeneratesInOnePass; }

  /// Latencies, widths and sizes of the chip.
  const heddle::isa::ChipInfo &getChip() const { return Chip; }

  const HeddleInstrInfo *getInstrInfo() const override { return &InstrInfo; }
  const HeddleRegisterInfo *getRegisterInfo() const override {
    return &RegInfo;
  }
  const HeddleFrameLowering *getFrameLowering() const override {
    return &FrameLowering;
  }
  const HeddleTargetLowering *getTargetLowering() const override {
    return &TLInfo;
  }
  const SelectionDAGTargetInfo *getSelectionDAGInfo() const override {
    return &TSInfo;
  }

  /// The machine scheduler places loads early; the order is final only after
  /// register allocation.
  bool enableMachineScheduler() const override { return true; }
  bool enableSubRegLiveness() const override { return true; }
  bool enablePostRAMachineScheduler() const override { return true; }
  /// Whether an evicted register would find another place is asked for each
  /// pair of the registers that there are, and they are many.
  bool enableRALocalReassignment(CodeGenOptLevel) const override {
    return false;
  }
  /// What is decided for the function, see heddle/Tuning/Knobs.def.
  void overrideSchedPolicy(MachineSchedPolicy &Policy,
                           const SchedRegion &Region) const override;
  /// Gives data dependencies the latencies of the chip.
  void adjustSchedDependency(SUnit *Def, int DefOpIdx, SUnit *Use, int UseOpIdx,
                             SDep &Dep,
                             const TargetSchedModel *SchedModel) const override;
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLESUBTARGET_H
