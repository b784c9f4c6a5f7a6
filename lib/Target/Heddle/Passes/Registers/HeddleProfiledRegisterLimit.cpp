//===- HeddleProfiledRegisterLimit.cpp - Registers of hot code --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The number of warps on a core depends on the registers of a whole kernel, and
// the peak may be where nearly no thread ever goes: the report of an error, the
// slow path of a function, the code for rare arguments. Where a profile says
// so, the kernel gets as many registers as its hot code needs. The allocator,
// which knows the same frequencies, then spills in the cold code.
//
// Where values take registers in turn, they take as many as cost no warps. So
// many are allowed, and gaps may cost some warps where launches have so few
// threads that they all fit anyway.
//
// Runs in front of the allocation of general registers.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleMachineFunctionInfo.h"
#include "HeddleOccupancy.h"
#include "HeddleRegisterInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/HeddlePasses.h"
#include "heddle/IR/Kernels.h"
#include "heddle/IR/ProfileMetadata.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineOptimizationRemarkEmitter.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/InitializePasses.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-profiled-register-limit"
#define PASS_NAME "Heddle registers for hot code"

namespace {

/// Code is cold where fewer than this share of the threads go: so few that even
/// if each is of another warp, most warps pass by.
constexpr double Cold = 1.0 / 64;

/// The registers of an allocation for \p Live values live at once: the stack
/// pointer and gaps between aligned groups are added.
constexpr unsigned withGaps(unsigned Live) { return Live + 4 + Live / 16; }

class HeddleProfiledRegisterLimit : public MachineFunctionPass {
public:
  static char ID;
  HeddleProfiledRegisterLimit() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesAll();
    AU.addRequired<LiveIntervalsWrapperPass>();
    AU.addRequired<MachineBlockFrequencyInfoWrapperPass>();
    AU.addRequired<MachineOptimizationRemarkEmitterPass>();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override;

private:
  void spread(MachineFunction &MF, unsigned Live, unsigned Limit);
};

/// The registers that live at a time, at most.
struct Pressure {
  unsigned Hot = 0, All = 0;
};

/// Counts the general registers that are given to values at each place.
class PressureCounter {
public:
  PressureCounter(const MachineFunction &MF, LiveIntervals &LIS)
      : MF(MF), LIS(LIS) {}
  Pressure count(const MachineBlockFrequencyInfo &Frequencies);

private:
  using Event = std::pair<SlotIndex, int>;
  void addEvents();

  const MachineFunction &MF;
  LiveIntervals &LIS;
  std::vector<Event> Events;
};

} // namespace

void PressureCounter::addEvents() {
  const MachineRegisterInfo &MRI = MF.getRegInfo();
  const TargetRegisterInfo &TRI = *MF.getSubtarget().getRegisterInfo();
  for (unsigned I = 0, E = MRI.getNumVirtRegs(); I != E; ++I) {
    Register R = Register::index2VirtReg(I);
    if (MRI.reg_nodbg_empty(R) || !LIS.hasInterval(R))
      continue;
    const TargetRegisterClass *RC = MRI.getRegClass(R);
    if (!HeddleRegisterInfo::isGeneral(*RC))
      continue;
    int Registers = TRI.getRegSizeInBits(*RC) / 32;
    for (const LiveRange::Segment &S : LIS.getInterval(R)) {
      Events.push_back({S.start, Registers});
      Events.push_back({S.end, -Registers});
    }
  }
  // A range that ends at a place makes room for one that starts there.
  llvm::sort(Events);
}

Pressure PressureCounter::count(const MachineBlockFrequencyInfo &Frequencies) {
  addEvents();
  Pressure P;
  unsigned Live = 0;
  auto Next = Events.begin();
  double Entry = static_cast<double>(Frequencies.getEntryFreq().getFrequency());
  // Blocks are numbered in their order.
  for (const MachineBasicBlock &MBB : MF) {
    SlotIndex Begin = LIS.getMBBStartIdx(&MBB), End = LIS.getMBBEndIdx(&MBB);
    for (; Next != Events.end() && Next->first <= Begin; ++Next)
      Live += Next->second;
    unsigned Most = Live;
    for (; Next != Events.end() && Next->first < End; ++Next) {
      Live += Next->second;
      Most = std::max(Most, Live);
    }
    P.All = std::max(P.All, Most);
    if (static_cast<double>(Frequencies.getBlockFreq(&MBB).getFrequency()) >=
        Cold * Entry)
      P.Hot = std::max(P.Hot, Most);
  }
  return P;
}

/// How often launches must fill the chip. If nearly all threads run at once,
/// more warps help little, and a launch ends with the one that goes where
/// registers are short; and how many of these fit is an estimate.
static constexpr double LeastWaves = 1.25;

