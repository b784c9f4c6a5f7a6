//===- HeddleRecomputeValues.cpp - Compute values again --------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a function that has spilled, a value that a few instructions compute from
// other values is computed again in front of its uses, where its operands are
// live anyway, rather than kept at places where more values are live than there
// are registers. Where many values have the same operands, as addresses of an
// array have, the operands are kept for longer instead of the values. The
// allocator rematerialises as well, but by one instruction only and only the
// value that it is about to spill, when the operands may already be split. This
// pass takes the values for which the least code has to be executed again.
//
// Runs in front of the allocation of general registers.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleMachineFunctionInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/HeddlePasses.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/CodeGen/LiveIntervals.h"
#include "llvm/CodeGen/MachineBlockFrequencyInfo.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/CodeGen/VirtRegMap.h"
#include "llvm/InitializePasses.h"
#include <map>
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

/// How many general registers are live behind each instruction. A value of
/// several registers counts in full, since other values hardly fit into the
/// gaps of one that is partly dead.
class Pressure {
public:
  Pressure(const MachineFunction &MF, LiveIntervals &LIS);

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
  void setLimit(int Registers) {
    Limit = Registers;
    sum();
  }
  bool isExceeded() const { return Exceeded.back() != 0; }
  /// Counts LI, and no longer does; sum has to follow.
  void add(const LiveInterval &LI) {
    add(Changes, LI, registersOf(MF, LI.reg()));
  }
  void remove(const LiveInterval &LI) {
    add(Changes, LI, -registersOf(MF, LI.reg()));
  }
  void sum();
  /// A value that is live at certain places, and takes so many registers.
  using Lives = std::pair<const LiveRange *, int>;
  /// By how much there are too many, over all places.
  int64_t overflow() const { return overflowIf({}, {}, {}); }
  /// The same if Gone were not live, and Longer were wherever Covered are.
  int64_t overflowIf(ArrayRef<Lives> Gone, ArrayRef<Lives> Longer,
                     ArrayRef<const LiveRange *> Covered) const;

private:
  using ByPlace = std::vector<int>;
  void add(ByPlace &Sums, const LiveRange &LR, int Value) const {
    for (const LiveRange::Segment &S : LR) {
      Sums[placeOf(S.start)] += Value;
      Sums[placeOf(S.end)] -= Value;
    }
  }
  /// The first that is not in front of I.
  size_t placeOf(SlotIndex I) const {
    return static_cast<size_t>(lower_bound(Places, I) - Places.begin());
  }

  const MachineFunction &MF;
  int Limit = 0;
  std::vector<SlotIndex> Places;
  ByPlace Changes;                ///< from each place to the next
  std::vector<unsigned> Exceeded; ///< places of too many, in front of each
};

} // namespace

Pressure::Pressure(const MachineFunction &MF, LiveIntervals &LIS) : MF(MF) {
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
      add(LIS.getInterval(R));
  }
}

void Pressure::sum() {
  int Live = 0;
  for (size_t I = 0; I != Places.size(); ++I) {
    Live += Changes[I];
    Exceeded[I + 1] = Exceeded[I] + (Live > Limit);
  }
}

