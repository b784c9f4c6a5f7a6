//===- HeddleTargetMachine.h - The target machine --------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The target for one chip, with its pipeline of passes.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLETARGETMACHINE_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLETARGETMACHINE_H

#include "HeddleSubtarget.h"
#include "heddle/Target/RegisterPlan.h"
#include "llvm/CodeGen/CodeGenTargetMachineImpl.h"
#include <optional>

namespace llvm {

class HeddleTargetMachine : public CodeGenTargetMachineImpl {
  std::unique_ptr<TargetLoweringObjectFile> TLOF;
  HeddleSubtarget Subtarget;
  /// Of functions for which RegisterPressureLevel::FromStart is left out; made
  /// when there is one, since that takes time.
  mutable std::unique_ptr<HeddleSubtarget> AllocatesFromEnd;
  heddle::RegisterPlans Plans;
  heddle::RegisterUses Uses;

public:
  HeddleTargetMachine(const Target &T, const Triple &TT, StringRef CPU,
                      StringRef FS, const TargetOptions &Options,
                      std::optional<Reloc::Model> RM,
                      std::optional<CodeModel::Model> CM, CodeGenOptLevel OL,
                      bool JIT);
  ~HeddleTargetMachine() override;

  const HeddleSubtarget *getSubtargetImpl(const Function &F) const override;
  const HeddleSubtarget &getSubtarget() const { return Subtarget; }

  /// What of heddle/Target/RegisterPlan.h belongs to a target machine.
  void setRegisterPlans(heddle::RegisterPlans New) {
    Plans = std::move(New);
    Uses.clear();
  }
  heddle::RegisterUses takeRegisterUses() {
    Plans = heddle::RegisterPlans();
    return std::exchange(Uses, {});
  }
  void noteRegisterUse(const Function &F, const heddle::RegisterUse &Use) {
    Uses[F.getName()] = Use;
  }

  TargetPassConfig *createPassConfig(PassManagerBase &PM) override;
  /// Null: the scheduler that every target has.
  ScheduleDAGInstrs *
  createMachineScheduler(MachineSchedContext *C) const override;
  ScheduleDAGInstrs *
  createPostMachineScheduler(MachineSchedContext *C) const override;
  MachineFunctionInfo *
  createMachineFunctionInfo(BumpPtrAllocator &Allocator, const Function &F,
                            const TargetSubtargetInfo *STI) const override;
  yaml::MachineFunctionInfo *createDefaultFuncInfoYAML() const override;
  yaml::MachineFunctionInfo *
  convertFuncInfoToYAML(const MachineFunction &MF) const override;
  bool parseMachineFunctionInfo(const yaml::MachineFunctionInfo &Info,
                                PerFunctionMIParsingState &State,
                                SMDiagnostic &Error,
                                SMRange &SourceRange) const override;
  TargetTransformInfo getTargetTransformInfo(const Function &F) const override;
  /// What a function leaves alone is of use to its callers.
  bool useIPRA() const override { return true; }
  void registerEarlyDefaultAliasAnalyses(AAManager &AAM) override;
  TargetLoweringObjectFile *getObjFileLowering() const override {
    return TLOF.get();
  }
  /// The stack is local memory.
  unsigned getAddressSpaceForPseudoSourceKind(unsigned Kind) const override;
  /// Generic and global addresses are the same numbers.
  bool isNoopAddrSpaceCast(unsigned SrcAS, unsigned DestAS) const override {
    return SrcAS <= 1 && DestAS <= 1;
  }
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLETARGETMACHINE_H
