//===- HeddleWarpPlacement.cpp - Blocks placed for warps --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A profile's branch weights count threads. Placement and fetching of code
// depend on warps: a block that one thread of each warp goes to is executed as
// often as a block that all threads go to, and must not be placed with rare
// code behind the function's end. While blocks are placed, the probabilities of
// divergent branches are therefore shares of warps. Afterwards the
// probabilities are shares of threads again.
//
// A launch whose warps go around a loop has little else to do, so that a wait
// for the code behind the loop is a large part of its time; one whose warps go
// through the loop hardly sees the wait for a distant one. So loops that are
// longer than what is fetched along stand in the way only of few warps.
//
// Exits of loops keep their probabilities: a warp whose threads reach a loop's
// exit one after the other leaves the loop once.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleMachineFunctionInfo.h"
#include "Passes/HeddlePasses.h"
#include "heddle/IR/ProfileMetadata.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineBranchProbabilityInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachinePostDominators.h"
#include "llvm/InitializePasses.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-warp-placement"
#define PASS_NAME "Heddle placement of blocks for warps"

namespace {

class HeddleWarpPlacement : public MachineFunctionPass {
public:
  static char ID;
  explicit HeddleWarpPlacement(bool Restore = false)
      : MachineFunctionPass(ID), Restore(Restore) {}

  StringRef getPassName() const override { return PASS_NAME; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesAll(); // It brings the frequencies up to date itself.
    if (!Restore) {
      AU.addRequired<MachineBlockFrequencyInfoWrapperPass>();
      AU.addRequired<MachineBranchProbabilityInfoWrapperPass>();
      AU.addRequired<MachineLoopInfoWrapperPass>();
      AU.addRequired<MachinePostDominatorTreeWrapperPass>();
    }
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &MF) override {
    return MF.getFunction().hasProfileData() &&
           (Restore ? restore(MF) : countWarps(MF));
  }

private:
  bool countWarps(MachineFunction &MF);
  static bool restore(MachineFunction &MF);

  bool Restore;
};

/// The cost for a warp to go to a distant block and back, in units of a jump
/// around a near block: two branches, and the wait for code that is rarely in
/// the instruction cache.
constexpr double Elsewhere = 6;

/// The same for a warp to pass by a long loop that stands in its way.
constexpr double PastLoop = 24;
/// Instructions, most of 8 bytes, in the lines of 128 bytes that are fetched
/// along with the one in front of them (FetchAheadLines of the chips).
constexpr unsigned FetchedAlong = 4 * 128 / 8;

/// The block of IR whose branch is between two blocks. It is another than that
/// of the machine block where guards have made one block of several.
const BasicBlock *branchBetween(const MachineBasicBlock &From,
                                const BasicBlock *First,
                                const BasicBlock *Second) {
  if (!First || !Second)
    return nullptr;
  for (const BasicBlock *B :
       {From.getBasicBlock(), First->getSinglePredecessor(),
        Second->getSinglePredecessor()})
    if (B && is_contained(successors(B), First) &&
        is_contained(successors(B), Second))
      return B;
  return nullptr;
}

/// The block of IR that a way to a machine block leads to. A block on a split
/// edge is of none, and leads to that behind the edge.
const BasicBlock *blockOfWay(const MachineBasicBlock &To) {
  const MachineBasicBlock *Behind = &To;
  if (!To.getBasicBlock() && To.pred_size() == 1 && To.succ_size() == 1)
    Behind = *To.succ_begin();
  return Behind->getBasicBlock();
}

/// The share of the CTAs of which some warp goes to a block that a share of the
/// warps goes to, at most.
double ofCTAs(double OfWarps) {
  constexpr double MostWarps = 32;
  return std::min(1.0, MostWarps * OfWarps);
}

/// How often a side way that leads to Join is gone, from 0 to 1. All warps of a
/// CTA wait behind it, if they meet there, for the one that has gone it.
double shareOfWay(double OfWarps, const MachineBasicBlock &Join) {
  bool Meets = any_of(Join, [](const MachineInstr &MI) {
    return MI.getOpcode() == Heddle::BAR_r || MI.getOpcode() == Heddle::BAR_i;
  });
  return Meets ? ofCTAs(OfWarps) : OfWarps;
}

/// Whether a side way leads through a long loop, and is come to once. In a
/// loop, code is waited for the first time only.
bool isLongLoop(const MachineBasicBlock &From, const MachineBasicBlock &Side,
                const MachineLoopInfo &Loops) {
  if (Loops.getLoopFor(&From))
    return false;
  size_t Size = 0;
  auto Add = [&](const MachineBasicBlock &B) {
    Size += count_if(
        B, [](const MachineInstr &MI) { return !MI.isMetaInstruction(); });
  };
  const MachineBasicBlock *B = &Side;
  for (; !Loops.isLoopHeader(B) && B->succ_size() == 1; B = *B->succ_begin())
    Add(*B);
  if (!Loops.isLoopHeader(B))
    return false;
  for (const MachineBasicBlock *InLoop : Loops.getLoopFor(B)->blocks())
    Add(*InLoop);
  return Size > FetchedAlong;
}

/// The weights of a side way that a share of the warps goes, and of passing it
/// by.
std::pair<double, double> weighSide(const MachineBasicBlock &From,
                                    const MachineBasicBlock &Side, double Share,
                                    const MachineLoopInfo &Loops) {
  double Past = isLongLoop(From, Side, Loops) ? PastLoop : 1;
  return {Elsewhere * Share, Past * (1 - Share)};
}

/// The weights of a block's two edges by warps; nothing if the weights by
/// threads are the same.
std::optional<std::pair<double, double>>
weighWays(const MachineBasicBlock &From, const MachinePostDominatorTree &PDT,
          const MachineLoopInfo &Loops) {
  const MachineBasicBlock *First = *From.succ_begin(),
                          *Second = *std::next(From.succ_begin());
  const BasicBlock *ToFirst = blockOfWay(*First),
                   *ToSecond = blockOfWay(*Second);
  const BasicBlock *Branch = branchBetween(From, ToFirst, ToSecond);
  std::optional<double> S0 = heddle::ir::shareOfWarps(Branch, ToFirst),
                        S1 = heddle::ir::shareOfWarps(Branch, ToSecond);
  if (!S0 || !S1)
    return std::nullopt;
  // A side way that some warps take and others pass by is one even if no warp
  // does both.
  if (PDT.dominates(Second, First))
    return weighSide(From, *First, shareOfWay(*S0, *Second), Loops);
  if (PDT.dominates(First, Second)) {
    auto [Goes, Passes] =
        weighSide(From, *Second, shareOfWay(*S1, *First), Loops);
    return std::pair(Passes, Goes);
  }
  if (*S0 + *S1 <= 1) // Nobody goes both ways.
    return std::nullopt;
  return std::pair(*S0, *S1);
}

void setFirst(MachineBasicBlock &From, BranchProbability First) {
  From.setSuccProbability(From.succ_begin(), First);
  From.setSuccProbability(std::next(From.succ_begin()), First.getCompl());
}

} // namespace

