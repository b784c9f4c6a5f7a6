//===- RecordFixture.h - Processes with records of devices ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder of records for a test, and children that have a device open.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_UNIT_CLIENTS_RECORDFIXTURE_H
#define HEDDLE_TEST_UNIT_CLIENTS_RECORDFIXTURE_H

#include "heddle/Clients/List.h"
#include "llvm/Support/FileSystem.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <sys/wait.h>
#include <unistd.h>

namespace heddle::clients {

inline UUID uuidOf(char First) {
  UUID U = {};
  U[0] = First;
  return U;
}

/// Has an empty folder of records.
class RecordTest : public testing::Test {
protected:
  void SetUp() override {
    std::string Made = testing::TempDir() + "/heddle-clients-XXXXXX";
    ASSERT_NE(::mkdtemp(Made.data()), nullptr);
    Folder = Made;
    ::setenv("HEDDLE_CLIENTS", Folder.c_str(), 1);
  }
  void TearDown() override {
    ::unsetenv("HEDDLE_CLIENTS");
    EXPECT_FALSE(llvm::sys::fs::remove_directories(Folder));
  }

  static std::vector<Client> list() {
    llvm::Expected<std::vector<Client>> Clients = listClients();
    EXPECT_TRUE(bool(Clients)) << llvm::toString(Clients.takeError());
    return Clients ? *Clients : std::vector<Client>();
  }
  unsigned countFiles() const {
    unsigned Count = 0;
    std::error_code Failed;
    for (llvm::sys::fs::directory_iterator It(Folder, Failed), End;
         !Failed && It != End; It.increment(Failed))
      ++Count;
    return Count;
  }

  /// A child that has a device with 4096 bytes open, and the end of a pipe that
  /// it waits at. Then is called in it with the other end. Child 0 could not be
  /// started.
  struct Process {
    pid_t Child = 0;
    int Pipe = -1;
  };
  template <typename Fn> Process start(Fn Then) {
    int Ready[2], Wait[2];
    if (::pipe(Ready) != 0 || ::pipe(Wait) != 0)
      return {};
    pid_t Child = ::fork();
    if (Child == 0) {
      ::close(Wait[1]);
      std::string Fault;
      std::unique_ptr<OwnRecord> Own = OwnRecord::create(Fault);
      Own->open(0, uuidOf('d')).setBytes(4096);
      Then(Wait[0]);
      char C = Fault.empty() ? 'r' : 'f';
      bool Written = ::write(Ready[1], &C, 1) == 1;
      while (Written && ::read(Wait[0], &C, 1) < 0)
        continue;
      Own.reset();
      std::_Exit(0);
    }
    ::close(Ready[1]);
    ::close(Wait[0]);
    char C = 0;
    EXPECT_EQ(::read(Ready[0], &C, 1), 1);
    EXPECT_EQ(C, 'r');
    ::close(Ready[0]);
    return {Child, Wait[1]};
  }

  std::string Folder;
};

} // namespace heddle::clients

#endif // HEDDLE_TEST_UNIT_CLIENTS_RECORDFIXTURE_H
