//===- HeddleMachineFunctionInfo.h - What passes decide --------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is decided of a function before its code is generated, and what a pass
// over machine code decides for the passes behind it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEMACHINEFUNCTIONINFO_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEMACHINEFUNCTIONINFO_H

#include "SinglePass/SinglePass.h"
#include "heddle/Target/RegisterPlan.h"
#include "llvm/CodeGen/MIRYamlMapping.h"
#include "llvm/CodeGen/MachineFunction.h"

namespace llvm {

class LiveIntervals;

struct HeddleMachineFunctionInfo final : MachineFunctionInfo {
  HeddleMachineFunctionInfo(const Function &, const TargetSubtargetInfo *) {}
  MachineFunctionInfo *
  clone(BumpPtrAllocator &Allocator, MachineFunction &To,
        const DenseMap<MachineBasicBlock *, MachineBasicBlock *> &)
      const override {
    return To.cloneInfo<HeddleMachineFunctionInfo>(*this);
  }

  /// The function's code, if it was generated in one pass; there are no machine
  /// instructions then.
  std::shared_ptr<const heddle::singlepass::Code> Generated;

  /// What is decided of the function's registers.
  heddle::RegisterPlan Registers;

  /// Registers that what is mostly executed is content with, where fewer of
  /// them let a core have more warps; 0: no such limit.
  unsigned ProfiledRegisterLimit = 0;

  /// Registers that values take in turn; 0: each takes the first that is free.
  unsigned SpreadOver = 0;
  /// Where values live, for the allocation in which they take them so.
  const LiveIntervals *Lives = nullptr;

  /// Whether R1 is the stack pointer, and not a register like the others.
  bool HasStackPointer = true;

  /// Blocks that values live in for which the allocator looked for regions to
  /// divide them by, together.
  mutable uint64_t BlocksDivided = 0;

  /// Whether blocks stay in their order, since there are too many to place.
  bool IsPlacedAsWritten = false;

  /// A branch while blocks are placed for warps, with the share of the threads
  /// that take its first side.
  struct BranchOfThreads {
    const MachineBasicBlock *From, *First, *Second;
    BranchProbability ToFirst;
  };
  SmallVector<BranchOfThreads> OfThreads;

  /// A stack slot that is kept in shared memory: where the first thread has it.
  struct SharedSlot {
    int Slot;
    uint64_t Start, BytesPerThread;
  };
  SmallVector<SharedSlot, 0> SharedSlots;

  /// A debug value that is out of the function while instructions are
  /// scheduled.
  struct DetachedValue {
    MachineInstr *Value;
    /// The instruction in front of it, by its number; 0: the block's begin.
    unsigned Behind = 0;
    /// The units of its registers and its stack slot, each with the instruction
    /// of the block that has written it last, by its number; 0: the value came
    /// into the block.
    SmallVector<std::pair<unsigned, unsigned>, 4> Writers;
  };
  /// By number of the block.
  std::vector<std::vector<DetachedValue>> DetachedValues;
};

namespace yaml {

/// What of it files of machine code (.mir) state.
struct HeddleMachineFunctionInfo final : MachineFunctionInfo {
  UnsignedValue PressureLevel; ///< with its place
  unsigned RegisterLimit;
  bool SpreadsRegisters, BalancesPipes, HidesMemory;
  bool HasStackPointer;

  explicit HeddleMachineFunctionInfo(const heddle::RegisterPlan &Plan,
                                     bool HasStackPointer = true)
      : PressureLevel(static_cast<unsigned>(Plan.Level)),
        RegisterLimit(Plan.Limit), SpreadsRegisters(Plan.SpreadsRegisters),
        BalancesPipes(Plan.BalancesPipes), HidesMemory(Plan.HidesMemory),
        HasStackPointer(HasStackPointer) {}
  void mappingImpl(IO &Input) override;
};

} // namespace yaml

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEMACHINEFUNCTIONINFO_H
