//===- HeddleISelElements.cpp - Selection of VALU --------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// VALU does two operations on the elements of words and replaces negative
// results by zero. Arithmetic on halves and saturating arithmetic have nothing
// else. Pairs of operations on words are found behind the uniform path, which
// has no VALU.
//
//===----------------------------------------------------------------------===//

#include "ISel/HeddleISelDAGToDAG.h"
#include "heddle/ISA/ISA.h"

using namespace llvm;

namespace {

using Fn = heddle::isa::ElementOp;
using Then = heddle::isa::ElementThen;
enum class Sign { Any, Unsigned, Signed };

/// The first operation of an instruction that does two.
struct Step {
  Fn F;
  Sign S;
  bool Saturates = false;
};

std::optional<Step> stepOf(unsigned Opcode) {
  switch (Opcode) {
  case ISD::ADD:
    return Step{Fn::Add, Sign::Any};
  case ISD::SUB:
    return Step{Fn::Subtract, Sign::Any};
  case ISD::SMIN:
    return Step{Fn::Min, Sign::Signed};
  case ISD::SMAX:
    return Step{Fn::Max, Sign::Signed};
  case ISD::UMIN:
    return Step{Fn::Min, Sign::Unsigned};
  case ISD::UMAX:
    return Step{Fn::Max, Sign::Unsigned};
  case ISD::SADDSAT:
    return Step{Fn::Add, Sign::Signed, true};
  case ISD::UADDSAT:
    return Step{Fn::Add, Sign::Unsigned, true};
  case ISD::SSUBSAT:
    return Step{Fn::Subtract, Sign::Signed, true};
  case ISD::USUBSAT:
    return Step{Fn::Subtract, Sign::Unsigned, true};
  case ISD::ABDS:
    return Step{Fn::Difference, Sign::Signed};
  case ISD::ABDU:
    return Step{Fn::Difference, Sign::Unsigned};
  case ISD::AVGCEILU:
    return Step{Fn::Average, Sign::Unsigned};
  case ISD::AVGFLOORU:
    return Step{Fn::AverageDown, Sign::Unsigned};
  case ISD::AVGFLOORS:
    return Step{Fn::AverageDown, Sign::Signed};
  default:
    return std::nullopt;
  }
}

bool isZero(SDValue V) {
  return isNullConstant(V) || ISD::isBuildVectorAllZeros(V.getNode());
}

/// A constant that is in no register yet.
bool isImmediate(SDValue V) {
  return !isZero(V) && (isa<ConstantSDNode>(V) ||
                        ISD::isBuildVectorOfConstantSDNodes(V.getNode()));
}

/// The operations of one instruction, of which the last comes first.
class ElementMatch {
public:
  explicit ElementMatch(SDValue V) { matchFloor(V); }

  Step First = {};
  Then T = Then::Nothing;
  bool Relu = false;
  SDValue A, B, C; ///< A is null if nothing matched, C without a third source.
  bool isSigned() const { return S == Sign::Signed; }

private:
  void matchFloor(SDValue V);
  void matchTwo(SDValue V);
  void matchOne(SDValue V);
  bool agrees(Sign Other) const {
    return S == Sign::Any || Other == Sign::Any || S == Other;
  }

  Sign S = Sign::Any;
};

} // namespace

void ElementMatch::matchOne(SDValue V) {
  std::optional<Step> Found = stepOf(V.getOpcode());
  if (!Found || !agrees(Found->S))
    return;
  First = *Found;
  if (First.S != Sign::Any)
    S = First.S;
  A = V.getOperand(0);
  B = V.getOperand(1);
}

/// An extreme of one operation and a third source, or one operation. Only one
/// source may be an immediate.
void ElementMatch::matchTwo(SDValue V) {
  std::optional<Step> Last = stepOf(V.getOpcode());
  if (!Last || !agrees(Last->S))
    return;
  if (Last->F != Fn::Min && Last->F != Fn::Max)
    return matchOne(V);
  for (unsigned I : {0, 1}) {
    SDValue X = V.getOperand(I), Other = V.getOperand(1 - I);
    std::optional<Step> Inner = stepOf(X.getOpcode());
    if (!Inner || !X.hasOneUse() ||
        (Inner->S != Sign::Any && Inner->S != Last->S) ||
        (isImmediate(Other) && any_of(X->op_values(), isImmediate)))
      continue;
    S = Last->S;
    T = Last->F == Fn::Min ? Then::Min : Then::Max;
    C = Other;
    return matchOne(X);
  }
  matchOne(V);
}

void ElementMatch::matchFloor(SDValue V) {
  if (V.getOpcode() == ISD::SMAX && isZero(V.getOperand(1)) &&
      V.getOperand(0).hasOneUse()) {
    S = Sign::Signed;
    matchTwo(V.getOperand(0));
    if (A) {
      Relu = true;
      return;
    }
    S = Sign::Any;
  }
  matchTwo(V);
}

bool HeddleDAGToDAGISel::selectElements(SDNode *N) {
  EVT VT = N->getValueType(0);
  bool IsPacked = VT == MVT::v2i16;
  std::optional<Step> Last = stepOf(N->getOpcode());
  if (!IsPacked && (VT != MVT::i32 || !Last || !Last->Saturates))
    return false;
  ElementMatch M(SDValue(N, 0));
  if (!M.A)
    return false;
  SDLoc DL(N);
  SDValue C = M.C ? M.C : reg(Heddle::RZ, VT.getSimpleVT());
  unsigned Type = (IsPacked ? 2 : 0) | unsigned(M.isSigned());
  ReplaceNode(N, inst(Heddle::VALU_r, DL, CurDAG->getVTList(VT),
                      {M.A, M.B, C, imm(unsigned(M.First.F), DL), imm(Type, DL),
                       imm(M.First.Saturates, DL), imm(unsigned(M.T), DL),
                       imm(M.Relu, DL)}));
  return true;
}
