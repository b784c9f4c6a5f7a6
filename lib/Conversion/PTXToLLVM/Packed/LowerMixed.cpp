//===- LowerMixed.cpp - Lowering of mixed precision -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// add, sub, mul and fma of .f32 with sources of 16 bits, which are widened
// first, and of pairs of .f32 and 16 bits. What else has these opcodes and no
// operation of its own goes to LowerBytes.cpp and LowerQuads.cpp.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "LowerBytes.h"
#include "LowerConvert.h"
#include "LowerFloat.h"
#include "Packed/LowerQuads.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

//===----------------------------------------------------------------------===//
// Scalars
//===----------------------------------------------------------------------===//

namespace {

/// The parts that the instructions have in common.
struct MixedInst {
  MixedInst(Emitter &E, InstOp Op) : E(E), Op(Op) {
    InstReader Reader(Op);
    Narrow = symbolizeScalarType(Reader.fromEnd(0)).value_or(ScalarType::F32);
    Known = Reader.fromEnd(1) == "f32" &&
            (Narrow == ScalarType::F16 || Narrow == ScalarType::Bf16);
    Modifiers = {Reader.rounding(), /*Ftz=*/false, Reader.has("sat"),
                 /*Relu=*/false};
  }

  Value wide(unsigned N) {
    return E.make<LLVM::FPExtOp>(E.B.getF32Type(),
                                 E.as(Op.getArgs()[N], Narrow));
  }
  Value single(unsigned N) { return E.as(Op.getArgs()[N], ScalarType::F32); }

  Emitter &E;
  InstOp Op;
  ScalarType Narrow;
  bool Known;
  FloatModifiers Modifiers;
};

} // namespace

static LogicalResult lowerScalarSum(Emitter &E, InstOp Op, bool Negate) {
  MixedInst Inst(E, Op);
  if (!Inst.Known)
    return E.unsupported(Op, Op.getOpcode());
  return E.replace(Op, floatSum(E, ScalarType::F32, Inst.Modifiers,
                                Inst.wide(0), Inst.single(1), Negate));
}

static LogicalResult lowerScalarFma(Emitter &E, InstOp Op) {
  MixedInst Inst(E, Op);
  if (!Inst.Known)
    return E.unsupported(Op, Op.getOpcode());
  return E.replace(Op, floatFma(E, ScalarType::F32, Inst.Modifiers,
                                Inst.wide(0), Inst.wide(1), Inst.single(2)));
}

//===----------------------------------------------------------------------===//
// Pairs
//===----------------------------------------------------------------------===//

namespace {

/// An instruction on pairs: the type of the result, those of the sources.
struct PairInst {
  PairInst(Emitter &E, InstOp Op) : E(E), Op(Op), Reader(Op) {
    unsigned Sources = Op.getArgs().size();
    for (unsigned N = 0; N <= Sources; ++N)
      Types.push_back(*symbolizeScalarType(Reader.fromEnd(Sources - N)));
  }

  /// Applies \p Compute to the elements of the sources as .f32 and rounds the
  /// result to the type, towards zero.
  template <typename Fn> LogicalResult perElement(Fn Compute) {
    SmallVector<Value, 3> High, Low;
    for (auto [V, Ty] : llvm::zip(Op.getArgs(), ArrayRef(Types).drop_front())) {
      auto [Upper, Lower] = widenPair(E, V, Ty);
      High.push_back(Upper);
      Low.push_back(Lower);
    }
    Value Results[] = {Compute(ArrayRef<Value>(Low)),
                       Compute(ArrayRef<Value>(High))};
    if (Types[0] == ScalarType::F32x2)
      return E.replace(Op, joined(Results[0], Results[1]));
    // A result that was cut off before is cut off at the same place.
    constexpr unsigned TowardZero = 1;
    unsigned Code = Types[0] == ScalarType::F16x2 ? 1 : 2;
    Value Word = packPair(E, Results[1], Results[0], Code, TowardZero);
    if (Reader.has("ftz"))
      Word = flushSubnormals(E, Types[0], E.as(Word, Types[0]));
    return E.replace(Op, Word);
  }

