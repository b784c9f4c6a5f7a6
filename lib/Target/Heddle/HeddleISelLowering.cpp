//===- HeddleISelLowering.cpp - Lowering to selection nodes ----*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which types and operations the ISA has, and how the rest is made of them.
//
//===----------------------------------------------------------------------===//

#include "HeddleISelLowering.h"
#include "HeddleSubtarget.h"
#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "llvm/CodeGen/CallingConvLower.h"
#include "llvm/CodeGen/MachineFrameInfo.h"
#include "llvm/CodeGen/MachineFunction.h"
#include "llvm/CodeGen/SelectionDAG.h"

using namespace llvm;

#define GET_CALLING_CONV_IMPL
#include "HeddleGenCallingConv.inc"

HeddleTargetLowering::HeddleTargetLowering(const TargetMachine &TM,
                                           const HeddleSubtarget &ST)
    : TargetLowering(TM, ST), ST(ST) {
  addRegisterClass(MVT::i1, &Heddle::PRRegClass);
  for (MVT VT : {MVT::i32, MVT::f32, MVT::f16, MVT::bf16, MVT::v2f16,
                 MVT::v2bf16, MVT::v2i16})
    addRegisterClass(VT, &Heddle::GPR32RegClass);
  for (MVT VT : {MVT::i64, MVT::f64, MVT::v2i32, MVT::v2f32})
    addRegisterClass(VT, &Heddle::GPR64RegClass);
  for (MVT VT : {MVT::v4i32, MVT::v4f32, MVT::v2i64, MVT::v2f64})
    addRegisterClass(VT, &Heddle::GPR128RegClass);
  computeRegisterProperties(ST.getRegisterInfo());
  setStackPointerRegisterToSaveRestore(Heddle::R1);
}

EVT HeddleTargetLowering::getSetCCResultType(const DataLayout &, LLVMContext &C,
                                             EVT VT) const {
  return VT.isVector()
             ? EVT::getVectorVT(C, MVT::i1, VT.getVectorElementCount())
             : EVT(MVT::i1);
}

SDValue HeddleTargetLowering::LowerFormalArguments(
    SDValue Chain, CallingConv::ID CallConv, bool IsVarArg,
    const SmallVectorImpl<ISD::InputArg> &Ins, const SDLoc &DL,
    SelectionDAG &DAG, SmallVectorImpl<SDValue> &InVals) const {
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
  return DAG.getNode(HeddleISD::EXIT, DL, MVT::Other, Chain);
}

SDValue
HeddleTargetLowering::LowerCall(CallLoweringInfo &CLI,
                                SmallVectorImpl<SDValue> &InVals) const {
  report_fatal_error("calls are not implemented yet");
}
