//===- HeddleRecomputePredicates.cpp - Compare twice, keep less -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// There are seven predicates. Where more would live at a time, comparisons that
// are cheap to repeat are made again in front of their uses. To keep one in a
// general register takes two instructions and that register; to repeat it takes
// one or two, mostly of values that live there anyway.
//
// Runs on SSA form, in front of register allocation.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/HeddlePasses.h"
#include "Passes/HeddleSSAPass.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/CodeGen/MachineDominators.h"
#include "llvm/CodeGen/MachineLoopInfo.h"
#include "llvm/CodeGen/MachineRegisterInfo.h"
#include "llvm/InitializePasses.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-recompute-predicates"
#define PASS_NAME "Heddle recomputed predicates"

namespace {

/// Predicates that may live at a time: one is left for guards.
constexpr unsigned MostLive = 6;
/// Comparisons of the same value, so many that it pays to keep the value.
constexpr unsigned Many = 4;
/// The most blocks that predicates live in, summed over predicates, for each
/// block of the function. The bound keeps the work linear in the function's
/// size.
constexpr unsigned MostPlaces = 64;

using InstructionSet = SmallSetVector<MachineInstr *, 2>;

/// A predicate that other blocks than its own use.
struct Kept {
  Register Predicate;
  /// Where it is used, in a PHI at the end of the incoming block.
  MapVector<MachineBasicBlock *, SmallVector<MachineOperand *, 2>> Uses;
  SmallVector<MachineBasicBlock *, 8> Passed; ///< Where it only lives.
  unsigned Depth = 0;                         ///< Of loops around its uses.
};

class Recomputer {
public:
  explicit Recomputer(MachineFunction &MF)
      : MF(MF), MRI(MF.getRegInfo()),
        TII(*MF.getSubtarget<HeddleSubtarget>().getInstrInfo()) {}

  bool run() {
    collect();
    if (All.size() < MostLive)
      return false;
    DT.recalculate(MF);
    Loops.analyze(DT);
    findPlaces();
    countLive();
    if (none_of(Live, [](const auto &L) { return L.second > MostLive; }))
      return false;
    countCompared();
    return relieve();
  }

private:
  bool isPredicate(Register R) const {
    return R.isVirtual() &&
           Heddle::PRRegClass.hasSubClassEq(MRI.getRegClass(R));
  }
  bool isUniform(Register R) const {
    const TargetRegisterClass *RC = MRI.getRegClass(R);
    return Heddle::UGPR32RegClass.hasSubClassEq(RC) ||
           Heddle::UGPR64RegClass.hasSubClassEq(RC);
  }

  void collect();
  void findPlaces();
  void countLive();
  bool relieve();

  bool livesAnyway(Register R, MachineBasicBlock &At,
                   const MachineInstr &User) const;
  void countCompared();
  bool isFree(Register R, MachineBasicBlock &At,
              const MachineInstr &User) const {
    return isUniform(R) || Compared.lookup(R) >= Many ||
           livesAnyway(R, At, User);
  }
  bool canRead(Register R, MachineBasicBlock &At) const;
  MachineInstr *cheapSource(Register R) const;
  bool canRepeat(MachineInstr &Compare, MachineBasicBlock &At,
                 InstructionSet &Sources) const;
  bool canRepeat(const Kept &K) const;
  Register copy(MachineInstr &MI, MachineBasicBlock &MBB,
                MachineBasicBlock::iterator Before);
  void repeat(Kept &K);

  MachineFunction &MF;
  MachineRegisterInfo &MRI;
  const HeddleInstrInfo &TII;
  MachineDominatorTree DT;
  MachineLoopInfo Loops;
  std::vector<Kept> All;
  DenseMap<const MachineBasicBlock *, SmallVector<unsigned, 8>> LiveOut;
  /// The most predicates at a time in a block.
  DenseMap<const MachineBasicBlock *, unsigned> Live;
  /// The comparisons that a value is needed for.
  DenseMap<Register, unsigned> Compared;
};

} // namespace

