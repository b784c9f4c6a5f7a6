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

#include "Stages.h"

#include "heddle/Support/AddressSpace.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::compiler {

namespace {
/// Where a parameter is in the block of arguments, in bytes.
struct ParamPlace {
  uint64_t Offset = 0, Size = 0;
};
} // namespace

/// From the attribute that describes all parameters.
static Expected<ParamPlace> findParam(const Function &F, unsigned Number) {
  SmallVector<StringRef> Params, Fields;
  F.getFnAttribute("heddle-params")
      .getValueAsString()
      .split(Params, ';', -1, /*KeepEmpty=*/false);
  ParamPlace Place;
  if (Number >= Params.size())
    return createStringError("-assume-param: '" + F.getName() +
                             "' has no argument " + Twine(Number));
  Params[Number].split(Fields, ':');
  bool IsScalar = Fields.size() == 5 && !Fields[4].contains('[');
  if (!IsScalar || Fields[1].getAsInteger(10, Place.Offset) ||
      Fields[2].getAsInteger(10, Place.Size) || Place.Size > 8)
    return createStringError("-assume-param: argument " + Twine(Number) +
                             " of '" + F.getName() +
                             "' is no scalar of at most 64 bits");
  return Place;
}

/// The offset in the block of arguments that a load reads at, if it does.
static std::optional<uint64_t> paramOffset(const LoadInst &Load,
                                           const DataLayout &DL) {
  if (Load.getPointerAddressSpace() != addrspace::Param)
    return std::nullopt;
  APInt Offset(DL.getIndexSizeInBits(addrspace::Param), 0);
  const Value *Base =
      Load.getPointerOperand()->stripAndAccumulateConstantOffsets(
          DL, Offset, /*AllowNonInbounds=*/true);
  if (isa<ConstantPointerNull>(Base))
    return Offset.getZExtValue();
  const auto *Cast = dyn_cast<ConstantExpr>(Base);
  if (!Cast || Cast->getOpcode() != Instruction::IntToPtr ||
      !isa<ConstantInt>(Cast->getOperand(0)))
    return std::nullopt;
  return Offset.getZExtValue() +
         cast<ConstantInt>(Cast->getOperand(0))->getZExtValue();
}

/// A load of part of an argument whose value is known.
static void replaceByConstant(LoadInst &Load, uint64_t Value, uint64_t Shift) {
  unsigned Bits = Load.getType()->getPrimitiveSizeInBits();
  APInt Part = APInt(64, Value).lshr(8 * Shift).zextOrTrunc(Bits);
  IRBuilder<> B(&Load);
  Constant *Int = B.getInt(Part);
  Load.replaceAllUsesWith(ConstantExpr::getBitCast(Int, Load.getType()));
  Load.eraseFromParent();
}

static void assumeMultiple(LoadInst &Load, uint64_t Align) {
  IRBuilder<> B(Load.getNextNode());
  Value *Low = B.CreateAnd(
      &Load, B.getIntN(Load.getType()->getIntegerBitWidth(), Align - 1));
  B.CreateAssumption(B.CreateIsNull(Low));
}

static Error applyTo(Function &F, const Settings::ParamAssumption &A) {
  Expected<ParamPlace> Place = findParam(F, A.Param);
  if (!Place)
    return Place.takeError();
  const DataLayout &DL = F.getDataLayout();
  for (Instruction &I : make_early_inc_range(instructions(F))) {
    auto *Load = dyn_cast<LoadInst>(&I);
    std::optional<uint64_t> Offset =
        Load ? paramOffset(*Load, DL) : std::nullopt;
    if (!Offset || Load->getType()->isVectorTy())
      continue;
    uint64_t Size = DL.getTypeStoreSize(Load->getType());
    if (*Offset < Place->Offset || *Offset + Size > Place->Offset + Place->Size)
      continue;
    if (!A.IsAlign)
      replaceByConstant(*Load, A.Value, *Offset - Place->Offset);
    else if (Load->getType()->isIntegerTy() && *Offset == Place->Offset &&
             Size == Place->Size)
      assumeMultiple(*Load, A.Value);
  }
  return Error::success();
}

Error applyAssumptions(Module &M, const Settings &S) {
  for (Function &F : M) {
    if (F.getCallingConv() != CallingConv::PTX_Kernel || F.isDeclaration())
      continue;
    if (!S.AssumedBlock.empty()) {
      Attribute Required = F.getFnAttribute("heddle-reqntid");
      if (Required.isValid() && Required.getValueAsString() != S.AssumedBlock)
        return createStringError("-assume-block: '" + F.getName() +
                                 "' requires another shape");
      F.addFnAttr("heddle-reqntid", S.AssumedBlock);
    }
    for (const Settings::ParamAssumption &A : S.AssumedParams)
      if (Error E = applyTo(F, A))
        return E;
  }
  return Error::success();
}

} // namespace heddle::compiler
