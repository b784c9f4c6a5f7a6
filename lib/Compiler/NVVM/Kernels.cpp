//===- Kernels.cpp - Kernels of NVVM as ours --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments have the offsets that NVPTX gives them, so that one launch serves
// the bitcode and the PTX that LLVM would make of it.
//
//===----------------------------------------------------------------------===//

#include "Import.h"

#include "heddle/IR/Kernels.h"
#include "heddle/Support/AddressSpace.h"
#include "heddle/Support/Attributes.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::compiler::nvvm {

namespace {

/// Replaces a kernel by one without arguments.
class KernelConverter {
public:
  KernelConverter(Import &I, Function &F)
      : I(I), F(F), DL(I.M.getDataLayout()), B(I.M.getContext()) {}
  void run();

private:
  /// An argument's place in the block of arguments, in bytes.
  struct Place {
    uint64_t Offset, Size;
    Align Alignment;
  };
  Place placeOf(const Argument &A);
  std::string typeName(const Argument &A, uint64_t Size) const;
  Value *pointerTo(uint64_t Offset);
  Value *load(Type *T, const Place &P);
  Value *copyToStack(const Argument &A, const Place &P);
  void convertAttributes(Function &New);

  Import &I;
  Function &F;
  const DataLayout &DL;
  IRBuilder<> B;
  uint64_t End = 0; ///< of the arguments so far
};

} // namespace

/// NVPTX aligns arguments by value to four bytes at least.
KernelConverter::Place KernelConverter::placeOf(const Argument &A) {
  bool IsByValue = A.hasByValAttr();
  Type *T = IsByValue ? A.getParamByValType() : A.getType();
  Align Alignment = DL.getABITypeAlign(T);
  if (IsByValue)
    Alignment = std::max({Alignment, A.getParamAlign().valueOrOne(), Align(4)});
  Place P{alignTo(End, Alignment), DL.getTypeAllocSize(T).getFixedValue(),
          Alignment};
  End = P.Offset + P.Size;
  return P;
}

std::string KernelConverter::typeName(const Argument &A, uint64_t Size) const {
  Type *T = A.getType();
  bool IsFloat = T->isFloatTy() || T->isDoubleTy();
  bool IsScalar = T->isIntegerTy() || T->isPointerTy() || IsFloat;
  if (A.hasByValAttr() || !IsScalar || Size > 8)
    return "b8[" + std::to_string(Size) + "]";
  return (IsFloat ? "f" : "u") + std::to_string(8 * Size);
}

Value *KernelConverter::pointerTo(uint64_t Offset) {
  PointerType *T = B.getPtrTy(addrspace::Param);
  return Offset == 0 ? ConstantPointerNull::get(T)
                     : ConstantExpr::getIntToPtr(B.getInt32(Offset), T);
}

/// Pointers are loaded as the bits that they are in the block.
Value *KernelConverter::load(Type *T, const Place &P) {
  Type *InMemory = T;
  if (T->isPointerTy())
    InMemory = DL.getIntPtrType(T);
  else if (T->isIntegerTy(1))
    InMemory = B.getInt8Ty();
  LoadInst *Load =
      B.CreateAlignedLoad(InMemory, pointerTo(P.Offset), P.Alignment);
  Load->setMetadata(LLVMContext::MD_invariant_load,
                    MDNode::get(I.M.getContext(), {}));
  // CUDA's generic pointers that the host passes are to global memory.
  if (T->isPointerTy() && T->getPointerAddressSpace() == addrspace::Generic)
    return B.CreateAddrSpaceCast(
        B.CreateIntToPtr(Load, B.getPtrTy(addrspace::Global)), T);
  if (T->isPointerTy())
    return B.CreateIntToPtr(Load, T);
  return T == InMemory ? Load : B.CreateTrunc(Load, T);
}

