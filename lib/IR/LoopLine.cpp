//===- LoopLine.cpp - The source lines of loops -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// heddle/IR/LoopLine.h.
//
//===----------------------------------------------------------------------===//

#include "heddle/IR/LoopLine.h"

#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/Instructions.h"

using namespace llvm;

namespace heddle::ir {

static bool hasLine(const DebugLoc &Place) {
  return Place && Place.getLine() != 0;
}

DebugLoc lineOf(const Loop &L) {
  if (const BasicBlock *Latch = L.getLoopLatch())
    if (DebugLoc Place = Latch->getTerminator()->getDebugLoc(); hasLine(Place))
      return Place;
  for (const BasicBlock *B : L.blocks())
    for (const Instruction &I : *B)
      if (hasLine(I.getDebugLoc()))
        return I.getDebugLoc();
  return L.getStartLoc();
}

void noteLine(Loop &L) {
  DebugLoc Place = lineOf(L);
  if (!Place)
    return;
  SmallVector<Metadata *> Operands = {nullptr, Place.getAsMDNode()};
  if (MDNode *Before = L.getLoopID())
    for (const MDOperand &O : drop_begin(Before->operands()))
      Operands.push_back(O);
  MDNode *Id = MDNode::getDistinct(L.getHeader()->getContext(), Operands);
  Id->replaceOperandWith(0, Id);
  L.setLoopID(Id);
}

} // namespace heddle::ir
