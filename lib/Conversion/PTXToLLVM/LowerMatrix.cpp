//===- LowerMatrix.cpp - Lowering of mma and ldmatrix -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// mma, dense and sparse, ldmatrix, stmatrix and movmatrix. Operands are found
// by their names in lib/PTX/PTXMatrix.td.
//
//===----------------------------------------------------------------------===//

#include "MatrixFragments.h"
#include "MemoryAccess.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using matrix::Element;
using matrix::Extents;

static StringRef typeName(const InstView &I, unsigned N) {
  return ptx::getTypeName(I.type(N));
}

static Extents shapeOf(const InstView &I) {
  return lowering::extentsOf(I.spelling(ptx::ModKind::MatrixShape));
}

/// The type of an operand's elements; those of 4 bits stand in bytes unless the
/// kind says otherwise.
static Element elementOf(const InstView &I, unsigned N) {
  Element Type = *lowering::elementOf(typeName(I, N));
  bool Packs = I.get<ptx::MatrixKind>() == ptx::MatrixKind::KindMxf4 ||
               I.get<ptx::MatrixKind>() == ptx::MatrixKind::KindMxf4nvf4;
  return Type == Element::E2M1 && Packs ? Element::E2M1P : Type;
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

static isa::MatrixScale scaleCountOf(const InstView &I) {
  switch (I.get<ptx::ScaleVec>()) {
  case ptx::ScaleVec::ScaleVec1X:
    return isa::MatrixScale::X1;
  case ptx::ScaleVec::ScaleVec2X:
    return isa::MatrixScale::X2;
  case ptx::ScaleVec::ScaleVec4X:
    return isa::MatrixScale::X4;
  default:
    return I.get<ptx::MatrixKind>() == ptx::MatrixKind::KindMxf4
               ? isa::MatrixScale::X2
               : isa::MatrixScale::X1;
  }
}

/// The scales \p Name as the ISA takes them, from the low byte on in the first
/// of the \p Holders lanes of a group of four that hold them: shifts and
/// exchanges what the selector \p Selector chooses.
static Value scalesOf(Emitter &E, const InstView &I, StringRef Name,
                      StringRef Selector, unsigned Holders) {
  Value Scales = E.asInt(I.value(*I.find(Name)));
  ArrayRef<Value> Ids = I.values(*I.find(Selector));
  auto IsZero = [](Value V) {
    auto Known = Emitter::matchInt(V);
    return Known && Known->isZero();
  };
  auto Id = [&](unsigned N) {
    return E.resize(E.asInt(Ids[N]), 32, /*Signed=*/false);
  };
  if (!IsZero(Ids[0]))
    Scales = E.make<LLVM::LShrOp>(
        Scales, E.make<LLVM::MulOp>(Id(0), E.constInt(32, 8)));
  if (IsZero(Ids[1]))
    return Scales;
  // The lane's number in its group without what tells holders apart.
  Value Lane = E.intrinsic("nvvm.read.ptx.sreg.laneid", E.intTy(32), {});
  Value Kept = E.make<LLVM::AndOp>(Lane, E.constInt(32, ~3u | (Holders - 1)));
  Value Holder = E.make<LLVM::MulOp>(Id(1), E.constInt(32, Holders));
  return E.intrinsic("nvvm.shfl.sync.idx.i32", E.intTy(32),
                     {E.constInt(32, ~0u), Scales,
                      E.make<LLVM::OrOp>(Kept, Holder), E.constInt(32, 31)});
}

namespace {
struct Scaling {
  Value A, B;
  isa::MatrixScale Count = isa::MatrixScale::None;
  bool IsUE4M3 = false;
};
} // namespace

static Scaling scalingOf(Emitter &E, const InstView &I) {
  if (!I.has<ptx::BlockScale>())
    return {E.constInt(32, 0), E.constInt(32, 0)};
  return {scalesOf(E, I, "scaleA", "idA", 2),
          scalesOf(E, I, "scaleB", "idB", 1), scaleCountOf(I),
          typeName(I, 4) == "ue4m3"};
}

//===----------------------------------------------------------------------===//
// mma
//===----------------------------------------------------------------------===//

/// Fragments of 16 rows are those of 8 rows, alternating, and of 4 columns of A
/// one after the other.
static LogicalResult lowerDoubleMma(Emitter &E, const InstView &I) {
  ArrayRef<Value> A = I.values(*I.find("a")), B = I.values(*I.find("b")),
                  C = I.values(*I.find("c"));
  unsigned Halves = shapeOf(I).M / 8;
  SmallVector<Value> D;
  for (unsigned Half = 0; Half < Halves; ++Half) {
    SmallVector<Value> Sum(C.slice(size_t(2) * Half, 2));
    for (auto [K, Column] : llvm::enumerate(B))
      Sum =
          multiplyDoubles(E, A[Halves * K + Half], Column, Sum, roundingOf(I));
    D.append(Sum);
  }
  return E.replace(I.getOp(), I.resultsOf(D));
}

static LogicalResult lowerSparseMma(Emitter &E, const InstView &I,
                                    const MmaForm &F) {
  Scaling S = scalingOf(E, I);
  Value D = E.warpBuiltin(
      "mma_sp", wideTy(E),
      {groupOfFour(E, I.values(*I.find("a"))),
       groupOfFour(E, I.values(*I.find("b"))),
       groupOfFour(E, I.values(*I.find("c"))), E.asInt(I.value(*I.find("e"))),
       S.A, S.B, modifier(E, F.Shape), modifier(E, F.A), modifier(E, F.B),
       modifier(E, F.D), modifier(E, F.Saturate), modifier(E, S.Count),
       modifier(E, S.IsUE4M3), E.constInt(32, I.immediate(*I.find("f")))},
      LLVM::ModRefInfo::NoModRef);
  return E.replace(I.getOp(), I.resultsOf(registersOf(E, D, I.numResults())));
}

static LogicalResult lowerScaledMma(Emitter &E, const InstView &I,
                                    const MmaForm &F) {
  Scaling S = scalingOf(E, I);
  Value D =
      E.warpBuiltin("mma_scaled", wideTy(E),
                    {groupOfFour(E, I.values(*I.find("a"))),
                     groupOfTwo(E, I.values(*I.find("b"))),
                     groupOfFour(E, I.values(*I.find("c"))), S.A, S.B,
                     modifier(E, F.Shape), modifier(E, F.A), modifier(E, F.B),
                     modifier(E, S.Count), modifier(E, S.IsUE4M3)},
                    LLVM::ModRefInfo::NoModRef);
  return E.replace(I.getOp(), I.resultsOf(registersOf(E, D, I.numResults())));
}

/// m8n8k4 has eight registers of D in single precision: two instructions.
static LogicalResult lowerQuadMma(Emitter &E, const InstView &I, MmaForm F) {
  ArrayRef<Value> A = I.values(*I.find("a")), B = I.values(*I.find("b")),
                  C = I.values(*I.find("c"));
  F.ColumnsA = I.get<ptx::LayoutA>() == ptx::LayoutA::Col;
  F.ColumnsB = I.get<ptx::LayoutB>() == ptx::LayoutB::Col;
  SmallVector<Value> D;
  for (unsigned First = 0; First < I.numResults(); First += 4) {
    F.Part = First != 0;
    Value Half = multiply(E, F, A, B, C.size() == 8 ? C.slice(First, 4) : C);
    D.append(registersOf(E, Half, 4));
  }
  return E.replace(I.getOp(), I.resultsOf(D));
}

static LogicalResult lowerMma(Emitter &E, const InstView &I) {
  if (typeName(I, 0) == "f64")
    return lowerDoubleMma(E, I);
  Extents X = shapeOf(I);
  auto Shape = matrix::findShape(X.M, X.N, X.K);
  if (!Shape)
    return E.unsupported(I.getOp(), "this shape of mma");
  MmaForm F{*Shape, elementOf(I, 1), elementOf(I, 2),
            *lowering::resultOf(typeName(I, 0)),
            *lowering::resultOf(typeName(I, 3))};
  F.BitAnd = I.get<ptx::BitOp>() == ptx::BitOp::And;
  F.Saturate = I.has<ptx::SatFinite>();
  if (I.has<ptx::Sparse>())
    return lowerSparseMma(E, I, F);
  if (I.has<ptx::BlockScale>())
    return lowerScaledMma(E, I, F);
  if (F.A == Element::F16 && X.K == 4)
    return lowerQuadMma(E, I, F);
  Value D = multiply(E, F, I.values(*I.find("a")), I.values(*I.find("b")),
                     I.values(*I.find("c")));
  return E.replace(I.getOp(), I.resultsOf(registersOf(E, D, I.numResults())));
}

//===----------------------------------------------------------------------===//
// ldmatrix, stmatrix, movmatrix
//===----------------------------------------------------------------------===//

static matrix::Tile tileOf(const InstView &I) {
  using matrix::Tile;
  switch (I.get<ptx::MatrixShape>()) {
  case ptx::MatrixShape::M8n16:
    return Tile::Bytes8;
  case ptx::MatrixShape::M16n16:
    return Tile::Bytes16Transposed;
  case ptx::MatrixShape::M16n8:
    return Tile::Bytes8Transposed;
  default:
    return I.has<ptx::Transpose>() ? Tile::Words8Transposed : Tile::Words8;
  }
}

static Value countOf(Emitter &E, const InstView &I) {
  return E.constInt(32, unsigned(I.get<ptx::MatrixCount>()) - 1);
}

static matrix::Unpack unpackOf(const InstView &I) {
  if (typeName(I, 0) == "s8")
    return matrix::Unpack::FromSigned4Bits;
  switch (I.get<ptx::UnpackFrom>()) {
  case ptx::UnpackFrom::B6x16P32:
    return matrix::Unpack::From6Bits;
  case ptx::UnpackFrom::B4x16P64:
    return matrix::Unpack::From4Bits;
  default:
    return matrix::Unpack::None;
  }
}

static LogicalResult lowerLdmatrix(Emitter &E, const InstView &I) {
  bool IsPair = I.numResults() <= 2;
  Value Group = E.warpBuiltin(
      IsPair ? "ldmatrix_pair" : "ldmatrix", IsPair ? E.intTy(64) : wideTy(E),
      {sharedAddress(E, I, *I.find("p")), modifier(E, tileOf(I)), countOf(E, I),
       modifier(E, unpackOf(I))},
      LLVM::ModRefInfo::Ref);
  return E.replace(I.getOp(),
                   I.resultsOf(registersOf(E, Group, I.numResults())));
}

static LogicalResult lowerStmatrix(Emitter &E, const InstView &I) {
  E.warpBuiltin("stmatrix", {},
                {sharedAddress(E, I, *I.find("p")),
                 groupOfFour(E, I.values(*I.find("r"))), modifier(E, tileOf(I)),
                 countOf(E, I)},
                LLVM::ModRefInfo::ModRef);
  return E.replace(I.getOp(), {});
}

static LogicalResult lowerMovmatrix(Emitter &E, const InstView &I) {
  Value D =
      E.warpBuiltin("movmatrix", E.intTy(32), E.asInt(I.value(*I.find("a"))),
                    LLVM::ModRefInfo::NoModRef);
  return E.replace(I.getOp(), I.resultsOf(D));
}

void lowering::addMatrixLowerings(LoweringTable &Table) {
  Table.addInst("mma", lowerMma);
  Table.addInst("ldmatrix", lowerLdmatrix);
  Table.addInst("stmatrix", lowerStmatrix);
  Table.addInst("movmatrix", lowerMovmatrix);
}
