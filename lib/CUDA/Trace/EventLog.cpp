//===- EventLog.cpp - Events in memory until they are written ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most records of a thread come in order of time, so that the writer goes over
// the memory of all threads at once, and tells of the earliest each time.
// Memory that was read is used again: what threads write to is in the caches.
//
//===----------------------------------------------------------------------===//

#include "Trace/EventLog.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <sys/resource.h>
#include <tuple>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda::trace {

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static constexpr size_t ChunkBytes = 256 << 10;
/// Where the writer does not keep up, threads write themselves.
static constexpr size_t MostBytesInUse = 128 << 20;
/// How many chunks wait for being used again.
static constexpr size_t MostFree = 16;

/// Tells when a thread ends. What the thread appends later, in other such
/// objects, has memory of its own. The main thread may go on for long.
struct EventLog::Release {
  ~Release() {
    if (!Mine || gettid() == getpid())
      return;
    Mine->IsDone.store(true, std::memory_order_release);
    Mine = nullptr;
  }
};

EventLog &EventLog::get() {
  static auto *TheLog = new EventLog; // see Process.h
  return *TheLog;
}

EventLog::Chunk *EventLog::makeChunk(size_t Bytes) {
  size_t Capacity = std::max(Bytes, ChunkBytes - sizeof(Chunk));
  BytesInUse.fetch_add(Capacity, std::memory_order_relaxed);
  void *Memory = nullptr;
  if (sizeof(Chunk) + Capacity == ChunkBytes) {
    std::lock_guard Lock(FreeMutex);
    if (!Free.empty()) {
      Memory = Free.back();
      Free.pop_back();
    }
  }
  if (!Memory)
    Memory = ::operator new(sizeof(Chunk) + Capacity);
  return new (Memory) Chunk(Capacity);
}

void EventLog::release(Chunk *C) {
  BytesInUse.fetch_sub(C->capacity(), std::memory_order_relaxed);
  if (sizeof(Chunk) + C->capacity() == ChunkBytes) {
    std::lock_guard Lock(FreeMutex);
    if (Free.size() != MostFree)
      return Free.push_back(C);
  }
  ::operator delete(C);
}

constinit thread_local EventLog::ThreadLog *EventLog::Mine = nullptr;

/// The memory of a thread that has ended stays until it is read.
EventLog::ThreadLog &EventLog::makeThreadLog() {
  static thread_local Release AtEnd;
  (void)AtEnd;
  auto New = std::make_unique<ThreadLog>(makeChunk(0),
                                         static_cast<uint32_t>(gettid()));
  Mine = New.get();
  std::lock_guard Lock(Mutex);
  Threads.push_back(std::move(New));
  if (!Writer.joinable() && !IsClosing)
    Writer = std::thread([this] { write(); });
  return *Mine;
}

EventLog::Chunk &EventLog::addChunk(ThreadLog &Of, size_t Bytes) {
  Chunk *New = makeChunk(Bytes);
  Of.Last->Next.store(New, std::memory_order_release);
  Of.Last = New;
  if (BytesInUse.load(std::memory_order_relaxed) > MostBytesInUse)
    drain();
  return *New;
}

//===----------------------------------------------------------------------===//
// The writer
//===----------------------------------------------------------------------===//

void EventLog::open(std::shared_ptr<FileSink> Sink) {
  std::lock_guard Lock(Draining);
  To = std::move(Sink);
}

/// On a thread that takes none of the program's signals, and gives way to its
/// threads.
void EventLog::write() {
  sigset_t All;
  sigfillset(&All);
  pthread_sigmask(SIG_SETMASK, &All, nullptr);
  constexpr int Nicer = 10;
  setpriority(PRIO_PROCESS, gettid(), Nicer);
  std::unique_lock Lock(Mutex);
  while (!IsClosing) {
    Wake.wait_for(Lock, std::chrono::milliseconds(100));
    Lock.unlock();
    drain();
    Lock.lock();
  }
}

void EventLog::close() {
  {
    std::lock_guard Lock(Mutex);
    IsClosing = true;
  }
  Wake.notify_all();
  if (Writer.joinable())
    Writer.join();
  drain();
  std::lock_guard Lock(Draining);
  if (To)
    To->finish();
  To = nullptr;
}

void EventLog::abandon() {
  IsAbandoned = true;
  // The thread is not there, and may not be waited for.
  new (&Writer) std::thread;
}

/// Records of a thread, in order of time.
class EventLog::Run {
public:
  /// Adds what is from \p Begin to \p End.
  void add(const char *Begin, const char *End) {
    if (Begin != End)
      Parts.emplace_back(Begin, End);
  }
  /// Of a thread that ends with it; 0: there may be more.
  uint32_t EndedThread = 0;

  /// Puts records in order, which most are in already. False: there are none.
  bool begin();

