//===- HeddleIfConversion.cpp - Guards in place of branches ----*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Turns short code behind a branch into guarded instructions in front of the
// place where both ways meet, inner branches first, and removes the convergence
// barrier that has nothing to join any more. A branch that diverges costs three
// instructions (BSSY, BRA, BSYNC) and the delays of all three; a guard is free.
//
// What only the uniform path has, such as loads of parameters, has no guard of
// a thread. It is executed in any case where it writes nothing that is needed.
//
// LLVM's pass of this kind merges the tails of blocks on its way, which would
// mix threads that meet at different barriers.
//
// Where a second branch stands behind the first one and leads to the same place
// (`if (a && b)`, `if (a || b)`, with work to know b), both become one.
//
// The pass runs after register allocation: a guarded instruction that is not
// executed keeps the old value of its register, so that no selection between
// two values is needed.
//
//===----------------------------------------------------------------------===//

#include "HeddleInstrInfo.h"
#include "HeddleSubtarget.h"
#include "Passes/HeddlePasses.h"
#include "heddle/IR/ProfileMetadata.h"
#include "heddle/Tuning/Knobs.h"
#include "llvm/ADT/PostOrderIterator.h"
#include "llvm/ADT/Statistic.h"
#include "llvm/CodeGen/LivePhysRegs.h"
#include "llvm/CodeGen/MachineFunctionPass.h"
#include "llvm/CodeGen/MachineOptimizationRemarkEmitter.h"
#include "llvm/InitializePasses.h"

using namespace llvm;

#define DEBUG_TYPE "heddle-if-conversion"
#define PASS_NAME "Heddle if-conversion"

STATISTIC(NumConverted, "Number of branches converted to guards");
STATISTIC(NumMerged, "Number of branches made one with that before them");

namespace {

using heddle::isa::BoolOp;

class IfConverter {
  /// Instructions that all threads issue in place of the branch, at most.
  const unsigned MaxGuarded;

  /// As many if nearly all warps execute them anyway.
  static constexpr unsigned MostByProfile = 32;

  using Condition = SmallVector<MachineOperand, 3>;

  MachineFunction &MF;
  const HeddleInstrInfo &TII;
  const TargetRegisterInfo &TRI;
  MachineOptimizationRemarkEmitter &Remarks;
  SmallPtrSet<const MachineBasicBlock *, 16> Erased;

  /// A block that only the branch leads to, and the guard that takes its place.
  struct Arm {
    MachineBasicBlock *Block = nullptr;
    Condition Guard;
    unsigned Size = 0;
  };

  /// The branch at the end of a block.
  struct Branch {
    MachineBasicBlock *True = nullptr, *False = nullptr;
    Condition Cond;         ///< Of the way to True.
    bool JumpsElse = false; ///< Nothing follows the block.
  };

  /// A block with the second of two conditions.
  struct Chained {
    MachineBasicBlock *Block;
    MachineBasicBlock *Common; ///< Where the other way of the first one leads.
    Condition Guard;           ///< Holds for the threads that come here.
    Branch End;
    MachineInstr *Compare = nullptr; ///< Makes the predicate of the branch.
    unsigned Size = 0;
  };

public:
  IfConverter(MachineFunction &MF, MachineOptimizationRemarkEmitter &Remarks)
      : MaxGuarded(static_cast<unsigned>(heddle::tuning::knobOf(
            MF.getFunction(), heddle::tuning::Knob::GuardedLimit))),
        MF(MF), TII(*MF.getSubtarget<HeddleSubtarget>().getInstrInfo()),
        TRI(*MF.getSubtarget().getRegisterInfo()), Remarks(Remarks) {}

  bool run() {
    bool Changed = false;
    SmallVector<MachineBasicBlock *, 32> Order(post_order(&MF));
    for (MachineBasicBlock *MBB : reverse(Order))
      if (!Erased.contains(MBB))
        Changed |= mergeConditions(*MBB);
    // Successors come first, so that inner branches are converted already.
    for (MachineBasicBlock *MBB : Order)
      while (!Erased.contains(MBB) && convert(*MBB)) {
        ++NumConverted;
        Changed = true;
      }
    if (Changed)
      joinChains();
    return Changed;
  }

private:
  //===--------------------------------------------------------------------===//
  // What can be guarded
  //===--------------------------------------------------------------------===//