//===----------------------------------------------------------------------===//
// How many live
//===----------------------------------------------------------------------===//

void Recomputer::collect() {
  for (unsigned I = 0, E = MRI.getNumVirtRegs(); I != E; ++I) {
    Register R = Register::index2VirtReg(I);
    MachineInstr *Def = isPredicate(R) ? MRI.getUniqueVRegDef(R) : nullptr;
    if (!Def)
      continue;
    Kept K;
    K.Predicate = R;
    for (MachineOperand &MO : MRI.use_nodbg_operands(R)) {
      MachineInstr &User = *MO.getParent();
      MachineBasicBlock *At =
          User.isPHI() ? User.getOperand(MO.getOperandNo() + 1).getMBB()
                       : User.getParent();
      if (At != Def->getParent())
        K.Uses[At].push_back(&MO);
    }
    if (!K.Uses.empty())
      All.push_back(std::move(K));
  }
}

void Recomputer::findPlaces() {
  size_t Left = size_t(MostPlaces) * MF.size();
  for (auto [Index, K] : enumerate(All)) {
    const MachineBasicBlock *Home = MRI.getVRegDef(K.Predicate)->getParent();
    SmallVector<MachineBasicBlock *, 8> Work;
    SmallPtrSet<const MachineBasicBlock *, 8> LivesAtEnd, LivesIn;
    auto ReachEnd = [&](MachineBasicBlock *MBB) {
      if (!LivesAtEnd.insert(MBB).second)
        return;
      LiveOut[MBB].push_back(Index);
      if (MBB != Home && LivesIn.insert(MBB).second)
        Work.push_back(MBB);
    };
    for (auto &[At, Operands] : K.Uses) {
      K.Depth = std::max(K.Depth, Loops.getLoopDepth(At));
      if (any_of(Operands, [](const MachineOperand *MO) {
            return MO->getParent()->isPHI();
          }))
        ReachEnd(At);
      else if (LivesIn.insert(At).second)
        Work.push_back(At);
    }
    while (!Work.empty() && Left != 0) {
      --Left;
      MachineBasicBlock *MBB = Work.pop_back_val();
      if (!K.Uses.contains(MBB))
        K.Passed.push_back(MBB);
      for (MachineBasicBlock *P : MBB->predecessors())
        ReachEnd(P);
    }
  }
}

void Recomputer::countLive() {
  for (MachineBasicBlock &MBB : MF) {
    auto Found = LiveOut.find(&MBB);
    if (Found == LiveOut.end() || Found->second.size() < MostLive / 2)
      continue;
    DenseSet<Register> Now;
    for (unsigned Index : Found->second)
      Now.insert(All[Index].Predicate);
    unsigned Most = Now.size();
    for (const MachineInstr &MI : reverse(MBB)) {
      if (MI.isPHI() || MI.isDebugInstr())
        continue;
      for (const MachineOperand &MO : MI.all_defs())
        Now.erase(MO.getReg());
      for (const MachineOperand &MO : MI.all_uses())
        if (isPredicate(MO.getReg()))
          Now.insert(MO.getReg());
      Most = std::max(Most, unsigned(Now.size()));
    }
    Live[&MBB] = Most;
  }
}

//===----------------------------------------------------------------------===//
// What can be repeated
//===----------------------------------------------------------------------===//

/// Whether R, which lives in front of At, is needed there or behind anyway by
/// others than User.
bool Recomputer::livesAnyway(Register R, MachineBasicBlock &At,
                             const MachineInstr &User) const {
  const MachineLoop *Around = Loops.getLoopFor(&At);
  const MachineInstr *Def = MRI.getVRegDef(R);
  // The outermost loop that R is not computed in.
  while (Around && Around->getParentLoop() &&
         !Around->getParentLoop()->contains(Def))
    Around = Around->getParentLoop();
  if (Around && Around->contains(Def))
    Around = nullptr;
  return any_of(MRI.use_nodbg_instructions(R), [&](const MachineInstr &MI) {
    return &MI != &User && !MI.isPHI() &&
           (DT.dominates(&At, MI.getParent()) ||
            (Around && Around->contains(&MI)));
  });
}

