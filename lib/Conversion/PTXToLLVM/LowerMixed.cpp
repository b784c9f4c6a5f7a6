//===- LowerMixed.cpp - Lowering of mixed precision -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// add, sub and fma of .f32 with sources of 16 bits, which are widened first;
// add and sub of packed bytes go to LowerBytes.cpp.
//
//===----------------------------------------------------------------------===//

#include "Emitter.h"
#include "LowerBytes.h"
#include "LowerFloat.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

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

static LogicalResult lowerMixedSum(Emitter &E, InstOp Op, bool Negate) {
  MixedInst Inst(E, Op);
  if (!Inst.Known)
    return E.unsupported(Op, Op.getOpcode());
  return E.replace(Op, floatSum(E, ScalarType::F32, Inst.Modifiers,
                                Inst.wide(0), Inst.single(1), Negate));
}

static LogicalResult lowerInstAdd(Emitter &E, InstOp Op) {
  if (!isPackedBytes(InstReader(Op)))
    return lowerMixedSum(E, Op, /*Negate=*/false);
  return lowerPackedBytes(E, Op, ElementOp::Add);
}

static LogicalResult lowerInstSub(Emitter &E, InstOp Op) {
  if (!isPackedBytes(InstReader(Op)))
    return lowerMixedSum(E, Op, /*Negate=*/true);
  return lowerPackedBytes(E, Op, ElementOp::Subtract);
}

static LogicalResult lowerMixedFma(Emitter &E, InstOp Op) {
  MixedInst Inst(E, Op);
  if (!Inst.Known)
    return E.unsupported(Op, Op.getOpcode());
  return E.replace(Op, floatFma(E, ScalarType::F32, Inst.Modifiers,
                                Inst.wide(0), Inst.wide(1), Inst.single(2)));
}

void lowering::addMixedLowerings(LoweringTable &Table) {
  Table.addInst<lowerInstAdd>("add");
  Table.addInst<lowerInstSub>("sub");
  Table.addInst<lowerMixedFma>("fma");
}
