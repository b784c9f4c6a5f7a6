//===- HeddleISelLowering.h - Lowering to selection nodes ------*- C++ -*--===//
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

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLEISELLOWERING_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLEISELLOWERING_H

#include "heddle/ISA/ISA.h"
#include "llvm/CodeGen/TargetLowering.h"

namespace llvm {
class HeddleSubtarget;

class HeddleTargetLowering : public TargetLowering {
public:
  HeddleTargetLowering(const TargetMachine &TM, const HeddleSubtarget &ST);

  EVT getSetCCResultType(const DataLayout &DL, LLVMContext &Context,
                         EVT VT) const override;
  MVT getScalarShiftAmountTy(const DataLayout &, EVT) const override {
    return MVT::i32;
  }
  /// Jump tables stand behind their branch, as instructions.
  unsigned getJumpTableEncoding() const override;
  MVT getJumpTableRegTy(const DataLayout &) const override { return MVT::i32; }
  bool isFMAFasterThanFMulAndFAdd(const MachineFunction &MF,
                                  EVT VT) const override;
  bool isFPImmLegal(const APFloat &, EVT, bool) const override { return true; }
  bool isFNegFree(EVT) const override { return true; }
  bool isFAbsFree(EVT) const override { return true; }
  bool isTruncateFree(EVT From, EVT To) const override;
  bool isTruncateFree(Type *From, Type *To) const override;
  /// Predicates live long and are joined by logic, or on the way of a
  /// comparison.
  bool hasMultipleConditionRegisters(EVT) const override { return true; }
  /// Variables of one symbol share its address; offsets go into the accesses.
  bool isOffsetFoldingLegal(const GlobalAddressSDNode *) const override {
    return false;
  }
  /// There are no shuffles. Said otherwise, words that were pairs of halves
  /// become wide vectors of halves in front of a store, which then falls apart.
  bool isShuffleMaskLegal(ArrayRef<int>, EVT) const override { return false; }
  /// An access of one register group stays one.
  bool isLoadBitCastBeneficial(EVT LoadVT, EVT BitcastVT,
                               const SelectionDAG &DAG,
                               const MachineMemOperand &MMO) const override {
    return (!isTypeLegal(LoadVT) || isTypeLegal(BitcastVT)) &&
           TargetLowering::isLoadBitCastBeneficial(LoadVT, BitcastVT, DAG, MMO);
  }
  bool isZExtFree(EVT From, EVT To) const override;
  /// Whether the f32 in V is known never to be subnormal.
  static bool hasNoSubnormals(SDValue V);
  // A comparison has masks of one word as they are.
  bool shouldAvoidTransformToShift(EVT VT, unsigned) const override {
    return VT == MVT::i32;
  }
  /// A borrow is a carry upside down, which takes an instruction, and operands
  /// in registers; a comparison needs neither, nor has to wait.
  bool shouldFormOverflowOp(unsigned Opcode, EVT VT,
                            bool MathUsed) const override {
    return (Opcode != ISD::USUBO || VT != MVT::i32) &&
           TargetLowering::shouldFormOverflowOp(Opcode, VT, MathUsed);
  }
  bool isCheapToSpeculateCttz(Type *) const override { return true; }
  bool isCheapToSpeculateCtlz(Type *) const override { return true; }
  bool reduceSelectOfFPConstantLoads(EVT) const override { return false; }
  bool shouldConvertConstantLoadToIntImm(const APInt &, Type *) const override {
    return true;
  }
  bool isLegalAddressingMode(const DataLayout &DL, const AddrMode &AM, Type *Ty,
                             unsigned AS, Instruction *I) const override;

  AtomicExpansionKind
  shouldExpandAtomicRMWInIR(AtomicRMWInst *RMW) const override;
  bool shouldInsertFencesForAtomic(const Instruction *I) const override;
  /// From the metadata heddle.cache and heddle.ftz; see docs/ir-contract.md.
  MachineMemOperand::Flags
  getTargetMMOFlags(const Instruction &I) const override;
  /// What such flags say: the value of the ISA's modifier CacheOp, and whether
  /// an atomic addition flushes subnormal numbers.
  static heddle::isa::CacheOp cacheHintOf(MachineMemOperand::Flags Flags);
  static bool isFlushing(MachineMemOperand::Flags Flags);

  SDValue LowerOperation(SDValue Op, SelectionDAG &DAG) const override;
  void ReplaceNodeResults(SDNode *N, SmallVectorImpl<SDValue> &Results,
                          SelectionDAG &DAG) const override;
  void AdjustInstrPostInstrSelection(MachineInstr &MI,
                                     SDNode *Node) const override;
  SDValue PerformDAGCombine(SDNode *N, DAGCombinerInfo &DCI) const override;

  SDValue LowerFormalArguments(SDValue Chain, CallingConv::ID CallConv,
                               bool IsVarArg,
                               const SmallVectorImpl<ISD::InputArg> &Ins,
                               const SDLoc &DL, SelectionDAG &DAG,
                               SmallVectorImpl<SDValue> &InVals) const override;
  bool CanLowerReturn(CallingConv::ID CallConv, MachineFunction &MF,
                      bool IsVarArg,
                      const SmallVectorImpl<ISD::OutputArg> &Outs,
                      LLVMContext &Context, const Type *RetTy) const override;
  SDValue LowerReturn(SDValue Chain, CallingConv::ID CallConv, bool IsVarArg,
                      const SmallVectorImpl<ISD::OutputArg> &Outs,
                      const SmallVectorImpl<SDValue> &OutVals, const SDLoc &DL,
                      SelectionDAG &DAG) const override;
  SDValue LowerCall(CallLoweringInfo &CLI,
                    SmallVectorImpl<SDValue> &InVals) const override;

private:
  /// What the constructor says of the operations on vectors and other groups of
  /// registers, on integers, and so on.
  void setGroupActions();
  void setIntegerActions();
  void setPackedIntegerActions();
  void setPredicateActions();
  void setFloatActions();
  void setConversionActions();
  void setMemoryActions();
  void setOtherActions();
};

/// Lowers a call of the instruction builtin Name (see
/// heddle/Target/Builtins.def) to nodes; Args and Results are the call's.
/// Returns false if no builtin has that name. In HeddleBuiltins.cpp.
bool lowerHeddleBuiltin(StringRef Name, ArrayRef<SDValue> Args,
                        ArrayRef<EVT> ResultTypes, const SDLoc &DL,
                        SelectionDAG &DAG, SmallVectorImpl<SDValue> &Results);

/// The same for heddle/Target/MemoryBuiltins.def, on the call's chain. In
/// HeddleMemoryBuiltins.cpp.
bool lowerHeddleMemoryBuiltin(StringRef Name,
                              TargetLowering::CallLoweringInfo &CLI,
                              ArrayRef<EVT> ResultTypes,
                              SmallVectorImpl<SDValue> &Results);

/// What comes of divisions by constants, the shift or difference \p N, in fewer
/// instructions. In HeddleISelQuotients.cpp.
SDValue combineQuotient(SDNode *N, SelectionDAG &DAG);

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLEISELLOWERING_H
