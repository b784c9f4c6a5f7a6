//===- LowerBytes.cpp - Lowering of packed bytes ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// add, sub, min, max and neg of .u8x4 and .s8x4, set of these and of halves,
// and clmad.
//
//===----------------------------------------------------------------------===//

#include "LowerBytes.h"
#include "Emitter.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::lowering;
using namespace heddle::ptxir;

bool lowering::isPackedBytes(const InstReader &Reader) {
  return Reader.fromEnd(0) == "u8x4" || Reader.fromEnd(0) == "s8x4";
}

Value lowering::elements(Emitter &E, const ElementOperation &How, Value A,
                         Value B, Value C) {
  // Places of the modifiers: include/heddle/Target/Builtins.def.
  unsigned Type = 2 * llvm::Log2_32(How.Lanes) + How.Signed;
  unsigned Mode = unsigned(How.First) | Type << 4 |
                  unsigned(How.Saturates) << 7 | unsigned(How.Then) << 8 |
                  unsigned(How.Relu) << 10;
  return E.builtin("elements", E.intTy(32),
                   {E.asInt(A), E.asInt(B), C ? E.asInt(C) : E.constInt(32, 0),
                    E.constInt(32, Mode)});
}

LogicalResult lowering::lowerPackedBytes(Emitter &E, InstOp Op,
                                         ElementOp First) {
  InstReader Reader(Op);
  bool Signed = Reader.fromEnd(0) == "s8x4";
  ElementOperation How = {First,
                          4,
                          Signed,
                          Reader.has("sat"),
                          ElementThen::Nothing,
                          Reader.has("relu")};
  return E.replace(Op, elements(E, How, Op.getArgs()[0], Op.getArgs()[1]));
}

static LogicalResult lowerBytesMin(Emitter &E, InstOp Op) {
  return lowerPackedBytes(E, Op, ElementOp::Min);
}

static LogicalResult lowerBytesMax(Emitter &E, InstOp Op) {
  return lowerPackedBytes(E, Op, ElementOp::Max);
}

static LogicalResult lowerBytesNeg(Emitter &E, InstOp Op) {
  return E.replace(Op, elements(E, {ElementOp::Subtract, 4, /*Signed=*/true},
                                E.constInt(32, 0), Op.getArgs()[0]));
}

/// An element is all ones where the comparison holds.
static LogicalResult lowerElementsSet(Emitter &E, InstOp Op) {
  InstReader Reader(Op);
  StringRef Type = Reader.fromEnd(0);
  auto First = llvm::StringSwitch<ElementOp>(Reader.parts().front())
                   .Case("eq", ElementOp::Equal)
                   .Case("ne", ElementOp::NotEqual)
                   .Cases({"lt", "lo"}, ElementOp::Less)
                   .Cases({"le", "ls"}, ElementOp::LessEqual)
                   .Cases({"gt", "hi"}, ElementOp::Greater)
                   .Default(ElementOp::GreaterEqual);
  ElementOperation How = {First, Type.ends_with("x4") ? 4u : 2u,
                          Type.starts_with("s")};
  return E.replace(Op, elements(E, How, Op.getArgs()[0], Op.getArgs()[1]));
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
  Table.addInst<lowerElementsSet>("set");
  Table.addInst<lowerClmad>("clmad");
}
