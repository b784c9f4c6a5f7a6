//===- Recorder.h - Events on their way to sinks ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One for the process: what happens in it goes to whoever asks for it:
// profilers in the program, and the file of HEDDLE_TIMELINE. While nobody asks,
// nothing is recorded.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_RECORDER_H
#define HEDDLE_LIB_CUDA_TRACE_RECORDER_H

#include "Trace/EventLog.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace heddle::cuda::trace {

/// Any thread may call anything at any time.
class Recorder {
public:
  static Recorder &get();

  /// Has a file written until the program ends. There is one at most.
  void openFile(std::shared_ptr<FileSink> To);
  void addSink(std::shared_ptr<Sink> S);
  void removeSink(const Sink *S);
  /// Whether there is a file or sink.
  bool isActive() const { return hasFile() || hasSinks(); }
  bool hasFile() const { return HasFile.load(std::memory_order_relaxed); }
  bool hasSinks() const { return HasSinks.load(std::memory_order_relaxed); }
  /// Ends the file, at the end of the program.
  void finish();
  /// In a child of fork: file and sinks are the parent's, and there are no
  /// others.
  void abandon();

  void add(const Call &C) {
    if (C.Result)
      log(RecordKind::Call, C.End, C);
    else if (hasFile())
      EventLog::append(
          RecordKind::Span, C.End,
          Span{&EventLog::series().of(C), C.Begin, C.End, C.Correlation});
    tell(C);
  }
  /// Work, for the file alone.
  void add(const Span &S) {
    if (hasFile())
      EventLog::append(RecordKind::Span, S.End, S);
  }
  /// Work in full, for sinks alone.
  void add(const Work &W) { tell(W); }
  void add(const Stage &S);

  // Files alone are told of these.
  void addWait(const Call &C) { log(RecordKind::Wait, C.End, C); }
  void add(const Value &V) { log(RecordKind::Value, V.Time, V); }
  void add(const Sample &S);
  void add(const SystemCall &C) { log(RecordKind::SystemCall, C.End, C); }
  void add(const GraphEvent &E) { log(RecordKind::Graph, E.Time, E); }
  void mark(const Annotation &A) { log(RecordKind::Mark, A.Begin, A, A.Text); }
  void begin(const Annotation &A) {
    log(RecordKind::RangeBegin, A.Begin, A, A.Text);
  }
  /// A range that has ended, whose begin was not recorded.
  void add(const PlainRange &R, uint64_t Begin, uint64_t End) {
    if (hasFile())
      EventLog::append(RecordKind::Span, End,
                       Span{&EventLog::series().of(R), Begin, End});
  }
  /// A range that has begun some time before \p Now.
  void begin(const PlainRange &R, uint64_t Begin, uint64_t Now) {
    if (hasFile())
      EventLog::append(RecordKind::SpanBegin, Now,
                       Span{&EventLog::series().of(R), Begin, Begin});
  }
  void end(const RangeEnd &R, uint64_t Time) {
    log(RecordKind::RangeEnd, Time, R);
  }
  void nameThread(uint32_t Thread, llvm::StringRef Name);
  void nameStream(uint64_t Stream, llvm::StringRef Name);

private:
  template <typename Event>
  void log(RecordKind Kind, uint64_t Time, const Event &E,
           llvm::StringRef Text = {}) {
    if (hasFile())
      EventLog::append(Kind, Time, E, Text);
  }
  template <typename Event> void tell(const Event &E) {
    if (!hasSinks())
      return;
    std::lock_guard Lock(Mutex);
    for (const std::shared_ptr<Sink> &S : Sinks)
      S->add(E);
  }
  void prepare();
  void watch();

  std::atomic<bool> HasFile{false}, HasSinks{false};
  std::atomic<bool> IsAbandoned{false}; ///< In a child of fork.
  std::mutex Mutex;                     ///< Of what follows.
  std::vector<std::shared_ptr<Sink>> Sinks;
};

/// Records that the ranges have begun that this thread is in.
void recordOpenRanges();

/// The time of events: the program's clock, which tells virtual time where
/// there is one.
uint64_t now();
/// The number of the thread, as the system has it.
uint32_t currentThread();

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_RECORDER_H
