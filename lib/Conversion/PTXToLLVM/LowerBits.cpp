//===- LowerBits.cpp - Lowering of bit operations ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Logic, shifts, counts, bit fields and permutations.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

//===----------------------------------------------------------------------===//
// Logic
//===----------------------------------------------------------------------===//

static LogicalResult lowerAnd(Emitter &E, AndOp Op) {
  return E.replace(Op,
                   E.make<LLVM::AndOp>(E.asInt(Op.getA()), E.asInt(Op.getB())));
}
static LogicalResult lowerOr(Emitter &E, OrOp Op) {
  return E.replace(Op,
                   E.make<LLVM::OrOp>(E.asInt(Op.getA()), E.asInt(Op.getB())));
}
static LogicalResult lowerXor(Emitter &E, XorOp Op) {
  return E.replace(Op,
                   E.make<LLVM::XOrOp>(E.asInt(Op.getA()), E.asInt(Op.getB())));
}
static LogicalResult lowerNot(Emitter &E, NotOp Op) {
  Value A = E.asInt(Op.getA());
  return E.replace(
      Op, E.make<LLVM::XOrOp>(A, E.constInt(A.getType(), ~uint64_t(0))));
}
static LogicalResult lowerCnot(Emitter &E, CnotOp Op) {
  Value A = E.asInt(Op.getA());
  Value IsZero = E.icmp(LLVM::ICmpPredicate::eq, A, E.constInt(A.getType(), 0));
  return E.replace(Op, E.resize(IsZero, bitWidth(A.getType()), false));
}
static LogicalResult lowerLop3(Emitter &E, Lop3Op Op) {
  return E.replace(
      Op, E.builtin("lop3", E.intTy(32),
                    {E.asInt(Op.getA()), E.asInt(Op.getB()), E.asInt(Op.getC()),
                     E.constInt(32, Op.getLut())}));
}

//===----------------------------------------------------------------------===//
// Shifts: amounts beyond the width clamp
//===----------------------------------------------------------------------===//

/// Shifts by \p Amount, an i32; all bits out give zero.
template <typename ShiftOp>
static Value shiftOrZero(Emitter &E, Value V, Value Amount) {
  unsigned Bits = bitWidth(V.getType());
  auto Known = E.matchInt(Amount);
  if (Known && Known->uge(Bits))
    return E.constInt(Bits, 0);
  Value Shifted = E.make<ShiftOp>(V, E.resize(Amount, Bits, false));
  if (Known)
    return Shifted;
  Value Inside = E.icmp(LLVM::ICmpPredicate::ult, Amount, E.constInt(32, Bits));
  return E.select(Inside, Shifted, E.constInt(Bits, 0));
}

static Value shiftSigned(Emitter &E, Value V, Value Amount) {
  unsigned Bits = bitWidth(V.getType());
  auto Known = E.matchInt(Amount);
  if (!Known || Known->uge(Bits))
    Amount = E.make<LLVM::UMinOp>(Amount, E.constInt(32, Bits - 1));
  return E.make<LLVM::AShrOp>(V, E.resize(Amount, Bits, false));
}

static LogicalResult lowerShl(Emitter &E, ShlOp Op) {
  return E.replace(
      Op, shiftOrZero<LLVM::ShlOp>(E, E.asInt(Op.getA()), Op.getAmount()));
}

static LogicalResult lowerShr(Emitter &E, ShrOp Op) {
  Value A = E.asInt(Op.getA());
  return E.replace(Op, isSigned(Op.getTy())
                           ? shiftSigned(E, A, Op.getAmount())
                           : shiftOrZero<LLVM::LShrOp>(E, A, Op.getAmount()));
}

/// a holds the low word, b the high one; .l keeps the high word of the shifted
/// pair, .r the low one.
static LogicalResult lowerShf(Emitter &E, ShfOp Op) {
  Value A = E.asInt(Op.getA()), B = E.asInt(Op.getB()), N = E.asInt(Op.getC());
  bool Left = Op.getDir() == ShiftDir::L;
  Value V =
      Left ? E.make<LLVM::FshlOp>(B, A, N) : E.make<LLVM::FshrOp>(B, A, N);
  if (Op.getWrap() == WrapMode::Clamp) {
    Value Inside = E.icmp(LLVM::ICmpPredicate::ult, N, E.constInt(32, 32));
    V = E.select(Inside, V, Left ? A : B);
  }
  return E.replace(Op, V);
}

//===----------------------------------------------------------------------===//
// Counts
//===----------------------------------------------------------------------===//

