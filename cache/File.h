//===- File.h - Files and descriptors ---------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Descriptors that close themselves, whole reads and writes that go on after
// interruptions, and what errno means to the cache. Private to cache/.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_FILE_H
#define HEDDLE_CACHE_FILE_H

#include "heddle-cache/Result.h"

#include <string>
#include <string_view>
#include <utility>

namespace heddle::cache {

/// An open file, closed at the end of its life.
class Descriptor {
public:
  Descriptor() = default;
  explicit Descriptor(int FD) : FD(FD) {}
  Descriptor(Descriptor &&Other) noexcept : FD(std::exchange(Other.FD, -1)) {}
  Descriptor &operator=(Descriptor &&Other) noexcept {
    std::swap(FD, Other.FD);
    return *this;
  }
  ~Descriptor();

  explicit operator bool() const { return FD >= 0; }
  int get() const { return FD; }
  /// Closes now; false if the system reports that data was lost.
  bool close();

private:
  int FD = -1;
};

/// A fault with errno's text: NoSpace if the disk is full, else Otherwise.
Fault systemFault(Counter Otherwise);

/// Opens Path in the directory At (or AT_FDCWD) and retries interruptions. Does
/// not wait for the other end of a pipe that somebody put there.
Descriptor openAt(int At, const char *Path, int Flags,
                  unsigned Permissions = 0);

/// Opens a regular file of the cache's own in the directory At. Anything else
/// in its place is removed if Flags allow to make the file.
Descriptor openOwn(int At, const char *Name, int Flags);

/// Reads Size bytes at the file's position; less only at its end. False on an
/// error, with errno set.
bool readAll(int FD, char *Out, size_t Size, size_t &Read);
/// The same at Offset.
bool readAllAt(int FD, char *Out, size_t Size, uint64_t Offset, size_t &Read);
bool writeAll(int FD, std::string_view Bytes);
bool writeAllAt(int FD, std::string_view Bytes, uint64_t Offset);

/// A whole file of at most MaxSize bytes.
Result<std::string> readWholeFile(const std::string &Path, uint64_t MaxSize);

/// A lock on [Start, Start + Size) of a file, held by the open file
/// description: it ends with it, also if the process dies. Does not wait.
/// False, with errno EAGAIN, if somebody else holds it.
bool tryLock(int FD, uint64_t Start, uint64_t Size);
void unlock(int FD, uint64_t Start, uint64_t Size);

/// Makes Path and what leads to it, private to the user.
bool makeDirectories(const std::string &Path);

} // namespace heddle::cache

#endif // HEDDLE_CACHE_FILE_H
