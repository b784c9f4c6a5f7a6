//===- LowerMemory.cpp - Loads and stores -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code for whole warps of which each half accesses neighbouring places, or
// one place, and where the host has gathers, for any lanes (LowerGather.cpp).
// Everything else is a call of the emulator, which also finds out what is
// wrong: addresses outside a block, misaligned ones, blocks that reductions
// wait for.
//
//===----------------------------------------------------------------------===//

#include "Execute/ExecuteMemory.h"
#include "HostAccess.h"
#include "Lowering.h"
#include "heddle/ISA/Effects.h"
#include "llvm/IR/Intrinsics.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;
using namespace heddle::emu;

namespace heddle::native {

/// In each half of the warp, the value that its first lane has.
Value *Lowering::halves(Value *V) {
  SmallVector<int, WarpSize> From;
  for (unsigned L = 0; L < WarpSize; ++L)
    From.push_back(L / HalfWarp * HalfWarp);
  return IR.CreateShuffleVector(V, From);
}

/// What lanes add that access neighbours, \p Step apart, in each half.
Value *Lowering::steps(Type *Element, uint64_t Step) {
  SmallVector<Constant *, WarpSize> Numbers;
  for (unsigned L = 0; L < WarpSize; ++L)
    Numbers.push_back(ConstantInt::get(Element, L % HalfWarp * Step));
  return ConstantVector::get(Numbers);
}

/// Whether all lanes have a bit.
Value *Lowering::all(Value *Each) {
  return IR.CreateICmpEQ(maskOf(Each), IR.getInt32(~0u));
}

/// Goes on where the condition holds, and to \p Else, which is rare, where not.
void Lowering::require(Value *Condition, BasicBlock *Else) {
  BasicBlock *Fine = newBlock("fine");
  branchRarely(IR.CreateNot(Condition), Else, Fine);
  IR.SetInsertPoint(Fine);
}

/// The same with an \p Else that is the slower of two ways.
void Lowering::prefer(Value *Condition, BasicBlock *Else) {
  BasicBlock *Fine = newBlock("fine");
  IR.CreateCondBr(Condition, Fine, Else,
                  MDBuilder(C).createBranchWeights(4, 1));
  IR.SetInsertPoint(Fine);
}

/// Where the first lanes of both halves go, and how the others follow, by what
/// each lane's address depends on.
Lowering::Place Lowering::placeBy(Value *Each, uint64_t Step) {
  Type *Element = Each->getType()->getScalarType();
  Value *From = halves(Each);
  Place P;
  P.First[0] = IR.CreateExtractElement(Each, uint64_t(0));
  P.First[1] = IR.CreateExtractElement(Each, uint64_t(HalfWarp));
  P.InOrder = IR.getFalse();
  if (Step)
    P.InOrder =
        all(IR.CreateICmpEQ(Each, IR.CreateAdd(From, steps(Element, Step))));
  P.Each = Each;
  P.OfFirst = From;
  return P;
}

Lowering::Place Lowering::globalPlace(unsigned Bytes) {
  Value *Offset = IR.getInt64(int64_t(I->Offset));
  if (I->Form == isa::Form::U) {
    Value *At = IR.CreateAdd(uniformPair(I->B), Offset);
    return {{At, At}, IR.getFalse()};
  }
  if (I->Form != isa::Form::X)
    return placeBy(
        IR.CreateAdd(pair(I->A), IR.CreateVectorSplat(WarpSize, Offset)),
        Bytes);
  unsigned Step = Bytes >> I->Scale;
  Place P = placeBy(row(I->X), Step << I->Scale == Bytes ? Step : 0);
  Value *Base = IR.CreateAdd(uniformPair(I->U), Offset);
  for (Value *&First : P.First) {
    // The last index has no sign, so that wide addresses follow, too.
    Value *IsSmall = IR.CreateICmpULT(First, IR.getInt32(0x7FFF0000));
    P.InOrder = IR.CreateAnd(P.InOrder, IsSmall);
    Value *Index = IR.CreateIntCast(First, I64, I->Ext);
    First = IR.CreateAdd(Base, IR.CreateShl(Index, I->Scale));
  }
  return P;
}

Lowering::Place Lowering::sharedPlace(unsigned Bytes) {
  if (I->Form == isa::Form::U) {
    Value *At = IR.CreateAdd(uniform(I->B), IR.getInt32(I->Offset));
    At = IR.CreateZExt(At, I64);
    return {{At, At}, IR.getFalse()};
  }
  Value *At = IR.CreateShl(row(I->A), ConstantInt::get(Words, I->Scale));
  Place P = placeBy(
      IR.CreateAdd(At, ConstantInt::get(Words, uint32_t(I->Offset))), Bytes);
  for (Value *&First : P.First)
    First = IR.CreateZExt(First, I64);
  return P;
}

Value *Lowering::blockField(Value *Block, uint32_t Offset, Type *Ty) {
  return IR.CreateLoad(Ty, IR.CreateConstInBoundsGEP1_64(I8, Block, Offset));
}

/// Whether a block may be accessed as memory that nothing else is about.
Value *Lowering::isUsable(Value *Block) {
  Value *Buffer = IR.CreateLoad(Ptr, ownerField(Layout.Reductions));
  Value *Reduced = blockField(Buffer, Layout.ReducedBlock, Ptr);
  Value *IsLive =
      IR.CreateICmpNE(blockField(Block, Layout.BlockLive, I8), IR.getInt8(0));
  return IR.CreateAnd(IR.CreateICmpNE(Reduced, Block), IsLive);
}

/// Has the emulator look up a block for the next time.
void Lowering::keepBlock(Value *Address, uint32_t Number, BasicBlock *Slow) {
  auto *Ty = FunctionType::get(I1, {Ptr, I64, I32}, false);
  IR.CreateCall(Ty, function(2), {W, Address, IR.getInt32(Number)});
  IR.CreateBr(Slow);
}

uint32_t Lowering::nextAccess() { return NumAccesses++ % CTA::NumAccessBlocks; }

/// The block that access \p Number found last, and whether it may be accessed.
Lowering::Region Lowering::lastRegion(uint32_t Number, Value *&Usable) {
  Value *Block = IR.CreateLoad(
      Ptr, ownerField(Layout.AccessBlocks + Number * sizeof(void *)));
  Usable = isUsable(Block);
  return {blockField(Block, Layout.BlockBase, I64),
          blockField(Block, Layout.BlockReach, I64),
          blockField(Block, Layout.BlockHost, Ptr)};
}

/// The block that the access found last, if \p Address is in it and it may be
/// accessed; else one is looked up for the next time.
Lowering::Region Lowering::globalRegion(Value *Address, BasicBlock *Slow) {
  uint32_t Number = nextAccess();
  Value *Usable = nullptr;
  Region R = lastRegion(Number, Usable);
  Value *IsInside = IR.CreateICmpULT(IR.CreateSub(Address, R.Base), R.Size);
  BasicBlock *Miss = newBlock("miss");
  require(IR.CreateAnd(Usable, IsInside), Miss);
  IRBuilder<>::InsertPointGuard Guard(IR);
  IR.SetInsertPoint(Miss);
  keepBlock(Address, Number, Slow);
  return R;
}

Lowering::Region Lowering::regionOf(bool IsShared, Value *Address,
                                    BasicBlock *Slow) {
  if (!IsShared)
    return globalRegion(Address, Slow);
  return {IR.getInt64(0), IR.CreateLoad(I64, ownerField(Layout.SharedSize)),
          IR.CreateLoad(Ptr, ownerField(Layout.SharedHost))};
}

/// Where the host has what both halves access, \p Bytes bytes each, which are
/// parts of \p Align bytes.
std::array<Value *, 2> Lowering::hostsOf(const Place &P, bool IsShared,
                                         Value *Bytes, unsigned Align,
                                         BasicBlock *Slow) {
  Region R = regionOf(IsShared, P.First[0], Slow);
  Value *Low =
      IR.CreateAnd(IR.CreateOr(P.First[0], P.First[1]), IR.getInt64(Align - 1));
  Value *Good = IR.CreateICmpEQ(Low, IR.getInt64(0));
  std::array<Value *, 2> Hosts;
  for (unsigned Half : {0, 1}) {
    Value *Distance = IR.CreateSub(P.First[Half], R.Base);
    Value *Room =
        IR.CreateBinaryIntrinsic(Intrinsic::usub_sat, R.Size, Distance);
    Good = IR.CreateAnd(Good, IR.CreateICmpUGE(Room, Bytes));
    Hosts[Half] = IR.CreateGEP(I8, R.Host, Distance);
  }
  require(Good, Slow);
  return Hosts;
}

Type *typeInMemory(Type *Word, unsigned Size) {
  switch (sizeInBytes(Size)) {
  case 1:
    return Type::getInt8Ty(Word->getContext());
  case 2:
    return Type::getInt16Ty(Word->getContext());
  default:
    return Word;
  }
}

bool isSigned(uint8_t Size) {
  return Size == static_cast<uint8_t>(MemSize::S8) ||
         Size == static_cast<uint8_t>(MemSize::S16);
}

/// What half a warp loads from neighbouring places.
Value *Lowering::loadHalf(Value *Host) {
  Type *Ty = typeInMemory(I32, I->Size);
  Value *V = IR.CreateAlignedLoad(FixedVectorType::get(Ty, HalfWarp), Host,
                                  Align(Ty->getScalarSizeInBits() / 8));
  return IR.CreateIntCast(V, FixedVectorType::get(I32, HalfWarp),
                          isSigned(I->Size));
}

/// The same from one place.
Value *Lowering::loadOne(Value *Host) {
  Value *V = IR.CreateLoad(typeInMemory(I32, I->Size), Host);
  return IR.CreateVectorSplat(HalfWarp,
                              IR.CreateIntCast(V, I32, isSigned(I->Size)));
}

void Lowering::storeHalf(Value *Host, unsigned Half) {
  SmallVector<int, HalfWarp> Order;
  for (unsigned L = 0; L < HalfWarp; ++L)
    Order.push_back(Half * HalfWarp + L);
  Type *Ty = typeInMemory(I32, I->Size);
  Value *V = IR.CreateShuffleVector(row(I->C), Order);
  V = IR.CreateTrunc(V, FixedVectorType::get(Ty, HalfWarp));
  IR.CreateAlignedStore(V, Host, Align(Ty->getScalarSizeInBits() / 8));
}

/// A row of both halves.
Value *Lowering::joined(Value *Low, Value *High) {
  SmallVector<int, WarpSize> All;
  for (unsigned L = 0; L < WarpSize; ++L)
    All.push_back(L);
  return IR.CreateShuffleVector(Low, High, All);
}

/// Whether there is host code for the common cases of an access. Groups of
/// registers want accesses of the host that it does not take apart.
bool Lowering::hasFastAccess(Inst I) const {
  const isa::Effects &Effects = isa::effects(I.Info->Operation);
  bool IsPlain = I.Order == MemOrder::Weak || I.Order == MemOrder::Constant;
  bool IsOne = Effects.AccessWords == 1 || HasWideMoves;
  return Effects.Accesses != isa::Space::Local && IsPlain &&
         (IsOne || hasGather(I));
}

/// Counts the threads of an access behind a guard that is not a call.
void Lowering::countAccess() {
  if (Exec)
    return countGuarded(*I);
  if (!I->isUnguarded())
    addTo(ownerField(Layout.Counts +
                     static_cast<unsigned>(I->Info->Latency) * 16 + 8),
          IR.getInt64(WarpSize));
}

unsigned bytesOf(const DecodedInst &I) {
  unsigned Count = isa::effects(I.Info->Operation).AccessWords;
  return Count == 1 ? sizeInBytes(I.Size) : 4 * Count;
}

/// Goes on where the lanes of each half are at neighbouring places or at one;
/// whether they are at one is a question only for those that are at no others.
void Lowering::requireNeighboursOrOne(const Place &P, BasicBlock *Else) {
  BasicBlock *Fine = newBlock("fine"), *Other = newBlock("other");
  IR.CreateCondBr(P.InOrder, Fine, Other,
                  MDBuilder(C).createBranchWeights(4, 1));
  IR.SetInsertPoint(Other);
  if (P.Each)
    prefer(all(IR.CreateICmpEQ(P.Each, P.OfFirst)), Else);
  IR.CreateBr(Fine);
  IR.SetInsertPoint(Fine);
}

/// By what the lanes' places are. All lanes execute, but for loads from one
/// place that an instruction names.
void Lowering::lowerFastAccess(bool IsShared, const Place &P, const Ways &To) {
  unsigned Count = isa::effects(I->Info->Operation).AccessWords;
  unsigned Bytes = bytesOf(*I);
  Value *InRow = IR.getInt64(uint64_t(Bytes) * HalfWarp);
  if (I->Info->MayStore) {
    prefer(P.InOrder, To.Anywhere);
    auto Hosts = hostsOf(P, IsShared, InRow, Bytes, To.Slow);
    countAccess();
    for (unsigned Half : {0, 1}) {
      if (Count > 1)
        storeGroups(Hosts[Half], Half, Count);
      else
        storeHalf(Hosts[Half], Half);
    }
    IR.CreateBr(To.Done);
    return;
  }
  requireNeighboursOrOne(P, To.Anywhere);
  Value *Needed = select(P.InOrder, InRow, IR.getInt64(Bytes));
  auto Hosts = hostsOf(P, IsShared, Needed, Bytes, To.Slow);
  countAccess();
  BasicBlock *Same = newBlock("same");
  if (llvm::isa<Constant>(P.InOrder)) { // Never.
    IR.CreateBr(Same);
  } else {
    BasicBlock *InOrder = newBlock("inorder");
    IR.CreateCondBr(P.InOrder, InOrder, Same);
    IR.SetInsertPoint(InOrder);
    if (Count > 1)
      loadGroups(Hosts, Count);
    else
      setRow(I->D, joined(loadHalf(Hosts[0]), loadHalf(Hosts[1])));
    IR.CreateBr(To.Done);
  }
  IR.SetInsertPoint(Same);
  if (Count > 1)
    loadGroup(Hosts, Count);
  else
    setRow(I->D, joined(loadOne(Hosts[0]), loadOne(Hosts[1])));
  IR.CreateBr(To.Done);
}

void Lowering::lowerAccess() {
  Ways To = {newBlock("anywhere"), newBlock("slow"), newBlock("done")};
  RegSet Before = Dirty;
  std::map<unsigned, Value *> KnownPairs = Pairs;
  bool IsShared =
      isa::effects(I->Info->Operation).Accesses == isa::Space::Shared;
  // In front of all branches, so that what accesses have in common is found.
  Place P = IsShared ? sharedPlace(bytesOf(*I)) : globalPlace(bytesOf(*I));
  Value *Lanes = Exec;
  if (I->Form != isa::Form::U || I->Info->MayStore) {
    prefer(IR.CreateICmpEQ(Lanes ? Lanes : Group, IR.getInt32(~0u)),
           To.Anywhere);
    Exec = nullptr; // All lanes execute.
  }
  lowerFastAccess(IsShared, P, To);
  IR.SetInsertPoint(To.Anywhere);
  Exec = Lanes;
  Dirty = Before;
  Pairs = KnownPairs;
  if (hasGather(*I))
    lowerGather(IsShared, To);
  else
    IR.CreateBr(To.Slow);
  IR.SetInsertPoint(To.Slow);
  Dirty = Before;
  returnUnless(execute(PC), {});
  IR.CreateBr(To.Done);
  IR.SetInsertPoint(To.Done);
  Dirty = Before;
  Pairs = KnownPairs;
  for (RegId R : Code.Image.writes(*I)) {
    Dirty.set(R);
    Pairs.erase(R);
    Pairs.erase(R - 1);
  }
}

} // namespace heddle::native