int64_t Pressure::overflowIf(ArrayRef<Lives> Gone, ArrayRef<Lives> Longer,
                             ArrayRef<const LiveRange *> Covered) const {
  ByPlace Then = Changes, Cover(Changes.size());
  for (auto [LR, Registers] : Gone)
    add(Then, *LR, -Registers);
  for (const LiveRange *LR : Covered)
    add(Cover, *LR, 1);
  for (size_t I = 1; I < Changes.size(); ++I) {
    Then[I] += Then[I - 1];
    Cover[I] += Cover[I - 1];
  }
  for (auto [LR, Registers] : Longer) {
    ByPlace Is(Changes.size());
    add(Is, *LR, 1);
    int Live = 0;
    for (size_t I = 0; I != Changes.size(); ++I) {
      Live += Is[I];
      if (Cover[I] && !Live)
        Then[I] += Registers;
    }
  }
  int64_t Sum = 0;
  for (int Live : Then)
    Sum += std::max(0, Live - Limit);
  return Sum;
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
  using RegisterList = SmallVector<Register, 4>;
  /// Values, at least, for each register that lives longer for them.
  static constexpr int EnoughSharers = 4;
  /// Instructions, each behind the definitions of its operands; the last one
  /// computes the value.
  using Recipe = SmallVector<MachineInstr *, 4>;
  /// Uses of a value, one behind the other in a block, in front of the first of
  /// which it is computed.
  struct Cluster {
    SmallVector<MachineInstr *, 2> Uses;
    Recipe Again;
  };
  /// A value, and where it would be computed again.
  struct Candidate {
    Register Value;
    unsigned Excess = 0;
    double Cost = 0;
    SmallVector<Cluster, 4> Clusters;
    RegisterList Longer; ///< what has to live longer, in order
    /// As much as possible for as little as possible; of equals the first.
    bool operator<(const Candidate &Other) const {
      double Mine = Excess / Cost, Others = Other.Excess / Other.Cost;
      return Mine != Others ? Mine < Others : Value > Other.Value;
    }
  };

  bool isCandidate(Register R) const;
  bool isLiveAt(const MachineOperand &MO, const MachineInstr &Use) const;
  bool canLiveLonger(Register R) const;
  bool findRecipe(MachineInstr &Def, const MachineInstr &Use, Recipe &R,
                  RegisterList &Longer, unsigned Most) const;
  const MachineInstr &lastUseOf(Register R) const;
  void countSharers();
  std::optional<Candidate> find(Register R) const;
  void recompute(const Candidate &C);
  void recomputeFor(const Cluster &C, Register Value);
  void lengthen(Register R, SlotIndex Place);
  bool isWorthIt(ArrayRef<Candidate> Group) const;
  void recomputeGroup(ArrayRef<Register> Group);
  bool recomputeGroups();
  bool recomputeBest();
  bool recomputeBy(unsigned Most);
  void shrink(Register R);

  MachineFunction *MF = nullptr;
  MachineRegisterInfo *MRI = nullptr;
  const TargetInstrInfo *TII = nullptr;
  LiveIntervals *LIS = nullptr;
  const MachineBlockFrequencyInfo *Frequencies = nullptr;
  std::optional<Pressure> Live;
  /// The values that are still candidates.
  DenseSet<Register> Values;
  /// How many values are computed from one that does not live as long.
  DenseMap<Register, int> Sharers;
  /// By how many instructions a value may be computed again.
  unsigned MostInstructions = 1;
  /// Whether operands may be made to live longer.
  bool MayLengthen = false;
};

} // namespace

bool HeddleRecomputeValues::isCandidate(Register R) const {
  if (!MRI->hasOneDef(R) || MRI->use_nodbg_empty(R) || !LIS->hasInterval(R) ||
      !registersOf(*MF, R) || LIS->getInterval(R).getNumValNums() != 1)
    return false;
  const MachineOperand &MO = *MRI->def_begin(R);
  return !MO.getSubReg() && TII->isReMaterializable(*MO.getParent());
}

/// Whether the value that MO reads is available in front of Use, too.
bool HeddleRecomputeValues::isLiveAt(const MachineOperand &MO,
                                     const MachineInstr &Use) const {
  const LiveInterval &LI = LIS->getInterval(MO.getReg());
  SlotIndex From =
      LIS->getInstructionIndex(*MO.getParent()).getRegSlot(/*EC=*/true);
  SlotIndex To = LIS->getInstructionIndex(Use).getBaseIndex();
  auto IsSame = [&](const LiveRange &LR) {
    const VNInfo *VN = LR.getVNInfoAt(From);
    return VN && LR.getVNInfoAt(To) == VN;
  };
  if (!LI.hasSubRanges())
    return IsSame(LI);
  // A part that is written leaves the others of the register as they are.
  const TargetRegisterInfo &TRI = *MF->getSubtarget().getRegisterInfo();
  LaneBitmask Read = MO.getSubReg() ? TRI.getSubRegIndexLaneMask(MO.getSubReg())
                                    : MRI->getMaxLaneMaskForVReg(MO.getReg());
  return all_of(LI.subranges(), [&](const LiveInterval::SubRange &Part) {
    return (Part.LaneMask & Read).none() || IsSame(Part);
  });
}

