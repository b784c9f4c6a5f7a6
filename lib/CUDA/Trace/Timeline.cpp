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
#include "heddle/Support/TraceWriter.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/Support/Format.h"
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

//===----------------------------------------------------------------------===//
// The file
//===----------------------------------------------------------------------===//

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

static std::shared_ptr<Sink> createSink(StringRef Path) {
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
    if (std::shared_ptr<Sink> S = createSink(Path))
      Recorder::get().addSink(std::move(S));
  });
}

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// Sinks are told of one event at a time, so that the map needs no lock.
static const std::string &demangledOnce(const std::string &Symbol) {
  static auto *Known = new StringMap<std::string>; // see Process.h
  std::string &Name = (*Known)[Symbol];
  if (Name.empty())
    Name = demangle(Symbol);
  return Name;
}

std::string nameOf(const Work &W) {
  if (W.What.Kernel)
    return demangledOnce(W.What.Kernel->Name);
  if (W.What.Fill)
    return "fill";
  switch (W.Copied) {
  case Direction::ToDevice:
    return "copy to device";
  case Direction::ToHost:
    return "copy to host";
  case Direction::InDevice:
    return "copy";
  case Direction::ToPeer:
    return "copy to peer";
  case Direction::InHost:
    return "copy in host memory";
  }
  return "copy";
}

static std::string text(const rt::Dim3 &D) {
  return std::to_string(D.X) + ", " + std::to_string(D.Y) + ", " +
         std::to_string(D.Z);
}

std::vector<std::pair<StringRef, std::string>> detailsOf(const Work &W) {
  std::vector<std::pair<StringRef, std::string>> Details;
  if (W.Correlation)
    Details.emplace_back("correlation", std::to_string(W.Correlation));
  if (!W.What.Kernel) {
    Details.emplace_back("bytes", std::to_string(W.Bytes));
    return Details;
  }
  const rt::LaunchConfig &Config = *W.What.Config;
  Details.emplace_back("grid", text(Config.Grid));
  Details.emplace_back("block", text(Config.Block));
  Details.emplace_back("registers", std::to_string(W.What.Kernel->Registers));
  Details.emplace_back(
      "shared bytes",
      std::to_string(W.What.Kernel->SharedBytes + Config.DynamicSharedBytes));
  if (nameOf(W) != W.What.Kernel->Name)
    Details.emplace_back("symbol", W.What.Kernel->Name);
  return Details;
}

std::vector<std::pair<StringRef, std::string>> detailsOf(const Annotation &A) {
  std::vector<std::pair<StringRef, std::string>> Details;
  if (!A.Category.empty())
    Details.emplace_back("category", A.Category);
  if (A.Color) {
    std::string Color;
    raw_string_ostream(Color) << format("#%08x", A.Color);
    Details.emplace_back("color", Color);
  }
  std::visit(
      [&](auto Number) {
        if constexpr (!std::is_same_v<decltype(Number), std::monostate>)
          Details.emplace_back("payload", std::to_string(Number));
      },
      A.Payload);
  return Details;
}

} // namespace heddle::cuda::trace