/// Whether threads in At find the value of R that they have seen. A uniform
/// register may have got another one for threads that stayed in a loop.
bool Recomputer::canRead(Register R, MachineBasicBlock &At) const {
  const MachineInstr *Def = MRI.getUniqueVRegDef(R);
  if (!Def)
    return false;
  const MachineLoop *L = Loops.getLoopFor(Def->getParent());
  return !isUniform(R) || !L || L->contains(&At);
}

/// The only virtual register that MI reads; nothing if there is none.
static Register onlySource(const MachineInstr &MI) {
  for (const MachineOperand &MO : MI.all_uses())
    if (MO.getReg().isVirtual())
      return MO.getReg();
  return Register();
}

/// The instruction that makes R of one register and constants, or null.
MachineInstr *Recomputer::cheapSource(Register R) const {
  MachineInstr *MI = MRI.getUniqueVRegDef(R);
  const heddle::isa::InstInfo *Info =
      MI ? HeddleInstrInfo::getISAInfo(MI->getOpcode()) : nullptr;
  if (!Info || heddle::isa::latencyClass(Info->Latency).Variable ||
      TII.isPredicated(*MI) || MI->hasUnmodeledSideEffects() ||
      MI->mayLoadOrStore() || MI->isConvergent() ||
      MI->getNumExplicitDefs() != 1 || MI->getNumImplicitOperands() != 0 ||
      count_if(MI->all_uses(), [](const MachineOperand &MO) {
        return MO.getReg().isVirtual();
      }) > 1)
    return nullptr;
  return MI;
}

/// Whether Compare can be repeated in At with at most one value that does not
/// live there yet; Sources become the instructions to repeat in front of
/// Compare.
bool Recomputer::canRepeat(MachineInstr &Compare, MachineBasicBlock &At,
                           InstructionSet &Sources) const {
  unsigned Longer = 0;
  for (const MachineOperand &MO : Compare.all_uses()) {
    Register R = MO.getReg();
    if (!R.isVirtual()) {
      if (!MRI.isConstantPhysReg(R.asMCReg()))
        return false;
      continue;
    }
    if (isPredicate(R) || !canRead(R, At))
      return false;
    if (isFree(R, At, Compare))
      continue;
    MachineInstr *Source = cheapSource(R);
    Register From = Source ? onlySource(*Source) : Register();
    if (!Source || (From && (isPredicate(From) || !canRead(From, At)))) {
      ++Longer;
      continue;
    }
    Sources.insert(Source);
    Longer += From && !isFree(From, At, *Source);
  }
  return Longer <= 1;
}

/// Whether MI makes a predicate by a comparison alone.
static bool isComparison(const MachineInstr &MI, const HeddleInstrInfo &TII) {
  return Heddle::getNamedOperandIdx(MI.getOpcode(), Heddle::OpName::bop) >= 0 &&
         MI.getNumExplicitDefs() == 1 && MI.getNumImplicitOperands() == 0 &&
         !TII.isPredicated(MI);
}

void Recomputer::countCompared() {
  for (const Kept &K : All) {
    const MachineInstr &Compare = *MRI.getVRegDef(K.Predicate);
    if (!isComparison(Compare, TII))
      continue;
    for (const MachineOperand &MO : Compare.all_uses()) {
      if (!MO.getReg().isVirtual())
        continue;
      ++Compared[MO.getReg()];
      if (const MachineInstr *Source = cheapSource(MO.getReg()))
        if (Register From = onlySource(*Source))
          ++Compared[From];
    }
  }
}

bool Recomputer::canRepeat(const Kept &K) const {
  MachineInstr &Compare = *MRI.getVRegDef(K.Predicate);
  return isComparison(Compare, TII) && all_of(K.Uses, [&](const auto &Use) {
           InstructionSet Sources;
           return canRepeat(Compare, *Use.first, Sources);
         });
}

