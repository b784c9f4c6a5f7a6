//===- Unit.cpp - The code that is translated together ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Blocks end where lanes part, wait or go elsewhere, and where a turn behind a
// barrier does.
//
//===----------------------------------------------------------------------===//

#include "Unit.h"

#include "TimeSlices.h"
#include "heddle/ISA/Effects.h"

#include <algorithm>
#include <set>

using namespace heddle::emu;
using heddle::isa::Op;

namespace heddle::native {

/// Operations after which other lanes or warps run most often.
static bool oftenStops(Op O) {
  switch (O) {
  case Op::BAR:
  case Op::CBAR:
  case Op::BSYNC:
  case Op::BREAK:
  case Op::WARPSYNC:
  case Op::YIELD:
  case Op::NANOSLEEP:
    return true;
  default:
    return false;
  }
}

/// Whether something starts behind the instruction that the group may come to
/// from elsewhere, or ends at it.
static bool endsBlock(const DecodedInst &I) {
  switch (kindOf(I)) {
  case Kind::Branch:
  case Kind::CallTo:
  case Kind::Indirect:
  case Kind::Exit:
  case Kind::Illegal:
    return true;
  case Kind::MayStop:
    return oftenStops(I.Info->Operation);
  default:
    return false;
  }
}

Unit::Unit(const CodeImage &Image, uint32_t Entry)
    : Image(Image), Entry(Entry), Live(Image, Entry) {
  findBlocks(Entry);
  findHot();
  findDirtyRegisters();
}

/// Where turns end behind barriers that are in front of so much straight code.
std::set<uint32_t> Unit::findTurns(const std::set<uint32_t> &Seen) const {
  std::set<uint32_t> Ends;
  for (uint32_t PC : Seen) {
    if (!at(PC).Info || at(PC).Info->Operation != Op::BAR)
      continue;
    uint32_t End = PC + 1;
    while (End <= PC + FirstSlice && Seen.count(End) && !endsBlock(at(End)))
      ++End;
    if (End > PC + FirstSlice && Seen.count(End))
      Ends.insert(End);
  }
  return Ends;
}

void Unit::findBlocks(uint32_t Entry) {
  ReachedCode Reached(Image, Entry, endsBlock);
  std::set<uint32_t> Turns = findTurns(Reached.Seen);
  Reached.Leaders.insert(Turns.begin(), Turns.end());
  for (uint32_t PC : Reached.Leaders) {
    Block &B = Blocks[PC];
    B.EndsTurn = Turns.count(PC) != 0;
    B.First = PC;
    B.Last = Reached.lastOf(PC, Image, endsBlock);
    if (kindOf(at(PC)) != Kind::Illegal)
      B.Entry = static_cast<int32_t>(NumEntries++);
    for (uint32_t S : successorsOf(at(B.Last), B.Last))
      B.Successors.push_back(S);
  }
}

std::optional<std::vector<uint32_t>> Unit::readFirst() const {
  for (const auto &[First, B] : Blocks)
    if (leadsAnywhere(at(B.Last)))
      return std::nullopt;
  std::vector<uint32_t> Rows;
  RegSet Read = liveAt(Entry);
  for (uint32_t Row = 0; Row < ZeroRow; ++Row)
    if (Read[Row])
      Rows.push_back(Row);
  return Rows;
}

bool Unit::isAlone() const {
  if (!readFirst() || liveAt(Entry).any())
    return false;
  for (const auto &[First, B] : Blocks)
    for (uint32_t At = B.First; At <= B.Last; ++At) {
      Kind K = kindOf(this->at(At));
      if (K == Kind::Illegal)
        return false;
      isa::Op O = this->at(At).Info->Operation;
      if (K == Kind::MayStop && O != isa::Op::BSYNC &&
          isa::effects(O).Behind != isa::Flow::Meet)
        return false;
    }
  return true;
}

/// Larger loops bring less by what a round saves at their blocks' borders, and
/// all of their blocks may be left with all of their registers.
static constexpr size_t MostBlocksOfLoop = 8;

/// Units that are hot as a whole, since every warp runs most of them.
static constexpr size_t MostInstructionsOfHot = 256;

void Unit::findHot() {
  size_t Count = 0;
  for (const auto &[First, B] : Blocks)
    Count += B.Last - First + 1;
  if (Count <= MostInstructionsOfHot)
    for (auto &[First, B] : Blocks)
      B.IsHot = true;
  for (auto Last = Blocks.begin(); Last != Blocks.end(); ++Last)
    for (uint32_t Target : Last->second.Successors) {
      if (Target > Last->first)
        continue;
      auto First = Blocks.lower_bound(Target), End = std::next(Last);
      if (std::distance(First, End) <= ptrdiff_t(MostBlocksOfLoop))
        std::for_each(First, End, [](auto &Each) { Each.second.IsHot = true; });
    }
}

void Unit::findDirtyRegisters() {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (auto &[First, B] : Blocks) {
      if (!B.IsHot)
        continue;
      RegSet Dirty = B.DirtyIn;
      for (uint32_t PC = B.First; PC <= B.Last; ++PC)
        for (RegId R : Image.writes(at(PC)))
          Dirty.set(R);
      for (uint32_t S : B.Successors) {
        auto It = Blocks.find(S);
        if (It == Blocks.end() || !It->second.IsHot ||
            (Dirty & ~It->second.DirtyIn).none())
          continue;
        It->second.DirtyIn |= Dirty;
        Changed = true;
      }
    }
  }
}

} // namespace heddle::native
