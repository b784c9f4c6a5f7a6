//===- LowerMemory.cpp - Loads and stores -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host code for whole warps of which each half accesses neighbouring places, or
// one place. Everything else is a call of the emulator, which also finds out
// what is wrong: addresses outside a block, misaligned ones, blocks that
// reductions wait for.
//
//===----------------------------------------------------------------------===//

#include "Execute/ExecuteMemory.h"
#include "HostAccess.h"
#include "Lowering.h"
#include "heddle/ISA/Effects.h"

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

/// Goes on where \p Holds, and to \p Else where not.
void Lowering::require(Value *Condition, BasicBlock *Else) {
  BasicBlock *Fine = newBlock("fine");
  IR.CreateCondBr(Condition, Fine, Else);
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
  P.Same = all(IR.CreateICmpEQ(Each, From));
  return P;
}

Lowering::Place Lowering::globalPlace(unsigned Bytes) {
  Value *Offset = IR.getInt64(int64_t(I->Offset));
  if (I->Form == isa::Form::U) {
    Value *At = IR.CreateAdd(uniformPair(I->B), Offset);
    return {{At, At}, IR.getFalse(), IR.getTrue()};
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
    return {{At, At}, IR.getFalse(), IR.getTrue()};
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

/// The block that the access found last, if \p Address is in it and it may be
/// accessed; else one that is looked up.
Lowering::Region Lowering::globalRegion(Value *Address, BasicBlock *Slow) {
  uint32_t Number = NumAccesses++ % CTA::NumAccessBlocks;
  Value *Slot = ownerField(Layout.AccessBlocks + Number * sizeof(void *));
  Value *Kept = IR.CreateLoad(Ptr, Slot);
  BasicBlock *Miss = newBlock("miss"), *Found = newBlock("found");
  BasicBlock *Before = IR.GetInsertBlock();
  Value *Buffer = IR.CreateLoad(Ptr, ownerField(Layout.Reductions));
  Value *Reduced = blockField(Buffer, Layout.ReducedBlock, Ptr);
  Value *Good = IR.CreateICmpNE(Reduced, Kept);
  Good =
      IR.CreateAnd(Good, IR.CreateICmpNE(blockField(Kept, Layout.BlockLive, I8),
                                         IR.getInt8(0)));
  Value *Distance =
      IR.CreateSub(Address, blockField(Kept, Layout.BlockBase, I64));
  Good = IR.CreateAnd(
      Good,
      IR.CreateICmpULT(Distance, blockField(Kept, Layout.BlockReach, I64)));
  IR.CreateCondBr(Good, Found, Miss);
  IR.SetInsertPoint(Miss);
  auto *Ty = FunctionType::get(I1, {Ptr, I64, I32}, false);
  Value *IsThere =
      IR.CreateCall(Ty, function(2), {W, Address, IR.getInt32(Number)});
  Value *New = IR.CreateLoad(Ptr, Slot);
  IR.CreateCondBr(IsThere, Found, Slow);
  IR.SetInsertPoint(Found);
  PHINode *Block = IR.CreatePHI(Ptr, 2);
  Block->addIncoming(Kept, Before);
  Block->addIncoming(New, Miss);
  return {blockField(Block, Layout.BlockBase, I64),
          blockField(Block, Layout.BlockReach, I64),
          blockField(Block, Layout.BlockHost, Ptr)};
}

Lowering::Region Lowering::regionOf(bool IsShared, Value *Address,
                                    BasicBlock *Slow) {
  if (!IsShared)
    return globalRegion(Address, Slow);
  return {IR.getInt64(0), IR.CreateLoad(I64, ownerField(Layout.SharedSize)),
          IR.CreateLoad(Ptr, ownerField(Layout.SharedHost))};
}

/// Where the host has \p Bytes bytes, aligned to \p Align, of a region.
Value *Lowering::hostOf(const Region &R, Value *Address, unsigned Bytes,
                        unsigned Align, BasicBlock *Slow) {
  Value *Distance = IR.CreateSub(Address, R.Base);
  Value *Fits = IR.CreateICmpULE(Distance, R.Size);
  Fits = IR.CreateAnd(Fits, IR.CreateICmpUGE(IR.CreateSub(R.Size, Distance),
                                             IR.getInt64(Bytes)));
  Value *Low = IR.CreateAnd(Address, IR.getInt64(Align - 1));
  require(IR.CreateAnd(Fits, IR.CreateICmpEQ(Low, IR.getInt64(0))), Slow);
  return IR.CreateGEP(I8, R.Host, Distance);
}

/// What the host moves in one access.
static constexpr unsigned BlockWords = 4, BlockBytes = 16;

/// The type in memory of a lane's part, for registers of which there is one.
static Type *typeInMemory(Type *Word, unsigned Size) {
  switch (sizeInBytes(Size)) {
  case 1:
    return Type::getInt8Ty(Word->getContext());
  case 2:
    return Type::getInt16Ty(Word->getContext());
  default:
    return Word;
  }
}

static Value *join(IRBuilder<> &IR, Value *X, Value *Y) {
  unsigned Size = cast<FixedVectorType>(X->getType())->getNumElements();
  SmallVector<int, 64> All;
  for (unsigned N = 0; N < 2 * Size; ++N)
    All.push_back(N);
  return IR.CreateShuffleVector(X, Y, All);
}

static bool isSigned(uint8_t Size) {
  return Size == static_cast<uint8_t>(MemSize::S8) ||
         Size == static_cast<uint8_t>(MemSize::S16);
}

/// Registers of a group that half a warp loads, in whose lanes the groups
/// follow each other. Each block is one access of the host, so that no lane's
/// group is torn.
std::vector<Value *> Lowering::loadHalf(Value *Host, unsigned Count) {
  if (Count == 1) {
    Type *Ty = typeInMemory(I32, I->Size);
    Value *V = IR.CreateAlignedLoad(FixedVectorType::get(Ty, HalfWarp), Host,
                                    Align(Ty->getScalarSizeInBits() / 8));
    return {IR.CreateIntCast(V, FixedVectorType::get(I32, HalfWarp),
                             isSigned(I->Size))};
  }
  SmallVector<Value *, 16> Parts;
  for (unsigned N = 0; N < HalfWarp * Count / BlockWords; ++N)
    Parts.push_back(IR.CreateAlignedLoad(
        FixedVectorType::get(I32, BlockWords),
        IR.CreateConstInBoundsGEP1_64(I8, Host, uint64_t(N) * BlockBytes),
        Align(BlockBytes),
        /*isVolatile=*/true));
  for (; Parts.size() > 1; Parts.resize(Parts.size() / 2))
    for (size_t N = 0; N < Parts.size() / 2; ++N)
      Parts[N] = join(IR, Parts[2 * N], Parts[2 * N + 1]);
  std::vector<Value *> Registers;
  for (unsigned N = 0; N < Count; ++N) {
    SmallVector<int, HalfWarp> From;
    for (unsigned L = 0; L < HalfWarp; ++L)
      From.push_back(L * Count + N);
    Registers.push_back(IR.CreateShuffleVector(Parts[0], From));
  }
  return Registers;
}

/// The same of one place for all lanes of the half.
std::vector<Value *> Lowering::loadOne(Value *Host, unsigned Count) {
  if (Count == 1) {
    Value *V = IR.CreateLoad(typeInMemory(I32, I->Size), Host);
    V = IR.CreateIntCast(V, I32, isSigned(I->Size));
    return {IR.CreateVectorSplat(HalfWarp, V)};
  }
  Type *Ty = Count == 2 ? I64 : FixedVectorType::get(I32, BlockWords);
  Value *Together = IR.CreateAlignedLoad(Ty, Host, Align(uint64_t(4) * Count),
                                         /*isVolatile=*/true);
  Together = IR.CreateBitCast(Together, FixedVectorType::get(I32, Count));
  std::vector<Value *> Registers;
  Registers.reserve(Count);
  for (unsigned N = 0; N < Count; ++N)
    Registers.push_back(IR.CreateShuffleVector(
        Together, SmallVector<int, HalfWarp>(HalfWarp, static_cast<int>(N))));
  return Registers;
}

void Lowering::storeHalf(Value *Host, unsigned Half, unsigned Count) {
  if (Count == 1) {
    SmallVector<int, HalfWarp> Order;
    for (unsigned L = 0; L < HalfWarp; ++L)
      Order.push_back(Half * HalfWarp + L);
    Type *Ty = typeInMemory(I32, I->Size);
    Value *V = IR.CreateShuffleVector(row(I->C), Order);
    V = IR.CreateTrunc(V, FixedVectorType::get(Ty, HalfWarp));
    IR.CreateAlignedStore(V, Host, Align(Ty->getScalarSizeInBits() / 8));
    return;
  }
  Value *V = join(IR, row(I->C), row(I->C + 1));
  if (Count == 4)
    V = join(IR, V, join(IR, row(I->C + 2), row(I->C + 3)));
  for (unsigned N = 0; N < HalfWarp * Count / BlockWords; ++N) {
    SmallVector<int, BlockWords> Order;
    for (unsigned Word = N * BlockWords; Word < (N + 1) * BlockWords; ++Word)
      Order.push_back(Word % Count * WarpSize + Half * HalfWarp + Word / Count);
    IR.CreateAlignedStore(
        IR.CreateShuffleVector(V, Order),
        IR.CreateConstInBoundsGEP1_64(I8, Host, uint64_t(N) * BlockBytes),
        Align(BlockBytes), /*isVolatile=*/true);
  }
}

/// The results of both halves.
void Lowering::setRows(ArrayRef<Value *> Low, ArrayRef<Value *> High) {
  for (unsigned N = 0; N < Low.size(); ++N)
    setRow(I->D + N, join(IR, Low[N], High[N]));
}

void Lowering::lowerAccess() {
  const isa::Effects &Effects = isa::effects(I->Info->Operation);
  bool IsPlain = I->Order == MemOrder::Weak || I->Order == MemOrder::Constant;
  bool IsTorn = Effects.AccessWords > 1 && !HasWideMoves;
  if (Effects.Accesses == isa::Space::Local || !IsPlain || IsTorn)
    return inGuard([&] {
      callWithRegisters();
      returnIfFaulted();
    });
  inGuard([&] {
    lowerFastAccess(Effects.Accesses == isa::Space::Shared, I->Info->MayStore,
                    Effects.AccessWords);
  });
}

/// Where the host has the places of both halves.
std::array<Value *, 2> Lowering::hostsOf(const Place &P, bool IsShared,
                                         unsigned Bytes, unsigned Align,
                                         BasicBlock *Slow) {
  Region R = regionOf(IsShared, P.First[0], Slow);
  Value *Low = hostOf(R, P.First[0], Bytes, Align, Slow);
  if (P.First[0] == P.First[1])
    return {Low, Low};
  return {Low, hostOf(R, P.First[1], Bytes, Align, Slow)};
}

/// By what the lanes' places are.
void Lowering::lowerFastAccess(bool IsShared, bool IsStore, unsigned Count) {
  unsigned Bytes = Count == 1 ? sizeInBytes(I->Size) : 4 * Count;
  unsigned Aligned = Count == 1 ? Bytes : BlockBytes;
  Place P = IsShared ? sharedPlace(Bytes) : globalPlace(Bytes);
  BasicBlock *Slow = newBlock("slow"), *Done = newBlock("done");
  RegSet Before = Dirty;
  std::map<unsigned, Value *> KnownPairs = Pairs;
  Value *Guard = Exec, *Active = Exec ? Exec : Group;
  require(IR.CreateICmpEQ(Active, IR.getInt32(~0u)), Slow);
  Exec = nullptr; // All lanes execute.
  if (IsStore) {
    require(P.InOrder, Slow);
    auto Hosts = hostsOf(P, IsShared, Bytes * HalfWarp, Aligned, Slow);
    for (unsigned Half : {0, 1})
      storeHalf(Hosts[Half], Half, Count);
  } else {
    BasicBlock *NotInOrder = newBlock("notinorder");
    require(P.InOrder, NotInOrder);
    auto Hosts = hostsOf(P, IsShared, Bytes * HalfWarp, Aligned, Slow);
    setRows(loadHalf(Hosts[0], Count), loadHalf(Hosts[1], Count));
    IR.CreateBr(Done);
    IR.SetInsertPoint(NotInOrder);
    require(P.Same, Slow);
    Hosts = hostsOf(P, IsShared, Bytes, Bytes, Slow);
    setRows(loadOne(Hosts[0], Count), loadOne(Hosts[1], Count));
  }
  IR.CreateBr(Done);
  Exec = Guard;
  IR.SetInsertPoint(Slow);
  Dirty = Before;
  callWithRegisters();
  returnIfFaulted();
  IR.CreateBr(Done);
  IR.SetInsertPoint(Done);
  Dirty = Before;
  Pairs = KnownPairs;
  for (RegId R : Code.Image.writes(*I)) {
    Dirty.set(R);
    Pairs.erase(R);
    Pairs.erase(R - 1);
  }
}

} // namespace heddle::native
