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

std::optional<std::string> writeOutputFile(const std::string &Name,
                                           std::string_view Bytes) {
  struct stat Info;
  bool Good;
  if (Name == "-") {
    Good = writeAll(STDOUT_FILENO, Bytes);
  } else if (::stat(Name.c_str(), &Info) == 0 && !S_ISREG(Info.st_mode)) {
    Good = writeTo(Name.c_str(), 0, Bytes);
  } else {
    std::string Aside = Name + ".tmp" + std::to_string(::getpid());
    Good = writeTo(Aside.c_str(), O_CREAT | O_TRUNC, Bytes) &&
           ::rename(Aside.c_str(), Name.c_str()) == 0;
    if (!Good) {
      int Saved = errno;
      ::unlink(Aside.c_str());
      errno = Saved;
    }
  }
  if (Good)
    return std::nullopt;
  return "output file '" + Name + "': " + systemError();
}

} // namespace heddle
