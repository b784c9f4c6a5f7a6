//===- ConfinementTest.cpp - What a device service may do -------*- C++ -*-===//
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

#include "heddle/DeviceService/Confinement.h"

#include "gtest/gtest.h"

#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <functional>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

/// The exit status of a process that is confined and then does this.
int inConfinement(const std::function<int()> &Do) {
  pid_t Child = ::fork();
  if (Child == 0)
    ::_exit(heddle::deviced::confineToServing() ? Do() : 99);
  int Status = 0;
  ::waitpid(Child, &Status, 0);
  return WIFEXITED(Status) ? WEXITSTATUS(Status) : 100;
}

/// 0 if a call failed as it has to.
int isRefused(long Result) { return Result == -1 && errno == EPERM ? 0 : 1; }

class DeviceConfinement : public testing::Test {
protected:
  void SetUp() override {
    if (HEDDLE_IS_SANITIZED)
      GTEST_SKIP() << "a sanitizer needs more than serving";
    if (inConfinement([] { return 0; }) == 99)
      GTEST_SKIP() << "the kernel has no filters of system calls, or the build "
                      "no libseccomp";
  }
};

TEST_F(DeviceConfinement, NothingIsWritten) {
  for (int Flags : {O_WRONLY, O_RDWR, O_RDONLY | O_CREAT, O_RDONLY | O_TRUNC,
                    O_WRONLY | O_APPEND})
    EXPECT_EQ(inConfinement([=] {
                return isRefused(::open("/tmp/heddle-no", Flags, 0600));
              }),
              0)
        << Flags;
  EXPECT_EQ(inConfinement([] {
              return isRefused(::open("/tmp", O_TMPFILE | O_WRONLY, 0600));
            }),
            0);
  EXPECT_EQ(inConfinement([] { return isRefused(::unlink("/nothing")); }), 0);
  EXPECT_EQ(inConfinement([] { return isRefused(::rename("/a", "/b")); }), 0);
  EXPECT_EQ(inConfinement([] { return isRefused(::chmod("/tmp", 0)); }), 0);
}

TEST_F(DeviceConfinement, FilesAreRead) {
  EXPECT_EQ(inConfinement([] {
              int File = ::open("/proc/self/comm", O_RDONLY);
              char Text[8];
              return File >= 0 && ::read(File, Text, sizeof(Text)) > 0 ? 0 : 1;
            }),
            0);
}

TEST_F(DeviceConfinement, NothingIsConnected) {
  for (int Family : {AF_INET, AF_UNIX})
    EXPECT_EQ(inConfinement(
                  [=] { return isRefused(::socket(Family, SOCK_STREAM, 0)); }),
              0);
}

TEST_F(DeviceConfinement, NoProcessIsStartedOrTouched) {
  EXPECT_EQ(inConfinement([] { return isRefused(::fork()); }), 0);
  EXPECT_EQ(inConfinement([] {
              return isRefused(::execl("/bin/true", "true", nullptr));
            }),
            0);
  pid_t Parent = ::getpid();
  EXPECT_EQ(inConfinement([=] { return isRefused(::kill(Parent, 0)); }), 0);
  EXPECT_EQ(inConfinement([=] {
              return isRefused(
                  ::ptrace(PTRACE_ATTACH, Parent, nullptr, nullptr));
            }),
            0);
}

TEST_F(DeviceConfinement, NoMemoryIsCode) {
  EXPECT_EQ(inConfinement([] {
              void *Pages =
                  ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
              return Pages == MAP_FAILED && errno == EPERM ? 0 : 1;
            }),
            0);
}

TEST(DeviceLimits, ResourcesAreLimited) {
  if (HEDDLE_IS_SANITIZED)
    GTEST_SKIP() << "a sanitizer needs more memory";
  pid_t Child = ::fork();
  if (Child == 0) {
    bool IsGood = heddle::deviced::limitResources(4);
    rlimit Files = {}, Cores = {1, 1};
    ::getrlimit(RLIMIT_NOFILE, &Files);
    ::getrlimit(RLIMIT_CORE, &Cores);
    void *Much = ::mmap(nullptr, size_t(2) << 30, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ::_exit(IsGood && Files.rlim_max == 72 && Cores.rlim_max == 0 &&
                    Much == MAP_FAILED
                ? 0
                : 1);
  }
  int Status = 0;
  ::waitpid(Child, &Status, 0);
  EXPECT_TRUE(WIFEXITED(Status) && WEXITSTATUS(Status) == 0);
}

} // namespace
