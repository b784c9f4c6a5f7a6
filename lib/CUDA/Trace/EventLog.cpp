//===- EventLog.cpp - Events in memory until they are written ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A thread's memory is a list of chunks, of which the thread fills the last and
// the writer reads the first: what they share are the number of bytes in use
// and the next chunk.
//
//===----------------------------------------------------------------------===//

#include "Trace/EventLog.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <new>
#include <sys/resource.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda::trace {

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

static constexpr size_t ChunkBytes = 64 << 10;
/// Where the writer does not keep up, threads write themselves.
static constexpr size_t MostBytesInUse = 128 << 20;

struct EventLog::Chunk {
  std::atomic<Chunk *> Next{nullptr};
  std::atomic<size_t> Used{0}; ///< Final once there is a next one.
  const size_t Capacity;

  explicit Chunk(size_t Capacity) : Capacity(Capacity) {}
  char *bytes() { return reinterpret_cast<char *>(this + 1); }
};

struct EventLog::ThreadLog {
  Chunk *Last;                     ///< Of the thread.
  Chunk *First;                    ///< Of the writer.
  size_t Taken = 0;                ///< Bytes of the first one.
  std::atomic<bool> IsDone{false}; ///< The thread has ended.
};

/// Tells when a thread ends. What the thread appends later, at the end of the
/// program or in other such objects, has memory of its own.
struct EventLog::Release {
  ThreadLog *&Mine;
  ~Release() {
    if (Mine)
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
  void *Memory = ::operator new(sizeof(Chunk) + Capacity);
  BytesInUse.fetch_add(Capacity, std::memory_order_relaxed);
  return new (Memory) Chunk(Capacity);
}

/// The memory of a thread that has ended stays until it is read.
EventLog::ThreadLog &EventLog::mine() {
  static thread_local ThreadLog *Mine = nullptr;
  if (Mine)
    return *Mine;
  static thread_local Release AtEnd{Mine};
  auto New = std::make_unique<ThreadLog>();
  New->First = New->Last = makeChunk(0);
  Mine = New.get();
  std::lock_guard Lock(Mutex);
  Threads.push_back(std::move(New));
  if (!Writer.joinable() && !IsClosing)
    Writer = std::thread([this] { write(); });
  return *Mine;
}

char *EventLog::makeRoom(ThreadLog &Of, size_t Bytes) {
  size_t Used = Of.Last->Used.load(std::memory_order_relaxed);
  if (Used + Bytes <= Of.Last->Capacity)
    return Of.Last->bytes() + Used;
  Chunk *New = makeChunk(Bytes);
  Of.Last->Next.store(New, std::memory_order_release);
  Of.Last = New;
  if (BytesInUse.load(std::memory_order_relaxed) > MostBytesInUse)
    drain();
  return New->bytes();
}

void EventLog::append(Record Header, const void *Event, size_t EventBytes,
                      StringRef Text) {
  ThreadLog &Log = mine();
  size_t Bytes =
      alignTo(sizeof(Record) + EventBytes + Text.size(), alignof(Record));
  Header.Bytes = static_cast<uint32_t>(Bytes);
  char *At = makeRoom(Log, Bytes);
  std::memcpy(At, &Header, sizeof(Record));
  std::memcpy(At + sizeof(Record), Event, EventBytes);
  if (!Text.empty())
    std::memcpy(At + sizeof(Record) + EventBytes, Text.data(), Text.size());
  std::atomic<size_t> &Used = Log.Last->Used;
  Used.store(Used.load(std::memory_order_relaxed) + Bytes,
             std::memory_order_release);
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

void EventLog::take(ThreadLog &From, std::vector<const Record *> &Into,
                    std::vector<Chunk *> &Read) {
  while (true) {
    Chunk *Next = From.First->Next.load(std::memory_order_acquire);
    size_t Used = From.First->Used.load(std::memory_order_acquire);
    while (From.Taken != Used) {
      auto *R =
          reinterpret_cast<const Record *>(From.First->bytes() + From.Taken);
      Into.push_back(R);
      From.Taken += R->Bytes;
    }
    if (!Next)
      return;
    Read.push_back(From.First);
    From.First = Next;
    From.Taken = 0;
  }
}

static bool isBefore(const Record *A, const Record *B) {
  return A->Time < B->Time;
}

/// Puts the records of a thread in order, which most are in already.
static void sortByTime(std::vector<const Record *> &Records) {
  if (is_sorted(Records, isBefore))
    return;
  std::vector<std::pair<uint64_t, size_t>> Keys;
  Keys.reserve(Records.size());
  for (const Record *R : Records)
    Keys.emplace_back(R->Time, Keys.size());
  llvm::sort(Keys);
  std::vector<const Record *> Sorted;
  Sorted.reserve(Records.size());
  for (const auto &[Time, Index] : Keys)
    Sorted.push_back(Records[Index]);
  Records = std::move(Sorted);
}

void EventLog::drain() {
  std::lock_guard Lock(Draining);
  std::vector<const Record *> Records;
  std::vector<Chunk *> Read;
  {
    std::lock_guard ThreadsLock(Mutex);
    std::erase_if(Threads, [&](const std::unique_ptr<ThreadLog> &T) {
      bool IsDone = T->IsDone.load(std::memory_order_acquire);
      std::vector<const Record *> Own, Both;
      take(*T, Own, Read);
      sortByTime(Own);
      Both.resize(Records.size() + Own.size());
      std::merge(Records.begin(), Records.end(), Own.begin(), Own.end(),
                 Both.begin(), isBefore);
      Records = std::move(Both);
      if (IsDone)
        Read.push_back(T->First);
      return IsDone;
    });
  }
  if (To && !Records.empty()) {
    for (const Record *R : Records)
      tell(*R);
    To->flush();
  }
  for (Chunk *C : Read) {
    BytesInUse.fetch_sub(C->Capacity, std::memory_order_relaxed);
    ::operator delete(C);
  }
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

void EventLog::begin(const Annotation &A) {
  To->begin(A);
  OpenRange Open{A, A.Text.str()};
  if (A.Id)
    Started[A.Id] = std::move(Open);
  else
    Pushed[{A.Thread, A.Of}].push_back(std::move(Open));
}

void EventLog::end(const RangeEnd &R) {
  OpenRange Open;
  if (R.Id) {
    auto It = Started.find(R.Id);
    if (It == Started.end())
      return;
    Open = std::move(It->second);
    Started.erase(It);
  } else {
    std::vector<OpenRange> &Ranges = Pushed[{R.Thread, R.Of}];
    if (Ranges.empty())
      return;
    Open = std::move(Ranges.back());
    Ranges.pop_back();
  }
  Open.Range.Text = Open.Text;
  Open.Range.End = R.Time;
  To->end(Open.Range);
}

void EventLog::tell(const Record &R) {
  switch (R.Kind) {
  case RecordKind::Call:
    return To->add(eventOf<Call>(R));
  case RecordKind::Work:
    return To->add(eventOf<Work>(R));
  case RecordKind::Stage:
    return To->add(stageOf(R));
  case RecordKind::Value:
    return To->add(eventOf<Value>(R));
  case RecordKind::Sample:
    return To->add(sampleOf(R));
  case RecordKind::SystemCall:
    return To->add(eventOf<SystemCall>(R));
  case RecordKind::Mark:
    return To->mark(annotationOf(R));
  case RecordKind::RangeBegin:
    return begin(annotationOf(R));
  case RecordKind::RangeEnd:
    return end(eventOf<RangeEnd>(R));
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

} // namespace heddle::cuda::trace
