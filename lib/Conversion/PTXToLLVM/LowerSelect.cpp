//===- LowerSelect.cpp - Comparisons, selections, moves ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// setp, set, selp, slct, and operations that only name, move or regroup bits.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "LowerFloat.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

/// Untyped operands compare as unsigned.
static LLVM::ICmpPredicate intPredicate(Cmp C, bool Signed) {
  using P = LLVM::ICmpPredicate;
  switch (C) {
  case Cmp::Eq:
    return P::eq;
  case Cmp::Ne:
    return P::ne;
  case Cmp::Lt:
    return Signed ? P::slt : P::ult;
  case Cmp::Le:
    return Signed ? P::sle : P::ule;
  case Cmp::Gt:
    return Signed ? P::sgt : P::ugt;
  case Cmp::Ge:
    return Signed ? P::sge : P::uge;
  case Cmp::Lo:
    return P::ult;
  case Cmp::Ls:
    return P::ule;
  case Cmp::Hi:
    return P::ugt;
  default:
    return P::uge;
  }
}

/// Names without u are false for NaN (ne included), names with u true.
static LLVM::FCmpPredicate floatPredicate(Cmp C) {
  using P = LLVM::FCmpPredicate;
  switch (C) {
  case Cmp::Eq:
    return P::oeq;
  case Cmp::Ne:
    return P::one;
  case Cmp::Lt:
    return P::olt;
  case Cmp::Le:
    return P::ole;
  case Cmp::Gt:
    return P::ogt;
  case Cmp::Ge:
    return P::oge;
  case Cmp::Equ:
    return P::ueq;
  case Cmp::Neu:
    return P::une;
  case Cmp::Ltu:
    return P::ult;
  case Cmp::Leu:
    return P::ule;
  case Cmp::Gtu:
    return P::ugt;
  case Cmp::Geu:
    return P::uge;
  case Cmp::Num:
    return P::ord;
  default:
    return P::uno;
  }
}

/// The comparison alone, not of a packed type.
static Value compare(Emitter &E, Cmp C, ScalarType Ty, bool Ftz, Value A,
                     Value B) {
  A = E.as(A, Ty);
  B = E.as(B, Ty);
  if (!isFloat(Ty))
    return E.icmp(intPredicate(C, isSigned(Ty)), A, B);
  if (Ftz) {
    A = flushSubnormals(E, Ty, A);
    B = flushSubnormals(E, Ty, B);
  }
  return E.make<LLVM::FCmpOp>(floatPredicate(C), A, B);
}

static Value combine(Emitter &E, BoolOp Kind, Value P, Value C) {
  switch (Kind) {
  case BoolOp::None:
    return P;
  case BoolOp::And:
    return E.make<LLVM::AndOp>(P, C);
  case BoolOp::Or:
    return E.make<LLVM::OrOp>(P, C);
  case BoolOp::Xor:
    return E.make<LLVM::XOrOp>(P, C);
  }
  return P;
}

/// The comparisons of the lower and of the upper halves, each combined with the
/// predicate of \p Op where it has one. Selection makes one instruction of
/// both.
template <typename OpT>
static std::pair<Value, Value> comparePacked(Emitter &E, OpT Op,
                                             ScalarType Ty) {
  Value Sources[] = {E.as(Op.getA(), Ty), E.as(Op.getB(), Ty)};
  if (Op.getFtz())
    for (Value &V : Sources)
      V = flushSubnormals(E, Ty, V);
  auto Half = [&](unsigned N) {
    auto Element = [&](Value V) {
      return E.make<LLVM::ExtractElementOp>(V, E.constInt(32, N));
    };
    Value P = E.make<LLVM::FCmpOp>(floatPredicate(Op.getCmp()),
                                   Element(Sources[0]), Element(Sources[1]));
    return combine(E, Op.getBoolop(), P, Op.getC());
  };
  Value Low = Half(0);
  return {Low, Half(1)};
}

/// p is (a cmp b) op c, q is !(a cmp b) op c; of a packed type p is of the
/// lower and q of the upper half.
static LogicalResult lowerSetp(Emitter &E, SetpOp Op) {
  if (isPacked(Op.getTy())) {
    auto [Low, High] = comparePacked(E, Op, Op.getTy());
    return Op.getQ() ? E.replace(Op, {Low, High}) : E.replace(Op, Low);
  }
  Value P =
      compare(E, Op.getCmp(), Op.getTy(), Op.getFtz(), Op.getA(), Op.getB());
  Value Q;
  if (Op.getQ())
    Q = E.make<LLVM::XOrOp>(P, E.constInt(1, 1));
  P = combine(E, Op.getBoolop(), P, Op.getC());
  if (!Op.getQ())
    return E.replace(Op, P);
  return E.replace(Op, {P, combine(E, Op.getBoolop(), Q, Op.getC())});
}

