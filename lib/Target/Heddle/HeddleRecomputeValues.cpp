//===- HeddleRecomputeValues.cpp - Compute values again --------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a function that has spilled, a value that one instruction computes from
// others is computed again in front of its uses, where those are live anyway,
// rather than kept at places where more values are live than there are
// registers. The allocator does that as well, but only for the value whose turn
// it is to be spilled, and by then what it is computed from may be in pieces.
// Here those are taken for which the least code has to be executed again.
//
// Runs in front of the allocation of general registers.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleMachineFunctionInfo.h"
#include "HeddlePasses.h"
#include "HeddleSubtarget.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/VirtRegMap.h"
#include "llvm/InitializePasses.h"
#include <queue>

using namespace llvm;

#define DEBUG_TYPE "heddle-recompute-values"
#define PASS_NAME "Heddle recomputation of values"

namespace {

int registersOf(const MachineFunction &MF, Register R) {
  const TargetRegisterClass *RC = MF.getRegInfo().getRegClass(R);
  if (!Heddle::GPR32RegClass.hasSubClassEq(RC) &&
      !Heddle::GPR64RegClass.hasSubClassEq(RC) &&
      !Heddle::GPR128RegClass.hasSubClassEq(RC))
    return 0;
  return static_cast<int>(
      MF.getSubtarget().getRegisterInfo()->getRegSizeInBits(*RC) / 32);
}

/// How many general registers are live behind each instruction.
class Pressure {
public:
  Pressure(const MachineFunction &MF, LiveIntervals &LIS, int Limit);

  /// At how many places a value that lives there meets too many others.
  unsigned excessOf(const LiveRange &LR) const {
    unsigned Count = 0;
    for (const LiveRange::Segment &S : LR)
      Count += excessOf(S.start, S.end);
    return Count;
  }
  unsigned excessOf(SlotIndex From, SlotIndex To) const {
    return Exceeded[placeOf(To)] - Exceeded[placeOf(From)];
  }
  bool isExceeded() const { return Exceeded.back() != 0; }
  /// Counts Registers more where LR lives; sum has to follow.
  void add(const LiveRange &LR, int Registers) {
    for (const LiveRange::Segment &S : LR) {
      Changes[placeOf(S.start)] += Registers;
      Changes[placeOf(S.end)] -= Registers;
    }
  }
  void sum();

private:
  /// The first that is not in front of I.
  size_t placeOf(SlotIndex I) const {
    return static_cast<size_t>(lower_bound(Places, I) - Places.begin());
  }

  int Limit;
  std::vector<SlotIndex> Places;
  std::vector<int> Changes;       ///< from each place to the next
  std::vector<unsigned> Exceeded; ///< places of too many, in front of each
};

} // namespace

Pressure::Pressure(const MachineFunction &MF, LiveIntervals &LIS, int Limit)
    : Limit(Limit) {
  for (const MachineBasicBlock &MBB : MF)
    for (const MachineInstr &MI : MBB)
      if (!MI.isDebugInstr())
        Places.push_back(LIS.getInstructionIndex(MI).getRegSlot());
  Changes.resize(Places.size() + 1);
  Exceeded.resize(Places.size() + 1);
  const MachineRegisterInfo &MRI = MF.getRegInfo();
  for (unsigned I = 0, E = MRI.getNumVirtRegs(); I != E; ++I) {
    Register R = Register::index2VirtReg(I);
    if (!MRI.reg_nodbg_empty(R) && LIS.hasInterval(R))
      add(LIS.getInterval(R), registersOf(MF, R));
  }
  sum();
}

void Pressure::sum() {
  int Live = 0;
  for (size_t I = 0; I != Places.size(); ++I) {
    Live += Changes[I];
    Exceeded[I + 1] = Exceeded[I] + (Live > Limit);
  }
}

namespace {

class HeddleRecomputeValues : public MachineFunctionPass {
public:
  static char ID;
  HeddleRecomputeValues() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.setPreservesAll();
    AU.addRequired<LiveIntervalsWrapperPass>();
    AU.addRequired<MachineBlockFrequencyInfoWrapperPass>();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  bool runOnMachineFunction(MachineFunction &Fn) override;

private:
  /// Uses of a value, one behind the other in a block, in front of the first of
  /// which it is computed.
  using Cluster = SmallVector<MachineInstr *, 2>;
  /// A value, and where it would be computed again.
  struct Candidate {
    Register Value;
    unsigned Excess = 0;
    double Cost = 0;
    SmallVector<Cluster, 4> Clusters;
    /// As much as possible for as little as possible; of equals the first.
    bool operator<(const Candidate &Other) const {
      double Mine = Excess / Cost, Others = Other.Excess / Other.Cost;
      return Mine != Others ? Mine < Others : Value > Other.Value;
    }
  };

