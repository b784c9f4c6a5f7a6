//===- HeddleTargetTransformInfo.h - What IR passes ask ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tells the passes over IR what matters of the target: which values
// differ between the threads of a warp, and which address space is generic.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLETARGETTRANSFORMINFO_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLETARGETTRANSFORMINFO_H

#include "HeddleSubtarget.h"
#include "HeddleTargetMachine.h"
#include "heddle/Support/AddressSpace.h"
#include "heddle/Tuning/Knobs.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/CodeGen/BasicTTIImpl.h"

namespace llvm {

class HeddleTTIImpl final : public BasicTTIImplBase<HeddleTTIImpl> {
  using BaseT = BasicTTIImplBase<HeddleTTIImpl>;
  friend BaseT;

  const HeddleSubtarget *ST;
  const HeddleTargetLowering *TLI;
  const unsigned VectorBits;

  const HeddleSubtarget *getST() const { return ST; }
  const HeddleTargetLowering *getTLI() const { return TLI; }

public:
  HeddleTTIImpl(const HeddleTargetMachine *TM, const Function &F)
      : BaseT(TM, F.getDataLayout()), ST(TM->getSubtargetImpl(F)),
        TLI(ST->getTargetLowering()),
        VectorBits(static_cast<unsigned>(
            heddle::tuning::knobOf(F, heddle::tuning::Knob::VectorBits))) {}

  bool hasBranchDivergence(const Function *F = nullptr) const override {
    return true;
  }
  InstructionUniformity getInstructionUniformity(const Value *V) const override;

  unsigned getFlatAddressSpace() const override { return 0; }
  bool isNoopAddrSpaceCast(unsigned From, unsigned To) const override;
  bool
  canHaveNonUndefGlobalInitializerInAddressSpace(unsigned AS) const override {
    return AS == heddle::addrspace::Global || AS == heddle::addrspace::Const;
  }
  bool collectFlatAddressOperands(SmallVectorImpl<int> &OpIndexes,
                                  Intrinsic::ID IID) const override;
  Value *rewriteIntrinsicWithAddressSpace(IntrinsicInst *II, Value *OldV,
                                          Value *NewV) const override;

  /// Extensions and shifts that addresses do on their way.
  bool isProfitableToSinkOperands(Instruction *I,
                                  SmallVectorImpl<Use *> &Ops) const override;

  /// Accesses of one thread to neighbouring words become one.
  unsigned getLoadStoreVecRegBitWidth(unsigned AS) const override {
    return VectorBits;
  }
  bool isLegalToVectorizeLoad(LoadInst *L) const override;
  bool isLegalToVectorizeStore(StoreInst *S) const override;

  unsigned adjustInliningThreshold(const CallBase *Call) const override;

  unsigned getNumberOfRegisters(unsigned ClassID) const override { return 255; }
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLETARGETTRANSFORMINFO_H
