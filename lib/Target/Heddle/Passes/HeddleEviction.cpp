//===- HeddleEviction.cpp - Keep evictions linear --------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where more values live than there are registers, LLVM's register allocator
// evicts the first value that weighs less, which evicts the next that weighs
// less, and so on through a hundred registers for each value that is spilled at
// the end. Here, in a function that evicts much, a value that has evicted
// others some times, since it was evicted as often itself, is spilled.
//
//===----------------------------------------------------------------------===//

#include "Passes/HeddlePasses.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/CodeGen/LiveInterval.h"
#include "llvm/CodeGen/RegAllocEvictionAdvisor.h"
#include "llvm/IR/Module.h"
#include <memory>

using namespace llvm;

namespace {

class EvictionAdvisor : public RegAllocEvictionAdvisor {
public:
  EvictionAdvisor(const MachineFunction &MF, const RAGreedy &RA)
      : RegAllocEvictionAdvisor(MF, RA),
        Default(std::make_unique<DefaultEvictionAdvisor>(MF, RA)) {}

  MCRegister tryFindEvictionCandidate(
      const LiveInterval &VirtReg, const AllocationOrder &Order,
      uint8_t CostPerUseLimit, const SmallVirtRegSet &Fixed) const override;
  bool canEvictHintInterference(const LiveInterval &VirtReg, MCRegister PhysReg,
                                const SmallVirtRegSet &Fixed) const override {
    return Default->canEvictHintInterference(VirtReg, PhysReg, Fixed);
  }

private:
  std::unique_ptr<RegAllocEvictionAdvisor> Default;
  /// How often each register has evicted others, and all of them.
  mutable DenseMap<Register, unsigned> Evictions;
  mutable unsigned NumEvictions = 0;
};

class EvictionAdvisorProvider : public RegAllocEvictionAdvisorProvider {
public:
  explicit EvictionAdvisorProvider(LLVMContext &Context)
      : RegAllocEvictionAdvisorProvider(AdvisorMode::Default, Context) {}
  std::unique_ptr<RegAllocEvictionAdvisor>
  getAdvisor(const MachineFunction &MF, const RAGreedy &RA,
             MachineBlockFrequencyInfo *, MachineLoopInfo *) override {
    return std::make_unique<EvictionAdvisor>(MF, RA);
  }
};

/// Stands in the place of LLVM's own.
class EvictionAnalysis : public RegAllocEvictionAdvisorAnalysisLegacy {
public:
  EvictionAnalysis()
      : RegAllocEvictionAdvisorAnalysisLegacy(AdvisorMode::Default) {}
  bool doInitialization(Module &M) override {
    Provider = std::make_unique<EvictionAdvisorProvider>(M.getContext());
    return false;
  }
};

} // namespace

ImmutablePass *llvm::createHeddleEvictionAnalysis() {
  return new EvictionAnalysis();
}

MCRegister EvictionAdvisor::tryFindEvictionCandidate(
    const LiveInterval &VirtReg, const AllocationOrder &Order,
    uint8_t CostPerUseLimit, const SmallVirtRegSet &Fixed) const {
  // More evictions than a function has whose values nearly fit.
  constexpr unsigned FreeEvictions = 1024;
  constexpr unsigned MaxEvictionsOfOne = 4;
  unsigned &Count = Evictions[VirtReg.reg()];
  if (NumEvictions > FreeEvictions && Count >= MaxEvictionsOfOne &&
      VirtReg.isSpillable())
    return {};
  MCRegister R =
      Default->tryFindEvictionCandidate(VirtReg, Order, CostPerUseLimit, Fixed);
  Count += R.isValid();
  NumEvictions += R.isValid();
  return R;
}
