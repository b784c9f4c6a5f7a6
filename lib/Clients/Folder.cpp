//===- Folder.cpp - Where records of clients are ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A folder of the user's. One that others could write to would let them remove
// records, or put others in their place.
//
//===----------------------------------------------------------------------===//

#include "heddle/Clients/Record.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::clients {

static std::string wantedFolder() {
  if (const char *Wanted = std::getenv("HEDDLE_CLIENTS"); Wanted && *Wanted)
    return Wanted;
  if (const char *Runtime = std::getenv("XDG_RUNTIME_DIR"); Runtime && *Runtime)
    return std::string(Runtime) + "/heddle";
  return "/tmp/heddle-" + std::to_string(::geteuid());
}

static Error failure(StringRef Path, const Twine &Why) {
  return createStringError("the folder of records of processes, '" + Path +
                           "': " + Why);
}

Expected<std::string> recordFolder() {
  std::string Path = wantedFolder();
  if (::mkdir(Path.c_str(), 0700) != 0 && errno != EEXIST)
    return failure(Path, std::strerror(errno));
  struct stat Status = {};
  if (::lstat(Path.c_str(), &Status) != 0)
    return failure(Path, std::strerror(errno));
  if (!S_ISDIR(Status.st_mode))
    return failure(Path, "is no folder");
  if (Status.st_uid != ::geteuid() || Status.st_mode & (S_IWGRP | S_IWOTH))
    return failure(Path, "others could write there; HEDDLE_CLIENTS can name "
                         "another folder");
  return Path;
}

} // namespace heddle::clients
