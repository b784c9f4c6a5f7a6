//===- KernelArguments.cpp - Arguments of kernels in LLVM IR ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds arguments and the loads that read them.
//
//===----------------------------------------------------------------------===//

#include "heddle/IR/KernelArguments.h"
#include "heddle/Support/Attributes.h"

#include "heddle/Support/AddressSpace.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::ir {

/// From the attribute that describes all of them.
static SmallVector<StringRef> describedArguments(const Function &Kernel) {
  SmallVector<StringRef> Arguments;
  Kernel.getFnAttribute(attr::Params)
      .getValueAsString()
      .split(Arguments, ';', -1, /*KeepEmpty=*/false);
  return Arguments;
}

unsigned countArguments(const Function &Kernel) {
  return describedArguments(Kernel).size();
}

std::optional<ArgumentPlace> placeOfScalar(const Function &Kernel,
                                           unsigned Number) {
  SmallVector<StringRef> Arguments = describedArguments(Kernel), Fields;
  if (Number >= Arguments.size())
    return std::nullopt;
  Arguments[Number].split(Fields, ':');
  bool IsScalar = Fields.size() == 5 && !Fields[4].contains('[');
  ArgumentPlace Place;
  if (!IsScalar || Fields[1].getAsInteger(10, Place.Offset) ||
      Fields[2].getAsInteger(10, Place.Size) || Place.Size > 8)
    return std::nullopt;
  return Place;
}

std::optional<uint64_t> argumentOffset(const LoadInst &Load) {
  if (Load.getPointerAddressSpace() != addrspace::Param)
    return std::nullopt;
  const DataLayout &DL = Load.getDataLayout();
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

bool readsArgument(const LoadInst &Load, const ArgumentPlace &Place) {
  std::optional<uint64_t> Offset = argumentOffset(Load);
  if (!Offset || Load.getType()->isVectorTy())
    return false;
  uint64_t Size = Load.getDataLayout().getTypeStoreSize(Load.getType());
  return *Offset >= Place.Offset && *Offset + Size <= Place.Offset + Place.Size;
}

Constant *valueOfLoad(const LoadInst &Load, const ArgumentPlace &Place,
                      uint64_t Value) {
  unsigned Bits = Load.getType()->getPrimitiveSizeInBits();
  uint64_t Shift = 8 * (*argumentOffset(Load) - Place.Offset);
  APInt Part = APInt(64, Value).lshr(Shift).zextOrTrunc(Bits);
  return ConstantExpr::getBitCast(ConstantInt::get(Load.getContext(), Part),
                                  Load.getType());
}

} // namespace heddle::ir
