//===- Variables.cpp - Variables of NVVM as ours ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variable is bytes, and where its value has addresses, pointers between them
// (docs/ir-contract.md).
//
//===----------------------------------------------------------------------===//

#include "Import.h"

#include "heddle/Support/AddressSpace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace heddle::compiler::nvvm {

namespace {

/// A constant as bytes with pointers.
class Flattener {
public:
  explicit Flattener(const Module &M) : DL(M.getDataLayout()) {}

  /// False if the value has something that has no such form.
  bool add(const Constant &C, uint64_t At);
  /// After all of a variable's value was added at 0.
  Constant *finish(LLVMContext &Context, uint64_t Size);

private:
  bool addPointer(const Constant &C, uint64_t At);
  void addBits(const APInt &Bits, uint64_t At);
  bool addElements(const Constant &C, uint64_t At);

  const DataLayout &DL;
  std::string Bytes;
  SmallVector<std::pair<uint64_t, Constant *>> Pointers;
};

} // namespace

void Flattener::addBits(const APInt &Bits, uint64_t At) {
  uint64_t Size = divideCeil(Bits.getBitWidth(), 8);
  Bytes.resize(std::max<size_t>(Bytes.size(), At + Size));
  APInt Padded = Bits.zext(8 * Size);
  for (uint64_t I = 0; I != Size; ++I)
    Bytes[At + I] = static_cast<char>(Padded.extractBitsAsZExtValue(8, 8 * I));
}

/// An address of a function or of a variable in global memory, with an offset.
bool Flattener::addPointer(const Constant &C, uint64_t At) {
  APInt Offset(64, 0);
  const Value *Base = &C;
  bool IsGeneric = C.getType()->getPointerAddressSpace() == addrspace::Generic;
  while (true) {
    Base = Base->stripAndAccumulateConstantOffsets(DL, Offset,
                                                   /*AllowNonInbounds=*/true);
    const auto *Cast = dyn_cast<ConstantExpr>(Base);
    if (!Cast || Cast->getOpcode() != Instruction::AddrSpaceCast)
      break;
    Base = Cast->getOperand(0);
  }
  const auto *G = dyn_cast<GlobalValue>(Base);
  if (!G || (!isa<Function>(G) && G->getAddressSpace() != addrspace::Global))
    return false;
  Constant *Address = const_cast<GlobalValue *>(G);
  LLVMContext &Context = C.getContext();
  if (IsGeneric && G->getAddressSpace() != addrspace::Generic)
    Address = ConstantExpr::getAddrSpaceCast(Address, C.getType());
  if (!Offset.isZero())
    Address = ConstantExpr::getGetElementPtr(
        Type::getInt8Ty(Context), Address,
        ConstantInt::get(Type::getInt64Ty(Context), Offset.getSExtValue()));
  Pointers.push_back({At, Address});
  return true;
}

bool Flattener::addElements(const Constant &C, uint64_t At) {
  if (auto *S = dyn_cast<StructType>(C.getType())) {
    const StructLayout *Layout = DL.getStructLayout(S);
    return all_of(seq<unsigned>(0, S->getNumElements()), [&](unsigned I) {
      return add(*C.getAggregateElement(I),
                 At + Layout->getElementOffset(I).getFixedValue());
    });
  }
  auto *V = dyn_cast<FixedVectorType>(C.getType());
  uint64_t Count = V ? V->getNumElements() : C.getType()->getArrayNumElements();
  Type *T = V ? V->getElementType() : C.getType()->getArrayElementType();
  uint64_t Step = V ? DL.getTypeSizeInBits(T).getFixedValue() / 8
                    : DL.getTypeAllocSize(T).getFixedValue();
  if (V && DL.getTypeSizeInBits(T).getFixedValue() % 8)
    return false;
  return all_of(seq<uint64_t>(0, Count), [&](uint64_t I) {
    return add(*C.getAggregateElement(I), At + I * Step);
  });
}