  /// The pair of the result's type.
  Value joined(Value Low, Value High) {
    Value V = E.make<LLVM::PoisonOp>(E.typeOf(Types[0]));
    V = E.make<LLVM::InsertElementOp>(V, Low, E.constInt(32, 0));
    return E.make<LLVM::InsertElementOp>(V, High, E.constInt(32, 1));
  }

  FloatModifiers modifiers() {
    return {Reader.rounding(), Reader.has("ftz"), /*Sat=*/false,
            /*Relu=*/false};
  }

  Emitter &E;
  InstOp Op;
  InstReader Reader;
  SmallVector<ScalarType, 4> Types;
};

} // namespace

static bool isPair(const InstReader &Reader) {
  return llvm::is_contained({"f32x2", "f16x2", "bf16x2"}, Reader.fromEnd(0));
}

static LogicalResult lowerPairSum(Emitter &E, InstOp Op, bool Negate) {
  PairInst Inst(E, Op);
  return Inst.perElement([&](ArrayRef<Value> V) {
    return floatSum(E, ScalarType::F32, Inst.modifiers(), V[0], V[1], Negate);
  });
}

static LogicalResult lowerPairFma(Emitter &E, InstOp Op) {
  PairInst Inst(E, Op);
  return Inst.perElement([&](ArrayRef<Value> V) {
    return floatFma(E, ScalarType::F32, Inst.modifiers(), V[0], V[1], V[2]);
  });
}

/// Of .f16 and .bf16: the product is exact in double precision, from where one
/// rounding leads to the result.
static LogicalResult lowerPairProduct(Emitter &E, InstOp Op) {
  PairInst Inst(E, Op);
  if (Inst.Types[1] == ScalarType::F32x2)
    return Inst.perElement([&](ArrayRef<Value> V) {
      return floatProduct(E, ScalarType::F32, Inst.modifiers(), V[0], V[1]);
    });
  Type Double = E.B.getF64Type();
  auto To = cast<VectorType>(E.typeOf(Inst.Types[0])).getElementType();
  Value Results[2];
  for (unsigned Lane : {0, 1}) {
    auto Wide = [&](unsigned N) {
      Value V = E.make<LLVM::ExtractElementOp>(
          E.as(Op.getArgs()[N], Inst.Types[N + 1]), E.constInt(32, Lane));
      return E.make<LLVM::FPExtOp>(Double, V);
    };
    // LLVM takes a plain product for one of .f16, as if that held all of .bf16.
    Value Product =
        floatProduct(E, ScalarType::F64, {Rounding::Rz}, Wide(0), Wide(1));
    Results[Lane] = E.make<LLVM::FPTruncOp>(To, Product);
  }
  return E.replace(Op, Inst.joined(Results[0], Results[1]));
}

//===----------------------------------------------------------------------===//
// All that has an opcode
//===----------------------------------------------------------------------===//

static LogicalResult lowerInstSum(Emitter &E, InstOp Op, bool Negate) {
  InstReader Reader(Op);
  if (isPackedBytes(Reader))
    return lowerPackedBytes(E, Op,
                            Negate ? ElementOp::Subtract : ElementOp::Add);
  if (isQuad(Reader))
    return lowerQuadSum(E, Op, Negate);
  return isPair(Reader) ? lowerPairSum(E, Op, Negate)
                        : lowerScalarSum(E, Op, Negate);
}

static LogicalResult lowerInstAdd(Emitter &E, InstOp Op) {
  return lowerInstSum(E, Op, /*Negate=*/false);
}

static LogicalResult lowerInstSub(Emitter &E, InstOp Op) {
  return lowerInstSum(E, Op, /*Negate=*/true);
}

static LogicalResult lowerInstMul(Emitter &E, InstOp Op) {
  return isQuad(InstReader(Op)) ? lowerQuadProduct(E, Op)
                                : lowerPairProduct(E, Op);
}

static LogicalResult lowerInstFma(Emitter &E, InstOp Op) {
  InstReader Reader(Op);
  if (isQuad(Reader))
    return lowerQuadFma(E, Op);
  return isPair(Reader) ? lowerPairFma(E, Op) : lowerScalarFma(E, Op);
}

void lowering::addMixedLowerings(LoweringTable &Table) {
  Table.addInst<lowerInstAdd>("add");
  Table.addInst<lowerInstSub>("sub");
  Table.addInst<lowerInstMul>("mul");
  Table.addInst<lowerInstFma>("fma");
}