bool HeddleWarpPlacement::countWarps(MachineFunction &MF) {
  auto &Loops = getAnalysis<MachineLoopInfoWrapperPass>().getLI();
  auto &PDT =
      getAnalysis<MachinePostDominatorTreeWrapperPass>().getPostDomTree();
  auto *Info = MF.getInfo<HeddleMachineFunctionInfo>();
  for (MachineBasicBlock &From : MF) {
    if (From.succ_size() != 2 || !From.hasSuccessorProbabilities())
      continue;
    const MachineLoop *L = Loops.getLoopFor(&From);
    bool Leaves = any_of(From.successors(), [&](const MachineBasicBlock *To) {
      return Loops.getLoopFor(To) != L || Loops.isLoopHeader(To);
    });
    if (Leaves)
      continue;
    auto Ways = weighWays(From, PDT, Loops);
    if (!Ways)
      continue;
    Info->OfThreads.push_back({&From, *From.succ_begin(),
                               *std::next(From.succ_begin()),
                               From.getSuccProbability(From.succ_begin())});
    constexpr uint32_t Parts = 1 << 20;
    double Share = Ways->first / (Ways->first + Ways->second);
    setFirst(From,
             BranchProbability(static_cast<uint32_t>(Share * Parts), Parts));
  }
  if (!Info->OfThreads.empty())
    getAnalysis<MachineBlockFrequencyInfoWrapperPass>().getMBFI().calculate(
        MF, getAnalysis<MachineBranchProbabilityInfoWrapperPass>().getMBPI(),
        Loops);
  return !Info->OfThreads.empty();
}

/// Blocks may have been taken away, or have other successors now.
bool HeddleWarpPlacement::restore(MachineFunction &MF) {
  auto *Info = MF.getInfo<HeddleMachineFunctionInfo>();
  DenseMap<const MachineBasicBlock *, size_t> Known;
  for (const auto &[I, Branch] : enumerate(Info->OfThreads))
    Known[Branch.From] = I;
  for (MachineBasicBlock &From : MF) {
    auto Found = Known.find(&From);
    if (Found == Known.end() || From.succ_size() != 2)
      continue;
    const auto &Branch = Info->OfThreads[Found->second];
    const MachineBasicBlock *First = *From.succ_begin(),
                            *Second = *std::next(From.succ_begin());
    if (First == Branch.First && Second == Branch.Second)
      setFirst(From, Branch.ToFirst);
    else if (First == Branch.Second && Second == Branch.First)
      setFirst(From, Branch.ToFirst.getCompl());
  }
  Info->OfThreads.clear();
  return false;
}

char HeddleWarpPlacement::ID = 0;
INITIALIZE_PASS_BEGIN(HeddleWarpPlacement, DEBUG_TYPE, PASS_NAME, false, false)
INITIALIZE_PASS_DEPENDENCY(MachineBlockFrequencyInfoWrapperPass)
INITIALIZE_PASS_DEPENDENCY(MachineBranchProbabilityInfoWrapperPass)
INITIALIZE_PASS_DEPENDENCY(MachineLoopInfoWrapperPass)
INITIALIZE_PASS_DEPENDENCY(MachinePostDominatorTreeWrapperPass)
INITIALIZE_PASS_END(HeddleWarpPlacement, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleWarpPlacementPass(bool Restore) {
  return new HeddleWarpPlacement(Restore);
}
