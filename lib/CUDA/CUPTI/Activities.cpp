//===- Activities.cpp - Records on their way to a profiler ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Times are kept by our clock and written by the profiler's when records are
// delivered: both go on evenly, so that two moments tell how they relate.
//
//===----------------------------------------------------------------------===//

#include "CUPTI/Activities.h"
#include "CUPTI/Callbacks.h"
#include "Process.h"
#include "ThreadValue.h"
#include "llvm/ADT/ArrayRef.h"

#include <chrono>
#include <cstring>
#include <map>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda::cupti {

Activities &Activities::get() {
  static auto *TheActivities = new Activities; // see Process.h
  return *TheActivities;
}

//===----------------------------------------------------------------------===//
// External correlation
//===----------------------------------------------------------------------===//

namespace {
/// What a thread has pushed, by kinds.
struct ExternalIds : std::map<uint32_t, std::vector<uint64_t>> {};
} // namespace

void pushExternal(uint32_t Kind, uint64_t Id) {
  threadValue<ExternalIds>()[Kind].push_back(Id);
}

bool popExternal(uint32_t Kind, uint64_t &Id) {
  std::vector<uint64_t> &Ids = threadValue<ExternalIds>()[Kind];
  if (Ids.empty())
    return false;
  Id = Ids.back();
  Ids.pop_back();
  return true;
}

//===----------------------------------------------------------------------===//
// What is wanted
//===----------------------------------------------------------------------===//

/// The recorder's sinks are not ours to delete.
static std::shared_ptr<trace::Sink> borrowed(Activities &A) {
  return {std::shared_ptr<void>(), &A};
}

void Activities::enable(CUpti_ActivityKind Kind, bool Wants) {
  bool Had, Has;
  {
    std::lock_guard Lock(Mutex);
    Had = Kinds.any();
    Kinds.set(Kind, Wants);
    Has = Kinds.any();
    if (!Had && Has)
      First = moment();
  }
  // Not under Mutex, which sinks take.
  if (Had == Has)
    return;
  watchForRecords(Has);
  if (Has)
    trace::Recorder::get().addSink(borrowed(*this));
  else
    trace::Recorder::get().removeSink(this);
}

/// The driver's set, or the runtime's.
static unsigned indexOf(CUpti_ActivityKind Kind) {
  return Kind == CUPTI_ACTIVITY_KIND_DRIVER ? 0 : 1;
}

void Activities::enableFunction(CUpti_ActivityKind Kind, uint32_t Id,
                                bool Wants) {
  bool IsFirst;
  {
    std::lock_guard Lock(Mutex);
    std::set<uint32_t> &Wanted = Functions[indexOf(Kind)];
    if (Wants)
      Wanted.insert(Id);
    else
      Wanted.erase(Id);
    IsFirst = Wants && !Kinds[Kind];
  }
  if (IsFirst)
    enable(Kind, true);
}

void Activities::setBuffers(CUpti_BuffersCallbackRequestFunc R,
                            CUpti_BuffersCallbackCompleteFunc C) {
  std::lock_guard Lock(Mutex);
  Request = R;
  Complete = C;
}

