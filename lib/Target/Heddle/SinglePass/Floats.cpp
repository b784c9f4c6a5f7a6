//===- Floats.cpp - Floating-point numbers ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arithmetic of floating-point numbers and conversions.
//
//===----------------------------------------------------------------------===//

#include "Selector.h"

#include "MCTargetDesc/HeddleMCTargetDesc.h"

using namespace llvm;

namespace heddle::singlepass {

static bool isHalf(const Type *T) {
  return T->getScalarType()->isHalfTy() || T->getScalarType()->isBFloatTy();
}

/// The number of FType.
static unsigned floatTypeOf(const Type *T) {
  return T->isHalfTy() ? 1 : T->isBFloatTy() ? 2 : 0;
}

bool Selector::selectFloat(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FAdd:
    return selectFloatSum(I, /*Subtracts=*/false), true;
  case Instruction::FSub:
    return selectFloatSum(I, /*Subtracts=*/true), true;
  case Instruction::FMul:
    return selectFloatProduct(I), true;
  case Instruction::FNeg:
    return selectNegation(I, I.getOperand(0), /*Absolute=*/false), true;
  default:
    return selectConversion(I);
  }
}

void Selector::selectFloatSum(const Instruction &I, bool Subtracts) {
  const Value *X = I.getOperand(0), *Y = I.getOperand(1);
  const Type *T = I.getType();
  unsigned A = use(X);
  if (T->isFloatTy()) {
    Second S = second(Y, Heddle::FADD_r, Heddle::FADD_i);
    return W.emit(S.Opcode, {define(I), A, 0, S.Value, Subtracts, 0, 0, 0});
  }
  if (T->isDoubleTy()) {
    Second S = second(Y, Heddle::DADD_r, Heddle::DADD_i);
    return W.emit(S.Opcode, {define(I), A, 0, S.Value, Subtracts, 0});
  }
  if (!isHalf(T) || sizeOf(&I) != 1)
    return fail("a sum");
  unsigned B = use(Y);
  W.emit(Heddle::HADD2_r, {define(I), A, 0, B, Subtracts,
                           T->getScalarType()->isBFloatTy(), 0, 0, 0});
}

void Selector::selectFloatProduct(const Instruction &I) {
  const Value *X = I.getOperand(0), *Y = I.getOperand(1);
  const Type *T = I.getType();
  unsigned A = use(X);
  if (T->isFloatTy()) {
    Second S = second(Y, Heddle::FMUL_r, Heddle::FMUL_i);
    return W.emit(S.Opcode, {define(I), A, 0, S.Value, 0, 0, 0, 0});
  }
  if (T->isDoubleTy()) {
    Second S = second(Y, Heddle::DMUL_r, Heddle::DMUL_i);
    return W.emit(S.Opcode, {define(I), A, 0, S.Value, 0, 0});
  }
  if (!isHalf(T) || sizeOf(&I) != 1)
    return fail("a product");
  unsigned B = use(Y);
  W.emit(Heddle::HMUL2_r,
         {define(I), A, 0, B, 0, T->getScalarType()->isBFloatTy(), 0, 0, 0});
}

/// The sign bits are turned around, or cleared.
void Selector::selectNegation(const Instruction &I, const Value *V,
                              bool Absolute) {
  const Type *T = I.getType();
  if (T->isDoubleTy()) {
    unsigned X = use(V), D = define(I);
    move(D, X, 1);
    unsigned High = X == RegisterFile::Zero ? X : X + 1;
    return logic(D + 1, High, int64_t(Absolute ? 0x7FFFFFFF : 0x80000000), true,
                 Absolute ? lut::And : lut::Xor);
  }
  if (!T->isFloatTy() && (!isHalf(T) || sizeOf(&I) != 1))
    return fail("a negation");
  int64_t Sign = T->isFloatTy() ? 0x80000000 : 0x80008000;
  unsigned X = use(V);
  logic(define(I), X, Absolute ? ~Sign & 0xFFFFFFFF : Sign, true,
        Absolute ? lut::And : lut::Xor);
}

