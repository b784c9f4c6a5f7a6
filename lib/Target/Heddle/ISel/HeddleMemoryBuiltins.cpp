//===- HeddleMemoryBuiltins.cpp - Functions that access memory ------------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers calls of the functions in heddle/Target/MemoryBuiltins.def, each to
// its instruction on the call's chain.
//
//===----------------------------------------------------------------------===//

#include "ISel/HeddleISelLowering.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "heddle/Support/AddressSpace.h"
#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/IR/DiagnosticInfo.h"

using namespace llvm;
using namespace heddle;

namespace {

struct Builtin {
  StringLiteral Name;
  unsigned Opcode;
  StringLiteral Signature;
};

constexpr Builtin Builtins[] = {
#define HEDDLE_MEMORY_BUILTIN(NAME, INST, SIGNATURE)                           \
  {"__heddle_" #NAME, Heddle::INST, SIGNATURE},
#include "heddle/Target/MemoryBuiltins.def"
};

/// One call on its way to a node.
class Lowering {
  const Builtin &B;
  TargetLowering::CallLoweringInfo &CLI;
  SelectionDAG &DAG;
  SmallVector<SDValue, 16> Ops;
  unsigned NextArg = 0;

public:
  Lowering(const Builtin &B, TargetLowering::CallLoweringInfo &CLI)
      : B(B), CLI(CLI), DAG(CLI.DAG) {}

  /// False if the call does not have the signature in the table.
  bool run(ArrayRef<EVT> ResultTypes, SmallVectorImpl<SDValue> &Results);

private:
  SDValue imm(int64_t V) { return DAG.getTargetConstant(V, CLI.DL, MVT::i32); }
  bool addOperand(StringRef Parameter);
  bool addAddress(StringRef Parameter);
  SDValue constantArg(SDValue Arg);
  MachineMemOperand *readOperand();
};

} // namespace

static StringRef spell(EVT VT) {
  return VT == MVT::i32     ? "i32"
         : VT == MVT::i64   ? "i64"
         : VT == MVT::v4i32 ? "<4 x i32>"
                            : "?";
}

SDValue Lowering::constantArg(SDValue Arg) {
  if (const auto *C = dyn_cast<ConstantSDNode>(Arg))
    return imm(C->getZExtValue());
  DAG.getContext()->diagnose(
      DiagnosticInfoUnsupported(DAG.getMachineFunction().getFunction(),
                                Twine("argument ") + Twine(NextArg) + " of " +
                                    B.Name + " must be a constant",
                                CLI.DL.getDebugLoc()));
  return imm(0);
}

bool Lowering::addOperand(StringRef Parameter) {
  if (Parameter.consume_front("=")) {
    int64_t Value = 0;
    Parameter.getAsInteger(10, Value);
    Ops.push_back(imm(Value));
    return true;
  }
  if (NextArg == CLI.OutVals.size())
    return false;
  SDValue Arg = CLI.OutVals[NextArg++];
  if (Parameter.starts_with("imm ")) {
    Ops.push_back(constantArg(Arg));
    return true;
  }
  Ops.push_back(Arg);
  return Parameter.rsplit(' ').first == spell(Arg.getValueType());
}

/// Adds an address and its offset, into which a constant goes.
bool Lowering::addAddress(StringRef Parameter) {
  constexpr unsigned OffsetBits = 24;
  if (!addOperand(Parameter))
    return false;
  SDValue Address = Ops.back();
  int64_t Offset = 0;
  if (DAG.isBaseWithConstantOffset(Address)) {
    int64_t C = cast<ConstantSDNode>(Address.getOperand(1))->getSExtValue();
    if (isInt<OffsetBits>(C)) {
      Offset = C;
      Ops.back() = Address.getOperand(0);
    }
  }
  Ops.push_back(imm(Offset));
  return true;
}

/// The memory read, of which only the space is known: the bytes of one thread
/// depend on the addresses of others.
MachineMemOperand *Lowering::readOperand() {
  bool IsShared = B.Signature.contains("i32 @");
  return DAG.getMachineFunction().getMachineMemOperand(
      MachinePointerInfo(IsShared ? addrspace::Shared : addrspace::Generic),
      MachineMemOperand::MOLoad, LocationSize::beforeOrAfterPointer(),
      Align(1));
}

bool Lowering::run(ArrayRef<EVT> ResultTypes,
                   SmallVectorImpl<SDValue> &Results) {
  auto [Result, Rest] = B.Signature.split('(');
  bool OnlyReads = Result.consume_front("read ");
  bool HasResult = Result != "void";
  if (ResultTypes.size() != HasResult ||
      (HasResult && Result != spell(ResultTypes[0])))
    return false;
  SmallVector<StringRef, 10> Parameters;
  Rest.drop_back().split(Parameters, ", ");
  for (size_t N = 0; N < Parameters.size(); ++N) {
    bool HasOffset = Parameters[N].contains('@') && N + 1 < Parameters.size() &&
                     Parameters[N + 1] == "=0";
    if (!(HasOffset ? addAddress(Parameters[N]) : addOperand(Parameters[N])))
      return false;
    N += HasOffset;
  }
  if (NextArg != CLI.OutVals.size())
    return false;
  Ops.append({DAG.getRegister(Heddle::PT, MVT::i1), imm(0),
              imm(Heddle::DefaultControl), CLI.Chain});
  SmallVector<EVT, 2> Types(ResultTypes);
  Types.push_back(MVT::Other);
  MachineSDNode *Node =
      DAG.getMachineNode(B.Opcode, CLI.DL, DAG.getVTList(Types), Ops);
  if (OnlyReads)
    DAG.setNodeMemRefs(Node, readOperand());
  if (HasResult)
    Results.push_back(SDValue(Node, 0));
  CLI.Chain = SDValue(Node, HasResult);
  return true;
}

bool llvm::lowerHeddleMemoryBuiltin(StringRef Name,
                                    TargetLowering::CallLoweringInfo &CLI,
                                    ArrayRef<EVT> ResultTypes,
                                    SmallVectorImpl<SDValue> &Results) {
  for (const Builtin &B : Builtins)
    if (B.Name == Name)
      return Lowering(B, CLI).run(ResultTypes, Results);
  return false;
}
