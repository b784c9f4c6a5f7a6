//===- LowerAtomic.cpp - Lowering of atomic operations ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// atom and red, scalar and on vectors.
//
//===----------------------------------------------------------------------===//

#include "InstView.h"
#include "MemoryAccess.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

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
    return isFloat(Ty) ? A::fmin : isSigned(Ty) ? A::min : A::umin;
  case AtomKind::Max:
    return isFloat(Ty) ? A::fmax : isSigned(Ty) ? A::max : A::umax;
  case AtomKind::Add:
    return isFloat(Ty) ? A::fadd : A::add;
  case AtomKind::Exch:
  case AtomKind::Cas:
    return A::xchg;
  }
  return A::xchg;
}

template <typename OpT> static std::optional<AtomicAccess> accessOf(OpT Op) {
  auto AS = addressSpaceOf(Op.getSpace());
  if (!AS)
    return std::nullopt;
  AtomicAccess A{Op.getKind(),  Op.getTy(), Op.getSem(),
                 Op.getScope(), *AS,        false};
  A.Flushes = A.Kind == AtomKind::Add && A.Ty == ScalarType::F32 &&
              *AS != addrspace::Shared && !Op.getNoftz();
  return A;
}

/// One read-modify-write of a value of type \p Ty.
static Value readModifyWrite(Emitter &E, const AtomicAccess &A, Value Address,
                             int64_t Offset, Value V) {
  Value Pointer = E.pointer(Address, A.AS, Offset);
  unsigned Bytes = A.Ty == ScalarType::Pred ? 1 : bitWidth(A.Ty) / 8;
  auto RMW = LLVM::AtomicRMWOp::create(E.B, E.Loc, atomicKind(A.Kind, A.Ty),
                                       Pointer, E.as(V, A.Ty), ordering(A.Sem),
                                       syncScope(A.Where), Bytes);
  if (A.Flushes)
    RMW->setAttr(FlushAttrName, E.B.getUnitAttr());
  return RMW;
}

template <typename OpT>
static LogicalResult lowerReadModifyWrite(Emitter &E, OpT Op) {
  auto A = accessOf(Op);
  if (!A)
    return unsupportedSpace(E, Op, Op.getSpace());
  Value Old = readModifyWrite(E, *A, Op.getAddr(), Op.getOffset(), Op.getB());
  if (Op->getNumResults() == 0)
    return E.replace(Op, {});
  return E.replace(Op, Old);
}

/// Exchange or, with a third operand, compare and swap of 128 bits.
static Value exchangeWide(Emitter &E, const AtomicAccess &A, Value Address,
                          int64_t Offset, Value B, Value C) {
  SmallVector<Value> Args = {genericAddress(E, Address, A.AS, Offset),
                             E.cast(B, wideTy(E))};
  if (C)
    Args.push_back(E.cast(C, wideTy(E)));
  Args.push_back(modifier(E, memOrderOf(A.Sem)));
  Args.push_back(modifier(E, memScopeOf(A.Sem, A.Where)));
  return E.asInt(
      E.memoryBuiltin(C ? "atom_cas_b128" : "atom_exch_b128", wideTy(E), Args));
}

static LogicalResult lowerCas(Emitter &E, AtomOp Op, const AtomicAccess &A) {
  auto Success = ordering(A.Sem);
  bool Acquires = A.Sem == MemSem::Acquire || A.Sem == MemSem::Acq_rel ||
                  A.Sem == MemSem::Seq_cst;
  auto Failure = Acquires ? LLVM::AtomicOrdering::acquire
                          : LLVM::AtomicOrdering::monotonic;
  Value Pair = E.make<LLVM::AtomicCmpXchgOp>(
      E.pointer(Op.getAddr(), A.AS, Op.getOffset()), E.asInt(Op.getB()),
      E.asInt(Op.getC()), Success, Failure, syncScope(A.Where),
      bitWidth(A.Ty) / 8);
  return E.replace(Op, E.extract(Pair, 0));
}

