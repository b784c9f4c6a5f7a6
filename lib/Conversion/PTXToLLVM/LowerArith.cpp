//===- LowerArith.cpp - Lowering of integer arithmetic ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addition to division on integers, extended precision included; the floating-
// point forms of shared operations go to LowerFloat.cpp.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "LowerFloat.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

/// High half of a product of integers, as wide as the factors.
static Value mulHigh(Emitter &E, Value A, Value B, bool Signed) {
  unsigned Bits = bitWidth(A.getType());
  Value Wide = E.make<LLVM::MulOp>(E.resize(A, 2 * Bits, Signed),
                                   E.resize(B, 2 * Bits, Signed));
  Value High = E.make<LLVM::LShrOp>(Wide, E.constInt(2 * Bits, Bits));
  return E.resize(High, Bits, false);
}

static Value product(Emitter &E, Value A, Value B, ScalarType Ty,
                     MulMode Mode) {
  bool Signed = isSigned(Ty);
  unsigned Bits = bitWidth(Ty);
  A = E.as(A, Ty);
  B = E.as(B, Ty);
  switch (Mode) {
  case MulMode::Hi:
    return mulHigh(E, A, B, Signed);
  case MulMode::Wide:
    return E.make<LLVM::MulOp>(E.resize(A, 2 * Bits, Signed),
                               E.resize(B, 2 * Bits, Signed));
  case MulMode::Lo:
  case MulMode::None:
    return E.make<LLVM::MulOp>(A, B);
  }
  return {};
}

static LogicalResult lowerAdd(Emitter &E, AddOp Op) {
  if (isFloat(Op.getTy()))
    return lowerFloatAdd(E, Op);
  Value A = E.as(Op.getA(), Op.getTy()), B = E.as(Op.getB(), Op.getTy());
  if (Op.getSat())
    return E.replace(Op, isSigned(Op.getTy()) ? E.make<LLVM::SAddSat>(A, B)
                                              : E.make<LLVM::UAddSat>(A, B));
  return E.replace(Op, E.make<LLVM::AddOp>(A, B));
}

static LogicalResult lowerSub(Emitter &E, SubOp Op) {
  if (isFloat(Op.getTy()))
    return lowerFloatSub(E, Op);
  Value A = E.as(Op.getA(), Op.getTy()), B = E.as(Op.getB(), Op.getTy());
  if (Op.getSat())
    return E.replace(Op, E.make<LLVM::SSubSat>(A, B));
  return E.replace(Op, E.make<LLVM::SubOp>(A, B));
}

static LogicalResult lowerMul(Emitter &E, MulOp Op) {
  if (isFloat(Op.getTy()))
    return lowerFloatMul(E, Op);
  return E.replace(Op,
                   product(E, Op.getA(), Op.getB(), Op.getTy(), Op.getMode()));
}

static LogicalResult lowerMad(Emitter &E, MadOp Op) {
  if (isFloat(Op.getTy()))
    return lowerFloatMad(E, Op);
  Value P = product(E, Op.getA(), Op.getB(), Op.getTy(), Op.getMode());
  Value C = E.cast(Op.getC(), P.getType());
  if (Op.getSat())
    return E.replace(Op, E.make<LLVM::SAddSat>(P, C));
  return E.replace(Op, E.make<LLVM::AddOp>(P, C));
}

/// The low 24 bits of a 32-bit integer, extended to \p Bits.
static Value low24(Emitter &E, Value V, bool Signed, unsigned Bits) {
  V = E.asInt(V);
  if (Signed) {
    Value Eight = E.constInt(32, 8);
    V = E.make<LLVM::AShrOp>(E.make<LLVM::ShlOp>(V, Eight), Eight);
  } else {
    V = E.make<LLVM::AndOp>(V, E.constInt(32, 0xFFFFFF));
  }
  return E.resize(V, Bits, Signed);
}

