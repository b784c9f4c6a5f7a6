//===- LowerWarp.cpp - Exchanges, and lanes that meet -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code for what most often happens: exchanges of lanes that are together,
// and meeting places to which all have come. The rest is a call of the
// emulator, after which the group may have to stop.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;
using namespace heddle::emu;
using heddle::isa::Op;
using heddle::isa::ReduxOp;
using heddle::isa::ShflMode;
using heddle::isa::VoteMode;

namespace heddle::native {

/// Whether there is host code for the common case of an instruction after which
/// the group may have to stop.
bool Lowering::hasExchange(Inst I) const {
  switch (I.Info->Operation) {
  case Op::SHFL:
    return Host.Permutes || I.KindB == SourceKind::Immediate;
  case Op::VOTE:
  case Op::REDUX:
    return I.KindB != SourceKind::Register;
  case Op::BSYNC:
    return I.isUnguarded();
  default:
    return false;
  }
}

void Lowering::lowerExchange() {
  BasicBlock *Slow = newBlock("slow"), *Done = newBlock("done");
  RegSet Before = Dirty;
  if (I->Info->Operation == Op::BSYNC) {
    require(haveAllMet(), Slow);
  } else {
    Value *Apart = IR.CreateLoad(I32, field(Layout.Apart));
    require(IR.CreateICmpEQ(IR.CreateAnd(Apart, Group), IR.getInt32(0)), Slow);
    // Lanes outside the group have their registers in the warp.
    if (I->Info->Operation == Op::SHFL)
      require(IR.CreateICmpEQ(Group, IR.getInt32(~0u)), Slow);
    if (!I->isUnguarded()) {
      Exec = IR.CreateAnd(Group, mask(I->Guard, I->GuardNegated));
      countGuarded(*I);
    }
    exchange();
  }
  IR.CreateBr(Done);
  IR.SetInsertPoint(Slow);
  Exec = nullptr;
  Dirty = Before;
  returnUnless(execute(PC), Code.liveBehind(PC));
  IR.CreateBr(Done);
  IR.SetInsertPoint(Done);
  Dirty = Before;
  Pairs.clear();
  for (RegId R : Code.Image.writes(*I))
    Dirty.set(R);
}

void Lowering::exchange() {
  switch (I->Info->Operation) {
  case Op::SHFL:
    return lowerShuffle();
  case Op::VOTE:
    return lowerVote();
  default:
    return lowerReduction();
  }
}

/// The numbers of the lanes.
Constant *Lowering::laneNumbers() {
  SmallVector<Constant *, WarpSize> Numbers;
  for (unsigned L = 0; L < WarpSize; ++L)
    Numbers.push_back(IR.getInt32(L));
  return ConstantVector::get(Numbers);
}

/// What each lane finds in the lane whose number it has.
Value *Lowering::permuted(Value *V, Value *From) {
  if (auto *Known = dyn_cast<Constant>(From)) {
    SmallVector<int, WarpSize> Order;
    for (unsigned L = 0; L < WarpSize; ++L) {
      auto *Number = cast<ConstantInt>(Known->getAggregateElement(L));
      Order.push_back(static_cast<int>(Number->getZExtValue()));
    }
    return IR.CreateShuffleVector(V, Order);
  }
  Value *Parts[2], *Results[2];
  auto Half = [&](Value *Of, unsigned Number) {
    SmallVector<int, HalfWarp> Order;
    for (unsigned L = 0; L < HalfWarp; ++L)
      Order.push_back(static_cast<int>(Number * HalfWarp + L));
    return IR.CreateShuffleVector(Of, Order);
  };
  for (unsigned Number : {0, 1})
    Parts[Number] = Half(V, Number);
  for (unsigned Number : {0, 1})
    Results[Number] =
        IR.CreateIntrinsic(Intrinsic::x86_avx512_vpermi2var_d_512, {},
                           {Parts[0], Half(From, Number), Parts[1]});
  return joined(Results[0], Results[1]);
}

/// d = the a of another lane, p = whether there is one.
void Lowering::lowerShuffle() {
  uint32_t Control = I->Segment;
  Value *Lane = laneNumbers(), *Other = IR.CreateAnd(sourceB(), word(31));
  Value *Segment = word(Control >> 8 & 31), *Clamp = word(Control & 31);
  Value *NotSegment = word(~(Control >> 8 & 31));
  Value *Least = IR.CreateAnd(Lane, Segment);
  Value *Most = IR.CreateOr(Least, IR.CreateAnd(Clamp, NotSegment));
  Value *Where, *IsThere;
  switch (static_cast<ShflMode>(I->Select)) {
  case ShflMode::Up:
    Where = IR.CreateSub(Lane, Other);
    break;
  case ShflMode::Down:
    Where = IR.CreateAdd(Lane, Other);
    break;
  case ShflMode::Butterfly:
    Where = IR.CreateXor(Lane, Other);
    break;
  default:
    Where = IR.CreateOr(Least, IR.CreateAnd(Other, NotSegment));
    break;
  }
  if (static_cast<ShflMode>(I->Select) == ShflMode::Up)
    IsThere = IR.CreateICmpSGE(Where, Most);
  else
    IsThere = IR.CreateICmpSLE(Where, Most);
  Value *V = permuted(row(I->A), select(IsThere, Where, Lane));
  setRow(I->D, V);
  setMask(I->P, maskOf(IsThere));
}

/// The lanes that take part in an exchange.
Value *Lowering::members() {
  Value *Named = I->KindB == SourceKind::Immediate
                     ? IR.getInt32(static_cast<uint32_t>(I->Imm))
                     : uniform(I->B);
  return IR.CreateAnd(Exec ? Exec : Group, Named);
}

void Lowering::lowerVote() {
  Value *Members = members();
  Value *True = IR.CreateAnd(mask(I->S, I->Sn), Members);
  Value *All = IR.CreateICmpEQ(True, Members);
  Value *None = IR.CreateICmpEQ(True, IR.getInt32(0));
  Value *Ballot = IR.getInt32(0), *Holds = IR.getFalse();
  switch (static_cast<VoteMode>(I->Select)) {
  case VoteMode::All:
    Holds = All;
    break;
  case VoteMode::Any:
    Holds = IR.CreateNot(None);
    break;
  case VoteMode::Uniform:
    Holds = IR.CreateOr(All, None);
    break;
  case VoteMode::Ballot:
    Ballot = True;
    break;
  }
  setRow(I->D, splat(Ballot));
  setMask(I->P, select(Holds, IR.getInt32(~0u), IR.getInt32(0)));
}

/// Of the members' words; 0 if there are none.
void Lowering::lowerReduction() {
  Value *Members = members();
  uint32_t Neutral = 0;
  Intrinsic::ID ID;
  switch (static_cast<ReduxOp>(I->Select)) {
  case ReduxOp::Add:
    ID = Intrinsic::vector_reduce_add;
    break;
  case ReduxOp::Min:
    ID = I->Sgn ? Intrinsic::vector_reduce_smin : Intrinsic::vector_reduce_umin;
    Neutral = I->Sgn ? ~0u >> 1 : ~0u;
    break;
  case ReduxOp::Max:
    ID = I->Sgn ? Intrinsic::vector_reduce_smax : Intrinsic::vector_reduce_umax;
    Neutral = I->Sgn ? 1u << 31 : 0;
    break;
  case ReduxOp::And:
    ID = Intrinsic::vector_reduce_and;
    Neutral = ~0u;
    break;
  case ReduxOp::Or:
    ID = Intrinsic::vector_reduce_or;
    break;
  default:
    ID = Intrinsic::vector_reduce_xor;
    break;
  }
  Value *Of = select(bits(Members), row(I->A), word(Neutral));
  Value *V = IR.CreateUnaryIntrinsic(ID, Of);
  V = select(IR.CreateICmpEQ(Members, IR.getInt32(0)), IR.getInt32(0), V);
  setRow(I->D, splat(V));
  setMask(I->P, IR.getInt32(0));
}

Value *Lowering::convergence(unsigned Register) {
  return field(Layout.Convergence + Register * WarpSize * 4);
}

/// The lanes of the group will meet.
bool Lowering::lowerMeeting() {
  if (I->Info->Operation != Op::BSSY)
    return false;
  Value *Lanes = Exec ? Exec : Group;
  IR.CreateMaskedStore(splat(Lanes), convergence(I->D), Align(128),
                       bits(Lanes));
  return true;
}

/// Whether the lanes that each lane of the group waits for are the group.
Value *Lowering::haveAllMet() {
  Value *Exited = IR.CreateLoad(I32, field(Layout.Exited));
  Value *Live = IR.CreateAnd(IR.CreateLoad(I32, field(Layout.Exist)),
                             IR.CreateNot(Exited));
  Value *Awaited = IR.CreateAlignedLoad(Words, convergence(I->A), Align(128));
  Value *IsGroup =
      IR.CreateICmpEQ(IR.CreateAnd(Awaited, splat(Live)), splat(Group));
  Value *Others = IR.CreateAnd(IR.CreateNot(maskOf(IsGroup)), Group);
  return IR.CreateICmpEQ(Others, IR.getInt32(0));
}

} // namespace heddle::native
