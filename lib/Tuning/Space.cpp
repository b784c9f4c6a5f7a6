//===- Space.cpp - Searching a space of decisions ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Points and what they stand for.
//
//===----------------------------------------------------------------------===//

#include "heddle/Tuning/Search.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <set>

using namespace llvm;

namespace heddle::tuning {

uint64_t Space::size() const {
  uint64_t N = 1;
  for (const Dimension &D : All)
    N = SaturatingMultiply<uint64_t>(N, D.Values.size());
  return N;
}

Point Space::at(uint64_t Index) const {
  Point P(All.size());
  for (size_t I = All.size(); I-- != 0;) {
    P[I] = static_cast<unsigned>(Index % All[I].Values.size());
    Index /= All[I].Values.size();
  }
  return P;
}

Point Space::defaults() const {
  Point P;
  for (const Dimension &D : All)
    P.push_back(D.Default);
  return P;
}

Configuration Space::configuration(const Point &P) const {
  Configuration C;
  for (auto [D, Index] : zip(All, P))
    if (Index != D.Default)
      C[D.Name] = D.Values[Index];
  return C;
}

Configuration Space::allDecisions(const Point &P) const {
  Configuration C;
  for (auto [D, Index] : zip(All, P))
    C[D.Name] = D.Values[Index];
  return C;
}

Point Space::nearest(const Configuration &C) const {
  Point P = defaults();
  for (auto [D, Index] : zip(All, P))
    if (auto Decided = C.find(D.Name); Decided != C.end())
      if (auto At = find(D.Values, Decided->second); At != D.Values.end())
        Index = static_cast<unsigned>(At - D.Values.begin());
  return P;
}

/// Which extent of blocks a dimension is; none if it is no extent.
static std::optional<size_t> axisOf(const Dimension &D) {
  const KnobInfo *K = findKnob(D.Name);
  if (!K || K->Scope != KnobScope::Launch)
    return std::nullopt;
  return static_cast<size_t>(K->Id) - static_cast<size_t>(Knob::BlockX);
}

Point Space::possible(Point P) const {
  if (Blocks.empty())
    return P;
  // As Blocks have it: an extent of 0 is that of the first one.
  BlockShape Wanted = Blocks.front();
  for (auto [D, Index] : zip(All, P))
    if (std::optional<size_t> Axis = axisOf(D); Axis && D.Values[Index] != 0)
      Wanted[*Axis] = D.Values[Index];
  auto InCommon = [&](const BlockShape &B) {
    return (B[0] == Wanted[0]) + (B[1] == Wanted[1]) + (B[2] == Wanted[2]);
  };
  const BlockShape &Best =
      *std::max_element(Blocks.begin(), Blocks.end(),
                        [&](const BlockShape &A, const BlockShape &B) {
                          return InCommon(A) < InCommon(B);
                        });
  if (Best == Wanted)
    return P;
  for (auto [D, Index] : zip(All, P))
    if (std::optional<size_t> Axis = axisOf(D)) {
      int64_t Extent = Best[*Axis] == Blocks.front()[*Axis] ? 0 : Best[*Axis];
      Index = static_cast<unsigned>(find(D.Values, Extent) - D.Values.begin());
    }
  return P;
}

static Dimension dimensionOf(const KnobInfo &K, std::string Name) {
  Dimension D{std::move(Name), {K.Domain.begin(), K.Domain.end()}, 0};
  D.Default =
      static_cast<unsigned>(find(D.Values, K.Default) - D.Values.begin());
  assert(D.Default != D.Values.size() && "the default is not in the domain");
  return D;
}

/// One extent of the blocks, if there is a choice.
static std::optional<Dimension> extentOf(const KnobInfo &K,
                                         ArrayRef<BlockShape> Blocks) {
  size_t Axis = static_cast<size_t>(K.Id) - static_cast<size_t>(Knob::BlockX);
  std::set<int64_t> Values;
  for (const BlockShape &B : Blocks)
    if (B[Axis] != Blocks.front()[Axis])
      Values.insert(B[Axis]);
  if (Values.empty())
    return std::nullopt;
  Dimension D{K.Name.str(), {K.Default}, 0};
  D.Values.insert(D.Values.end(), Values.begin(), Values.end());
  return D;
}

Space spaceOf(ArrayRef<LoopShape> Loops, ArrayRef<std::string> Only,
              ArrayRef<BlockShape> Blocks) {
  // Loops beyond these are left to the compiler.
  constexpr size_t MostLoops = 6;
  std::vector<Dimension> All;
  for (const KnobInfo &K : knobTable()) {
    if (K.Scope == KnobScope::Instruction)
      continue; // a search of its own
    if (K.Scope == KnobScope::Launch) {
      if (std::optional<Dimension> D = extentOf(K, Blocks))
        All.push_back(std::move(*D));
    } else if (K.Scope == KnobScope::Function) {
      All.push_back(dimensionOf(K, K.Name.str()));
    } else {
      for (size_t I = 0, N = std::min(Loops.size(), MostLoops); I != N; ++I)
        All.push_back(dimensionOf(K, (K.Name + "@" + Twine(I)).str()));
    }
  }
  if (!Only.empty())
    erase_if(All, [&](const Dimension &D) {
      return !is_contained(Only, D.Name) &&
             !is_contained(Only, StringRef(D.Name).split('@').first);
    });
  return Space(std::move(All), Blocks);
}

} // namespace heddle::tuning