void Activities::reset() {
  watchForRecords(false);
  trace::Recorder::get().removeSink(this);
  std::lock_guard Lock(Mutex);
  Kinds.reset();
  Functions[0].clear();
  Functions[1].clear();
  Request = nullptr;
  Complete = nullptr;
  Clock = nullptr;
  AtHand = {};
  Calls.clear();
  Work.clear();
  Graphs.clear();
  Contexts.clear();
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// Without a clock of the profiler's times are those since 1970.
Activities::Moment Activities::moment() const {
  uint64_t Ours = trace::now();
  if (Clock)
    return {Ours, Clock()};
  using namespace std::chrono;
  return {Ours, uint64_t(duration_cast<nanoseconds>(
                             system_clock::now().time_since_epoch())
                             .count())};
}

void Activities::setClock(CUpti_TimestampCallbackFunc C) {
  std::lock_guard Lock(Mutex);
  Clock = C;
  First = moment();
}

uint64_t Activities::convert(uint64_t Time) const {
  double Rate = Last.Ours > First.Ours ? double(Last.Theirs - First.Theirs) /
                                             double(Last.Ours - First.Ours)
                                       : 1;
  double Passed = double(int64_t(Time - First.Ours)) * Rate;
  return First.Theirs + int64_t(Passed);
}

uint64_t Activities::timestamp(uint64_t Time) {
  std::lock_guard Lock(Mutex);
  if (!First.Ours)
    First = moment();
  Last = moment();
  return convert(Time);
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// The stream that a call is about: its argument, or that of threads of their
/// own.
static rt::Stream *streamOf(const trace::Call &C, uint64_t Handle) {
  auto Stream = reinterpret_cast<cudaStream_t>(Handle);
  bool IsPerThread = StringRef(C.Called->Name).ends_with("_ptsz");
  return Process::get().stream(IsPerThread && !Stream ? cudaStreamPerThread
                                                      : Stream);
}

static uint32_t idOf(const rt::Stream *S) {
  return S ? uint32_t(S->id()) : CUPTI_SYNCHRONIZATION_INVALID_VALUE;
}

uint32_t Activities::numberOfEvent(uint64_t Handle) {
  return Events.try_emplace(Handle, uint32_t(Events.size() + 1)).first->second;
}

/// What a call waited for.
void Activities::addSynchronization(const trace::Call &C, uint32_t Stream) {
  using trace::Synchronization;
  CUpti_ActivitySynchronization S = {};
  S.kind = CUPTI_ACTIVITY_KIND_SYNCHRONIZATION;
  S.start = C.Begin;
  S.end = C.End;
  S.correlationId = C.Correlation;
  S.contextId = contextIdOf(currentDevice());
  S.streamId = Stream;
  S.cudaEventId = CUPTI_SYNCHRONIZATION_INVALID_VALUE;
  S.returnValue = uint32_t(C.Result);
  switch (C.Called->Waits) {
  case Synchronization::Event:
    S.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_EVENT_SYNCHRONIZE;
    S.cudaEventId = numberOfEvent(C.Arguments[0]);
    break;
  case Synchronization::StreamForEvent:
    S.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_WAIT_EVENT;
    S.cudaEventId = numberOfEvent(C.Arguments[1]);
    break;
  case Synchronization::Stream:
    S.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE;
    break;
  case Synchronization::Context:
    S.type = CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE;
    break;
  case Synchronization::None:
    return;
  }
  append(Calls, S);
}

void Activities::addEvent(const trace::Call &C, uint32_t Stream) {
  CUpti_ActivityCudaEvent E = {};
  E.kind = CUPTI_ACTIVITY_KIND_CUDA_EVENT;
  E.correlationId = C.Correlation;
  E.deviceId = currentDevice();
  E.contextId = contextIdOf(E.deviceId);
  E.streamId = Stream;
  E.eventId = numberOfEvent(C.Arguments[0]);
  append(Calls, E);
}

/// Streams that a program creates.
void Activities::addStream(const trace::Call &C) {
  auto *Handle = *reinterpret_cast<cudaStream_t *>(C.Arguments[0]);
  rt::Stream *S = Process::get().stream(Handle);
  if (!S)
    return;
  bool HasFlags = C.Called->Name != "cudaStreamCreate";
  constexpr uint64_t NonBlocking = 1;
  append(Calls, CUpti_ActivityStream{
                    CUPTI_ACTIVITY_KIND_STREAM, contextIdOf(currentDevice()),
                    uint32_t(S->id()), 0,
                    HasFlags && C.Arguments[1] & NonBlocking
                        ? CUPTI_ACTIVITY_STREAM_CREATE_FLAG_NON_BLOCKING
                        : CUPTI_ACTIVITY_STREAM_CREATE_FLAG_DEFAULT,
                    C.Correlation});
}

/// Contexts that are not known yet.
void Activities::addContexts() {
  constexpr uint16_t CUDA = 1;
  for (unsigned I = 0; ProcessDevice *D = Process::get().device(int(I)); ++I)
    if (D->opened() && Contexts.insert(I).second) {
      CUpti_ActivityContext C = {};
      C.kind = CUPTI_ACTIVITY_KIND_CONTEXT;
      C.contextId = contextIdOf(I);
      C.deviceId = I;
      C.computeApiKind = CUDA;
      C.numMultiprocessors = uint16_t(D->properties().Cores);
      append(Calls, C);
    }
}

/// What calls are about besides themselves.
void Activities::addObjects(const trace::Call &C) {
  StringRef Name = C.Called->Name;
  bool Records = Kinds[CUPTI_ACTIVITY_KIND_CUDA_EVENT] && !C.Result &&
                 (Name.starts_with("cudaEventRecord") ||
                  Name.starts_with("cuEventRecord"));
  bool Waits = Kinds[CUPTI_ACTIVITY_KIND_SYNCHRONIZATION] &&
               C.Called->Waits != trace::Synchronization::None;
  bool HasStream = C.Called->Waits == trace::Synchronization::Stream ||
                   C.Called->Waits == trace::Synchronization::StreamForEvent;
  if (Records)
    addEvent(C, idOf(streamOf(C, C.Arguments[1])));
  else if (Waits)
    addSynchronization(C, HasStream ? idOf(streamOf(C, C.Arguments[0]))
                                    : CUPTI_SYNCHRONIZATION_INVALID_VALUE);
  if (Kinds[CUPTI_ACTIVITY_KIND_STREAM] && !C.Result && C.Arguments[0] &&
      (Name.starts_with("cudaStreamCreate") ||
       Name.starts_with("cuStreamCreate")))
    addStream(C);
  if (Kinds[CUPTI_ACTIVITY_KIND_CONTEXT])
    addContexts();
}

void Activities::add(const trace::Call &C) {
  std::lock_guard Lock(Mutex);
  if (Kinds[CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION])
    for (const auto &[Kind, Ids] : threadValue<ExternalIds>())
      if (!Ids.empty())
        append(Calls, CUpti_ActivityExternalCorrelation{
                          CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, Kind,
                          Ids.back(), C.Correlation, 0});
  addObjects(C);
  CUpti_ActivityKind Kind = C.Called->Of == trace::Interface::Driver
                                ? CUPTI_ACTIVITY_KIND_DRIVER
                                : CUPTI_ACTIVITY_KIND_RUNTIME;
  const std::set<uint32_t> &Wanted = Functions[indexOf(Kind)];
  if (!C.Called->Callback || !Kinds[Kind] ||
      (!Wanted.empty() && !Wanted.count(C.Called->Callback)))
    return;
  append(Calls, CUpti_ActivityAPI{Kind, C.Called->Callback, C.Begin, C.End,
                                  uint32_t(getpid()), C.Thread, C.Correlation,
                                  uint32_t(C.Result)});
}

/// Compilations keep the program from going on.
void Activities::add(const trace::Stage &S) {
  if (S.Detail.empty()) // A part of one.
    return;
  std::lock_guard Lock(Mutex);
  addOverhead(CUPTI_ACTIVITY_OVERHEAD_DRIVER_COMPILER, S.Thread, S.Begin,
              S.End);
}

void Activities::addOverhead(CUpti_ActivityOverheadKind Kind, uint32_t Thread,
                             uint64_t Begin, uint64_t End) {
  if (!Kinds[CUPTI_ACTIVITY_KIND_OVERHEAD])
    return;
  append(Calls, CUpti_ActivityOverhead{CUPTI_ACTIVITY_KIND_OVERHEAD, Kind,
                                       CUPTI_ACTIVITY_OBJECT_THREAD,
                                       uint32_t(getpid()), Thread, 0, Begin,
                                       End, 0, 0, nullptr});
}

/// The node of a graph, if it is one's.
template <typename T> static void setNode(T &Record, const trace::Work &W) {
  Record.graphNodeId = trace::nodeIdOf(W.Graph, W.Node);
  Record.graphId = W.Graph;
}

void Activities::addKernel(const trace::Work &W) {
  const trace::Kernel &Info = *W.Launched;
  CUpti_ActivityKernel K = {};
  K.kind = Kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL]
               ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
               : CUPTI_ACTIVITY_KIND_KERNEL;
  K.registersPerThread = Info.Registers;
  K.start = W.Begin;
  K.end = K.completed = W.End;
  K.deviceId = W.Device;
  K.contextId = contextIdOf(W.Device);
  K.streamId = W.Stream;
  K.gridX = W.Grid.X;
  K.gridY = W.Grid.Y;
  K.gridZ = W.Grid.Z;
  K.blockX = W.Block.X;
  K.blockY = W.Block.Y;
  K.blockZ = W.Block.Z;
  K.staticSharedMemory = Info.SharedBytes;
  K.dynamicSharedMemory = W.DynamicSharedBytes;
  K.sharedMemoryExecuted = Info.SharedBytes + W.DynamicSharedBytes;
  K.localMemoryPerThread = Info.LocalBytes;
  K.localMemoryTotal_v2 =
      uint64_t(Info.LocalBytes) * W.Grid.count() * W.Block.count();
  K.localMemoryTotal = K.localMemoryTotal_v2;
  K.correlationId = W.Correlation;
  K.gridId = ++NumKernels;
  K.name = Info.Symbol.c_str();
  K.launchType = W.IsCooperative ? 1 : 0;
  setNode(K, W);
  if (W.Cluster.count() > 1) {
    K.clusterX = W.Cluster.X;
    K.clusterY = W.Cluster.Y;
    K.clusterZ = W.Cluster.Z;
  }
  append(Work, K);
}

static uint8_t copyKindOf(trace::Direction D) {
  switch (D) {
  case trace::Direction::ToDevice:
    return CUPTI_ACTIVITY_MEMCPY_KIND_HTOD;
  case trace::Direction::ToHost:
    return CUPTI_ACTIVITY_MEMCPY_KIND_DTOH;
  case trace::Direction::InDevice:
    return CUPTI_ACTIVITY_MEMCPY_KIND_DTOD;
  case trace::Direction::ToPeer:
    return CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
  case trace::Direction::InHost:
    return CUPTI_ACTIVITY_MEMCPY_KIND_HTOH;
  }
  return 0;
}

static uint8_t memoryKindOf(trace::MemoryKind K) {
  switch (K) {
  case trace::MemoryKind::Pageable:
    return CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE;
  case trace::MemoryKind::Pinned:
    return CUPTI_ACTIVITY_MEMORY_KIND_PINNED;
  case trace::MemoryKind::Device:
    return CUPTI_ACTIVITY_MEMORY_KIND_DEVICE;
  case trace::MemoryKind::Managed:
    return CUPTI_ACTIVITY_MEMORY_KIND_MANAGED;
  }
  return 0;
}

/// What records of copies and fills have in common.
template <typename T> static void setCommon(T &Record, const trace::Work &W) {
  Record.bytes = W.Bytes;
  Record.start = W.Begin;
  Record.end = W.End;
  Record.deviceId = W.Device;
  Record.contextId = contextIdOf(W.Device);
  Record.streamId = W.Stream;
  Record.correlationId = W.Correlation;
  setNode(Record, W);
}

void Activities::addCopy(const trace::Work &W) {
  if (W.Copied == trace::Direction::ToPeer &&
      Kinds[CUPTI_ACTIVITY_KIND_MEMCPY2]) {
    CUpti_ActivityMemcpyPtoP P = {};
    P.kind = CUPTI_ACTIVITY_KIND_MEMCPY2;
    setCommon(P, W);
    P.copyKind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP;
    P.srcKind = memoryKindOf(W.From);
    P.dstKind = memoryKindOf(W.To);
    P.srcDeviceId = W.FromDevice;
    P.dstDeviceId = W.ToDevice;
    P.srcContextId = contextIdOf(W.FromDevice);
    P.dstContextId = contextIdOf(W.ToDevice);
    return append(Work, P);
  }
  if (!Kinds[CUPTI_ACTIVITY_KIND_MEMCPY])
    return;
  CUpti_ActivityMemcpy C = {};
  C.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  setCommon(C, W);
  C.copyKind = copyKindOf(W.Copied);
  C.srcKind = memoryKindOf(W.From);
  C.dstKind = memoryKindOf(W.To);
  C.copyCount = 1;
  append(Work, C);
}

void Activities::addFill(const trace::Work &W) {
  if (!Kinds[CUPTI_ACTIVITY_KIND_MEMSET])
    return;
  CUpti_ActivityMemset S = {};
  S.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  setCommon(S, W);
  S.value = static_cast<uint32_t>(W.Pattern);
  S.memoryKind = memoryKindOf(W.To);
  append(Work, S);
}

/// In place of records of the nodes there is one of the launch.
void Activities::addGraph(const trace::Work &W) {
  auto [It, IsNew] = Graphs.try_emplace(W.Correlation);
  CUpti_ActivityGraphTrace &G = It->second;
  if (IsNew) {
    G.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
    G.correlationId = W.Correlation;
    G.start = W.Begin;
    G.deviceId = W.Device;
    G.contextId = contextIdOf(W.Device);
    G.streamId = W.Stream;
    G.graphId = W.Graph;
  }
  G.start = std::min<uint64_t>(G.start, W.Begin);
  G.end = std::max<uint64_t>(G.end, W.End);
  G.endDeviceId = W.Device;
  G.endContextId = contextIdOf(W.Device);
}

void Activities::add(const trace::Work &W) {
  std::lock_guard Lock(Mutex);
  if (W.Node && Kinds[CUPTI_ACTIVITY_KIND_GRAPH_TRACE])
    return addGraph(W);
  if (W.Kind == trace::WorkKind::Copy)
    return addCopy(W);
  if (W.Kind == trace::WorkKind::Fill)
    return addFill(W);
  if (Kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL] ||
      Kinds[CUPTI_ACTIVITY_KIND_KERNEL])
    addKernel(W);
}

