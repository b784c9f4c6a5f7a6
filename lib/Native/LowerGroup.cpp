//===- LowerGroup.cpp - Accesses of pairs and groups of four ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lanes that each access two or four words, next to each other or at one place.
// Memory is accessed in blocks of 16 bytes, of which the host takes none apart,
// and the words change places between the blocks and the rows of registers.
//
//===----------------------------------------------------------------------===//

#include "Lowering.h"

using namespace llvm;
using namespace heddle::emu;

namespace heddle::native {

static constexpr unsigned WordsOfBlock = 4, BlockBytes = 16;

/// Loads \p Count registers from one place in each half.
void Lowering::loadGroup(const std::array<Value *, 2> &Hosts, unsigned Count) {
  Type *Ty = Count == 2 ? I64 : FixedVectorType::get(I32, Count);
  Value *Groups[2];
  for (unsigned Half : {0, 1}) {
    Value *V = IR.CreateAlignedLoad(Ty, Hosts[Half], Align(uint64_t(4) * Count),
                                    /*isVolatile=*/true);
    Groups[Half] = IR.CreateBitCast(V, FixedVectorType::get(I32, Count));
  }
  for (unsigned N = 0; N < Count; ++N) {
    SmallVector<int, WarpSize> From;
    for (unsigned L = 0; L < WarpSize; ++L)
      From.push_back(static_cast<int>(L / HalfWarp * Count + N));
    setRow(I->D + N, IR.CreateShuffleVector(Groups[0], Groups[1], From));
  }
}

/// Sixteen words of two or four vectors of sixteen, by their numbers in all of
/// them.
Value *Lowering::picked(ArrayRef<Value *> From, ArrayRef<int> Numbers) {
  if (From.size() == 2)
    return IR.CreateShuffleVector(From[0], From[1], Numbers);
  constexpr int InTwo = 2 * HalfWarp;
  SmallVector<int, HalfWarp> Low, High, Which;
  for (int Number : Numbers) {
    bool IsLow = Number < InTwo;
    auto Place = static_cast<int>(Which.size());
    Low.push_back(IsLow ? Number : -1);
    High.push_back(IsLow ? -1 : Number - InTwo);
    Which.push_back(IsLow ? Place : Place + static_cast<int>(HalfWarp));
  }
  return IR.CreateShuffleVector(IR.CreateShuffleVector(From[0], From[1], Low),
                                IR.CreateShuffleVector(From[2], From[3], High),
                                Which);
}

/// The address of a block.
static Value *blockAt(IRBuilder<> &IR, Value *Host, unsigned Number) {
  return IR.CreateConstInBoundsGEP1_64(IR.getInt8Ty(), Host,
                                       uint64_t(Number) * BlockBytes);
}

/// Sixteen words of memory, by blocks.
Value *Lowering::loadBlocks(Value *Host, unsigned First, Align Alignment) {
  Type *Ty = FixedVectorType::get(I32, WordsOfBlock);
  Value *Blocks[HalfWarp / WordsOfBlock];
  for (unsigned N = 0; N < std::size(Blocks); ++N)
    Blocks[N] = IR.CreateAlignedLoad(Ty, blockAt(IR, Host, First + N),
                                     Alignment, /*isVolatile=*/true);
  auto Both = [&](Value *Low, Value *High, unsigned Length) {
    SmallVector<int, HalfWarp> All;
    for (unsigned N = 0; N < 2 * Length; ++N)
      All.push_back(static_cast<int>(N));
    return IR.CreateShuffleVector(Low, High, All);
  };
  return Both(Both(Blocks[0], Blocks[1], WordsOfBlock),
              Both(Blocks[2], Blocks[3], WordsOfBlock), 2 * WordsOfBlock);
}

/// Loads \p Count registers of lanes that are at neighbouring places.
void Lowering::loadGroups(const std::array<Value *, 2> &Hosts, unsigned Count) {
  SmallVector<Value *, 4> Memory[2];
  for (unsigned Half : {0, 1})
    for (unsigned N = 0; N < Count; ++N)
      Memory[Half].push_back(loadBlocks(Hosts[Half], N * WordsOfBlock,
                                        Align(uint64_t(Count) * 4)));
  for (unsigned N = 0; N < Count; ++N) {
    SmallVector<int, HalfWarp> Numbers;
    for (unsigned L = 0; L < HalfWarp; ++L)
      Numbers.push_back(static_cast<int>(L * Count + N));
    setRow(I->D + N,
           joined(picked(Memory[0], Numbers), picked(Memory[1], Numbers)));
  }
}

/// Stores \p Count registers of half a warp at neighbouring places.
void Lowering::storeGroups(Value *Host, unsigned Half, unsigned Count) {
  SmallVector<int, HalfWarp> OfHalf;
  for (unsigned L = 0; L < HalfWarp; ++L)
    OfHalf.push_back(static_cast<int>(Half * HalfWarp + L));
  SmallVector<Value *, 4> Rows;
  for (unsigned N = 0; N < Count; ++N)
    Rows.push_back(IR.CreateShuffleVector(row(I->C + N), OfHalf));
  for (unsigned First = 0; First < Count * HalfWarp; First += HalfWarp) {
    SmallVector<int, HalfWarp> Numbers;
    for (unsigned At = First; At < First + HalfWarp; ++At)
      Numbers.push_back(static_cast<int>(At % Count * HalfWarp + At / Count));
    Value *V = picked(Rows, Numbers);
    for (int N = 0; N < static_cast<int>(HalfWarp); N += WordsOfBlock)
      IR.CreateAlignedStore(IR.CreateShuffleVector(V, {N, N + 1, N + 2, N + 3}),
                            blockAt(IR, Host, (First + N) / WordsOfBlock),
                            Align(uint64_t(Count) * 4),
                            /*isVolatile=*/true);
  }
}

} // namespace heddle::native
