//===- LowerQuads.cpp - Lowering of quads of narrow floats ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// add, sub, mul and fma of .e4m3x4 and .e5m2x4 with sources of 8, 6 and 4 bits.
// PTX rounds the exact result once. Single precision holds every source and,
// rounded to odd, all of a result that its rounding to four bits depends on: a
// sum that is longer than 24 bits has one part that is less than half a unit of
// the other's last place, or both are longer than the result by far.
//
//===----------------------------------------------------------------------===//

#include "Packed/LowerQuads.h"
#include "LowerConvert.h"
#include "LowerFloat.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

/// The elements of a quad as .f32, the lowest one first.
using Four = std::array<Value, 4>;

bool lowering::isQuad(const InstReader &Reader) {
  StringRef Type = Reader.fromEnd(0);
  return Type == "ue8m0x4" || Type == "e2m1p4x4" ||
         (Type.consume_back("x4") && packTypeCode(Type));
}

static Value shiftedDown(Emitter &E, Value Word, unsigned Bits) {
  return Bits ? E.make<LLVM::LShrOp>(Word, E.constInt(32, Bits)) : Word;
}

static Four widenScales(Emitter &E, Value Word) {
  Four Result;
  for (auto [N, V] : llvm::enumerate(Result)) {
    Value Byte =
        E.make<LLVM::AndOp>(shiftedDown(E, Word, 8 * N), E.constInt(32, 0xFF));
    V = E.as(E.builtin("from_ue8m0", E.intTy(32), Byte), ScalarType::F32);
  }
  return Result;
}

/// \p V is of the type \p Name.
static Four widenQuad(Emitter &E, Value V, StringRef Name) {
  Value Word = E.resize(E.asInt(V), 32, /*Signed=*/false);
  Name.consume_back("x4");
  if (Name == "ue8m0")
    return widenScales(E, Word);
  // The place of the second pair.
  unsigned Second = Name == "e2m1" ? 8 : 16;
  if (Name == "e2m1p4") {
    // Four bits from the upper half of each byte's neighbour.
    Value Low = E.make<LLVM::AndOp>(Word, E.constInt(32, 0x0F0F0F0F));
    Word = E.make<LLVM::OrOp>(Low, shiftedDown(E, Low, 4));
    Name = "e2m1";
  }
  unsigned Code = packTypeCode(Name);
  auto [B, A] = unpackPair(E, Word, Code);
  auto [D, C] = unpackPair(E, shiftedDown(E, Word, Second), Code);
  return {A, B, C, D};
}

/// Where a magnitude that is not to be the largest number leaves the format,
/// half a unit above it: there .e5m2 rounds to infinity, to even, and .e4m3,
/// whose next code is NaN, to the largest number still.
static constexpr double E5M2End = 61440, E4M3End = 464;

/// \p V rounded to the quad of type \p Name.
static Value narrowQuad(Emitter &E, Four V, StringRef Name, bool Finite) {
  Name.consume_back("x4");
  Type Single = E.B.getF32Type();
  bool HasInfinity = Name == "e5m2";
  Value Beyond[4];
  for (unsigned N = 0; N != 4 && !Finite; ++N) {
    Beyond[N] = E.make<LLVM::FCmpOp>(
        HasInfinity ? LLVM::FCmpPredicate::oge : LLVM::FCmpPredicate::ogt,
        E.make<LLVM::FAbsOp>(V[N]),
        E.constFloat(Single, HasInfinity ? E5M2End : E4M3End));
    if (!HasInfinity)
      V[N] = E.select(Beyond[N],
                      E.as(E.constInt(32, 0x7FFFFFFF), ScalarType::F32), V[N]);
  }
  unsigned Code = packTypeCode(Name);
  Value High = packPair(E, V[3], V[2], Code),
        Low = packPair(E, V[1], V[0], Code);
  Value Word =
      E.make<LLVM::OrOp>(E.make<LLVM::ShlOp>(High, E.constInt(32, 16)), Low);
  // Packing gives the largest number, and infinity is the code behind it.
  for (unsigned N = 0; N != 4 && !Finite && HasInfinity; ++N) {
    Value One =
        E.select(Beyond[N], E.constInt(32, 1u << (8 * N)), E.constInt(32, 0));
    Word = E.make<LLVM::AddOp>(Word, One);
  }
  return Word;
}

/// A + B to 24 bits, of which the last one is set where any is lost.
static Value sumToOdd(Emitter &E, Value A, Value B) {
  auto Sum = [&](Rounding R) {
    return floatSum(E, ScalarType::F32, {R}, A, B, /*Negate=*/false);
  };
  Value Up = Sum(Rounding::Rp), Down = Sum(Rounding::Rm);
  Value IsExact = E.make<LLVM::FCmpOp>(LLVM::FCmpPredicate::oeq, Up, Down);
  Value Odd = E.make<LLVM::OrOp>(E.asInt(Sum(Rounding::Rz)), E.constInt(32, 1));
  return E.select(IsExact, Up, E.as(Odd, ScalarType::F32));
}

/// Products of sources are exact, but for those that are far out of range:
/// towards zero they stay finite.
static Value product(Emitter &E, Value A, Value B) {
  return floatProduct(E, ScalarType::F32, {Rounding::Rz}, A, B);
}

template <typename Fn>
static LogicalResult lowerQuad(Emitter &E, InstOp Op, ArrayRef<StringRef> Types,
                               StringRef To, Fn Compute) {
  SmallVector<Four, 3> Sources;
  for (auto [V, Name] : llvm::zip_equal(Op.getArgs(), Types))
    Sources.push_back(widenQuad(E, V, Name));
  Four Result;
  for (unsigned N = 0; N != 4; ++N) {
    SmallVector<Value, 3> Elements;
    for (const Four &Source : Sources)
      Elements.push_back(Source[N]);
    Result[N] = Compute(Elements);
  }
  bool Finite = InstReader(Op).has("satfinite");
  return E.replace(Op, narrowQuad(E, Result, To, Finite));
}

LogicalResult lowering::lowerQuadSum(Emitter &E, InstOp Op, bool Negate) {
  InstReader Reader(Op);
  StringRef To = Reader.fromEnd(1), From = Reader.fromEnd(0);
  return lowerQuad(E, Op, {From, To}, To, [&](ArrayRef<Value> V) {
    return sumToOdd(E, V[0], Negate ? E.make<LLVM::FNegOp>(V[1]) : V[1]);
  });
}

LogicalResult lowering::lowerQuadProduct(Emitter &E, InstOp Op) {
  InstReader Reader(Op);
  return lowerQuad(E, Op, {Reader.fromEnd(1), Reader.fromEnd(0)},
                   Reader.fromEnd(2),
                   [&](ArrayRef<Value> V) { return product(E, V[0], V[1]); });
}

LogicalResult lowering::lowerQuadFma(Emitter &E, InstOp Op) {
  InstReader Reader(Op);
  StringRef To = Reader.fromEnd(2);
  return lowerQuad(E, Op, {Reader.fromEnd(1), Reader.fromEnd(0), To}, To,
                   [&](ArrayRef<Value> V) {
                     return sumToOdd(E, product(E, V[0], V[1]), V[2]);
                   });
}
