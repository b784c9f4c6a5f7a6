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

static thread_local std::map<uint32_t, std::vector<uint64_t>> Externals;

void pushExternal(uint32_t Kind, uint64_t Id) { Externals[Kind].push_back(Id); }

bool popExternal(uint32_t Kind, uint64_t &Id) {
  std::vector<uint64_t> &Ids = Externals[Kind];
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

void Activities::add(const trace::Call &C) {
  std::lock_guard Lock(Mutex);
  if (Kinds[CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION])
    for (const auto &[Kind, Ids] : Externals)
      if (!Ids.empty())
        append(Calls, CUpti_ActivityExternalCorrelation{
                          CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION, Kind,
                          Ids.back(), C.Correlation, 0});
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

void Activities::addKernel(const trace::Work &W) {
  const rt::KernelInfo &Info = *W.What.Kernel;
  const rt::LaunchConfig &Config = *W.What.Config;
  CUpti_ActivityKernel K = {};
  K.kind = Kinds[CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL]
               ? CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL
               : CUPTI_ACTIVITY_KIND_KERNEL;
  K.registersPerThread = Info.Registers;
  K.start = W.Begin;
  K.end = K.completed = W.End;
  K.deviceId = W.Device;
  K.contextId = contextIdOf(W.Device);
  K.streamId = W.What.Stream;
  K.gridX = Config.Grid.X;
  K.gridY = Config.Grid.Y;
  K.gridZ = Config.Grid.Z;
  K.blockX = Config.Block.X;
  K.blockY = Config.Block.Y;
  K.blockZ = Config.Block.Z;
  K.staticSharedMemory = Info.SharedBytes;
  K.dynamicSharedMemory = Config.DynamicSharedBytes;
  K.sharedMemoryExecuted = Info.SharedBytes + Config.DynamicSharedBytes;
  K.localMemoryPerThread = Info.LocalBytes;
  K.localMemoryTotal_v2 =
      uint64_t(Info.LocalBytes) * Config.Grid.count() * Config.Block.count();
  K.localMemoryTotal = K.localMemoryTotal_v2;
  K.correlationId = W.Correlation;
  K.gridId = ++NumKernels;
  K.name = Names.insert(Info.Name).first->c_str();
  K.launchType = Config.Cooperative ? 1 : 0;
  rt::Dim3 Cluster = rt::clusterOf(Info, Config);
  if (Cluster.count() > 1) {
    K.clusterX = Cluster.X;
    K.clusterY = Cluster.Y;
    K.clusterZ = Cluster.Z;
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
  Record.streamId = W.What.Stream;
  Record.correlationId = W.Correlation;
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
  const rt::RowFill &Fill = *W.What.Fill;
  std::memcpy(&S.value, Fill.Pattern.data(),
              std::min(sizeof(S.value), Fill.Pattern.size()));
  S.memoryKind = memoryKindOf(W.To);
  append(Work, S);
}

void Activities::add(const trace::Work &W) {
  std::lock_guard Lock(Mutex);
  if (W.What.Copy)
    return addCopy(W);
  if (W.What.Fill)
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
  case CUPTI_ACTIVITY_KIND_EXTERNAL_CORRELATION:
    break;
  }
  return {};
}

void Activities::flush() {
  std::vector<uint8_t> Records;
  {
    std::lock_guard Lock(Mutex);
    if (!Request || !Complete)
      return;
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