  bool canGuard(const MachineInstr &MI, const Condition &Guard) const {
    const heddle::isa::InstInfo *Info =
        HeddleInstrInfo::getISAInfo(MI.getOpcode());
    return Info && Info->Uniform == (Guard[0].getImm() == Heddle::UBRA) &&
           TII.isPredicable(MI) && !MI.isTerminator() &&
           // Predicates that no operand names.
           MI.getOpcode() != Heddle::R2P &&
           !MI.modifiesRegister(Guard[1].getReg(), &TRI);
  }

  /// Whether MI, behind a branch that threads take one by one, may be executed
  /// for the warp all the same: it writes nothing but uniform registers that
  /// have no value where threads come around the branch, and reads nothing that
  /// only the threads behind the branch have.
  bool canRunForAll(const MachineInstr &MI, const Condition &Guard,
                    ArrayRef<const MachineBasicBlock *> Around) const {
    const heddle::isa::InstInfo *Info =
        HeddleInstrInfo::getISAInfo(MI.getOpcode());
    if (!Info || !Info->Uniform || Around.empty() ||
        Guard[0].getImm() != Heddle::BRA || MI.isTerminator() ||
        MI.isConvergent() || MI.hasUnmodeledSideEffects() || MI.mayStore() ||
        MI.modifiesRegister(Guard[1].getReg(), &TRI) ||
        (MI.mayLoad() && !isParameter(MI)))
      return false;
    return all_of(MI.operands(), [&](const MachineOperand &MO) {
      if (!MO.isReg() || !MO.getReg())
        return !MO.isRegMask();
      return isUniform(MO.getReg().asMCReg()) &&
             (MO.isUse() || none_of(Around, [&](const MachineBasicBlock *B) {
                return isLiveInto(MO.getReg().asMCReg(), *B);
              }));
    });
  }

  /// Whether MI is a load of a parameter whose place is a constant.
  static bool isParameter(const MachineInstr &MI) {
    auto Operand = [&](Heddle::OpName Name) -> const MachineOperand & {
      return MI.getOperand(Heddle::getNamedOperandIdx(MI.getOpcode(), Name));
    };
    const unsigned Loads[] = {Heddle::ULDC, Heddle::ULDC64, Heddle::ULDC128};
    return is_contained(Loads, MI.getOpcode()) &&
           Operand(Heddle::OpName::bank).getImm() ==
               heddle::isa::abi::ParamBank &&
           Operand(Heddle::OpName::b).getReg() == Heddle::URZ &&
           !MI.hasOrderedMemoryRef();
  }

  static bool isUniform(MCRegister R) {
    const TargetRegisterClass *Classes[] = {
        &Heddle::UGPR32RegClass, &Heddle::UGPR64RegClass,
        &Heddle::UGPR128RegClass, &Heddle::UPRRegClass};
    return any_of(Classes,
                  [R](const TargetRegisterClass *C) { return C->contains(R); });
  }

  bool isLiveInto(MCRegister R, const MachineBasicBlock &MBB) const {
    return any_of(MBB.liveins(), [&](const auto &In) {
      return TRI.regsOverlap(In.PhysReg, R);
    });
  }

  /// The instructions of Arm that may stand in place of Head's branch. Guarded,
  /// they cost every warp their issue; behind a branch, only the warps of which
  /// some thread goes there, as the profile tells. MaxGuarded is for half of
  /// the warps.
  unsigned mostGuarded(const MachineBasicBlock &Head,
                       const MachineBasicBlock &Arm) const {
    std::optional<double> Share =
        heddle::ir::shareOfWarps(Head.getBasicBlock(), Arm.getBasicBlock());
    if (!Share)
      return MaxGuarded;
    double Spared = std::max(1 - *Share, 0.5 * MaxGuarded / MostByProfile);
    return std::min(MostByProfile,
                    static_cast<unsigned>(0.5 * MaxGuarded / Spared));
  }

