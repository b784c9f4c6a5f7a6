//===- File.cpp - Files and descriptors -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The system calls that the cache makes, each with its retries.
//
//===----------------------------------------------------------------------===//

#include "File.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::cache {

Descriptor::~Descriptor() { close(); }

bool Descriptor::close() {
  // After EINTR the descriptor is closed all the same on Linux.
  int Closing = std::exchange(FD, -1);
  return Closing < 0 || ::close(Closing) == 0 || errno == EINTR;
}

Fault systemFault(Counter Otherwise) {
  int Code = errno;
  bool IsFull = Code == ENOSPC || Code == EDQUOT || Code == EFBIG;
  return {IsFull ? Counter::NoSpace : Otherwise, std::strerror(Code)};
}

Descriptor openAt(int At, const char *Path, int Flags, unsigned Permissions) {
  int FD;
  do
    FD = ::openat(At, Path, Flags | O_CLOEXEC | O_NONBLOCK, Permissions);
  while (FD < 0 && errno == EINTR);
  return Descriptor(FD);
}

/// Repeats Step(bytes done) until it has moved Size bytes or nothing more.
template <typename StepT>
static bool repeat(size_t Size, size_t &Done, StepT Step) {
  for (Done = 0; Done != Size;) {
    ssize_t N = Step(Done);
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0)
      return false;
    if (N == 0)
      return true;
    Done += static_cast<size_t>(N);
  }
  return true;
}

bool readAll(int FD, char *Out, size_t Size, size_t &Read) {
  return repeat(Size, Read, [&](size_t Done) {
    return ::read(FD, Out + Done, Size - Done);
  });
}

bool readAllAt(int FD, char *Out, size_t Size, uint64_t Offset, size_t &Read) {
  return repeat(Size, Read, [&](size_t Done) {
    return ::pread(FD, Out + Done, Size - Done,
                   static_cast<off_t>(Offset + Done));
  });
}

bool writeAll(int FD, std::string_view Bytes) {
  size_t Done;
  bool Good = repeat(Bytes.size(), Done, [&](size_t Before) {
    return ::write(FD, Bytes.data() + Before, Bytes.size() - Before);
  });
  return Good && Done == Bytes.size();
}

bool writeAllAt(int FD, std::string_view Bytes, uint64_t Offset) {
  size_t Done;
  bool Good = repeat(Bytes.size(), Done, [&](size_t Before) {
    return ::pwrite(FD, Bytes.data() + Before, Bytes.size() - Before,
                    static_cast<off_t>(Offset + Before));
  });
  return Good && Done == Bytes.size();
}

Descriptor openOwn(int At, const char *Name, int Flags) {
  Flags |= O_NOFOLLOW;
  for (bool IsSecond : {false, true}) {
    Descriptor File = openAt(At, Name, Flags, 0600);
    struct stat Info;
    if (File && ::fstat(File.get(), &Info) == 0 && S_ISREG(Info.st_mode))
      return File;
    if (!(Flags & O_CREAT) || IsSecond)
      break;
    if (::unlinkat(At, Name, 0) != 0)
      ::unlinkat(At, Name, AT_REMOVEDIR);
  }
  return Descriptor();
}

Result<std::string> readWholeFile(const std::string &Path, uint64_t MaxSize) {
  Descriptor File = openAt(AT_FDCWD, Path.c_str(), O_RDONLY);
  struct stat Info;
  if (!File || ::fstat(File.get(), &Info) != 0)
    return systemFault(Counter::ReadError);
  if (!S_ISREG(Info.st_mode))
    return Fault{Counter::ReadError, "not a regular file"};
  if (static_cast<uint64_t>(Info.st_size) > MaxSize)
    return Fault{Counter::ReadError, "too large"};
  std::string Bytes(static_cast<size_t>(Info.st_size), '\0');
  size_t Read;
  if (!readAll(File.get(), Bytes.data(), Bytes.size(), Read))
    return systemFault(Counter::ReadError);
  Bytes.resize(Read);
  return Bytes;
}

static bool setLock(int FD, short Type, uint64_t Start, uint64_t Size) {
  struct flock Lock = {};
  Lock.l_type = Type;
  Lock.l_whence = SEEK_SET;
  Lock.l_start = static_cast<off_t>(Start);
  Lock.l_len = static_cast<off_t>(Size);
  int Status;
  do
    Status = ::fcntl(FD, F_OFD_SETLK, &Lock);
  while (Status < 0 && errno == EINTR);
  if (Status < 0 && errno == EACCES)
    errno = EAGAIN;
  return Status == 0;
}

bool tryLock(int FD, uint64_t Start, uint64_t Size) {
  return setLock(FD, F_WRLCK, Start, Size);
}

void unlock(int FD, uint64_t Start, uint64_t Size) {
  setLock(FD, F_UNLCK, Start, Size);
}

bool makeDirectories(const std::string &Path) {
  if (::mkdir(Path.c_str(), 0700) == 0 || errno == EEXIST)
    return true;
  size_t Slash = Path.find_last_of('/');
  if (errno != ENOENT || Slash == Path.npos || Slash == 0)
    return false;
  return makeDirectories(Path.substr(0, Slash)) &&
         (::mkdir(Path.c_str(), 0700) == 0 || errno == EEXIST);
}

} // namespace heddle::cache