/// Bits 31..0 (.lo) or 47..16 (.hi) of the 48-bit product.
template <typename OpT> static Value product24(Emitter &E, OpT Op) {
  bool Signed = isSigned(Op.getTy());
  bool High = Op.getMode() == MulMode::Hi;
  unsigned Bits = High ? 64 : 32;
  Value P = E.make<LLVM::MulOp>(low24(E, Op.getA(), Signed, Bits),
                                low24(E, Op.getB(), Signed, Bits));
  if (!High)
    return P;
  return E.resize(E.make<LLVM::LShrOp>(P, E.constInt(64, 16)), 32, false);
}

static LogicalResult lowerMul24(Emitter &E, Mul24Op Op) {
  return E.replace(Op, product24(E, Op));
}

static LogicalResult lowerMad24(Emitter &E, Mad24Op Op) {
  Value P = product24(E, Op), C = E.asInt(Op.getC());
  if (Op.getSat())
    return E.replace(Op, E.make<LLVM::SAddSat>(P, C));
  return E.replace(Op, E.make<LLVM::AddOp>(P, C));
}

static LogicalResult lowerSad(Emitter &E, SadOp Op) {
  Value A = E.as(Op.getA(), Op.getTy()), B = E.as(Op.getB(), Op.getTy());
  Value Max, Min;
  if (isSigned(Op.getTy())) {
    Max = E.make<LLVM::SMaxOp>(A, B);
    Min = E.make<LLVM::SMinOp>(A, B);
  } else {
    Max = E.make<LLVM::UMaxOp>(A, B);
    Min = E.make<LLVM::UMinOp>(A, B);
  }
  Value Distance = E.make<LLVM::SubOp>(Max, Min);
  return E.replace(Op,
                   E.make<LLVM::AddOp>(Distance, E.as(Op.getC(), Op.getTy())));
}

//===----------------------------------------------------------------------===//
// Division
//===----------------------------------------------------------------------===//

/// LLVM's division is undefined for a divisor of zero and for the most
/// negative number by -1, PTX's is not; so only a divisor that is known and
/// neither goes to LLVM. The builtins define the rest.
static Value divide(Emitter &E, Value A, Value B, bool Signed, bool Remainder) {
  Type Ty = A.getType();
  if (auto Divisor = E.matchInt(B)) {
    if (Signed && Divisor->isAllOnes())
      return Remainder ? E.constInt(Ty, 0)
                       : E.make<LLVM::SubOp>(E.constInt(Ty, 0), A);
    if (!Divisor->isZero()) {
      if (Signed)
        return Remainder ? E.make<LLVM::SRemOp>(A, B)
                         : E.make<LLVM::SDivOp>(A, B);
      return Remainder ? E.make<LLVM::URemOp>(A, B)
                       : E.make<LLVM::UDivOp>(A, B);
    }
  }
  unsigned Bits = bitWidth(Ty);
  unsigned Wide = std::max(Bits, 32u);
  Value Result = E.builtin(
      Twine(Signed ? "s" : "u") + (Remainder ? "rem" : "div") + Twine(Wide),
      E.intTy(Wide), {E.resize(A, Wide, Signed), E.resize(B, Wide, Signed)});
  return E.resize(Result, Bits, false);
}

static LogicalResult lowerDiv(Emitter &E, DivOp Op) {
  if (isFloat(Op.getTy()))
    return lowerFloatDiv(E, Op);
  return E.replace(Op, divide(E, E.asInt(Op.getA()), E.asInt(Op.getB()),
                              isSigned(Op.getTy()), false));
}

static LogicalResult lowerRem(Emitter &E, RemOp Op) {
  return E.replace(Op, divide(E, E.asInt(Op.getA()), E.asInt(Op.getB()),
                              isSigned(Op.getTy()), true));
}

//===----------------------------------------------------------------------===//
// One operand, minimum and maximum
//===----------------------------------------------------------------------===//

static LogicalResult lowerAbs(Emitter &E, AbsOp Op) {
  if (isFloat(Op.getTy()))
    return lowerFloatAbs(E, Op);
  Value A = E.as(Op.getA(), Op.getTy());
  return E.replace(Op, E.make<LLVM::AbsOp>(A.getType(), A, false));
}

static LogicalResult lowerNeg(Emitter &E, NegOp Op) {
  if (isFloat(Op.getTy()))
    return lowerFloatNeg(E, Op);
  Value A = E.as(Op.getA(), Op.getTy());
  return E.replace(Op, E.make<LLVM::SubOp>(E.constInt(A.getType(), 0), A));
}