bool Flattener::add(const Constant &C, uint64_t At) {
  if (C.isNullValue() || isa<UndefValue>(C))
    return true;
  if (C.getType()->isPointerTy())
    return addPointer(C, At);
  if (const auto *N = dyn_cast<ConstantInt>(&C)) {
    addBits(N->getValue(), At);
    return !N->getType()->isVectorTy();
  }
  if (const auto *F = dyn_cast<ConstantFP>(&C)) {
    addBits(F->getValueAPF().bitcastToAPInt(), At);
    return !F->getType()->isVectorTy();
  }
  const auto *Cast = dyn_cast<ConstantExpr>(&C);
  if (Cast && Cast->getOpcode() == Instruction::PtrToInt &&
      C.getType()->isIntegerTy(64))
    return addPointer(*Cast->getOperand(0), At);
  if (C.getType()->isAggregateType() || C.getType()->isVectorTy())
    return addElements(C, At);
  return false;
}

Constant *Flattener::finish(LLVMContext &Context, uint64_t Size) {
  Bytes.resize(Size);
  auto Array = [&](uint64_t From, uint64_t To) {
    return ConstantDataArray::getString(
        Context, StringRef(Bytes).substr(From, To - From), /*AddNull=*/false);
  };
  if (Pointers.empty())
    return Array(0, Size);
  SmallVector<Constant *> Elements;
  uint64_t At = 0;
  for (auto [Offset, Pointer] : Pointers) {
    if (Offset != At)
      Elements.push_back(Array(At, Offset));
    Elements.push_back(Pointer);
    At = Offset + 8;
  }
  if (At != Size)
    Elements.push_back(Array(At, Size));
  return ConstantStruct::getAnon(Context, Elements, /*Packed=*/true);
}

static void convertVariable(Import &I, GlobalVariable &G) {
  const DataLayout &DL = I.M.getDataLayout();
  LLVMContext &Context = I.M.getContext();
  unsigned Space = G.getAddressSpace();
  if (Space == addrspace::Generic)
    Space = addrspace::Global;
  uint64_t Size = DL.getTypeAllocSize(G.getValueType()).getFixedValue();
  Type *Bytes = ArrayType::get(Type::getInt8Ty(Context), Size);
  Constant *Value = nullptr;
  if (G.hasInitializer() && Space == addrspace::Shared) {
    Value = UndefValue::get(Bytes);
  } else if (G.hasInitializer()) {
    Flattener F(I.M);
    if (!F.add(*G.getInitializer(), 0)) {
      I.Report.error(I.File, "variable '" + G.getName() +
                                 "': this kind of initial value is not "
                                 "supported");
      return;
    }
    Value = G.getInitializer()->isNullValue() ? Constant::getNullValue(Bytes)
                                              : F.finish(Context, Size);
  }
  GlobalValue::LinkageTypes Linkage =
      G.hasPrivateLinkage() ? GlobalValue::InternalLinkage : G.getLinkage();
  bool IsConst = Space == addrspace::Const;
  auto *New = new GlobalVariable(I.M, Value ? Value->getType() : Bytes, IsConst,
                                 Linkage, Value, "", &G,
                                 GlobalValue::NotThreadLocal, Space, IsConst);
  New->takeName(&G);
  New->setAlignment(std::max(G.getAlign().valueOrOne(),
                             DL.getABITypeAlign(G.getValueType())));
  G.replaceAllUsesWith(
      ConstantExpr::getPointerBitCastOrAddrSpaceCast(New, G.getType()));
  G.eraseFromParent();
}

void convertVariables(Import &I) {
  for (GlobalVariable &G : make_early_inc_range(I.M.globals())) {
    // Lists of names to be kept; all variables are kept.
    if (G.getName() == "llvm.used" || G.getName() == "llvm.compiler.used")
      G.eraseFromParent();
  }
  for (GlobalVariable &G : make_early_inc_range(I.M.globals()))
    convertVariable(I, G);
}

} // namespace heddle::compiler::nvvm
