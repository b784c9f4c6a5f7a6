//===- LowerMemory.cpp - Lowering of memory operations ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses, loads, stores, fences, hints and stack memory.
//
//===----------------------------------------------------------------------===//

#include "InstView.h"
#include "MemoryAccess.h"
#include "heddle/Dialect/PTX/Modifiers.h"
#include "heddle/ISA/ISA.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

//===----------------------------------------------------------------------===//
// Loads and stores
//===----------------------------------------------------------------------===//

/// The type that a load or store moves for each register. Integers, except
/// that a register of a float class moves as float.
static Type elementType(Emitter &E, ScalarType Ty, Type Register) {
  return bitWidth(Ty) == bitWidth(Register) ? Register : E.intTy(bitWidth(Ty));
}

/// A loaded element in its register, extended if that is wider.
static Value toRegister(Emitter &E, Value V, ScalarType Ty, Type Register) {
  unsigned Bits = bitWidth(Register);
  if (bitWidth(Ty) == Bits)
    return E.cast(V, Register);
  return E.cast(E.resize(E.asInt(V), Bits, isSigned(Ty)), Register);
}

/// What a register stores, cut off to the type's width.
static Value fromRegister(Emitter &E, Value V, ScalarType Ty) {
  if (bitWidth(Ty) == bitWidth(V.getType()))
    return V;
  return E.resize(E.asInt(V), bitWidth(Ty), false);
}

/// Vectors of floats and integers of one width are loaded as one vector.
static Type commonElementType(Emitter &E, ScalarType Ty, ValueRange Values) {
  Type First = elementType(E, Ty, Values.front().getType());
  for (Value V : Values)
    if (elementType(E, Ty, V.getType()) != First)
      return E.intTy(bitWidth(Ty));
  return First;
}

/// Hints for caches. The ISA has those for the first level; priorities in the
/// second one, policies and the size of a prefetch are dropped.
static isa::CacheOp cacheHint(CacheOp Cache, Evict Priority) {
  switch (Cache) {
  case CacheOp::Cg:
    return isa::CacheOp::Global;
  case CacheOp::Cs:
    return isa::CacheOp::Streaming;
  case CacheOp::Lu:
    return isa::CacheOp::LastUse;
  case CacheOp::Cv:
  case CacheOp::Wt:
    return isa::CacheOp::Volatile;
  default:
    break;
  }
  switch (Priority) {
  case Evict::Evict_first:
    return isa::CacheOp::EvictFirst;
  case Evict::Evict_last:
    return isa::CacheOp::EvictLast;
  case Evict::No_allocate:
    return isa::CacheOp::NoAllocate;
  default:
    return isa::CacheOp::All;
  }
}

static AccessMode modeOf(unsigned AS, MemSem Sem, Scope Where, CacheOp Cache,
                         Evict Priority) {
  AccessMode Mode;
  Mode.AS = AS;
  Mode.Sem = Sem;
  Mode.Where = Where;
  Mode.IsVolatile =
      Sem == MemSem::Volatile || Sem == MemSem::Mmio || Cache == CacheOp::Cv;
  Mode.CacheHint = cacheHint(Cache, Priority);
  return Mode;
}

static LogicalResult lowerLd(Emitter &E, LdOp Op) {
  ScalarType Ty = Op.getTy();
  Space S = Op.getSpace();
  auto AS = addressSpaceOf(S);
  if (!AS)
    return unsupportedSpace(E, Op, S);
  AccessMode Mode =
      modeOf(*AS, Op.getSem(), Op.getScope(), Op.getCache(), Op.getEvict());
  Mode.IsInvariant = Op.getNc() || S == Space::Const || S == Space::Param_entry;
  SmallVector<Value> Elements = loadElements(
      E, Mode, Op.getAddr(), Op.getOffset(),
      commonElementType(E, Ty, Op.getValues()), Op.getValues().size());
  for (auto [V, Register] : llvm::zip(Elements, Op.getValues()))
    V = toRegister(E, V, Ty, Register.getType());
  return E.replace(Op, Elements);
}

static LogicalResult lowerSt(Emitter &E, StOp Op) {
  ScalarType Ty = Op.getTy();
  auto AS = addressSpaceOf(Op.getSpace());
  if (!AS)
    return unsupportedSpace(E, Op, Op.getSpace());
  Type Element = commonElementType(E, Ty, Op.getValues());
  SmallVector<Value> Elements;
  for (Value V : Op.getValues())
    Elements.push_back(E.cast(fromRegister(E, V, Ty), Element));
  storeElements(
      E, modeOf(*AS, Op.getSem(), Op.getScope(), Op.getCache(), Op.getEvict()),
      Op.getAddr(), Op.getOffset(), Elements);
  return E.replace(Op, {});
}

