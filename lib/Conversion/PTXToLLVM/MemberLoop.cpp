//===- MemberLoop.cpp - Work for each member of a multicast -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The block of the operation is divided in front of it, and the loop, which has
// one block, stands between.
//
//===----------------------------------------------------------------------===//

#include "MemberLoop.h"
#include "heddle/ISA/DeviceWork.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;

static Value query(Emitter &E, isa::DeviceQuery What, Value Address,
                   Value Number) {
  return E.builtin(
      "device_query", E.intTy(64),
      {E.constInt(32, unsigned(What)), Address, Number, E.constInt(64, 0)});
}

MemberLoop::MemberLoop(Emitter &E, Operation *Op, Value Address)
    : E(E), Op(Op), Before(Op->getBlock()) {
  Count =
      query(E, isa::DeviceQuery::MulticastMembers, Address, E.constInt(64, 0));
  After = Before->splitBlock(Op);
  Body = E.B.createBlock(After, E.intTy(64), E.Loc);
  Index = Body->getArgument(0);
  Member = query(E, isa::DeviceQuery::MulticastMember, Address, Index);
}

Value MemberLoop::isFirst() {
  return E.icmp(LLVM::ICmpPredicate::eq, Index, E.constInt(64, 0));
}

SmallVector<Value> MemberLoop::carry(TypeRange Types) {
  SmallVector<Value> Values;
  for (Type Ty : Types) {
    Carried.push_back(Ty);
    Values.push_back(Body->addArgument(Ty, E.Loc));
  }
  return Values;
}

SmallVector<Value> MemberLoop::finish(ValueRange Values) {
  Value Next = E.make<LLVM::AddOp>(Index, E.constInt(64, 1));
  Value IsMore = E.icmp(LLVM::ICmpPredicate::ult, Next, Count);
  SmallVector<Value> Again = {Next};
  llvm::append_range(Again, Values);
  LLVM::CondBrOp::create(E.B, E.Loc, IsMore, Body, Again, After, Values);
  E.B.setInsertionPointToEnd(Before);
  SmallVector<Value> First = {E.constInt(64, 0)};
  for (Type Ty : Carried)
    First.push_back(E.make<LLVM::ZeroOp>(Ty));
  LLVM::BrOp::create(E.B, E.Loc, First, Body);
  SmallVector<Value> Last;
  for (Type Ty : Carried)
    Last.push_back(After->addArgument(Ty, E.Loc));
  E.B.setInsertionPoint(Op);
  return Last;
}