static LogicalResult lowerPopc(Emitter &E, PopcOp Op) {
  return E.replace(
      Op, E.resize(E.make<LLVM::CtPopOp>(E.asInt(Op.getA())), 32, false));
}

static Value leadingZeros(Emitter &E, Value V) {
  return E.resize(E.make<LLVM::CountLeadingZerosOp>(V.getType(), V, false), 32,
                  false);
}

static LogicalResult lowerClz(Emitter &E, ClzOp Op) {
  return E.replace(Op, leadingZeros(E, E.asInt(Op.getA())));
}

/// Position of the highest bit that differs from the sign (signed) or is set;
/// -1 when there is none. With .shiftamt the shift that brings it to the top.
static LogicalResult lowerBfind(Emitter &E, BfindOp Op) {
  Value A = E.asInt(Op.getA());
  unsigned Bits = bitWidth(Op.getTy());
  bool Signed = isSigned(Op.getTy());
  if (Bits == 32 && !Op.getShiftamt())
    return E.replace(
        Op, E.builtin(Signed ? "bfind_s32" : "bfind_u32", E.intTy(32), A));
  if (Signed) {
    Value Sign = E.make<LLVM::AShrOp>(A, E.constInt(Bits, Bits - 1));
    A = E.make<LLVM::XOrOp>(A, Sign);
  }
  Value Zeros = leadingZeros(E, A);
  if (!Op.getShiftamt())
    return E.replace(Op, E.make<LLVM::SubOp>(E.constInt(32, Bits - 1), Zeros));
  Value None = E.icmp(LLVM::ICmpPredicate::eq, A, E.constInt(Bits, 0));
  return E.replace(Op, E.select(None, E.constInt(32, ~uint64_t(0)), Zeros));
}

static LogicalResult lowerBrev(Emitter &E, BrevOp Op) {
  return E.replace(Op, E.make<LLVM::BitReverseOp>(E.asInt(Op.getA())));
}

//===----------------------------------------------------------------------===//
// Bit fields
//===----------------------------------------------------------------------===//

/// The low eight bits of a position or length, all that PTX looks at.
static Value lowByte(Emitter &E, Value V) {
  return E.make<LLVM::AndOp>(V, E.constInt(32, 0xFF));
}

/// 64-bit mask of the low \p Length bits, all of them from 64 on.
static Value lowMask(Emitter &E, Value Length) {
  Value Bit = shiftOrZero<LLVM::ShlOp>(E, E.constInt(64, 1), Length);
  return E.make<LLVM::SubOp>(Bit, E.constInt(64, 1));
}

/// A field that reaches beyond the top is filled with the sign; so is one of
/// length 0 with zeros.
static Value extractField64(Emitter &E, Value A, Value Pos, Value Len,
                            bool Signed) {
  Pos = lowByte(E, Pos);
  Len = lowByte(E, Len);
  if (!Signed)
    return E.make<LLVM::AndOp>(shiftOrZero<LLVM::LShrOp>(E, A, Pos),
                               lowMask(E, Len));
  Value Field = shiftSigned(E, A, Pos);
  Value Short = E.make<LLVM::UMinOp>(Len, E.constInt(32, 64));
  Value Unused = E.make<LLVM::SubOp>(E.constInt(32, 64), Short);
  Value Top = shiftOrZero<LLVM::ShlOp>(E, Field, Unused);
  return shiftSigned(E, Top, Unused);
}

static LogicalResult lowerBfe(Emitter &E, BfeOp Op) {
  Value A = E.asInt(Op.getA());
  bool Signed = isSigned(Op.getTy());
  if (bitWidth(Op.getTy()) == 32)
    return E.replace(Op, E.builtin(Signed ? "bfe_s32" : "bfe_u32", E.intTy(32),
                                   {A, Op.getPos(), Op.getLen()}));
  return E.replace(Op, extractField64(E, A, Op.getPos(), Op.getLen(), Signed));
}

static LogicalResult lowerBfi(Emitter &E, BfiOp Op) {
  Value A = E.asInt(Op.getA()), B = E.asInt(Op.getB());
  if (bitWidth(Op.getTy()) == 32)
    return E.replace(Op, E.builtin("bfi_b32", E.intTy(32),
                                   {A, B, Op.getPos(), Op.getLen()}));
  Value Pos = lowByte(E, Op.getPos());
  Value Mask =
      shiftOrZero<LLVM::ShlOp>(E, lowMask(E, lowByte(E, Op.getLen())), Pos);
  Value Field = E.make<LLVM::AndOp>(shiftOrZero<LLVM::ShlOp>(E, A, Pos), Mask);
  Value Rest = E.make<LLVM::AndOp>(
      B, E.make<LLVM::XOrOp>(Mask, E.constInt(64, ~uint64_t(0))));
  return E.replace(Op, E.make<LLVM::OrOp>(Field, Rest));
}