/// Whether R can live up to any place that its only value reaches, and enough
/// others would live shorter for that.
bool HeddleRecomputeValues::canLiveLonger(Register R) const {
  const LiveInterval &LI = LIS->getInterval(R);
  int Registers = registersOf(*MF, R);
  return Registers && Sharers.lookup(R) >= EnoughSharers * Registers &&
         MRI->hasOneDef(R) && LI.getNumValNums() == 1 && !LI.hasSubRanges();
}

/// How Def's value is computed in front of Use by at most Most instructions:
/// from values live there, from values added to Longer, or from values that are
/// computed again themselves.
bool HeddleRecomputeValues::findRecipe(MachineInstr &Def,
                                       const MachineInstr &Use, Recipe &R,
                                       RegisterList &Longer,
                                       unsigned Most) const {
  if (R.size() >= Most)
    return false;
  for (const MachineOperand &MO : Def.all_uses()) {
    Register Operand = MO.getReg();
    // Others could not be read anywhere.
    if (!Operand.isVirtual() || isLiveAt(MO, Use))
      continue;
    if (MayLengthen && canLiveLonger(Operand)) {
      if (!is_contained(Longer, Operand))
        Longer.push_back(Operand);
      continue;
    }
    if (!isCandidate(Operand))
      return false;
    MachineInstr &Inner = *MRI->getOneDef(Operand)->getParent();
    if (!is_contained(R, &Inner) &&
        !findRecipe(Inner, Use, R, Longer, Most - 1))
      return false;
  }
  R.push_back(&Def);
  return true;
}

/// The use of R that is the last in the order of the code.
const MachineInstr &HeddleRecomputeValues::lastUseOf(Register R) const {
  const MachineInstr *Last = nullptr;
  for (const MachineInstr &Use : MRI->use_nodbg_instructions(R))
    if (!Last ||
        LIS->getInstructionIndex(*Last) < LIS->getInstructionIndex(Use))
      Last = &Use;
  return *Last;
}

/// Counts for each register the values that are computed from it at once and
/// are needed, in the end, where it is not live any more and too many are.
void HeddleRecomputeValues::countSharers() {
  Sharers.clear();
  DenseSet<Register> Seen;
  for (unsigned I = 0, E = MRI->getNumVirtRegs(); I != E; ++I) {
    Register R = Register::index2VirtReg(I);
    if (!Values.contains(R) || !isCandidate(R) ||
        !Live->excessOf(LIS->getInterval(R)))
      continue;
    const MachineInstr &Use = lastUseOf(R);
    SmallVector<Register> Work(1, R);
    while (!Work.empty()) {
      Register Value = Work.pop_back_val();
      if (!Seen.insert(Value).second)
        continue;
      const MachineInstr &Def = *MRI->getOneDef(Value)->getParent();
      for (const MachineOperand &MO : Def.all_uses()) {
        Register Operand = MO.getReg();
        if (!Operand.isVirtual() || isLiveAt(MO, Use))
          continue;
        ++Sharers[Operand];
        if (isCandidate(Operand))
          Work.push_back(Operand);
      }
    }
  }
}

std::optional<HeddleRecomputeValues::Candidate>
HeddleRecomputeValues::find(Register R) const {
  const LiveInterval &LI = LIS->getInterval(R);
  Candidate C;
  C.Value = R;
  C.Excess = Live->excessOf(LI);
  if (!C.Excess)
    return std::nullopt;
  MachineInstr &Def = *MRI->getOneDef(R)->getParent();
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
        C.Clusters.back().Uses.push_back(Use);
      continue;
    }
    IsFirst = false;
    Recipe Again;
    if (Use->isTerminator() ||
        !findRecipe(Def, *Use, Again, C.Longer, MostInstructions))
      return std::nullopt;
    C.Cost += Frequencies->getBlockFreqRelativeToEntryBlock(Use->getParent()) *
              static_cast<double>(Again.size());
    C.Clusters.push_back({{Use}, std::move(Again)});
  }
  // Where it is computed it is live all the same.
  if (C.Clusters.empty() || C.Excess <= C.Clusters.size())
    return std::nullopt;
  C.Excess -= C.Clusters.size();
  C.Excess *= registersOf(*MF, R);
  llvm::sort(C.Longer);
  return C;
}

