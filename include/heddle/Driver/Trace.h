//===- Trace.h - When the stages of compilations ran ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times of stages go to a function of the host's, and to a file in the format
// of Chrome's tracing (chrome://tracing, Perfetto): an array of events, one a
// line, which any number of processes may add to. The closing bracket is left
// out, as the format permits.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DRIVER_TRACE_H
#define HEDDLE_DRIVER_TRACE_H

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace heddle {

/// A stage of one compilation, or the whole of it.
struct TraceEvent {
  const char *Stage = ""; ///< a literal; "compile" is the whole
  std::string_view Input; ///< as messages name it
  std::chrono::steady_clock::time_point Begin, End;
  std::string_view Detail; ///< of the whole: where the code came from
};

/// Takes events of any threads.
class TraceSink {
public:
  /// File: empty or the name of a file, which is made or added to.
  TraceSink(const std::string &File,
            std::function<void(const TraceEvent &)> Callback);
  ~TraceSink();
  TraceSink(const TraceSink &) = delete;
  TraceSink &operator=(const TraceSink &) = delete;

  /// Whether anybody wants events.
  explicit operator bool() const { return FD >= 0 || Callback; }
  void add(const TraceEvent &Event);

private:
  int FD = -1;
  std::function<void(const TraceEvent &)> Callback;
};

/// What HEDDLE_TRACE says; empty if it is not set.
std::string traceFileOfEnvironment();

} // namespace heddle

#endif // HEDDLE_DRIVER_TRACE_H