  /// The instructions of MBB before its terminators, if each can be guarded, or
  /// executed without harm for threads that would come to \p Around.
  std::optional<unsigned>
  guardedSize(MachineBasicBlock &MBB, const Condition &Guard, unsigned Most,
              ArrayRef<const MachineBasicBlock *> Around = {}) const {
    unsigned Size = 0;
    for (const MachineInstr &MI :
         make_range(MBB.begin(), MBB.getFirstTerminator())) {
      if (MI.isDebugInstr() || MI.isKill() || MI.isImplicitDef())
        continue;
      if (++Size > Most ||
          !(canGuard(MI, Guard) || canRunForAll(MI, Guard, Around)))
        return std::nullopt;
    }
    return Size;
  }

  static bool isOnlyBehind(const MachineBasicBlock &MBB,
                           const MachineBasicBlock &Head) {
    return &MBB != &Head && MBB.pred_size() == 1 && !MBB.hasAddressTaken() &&
           !MBB.isEntryBlock();
  }

  /// The block that MBB goes on to in any case, or null.
  MachineBasicBlock *onlySuccessor(MachineBasicBlock &MBB) const {
    MachineBasicBlock *True, *False;
    SmallVector<MachineOperand, 3> Cond;
    if (MBB.succ_size() != 1 || TII.analyzeBranch(MBB, True, False, Cond) ||
        !Cond.empty())
      return nullptr;
    return *MBB.succ_begin();
  }

  /// Where MBB, behind Head, defines another predicate in the register of the
  /// guard, and only MBB reads that predicate, gives the predicate a free
  /// register.
  void renameGuard(MachineBasicBlock &MBB, const MachineBasicBlock &Head,
                   const Condition &Guard) const {
    MCRegister Old = Guard[1].getReg().asMCReg();
    // A branch that is always or never taken has none: PT is everybody's.
    if (MF.getRegInfo().isConstantPhysReg(Old) || !isShort(MBB) ||
        MBB.isLiveIn(Old) ||
        any_of(MBB.successors(),
               [&](const MachineBasicBlock *S) { return S->isLiveIn(Old); }))
      return;
    LivePhysRegs Taken(TRI);
    Taken.addLiveOuts(Head);
    SmallVector<MachineOperand *, 8> Named;
    for (MachineInstr &MI : MBB) {
      // Predicates that no operand names.
      if (MI.getOpcode() == Heddle::R2P || MI.isCall())
        return;
      for (MachineOperand &MO : MI.operands())
        if (MO.isReg() && MO.getReg() == Old)
          Named.push_back(&MO);
        else if (MO.isReg() && MO.getReg() && !MO.isDebug())
          Taken.addReg(MO.getReg());
    }
    const TargetRegisterClass *RC = TRI.getMinimalPhysRegClass(Old);
    if (Named.empty())
      return;
    for (MCPhysReg New : *RC)
      if (New != Old && !MF.getRegInfo().isReserved(New) &&
          !Taken.contains(New)) {
        for (MachineOperand *MO : Named)
          MO->setReg(New);
        return;
      }
  }

  std::optional<Arm> armAt(MachineBasicBlock &MBB, MachineBasicBlock &Head,
                           const Condition &Guard) const {
    if (!isOnlyBehind(MBB, Head) || !onlySuccessor(MBB) ||
        onlySuccessor(MBB) == &MBB)
      return std::nullopt;
    renameGuard(MBB, Head, Guard);
    SmallVector<const MachineBasicBlock *, 3> Around = {onlySuccessor(MBB)};
    for (const MachineBasicBlock *Other : Head.successors())
      if (Other != &MBB)
        Around.push_back(Other);
    std::optional<unsigned> Size =
        guardedSize(MBB, Guard, mostGuarded(Head, MBB), Around);
    if (!Size)
      return std::nullopt;
    return Arm{&MBB, Guard, *Size};
  }

  /// Whether the threads that go to MBB end there after some guarded work.
  bool isExit(MachineBasicBlock &MBB, const Condition &Guard) const {
    MachineBasicBlock::iterator End = MBB.getFirstTerminator();
    return MBB.succ_empty() && End != MBB.end() &&
           End->getOpcode() == Heddle::EXIT && !TII.isPredicated(*End) &&
           Guard[0].getImm() == Heddle::BRA &&
           guardedSize(MBB, Guard, MaxGuarded).has_value();
  }

  //===--------------------------------------------------------------------===//
  // Finding branches
  //===--------------------------------------------------------------------===//

