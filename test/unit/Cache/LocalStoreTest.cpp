//===- LocalStoreTest.cpp - Tests of the cache directory --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files are private, foreign ones are refused, limits hold, statistics add up,
// leases end with their holder.
//
//===----------------------------------------------------------------------===//

#include "heddle-cache/LocalStore.h"
#include "TestSupport.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

using namespace heddle::cache;

namespace {

class LocalStoreTest : public testing::Test {
protected:
  LocalStoreTest() : Config(settingsFor(Directory)) {}

  std::unique_ptr<LocalStore> open() {
    auto S = LocalStore::open(Config, true, Count);
    EXPECT_TRUE(S) << S.fault().Text;
    return S ? std::move(*S) : nullptr;
  }
  Counter refusal() {
    auto S = LocalStore::open(Config, true, Count);
    EXPECT_FALSE(S);
    return S ? Counter::Miss : S.fault().Reason;
  }
  std::string root() { return Directory.str("/cache"); }
  static Hash128 find(unsigned N) { return fastHash(std::to_string(N)); }

  TemporaryDirectory Directory;
  Settings Config;
  Counters Count;
};

unsigned modeOf(const std::string &Path) {
  struct stat Info = {};
  EXPECT_EQ(::stat(Path.c_str(), &Info), 0);
  return Info.st_mode & 0777;
}

void setAge(const std::string &Path, int64_t Seconds) {
  timespec Times[2] = {};
  Times[0].tv_sec = Times[1].tv_sec = ::time(nullptr) - Seconds;
  EXPECT_EQ(::utimensat(AT_FDCWD, Path.c_str(), Times, 0), 0);
}

} // namespace

TEST_F(LocalStoreTest, WhatIsWrittenIsReadAndPrivate) {
  ::umask(0);
  auto S = open();
  EXPECT_EQ(S->read(find(1)).fault().Reason, Counter::Miss);
  EXPECT_FALSE(S->write(find(1), "bytes"));
  auto Bytes = S->read(find(1));
  ASSERT_TRUE(Bytes);
  EXPECT_EQ(*Bytes, "bytes");
  std::string File = onlyEntry(root());
  EXPECT_EQ(modeOf(File), 0600u);
  EXPECT_EQ(modeOf(root()), 0700u);
  EXPECT_EQ(modeOf(root() + "/v1"), 0700u);
  EXPECT_EQ(modeOf(std::filesystem::path(File).parent_path()), 0700u);
  EXPECT_EQ(modeOf(root() + "/v1/state"), 0600u);
  EXPECT_TRUE(std::filesystem::is_empty(root() + "/v1/tmp"));
  EXPECT_TRUE(std::filesystem::exists(root() + "/CACHEDIR.TAG"));
  S->remove(find(1));
  EXPECT_FALSE(S->read(find(1)));
}

TEST_F(LocalStoreTest, ADirectoryThatOthersMayWriteToIsRefusedUnlessAllowed) {
  open();
  ::chmod((root() + "/v1").c_str(), 0777);
  EXPECT_EQ(refusal(), Counter::DirectoryForeign);
  EXPECT_FALSE(Config.set(SettingId::TrustOthers, "true", "test"));
  open();
}

TEST_F(LocalStoreTest, ADirectoryOfSomebodyElseIsRefused) {
  if (::geteuid() != 0)
    GTEST_SKIP() << "only root can give a directory away";
  open();
  EXPECT_EQ(::chown((root() + "/v1").c_str(), 12345, 12345), 0);
  EXPECT_EQ(refusal(), Counter::DirectoryForeign);
}

TEST_F(LocalStoreTest, WhatIsNoDirectoryIsRefused) {
  overwrite(root(), "a file");
  EXPECT_EQ(refusal(), Counter::DirectoryMissing);
  EXPECT_FALSE(Config.set(SettingId::Dir, "", "test"));
  EXPECT_EQ(refusal(), Counter::DirectoryMissing);
}

TEST_F(LocalStoreTest, ASymbolicLinkToADirectoryIsFollowedAtTheTopOnly) {
  std::filesystem::create_directory(Directory.str("/real"));
  std::filesystem::create_directory_symlink(Directory.str("/real"), root());
  EXPECT_FALSE(open()->write(find(1), "x"));
  std::filesystem::remove_all(Directory.str("/real/v1"));
  std::filesystem::create_directory(Directory.str("/elsewhere"));
  std::filesystem::create_directory_symlink(Directory.str("/elsewhere"),
                                            Directory.str("/real/v1"));
  EXPECT_EQ(refusal(), Counter::DirectoryMissing);
}

