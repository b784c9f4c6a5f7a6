//===- Comparisons.cpp - Comparisons and selections -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Instructions that write and read predicates.
//
//===----------------------------------------------------------------------===//

#include "Selector.h"

#include "MCTargetDesc/HeddleMCTargetDesc.h"

using namespace llvm;

namespace heddle::singlepass {

static isa::CmpI comparisonOf(CmpInst::Predicate P) {
  switch (P) {
  case CmpInst::ICMP_EQ:
    return isa::CmpI::Equal;
  case CmpInst::ICMP_NE:
    return isa::CmpI::NotEqual;
  case CmpInst::ICMP_ULT:
  case CmpInst::ICMP_SLT:
    return isa::CmpI::Less;
  case CmpInst::ICMP_ULE:
  case CmpInst::ICMP_SLE:
    return isa::CmpI::LessEqual;
  case CmpInst::ICMP_UGT:
  case CmpInst::ICMP_SGT:
    return isa::CmpI::Greater;
  default:
    return isa::CmpI::GreaterEqual;
  }
}

void Selector::selectComparison(const ICmpInst &I) {
  constexpr unsigned True = 7;
  const Value *X = I.getOperand(0), *Y = I.getOperand(1);
  if (X->getType()->isIntegerTy(128))
    return selectWideComparison(I);
  CmpInst::Predicate Kind = I.getPredicate();
  if (llvm::isa<Constant>(root(X))) {
    std::swap(X, Y);
    Kind = CmpInst::getSwappedPredicate(Kind);
  }
  unsigned Size = sizeOf(X);
  bool IsOdd = X->getType()->isIntegerTy() && Size == 2 &&
               !X->getType()->isIntegerTy(64);
  if (Size == 0 || Size > 2 || X->getType()->isVectorTy() || IsOdd)
    return fail("a comparison");
  bool IsSigned = CmpInst::isSigned(Kind);
  unsigned A = useExtended(X, IsSigned);
  Second S{Heddle::ISETP_r, 0};
  if (X->getType()->isIntegerTy() && X->getType()->getIntegerBitWidth() < 32)
    S.Value = useExtended(Y, IsSigned);
  else if (Size == 1)
    S = second(Y, Heddle::ISETP_r, Heddle::ISETP_i);
  else
    S = second(Y, Heddle::ISETP64_r, Heddle::ISETP64_i);
  unsigned P = definePredicate(I);
  W.emit(S.Opcode, {P, A, S.Value, comparisonOf(Kind), IsSigned,
                    isa::BoolOp::And, True, 0});
  finishPredicate(I, P);
}

/// The number of CmpF.
static unsigned floatComparisonOf(CmpInst::Predicate P) {
  switch (P) {
  case CmpInst::FCMP_OLT:
    return 1;
  case CmpInst::FCMP_OEQ:
    return 2;
  case CmpInst::FCMP_OLE:
    return 3;
  case CmpInst::FCMP_OGT:
    return 4;
  case CmpInst::FCMP_ONE:
    return 5;
  case CmpInst::FCMP_OGE:
    return 6;
  case CmpInst::FCMP_ORD:
    return 7;
  case CmpInst::FCMP_UNO:
    return 8;
  case CmpInst::FCMP_ULT:
    return 9;
  case CmpInst::FCMP_UEQ:
    return 10;
  case CmpInst::FCMP_ULE:
    return 11;
  case CmpInst::FCMP_UGT:
    return 12;
  case CmpInst::FCMP_UNE:
    return 13;
  case CmpInst::FCMP_UGE:
    return 14;
  case CmpInst::FCMP_TRUE:
    return 15;
  default:
    return 0;
  }
}

void Selector::selectFloatComparison(const FCmpInst &I) {
  constexpr unsigned True = 7;
  const Value *X = I.getOperand(0), *Y = I.getOperand(1);
  const Type *T = X->getType();
  if (T->isVectorTy())
    return fail("a comparison of vectors");
  unsigned Compare = floatComparisonOf(I.getPredicate());
  unsigned A = use(X);
  unsigned P = definePredicate(I);
  if (T->isFloatTy()) {
    Second S = second(Y, Heddle::FSETP_r, Heddle::FSETP_i);
    W.emit(S.Opcode,
           {P, A, 0, S.Value, 0, Compare, 0, isa::BoolOp::And, True, 0});
  } else if (T->isDoubleTy()) {
    Second S = second(Y, Heddle::DSETP_r, Heddle::DSETP_i);
    W.emit(S.Opcode, {P, A, 0, S.Value, 0, Compare, isa::BoolOp::And, True, 0});
  } else if (T->isHalfTy() || T->isBFloatTy()) {
    W.emit(Heddle::HSETP2_r, {P, True, A, 0, use(Y), 0, T->isBFloatTy(),
                              Compare, 0, isa::BoolOp::And, True, 0});
  } else {
    return fail("a comparison");
  }
  finishPredicate(I, P);
}

void Selector::selectSelect(const SelectInst &I) {
  const Value *X = I.getTrueValue(), *Y = I.getFalseValue();
  if (I.getCondition()->getType()->isVectorTy())
    return fail("a selection between elements");
  Source C = usePredicate(I.getCondition());
  if (isPredicate(I.getType())) {
    constexpr unsigned Choose = 0xCA;
    Source A = usePredicate(X), B = usePredicate(Y);
    unsigned P = definePredicate(I);
    W.emit(Heddle::PLOP3, {P, C.Predicate, C.Negated, A.Predicate, A.Negated,
                           B.Predicate, B.Negated, Choose});
    return finishPredicate(I, P);
  }
  unsigned Size = sizeOf(&I);
  if (Size == 4) {
    unsigned A = use(X), B = use(Y), D = define(I);
    auto Part = [](unsigned R, unsigned P) {
      return R == RegisterFile::Zero ? R : R + P;
    };
    for (unsigned P : {0, 2})
      W.emit(Heddle::SEL64_r,
             {D + P, Part(A, P), Part(B, P), C.Predicate, C.Negated});
    return;
  }
  if (llvm::isa<Constant>(root(X)) && !llvm::isa<Constant>(root(Y))) {
    std::swap(X, Y);
    C.Negated = !C.Negated;
  }
  unsigned A = use(X);
  // A double's immediate is its high half only where it is a double's operand.
  std::optional<uint64_t> Bits = bitsOf(Y);
  bool Fits = Bits && (Size == 1 || isInt<32>(int64_t(*Bits)));
  Operand B =
      Fits ? Operand(Size == 1 ? int64_t(int32_t(*Bits)) : int64_t(*Bits))
           : Operand(use(Y));
  unsigned Opcode = Size == 1 ? (Fits ? Heddle::SEL_i : Heddle::SEL_r)
                              : (Fits ? Heddle::SEL64_i : Heddle::SEL64_r);
  W.emit(Opcode, {define(I), A, B, C.Predicate, C.Negated});
}

} // namespace heddle::singlepass
