//===- LowerTensorMap.cpp - Lowering of tensormap ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replacing a field of a tensor map is a store to its place in TensorMap, once
// the map is one of ours.
//
//===----------------------------------------------------------------------===//

#include "MatrixFragments.h"
#include "MemoryAccess.h"
#include "heddle/ISA/TensorMap.h"

#include <cstddef>

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;

namespace {
struct Field {
  unsigned Offset, Bytes;
  unsigned Less = 0; ///< What the number is stored less by.
};
} // namespace

static std::optional<Field> fieldOf(ptx::TensormapField F, unsigned Ordinal) {
  using P = ptx::TensormapField;
  auto Word = [&](size_t Offset, unsigned Less = 0) {
    return Field{unsigned(Offset) + 4 * Ordinal, 4, Less};
  };
  switch (F) {
  case P::GlobalAddress:
    return Field{offsetof(TensorMap, Address), 8};
  case P::Rank:
    return Field{offsetof(TensorMap, RankMinusOne), 1};
  case P::BoxDim:
    return Word(offsetof(TensorMap, BoxMinusOne), 1);
  case P::GlobalDim:
    return Word(offsetof(TensorMap, Extent), 1);
  case P::ElementStride:
    return Word(offsetof(TensorMap, ElementStrideMinusOne), 1);
  case P::GlobalStride:
    if (Ordinal >= MaxTensorRank - 1)
      return std::nullopt;
    return Field{unsigned(offsetof(TensorMap, Stride)) + 8 * Ordinal, 8};
  case P::Elemtype:
    return Field{offsetof(TensorMap, Element), 1};
  case P::InterleaveLayout:
    return Field{offsetof(TensorMap, Interleave), 1};
  case P::SwizzleMode:
    return Field{offsetof(TensorMap, Swizzle), 1};
  case P::FillMode: // The low bytes of the options.
    return Field{offsetof(TensorMap, Options), 1};
  case P::SwizzleAtomicity:
    return Field{offsetof(TensorMap, Options) + 1, 1};
  case P::None:
    break;
  }
  return std::nullopt;
}

/// The byte of the class of memory.
constexpr unsigned ClassOffset = offsetof(TensorMap, Options) + 3;

static void storeClass(Emitter &E, const InstView &I, ptx::TensormapAlloc A) {
  auto [Base, Offset] = I.address(*I.find("addr"));
  LLVM::StoreOp::create(
      E.B, E.Loc, E.constInt(8, A == ptx::TensormapAlloc::AllocLarge),
      E.pointer(Base, *addressSpaceOf(I), Offset + ClassOffset), 1);
}

static LogicalResult lowerClassQuery(Emitter &E, const InstView &I) {
  auto [Base, Offset] = I.address(*I.find("addr"));
  Value Class = E.make<LLVM::LoadOp>(
      E.intTy(8), E.pointer(Base, *addressSpaceOf(I), Offset + ClassOffset), 1);
  return E.replace(I.getOp(), I.resultsOf(E.icmp(LLVM::ICmpPredicate::ne, Class,
                                                 E.constInt(8, 0))));
}

/// A kernel may replace fields of a map that the program wrote as NVIDIA's
/// chips have them (ForeignTensorMap.h).
static void adopt(Emitter &E, const InstView &I) {
  auto [Base, Offset] = I.address(*I.find("addr"));
  Value Map = E.pointer(Base, *addressSpaceOf(I), Offset);
  if (*addressSpaceOf(I) != addrspace::Generic)
    Map = E.make<LLVM::AddrSpaceCastOp>(E.ptrTy(addrspace::Generic), Map);
  E.memoryBuiltin("adopt_tensor_map", {}, Map);
}

static LogicalResult lowerReplace(Emitter &E, const InstView &I) {
  adopt(E, I);
  auto Class = I.get<ptx::TensormapAlloc>();
  if (Class == ptx::TensormapAlloc::AllocLarge ||
      Class == ptx::TensormapAlloc::AllocSmall)
    storeClass(E, I, Class);
  if (!I.has<ptx::TensormapField>())
    return E.replace(I.getOp(), {});
  auto Ordinal = I.find("ord");
  auto F = fieldOf(I.get<ptx::TensormapField>(),
                   Ordinal ? I.immediate(*Ordinal) : 0);
  if (!F)
    return E.unsupported(I.getOp(), "the stride of the innermost dimension");
  auto [Base, Offset] = I.address(*I.find("addr"));
  unsigned New = *I.find("new");
  unsigned Bits = 8 * F->Bytes;
  // A field with few values is a constant of the instruction.
  bool IsConstant = I.values(New).empty();
  Value V = IsConstant ? E.constInt(Bits, I.immediate(New))
                       : E.resize(E.asInt(I.value(New)), Bits, false);
  if (F->Less)
    V = E.make<LLVM::SubOp>(V, E.constInt(Bits, F->Less));
  LLVM::StoreOp::create(E.B, E.Loc, V,
                        E.pointer(Base, *addressSpaceOf(I), Offset + F->Offset),
                        F->Bytes);
  return E.replace(I.getOp(), {});
}

/// The warp copies a map to global memory, a word a lane.
static LogicalResult lowerCopyFenceProxy(Emitter &E, const InstView &I) {
  auto [To, ToOffset] = I.address(*I.find("dst"));
  auto [From, FromOffset] = I.address(*I.find("src"));
  Value Lane = E.intrinsic("nvvm.read.ptx.sreg.laneid", E.intTy(32), {});
  Value Place = E.make<LLVM::ShlOp>(Lane, E.constInt(32, 2));
  auto At = [&](Value Base, unsigned AS, int64_t Offset) {
    return E.make<LLVM::GEPOp>(E.ptrTy(AS), E.intTy(8),
                               E.pointer(Base, AS, Offset),
                               ArrayRef<LLVM::GEPArg>{Place});
  };
  E.intrinsic("nvvm.bar.warp.sync", {}, E.constInt(32, ~uint64_t(0)));
  Value Word = E.make<LLVM::LoadOp>(E.intTy(32),
                                    At(From, addrspace::Shared, FromOffset), 4);
  LLVM::StoreOp::create(E.B, E.Loc, Word, At(To, addrspace::Global, ToOffset),
                        4);
  LLVM::FenceOp::create(E.B, E.Loc, LLVM::AtomicOrdering::acq_rel,
                        syncScope(scopeOf(I)));
  E.intrinsic("nvvm.bar.warp.sync", {}, E.constInt(32, ~uint64_t(0)));
  return E.replace(I.getOp(), {});
}

void lowering::addTensorMapLowerings(LoweringTable &Table) {
  Table.addInst("tensormap.replace", lowerReplace);
  Table.addInst("tensormap.query.alloc_class_large", lowerClassQuery);
  Table.addInst("tensormap.cp_fenceproxy", lowerCopyFenceProxy);
}
