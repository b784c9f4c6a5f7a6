//===- ConfinementTest.cpp - What a compiling process may do ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each border is tried in a process of its own, since nothing takes a filter
// back.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/Confinement.h"

#include "gtest/gtest.h"

#include <cerrno>
#include <fcntl.h>
#include <functional>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace {

/// The exit status of a process that is confined and then does this.
int inConfinement(const std::function<int()> &Do) {
  pid_t Child = ::fork();
  if (Child == 0)
    ::_exit(heddle::confineToComputing() ? Do() : 99);
  int Status = 0;
  ::waitpid(Child, &Status, 0);
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 100;
}

/// 0 if a call failed as it has to.
int isRefused(long Result) { return Result == -1 && errno == EPERM ? 0 : 1; }

class ConfinementTest : public testing::Test {
protected:
  void SetUp() override {
    if (HEDDLE_IS_SANITIZED)
      GTEST_SKIP() << "a sanitizer needs more than computing";
    if (inConfinement([] { return 0; }) == 99)
      GTEST_SKIP() << "the kernel has no filters of system calls, or the build "
                      "no libseccomp";
  }
};

TEST_F(ConfinementTest, NoFileIsOpened) {
  EXPECT_EQ(
      inConfinement([] { return isRefused(::open("/etc/passwd", O_RDONLY)); }),
      0);
  EXPECT_EQ(inConfinement([] {
              return isRefused(::open("/tmp", O_TMPFILE | O_WRONLY, 0600));
            }),
            0);
  EXPECT_EQ(inConfinement([] { return isRefused(::unlink("/nothing")); }), 0);
}

TEST_F(ConfinementTest, NothingIsConnected) {
  EXPECT_EQ(inConfinement(
                [] { return isRefused(::socket(AF_INET, SOCK_STREAM, 0)); }),
            0);
  EXPECT_EQ(inConfinement(
                [] { return isRefused(::socket(AF_UNIX, SOCK_STREAM, 0)); }),
            0);
}

TEST_F(ConfinementTest, NoProgramIsStarted) {
  EXPECT_EQ(inConfinement([] { return isRefused(::fork()); }), 0);
  EXPECT_EQ(inConfinement([] {
              return isRefused(::execl("/bin/true", "true", nullptr));
            }),
            0);
  EXPECT_EQ(inConfinement([] { return isRefused(::kill(::getppid(), 0)); }), 0);
}

TEST_F(ConfinementTest, NoMemoryBecomesCode) {
  EXPECT_EQ(inConfinement([] {
              void *Page = ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              return Page == MAP_FAILED
                         ? 2
                         : isRefused(::mprotect(Page, 4096, PROT_EXEC));
            }),
            0);
  EXPECT_EQ(inConfinement([] {
              void *Page = ::mmap(nullptr, 4096, PROT_READ | PROT_EXEC,
                                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              return isRefused(reinterpret_cast<intptr_t>(Page));
            }),
            0);
}

TEST_F(ConfinementTest, ComputingGoesOn) {
  EXPECT_EQ(inConfinement([] {
              int Found = 0;
              std::thread([&] {
                std::string Large(64 << 20, 'x');
                Found = Large.back() == 'x' ? 7 : 0;
              }).join();
              rlimit Limit = {};
              return ::getrlimit(RLIMIT_AS, &Limit) == 0 && Found == 7 ? 0 : 1;
            }),
            0);
}

TEST_F(ConfinementTest, ASocketThatIsOpenIsUsed) {
  int Sockets[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, Sockets), 0);
  EXPECT_EQ(
      inConfinement([&] { return ::send(Sockets[1], "x", 1, 0) == 1 ? 0 : 1; }),
      0);
  char Byte = 0;
  EXPECT_EQ(::recv(Sockets[0], &Byte, 1, 0), 1);
  EXPECT_EQ(Byte, 'x');
  ::close(Sockets[0]);
  ::close(Sockets[1]);
}

} // namespace
