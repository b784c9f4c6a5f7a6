//===- Search.cpp - Searching a space of decisions --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Keeps strategies from trying a point twice, and finds the end of a space.
//
//===----------------------------------------------------------------------===//

#include "heddle/Tuning/Search.h"

#include "RandomPoints.h"

using namespace llvm;

namespace heddle::tuning {

/// How often a strategy may ask for points already tried before another place
/// is chosen for it.
static constexpr unsigned MostRepeats = 64;

Search::Search(const Space &S, StrategyKind Kind, uint64_t Seed,
               std::vector<Point> Starts)
    : S(S), Starts(std::move(Starts)), Chooser(createStrategy(Kind, S, Seed)),
      Fallback(createStrategy(StrategyKind::Random, S, ~Seed)) {}

/// A point not yet given out, wherever; none if there is none.
std::optional<Point> Search::anyNew() {
  for (unsigned I = 0; I != MostRepeats; ++I)
    if (Point P = Fallback->ask(); !Costs.count(P))
      return P;
  // So few are left that counting through is shorter; the space is small.
  for (uint64_t I = 0, N = S.size(); I != N; ++I)
    if (Point P = S.at(I); !Costs.count(P))
      return P;
  return std::nullopt;
}

/// What the strategy wants next, or another point if it repeats itself.
std::optional<Point> Search::choose() {
  if (Costs.empty())
    return S.defaults();
  if (Costs.size() == S.size())
    return std::nullopt;
  while (NextStart != Starts.size())
    if (const Point &P = Starts[NextStart++]; !Costs.count(P))
      return P;
  for (unsigned I = 0; I != MostRepeats; ++I) {
    Point Asked = Chooser->ask();
    Point P = S.possible(Asked);
    if (P != Asked)
      Chooser->tell(Asked, Unusable);
    auto Known = Costs.find(P);
    if (Known == Costs.end())
      return P;
    if (Known->second)
      Chooser->tell(P, *Known->second);
  }
  return anyNew();
}

std::optional<Point> Search::next() {
  std::optional<Point> P = choose();
  if (P)
    Costs.emplace(*P, std::nullopt);
  return P;
}

void Search::record(const Point &P, double Cost) {
  Costs[P] = Cost;
  Trials.push_back({P, Cost});
  if (Cost != Unusable && (!Best || Cost < Trials[*Best].Cost))
    Best = Trials.size() - 1;
  Chooser->tell(P, Cost);
}

const Trial *Search::best() const { return Best ? &Trials[*Best] : nullptr; }

} // namespace heddle::tuning
