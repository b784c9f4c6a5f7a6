//===- OutOfSSA.cpp - Values that share a register --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conventional SSA by coalescing, after Boissinot et al., "Revisiting
// Out-of-SSA Translation for Correctness, Code Quality, and Efficiency": the
// copies that a branch makes are parallel and stand on the edge, so a class
// is sound when none of its members interfere.
//
//===----------------------------------------------------------------------===//

#include "OutOfSSA.h"
#include "heddle/Dialect/PTX/Instruction.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::ptxexport;

bool ptxexport::isNamed(Value V) {
  return isa_and_present<ptxir::ConstantOp, ptxir::AddrOfOp, ptxir::ParamAddrOp,
                         ptxir::AllocaOp>(V.getDefiningOp());
}

bool ptxexport::writesEarly(Operation *Op) {
  // What is updated is moved to the result's register before.
  if (auto Inst = dyn_cast<ptxir::InstOp>(Op))
    return Op->getNumResults() != 0 &&
           ptxir::getUpdatedOperand(Op->getResult(0));
  // Where PTX has no selp: a move, and another one under a guard.
  auto Select = dyn_cast<ptxir::SelpOp>(Op);
  if (!Select)
    return false;
  unsigned Bits = ptxir::bitWidth(Select.getTy());
  return Bits < 16 || Bits > 64;
}

RegisterClasses::RegisterClasses(Region &Body) : Body(Body) {
  findWebs();
  findLiveness();
  coalesce();
}

void RegisterClasses::number(Value V) {
  if (isNamed(V) || !Numbers.try_emplace(V, Candidates.size()).second)
    return;
  Parent.push_back(Candidates.size());
  Members.push_back({unsigned(Candidates.size())});
  Candidates.push_back(V);
}

/// Calls \p Fn with each argument of a successor and the value passed to it.
template <typename FnT> static void forEachPassed(Block &B, FnT Fn) {
  auto Branch = dyn_cast<BranchOpInterface>(B.getTerminator());
  if (!Branch)
    return;
  for (unsigned S = 0; S != B.getNumSuccessors(); ++S)
    for (auto [Arg, V] :
         llvm::zip(B.getSuccessor(S)->getArguments(),
                   Branch.getSuccessorOperands(S).getForwardedOperands()))
      Fn(Arg, V);
}

/// Calls \p Fn with each result that is an operand's register updated.
template <typename FnT> static void forEachUpdated(Region &Body, FnT Fn) {
  for (auto Inst : Body.getOps<ptxir::InstOp>())
    for (Value Result : Inst.getValues())
      if (Value Operand = ptxir::getUpdatedOperand(Result))
        Fn(Result, Operand);
}

void RegisterClasses::findWebs() {
  forEachUpdated(Body, [&](Value Result, Value Operand) {
    number(Result);
    number(Operand);
  });
  for (Block &B : Body)
    forEachPassed(B, [&](Value Arg, Value V) {
      number(Arg);
      number(V);
    });
}

void RegisterClasses::findLiveness() {
  // Upward exposed uses and definitions. What is passed to a successor is read
  // at the end of the block.
  llvm::DenseMap<Block *, llvm::BitVector> Exposed, Defined, Passed;
  for (Block &B : Body)
    for (auto *Map : {&Exposed, &Defined, &Passed, &LiveIn, &LiveOut})
      (*Map)[&B].resize(Candidates.size());
  for (auto [N, V] : llvm::enumerate(Candidates)) {
    Block *Home = V.getParentBlock();
    Defined[Home].set(N);
    for (OpOperand &Use : V.getUses()) {
      Operation *User = Use.getOwner();
      auto Branch = dyn_cast<BranchOpInterface>(User);
      if (Branch && Branch.getSuccessorBlockArgument(Use.getOperandNumber()))
        Passed[User->getBlock()].set(N);
      else if (User->getBlock() != Home)
        Exposed[User->getBlock()].set(N);
    }
  }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (Block &B : llvm::reverse(Body)) {
      llvm::BitVector Out = Passed[&B];
      for (Block *Succ : B.getSuccessors())
        Out |= LiveIn[Succ];
      llvm::BitVector In = Out;
      In.reset(Defined[&B]);
      In |= Exposed[&B];
      Changed |= In != LiveIn[&B];
      LiveIn[&B] = std::move(In);
      LiveOut[&B] = std::move(Out);
    }
  }
}

/// Whether a candidate's value is still needed when \p Definition is written.
bool RegisterClasses::isLiveAfter(unsigned Candidate, Value Definition) {
  Value V = Candidates[Candidate];
  Block *B = Definition.getParentBlock();
  Operation *At = Definition.getDefiningOp();
  bool DefinedHere = V.getParentBlock() == B;
  if (!At) // All arguments of a block are written at once.
    return LiveIn[B].test(Candidate) ||
           (DefinedHere && !V.getDefiningOp() && V != Definition);
  if (DefinedHere) {
    Operation *Def = V.getDefiningOp();
    if (Def == At)
      return true;
    if (Def && At->isBeforeInBlock(Def))
      return false;
  } else if (!LiveIn[B].test(Candidate)) {
    return false;
  }
  if (LiveOut[B].test(Candidate))
    return true;
  return llvm::any_of(V.getUsers(), [&](Operation *User) {
    return User->getBlock() == B &&
           (At->isBeforeInBlock(User) ||
            (User == At && writesEarly(At) &&
             ptxir::getUpdatedOperand(Definition) != V));
  });
}

bool RegisterClasses::interfere(unsigned A, unsigned B) {
  return isLiveAfter(A, Candidates[B]) || isLiveAfter(B, Candidates[A]);
}

bool RegisterClasses::interfereAny(unsigned ClassA, unsigned ClassB) {
  for (unsigned A : Members[ClassA])
    for (unsigned B : Members[ClassB])
      if (interfere(A, B))
        return true;
  return false;
}

unsigned RegisterClasses::find(unsigned Candidate) {
  while (Parent[Candidate] != Candidate)
    Candidate = Parent[Candidate] = Parent[Parent[Candidate]];
  return Candidate;
}

void RegisterClasses::coalesce() {
  auto Unite = [&](Value A, Value B) {
    if (isNamed(B))
      return;
    unsigned To = find(Numbers[A]), From = find(Numbers[B]);
    if (To == From || interfereAny(To, From))
      return;
    Parent[From] = To;
    Members[To].append(Members[From]);
    Members[From].clear();
  };
  forEachUpdated(Body, Unite);
  for (Block &B : Body)
    forEachPassed(B, Unite);
  // The first member names the class.
  for (auto [N, V] : llvm::enumerate(Candidates)) {
    unsigned Root = find(N);
    auto [It, New] =
        Classes.try_emplace(Candidates[Root], unsigned(Types.size()));
    if (New)
      Types.push_back(V.getType());
    unsigned Class = It->second;
    Classes[V] = Class;
  }
}

unsigned RegisterClasses::classOf(Value V) {
  auto [It, New] = Classes.try_emplace(V, unsigned(Types.size()));
  if (New)
    Types.push_back(V.getType());
  return It->second;
}

unsigned RegisterClasses::newClass(Type Ty) {
  Types.push_back(Ty);
  return Types.size() - 1;
}
