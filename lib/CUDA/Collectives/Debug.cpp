//===- Debug.cpp - What NCCL_DEBUG asks for ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The environment is read once.
//
//===----------------------------------------------------------------------===//

#include "Collectives/Debug.h"
#include "Devices/CurrentDevice.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSwitch.h"

#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda::collectives {

static StringRef variable(const char *Name) {
  const char *Text = std::getenv(Name);
  return Text ? Text : "";
}

static DebugLevel wantedLevel() {
  static const auto Wanted =
      StringSwitch<DebugLevel>(variable("NCCL_DEBUG").upper())
          .Case("VERSION", DebugLevel::Version)
          .Case("WARN", DebugLevel::Warn)
          .Case("INFO", DebugLevel::Info)
          .Cases({"TRACE", "ABORT"}, DebugLevel::Trace)
          .Default(DebugLevel::None);
  return Wanted;
}

bool isTold(DebugLevel Level) { return Level <= wantedLevel(); }

bool areCallsTold() {
  static const bool Are = [] {
    std::string Parts = variable("NCCL_DEBUG_SUBSYS").upper();
    return isTold(DebugLevel::Trace) ||
           (isTold(DebugLevel::Info) &&
            (StringRef(Parts).contains("TUNING") ||
             StringRef(Parts).contains("COLL") || Parts == "ALL"));
  }();
  return Are;
}

static std::string hostName() {
  char Name[256] = "";
  gethostname(Name, sizeof(Name) - 1);
  return StringRef(Name).split('.').first.str();
}

/// NCCL_DEBUG_FILE, in which %h is the host's name and %p the process.
static FILE *output() {
  static FILE *const To = [] {
    std::string Path = variable("NCCL_DEBUG_FILE").str();
    for (const auto &[Mark, Value] :
         {std::pair("%h", hostName()),
          std::pair("%p", std::to_string(getpid()))})
      for (size_t At; (At = Path.find(Mark)) != std::string::npos;)
        Path.replace(At, 2, Value);
    FILE *File = Path.empty() ? nullptr : std::fopen(Path.c_str(), "w");
    return File ? File : stdout;
  }();
  return To;
}

void tell(DebugLevel Level, const Twine &Text) {
  if (!isTold(Level))
    return;
  static const std::string Host = hostName();
  static auto *OneAtATime = new std::mutex; // see Process.h
  const char *Word = Level == DebugLevel::Warn    ? "WARN"
                     : Level == DebugLevel::Trace ? "TRACE"
                                                  : "INFO";
  std::lock_guard Lock(*OneAtATime);
  std::fprintf(output(), "%s:%d:%ld [%d] NCCL %s %s\n", Host.c_str(), getpid(),
               syscall(SYS_gettid), int(currentDevice()), Word,
               Text.str().c_str());
  std::fflush(output());
}

} // namespace heddle::cuda::collectives