template <typename SignedOp, typename UnsignedOp, typename OpT>
static LogicalResult lowerIntMinMax(Emitter &E, OpT Op) {
  if (Op.getC())
    return E.unsupported(Op, "three-operand integer min or max");
  Value A = E.as(Op.getA(), Op.getTy()), B = E.as(Op.getB(), Op.getTy());
  Value V =
      isSigned(Op.getTy()) ? E.make<SignedOp>(A, B) : E.make<UnsignedOp>(A, B);
  if (Op.getRelu())
    V = E.make<LLVM::SMaxOp>(V, E.constInt(V.getType(), 0));
  return E.replace(Op, V);
}

static LogicalResult lowerMin(Emitter &E, MinOp Op) {
  if (isFloat(Op.getTy()))
    return lowerFloatMin(E, Op);
  return lowerIntMinMax<LLVM::SMinOp, LLVM::UMinOp>(E, Op);
}

static LogicalResult lowerMax(Emitter &E, MaxOp Op) {
  if (isFloat(Op.getTy()))
    return lowerFloatMax(E, Op);
  return lowerIntMinMax<LLVM::SMaxOp, LLVM::UMaxOp>(E, Op);
}

//===----------------------------------------------------------------------===//
// Extended precision
//===----------------------------------------------------------------------===//

/// Sum (difference) of A, B and a carry (borrow), and the carry out.
template <typename WithOverflow>
static std::pair<Value, Value> withCarry(Emitter &E, Value A, Value B,
                                         Value CarryIn) {
  Type Pair = E.structTy({A.getType(), E.intTy(1)});
  Value First = E.make<WithOverflow>(Pair, A, B);
  Value Sum = E.extract(First, 0), Carry = E.extract(First, 1);
  if (!CarryIn)
    return {Sum, Carry};
  Value In = E.resize(CarryIn, bitWidth(A.getType()), false);
  Value Second = E.make<WithOverflow>(Pair, Sum, In);
  // At most one of the two steps overflows.
  return {E.extract(Second, 0),
          E.make<LLVM::OrOp>(Carry, E.extract(Second, 1))};
}

static LogicalResult lowerAddCarry(Emitter &E, AddCarryOp Op) {
  auto [Sum, Carry] = withCarry<LLVM::UAddWithOverflowOp>(
      E, Op.getA(), Op.getB(), Op.getCarryIn());
  return E.replace(Op, {Sum, Carry});
}

/// The flag says that there is no borrow.
static LogicalResult lowerSubCarry(Emitter &E, SubCarryOp Op) {
  auto Complement = [&](Value Flag) {
    return E.make<LLVM::XOrOp>(Flag, E.constInt(1, 1));
  };
  Value In = Op.getCarryIn();
  auto [Difference, Borrow] = withCarry<LLVM::USubWithOverflowOp>(
      E, Op.getA(), Op.getB(), In ? Complement(In) : In);
  return E.replace(Op, {Difference, Complement(Borrow)});
}

static LogicalResult lowerMadCarry(Emitter &E, MadCarryOp Op) {
  Value P = product(E, Op.getA(), Op.getB(), Op.getTy(), Op.getMode());
  auto [Sum, Carry] =
      withCarry<LLVM::UAddWithOverflowOp>(E, P, Op.getC(), Op.getCarryIn());
  return E.replace(Op, {Sum, Carry});
}

void lowering::addArithLowerings(LoweringTable &Table) {
  Table.add<lowerAdd>();
  Table.add<lowerSub>();
  Table.add<lowerMul>();
  Table.add<lowerMad>();
  Table.add<lowerMul24>();
  Table.add<lowerMad24>();
  Table.add<lowerSad>();
  Table.add<lowerDiv>();
  Table.add<lowerRem>();
  Table.add<lowerAbs>();
  Table.add<lowerNeg>();
  Table.add<lowerMin>();
  Table.add<lowerMax>();
  Table.add<lowerAddCarry>();
  Table.add<lowerSubCarry>();
  Table.add<lowerMadCarry>();
}