  bool convert(MachineBasicBlock &Head) {
    std::optional<Branch> B = branchOf(Head);
    if (!B)
      return false;
    auto &[True, False, Cond, JumpsElse] = *B;
    Condition Inverse = Cond;
    TII.reverseBranchCondition(Inverse);
    if (convertExit(Head, *True, *False, Cond, JumpsElse) ||
        convertExit(Head, *False, *True, Inverse, JumpsElse))
      return true;
    std::optional<Arm> Then = armAt(*True, Head, Cond),
                       Else = armAt(*False, Head, Inverse);
    if (Then && onlySuccessor(*True) == False) {
      guard(Head, {*Then}, *False);
      return true;
    }
    if (Else && onlySuccessor(*False) == True) {
      guard(Head, {*Else}, *True);
      return true;
    }
    if (!Then || !Else || onlySuccessor(*True) != onlySuccessor(*False) ||
        Then->Size + Else->Size >
            std::max(mostGuarded(Head, *True), mostGuarded(Head, *False)))
      return false;
    guard(Head, {*Then, *Else}, *onlySuccessor(*True));
    return true;
  }

  /// Ends the threads for which Guard holds in place, if that saves a branch.
  bool convertExit(MachineBasicBlock &Head, MachineBasicBlock &Exit,
                   MachineBasicBlock &Other, const Condition &Guard,
                   bool TwoBranches) {
    if (!isExit(Exit, Guard))
      return false;
    bool Own = isOnlyBehind(Exit, Head),
         OnlyExits = guardedSize(Exit, Guard, 0) == 0u;
    // Work of threads that end is guarded where other threads have more to do.
    if (Own ? !OnlyExits && Other.succ_empty() : !OnlyExits || !TwoBranches)
      return false;
    DebugLoc DL = Exit.getFirstTerminator()->getDebugLoc();
    if (Own) {
      guard(Head, {{&Exit, Guard, *guardedSize(Exit, Guard, MaxGuarded)}},
            Other, DL);
      return true;
    }
    TII.removeBranch(Head);
    addExit(Head, Guard, DL);
    Head.removeSuccessor(&Exit);
    goOnTo(Head, Other);
    return true;
  }

  //===--------------------------------------------------------------------===//
  // Conditions behind each other
  //===--------------------------------------------------------------------===//

  /// The branch at the end of MBB with both its ways.
  std::optional<Branch> branchOf(MachineBasicBlock &MBB) const {
    Branch B;
    if (MBB.succ_size() != 2 ||
        TII.analyzeBranch(MBB, B.True, B.False, B.Cond) || B.Cond.empty())
      return std::nullopt;
    B.JumpsElse = B.False != nullptr;
    if (!B.JumpsElse)
      B.False = MBB.getFallThrough(/*JumpToFallThrough=*/false);
    if (!B.False || B.True == B.False)
      return std::nullopt;
    return B;
  }

  static MachineOperand *operand(MachineInstr &MI, Heddle::OpName Name) {
    int Index = Heddle::getNamedOperandIdx(MI.getOpcode(), Name);
    return Index < 0 ? nullptr : &MI.getOperand(Index);
  }

  /// Whether MI makes one predicate, which can be joined with another one.
  bool canJoin(MachineInstr &MI) const {
    const MachineOperand *Other = operand(MI, Heddle::OpName::s);
    return operand(MI, Heddle::OpName::bop) && Other &&
           MF.getRegInfo().isConstantPhysReg(Other->getReg().asMCReg()) &&
           operand(MI, Heddle::OpName::bop)->getImm() == int64_t(BoolOp::And) &&
           operand(MI, Heddle::OpName::sn)->getImm() == 0 &&
           MI.getNumExplicitDefs() == 1 && !TII.isPredicated(MI);
  }