/// The kernel's own copy of an argument by value, which it may change.
Value *KernelConverter::copyToStack(const Argument &A, const Place &P) {
  Type *T = ArrayType::get(B.getInt8Ty(), P.Size);
  AllocaInst *Copy = B.CreateAlloca(T, addrspace::Local);
  Copy->setAlignment(P.Alignment);
  for (uint64_t At = 0; At < P.Size;) {
    uint64_t Bytes = 8;
    while (Bytes > P.Size - At || P.Alignment < Align(Bytes))
      Bytes /= 2;
    Type *Piece = B.getIntNTy(8 * Bytes);
    Value *From = load(Piece, {P.Offset + At, Bytes, Align(Bytes)});
    Value *To = B.CreateConstGEP1_64(B.getInt8Ty(), Copy, At);
    B.CreateAlignedStore(From, To, Align(Bytes));
    At += Bytes;
  }
  return B.CreateAddrSpaceCast(Copy, A.getType());
}

/// What nvvm.annotations said, which the reader of bitcode made attributes of.
void KernelConverter::convertAttributes(Function &New) {
  static constexpr std::pair<StringLiteral, StringLiteral> Names[] = {
      {"nvvm.maxntid", attr::MaxNTid},
      {"nvvm.reqntid", attr::ReqNTid},
      {"nvvm.minctasm", attr::MinCTAs},
      {"nvvm.maxnreg", attr::MaxNReg},
      {"nvvm.cluster_dim", attr::ReqNCTAPerCluster},
      {"nvvm.maxclusterrank", attr::MaxClusterRank}};
  for (auto [Theirs, Ours] : Names) {
    Attribute Given = New.getFnAttribute(Theirs);
    if (!Given.isValid())
      continue;
    New.removeFnAttr(Theirs);
    std::string Text = Given.getValueAsString().str();
    // An extent that is left out is one.
    bool IsShape = Ours.ends_with("ntid") || Ours.ends_with("percluster");
    for (auto Commas = llvm::count(Text, ','); IsShape && Commas < 2; ++Commas)
      Text += ",1";
    New.addFnAttr(Ours, Text);
    if (Ours == attr::ReqNCTAPerCluster)
      New.addFnAttr(attr::ExplicitCluster, "1");
  }
  if (New.hasFnAttribute("nvvm.blocksareclusters"))
    I.error(F, ".blocksareclusters is not supported");
}

void KernelConverter::run() {
  auto *Type = FunctionType::get(B.getVoidTy(), /*isVarArg=*/false);
  Function *New =
      Function::Create(Type, F.getLinkage(), F.getAddressSpace(), "", &I.M);
  I.M.getFunctionList().splice(F.getIterator(), I.M.getFunctionList(),
                               New->getIterator());
  New->takeName(&F);
  New->setCallingConv(CallingConv::PTX_Kernel);
  New->setAttributes(AttributeList::get(
      I.M.getContext(),
      withoutArguments(I.M.getContext(), F.getAttributes().getFnAttrs()), {},
      {}));
  New->splice(New->begin(), &F);
  B.SetInsertPoint(&New->getEntryBlock(), New->getEntryBlock().begin());
  std::string Params;
  for (Argument &A : F.args()) {
    Place P = placeOf(A);
    Params += (Params.empty() ? "" : ";") + New->getName().str() + "_param_" +
              std::to_string(A.getArgNo()) + ":" + std::to_string(P.Offset) +
              ":" + std::to_string(P.Size) + ":" +
              std::to_string(P.Alignment.value()) + ":" + typeName(A, P.Size);
    if (!A.use_empty())
      A.replaceAllUsesWith(A.hasByValAttr() ? copyToStack(A, P)
                                            : load(A.getType(), P));
  }
  if (!Params.empty())
    New->addFnAttr(attr::Params, Params);
  convertAttributes(*New);
  F.eraseFromParent();
}

void convertKernels(Import &I) {
  for (Function &F : make_early_inc_range(I.M)) {
    if (!ir::isKernel(F) || F.isDeclaration())
      continue;
    if (!F.use_empty())
      I.error(F, "a kernel that is called or whose address is taken is not "
                 "supported");
    else
      KernelConverter(I, F).run();
  }
}

} // namespace heddle::compiler::nvvm
