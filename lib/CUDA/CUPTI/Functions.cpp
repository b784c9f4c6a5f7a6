//===- Functions.cpp - The functions of CUPTI -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// NVIDIA's interface for profilers: records of what happened, and callbacks at
// calls of the driver and the runtime. Names are CUPTI's, so that they can be
// looked up in its documentation.
//
//===----------------------------------------------------------------------===//

#include "CUPTI/Activities.h"
#include "CUPTI/Callbacks.h"
#include "Driver/Driver.h"
#include "Runtime/Graphs.h"
#include "Trace/CallbackIds.h"

#include <cstring>

using namespace heddle;
using namespace heddle::cuda;
using namespace heddle::cuda::cupti;

/// CUPTI_API_VERSION of CUDA 13.0: its records are those of this version or
/// longer.
static constexpr uint32_t Version = 130000;

static thread_local CUptiResult Last = CUPTI_SUCCESS;

/// Notes what a function returns.
static CUptiResult done(CUptiResult Result) {
  if (Result != CUPTI_SUCCESS)
    Last = Result;
  return Result;
}
static CUptiResult done(bool IsFine) {
  return done(IsFine ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER);
}

extern "C" {

//===----------------------------------------------------------------------===//
// Results and versions
//===----------------------------------------------------------------------===//

CUptiResult cuptiGetVersion(uint32_t *Number) {
  if (Number)
    *Number = Version;
  return done(Number != nullptr);
}

CUptiResult cuptiGetResultString(CUptiResult Result, const char **Text) {
  if (!Text)
    return done(false);
  switch (Result) {
#define HEDDLE_CUPTI_RESULT(Number, Name)                                      \
  case Name:                                                                   \
    *Text = #Name;                                                             \
    return CUPTI_SUCCESS;
#include "CUPTI/Results.def"
  }
  return done(false);
}

CUptiResult cuptiGetErrorMessage(CUptiResult Result, const char **Text) {
  return cuptiGetResultString(Result, Text);
}

CUptiResult cuptiGetLastError() {
  CUptiResult Result = Last;
  Last = CUPTI_SUCCESS;
  return Result;
}

CUptiResult cuptiGetTimestamp(uint64_t *Timestamp) {
  if (Timestamp)
    *Timestamp = Activities::get().timestamp(trace::now());
  return done(Timestamp != nullptr);
}

//===----------------------------------------------------------------------===//
// Contexts, devices and streams
//===----------------------------------------------------------------------===//

CUptiResult cuptiGetDeviceId(CUcontext Context, uint32_t *Id) {
  if (!Id || (Context && !isContext(Context)))
    return done(Id ? CUPTI_ERROR_INVALID_CONTEXT
                   : CUPTI_ERROR_INVALID_PARAMETER);
  *Id = Context ? Context->Device : currentDevice();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetContextId(CUcontext Context, uint32_t *Id) {
  CUptiResult Result = cuptiGetDeviceId(Context, Id);
  if (Result == CUPTI_SUCCESS)
    *Id = contextIdOf(*Id);
  return Result;
}

CUptiResult cuptiGetStreamIdEx(CUcontext, cudaStream_t Stream,
                               uint8_t PerThread, uint32_t *Id) {
  if (PerThread && !Stream)
    Stream = cudaStreamPerThread;
  rt::Stream *S = Id ? Process::get().stream(Stream) : nullptr;
  if (!S)
    return done(Id ? CUPTI_ERROR_INVALID_STREAM
                   : CUPTI_ERROR_INVALID_PARAMETER);
  *Id = S->id();
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetStreamId(CUcontext Context, cudaStream_t Stream,
                             uint32_t *Id) {
  return cuptiGetStreamIdEx(Context, Stream, 0, Id);
}

CUptiResult cuptiGetGraphId(cudaGraph_t Graph, uint32_t *Id) {
  if (!Graph || !Id)
    return done(false);
  *Id = Graph->Number;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetGraphExecId(cudaGraphExec_t Exec, uint32_t *Id) {
  if (!Exec || !Id)
    return done(false);
  *Id = Exec->Number;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetGraphNodeId(cudaGraphNode_t Node, uint64_t *Id) {
  if (!Node || !Id)
    return done(false);
  *Id = trace::nodeIdOf(Node->Owner->Number, Node->Id + 1);
  return CUPTI_SUCCESS;
}

/// Threads have the system's numbers.
CUptiResult cuptiGetThreadIdType(uint32_t *Type) {
  constexpr uint32_t System = 1;
  if (Type)
    *Type = System;
  return done(Type != nullptr);
}
CUptiResult cuptiSetThreadIdType(uint32_t Type) {
  return done(Type <= 1 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER);
}

//===----------------------------------------------------------------------===//
// Records
//===----------------------------------------------------------------------===//

/// Kinds of which there are never records are accepted, as on devices that do
/// not do what they are about.
static CUptiResult enable(CUpti_ActivityKind Kind, bool Wants) {
  auto Number = static_cast<unsigned>(Kind);
  if (Number == 0 || Number >= Activities::NumKinds)
    return done(CUPTI_ERROR_INVALID_KIND);
  Activities::get().enable(Kind, Wants);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityEnable(CUpti_ActivityKind Kind) {
  return enable(Kind, true);
}
CUptiResult cuptiActivityDisable(CUpti_ActivityKind Kind) {
  return enable(Kind, false);
}
CUptiResult cuptiActivityEnableAndDump(CUpti_ActivityKind Kind) {
  return enable(Kind, true);
}
CUptiResult cuptiActivityEnableContext(CUcontext, CUpti_ActivityKind Kind) {
  return enable(Kind, true);
}
CUptiResult cuptiActivityDisableContext(CUcontext, CUpti_ActivityKind Kind) {
  return enable(Kind, false);
}

CUptiResult cuptiActivityEnableDriverApi(uint32_t Id, uint8_t Wants) {
  if (!trace::callbackName(trace::Interface::Driver, Id))
    return done(false);
  Activities::get().enableFunction(CUPTI_ACTIVITY_KIND_DRIVER, Id, Wants);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableRuntimeApi(uint32_t Id, uint8_t Wants) {
  if (!trace::callbackName(trace::Interface::Runtime, Id))
    return done(false);
  Activities::get().enableFunction(CUPTI_ACTIVITY_KIND_RUNTIME, Id, Wants);
  return CUPTI_SUCCESS;
}

CUptiResult
cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc Request,
                               CUpti_BuffersCallbackCompleteFunc Complete) {
  if (!Request || !Complete)
    return done(false);
  Activities::get().setBuffers(Request, Complete);
  return CUPTI_SUCCESS;
}

CUptiResult
cuptiActivityRegisterTimestampCallback(CUpti_TimestampCallbackFunc Clock) {
  if (!Clock)
    return done(false);
  Activities::get().setClock(Clock);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiActivityFlushAll(uint32_t) {
  Activities::get().flush();
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityFlush(CUcontext, uint32_t, uint32_t Flag) {
  return cuptiActivityFlushAll(Flag);
}
/// Records are given when the profiler asks, or when there are many.
CUptiResult cuptiActivityFlushPeriod(uint32_t) { return CUPTI_SUCCESS; }

CUptiResult cuptiActivityGetNextRecord(uint8_t *Buffer, size_t ValidSize,
                                       CUpti_Activity **Record) {
  if (!Record)
    return done(false);
  uint8_t *Next =
      *Record ? reinterpret_cast<uint8_t *>(*Record) + sizeOf((*Record)->kind)
              : Buffer;
  if (!Buffer || Next >= Buffer + ValidSize)
    return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *Record = reinterpret_cast<CUpti_Activity *>(Next);
  return sizeOf((*Record)->kind) ? CUPTI_SUCCESS
                                 : done(CUPTI_ERROR_INVALID_KIND);
}

CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, uint32_t,
                                              size_t *Dropped) {
  if (Dropped)
    *Dropped = 0;
  return done(Dropped != nullptr);
}

CUptiResult cuptiActivityPushExternalCorrelationId(uint32_t Kind, uint64_t Id) {
  pushExternal(Kind, Id);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityPopExternalCorrelationId(uint32_t Kind,
                                                  uint64_t *LastId) {
  uint64_t Id;
  if (!popExternal(Kind, Id))
    return done(CUPTI_ERROR_QUEUE_EMPTY);
  if (LastId)
    *LastId = Id;
  return CUPTI_SUCCESS;
}

// How much memory is set aside for records, and what else records shall have:
// memory is taken as it is needed, and there is nothing else.
CUptiResult cuptiActivitySetAttribute(uint32_t, size_t *, void *) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityGetAttribute(uint32_t, size_t *Size, void *Value) {
  if (!Size || !Value)
    return done(false);
  std::memset(Value, 0, *Size);
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableAllSyncRecords(uint8_t) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityEnableAllocationSource(uint8_t) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableCudaEventDeviceTimestamps(uint8_t) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableDeviceGraph(uint8_t) { return CUPTI_SUCCESS; }
CUptiResult cuptiActivityEnableHWTrace(uint8_t Wants) {
  return done(Wants ? CUPTI_ERROR_NOT_SUPPORTED : CUPTI_SUCCESS);
}
CUptiResult cuptiActivityEnableLatencyTimestamps(uint8_t) {
  return CUPTI_SUCCESS;
}
CUptiResult cuptiActivityEnableLaunchAttributes(uint8_t) {
  return CUPTI_SUCCESS;
}

/// The profiler will do no more.
CUptiResult cuptiFinalize() {
  Activities::get().reset();
  return CUPTI_SUCCESS;
}

//===----------------------------------------------------------------------===//
// Callbacks
//===----------------------------------------------------------------------===//

CUptiResult cuptiSubscribe(Subscriber *S, CUpti_CallbackFunc Function,
                           void *UserData) {
  if (!S)
    return done(false);
  return done(subscribe(Function, UserData, *S)
                  ? CUPTI_SUCCESS
                  : CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED);
}
CUptiResult cuptiUnsubscribe(Subscriber S) { return done(unsubscribe(S)); }

/// In a domain in which nothing happens a subscriber may wait.
CUptiResult cuptiEnableCallback(uint32_t Wants, Subscriber S, uint32_t Domain,
                                uint32_t Number) {
  return done(Number && enableCallback(S, Domain, Number, Wants));
}
CUptiResult cuptiEnableDomain(uint32_t Wants, Subscriber S, uint32_t Domain) {
  return done(enableCallback(S, Domain, 0, Wants));
}
CUptiResult cuptiEnableAllDomains(uint32_t Wants, Subscriber S) {
  bool IsFine = true;
  for (uint32_t Domain = 1; Domain != CUPTI_CB_DOMAIN_SIZE; ++Domain)
    IsFine &= enableCallback(S, Domain, 0, Wants);
  return done(IsFine);
}
CUptiResult cuptiGetCallbackState(uint32_t *Wants, Subscriber S,
                                  uint32_t Domain, uint32_t Number) {
  if (!Wants || !isSubscribed(S))
    return done(false);
  *Wants = isEnabled(Domain, Number);
  return CUPTI_SUCCESS;
}

CUptiResult cuptiGetCallbackName(uint32_t Domain, uint32_t Number,
                                 const char **Name) {
  const char *Found = nullptr;
  if (Domain == CUPTI_CB_DOMAIN_DRIVER_API)
    Found = trace::callbackName(trace::Interface::Driver, Number);
  else if (Domain == CUPTI_CB_DOMAIN_RUNTIME_API)
    Found = trace::callbackName(trace::Interface::Runtime, Number);
  if (!Name || !Found)
    return done(false);
  *Name = Found;
  return CUPTI_SUCCESS;
}

CUptiResult cuptiSupportedDomains(size_t *Count,
                                  const CUpti_CallbackDomain **Domains) {
  static constexpr CUpti_CallbackDomain Supported[] = {
      CUPTI_CB_DOMAIN_DRIVER_API, CUPTI_CB_DOMAIN_RUNTIME_API,
      CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CB_DOMAIN_SYNCHRONIZE};
  if (!Count || !Domains)
    return done(false);
  *Count = std::size(Supported);
  *Domains = Supported;
  return CUPTI_SUCCESS;
}

//===----------------------------------------------------------------------===//
// What there is not
//===----------------------------------------------------------------------===//

#define HEDDLE_CUPTI_UNSUPPORTED(Name)                                         \
  CUptiResult Name() { return done(CUPTI_ERROR_NOT_SUPPORTED); }
#include "CUPTI/Functions.def"

} // extern "C"
