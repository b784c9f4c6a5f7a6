//===- Convention.cpp - Where arguments and results are ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The first free group of argument registers, else the stack.
//
//===----------------------------------------------------------------------===//

#include "Convention.h"

#include "Analysis.h"

#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace heddle::singlepass {

Place Convention::addPart(unsigned Count, unsigned Offset) {
  constexpr unsigned End = isa::abi::LastArgument + 1;
  constexpr uint64_t Word = 4;
  Place P{Count, Offset, std::nullopt, 0, 0};
  unsigned Mask = maskTrailingOnes<unsigned>(Count);
  for (unsigned R = isa::abi::FirstArgument; R + Count <= End; R += Count)
    if (!(Taken >> R & Mask)) {
      Taken |= Mask << R;
      P.Register = R;
      return P;
    }
  Stack = alignTo(Stack, Word * Count);
  P.Stack = Stack;
  Stack += Word * Count;
  return P;
}

Place Convention::addMemory(uint64_t Bytes, uint64_t Align) {
  constexpr uint64_t Word = 4;
  Place P{1, 0, std::nullopt, 0, Bytes};
  Stack = alignTo(Stack, std::max(Align, Word));
  P.Stack = Stack;
  Stack += alignTo(std::max(Bytes, Word), Word);
  return P;
}

bool Convention::add(const DataLayout &DL, Type *T,
                     SmallVectorImpl<Place> &Places) {
  if (auto *Struct = dyn_cast<StructType>(T)) {
    for (Type *Element : Struct->elements())
      if (llvm::isa<StructType>(Element) || !add(DL, Element, Places))
        return false;
    return true;
  }
  unsigned Count = isPredicate(T) ? 1 : registersOf(DL, T);
  if (T->isIntegerTy() && T->getIntegerBitWidth() > 64) {
    if (!T->isIntegerTy(128))
      return false;
    Places.push_back(addPart(2, 0));
    Places.push_back(addPart(2, 2));
    return true;
  }
  if (T->isIntegerTy() && !isPowerOf2_32(T->getIntegerBitWidth()))
    return false;
  if (const auto *V = dyn_cast<FixedVectorType>(T)) {
    // Elements that are neither words nor halves of one are passed otherwise.
    const Type *Element = V->getElementType();
    bool IsPair = Count == 1 && V->getNumElements() == 2;
    if (Element->getScalarSizeInBits() < 32 && !IsPair)
      return false;
  }
  if (Count == 0)
    return false;
  Places.push_back(addPart(Count, 0));
  return true;
}

std::optional<ArgumentPlaces> placesOf(const DataLayout &DL,
                                       const CallBase &Call) {
  ArgumentPlaces All;
  Convention C;
  for (unsigned N = 0; N != Call.arg_size(); ++N) {
    size_t Before = All.Places.size();
    if (Call.isByValArgument(N))
      All.Places.push_back(
          C.addMemory(DL.getTypeAllocSize(Call.getParamByValType(N)),
                      Call.getParamAlign(N).valueOrOne().value()));
    else if (!C.add(DL, Call.getArgOperand(N)->getType(), All.Places))
      return std::nullopt;
    All.Counts.push_back(All.Places.size() - Before);
  }
  All.StackBytes = C.stackBytes();
  return All;
}

std::optional<ArgumentPlaces> placesOf(const DataLayout &DL,
                                       const Function &F) {
  ArgumentPlaces All;
  Convention C;
  for (const Argument &A : F.args()) {
    size_t Before = All.Places.size();
    if (A.hasByValAttr())
      All.Places.push_back(
          C.addMemory(DL.getTypeAllocSize(A.getParamByValType()),
                      A.getParamAlign().valueOrOne().value()));
    else if (!C.add(DL, A.getType(), All.Places))
      return std::nullopt;
    All.Counts.push_back(All.Places.size() - Before);
  }
  All.StackBytes = C.stackBytes();
  return All;
}

std::optional<SmallVector<Place, 4>> resultPlaces(const DataLayout &DL,
                                                  Type *T) {
  SmallVector<Place, 4> Places;
  Convention C;
  if (!T->isVoidTy() && !C.add(DL, T, Places))
    return std::nullopt;
  if (!C.isInRegisters())
    return std::nullopt;
  return Places;
}

} // namespace heddle::singlepass
