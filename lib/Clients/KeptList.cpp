//===- KeptList.cpp - Files that are locked ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The lock is on the open file, so that it ends with the process, too.
//
//===----------------------------------------------------------------------===//

#include "KeptList.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle::clients {

LockedFile::LockedFile(const std::string &Path, int Flags)
    : Descriptor(::open(Path.c_str(), Flags | O_CLOEXEC | O_NOFOLLOW, 0600)) {
  struct stat Status = {};
  bool IsFile = Descriptor >= 0 && ::fstat(Descriptor, &Status) == 0 &&
                S_ISREG(Status.st_mode);
  if (IsFile && ::flock(Descriptor, LOCK_EX) == 0)
    return;
  close();
}

void LockedFile::close() {
  if (Descriptor >= 0)
    ::close(Descriptor);
  Descriptor = -1;
}

uint64_t LockedFile::size() const {
  struct stat Status = {};
  return ::fstat(Descriptor, &Status) == 0 ? Status.st_size : 0;
}

size_t LockedFile::read(void *To, size_t Bytes) const {
  ssize_t Length = ::pread(Descriptor, To, Bytes, 0);
  return Length > 0 ? Length : 0;
}

void LockedFile::write(const void *From, size_t Bytes) const {
  if (::pwrite(Descriptor, From, Bytes, 0) == static_cast<ssize_t>(Bytes))
    (void)::ftruncate(Descriptor, Bytes);
}

} // namespace heddle::clients
