//===- Files.cpp - Input and output of programs -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole files in and out.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/Files.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace heddle {

static std::string systemError() { return std::strerror(errno); }

static bool readAll(int FD, std::string &Text) {
  struct stat Info;
  bool HasSize = ::fstat(FD, &Info) == 0 && S_ISREG(Info.st_mode);
  // One byte more, so that the end is seen at once.
  size_t Room = HasSize ? static_cast<size_t>(Info.st_size) + 1 : 1 << 16;
  size_t Size = 0;
  while (true) {
    if (Size == Text.size())
      Text.resize(Size + (Size ? Size : Room));
    ssize_t N = ::read(FD, Text.data() + Size, Text.size() - Size);
    if (N < 0 && errno == EINTR)
      continue;
    if (N <= 0) {
      Text.resize(Size);
      return N == 0;
    }
    Size += static_cast<size_t>(N);
  }
}

std::optional<std::string> readInputFile(const std::string &Name,
                                         std::string &Text) {
  bool IsStandard = Name == "-";
  int FD =
      IsStandard ? STDIN_FILENO : ::open(Name.c_str(), O_RDONLY | O_CLOEXEC);
  std::optional<std::string> Error;
  if (FD < 0 || !readAll(FD, Text))
    Error = "input file '" + Name + "' could not be opened: " + systemError();
  if (!IsStandard && FD >= 0)
    ::close(FD);
  return Error;
}

static bool writeAll(int FD, std::string_view Bytes) {
  while (!Bytes.empty()) {
    ssize_t N = ::write(FD, Bytes.data(), Bytes.size());
    if (N < 0 && errno == EINTR)
      continue;
    if (N < 0)
      return false;
    Bytes.remove_prefix(static_cast<size_t>(N));
  }
  return true;
}

/// Writes to what Flags open; the file is left as it is after an error.
static bool writeTo(const char *Name, int Flags, std::string_view Bytes) {
  int FD = ::open(Name, Flags | O_WRONLY | O_CLOEXEC, 0666);
  if (FD < 0)
    return false;
  bool Good = writeAll(FD, Bytes);
  int Saved = errno;
  Good &= ::close(FD) == 0;
  if (!Good && Saved)
    errno = Saved;
  return Good;
}

/// Gives a file that has these bytes the time of now. To replace it would cost
/// file systems more than all the rest of a hit in the cache.
static bool isThereAlready(const std::string &Name, const struct stat &Info,
                           std::string_view Bytes) {
  std::string Text;
  return static_cast<size_t>(Info.st_size) == Bytes.size() &&
         !readInputFile(Name, Text) && Text == Bytes &&
         ::utimensat(AT_FDCWD, Name.c_str(), nullptr, 0) == 0;
}

/// Writes a new file, which then gets the name.
static bool replaceFile(const std::string &Name, std::string_view Bytes) {
  std::string Aside = Name + ".tmp" + std::to_string(::getpid());
  if (writeTo(Aside.c_str(), O_CREAT | O_TRUNC, Bytes) &&
      ::rename(Aside.c_str(), Name.c_str()) == 0)
    return true;
  int Saved = errno;
  ::unlink(Aside.c_str());
  errno = Saved;
  return false;
}

static bool writeOutput(const std::string &Name, std::string_view Bytes) {
  struct stat Info;
  if (Name == "-")
    return writeAll(STDOUT_FILENO, Bytes);
  bool Exists = ::stat(Name.c_str(), &Info) == 0;
  if (Exists && !S_ISREG(Info.st_mode))
    return writeTo(Name.c_str(), 0, Bytes);
  return (Exists && isThereAlready(Name, Info, Bytes)) ||
         replaceFile(Name, Bytes);
}

std::optional<std::string> writeOutputFile(const std::string &Name,
                                           std::string_view Bytes) {
  if (writeOutput(Name, Bytes))
    return std::nullopt;
  return "output file '" + Name + "': " + systemError();
}

} // namespace heddle
