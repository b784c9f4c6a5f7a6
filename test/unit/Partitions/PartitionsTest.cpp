//===- PartitionsTest.cpp - Devices in parts --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts never share cores or memory with others, a change is made as a whole or
// not at all, and what programs see is what was made.
//
//===----------------------------------------------------------------------===//

#include "heddle/Partitions/Partitions.h"
#include "heddle/Clients/Record.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <fstream>
#include <sys/wait.h>
#include <unistd.h>

using namespace heddle::partitions;
using heddle::fabric::Machine;
using namespace llvm;

namespace {

constexpr unsigned OneG = 19, TwoG = 14, ThreeG = 9, FourG = 5, SevenG = 0;

unsigned coresOf(StringRef) { return 132; }

/// Why something was refused; none if it was not.
std::optional<Refusal> reasonOf(Error E) {
  std::optional<Refusal> Why;
  handleAllErrors(
      std::move(E), [&](const RefusedChange &R) { Why = R.Why; },
      [](const ErrorInfoBase &Other) { ADD_FAILURE() << Other.message(); });
  return Why;
}

class PartitionsTest : public testing::Test {
protected:
  void SetUp() override {
    std::string Made = testing::TempDir() + "/heddle-partitions-XXXXXX";
    ASSERT_NE(::mkdtemp(Made.data()), nullptr);
    Folder = Made;
    ::setenv("HEDDLE_CLIENTS", Folder.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("HEDDLE_CLIENTS");
    EXPECT_FALSE(sys::fs::remove_directories(Folder));
  }

  /// A table in which the device is to be divided.
  Partitions enabled() {
    Partitions P;
    EXPECT_EQ(reasonOf(P.enable(Device, true)), std::nullopt);
    return P;
  }
  std::optional<Refusal> create(Partitions &P, unsigned Profile,
                                std::optional<unsigned> Start = std::nullopt) {
    return reasonOf(P.create(Device, Profile, Start).takeError());
  }
  static Partitions read() {
    Expected<Partitions> P = Partitions::read();
    EXPECT_TRUE(bool(P)) << toString(P.takeError());
    return P ? *P : Partitions();
  }

  std::string Folder;
  MachineDevice Device;
};

TEST_F(PartitionsTest, InstancesNeverShare) {
  Partitions P;
  EXPECT_EQ(create(P, OneG), Refusal::NotEnabled);
  P = enabled();
  EXPECT_EQ(create(P, 77), Refusal::Unknown);
  EXPECT_EQ(create(P, FourG), std::nullopt);
  EXPECT_EQ(create(P, FourG), Refusal::NoRoom);
  EXPECT_EQ(create(P, SevenG), Refusal::NoRoom);
  EXPECT_EQ(create(P, TwoG), std::nullopt);
  EXPECT_EQ(create(P, ThreeG), Refusal::NoRoom);
  EXPECT_EQ(create(P, OneG), std::nullopt);
  // Seven slices of cores are given out, though one of memory is left.
  EXPECT_EQ(create(P, OneG), Refusal::NoRoom);
  std::vector<std::pair<unsigned, unsigned>> Ranges;
  Division By = divisionOf(Device.Chip);
  for (const Instance &I : P.of(Device).Instances)
    Ranges.emplace_back(I.Start, I.Start + By.find(I.Profile)->MemorySlices);
  sort(Ranges);
  for (size_t I = 1; I < Ranges.size(); ++I)
    EXPECT_LE(Ranges[I - 1].second, Ranges[I].first);
}

TEST_F(PartitionsTest, PlacesCanBeAskedFor) {
  Partitions P = enabled();
  EXPECT_EQ(create(P, TwoG, 3), Refusal::NoRoom) << "no such place";
  EXPECT_EQ(create(P, TwoG, 2), std::nullopt);
  EXPECT_EQ(create(P, ThreeG, 0), Refusal::NoRoom) << "it is taken";
  EXPECT_EQ(create(P, ThreeG, 4), std::nullopt);
  for (unsigned I = 0; I != 7; ++I)
    EXPECT_EQ(create(P, OneG, I),
              I < 2 ? std::nullopt : std::optional(Refusal::NoRoom));
}

TEST_F(PartitionsTest, EveryProfileFitsAsOftenAsItHasPlaces) {
  for (StringRef Chip : {"hd100", "hd10", "a100-like"}) {
    Device.Chip = Chip.str();
    for (const Profile &Of : divisionOf(Chip).Profiles) {
      Partitions P = enabled();
      for (unsigned I = 0; I != Of.Starts.size(); ++I)
        EXPECT_EQ(create(P, Of.Id), std::nullopt) << Chip.str() << Of.Id;
      EXPECT_EQ(create(P, Of.Id), Refusal::NoRoom);
    }
  }
}

TEST_F(PartitionsTest, ComputeInstancesShareAnInstance) {
  Partitions P = enabled();
  ASSERT_EQ(create(P, ThreeG), std::nullopt);
  auto Compute = [&](unsigned Slices) {
    return reasonOf(P.createCompute(Device, 1, Slices).takeError());
  };
  EXPECT_EQ(Compute(4), Refusal::NoRoom);
  EXPECT_EQ(Compute(2), std::nullopt);
  EXPECT_EQ(Compute(2), Refusal::NoRoom);
  EXPECT_EQ(Compute(1), std::nullopt);
  std::vector<MachineDevice> Parts = partsOf(Device, P, coresOf);
  ASSERT_EQ(Parts.size(), 2u);
  EXPECT_NE(Parts[0].uuid(), Parts[1].uuid());
  EXPECT_TRUE(StringRef(Parts[0].uuidText()).starts_with("MIG-"));
  EXPECT_EQ(Parts[0].Part->Cores, 132u * 2 / 7);
  EXPECT_EQ(Parts[1].Part->Cores, 132u / 7);
  EXPECT_EQ(Parts[0].Part->MemorySlices, 4u);
  EXPECT_EQ(nameOf(*Parts[0].Part, uint64_t(2) << 30), "2c.3g.2gb");

  // An instance is gone before its device, a compute instance before its own.
  EXPECT_EQ(reasonOf(P.destroy(Device, 1)), Refusal::InUse);
  EXPECT_EQ(reasonOf(P.enable(Device, false)), Refusal::InUse);
  EXPECT_EQ(reasonOf(P.destroyCompute(Device, 1, 7)), Refusal::Unknown);
  EXPECT_EQ(reasonOf(P.destroyCompute(Device, 1, 0)), std::nullopt);
  EXPECT_EQ(reasonOf(P.destroyCompute(Device, 1, 1)), std::nullopt);
  EXPECT_EQ(reasonOf(P.destroy(Device, 1)), std::nullopt);
  EXPECT_EQ(reasonOf(P.destroy(Device, 1)), Refusal::Unknown);
  EXPECT_EQ(reasonOf(P.enable(Device, false)), std::nullopt);
}

TEST_F(PartitionsTest, WhatAProcessUsesStays) {
  Partitions P = enabled();
  ASSERT_EQ(create(P, OneG), std::nullopt);
  ASSERT_EQ(reasonOf(P.createCompute(Device, 1, 1).takeError()), std::nullopt);
  UUID Part = partsOf(Device, P, coresOf).front().uuid();
  std::string Fault;
  auto Own = heddle::clients::OwnRecord::create(Fault);
  heddle::clients::DeviceMeter &Meter = Own->open(0, Part);
  EXPECT_EQ(reasonOf(P.destroyCompute(Device, 1, 0)), Refusal::InUse);
  Meter.close();
  EXPECT_EQ(reasonOf(P.destroyCompute(Device, 1, 0)), std::nullopt);
  ASSERT_EQ(reasonOf(P.destroy(Device, 1)), std::nullopt);
  ASSERT_EQ(reasonOf(P.enable(Device, false)), std::nullopt);
  Own->open(1, Device.uuid());
  EXPECT_EQ(reasonOf(P.enable(Device, true)), Refusal::InUse);
}

TEST_F(PartitionsTest, TheFileKeepsEverything) {
  EXPECT_FALSE(read().of(Device).IsEnabled);
  ASSERT_EQ(reasonOf(Partitions::change([&](Partitions &P) -> Error {
              if (Error E = P.enable(Device, true))
                return E;
              if (Error E = P.create(Device, TwoG).takeError())
                return E;
              return P.createCompute(Device, 1, 1).takeError();
            })),
            std::nullopt);
  Partitions P = read();
  ASSERT_EQ(P.of(Device).Instances.size(), 1u);
  const Instance &I = P.of(Device).Instances[0];
  EXPECT_EQ(I.Profile, TwoG);
  ASSERT_EQ(I.Computes.size(), 1u);
  // A change that fails in its middle changes nothing.
  EXPECT_EQ(reasonOf(Partitions::change([&](Partitions &All) -> Error {
              if (Error E = All.create(Device, OneG).takeError())
                return E;
              return All.create(Device, SevenG).takeError();
            })),
            Refusal::NoRoom);
  EXPECT_EQ(read().of(Device).Instances.size(), 1u);
  EXPECT_EQ(read().of(Device).Instances[0].Computes[0].Device,
            I.Computes[0].Device);
}

TEST_F(PartitionsTest, DamageIsSaid) {
  for (const char *Text :
       {"", "{", "[]", R"({"GPU-1": 3})", R"({"GPU-1": [{"id": 1}]})",
        R"({"GPU-1": [{"id": -1, "profile": 0, "start": 0, "compute": []}]})",
        R"({"GPU-1": [{"id": 1, "profile": 0, "start": 0,
            "compute": [{"id": 0, "start": 0, "slices": 1, "uuid": "x"}]}]})"}) {
    std::ofstream(Folder + "/partitions.json") << Text;
    Expected<Partitions> P = Partitions::read();
    ASSERT_FALSE(bool(P)) << Text;
    EXPECT_NE(toString(P.takeError()).find("partitions.json"),
              std::string::npos);
    EXPECT_EQ(reasonOf(Partitions::change(
                  [](Partitions &) { return Error::success(); })),
              Refusal::Unavailable)
        << "nothing is overwritten";
  }
}

