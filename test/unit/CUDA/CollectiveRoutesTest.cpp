//===- CollectiveRoutesTest.cpp - Rings and trees of ranks ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries out the steps of all ranks on the host, where a value is a set of
// ranks whose parts were added: each has to be in it once.
//
//===----------------------------------------------------------------------===//

#include "Collectives/Routes.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

#include <deque>
#include <map>
#include <numeric>
#include <random>

using namespace heddle::cuda::collectives;

namespace {

/// How often each rank's part of an element is in a value, and whose element of
/// its buffer.
struct Value {
  std::map<unsigned, unsigned> Ranks = {};
  uint64_t Index = 0;
  bool IsWhole = false;

  bool operator==(const Value &Other) const {
    return Ranks == Other.Ranks && Index == Other.Index;
  }
};

/// The ranks of a group, whose elements are parts as a whole.
class Simulation {
public:
  explicit Simulation(std::vector<Route> Routes) : Routes(std::move(Routes)) {}

  /// False if ranks wait for each other for ever.
  bool run();
  /// By rank and element.
  std::map<std::pair<unsigned, uint64_t>, Value> Results;

private:
  bool advance(unsigned Rank);

  const std::vector<Route> Routes;
  std::vector<unsigned> Done = std::vector<unsigned>(Routes.size());
  std::map<std::pair<unsigned, unsigned>, std::deque<Value>> Slots;
};

bool Simulation::advance(unsigned Rank) {
  const Route &R = Routes[Rank];
  if (Done[Rank] == R.NumSteps)
    return false;
  const Step &S = R.Steps[Done[Rank]];
  for (unsigned I = 0; I != S.NumFrom; ++I)
    if (Slots[{S.From[I], Rank}].empty())
      return false;
  for (unsigned I = 0; I != S.NumTo; ++I)
    if (Slots[{Rank, S.To[I]}].size() == PairSlots)
      return false;
  ++Done[Rank];
  Value V;
  bool IsAny = false;
  if (S.Flags & Step::TakesOwn) {
    V.Ranks[Rank] = 1;
    V.Index = S.Part * R.SendStride;
    IsAny = true;
  }
  for (unsigned I = 0; I != S.NumFrom; ++I) {
    Value Came = Slots[{S.From[I], Rank}].front();
    Slots[{S.From[I], Rank}].pop_front();
    EXPECT_EQ(Came.IsWhole, !(S.Flags & Step::Reduces));
    EXPECT_TRUE(!IsAny || Came.Index == V.Index);
    V.Index = Came.Index;
    IsAny = true;
    for (auto [Other, Times] : Came.Ranks)
      V.Ranks[Other] += Times;
  }
  V.IsWhole = !(S.Flags & Step::Reduces) || (S.Flags & Step::Finishes);
  for (unsigned I = 0; I != S.NumTo; ++I)
    Slots[{Rank, S.To[I]}].push_back(V);
  if (S.Flags & Step::Stores)
    EXPECT_TRUE(
        Results.try_emplace({Rank, S.Part * R.ReceiveStride}, V).second);
  return true;
}

bool Simulation::run() {
  for (bool IsAny = true; IsAny;) {
    IsAny = false;
    for (unsigned Rank = 0; Rank != Routes.size(); ++Rank)
      IsAny |= advance(Rank);
  }
  for (unsigned Rank = 0; Rank != Routes.size(); ++Rank)
    if (Done[Rank] != Routes[Rank].NumSteps)
      return false;
  return llvm::all_of(Slots, [](const auto &S) { return S.second.empty(); });
}

std::map<unsigned, unsigned> allOf(unsigned NumRanks) {
  std::map<unsigned, unsigned> All;
  for (unsigned R = 0; R != NumRanks; ++R)
    All[R] = 1;
  return All;
}

std::vector<unsigned> someRing(unsigned NumRanks) {
  std::vector<unsigned> Ring(NumRanks);
  std::iota(Ring.begin(), Ring.end(), 0);
  std::shuffle(Ring.begin(), Ring.end(), std::mt19937(NumRanks));
  return Ring;
}

constexpr uint64_t Count = 1000;
constexpr unsigned SomeSizes[] = {1, 2, 3, 4, 7, 8, 64};

template <typename Fn> void forRings(CollectiveKind Kind, Fn Check) {
  for (unsigned N : SomeSizes) {
    SCOPED_TRACE(N);
    unsigned Root = N / 3;
    std::vector<Route> Routes;
    for (unsigned Rank = 0; Rank != N; ++Rank)
      Routes.push_back(ringRoute(Kind, someRing(N), Rank, Root, Count));
    Simulation S(Routes);
    ASSERT_TRUE(S.run());
    Check(S, N, Root, Routes.front());
  }
}

} // namespace

TEST(CollectiveRoutes, AllReduceByRings) {
  forRings(CollectiveKind::AllReduce,
           [](Simulation &S, unsigned N, unsigned, const Route &R) {
             EXPECT_EQ(S.Results.size(), size_t(N) * N);
             EXPECT_GE(N * R.PartCount, Count);
             for (const auto &[Place, V] : S.Results)
               EXPECT_EQ(V, (Value{allOf(N), Place.second}));
           });
}

TEST(CollectiveRoutes, ReduceScatterByRings) {
  forRings(CollectiveKind::ReduceScatter,
           [](Simulation &S, unsigned N, unsigned, const Route &) {
             EXPECT_EQ(S.Results.size(), N);
             for (const auto &[Place, V] : S.Results)
               EXPECT_EQ(V, (Value{allOf(N), Place.first * Count}));
           });
}

TEST(CollectiveRoutes, AllGatherByRings) {
  forRings(CollectiveKind::AllGather,
           [](Simulation &S, unsigned N, unsigned, const Route &) {
             EXPECT_EQ(S.Results.size(), size_t(N) * N);
             for (const auto &[Place, V] : S.Results)
               EXPECT_EQ(V, (Value{{{unsigned(Place.second / Count), 1}}, 0}));
           });
}

TEST(CollectiveRoutes, ReduceAndBroadcastByRings) {
  forRings(CollectiveKind::Reduce,
           [](Simulation &S, unsigned N, unsigned Root, const Route &) {
             ASSERT_EQ(S.Results.size(), 1u);
             EXPECT_EQ(S.Results.begin()->first.first, Root);
             EXPECT_EQ(S.Results.begin()->second, (Value{allOf(N), 0}));
           });
  forRings(CollectiveKind::Broadcast,
           [](Simulation &S, unsigned N, unsigned Root, const Route &) {
             EXPECT_EQ(S.Results.size(), N);
             for (const auto &[Place, V] : S.Results)
               EXPECT_EQ(V, (Value{{{Root, 1}}, 0}));
           });
}

/// A rank has as many children as a step has places, and chains behind them.
TEST(CollectiveRoutes, AllReduceByTrees) {
  for (unsigned N : SomeSizes) {
    SCOPED_TRACE(N);
    std::vector<TreePlace> Places(N);
    for (unsigned R = 1; R != N; ++R) {
      unsigned Parent = (R - 1) / Step::MostPeers;
      Places[R].Parent = Parent;
      Places[Parent].Children.push_back(R);
    }
    std::vector<Route> Routes;
    for (const TreePlace &P : Places)
      Routes.push_back(treeRoute(P, Count));
    Simulation S(Routes);
    ASSERT_TRUE(S.run());
    EXPECT_EQ(S.Results.size(), N);
    for (const auto &[Place, V] : S.Results)
      EXPECT_EQ(V, (Value{allOf(N), 0}));
  }
}
