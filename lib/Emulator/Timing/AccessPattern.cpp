//===- AccessPattern.cpp - What a request touches ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory serves a wavefront in a cycle: one word of each bank. Accesses
// of 64 bits take their turn by half warps, of 128 bits by quarters.
//
//===----------------------------------------------------------------------===//

#include "AccessPattern.h"
#include "../ExecuteMemory.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>

using namespace llvm;

namespace heddle::emu {

namespace {

/// A lane's access.
struct Place {
  uint64_t Address;
  unsigned Lane;
};
/// Of the lanes in order; several of a lane where its words lie apart.
using Places = SmallVector<Place, WarpSize>;

/// Wavefronts of shared memory for lanes that are served together: the most
/// words that a bank is asked for, each once unless it is for atomics.
unsigned bankPasses(ArrayRef<Place> Lanes, unsigned Bytes, unsigned Banks,
                    bool IsAtomic) {
  SmallVector<uint32_t, 4 * WarpSize> Words;
  for (const Place &P : Lanes)
    for (unsigned B = 0; B < std::max(Bytes, 4u); B += 4)
      Words.push_back(uint32_t(P.Address + B) / 4);
  llvm::sort(Words);
  if (!IsAtomic)
    Words.erase(llvm::unique(Words), Words.end());
  unsigned Count[64] = {}, Most = 0;
  for (uint32_t W : Words)
    Most = std::max(Most, ++Count[W % std::min(Banks, 64u)]);
  return Most;
}

void fillShared(Request &R, const Places &Lanes, unsigned Bytes,
                const isa::ChipInfo &Chip) {
  unsigned Together = WarpSize * 4 / std::max(Bytes, 4u);
  for (unsigned First = 0; First < WarpSize; First += Together) {
    Places Part;
    for (const Place &P : Lanes)
      if (P.Lane / Together * Together == First)
        Part.push_back(P);
    if (!Part.empty())
      R.Wavefronts += bankPasses(Part, Bytes, Chip.SharedBanks,
                                 R.Kind == AccessKind::Atomic);
  }
  R.Ideal = divideCeil(Lanes.size() * std::max(Bytes, 4u),
                       Chip.SharedBanks * uint64_t(4));
}

/// How often each sector's most wanted word is asked for.
void countRepeats(Request &R, const Places &Lanes, unsigned Bytes,
                  unsigned SectorBytes) {
  SmallVector<uint64_t, WarpSize> Words;
  for (const Place &P : Lanes)
    Words.push_back(P.Address / std::max(Bytes, 4u));
  llvm::sort(Words);
  R.Repeats.assign(R.Sectors.size(), 0);
  for (size_t N = 0; N < Words.size();) {
    size_t End = N;
    while (End < Words.size() && Words[End] == Words[N])
      ++End;
    uint64_t Sector = Words[N] * std::max(Bytes, 4u) / SectorBytes;
    size_t Index = llvm::find(R.Sectors, Sector) - R.Sectors.begin();
    R.Repeats[Index] = std::max<unsigned>(R.Repeats[Index], End - N);
    N = End;
  }
}

/// How many places lanes ask for.
size_t countDistinct(const Places &Lanes) {
  bool IsSorted = true;
  size_t Count = 1;
  for (size_t N = 1; N < Lanes.size(); ++N) {
    IsSorted &= Lanes[N - 1].Address <= Lanes[N].Address;
    Count += Lanes[N - 1].Address != Lanes[N].Address;
  }
  if (IsSorted)
    return Count;
  SmallVector<uint64_t, WarpSize> Sorted;
  for (const Place &P : Lanes)
    Sorted.push_back(P.Address);
  llvm::sort(Sorted);
  return llvm::unique(Sorted) - Sorted.begin();
}

void fillSectors(Request &R, const Places &Lanes, unsigned Bytes,
                 const isa::ChipInfo &Chip) {
  uint64_t Last = ~uint64_t(0);
  for (const Place &P : Lanes) {
    uint64_t Sector = P.Address / Chip.SectorBytes;
    if (Sector == Last || llvm::is_contained(R.Sectors, Sector))
      continue;
    R.Sectors.push_back(Last = Sector);
  }
  unsigned PerLine = Chip.LineBytes / Chip.SectorBytes;
  SmallVector<uint64_t, 32> LineNumbers;
  for (uint64_t S : R.Sectors)
    LineNumbers.push_back(S / PerLine);
  llvm::sort(LineNumbers);
  size_t NumLines = llvm::unique(LineNumbers) - LineNumbers.begin();
  R.Wavefronts = std::max(
      divideCeil(NumLines, Chip.L1LinesPerCycle),
      divideCeil(R.Sectors.size() * Chip.SectorBytes, Chip.L1BytesPerCycle));
  R.Ideal = divideCeil(Lanes.size() * uint64_t(Bytes), Chip.L1BytesPerCycle);
  R.IdealSectors =
      divideCeil(countDistinct(Lanes) * uint64_t(Bytes), Chip.SectorBytes);
  if (R.Kind == AccessKind::Atomic)
    countRepeats(R, Lanes, Bytes, Chip.SectorBytes);
}

/// Local memory is laid out so that the lanes' words at an offset are
/// consecutive; above all addresses of global memory.
uint64_t localPlace(const Warp &W, uint32_t Offset, unsigned Lane) {
  constexpr uint64_t Base = uint64_t(1) << 60;
  uint64_t Warps = W.Owner->warps().size();
  uint64_t Number = W.Owner->Number * Warps + W.Index;
  uint64_t Words = divideCeil(W.Launch->LocalBytes, 4);
  return Base + ((Number * Words + Offset / 4) * WarpSize + Lane) * 4 +
         Offset % 4;
}

bool isReduction(const DecodedInst &I) {
  using isa::Op;
  switch (I.Info->Operation) {
  case Op::RED:
  case Op::RED64:
  case Op::REDG:
  case Op::REDG64:
    return true;
  default:
    return false;
  }
}

} // namespace

SmallVector<Request, 1> requestsOf(const Warp &W, const DecodedInst &I,
                                   const AccessInfo &Info, LaneMask Exec) {
  Places Lanes[4];
  for (const LaneAccess &A : accessesOf(W, I, Info, Exec)) {
    Places &List = Lanes[unsigned(A.Space)];
    if (A.Space != AccessSpace::Local) {
      List.push_back({A.Address, A.Lane});
      continue;
    }
    for (unsigned B = 0; B < Info.Bytes; B += 4)
      List.push_back({localPlace(W, uint32_t(A.Address) + B, A.Lane), A.Lane});
  }
  const isa::ChipInfo &Chip = W.Launch->Chip;
  SmallVector<Request, 1> Result;
  for (unsigned S = 0; S < std::size(Lanes); ++S) {
    if (Lanes[S].empty())
      continue;
    Request &R = Result.emplace_back();
    R.Kind = Info.Kind;
    R.Space = AccessSpace(S);
    R.IsReduction = isReduction(I);
    bool IsShared =
        R.Space == AccessSpace::Shared || R.Space == AccessSpace::OtherShared;
    if (IsShared)
      fillShared(R, Lanes[S], Info.Bytes, Chip);
    else
      fillSectors(R, Lanes[S],
                  R.Space == AccessSpace::Local ? std::min(Info.Bytes, 4u)
                                                : Info.Bytes,
                  Chip);
  }
  return Result;
}

} // namespace heddle::emu
