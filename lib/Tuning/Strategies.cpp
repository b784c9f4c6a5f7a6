//===- Strategies.cpp - Ways to search --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table, and the ways that need no model: random points, local search,
// annealing, a population, and the chooser among them all.
//
//===----------------------------------------------------------------------===//

#include "RandomPoints.h"
#include "Surrogate.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <deque>
#include <map>

using namespace llvm;

namespace heddle::tuning {

static constexpr StrategyInfo Table[] = {
#define HEDDLE_STRATEGY(Id, Name, Help) {StrategyKind::Id, Name, Help},
#include "heddle/Tuning/Strategies.def"
};

ArrayRef<StrategyInfo> strategyTable() { return Table; }

StringRef strategyName(StrategyKind Kind) {
  return Table[static_cast<size_t>(Kind)].Name;
}

std::optional<StrategyKind> findStrategy(StringRef Name) {
  for (const StrategyInfo &Row : Table)
    if (Row.Name == Name)
      return Row.Kind;
  return std::nullopt;
}

namespace {

class RandomStrategy : public Strategy {
public:
  RandomStrategy(const Space &S, uint64_t Seed) : S(S), Random(Seed) {}
  Point ask() override { return Random.anywhere(S); }
  void tell(const Point &, double) override {}

private:
  const Space &S;
  RandomPoints Random;
};

/// All neighbours of a place in random order, the first better one being the
/// next place; where there is none, the search goes on elsewhere.
class LocalStrategy : public Strategy {
public:
  LocalStrategy(const Space &S, uint64_t Seed)
      : S(S), Random(Seed), Here(S.defaults()) {}

  Point ask() override {
    if (Pending.empty() && !Fresh) {
      // A local optimum: on from a few changes of the best place, or anywhere.
      constexpr unsigned Kick = 3;
      bool Anywhere = Random.below(2);
      Here = Anywhere || Best.empty() ? Random.anywhere(S) : Best;
      for (unsigned I = 0; I != Kick; ++I)
        Here = Random.neighbour(S, Here);
      Cost = Unusable;
      Fresh = true;
    }
    return Fresh ? Here : Pending.front();
  }

  void tell(const Point &P, double NewCost) override {
    if (NewCost < BestCost) {
      BestCost = NewCost;
      Best = P;
    }
    if (!Pending.empty() && P == Pending.front())
      Pending.pop_front();
    bool IsHere = Fresh && P == Here;
    if (!IsHere && !(NewCost < Cost))
      return;
    Fresh = false;
    Here = P;
    Cost = NewCost;
    listNeighbours();
  }

private:
  void listNeighbours() {
    Pending.clear();
    for (size_t I = 0; I != Here.size(); ++I)
      for (unsigned V = 0; V != S.dimensions()[I].Values.size(); ++V)
        if (V != Here[I]) {
          Pending.push_back(Here);
          Pending.back()[I] = V;
        }
    for (size_t I = Pending.size(); I > 1; --I)
      std::swap(Pending[I - 1], Pending[Random.below(I)]);
  }

  const Space &S;
  RandomPoints Random;
  Point Here, Best;
  double Cost = Unusable, BestCost = Unusable;
  bool Fresh = true; ///< Here has not been tried yet.
  std::deque<Point> Pending;
};

/// Metropolis' rule on the logarithm of the cost.
class AnnealStrategy : public Strategy {
public:
  AnnealStrategy(const Space &S, uint64_t Seed)
      : S(S), Random(Seed), Here(S.defaults()) {}

  Point ask() override { return Asked = Random.neighbour(S, Here); }

  void tell(const Point &P, double NewCost) override {
    bool IsFirst = Cost == Unusable;
    if (!IsFirst && P != Asked)
      return; // another strategy's
    Temperature *= Cooling;
    if (NewCost == Unusable)
      return;
    double Rise = std::log(NewCost / Cost);
    if (IsFirst || Rise <= 0 ||
        Random.fraction() < std::exp(-Rise / Temperature)) {
      Here = P;
      Cost = NewCost;
    }
    if (Temperature < Coldest) { // again, from here
      Temperature = Hottest;
    }
  }

private:
  /// Rises in the cost's logarithm that are taken once in e times.
  static constexpr double Hottest = 0.1, Coldest = 0.002, Cooling = 0.97;
  const Space &S;
  RandomPoints Random;
  Point Here, Asked;
  double Cost = Unusable, Temperature = Hottest;
};

/// Children of two parents that each won a small tournament.
class GeneticStrategy : public Strategy {
public:
  GeneticStrategy(const Space &S, uint64_t Seed) : S(S), Random(Seed) {}

  Point ask() override {
    if (People.size() < Founders)
      return Random.below(2) ? Random.neighbour(S, S.defaults())
                             : Random.anywhere(S);
    const Point &A = parent(), &B = parent();
    Point Child;
    for (auto [X, Y] : zip(A, B))
      Child.push_back(Random.below(2) ? X : Y);
    for (uint64_t N = Random.below(MostMutations + 1); N != 0; --N)
      Child = Random.neighbour(S, Child);
    return Child;
  }

  void tell(const Point &P, double Cost) override {
    if (Cost == Unusable ||
        is_contained(map_range(People, [](const Trial &T) { return T.Where; }),
                     P))
      return;
    People.push_back({P, Cost});
    if (People.size() <= MostPeople)
      return;
    auto Worst = std::max_element(
        People.begin(), People.end(),
        [](const Trial &A, const Trial &B) { return A.Cost < B.Cost; });
    People.erase(Worst);
  }

private:
  static constexpr size_t Founders = 8, MostPeople = 16;
  static constexpr uint64_t MostMutations = 2;

