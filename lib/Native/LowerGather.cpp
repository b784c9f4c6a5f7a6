//===- LowerGather.cpp - Accesses of any lanes, anywhere --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads and stores of words and pairs of words by the host's instructions for
// many places, each of which is one access. All lanes that execute are checked
// against one block of memory. Of lanes that store to one place, the last one
// wins, as it does in the emulator.
//
//===----------------------------------------------------------------------===//

#include "Execute/ExecuteMemory.h"
#include "Lowering.h"
#include "heddle/ISA/Effects.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using namespace heddle::emu;

namespace heddle::native {

/// Whether lanes access words or pairs of them at places of their own.
bool Lowering::hasGather(Inst I) const {
  const isa::Effects &Effects = isa::effects(I.Info->Operation);
  bool IsWord = Effects.AccessWords == 1 && sizeInBytes(I.Size) == 4;
  return Host.Gathers && I.Form != isa::Form::U &&
         (IsWord || Effects.AccessWords == 2);
}

/// The address that each lane accesses.
Value *Lowering::laneAddresses(bool IsShared) {
  if (IsShared) {
    Value *At = IR.CreateShl(row(I->A), ConstantInt::get(Words, I->Scale));
    return IR.CreateAdd(At, ConstantInt::get(Words, uint32_t(I->Offset)));
  }
  Value *Offset = IR.getInt64(int64_t(I->Offset));
  if (I->Form != isa::Form::X)
    return IR.CreateAdd(pair(I->A), IR.CreateVectorSplat(WarpSize, Offset));
  Value *Index = IR.CreateIntCast(row(I->X), Longs, I->Ext);
  Value *Base = IR.CreateAdd(uniformPair(I->U), Offset);
  return IR.CreateAdd(IR.CreateVectorSplat(WarpSize, Base),
                      IR.CreateShl(Index, I->Scale));
}

/// Where the host has what \p Lanes access, each of them \p Bytes bytes.
Value *Lowering::hostsOfLanes(bool IsShared, Value *Lanes, unsigned Bytes,
                              BasicBlock *Slow) {
  constexpr uint64_t MostBytes = uint64_t(1) << 31; // Offsets are words.
  Value *Each = laneAddresses(IsShared), *Usable = IR.getTrue();
  Type *Ty = Each->getType(), *Element = Ty->getScalarType();
  Region R = {IR.getInt64(0), nullptr, nullptr};
  uint32_t Number = 0;
  if (IsShared) {
    R = regionOf(IsShared, nullptr, Slow);
  } else {
    Number = NumAccesses++ % CTA::NumAccessBlocks;
    Value *Block = IR.CreateLoad(
        Ptr, ownerField(Layout.AccessBlocks + Number * sizeof(void *)));
    R = {blockField(Block, Layout.BlockBase, I64),
         blockField(Block, Layout.BlockReach, I64),
         blockField(Block, Layout.BlockHost, Ptr)};
    Usable = isUsable(Block);
  }
  auto All = [&](Value *V) {
    return IR.CreateVectorSplat(WarpSize, IR.CreateTrunc(V, Element));
  };
  Value *Offset = IR.CreateSub(Each, All(R.Base));
  Value *Least = IR.getInt64(Bytes);
  Value *Fits = IR.CreateICmpULE(Offset, All(IR.CreateSub(R.Size, Least)));
  Value *Low = IR.CreateAnd(Each, ConstantInt::get(Ty, Bytes - 1));
  Value *IsAligned = IR.CreateICmpEQ(Low, Constant::getNullValue(Ty));
  Value *Good = maskOf(IR.CreateAnd(Fits, IsAligned));
  Value *Bad = IR.CreateAnd(Lanes, IR.CreateNot(Good));
  Usable = IR.CreateAnd(Usable, IR.CreateICmpUGE(R.Size, Least));
  Usable =
      IR.CreateAnd(Usable, IR.CreateICmpULE(R.Size, IR.getInt64(MostBytes)));
  BasicBlock *Miss = IsShared ? Slow : newBlock("miss");
  require(IR.CreateAnd(Usable, IR.CreateICmpEQ(Bad, IR.getInt32(0))), Miss);
  if (!IsShared) {
    IRBuilder<>::InsertPointGuard Guard(IR);
    IR.SetInsertPoint(Miss);
    Value *First =
        IR.CreateBinaryIntrinsic(Intrinsic::cttz, Lanes, IR.getFalse());
    First = IR.CreateAnd(First, IR.getInt32(WarpSize - 1));
    keepBlock(IR.CreateExtractElement(Each, First), Number, Slow);
  }
  return IR.CreateGEP(I8, R.Host, IR.CreateTrunc(Offset, Words));
}

void Lowering::lowerGather(bool IsShared, const Ways &To) {
  bool IsPair = isa::effects(I->Info->Operation).AccessWords == 2;
  unsigned Bytes = IsPair ? 8 : 4;
  Value *Lanes = Exec ? Exec : Group;
  Value *Hosts = hostsOfLanes(IsShared, Lanes, Bytes, To.Slow);
  if (!I->isUnguarded())
    countGuarded(*I);
  if (I->Info->MayStore) {
    Value *V = IsPair ? pair(I->C) : row(I->C);
    IR.CreateMaskedScatter(V, Hosts, Align(Bytes), bits(Lanes));
  } else if (IsPair) {
    setPair(I->D, IR.CreateMaskedGather(Longs, Hosts, Align(Bytes), bits(Lanes),
                                        Constant::getNullValue(Longs)));
  } else {
    setRow(I->D, IR.CreateMaskedGather(Words, Hosts, Align(Bytes), bits(Lanes),
                                       Constant::getNullValue(Words)));
  }
  IR.CreateBr(To.Done);
}

} // namespace heddle::native