  bool isCandidate(Register R) const;
  bool isComputableAt(const MachineInstr &Def, const MachineInstr &Use) const;
  std::optional<Candidate> find(Register R) const;
  void recompute(const Candidate &C);
  bool recomputeBest(DenseSet<Register> &Values);
  void shrink(Register R);

  MachineFunction *MF = nullptr;
  MachineRegisterInfo *MRI = nullptr;
  const TargetInstrInfo *TII = nullptr;
  LiveIntervals *LIS = nullptr;
  const MachineBlockFrequencyInfo *Frequencies = nullptr;
  std::optional<Pressure> Live;
};

} // namespace

bool HeddleRecomputeValues::isCandidate(Register R) const {
  if (!MRI->hasOneDef(R) || MRI->use_nodbg_empty(R) || !LIS->hasInterval(R) ||
      !registersOf(*MF, R) || LIS->getInterval(R).getNumValNums() != 1)
    return false;
  const MachineOperand &MO = *MRI->def_begin(R);
  return !MO.getSubReg() && TII->isReMaterializable(*MO.getParent());
}

/// Whether all that Def reads is live in front of Use, with the same values.
bool HeddleRecomputeValues::isComputableAt(const MachineInstr &Def,
                                           const MachineInstr &Use) const {
  SlotIndex From = LIS->getInstructionIndex(Def).getRegSlot(/*EC=*/true);
  SlotIndex To = LIS->getInstructionIndex(Use).getBaseIndex();
  return all_of(Def.all_uses(), [&](const MachineOperand &MO) {
    Register R = MO.getReg();
    if (!R.isVirtual())
      return true; // or else it could not be computed anywhere
    const LiveInterval &LI = LIS->getInterval(R);
    const VNInfo *VN = LI.getVNInfoAt(From);
    // Of parts of registers it is not known which are live.
    return VN && !LI.hasSubRanges() && LI.getVNInfoAt(To) == VN;
  });
}

std::optional<HeddleRecomputeValues::Candidate>
HeddleRecomputeValues::find(Register R) const {
  const LiveInterval &LI = LIS->getInterval(R);
  Candidate C;
  C.Value = R;
  C.Excess = Live->excessOf(LI);
  if (!C.Excess)
    return std::nullopt;
  const MachineInstr &Def = *MRI->getOneDef(R)->getParent();
  SmallVector<MachineInstr *> Uses;
  for (MachineInstr &Use : MRI->use_nodbg_instructions(R))
    if (!is_contained(Uses, &Use))
      Uses.push_back(&Use);
  auto IndexOf = [&](const MachineInstr *MI) {
    return LIS->getInstructionIndex(*MI).getRegSlot();
  };
  llvm::sort(Uses, [&](const MachineInstr *A, const MachineInstr *B) {
    return IndexOf(A) < IndexOf(B);
  });
  const MachineInstr *Before = &Def;
  bool IsFirst = true; // those that keep their value
  for (MachineInstr *Use : Uses) {
    bool StaysNear = Use->getParent() == Before->getParent() &&
                     IndexOf(Before) < IndexOf(Use) &&
                     !Live->excessOf(IndexOf(Before), IndexOf(Use));
    Before = Use;
    if (StaysNear) {
      if (!IsFirst)
        C.Clusters.back().push_back(Use);
      continue;
    }
    IsFirst = false;
    if (Use->isTerminator() || !isComputableAt(Def, *Use))
      return std::nullopt;
    C.Clusters.push_back({Use});
    C.Cost += Frequencies->getBlockFreqRelativeToEntryBlock(Use->getParent());
  }
  // Where it is computed it is live all the same.
  if (C.Clusters.empty() || C.Excess <= C.Clusters.size())
    return std::nullopt;
  C.Excess -= C.Clusters.size();
  return C;
}

/// Lets R live no longer than its uses. A value without any is not computed.
void HeddleRecomputeValues::shrink(Register R) {
  LiveInterval &LI = LIS->getInterval(R);
  int Registers = registersOf(*MF, R);
  Live->add(LI, -Registers);
  if (!MRI->use_nodbg_empty(R) || !MRI->hasOneDef(R) ||
      !TII->isReMaterializable(*MRI->getOneDef(R)->getParent())) {
    SmallVector<LiveInterval *> Parts;
    if (LIS->shrinkToUses(&LI))
      LIS->splitSeparateComponents(LI, Parts);
    Parts.push_back(&LI);
    for (const LiveInterval *Part : Parts)
      Live->add(*Part, Registers);
    return;
  }
  MachineInstr &Def = *MRI->getOneDef(R)->getParent();
  SmallVector<Register> Operands;
  for (const MachineOperand &MO : Def.all_uses())
    if (MO.getReg().isVirtual() && !is_contained(Operands, MO.getReg()))
      Operands.push_back(MO.getReg());
  LIS->RemoveMachineInstrFromMaps(Def);
  Def.eraseFromParent();
  LIS->removeInterval(R);
  for (Register Operand : Operands)
    shrink(Operand);
}

