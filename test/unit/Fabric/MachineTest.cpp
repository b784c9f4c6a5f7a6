//===- MachineTest.cpp - Lists and files of devices -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a machine is read from, and what is wrong with what is none.
//
//===----------------------------------------------------------------------===//

#include "heddle/Fabric/Machine.h"
#include "llvm/ADT/Twine.h"
#include "gtest/gtest.h"

using namespace heddle::fabric;

namespace {

TEST(Machines, ListsNameChips) {
  auto M = Machine::parse("2xhd100, hd10");
  ASSERT_TRUE(bool(M)) << toString(M.takeError());
  ASSERT_EQ(M->devices().size(), 3u);
  EXPECT_EQ(M->devices()[2].Chip, "hd10");
  EXPECT_EQ(M->link(0, 1).Kind, LinkKind::NVLink);
  EXPECT_EQ(M->link(2, 1).Kind, LinkKind::PCIe);
  for (const char *Bad : {"", "hd99", "0xhd100", "65xhd100", "hd100,", "xhd100",
                          "-1xhd100", "/no/such/file.json"})
    EXPECT_TRUE(errorToBool(Machine::parse(Bad).takeError())) << Bad;
}

TEST(Machines, FilesHaveLinks) {
  auto M = Machine::parseJSON(R"({
    "devices": [{"chip": "hd100", "count": 2, "memory_mb": 512},
                {"chip": "hd10", "clock_mhz": 1000}],
    "links": [{"between": [2, 0], "gb_per_second": 100, "latency_ns": 900}]})");
  ASSERT_TRUE(bool(M)) << toString(M.takeError());
  ASSERT_EQ(M->devices().size(), 3u);
  EXPECT_EQ(M->devices()[1].MemoryBytes, uint64_t(512) << 20);
  EXPECT_EQ(M->devices()[2].ClockMHz, 1000u);
  EXPECT_EQ(M->link(0, 2).BytesPerSecond, 100'000'000'000u);
  EXPECT_EQ(M->link(0, 2).LatencyNs, 900u);
  EXPECT_EQ(M->link(0, 2).Kind, LinkKind::NVLink);
  EXPECT_EQ(M->link(1, 2).Kind, LinkKind::PCIe);
}

TEST(Machines, FaultsInFilesHaveTheirPlace) {
  auto IsFault = [](llvm::StringRef Text, llvm::StringRef Part) {
    std::string Fault = toString(Machine::parseJSON(Text).takeError());
    EXPECT_TRUE(llvm::StringRef(Fault).contains(Part)) << Fault;
  };
  IsFault("{", "1:");
  IsFault("[]", "'devices'");
  IsFault(R"({"devices": [{"chip": "hd100"}, {"chip": "hd"}]})",
          "devices[1]: unknown chip 'hd'");
  IsFault(R"({"devices": [{"chip": "hd100", "count": 65}]})",
          "devices[0].count: a number from 1 to 64");
  IsFault(R"({"devices": [{"chip": "hd100", "memry": 1}]})",
          "devices[0]: unknown key 'memry'");
  IsFault(R"({"devices": [{"chip": "hd100"}],
                          "links": [{"between": [0, 1]}]})",
          "links[0].between");
  IsFault(R"({"devices": [{"chip": "hd100", "count": 2}],
              "links": [{"between": [0, 1], "kind": 7}]})",
          "links[0].kind: 'nvlink' or 'pcie'");
  for (const char *Rate : {"0", "-5", "1e9", "\"fast\""})
    IsFault((R"({"devices": [{"chip": "hd100", "count": 2}],
                "links": [{"between": [0, 1], "gb_per_second": )" +
             llvm::Twine(Rate) + "}]}")
                .str(),
            "links[0].gb_per_second: a number from 0.001 to 100000");
}

TEST(Machines, SwitchesLinkDevicesOfWhichNothingElseIsSaid) {
  auto M = Machine::parseJSON(R"({
    "devices": [{"chip": "hd100", "count": 2}, {"chip": "hd10"}],
    "links": [{"between": [0, 1], "kind": "pcie"}],
    "switch": {"gb_per_second": 12.5, "latency_ns": 400, "reduces": true,
               "source": {"gb_per_second": "a data sheet"}}})");
  ASSERT_TRUE(bool(M)) << toString(M.takeError());
  EXPECT_TRUE(M->deviceSwitch()->Reduces);
  EXPECT_EQ(M->link(0, 1).Kind, LinkKind::PCIe);
  EXPECT_EQ(M->link(1, 2).Kind, LinkKind::NVLink);
  EXPECT_EQ(M->link(1, 2).BytesPerSecond, 12'500'000'000u);
  EXPECT_EQ(M->link(0, 2).LatencyNs, 400u);
  EXPECT_FALSE(M->network());
}