/// Lets R live no longer than its uses. A value without any is not computed.
void HeddleRecomputeValues::shrink(Register R) {
  LiveInterval &LI = LIS->getInterval(R);
  Live->remove(LI);
  if (!MRI->use_nodbg_empty(R) || !MRI->hasOneDef(R) ||
      !TII->isReMaterializable(*MRI->getOneDef(R)->getParent())) {
    SmallVector<LiveInterval *> Parts;
    if (LIS->shrinkToUses(&LI))
      LIS->splitSeparateComponents(LI, Parts);
    Parts.push_back(&LI);
    for (const LiveInterval *Part : Parts)
      Live->add(*Part);
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

/// Computes Value for the uses of a cluster.
void HeddleRecomputeValues::recomputeFor(const Cluster &C, Register Value) {
  const TargetRegisterInfo &TRI = *MF->getSubtarget().getRegisterInfo();
  MachineInstr &First = *C.Uses.front();
  SmallVector<std::pair<Register, Register>, 4> Copies;
  for (MachineInstr *Def : C.Again) {
    MachineInstr *MI = MF->CloneMachineInstr(Def);
    Register Old = Def->getOperand(0).getReg();
    Copies.emplace_back(Old, MRI->cloneVirtualRegister(Old));
    MI->clearRegisterDeads(Old);
    MI->clearKillInfo();
    for (auto [From, To] : Copies)
      MI->substituteRegister(From, To, 0, TRI);
    First.getParent()->insert(First, MI);
    SlotIndex Place = LIS->InsertMachineInstrInMaps(*MI).getRegSlot();
    for (const MachineOperand &MO : MI->all_uses())
      if (Register R = MO.getReg(); R.isVirtual()) {
        MRI->clearKillFlags(R);
        lengthen(R, Place);
      }
  }
  for (MachineInstr *Use : C.Uses)
    for (MachineOperand &MO : Use->all_uses())
      if (MO.getReg() == Value)
        MO.setReg(Copies.back().second);
  for (auto [Old, New] : Copies)
    Live->add(LIS->createAndComputeVirtRegInterval(New));
}

/// Lets R live up to Place.
void HeddleRecomputeValues::lengthen(Register R, SlotIndex Place) {
  if (!LIS->hasInterval(R) || LIS->getInterval(R).liveAt(Place.getBaseIndex()))
    return;
  LiveInterval &LI = LIS->getInterval(R);
  Live->remove(LI);
  LIS->extendToIndices(LI, Place);
  Live->add(LI);
}

void HeddleRecomputeValues::recompute(const Candidate &C) {
  for (const Cluster &Part : C.Clusters)
    recomputeFor(Part, C.Value);
  shrink(C.Value);
}

/// Whether computing all of them again leaves fewer too many: registers by
/// places, of which each instruction has to save one.
bool HeddleRecomputeValues::isWorthIt(ArrayRef<Candidate> Group) const {
  std::vector<Pressure::Lives> Gone, Longer;
  std::vector<const LiveRange *> Covered;
  int64_t Instructions = 0;
  RegisterList Seen;
  for (const Candidate &C : Group) {
    Gone.emplace_back(&LIS->getInterval(C.Value), registersOf(*MF, C.Value));
    for (Register R : C.Longer)
      if (!is_contained(Seen, R)) {
        Seen.push_back(R);
        Longer.emplace_back(&LIS->getInterval(R), registersOf(*MF, R));
      }
    for (const Cluster &Part : C.Clusters) {
      Instructions += static_cast<int64_t>(Part.Again.size());
      for (const MachineInstr *MI : Part.Again)
        Covered.push_back(&LIS->getInterval(MI->getOperand(0).getReg()));
    }
  }
  return Live->overflow() - Live->overflowIf(Gone, Longer, Covered) >
         Instructions;
}

/// Computes a group of values again, which need that the same ones live longer,
/// if that is worth it.
void HeddleRecomputeValues::recomputeGroup(ArrayRef<Register> Group) {
  std::vector<Candidate> Candidates;
  for (Register R : Group)
    if (isCandidate(R))
      if (std::optional<Candidate> C = find(R))
        Candidates.push_back(std::move(*C));
  if (!isWorthIt(Candidates))
    return;
  llvm::sort(Candidates,
             [](const Candidate &A, const Candidate &B) { return B < A; });
  for (const Candidate &C : Candidates) {
    if (!isCandidate(C.Value))
      continue;
    if (std::optional<Candidate> Now = find(C.Value)) {
      Values.erase(C.Value);
      recompute(*Now);
      Live->sum();
    }
  }
}

/// Recomputes groups of values whose common operands live longer for the
/// purpose.
bool HeddleRecomputeValues::recomputeGroups() {
  constexpr size_t Most = 64;
  countSharers();
  if (none_of(Sharers, [](const auto &S) { return S.second >= EnoughSharers; }))
    return false;
  MayLengthen = true;
  std::map<RegisterList, std::vector<Register>> Groups;
  for (unsigned I = 0, E = MRI->getNumVirtRegs(); I != E; ++I)
    if (Register R = Register::index2VirtReg(I);
        Values.contains(R) && isCandidate(R))
      if (std::optional<Candidate> C = find(R); C && !C->Longer.empty())
        Groups[C->Longer].push_back(R);
  std::vector<std::vector<Register>> Largest;
  Largest.reserve(Groups.size());
  for (auto &[Longer, Group] : Groups)
    Largest.push_back(std::move(Group));
  llvm::sort(Largest, [](const auto &A, const auto &B) {
    return A.size() != B.size() ? A.size() > B.size() : A < B;
  });
  size_t Before = Values.size();
  for (size_t I = 0; I != std::min(Most, Largest.size()); ++I)
    if (Live->isExceeded())
      recomputeGroup(Largest[I]);
  MayLengthen = false;
  return Values.size() != Before;
}

/// Recomputes the best candidate as long as there are too many values. The gain
/// of a candidate mostly shrinks when others are taken. A value that could not
/// be computed again may become a candidate by that.
bool HeddleRecomputeValues::recomputeBest() {
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

/// While there are too many values, computes some again by Most instructions
/// each. Whether it did.
bool HeddleRecomputeValues::recomputeBy(unsigned Most) {
  constexpr unsigned MaxRounds = 4;
  MostInstructions = Most;
  bool Changed = false;
  for (unsigned Round = 0; Round != MaxRounds && Live->isExceeded(); ++Round) {
    bool ChangesNow = recomputeBest();
    ChangesNow |= recomputeGroups();
    if (!ChangesNow)
      break;
    Changed = true;
  }
  return Changed;
}

bool HeddleRecomputeValues::runOnMachineFunction(MachineFunction &Fn) {
  const heddle::RegisterPlan &Plan =
      Fn.getInfo<HeddleMachineFunctionInfo>()->Registers;
  if (!Plan.recomputesValues())
    return false;
  MF = &Fn;
  MRI = &Fn.getRegInfo();
  TII = Fn.getSubtarget().getInstrInfo();
  LIS = &getAnalysis<LiveIntervalsWrapperPass>().getLIS();
  Frequencies = &getAnalysis<MachineBlockFrequencyInfoWrapperPass>().getMBFI();
  int Registers = static_cast<int>(count_if(
      Heddle::GPR32RegClass, [&](MCPhysReg R) { return !MRI->isReserved(R); }));
  // One register is left for a result that is defined before all sources are
  // read. A few more are left where that is cheap, since a value of several
  // registers needs neighbouring ones.
  int Limit = Registers - 1;
  constexpr int Share = 16;
  // Each value is computed again once. The new instructions are no candidates.
  for (unsigned I = 0, E = MRI->getNumVirtRegs(); I != E; ++I)
    if (Register R = Register::index2VirtReg(I); isCandidate(R))
      Values.insert(R);
  Live.emplace(Fn, *LIS);
  bool SparesNothing = Plan.Level >= heddle::RegisterPressureLevel::Order;
  Live->setLimit(SparesNothing ? Limit - Registers / Share : Limit);
  bool Changed = false;
  for (unsigned Most : {1, 2, 4})
    Changed |= recomputeBy(Most);
  Live->setLimit(Limit);
  Changed |= recomputeBy(6);
  Values.clear();
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