size_t sizeOf(CUpti_ActivityKind Kind) {
  switch (Kind) {
  case CUPTI_ACTIVITY_KIND_MEMCPY:
    return sizeof(CUpti_ActivityMemcpy);
  case CUPTI_ACTIVITY_KIND_MEMCPY2:
    return sizeof(CUpti_ActivityMemcpyPtoP);
  case CUPTI_ACTIVITY_KIND_MEMSET:
    return sizeof(CUpti_ActivityMemset);
  case CUPTI_ACTIVITY_KIND_KERNEL:
  case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    return sizeof(CUpti_ActivityKernel);
  case CUPTI_ACTIVITY_KIND_DRIVER:
  case CUPTI_ACTIVITY_KIND_RUNTIME:
    return sizeof(CUpti_ActivityAPI);
  case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
    return sizeof(CUpti_ActivityExternalCorrelation);
  case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
    return sizeof(CUpti_ActivitySynchronization);
  case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
    return sizeof(CUpti_ActivityCudaEvent);
  case CUPTI_ACTIVITY_KIND_OVERHEAD:
    return sizeof(CUpti_ActivityOverhead);
  case CUPTI_ACTIVITY_KIND_CONTEXT:
    return sizeof(CUpti_ActivityContext);
  case CUPTI_ACTIVITY_KIND_STREAM:
    return sizeof(CUpti_ActivityStream);
  case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
    return sizeof(CUpti_ActivityGraphTrace);
  }
  return 0;
}

