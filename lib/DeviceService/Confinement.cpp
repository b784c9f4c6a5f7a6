//===- Confinement.cpp - What a device service may do -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A filter of system calls by libseccomp, as helper processes that compile have
// one (lib/Driver/Confinement.cpp), for other calls.
//
//===----------------------------------------------------------------------===//

#include "heddle/DeviceService/Confinement.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>

#ifdef HEDDLE_HAS_SECCOMP
#include <algorithm>
#include <seccomp.h>
#endif

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

#ifdef HEDDLE_HAS_SECCOMP

static constexpr int Allowed[] = {
    // clients
    SCMP_SYS(accept4), SCMP_SYS(epoll_wait), SCMP_SYS(epoll_pwait),
    SCMP_SYS(epoll_ctl), SCMP_SYS(getsockopt), SCMP_SYS(recvfrom),
    SCMP_SYS(sendmsg), SCMP_SYS(pidfd_open), SCMP_SYS(memfd_create),
    SCMP_SYS(ftruncate), SCMP_SYS(fcntl), SCMP_SYS(futex),
    // open files, and what there is
    SCMP_SYS(read), SCMP_SYS(pread64), SCMP_SYS(write), SCMP_SYS(writev),
    SCMP_SYS(close), SCMP_SYS(fstat), SCMP_SYS(lseek), SCMP_SYS(stat),
    SCMP_SYS(lstat), SCMP_SYS(newfstatat), SCMP_SYS(access),
    // memory
    SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk),
    // itself, also where it crashes
    SCMP_SYS(getpid), SCMP_SYS(gettid), SCMP_SYS(geteuid), SCMP_SYS(getuid),
    SCMP_SYS(exit), SCMP_SYS(exit_group), SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn), SCMP_SYS(sigaltstack),
    SCMP_SYS(tgkill), SCMP_SYS(restart_syscall),
    // time and chance
    SCMP_SYS(clock_gettime), SCMP_SYS(getrandom)};

/// Calls that are allowed with some arguments.
static bool allowPartly(scmp_filter_ctx Filter) {
  constexpr int Protection = 2, OpenFlags = 2;
  constexpr uint64_t Writes = O_WRONLY | O_RDWR | O_CREAT | O_TRUNC | O_APPEND |
                              (O_TMPFILE & ~O_DIRECTORY);
  bool IsMade = true;
  for (int Call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)})
    IsMade &= seccomp_rule_add(Filter, SCMP_ACT_ALLOW, Call, 1,
                               SCMP_CMP64(Protection, SCMP_CMP_MASKED_EQ,
                                          PROT_EXEC, 0)) == 0;
  IsMade &= seccomp_rule_add(
                Filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
                SCMP_CMP64(OpenFlags, SCMP_CMP_MASKED_EQ, Writes, 0)) == 0;
  // The folder of records is made where it is not there; by now it is.
  IsMade &=
      seccomp_rule_add(Filter, SCMP_ACT_ERRNO(EEXIST), SCMP_SYS(mkdir), 0) == 0;
  return IsMade;
}

bool confineToServing() {
  scmp_filter_ctx Filter = seccomp_init(SCMP_ACT_ERRNO(EPERM));
  if (!Filter)
    return false;
  bool IsMade = std::ranges::all_of(Allowed, [&](int Call) {
    return seccomp_rule_add(Filter, SCMP_ACT_ALLOW, Call, 0) == 0;
  });
  IsMade = IsMade && allowPartly(Filter) &&
           seccomp_attr_set(Filter, SCMP_FLTATR_CTL_TSYNC, 1) == 0 &&
           seccomp_load(Filter) == 0;
  seccomp_release(Filter);
  return IsMade;
}

#else

bool confineToServing() { return false; }

#endif

} // namespace heddle::deviced