/// Both halves of a packed source are compared and set by themselves.
static LogicalResult lowerPackedSet(Emitter &E, SetOp Op) {
  constexpr uint64_t AllOnes = 0xFFFF, OneF16 = 0x3C00, OneBF16 = 0x3F80;
  uint64_t True = Op.getTy() == ScalarType::F16x2    ? OneF16
                  : Op.getTy() == ScalarType::Bf16x2 ? OneBF16
                                                     : AllOnes;
  auto [Low, High] = comparePacked(E, Op, Op.getSty());
  Value Zero = E.constInt(32, 0);
  return E.replace(
      Op, E.make<LLVM::OrOp>(E.select(Low, E.constInt(32, True), Zero),
                             E.select(High, E.constInt(32, True << 16), Zero)));
}

/// All ones or 1.0 for true.
static LogicalResult lowerSet(Emitter &E, SetOp Op) {
  ScalarType To = Op.getTy(), From = Op.getSty();
  if (isPacked(From))
    return lowerPackedSet(E, Op);
  Value P = compare(E, Op.getCmp(), From, Op.getFtz(), Op.getA(), Op.getB());
  if (Value C = Op.getC())
    P = combine(E, Op.getBoolop(), P, C);
  if (isFloat(To)) {
    Type Ty = E.typeOf(To);
    return E.replace(Op,
                     E.select(P, E.constFloat(Ty, 1.0), E.constFloat(Ty, 0.0)));
  }
  return E.replace(Op, E.make<LLVM::SExtOp>(E.intTy(bitWidth(To)), P));
}

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

static LogicalResult lowerSelp(Emitter &E, SelpOp Op) {
  Type Ty = Op.getD().getType();
  return E.replace(
      Op, E.select(Op.getP(), E.cast(Op.getA(), Ty), E.cast(Op.getB(), Ty)));
}

/// c >= 0 selects a; NaN selects b.
static LogicalResult lowerSlct(Emitter &E, SlctOp Op) {
  Value C = E.as(Op.getC(), Op.getSty());
  Value P;
  if (Op.getSty() == ScalarType::S32) {
    P = E.icmp(LLVM::ICmpPredicate::sge, C, E.constInt(32, 0));
  } else {
    C = Op.getFtz() ? E.flush(C) : C;
    P = E.make<LLVM::FCmpOp>(LLVM::FCmpPredicate::oge, C,
                             E.constFloat(C.getType(), 0.0));
  }
  Type Ty = Op.getD().getType();
  return E.replace(Op,
                   E.select(P, E.cast(Op.getA(), Ty), E.cast(Op.getB(), Ty)));
}

//===----------------------------------------------------------------------===//
// Values and moves
//===----------------------------------------------------------------------===//

static LogicalResult lowerConstant(Emitter &E, ConstantOp Op) {
  return E.replace(Op, E.make<LLVM::ConstantOp>(Op.getType(), Op.getValue()));
}

// A register holds some value: freeze keeps LLVM from choosing a different one
// for each use, or from taking a branch on it for undefined behaviour.
static LogicalResult lowerUndef(Emitter &E, ptxir::UndefOp Op) {
  Value Undef = E.make<LLVM::UndefOp>(Op.getType());
  return E.replace(Op, E.make<LLVM::FreezeOp>(Undef));
}

static LogicalResult lowerMov(Emitter &E, MovOp Op) {
  return E.replace(Op, Op.getA());
}

static LogicalResult lowerPack(Emitter &E, PackOp Op) {
  unsigned Bits = bitWidth(Op.getTy()), Shift = 0;
  Value Whole;
  for (Value Part : Op.getParts()) {
    Value V = E.resize(E.asInt(Part), Bits, false);
    if (Shift)
      V = E.make<LLVM::ShlOp>(V, E.constInt(Bits, Shift));
    Whole = Whole ? E.make<LLVM::OrOp>(Whole, V) : V;
    Shift += bitWidth(Part.getType());
  }
  return E.replace(Op, Whole);
}

static LogicalResult lowerUnpack(Emitter &E, UnpackOp Op) {
  Value Whole = E.asInt(Op.getA());
  unsigned Bits = bitWidth(Op.getTy()), Shift = 0;
  SmallVector<Value> Parts;
  for (Value Part : Op.getParts()) {
    Value V =
        Shift ? E.make<LLVM::LShrOp>(Whole, E.constInt(Bits, Shift)) : Whole;
    unsigned Width = bitWidth(Part.getType());
    Parts.push_back(E.resize(V, Width, false));
    Shift += Width;
  }
  return E.replace(Op, Parts);
}

void lowering::addSelectLowerings(LoweringTable &Table) {
  Table.add<lowerSetp>();
  Table.add<lowerSet>();
  Table.add<lowerSelp>();
  Table.add<lowerSlct>();
  Table.add<lowerConstant>();
  Table.add<lowerUndef>();
  Table.add<lowerMov>();
  Table.add<lowerPack>();
  Table.add<lowerUnpack>();
}
