//===- LowerInteger.cpp - Integers, bits, moves and predicates --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of isa-defs/HeddleInstrInteger.td, for lanes and on the
// uniform path. Amounts of shifts are kept in range, since beyond it LLVM's
// shifts have no value.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using namespace heddle::emu;
using heddle::isa::Op;

namespace heddle::native {

bool Lowering::lowerInteger() {
  switch (I->Info->Operation) {
  case Op::IADD3:
  case Op::UIADD3:
    result(IR.CreateAdd(
        IR.CreateAdd(negated(I->Ma, sourceA()), negated(I->Mb, sourceB())),
        negated(I->Mc, sourceC())));
    return true;
  case Op::LEA:
  case Op::ULEA:
    result(IR.CreateAdd(IR.CreateShl(sourceA(), word(I->Select)), sourceB()));
    return true;
  case Op::IMAD:
  case Op::UIMAD:
    result(IR.CreateAdd(IR.CreateMul(sourceA(), sourceB()),
                        negated(I->Mc, sourceC())));
    return true;
  case Op::IMADHI:
  case Op::UIMADHI: {
    Value *Product =
        IR.CreateMul(extended(sourceA(), I->Sgn), extended(sourceB(), I->Sgn));
    Value *High = IR.CreateTrunc(IR.CreateLShr(Product, 32), wordType());
    result(IR.CreateAdd(High, sourceC()));
    return true;
  }
  case Op::IADDC:
    lowerAddWithCarry();
    return true;
  case Op::ISETP:
  case Op::UISETP:
    comparison(compareIntegers(sourceA(), sourceB()));
    return true;
  case Op::IMNMX:
  case Op::UIMNMX:
    result(extremeInteger(sourceA(), sourceB()));
    return true;
  case Op::IMNMX3:
    result(extremeInteger(extremeInteger(sourceA(), sourceB()), sourceC()));
    return true;
  case Op::SEL:
  case Op::USEL:
    result(select(selector(), sourceA(), sourceB()));
    return true;
  case Op::IABS: {
    Value *V = sourceB();
    result(select(IR.CreateICmpSLT(V, word(0)), IR.CreateNeg(V), V));
    return true;
  }
  case Op::ISAD: {
    Value *X = sourceA(), *Y = sourceB();
    Value *Less = I->Sgn ? IR.CreateICmpSLT(X, Y) : IR.CreateICmpULT(X, Y);
    Value *Distance = select(Less, IR.CreateSub(Y, X), IR.CreateSub(X, Y));
    result(IR.CreateAdd(Distance, sourceC()));
    return true;
  }
  default:
    return false;
  }
}

bool Lowering::lowerLong() {
  switch (I->Info->Operation) {
  case Op::IADD64:
  case Op::UIADD64:
    result(IR.CreateAdd(negated(I->Ma, longA()), negated(I->Mb, longB())));
    return true;
  case Op::LEA64:
  case Op::ULEA64:
    result(IR.CreateAdd(longB(),
                        IR.CreateShl(extended(sourceA(), I->Ext), I->Select)));
    return true;
  case Op::IMADW:
  case Op::UIMADW:
    result(IR.CreateAdd(
        IR.CreateMul(extended(sourceA(), I->Sgn), extended(sourceB(), I->Sgn)),
        longC()));
    return true;
  case Op::ISETP64:
  case Op::UISETP64:
    comparison(compareIntegers(longA(), longB()));
    return true;
  case Op::IMNMX64:
    result(extremeInteger(longA(), longB()));
    return true;
  case Op::SEL64:
  case Op::USEL64:
    result(select(selector(), longA(), longB()));
    return true;
  case Op::SHL64:
  case Op::USHL64:
  case Op::SHR64:
  case Op::USHR64:
    result(shifted(longA(), extended(sourceB(), false), 64));
    return true;
  default:
    return false;
  }
}

bool Lowering::lowerBits() {
  switch (I->Info->Operation) {
  case Op::LOP3:
  case Op::ULOP3:
    result(lookUp(I->Select, sourceA(), sourceB(), sourceC()));
    return true;
  case Op::SHL:
  case Op::USHL:
  case Op::SHR:
  case Op::USHR:
    result(shifted(sourceA(), sourceB(), 32));
    return true;
  case Op::FSHL:
  case Op::FSHR:
    result(funnel());
    return true;
  case Op::BFE:
    result(bitField());
    return true;
  case Op::POPC:
    result(IR.CreateUnaryIntrinsic(Intrinsic::ctpop, sourceB()));
    return true;
  case Op::BREV:
    result(IR.CreateUnaryIntrinsic(Intrinsic::bitreverse, sourceB()));
    return true;
  default:
    return false;
  }
}

bool Lowering::lowerMove() {
  switch (I->Info->Operation) {
  case Op::MOV:
  case Op::UMOV:
    result(sourceB());
    return true;
  case Op::MOV64:
  case Op::MOV64W:
  case Op::UMOV64:
  case Op::UMOV64W:
    result(longB());
    return true;
  case Op::PLOP3:
    setMask(I->P, lookUp(I->Imm, mask(I->S, I->Sn), mask(I->T, I->Tn),
                         mask(I->V, I->Vn)));
    return true;
  case Op::UPLOP3:
    setPredicate(lookUp(I->Imm, flag(I->S, I->Sn), flag(I->T, I->Tn),
                        flag(I->V, I->Vn)));
    return true;
  case Op::UP2P:
    lowerUniformToPredicate();
    return true;
  case Op::P2UP: {
    Value *Lanes = IR.CreateAnd(mask(I->S, I->Sn), Group);
    setPredicate(IR.CreateICmpNE(Lanes, IR.getInt32(0)));
    return true;
  }
  default:
    return false;
  }
}

void Lowering::lowerUniformToPredicate() {
  Value *V = flag(I->S, I->Sn);
  setMask(I->P, select(V, IR.getInt32(~0u), IR.getInt32(0)));
}

/// d = a + b + s, with the carry in p.
void Lowering::lowerAddWithCarry() {
  Value *X = sourceA(), *Y = sourceB();
  if (I->Mb)
    Y = IR.CreateNot(Y);
  Value *Part = IR.CreateAdd(X, Y);
  Value *Sum = IR.CreateAdd(Part, IR.CreateZExt(selector(), wordType()));
  Value *Carry =
      IR.CreateOr(IR.CreateICmpULT(Part, X), IR.CreateICmpULT(Sum, Part));
  result(Sum);
  setMask(I->P, maskOf(Carry));
}

/// The codes for no relation and for all of them test bits.
Value *Lowering::compareIntegers(Value *X, Value *Y) {
  Value *Zero = Constant::getNullValue(X->getType());
  if (I->Select % 7 == 0) {
    Value *Both = IR.CreateAnd(X, Y);
    return I->Select ? IR.CreateICmpNE(Both, Zero)
                     : IR.CreateICmpEQ(Both, Zero);
  }
  // Bit 0 for less, 1 for equal, 2 for greater.
  static constexpr CmpInst::Predicate Signed[] = {
      CmpInst::ICMP_EQ,  CmpInst::ICMP_SLT, CmpInst::ICMP_EQ, CmpInst::ICMP_SLE,
      CmpInst::ICMP_SGT, CmpInst::ICMP_NE,  CmpInst::ICMP_SGE};
  static constexpr CmpInst::Predicate Unsigned[] = {
      CmpInst::ICMP_EQ,  CmpInst::ICMP_ULT, CmpInst::ICMP_EQ, CmpInst::ICMP_ULE,
      CmpInst::ICMP_UGT, CmpInst::ICMP_NE,  CmpInst::ICMP_UGE};
  return IR.CreateICmp(I->Sgn ? Signed[I->Select] : Unsigned[I->Select], X, Y);
}

Value *Lowering::extremeInteger(Value *X, Value *Y) {
  Value *Less = I->Sgn ? IR.CreateICmpSLT(X, Y) : IR.CreateICmpULT(X, Y);
  return I->Select ? select(Less, Y, X) : select(Less, X, Y);
}

/// Of tables by a, b and c, a bit each: bit (4 a + 2 b + c).
Value *Lowering::lookUp(unsigned Table, Value *X, Value *Y, Value *Z) {
  Value *Zero = Constant::getNullValue(X->getType());
  Value *Ones = Constant::getAllOnesValue(X->getType());
  auto OfZ = [&](unsigned Two) -> Value * {
    switch (Two & 3) {
    case 0:
      return Zero;
    case 1:
      return IR.CreateNot(Z);
    case 2:
      return Z;
    default:
      return Ones;
    }
  };
  auto Choose = [&](Value *Where, Value *IfSet, Value *IfClear) -> Value * {
    if (IfSet == IfClear)
      return IfSet;
    if (IfSet == Ones && IfClear == Zero)
      return Where;
    if (IfSet == Zero && IfClear == Ones)
      return IR.CreateNot(Where);
    Value *Set = IR.CreateAnd(IfSet, Where);
    return IR.CreateOr(Set, IR.CreateAnd(IfClear, IR.CreateNot(Where)));
  };
  auto OfY = [&](unsigned Four) -> Value * {
    if ((Four >> 2 & 3) == (Four & 3))
      return OfZ(Four);
    // Exclusive or, of which there is one instruction.
    if ((Four & 15) == 6)
      return IR.CreateXor(Y, Z);
    return Choose(Y, OfZ(Four >> 2), OfZ(Four));
  };
  if ((Table >> 4 & 15) == (Table & 15))
    return OfY(Table);
  if (((Table >> 4 ^ Table) & 15) == 15)
    return IR.CreateXor(X, OfY(Table));
  return Choose(X, OfY(Table >> 4), OfY(Table));
}

/// By an amount that may be as large as the width, or larger.
Value *Lowering::shifted(Value *V, Value *Amount, unsigned Width) {
  Op O = I->Info->Operation;
  bool IsLeft =
      O == Op::SHL || O == Op::USHL || O == Op::SHL64 || O == Op::USHL64;
  Type *Ty = V->getType();
  auto Constant = [&](uint64_t N) { return ConstantInt::get(Ty, N); };
  Value *Fits = IR.CreateICmpULT(Amount, Constant(Width));
  Value *Low = IR.CreateAnd(Amount, Constant(Width - 1));
  if (!IsLeft && I->Sgn)
    return IR.CreateAShr(V, select(Fits, Low, Constant(Width - 1)));
  Value *Result = IsLeft ? IR.CreateShl(V, Low) : IR.CreateLShr(V, Low);
  return select(Fits, Result, Constant(0));
}

/// A word of the 64 bits in c and a.
Value *Lowering::funnel() {
  Value *Wide = IR.CreateOr(extended(sourceA(), false),
                            IR.CreateShl(extended(sourceC(), false), 32));
  Value *Amount = sourceB();
  if (I->Select)
    Amount = IR.CreateAnd(Amount, word(31));
  else
    Amount = select(IR.CreateICmpULT(Amount, word(32)), Amount, word(32));
  Value *By = extended(Amount, false);
  if (I->Info->Operation == Op::FSHL)
    Wide = IR.CreateLShr(IR.CreateShl(Wide, By), 32);
  else
    Wide = IR.CreateLShr(Wide, By);
  return IR.CreateTrunc(Wide, wordType());
}

/// The bits of a from a position on, with a length, both in b.
Value *Lowering::bitField() {
  Value *V = sourceA(), *Where = sourceB();
  Value *Position = IR.CreateAnd(Where, word(255));
  Value *Length = IR.CreateAnd(IR.CreateLShr(Where, word(8)), word(255));
  auto Right = [&](Value *X, Value *By) {
    return I->Sgn ? IR.CreateAShr(X, By) : IR.CreateLShr(X, By);
  };
  Value *Rest = I->Sgn ? IR.CreateAShr(V, word(31)) : word(0);
  Value *Field = Right(V, IR.CreateAnd(Position, word(31)));
  Field = select(IR.CreateICmpULT(Position, word(32)), Field, Rest);
  Value *Unused = IR.CreateAnd(IR.CreateSub(word(32), Length), word(31));
  Unused = select(IR.CreateICmpULT(Length, word(32)), Unused, word(0));
  Field = Right(IR.CreateShl(Field, Unused), Unused);
  return select(IR.CreateICmpEQ(Length, word(0)), word(0), Field);
}

} // namespace heddle::native