  /// The contents of Second, if Second is reached from Head only and branches
  /// to Common, Head's other successor, or elsewhere.
  std::optional<Chained> chainedAt(MachineBasicBlock &Second,
                                   MachineBasicBlock &Head,
                                   MachineBasicBlock &Common,
                                   const Condition &Guard) const {
    if (!isOnlyBehind(Second, Head))
      return std::nullopt;
    renameGuard(Second, Head, Guard);
    std::optional<Branch> End = branchOf(Second);
    if (!End || (End->True != &Common && End->False != &Common) ||
        End->Cond[0].getImm() != Guard[0].getImm())
      return std::nullopt;
    Chained C{&Second, &Common, Guard, *End};
    Register P = C.End.Cond[1].getReg();
    // Threads that do not come here lose the old value of P.
    if (Common.isLiveIn(P))
      return std::nullopt;
    unsigned Most = mostGuarded(Head, Second);
    const MachineBasicBlock *Around[] = {&Common};
    MachineBasicBlock::iterator Terminator = Second.getFirstTerminator();
    for (MachineInstr &MI : reverse(make_range(Second.begin(), Terminator))) {
      if (MI.isDebugInstr() || MI.isKill() || MI.isImplicitDef())
        continue;
      bool IsCompare = !C.Compare && MI.modifiesRegister(P, &TRI);
      ++C.Size;
      // Behind a compare that takes the guard's register, nothing has a guard.
      if (C.Size > Most ||
          (IsCompare
               ? !canJoin(MI)
               : !(canGuard(MI, Guard) || canRunForAll(MI, Guard, Around))) ||
          (IsCompare && P == Guard[1].getReg() && C.Size != 1))
        return std::nullopt;
      if (IsCompare)
        C.Compare = &MI;
    }
    if (!C.Compare)
      return std::nullopt;
    return C;
  }

  /// Makes the branch of Head and one behind it a single one, as often as that
  /// leaves few instructions for threads that need none of them.
  bool mergeConditions(MachineBasicBlock &Head) {
    for (unsigned Guarded = 0;; ++NumMerged) {
      std::optional<Branch> First = branchOf(Head);
      if (!First)
        return Guarded != 0;
      Condition Inverse = First->Cond;
      TII.reverseBranchCondition(Inverse);
      std::optional<Chained> Second =
          chainedAt(*First->True, Head, *First->False, First->Cond);
      if (!Second)
        Second = chainedAt(*First->False, Head, *First->True, Inverse);
      if (!Second || Guarded + Second->Size > mostGuarded(Head, *Second->Block))
        return Guarded != 0;
      Guarded += Second->Size;
      merge(Head, *Second);
    }
  }

  /// Lets the branch of the block behind Head decide for all threads of Head:
  /// threads that would not have reached that block go to Common.
  void merge(MachineBasicBlock &Head, Chained &C) {
    Branch &End = C.End;
    DebugLoc DL = C.Block->findBranchDebugLoc();
    Remarks.emit([&] {
      return MachineOptimizationRemark(DEBUG_TYPE, "ConditionsMerged", DL,
                                       &Head)
             << "branch made one with that before it by guards on "
             << DiagnosticInfoOptimizationBase::Argument("Instructions", C.Size)
             << " instructions";
    });
    // The predicate must hold where the guard does not, or must not.
    bool Holds = (End.True == C.Common) != (End.Cond[2].getImm() != 0);
    operand(*C.Compare, Heddle::OpName::bop)
        ->setImm(int64_t(Holds ? BoolOp::Or : BoolOp::And));
    operand(*C.Compare, Heddle::OpName::s)->setReg(C.Guard[1].getReg());
    operand(*C.Compare, Heddle::OpName::sn)
        ->setImm((C.Guard[2].getImm() != 0) != Holds);
    LivePhysRegs Live(TRI);
    Live.addLiveOuts(Head);
    TII.removeBranch(Head);
    moveGuarded(Head, {C.Block, C.Guard, C.Size}, Live, C.Compare);
    Head.removeSuccessor(C.Block);
    Head.removeSuccessor(C.Common);
    Head.transferSuccessors(C.Block);
    Erased.insert(C.Block);
    C.Block->eraseFromParent();
    if (Head.isLayoutSuccessor(End.True)) {
      TII.reverseBranchCondition(End.Cond);
      std::swap(End.True, End.False);
    }
    TII.insertBranch(Head, End.True,
                     Head.isLayoutSuccessor(End.False) ? nullptr : End.False,
                     End.Cond, DL);
  }

  //===--------------------------------------------------------------------===//
  // Rewriting
  //===--------------------------------------------------------------------===//