//===----------------------------------------------------------------------===//
// Delivery
//===----------------------------------------------------------------------===//

/// Where a record has its times.
static MutableArrayRef<uint64_t> timesOf(uint8_t *Record) {
  auto TimesAt = [Record](size_t Offset, size_t Count) {
    return MutableArrayRef(reinterpret_cast<uint64_t *>(Record + Offset),
                           Count);
  };
  switch (reinterpret_cast<const CUpti_Activity *>(Record)->kind) {
  case CUPTI_ACTIVITY_KIND_MEMCPY:
    return TimesAt(offsetof(CUpti_ActivityMemcpy, start), 2);
  case CUPTI_ACTIVITY_KIND_MEMCPY2:
    return TimesAt(offsetof(CUpti_ActivityMemcpyPtoP, start), 2);
  case CUPTI_ACTIVITY_KIND_MEMSET:
    return TimesAt(offsetof(CUpti_ActivityMemset, start), 2);
  case CUPTI_ACTIVITY_KIND_KERNEL:
  case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
    return TimesAt(offsetof(CUpti_ActivityKernel, start), 3);
  case CUPTI_ACTIVITY_KIND_DRIVER:
  case CUPTI_ACTIVITY_KIND_RUNTIME:
    return TimesAt(offsetof(CUpti_ActivityAPI, start), 2);
  case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
    return TimesAt(offsetof(CUpti_ActivitySynchronization, start), 2);
  case CUPTI_ACTIVITY_KIND_OVERHEAD:
    return TimesAt(offsetof(CUpti_ActivityOverhead, start), 2);
  case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
    return TimesAt(offsetof(CUpti_ActivityGraphTrace, start), 2);
  case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
  case CUPTI_ACTIVITY_KIND_CUDA_EVENT:
  case CUPTI_ACTIVITY_KIND_CONTEXT:
  case CUPTI_ACTIVITY_KIND_STREAM:
    break;
  }
  return {};
}

