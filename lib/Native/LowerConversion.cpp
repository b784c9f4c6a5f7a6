//===- LowerConversion.cpp - Conversions, and elements of words -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between words, floats and halves; and VALU where an element is a word.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using namespace heddle::emu;
using heddle::isa::Op;

namespace heddle::native {

bool Lowering::lowerConversion() {
  switch (I->Info->Operation) {
  case Op::I2F:
  case Op::I2D: {
    bool IsFloat = I->Info->Operation == Op::I2F;
    Type *Ty = IsFloat ? Floats : Doubles;
    Value *V = I->Sty ? IR.CreateSIToFP(sourceB(), Ty)
                      : IR.CreateUIToFP(sourceB(), Ty);
    result(IR.CreateBitCast(V, IsFloat ? Words : Longs));
    return true;
  }
  case Op::F2I: {
    // Out of range is the nearest that is in it, a NaN 0.
    Intrinsic::ID ID = I->Dty ? Intrinsic::fptosi_sat : Intrinsic::fptoui_sat;
    result(
        IR.CreateIntrinsic(ID, {Words, Floats}, {floatOf(sourceB(), I->Mb)}));
    return true;
  }
  default:
    return false;
  }
}

/// Words with the nearest halves of floats.
Value *Lowering::halvesOf(Value *V) {
  Type *Halves = FixedVectorType::get(Type::getHalfTy(C), WarpSize);
  Type *Shorts = FixedVectorType::get(Type::getInt16Ty(C), WarpSize);
  Value *F = IR.CreateBitCast(V, Floats);
  Value *H = IR.CreateBitCast(IR.CreateFPTrunc(F, Halves), Shorts);
  return select(IR.CreateFCmpUNO(F, F),
                word(static_cast<uint32_t>(F16Format.canonicalNaN())),
                IR.CreateZExt(H, Words));
}

bool Lowering::lowerHalf() {
  if (I->Info->Operation == Op::F2FP) {
    Value *High = IR.CreateShl(halvesOf(sourceA()), word(16));
    result(IR.CreateOr(High, halvesOf(sourceB())));
    return true;
  }
  if (I->Info->Operation != Op::F2F)
    return false;
  if (static_cast<isa::PackType>(I->Dty) == isa::PackType::F16) {
    result(halvesOf(modified(sourceB(), I->Mb)));
    return true;
  }
  constexpr uint32_t HalfSign = 0x8000;
  Type *Halves = FixedVectorType::get(Type::getHalfTy(C), WarpSize);
  Type *Shorts = FixedVectorType::get(Type::getInt16Ty(C), WarpSize);
  Value *V = sourceB();
  if (I->Mb & 2)
    V = IR.CreateAnd(V, word(~HalfSign));
  if (I->Mb & 1)
    V = IR.CreateXor(V, word(HalfSign));
  Value *H = IR.CreateBitCast(IR.CreateTrunc(V, Shorts), Halves);
  result(finished(IR.CreateFPExt(H, Floats)));
  return true;
}

//===----------------------------------------------------------------------===//
// Elements of words
//===----------------------------------------------------------------------===//

/// The first operation; of a comparison all ones where it holds.
Value *Lowering::onElements(Value *X, Value *Y) {
  bool Signed = ElementType{I->Dty}.isSigned();
  auto Holds = [&](CmpInst::Predicate IfSigned, CmpInst::Predicate IfNot) {
    return IR.CreateSExt(IR.CreateICmp(Signed ? IfSigned : IfNot, X, Y), Words);
  };
  auto Least = [&] {
    return IR.CreateBinaryIntrinsic(Signed ? Intrinsic::smin : Intrinsic::umin,
                                    X, Y);
  };
  auto Most = [&] {
    return IR.CreateBinaryIntrinsic(Signed ? Intrinsic::smax : Intrinsic::umax,
                                    X, Y);
  };
  switch (static_cast<ElementOp>(I->Select)) {
  case ElementOp::Subtract:
    return IR.CreateSub(X, Y);
  case ElementOp::Min:
    return Least();
  case ElementOp::Max:
    return Most();
  case ElementOp::Difference:
    return IR.CreateSub(Most(), Least());
  case ElementOp::Equal:
    return Holds(CmpInst::ICMP_EQ, CmpInst::ICMP_EQ);
  case ElementOp::NotEqual:
    return Holds(CmpInst::ICMP_NE, CmpInst::ICMP_NE);
  case ElementOp::Less:
    return Holds(CmpInst::ICMP_SLT, CmpInst::ICMP_ULT);
  case ElementOp::LessEqual:
    return Holds(CmpInst::ICMP_SLE, CmpInst::ICMP_ULE);
  case ElementOp::Greater:
    return Holds(CmpInst::ICMP_SGT, CmpInst::ICMP_UGT);
  case ElementOp::GreaterEqual:
    return Holds(CmpInst::ICMP_SGE, CmpInst::ICMP_UGE);
  default:
    return IR.CreateAdd(X, Y);
  }
}

bool Lowering::lowerElements() {
  if (I->Info->Operation != Op::VALU)
    return false;
  bool Signed = ElementType{I->Dty}.isSigned();
  bool Compares = static_cast<ElementOp>(I->Select) >= ElementOp::Equal;
  Value *V = onElements(sourceA(), sourceB());
  switch (static_cast<isa::ElementThen>(I->Bop)) {
  case isa::ElementThen::Accumulate:
    // What holds counts 1.
    result(IR.CreateAdd(sourceC(), negated(Compares, V)));
    return true;
  case isa::ElementThen::Min:
    V = IR.CreateBinaryIntrinsic(Signed ? Intrinsic::smin : Intrinsic::umin, V,
                                 sourceC());
    break;
  case isa::ElementThen::Max:
    V = IR.CreateBinaryIntrinsic(Signed ? Intrinsic::smax : Intrinsic::umax, V,
                                 sourceC());
    break;
  default:
    break;
  }
  if (I->Relu)
    V = IR.CreateBinaryIntrinsic(Intrinsic::smax, V, word(0));
  result(V);
  return true;
}

} // namespace heddle::native
