//===- Confinement.cpp - What a compiling process may do --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A filter of system calls by libseccomp. A call that is not named fails, and
// does not end the process, since the C library asks for some things that it
// can do without.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/Confinement.h"

#include <algorithm>
#include <cerrno>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>

namespace heddle {

/// What computing, allocating, threads and open files need.
static constexpr int Allowed[] = {
    // open files and sockets
    SCMP_SYS(read), SCMP_SYS(write), SCMP_SYS(readv), SCMP_SYS(writev),
    SCMP_SYS(recvfrom), SCMP_SYS(recvmsg), SCMP_SYS(sendto), SCMP_SYS(sendmsg),
    SCMP_SYS(poll), SCMP_SYS(ppoll), SCMP_SYS(close), SCMP_SYS(fstat),
    SCMP_SYS(lseek),
    // memory
    SCMP_SYS(munmap), SCMP_SYS(mremap), SCMP_SYS(madvise), SCMP_SYS(brk),
    SCMP_SYS(getrlimit), SCMP_SYS(setrlimit), SCMP_SYS(getrusage),
    SCMP_SYS(sysinfo),
    // threads
    SCMP_SYS(futex), SCMP_SYS(set_robust_list), SCMP_SYS(rseq),
    SCMP_SYS(gettid), SCMP_SYS(getpid), SCMP_SYS(sched_yield),
    SCMP_SYS(sched_getaffinity), SCMP_SYS(membarrier), SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    // signals, of a crash for example
    SCMP_SYS(rt_sigaction), SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sigaltstack), SCMP_SYS(tgkill), SCMP_SYS(restart_syscall),
    // time and chance
    SCMP_SYS(clock_gettime), SCMP_SYS(clock_nanosleep), SCMP_SYS(nanosleep),
    SCMP_SYS(gettimeofday), SCMP_SYS(getrandom)};

/// Calls that are allowed with some arguments.
static bool allowPartly(scmp_filter_ctx Filter) {
  constexpr int Protection = 2, Flags = 0, Target = 0;
  auto Without = [](unsigned Argument, uint64_t Bits) {
    return SCMP_CMP64(Argument, SCMP_CMP_MASKED_EQ, Bits, 0);
  };
  bool IsMade = true;
  // Memory that holds data only.
  for (int Call : {SCMP_SYS(mmap), SCMP_SYS(mprotect)})
    IsMade &= seccomp_rule_add(Filter, SCMP_ACT_ALLOW, Call, 1,
                               Without(Protection, PROT_EXEC)) == 0;
  // Threads, but no processes. What clone3 asks for is in memory, where a
  // filter does not see it; the C library goes on with clone.
  IsMade &= seccomp_rule_add(Filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                             SCMP_CMP64(Flags, SCMP_CMP_MASKED_EQ, CLONE_THREAD,
                                        CLONE_THREAD)) == 0;
  IsMade &= seccomp_rule_add(Filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3),
                             0) == 0;
  // Limits of this process.
  IsMade &= seccomp_rule_add(Filter, SCMP_ACT_ALLOW, SCMP_SYS(prlimit64), 1,
                             SCMP_CMP64(Target, SCMP_CMP_EQ, 0, 0)) == 0;
  return IsMade;
}

bool confineToComputing() {
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

} // namespace heddle
