//===- LowerControl.cpp - Branches, exits and calls -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group leaves the function where it splits, where it stops, and at a jump
// backwards after the end of its time slice; the emulator's scheduler goes on.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

#include <cstddef>

using namespace llvm;
using namespace heddle::emu;

namespace heddle::native {

Value *Lowering::function(unsigned Number) {
  return IR.CreateLoad(Ptr, IR.CreateConstInBoundsGEP1_64(Ptr, Calls, Number));
}

/// Tells the warp where its group is.
void Lowering::place(bool StoresNext) {
  IR.CreateStore(IR.getInt32(PC), field(Layout.Current));
  if (StoresNext)
    IR.CreateStore(IR.getInt32(PC + 1), field(Layout.Next));
}

/// Returns, to go on at \p Next.
void Lowering::leave(uint32_t Next) {
  writeBack(Code.liveAt(Next));
  place(/*StoresNext=*/false);
  IR.CreateStore(IR.getInt32(Next), field(Layout.Next));
  IR.CreateRetVoid();
}

/// Goes on at \p Target, from the instruction that is lowered.
void Lowering::jump(uint32_t Target) {
  auto It = Starts.find(Target);
  if (It == Starts.end())
    return leave(Target);
  // What is in variables goes from one hot block to another alone.
  bool Stays = B->IsHot && Code.Blocks.at(Target).IsHot;
  if (!Stays)
    writeBack(Code.liveAt(Target));
  BasicBlock *There = Stays ? It->second : FromOutside.at(Target);
  if (Target > PC) {
    IR.CreateBr(There);
    return;
  }
  Value *IsOver = IR.CreateICmpUGE(IR.CreateLoad(I64, field(Layout.Issued)),
                                   IR.CreateLoad(I64, field(Layout.SliceEnd)));
  BasicBlock *Over = newBlock("over");
  branchRarely(IsOver, Over, There);
  IR.SetInsertPoint(Over);
  leave(Target);
}

/// Makes code that runs if any lane is behind the guard.
void Lowering::inGuard(function_ref<void()> Body) {
  if (!Exec && !Holds)
    return Body();
  Value *Any = Holds ? Holds : IR.CreateICmpNE(Exec, IR.getInt32(0));
  BasicBlock *Then = newBlock("then"), *Behind = newBlock("behind");
  IR.CreateCondBr(Any, Then, Behind);
  IR.SetInsertPoint(Then);
  RegSet Before = Dirty;
  Body();
  if (!IR.GetInsertBlock()->getTerminator())
    IR.CreateBr(Behind);
  IR.SetInsertPoint(Behind);
  Dirty |= Before;
  Pairs.clear();
}

/// Calls the function that executes the instruction.
void Lowering::callEmulator() {
  place();
  Value *Each = IR.CreateConstInBoundsGEP1_64(
      I8, Insts, uint64_t(PC) * sizeof(DecodedInst));
  Value *Callee = IR.CreateLoad(
      Ptr,
      IR.CreateConstInBoundsGEP1_64(I8, Each, offsetof(DecodedInst, Execute)));
  auto *Ty = FunctionType::get(Type::getVoidTy(C), {Ptr, Ptr, I32}, false);
  IR.CreateCall(Ty, Callee, {W, Each, Exec ? Exec : Group});
}

/// The same with the registers that it names in the warp.
void Lowering::callWithRegisters() {
  RegSet Touched;
  // Lanes that do not execute keep what they have.
  for (auto List : {Code.Image.reads(*I), Code.Image.writes(*I)})
    for (RegId R : List)
      Touched.set(R);
  writeBack(Touched);
  Dirty &= ~Touched;
  callEmulator();
  for (RegId R : Code.Image.writes(*I))
    if (R < FirstConvergence)
      reload(R);
  Pairs.clear();
}

/// Whether the emulator carries the instruction out, behind which the group is
/// at the next one unless there was a fault. What is not hot runs once for
/// each warp, which is no reason for much code.
bool Lowering::isCalled(uint32_t PC) const {
  Inst Each = Code.at(PC);
  Kind K = kindOf(Each);
  if (K == Kind::Illegal)
    return false;
  if (B->IsHot && isParameter(Each))
    return false;
  if (isHalf(Each) && !Host.Halves)
    return true;
  switch (K) {
  case Kind::Call:
  case Kind::MayFault:
    return true;
  case Kind::Access:
    return !B->IsHot || !hasFastAccess(Each);
  default:
    return false;
  }
}

/// Has the emulator execute the instructions to \p Last, with the registers
/// that they name in the warp. Returns whether the group goes on.
Value *Lowering::execute(uint32_t Last) {
  RegSet Touched, Written;
  // Lanes that do not execute keep what they have.
  for (uint32_t At = PC; At <= Last; ++At) {
    for (RegId R : Code.Image.reads(Code.at(At)))
      Touched.set(R);
    for (RegId R : Code.Image.writes(Code.at(At)))
      Written.set(R);
  }
  Touched |= Written;
  writeBack(Touched);
  Dirty &= ~Touched;
  auto *Ty = FunctionType::get(I1, {Ptr, I32, I32, I32}, false);
  Value *GoesOn = IR.CreateCall(
      Ty, function(1),
      {W, IR.getInt32(PC), IR.getInt32(Last), IR.getInt32(SegmentLast)});
  for (RegId R = 0; R < FirstConvergence; ++R)
    if (Written[R])
      reload(R);
  Pairs.clear();
  return GoesOn;
}

/// Returns, with the registers of \p Live in the warp, if the group stops.
void Lowering::returnUnless(Value *GoesOn, const RegSet &Live) {
  BasicBlock *Stopped = newBlock("stopped"), *Fine = newBlock("fine");
  branchRarely(IR.CreateNot(GoesOn), Stopped, Fine);
  IR.SetInsertPoint(Stopped);
  writeBack(Live);
  IR.CreateRetVoid();
  IR.SetInsertPoint(Fine);
}

/// All instructions from this one on that the emulator carries out, by one
/// call.
void Lowering::callStretch() {
  uint32_t Last = PC;
  while (Last != SegmentLast && isCalled(Last + 1))
    ++Last;
  bool MayFault = false;
  for (uint32_t At = PC; At <= Last; ++At)
    MayFault |= kindOf(Code.at(At)) != Kind::Call;
  Value *GoesOn = execute(Last);
  if (MayFault)
    returnUnless(GoesOn, {});
  PC = Last;
}

void Lowering::lowerMayStop() {
  if (B->IsHot && hasExchange(*I))
    return lowerExchange();
  if (!B->IsHot)
    writeBack(Code.liveBehind(PC));
  Value *GoesOn = execute(PC);
  returnUnless(GoesOn, Code.liveBehind(PC));
}

void Lowering::lowerBranch() {
  uint32_t Target = PC + uint32_t(I->Offset);
  if (I->isUnguarded())
    return jump(Target);
  BasicBlock *Taken = newBlock("taken"), *Not = newBlock("not");
  if (!B->IsHot)
    writeBack(Code.liveAt(Target) | Code.liveAt(PC + 1));
  if (Scalar) {
    Holds = flag(I->Guard, I->GuardNegated);
    countGuarded(*I);
    IR.CreateCondBr(Holds, Taken, Not);
  } else {
    Exec = IR.CreateAnd(Group, mask(I->Guard, I->GuardNegated));
    countGuarded(*I);
    BasicBlock *Some = newBlock("some"), *Split = newBlock("split");
    IR.CreateCondBr(IR.CreateICmpEQ(Exec, Group), Taken, Some);
    IR.SetInsertPoint(Some);
    IR.CreateCondBr(IR.CreateICmpEQ(Exec, IR.getInt32(0)), Not, Split);
    IR.SetInsertPoint(Split);
    writeBack(Code.liveAt(Target) | Code.liveAt(PC + 1));
    place();
    auto *Ty = FunctionType::get(Type::getVoidTy(C), {Ptr, I32, I32}, false);
    IR.CreateCall(Ty, function(0), {W, Exec, IR.getInt32(Target)});
    IR.CreateRetVoid();
  }
  IR.SetInsertPoint(Taken);
  jump(Target);
  IR.SetInsertPoint(Not);
  jump(PC + 1);
}

/// Goes on where some lane passes the guard, and returns where the others go
/// on; null without a guard.
BasicBlock *Lowering::enterGuarded() {
  if (I->isUnguarded())
    return nullptr;
  BasicBlock *Then = newBlock("then"), *Behind = newBlock("behind");
  IR.CreateCondBr(IR.CreateICmpNE(Exec, IR.getInt32(0)), Then, Behind);
  IR.SetInsertPoint(Then);
  return Behind;
}

/// Lets the emulator carry out the instruction and returns to it; lanes that
/// the guard keeps out go on at \p Behind.
void Lowering::leaveForEmulator(BasicBlock *Behind) {
  callEmulator();
  IR.CreateRetVoid();
  if (!Behind)
    return;
  IR.SetInsertPoint(Behind);
  jump(PC + 1);
}

/// A direct call. Behind a guard it may split the group.
void Lowering::lowerCallTo() {
  if (!I->isUnguarded())
    return lowerIndirect();
  callWithRegisters();
  jump(PC + uint32_t(I->Offset));
}

/// The emulator finds out where the lanes go.
void Lowering::lowerIndirect() {
  if (!B->IsHot)
    writeBack(~RegSet());
  BasicBlock *Behind = enterGuarded();
  writeBack(~RegSet());
  leaveForEmulator(Behind);
}

/// Goes on with the CTA's next warp if the last lanes of this one exit.
void Lowering::exitToNextWarp() {
  Value *Live =
      IR.CreateAnd(IR.CreateLoad(I32, field(Layout.Exist)),
                   IR.CreateNot(IR.CreateLoad(I32, field(Layout.Exited))));
  Value *HaveAll = IR.CreateICmpEQ(Exec ? Exec : Group, Live);
  Value *HasNext = IR.CreateICmpNE(
      IR.CreateLoad(I32, ownerField(Layout.WarpsToBegin)), IR.getInt32(0));
  BasicBlock *Otherwise = newBlock("lastwarp");
  IR.CreateCondBr(IR.CreateAnd(HaveAll, HasNext), NextWarp, Otherwise);
  IR.SetInsertPoint(Otherwise);
}

void Lowering::lowerExit() {
  if (!B->IsHot && !I->isUnguarded())
    writeBack(Code.liveAt(PC + 1));
  BasicBlock *Behind = enterGuarded();
  if (NextWarp)
    exitToNextWarp();
  if (Behind)
    writeBack(Code.liveAt(PC + 1));
  leaveForEmulator(Behind);
}

} // namespace heddle::native
