//===- LowerMultimem.cpp - Memory of several devices at once ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// multimem.ld_reduce, .st and .red access one member after the other. Members
// are reduced in their order, so that all who load have the same bits.
//
//===----------------------------------------------------------------------===//

#include "InstView.h"
#include "LowerConvert.h"
#include "LowerFloat.h"
#include "MemberLoop.h"
#include "MemoryAccess.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

namespace {

/// How the elements of a load become one. An element is reduced in a form of
/// its own, which may be several values.
class Reducer {
public:
  Reducer(Emitter &E, const InstView &I)
      : E(E), Kind(*symbolizeAtomKind(I.spelling(ptx::ModKind::AtomOp))),
        Ty(I.scalarType()), Name(ptx::getTypeName(I.type())),
        IsWide(Kind == AtomKind::Add &&
               I.get<ptx::Accumulate>() == ptx::Accumulate::AccF32) {
    while (Name.consume_back("x4") || Name.consume_back("x2")) {
    }
    Code = packTypeCode(Name);
    Bits = ptx::getTypeBits(I.type());
  }

  SmallVector<Value> open(Value Element);
  Value combine(Value A, Value B);
  /// The element, as an integer.
  Value close(ArrayRef<Value> Parts);

private:
  Value narrow(ArrayRef<Value> Parts);

  Emitter &E;
  AtomKind Kind;
  std::optional<ScalarType> Ty;
  StringRef Name;
  bool IsWide;       ///< Sums of halves are rounded at the end only.
  unsigned Code = 0; ///< Of a type with 8 bits; else 0.
  unsigned Bits;
};

} // namespace

/// Numbers of 8 bits are reduced as .f32, which has more than is asked for.
SmallVector<Value> Reducer::open(Value Element) {
  if (Code) {
    SmallVector<Value> Parts;
    Value Word = E.resize(Element, 32, /*Signed=*/false);
    for (unsigned Done = 0; Done < Bits; Done += 16) {
      Value Pair =
          Done ? Value(E.make<LLVM::LShrOp>(Word, E.constInt(32, Done))) : Word;
      auto [High, Low] = unpackPair(E, Pair, Code);
      Parts.push_back(Low);
      if (Bits > 8)
        Parts.push_back(High);
    }
    return Parts;
  }
  if (!IsWide)
    return {E.as(Element, *Ty)};
  Value V = E.as(Element, *Ty);
  if (!llvm::isa<VectorType>(V.getType()))
    return {E.make<LLVM::FPExtOp>(E.B.getF32Type(), V)};
  auto [High, Low] = widenPair(E, Element, *Ty);
  return {Low, High};
}

Value Reducer::combine(Value A, Value B) {
  Type Element = getElementTypeOrSelf(A.getType());
  bool IsFloat = llvm::isa<FloatType>(Element);
  bool IsSigned = Ty && ptxir::isSigned(*Ty);
  switch (Kind) {
  case AtomKind::And:
    return E.make<LLVM::AndOp>(A, B);
  case AtomKind::Or:
    return E.make<LLVM::OrOp>(A, B);
  case AtomKind::Xor:
    return E.make<LLVM::XOrOp>(A, B);
  case AtomKind::Min:
  case AtomKind::Max: {
    StringRef Name = Kind == AtomKind::Min ? "min" : "max";
    if (IsFloat)
      return E.intrinsic(Name + "imumnum", A.getType(), {A, B});
    return E.intrinsic((IsSigned ? "s" : "u") + Name, A.getType(), {A, B});
  }
  default:
    if (!IsFloat)
      return E.make<LLVM::AddOp>(A, B);
    return Code || IsWide
               ? floatSum(E, ScalarType::F32, {}, A, B, /*Negate=*/false)
               : E.as(floatSum(E, *Ty, {}, A, B, /*Negate=*/false), *Ty);
  }
}

