//===- FaultLayer.c - Makes system calls fail -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A library to preload: it makes the file calls of a program fail at random, as
// a disk that is full or broken does, or do less than they were asked for. What
// the program has open for its own input and output is left alone: only paths
// below $FAULT_ROOT and descriptors opened there are touched.
//
//   FAULT_ROOT   the folder whose files fail
//   FAULT_ODDS   one call in so many fails
//   FAULT_SEED   of the sequence; the process number is added
//
//===----------------------------------------------------------------------===//

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static _Thread_local uint64_t State;

/// A random number below N (xorshift).
static unsigned chance(unsigned N) {
  if (!State) {
    const char *Seed = getenv("FAULT_SEED");
    State = 0x9e3779b97f4a7c15u * (uint64_t)(getpid() + 1) +
            (Seed ? strtoull(Seed, 0, 10) : 0) + 1;
  }
  State ^= State << 13;
  State ^= State >> 7;
  State ^= State << 17;
  return (unsigned)((State >> 16) % N);
}

/// Whether a call fails now, with which errors.
static int fails(const int *Errors, unsigned Count) {
  const char *Odds = getenv("FAULT_ODDS");
  unsigned N = Odds ? (unsigned)atoi(Odds) : 0;
  if (!N || chance(N))
    return 0;
  errno = Errors[chance(Count)];
  return 1;
}

static int isBelowRoot(const char *Path) {
  const char *Root = getenv("FAULT_ROOT");
  return Root && Path && strncmp(Path, Root, strlen(Root)) == 0;
}

/// Whether a descriptor is of a file below the root.
static int isOurs(int FD) {
  char Link[64], Path[4096];
  snprintf(Link, sizeof(Link), "/proc/self/fd/%d", FD);
  ssize_t Size = readlink(Link, Path, sizeof(Path) - 1);
  if (Size < 0)
    return 0;
  Path[Size] = 0;
  return isBelowRoot(Path);
}

static int isOursAt(int At, const char *Path) {
  return Path[0] == '/' ? isBelowRoot(Path) : At >= 0 && isOurs(At);
}

#define NEXT(Name) ((__typeof__(&Name))dlsym(RTLD_NEXT, #Name))

static const int OpenErrors[] = {EIO,    EMFILE, ENFILE, EACCES, EROFS,
                                 ENOSPC, ESTALE, EINTR,  ENOMEM};
static const int ReadErrors[] = {EIO, ESTALE, EINTR};
static const int WriteErrors[] = {EIO, ENOSPC, EDQUOT, EINTR, EFBIG};

int openat(int At, const char *Path, int Flags, ...) {
  va_list Arguments;
  va_start(Arguments, Flags);
  mode_t Mode = (Flags & O_CREAT) ? va_arg(Arguments, mode_t) : 0;
  va_end(Arguments);
  if (isOursAt(At, Path) && fails(OpenErrors, 9))
    return -1;
  return NEXT(openat)(At, Path, Flags, Mode);
}

ssize_t read(int FD, void *Out, size_t Size) {
  if (Size > 1 && isOurs(FD)) {
    if (fails(ReadErrors, 3))
      return -1;
    if (!chance(4))
      Size = 1 + chance((unsigned)Size);
  }
  return NEXT(read)(FD, Out, Size);
}

ssize_t pread(int FD, void *Out, size_t Size, off_t Offset) {
  if (Size > 1 && isOurs(FD)) {
    if (fails(ReadErrors, 3))
      return -1;
    if (!chance(4))
      Size = 1 + chance((unsigned)Size);
  }
  return NEXT(pread)(FD, Out, Size, Offset);
}

ssize_t write(int FD, const void *Bytes, size_t Size) {
  if (Size > 1 && isOurs(FD)) {
    if (fails(WriteErrors, 5))
      return -1;
    if (!chance(4))
      Size = 1 + chance((unsigned)Size);
  }
  return NEXT(write)(FD, Bytes, Size);
}

ssize_t pwrite(int FD, const void *Bytes, size_t Size, off_t Offset) {
  if (Size > 1 && isOurs(FD) && fails(WriteErrors, 5))
    return -1;
  return NEXT(pwrite)(FD, Bytes, Size, Offset);
}

int close(int FD) {
  int Fails = isOurs(FD) && fails(WriteErrors, 5);
  int Saved = errno;
  int Status = NEXT(close)(FD);
  if (!Fails)
    return Status;
  errno = Saved;
  return -1;
}

int renameat(int FromAt, const char *From, int ToAt, const char *To) {
  if (isOursAt(ToAt, To) && fails(WriteErrors, 5))
    return -1;
  return NEXT(renameat)(FromAt, From, ToAt, To);
}

int unlinkat(int At, const char *Path, int Flags) {
  if (isOursAt(At, Path) && fails(OpenErrors, 9))
    return -1;
  return NEXT(unlinkat)(At, Path, Flags);
}

int mkdirat(int At, const char *Path, mode_t Mode) {
  if (isOursAt(At, Path) && fails(OpenErrors, 9))
    return -1;
  return NEXT(mkdirat)(At, Path, Mode);
}

int fstat(int FD, struct stat *Info) {
  if (isOurs(FD) && fails(ReadErrors, 2))
    return -1;
  return NEXT(fstat)(FD, Info);
}

int fcntl(int FD, int Command, ...) {
  va_list Arguments;
  va_start(Arguments, Command);
  void *Argument = va_arg(Arguments, void *);
  va_end(Arguments);
  static const int LockErrors[] = {EINTR, ENOLCK, EAGAIN};
  if (Command == F_OFD_SETLK && isOurs(FD) && fails(LockErrors, 3))
    return -1;
  return NEXT(fcntl)(FD, Command, Argument);
}
