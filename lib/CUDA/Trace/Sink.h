//===- Sink.h - Who is told of events ---------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Some are told at once, such as profilers in the program; a file later.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_SINK_H
#define HEDDLE_LIB_CUDA_TRACE_SINK_H

#include "Trace/Series.h"

namespace heddle::cuda::trace {

/// Takes events, one at a time, on the threads that they happen on. Calls of
/// CUDA's functions are not allowed in there.
class Sink {
public:
  virtual ~Sink() = default;
  virtual void add(const Call &) {}
  virtual void add(const Work &) {}
  virtual void add(const Stage &) {}
};

/// Takes all events, by and large in the order in which they ended. Ends of
/// ranges come after their begins.
class FileSink {
public:
  virtual ~FileSink() = default;
  virtual void add(const Span &) = 0;
  /// A call that failed.
  virtual void add(const Call &) = 0;
  /// What the call waits for that comes next of its thread.
  virtual void addWait(const Call &) {}
  virtual void add(const Stage &) = 0;
  virtual void add(const Value &) = 0;
  virtual void add(const Sample &) = 0;
  virtual void add(const SystemCall &) = 0;
  virtual void add(const GraphEvent &) {}
  /// A mark: Begin and End are the same.
  virtual void mark(const Annotation &) = 0;
  /// A range begins, whose End is not known, and ends. What is returned of its
  /// begin is told at its end.
  virtual uint64_t begin(const Annotation &) { return 0; }
  virtual void end(const Annotation &, uint64_t OfBegin) = 0;
  virtual uint64_t begin(const Span &) { return 0; }
  virtual void end(const Span &S, uint64_t) { add(S); }
  /// The program gives a thread or stream a name.
  virtual void nameThread(uint32_t, llvm::StringRef) {}
  virtual void nameStream(uint64_t, llvm::StringRef) {}
  /// Some time passes until the next event.
  virtual void flush() {}
  /// Nothing comes after this.
  virtual void finish() = 0;
};

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_SINK_H