void Activities::flush() {
  uint64_t Begin = trace::now();
  std::vector<uint8_t> Records;
  {
    std::lock_guard Lock(Mutex);
    if (!Request || !Complete)
      return;
    for (const auto &[Correlation, G] : Graphs)
      append(Work, G);
    Graphs.clear();
    Records = std::move(Calls);
    Records.insert(Records.end(), Work.begin(), Work.end());
    Calls.clear();
    Work.clear();
    Last = moment();
    for (size_t At = 0; At != Records.size();) {
      uint8_t *Record = &Records[At];
      for (uint64_t &Time : timesOf(Record))
        Time = convert(Time);
      At += sizeOf(reinterpret_cast<const CUpti_Activity *>(Record)->kind);
    }
  }
  deliver(Records);
  // The next flush tells of this one.
  std::lock_guard Lock(Mutex);
  if (!Records.empty())
    addOverhead(CUPTI_ACTIVITY_OVERHEAD_CUPTI_BUFFER_FLUSH,
                trace::currentThread(), Begin, trace::now());
}

Activities::Buffer Activities::takeBuffer() {
  CUpti_BuffersCallbackRequestFunc Ask;
  {
    std::lock_guard Lock(Mutex);
    Buffer B = AtHand;
    AtHand = {};
    if (B.Start || !Request)
      return B;
    Ask = Request;
  }
  Buffer B;
  Ask(&B.Start, &B.Size, &B.MostRecords);
  return B;
}

