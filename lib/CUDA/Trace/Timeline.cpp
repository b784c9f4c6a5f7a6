//===- Timeline.cpp - A program's events in a file --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each process of a program that uses the device has a file: the first one that
// of the name, others one with their number in the name.
//
//===----------------------------------------------------------------------===//

#include "Trace/Timeline.h"
#include "Trace/Sampling/Sampler.h"
#include "Trace/SystemCalls.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda::trace {

/// Opens a file that no other process writes, or has written; -1 if there is
/// one. It stays locked as long as it is open.
static int claim(const char *Path) {
  int File = open(Path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
  struct stat Status;
  if (File >= 0 && flock(File, LOCK_EX | LOCK_NB) == 0 &&
      fstat(File, &Status) == 0 && Status.st_size == 0)
    return File;
  if (File >= 0) {
    close(File);
    errno = 0;
  }
  return -1;
}

/// The name with the number of the process before its end.
static std::string ownName(StringRef Path) {
  SmallString<128> Name(Path);
  std::string End = sys::path::extension(Path).str();
  sys::path::replace_extension(Name, std::to_string(getpid()) + End);
  return Name.str().str();
}

static std::shared_ptr<FileSink> createFile(StringRef Path) {
  std::string Name = Path.str();
  int File = claim(Name.c_str());
  if (File < 0 && errno == 0) {
    Name = ownName(Path);
    File = open(Name.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  }
  if (File < 0) {
    errs() << "heddle: cannot write '" << Name << "': " << std::strerror(errno)
           << "\n";
    return nullptr;
  }
  auto Stream = std::make_unique<raw_fd_ostream>(File, /*shouldClose=*/true);
  if (Path.ends_with(".sqlite"))
    return createDatabaseFile(Name, std::move(Stream), now());
  if (isPerfettoName(Path))
    return createPerfettoFile(std::move(Stream), now());
  return createEventFile(std::move(Stream), now());
}

void openTimeline() {
  static std::once_flag Once;
  std::call_once(Once, [] {
    const char *Path = std::getenv("HEDDLE_TIMELINE");
    if (!Path || !*Path)
      return;
    std::shared_ptr<FileSink> File = createFile(Path);
    if (!File)
      return;
    Recorder::get().openFile(std::move(File));
    startSampling();
    watchSystemCalls();
  });
}

} // namespace heddle::cuda::trace
