//===- LowerSpecial.cpp - Special registers and parameters ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What every kernel begins with: who its threads are, and what it was given.
// The CTA has both at hand.
//
//===----------------------------------------------------------------------===//

#include "Execute/SpecialRegisters.h"
#include "Lowering.h"

using namespace llvm;
using namespace heddle::emu;
using heddle::isa::Op;

namespace heddle::native {

/// A word of %ntid, %ctaid or %nctaid.
Value *Lowering::shapeWord(unsigned Number) {
  return IR.CreateLoad(I32, ownerField(Layout.Shape + (Number - NTid) * 4));
}

/// %tid along an axis.
Value *Lowering::threadRow(unsigned Axis) {
  constexpr uint64_t RowBytes = uint64_t(WarpSize) * 4;
  Value *Rows = IR.CreateLoad(Ptr, ownerField(Layout.Threads));
  Value *Index = IR.CreateZExt(IR.CreateLoad(I32, field(Layout.Index)), I64);
  Value *Distance = IR.CreateAdd(IR.CreateMul(Index, IR.getInt64(3 * RowBytes)),
                                 IR.getInt64(Axis * RowBytes));
  return IR.CreateAlignedLoad(Words, IR.CreateGEP(I8, Rows, Distance),
                              Align(RowBytes));
}

bool Lowering::lowerSpecial() {
  Op O = I->Info->Operation;
  if (O != Op::S2R && O != Op::S2UR)
    return false;
  auto Number = static_cast<unsigned>(I->Imm);
  if (Number == LaneId) {
    result(laneNumbers());
  } else if (isGridThread(Number)) {
    unsigned Axis = Number - GridTid;
    Value *First =
        IR.CreateMul(shapeWord(CtaId + Axis), shapeWord(NTid + Axis));
    result(IR.CreateAdd(splat(First), threadRow(Axis)));
  } else if (Number >= NGridTid) {
    unsigned Axis = Number - NGridTid;
    result(
        splat(IR.CreateMul(shapeWord(NCtaId + Axis), shapeWord(NTid + Axis))));
  } else if (Number >= NTid) {
    result(splat(shapeWord(Number)));
  } else {
    result(threadRow(Number - Tid));
  }
  return true;
}

/// Loads words that the launch has; what lies behind them is the emulator's.
void Lowering::lowerParameter() {
  unsigned Count = parameterWords(*I);
  uint64_t Offset = uint32_t(I->Offset);
  BasicBlock *Slow = newBlock("slow"), *Done = newBlock("done");
  RegSet Before = Dirty;
  Value *Size = IR.CreateLoad(I64, ownerField(Layout.ParameterBytes));
  require(IR.CreateICmpUGE(Size, IR.getInt64(Offset + uint64_t(4) * Count)),
          Slow);
  Value *Given = IR.CreateLoad(Ptr, ownerField(Layout.Parameters));
  for (unsigned N = 0; N < Count; ++N) {
    Value *At =
        IR.CreateConstInBoundsGEP1_64(I8, Given, Offset + uint64_t(4) * N);
    Value *V = IR.CreateAlignedLoad(I32, At, Align(1));
    if (!Scalar)
      setRow(I->D + N, splat(V));
    else if (I->D + N < UniformZeroRow)
      set(FirstUniform + I->D + N, V);
  }
  IR.CreateBr(Done);
  IR.SetInsertPoint(Slow);
  Dirty = Before;
  returnUnless(execute(PC), {});
  IR.CreateBr(Done);
  IR.SetInsertPoint(Done);
  Pairs.clear();
  for (RegId R : Code.Image.writes(*I))
    Dirty.set(R);
}

} // namespace heddle::native