static LogicalResult lowerAtom(Emitter &E, AtomOp Op) {
  auto A = accessOf(Op);
  if (!A)
    return unsupportedSpace(E, Op, Op.getSpace());
  if (bitWidth(A->Ty) == 128)
    return E.replace(Op, exchangeWide(E, *A, Op.getAddr(), Op.getOffset(),
                                      Op.getB(), Op.getC()));
  if (A->Kind == AtomKind::Cas)
    return lowerCas(E, Op, *A);
  return lowerReadModifyWrite(E, Op);
}

static LogicalResult lowerRed(Emitter &E, RedOp Op) {
  return lowerReadModifyWrite(E, Op);
}
//===----------------------------------------------------------------------===//
// Vectors and cache policies
//===----------------------------------------------------------------------===//

/// Pairs of halves go together, whose operation is as much as two.
SmallVector<Value> lowering::updateElements(Emitter &E, AtomicAccess A,
                                            std::pair<Value, int64_t> Address,
                                            ArrayRef<Value> Elements) {
  auto [Base, Offset] = Address;
  bool Pairs = Elements.size() > 1 &&
               (A.Ty == ScalarType::F16 || A.Ty == ScalarType::Bf16);
  SmallVector<Value> Old;
  if (!Pairs) {
    for (Value V : Elements) {
      Old.push_back(readModifyWrite(E, A, Base, Offset, V));
      Offset += bitWidth(A.Ty) / 8;
    }
    return Old;
  }
  A.Ty = A.Ty == ScalarType::F16 ? ScalarType::F16x2 : ScalarType::Bf16x2;
  for (unsigned I = 0; I < Elements.size(); I += 2, Offset += 4) {
    Value Low = E.resize(E.asInt(Elements[I]), 32, false);
    Value High = E.make<LLVM::ShlOp>(
        E.resize(E.asInt(Elements[I + 1]), 32, false), E.constInt(32, 16));
    Value Pair = E.asInt(
        readModifyWrite(E, A, Base, Offset, E.make<LLVM::OrOp>(Low, High)));
    Old.push_back(E.resize(Pair, 16, false));
    Old.push_back(
        E.resize(E.make<LLVM::LShrOp>(Pair, E.constInt(32, 16)), 16, false));
  }
  return Old;
}

std::optional<AtomicAccess> lowering::atomicAccessOf(const InstView &I) {
  auto Ty = I.scalarType();
  auto AS = addressSpaceOf(I);
  auto Kind = symbolizeAtomKind(I.spelling(ptx::ModKind::AtomOp));
  if (!Ty || !AS || !Kind)
    return std::nullopt;
  AtomicAccess A{*Kind,      *Ty, semanticsOf(I, MemSem::Relaxed),
                 scopeOf(I), *AS, false};
  A.Flushes = *Kind == AtomKind::Add && *Ty == ScalarType::F32 &&
              *AS != addrspace::Shared && !I.has<ptx::NoFtz>();
  return A;
}

/// atom and red with a vector or a cache policy, which is dropped.
static LogicalResult lowerAtomicInst(Emitter &E, const InstView &I) {
  auto A = atomicAccessOf(I);
  if (!A || A->Kind == AtomKind::Cas)
    return E.unsupported(I.getOp(), I.getOp().getOpcode());
  unsigned First = I.getOp().getOpcode() == "red" ? 0 : 1;
  if (bitWidth(A->Ty) == 128) {
    auto [Base, Offset] = I.address(First);
    Value Old = exchangeWide(E, *A, Base, Offset, I.value(First + 1), {});
    return E.replace(I.getOp(), I.resultsOf(Old));
  }
  SmallVector<Value> Old =
      updateElements(E, *A, I.address(First), I.values(First + 1));
  return E.replace(I.getOp(), First ? I.resultsOf(Old) : SmallVector<Value>());
}

void lowering::addAtomicLowerings(LoweringTable &Table) {
  Table.add<lowerAtom>();
  Table.add<lowerRed>();
  Table.addInst("atom", lowerAtomicInst);
  Table.addInst("red", lowerAtomicInst);
}