//===----------------------------------------------------------------------===//
// Fences and hints
//===----------------------------------------------------------------------===//

static LogicalResult lowerFence(Emitter &E, ptxir::FenceOp Op) {
  LLVM::FenceOp::create(E.B, E.Loc, ordering(Op.getSem()),
                        syncScope(Op.getScope()));
  return E.replace(Op, {});
}

/// To caches of local memory there is no prefetch.
static LogicalResult lowerPrefetch(Emitter &E, PrefetchOp Op) {
  auto AS = addressSpaceOf(Op.getSpace());
  if (!AS || *AS > addrspace::Global)
    return E.replace(Op, {});
  StringRef Level = Op.getLevel();
  unsigned Hint = Level == "L2::evict_last" ? 6
                  : Level.starts_with("L2") ? 1
                                            : 0;
  E.memoryBuiltin("prefetch", {},
                  {genericAddress(E, Op.getAddr(), *AS, Op.getOffset()),
                   E.constInt(32, Hint)});
  return E.replace(Op, {});
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static LogicalResult lowerAddrOf(Emitter &E, AddrOfOp Op) {
  SymbolInfo Symbol = E.symbol(Op.getSymbolAttr().getAttr());
  Value Pointer = E.make<LLVM::AddressOfOp>(E.ptrTy(Symbol.AS), Op.getSymbol());
  // Naming a texture, sampler or surface means what it holds.
  if (Symbol.IsHandle) {
    Value Handle = E.make<LLVM::LoadOp>(E.intTy(64), Pointer);
    return E.replace(Op, E.resize(Handle, ptxir::bitWidth(Op.getType()),
                                  /*Signed=*/false));
  }
  return E.replace(Op, E.address(Pointer, Op.getType()));
}

/// The generic pointer to \p Address of space \p AS. LLVM folds the address of
/// byte N behind a null pointer to N, also behind that of another space, whose
/// bytes have generic addresses in a window. A kernel's first parameter is at
/// address 0. So where an address may turn out to be 0, a later one is cast,
/// and the way back is made in the generic space.
static Value genericPointer(Emitter &E, Value Address, unsigned AS) {
  auto Known = Emitter::matchInt(Address);
  bool MayBeNull = Known ? Known->isZero() && AS != addrspace::Global
                         : AS == addrspace::Param;
  int64_t Detour = MayBeNull ? 128 : 0; // Keeps the alignment.
  Value Pointer = E.make<LLVM::AddrSpaceCastOp>(E.ptrTy(addrspace::Generic),
                                                E.pointer(Address, AS, Detour));
  if (!MayBeNull)
    return Pointer;
  return E.make<LLVM::GEPOp>(Pointer.getType(), E.intTy(8), Pointer,
                             ArrayRef<LLVM::GEPArg>{E.constInt(64, -Detour)});
}

/// Between the generic space and \p Op's.
static LogicalResult lowerCvta(Emitter &E, CvtaOp Op) {
  auto AS = addressSpaceOf(Op.getSpace());
  if (!AS)
    return unsupportedSpace(E, Op, Op.getSpace());
  Value Pointer =
      Op.getTo() ? E.make<LLVM::AddrSpaceCastOp>(
                       E.ptrTy(*AS), E.pointer(Op.getA(), addrspace::Generic))
                 : genericPointer(E, Op.getA(), *AS);
  return E.replace(Op, E.address(Pointer, Op.getType()));
}

static LogicalResult lowerIsspacep(Emitter &E, IsspacepOp Op) {
  Space S = Op.getSpace();
  Value Address = E.resize(Op.getA(), 64, /*Signed=*/false);
  if (S == Space::Param_entry || S == Space::Param_func) {
    // NVVM has no intrinsic; the high word of the address tells.
    Value High = E.make<LLVM::LShrOp>(Address, E.constInt(64, 32));
    return E.replace(Op, E.icmp(LLVM::ICmpPredicate::eq, High,
                                E.constInt(64, isa::abi::ParamWindow)));
  }
  StringRef Name = S == Space::Shared_cluster ? StringRef("shared.cluster")
                                              : stringifyEnum(S);
  return E.replace(Op, E.intrinsic("nvvm.isspacep." + Name, E.intTy(1),
                                   E.pointer(Address, addrspace::Generic)));
}

static LogicalResult lowerAlloca(Emitter &E, ptxir::AllocaOp Op) {
  Type Array = LLVM::LLVMArrayType::get(E.intTy(8), Op.getSize());
  Value Pointer = E.make<LLVM::AllocaOp>(E.ptrTy(addrspace::Local), Array,
                                         E.constInt(32, 1), Op.getAlignment());
  return E.replace(Op, E.address(Pointer, Op.getType()));
}

static LogicalResult lowerDynAlloca(Emitter &E, DynAllocaOp Op) {
  Value Pointer = E.make<LLVM::AllocaOp>(E.ptrTy(addrspace::Local), E.intTy(8),
                                         E.resize(Op.getSize(), 32, false),
                                         Op.getAlignment());
  return E.replace(Op, E.address(Pointer, Op.getType()));
}

static LogicalResult lowerStackSave(Emitter &E, ptxir::StackSaveOp Op) {
  Value Pointer = E.make<LLVM::StackSaveOp>(E.ptrTy(addrspace::Local));
  return E.replace(Op, E.address(Pointer, Op.getType()));
}

static LogicalResult lowerStackRestore(Emitter &E, ptxir::StackRestoreOp Op) {
  LLVM::StackRestoreOp::create(E.B, E.Loc,
                               E.pointer(Op.getA(), addrspace::Local));
  return E.replace(Op, {});
}

static LogicalResult lowerParamAddr(Emitter &E, ParamAddrOp Op) {
  // The entry has become an LLVM function that carries the offsets.
  auto Func = Op->getParentOfType<LLVM::LLVMFuncOp>();
  auto Offsets = Func->getAttrOfType<DenseI64ArrayAttr>("ptx.param_offsets");
  return E.replace(Op,
                   E.constInt(Op.getType(), uint64_t(Offsets[Op.getIndex()])));
}

/// A load that the dialect has no operation for: one of a device's registers
/// that also acquires, or one that nothing stores to meanwhile.
static LogicalResult lowerOtherLoad(Emitter &E, const InstView &I) {
  ScalarType Ty = *I.scalarType();
  bool IsMmio = I.has<ptx::Mmio>();
  AccessMode Mode = modeOf(
      *lowering::addressSpaceOf(I), IsMmio ? MemSem::Mmio : MemSem::Weak,
      IsMmio ? lowering::scopeOf(I) : Scope::None, CacheOp::None, Evict::None);
  Mode.IsInvariant = I.has<ptx::ReadOnly>();
  auto [Base, Offset] = I.address(*I.find("a"));
  Type Register = I.getOp()->getResult(0).getType();
  Value V = loadElements(E, Mode, Base, Offset, elementType(E, Ty, Register), 1)
                .front();
  if (IsMmio)
    LLVM::FenceOp::create(E.B, E.Loc, LLVM::AtomicOrdering::acquire,
                          syncScope(lowering::scopeOf(I)));
  return E.replace(I.getOp(), toRegister(E, V, Ty, Register));
}

/// prefetch.tensormap is a descriptor that is read when it is needed. What is
/// at a valid address comes to the first-level cache.
static LogicalResult lowerOtherPrefetch(Emitter &E, const InstView &I) {
  if (I.has<ptx::ValidAddr>()) {
    auto [Base, Offset] = I.address(*I.find("a"));
    E.memoryBuiltin(
        "prefetch", {},
        {genericAddress(E, Base, *lowering::addressSpaceOf(I), Offset),
         E.constInt(32, 0)});
  }
  return E.replace(I.getOp(), {});
}

/// st.bulk is about shared memory, generic addresses too: their low words are
/// the shared ones.
static LogicalResult lowerStoreBulk(Emitter &E, const InstView &I) {
  auto [Base, Offset] = I.address(0);
  E.memoryBuiltin("st_bulk", {},
                  {E.pointer(Base, addrspace::Shared, Offset),
                   E.resize(E.asInt(I.value(1)), 64, /*Signed=*/false)});
  return E.replace(I.getOp(), {});
}

void lowering::addMemoryLowerings(LoweringTable &Table) {
  Table.addInst("st.bulk", lowerStoreBulk);
  Table.addInst("ld", lowerOtherLoad);
  Table.addInst("prefetch", lowerOtherPrefetch);
  Table.add<lowerLd>();
  Table.add<lowerSt>();
  Table.add<lowerFence>();
  Table.add<lowerPrefetch>();
  Table.add<lowerAddrOf>();
  Table.add<lowerCvta>();
  Table.add<lowerIsspacep>();
  Table.add<lowerAlloca>();
  Table.add<lowerDynAlloca>();
  Table.add<lowerStackSave>();
  Table.add<lowerStackRestore>();
  Table.add<lowerParamAddr>();
}
