//===- Streams.cpp - Streams and events of CUDA -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Thin over rt::Stream and rt::Event.
//
//===----------------------------------------------------------------------===//

#include "PerThread.h"
#include "Process.h"
#include "Runtime/CachePolicy.h"
#include "Runtime/Launch.h"
#include "llvm/ADT/STLExtras.h"

#include <cstring>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

extern "C" cudaError_t cudaStreamCreateWithFlags(cudaStream_t *Stream,
                                                 unsigned Flags) {
  if (!Stream || Flags > cudaStreamNonBlocking)
    return finish(cudaErrorInvalidValue);
  Expected<rt::Context &> C = Process::get().context();
  if (!C)
    return finish(convert(C.takeError(), cudaErrorNoDevice));
  if (Error E = C->status())
    return finish(convert(std::move(E), cudaErrorUnknown));
  *Stream = Process::get().addStream(
      C->createStream(Flags == cudaStreamNonBlocking
                          ? rt::Stream::Kind::NonBlocking
                          : rt::Stream::Kind::Blocking,
                      currentStreamGroup()),
      Flags);
  return cudaSuccess;
}

extern "C" cudaError_t cudaStreamCreate(cudaStream_t *Stream) {
  return cudaStreamCreateWithFlags(Stream, 0);
}

/// Priorities are hints.
extern "C" cudaError_t cudaStreamCreateWithPriority(cudaStream_t *Stream,
                                                    unsigned Flags, int) {
  return cudaStreamCreateWithFlags(Stream, Flags);
}

extern "C" cudaError_t cudaStreamDestroy(cudaStream_t Stream) {
  return finish(Process::get().removeStream(Stream)
                    ? cudaSuccess
                    : cudaErrorInvalidResourceHandle);
}

extern "C" cudaError_t cudaStreamSynchronize(cudaStream_t Stream) {
  rt::Stream *S = Process::get().stream(Stream);
  if (!S)
    return finish(cudaErrorInvalidResourceHandle);
  Error Failed = S->synchronize();
  Process::get().Pools.settle();
  return finish(convert(std::move(Failed), cudaErrorStreamCaptureUnsupported));
}

extern "C" cudaError_t cudaStreamQuery(cudaStream_t Stream) {
  rt::Stream *S = Process::get().stream(Stream);
  if (!S)
    return finish(cudaErrorInvalidResourceHandle);
  if (!S->isIdle())
    return cudaErrorNotReady;
  return finish(convert(S->context().status(), cudaErrorUnknown));
}

