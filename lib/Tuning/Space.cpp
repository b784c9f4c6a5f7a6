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

/// The axis of the dimension among the three that begin with \p First.
static std::optional<size_t> axisOf(const Dimension &D, Knob First) {
  const KnobInfo *K = findKnob(D.Name);
  auto Begin = static_cast<size_t>(First);
  auto Id = K ? static_cast<size_t>(K->Id) : 0;
  return Id >= Begin && Id < Begin + std::tuple_size_v<Extents>
             ? std::optional(Id - Begin)
             : std::nullopt;
}

Point Space::possible(Point P, Knob First, ArrayRef<Extents> Shapes) const {
  if (Shapes.empty())
    return P;
  // As Shapes have it: an extent of 0 is that of the first one.
  Extents Wanted = Shapes.front();
  for (auto [D, Index] : zip(All, P))
    if (std::optional<size_t> Axis = axisOf(D, First);
        Axis && D.Values[Index] != 0)
      Wanted[*Axis] = D.Values[Index];
  auto InCommon = [&](const Extents &B) {
    return (B[0] == Wanted[0]) + (B[1] == Wanted[1]) + (B[2] == Wanted[2]);
  };
  const Extents &Best = *std::max_element(
      Shapes.begin(), Shapes.end(), [&](const Extents &A, const Extents &B) {
        return InCommon(A) < InCommon(B);
      });
  if (Best == Wanted)
    return P;
  for (auto [D, Index] : zip(All, P))
    if (std::optional<size_t> Axis = axisOf(D, First)) {
      int64_t Extent = Best[*Axis] == Shapes.front()[*Axis] ? 0 : Best[*Axis];
      Index = static_cast<unsigned>(find(D.Values, Extent) - D.Values.begin());
    }
  return P;
}

Point Space::possible(Point P) const {
  P = possible(std::move(P), Knob::BlockX, Launches.Blocks);
  return possible(std::move(P), Knob::GridX, Launches.Grids);
}

static Dimension dimensionOf(const KnobInfo &K, std::string Name) {
  Dimension D{std::move(Name), {K.Domain.begin(), K.Domain.end()}, 0};
  D.Default =
      static_cast<unsigned>(find(D.Values, K.Default) - D.Values.begin());
  assert(D.Default != D.Values.size() && "the default is not in the domain");
  return D;
}

/// An extent of what a kernel may be launched with; none if it is always the
/// same.
static std::optional<Dimension> extentOf(const KnobInfo &K,
                                         const LaunchShapes &Launches) {
  bool IsGrid = K.Id >= Knob::GridX;
  ArrayRef<Extents> Shapes = IsGrid ? Launches.Grids : Launches.Blocks;
  size_t Axis = static_cast<size_t>(K.Id) -
                static_cast<size_t>(IsGrid ? Knob::GridX : Knob::BlockX);
  std::set<int64_t> Values;
  for (const Extents &B : Shapes)
    if (B[Axis] != Shapes.front()[Axis])
      Values.insert(B[Axis]);
  if (Values.empty())
    return std::nullopt;
  Dimension D{K.Name.str(), {K.Default}, 0};
  D.Values.insert(D.Values.end(), Values.begin(), Values.end());
  return D;
}

/// Adds a value to a dimension, at its place.
static void addValue(Dimension &D, int64_t Value) {
  int64_t Default = D.Values[D.Default];
  auto At = lower_bound(D.Values, Value);
  if (At != D.Values.end() && *At == Value)
    return;
  D.Values.insert(At, Value);
  D.Default = static_cast<unsigned>(find(D.Values, Default) - D.Values.begin());
}

Space spaceOf(ArrayRef<LoopShape> Loops, ArrayRef<std::string> Only,
              const LaunchShapes &Launches,
              ArrayRef<std::pair<Knob, int64_t>> More) {
  // Loops beyond these are left to the compiler.
  constexpr size_t MostLoops = 6;
  std::vector<Dimension> All;
  for (const KnobInfo &K : knobTable()) {
    if (K.Scope == KnobScope::Instruction)
      continue; // a search of its own
    if (K.Scope == KnobScope::Launch) {
      if (std::optional<Dimension> D = extentOf(K, Launches))
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
  for (const auto &[Id, Value] : More)
    for (Dimension &D : All)
      if (StringRef(D.Name).split('@').first == knobInfo(Id).Name)
        addValue(D, Value);
  return Space(std::move(All), Launches);
}

} // namespace heddle::tuning
