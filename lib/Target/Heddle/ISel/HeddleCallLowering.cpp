//===- HeddleCallLowering.cpp - Calls --------------------------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Passes arguments and results of functions, calls of the runtime and
// instruction builtins.
//
//===----------------------------------------------------------------------===//

#include "HeddleSubtarget.h"
#include "ISel/HeddleISelLowering.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "heddle/ISA/ISA.h"
#include "heddle/ProfileData/Probes.h"
#include "llvm/CodeGen/CallingConvLower.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/SelectionDAG.h"
#include "llvm/IR/DiagnosticInfo.h"

using namespace llvm;
namespace isa = heddle::isa;

#define GET_CALLING_CONV_IMPL
#include "HeddleGenCallingConv.inc"

static void unsupported(SelectionDAG &DAG, const SDLoc &DL, const Twine &What) {
  const Function &F = DAG.getMachineFunction().getFunction();
  DAG.getContext()->diagnose(
      DiagnosticInfoUnsupported(F, What, DL.getDebugLoc()));
}

// From the type of the place to the type of the value, and back.
static SDValue fromLocation(SDValue V, const CCValAssign &VA, const SDLoc &DL,
                            SelectionDAG &DAG) {
  if (VA.getLocVT() == VA.getValVT())
    return V;
  return DAG.getNode(ISD::TRUNCATE, DL, VA.getValVT(), V);
}
static SDValue toLocation(SDValue V, const CCValAssign &VA, const SDLoc &DL,
                          SelectionDAG &DAG) {
  switch (VA.getLocInfo()) {
  case CCValAssign::SExt:
    return DAG.getNode(ISD::SIGN_EXTEND, DL, VA.getLocVT(), V);
  case CCValAssign::ZExt:
  case CCValAssign::AExt:
    return DAG.getNode(ISD::ZERO_EXTEND, DL, VA.getLocVT(), V);
  default:
    return V;
  }
}

//===----------------------------------------------------------------------===//
// The callee's side
//===----------------------------------------------------------------------===//

SDValue HeddleTargetLowering::LowerFormalArguments(
    SDValue Chain, CallingConv::ID CallConv, bool IsVarArg,
    const SmallVectorImpl<ISD::InputArg> &Ins, const SDLoc &DL,
    SelectionDAG &DAG, SmallVectorImpl<SDValue> &InVals) const {
  MachineFunction &MF = DAG.getMachineFunction();
  if (IsVarArg)
    unsupported(DAG, DL, "functions with a variable number of arguments");
  SmallVector<CCValAssign, 16> Locs;
  CCState CCInfo(CallConv, IsVarArg, MF, Locs, *DAG.getContext());
  CCInfo.AnalyzeFormalArguments(Ins, CC_Heddle);
  for (auto [VA, In] : zip(Locs, Ins)) {
    if (VA.isRegLoc()) {
      Register R = MF.addLiveIn(VA.getLocReg(), getRegClassFor(VA.getLocVT()));
      SDValue V = DAG.getCopyFromReg(Chain, DL, R, VA.getLocVT());
      InVals.push_back(fromLocation(V, VA, DL, DAG));
      continue;
    }
    bool ByVal = In.Flags.isByVal();
    unsigned Size =
        ByVal ? In.Flags.getByValSize() : VA.getLocVT().getStoreSize();
    // The callee owns its copy of a by-value argument.
    int FI = MF.getFrameInfo().CreateFixedObject(Size, VA.getLocMemOffset(),
                                                 /*IsImmutable=*/!ByVal);
    SDValue Address =
        DAG.getFrameIndex(FI, getFrameIndexTy(DAG.getDataLayout()));
    if (ByVal) {
      InVals.push_back(Address);
      continue;
    }
    SDValue V = DAG.getLoad(VA.getLocVT(), DL, Chain, Address,
                            MachinePointerInfo::getFixedStack(MF, FI));
    InVals.push_back(fromLocation(V, VA, DL, DAG));
  }
  return Chain;
}

bool HeddleTargetLowering::CanLowerReturn(
    CallingConv::ID CallConv, MachineFunction &MF, bool IsVarArg,
    const SmallVectorImpl<ISD::OutputArg> &Outs, LLVMContext &Context,
    const Type *) const {
  SmallVector<CCValAssign, 4> Locs;
  CCState CCInfo(CallConv, IsVarArg, MF, Locs, Context);
  return CCInfo.CheckReturn(Outs, RetCC_Heddle);
}