/// Whether launches have more threads than the chip takes at a time.
static bool wantsMoreWarps(const Function &F, const heddle::isa::ChipInfo &Chip,
                           unsigned Warps) {
  std::optional<double> Threads = heddle::ir::threadsOfLaunch(F);
  return !Threads || *Threads > LeastWaves * Warps * WarpThreads * Chip.Cores;
}

/// The registers that a kernel with so many live values may have without fewer
/// warps.
static unsigned registersInTurn(const Function &F,
                                const heddle::isa::ChipInfo &Chip,
                                unsigned Live, unsigned Limit) {
  unsigned Most = getMostRegisters(Chip, F, std::min(Limit, withGaps(Live)));
  if (wantsMoreWarps(F, Chip, getWarpsPerCore(Chip, F, Most)))
    Most = getMostRegisters(Chip, F, std::min(Limit, Live));
  return std::min(Limit, Most);
}

/// Has values take registers in turn.
void HeddleProfiledRegisterLimit::spread(MachineFunction &MF, unsigned Live,
                                         unsigned Limit) {
  auto *Info = MF.getInfo<HeddleMachineFunctionInfo>();
  Info->SpreadOver = registersInTurn(
      MF.getFunction(), MF.getSubtarget<HeddleSubtarget>().getChip(), Live,
      Limit);
  Info->ProfiledRegisterLimit = Info->SpreadOver;
  Info->Lives = &getAnalysis<LiveIntervalsWrapperPass>().getLIS();
  using NV = DiagnosticInfoOptimizationBase::Argument;
  getAnalysis<MachineOptimizationRemarkEmitterPass>().getORE().emit([&] {
    return MachineOptimizationRemarkAnalysis(DEBUG_TYPE, "RegistersInTurn",
                                             DebugLoc(), &MF.front())
           << "values take " << NV("Registers", Info->SpreadOver)
           << " registers in turn, " << NV("Live", Live) << " at a time";
  });
}

bool HeddleProfiledRegisterLimit::runOnMachineFunction(MachineFunction &MF) {
  const Function &F = MF.getFunction();
  // The registers of callees count as the kernel's, too.
  if (!F.hasProfileData() || !heddle::ir::isKernel(F) ||
      MF.getFrameInfo().hasCalls())
    return false;
  Pressure P =
      PressureCounter(MF, getAnalysis<LiveIntervalsWrapperPass>().getLIS())
          .count(getAnalysis<MachineBlockFrequencyInfoWrapperPass>().getMBFI());
  const heddle::isa::ChipInfo &Chip =
      MF.getSubtarget<HeddleSubtarget>().getChip();
  unsigned Limit = HeddleRegisterInfo::getRegisterLimit(MF);
  unsigned Hot = std::min(Limit, withGaps(P.Hot));
  unsigned Before = getWarpsPerCore(Chip, F, std::min(Limit, withGaps(P.All)));
  unsigned Warps = getWarpsPerCore(Chip, F, Hot);
  auto *Info = MF.getInfo<HeddleMachineFunctionInfo>();
  if (Warps <= Before || !wantsMoreWarps(F, Chip, Before)) {
    if (Info->Registers.SpreadsRegisters)
      spread(MF, P.All, Limit);
    return false;
  }
  Info->ProfiledRegisterLimit = getMostRegisters(Chip, F, Hot);
  using NV = DiagnosticInfoOptimizationBase::Argument;
  getAnalysis<MachineOptimizationRemarkEmitterPass>().getORE().emit([&] {
    return MachineOptimizationRemarkAnalysis(
               DEBUG_TYPE, "ProfiledRegisterLimit", DebugLoc(), &MF.front())
           << "at most " << NV("Registers", Info->ProfiledRegisterLimit)
           << " registers, for " << NV("Warps", Warps)
           << " warps of a core in place of " << NV("Before", Before)
           << ": only cold code needs more";
  });
  return false;
}

char HeddleProfiledRegisterLimit::ID = 0;
INITIALIZE_PASS_BEGIN(HeddleProfiledRegisterLimit, DEBUG_TYPE, PASS_NAME, false,
                      true)
INITIALIZE_PASS_DEPENDENCY(LiveIntervalsWrapperPass)
INITIALIZE_PASS_DEPENDENCY(MachineBlockFrequencyInfoWrapperPass)
INITIALIZE_PASS_DEPENDENCY(MachineOptimizationRemarkEmitterPass)
INITIALIZE_PASS_END(HeddleProfiledRegisterLimit, DEBUG_TYPE, PASS_NAME, false,
                    true)

FunctionPass *llvm::createHeddleProfiledRegisterLimitPass() {
  return new HeddleProfiledRegisterLimit();
}