//===----------------------------------------------------------------------===//
// Repeating
//===----------------------------------------------------------------------===//

/// A copy of MI in front of Before, with a register of its own.
Register Recomputer::copy(MachineInstr &MI, MachineBasicBlock &MBB,
                          MachineBasicBlock::iterator Before) {
  MachineInstr *Copy = MF.CloneMachineInstr(&MI);
  MachineOperand &Def = Copy->getOperand(0);
  Def.setReg(MRI.createVirtualRegister(MRI.getRegClass(Def.getReg())));
  Def.setIsDead(false);
  MBB.insert(Before, Copy);
  for (const MachineOperand &MO : Copy->all_uses())
    if (MO.getReg().isVirtual())
      MRI.clearKillFlags(MO.getReg());
  return Def.getReg();
}

/// Where a predicate must be known for the uses in MBB.
static MachineBasicBlock::iterator placeIn(MachineBasicBlock &MBB,
                                           ArrayRef<MachineOperand *> Uses) {
  SmallPtrSet<const MachineInstr *, 4> Users;
  for (const MachineOperand *MO : Uses)
    Users.insert(MO->getParent());
  MachineBasicBlock::iterator End = MBB.getFirstTerminator();
  for (MachineInstr &MI : make_range(MBB.getFirstNonPHI(), End))
    if (Users.contains(&MI))
      return MI;
  return End;
}

void Recomputer::repeat(Kept &K) {
  MachineInstr &Compare = *MRI.getVRegDef(K.Predicate);
  InstructionSet All;
  for (auto &[MBB, Uses] : K.Uses) {
    InstructionSet Sources;
    canRepeat(Compare, *MBB, Sources);
    MachineBasicBlock::iterator Before = placeIn(*MBB, Uses);
    Register New = copy(Compare, *MBB, Before);
    MachineInstr &Again = *MRI.getVRegDef(New);
    for (MachineInstr *Source : Sources) {
      Register Old = Source->getOperand(0).getReg();
      Register Made = copy(*Source, *MBB, Again);
      Again.substituteRegister(Old, Made, 0, *MRI.getTargetRegisterInfo());
      All.insert(Source);
    }
    for (MachineOperand *MO : Uses) {
      MO->setReg(New);
      MO->setIsKill(false);
    }
  }
  All.insert(&Compare);
  for (MachineInstr *MI : reverse(All))
    if (Register R = MI->getOperand(0).getReg(); MRI.use_nodbg_empty(R)) {
      MRI.markUsesInDebugValueAsUndef(R);
      MI->eraseFromParent();
    }
}

bool Recomputer::relieve() {
  // The cheapest candidates come first, and among equals those that free most.
  llvm::sort(All, [](const Kept &A, const Kept &B) {
    return std::tuple(A.Depth, B.Passed.size(), A.Predicate.id()) <
           std::tuple(B.Depth, A.Passed.size(), B.Predicate.id());
  });
  bool Changed = false;
  for (Kept &K : All) {
    if (none_of(K.Passed,
                [&](const MachineBasicBlock *MBB) {
                  return Live.lookup(MBB) > MostLive;
                }) ||
        !canRepeat(K))
      continue;
    repeat(K);
    for (const MachineBasicBlock *MBB : K.Passed)
      if (auto Found = Live.find(MBB); Found != Live.end())
        --Found->second;
    Changed = true;
  }
  return Changed;
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {

class HeddleRecomputePredicates : public HeddleSSAPass {
public:
  static char ID;
  HeddleRecomputePredicates() : HeddleSSAPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  bool change(MachineFunction &MF) override { return Recomputer(MF).run(); }
};

} // namespace

char HeddleRecomputePredicates::ID = 0;
INITIALIZE_PASS(HeddleRecomputePredicates, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleRecomputePredicatesPass() {
  return new HeddleRecomputePredicates();
}