void HeddleRecomputeValues::recompute(const Candidate &C) {
  MachineInstr &Def = *MRI->getOneDef(C.Value)->getParent();
  for (const Cluster &Uses : C.Clusters) {
    Register Again = MRI->cloneVirtualRegister(C.Value);
    MachineInstr *MI = MF->CloneMachineInstr(&Def);
    MI->clearRegisterDeads(C.Value);
    MI->clearKillInfo();
    MI->substituteRegister(C.Value, Again, 0,
                           *MF->getSubtarget().getRegisterInfo());
    Uses.front()->getParent()->insert(Uses.front(), MI);
    LIS->InsertMachineInstrInMaps(*MI);
    for (MachineInstr *Use : Uses)
      for (MachineOperand &MO : Use->all_uses())
        if (MO.getReg() == C.Value)
          MO.setReg(Again);
    Live->add(LIS->createAndComputeVirtRegInterval(Again),
              registersOf(*MF, Again));
  }
  for (const MachineOperand &MO : Def.all_uses())
    if (MO.getReg().isVirtual())
      MRI->clearKillFlags(MO.getReg());
  shrink(C.Value);
}

/// As long as there are too many values. What a candidate gives mostly gets
/// less when others are taken; what could not be computed again may be so then.
bool HeddleRecomputeValues::recomputeBest(DenseSet<Register> &Values) {
  std::priority_queue<Candidate> Queue;
  for (Register R : Values)
    if (isCandidate(R))
      if (std::optional<Candidate> C = find(R))
        Queue.push(*C);
  bool Changed = false;
  while (Live->isExceeded() && !Queue.empty()) {
    Register R = Queue.top().Value;
    Queue.pop();
    std::optional<Candidate> Now;
    if (isCandidate(R))
      Now = find(R);
    if (!Now)
      continue;
    if (!Queue.empty() && *Now < Queue.top()) {
      Queue.push(*Now);
      continue;
    }
    Values.erase(R);
    recompute(*Now);
    Live->sum();
    Changed = true;
  }
  return Changed;
}

bool HeddleRecomputeValues::runOnMachineFunction(MachineFunction &Fn) {
  if (Fn.getInfo<HeddleMachineFunctionInfo>()->Frugal ==
      heddle::Frugality::None)
    return false;
  MF = &Fn;
  MRI = &Fn.getRegInfo();
  TII = Fn.getSubtarget().getInstrInfo();
  LIS = &getAnalysis<LiveIntervalsWrapperPass>().getLIS();
  Frequencies = &getAnalysis<MachineBlockFrequencyInfoWrapperPass>().getMBFI();
  int Registers = static_cast<int>(count_if(
      Heddle::GPR32RegClass, [&](MCPhysReg R) { return !MRI->isReserved(R); }));
  // One is left for what an instruction defines before it has read all.
  Live.emplace(Fn, *LIS, Registers - 1);
  // Each is computed again once, and what is made for that not at all.
  DenseSet<Register> Values;
  for (unsigned I = 0, E = MRI->getNumVirtRegs(); I != E; ++I)
    if (Register R = Register::index2VirtReg(I); isCandidate(R))
      Values.insert(R);
  constexpr unsigned MaxRounds = 4;
  bool Changed = false;
  for (unsigned Round = 0; Round != MaxRounds && Live->isExceeded(); ++Round) {
    if (!recomputeBest(Values))
      break;
    Changed = true;
  }
  if (Changed)
    if (auto *VRM = getAnalysisIfAvailable<VirtRegMapWrapperLegacy>())
      VRM->getVRM().grow();
  return Changed;
}

char HeddleRecomputeValues::ID = 0;
INITIALIZE_PASS_BEGIN(HeddleRecomputeValues, DEBUG_TYPE, PASS_NAME, false,
                      false)
INITIALIZE_PASS_DEPENDENCY(LiveIntervalsWrapperPass)
INITIALIZE_PASS_DEPENDENCY(MachineBlockFrequencyInfoWrapperPass)
INITIALIZE_PASS_END(HeddleRecomputeValues, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleRecomputeValuesPass() {
  return new HeddleRecomputeValues();
}
