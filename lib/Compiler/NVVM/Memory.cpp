//===- Memory.cpp - Stack, copies and address spaces of NVVM ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In NVVM's IR stack memory is generic and every pointer has 64 bits.
//
//===----------------------------------------------------------------------===//

#include "Import.h"

#include "heddle/Support/AddressSpace.h"
#include "heddle/Target/HeddleTarget.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Analysis/TargetTransformInfo.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/LowerMemIntrinsics.h"

using namespace llvm;

namespace heddle::compiler::nvvm {

/// Copies and fills of up to so many bytes are written out.
static constexpr uint64_t MaxUnrolledBytes = 128;

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

static bool isKnownSpace(unsigned Space) {
  return is_contained({addrspace::Generic, addrspace::Global, addrspace::Shared,
                       addrspace::Const, addrspace::Local},
                      Space);
}

/// Whether a value of the type in memory would have another size with us, where
/// pointers to shared, constant and local memory have 32 bits. There are
/// layouts of NVVM's where they do, too.
static bool hasNarrowPointer(Type *T, const DataLayout &DL) {
  if (T->isPtrOrPtrVectorTy())
    return is_contained({addrspace::Shared, addrspace::Const, addrspace::Local},
                        T->getPointerAddressSpace()) &&
           DL.getPointerSize(T->getPointerAddressSpace()) != 4;
  if (auto *A = dyn_cast<ArrayType>(T))
    return hasNarrowPointer(A->getElementType(), DL);
  auto *S = dyn_cast<StructType>(T);
  return S && any_of(S->elements(), [&](Type *Element) {
           return hasNarrowPointer(Element, DL);
         });
}

static bool hasUnknownSpace(Type *T) {
  if (T->isPtrOrPtrVectorTy())
    return !isKnownSpace(T->getPointerAddressSpace());
  return any_of(T->subtypes(), hasUnknownSpace);
}

/// The type that an instruction computes addresses or accesses memory with.
static Type *memoryType(const Instruction &Inst) {
  if (const auto *G = dyn_cast<GetElementPtrInst>(&Inst))
    return G->getSourceElementType();
  if (const auto *A = dyn_cast<AllocaInst>(&Inst))
    return A->getAllocatedType();
  if (isa<LoadInst, StoreInst>(Inst))
    return getLoadStoreType(&Inst);
  return nullptr;
}

static bool hasKnownScope(const Instruction &Inst) {
  SmallVector<StringRef> Names;
  Inst.getContext().getSyncScopeNames(Names);
  std::optional<SyncScope::ID> Scope = getAtomicSyncScopeID(&Inst);
  return !Scope ||
         is_contained({"", "singlethread", "block", "cluster", "device"},
                      Names[*Scope]);
}

static void checkInstruction(Import &I, const Function &F,
                             const Instruction &Inst) {
  if (hasUnknownSpace(Inst.getType()) ||
      any_of(Inst.operands(),
             [](const Use &U) { return hasUnknownSpace(U->getType()); }))
    I.error(F, "an address space other than 0, 1, 3, 4 and 5 is not supported");
  // Single pointers are converted where they are accessed.
  Type *T = memoryType(Inst);
  if (T && !T->isPointerTy() && hasNarrowPointer(T, I.M.getDataLayout()))
    I.error(F, "structures and arrays with pointers to shared, constant or "
               "local memory are not supported");
  if (!hasKnownScope(Inst))
    I.error(F, "this scope of an atomic operation is not supported");
  if (const auto *RMW = dyn_cast<AtomicRMWInst>(&Inst))
    if (RMW->getOperation() == AtomicRMWInst::Nand ||
        I.M.getDataLayout().getTypeSizeInBits(RMW->getType()) < 32)
      I.error(F, "this atomic operation is not supported");
  if (const auto *Swap = dyn_cast<AtomicCmpXchgInst>(&Inst))
    if (I.M.getDataLayout().getTypeSizeInBits(
            Swap->getCompareOperand()->getType()) < 32)
      I.error(F, "this atomic operation is not supported");
  if (isa<InvokeInst, CallBrInst, VAArgInst, IndirectBrInst>(Inst))
    I.error(F, Twine("'") + Inst.getOpcodeName() + "' is not supported");
}

void checkModule(Import &I) {
  for (const GlobalIFunc &F : I.M.ifuncs())
    I.Report.error(I.File, "ifunc '" + F.getName() + "' is not supported");
  for (const GlobalVariable &G : I.M.globals()) {
    if (G.getName() == "llvm.used" || G.getName() == "llvm.compiler.used")
      continue;
    if (G.getName().starts_with("llvm.") || G.isThreadLocal() ||
        !isKnownSpace(G.getAddressSpace()) ||
        hasNarrowPointer(G.getValueType(), I.M.getDataLayout()))
      I.Report.error(I.File, "variable '" + G.getName() +
                                 "': its kind is not supported");
  }
  if (NamedMDNode *Left = I.M.getNamedMetadata("nvvm.annotations"))
    for (const MDNode *N : Left->operands())
      for (const MDOperand &O : N->operands())
        if (const auto *Name = dyn_cast_or_null<MDString>(O))
          I.Report.error(I.File, "annotation '" + Name->getString() +
                                     "' is not supported");
  for (Function &F : I.M) {
    if (F.isVarArg() && !F.isDeclaration())
      I.error(F, "functions with a variable number of arguments are not "
                 "supported");
    for (StringRef Name : {"denormal-fp-math", "denormal-fp-math-f32"}) {
      Attribute Mode = F.getFnAttribute(Name);
      if (Mode.isValid() && !Mode.getValueAsString().starts_with("ieee"))
        I.error(F, "attribute '" + Name + "' is not supported");
      F.removeFnAttr(Name);
    }
    for (const Instruction &Inst : instructions(F))
      checkInstruction(I, F, Inst);
  }
}

//===----------------------------------------------------------------------===//
// Stack
//===----------------------------------------------------------------------===//

/// Stack memory in its own address space, of which only a generic address is
/// known so far.
static AllocaInst *createStack(IRBuilder<> &B, uint64_t Size, Align Alignment,
                               Value *Count = nullptr) {
  Type *Bytes = ArrayType::get(B.getInt8Ty(), Size);
  AllocaInst *Result = B.CreateAlloca(Bytes, addrspace::Local, Count);
  Result->setAlignment(Alignment);
  return Result;
}

static void convertStack(AllocaInst &A) {
  if (A.getAddressSpace() != addrspace::Generic)
    return;
  const DataLayout &DL = A.getDataLayout();
  IRBuilder<> B(&A);
  AllocaInst *New = createStack(
      B, DL.getTypeAllocSize(A.getAllocatedType()).getFixedValue(),
      A.getAlign(), A.isArrayAllocation() ? A.getArraySize() : nullptr);
  A.replaceAllUsesWith(B.CreateAddrSpaceCast(New, A.getType()));
  A.eraseFromParent();
}

/// The callee gets the address of a copy that the caller makes.
static void copyArgument(CallBase &Call, unsigned Number) {
  const DataLayout &DL = Call.getDataLayout();
  Type *T = Call.getParamByValType(Number);
  uint64_t Size = DL.getTypeAllocSize(T).getFixedValue();
  Align Alignment =
      std::max(DL.getABITypeAlign(T), Call.getParamAlign(Number).valueOrOne());
  BasicBlock &Entry = Call.getFunction()->getEntryBlock();
  IRBuilder<> B(&Entry, Entry.getFirstInsertionPt());
  AllocaInst *Copy = createStack(B, Size, Alignment);
  Value *Address =
      B.CreateAddrSpaceCast(Copy, Call.getArgOperand(Number)->getType());
  B.SetInsertPoint(&Call);
  B.CreateMemCpy(Copy, Alignment, Call.getArgOperand(Number), Alignment, Size);
  Call.setArgOperand(Number, Address);
  Call.removeParamAttr(Number, Attribute::ByVal);
  // A tail call accesses no variable of the caller, which the copy is.
  if (auto *Direct = dyn_cast<CallInst>(&Call))
    Direct->setTailCallKind(CallInst::TCK_None);
}

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

/// Calls Access for each piece of Size bytes that an alignment allows.
static void
forEachPiece(uint64_t Size, Align Alignment,
             function_ref<void(uint64_t At, uint64_t Bytes)> Access) {
  for (uint64_t At = 0; At < Size;) {
    uint64_t Bytes = 8;
    while (Bytes > Size - At || Alignment < Align(Bytes))
      Bytes /= 2;
    Access(At, Bytes);
    At += Bytes;
  }
}

/// All loads come before all stores, so that the two places may overlap.
static void unrollCopy(MemTransferInst &Copy, uint64_t Size) {
  IRBuilder<> B(&Copy);
  Align Alignment = std::min(Copy.getSourceAlign().valueOrOne(),
                             Copy.getDestAlign().valueOrOne());
  bool IsVolatile = Copy.isVolatile();
  SmallVector<std::pair<uint64_t, Value *>> Loaded;
  forEachPiece(Size, Alignment, [&](uint64_t At, uint64_t Bytes) {
    Value *From = B.CreateConstGEP1_64(B.getInt8Ty(), Copy.getRawSource(), At);
    Loaded.push_back({At, B.CreateAlignedLoad(B.getIntNTy(8 * Bytes), From,
                                              Align(Bytes), IsVolatile)});
  });
  for (auto [At, Piece] : Loaded) {
    Value *To = B.CreateConstGEP1_64(B.getInt8Ty(), Copy.getRawDest(), At);
    B.CreateAlignedStore(Piece, To,
                         Align(Piece->getType()->getIntegerBitWidth() / 8),
                         IsVolatile);
  }
}

static void unrollFill(MemSetInst &Fill, uint64_t Size) {
  IRBuilder<> B(&Fill);
  forEachPiece(
      Size, Fill.getDestAlign().valueOrOne(), [&](uint64_t At, uint64_t Bytes) {
        Type *T = B.getIntNTy(8 * Bytes);
        Value *Each = B.CreateZExt(Fill.getValue(), T);
        Value *Piece = B.CreateMul(
            Each, ConstantInt::get(T, APInt::getSplat(8 * Bytes, APInt(8, 1))));
        Value *To = B.CreateConstGEP1_64(B.getInt8Ty(), Fill.getRawDest(), At);
        B.CreateAlignedStore(Piece, To, Align(Bytes), Fill.isVolatile());
      });
}

static void expandMemIntrinsic(MemIntrinsic &Inst,
                               const TargetTransformInfo &TTI) {
  const auto *Size = dyn_cast<ConstantInt>(Inst.getLength());
  bool IsShort = Size && Size->getValue().ule(MaxUnrolledBytes);
  auto *Copy = dyn_cast<MemTransferInst>(&Inst);
  if (Copy && IsShort)
    unrollCopy(*Copy, Size->getZExtValue());
  else if (auto *Move = dyn_cast<MemMoveInst>(&Inst))
    expandMemMoveAsLoop(Move, TTI);
  else if (auto *Plain = dyn_cast<MemCpyInst>(&Inst))
    expandMemCpyAsLoop(Plain, TTI);
  else if (auto *Fill = dyn_cast<MemSetInst>(&Inst))
    IsShort ? unrollFill(*Fill, Size->getZExtValue())
            : expandMemSetAsLoop(Fill);
  Inst.eraseFromParent();
}

//===----------------------------------------------------------------------===//
// Pointers in memory
//===----------------------------------------------------------------------===//

/// Pointers that are narrower with us keep their 64 bits in memory.
static void widenAccess(Instruction &Inst) {
  IRBuilder<> B(&Inst);
  const DataLayout &DL = Inst.getDataLayout();
  if (auto *Load = dyn_cast<LoadInst>(&Inst);
      Load && hasNarrowPointer(Load->getType(), DL)) {
    LoadInst *Wide =
        B.CreateAlignedLoad(B.getInt64Ty(), Load->getPointerOperand(),
                            Load->getAlign(), Load->isVolatile());
    Load->replaceAllUsesWith(B.CreateIntToPtr(Wide, Load->getType()));
    Load->eraseFromParent();
  } else if (auto *Store = dyn_cast<StoreInst>(&Inst);
             Store &&
             hasNarrowPointer(Store->getValueOperand()->getType(), DL)) {
    B.CreateAlignedStore(
        B.CreatePtrToInt(Store->getValueOperand(), B.getInt64Ty()),
        Store->getPointerOperand(), Store->getAlign(), Store->isVolatile());
    Store->eraseFromParent();
  } else if (Load && Load->getPointerAddressSpace() == addrspace::Const) {
    Load->setMetadata(LLVMContext::MD_invariant_load,
                      MDNode::get(Inst.getContext(), {}));
  }
}

static void convertFunction(Function &F) {
  for (Instruction &Inst : make_early_inc_range(instructions(F)))
    if (auto *II = dyn_cast<IntrinsicInst>(&Inst);
        II &&
        (II->isLifetimeStartOrEnd() ||
         II->getIntrinsicID() == Intrinsic::experimental_noalias_scope_decl))
      II->eraseFromParent();
  for (Instruction &Inst : make_early_inc_range(instructions(F))) {
    if (auto *A = dyn_cast<AllocaInst>(&Inst))
      convertStack(*A);
    else if (auto *Call = dyn_cast<CallBase>(&Inst))
      for (unsigned N = 0; N != Call->arg_size(); ++N)
        if (Call->isByValArgument(N))
          copyArgument(*Call, N);
  }
  TargetTransformInfo TTI(F.getDataLayout());
  SmallVector<MemIntrinsic *> Copies;
  for (Instruction &Inst : instructions(F))
    if (auto *Copy = dyn_cast<MemIntrinsic>(&Inst))
      Copies.push_back(Copy);
  for (MemIntrinsic *Copy : Copies)
    expandMemIntrinsic(*Copy, TTI);
  for (Instruction &Inst : make_early_inc_range(instructions(F)))
    widenAccess(Inst);
}

void convertMemory(Import &I) {
  for (Function &F : I.M) {
    if (!F.isDeclaration())
      convertFunction(F);
    for (Argument &A : F.args()) {
      A.getParent()->removeParamAttr(A.getArgNo(), Attribute::ByVal);
      A.getParent()->removeParamAttr(A.getArgNo(), Attribute::StructRet);
    }
  }
  for (Function &F : I.M)
    for (Instruction &Inst : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&Inst))
        for (unsigned N = 0; N != Call->arg_size(); ++N)
          Call->removeParamAttr(N, Attribute::StructRet);
}

} // namespace heddle::compiler::nvvm
