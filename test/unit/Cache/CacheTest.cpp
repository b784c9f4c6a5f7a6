//===- CacheTest.cpp - Tests of the cache as a whole ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiers, modes, one maker for many who want the same, and that no fault of the
// directory ever changes what comes out.
//
//===----------------------------------------------------------------------===//

#include "TestSupport.h"
#include "heddle-cache/LocalStore.h"
#include "heddle-cache/Pack.h"

#include <random>
#include <sys/stat.h>
#include <sys/wait.h>
#include <thread>

using namespace heddle::cache;

namespace {

class CacheTest : public testing::Test {
protected:
  CacheTest() : Config(settingsFor(Directory)) {}

  void set(SettingId Id, std::string_view Value) {
    EXPECT_FALSE(Config.set(Id, Value, "test"));
  }
  /// Gets or makes "code of INPUT"; what it made is counted.
  Outcome get(Cache &C, const std::string &Input) {
    Outcome O = C.getOrMake(keyOf(Input), [&]() -> Made {
      ++Makes;
      return {entryOf("code of " + Input), nullptr};
    });
    EXPECT_TRUE(O.Value);
    if (O.Value)
      EXPECT_EQ(O.Value->Code, "code of " + Input);
    return O;
  }
  std::string root() { return Directory.str("/cache"); }

  TemporaryDirectory Directory;
  Settings Config;
  std::atomic<unsigned> Makes{0};
};

} // namespace

TEST_F(CacheTest, MadeThenMemoryThenLocal) {
  {
    Cache C(Config);
    EXPECT_FALSE(C.lookup(keyOf("in")).Value);
    EXPECT_EQ(get(C, "in").From, Origin::Made);
    EXPECT_EQ(get(C, "in").From, Origin::Memory);
    EXPECT_EQ(C.lookup(keyOf("in")).From, Origin::Memory);
  }
  Cache C(Config);
  EXPECT_EQ(get(C, "in").From, Origin::Local);
  EXPECT_EQ(get(C, "in").From, Origin::Memory);
  EXPECT_EQ(Makes, 1u);
}

TEST_F(CacheTest, StatisticsTellWhatHappened) {
  {
    Cache C(Config);
    get(C, "in");
    get(C, "in");
  }
  Counters Count;
  auto S = LocalStore::open(Config, false, Count);
  ASSERT_TRUE(S);
  CounterValues V = (*S)->statistics();
  EXPECT_EQ(V[static_cast<size_t>(Counter::Miss)], 1u);
  EXPECT_EQ(V[static_cast<size_t>(Counter::Stored)], 1u);
  EXPECT_EQ(V[static_cast<size_t>(Counter::HitMemory)], 1u);
}

TEST_F(CacheTest, Modes) {
  {
    set(SettingId::Mode, "read-only");
    Cache C(Config);
    get(C, "in");
    get(C, "in"); // within the process it is remembered
    EXPECT_EQ(Makes, 1u);
    EXPECT_FALSE(std::filesystem::exists(root()));
  }
  {
    set(SettingId::Mode, "off");
    Cache C(Config);
    get(C, "in");
    get(C, "in");
    EXPECT_EQ(Makes, 3u);
    EXPECT_FALSE(std::filesystem::exists(root()));
  }
  set(SettingId::Mode, "on");
  {
    Cache C(Config);
    get(C, "in");
  }
  Makes = 0;
  set(SettingId::Mode, "refresh");
  {
    Cache C(Config);
    EXPECT_EQ(get(C, "in").From, Origin::Made);
    EXPECT_EQ(C.counters().get(Counter::Refreshed), 1u);
    EXPECT_EQ(C.counters().get(Counter::Stored), 1u);
  }
  set(SettingId::Mode, "read-only");
  Cache C(Config);
  EXPECT_EQ(get(C, "in").From, Origin::Local);
  EXPECT_EQ(Makes, 1u);
}

