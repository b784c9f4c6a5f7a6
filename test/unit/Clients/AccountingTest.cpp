//===- AccountingTest.cpp - What processes have done on devices -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a process did outlives it, however it ends, where somebody has asked for
// that, and nowhere else.
//
//===----------------------------------------------------------------------===//

#include "heddle/Clients/Accounting.h"
#include "RecordFixture.h"

#include <csignal>
#include <fcntl.h>
#include <thread>

using namespace heddle::clients;
using namespace llvm;

namespace {

class AccountingTest : public RecordTest {
protected:
  static void account(bool IsOn) {
    Error E = setAccounting(uuidOf('d'), IsOn);
    EXPECT_FALSE(bool(E)) << toString(std::move(E));
  }
  static std::vector<Account> accounts() {
    Expected<std::vector<Account>> All = listAccounts(uuidOf('d'));
    EXPECT_TRUE(bool(All)) << toString(All.takeError());
    return All ? *All : std::vector<Account>();
  }
  static void end(const Process &P, int Signal) {
    if (Signal)
      ::kill(P.Child, Signal);
    ::close(P.Pipe);
    ::waitpid(P.Child, nullptr, 0);
  }
};

TEST_F(AccountingTest, NothingIsKeptUnlessAskedFor) {
  end(start([](int) {}), 0);
  EXPECT_TRUE(accounts().empty());
  account(true);
  EXPECT_TRUE(accounts().empty());
  EXPECT_EQ(countFiles(), 1u);
  account(false);
  EXPECT_EQ(countFiles(), 0u);
}

TEST_F(AccountingTest, ProcessesAreKeptHoweverTheyEnd) {
  account(true);
  for (int Signal : {0, SIGKILL}) {
    Process P = start([](int) {});
    std::vector<Account> Running = accounts();
    ASSERT_FALSE(Running.empty());
    EXPECT_TRUE(Running.back().IsRunning);
    EXPECT_EQ(Running.back().Process, P.Child);
    end(P, Signal);
    std::vector<Account> Ended = accounts();
    ASSERT_EQ(Ended.size(), Signal ? 2u : 1u);
    EXPECT_FALSE(Ended.back().IsRunning);
    EXPECT_EQ(Ended.back().Process, P.Child);
    EXPECT_EQ(Ended.back().MostBytes, 4096u);
    EXPECT_GT(Ended.back().LifeNs, 0u);
  }
  Error E = clearAccounts(uuidOf('d'));
  EXPECT_FALSE(bool(E)) << toString(std::move(E));
  EXPECT_TRUE(accounts().empty());
  account(true);
  end(start([](int) {}), 0);
  account(false);
  account(true);
  EXPECT_TRUE(accounts().empty()) << "the end of accounting forgets";
  account(false);
}

/// Several monitors look at once; each of the dead is kept once.
TEST_F(AccountingTest, ReadersDoNotKeepAnyoneTwice) {
  account(true);
  constexpr unsigned NumProcesses = 20;
  for (unsigned I = 0; I != NumProcesses; ++I)
    end(start([](int) {}), SIGKILL);
  std::vector<std::thread> Readers;
  for (unsigned I = 0; I != 8; ++I)
    Readers.emplace_back([] {
      for (unsigned Round = 0; Round != 20; ++Round)
        (void)accounts();
    });
  for (std::thread &T : Readers)
    T.join();
  EXPECT_EQ(accounts().size(), NumProcesses);
  account(false);
}

TEST_F(AccountingTest, DamagedFilesAndManyAccountsAreBounded) {
  account(true);
  std::string Path;
  std::error_code Failed;
  for (sys::fs::directory_iterator It(Folder, Failed), End; It != End;
       It.increment(Failed))
    Path = It->path();
  int File = ::open(Path.c_str(), O_WRONLY);
  std::string Noise(12345, 'x');
  EXPECT_EQ(::write(File, Noise.data(), Noise.size()),
            static_cast<ssize_t>(Noise.size()));
  ::close(File);
  EXPECT_TRUE(accounts().empty());
  Client Ended;
  Ended.Devices.push_back({uuidOf('d')});
  for (unsigned I = 0; I != MaxAccounts + 10; ++I) {
    Ended.Process = I;
    Ended.StartNs = I + 1;
    if (I % 500 == 0 || I >= MaxAccounts - 5)
      keepAccounts(Ended);
  }
  std::vector<Account> All = accounts();
  EXPECT_LE(All.size(), MaxAccounts);
  ASSERT_FALSE(All.empty());
  EXPECT_EQ(All.back().Process, MaxAccounts + 9);
  account(false);
}

} // namespace
