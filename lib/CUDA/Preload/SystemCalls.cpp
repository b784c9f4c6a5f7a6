//===- SystemCalls.cpp - Calls of the C library that wait -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each function is called as ever, and told of with its time where somebody
// wants to know. Threads that libraries of ours have started are left out.
//
//===----------------------------------------------------------------------===//

#include "Preload/SystemCalls.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>
#include <unwind.h>

using heddle::cuda::SystemCallSink;

extern "C"
    __attribute__((visibility("default"))) std::atomic<const SystemCallSink *>
        heddleSystemCallSink{nullptr};

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

/// The function of that name behind this library; it stays the same.
template <typename Function>
static Function *next(std::atomic<Function *> &Known, const char *Name) {
  if (Function *Found = Known.load(std::memory_order_relaxed))
    return Found;
  // There is an older one of that name, with other objects.
  void *Found = std::strncmp(Name, "pthread_cond_", 13) == 0
                    ? dlvsym(RTLD_NEXT, Name, "GLIBC_2.3.2")
                    : nullptr;
  if (!Found)
    Found = dlsym(RTLD_NEXT, Name);
  Known.store(reinterpret_cast<Function *>(Found), std::memory_order_relaxed);
  return reinterpret_cast<Function *>(Found);
}

#define HEDDLE_NEXT(Name)                                                      \
  ([] {                                                                        \
    static std::atomic<decltype(::Name) *> Known{nullptr};                     \
    return next(Known, #Name);                                                 \
  }())

/// Whether the thread is a library's of ours, and whether it tells of a call.
static thread_local bool IsOurs = false, IsTelling = false;

template <typename Function, typename... Arguments>
static auto call(const char *Name, const void *Caller, Function *Next,
                 Arguments... As) {
  const SystemCallSink *S =
      heddleSystemCallSink.load(std::memory_order_acquire);
  uint64_t Begin = S && !IsOurs && !IsTelling ? S->Begin(Caller) : 0;
  auto Result = Next(As...);
  if (Begin) {
    int Error = errno;
    IsTelling = true;
    S->End(Name, Begin, static_cast<int64_t>(Result));
    IsTelling = false;
    errno = Error;
  }
  return Result;
}

extern "C" {

#define HEDDLE_OPEN(...) __VA_ARGS__
#define HEDDLE_SYSTEM_CALL(Result, Name, Parameters, Arguments)                \
  Result Name Parameters {                                                     \
    return call(#Name, __builtin_return_address(0), HEDDLE_NEXT(Name),         \
                HEDDLE_OPEN Arguments);                                        \
  }
#include "Preload/SystemCalls.def"

/// Most find the mutex free, and wait for nothing.
int pthread_mutex_lock(pthread_mutex_t *M) noexcept {
  int Code = pthread_mutex_trylock(M);
  return Code == EBUSY ? call("pthread_mutex_lock", __builtin_return_address(0),
                              HEDDLE_NEXT(pthread_mutex_lock), M)
                       : Code;
}

} // extern "C"

//===----------------------------------------------------------------------===//
// Threads
//===----------------------------------------------------------------------===//

static bool startsWith(const char *Text, const char *With) {
  return std::strncmp(Text, With, std::strlen(With)) == 0;
}

/// Looks at a frame of who starts a thread, the innermost first, and sets the
/// flag that Into points to when it is one of ours.
static _Unwind_Reason_Code findStarter(_Unwind_Context *Frame, void *Into) {
  Dl_info Found, Self;
  if (!dladdr(reinterpret_cast<void *>(_Unwind_GetIP(Frame)), &Found) ||
      !Found.dli_fname)
    return _URC_END_OF_STACK;
  const char *Slash = std::strrchr(Found.dli_fname, '/');
  const char *Name = Slash ? Slash + 1 : Found.dli_fname;
  bool IsThis =
      dladdr(&heddleSystemCallSink, &Self) && Self.dli_fbase == Found.dli_fbase;
  if (IsThis || startsWith(Name, "libstdc++.") || startsWith(Name, "libc."))
    return _URC_NO_REASON;
  *static_cast<bool *>(Into) = startsWith(Name, "libheddle-");
  return _URC_END_OF_STACK;
}

namespace {
/// What a thread is to do.
struct Start {
  void *(*Function)(void *);
  void *Argument;
  bool IsOurs;
};
} // namespace

static void *run(void *Memory) {
  Start S = *static_cast<Start *>(Memory);
  std::free(Memory);
  IsOurs = S.IsOurs;
  return S.Function(S.Argument);
}

extern "C" int pthread_create(pthread_t *__restrict Thread,
                              const pthread_attr_t *__restrict Attributes,
                              void *(*Function)(void *),
                              void *__restrict Argument) noexcept {
  auto *Next = HEDDLE_NEXT(pthread_create);
  auto *Memory = static_cast<Start *>(std::malloc(sizeof(Start)));
  if (!Memory)
    return EAGAIN;
  *Memory = {Function, Argument, IsOurs};
  if (!IsOurs)
    _Unwind_Backtrace(findStarter, &Memory->IsOurs);
  int Code = Next(Thread, Attributes, run, Memory);
  if (Code)
    std::free(Memory);
  return Code;
}