TEST_F(LocalStoreTest, EntriesThatAreNoPrivateFilesAreRefused) {
  auto S = open();
  EXPECT_FALSE(S->write(find(1), "bytes"));
  std::string File = onlyEntry(root());
  ::chmod(File.c_str(), 0666);
  EXPECT_EQ(S->read(find(1)).fault().Reason, Counter::EntryForeign);

  std::filesystem::rename(File, root() + "/moved");
  std::filesystem::create_symlink(root() + "/moved", File);
  EXPECT_EQ(S->read(find(1)).fault().Reason, Counter::EntryForeign);

  std::filesystem::remove(File);
  EXPECT_EQ(::mkfifo(File.c_str(), 0600), 0);
  EXPECT_EQ(S->read(find(1)).fault().Reason, Counter::EntryForeign);

  std::filesystem::remove(File);
  std::filesystem::create_directory(File);
  EXPECT_EQ(S->read(find(1)).fault().Reason, Counter::EntryForeign);
  EXPECT_FALSE(S->write(find(1), "again"));
  ASSERT_TRUE(S->read(find(1)));
}

TEST_F(LocalStoreTest, LargeEntriesAreNeitherStoredNorRead) {
  EXPECT_FALSE(Config.set(SettingId::MaxEntrySize, "100", "test"));
  auto S = open();
  Status F = S->write(find(1), std::string(101, 'x'));
  ASSERT_TRUE(F);
  EXPECT_EQ(F->Reason, Counter::EntryTooLarge);
  EXPECT_FALSE(S->write(find(1), std::string(100, 'x')));
  overwrite(onlyEntry(root()), std::string(101, 'x'));
  EXPECT_EQ(S->read(find(1)).fault().Reason, Counter::EntryTooLarge);
}

TEST_F(LocalStoreTest, TheDirectoryStaysWithinItsSizeAndTheOldestGo) {
  EXPECT_FALSE(Config.set(SettingId::MaxSize, "50K", "test"));
  auto S = open();
  for (unsigned I = 0; I != 500; ++I) {
    EXPECT_FALSE(S->write(find(I), std::string(1000, 'x')));
    EXPECT_LE(S->recordedSize(), 51u << 10);
    // Every second of the first ones is old.
    std::string Name = find(I).str();
    setAge(root() + "/v1/" + Name.substr(0, 2) + "/" + Name.substr(2),
           I < 40 ? 1000 : 500 - int64_t(I));
  }
  uint64_t Files = 0, Bytes = 0;
  S->forEach([&](const StoredFile &F) {
    ++Files;
    Bytes += F.Size;
  });
  EXPECT_EQ(Bytes, S->recordedSize());
  EXPECT_GE(Files, 45u);
  EXPECT_EQ(Count.get(Counter::Evicted), 500 - Files);
  for (unsigned I = 0; I != 40; ++I)
    EXPECT_FALSE(S->read(find(I))) << I;
  EXPECT_TRUE(S->read(find(499)));
}

TEST_F(LocalStoreTest, LostBooksAreMadeAnew) {
  auto S = open();
  for (unsigned I = 0; I != 100; ++I)
    EXPECT_FALSE(S->write(find(I), std::string(1000, 'x')));
  std::filesystem::remove(root() + "/v1/state");
  EXPECT_EQ(S->recordedSize(), 0u);
  auto R = S->trimAll(60000, 0);
  EXPECT_EQ(R.Files, 40u);
  EXPECT_EQ(S->recordedSize(), 60000u);
  overwrite(root() + "/v1/state", std::string(100000, '\xff'));
  R = S->trimAll(50000, 0);
  EXPECT_EQ(R.Files, 10u);
  EXPECT_EQ(S->recordedSize(), 50000u);
}

TEST_F(LocalStoreTest, OldEntriesAreNotUsedAndRemoved) {
  EXPECT_FALSE(Config.set(SettingId::MaxAge, "1h", "test"));
  auto S = open();
  EXPECT_FALSE(S->write(find(1), "x"));
  std::string File = onlyEntry(root());
  setAge(File, 3500);
  EXPECT_TRUE(S->read(find(1))); // which marks it as used
  setAge(File, 3700);
  EXPECT_EQ(S->read(find(1)).fault().Reason, Counter::EntryExpired);
  // A clock that jumped back does not make entries old.
  setAge(File, -100000);
  EXPECT_TRUE(S->read(find(1)));
  setAge(File, 3700);
  EXPECT_EQ(S->trimAll(0, 3600).Files, 1u);
}