/// Parts of a wide sum as halves.
Value Reducer::narrow(ArrayRef<Value> Parts) {
  Type Whole = E.typeOf(*Ty);
  if (Parts.size() == 1)
    return E.make<LLVM::FPTruncOp>(Whole, Parts.front());
  Value Pair = E.make<LLVM::PoisonOp>(Whole);
  for (auto [N, Part] : llvm::enumerate(Parts)) {
    Value Half = E.make<LLVM::FPTruncOp>(getElementTypeOrSelf(Whole), Part);
    Pair = E.make<LLVM::InsertElementOp>(Pair, Half, E.constInt(32, N));
  }
  return Pair;
}

Value Reducer::close(ArrayRef<Value> Parts) {
  if (!Code)
    return E.asInt(IsWide ? narrow(Parts) : Parts.front());
  Value Word;
  for (unsigned N = 0; N < Parts.size(); N += 2) {
    Value High = N + 1 < Parts.size() ? Parts[N + 1] : Parts[N];
    Value Pair = packPair(E, High, Parts[N], Code);
    Word = N ? Value(E.make<LLVM::OrOp>(
                   Word, E.make<LLVM::ShlOp>(Pair, E.constInt(32, 16))))
             : Pair;
  }
  return E.resize(Word, Bits, /*Signed=*/false);
}

static AccessMode modeOf(const InstView &I) {
  AccessMode Mode;
  Mode.AS = *addressSpaceOf(I);
  Mode.Sem = semanticsOf(I, MemSem::Weak);
  Mode.Where = scopeOf(I);
  return Mode;
}

static MemberLoop loopOver(Emitter &E, const InstView &I, unsigned Address) {
  auto [Base, Offset] = I.address(Address);
  return MemberLoop(E, I.getOp(),
                    genericAddress(E, Base, *addressSpaceOf(I), Offset));
}

static LogicalResult lowerMultimemLoad(Emitter &E, const InstView &I) {
  Type Element = E.intTy(ptx::getTypeBits(I.type()));
  MemberLoop Loop = loopOver(E, I, 1);
  Reducer R(E, I);
  SmallVector<Value> Parts;
  for (Value V :
       loadElements(E, modeOf(I), Loop.address(), 0, Element, I.numResults()))
    llvm::append_range(Parts, R.open(V));
  SmallVector<Value> Before = Loop.carry(ValueRange(Parts).getTypes());
  Value IsFirst = Loop.isFirst();
  for (auto [Part, Old] : llvm::zip(Parts, Before))
    Part = E.select(IsFirst, Part, R.combine(Old, Part));
  SmallVector<Value> Whole = Loop.finish(Parts), Results;
  size_t Each = Whole.size() / I.numResults();
  for (unsigned N = 0; N != I.numResults(); ++N)
    Results.push_back(R.close(ArrayRef(Whole).slice(N * Each, Each)));
  return E.replace(I.getOp(), I.resultsOf(Results));
}

static LogicalResult lowerMultimemStore(Emitter &E, const InstView &I) {
  SmallVector<Value> Elements;
  for (Value V : I.values(1))
    Elements.push_back(
        E.resize(E.asInt(V), ptx::getTypeBits(I.type()), /*Signed=*/false));
  MemberLoop Loop = loopOver(E, I, 0);
  storeElements(E, modeOf(I), Loop.address(), 0, Elements);
  Loop.finish();
  return E.replace(I.getOp(), {});
}

static LogicalResult lowerMultimemReduction(Emitter &E, const InstView &I) {
  auto A = atomicAccessOf(I);
  if (!A)
    return E.unsupported(I.getOp(), I.getOp().getOpcode());
  MemberLoop Loop = loopOver(E, I, 0);
  updateElements(E, *A, {Loop.address(), 0}, I.values(1));
  Loop.finish();
  return E.replace(I.getOp(), {});
}

void lowering::addMultimemLowerings(LoweringTable &Table) {
  Table.addInst("multimem.ld_reduce", lowerMultimemLoad);
  Table.addInst("multimem.st", lowerMultimemStore);
  Table.addInst("multimem.red", lowerMultimemReduction);
}
