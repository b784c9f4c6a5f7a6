//===- AccessPattern.cpp - What a request touches ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared memory serves a wavefront in a cycle: one word of each bank. Accesses
// of 64 bits are served by half warps, of 128 bits by quarters.
//
//===----------------------------------------------------------------------===//

#include "AccessPattern.h"
#include "Execute/ExecuteMemory.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <utility>

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

/// A count for each of some numbers: as many as a request has words.
class Tally {
public:
  /// The count of \p Key; zero at first.
  unsigned &operator[](uint64_t Key) {
    constexpr uint64_t Mix = 0x9E3779B97F4A7C15; // Of Fibonacci hashing.
    size_t Slot = Key * Mix >> (64 - SlotBits);
    while (Used[Slot] && Keys[Slot] != Key)
      Slot = (Slot + 1) % NumSlots;
    if (!Used[Slot]) {
      Used[Slot] = true;
      Keys[Slot] = Key;
      Counts[Slot] = 0;
      ++Size;
    }
    return Counts[Slot];
  }
  /// Of the numbers.
  size_t size() const { return Size; }

private:
  static constexpr unsigned SlotBits = 8, NumSlots = 1 << SlotBits;
  static_assert(NumSlots >= 2 * 4 * WarpSize);

  bool Used[NumSlots] = {};
  uint64_t Keys[NumSlots];
  unsigned Counts[NumSlots];
  size_t Size = 0;
};

/// Wavefronts of shared memory for lanes that are served together: the most
/// words that a bank is asked for, each once unless it is for atomics.
unsigned bankPasses(ArrayRef<Place> Lanes, unsigned Bytes, unsigned Banks,
                    bool IsAtomic) {
  Tally Words;
  unsigned Count[64] = {}, Most = 0;
  for (const Place &P : Lanes)
    for (unsigned B = 0; B < std::max(Bytes, 4u); B += 4) {
      uint32_t Word = uint32_t(P.Address + B) / 4;
      if (IsAtomic || Words[Word]++ == 0)
        Most = std::max(Most, ++Count[Word % std::min(Banks, 64u)]);
    }
  return Most;
}

/// Whether all of some lanes' words lie in as many bytes as the banks give in a
/// cycle, so that each bank has one of them.
bool isNarrow(ArrayRef<Place> Lanes, unsigned Bytes, unsigned Banks) {
  auto [Low, High] = std::minmax_element(
      Lanes.begin(), Lanes.end(),
      [](const Place &A, const Place &B) { return A.Address < B.Address; });
  return High->Address / 4 * 4 + std::max(Bytes, 4u) - Low->Address / 4 * 4 <=
         uint64_t(4) * Banks;
}

/// Wavefronts of the banks of shared memory and L1. Accesses of 64 bits go by
/// half warps, those of 128 bits by quarters.
unsigned bankWavefronts(const Places &Lanes, unsigned Bytes, unsigned Banks,
                        bool IsAtomic) {
  unsigned Together = WarpSize * 4 / std::max(Bytes, 4u), Sum = 0;
  for (unsigned First = 0; First < WarpSize; First += Together) {
    Places Part;
    for (const Place &P : Lanes)
      if (P.Lane / Together * Together == First)
        Part.push_back(P);
    if (!Part.empty())
      Sum += !IsAtomic && isNarrow(Part, Bytes, Banks)
                 ? 1
                 : bankPasses(Part, Bytes, Banks, IsAtomic);
  }
  return Sum;
}

void fillShared(Request &R, const Places &Lanes, unsigned Bytes,
                const isa::ChipInfo &Chip) {
  R.Wavefronts = bankWavefronts(Lanes, Bytes, Chip.SharedBanks,
                                R.Kind == AccessKind::Atomic);
  R.Ideal = divideCeil(Lanes.size() * std::max(Bytes, 4u),
                       Chip.SharedBanks * uint64_t(4));
}

/// How often each sector's most wanted word is asked for.
void countRepeats(Request &R, const Places &Lanes, unsigned Bytes,
                  unsigned SectorBytes) {
  Tally Words, Most; // Most: by sector.
  for (const Place &P : Lanes) {
    unsigned Count = ++Words[P.Address / std::max(Bytes, 4u)];
    unsigned &OfSector = Most[P.Address / SectorBytes];
    OfSector = std::max(OfSector, Count);
  }
  for (uint64_t Sector : R.Sectors)
    R.Repeats.push_back(Most[Sector]);
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
  Tally Different;
  for (const Place &P : Lanes)
    ++Different[P.Address];
  return Different.size();
}

void fillSectors(Request &R, const Places &Lanes, unsigned Bytes,
                 const isa::ChipInfo &Chip) {
  unsigned PerLine = Chip.LineBytes / Chip.SectorBytes;
  Tally Sectors, Lines;
  uint64_t Last = ~uint64_t(0);
  for (const Place &P : Lanes) {
    uint64_t Sector = P.Address / Chip.SectorBytes;
    if (Sector == std::exchange(Last, Sector) || Sectors[Sector]++)
      continue;
    R.Sectors.push_back(Sector);
    ++Lines[Sector / PerLine];
  }
  if (R.Kind == AccessKind::Load && Chip.L1Banks) {
    R.Wavefronts = bankWavefronts(Lanes, Bytes, Chip.L1Banks, false);
    R.Lines = Lines.size();
  } else {
    R.Wavefronts = std::max(
        divideCeil(Lines.size(), Chip.L1LinesPerCycle),
        divideCeil(R.Sectors.size() * Chip.SectorBytes, Chip.L1BytesPerCycle));
  }
  R.Ideal = divideCeil(Lanes.size() * uint64_t(Bytes), Chip.L1BytesPerCycle);
  size_t Distinct = countDistinct(Lanes);
  R.IdealSectors = divideCeil(Distinct * uint64_t(Bytes), Chip.SectorBytes);
  R.IsUniform =
      R.Space == AccessSpace::Global && Distinct == 1 && Lanes.size() > 1;
  if (R.Kind == AccessKind::Atomic)
    countRepeats(R, Lanes, Bytes, Chip.SectorBytes);
}

/// Local memory is laid out so that the lanes' words at an offset are
/// consecutive; above all addresses of global memory. A CTA has that of its
/// place on its core, which the CTA there before it had.
uint64_t localPlace(const Warp &W, uint32_t Offset, unsigned Lane) {
  constexpr uint64_t Base = uint64_t(1) << 60;
  uint64_t Warps = W.Owner->warps().size();
  uint64_t Place =
      uint64_t(W.Owner->Core) * W.Launch->Chip.WarpsPerCore + W.Owner->Place;
  uint64_t Number = Place * Warps + W.Index;
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

std::vector<uint64_t> prefetchedLines(const Warp &W, const DecodedInst &I,
                                      LaneMask Exec) {
  uint64_t Address[WarpSize];
  addresses64(W, I, Address);
  std::vector<uint64_t> Lines;
  for (unsigned L : lanes(Exec))
    if (W.Owner->findBlock(Address[L]))
      Lines.push_back(Address[L] / W.Launch->Chip.LineBytes);
  std::sort(Lines.begin(), Lines.end());
  Lines.erase(std::unique(Lines.begin(), Lines.end()), Lines.end());
  return Lines;
}

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
