//===- HeddleBuiltins.cpp - Functions that stand for one instruction ------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers calls of the functions in heddle/Target/Builtins.def.
//
//===----------------------------------------------------------------------===//

#include "BuiltinKinds.h"
#include "ISel/HeddleISelLowering.h"
#include "ISel/HeddleSelectionDAGInfo.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "heddle/ISA/ISA.h"
#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/IR/DiagnosticInfo.h"

using namespace llvm;
using heddle::isa::FType;
using heddle::isa::MufuFn;

namespace {

using Kind = heddle::BuiltinKind;

struct Builtin {
  StringLiteral Name;
  Kind K;
  unsigned Opcode;
  StringLiteral Signature;
};

constexpr Builtin Builtins[] = {
#define HEDDLE_BUILTIN(NAME, KIND, INST, SIGNATURE)                            \
  {"__heddle_" #NAME, Kind::KIND, Heddle::INST, SIGNATURE},
#include "heddle/Target/Builtins.def"
};

/// One builtin call on its way to nodes.
class BuiltinLowering {
  const Builtin &B;
  ArrayRef<SDValue> Args;
  const SDLoc &DL;
  SelectionDAG &DAG;

public:
  BuiltinLowering(const Builtin &B, ArrayRef<SDValue> Args, const SDLoc &DL,
                  SelectionDAG &DAG)
      : B(B), Args(Args), DL(DL), DAG(DAG) {}

  void run(SmallVectorImpl<SDValue> &Results);

private:
  SDValue imm(int64_t V) { return DAG.getTargetConstant(V, DL, MVT::i32); }
  SDValue imm(MufuFn V) { return imm(int64_t(V)); }
  SDValue imm(FType V) { return imm(int64_t(V)); }
  /// Argument I, which must be a constant.
  uint64_t constantArg(unsigned I);
  /// The instruction with the operands that all end with.
  SDValue inst(ArrayRef<SDValue> Ops, MVT VT);
  /// The position in bits 7..0 and the length in bits 15..8.
  SDValue field(SDValue Position, SDValue Length);
  /// The first two arguments as a group of registers.
  SDValue group();
  void prepareDivision(SmallVectorImpl<SDValue> &Results);
  SDValue elements(uint64_t Mode);
  SDValue bitOperation(MVT VT);
  SDValue floatOperation(MVT VT);
  /// A step of a division or a square root, which has a result.
  SDValue quotientStep(MVT VT);
  /// The modifiers of floating-point operations that argument I, a constant,
  /// stands for.
  SDValue rounding(unsigned I) { return imm(constantArg(I) & 3); }
  SDValue ftz(unsigned I) { return imm(constantArg(I) >> 2 & 1); }
  SDValue relu(unsigned I) { return imm(constantArg(I) >> 3 & 1); }
  bool isDouble() { return Args[0].getValueType() == MVT::f64; }
};

} // namespace

uint64_t BuiltinLowering::constantArg(unsigned I) {
  if (const auto *C = dyn_cast<ConstantSDNode>(Args[I]))
    return C->getZExtValue();
  const Function &F = DAG.getMachineFunction().getFunction();
  DAG.getContext()->diagnose(DiagnosticInfoUnsupported(
      F,
      Twine("argument ") + Twine(I) + " of " + B.Name + " must be a constant",
      DL.getDebugLoc()));
  return 0;
}

SDValue BuiltinLowering::inst(ArrayRef<SDValue> Ops, MVT VT) {
  SmallVector<SDValue, 12> All(Ops);
  All.append({DAG.getRegister(Heddle::PT, MVT::i1), imm(0),
              imm(Heddle::DefaultControl)});
  return SDValue(DAG.getMachineNode(B.Opcode, DL, VT, All), 0);
}

SDValue BuiltinLowering::field(SDValue Position, SDValue Length) {
  SDValue Byte = DAG.getConstant(255, DL, MVT::i32);
  auto Node = [&](unsigned Opc, SDValue X, SDValue Y) {
    return DAG.getNode(Opc, DL, MVT::i32, X, Y);
  };
  return Node(ISD::OR, Node(ISD::AND, Position, Byte),
              Node(ISD::SHL, Node(ISD::AND, Length, Byte),
                   DAG.getConstant(8, DL, MVT::i32)));
}

SDValue BuiltinLowering::group() {
  unsigned Class =
      isDouble() ? Heddle::GPR128RegClassID : Heddle::GPR64RegClassID;
  unsigned Low = isDouble() ? Heddle::sub0_sub1 : Heddle::sub0;
  unsigned High = isDouble() ? Heddle::sub2_sub3 : Heddle::sub1;
  SDValue Ops[] = {imm(Class), Args[0], imm(Low), Args[1], imm(High)};
  return SDValue(DAG.getMachineNode(TargetOpcode::REG_SEQUENCE, DL,
                                    isDouble() ? MVT::v2f64 : MVT::v2f32, Ops),
                 0);
}

void BuiltinLowering::prepareDivision(SmallVectorImpl<SDValue> &Results) {
  SmallVector<SDValue, 3> Ops = {Args[0], Args[1]};
  if (!isDouble())
    Ops.push_back(imm(0)); // no flushing
  Results.push_back(inst(Ops, isDouble() ? MVT::v2f64 : MVT::v2f32));
}

SDValue BuiltinLowering::elements(uint64_t Mode) {
  auto Field = [&](unsigned Low, unsigned Width) {
    return imm(Mode >> Low & ((1u << Width) - 1));
  };
  return inst({Args[0], Args[1], Args[2], Field(0, 4), Field(4, 3), Field(7, 1),
               Field(8, 2), Field(10, 1)},
              MVT::i32);
}

SDValue BuiltinLowering::bitOperation(MVT VT) {
  switch (B.K) {
  case Kind::Lop3:
    return inst({Args[0], Args[1], Args[2], imm(constantArg(3) & 255)}, VT);
  case Kind::BitField:
  case Kind::SignedBitField:
    return inst(
        {Args[0], field(Args[1], Args[2]), imm(B.K == Kind::SignedBitField)},
        VT);
  case Kind::InsertBits:
    return inst({Args[0], field(Args[2], Args[3]), Args[1]}, VT);
  case Kind::FindLeading:
  case Kind::SignedFindLeading:
    return inst({Args[0], imm(0), imm(B.K == Kind::SignedFindLeading)}, VT);
  case Kind::Elements:
    return elements(constantArg(3));
  default:
    llvm_unreachable("no operation on bits");
  }
}

SDValue BuiltinLowering::floatOperation(MVT VT) {
  switch (B.K) {
  case Kind::Flush:
    return DAG.getNode(HeddleISD::FLUSH, DL, VT, Args[0]);
  case Kind::Saturate:
    // Adding -0 changes no number.
    return inst({Args[0], imm(0), DAG.getConstantFP(-0.0, DL, MVT::f32), imm(0),
                 imm(0), imm(0), imm(1)},
                VT);
  case Kind::Tanh:
  case Kind::Reciprocal:
    return inst({Args[0], imm(0),
                 imm(B.K == Kind::Tanh ? MufuFn::Tanh : MufuFn::Reciprocal),
                 imm(0)},
                VT);
  case Kind::Narrow:
    return inst({Args[0], imm(0), imm(constantArg(1)), imm(FType::F32),
                 rounding(2), ftz(2), imm(0), relu(2)},
                MVT::i32);
  case Kind::PackPair:
    return inst(
        {Args[0], Args[1], imm(constantArg(2)), rounding(3), relu(3), imm(0)},
        MVT::i32);
  case Kind::UnpackPair:
    return inst({Args[0], imm(FType::F16), imm(constantArg(1)), relu(2)}, VT);
  default:
    llvm_unreachable("no operation on floating-point numbers");
  }
}

SDValue BuiltinLowering::quotientStep(MVT VT) {
  SmallVector<SDValue, 6> Ops;
  switch (B.K) {
  case Kind::PrepareRoot:
    Ops = {Args[0]};
    if (!isDouble())
      Ops.push_back(imm(0));
    break;
  case Kind::FixDivision:
    Ops = {group(), Args[2], Args[3], rounding(4)};
    if (!isDouble())
      Ops.push_back(ftz(4));
    break;
  case Kind::FixRoot:
    Ops = {group(), Args[2], rounding(3)};
    if (!isDouble())
      Ops.push_back(ftz(3));
    break;
  default:
    llvm_unreachable("no step of a quotient or a root");
  }
  return inst(Ops, VT);
}

void BuiltinLowering::run(SmallVectorImpl<SDValue> &Results) {
  MVT VT = Args[0].getSimpleValueType();
  switch (B.K) {
  case Kind::Lop3:
  case Kind::BitField:
  case Kind::SignedBitField:
  case Kind::InsertBits:
  case Kind::FindLeading:
  case Kind::SignedFindLeading:
  case Kind::Elements:
    Results.push_back(bitOperation(VT));
    return;
  case Kind::Flush:
  case Kind::Saturate:
  case Kind::Tanh:
  case Kind::Reciprocal:
  case Kind::Narrow:
  case Kind::PackPair:
  case Kind::UnpackPair:
    Results.push_back(floatOperation(VT));
    return;
  case Kind::PrepareDivision:
    return prepareDivision(Results);
  case Kind::PrepareRoot:
  case Kind::FixDivision:
  case Kind::FixRoot:
    Results.push_back(quotientStep(VT));
    return;
  }
}

// Compares a call with the signature in the table, types only.
static bool hasSignature(const Builtin &B, ArrayRef<SDValue> Args,
                         ArrayRef<EVT> ResultTypes) {
  auto Spell = [](EVT VT) -> StringRef {
    return VT == MVT::i32     ? "i32"
           : VT == MVT::f32   ? "float"
           : VT == MVT::f64   ? "double"
           : VT == MVT::v2f32 ? "<2 x float>"
           : VT == MVT::v2f64 ? "<2 x double>"
                              : "?";
  };
  auto [Result, Rest] = B.Signature.split('(');
  SmallVector<StringRef, 6> Want;
  Rest.drop_back().split(Want, ", ");
  if (Want.size() != Args.size())
    return false;
  for (auto [W, A] : zip(Want, Args))
    if (W.split(' ').first != Spell(A.getValueType()))
      return false;
  return ResultTypes.size() == 1 && Result == Spell(ResultTypes[0]);
}

bool llvm::lowerHeddleBuiltin(StringRef Name, ArrayRef<SDValue> Args,
                              ArrayRef<EVT> ResultTypes, const SDLoc &DL,
                              SelectionDAG &DAG,
                              SmallVectorImpl<SDValue> &Results) {
  for (const Builtin &B : Builtins) {
    if (B.Name != Name)
      continue;
    if (!hasSignature(B, Args, ResultTypes))
      return false;
    BuiltinLowering(B, Args, DL, DAG).run(Results);
    return true;
  }
  return false;
}