  const Record *next() const { return Next; }
  /// Goes on. False: there are no more.
  bool advance() {
    const char *Behind = endOf(Next);
    if (Behind == PartEnd)
      return beginPart(Part + 1);
    Next = reinterpret_cast<const Record *>(Behind);
    return true;
  }

private:
  static const char *endOf(const Record *R) {
    return reinterpret_cast<const char *>(R) + R->Bytes;
  }
  /// Goes on there. Of those that had to be sorted each is a part.
  bool beginPart(size_t Number);
  bool isSorted();
  void sort();

  SmallVector<std::pair<const char *, const char *>, 4> Parts;
  /// Where they are not in order already: by time and place.
  std::vector<std::tuple<uint64_t, size_t, const Record *>> Sorted;
  size_t Part = 0; ///< Where the next one is, in one of these.
  const char *PartEnd = nullptr;
  const Record *Next = nullptr;
};

bool EventLog::Run::beginPart(size_t Number) {
  Part = Number;
  if (!Sorted.empty()) {
    if (Part == Sorted.size())
      return false;
    Next = std::get<2>(Sorted[Part]);
    PartEnd = endOf(Next);
    return true;
  }
  if (Part == Parts.size())
    return false;
  Next = reinterpret_cast<const Record *>(Parts[Part].first);
  PartEnd = Parts[Part].second;
  return true;
}

bool EventLog::Run::isSorted() {
  uint64_t Last = 0;
  for (const auto &[Begin, End] : Parts)
    for (const char *At = Begin; At != End;) {
      auto *R = reinterpret_cast<const Record *>(At);
      if (R->Time < Last)
        return false;
      Last = R->Time;
      At += R->Bytes;
    }
  return true;
}

void EventLog::Run::sort() {
  for (const auto &[Begin, End] : Parts)
    for (const char *At = Begin; At != End;) {
      auto *R = reinterpret_cast<const Record *>(At);
      Sorted.emplace_back(R->Time, Sorted.size(), R);
      At += R->Bytes;
    }
  llvm::sort(Sorted);
}

bool EventLog::Run::begin() {
  if (!isSorted())
    sort();
  return beginPart(0);
}

/// What the writer has at a time, and is gone when it is written.
struct EventLog::Batch {
  std::vector<Run> Runs;
  std::vector<Chunk *> Read;
  std::vector<std::unique_ptr<ThreadLog>> Ended;
  ThreadSeries::List Outdated;
};

EventLog::Batch EventLog::take() {
  Batch B;
  std::lock_guard Lock(Mutex);
  std::erase_if(Threads, [&](std::unique_ptr<ThreadLog> &T) {
    bool IsDone = T->IsDone.load(std::memory_order_acquire);
    // No record that is not taken now has these.
    for (std::unique_ptr<Series> &S : T->Known.takeOutdated())
      B.Outdated.push_back(std::move(S));
    Run Own;
    while (true) {
      Chunk *Next = T->First->Next.load(std::memory_order_acquire);
      char *Used = T->First->Used.load(std::memory_order_acquire);
      Own.add(T->Taken, Used);
      T->Taken = Used;
      if (!Next)
        break;
      B.Read.push_back(T->First);
      T->First = Next;
      T->Taken = Next->bytes();
    }
    if (IsDone)
      Own.EndedThread = T->Thread;
    if (Own.begin())
      B.Runs.push_back(std::move(Own));
    else if (IsDone)
      forgetRangesOf(T->Thread);
    if (IsDone) {
      B.Read.push_back(T->First);
      B.Ended.push_back(std::move(T));
    }
    return IsDone;
  });
  return B;
}

void EventLog::drain() {
  std::lock_guard Lock(Draining);
  Batch B = take();
  if (To && !B.Runs.empty()) {
    tell(std::move(B.Runs));
    To->flush();
  }
  keepTexts();
  for (Chunk *C : B.Read)
    release(C);
}

//===----------------------------------------------------------------------===//
// Telling
//===----------------------------------------------------------------------===//

/// The event of a record.
template <typename Event> static const Event &eventOf(const Record &R) {
  static_assert(alignof(Event) <= alignof(Record));
  return *reinterpret_cast<const Event *>(&R + 1);
}

/// The text behind it, which has that many bytes.
template <typename Event>
static StringRef textOf(const Record &R, size_t Bytes) {
  return {reinterpret_cast<const char *>(&R + 1) + sizeof(Event), Bytes};
}

static Annotation annotationOf(const Record &R) {
  auto A = eventOf<Annotation>(R);
  A.Text = textOf<Annotation>(R, A.Text.size());
  return A;
}

/// Its texts are one behind the other.
static Stage stageOf(const Record &R) {
  auto S = eventOf<Stage>(R);
  StringRef All =
      textOf<Stage>(R, S.Name.size() + S.Input.size() + S.Detail.size());
  size_t NameBytes = S.Name.size(), InputBytes = S.Input.size();
  S.Name = All.take_front(NameBytes);
  S.Input = All.substr(NameBytes, InputBytes);
  S.Detail = All.drop_front(NameBytes + InputBytes);
  return S;
}