void Selector::selectFusedMultiply(const CallInst &I, unsigned Rounding,
                                   bool Flushes, bool Saturates, bool Relu) {
  unsigned A = use(I.getArgOperand(0)), C = use(I.getArgOperand(2));
  const Value *Y = I.getArgOperand(1);
  const Type *T = I.getType();
  if (T->isFloatTy()) {
    Second S = second(Y, Heddle::FFMA_r, Heddle::FFMA_i);
    return W.emit(S.Opcode, {define(I), A, 0, S.Value, 0, C, 0, Rounding,
                             Flushes, Saturates});
  }
  if (T->isDoubleTy()) {
    Second S = second(Y, Heddle::DFMA_r, Heddle::DFMA_i);
    return W.emit(S.Opcode, {define(I), A, 0, S.Value, 0, C, 0, Rounding});
  }
  if (!isHalf(T) || sizeOf(&I) != 1)
    return fail("a fused multiplication");
  unsigned B = use(Y);
  W.emit(Heddle::HFMA2_r,
         {define(I), A, 0, B, 0, C, 0, T->getScalarType()->isBFloatTy(),
          Flushes, Saturates, Relu});
}

//===----------------------------------------------------------------------===//
// Conversions
//===----------------------------------------------------------------------===//

bool Selector::selectConversion(const Instruction &I) {
  constexpr unsigned ToZero = 1;
  switch (I.getOpcode()) {
  case Instruction::FPToSI:
    return toInteger(I, true, ToZero), true;
  case Instruction::FPToUI:
    return toInteger(I, false, ToZero), true;
  case Instruction::SIToFP:
    return toFloat(I, true, 0), true;
  case Instruction::UIToFP:
    return toFloat(I, false, 0), true;
  case Instruction::FPExt:
  case Instruction::FPTrunc:
    break;
  default:
    return false;
  }
  const Type *From = I.getOperand(0)->getType(), *To = I.getType();
  if (From->isVectorTy())
    return false;
  unsigned X = use(I.getOperand(0)), D = define(I);
  if (To->isDoubleTy())
    W.emit(Heddle::F2D, {D, X, 0, floatTypeOf(From), 0, 0});
  else if (From->isDoubleTy())
    W.emit(Heddle::D2F, {D, X, 0, floatTypeOf(To), 0, 0, 0});
  else
    W.emit(Heddle::F2F,
           {D, X, 0, floatTypeOf(To), floatTypeOf(From), 0, 0, 0, 0});
  return true;
}

/// To 32 or 64 bits, clamped; what does not fit into fewer is not defined.
void Selector::toInteger(const Instruction &I, bool Signed, unsigned Rounding) {
  const Value *V = I.getOperand(0);
  const Type *From = V->getType();
  unsigned Size = sizeOf(&I);
  unsigned Width = I.getType()->getScalarSizeInBits();
  if (From->isVectorTy() || Size == 0 || (Width > 32 && Width != 64))
    return fail("a conversion to an integer");
  unsigned X = use(V), D = define(I);
  if (From->isDoubleTy())
    W.emit(Size == 1 ? Heddle::D2I : Heddle::D2I64,
           {D, X, 0, Signed, Rounding});
  else
    W.emit(Size == 1 ? Heddle::F2I : Heddle::F2I64,
           {D, X, 0, Signed, floatTypeOf(From), Rounding, 0});
}

void Selector::toFloat(const Instruction &I, bool Signed, unsigned Rounding) {
  const Value *V = I.getOperand(0);
  const Type *To = I.getType();
  unsigned Size = sizeOf(V);
  unsigned Width = V->getType()->getScalarSizeInBits();
  if (To->isVectorTy() || Size == 0 || (Width > 32 && Width != 64))
    return fail("a conversion of an integer");
  unsigned X = useExtended(V, Signed), D = define(I);
  if (To->isDoubleTy()) {
    if (Size == 1)
      W.emit(Heddle::I2D, {D, X, Signed});
    else
      W.emit(Heddle::I642D, {D, X, Signed, Rounding});
  } else {
    W.emit(Size == 1 ? Heddle::I2F : Heddle::I642F,
           {D, X, floatTypeOf(To), Signed, Rounding});
  }
}

} // namespace heddle::singlepass
