//===- HeddlePackedMemory.cpp - Vectors of bytes and halves -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elements are taken out of registers and put into them by shifts.
//
//===----------------------------------------------------------------------===//

#include "ISel/HeddlePackedMemory.h"

using namespace llvm;

static constexpr unsigned WordBits = 32;

ArrayRef<MVT> llvm::heddlePackedVectors() {
  static constexpr MVT Types[] = {
      MVT::v2i8,  MVT::v4i8,  MVT::v8i8,  MVT::v16i8,  MVT::v4i16,
      MVT::v8i16, MVT::v4f16, MVT::v8f16, MVT::v4bf16, MVT::v8bf16};
  return Types;
}

/// Whether one instruction accesses as much as \p N does.
static bool isOneAccess(const LSBaseSDNode *N, EVT VT) {
  return N->getMemoryVT() == VT && N->isUnindexed() &&
         N->getAlign() >= Align(VT.getStoreSize());
}

/// The registers that hold \p VT, as one value.
static MVT wordsOf(EVT VT) {
  switch (VT.getFixedSizeInBits()) {
  case 64:
    return MVT::v2i32;
  case 128:
    return MVT::v4i32;
  default:
    return MVT::i32;
  }
}

static SDValue wordOf(SDValue Words, unsigned N, const SDLoc &DL,
                      SelectionDAG &DAG) {
  if (!Words.getValueType().isVector())
    return Words;
  return DAG.getNode(ISD::EXTRACT_VECTOR_ELT, DL, MVT::i32, Words,
                     DAG.getVectorIdxConstant(N, DL));
}

void llvm::lowerHeddlePackedLoad(LoadSDNode *L,
                                 SmallVectorImpl<SDValue> &Results,
                                 SelectionDAG &DAG) {
  EVT VT = L->getValueType(0);
  if (!isOneAccess(L, VT))
    return;
  SDLoc DL(L);
  MVT Type = wordsOf(VT);
  SDValue Words =
      VT.getFixedSizeInBits() < WordBits
          ? DAG.getExtLoad(ISD::ZEXTLOAD, DL, Type, L->getChain(),
                           L->getBasePtr(), MVT::i16, L->getMemOperand())
          : DAG.getLoad(Type, DL, L->getChain(), L->getBasePtr(),
                        L->getMemOperand());
  EVT Element = VT.getVectorElementType();
  unsigned Bits = Element.getFixedSizeInBits();
  EVT Integer = EVT::getIntegerVT(*DAG.getContext(), Bits);
  SmallVector<SDValue, 16> Elements;
  for (unsigned At = 0, E = VT.getFixedSizeInBits(); At != E; At += Bits) {
    SDValue Word = wordOf(Words, At / WordBits, DL, DAG);
    if (At % WordBits != 0)
      Word = DAG.getNode(ISD::SRL, DL, MVT::i32, Word,
                         DAG.getConstant(At % WordBits, DL, MVT::i32));
    Elements.push_back(
        DAG.getBitcast(Element, DAG.getNode(ISD::TRUNCATE, DL, Integer, Word)));
  }
  Results.append({DAG.getBuildVector(VT, DL, Elements), Words.getValue(1)});
}

SDValue llvm::lowerHeddlePackedStore(StoreSDNode *S, SelectionDAG &DAG) {
  SDValue Vector = S->getValue();
  EVT VT = Vector.getValueType();
  if (!isOneAccess(S, VT))
    return SDValue();
  SDLoc DL(S);
  EVT Element = VT.getVectorElementType();
  unsigned Bits = Element.getFixedSizeInBits();
  EVT Integer = EVT::getIntegerVT(*DAG.getContext(), Bits);
  SmallVector<SDValue, 4> Words;
  for (unsigned N = 0, E = VT.getVectorNumElements(); N != E; ++N) {
    SDValue V = DAG.getNode(ISD::EXTRACT_VECTOR_ELT, DL, Element, Vector,
                            DAG.getVectorIdxConstant(N, DL));
    V = DAG.getNode(ISD::ZERO_EXTEND, DL, MVT::i32, DAG.getBitcast(Integer, V));
    unsigned At = N * Bits % WordBits;
    if (At == 0) {
      Words.push_back(V);
      continue;
    }
    V = DAG.getNode(ISD::SHL, DL, MVT::i32, V,
                    DAG.getConstant(At, DL, MVT::i32));
    Words.back() = DAG.getNode(ISD::OR, DL, MVT::i32, Words.back(), V);
  }
  if (Words.size() > 1)
    return DAG.getStore(S->getChain(), DL,
                        DAG.getBuildVector(wordsOf(VT), DL, Words),
                        S->getBasePtr(), S->getMemOperand());
  if (VT.getFixedSizeInBits() < WordBits)
    return DAG.getTruncStore(S->getChain(), DL, Words.front(), S->getBasePtr(),
                             MVT::i16, S->getMemOperand());
  return DAG.getStore(S->getChain(), DL, Words.front(), S->getBasePtr(),
                      S->getMemOperand());
}
