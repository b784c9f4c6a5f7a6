//===- CollectiveModelTest.cpp - How long collectives take ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What holds on every machine: the closed formulas, and that nothing gets
// slower by more bandwidth, fewer bytes or less latency.
//
//===----------------------------------------------------------------------===//

#include "heddle/Fabric/CollectiveModel.h"
#include "llvm/ADT/STLExtras.h"
#include "gtest/gtest.h"

using namespace heddle::fabric;
using llvm::cantFail;

namespace {

struct Description {
  double Port = 450, PortLatency = 600, Cards = 8, Card = 50,
         CardLatency = 2000, Oversubscription = 1;
  bool HasSwitch = true, Reduces = true, HasRails = true;
  unsigned Hosts = 128, HostsPerLeaf = 32;

  CollectiveModel model() const {
    auto number = [](double V) { return std::to_string(V); };
    auto whole = [](double V) { return std::to_string(int64_t(V)); };
    std::string Text = R"({"devices": [{"chip": "hd100", "count": 8}], )";
    if (HasSwitch)
      Text += R"("switch": {"gb_per_second": )" + number(Port) +
              R"(, "latency_ns": )" + whole(PortLatency) + R"(, "reduces": )" +
              (Reduces ? "true" : "false") + "}, ";
    Text += R"("hosts": {"count": )" + whole(Hosts) + R"(, "cards": )" +
            whole(Cards) + R"(, "gb_per_second": )" + number(Card) +
            R"(, "latency_ns": )" + whole(CardLatency) +
            R"(, "hosts_per_leaf": )" + whole(HostsPerLeaf) +
            R"(, "oversubscription": )" + number(Oversubscription) +
            R"(, "rails": )" + (HasRails ? "true" : "false") + "}}";
    return CollectiveModel(cantFail(Machine::parseJSON(Text)));
  }
};

constexpr Collective AllCollectives[] = {
    Collective::AllReduce, Collective::AllGather, Collective::ReduceScatter,
    Collective::Broadcast, Collective::AllToAll};
constexpr Group SomeGroups[] = {{1, 1}, {1, 2}, {1, 8},  {2, 1},  {2, 8},
                                {3, 8}, {8, 8}, {32, 8}, {33, 8}, {128, 8}};

std::vector<uint64_t> someSizes() {
  std::vector<uint64_t> Sizes;
  for (uint64_t Size = 1; Size <= uint64_t(1) << 36; Size *= 2)
    for (uint64_t Odd : {Size, Size + Size / 2})
      Sizes.push_back(Odd);
  return Sizes;
}

double timeOf(const CollectiveModel &M, Collective C, Group G, uint64_t Bytes) {
  return fastest(M.ways(C, G, Bytes)).total();
}

/// The only way with that algorithm and protocol.
CollectiveTime wayOf(const CollectiveModel &M, Collective C, Group G,
                     uint64_t Bytes, Algorithm A, Protocol P) {
  for (const CollectiveTime &T : M.ways(C, G, Bytes))
    if (T.Way == A && T.Messages == P)
      return T;
  ADD_FAILURE() << "no such way";
  return {};
}

bool hasWay(const CollectiveModel &M, Collective C, Group G, Algorithm A) {
  return llvm::any_of(M.ways(C, G, 1 << 20),
                      [&](const CollectiveTime &T) { return T.Way == A; });
}

/// Checks that B is nowhere slower than A.
void expectNotSlower(const Description &A, const Description &B,
                     const char *What) {
  CollectiveModel First = A.model(), Second = B.model();
  for (Collective C : AllCollectives)
    for (Group G : SomeGroups)
      for (uint64_t Bytes : {uint64_t(8), uint64_t(1) << 20, uint64_t(1) << 30})
        EXPECT_LE(timeOf(Second, C, G, Bytes),
                  timeOf(First, C, G, Bytes) * (1 + 1e-12))
            << What << ": " << nameOf(C).str() << " " << G.Hosts << "x"
            << G.DevicesPerHost << " " << Bytes;
}

TEST(CollectiveModel, OneDeviceHasNothingToDo) {
  CollectiveModel M = Description().model();
  for (Collective C : AllCollectives) {
    CollectiveTime T = fastest(M.ways(C, {1, 1}, 1 << 30));
    EXPECT_EQ(T.total(), 0) << nameOf(C).str();
    EXPECT_EQ(T.limit(), Limit::Nothing);
  }
}

// Of each byte 2 (n - 1) / n go over each link of a ring, and each of its
// 2 (n - 1) steps has the latency of a link and 3 us of the protocol.
TEST(CollectiveModel, RingsInAHostHaveTheClosedFormula) {
  CollectiveModel M = Description().model();
  for (unsigned N : {2u, 3u, 8u}) {
    for (uint64_t Bytes : {uint64_t(1) << 20, uint64_t(1) << 30}) {
      double PerUs = 450e3 * 0.81, Steps = N - 1;
      CollectiveTime T = wayOf(M, Collective::AllReduce, {1, N}, Bytes,
                               Algorithm::Ring, Protocol::Simple);
      EXPECT_DOUBLE_EQ(T.Transfer, 2 * Steps / N * Bytes / PerUs);
      EXPECT_DOUBLE_EQ(T.Latency, 8.4 + 2 * Steps * (0.6 + 3.0));
      T = wayOf(M, Collective::AllGather, {1, N}, Bytes, Algorithm::Ring,
                Protocol::Simple);
      EXPECT_DOUBLE_EQ(T.Transfer, Steps / N * Bytes / PerUs);
      EXPECT_DOUBLE_EQ(T.Latency, 8.4 + Steps * (0.6 + 3.0));
      T = wayOf(M, Collective::Broadcast, {1, N}, Bytes, Algorithm::Ring,
                Protocol::Simple);
      EXPECT_DOUBLE_EQ(T.Transfer, Bytes / PerUs);
    }
  }
}

TEST(CollectiveModel, RingsOfHostsHaveTheRateOfTheirCards) {
  CollectiveModel M = Description().model();
  for (unsigned Hosts : {2u, 4u, 32u}) {
    unsigned N = Hosts * 8;
    CollectiveTime T =
        wayOf(M, Collective::AllReduce, {Hosts, 8}, uint64_t(1) << 32,
              Algorithm::Ring, Protocol::Simple);
    EXPECT_DOUBLE_EQ(T.Transfer, 2.0 * (N - 1) / N * (uint64_t(1) << 32) /
                                     (8 * 50e3 * 0.9));
    EXPECT_DOUBLE_EQ(T.Latency, 8.4 + 2 * (Hosts - 1) * (2.0 + 12.0) +
                                    2 * (N - Hosts) * 3.6);
    EXPECT_EQ(T.limit(), Limit::Network);
  }
  // A device alone in its host has the card next to it.
  CollectiveTime T = wayOf(M, Collective::AllReduce, {2, 1}, 1 << 30,
                           Algorithm::Ring, Protocol::Simple);
  EXPECT_DOUBLE_EQ(T.Transfer, (1 << 30) / (50e3 * 0.9));
}

TEST(CollectiveModel, TreesHaveTheDepthOfTheirHosts) {
  CollectiveModel M = Description().model();
  auto latency = [&](unsigned Hosts) {
    return wayOf(M, Collective::AllReduce, {Hosts, 8}, 8, Algorithm::Tree,
                 Protocol::LL)
        .Latency;
  };
  EXPECT_DOUBLE_EQ(latency(1), 6.8 + 2 * 7 * 0.6);
  EXPECT_DOUBLE_EQ(latency(2), latency(1) + 2 * 5.0);
  EXPECT_DOUBLE_EQ(latency(3), latency(1) + 4 * 5.0);
  EXPECT_DOUBLE_EQ(latency(4), latency(1) + 4 * 5.0);
  EXPECT_DOUBLE_EQ(latency(32), latency(1) + 10 * 5.0);
  // Beyond a leaf each step has two switches more, of 0.3 us.
  EXPECT_DOUBLE_EQ(latency(128), latency(1) + 14 * 5.6);
}

TEST(CollectiveModel, MoreBytesTakeNoLess) {
  for (bool HasSwitch : {true, false}) {
    Description D;
    D.HasSwitch = HasSwitch;
    CollectiveModel M = D.model();
    for (Collective C : AllCollectives)
      for (Group G : SomeGroups) {
        double Last = 0;
        for (uint64_t Bytes : someSizes()) {
          double Now = timeOf(M, C, G, Bytes);
          EXPECT_GE(Now, Last) << nameOf(C).str() << " " << Bytes;
          Last = Now;
        }
      }
  }
}

TEST(CollectiveModel, MoreOfALinkIsNeverSlower) {
  Description D;
  for (bool Reduces : {true, false})
    for (bool HasRails : {true, false}) {
      D.Reduces = Reduces;
      D.HasRails = HasRails;
      auto with = [&](auto Change) {
        Description Changed = D;
        Change(Changed);
        return Changed;
      };
      expectNotSlower(D, with([](auto &E) { E.Port *= 1.5; }), "port");
      expectNotSlower(D, with([](auto &E) { E.Card *= 1.5; }), "card");
      expectNotSlower(D, with([](auto &E) { E.Cards *= 2; }), "cards");
      expectNotSlower(D, with([](auto &E) { E.PortLatency /= 2; }),
                      "latency of a port");
      expectNotSlower(D, with([](auto &E) { E.CardLatency /= 2; }),
                      "latency of a card");
      expectNotSlower(D, with([](auto &E) { E.HostsPerLeaf *= 4; }), "leaves");
      expectNotSlower(with([](auto &E) { E.Oversubscription = 64; }), D,
                      "oversubscription");
      expectNotSlower(with([](auto &E) { E.Reduces = false; }), D, "switch");
    }
}

// A switch of the network whose links upwards carry a 64th of what comes from
// its 32 hosts holds up rings, and whoever sends to all.
TEST(CollectiveModel, UplinksLimitWhatLeavesALeaf) {
  Description D;
  D.Oversubscription = 64;
  CollectiveModel M = D.model();
  for (Collective C : {Collective::AllGather, Collective::AllToAll}) {
    EXPECT_EQ(fastest(M.ways(C, {128, 8}, uint64_t(1) << 34)).limit(),
              Limit::Uplink);
    EXPECT_NE(fastest(M.ways(C, {32, 8}, uint64_t(1) << 34)).limit(),
              Limit::Uplink);
  }
}

TEST(CollectiveModel, WhatIsSentToAllGoesThroughCards) {
  CollectiveModel M = Description().model();
  uint64_t Bytes = uint64_t(1) << 34;
  CollectiveTime T = fastest(M.ways(Collective::AllToAll, {4, 8}, Bytes));
  EXPECT_DOUBLE_EQ(T.Transfer, Bytes * 24.0 / 32 / (50e3 * 0.9));
  EXPECT_EQ(T.limit(), Limit::Network);
  T = fastest(M.ways(Collective::AllToAll, {1, 8}, Bytes));
  EXPECT_DOUBLE_EQ(T.Transfer, Bytes * 7.0 / 8 / (450e3 * 0.81));
  EXPECT_EQ(T.limit(), Limit::Link);
}

TEST(CollectiveModel, SwitchesThatAddNeedOneAndThreeDevices) {
  Description D;
  EXPECT_TRUE(
      hasWay(D.model(), Collective::AllReduce, {1, 8}, Algorithm::NVLS));
  EXPECT_FALSE(
      hasWay(D.model(), Collective::AllReduce, {1, 2}, Algorithm::NVLS));
  EXPECT_TRUE(
      hasWay(D.model(), Collective::AllReduce, {2, 8}, Algorithm::NVLSTree));
  EXPECT_FALSE(
      hasWay(D.model(), Collective::Broadcast, {1, 8}, Algorithm::NVLS));
  D.Reduces = false;
  EXPECT_FALSE(
      hasWay(D.model(), Collective::AllReduce, {1, 8}, Algorithm::NVLS));
}

TEST(CollectiveModel, SeparateLinksMakeTheFastestRing) {
  // The fast links make the ring 0, 2, 1, 3; the slow ones are not used.
  CollectiveModel M(cantFail(Machine::parseJSON(R"({
    "devices": [{"chip": "hd100", "count": 4}],
    "links": [{"between": [0, 1], "gb_per_second": 10},
              {"between": [2, 3], "gb_per_second": 10},
              {"between": [0, 2], "gb_per_second": 100},
              {"between": [1, 2], "gb_per_second": 100},
              {"between": [1, 3], "gb_per_second": 100},
              {"between": [0, 3], "gb_per_second": 100}]})")));
  CollectiveTime T = wayOf(M, Collective::AllGather, {1, 4}, 1 << 30,
                           Algorithm::Ring, Protocol::Simple);
  EXPECT_DOUBLE_EQ(T.Transfer, 0.75 * (1 << 30) / (100e3 * 0.81));
  EXPECT_EQ(T.limit(), Limit::Link);
}

TEST(CollectiveModel, LinesOfLL128NeedNVLink) {
  CollectiveModel M(cantFail(Machine::parse("hd100,hd10")));
  for (const CollectiveTime &T : M.ways(Collective::AllReduce, {1, 2}, 1 << 20))
    EXPECT_NE(T.Messages, Protocol::LL128);
}

TEST(CollectiveModel, AThreadStartsKernelsOneByOne) {
  CollectiveModel M = Description().model();
  CollectiveTime T = fastest(M.ways(Collective::AllReduce, {1, 8}, 8, 8));
  EXPECT_DOUBLE_EQ(T.total(), 40);
  EXPECT_EQ(T.limit(), Limit::Launches);
  EXPECT_EQ(fastest(M.ways(Collective::AllReduce, {1, 8}, 1 << 30, 8)).total(),
            timeOf(M, Collective::AllReduce, {1, 8}, 1 << 30));
}

TEST(CollectiveModel, GroupsFillHosts) {
  CollectiveModel M = Description().model();
  auto group = [&](llvm::StringRef Text) {
    Group G = cantFail(M.parseGroup(Text));
    return std::pair(G.Hosts, G.DevicesPerHost);
  };
  EXPECT_EQ(group("1"), std::pair(1u, 1u));
  EXPECT_EQ(group("8"), std::pair(1u, 8u));
  EXPECT_EQ(group("1024"), std::pair(128u, 8u));
  EXPECT_EQ(group("4x2"), std::pair(4u, 2u));
  auto isFault = [&](llvm::StringRef Text, llvm::StringRef Part) {
    std::string Fault = toString(M.parseGroup(Text).takeError());
    EXPECT_TRUE(llvm::StringRef(Fault).contains(Part)) << Fault;
  };
  isFault("0", "a number of ranks");
  isFault("-8", "a number of ranks");
  isFault("2x", "a number of ranks");
  isFault("0x8", "a number of ranks");
  isFault("12", "do not fill hosts of 8 devices");
  isFault("2x9", "a host has 8 devices");
  isFault("129x8", "the machine has 128 hosts");
  CollectiveModel One(cantFail(Machine::parse("4xhd100")));
  EXPECT_TRUE(llvm::StringRef(toString(One.parseGroup("8").takeError()))
                  .contains("no way to others"));
}

} // namespace

TEST(CollectiveModel, OrdersRingsByLinks) {
  Machine M = cantFail(Machine::parseJSON(R"({
    "devices": [{"chip": "hd100", "count": 4}],
    "links": [
      {"between": [0, 2], "kind": "nvlink", "gb_per_second": 400},
      {"between": [2, 1], "kind": "nvlink", "gb_per_second": 400},
      {"between": [1, 3], "kind": "nvlink", "gb_per_second": 400},
      {"between": [0, 1], "kind": "pcie"}, {"between": [0, 3], "kind": "pcie"},
      {"between": [2, 3], "kind": "pcie"}]})"));
  using Ring = llvm::SmallVector<unsigned>;
  EXPECT_EQ(ringOrder(M, {0, 1, 2, 3}), (Ring{0, 2, 1, 3}));
  EXPECT_EQ(ringOrder(M, {3, 2, 1, 0}), (Ring{3, 1, 2, 0}));
  EXPECT_EQ(ringOrder(M, {0, 3, 1}), (Ring{0, 3, 1}));
  EXPECT_EQ(ringOrder(M, {2}), (Ring{2}));
  // Two devices that a fast link connects, and two that have none.
  CollectiveModel Model(M);
  unsigned Near[] = {0, 2}, Far[] = {0, 3};
  auto Time = [&](llvm::ArrayRef<unsigned> Devices) {
    Group G = {1, 2, Devices};
    return fastest(Model.ways(Collective::AllReduce, G, 1 << 30)).total();
  };
  EXPECT_LT(5 * Time(Near), Time(Far));
}
