//===- LowerMemory.cpp - Lowering of memory operations ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses, loads, stores, atomics, fences and stack memory.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

//===----------------------------------------------------------------------===//
// Order and scope
//===----------------------------------------------------------------------===//

/// LLVM's name of a scope; .gpu where PTX wrote none.
static StringRef syncScope(Scope S) {
  switch (S) {
  case Scope::Cta:
    return "block";
  case Scope::Cluster:
    return "cluster";
  case Scope::Sys:
    return "";
  case Scope::None:
  case Scope::Gpu:
    return "device";
  }
  return "";
}

static LLVM::AtomicOrdering ordering(MemSem Sem) {
  switch (Sem) {
  case MemSem::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case MemSem::Release:
    return LLVM::AtomicOrdering::release;
  case MemSem::Acq_rel:
    return LLVM::AtomicOrdering::acq_rel;
  case MemSem::Seq_cst:
    return LLVM::AtomicOrdering::seq_cst;
  default:
    return LLVM::AtomicOrdering::monotonic;
  }
}

static bool isAtomic(MemSem Sem) {
  return Sem != MemSem::Weak && Sem != MemSem::Volatile;
}

static LogicalResult unsupportedSpace(Emitter &E, Operation *Op, Space S) {
  return E.unsupported(Op, "." + stringifyEnum(S) + " in " +
                               Op->getName().stripDialect());
}

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

static Value loadOne(Emitter &E, LdOp Op, Type Ty, Value Pointer,
                     unsigned Align) {
  auto Load = LLVM::LoadOp::create(E.B, E.Loc, Ty, Pointer, Align);
  MemSem Sem = Op.getSem();
  Space S = Op.getSpace();
  if (Sem == MemSem::Volatile || Sem == MemSem::Mmio ||
      Op.getCache() == CacheOp::Cv)
    Load.setVolatile_(true);
  if (isAtomic(Sem)) {
    Load.setOrdering(ordering(Sem));
    Load.setSyncscope(syncScope(Op.getScope()));
  }
  if (Op.getNc() || S == Space::Const || S == Space::Param_entry)
    Load.setInvariant(true);
  return Load;
}

static LogicalResult lowerLd(Emitter &E, LdOp Op) {
  ScalarType Ty = Op.getTy();
  auto AS = addressSpaceOf(Op.getSpace());
  if (!AS)
    return unsupportedSpace(E, Op, Op.getSpace());
  unsigned Bytes = bitWidth(Ty) / 8, N = Op.getValues().size();
  Type Element = commonElementType(E, Ty, Op.getValues());
  SmallVector<Value> Elements;
  if (N == 1 || isAtomic(Op.getSem())) {
    // Each element of an ordered vector access is atomic by itself.
    for (unsigned I = 0; I != N; ++I)
      Elements.push_back(loadOne(
          E, Op, Element,
          E.pointer(Op.getAddr(), *AS, Op.getOffset() + I * Bytes), Bytes));
  } else {
    Value Pointer = E.pointer(Op.getAddr(), *AS, Op.getOffset());
    Value Vector =
        loadOne(E, Op, VectorType::get(N, Element), Pointer, N * Bytes);
    for (unsigned I = 0; I != N; ++I)
      Elements.push_back(
          E.make<LLVM::ExtractElementOp>(Vector, E.constInt(32, I)));
  }
  for (auto [V, Register] : llvm::zip(Elements, Op.getValues()))
    V = toRegister(E, V, Ty, Register.getType());
  return E.replace(Op, Elements);
}

static void storeOne(Emitter &E, StOp Op, Value V, Value Pointer,
                     unsigned Align) {
  auto Store = LLVM::StoreOp::create(E.B, E.Loc, V, Pointer, Align);
  MemSem Sem = Op.getSem();
  if (Sem == MemSem::Volatile || Sem == MemSem::Mmio)
    Store.setVolatile_(true);
  if (isAtomic(Sem)) {
    Store.setOrdering(ordering(Sem));
    Store.setSyncscope(syncScope(Op.getScope()));
  }
}

static LogicalResult lowerSt(Emitter &E, StOp Op) {
  ScalarType Ty = Op.getTy();
  auto AS = addressSpaceOf(Op.getSpace());
  if (!AS)
    return unsupportedSpace(E, Op, Op.getSpace());
  unsigned Bytes = bitWidth(Ty) / 8, N = Op.getValues().size();
  Type Element = commonElementType(E, Ty, Op.getValues());
  SmallVector<Value> Elements;
  for (Value V : Op.getValues())
    Elements.push_back(E.cast(fromRegister(E, V, Ty), Element));
  if (N == 1 || isAtomic(Op.getSem())) {
    for (unsigned I = 0; I != N; ++I)
      storeOne(E, Op, Elements[I],
               E.pointer(Op.getAddr(), *AS, Op.getOffset() + I * Bytes), Bytes);
    return E.replace(Op, {});
  }
  Value Vector = E.make<LLVM::PoisonOp>(VectorType::get(N, Element));
  for (unsigned I = 0; I != N; ++I)
    Vector =
        E.make<LLVM::InsertElementOp>(Vector, Elements[I], E.constInt(32, I));
  storeOne(E, Op, Vector, E.pointer(Op.getAddr(), *AS, Op.getOffset()),
           N * Bytes);
  return E.replace(Op, {});
}

//===----------------------------------------------------------------------===//
// Atomics
//===----------------------------------------------------------------------===//

