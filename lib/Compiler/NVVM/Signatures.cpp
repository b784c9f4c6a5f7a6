//===- Signatures.cpp - Functions of NVVM as PTX declares them --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX that calls a function, or that such a module calls, has parameters of
// bits: .b32 for a float and for integers of up to 32 bits, .b64 for a double
// and for addresses. A function that can be linked has those types, too.
//
//===----------------------------------------------------------------------===//

#include "Import.h"

#include "heddle/IR/Kernels.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"

using namespace llvm;

namespace heddle::compiler::nvvm {

/// The type that stands for T; null where PTX passes it in memory.
static Type *typeOfBits(Type *T) {
  LLVMContext &Context = T->getContext();
  if (T->isVoidTy())
    return T;
  if (T->isFloatTy() || (T->isIntegerTy() && T->getIntegerBitWidth() <= 32))
    return Type::getInt32Ty(Context);
  if (T->isDoubleTy() || T->isPointerTy() || T->isIntegerTy(64))
    return Type::getInt64Ty(Context);
  return nullptr;
}

/// A value as one of the type that stands for it; integers are extended.
static Value *toBits(IRBuilder<> &B, Value *V, bool IsSigned) {
  Type *To = typeOfBits(V->getType());
  if (V->getType()->isPointerTy())
    return B.CreatePtrToInt(V, To);
  if (V->getType()->isIntegerTy())
    return B.CreateIntCast(V, To, IsSigned);
  return B.CreateBitCast(V, To);
}

static Value *fromBits(IRBuilder<> &B, Value *V, Type *To) {
  if (To->isPointerTy())
    return B.CreateIntToPtr(V, To);
  if (To->isIntegerTy())
    return B.CreateTrunc(V, To);
  return B.CreateBitCast(V, To);
}

AttributeSet withoutArguments(LLVMContext &Context, AttributeSet FnAttributes) {
  if (!FnAttributes.hasAttribute(Attribute::Memory))
    return FnAttributes;
  MemoryEffects Effects = FnAttributes.getMemoryEffects();
  ModRefInfo ByPointer = Effects.getModRef(IRMemLocation::ArgMem);
  Effects |= MemoryEffects(IRMemLocation::Other, ByPointer);
  return AttributeSet::get(
      Context, AttrBuilder(Context, FnAttributes).addMemoryAttr(Effects));
}

/// Null if F keeps its type.
static FunctionType *newType(const Function &F) {
  FunctionType *T = F.getFunctionType();
  Type *Result = typeOfBits(T->getReturnType());
  SmallVector<Type *> Params(map_range(T->params(), typeOfBits));
  bool CanBeLinked = !F.isIntrinsic() && !F.hasLocalLinkage() &&
                     F.getName() != "__nvvm_reflect" && !ir::isKernel(F);
  bool IsScalar =
      Result && !T->isVarArg() && !is_contained(Params, nullptr) &&
      none_of(F.args(), [](const Argument &A) { return A.hasByValAttr(); });
  if (!CanBeLinked || !IsScalar)
    return nullptr;
  auto *New = FunctionType::get(Result, Params, /*isVarArg=*/false);
  return New == T ? nullptr : New;
}

static void moveBody(Function &From, Function &To) {
  To.splice(To.begin(), &From);
  IRBuilder<> B(&To.getEntryBlock(), To.getEntryBlock().begin());
  for (auto [Old, New] : zip_equal(From.args(), To.args()))
    Old.replaceAllUsesWith(fromBits(B, &New, Old.getType()));
  bool IsSigned = From.hasRetAttribute(Attribute::SExt);
  for (BasicBlock &Block : To)
    if (auto *Return = dyn_cast<ReturnInst>(Block.getTerminator());
        Return && Return->getReturnValue()) {
      B.SetInsertPoint(Return);
      Return->setOperand(0, toBits(B, Return->getReturnValue(), IsSigned));
    }
}

static void replaceCall(CallInst &Call, Function &By) {
  IRBuilder<> B(&Call);
  SmallVector<Value *> Arguments;
  for (unsigned N = 0; N != Call.arg_size(); ++N)
    Arguments.push_back(toBits(B, Call.getArgOperand(N),
                               Call.paramHasAttr(N, Attribute::SExt)));
  CallInst *New = B.CreateCall(&By, Arguments);
  New->setAttributes(AttributeList::get(
      Call.getContext(),
      withoutArguments(Call.getContext(), Call.getAttributes().getFnAttrs()),
      {}, {}));
  New->setTailCallKind(Call.getTailCallKind());
  if (!Call.getType()->isVoidTy())
    Call.replaceAllUsesWith(fromBits(B, New, Call.getType()));
  Call.eraseFromParent();
}

static void convert(Function &F, FunctionType *T) {
  Function *New = Function::Create(T, F.getLinkage(), F.getAddressSpace(), "");
  F.getParent()->getFunctionList().insert(F.getIterator(), New);
  New->takeName(&F);
  New->setCallingConv(F.getCallingConv());
  New->setVisibility(F.getVisibility());
  New->setAttributes(AttributeList::get(
      F.getContext(),
      withoutArguments(F.getContext(), F.getAttributes().getFnAttrs()), {},
      {}));
  if (!F.isDeclaration())
    moveBody(F, *New);
  for (User *U : make_early_inc_range(F.users()))
    if (auto *Call = dyn_cast<CallInst>(U);
        Call && Call->getCalledOperand() == &F &&
        Call->getFunctionType() == F.getFunctionType() &&
        !is_contained(Call->args(), &F))
      replaceCall(*Call, *New);
  // An address; calls through it pass the same bits.
  F.replaceAllUsesWith(New);
  F.eraseFromParent();
}

void convertSignatures(Import &I) {
  for (Function &F : make_early_inc_range(I.M))
    if (FunctionType *T = newType(F))
      convert(F, T);
}

} // namespace heddle::compiler::nvvm