TEST_F(LocalStoreTest, DebrisOfDeadProcessesIsRemoved) {
  auto S = open();
  EXPECT_FALSE(S->write(find(1), "x"));
  overwrite(root() + "/v1/tmp/new", "x");
  overwrite(root() + "/v1/tmp/old", "x");
  setAge(root() + "/v1/tmp/old", 100000);
  S->trimAll(0, 0);
  EXPECT_TRUE(std::filesystem::exists(root() + "/v1/tmp/new"));
  EXPECT_FALSE(std::filesystem::exists(root() + "/v1/tmp/old"));
}

TEST_F(LocalStoreTest, StatisticsAddUpAndSurviveDamage) {
  auto S = open();
  CounterValues Values{};
  Values[0] = 3;
  Values[NumCounters - 1] = 5;
  S->addStatistics(Values);
  S->addStatistics(Values);
  EXPECT_EQ(S->statistics()[0], 6u);
  EXPECT_EQ(S->statistics()[NumCounters - 1], 10u);
  overwrite(root() + "/v1/state", std::string(100000, 'x'));
  EXPECT_EQ(S->statistics()[0], 0u);
  S->addStatistics(Values);
  EXPECT_EQ(S->statistics()[0], 3u);
  EXPECT_EQ(S->statistics()[static_cast<size_t>(Counter::StatisticsReset)], 1u);
}

TEST_F(LocalStoreTest, WhatStandsInThePlaceOfItsOwnFilesIsReplaced) {
  for (const char *Name : {"state", "leases", "tmp", "v1"}) {
    auto S = open();
    EXPECT_FALSE(S->write(find(1), "x"));
    EXPECT_TRUE(S->acquireLease(find(1)));
    std::string Path = root() + "/v1/" + Name;
    if (std::string(Name) == "v1")
      Path = std::filesystem::path(onlyEntry(root())).parent_path();
    std::filesystem::remove_all(Path);
    EXPECT_EQ(::mkfifo(Path.c_str(), 0600), 0);
    S = open();
    EXPECT_FALSE(S->write(find(1), "0123456789")) << Name;
    EXPECT_TRUE(S->read(find(1))) << Name;
    EXPECT_TRUE(S->acquireLease(find(1))) << Name;
    EXPECT_GE(S->recordedSize(), 10u) << Name;
  }
}

TEST_F(LocalStoreTest, ALeaseEndsWithItsHolderHoweverThatEnds) {
  auto S = open(), Other = open();
  {
    auto Held = S->acquireLease(find(1));
    ASSERT_TRUE(Held);
    EXPECT_EQ(Other->acquireLease(find(1)).fault().Reason,
              Counter::LeaseTimeout);
    EXPECT_TRUE(Other->acquireLease(find(2)));
  }
  EXPECT_TRUE(Other->acquireLease(find(1)));

  int Ready[2];
  ASSERT_EQ(::pipe(Ready), 0);
  pid_t Child = ::fork();
  if (Child == 0) {
    auto Mine = LocalStore::open(Config, true, Count);
    auto Held = (*Mine)->acquireLease(find(3));
    ::write(Ready[1], Held ? "y" : "n", 1);
    ::pause();
  }
  char Answer = 0;
  ASSERT_EQ(::read(Ready[0], &Answer, 1), 1);
  EXPECT_EQ(Answer, 'y');
  EXPECT_FALSE(S->acquireLease(find(3)));
  ::kill(Child, SIGKILL);
  ::waitpid(Child, nullptr, 0);
  EXPECT_TRUE(S->acquireLease(find(3)));
}

TEST_F(LocalStoreTest, RemoteFailuresAreRememberedForAWhile) {
  auto S = open();
  EXPECT_FALSE(S->remoteFailedWithin("http://a", 60));
  S->noteRemoteFailure("http://a");
  EXPECT_TRUE(S->remoteFailedWithin("http://a", 60));
  EXPECT_FALSE(S->remoteFailedWithin("http://b", 60));
  auto SetAge = [&](int Seconds) {
    for (const auto &E : std::filesystem::directory_iterator(root() + "/v1"))
      if (E.path().filename().string().starts_with("down."))
        setAge(E.path(), Seconds);
  };
  SetAge(-1); // the clock of files is ahead of that of programs
  EXPECT_TRUE(S->remoteFailedWithin("http://a", 60));
  SetAge(-1000); // the clock jumped
  EXPECT_FALSE(S->remoteFailedWithin("http://a", 60));
}

TEST_F(LocalStoreTest, ClearLeavesNothing) {
  auto S = open();
  for (unsigned I = 0; I != 10; ++I)
    EXPECT_FALSE(S->write(find(I), "12345"));
  auto R = S->clear();
  EXPECT_EQ(R.Files, 10u);
  EXPECT_EQ(R.Bytes, 50u);
  EXPECT_EQ(S->recordedSize(), 0u);
}
