//===- Trace.cpp - When the stages of compilations ran ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An event is written by one call, so that lines of several processes stay
// whole.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/Trace.h"

#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace heddle {

/// Starts the array in a file that is still empty.
static void beginFile(int FD) {
  ::flock(FD, LOCK_EX);
  struct stat Status;
  if (::fstat(FD, &Status) == 0 && Status.st_size == 0)
    (void)!::write(FD, "[\n", 2);
  ::flock(FD, LOCK_UN);
}

TraceSink::TraceSink(const std::string &File,
                     std::function<void(const TraceEvent &)> Callback)
    : Callback(std::move(Callback)) {
  if (File.empty())
    return;
  FD = ::open(File.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  if (FD >= 0)
    beginFile(FD);
}

TraceSink::~TraceSink() {
  if (FD >= 0)
    ::close(FD);
}

/// Text as a string of JSON.
static std::string quoted(std::string_view Text) {
  std::string Result = "\"";
  for (unsigned char C : Text) {
    char Escape[8];
    if (C == '"' || C == '\\') {
      Result += '\\';
      Result += static_cast<char>(C);
    } else if (C < 0x20) {
      std::snprintf(Escape, sizeof(Escape), "\\u%04x", C);
      Result += Escape;
    } else {
      Result += static_cast<char>(C);
    }
  }
  return Result + "\"";
}

void TraceSink::add(const TraceEvent &Event) {
  if (Callback)
    Callback(Event);
  if (FD < 0)
    return;
  using Microseconds = std::chrono::duration<double, std::micro>;
  char Numbers[160];
  std::snprintf(Numbers, sizeof(Numbers),
                ",\"ph\":\"X\",\"ts\":%.3f,\"dur\":%.3f,\"pid\":%d,"
                "\"tid\":%ld,\"args\":{\"input\":",
                Microseconds(Event.Begin.time_since_epoch()).count(),
                Microseconds(Event.End - Event.Begin).count(), ::getpid(),
                ::syscall(SYS_gettid));
  std::string Line =
      "{\"name\":" + quoted(Event.Stage) + Numbers + quoted(Event.Input);
  if (!Event.Detail.empty())
    Line += ",\"origin\":" + quoted(Event.Detail);
  Line += "}},\n";
  (void)!::write(FD, Line.data(), Line.size());
}

std::string traceFileOfEnvironment() {
  const char *Value = std::getenv("HEDDLE_TRACE");
  return Value ? Value : "";
}

} // namespace heddle