SDValue
HeddleTargetLowering::LowerReturn(SDValue Chain, CallingConv::ID CallConv,
                                  bool IsVarArg,
                                  const SmallVectorImpl<ISD::OutputArg> &Outs,
                                  const SmallVectorImpl<SDValue> &OutVals,
                                  const SDLoc &DL, SelectionDAG &DAG) const {
  if (CallConv == CallingConv::PTX_Kernel)
    return DAG.getNode(HeddleISD::EXIT, DL, MVT::Other, Chain);
  SmallVector<CCValAssign, 4> Locs;
  CCState CCInfo(CallConv, IsVarArg, DAG.getMachineFunction(), Locs,
                 *DAG.getContext());
  CCInfo.AnalyzeReturn(Outs, RetCC_Heddle);
  SmallVector<SDValue, 8> Ops(1);
  SDValue Glue;
  for (auto [VA, V] : zip(Locs, OutVals)) {
    Chain = DAG.getCopyToReg(Chain, DL, VA.getLocReg(),
                             toLocation(V, VA, DL, DAG), Glue);
    Glue = Chain.getValue(1);
    Ops.push_back(DAG.getRegister(VA.getLocReg(), VA.getLocVT()));
  }
  Ops[0] = Chain;
  if (Glue)
    Ops.push_back(Glue);
  return DAG.getNode(HeddleISD::RET, DL, MVT::Other, Ops);
}

//===----------------------------------------------------------------------===//
// The caller's side
//===----------------------------------------------------------------------===//

namespace {

/// One call on its way to nodes.
class CallBuilder {
  TargetLowering::CallLoweringInfo &CLI;
  SelectionDAG &DAG;
  const SDLoc &DL;
  MachineFunction &MF;
  SDValue Chain, Glue;
  SmallVector<std::pair<Register, SDValue>, 12> RegArgs;

public:
  explicit CallBuilder(TargetLowering::CallLoweringInfo &CLI)
      : CLI(CLI), DAG(CLI.DAG), DL(CLI.DL), MF(DAG.getMachineFunction()),
        Chain(CLI.Chain) {}

  SDValue run(SmallVectorImpl<SDValue> &InVals);

private:
  void passArguments(ArrayRef<CCValAssign> Locs);
  SDValue stackAddress(int64_t Offset);
  void emitCall();
  const isa::SystemCallInfo *systemCall() const;
};

} // namespace

const isa::SystemCallInfo *CallBuilder::systemCall() const {
  StringRef Name;
  if (const auto *G = dyn_cast<GlobalAddressSDNode>(CLI.Callee)) {
    // A definition in the module comes before the runtime's function.
    if (!G->getGlobal()->isDeclaration())
      return nullptr;
    Name = G->getGlobal()->getName();
  } else if (const auto *E = dyn_cast<ExternalSymbolSDNode>(CLI.Callee))
    Name = E->getSymbol();
  for (const isa::SystemCallInfo &S : isa::systemCalls())
    if (StringRef(S.Function.data(), S.Function.size()) == Name)
      return &S;
  return nullptr;
}

SDValue CallBuilder::stackAddress(int64_t Offset) {
  SDValue SP = DAG.getCopyFromReg(Chain, DL, Heddle::R1, MVT::i32);
  return DAG.getNode(ISD::ADD, DL, MVT::i32, SP,
                     DAG.getConstant(Offset, DL, MVT::i32));
}

void CallBuilder::passArguments(ArrayRef<CCValAssign> Locs) {
  SmallVector<SDValue, 8> Stores;
  for (unsigned I = 0; I != Locs.size(); ++I) {
    const CCValAssign &VA = Locs[I];
    SDValue V = CLI.OutVals[I];
    if (VA.isRegLoc()) {
      RegArgs.push_back({VA.getLocReg(), toLocation(V, VA, DL, DAG)});
      continue;
    }
    SDValue Address = stackAddress(VA.getLocMemOffset());
    ISD::ArgFlagsTy Flags = CLI.Outs[I].Flags;
    if (Flags.isByVal())
      Stores.push_back(DAG.getMemcpy(
          Chain, DL, Address, V,
          DAG.getConstant(Flags.getByValSize(), DL, MVT::i32),
          Flags.getNonZeroByValAlign(), /*isVol=*/false, /*AlwaysInline=*/true,
          /*CI=*/nullptr, std::nullopt, MachinePointerInfo(5u),
          MachinePointerInfo(5u)));
    else
      Stores.push_back(
          DAG.getStore(Chain, DL, toLocation(V, VA, DL, DAG), Address,
                       MachinePointerInfo::getStack(MF, VA.getLocMemOffset())));
  }
  if (!Stores.empty())
    Chain = DAG.getNode(ISD::TokenFactor, DL, MVT::Other, Stores);
  for (auto &[Reg, V] : RegArgs) {
    Chain = DAG.getCopyToReg(Chain, DL, Reg, V, Glue);
    Glue = Chain.getValue(1);
  }
}