TEST(Machines, HostsHaveANetwork) {
  auto M = Machine::parseJSON(R"({
    "devices": [{"chip": "hd100", "count": 8}],
    "hosts": {"count": 128, "cards": 8, "gb_per_second": 50, "latency_ns": 1500,
              "switch_latency_ns": 250, "rails": false, "hosts_per_leaf": 32,
              "oversubscription": 2.5, "protocols": ["ll", "simple"],
              "source": "nowhere"}})");
  ASSERT_TRUE(bool(M)) << toString(M.takeError());
  ASSERT_TRUE(M->network());
  const HostNetwork &N = *M->network();
  EXPECT_EQ(N.Hosts, 128u);
  EXPECT_EQ(N.Cards, 8u);
  EXPECT_EQ(N.BytesPerSecond, 50'000'000'000u);
  EXPECT_EQ(N.LatencyNs, 1500u);
  EXPECT_EQ(N.SwitchLatencyNs, 250u);
  EXPECT_FALSE(N.HasRails);
  EXPECT_EQ(N.HostsPerLeaf, 32u);
  EXPECT_EQ(N.Oversubscription, 2.5);
  EXPECT_TRUE(N.allows(Protocol::LL));
  EXPECT_FALSE(N.allows(Protocol::LL128));
  EXPECT_TRUE(N.crossesLeaves(33));
  EXPECT_FALSE(N.crossesLeaves(32));
}

TEST(Machines, FaultsOfSwitchesAndHostsHaveTheirPlace) {
  auto IsFault = [](llvm::StringRef Rest, llvm::StringRef Part) {
    std::string Text =
        (R"({"devices": [{"chip": "hd100", "count": 8}], )" + Rest + "}").str();
    std::string Fault = toString(Machine::parseJSON(Text).takeError());
    EXPECT_TRUE(llvm::StringRef(Fault).contains(Part)) << Fault;
  };
  IsFault(R"("switch": 7)", "switch: an object");
  IsFault(R"("switch": {"gb_per_second": 0})",
          "switch.gb_per_second: a number from 0.001");
  IsFault(R"("switch": {"latency_ns": -1})", "switch.latency_ns: a number");
  IsFault(R"("switch": {"reduces": 1})", "switch.reduces: true or false");
  IsFault(R"("switch": {"rate": 1})", "switch: unknown key 'rate' (known: ");
  IsFault(R"("switch": {"source": 3})", "switch.source: a text");
  IsFault(R"("switch": {"source": {"rate": "x"}})",
          "switch.source: unknown key 'rate'");
  IsFault(R"("switch": {"source": {"latency_ns": 1}})",
          "switch.source.latency_ns: a text");
  IsFault(R"("hosts": [])", "hosts: an object");
  IsFault(R"("hosts": {"count": 2, "cards": 8})",
          "hosts.gb_per_second: is missing");
  IsFault(R"("hosts": {"count": 2, "gb_per_second": 1})",
          "hosts.cards: is missing");
  std::string Whole =
      R"("hosts": {"count": 2, "cards": 1, "gb_per_second": 1,)";
  IsFault(R"("hosts": {"count": 0, "cards": 1, "gb_per_second": 1})",
          "hosts.count: a number from 1 to");
  IsFault(Whole + R"("rails": "no"})", "hosts.rails: true or false");
  IsFault(Whole + R"("hosts_per_leaf": 0})", "hosts.hosts_per_leaf: a number");
  IsFault(Whole + R"("oversubscription": 0.5})",
          "hosts.oversubscription: a number from 1");
  IsFault(Whole + R"("protocols": ["simple", "fast"]})", "hosts.protocols[1]:");
  IsFault(Whole + R"("protocols": ["ll"]})", "hosts.protocols: 'simple'");
}

TEST(Machines, ProgramsSeeAList) {
  auto M = llvm::cantFail(Machine::parse("4xhd100"));
  using Numbers = std::vector<unsigned>;
  EXPECT_EQ(M.visible(std::nullopt), (Numbers{0, 1, 2, 3}));
  EXPECT_EQ(M.visible("2,0"), (Numbers{2, 0}));
  EXPECT_EQ(M.visible(M.devices()[3].uuidText() + ",1"), (Numbers{3, 1}));
  EXPECT_EQ(M.visible("1,9,2"), (Numbers{1})) << "ends at what is none";
  EXPECT_EQ(M.visible("1,1"), (Numbers{1}));
  EXPECT_EQ(M.visible(""), Numbers());
  EXPECT_EQ(M.visible("-1"), Numbers());
  EXPECT_EQ(M.visible("GPU-"), Numbers());
}

} // namespace
