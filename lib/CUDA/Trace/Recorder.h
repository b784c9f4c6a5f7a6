//===- Recorder.h - Events on their way to sinks ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One for the process: what happens in it goes to whoever asks for it, such as
// the file of HEDDLE_TIMELINE. While nobody asks, nothing is recorded.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_RECORDER_H
#define HEDDLE_LIB_CUDA_TRACE_RECORDER_H

#include "Trace/Events.h"

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace heddle::cuda::trace {

/// Takes events, one at a time, on the threads that they happen on. Calls of
/// CUDA's functions are not allowed in there.
class Sink {
public:
  virtual ~Sink() = default;
  virtual void add(const Call &) {}
  virtual void add(const Work &) {}
  virtual void add(const Stage &) {}
  virtual void add(const Value &) {}
  /// A mark: Begin and End are the same.
  virtual void mark(const Annotation &) {}
  /// A range begins, whose End is not known, and ends.
  virtual void begin(const Annotation &) {}
  virtual void end(const Annotation &) {}
  /// The program gives a thread or stream a name.
  virtual void nameThread(uint32_t, llvm::StringRef) {}
  virtual void nameStream(uint64_t, llvm::StringRef) {}
  /// Nothing comes after this.
  virtual void finish() {}
};

/// Any thread may call anything at any time.
class Recorder {
public:
  static Recorder &get();

  void addSink(std::shared_ptr<Sink> S);
  void removeSink(const Sink *S);
  /// Whether there is a sink.
  bool isActive() const { return Active.load(std::memory_order_relaxed); }
  /// Ends all sinks, at the end of the program.
  void finish();
  /// In a child of fork: the sinks are the parent's, and there are no others.
  void abandon();

  /// Calls \p Tell with each sink.
  template <typename Function> void tell(Function Tell) {
    if (!isActive())
      return;
    std::lock_guard Lock(Mutex);
    for (const std::shared_ptr<Sink> &S : Sinks)
      Tell(*S);
  }
  template <typename Event> void add(const Event &E) {
    tell([&](Sink &S) { S.add(E); });
  }

private:
  std::atomic<bool> Active{false};
  std::atomic<bool> IsAbandoned{false}; ///< In a child of fork.
  std::mutex Mutex;                     ///< Of what follows.
  std::vector<std::shared_ptr<Sink>> Sinks;
};

/// The time of events: the program's clock, which tells virtual time where
/// there is one.
uint64_t now();
/// The number of the thread, as the system has it.
uint32_t currentThread();

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_RECORDER_H
