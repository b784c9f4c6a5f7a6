//===- LowerFabric.cpp - Lowering of operations on the fabric *- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Copies, reductions and atomic operations on logical endpoints, and what a
// thread says of them. Those on tensors are with the other copies of tensors.
//
//===----------------------------------------------------------------------===//

#include "AsyncOperands.h"
#include "MatrixFragments.h"
#include "MemoryAccess.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;

using isa::CopyGroupOp;
using isa::FabricOp;
using isa::FabricType;

static FabricType fabricTypeOf(const InstView &I) {
  StringRef Name = ptx::getTypeName(I.type());
  return llvm::StringSwitch<FabricType>(Name)
      .Case("e4m3", FabricType::E4M3)
      .Case("e5m2", FabricType::E5M2)
      .Case("b128", FabricType::B128)
      .Default(static_cast<FabricType>(bulkTypeOf(Name)));
}

static Value longOperand(Emitter &E, const InstView &I, StringRef Name) {
  auto N = I.find(Name);
  return N ? E.resize(E.asInt(I.value(*N)), 64, /*Signed=*/false)
           : E.constInt(64, 0);
}

/// What stands in which place differs; \p Own and \p Second are the shared
/// address and the size, or the second address.
static LogicalResult lowerOperation(Emitter &E, const InstView &I, FabricOp Fn,
                                    Value Own, Value Second,
                                    StringRef Operation) {
  Value Extra = longOperand(
      E, I, I.has<ptx::ByteMask>() ? StringRef("byteMask") : "counter");
  bool IsWide = I.get<ptx::Accumulate>() == ptx::Accumulate::AccF32;
  SmallVector<Value> Args = {Own,
                             longOperand(E, I, "offset"),
                             Second,
                             sharedOperand(E, I, "mbar"),
                             wordOperand(E, I, "endpoint"),
                             Extra,
                             modifier(E, Fn),
                             modifier(E, operationOf(Operation)),
                             modifier(E, fabricTypeOf(I)),
                             modifier(E, I.has<ptx::Multimem>()),
                             modifier(E, I.has<ptx::ByteMask>()),
                             modifier(E, IsWide),
                             modifier(E, I.has<ptx::Counted>())};
  // The lanes of a warp pull together.
  if (Fn == FabricOp::Pull)
    E.warpBuiltin("fabric", {}, Args, LLVM::ModRefInfo::ModRef);
  else
    E.memoryBuiltin("fabric", {}, Args);
  return E.replace(I.getOp(), {});
}

template <FabricOp Fn>
static LogicalResult lowerFabricCopy(Emitter &E, const InstView &I) {
  bool Fetches = Fn == FabricOp::Get || Fn == FabricOp::Pull;
  StringRef Operation = I.has<ptx::BulkOp>() ? I.spelling(ptx::ModKind::BulkOp)
                                             : StringRef("add");
  return lowerOperation(E, I, Fn, sharedOperand(E, I, Fetches ? "dst" : "src"),
                        wordOperand(E, I, "size"), Operation);
}

static LogicalResult lowerFabricAtomic(Emitter &E, const InstView &I) {
  StringRef Operation = I.spelling(ptx::ModKind::AtomOp);
  FabricOp Fn =
      Operation == "cas" ? FabricOp::CompareAndSwap : FabricOp::Atomic;
  return lowerOperation(E, I, Fn, sharedOperand(E, I, "dst"),
                        sharedOperand(E, I, "src"), Operation);
}

static void group(Emitter &E, CopyGroupOp O, int64_t Count) {
  copyGroup(E, O, E.constInt(32, 0), Count);
}

static LogicalResult lowerSubmit(Emitter &E, const InstView &I) {
  group(E,
        I.has<ptx::OpRestrict>() ? CopyGroupOp::FabricSubmitFetching
                                 : CopyGroupOp::FabricSubmit,
        0);
  return E.replace(I.getOp(), {});
}

static LogicalResult lowerCommit(Emitter &E, const InstView &I) {
  group(E, CopyGroupOp::FabricCommit, 0);
  return E.replace(I.getOp(), {});
}

static LogicalResult lowerFabricWait(Emitter &E, const InstView &I) {
  auto Count = I.find("n");
  group(E, Count ? CopyGroupOp::FabricRead : CopyGroupOp::FabricReadAll,
        Count ? I.immediate(*Count) : 0);
  return E.replace(I.getOp(), {});
}

void lowering::addFabricLowerings(LoweringTable &Table) {
  Table.addInst("fabric.try_get.async", lowerFabricCopy<FabricOp::Get>);
  Table.addInst("fabric.try_put.async", lowerFabricCopy<FabricOp::Put>);
  Table.addInst("fabric.try_red.async", lowerFabricCopy<FabricOp::Reduce>);
  Table.addInst("fabric.try_pullred.async", lowerFabricCopy<FabricOp::Pull>);
  Table.addInst("fabric.try_atom.async", lowerFabricAtomic);
  Table.addInst("fabric.submit", lowerSubmit);
  Table.addInst("fabric.submit.commit_group", lowerCommit);
  Table.addInst("fabric.wait", lowerFabricWait);
}