void Activities::deliver(ArrayRef<uint8_t> Records) {
  while (!Records.empty()) {
    Buffer B = takeBuffer();
    if (!B.Start)
      return; // The profiler has no room: what is left is lost.
    size_t Used = 0, Count = 0;
    while (!Records.empty() && (!B.MostRecords || Count < B.MostRecords)) {
      size_t Next = sizeOf(
          reinterpret_cast<const CUpti_Activity *>(Records.data())->kind);
      if (Used + Next > B.Size)
        break;
      std::memcpy(B.Start + Used, Records.data(), Next);
      Records = Records.drop_front(Next);
      Used += Next;
      ++Count;
    }
    Complete(nullptr, 0, B.Start, B.Size, Used);
    if (!Count)
      return; // A buffer without room for one record.
  }
}

void Activities::serve() {
  bool IsFull, IsFirst;
  {
    std::lock_guard Lock(Mutex);
    size_t Bytes = Calls.size() + Work.size();
    IsFull = Bytes >= FullBytes;
    IsFirst = Bytes && !AtHand.Start && Request;
  }
  if (IsFull)
    return flush();
  if (!IsFirst)
    return;
  Buffer B = takeBuffer();
  {
    std::lock_guard Lock(Mutex);
    std::swap(AtHand, B);
  }
  // Another thread was faster.
  if (B.Start)
    Complete(nullptr, 0, B.Start, B.Size, 0);
}

} // namespace heddle::cuda::cupti