static LLVM::AtomicBinOp atomicKind(AtomKind Kind, ScalarType Ty) {
  using A = LLVM::AtomicBinOp;
  switch (Kind) {
  case AtomKind::And:
    return A::_and;
  case AtomKind::Or:
    return A::_or;
  case AtomKind::Xor:
    return A::_xor;
  case AtomKind::Inc:
    return A::uinc_wrap;
  case AtomKind::Dec:
    return A::udec_wrap;
  case AtomKind::Min:
    return isSigned(Ty) ? A::min : A::umin;
  case AtomKind::Max:
    return isSigned(Ty) ? A::max : A::umax;
  case AtomKind::Add:
    return isFloat(Ty) ? A::fadd : A::add;
  case AtomKind::Exch:
  case AtomKind::Cas:
    return A::xchg;
  }
  return A::xchg;
}

template <typename OpT>
static LogicalResult lowerReadModifyWrite(Emitter &E, OpT Op) {
  ScalarType Ty = Op.getTy();
  AtomKind Kind = Op.getKind();
  auto AS = addressSpaceOf(Op.getSpace());
  if (!AS)
    return unsupportedSpace(E, Op, Op.getSpace());
  if (isFloat(Ty) && Kind != AtomKind::Add && Kind != AtomKind::Exch)
    return E.unsupported(Op, "atom." + stringifyEnum(Kind) + "." +
                                 stringifyEnum(Ty));
  Value Pointer = E.pointer(Op.getAddr(), *AS, Op.getOffset());
  Value Old = E.make<LLVM::AtomicRMWOp>(
      atomicKind(Kind, Ty), Pointer, E.as(Op.getB(), Ty), ordering(Op.getSem()),
      syncScope(Op.getScope()), bitWidth(Ty) / 8);
  if (Op->getNumResults() == 0)
    return E.replace(Op, {});
  return E.replace(Op, Old);
}

static LogicalResult lowerCas(Emitter &E, AtomOp Op) {
  auto AS = addressSpaceOf(Op.getSpace());
  if (!AS)
    return unsupportedSpace(E, Op, Op.getSpace());
  auto Success = ordering(Op.getSem());
  bool Acquires = Op.getSem() == MemSem::Acquire ||
                  Op.getSem() == MemSem::Acq_rel ||
                  Op.getSem() == MemSem::Seq_cst;
  auto Failure = Acquires ? LLVM::AtomicOrdering::acquire
                          : LLVM::AtomicOrdering::monotonic;
  Value Pair = E.make<LLVM::AtomicCmpXchgOp>(
      E.pointer(Op.getAddr(), *AS, Op.getOffset()), E.asInt(Op.getB()),
      E.asInt(Op.getC()), Success, Failure, syncScope(Op.getScope()),
      bitWidth(Op.getTy()) / 8);
  return E.replace(Op, E.extract(Pair, 0));
}

static LogicalResult lowerAtom(Emitter &E, AtomOp Op) {
  if (Op.getKind() == AtomKind::Cas)
    return lowerCas(E, Op);
  return lowerReadModifyWrite(E, Op);
}

static LogicalResult lowerRed(Emitter &E, RedOp Op) {
  return lowerReadModifyWrite(E, Op);
}

static LogicalResult lowerFence(Emitter &E, ptxir::FenceOp Op) {
  LLVM::FenceOp::create(E.B, E.Loc, ordering(Op.getSem()),
                        syncScope(Op.getScope()));
  return E.replace(Op, {});
}

// A hint: the memory's contents do not change.
static LogicalResult lowerPrefetch(Emitter &E, PrefetchOp Op) {
  return E.replace(Op, {});
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

static LogicalResult lowerAddrOf(Emitter &E, AddrOfOp Op) {
  Operation *Symbol = E.Module.lookupSymbol(Op.getSymbolAttr().getAttr());
  unsigned AS = addrspace::Generic; // Functions.
  if (auto Global = dyn_cast<LLVM::GlobalOp>(Symbol))
    AS = Global.getAddrSpace();
  Value Pointer = E.make<LLVM::AddressOfOp>(E.ptrTy(AS), Op.getSymbol());
  return E.replace(Op, E.address(Pointer, Op.getType()));
}

/// Between the generic space and \p Op's.
static LogicalResult lowerCvta(Emitter &E, CvtaOp Op) {
  auto AS = addressSpaceOf(Op.getSpace());
  if (!AS)
    return unsupportedSpace(E, Op, Op.getSpace());
  unsigned From = Op.getTo() ? unsigned(addrspace::Generic) : *AS;
  unsigned To = Op.getTo() ? *AS : unsigned(addrspace::Generic);
  Value Pointer =
      E.make<LLVM::AddrSpaceCastOp>(E.ptrTy(To), E.pointer(Op.getA(), From));
  return E.replace(Op, E.address(Pointer, Op.getType()));
}

static LogicalResult lowerIsspacep(Emitter &E, IsspacepOp Op) {
  Space S = Op.getSpace();
  if (S != Space::Const && S != Space::Global && S != Space::Local &&
      S != Space::Shared && S != Space::Shared_cluster)
    return unsupportedSpace(E, Op, S);
  StringRef Name =
      S == Space::Shared_cluster ? "shared.cluster" : stringifyEnum(S);
  return E.replace(Op, E.intrinsic("nvvm.isspacep." + Name, E.intTy(1),
                                   E.pointer(Op.getA(), addrspace::Generic)));
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

void lowering::addMemoryLowerings(LoweringTable &Table) {
  Table.add<lowerLd>();
  Table.add<lowerSt>();
  Table.add<lowerAtom>();
  Table.add<lowerRed>();
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