/// Behind it are the places.
static Sample sampleOf(const Record &R) {
  auto S = eventOf<Sample>(R);
  S.Places =
      ArrayRef(reinterpret_cast<const CodePlace *const *>(
                   reinterpret_cast<const char *>(&R + 1) + sizeof(Sample)),
               S.Places.size());
  return S;
}

EventLog::OpenRanges &EventLog::pushedBy(uint32_t Thread, const Domain *Of) {
  if (!Latest || LatestPlace.first != Thread || LatestPlace.second != Of) {
    LatestPlace = {Thread, Of};
    Latest = &Pushed[LatestPlace];
  }
  return *Latest;
}

EventLog::OpenRange &EventLog::push(uint32_t Thread, const Domain *Of) {
  OpenRanges &Open = pushedBy(Thread, Of);
  if (Open.Depth == Open.All.size())
    Open.All.push_back(std::make_unique<OpenRange>());
  return *Open.All[Open.Depth++];
}

void EventLog::begin(const Annotation &A) {
  OpenRange &New = A.Id ? Started[A.Id] : push(A.Thread, A.Of);
  New.Plain = {};
  New.Range = A;
  New.OfBegin = To->begin(A);
}

void EventLog::begin(const Span &S) {
  const auto &P = std::get<PlainRange>(S.Of->First);
  OpenRange &New = push(P.Thread, P.Name->Of);
  New.Plain = S;
  New.OfBegin = To->begin(S);
}

void EventLog::end(const RangeEnd &R, uint64_t Time) {
  auto Tell = [&](OpenRange &Open) {
    if (Open.Plain.Of) {
      Open.Plain.End = Time;
      return To->end(Open.Plain, Open.OfBegin);
    }
    Open.Range.End = Time;
    To->end(Open.Range, Open.OfBegin);
  };
  if (!R.Id) {
    OpenRanges &Open = pushedBy(R.Thread, R.Of);
    if (Open.Depth)
      Tell(*Open.All[--Open.Depth]);
    return;
  }
  auto It = Started.find(R.Id);
  if (It == Started.end())
    return;
  Tell(It->second);
  Started.erase(It);
}

/// Another thread may have the number later.
void EventLog::forgetRangesOf(uint32_t Thread) {
  std::erase_if(Pushed,
                [=](const auto &Of) { return Of.first.first == Thread; });
  Latest = nullptr;
}

void EventLog::keepTexts() {
  for (auto &[Id, Open] : Started)
    Open.keepText();
  for (auto &[Of, Ranges] : Pushed)
    for (size_t I = Ranges.Depth; I != 0; --I)
      Ranges.All[I - 1]->keepText();
}

/// Most are spans.
inline void EventLog::tell(const Record &R) {
  if (R.Kind == RecordKind::Span)
    To->add(eventOf<Span>(R));
  else
    tellOther(R);
}

void EventLog::tellOther(const Record &R) {
  switch (R.Kind) {
  case RecordKind::Span:
    return tell(R);
  case RecordKind::Call:
    return To->add(eventOf<Call>(R));
  case RecordKind::Wait:
    return To->addWait(eventOf<Call>(R));
  case RecordKind::Stage:
    return To->add(stageOf(R));
  case RecordKind::Value:
    return To->add(eventOf<Value>(R));
  case RecordKind::Sample:
    return To->add(sampleOf(R));
  case RecordKind::SystemCall:
    return To->add(eventOf<SystemCall>(R));
  case RecordKind::Graph:
    return To->add(eventOf<GraphEvent>(R));
  case RecordKind::Mark:
    return To->mark(annotationOf(R));
  case RecordKind::SpanBegin:
    return begin(eventOf<Span>(R));
  case RecordKind::RangeBegin:
    return begin(annotationOf(R));
  case RecordKind::RangeEnd:
    return end(eventOf<RangeEnd>(R), R.Time);
  case RecordKind::ThreadName:
  case RecordKind::StreamName: {
    auto N = eventOf<Naming>(R);
    StringRef Name = textOf<Naming>(R, N.Name.size());
    if (R.Kind == RecordKind::ThreadName)
      To->nameThread(static_cast<uint32_t>(N.Number), Name);
    else
      To->nameStream(N.Number, Name);
  }
  }
}

void EventLog::tell(std::vector<Run> Runs) {
  while (!Runs.empty()) {
    // The run that comes first, and the time at which it is another's turn.
    size_t First = 0;
    uint64_t Until = ~uint64_t(0);
    for (size_t I = 1; I != Runs.size(); ++I) {
      size_t Later = I;
      if (Runs[I].next()->Time < Runs[First].next()->Time)
        std::swap(First, Later);
      Until = std::min(Until, Runs[Later].next()->Time);
    }
    Run &Own = Runs[First];
    bool HasMore = true;
    while (HasMore && Own.next()->Time <= Until) {
      tell(*Own.next());
      HasMore = Own.advance();
    }
    if (HasMore)
      continue;
    if (Own.EndedThread)
      forgetRangesOf(Own.EndedThread);
    Runs.erase(Runs.begin() + static_cast<ptrdiff_t>(First));
  }
}

} // namespace heddle::cuda::trace
