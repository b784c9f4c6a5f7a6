//===- LiveRegisters.cpp - What code may still read -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Data flow over the decoder's lists of registers. A write behind a guard, or
// by some lanes only, ends no life: the other lanes' values stay.
//
//===----------------------------------------------------------------------===//

#include "Code/LiveRegisters.h"

using heddle::isa::Op;

namespace heddle::emu {

std::vector<uint32_t> successorsOf(const DecodedInst &I, uint32_t PC) {
  if (!I.Execute)
    return {};
  bool IsForAll = I.isUnguarded();
  switch (I.Info->Operation) {
  case Op::BRA:
  case Op::UBRA:
    if (IsForAll)
      return {PC + uint32_t(I.Offset)};
    return {PC + uint32_t(I.Offset), PC + 1};
  case Op::CALL: // A callee comes back through a register.
    return {PC + uint32_t(I.Offset), PC + 1};
  case Op::BRX:
  case Op::RET:
  case Op::EXIT:
    if (IsForAll)
      return {};
    return {PC + 1};
  default:
    return {PC + 1};
  }
}

bool leadsAnywhere(const DecodedInst &I) {
  if (!I.Execute)
    return false;
  switch (I.Info->Operation) {
  case Op::BRX:
  case Op::CALL:
  case Op::CALLR:
  case Op::RET:
    return true;
  default:
    return false;
  }
}

/// Whether lanes go to another place than the next instruction, or may.
static bool endsBlock(const DecodedInst &I) {
  if (!I.Execute || leadsAnywhere(I))
    return true;
  Op O = I.Info->Operation;
  return O == Op::BRA || O == Op::UBRA || O == Op::EXIT;
}

ReachedCode::ReachedCode(
    const CodeImage &Image, uint32_t Entry,
    llvm::function_ref<bool(const DecodedInst &)> EndsBlock)
    : Leaders({Entry}) {
  std::vector<uint32_t> Work = {Entry};
  while (!Work.empty()) {
    uint32_t PC = Work.back();
    Work.pop_back();
    while (PC < Image.Insts.size() && Seen.insert(PC).second) {
      const DecodedInst &I = Image.Insts[PC];
      if (!EndsBlock(I)) {
        ++PC;
        continue;
      }
      for (uint32_t S : successorsOf(I, PC))
        if (S < Image.Insts.size() && Leaders.insert(S).second)
          Work.push_back(S);
      break;
    }
  }
}

uint32_t ReachedCode::lastOf(
    uint32_t Leader, const CodeImage &Image,
    llvm::function_ref<bool(const DecodedInst &)> EndsBlock) const {
  uint32_t Last = Leader;
  while (!EndsBlock(Image.Insts[Last]) && !Leaders.count(Last + 1) &&
         Seen.count(Last + 1))
    ++Last;
  return Last;
}

LiveRegisters::LiveRegisters(const CodeImage &Image, uint32_t Entry)
    : Image(Image) {
  findBlocks(Entry);
  solve();
}

void LiveRegisters::findBlocks(uint32_t Entry) {
  const ReachedCode Reached(Image, Entry, endsBlock);
  for (uint32_t PC : Reached.Leaders)
    Blocks[PC].Last = Reached.lastOf(PC, Image, endsBlock);
  for (uint32_t PC : Reached.Seen)
    for (auto List :
         {Image.reads(Image.Insts[PC]), Image.writes(Image.Insts[PC])})
      for (RegId R : List)
        Named.set(R);
}

void LiveRegisters::solve() {
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (auto It = Blocks.rbegin(); It != Blocks.rend(); ++It) {
      auto &[First, B] = *It;
      RegSet Live = behind(B.Last);
      for (uint32_t PC = B.Last + 1; PC-- != First;)
        stepBack(Live, PC);
      Changed |= Live != B.LiveIn;
      B.LiveIn = Live;
    }
  }
}

void LiveRegisters::stepBack(RegSet &Live, uint32_t PC) const {
  const DecodedInst &I = Image.Insts[PC];
  if (I.isUnguarded())
    for (RegId R : Image.writes(I))
      Live.reset(R);
  for (RegId R : Image.reads(I))
    Live.set(R);
}

bool LiveRegisters::reaches(uint32_t PC) const {
  auto Next = Blocks.upper_bound(PC);
  return Next != Blocks.begin() && PC <= std::prev(Next)->second.Last;
}

RegSet LiveRegisters::at(uint32_t PC) const {
  if (!reaches(PC))
    return Named;
  const auto &[First, B] = *std::prev(Blocks.upper_bound(PC));
  if (PC == First)
    return B.LiveIn;
  RegSet Live = behind(B.Last);
  for (uint32_t At = B.Last + 1; At-- != PC;)
    stepBack(Live, At);
  return Live;
}

RegSet LiveRegisters::behind(uint32_t PC) const {
  const DecodedInst &I = Image.Insts[PC];
  if (leadsAnywhere(I))
    return Named;
  RegSet Live;
  for (uint32_t S : successorsOf(I, PC))
    Live |= at(S);
  return Live;
}

} // namespace heddle::emu
