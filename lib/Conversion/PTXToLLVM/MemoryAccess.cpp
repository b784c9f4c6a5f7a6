//===- MemoryAccess.cpp - What accesses to memory share ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Orders, scopes, addresses, and the accesses that vectors are made of.
//
//===----------------------------------------------------------------------===//

#include "MemoryAccess.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

StringRef lowering::syncScope(Scope S) {
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

LLVM::AtomicOrdering lowering::ordering(MemSem Sem) {
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

LogicalResult lowering::unsupportedSpace(Emitter &E, Operation *Op, Space S) {
  return E.unsupported(Op, "." + stringifyEnum(S) + " in " +
                               Op->getName().stripDialect());
}

isa::MemScope lowering::memScopeOf(MemSem Sem, Scope S) {
  if (Sem == MemSem::Volatile || Sem == MemSem::Mmio)
    return isa::MemScope::System;
  switch (S) {
  case Scope::Cta:
    return isa::MemScope::CTA;
  case Scope::Cluster:
    return isa::MemScope::Cluster;
  case Scope::Sys:
    return isa::MemScope::System;
  case Scope::None:
  case Scope::Gpu:
    return isa::MemScope::GPU;
  }
  return isa::MemScope::System;
}

isa::MemOrder lowering::memOrderOf(MemSem Sem) {
  switch (Sem) {
  case MemSem::Acquire:
    return isa::MemOrder::Acquire;
  case MemSem::Release:
    return isa::MemOrder::Release;
  case MemSem::Acq_rel:
  case MemSem::Seq_cst:
    return isa::MemOrder::AcquireRelease;
  case MemSem::Mmio:
    return isa::MemOrder::MMIO;
  default:
    return isa::MemOrder::Relaxed;
  }
}

std::optional<unsigned> lowering::addressSpaceOf(const InstView &I) {
  switch (I.get<ptx::StateSpace>()) {
  case ptx::StateSpace::None:
  case ptx::StateSpace::Generic:
    return addrspace::Generic;
  case ptx::StateSpace::Global:
    return addrspace::Global;
  case ptx::StateSpace::Shared:
  case ptx::StateSpace::SharedCta:
  case ptx::StateSpace::SharedCluster:
    return addrspace::Shared;
  default:
    return std::nullopt;
  }
}

MemSem lowering::semanticsOf(const InstView &I, MemSem Default) {
  if (!I.has<ptx::Semantics>())
    return Default;
  if (I.get<ptx::Semantics>() == ptx::Semantics::Sc)
    return MemSem::Seq_cst;
  return *symbolizeMemSem(I.spelling(ptx::ModKind::Semantics));
}

Scope lowering::scopeOf(const InstView &I) {
  if (!I.has<ptx::Scope>())
    return Scope::Gpu;
  return *symbolizeScope(I.spelling(ptx::ModKind::Scope));
}

//===----------------------------------------------------------------------===//
// Addresses
//===----------------------------------------------------------------------===//

Value lowering::genericAddress(Emitter &E, Value Address, unsigned AS,
                               int64_t Offset) {
  Value Pointer = E.pointer(Address, AS, Offset);
  if (AS != addrspace::Generic)
    Pointer =
        E.make<LLVM::AddrSpaceCastOp>(E.ptrTy(addrspace::Generic), Pointer);
  return E.make<LLVM::PtrToIntOp>(E.intTy(64), Pointer);
}

Type lowering::wideTy(Emitter &E) { return VectorType::get(4, E.intTy(32)); }

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// What one access of the ISA moves at most; a register; what LLVM has atomic
/// accesses of.
static constexpr unsigned WidestBits = 128, RegisterBits = 32, AtomicBits = 64;

static bool isAtomic(const AccessMode &Mode) {
  return Mode.Sem != MemSem::Weak && Mode.Sem != MemSem::Volatile;
}

/// Whether \p Bits of a strong access need an instruction that LLVM has not.
/// No other thread sees local memory.
static bool needsBuiltin(const AccessMode &Mode, unsigned Bits) {
  return Bits == WidestBits && isAtomic(Mode) && Mode.AS != addrspace::Local;
}

static Type vectorTy(Type Element, unsigned Count) {
  return VectorType::get(Count, Element);
}

/// The type whose access LLVM never divides: the elements' own where registers
/// hold one each, else whole registers; an integer if it has to be atomic.
static Type accessType(Emitter &E, const AccessMode &Mode, Type Element,
                       unsigned Count) {
  unsigned Width = bitWidth(Element), Bits = Width * Count;
  if (Width == WidestBits)
    return vectorTy(E.intTy(64), 2);
  if (Count == 1)
    return Element;
  if (Bits <= RegisterBits || (isAtomic(Mode) && Bits <= AtomicBits))
    return E.intTy(Bits);
  return Width < RegisterBits ? vectorTy(E.intTy(32), Bits / RegisterBits)
                              : vectorTy(Element, Count);
}

template <typename OpT>
static void setMode(Emitter &E, OpT Access, const AccessMode &Mode) {
  Access.setVolatile_(Mode.IsVolatile);
  if (isAtomic(Mode)) {
    Access.setOrdering(ordering(Mode.Sem));
    Access.setSyncscope(syncScope(Mode.Where));
  }
  // Only accesses to 64-bit spaces take hints.
  if (Mode.CacheHint != isa::CacheOp::All && Mode.AS <= addrspace::Global)
    Access->setAttr(CacheHintAttrName,
                    E.B.getI32IntegerAttr(int32_t(Mode.CacheHint)));
}

static Value shifted(Emitter &E, Value V, unsigned Bits) {
  if (Bits == 0)
    return V;
  return E.make<LLVM::LShrOp>(V, E.constInt(V.getType(), Bits));
}

static Value vectorElement(Emitter &E, Value Vector, unsigned N) {
  return E.make<LLVM::ExtractElementOp>(Vector, E.constInt(32, N));
}

/// One of \p Count elements of what an access has loaded.
static Value elementOf(Emitter &E, Value Loaded, Type Element, unsigned Count,
                       unsigned N) {
  unsigned Width = bitWidth(Element);
  if (Count == 1)
    return E.cast(Loaded, Element);
  bool IsVector = mlir::isa<VectorType>(Loaded.getType());
  if (IsVector && Width >= RegisterBits)
    return vectorElement(E, E.cast(Loaded, vectorTy(Element, Count)), N);
  unsigned At = N * Width, Word = At / RegisterBits;
  Value V;
  if (IsVector)
    V = vectorElement(E, Loaded, Word);
  else
    V = E.resize(shifted(E, Loaded, Word * RegisterBits),
                 std::min(Width * Count, RegisterBits), false);
  return E.cast(E.resize(shifted(E, V, At % RegisterBits), Width, false),
                Element);
}

/// Integers side by side in one, the first in the lowest bits.
static Value joined(Emitter &E, ArrayRef<Value> Parts, unsigned Bits) {
  Value All;
  unsigned At = 0;
  for (Value V : Parts) {
    Value Wide = E.resize(V, Bits, false);
    if (At != 0)
      Wide = E.make<LLVM::ShlOp>(Wide, E.constInt(Bits, At));
    All = All ? E.make<LLVM::OrOp>(All, Wide) : Wide;
    At += bitWidth(V.getType());
  }
  return All;
}

static Value vectorOf(Emitter &E, ArrayRef<Value> Elements) {
  Value Vector = E.make<LLVM::PoisonOp>(
      vectorTy(Elements.front().getType(), Elements.size()));
  for (auto [N, V] : llvm::enumerate(Elements))
    Vector = E.make<LLVM::InsertElementOp>(Vector, V, E.constInt(32, N));
  return Vector;
}

/// The elements as what one access stores.
static Value putTogether(Emitter &E, ArrayRef<Value> Elements, Type Whole) {
  if (Elements.size() == 1)
    return E.cast(Elements.front(), Whole);
  unsigned Width = bitWidth(Elements.front().getType());
  bool IsVector = mlir::isa<VectorType>(Whole);
  if (IsVector && Width >= RegisterBits)
    return E.cast(vectorOf(E, Elements), Whole);
  SmallVector<Value> Parts;
  for (Value V : Elements)
    Parts.push_back(E.asInt(V));
  unsigned Each = std::max(RegisterBits / Width, 1u);
  if (Each >= Parts.size())
    return joined(E, Parts, bitWidth(Whole));
  SmallVector<Value> Words;
  for (ArrayRef<Value> Rest = Parts; !Rest.empty();
       Rest = Rest.drop_front(Each))
    Words.push_back(joined(E, Rest.take_front(Each), RegisterBits));
  return IsVector ? vectorOf(E, Words) : joined(E, Words, bitWidth(Whole));
}

/// How many elements go into one access.
static unsigned elementsOfAccess(Type Element, unsigned Count) {
  return std::min(Count, WidestBits / bitWidth(Element));
}

SmallVector<Value> lowering::loadElements(Emitter &E, const AccessMode &Mode,
                                          Value Address, int64_t Offset,
                                          Type Element, unsigned Count) {
  unsigned Each = elementsOfAccess(Element, Count);
  unsigned Bits = Each * bitWidth(Element);
  SmallVector<Value> Elements;
  for (unsigned N = 0; N < Count; N += Each, Offset += Bits / 8) {
    Value Loaded;
    if (needsBuiltin(Mode, Bits)) {
      Loaded = E.memoryBuiltin("ld_b128", wideTy(E),
                               {genericAddress(E, Address, Mode.AS, Offset),
                                modifier(E, memOrderOf(Mode.Sem)),
                                modifier(E, memScopeOf(Mode.Sem, Mode.Where))});
    } else {
      auto Load =
          E.create<LLVM::LoadOp>(accessType(E, Mode, Element, Each),
                                 E.pointer(Address, Mode.AS, Offset), Bits / 8);
      setMode(E, Load, Mode);
      Load.setInvariant(Mode.IsInvariant);
      Loaded = Load;
    }
    for (unsigned I = 0; I != Each; ++I)
      Elements.push_back(elementOf(E, Loaded, Element, Each, I));
  }
  return Elements;
}

void lowering::storeElements(Emitter &E, const AccessMode &Mode, Value Address,
                             int64_t Offset, ArrayRef<Value> Elements) {
  Type Element = Elements.front().getType();
  unsigned Each = elementsOfAccess(Element, Elements.size());
  unsigned Bits = Each * bitWidth(Element);
  for (; !Elements.empty();
       Elements = Elements.drop_front(Each), Offset += Bits / 8) {
    bool IsBuiltin = needsBuiltin(Mode, Bits);
    Value V =
        putTogether(E, Elements.take_front(Each),
                    IsBuiltin ? wideTy(E) : accessType(E, Mode, Element, Each));
    if (!IsBuiltin) {
      setMode(E,
              E.create<LLVM::StoreOp>(V, E.pointer(Address, Mode.AS, Offset),
                                      Bits / 8),
              Mode);
      continue;
    }
    E.memoryBuiltin("st_b128", {},
                    {genericAddress(E, Address, Mode.AS, Offset), V,
                     modifier(E, memOrderOf(Mode.Sem)),
                     modifier(E, memScopeOf(Mode.Sem, Mode.Where))});
  }
}