extern "C" cudaError_t cudaStreamGetFlags(cudaStream_t Stream,
                                          unsigned *Flags) {
  rt::Stream *S = Process::get().stream(Stream);
  if (!S || !Flags)
    return finish(S ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  *Flags =
      S->kind() == rt::Stream::Kind::NonBlocking ? cudaStreamNonBlocking : 0;
  return cudaSuccess;
}

extern "C" cudaError_t cudaStreamGetPriority(cudaStream_t Stream,
                                             int *Priority) {
  if (!Process::get().stream(Stream) || !Priority)
    return finish(cudaErrorInvalidResourceHandle);
  *Priority = 0;
  return cudaSuccess;
}

extern "C" cudaError_t cudaStreamGetId(cudaStream_t Stream,
                                       unsigned long long *Id) {
  rt::Stream *S = Process::get().stream(Stream);
  if (!S || !Id)
    return finish(cudaErrorInvalidResourceHandle);
  *Id = S->id();
  return cudaSuccess;
}

extern "C" cudaError_t cudaStreamGetDevice(cudaStream_t Stream, int *Device) {
  rt::Stream *S = Process::get().stream(Stream);
  if (!S || !Device)
    return finish(cudaErrorInvalidResourceHandle);
  *Device = Process::get().deviceOf(S->context()).Ordinal;
  return cudaSuccess;
}

extern "C" cudaError_t cudaStreamWaitEvent(cudaStream_t Stream,
                                           cudaEvent_t Event, unsigned) {
  EventHandle *E = Process::get().event(Event);
  if (!E)
    return finish(cudaErrorInvalidResourceHandle);
  return finish(enqueue(Stream, rt::WaitOp{E->Event}));
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

namespace {

/// Numbers of cudaLaunchAttributeID that streams have.
enum StreamAttribute : int {
  AccessPolicyWindow = 1,
  SynchronizationPolicy = 3,
  Priority = 8,
  MemSyncDomainMap = 9,
  MemSyncDomain = 10,
};
using AttributeValue = std::array<char, 64>; ///< cudaLaunchAttributeValue.

/// Hints that programs give streams, kept for them. Any thread may call
/// anything at any time.
class AttributeTable {
public:
  static bool isKnown(int Attribute) {
    return is_contained({AccessPolicyWindow, SynchronizationPolicy, Priority,
                         MemSyncDomainMap, MemSyncDomain},
                        Attribute);
  }
  AttributeValue get(uint64_t Stream, int Attribute) {
    std::lock_guard Lock(Mutex);
    auto It = Values.find({Stream, Attribute});
    if (It != Values.end())
      return It->second;
    AttributeValue Default = {};
    if (Attribute == SynchronizationPolicy)
      Default[0] = 1; // cudaSyncPolicyAuto
    return Default;
  }
  void set(uint64_t Stream, int Attribute, const AttributeValue &Value) {
    std::lock_guard Lock(Mutex);
    Values[{Stream, Attribute}] = Value;
  }
  /// What the launches of a stream have of its attributes: those that the
  /// program has set.
  std::vector<cudaLaunchAttribute> ofLaunches(uint64_t Stream) {
    std::lock_guard Lock(Mutex);
    std::vector<cudaLaunchAttribute> Found;
    for (auto It = Values.lower_bound({Stream, 0});
         It != Values.end() && It->first.first == Stream; ++It) {
      if (It->first.second == SynchronizationPolicy)
        continue;
      cudaLaunchAttribute A = {};
      A.id = cudaLaunchAttributeID(It->first.second);
      std::memcpy(&A.val, It->second.data(), It->second.size());
      Found.push_back(A);
    }
    return Found;
  }
  void copy(uint64_t To, uint64_t From) {
    for (int A : {AccessPolicyWindow, SynchronizationPolicy, Priority,
                  MemSyncDomainMap, MemSyncDomain})
      set(To, A, get(From, A));
  }

private:
  std::mutex Mutex;
  std::map<std::pair<uint64_t, int>, AttributeValue>
      Values; ///< By stream's id.
};

} // namespace

static AttributeTable &attributes() {
  static auto *Made = new AttributeTable; // see Process.h
  return *Made;
}

std::vector<cudaLaunchAttribute>
heddle::cuda::launchAttributesOf(const rt::Stream &S) {
  return attributes().ofLaunches(S.id());
}

extern "C" cudaError_t cudaStreamGetAttribute(cudaStream_t Stream,
                                              int Attribute, void *Value) {
  rt::Stream *S = Process::get().stream(Stream);
  if (!S || !Value || !AttributeTable::isKnown(Attribute))
    return finish(S ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  AttributeValue Kept = attributes().get(S->id(), Attribute);
  std::memcpy(Value, Kept.data(), Kept.size());
  return cudaSuccess;
}

extern "C" cudaError_t
cudaStreamSetAttribute(cudaStream_t Stream, int Attribute, const void *Value) {
  rt::Stream *S = Process::get().stream(Stream);
  if (!S || !Value || !AttributeTable::isKnown(Attribute))
    return finish(S ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
  if (Attribute == AccessPolicyWindow)
    if (cudaError_t Code = checkPolicyWindow(Value); Code != cudaSuccess)
      return finish(Code);
  AttributeValue Given;
  std::memcpy(Given.data(), Value, Given.size());
  attributes().set(S->id(), Attribute, Given);
  return cudaSuccess;
}

extern "C" cudaError_t cudaStreamCopyAttributes(cudaStream_t To,
                                                cudaStream_t From) {
  rt::Stream *T = Process::get().stream(To), *F = Process::get().stream(From);
  if (!T || !F)
    return finish(cudaErrorInvalidResourceHandle);
  attributes().copy(T->id(), F->id());
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

extern "C" cudaError_t cudaEventCreateWithFlags(cudaEvent_t *Event,
                                                unsigned Flags) {
  bool HasTiming = !(Flags & cudaEventDisableTiming);
  bool IsShared = Flags & cudaEventInterprocess;
  if (!Event || (IsShared && HasTiming))
    return finish(cudaErrorInvalidValue);
  SharedEvent Shared;
  if (IsShared)
    if (cudaError_t Code = Process::get().Ipc.createEvent(Shared);
        Code != cudaSuccess)
      return finish(Code);
  *Event = Process::get().addEvent(HasTiming, std::move(Shared));
  return cudaSuccess;
}

extern "C" cudaError_t cudaEventCreate(cudaEvent_t *Event) {
  return cudaEventCreateWithFlags(Event, 0);
}

extern "C" cudaError_t cudaEventDestroy(cudaEvent_t Event) {
  return finish(Process::get().removeEvent(Event)
                    ? cudaSuccess
                    : cudaErrorInvalidResourceHandle);
}

extern "C" cudaError_t cudaEventRecord(cudaEvent_t Event, cudaStream_t Stream) {
  EventHandle *E = Process::get().event(Event);
  if (!E)
    return finish(cudaErrorInvalidResourceHandle);
  return finish(enqueue(Stream, rt::RecordOp{E->Event}));
}

extern "C" cudaError_t cudaEventRecordWithFlags(cudaEvent_t Event,
                                                cudaStream_t Stream, unsigned) {
  return cudaEventRecord(Event, Stream);
}

extern "C" cudaError_t cudaEventSynchronize(cudaEvent_t Event) {
  EventHandle *E = Process::get().event(Event);
  if (!E)
    return finish(cudaErrorInvalidResourceHandle);
  E->Event->synchronize();
  Process::get().Pools.settle();
  Expected<rt::Context &> C = Process::get().context();
  return finish(C ? convert(C->status(), cudaErrorUnknown)
                  : convert(C.takeError(), cudaErrorNoDevice));
}

extern "C" cudaError_t cudaEventQuery(cudaEvent_t Event) {
  EventHandle *E = Process::get().event(Event);
  if (!E)
    return finish(cudaErrorInvalidResourceHandle);
  return E->Event->isComplete() ? cudaSuccess : cudaErrorNotReady;
}

extern "C" cudaError_t
cudaEventElapsedTime(float *Milliseconds, cudaEvent_t Begin, cudaEvent_t End) {
  EventHandle *B = Process::get().event(Begin), *E = Process::get().event(End);
  if (!B || !E || !B->HasTiming || !E->HasTiming || !B->Event->isRecorded() ||
      !E->Event->isRecorded())
    return finish(cudaErrorInvalidResourceHandle);
  std::optional<uint64_t> From = B->Event->timestamp();
  std::optional<uint64_t> To = E->Event->timestamp();
  if (!From || !To)
    return cudaErrorNotReady;
  *Milliseconds = static_cast<int64_t>(*To - *From) / 1e6f;
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// With the thread's default stream
//===----------------------------------------------------------------------===//

HEDDLE_PER_THREAD(cudaEventRecordWithFlags, _ptsz)
HEDDLE_PER_THREAD(cudaEventRecord, _ptsz)
HEDDLE_PER_THREAD(cudaStreamCopyAttributes, _ptsz)
HEDDLE_PER_THREAD(cudaStreamGetAttribute, _ptsz)
HEDDLE_PER_THREAD(cudaStreamSetAttribute, _ptsz)
HEDDLE_PER_THREAD(cudaStreamGetFlags, _ptsz)
HEDDLE_PER_THREAD(cudaStreamGetId, _ptsz)
HEDDLE_PER_THREAD(cudaStreamGetPriority, _ptsz)
HEDDLE_PER_THREAD(cudaStreamQuery, _ptsz)
HEDDLE_PER_THREAD(cudaStreamSynchronize, _ptsz)
HEDDLE_PER_THREAD(cudaStreamWaitEvent, _ptsz)
HEDDLE_PER_THREAD(cudaStreamGetDevice, _ptsz)
