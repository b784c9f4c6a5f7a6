//===- Memory.cpp - Addresses, loads, stores, atomics -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Accesses to all spaces.
//
//===----------------------------------------------------------------------===//

#include "Selector.h"

#include "MCTargetDesc/HeddleMCTargetDesc.h"
#include "heddle/Support/AddressSpace.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/LLVMContext.h"

using namespace llvm;

namespace heddle::singlepass {

using isa::MemOrder;
using isa::MemScope;
using isa::MemSize;

MemScope Selector::scopeOf(SyncScope::ID ID) const {
  SmallVector<StringRef, 8> Names;
  F.getContext().getSyncScopeNames(Names);
  return StringSwitch<MemScope>(ID < Names.size() ? Names[ID] : "")
      .Cases({"block", "singlethread", "warp"}, MemScope::CTA)
      .Case("cluster", MemScope::Cluster)
      .Case("device", MemScope::GPU)
      .Default(MemScope::System);
}

/// Of an atomic access; null: none that the ISA has by itself.
static std::optional<MemOrder> orderOf(AtomicOrdering Ordering) {
  switch (Ordering) {
  case AtomicOrdering::Unordered:
  case AtomicOrdering::Monotonic:
    return MemOrder::Relaxed;
  case AtomicOrdering::Acquire:
    return MemOrder::Acquire;
  case AtomicOrdering::Release:
    return MemOrder::Release;
  case AtomicOrdering::AcquireRelease:
    return MemOrder::AcquireRelease;
  default:
    return std::nullopt;
  }
}

/// The register of an address; a constant of a 32-bit space is all offset.
Selector::Based Selector::useBase(const Address &At, unsigned AS) {
  if (AS > addrspace::Global)
    if (std::optional<uint64_t> Bits = bitsOf(At.Base))
      if (int64_t All = At.Offset + int32_t(*Bits); isInt<24>(All))
        return {RegisterFile::Zero, All};
  constexpr int64_t Near = 1 << 22;
  if (std::optional<Operand> Offset = frameOffset(At.Base, At.Offset);
      Offset && Offset->Number < Near && Offset->Number > -Near)
    return {FrameBase, *Offset};
  return {use(At.Base), At.Offset};
}

/// Opcodes by width: up to 32, 64, 128 bits.
static unsigned accessOpcode(unsigned AS, bool IsStore, unsigned Width) {
  using namespace Heddle;
  static constexpr unsigned Opcodes[][2][3] = {
      {{LD_r, LD64_r, LD128_r}, {ST_r, ST64_r, ST128_r}},
      {{LDG_r, LDG64_r, LDG128_r}, {STG_r, STG64_r, STG128_r}},
      {{LDS_r, LDS64_r, LDS128_r}, {STS_r, STS64_r, STS128_r}},
      {{LDL_r, LDL64_r, LDL128_r}, {STL_r, STL64_r, STL128_r}},
      {{LDC_r, LDC64_r, LDC128_r}, {0, 0, 0}}};
  unsigned Row;
  switch (AS) {
  case addrspace::Generic:
    Row = 0;
    break;
  case addrspace::Global:
    Row = 1;
    break;
  case addrspace::Shared:
    Row = 2;
    break;
  case addrspace::Local:
    Row = 3;
    break;
  case addrspace::Const:
  case addrspace::Param:
    Row = 4;
    break;
  default:
    return 0;
  }
  return Opcodes[Row][IsStore][Width];
}

/// The hint of docs/ir-contract.md.
static int64_t cacheHintOf(const Instruction &I) {
  const MDNode *Hint = I.getMetadata("heddle.cache");
  return Hint ? mdconst::extract<ConstantInt>(Hint->getOperand(0))
                    ->getSExtValue()
              : 0;
}

/// A load, or the store of Stored.
void Selector::selectAccess(const Instruction &I, const Value *Stored) {
  const Value *Pointer = getLoadStorePointerOperand(&I);
  Type *T = getLoadStoreType(&I);
  unsigned AS = Pointer->getType()->getPointerAddressSpace();
  unsigned Bytes = DL.getTypeStoreSize(T), Size = registersOf(DL, T);
  unsigned Opcode = accessOpcode(AS, Stored, Size / 2);
  uint64_t Align = getLoadStoreAlignment(&I).value();
  bool HasSize =
      Size == 1 ? Bytes == 1 || Bytes == 2 || Bytes == 4 : Bytes == 4 * Size;
  if (Opcode == 0 || !HasSize || Align < Bytes)
    return fail("an access");
  bool IsWide = AS <= addrspace::Global,
       IsConst = AS == addrspace::Const || AS == addrspace::Param;
  MemOrder Order = MemOrder::Weak;
  MemScope Scope = MemScope::CTA;
  if (I.isAtomic()) {
    bool IsLoad = llvm::isa<LoadInst>(I);
    std::optional<MemOrder> Of =
        orderOf(IsLoad ? cast<LoadInst>(I).getOrdering()
                       : cast<StoreInst>(I).getOrdering());
    if (!Of || IsConst)
      return fail("an access in a strong order");
    Order = I.isVolatile() ? MemOrder::MMIO : *Of;
    Scope = scopeOf(IsLoad ? cast<LoadInst>(I).getSyncScopeID()
                           : cast<StoreInst>(I).getSyncScopeID());
  } else if (I.isVolatile()) {
    Order = MemOrder::Relaxed;
    Scope = MemScope::System;
  } else if (!Stored && IsWide &&
             I.hasMetadata(LLVMContext::MD_invariant_load)) {
    Order = MemOrder::Constant;
  }
  auto [Base, Offset] = useBase(addressOf(DL, Pointer), AS);
  SmallVector<Operand, 10> Ops;
  unsigned Data = Stored ? use(Stored) : define(I);
  if (!Stored)
    Ops.push_back(Data);
  if (IsConst)
    Ops.push_back(int64_t(AS == addrspace::Const ? isa::abi::ConstBank
                                                 : isa::abi::ParamBank));
  Ops.push_back(Base);
  if (!IsWide && !IsConst)
    Ops.push_back(0); // no scale
  Ops.push_back(Offset);
  if (Stored)
    Ops.push_back(Data);
  if (Size == 1)
    Ops.push_back(Bytes == 4   ? MemSize::Word
                  : Bytes == 2 ? MemSize::U16
                               : MemSize::U8);
  if (!IsConst)
    Ops.push_back(Order);
  if (IsWide) {
    Ops.push_back(Scope);
    Ops.push_back(cacheHintOf(I));
  }
  W.emit(Opcode, Ops);
}

/// An address that is a value of its own.
void Selector::selectAddress(const GetElementPtrInst &I) {
  unsigned Size = sizeOf(&I);
  APInt Constant(DL.getIndexTypeSizeInBits(I.getType()), 0);
  SmallMapVector<Value *, APInt, 4> Variable;
  if (Size == 0 ||
      !I.collectOffset(DL, Constant.getBitWidth(), Variable, Constant))
    return fail("an address");
  int64_t Offset = Constant.getSExtValue();
  unsigned At = use(I.getPointerOperand()), D = define(I);
  unsigned Zero = RegisterFile::Zero;
  for (auto &[Index, Scale] : Variable) {
    uint64_t By = Scale.getZExtValue();
    unsigned Width = Index->getType()->getIntegerBitWidth();
    if (!isPowerOf2_64(By) || By > (1u << 31) || Width < 32)
      return fail("an address with a scale");
    unsigned Shift = Log2_64(By), X = use(Index);
    if (Size == 1) {
      W.emit(Heddle::LEA_r, {D, X, At, Shift});
    } else if (Width == 32) {
      W.emit(Heddle::LEA64_r, {D, X, At, Shift, /*signed*/ 1});
    } else {
      if (Shift != 0) {
        unsigned Scaled = temporary(2);
        W.emit(Heddle::SHL64_i, {Scaled, X, Shift});
        X = Scaled;
      }
      W.emit(Heddle::IADD64_r, {D, At, 0, X, 0});
    }
    At = D;
  }
  if (Offset == 0 && At == D)
    return;
  if (Offset == 0)
    return move(D, At, Size);
  if (Size == 1)
    return W.emit(Heddle::IADD3_i,
                  {D, At, 0, int64_t(int32_t(Offset)), 0, Zero, 0});
  if (!isInt<32>(Offset))
    return fail("an address with a large offset");
  W.emit(Heddle::IADD64_i, {D, At, 0, Offset, 0});
}

void Selector::selectFence(const FenceInst &I) {
  if (I.getSyncScopeID() == SyncScope::SingleThread)
    return; // for the compiler only
  bool IsStrong = I.getOrdering() == AtomicOrdering::SequentiallyConsistent;
  W.emit(Heddle::MEMBAR, {IsStrong ? isa::FenceKind::SequentiallyConsistent
                                   : isa::FenceKind::AcquireRelease,
                          scopeOf(I.getSyncScopeID())});
}

bool Selector::selectMemory(const Instruction &I) {
  if (llvm::isa<LoadInst>(I))
    return selectAccess(I, nullptr), true;
  if (const auto *Store = dyn_cast<StoreInst>(&I))
    return selectAccess(I, Store->getValueOperand()), true;
  if (const auto *Alloca = dyn_cast<AllocaInst>(&I))
    return selectAlloca(*Alloca);
  if (const auto *GEP = dyn_cast<GetElementPtrInst>(&I))
    return selectAddress(*GEP), true;
  if (const auto *Fence = dyn_cast<FenceInst>(&I))
    return selectFence(*Fence), true;
  return selectAtomic(I);
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

static isa::AtomType32 floatTypeOf(const Type *T) {
  using isa::AtomType32;
  bool IsPair = T->isVectorTy();
  if (T->getScalarType()->isHalfTy())
    return IsPair ? AtomType32::Half2 : AtomType32::Half;
  if (T->getScalarType()->isBFloatTy())
    return IsPair ? AtomType32::BFloat2 : AtomType32::BFloat;
  return AtomType32::Float;
}

static std::optional<std::pair<isa::AtomOp, isa::AtomType32>>
atomicKind(const AtomicRMWInst &I) {
  using isa::AtomOp;
  constexpr auto U = isa::AtomType32::Unsigned, S = isa::AtomType32::Signed;
  switch (I.getOperation()) {
  case AtomicRMWInst::Add:
    return {{AtomOp::Add, U}};
  case AtomicRMWInst::And:
    return {{AtomOp::And, U}};
  case AtomicRMWInst::Or:
    return {{AtomOp::Or, U}};
  case AtomicRMWInst::Xor:
    return {{AtomOp::Xor, U}};
  case AtomicRMWInst::Min:
    return {{AtomOp::Min, S}};
  case AtomicRMWInst::Max:
    return {{AtomOp::Max, S}};
  case AtomicRMWInst::UMin:
    return {{AtomOp::Min, U}};
  case AtomicRMWInst::UMax:
    return {{AtomOp::Max, U}};
  case AtomicRMWInst::UIncWrap:
    return {{AtomOp::Inc, U}};
  case AtomicRMWInst::UDecWrap:
    return {{AtomOp::Dec, U}};
  case AtomicRMWInst::Xchg:
    return {{AtomOp::Exchange, U}};
  case AtomicRMWInst::FAdd:
    return {{AtomOp::Add, floatTypeOf(I.getType())}};
  case AtomicRMWInst::FMin:
    return {{AtomOp::Min, floatTypeOf(I.getType())}};
  case AtomicRMWInst::FMax:
    return {{AtomOp::Max, floatTypeOf(I.getType())}};
  default:
    return std::nullopt;
  }
}

bool Selector::selectCompareExchange(const AtomicCmpXchgInst &I) {
  using namespace Heddle;
  static constexpr unsigned Opcodes[][2] = {{ATOMCAS_r, ATOMCAS64_r},
                                            {ATOMGCAS_r, ATOMGCAS64_r},
                                            {ATOMSCAS, ATOMSCAS64}};
  constexpr unsigned True = 7;
  const Value *Old = I.getCompareOperand();
  std::optional<MemOrder> Order = orderOf(I.getMergedOrdering());
  unsigned AS = I.getPointerAddressSpace(), Size = sizeOf(Old);
  unsigned Bytes = DL.getTypeStoreSize(Old->getType());
  bool IsShared = AS == addrspace::Shared;
  if (!Order || (AS > 1 && !IsShared) || Bytes < 2 || Bytes > 8 ||
      !Old->getType()->isIntegerTy())
    return false;
  auto [Base, Offset] = useBase(addressOf(DL, I.getPointerOperand()), AS);
  unsigned Expected = use(Old), New = use(I.getNewValOperand());
  unsigned D = defineResult(I, 0, Size);
  if (D == RegisterFile::Zero)
    D = temporary(Size);
  unsigned P = definePredicateResult(I, 1);
  SmallVector<Operand, 10> Ops{D, Base, Offset, Expected, New};
  if (Size == 1)
    Ops.push_back(Bytes == 2 ? MemSize::U16 : MemSize::Word);
  Ops.push_back(*Order);
  if (!IsShared)
    Ops.push_back(scopeOf(I.getSyncScopeID()));
  W.emit(Opcodes[IsShared ? 2 : AS][Size - 1], Ops);
  if (P == True)
    return true;
  // Only the low bits of narrow integers mean something.
  unsigned A = D, B = Expected;
  if (Bytes == 2) {
    A = temporary(1);
    B = temporary(1);
    W.emit(BFE_i, {A, D, 16 << 8, 0});
    W.emit(BFE_i, {B, Expected, 16 << 8, 0});
  }
  W.emit(Size == 1 ? ISETP_r : ISETP64_r,
         {P, A, B, isa::CmpI::Equal, 0, isa::BoolOp::And, True, 0});
  finishPredicateResult(I, 1, P);
  return true;
}

bool Selector::selectAtomic(const Instruction &I) {
  if (const auto *Exchange = dyn_cast<AtomicCmpXchgInst>(&I))
    return selectCompareExchange(*Exchange);
  const auto *RMW = dyn_cast<AtomicRMWInst>(&I);
  if (!RMW)
    return false;
  const Type *T = RMW->getType();
  auto Kind = atomicKind(*RMW);
  std::optional<MemOrder> Order = orderOf(RMW->getOrdering());
  unsigned AS = RMW->getPointerAddressSpace(), Size = sizeOf(&I);
  bool IsShared = AS == addrspace::Shared;
  if (!Kind || !Order || RMW->isVolatile() || (AS > 1 && !IsShared) ||
      (Size != 1 && Size != 2))
    return false;
  bool IsFloat = AtomicRMWInst::isFPOperation(RMW->getOperation());
  if (!IsFloat && (T->isVectorTy() || DL.getTypeStoreSize(RMW->getType()) < 4))
    return false;
  if (IsFloat && IsShared && !T->isFloatTy() && !T->isDoubleTy())
    return false;
  using namespace Heddle;
  static constexpr unsigned Atom[][2] = {
      {ATOM_r, ATOM64_r}, {ATOMG_r, ATOMG64_r}, {ATOMS, ATOMS64}};
  static constexpr unsigned Red[][2] = {{RED_r, RED64_r}, {REDG_r, REDG64_r}};
  bool Reduces =
      !A.lifeOf(I).IsUsed && !IsShared && Kind->first != isa::AtomOp::Exchange;
  auto [Base, Offset] = useBase(addressOf(DL, RMW->getPointerOperand()), AS);
  unsigned Data = use(RMW->getValOperand());
  SmallVector<Operand, 10> Ops;
  if (!Reduces)
    Ops.push_back(define(I));
  Ops.append({Base, Offset, Data, Kind->first, Kind->second, *Order});
  if (!IsShared)
    Ops.push_back(scopeOf(RMW->getSyncScopeID()));
  if (!IsShared && Size == 1)
    Ops.push_back(I.hasMetadata("heddle.ftz"));
  W.emit(Reduces ? Red[AS][Size - 1] : Atom[IsShared ? 2 : AS][Size - 1], Ops);
  return true;
}

} // namespace heddle::singlepass