//===----------------------------------------------------------------------===//
// Intrinsics with the instruction's own name
//===----------------------------------------------------------------------===//

static LogicalResult lowerFns(Emitter &E, FnsOp Op) {
  return E.replace(Op, E.builtin("fns", E.intTy(32),
                                 {E.asInt(Op.getA()), E.asInt(Op.getB()),
                                  E.asInt(Op.getC())}));
}

/// A position or length of szext and bmsk: clamped to 32, or modulo 32.
static Value wrapOrClamp(Emitter &E, Value V, bool Clamp) {
  return Clamp ? E.make<LLVM::UMinOp>(V, E.constInt(32, 32))
               : E.make<LLVM::AndOp>(V, E.constInt(32, 31));
}

static LogicalResult lowerSzext(Emitter &E, SzextOp Op) {
  Value Length = wrapOrClamp(E, E.asInt(Op.getB()),
                             stringifyEnum(Op.getWrap()) == "clamp");
  return E.replace(
      Op, E.builtin(isSigned(Op.getTy()) ? "bfe_s32" : "bfe_u32", E.intTy(32),
                    {E.asInt(Op.getA()), E.constInt(32, 0), Length}));
}

static LogicalResult lowerBmsk(Emitter &E, BmskOp Op) {
  bool Clamp = stringifyEnum(Op.getWrap()) == "clamp";
  return E.replace(Op, E.builtin("bfi_b32", E.intTy(32),
                                 {E.constInt(32, 0xFFFFFFFF), E.constInt(32, 0),
                                  wrapOrClamp(E, E.asInt(Op.getA()), Clamp),
                                  wrapOrClamp(E, E.asInt(Op.getB()), Clamp)}));
}

static StringRef signLetter(ScalarType Ty) { return isSigned(Ty) ? "s" : "u"; }

static LogicalResult lowerDp4a(Emitter &E, Dp4aOp Op) {
  return E.replace(Op, E.intrinsic("nvvm.idp4a." + signLetter(Op.getTy()) +
                                       "." + signLetter(Op.getSty()),
                                   E.intTy(32),
                                   {E.asInt(Op.getA()), E.asInt(Op.getB()),
                                    E.asInt(Op.getC())}));
}

static LogicalResult lowerDp2a(Emitter &E, Dp2aOp Op) {
  Value High = E.constInt(1, Op.getMode() == MulMode::Hi);
  return E.replace(Op, E.intrinsic("nvvm.idp2a." + signLetter(Op.getTy()) +
                                       "." + signLetter(Op.getSty()),
                                   E.intTy(32),
                                   {E.asInt(Op.getA()), E.asInt(Op.getB()),
                                    High, E.asInt(Op.getC())}));
}

static LogicalResult lowerPrmt(Emitter &E, PrmtOp Op) {
  Value A = E.asInt(Op.getA()), B = E.asInt(Op.getB()), C = E.asInt(Op.getC());
  PrmtMode Mode = Op.getMode();
  Type I32 = E.intTy(32);
  if (Mode == PrmtMode::None)
    return E.replace(Op, E.intrinsic("nvvm.prmt", I32, {A, B, C}));
  std::string Name = ("nvvm.prmt." + stringifyEnum(Mode)).str();
  if (Mode == PrmtMode::F4e || Mode == PrmtMode::B4e)
    return E.replace(Op, E.intrinsic(Name, I32, {A, B, C}));
  return E.replace(Op, E.intrinsic(Name, I32, {A, C}));
}

void lowering::addBitLowerings(LoweringTable &Table) {
  Table.add<lowerAnd>();
  Table.add<lowerOr>();
  Table.add<lowerXor>();
  Table.add<lowerNot>();
  Table.add<lowerCnot>();
  Table.add<lowerLop3>();
  Table.add<lowerShl>();
  Table.add<lowerShr>();
  Table.add<lowerShf>();
  Table.add<lowerPopc>();
  Table.add<lowerClz>();
  Table.add<lowerBfind>();
  Table.add<lowerBrev>();
  Table.add<lowerBfe>();
  Table.add<lowerBfi>();
  Table.add<lowerFns>();
  Table.add<lowerSzext>();
  Table.add<lowerBmsk>();
  Table.add<lowerDp4a>();
  Table.add<lowerDp2a>();
  Table.add<lowerPrmt>();
}
