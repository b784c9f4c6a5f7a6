//===- LowerFloat.cpp - Floating point that rounds to nearest ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The host rounds as the ISA does; what is done by hand is which NaN a result
// is, subnormal numbers with FTZ, and saturation.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using namespace heddle::emu;
using heddle::isa::Op;

namespace heddle::native {

static constexpr uint32_t SignBit = 0x80000000;
static constexpr uint32_t ExponentBits = 0x7F800000;
static constexpr uint64_t LongSignBit = uint64_t(1) << 63;

/// Words with zero for subnormal numbers.
Value *Lowering::flushed(Value *V) {
  Value *Exponent = IR.CreateAnd(V, word(ExponentBits));
  return select(IR.CreateICmpEQ(Exponent, word(0)),
                IR.CreateAnd(V, word(SignBit)), V);
}

/// A source's words after its modifier and, with FTZ, flushed.
Value *Lowering::modified(Value *V, unsigned Modifier) {
  if (Modifier & 2)
    V = IR.CreateAnd(V, word(~SignBit));
  if (Modifier & 1)
    V = IR.CreateXor(V, word(SignBit));
  return I->Ftz ? flushed(V) : V;
}

Value *Lowering::floatOf(Value *V, unsigned Modifier) {
  return IR.CreateBitCast(modified(V, Modifier), Floats);
}

/// The words of a result.
Value *Lowering::finished(Value *F) {
  Value *NaN = word(static_cast<uint32_t>(F32Format.canonicalNaN()));
  Value *V = select(IR.CreateFCmpUNO(F, F), NaN, IR.CreateBitCast(F, Words));
  if (I->Ftz)
    V = flushed(V);
  if (!I->Sat)
    return V;
  Value *One = word(static_cast<uint32_t>(F32Format.one()));
  Value *IsZero =
      IR.CreateOr(IR.CreateFCmpUNO(F, F), IR.CreateICmpSLT(V, word(0)));
  Value *Most = select(IR.CreateICmpULT(V, One), V, One);
  return select(IsZero, word(0), Most);
}

Value *Lowering::doubleOf(Value *V, unsigned Modifier) {
  if (Modifier & 2)
    V = IR.CreateAnd(V, longWord(~LongSignBit));
  if (Modifier & 1)
    V = IR.CreateXor(V, longWord(LongSignBit));
  return IR.CreateBitCast(V, Doubles);
}

Value *Lowering::finishedDouble(Value *F) {
  Value *NaN = longWord(F64Format.canonicalNaN());
  return select(IR.CreateFCmpUNO(F, F), NaN, IR.CreateBitCast(F, Longs));
}

/// The codes have bits for less, equal, greater and unordered.
Value *Lowering::compareFloats(Value *X, Value *Y, unsigned Code) {
  // LLVM's bits are the same with other weights.
  unsigned Predicate =
      (Code & 1 ? CmpInst::FCMP_OLT : 0) | (Code & 2 ? CmpInst::FCMP_OEQ : 0) |
      (Code & 4 ? CmpInst::FCMP_OGT : 0) | (Code & 8 ? CmpInst::FCMP_UNO : 0);
  return IR.CreateFCmp(static_cast<CmpInst::Predicate>(Predicate), X, Y);
}

/// Of two numbers; -0 is less than +0, and a NaN loses, or with NaN wins.
Value *Lowering::extremeFloat(Value *X, Value *Y) {
  auto Key = [&](Value *V) {
    Value *Sign = IR.CreateAShr(V, word(31));
    return IR.CreateXor(V, IR.CreateAnd(Sign, word(~SignBit)));
  };
  auto IsNaN = [&](Value *V) {
    return IR.CreateICmpUGT(IR.CreateAnd(V, word(~SignBit)),
                            word(ExponentBits));
  };
  Value *Less = IR.CreateICmpSLT(Key(X), Key(Y));
  Value *V = I->Select ? select(Less, Y, X) : select(Less, X, Y);
  Value *NaNX = IsNaN(X), *NaNY = IsNaN(Y);
  V = select(NaNX, Y, select(NaNY, X, V));
  Value *Bad = I->NaN ? IR.CreateOr(NaNX, NaNY) : IR.CreateAnd(NaNX, NaNY);
  return select(Bad, word(static_cast<uint32_t>(F32Format.canonicalNaN())), V);
}

bool Lowering::lowerFloat() {
  auto A = [&] { return floatOf(sourceA(), I->Ma); };
  auto B = [&] { return floatOf(sourceB(), I->Mb); };
  switch (I->Info->Operation) {
  case Op::FADD:
    result(finished(IR.CreateFAdd(A(), B())));
    return true;
  case Op::FMUL:
    result(finished(IR.CreateFMul(A(), B())));
    return true;
  case Op::FFMA:
    result(finished(IR.CreateIntrinsic(Intrinsic::fma, {Floats},
                                       {A(), B(), floatOf(sourceC(), I->Mc)})));
    return true;
  case Op::FMNMX:
    result(
        extremeFloat(modified(sourceA(), I->Ma), modified(sourceB(), I->Mb)));
    return true;
  case Op::FSETP:
    comparison(compareFloats(A(), B(), I->Select));
    return true;
  default:
    return false;
  }
}

bool Lowering::lowerDouble() {
  auto A = [&] { return doubleOf(longA(), I->Ma); };
  auto B = [&] { return doubleOf(longB(), I->Mb); };
  switch (I->Info->Operation) {
  case Op::DADD:
    result(finishedDouble(IR.CreateFAdd(A(), B())));
    return true;
  case Op::DMUL:
    result(finishedDouble(IR.CreateFMul(A(), B())));
    return true;
  case Op::DFMA:
    result(finishedDouble(IR.CreateIntrinsic(
        Intrinsic::fma, {Doubles}, {A(), B(), doubleOf(longC(), I->Mc)})));
    return true;
  case Op::DSETP:
    comparison(compareFloats(A(), B(), I->Select));
    return true;
  default:
    return false;
  }
}

} // namespace heddle::native
