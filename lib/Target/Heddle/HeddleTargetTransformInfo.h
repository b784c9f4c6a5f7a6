//===- HeddleTargetTransformInfo.h - Costs and uniformity of IR -*- C++
//-*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What IR passes may ask about the target.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_TARGET_HEDDLE_HEDDLETARGETTRANSFORMINFO_H
#define HEDDLE_LIB_TARGET_HEDDLE_HEDDLETARGETTRANSFORMINFO_H

#include "HeddleTargetMachine.h"
#include "llvm/CodeGen/BasicTTIImpl.h"

namespace llvm {

class HeddleTTIImpl final : public BasicTTIImplBase<HeddleTTIImpl> {
  using Base = BasicTTIImplBase<HeddleTTIImpl>;
  friend Base;
  const HeddleSubtarget *ST;
  const HeddleTargetLowering *TLI;

  const HeddleSubtarget *getST() const { return ST; }
  const HeddleTargetLowering *getTLI() const { return TLI; }

public:
  HeddleTTIImpl(const HeddleTargetMachine *TM, const Function &F)
      : Base(TM, F.getDataLayout()), ST(TM->getSubtargetImpl(F)),
        TLI(ST->getTargetLowering()) {}

  bool hasBranchDivergence(const Function *) const override { return true; }
  unsigned getFlatAddressSpace() const override { return 0; }
};

} // namespace llvm

#endif // HEDDLE_LIB_TARGET_HEDDLE_HEDDLETARGETTRANSFORMINFO_H