void CallBuilder::emitCall() {
  const auto &TRI = *MF.getSubtarget<HeddleSubtarget>().getRegisterInfo();
  const isa::SystemCallInfo *System = systemCall();
  SDValue Callee = CLI.Callee;
  if (System)
    Callee = DAG.getTargetConstant(System->Number, DL, MVT::i32);
  else if (const auto *G = dyn_cast<GlobalAddressSDNode>(Callee))
    Callee = DAG.getTargetGlobalAddress(G->getGlobal(), DL, MVT::i64,
                                        G->getOffset());
  else if (const auto *E = dyn_cast<ExternalSymbolSDNode>(Callee)) {
    unsupported(DAG, DL,
                Twine("a call of the library function ") + E->getSymbol());
    Callee = DAG.getTargetExternalSymbol(E->getSymbol(), MVT::i64);
  }
  SmallVector<SDValue, 16> Ops = {Chain, Callee};
  for (auto &[Reg, V] : RegArgs)
    Ops.push_back(DAG.getRegister(Reg, V.getValueType()));
  Ops.push_back(
      DAG.getRegisterMask(System ? TRI.getSystemCallPreservedMask()
                                 : TRI.getCallPreservedMask(MF, CLI.CallConv)));
  if (Glue)
    Ops.push_back(Glue);
  Chain = DAG.getNode(System ? HeddleISD::SYSCALL : HeddleISD::CALL, DL,
                      DAG.getVTList(MVT::Other, MVT::Glue), Ops);
  Glue = Chain.getValue(1);
}

SDValue CallBuilder::run(SmallVectorImpl<SDValue> &InVals) {
  if (CLI.IsVarArg)
    unsupported(DAG, DL, "calls with a variable number of arguments");
  SmallVector<CCValAssign, 16> Locs;
  CCState ArgInfo(CLI.CallConv, CLI.IsVarArg, MF, Locs, *DAG.getContext());
  ArgInfo.AnalyzeCallOperands(CLI.Outs, CC_Heddle);
  unsigned Bytes = alignTo(ArgInfo.getStackSize(), isa::abi::StackAlign);

  Chain = DAG.getCALLSEQ_START(Chain, Bytes, 0, DL);
  passArguments(Locs);
  emitCall();
  Chain = DAG.getCALLSEQ_END(Chain, Bytes, 0, Glue, DL);
  Glue = Chain.getValue(1);

  SmallVector<CCValAssign, 4> ResultLocs;
  CCState ResultInfo(CLI.CallConv, CLI.IsVarArg, MF, ResultLocs,
                     *DAG.getContext());
  ResultInfo.AnalyzeCallResult(CLI.Ins, RetCC_Heddle);
  for (const CCValAssign &VA : ResultLocs) {
    SDValue V =
        DAG.getCopyFromReg(Chain, DL, VA.getLocReg(), VA.getLocVT(), Glue);
    Chain = V.getValue(1);
    Glue = V.getValue(2);
    InVals.push_back(fromLocation(V, VA, DL, DAG));
  }
  return Chain;
}

/// All arguments of a probe are constants.
static SDValue lowerProbe(TargetLowering::CallLoweringInfo &CLI) {
  SmallVector<SDValue, 4> Operands;
  for (SDValue V : CLI.OutVals)
    Operands.push_back(CLI.DAG.getTargetConstant(
        cast<ConstantSDNode>(V)->getZExtValue(), CLI.DL, V.getValueType()));
  Operands.push_back(CLI.Chain);
  return SDValue(
      CLI.DAG.getMachineNode(Heddle::PROBE, CLI.DL, MVT::Other, Operands), 0);
}

SDValue
HeddleTargetLowering::LowerCall(CallLoweringInfo &CLI,
                                SmallVectorImpl<SDValue> &InVals) const {
  CLI.IsTailCall = false;
  if (const auto *G = dyn_cast<GlobalAddressSDNode>(CLI.Callee)) {
    SmallVector<EVT, 4> Types;
    for (const ISD::InputArg &In : CLI.Ins)
      Types.push_back(In.VT);
    if (G->getGlobal()->getName() == heddle::pgo::ProbeFunctionName)
      return lowerProbe(CLI);
    if (G->getGlobal()->isDeclaration() &&
        lowerHeddleBuiltin(G->getGlobal()->getName(), CLI.OutVals, Types,
                           CLI.DL, CLI.DAG, InVals))
      return CLI.Chain;
    if (G->getGlobal()->isDeclaration() &&
        lowerHeddleMemoryBuiltin(G->getGlobal()->getName(), CLI, Types, InVals))
      return CLI.Chain;
  }
  return CallBuilder(CLI).run(InVals);
}
