//===- LowerWgmma.cpp - Lowering of wgmma -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product of a warpgroup becomes an instruction for each eight columns of D,
// whose fragment is that of mma.
//
//===----------------------------------------------------------------------===//

#include "MatrixFragments.h"
#include "MemoryAccess.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using matrix::Result;

/// -1 negates.
static bool negates(const InstView &I, StringRef Name) {
  auto N = I.find(Name);
  return N && I.immediate(*N) == -1;
}
static bool isSet(const InstView &I, StringRef Name) {
  auto N = I.find(Name);
  return N && I.immediate(*N) != 0;
}

static LogicalResult lowerWgmma(Emitter &E, const InstView &I) {
  Result DType = *lowering::resultOf(ptx::getTypeName(I.type(0)));
  bool Sparse = I.find("spMeta").has_value();
  auto ADesc = I.find("aDesc");
  Value Meta = Sparse ? E.asInt(I.value(*I.find("spMeta"))) : E.constInt(32, 0);
  Value Selector = E.constInt(32, Sparse ? I.immediate(*I.find("spSel")) : 0);
  ArrayRef<Value> C = I.values(0);
  // Registers of D for eight columns.
  unsigned Registers = DType == Result::F16 ? 2 : 4;
  Value ScaleD = I.value(*I.find("scaleD"));
  SmallVector<Value> D;
  for (unsigned First = 0; First < C.size(); First += Registers) {
    SmallVector<Value> Sum;
    for (Value V : C.slice(First, Registers))
      Sum.push_back(E.select(ScaleD, E.asInt(V), E.constInt(32, 0)));
    SmallVector<Value> Args;
    if (ADesc)
      Args.push_back(E.asInt(I.value(*ADesc)));
    else
      Args.push_back(groupOfFour(E, I.values(*I.find("a"))));
    Args.append({E.asInt(I.value(*I.find("bDesc"))),
                 E.constInt(32, First / Registers), groupOfFour(E, Sum), Meta,
                 modifier(E, *lowering::elementOf(ptx::getTypeName(I.type(1)))),
                 modifier(E, *lowering::elementOf(ptx::getTypeName(I.type(2)))),
                 modifier(E, DType), modifier(E, negates(I, "scaleA")),
                 modifier(E, negates(I, "scaleB")),
                 modifier(E, I.has<ptx::SatFinite>()),
                 modifier(E, isSet(I, "transB"))});
    if (ADesc)
      Args.push_back(modifier(E, isSet(I, "transA")));
    Args.append({modifier(E, Sparse), Selector});
    Value Group = E.warpBuiltin(ADesc ? "wgmma_shared" : "wgmma", wideTy(E),
                                Args, LLVM::ModRefInfo::Ref);
    D.append(registersOf(E, Group, Registers));
  }
  return E.replace(I.getOp(), I.resultsOf(D));
}

/// Registers hold their values when an instruction that reads them executes.
static LogicalResult lowerWgmmaFence(Emitter &E, const InstView &I) {
  LLVM::FenceOp::create(E.B, E.Loc, LLVM::AtomicOrdering::acq_rel,
                        "singlethread");
  return E.replace(I.getOp(), {});
}

using isa::WarpgroupOp;

template <WarpgroupOp O>
static LogicalResult lowerWgmmaGroup(Emitter &E, const InstView &I) {
  auto Count = I.find("n");
  E.warpBuiltin(
      "wgmma_group", {},
      {E.constInt(32, Count ? I.immediate(*Count) : 0), modifier(E, O)},
      LLVM::ModRefInfo::ModRef);
  return E.replace(I.getOp(), {});
}

void lowering::addWgmmaLowerings(LoweringTable &Table) {
  Table.addInst("wgmma.mma_async", lowerWgmma);
  Table.addInst("wgmma.mma_async.sp", lowerWgmma);
  Table.addInst("wgmma.fence", lowerWgmmaFence);
  Table.addInst("wgmma.commit_group", lowerWgmmaGroup<WarpgroupOp::Commit>);
  Table.addInst("wgmma.wait_group", lowerWgmmaGroup<WarpgroupOp::Wait>);
}
