//===- LateCode.cpp - Code that is decoded when it is reached ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes a section and all that direct branches lead to from there, before
// any thread runs it.
//
//===----------------------------------------------------------------------===//

#include "Code/LateCode.h"
#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace llvm;

namespace heddle::emu {

void CodeImage::reachLate(uint32_t PC) const { Late->reach(PC); }

void CodeImage::reachAll() const {
  if (Late)
    Late->reachAll();
}

void LateCode::add(std::string Name, std::vector<uint8_t> Bytes) {
  addSection(Image, std::move(Name), Bytes, Chip);
  Parts.emplace_back(std::move(Bytes));
}

/// The section in which a PC is, or behind all of them.
size_t LateCode::indexOf(uint32_t PC) const {
  auto Behind = partition_point(
      Image.Sections, [&](const CodeSection &S) { return S.First <= PC; });
  size_t Index = Behind - Image.Sections.begin();
  return Index == 0 ? Parts.size() : Index - 1;
}

void LateCode::reach(uint32_t PC) {
  if (PC >= Image.Insts.size())
    return;
  size_t Index = indexOf(PC);
  if (Index < Parts.size() &&
      !Parts[Index].IsThere.load(std::memory_order_acquire))
    reachSection(Index);
}

void LateCode::reachAll() {
  for (size_t Index = 0; Index != Parts.size(); ++Index)
    if (!Parts[Index].IsThere.load(std::memory_order_acquire))
      reachSection(Index);
}

/// Decodes a section, and adds those to \p Next to which it leads.
void LateCode::decode(size_t Index, std::vector<size_t> &Next) {
  Part &P = Parts[Index];
  CodeSection &Section = Image.Sections[Index];
  decodeInto(Image, Section, P.Bytes, Chip, Vectors);
  resolveTargets(Image, Section);
  P.IsDecoded = true;
  P.Bytes = {};
  for (uint32_t N = 0; N != Section.Count; ++N) {
    uint32_t PC = Section.First + N;
    const DecodedInst &I = Image.Insts[PC];
    if (!I.Info || !I.Info->operand(isa::Role::tgt))
      continue;
    uint32_t Target = PC + uint32_t(I.Offset);
    if (Target - Section.First >= Section.Count && Target < Image.Insts.size())
      Next.push_back(indexOf(Target));
  }
}

void LateCode::reachSection(size_t Index) {
  std::lock_guard Lock(Mutex);
  std::vector<size_t> Next = {Index}, Decoded;
  while (!Next.empty()) {
    size_t N = Next.back();
    Next.pop_back();
    if (N >= Parts.size() || Parts[N].IsDecoded)
      continue;
    decode(N, Next);
    Decoded.push_back(N);
  }
  for (size_t N : Decoded)
    Parts[N].IsThere.store(true, std::memory_order_release);
}

} // namespace heddle::emu