/// Many processes at once: each instance is one's alone.
TEST_F(PartitionsTest, ChangesComeOneAfterTheOther) {
  ASSERT_EQ(reasonOf(Partitions::change(
                [&](Partitions &P) { return P.enable(Device, true); })),
            std::nullopt);
  constexpr unsigned NumChildren = 10;
  std::vector<pid_t> Children;
  for (unsigned I = 0; I != NumChildren; ++I)
    if (pid_t Child = ::fork())
      Children.push_back(Child);
    else
      std::_Exit(reasonOf(Partitions::change([&](Partitions &P) {
                   return P.create(Device, OneG).takeError();
                 })).has_value());
  unsigned Refused = 0;
  for (pid_t Child : Children) {
    int Status = 0;
    ::waitpid(Child, &Status, 0);
    Refused += WEXITSTATUS(Status);
  }
  EXPECT_EQ(Refused, 3u);
  EXPECT_EQ(read().of(Device).Instances.size(), 7u);
}

TEST_F(PartitionsTest, ProgramsSeeWholeDevicesOrOnePart) {
  Expected<Machine> M = Machine::parse("2xhd100");
  ASSERT_TRUE(bool(M));
  const MachineDevice &First = M->devices()[0], &Second = M->devices()[1];
  Partitions P;
  auto Seen = [&](std::optional<StringRef> List) {
    std::vector<std::string> Names;
    for (const MachineDevice &D : visible(*M, P, List, coresOf))
      Names.push_back(D.uuidText());
    return Names;
  };
  using Names = std::vector<std::string>;
  EXPECT_EQ(Seen(std::nullopt), (Names{First.uuidText(), Second.uuidText()}));
  ASSERT_EQ(reasonOf(P.enable(First, true)), std::nullopt);
  EXPECT_EQ(Seen(std::nullopt), Names{Second.uuidText()});
  EXPECT_EQ(Seen("0"), Names());
  for (unsigned I = 1; I != 3; ++I) {
    ASSERT_EQ(reasonOf(P.create(First, OneG).takeError()), std::nullopt);
    ASSERT_EQ(reasonOf(P.createCompute(First, I, 1).takeError()), std::nullopt);
  }
  std::vector<MachineDevice> Parts = partsOf(First, P, coresOf);
  EXPECT_EQ(Seen("0"), Names{Parts[0].uuidText()});
  EXPECT_EQ(Seen("1,0"), Names{Second.uuidText()});
  EXPECT_EQ(Seen(Parts[1].uuidText()), Names{Parts[1].uuidText()});
  EXPECT_EQ(Seen(Parts[1].uuidText() + "," + Parts[0].uuidText()),
            Names{Parts[1].uuidText()});
  EXPECT_EQ(Seen("MIG-" + First.uuidText() + "/2/0"),
            Names{Parts[1].uuidText()});
  EXPECT_EQ(Seen("MIG-" + First.uuidText() + "/3/0"), Names());
  EXPECT_EQ(Seen("MIG-"), Names());
}

} // namespace
