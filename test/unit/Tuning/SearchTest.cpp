//===- SearchTest.cpp - Tests of the ways to search -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every strategy finds good points of functions whose best is known, tries no
// point twice, sees all of a small space, and repeats itself with a seed.
//
//===----------------------------------------------------------------------===//

#include "heddle/Tuning/Search.h"
#include "gtest/gtest.h"

#include <cmath>
#include <set>

using namespace heddle::tuning;

namespace {

/// Five decisions, 4,320 points.
Space mediumSpace() {
  auto Numbers = [](unsigned N) {
    std::vector<int64_t> Values;
    for (unsigned I = 0; I != N; ++I)
      Values.push_back(I);
    return Values;
  };
  return Space({{"a", Numbers(6), 0},
                {"b", Numbers(6), 5},
                {"c", Numbers(5), 2},
                {"d", Numbers(8), 0},
                {"e", Numbers(3), 1}});
}

/// Like times of kernels: a bowl with two decisions that depend on each other,
/// a step, and a third of the points unusable. The least is 100.
double cost(const Point &P) {
  double A = P[0], B = P[1], C = P[2], D = P[3], E = P[4];
  if (P[0] * P[3] > 20 || (P[2] == 4 && P[4] == 2))
    return Unusable;
  return 100 * (1 + 0.03 * (A - 3) * (A - 3) + 0.02 * (B - A) * (B - A) +
                0.05 * std::abs(C - 1) + 0.04 * (D - 5) * (D - 5) +
                (E == 0 ? 0 : 0.15));
}

struct Outcome {
  double Best;
  std::vector<Point> Order;
};

Outcome run(const Space &S, StrategyKind Kind, uint64_t Seed, size_t Trials) {
  Search Way(S, Kind, Seed);
  Outcome O;
  while (O.Order.size() != Trials) {
    std::optional<Point> P = Way.next();
    if (!P)
      break;
    O.Order.push_back(*P);
    Way.record(*P, cost(*P));
  }
  O.Best = Way.best() ? Way.best()->Cost : Unusable;
  return O;
}

class EveryStrategy : public testing::TestWithParam<StrategyInfo> {};

TEST_P(EveryStrategy, BeginsWithTheDefaultsAndTriesNothingTwice) {
  Space S = mediumSpace();
  Outcome O = run(S, GetParam().Kind, 1, 300);
  ASSERT_EQ(O.Order.size(), 300u);
  EXPECT_EQ(O.Order.front(), S.defaults());
  EXPECT_EQ(std::set<Point>(O.Order.begin(), O.Order.end()).size(), 300u);
}

TEST_P(EveryStrategy, SeesAllOfASmallSpace) {
  Space S({{"a", {0, 1, 2}, 1}, {"b", {0}, 0}, {"c", {0, 1, 2, 3}, 0}});
  Search Way(S, GetParam().Kind, 3);
  std::set<Point> Seen;
  while (std::optional<Point> P = Way.next()) {
    ASSERT_TRUE(Seen.insert(*P).second);
    Way.record(*P, (*P)[0] == 2 ? Unusable : 10.0 + (*P)[2]);
  }
  EXPECT_EQ(Seen.size(), S.size());
  EXPECT_EQ(Way.best()->Cost, 10);
}

TEST_P(EveryStrategy, RepeatsItselfWithASeed) {
  Space S = mediumSpace();
  EXPECT_EQ(run(S, GetParam().Kind, 7, 120).Order,
            run(S, GetParam().Kind, 7, 120).Order);
}

TEST_P(EveryStrategy, SurvivesASpaceWithoutAUsablePoint) {
  Space S({{"a", {0, 1, 2}, 1}, {"b", {0, 1, 2}, 0}});
  Search Way(S, GetParam().Kind, 5);
  size_t Count = 0;
  while (std::optional<Point> P = Way.next()) {
    Way.record(*P, Unusable);
    ++Count;
  }
  EXPECT_EQ(Count, S.size());
  EXPECT_EQ(Way.best(), nullptr);
}

TEST_P(EveryStrategy, LooksEverywhereForAUsablePoint) {
  Space S = mediumSpace();
  Search Way(S, GetParam().Kind, 5);
  for (unsigned I = 0; I != 300; ++I) {
    std::optional<Point> P = Way.next();
    ASSERT_TRUE(P);
    ASSERT_EQ(P->size(), S.dimensions().size());
    Way.record(*P, Unusable);
  }
}

INSTANTIATE_TEST_SUITE_P(Search, EveryStrategy,
                         testing::ValuesIn(strategyTable().vec()),
                         [](const auto &Info) {
                           return Info.param.Name.str();
                         });

/// The mean of the best costs over some seeds.
double meanBest(StrategyKind Kind, size_t Trials) {
  Space S = mediumSpace();
  double Sum = 0;
  constexpr unsigned Seeds = 10;
  for (unsigned Seed = 0; Seed != Seeds; ++Seed)
    Sum += run(S, Kind, Seed, Trials).Best;
  return Sum / Seeds;
}

TEST(Search, StrategiesBeatChance) {
  double Chance = meanBest(StrategyKind::Random, 100);
  for (const StrategyInfo &Row : strategyTable())
    if (Row.Kind != StrategyKind::Random)
      EXPECT_LT(meanBest(Row.Kind, 100), Chance) << Row.Name.str();
}

TEST(Search, AutoIsWithinFivePerCentAfterAFortiethOfTheSpace) {
  EXPECT_LT(meanBest(StrategyKind::Auto, 108), 105);
}

/// Two thirds of this space cannot be used, among them the points that would be
/// the best.
TEST(Search, TheModelFindsTheBestThatCanBeUsed) {
  Space S = mediumSpace();
  auto Allowed = [](const Point &P) {
    return P[0] < 3 && P[3] < 5 ? cost(P) : Unusable;
  };
  double Least = Unusable;
  for (uint64_t I = 0; I != S.size(); ++I)
    Least = std::min(Least, Allowed(S.at(I)));
  auto MeanBest = [&](StrategyKind Kind) {
    constexpr unsigned Seeds = 5;
    double Sum = 0;
    for (unsigned Seed = 0; Seed != Seeds; ++Seed) {
      Search Way(S, Kind, Seed);
      for (unsigned I = 0; I != 60; ++I) {
        Point P = *Way.next();
        Way.record(P, Allowed(P));
      }
      Sum += Way.best()->Cost;
    }
    return Sum / Seeds;
  };
  EXPECT_LT(MeanBest(StrategyKind::Bayes), 1.02 * Least);
  EXPECT_GT(MeanBest(StrategyKind::Random), 1.05 * Least);
}

TEST(Search, StartsComeBehindTheDefaults) {
  Space S = mediumSpace();
  Point First = S.nearest({{"a", 3}, {"d", 4}, {"unknown", 1}});
  EXPECT_EQ(First, (Point{3, 5, 2, 4, 1}));
  EXPECT_EQ(S.nearest({{"a", 77}}), S.defaults()) << "a has no such value";
  Search Way(S, StrategyKind::Random, 1, {First, S.defaults(), First});
  EXPECT_EQ(Way.next(), S.defaults());
  EXPECT_EQ(Way.next(), First);
  EXPECT_NE(Way.next(), First);
}

TEST(Search, SizesOfLargeSpacesSaturate) {
  std::vector<Dimension> Many(100, Dimension{"d", {0, 1, 2, 3}, 0});
  EXPECT_EQ(Space(Many).size(), UINT64_MAX);
}

TEST(Search, PointsAreCountedThroughOnce) {
  Space S({{"a", {5, 6}, 0}, {"b", {1, 2, 3}, 0}});
  std::set<Point> Seen;
  for (uint64_t I = 0; I != S.size(); ++I)
    Seen.insert(S.at(I));
  EXPECT_EQ(Seen.size(), 6u);
  EXPECT_EQ(S.at(1), (Point{0, 1}));
}

} // namespace
