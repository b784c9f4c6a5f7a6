//===- FileLock.cpp - One process at a time changes a file ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// llvm::LockFileManager cannot serve: it takes a dead owner's lock away by
// name, and with it the lock of a process that was quicker to do so.
//
//===----------------------------------------------------------------------===//

#include "FileLock.h"

#include <cerrno>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace heddle::pgo {

/// Whether that path still names the file: its last owner removed the file, so
/// that a lock on it may be one that no other process will ask for.
static bool isNamed(int FD, const char *Path) {
  struct stat Open, Named;
  return ::fstat(FD, &Open) == 0 && ::stat(Path, &Named) == 0 &&
         Open.st_dev == Named.st_dev && Open.st_ino == Named.st_ino;
}

static Error failure(const std::string &LockPath, int Cause) {
  std::error_code Code(Cause, std::generic_category());
  return createStringError(Code, LockPath + ": " + Code.message());
}

Expected<FileLock> FileLock::take(StringRef Path,
                                  std::chrono::seconds Patience) {
  std::string LockPath = (Path + ".lock").str();
  auto Deadline = std::chrono::steady_clock::now() + Patience;
  for (;;) {
    int FD = ::open(LockPath.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (FD < 0)
      return failure(LockPath, errno);
    bool IsLocked = ::flock(FD, LOCK_EX | LOCK_NB) == 0;
    if (IsLocked && isNamed(FD, LockPath.c_str()))
      return FileLock(std::move(LockPath), FD);
    int Cause = IsLocked ? 0 : errno;
    ::close(FD);
    if (Cause != 0 && Cause != EWOULDBLOCK && Cause != EINTR)
      return failure(LockPath, Cause);
    if (IsLocked)
      continue;
    if (std::chrono::steady_clock::now() >= Deadline)
      return createStringError(LockPath +
                               ": another process has kept it for too long");
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

FileLock::FileLock(FileLock &&Other)
    : LockPath(std::move(Other.LockPath)), FD(std::exchange(Other.FD, -1)) {}

FileLock::~FileLock() {
  if (FD < 0)
    return;
  // Removed while it is held: a process that has opened it will find it
  // nameless.
  ::unlink(LockPath.c_str());
  ::close(FD);
}

} // namespace heddle::pgo
