//===- HeddleISelQuotients.cpp - Divisions by constants --------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Divisions by constants in fewer instructions than LLVM's expansion: a sum
// that saturates in place of a multiplier of 33 bits, and remainders by one
// multiplication and addition.
//
//===----------------------------------------------------------------------===//

#include "ISel/HeddleISelLowering.h"
#include "llvm/CodeGen/SDPatternMatch.h"
#include "llvm/Support/KnownBits.h"

using namespace llvm;
using namespace llvm::SDPatternMatch;

// The multiplier M for which x / d is M * (x + 1) >> (32 + Shift), where x + 1
// saturates, if x / d is (2^32 + Low) * x >> (33 + Shift): the quotient of
// 2^(32 + Shift) and d, without its fraction, if it has 32 bits and the
// fraction is small enough. The divisor d must not divide the largest x, which
// the sum takes for the one before.
static std::optional<uint32_t> roundedDown(uint32_t Low, uint64_t Shift) {
  if (Shift > 30)
    return std::nullopt; // the power of two below has 64 bits
  uint64_t M = (uint64_t(1) << 32) + Low, Power = uint64_t(1) << (33 + Shift);
  uint64_t D = divideCeil(Power, M);
  bool IsQuotient = D > uint64_t(1) << Shift && D < uint64_t(2) << Shift &&
                    M == divideCeil(Power, D);
  if (!IsQuotient || Power / 2 % D > uint64_t(1) << Shift ||
      UINT32_MAX % D == 0)
    return std::nullopt;
  return static_cast<uint32_t>(Power / 2 / D);
}

/// A quotient by a multiplier of 33 bits: a one followed by the 32 bits of a
/// constant.
static SDValue combineLongQuotient(SDNode *N, SelectionDAG &DAG) {
  SDValue X, High;
  APInt Low, Shift;
  if (N->getValueType(0) != MVT::i32 ||
      !sd_match(N, m_Srl(m_Add(m_Srl(m_Sub(m_Value(X), m_Value(High)),
                                     m_SpecificInt(1)),
                               m_Deferred(High)),
                         m_ConstInt(Shift))) ||
      High.getOpcode() != ISD::MULHU || High.getOperand(0) != X ||
      !sd_match(High.getOperand(1), m_ConstInt(Low)))
    return SDValue();
  std::optional<uint32_t> M =
      roundedDown(Low.getZExtValue(), Shift.getZExtValue());
  if (!M)
    return SDValue();
  SDLoc DL(N);
  // Not UADDSAT, which the uniform path has not: HeddlePairOperations.cpp makes
  // one instruction of these two where it may.
  if (DAG.computeKnownBits(X).getMaxValue().isAllOnes())
    X = DAG.getNode(ISD::UMIN, DL, MVT::i32, X,
                    DAG.getConstant(UINT32_MAX - 1, DL, MVT::i32));
  SDValue Next =
      DAG.getNode(ISD::ADD, DL, MVT::i32, X, DAG.getConstant(1, DL, MVT::i32));
  return DAG.getNode(ISD::SRL, DL, MVT::i32,
                     DAG.getNode(ISD::MULHU, DL, MVT::i32, Next,
                                 DAG.getConstant(*M, DL, MVT::i32)),
                     N->getOperand(1));
}

/// A product that is subtracted is one of the negative factor that is added.
static SDValue combineSubtractedProduct(SDNode *N, SelectionDAG &DAG) {
  SDValue A, B;
  APInt Factor;
  if (N->getValueType(0) != MVT::i32 ||
      !sd_match(N, m_Sub(m_Value(A),
                         m_OneUse(m_Mul(m_Value(B), m_ConstInt(Factor))))) ||
      isNullConstant(A))
    return SDValue();
  SDLoc DL(N);
  return DAG.getNode(ISD::ADD, DL, MVT::i32, A,
                     DAG.getNode(ISD::MUL, DL, MVT::i32, B,
                                 DAG.getConstant(-Factor, DL, MVT::i32)));
}

SDValue llvm::combineQuotient(SDNode *N, SelectionDAG &DAG) {
  return N->getOpcode() == ISD::SRL ? combineLongQuotient(N, DAG)
                                    : combineSubtractedProduct(N, DAG);
}
