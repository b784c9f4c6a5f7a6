//===- Confinement.cpp - What a device service may do -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The system calls of serving.
//
//===----------------------------------------------------------------------===//

#include "heddle/DeviceService/Confinement.h"

#include "heddle/Support/SystemCalls.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

namespace heddle::deviced {

bool limitResources(unsigned Clients) {
  // Two of a client, and what the process has besides.
  rlimit Files = {};
  rlim_t Needed = rlim_t(2) * Clients + 64;
  if (::getrlimit(RLIMIT_NOFILE, &Files) != 0 || Files.rlim_max < Needed)
    return false;
  Files.rlim_cur = Files.rlim_max = Needed;
  rlimit Memory = {rlim_t(1) << 30, rlim_t(1) << 30}, None = {0, 0};
  return ::setrlimit(RLIMIT_NOFILE, &Files) == 0 &&
         ::setrlimit(RLIMIT_AS, &Memory) == 0 &&
         ::setrlimit(RLIMIT_CORE, &None) == 0;
}

/// What serving at sockets that are open needs, and reading files.
static constexpr const char *Allowed[] = {
    // clients
    "accept4", "epoll_wait", "epoll_pwait", "epoll_ctl", "getsockopt",
    "recvfrom", "sendmsg", "pidfd_open", "memfd_create", "ftruncate", "fcntl",
    "futex",
    // open files, and what there is
    "read", "pread64", "write", "writev", "close", "fstat", "lseek", "stat",
    "lstat", "newfstatat", "access",
    // memory
    "munmap", "mremap", "madvise", "brk",
    // itself, also where it crashes
    "getpid", "gettid", "geteuid", "getuid", "exit", "exit_group",
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "tgkill",
    "restart_syscall",
    // time and chance
    "clock_gettime", "getrandom"};

// Places of arguments.
static constexpr unsigned Protection = 2, OpenFlags = 2;
static constexpr uint64_t Writes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC |
                                   O_APPEND | (O_TMPFILE & ~O_DIRECTORY);

static constexpr PartlyAllowedCall AllowedInPart[] = {
    {"mmap", Protection, PROT_EXEC, 0},
    {"mprotect", Protection, PROT_EXEC, 0},
    {"openat", OpenFlags, Writes, 0}};

/// The folder of records is made where it is not there; by now it is.
static constexpr FailingCall Failing[] = {{"mkdir", EEXIST},
                                          {"mkdirat", EEXIST}};

bool confineToServing() { return confineTo({Allowed, AllowedInPart, Failing}); }

} // namespace heddle::deviced