  void addExit(MachineBasicBlock &MBB, const Condition &Guard,
               const DebugLoc &DL) {
    TII.addTrailing(BuildMI(&MBB, DL, TII.get(Heddle::EXIT_IF)),
                    Guard[1].getReg(), Guard[2].getImm());
  }

  /// A register that keeps its value where the guard does not hold is read.
  void keepOldValues(MachineInstr &MI, LivePhysRegs &Live) {
    SmallVector<MCRegister, 4> Defs;
    for (const MachineOperand &MO : MI.all_defs())
      if (MO.getReg().isPhysical())
        Defs.push_back(MO.getReg().asMCReg());
    MachineInstrBuilder MIB(MF, MI);
    for (MCRegister R : Defs) {
      if (MF.getRegInfo().isConstantPhysReg(R))
        continue;
      if (any_of(TRI.subregs_inclusive(R),
                 [&](MCPhysReg S) { return Live.contains(S); }))
        MIB.addReg(R, RegState::Implicit);
      Live.addReg(R);
    }
  }

  /// Compare has its condition already.
  void moveGuarded(MachineBasicBlock &Head, const Arm &A, LivePhysRegs &Live,
                   const MachineInstr *Compare = nullptr) {
    for (MachineInstr &MI : make_early_inc_range(
             make_range(A.Block->begin(), A.Block->getFirstTerminator()))) {
      if (MI.isDebugInstr() || MI.isKill() || MI.isImplicitDef()) {
        // What it says holds for the threads of the arm alone, and what was
        // said in front of it does not hold for them.
        if (MI.isDebugValue()) {
          Head.push_back(MI.removeFromParent());
          MI.setDebugValueUndef();
        } else {
          MI.eraseFromParent();
        }
        continue;
      }
      MI.removeFromParent();
      Head.push_back(&MI);
      // A value that ends here may live on where the guard does not hold.
      for (MachineOperand &MO : MI.all_uses())
        MO.setIsKill(false);
      if (&MI == Compare) {
        Live.addReg(MI.getOperand(0).getReg());
        continue;
      }
      // The others can run for all.
      if (!canGuard(MI, A.Guard)) {
        for (const MachineOperand &MO : MI.all_defs())
          Live.addReg(MO.getReg().asMCReg());
        continue;
      }
      TII.PredicateInstruction(MI, A.Guard);
      keepOldValues(MI, Live);
    }
  }

  void goOnTo(MachineBasicBlock &Head, MachineBasicBlock &Next) {
    if (!Head.isLayoutSuccessor(&Next))
      TII.insertBranch(Head, &Next, nullptr, {}, DebugLoc());
    if (!follows(Next, Head))
      return;
    dropIdleBarriers(Head, Next);
    // Only a short block can become an arm; the others are joined at the end,
    // so that no instruction is moved again and again.
    if (isShort(Head) && isShort(Next))
      append(Head, Next);
  }

  /// Whether Next is entered from Head only.
  static bool follows(const MachineBasicBlock &Next,
                      const MachineBasicBlock &Head) {
    return Next.pred_size() == 1 && !Next.hasAddressTaken() && &Next != &Head &&
           !Next.isEntryBlock();
  }

  bool isShort(const MachineBasicBlock &MBB) const {
    const unsigned Short = 4 * MaxGuarded;
    return !hasNItemsOrMore(MBB.begin(), MBB.end(), Short,
                            [](auto &I) { return !I.isDebugInstr(); });
  }

  /// Joins blocks that follow each other in any case, for the scheduler.
  void joinChains() {
    for (MachineBasicBlock &MBB : MF)
      while (MachineBasicBlock *Next = onlySuccessor(MBB)) {
        if (!follows(*Next, MBB))
          break;
        append(MBB, *Next);
      }
  }

