//===- Confinement.cpp - What a compiling process may do --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The system calls of computing.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/Confinement.h"

#include "heddle/Support/SystemCalls.h"

#include <cerrno>
#include <sched.h>
#include <sys/mman.h>

namespace heddle {

/// What computing, allocating, threads and open files need.
static constexpr const char *Allowed[] = {
    // open files and sockets
    "read", "write", "readv", "writev", "recvfrom", "recvmsg", "sendto",
    "sendmsg", "poll", "ppoll", "close", "fstat", "lseek",
    // memory
    "munmap", "mremap", "madvise", "brk", "getrlimit", "setrlimit", "getrusage",
    "sysinfo",
    // threads
    "futex", "set_robust_list", "rseq", "gettid", "getpid", "sched_yield",
    "sched_getaffinity", "membarrier", "exit", "exit_group",
    // signals, of a crash for example
    "rt_sigaction", "rt_sigprocmask", "rt_sigreturn", "sigaltstack", "tgkill",
    "restart_syscall",
    // time and chance
    "clock_gettime", "clock_nanosleep", "nanosleep", "gettimeofday",
    "getrandom"};

// Places of arguments.
static constexpr unsigned Protection = 2, CloneFlags = 0, Target = 0;

static constexpr PartlyAllowedCall AllowedInPart[] = {
    // Memory that holds data only.
    {"mmap", Protection, PROT_EXEC, 0},
    {"mprotect", Protection, PROT_EXEC, 0},
    // Threads, but no processes.
    {"clone", CloneFlags, CLONE_THREAD, CLONE_THREAD},
    // Limits of this process.
    {"prlimit64", Target, ~uint64_t(0), 0}};

/// What clone3 asks for is in memory, where a filter does not see it; the C
/// library goes on with clone.
static constexpr FailingCall Failing[] = {{"clone3", ENOSYS}};

bool confineToComputing() {
  return confineTo({Allowed, AllowedInPart, Failing});
}

} // namespace heddle