  const Point &parent() {
    const Trial &A = People[Random.below(People.size())];
    const Trial &B = People[Random.below(People.size())];
    return A.Cost <= B.Cost ? A.Where : B.Where;
  }

  const Space &S;
  RandomPoints Random;
  std::vector<Trial> People;
};

/// All decisions together with middling values, for those that need each other;
/// then one at a time, all others being as in the best point so far, since most
/// do not: of each decision a middling value, then of each the last and the
/// first one, then the others of those that made a difference.
class SingleDecisions {
public:
  explicit SingleDecisions(const Space &S) : S(S), Of(S.dimensions().size()) {
    for (auto [D, Values] : zip(S.dimensions(), Of)) {
      for (unsigned V = 0; V != D.Values.size(); ++V)
        if (V != D.Default)
          Values.Left.push_back(V);
      // One that is not extreme, the last, the first, the rest. Of long domains
      // most that matters is in the lower part.
      size_t N = Values.Left.size();
      Middle.push_back(D.Default);
      auto Middling = Values.Left.begin() +
                      static_cast<ptrdiff_t>(N > 2 ? (N - 1) / 3 : N / 2);
      if (N != 0) {
        std::rotate(Values.Left.begin(), Middling, Middling + 1);
        Middle.back() = Values.Left.front();
      }
      if (Values.Left.size() > 1)
        std::rotate(Values.Left.begin() + 1, Values.Left.end() - 1,
                    Values.Left.end());
    }
  }

  /// The next one from \p Best on, which costs \p Cost; none at the end.
  std::optional<Point> next(const Point &Best, double Cost) {
    if (!std::exchange(HasBegun, true))
      return Middle;
    for (; Round != MostRounds; ++Round, Next = 0)
      for (; Next != Of.size();) {
        Values &V = Of[Next++];
        if (V.Left.empty() || (Round >= Probes && !V.Matters))
          continue;
        Point P = Best.empty() ? S.defaults() : Best;
        P[Next - 1] = V.Left.front();
        V.Left.pop_front();
        Asked[P] = {Next - 1, Cost};
        return P;
      }
    return std::nullopt;
  }

  void tell(const Point &P, double Cost) {
    if (auto A = Asked.find(P); A != Asked.end())
      Of[A->second.first].Matters |= Cost != A->second.second;
  }

private:
  static constexpr unsigned Probes = 3, MostRounds = 64;
  struct Values {
    std::deque<unsigned> Left;
    bool Matters = false; ///< One cost something else than the point before.
  };
  const Space &S;
  std::vector<Values> Of; ///< Each dimension.
  Point Middle;           ///< All middling values.
  bool HasBegun = false;
  std::map<Point, std::pair<size_t, double>> Asked;
  unsigned Round = 0;
  size_t Next = 0;
};

/// The decisions alone first; then the other strategies, alternating. Those
/// whose points improved the best cost lately are asked most often.
class AutoStrategy : public Strategy {
public:
  AutoStrategy(const Space &S, uint64_t Seed) : Random(Seed), Alone(S) {
    for (StrategyKind K : {StrategyKind::Bayes, StrategyKind::Local,
                           StrategyKind::Genetic, StrategyKind::Anneal})
      Arms.push_back({createStrategy(K, S, Seed + Arms.size() + 1), 1.0});
  }

  Point ask() override {
    if (std::optional<Point> P = Alone.next(Best, BestCost))
      return *P;
    Chosen = choose();
    return Arms[Chosen].Way->ask();
  }

  void tell(const Point &P, double Cost) override {
    if (Cost < BestCost) {
      Best = P;
      Gain = BestCost == Unusable ? 0 : std::log(BestCost / Cost);
      BestCost = Cost;
    } else {
      Gain = 0;
    }
    Alone.tell(P, Cost);
    if (Chosen < Arms.size())
      Arms[Chosen].Credit = Fading * Arms[Chosen].Credit + CreditOfGain * Gain;
    for (Arm &A : Arms)
      A.Way->tell(P, Cost);
  }

private:
  static constexpr double Fading = 0.9, CreditOfGain = 10, Curiosity = 0.15;
  struct Arm {
    std::unique_ptr<Strategy> Way;
    double Credit;
  };

  size_t choose() {
    if (Random.fraction() < Curiosity)
      return Random.below(Arms.size());
    auto Most = std::max_element(
        Arms.begin(), Arms.end(),
        [](const Arm &A, const Arm &B) { return A.Credit < B.Credit; });
    return static_cast<size_t>(Most - Arms.begin());
  }

  RandomPoints Random;
  SingleDecisions Alone;
  std::vector<Arm> Arms;
  size_t Chosen = SIZE_MAX; ///< None, while decisions are tried alone.
  Point Best;
  double BestCost = Unusable, Gain = 0;
};

} // namespace

std::unique_ptr<Strategy> createStrategy(StrategyKind Kind, const Space &S,
                                         uint64_t Seed) {
  switch (Kind) {
  case StrategyKind::Random:
    return std::make_unique<RandomStrategy>(S, Seed);
  case StrategyKind::Local:
    return std::make_unique<LocalStrategy>(S, Seed);
  case StrategyKind::Anneal:
    return std::make_unique<AnnealStrategy>(S, Seed);
  case StrategyKind::Genetic:
    return std::make_unique<GeneticStrategy>(S, Seed);
  case StrategyKind::Bayes:
    return createSurrogateStrategy(S, Seed);
  case StrategyKind::Auto:
    return std::make_unique<AutoStrategy>(S, Seed);
  }
  return nullptr;
}

} // namespace heddle::tuning
