//===- Clock.cpp - The host's clocks in virtual time ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions of the C library that tell the time, or take a time at which to
// wake up. All clocks but those of processor time are shifted by the same
// amount, so that programs may compare them. Until libheddle-cuda sets the
// clock, nothing is shifted.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/ProgramClock.h"

#include <atomic>
#include <cerrno>
#include <ctime>
#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <sys/time.h>
#include <unistd.h>

using heddle::rt::ProgramClock;

//===----------------------------------------------------------------------===//
// The clock
//===----------------------------------------------------------------------===//

/// The function of that name behind this library; it stays the same.
template <typename Function>
static Function *next(std::atomic<Function *> &Known, const char *Name) {
  if (Function *Found = Known.load(std::memory_order_relaxed))
    return Found;
  auto *Found = reinterpret_cast<Function *>(dlsym(RTLD_NEXT, Name));
  Known.store(Found, std::memory_order_relaxed);
  return Found;
}

#define HEDDLE_NEXT(Name)                                                      \
  (*[] {                                                                       \
    static std::atomic<decltype(::Name) *> Known{nullptr};                     \
    return next(Known, #Name);                                                 \
  }())

constexpr int64_t NanosecondsInSecond = 1'000'000'000;

static int64_t nanosecondsOf(const timespec &T) {
  return T.tv_sec * NanosecondsInSecond + T.tv_nsec;
}

static timespec timeOf(int64_t Nanoseconds) {
  int64_t Seconds = Nanoseconds / NanosecondsInSecond;
  int64_t Rest = Nanoseconds % NanosecondsInSecond;
  if (Rest < 0) {
    --Seconds;
    Rest += NanosecondsInSecond;
  }
  return {Seconds, Rest};
}

static uint64_t realTime() {
  timespec T = {};
  HEDDLE_NEXT(clock_gettime)(CLOCK_MONOTONIC, &T);
  return static_cast<uint64_t>(nanosecondsOf(T));
}

extern "C" __attribute__((
    visibility("default"))) ProgramClock HEDDLE_PROGRAM_CLOCK{realTime};

/// The program's time minus real time.
static int64_t shift() {
  ProgramClock &Clock = HEDDLE_PROGRAM_CLOCK;
  if (!Clock.Latest)
    return 0;
  return static_cast<int64_t>(Clock.read() - realTime());
}

static bool isShifted(clockid_t Id) {
  switch (Id) {
  case CLOCK_REALTIME:
  case CLOCK_MONOTONIC:
  case CLOCK_MONOTONIC_RAW:
  case CLOCK_REALTIME_COARSE:
  case CLOCK_MONOTONIC_COARSE:
  case CLOCK_BOOTTIME:
  case CLOCK_TAI:
    return true;
  default:
    return false;
  }
}

/// What a clock tells at a point of the monotonic clock, minus that. A still
/// clock needs it to be the same whenever it is asked for.
static int64_t distanceOf(clockid_t Id, const timespec &Now) {
  constexpr clockid_t NumClocks = 16; // more than Linux has
  static std::atomic<int64_t> Known[NumClocks];
  if (Id == CLOCK_MONOTONIC || Id < 0 || Id >= NumClocks)
    return 0;
  int64_t Found = nanosecondsOf(Now) - static_cast<int64_t>(realTime());
  int64_t Nothing = 0;
  return Known[Id].compare_exchange_strong(Nothing, Found) ? Found : Nothing;
}

/// The same point of time on the real clock.
static timespec realOf(const timespec &Deadline) {
  return timeOf(nanosecondsOf(Deadline) - shift());
}

/// In a still clock's time, a sleep is over at once.
static bool passes(int64_t Nanoseconds) {
  ProgramClock &Clock = HEDDLE_PROGRAM_CLOCK;
  if (!Clock.IsStill || Nanoseconds < 0)
    return false;
  Clock.pass(static_cast<uint64_t>(Nanoseconds));
  return true;
}

extern "C" {

//===----------------------------------------------------------------------===//
// What time it is
//===----------------------------------------------------------------------===//

int clock_gettime(clockid_t Id, timespec *To) noexcept {
  int Code = HEDDLE_NEXT(clock_gettime)(Id, To);
  if (Code != 0 || !isShifted(Id))
    return Code;
  ProgramClock &Clock = HEDDLE_PROGRAM_CLOCK;
  *To = timeOf(Clock.IsStill
                   ? static_cast<int64_t>(Clock.read()) + distanceOf(Id, *To)
                   : nanosecondsOf(*To) + shift());
  return Code;
}

int gettimeofday(timeval *__restrict To, void *__restrict Zone) noexcept {
  int Code = HEDDLE_NEXT(gettimeofday)(To, Zone);
  timespec T;
  if (Code == 0 && clock_gettime(CLOCK_REALTIME, &T) == 0)
    *To = {T.tv_sec, T.tv_nsec / 1000};
  return Code;
}

time_t time(time_t *To) noexcept {
  timespec T = {};
  clock_gettime(CLOCK_REALTIME, &T);
  if (To)
    *To = T.tv_sec;
  return T.tv_sec;
}

int timespec_get(timespec *To, int Base) noexcept {
  return Base == TIME_UTC && clock_gettime(CLOCK_REALTIME, To) == 0 ? Base : 0;
}

//===----------------------------------------------------------------------===//
// When to wake up
//===----------------------------------------------------------------------===//

int nanosleep(const timespec *Time, timespec *Left) {
  if (Time && passes(nanosecondsOf(*Time)))
    return 0;
  return HEDDLE_NEXT(nanosleep)(Time, Left);
}

int usleep(useconds_t Microseconds) {
  if (passes(int64_t(Microseconds) * 1000))
    return 0;
  return HEDDLE_NEXT(usleep)(Microseconds);
}

unsigned sleep(unsigned Seconds) {
  if (passes(Seconds * NanosecondsInSecond))
    return 0;
  return HEDDLE_NEXT(sleep)(Seconds);
}

int clock_nanosleep(clockid_t Id, int Flags, const timespec *Time,
                    timespec *Left) {
  if (!Time || !isShifted(Id))
    return HEDDLE_NEXT(clock_nanosleep)(Id, Flags, Time, Left);
  if (!(Flags & TIMER_ABSTIME)) {
    if (passes(nanosecondsOf(*Time)))
      return 0;
    return HEDDLE_NEXT(clock_nanosleep)(Id, Flags, Time, Left);
  }
  timespec Now = {};
  clock_gettime(Id, &Now);
  if (passes(nanosecondsOf(*Time) - nanosecondsOf(Now)))
    return 0;
  timespec Real = realOf(*Time);
  return HEDDLE_NEXT(clock_nanosleep)(Id, Flags, &Real, Left);
}

int pthread_cond_timedwait(pthread_cond_t *__restrict C,
                           pthread_mutex_t *__restrict M,
                           const timespec *__restrict Deadline) {
  timespec Real = realOf(*Deadline);
  return HEDDLE_NEXT(pthread_cond_timedwait)(C, M, &Real);
}

int pthread_cond_clockwait(pthread_cond_t *__restrict C,
                           pthread_mutex_t *__restrict M, clockid_t Id,
                           const timespec *__restrict Deadline) {
  timespec Real = realOf(*Deadline);
  return HEDDLE_NEXT(pthread_cond_clockwait)(C, M, Id, &Real);
}

int pthread_mutex_timedlock(pthread_mutex_t *__restrict M,
                            const timespec *__restrict Deadline) noexcept {
  timespec Real = realOf(*Deadline);
  return HEDDLE_NEXT(pthread_mutex_timedlock)(M, &Real);
}

int pthread_mutex_clocklock(pthread_mutex_t *__restrict M, clockid_t Id,
                            const timespec *__restrict Deadline) noexcept {
  timespec Real = realOf(*Deadline);
  return HEDDLE_NEXT(pthread_mutex_clocklock)(M, Id, &Real);
}

int sem_timedwait(sem_t *__restrict S, const timespec *__restrict Deadline) {
  timespec Real = realOf(*Deadline);
  return HEDDLE_NEXT(sem_timedwait)(S, &Real);
}

int sem_clockwait(sem_t *__restrict S, clockid_t Id,
                  const timespec *__restrict Deadline) {
  timespec Real = realOf(*Deadline);
  return HEDDLE_NEXT(sem_clockwait)(S, Id, &Real);
}

} // extern "C"
