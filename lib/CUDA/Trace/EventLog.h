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
#include "llvm/Support/Compiler.h"
#include "llvm/Support/MathExtras.h"

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <thread>
#include <type_traits>
#include <vector>

namespace heddle::cuda::trace {

/// What a record in memory is.
enum class RecordKind : uint32_t {
  Span,
  Call,
  Wait,
  Stage,
  Value,
  Sample,
  SystemCall,
  Graph,
  Mark,
  SpanBegin,
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
  static void append(RecordKind Kind, uint64_t Time, const Event &E,
                     llvm::StringRef Text = {}) {
    append(mine(), Kind, Time, E, Text);
  }
  /// The series of this thread.
  static ThreadSeries &series();
  static void append(RecordKind Kind, uint64_t Time, const Span &S) {
    append(mine(), Kind, Time, S, {});
  }

private:
  struct Chunk;
  struct ThreadLog;
  struct Release;
  struct Batch;
  class Run;
  /// A range that has begun. Its text is in the log, or kept here.
  struct OpenRange {
    Span Plain; ///< Of a series: this is what it is.
    Annotation Range;
    uint64_t OfBegin = 0; ///< What the file has said.
    std::string Text;

    void keepText() {
      if (Plain.Of || Range.Text.data() == Text.data())
        return;
      Text = Range.Text.str();
      Range.Text = Text;
    }
  };
  /// Those of a thread and domain, the innermost last. What is behind them is
  /// kept for its memory.
  struct OpenRanges {
    std::vector<std::unique_ptr<OpenRange>> All;
    size_t Depth = 0;
  };

  static ThreadLog &mine() { return Mine ? *Mine : get().makeThreadLog(); }
  template <typename Event>
  LLVM_ATTRIBUTE_ALWAYS_INLINE static void
  append(ThreadLog &Log, RecordKind Kind, uint64_t Time, const Event &E,
         llvm::StringRef Text);
  ThreadLog &makeThreadLog();
  /// The memory of this thread goes on in another chunk.
  Chunk &addChunk(ThreadLog &Of, size_t Bytes);
  Chunk *makeChunk(size_t Bytes);
  void release(Chunk *C);
  void write();
  void drain();
  /// Takes what threads have added, and what of them has ended.
  Batch take();
  void tell(std::vector<Run> Runs);
  void tell(const Record &R);
  void tellOther(const Record &R);
  OpenRanges &pushedBy(uint32_t Thread, const Domain *Of);
  /// Ranges go on when the log's memory does not.
  void keepTexts();
  OpenRange &push(uint32_t Thread, const Domain *Of);
  void begin(const Annotation &A);
  void begin(const Span &S);
  /// A thread has ended: it leaves the ranges that it is in.
  void forgetRangesOf(uint32_t Thread);
  void end(const RangeEnd &R, uint64_t Time);

  __attribute__((
      visibility("hidden"))) static constinit thread_local ThreadLog *Mine;

  std::mutex Mutex; ///< Of what follows.
  std::vector<std::unique_ptr<ThreadLog>> Threads;
  std::thread Writer;
  std::condition_variable Wake;
  bool IsClosing = false;

  std::mutex Draining; ///< Of what follows; taken before Mutex.
  std::shared_ptr<FileSink> To;
  using Place = std::pair<uint32_t, const Domain *>;
  std::map<Place, OpenRanges> Pushed;
  Place LatestPlace;
  OpenRanges *Latest = nullptr;          ///< Of LatestPlace.
  std::map<uint64_t, OpenRange> Started; ///< By Id.

  std::mutex FreeMutex;      ///< Of what follows; the last that is taken.
  std::vector<Chunk *> Free; ///< Memory for new chunks.

  std::atomic<bool> IsAbandoned{false};
  std::atomic<size_t> BytesInUse{0};
};

/// A part of a thread's memory. The thread fills the last one, and the writer
/// reads the first: what they share are the end of what is in use and the next
/// chunk.
struct EventLog::Chunk {
  std::atomic<Chunk *> Next{nullptr};
  std::atomic<char *> Used{bytes()}; ///< Final once there is a next one.
  char *const End;

  explicit Chunk(size_t Capacity) : End(bytes() + Capacity) {}
  char *bytes() { return reinterpret_cast<char *>(this + 1); }
  size_t capacity() { return End - bytes(); }
};

struct EventLog::ThreadLog {
  Chunk *Last;                     ///< Of the thread.
  Chunk *First;                    ///< Of the writer.
  char *Taken;                     ///< In the first one.
  std::atomic<bool> IsDone{false}; ///< The thread has ended.
  const uint32_t Thread;           ///< Its number.
  ThreadSeries Known;

  ThreadLog(Chunk *C, uint32_t Thread)
      : Last(C), First(C), Taken(C->bytes()), Thread(Thread) {}
};

template <typename Event>
void EventLog::append(ThreadLog &Log, RecordKind Kind, uint64_t Time,
                      const Event &E, llvm::StringRef Text) {
  static_assert(std::is_trivially_copyable_v<Event>);
  size_t Bytes = llvm::alignTo<alignof(Record)>(sizeof(Record) + sizeof(Event) +
                                                Text.size());
  Chunk *C = Log.Last;
  if (Bytes > size_t(C->End - C->Used.load(std::memory_order_relaxed)))
    C = &get().addChunk(Log, Bytes);
  char *At = C->Used.load(std::memory_order_relaxed);
  auto *R = new (At) Record{Time, Kind, static_cast<uint32_t>(Bytes)};
  std::memcpy(R + 1, &E, sizeof(Event));
  if (!Text.empty())
    std::memcpy(At + sizeof(Record) + sizeof(Event), Text.data(), Text.size());
  C->Used.store(At + Bytes, std::memory_order_release);
}

inline ThreadSeries &EventLog::series() { return mine().Known; }

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_EVENTLOG_H