  /// Replaces the branch at the end of Head by guarded code; all meet in Meet.
  /// With ExitAt, the threads of the arms end after them.
  void guard(MachineBasicBlock &Head, ArrayRef<Arm> Arms,
             MachineBasicBlock &Meet,
             std::optional<DebugLoc> ExitAt = std::nullopt) {
    unsigned Guarded = 0;
    for (const Arm &A : Arms)
      Guarded += A.Size;
    Remarks.emit([&] {
      return MachineOptimizationRemark(DEBUG_TYPE, "IfConverted",
                                       Head.findBranchDebugLoc(), &Head)
             << "branch replaced by guards on "
             << DiagnosticInfoOptimizationBase::Argument("Instructions",
                                                         Guarded)
             << " instructions";
    });
    LivePhysRegs Live(TRI);
    Live.addLiveOuts(Head);
    TII.removeBranch(Head);
    for (const Arm &A : Arms) {
      moveGuarded(Head, A, Live);
      if (ExitAt)
        addExit(Head, A.Guard, *ExitAt);
      Head.removeSuccessor(A.Block);
      while (!A.Block->succ_empty())
        A.Block->removeSuccessor(A.Block->succ_begin());
      Erased.insert(A.Block);
      A.Block->eraseFromParent();
    }
    if (!Head.isSuccessor(&Meet))
      Head.addSuccessor(&Meet);
    goOnTo(Head, Meet);
  }

  /// Moves Next, which follows Head only, to the end of Head.
  void append(MachineBasicBlock &Head, MachineBasicBlock &Next) {
    MachineBasicBlock *After = Next.getFallThrough(/*JumpToFallThrough=*/false);
    bool Adjacent = Head.isLayoutSuccessor(&Next);
    TII.removeBranch(Head);
    Head.splice(Head.end(), &Next, Next.begin(), Next.end());
    Head.removeSuccessor(&Next);
    Head.transferSuccessors(&Next);
    if (After && !Adjacent)
      TII.insertBranch(Head, After, nullptr, {}, DebugLoc());
    Erased.insert(&Next);
    Next.eraseFromParent();
  }

  /// Removes the barriers that start at the end of Head and are over where
  /// Next, the only way on, begins: in between no thread goes another way.
  void dropIdleBarriers(MachineBasicBlock &Head, MachineBasicBlock &Next) {
    for (MachineInstr &Sync : make_early_inc_range(Next)) {
      if (Sync.isDebugInstr())
        continue;
      if (Sync.getOpcode() != Heddle::BSYNC)
        return;
      MachineInstr *Start = openBarrier(Head, Sync.getOperand(0).getReg());
      if (!Start)
        return;
      Start->eraseFromParent();
      Sync.eraseFromParent();
    }
  }

  /// The BSSY of B behind which only guarded code stands in MBB, or null.
  MachineInstr *openBarrier(MachineBasicBlock &MBB, Register B) const {
    const unsigned Farthest = 4 * MaxGuarded;
    unsigned Steps = 0;
    for (MachineInstr &MI : reverse(MBB)) {
      if (MI.getOpcode() == Heddle::BSSY) {
        if (MI.getOperand(0).getReg() == B)
          return &MI;
      } else if (MI.getOpcode() != Heddle::EXIT_IF &&
                 (MI.isCall() || MI.isConvergent() || ++Steps > Farthest))
        // The threads of a call may come back one by one.
        return nullptr;
    }
    return nullptr;
  }
};

class HeddleIfConversion : public MachineFunctionPass {
public:
  static char ID;
  HeddleIfConversion() : MachineFunctionPass(ID) {}

  StringRef getPassName() const override { return PASS_NAME; }
  bool runOnMachineFunction(MachineFunction &MF) override {
    return !skipFunction(MF.getFunction()) &&
           IfConverter(
               MF, getAnalysis<MachineOptimizationRemarkEmitterPass>().getORE())
               .run();
  }
  void getAnalysisUsage(AnalysisUsage &AU) const override {
    AU.addRequired<MachineOptimizationRemarkEmitterPass>();
    MachineFunctionPass::getAnalysisUsage(AU);
  }
  MachineFunctionProperties getRequiredProperties() const override {
    return MachineFunctionProperties().setNoVRegs();
  }
};

} // namespace

char HeddleIfConversion::ID = 0;
INITIALIZE_PASS_BEGIN(HeddleIfConversion, DEBUG_TYPE, PASS_NAME, false, false)
INITIALIZE_PASS_DEPENDENCY(MachineOptimizationRemarkEmitterPass)
INITIALIZE_PASS_END(HeddleIfConversion, DEBUG_TYPE, PASS_NAME, false, false)

FunctionPass *llvm::createHeddleIfConversionPass() {
  return new HeddleIfConversion();
}
