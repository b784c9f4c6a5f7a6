//===- EventLog.h - Events in memory until they are written -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program must not wait for its timeline: a thread copies the bytes of an
// event into memory of its own, without a lock, and goes on. Another thread
// takes what has come, puts it in order and gives it to the file.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_EVENTLOG_H
#define HEDDLE_LIB_CUDA_TRACE_EVENTLOG_H

#include "Trace/Sink.h"

#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace heddle::cuda::trace {

/// What a record in memory is.
enum class RecordKind : uint32_t {
  Call,
  Work,
  Stage,
  Value,
  Sample,
  SystemCall,
  Mark,
  RangeBegin,
  RangeEnd,
  ThreadName,
  StreamName
};

/// Each record begins with it; behind it are the event's bytes and its texts.
struct Record {
  uint64_t Time = 0; ///< By which records are put in order.
  RecordKind Kind = RecordKind::Call;
  uint32_t Bytes = 0; ///< Of all of it.
};

/// The end of a range of NVTX.
struct RangeEnd {
  const Domain *Of = nullptr;
  uint32_t Thread = 0;
  uint64_t Id = 0; ///< Of a range that any thread may end; else 0.
  uint64_t Time = 0;
};

/// A thread or stream has got a name.
struct Naming {
  uint64_t Number = 0;
  llvm::StringRef Name;
};

/// One for the process. Any thread may append at any time.
class EventLog {
public:
  /// The log stays for good: threads may still be at work when a program ends.
  static EventLog &get();

  /// \p To is told of all records from now on, on one thread at a time.
  void open(std::shared_ptr<FileSink> To);
  /// Tells of all that has come, and that nothing comes after it.
  void close();
  /// In a child of fork: threads and file are the parent's.
  void abandon();

  /// Keeps an event and its text, if it has one.
  template <typename Event>
  void append(RecordKind Kind, uint64_t Time, const Event &E,
              llvm::StringRef Text = {}) {
    static_assert(std::is_trivially_copyable_v<Event>);
    append({Time, Kind, 0}, &E, sizeof(Event), Text);
  }

private:
  struct Chunk;
  struct ThreadLog;
  struct Release;
  /// A range that has begun, whose text is kept here.
  struct OpenRange {
    Annotation Range;
    std::string Text;
  };

  void append(Record Header, const void *Event, size_t EventBytes,
              llvm::StringRef Text);
  ThreadLog &mine();
  /// Room for a record in a thread's memory.
  char *makeRoom(ThreadLog &Of, size_t Bytes);
  Chunk *makeChunk(size_t Bytes);
  void write();
  void drain();
  /// Collects what a thread has added, and its memory that is done with.
  void take(ThreadLog &From, std::vector<const Record *> &Into,
            std::vector<Chunk *> &Read);
  void tell(const Record &R);
  void begin(const Annotation &A);
  void end(const RangeEnd &R);

  std::mutex Mutex; ///< Of what follows.
  std::vector<std::unique_ptr<ThreadLog>> Threads;
  std::thread Writer;
  std::condition_variable Wake;
  bool IsClosing = false;

  std::mutex Draining; ///< Of what follows; taken before Mutex.
  std::shared_ptr<FileSink> To;
  /// Of each thread and domain.
  std::map<std::pair<uint32_t, const Domain *>, std::vector<OpenRange>> Pushed;
  std::map<uint64_t, OpenRange> Started; ///< By Id.

  std::atomic<bool> IsAbandoned{false};
  std::atomic<size_t> BytesInUse{0};
};

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_EVENTLOG_H
