//===- LowerBytes.cpp - Lowering of packed bytes ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// add, sub, min, max and neg of .u8x4 and .s8x4, an element at a time, and
// clmad.
//
//===----------------------------------------------------------------------===//

#include "LowerBytes.h"
#include "Emitter.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

bool lowering::isPackedBytes(const InstReader &Reader) {
  return Reader.fromEnd(0) == "u8x4" || Reader.fromEnd(0) == "s8x4";
}

/// Byte \p Lane of a word, extended to 32 bits.
static Value byteOf(Emitter &E, Value Word, unsigned Lane, bool Signed) {
  Value Byte = E.resize(
      E.make<LLVM::LShrOp>(E.asInt(Word), E.constInt(32, 8 * Lane)), 8, false);
  return E.resize(Byte, 32, Signed);
}

LogicalResult lowering::lowerPackedBytes(Emitter &E, InstOp Op,
                                         ByteOperation Compute) {
  InstReader Reader(Op);
  bool Signed = Reader.fromEnd(0) == "s8x4";
  Value Word = E.constInt(32, 0);
  for (unsigned Lane = 0; Lane != 4; ++Lane) {
    SmallVector<Value, 2> Args;
    for (Value Arg : Op.getArgs())
      Args.push_back(byteOf(E, Arg, Lane, Signed));
    Value V = Compute(E, Args, Signed);
    if (Reader.has("sat"))
      V = E.clamp(V, Signed ? -128 : 0, Signed ? 127 : 255, /*Signed=*/true);
    if (Reader.has("relu"))
      V = E.make<LLVM::SMaxOp>(V, E.constInt(32, 0));
    V = E.make<LLVM::AndOp>(V, E.constInt(32, 0xFF));
    V = E.make<LLVM::ShlOp>(V, E.constInt(32, 8 * Lane));
    Word = E.make<LLVM::OrOp>(Word, V);
  }
  return E.replace(Op, Word);
}

static LogicalResult lowerBytesMin(Emitter &E, InstOp Op) {
  return lowerPackedBytes(E, Op, [](Emitter &E, ArrayRef<Value> Args, bool) {
    return E.make<LLVM::SMinOp>(Args[0], Args[1]);
  });
}

static LogicalResult lowerBytesMax(Emitter &E, InstOp Op) {
  return lowerPackedBytes(E, Op, [](Emitter &E, ArrayRef<Value> Args, bool) {
    return E.make<LLVM::SMaxOp>(Args[0], Args[1]);
  });
}

static LogicalResult lowerBytesNeg(Emitter &E, InstOp Op) {
  return lowerPackedBytes(E, Op, [](Emitter &E, ArrayRef<Value> Args, bool) {
    return E.make<LLVM::SubOp>(E.constInt(32, 0), Args[0]);
  });
}

static LogicalResult lowerClmad(Emitter &E, InstOp Op) {
  StringRef Half = InstReader(Op).has("hi") ? "hi" : "lo";
  Value Product =
      E.builtin("clmul_" + Half, E.intTy(64),
                {E.asInt(Op.getArgs()[0]), E.asInt(Op.getArgs()[1])});
  return E.replace(Op, E.make<LLVM::XOrOp>(Product, E.asInt(Op.getArgs()[2])));
}

void lowering::addByteLowerings(LoweringTable &Table) {
  Table.addInst<lowerBytesMin>("min");
  Table.addInst<lowerBytesMax>("max");
  Table.addInst<lowerBytesNeg>("neg");
  Table.addInst<lowerClmad>("clmad");
}
