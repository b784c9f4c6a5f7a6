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
// wins, as it does in the emulator. Parts of words are taken out of words that
// are loaded so, and stored one after the other.
//
//===----------------------------------------------------------------------===//

#include "Execute/ExecuteMemory.h"
#include "Lowering.h"
#include "heddle/ISA/Effects.h"
#include "llvm/IR/Intrinsics.h"

using namespace llvm;
using namespace heddle::emu;

namespace heddle::native {

/// Whether lanes access words, parts or pairs of them at places of their own.
bool Lowering::hasGather(Inst I) const {
  unsigned Count = isa::effects(I.Info->Operation).AccessWords;
  return Host.Gathers && I.Form != isa::Form::U && Count <= 2;
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

static constexpr unsigned WordBytes = 4;
/// Offsets from a block's start are words.
static constexpr uint64_t MostBytes = uint64_t(1) << 31;

/// Goes on if \p Fits holds for all of \p Lanes; else has the block looked up
/// in which the first of them accesses.
void Lowering::requireOfLanes(Value *Usable, Value *Fits, Value *Lanes,
                              std::optional<uint32_t> Number,
                              BasicBlock *Slow) {
  Value *Bad = IR.CreateAnd(Lanes, IR.CreateNot(maskOf(Fits)));
  BasicBlock *Miss = Number ? newBlock("miss") : Slow;
  require(IR.CreateAnd(Usable, IR.CreateICmpEQ(Bad, IR.getInt32(0))), Miss);
  if (!Number)
    return;
  IRBuilder<>::InsertPointGuard Guard(IR);
  IR.SetInsertPoint(Miss);
  Value *First =
      IR.CreateBinaryIntrinsic(Intrinsic::cttz, Lanes, IR.getFalse());
  First = IR.CreateAnd(First, IR.getInt32(WarpSize - 1));
  Value *Each = laneAddresses(/*IsShared=*/false);
  keepBlock(IR.CreateExtractElement(Each, First), *Number, Slow);
}

/// Whether a region has \p Bytes bytes, and offsets in it are words.
Value *Lowering::hasWordOffsets(const Region &R, unsigned Bytes) {
  return IR.CreateAnd(IR.CreateICmpUGE(R.Size, IR.getInt64(Bytes)),
                      IR.CreateICmpULE(R.Size, IR.getInt64(MostBytes)));
}

/// Where the host has what \p Lanes access, each of them \p Bytes bytes, as
/// distances from a place.
Lowering::Offsets Lowering::offsetsOfLanes(bool IsShared, Value *Lanes,
                                           unsigned Bytes, BasicBlock *Slow) {
  std::optional<uint32_t> Number;
  Region R;
  Value *Usable = IR.getTrue();
  if (IsShared)
    R = regionOf(IsShared, nullptr, Slow);
  else
    R = lastRegion(Number.emplace(nextAccess()), Usable);
  Value *Each = laneAddresses(IsShared);
  Type *Ty = Each->getType(), *Element = Ty->getScalarType();
  auto All = [&](Value *V) {
    return IR.CreateVectorSplat(WarpSize, IR.CreateTrunc(V, Element));
  };
  // The low bits of what is misaligned become high ones.
  Value *Offset = IR.CreateSub(Each, All(R.Base));
  auto Shift = static_cast<unsigned>(llvm::countr_zero(Bytes));
  Value *Place = IR.CreateIntrinsic(
      Intrinsic::fshr, Ty, {Offset, Offset, ConstantInt::get(Ty, Shift)});
  Value *Last = IR.CreateLShr(IR.CreateSub(R.Size, IR.getInt64(Bytes)), Shift);
  Value *IsAligned = IR.CreateICmpEQ(
      IR.CreateAnd(R.Base, IR.getInt64(Bytes - 1)), IR.getInt64(0));
  if (Bytes < WordBytes) // The words of parts lie in the block as a whole.
    IsAligned = IR.CreateICmpEQ(
        IR.CreateAnd(IR.CreateOr(R.Base, R.Size), IR.getInt64(WordBytes - 1)),
        IR.getInt64(0));
  Usable = IR.CreateAnd(Usable, hasWordOffsets(R, Bytes));
  requireOfLanes(IR.CreateAnd(Usable, IsAligned),
                 IR.CreateICmpULE(Place, All(Last)), Lanes, Number, Slow);
  return {R.Host, IR.CreateTrunc(Offset, Words)};
}

/// The places themselves.
Value *Lowering::hostsOfLanes(bool IsShared, Value *Lanes, unsigned Bytes,
                              BasicBlock *Slow) {
  Offsets At = offsetsOfLanes(IsShared, Lanes, Bytes, Slow);
  return IR.CreateGEP(I8, At.Host, At.Each);
}

/// The same where lanes have indices of elements that are not smaller than what
/// they access: these are compared with those that the block has.
Value *Lowering::hostsOfIndices(Value *Lanes, unsigned Bytes,
                                BasicBlock *Slow) {
  uint32_t Number = nextAccess();
  Value *Usable = IR.getTrue();
  Region R = lastRegion(Number, Usable);
  Value *Base =
      IR.CreateAdd(uniformPair(I->U), IR.getInt64(int64_t(I->Offset)));
  Value *From = IR.CreateSub(Base, R.Base);
  // From the first to the last index, as words with a sign.
  Value *First = IR.CreateNeg(IR.CreateAShr(From, I->Scale));
  Value *Room = IR.CreateSub(IR.CreateSub(R.Size, IR.getInt64(Bytes)), From);
  Value *Last = IR.CreateBinaryIntrinsic(
      Intrinsic::smin, IR.CreateAShr(Room, I->Scale), IR.getInt64(INT32_MAX));
  if (!I->Ext)
    First = IR.CreateBinaryIntrinsic(Intrinsic::smax, First, IR.getInt64(0));
  Value *IsNear = IR.CreateICmpULT(IR.CreateAdd(From, IR.getInt64(INT32_MAX)),
                                   IR.getInt64(UINT32_MAX));
  Value *IsAligned = IR.CreateICmpEQ(IR.CreateAnd(Base, IR.getInt64(Bytes - 1)),
                                     IR.getInt64(0));
  Usable = IR.CreateAnd(IR.CreateAnd(Usable, hasWordOffsets(R, Bytes)),
                        IR.CreateAnd(IsNear, IsAligned));
  Value *Index = row(I->X);
  auto All = [&](Value *V) {
    return IR.CreateVectorSplat(WarpSize, IR.CreateTrunc(V, I32));
  };
  Value *Fits = IR.CreateAnd(IR.CreateICmpSGE(Index, All(First)),
                             IR.CreateICmpSLE(Index, All(Last)));
  requireOfLanes(Usable, Fits, Lanes, Number, Slow);
  return IR.CreateGEP(IR.getIntNTy(8U << I->Scale),
                      IR.CreateGEP(I8, R.Host, From), Index);
}

/// Bytes or halves out of the words in which they lie.
Value *Lowering::loadParts(const Offsets &At, Value *Lanes) {
  auto Word = [&](uint32_t V) { return ConstantInt::get(Words, V); };
  Value *Hosts =
      IR.CreateGEP(I8, At.Host, IR.CreateAnd(At.Each, Word(~(WordBytes - 1))));
  Value *V = IR.CreateMaskedGather(Words, Hosts, Align(WordBytes), bits(Lanes),
                                   Constant::getNullValue(Words));
  Value *Bit =
      IR.CreateShl(IR.CreateAnd(At.Each, Word(WordBytes - 1)), Word(3));
  auto *Part = FixedVectorType::get(typeInMemory(I32, I->Size), WarpSize);
  return IR.CreateIntCast(IR.CreateTrunc(IR.CreateLShr(V, Bit), Part), Words,
                          isSigned(I->Size));
}

/// Bytes or halves of all lanes, in their order.
void Lowering::storeParts(const Offsets &At) {
  Type *Ty = typeInMemory(I32, I->Size);
  Value *V = IR.CreateTrunc(row(I->C), FixedVectorType::get(Ty, WarpSize));
  for (unsigned L = 0; L < WarpSize; ++L)
    IR.CreateStore(
        IR.CreateExtractElement(V, L),
        IR.CreateGEP(I8, At.Host, IR.CreateExtractElement(At.Each, L)));
}

void Lowering::lowerParts(bool IsShared, Value *Lanes, unsigned Bytes,
                          const Ways &To) {
  if (I->Info->MayStore)
    prefer(IR.CreateICmpEQ(Lanes, IR.getInt32(~0U)), To.Slow);
  Offsets At = offsetsOfLanes(IsShared, Lanes, Bytes, To.Slow);
  if (!I->isUnguarded())
    countGuarded(*I);
  if (I->Info->MayStore)
    storeParts(At);
  else
    setRow(I->D, loadParts(At, Lanes));
  IR.CreateBr(To.Done);
}

void Lowering::lowerGather(bool IsShared, const Ways &To) {
  unsigned Bytes = bytesOf(*I);
  bool IsPair = Bytes > WordBytes;
  Value *Lanes = Exec ? Exec : Group;
  if (Bytes < WordBytes)
    return lowerParts(IsShared, Lanes, Bytes, To);
  bool HasIndices = I->Form == isa::Form::X && 1U << I->Scale >= Bytes;
  Value *Hosts = !IsShared && HasIndices
                     ? hostsOfIndices(Lanes, Bytes, To.Slow)
                     : hostsOfLanes(IsShared, Lanes, Bytes, To.Slow);
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