TEST_F(CacheTest, WritingInTheBackgroundIsFinishedAtTheEnd) {
  {
    CacheOptions O;
    O.WriteInBackground = true;
    Cache C(Config, std::move(O));
    for (unsigned I = 0; I != 50; ++I)
      get(C, std::to_string(I));
  }
  Cache C(Config);
  for (unsigned I = 0; I != 50; ++I)
    EXPECT_EQ(get(C, std::to_string(I)).From, Origin::Local);
}

TEST_F(CacheTest, ThreadsThatWantTheSameWaitForOneMaker) {
  Cache C(Config);
  std::vector<std::thread> Threads;
  std::atomic<unsigned> Right{0};
  for (unsigned T = 0; T != 16; ++T)
    Threads.emplace_back([&] {
      Outcome O = C.getOrMake(keyOf("in"), [&]() -> Made {
        ++Makes;
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return {entryOf("code"), nullptr};
      });
      Right += O.Value && O.Value->Code == "code";
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Makes, 1u);
  EXPECT_EQ(Right, 16u);
}

TEST_F(CacheTest, FailuresAreSharedAndNotStored) {
  Cache C(Config);
  std::vector<std::thread> Threads;
  std::atomic<unsigned> Told{0}, Arrived{0};
  for (unsigned T = 0; T != 8; ++T)
    Threads.emplace_back([&] {
      ++Arrived;
      Outcome O = C.getOrMake(keyOf("in"), [&]() -> Made {
        ++Makes;
        while (Arrived != 8)
          std::this_thread::yield();
        std::this_thread::sleep_for(std::chrono::milliseconds(50));
        return {nullptr, std::make_shared<std::string>("why")};
      });
      EXPECT_FALSE(O.Value);
      Told += *static_cast<const std::string *>(O.Failure.get()) == "why";
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Told, 8u);
  EXPECT_EQ(Makes, 1u);
  get(C, "in");
  EXPECT_EQ(Makes, 2u);
}

TEST_F(CacheTest, AMakerMayForbidStoring) {
  Cache C(Config);
  Outcome O = C.getOrMake(keyOf("in"),
                          [] { return Made{entryOf("code"), nullptr, false}; });
  EXPECT_EQ(O.Value->Code, "code");
  EXPECT_EQ(get(C, "in").From, Origin::Made);
}

TEST_F(CacheTest, ProcessesThatWantTheSameWaitForOneMaker) {
  get(*std::make_unique<Cache>(Config), "other"); // makes the directory
  std::vector<pid_t> Children;
  for (unsigned P = 0; P != 8; ++P)
    if (pid_t Child = ::fork())
      Children.push_back(Child);
    else {
      unsigned Made = 0;
      {
        Cache C(Config);
        C.getOrMake(keyOf("in"), [&]() -> heddle::cache::Made {
          ++Made;
          std::this_thread::sleep_for(std::chrono::milliseconds(100));
          return {entryOf("code"), nullptr};
        });
      }
      ::_exit(static_cast<int>(Made));
    }
  unsigned Sum = 0;
  for (pid_t Child : Children) {
    int Status = 0;
    ::waitpid(Child, &Status, 0);
    Sum += static_cast<unsigned>(WEXITSTATUS(Status));
  }
  EXPECT_EQ(Sum, 1u);
}

TEST_F(CacheTest, AStoppedProcessHoldsOthersUpForTheTimeoutOnly) {
  set(SettingId::LeaseTimeout, "200");
  get(*std::make_unique<Cache>(Config), "other");
  Counters Count;
  auto S = LocalStore::open(Config, false, Count);
  auto Held = (*S)->acquireLease(keyOf("in").find());
  ASSERT_TRUE(Held);
  Cache C(Config);
  EXPECT_EQ(get(C, "in").From, Origin::Made);
  EXPECT_EQ(C.counters().get(Counter::LeaseTimeout), 1u);
}

TEST_F(CacheTest, DamagedEntriesAreMadeAgainAndReplaced) {
  get(*std::make_unique<Cache>(Config), "in");
  std::string File = onlyEntry(root()), Good = contents(File);
  std::mt19937 Random(1);
  for (unsigned Round = 0; Round != 200; ++Round) {
    std::string Bad = Good;
    if (Round % 4 == 0)
      Bad.resize(Random() % Bad.size());
    else
      for (unsigned I = 0; I <= Round % 3; ++I)
        Bad[Random() % Bad.size()] ^= static_cast<char>(1 + Random() % 255);
    if (Bad == Good)
      continue;
    overwrite(File, Bad);
    Cache C(Config);
    EXPECT_EQ(get(C, "in").From, Origin::Made);
    EXPECT_EQ(contents(File), Good);
  }
}

TEST_F(CacheTest, AnEntryInAnotherKeysPlaceIsNotUsed) {
  get(*std::make_unique<Cache>(Config), "in");
  std::string File = onlyEntry(root());
  Key Other = keyOf("other");
  std::string Name = Other.find().str();
  std::filesystem::create_directory(root() + "/v1/" + Name.substr(0, 2));
  std::filesystem::rename(File, root() + "/v1/" + Name.substr(0, 2) + "/" +
                                    Name.substr(2));
  Cache C(Config);
  EXPECT_EQ(get(C, "other").From, Origin::Made);
  EXPECT_EQ(C.counters().get(Counter::EntryOtherKey), 1u);
}

TEST_F(CacheTest, ADirectoryThatCannotBeUsedCostsOnlyTheHits) {
  overwrite(root(), "a file");
  Cache C(Config);
  EXPECT_EQ(get(C, "in").From, Origin::Made);
  EXPECT_EQ(C.counters().get(Counter::DirectoryMissing), 1u);
  EXPECT_EQ(get(C, "in").From, Origin::Memory);
}

TEST_F(CacheTest, ADirectoryThatDisappearsCostsOnlyTheHits) {
  Cache C(Config);
  get(C, "a");
  std::filesystem::remove_all(root());
  EXPECT_EQ(get(C, "b").From, Origin::Made);
  EXPECT_EQ(C.counters().get(Counter::WriteError), 1u);
}

TEST_F(CacheTest, PacksLieBelowTheDirectory) {
  get(*std::make_unique<Cache>(Config), "in");
  std::map<Hash128, std::string> Entries;
  Entries[keyOf("in").find()] = contents(onlyEntry(root()));
  ASSERT_FALSE(writePack(Directory.str("/pack"), Entries));
  std::filesystem::remove_all(root());
  set(SettingId::Packs, Directory.str("/none") + ":" + Directory.str("/pack"));
  Cache C(Config);
  EXPECT_EQ(get(C, "in").From, Origin::Pack);
  EXPECT_EQ(get(C, "in").From, Origin::Memory);
  EXPECT_EQ(C.counters().get(Counter::PackError), 1u);
  EXPECT_EQ(Makes, 1u);
}

TEST_F(CacheTest, WhatIsOfNoUseIsDiscarded) {
  Cache C(Config);
  get(C, "in");
  C.discard(keyOf("in"));
  EXPECT_EQ(get(C, "in").From, Origin::Made);
}

TEST_F(CacheTest, MemoryIsBounded) {
  set(SettingId::MemorySize, "100K");
  set(SettingId::Mode, "read-only");
  Cache C(Config);
  std::string Large(10000, 'x');
  for (unsigned I = 0; I != 100; ++I)
    C.getOrMake(keyOf(std::to_string(I)),
                [&] { return Made{entryOf(Large), nullptr}; });
  unsigned Kept = 0;
  for (unsigned I = 0; I != 100; ++I)
    Kept += bool(C.lookup(keyOf(std::to_string(I))).Value);
  EXPECT_GE(Kept, 3u);
  EXPECT_LE(Kept, 10u);
}

TEST_F(CacheTest, ManyThreadsReadAndWriteAtOnce) {
  set(SettingId::MemorySize, "20K"); // so that nodes are reused all the time
  CacheOptions Background;
  Background.WriteInBackground = true;
  Cache C(Config, std::move(Background));
  std::vector<std::thread> Threads;
  for (unsigned T = 0; T != 16; ++T)
    Threads.emplace_back([&, T] {
      std::mt19937 Random(T);
      for (unsigned I = 0; I != 500; ++I)
        get(C, std::to_string(Random() % 100));
    });
  for (std::thread &T : Threads)
    T.join();
}
