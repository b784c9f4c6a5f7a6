//===- Assumptions.cpp - What is known of launches --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Specialisation: the shape of CTAs becomes what .reqntid is, so that a device
// refuses others; arguments become constants where kernels load them, or known
// multiples. Parameters are loads from constant offsets (docs/ir-contract.md).
//
//===----------------------------------------------------------------------===//

#include "PrepareModule.h"

#include "heddle/IR/KernelArguments.h"
#include "heddle/IR/Kernels.h"
#include "heddle/Support/Attributes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::compiler {

static void assumeMultiple(LoadInst &Load, uint64_t Align) {
  IRBuilder<> B(Load.getNextNode());
  Value *Low = B.CreateAnd(
      &Load, B.getIntN(Load.getType()->getIntegerBitWidth(), Align - 1));
  B.CreateAssumption(B.CreateIsNull(Low));
}

static Error applyTo(Function &F, const Settings::ParamAssumption &A) {
  if (A.Param >= ir::countArguments(F))
    return createStringError("-assume-param: '" + F.getName() +
                             "' has no argument " + Twine(A.Param));
  std::optional<ir::ArgumentPlace> Place = ir::placeOfScalar(F, A.Param);
  if (!Place)
    return createStringError("-assume-param: argument " + Twine(A.Param) +
                             " of '" + F.getName() +
                             "' is no scalar of at most 64 bits");
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Load = dyn_cast<LoadInst>(&I);
    if (!Load || !ir::readsArgument(*Load, *Place))
      continue;
    if (!A.IsAlign) {
      Load->replaceAllUsesWith(ir::valueOfLoad(*Load, *Place, A.Value));
      Load->eraseFromParent();
    } else if (Load->getType()->isIntegerTy() &&
               DL.getTypeStoreSize(Load->getType()) == Place->Size) {
      assumeMultiple(*Load, A.Value);
    }
  }
  return Error::success();
}

Error applyAssumptions(Module &M, const Settings &S) {
  for (Function &F : M) {
    if (!ir::isKernel(F) || F.isDeclaration())
      continue;
    if (!S.AssumedBlock.empty()) {
      Attribute Required = F.getFnAttribute(attr::ReqNTid);
      if (Required.isValid() && Required.getValueAsString() != S.AssumedBlock)
        return createStringError("-assume-block: '" + F.getName() +
                                 "' requires another shape");
      F.addFnAttr(attr::ReqNTid, S.AssumedBlock);
    }
    for (const Settings::ParamAssumption &A : S.AssumedParams)
      if (Error E = applyTo(F, A))
        return E;
  }
  return Error::success();
}

} // namespace heddle::compiler
