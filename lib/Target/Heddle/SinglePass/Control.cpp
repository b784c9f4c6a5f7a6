//===- Control.cpp - Branches, PHIs and convergence ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ends of blocks: the moves for PHIs, each under the guard of its edge,
// barriers that start here, and branches.
//
//===----------------------------------------------------------------------===//

#include "Selector.h"

#include "MCTargetDesc/HeddleMCTargetDesc.h"

using namespace llvm;

namespace heddle::singlepass {

/// The place to which From's threads go for To: behind the barrier in front of
/// To, unless they take part in it.
unsigned Selector::labelOf(unsigned From, unsigned To) const {
  int R = A.blocks()[To].MeetOf;
  if (R < 0)
    return FirstLabel + To;
  const Region &Meeting = A.regions()[R];
  bool IsInside = From == Meeting.Start || Meeting.Blocks.test(From);
  return (IsInside ? FirstMeetLabel : FirstLabel) + To;
}

bool Selector::followsDirectly(unsigned From, unsigned To) const {
  if (To != From + 1)
    return false;
  return A.blocks()[To].MeetOf < 0 || labelOf(From, To) == FirstMeetLabel + To;
}

void Selector::jump(unsigned From, unsigned To) {
  if (followsDirectly(From, To))
    return W.drain();
  W.emitDrained(Heddle::BRA, {Operand::label(labelOf(From, To))});
}

void Selector::enterRegion(unsigned B) {
  int R = A.blocks()[B].StartOf;
  if (R < 0)
    return;
  const Region &Entered = A.regions()[R];
  W.emit(Heddle::BSSY,
         {Entered.Register, Operand::label(FirstMeetLabel + Entered.Meet)});
}

//===----------------------------------------------------------------------===//
// PHIs
//===----------------------------------------------------------------------===//

void Selector::carryOut(const Move &M, Guard G) {
  bool ToPredicate = M.To.K == Home::Predicate;
  if (isPredicate(M.From->getType())) {
    if (M.FromHome.K == Home::Registers && !ToPredicate)
      return move(M.To.Number, M.FromHome.Number, 1, G);
    if (M.FromHome.K == Home::Registers)
      return predicateFromRegister(M.To.Number, M.FromHome.Number, G);
    Source S = M.FromHome.K == Home::Predicate
                   ? Source{M.FromHome.Number, false}
                   : usePredicate(M.From);
    if (ToPredicate)
      return movePredicate(M.To.Number, S, G);
    return predicateToRegister(M.To.Number, S, G);
  }
  if (M.FromHome.K == Home::Registers)
    return move(M.To.Number, M.FromHome.Number, M.To.Count, G);
  std::optional<uint64_t> Bits = bitsOf(M.From);
  if (Bits && M.To.Count <= 2)
    return moveBits(M.To.Number, M.To.Count, *Bits, G);
  move(M.To.Number, use(M.From), M.To.Count, G);
}

static bool sameHome(unsigned KindA, unsigned NumberA, unsigned KindB,
                     unsigned NumberB) {
  return KindA == KindB && NumberA == NumberB;
}

/// All at once: a register that another move reads is written behind that move.
void Selector::carryOut(SmallVectorImpl<Move> &Moves, Guard G) {
  while (!Moves.empty() && !failed()) {
    auto IsRead = [&](const Move &M) {
      return any_of(Moves, [&](const Move &Other) {
        return &Other != &M && sameHome(M.To.K, M.To.Number, Other.FromHome.K,
                                        Other.FromHome.Number);
      });
    };
    auto Next = find_if(Moves, [&](const Move &M) { return !IsRead(M); });
    if (Next != Moves.end()) {
      carryOut(*Next, G);
      Moves.erase(Next);
      continue;
    }
    // A circle: one of its values steps aside.
    Move &M = Moves.front();
    bool IsPredicate = M.FromHome.K == Home::Predicate;
    unsigned Aside = temporary(IsPredicate ? 1 : M.FromHome.Count);
    if (IsPredicate)
      predicateToRegister(Aside, {M.FromHome.Number, false});
    else
      move(Aside, M.FromHome.Number, M.FromHome.Count);
    M.FromHome = {Home::Registers,
                  static_cast<uint8_t>(IsPredicate ? 1 : M.FromHome.Count),
                  static_cast<uint8_t>(Aside)};
  }
}

void Selector::moveToPHIs(unsigned From, unsigned To, Guard G) {
  SmallVector<Move, 8> Moves;
  for (const PHINode &Phi : A.blocks()[To].BB->phis()) {
    const Value *In = root(Phi.getIncomingValueForBlock(A.blocks()[From].BB));
    if (!A.lifeOf(Phi).IsUsed)
      continue;
    Home H = homeOf(Phi);
    if (failed())
      return;
    if (llvm::isa<UndefValue>(In) || In == &Phi)
      continue;
    Home Of;
    bool HasHome = !llvm::isa<Constant>(In) && !isFrameAddress(In);
    if (HasHome)
      Of = Homes.lookup(In);
    if (HasHome && Of.K == Home::Nowhere)
      return fail("a PHI's value that is nowhere");
    Moves.push_back({H, In, Of});
  }
  carryOut(Moves, G);
}

//===----------------------------------------------------------------------===//
// Terminators
//===----------------------------------------------------------------------===//

void Selector::selectTerminator(const Instruction &I, unsigned B) {
  enterRegion(B);
  if (const auto *Branch = dyn_cast<BranchInst>(&I))
    return selectBranch(*Branch, B);
  if (const auto *Switch = dyn_cast<SwitchInst>(&I))
    return selectSwitch(*Switch, B);
  if (const auto *Return = dyn_cast<ReturnInst>(&I))
    return selectReturn(*Return);
  if (!llvm::isa<UnreachableInst>(I))
    return fail(I.getOpcodeName());
  W.emit(Heddle::TRAP, {});
  W.emitDrained(Heddle::EXIT, {});
}

void Selector::selectBranch(const BranchInst &I, unsigned B) {
  unsigned First = A.indexOf(I.getSuccessor(0));
  if (I.isUnconditional() || I.getSuccessor(0) == I.getSuccessor(1)) {
    moveToPHIs(B, First, {});
    return jump(B, First);
  }
  unsigned Second = A.indexOf(I.getSuccessor(1));
  Source S = usePredicate(I.getCondition());
  // A PHI may have the condition's predicate itself.
  bool HasPHIs = llvm::isa<PHINode>(I.getSuccessor(0)->front()) ||
                 llvm::isa<PHINode>(I.getSuccessor(1)->front());
  if (HasPHIs && llvm::isa<PHINode>(root(I.getCondition())) &&
      S.Predicate != RegisterFile::ScratchPredicate) {
    unsigned P = scratchPredicate();
    movePredicate(P, S);
    S = {P, false};
  }
  Guard Taken{S.Predicate, S.Negated}, Not{S.Predicate, !S.Negated};
  moveToPHIs(B, First, Taken);
  moveToPHIs(B, Second, Not);
  if (followsDirectly(B, First)) {
    std::swap(First, Second);
    std::swap(Taken, Not);
  }
  W.emitDrained(Heddle::BRA, {Operand::label(labelOf(B, First))}, Taken);
  jump(B, Second);
}

/// The case's edge, if the value is that of the case.
void Selector::takeCase(const SwitchInst &I, unsigned B, const Case &C) {
  constexpr unsigned True = 7;
  const Value *V = I.getCondition();
  bool IsWide = V->getType()->isIntegerTy(64);
  unsigned P = RegisterFile::ScratchPredicate;
  HasScratchPredicate = true;
  W.emit(IsWide ? Heddle::ISETP64_i : Heddle::ISETP_i,
         {P, use(V), C.Value, isa::CmpI::Equal, 0, isa::BoolOp::And, True, 0});
  moveToPHIs(B, C.To, {P, false});
  W.emitDrained(Heddle::BRA, {Operand::label(labelOf(B, C.To))}, {P, false});
}

/// Few cases one after the other, many by halves.
void Selector::takeCases(const SwitchInst &I, unsigned B, ArrayRef<Case> Cases,
                         bool IsLast) {
  constexpr unsigned True = 7, Few = 6;
  unsigned Default = A.indexOf(I.getDefaultDest());
  if (Cases.size() <= Few) {
    for (const Case &C : Cases)
      takeCase(I, B, C);
    moveToPHIs(B, Default, {});
    if (IsLast)
      return jump(B, Default);
    return W.emitDrained(Heddle::BRA, {Operand::label(labelOf(B, Default))});
  }
  size_t Half = Cases.size() / 2;
  const Value *V = I.getCondition();
  bool IsWide = V->getType()->isIntegerTy(64);
  unsigned P = RegisterFile::ScratchPredicate, Upper = W.makeLabel();
  HasScratchPredicate = true;
  W.emit(IsWide ? Heddle::ISETP64_i : Heddle::ISETP_i,
         {P, use(V), Cases[Half].Value, isa::CmpI::GreaterEqual, 1,
          isa::BoolOp::And, True, 0});
  W.emitDrained(Heddle::BRA, {Operand::label(Upper)}, {P, false});
  takeCases(I, B, Cases.take_front(Half), false);
  W.drain();
  W.place(Upper);
  takeCases(I, B, Cases.drop_front(Half), IsLast);
}

void Selector::selectSwitch(const SwitchInst &I, unsigned B) {
  const Type *T = I.getCondition()->getType();
  if (!T->isIntegerTy(32) && !T->isIntegerTy(64))
    return fail("a switch over another type");
  std::vector<Case> Cases;
  for (const auto &C : I.cases()) {
    int64_t Value = C.getCaseValue()->getSExtValue();
    if (!isInt<32>(Value))
      return fail("a switch over large values");
    Cases.push_back({Value, A.indexOf(C.getCaseSuccessor())});
  }
  llvm::sort(Cases,
             [](const Case &A, const Case &B) { return A.Value < B.Value; });
  takeCases(I, B, Cases, true);
}

} // namespace heddle::singlepass
