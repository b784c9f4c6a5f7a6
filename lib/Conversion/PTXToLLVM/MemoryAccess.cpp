//===- MemoryAccess.cpp - What accesses to memory share ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Orders, scopes and addresses.
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

unsigned lowering::scopeNumber(MemSem Sem, Scope S) {
  if (Sem == MemSem::Volatile || Sem == MemSem::Mmio)
    return 3;
  switch (S) {
  case Scope::Cta:
    return 0;
  case Scope::Cluster:
    return 1;
  case Scope::Sys:
    return 3;
  case Scope::None:
  case Scope::Gpu:
    return 2;
  }
  return 3;
}

unsigned lowering::orderNumber(MemSem Sem) {
  switch (Sem) {
  case MemSem::Acquire:
    return 3;
  case MemSem::Release:
    return 4;
  case MemSem::Acq_rel:
  case MemSem::Seq_cst:
    return 5;
  case MemSem::Mmio:
    return 6;
  default:
    return 2;
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
