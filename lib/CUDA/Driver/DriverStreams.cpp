//===- DriverStreams.cpp - Streams and events -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those of the driver API: the runtime's, in the thread's current context.
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "PerThread.h"
#include "Runtime/Runtime.h"

using namespace heddle;
using namespace heddle::cuda;

HEDDLE_SAME(cuStreamCreate, (cudaStream_t * S, unsigned Flags),
            cudaStreamCreateWithPriority(S, Flags, 0))
HEDDLE_SAME(cuStreamCreateWithPriority,
            (cudaStream_t * S, unsigned Flags, int Priority),
            cudaStreamCreateWithPriority(S, Flags, Priority))
HEDDLE_SAME(cuStreamDestroy_v2, (cudaStream_t S), cudaStreamDestroy(S))
HEDDLE_SAME(cuStreamSynchronize, (cudaStream_t S), cudaStreamSynchronize(S))
HEDDLE_SAME(cuStreamQuery, (cudaStream_t S), cudaStreamQuery(S))
HEDDLE_SAME(cuStreamWaitEvent, (cudaStream_t S, cudaEvent_t E, unsigned Flags),
            cudaStreamWaitEvent(S, E, Flags))
HEDDLE_SAME(cuStreamAddCallback,
            (cudaStream_t S, cudaStreamCallback_t Callback, void *Data,
             unsigned Flags),
            cudaStreamAddCallback(S, Callback, Data, Flags))
HEDDLE_SAME(cuStreamGetFlags, (cudaStream_t S, unsigned *Flags),
            cudaStreamGetFlags(S, Flags))
HEDDLE_SAME(cuStreamGetPriority, (cudaStream_t S, int *Priority),
            cudaStreamGetPriority(S, Priority))
HEDDLE_SAME(cuStreamGetAttribute, (cudaStream_t S, int Attribute, void *Value),
            cudaStreamGetAttribute(S, Attribute, Value))
HEDDLE_SAME(cuStreamSetAttribute,
            (cudaStream_t S, int Attribute, const void *Value),
            cudaStreamSetAttribute(S, Attribute, Value))
HEDDLE_SAME(cuStreamCopyAttributes, (cudaStream_t To, cudaStream_t From),
            cudaStreamCopyAttributes(To, From))
HEDDLE_SAME(cuStreamGetId, (cudaStream_t S, unsigned long long *Id),
            cudaStreamGetId(S, Id))
HEDDLE_SAME(cuStreamBeginCapture_v2, (cudaStream_t S, int Mode),
            cudaStreamBeginCapture(S, Mode))
/// As it was at first, without modes.
HEDDLE_SAME(cuStreamBeginCapture, (cudaStream_t S),
            cudaStreamBeginCapture(S, 0))
HEDDLE_SAME(cuStreamBeginCaptureToGraph,
            (cudaStream_t S, cudaGraph_t G, const cudaGraphNode_t *Dependencies,
             const cudaGraphEdgeData *Edges, size_t Count, int Mode),
            cudaStreamBeginCaptureToGraph(S, G, Dependencies, Edges, Count,
                                          Mode))
HEDDLE_SAME(cuStreamEndCapture, (cudaStream_t S, cudaGraph_t *Graph),
            cudaStreamEndCapture(S, Graph))
HEDDLE_SAME(cuStreamIsCapturing,
            (cudaStream_t S, cudaStreamCaptureStatus *Status),
            cudaStreamIsCapturing(S, Status))
HEDDLE_SAME(cuStreamGetCaptureInfo_v3,
            (cudaStream_t S, cudaStreamCaptureStatus *Status,
             unsigned long long *Id, cudaGraph_t *Graph,
             const cudaGraphNode_t **Dependencies,
             const cudaGraphEdgeData **Edges, size_t *Count),
            cudaStreamGetCaptureInfo(S, Status, Id, Graph, Dependencies, Edges,
                                     Count))
HEDDLE_SAME(cuStreamGetCaptureInfo_v2,
            (cudaStream_t S, cudaStreamCaptureStatus *Status,
             unsigned long long *Id, cudaGraph_t *Graph,
             const cudaGraphNode_t **Dependencies, size_t *Count),
            cudaStreamGetCaptureInfo(S, Status, Id, Graph, Dependencies,
                                     nullptr, Count))
HEDDLE_SAME(cuStreamGetCaptureInfo,
            (cudaStream_t S, cudaStreamCaptureStatus *Status,
             unsigned long long *Id),
            cudaStreamGetCaptureInfo(S, Status, Id, nullptr, nullptr, nullptr,
                                     nullptr))
HEDDLE_SAME(cuStreamUpdateCaptureDependencies_v2,
            (cudaStream_t S, cudaGraphNode_t *Nodes,
             const cudaGraphEdgeData *Edges, size_t Count, unsigned Flags),
            cudaStreamUpdateCaptureDependencies(S, Nodes, Edges, Count, Flags))
HEDDLE_SAME(cuStreamUpdateCaptureDependencies,
            (cudaStream_t S, cudaGraphNode_t *Nodes, size_t Count,
             unsigned Flags),
            cudaStreamUpdateCaptureDependencies(S, Nodes, nullptr, Count,
                                                Flags))
HEDDLE_SAME(cuThreadExchangeStreamCaptureMode, (int *Mode),
            cudaThreadExchangeStreamCaptureMode(Mode))

HEDDLE_SAME(cuEventCreate, (cudaEvent_t * E, unsigned Flags),
            cudaEventCreateWithFlags(E, Flags))
HEDDLE_SAME(cuEventRecord, (cudaEvent_t E, cudaStream_t S),
            cudaEventRecordWithFlags(E, S, 0))
HEDDLE_SAME(cuEventRecordWithFlags,
            (cudaEvent_t E, cudaStream_t S, unsigned Flags),
            cudaEventRecordWithFlags(E, S, Flags))
HEDDLE_SAME(cuEventQuery, (cudaEvent_t E), cudaEventQuery(E))
HEDDLE_SAME(cuEventSynchronize, (cudaEvent_t E), cudaEventSynchronize(E))
HEDDLE_SAME(cuEventDestroy_v2, (cudaEvent_t E), cudaEventDestroy(E))
HEDDLE_SAME(cuEventElapsedTime_v2,
            (float *Milliseconds, cudaEvent_t Begin, cudaEvent_t End),
            cudaEventElapsedTime(Milliseconds, Begin, End))

static bool isDefault(cudaStream_t Stream) {
  return !Stream || Stream == cudaStreamLegacy || Stream == cudaStreamPerThread;
}

/// A stream that was created has a context, whatever is current: cuBLAS asks
/// for it on threads that have none yet.
template <typename Fn>
static CUresult askStream(cudaStream_t Stream, Fn Function) {
  DriverCall Call;
  if (CUresult Code = isDefault(Stream) ? Call.context() : Call.initialised();
      Code != cudaSuccess)
    return Code;
  return driverCode(Function());
}

/// The context that was current when the stream was created; of the default
/// streams the one that is current.
static CUresult contextOf(cudaStream_t Stream, CUcontext &Context) {
  rt::Stream *S = Process::get().stream(Stream);
  if (!S)
    return cudaErrorInvalidResourceHandle;
  Context = isDefault(Stream) ? currentContext() : contextOfGroup(S->group());
  return Context ? cudaSuccess : cudaErrorContextIsDestroyed;
}

extern "C" CUresult cuStreamGetCtx(cudaStream_t Stream, CUcontext *Context) {
  return askStream(Stream, [=] {
    return Context ? contextOf(Stream, *Context) : cudaErrorInvalidValue;
  });
}

extern "C" CUresult cuStreamGetCtx_v2(cudaStream_t Stream, CUcontext *Context,
                                      CUcontext *GreenContext) {
  return askStream(Stream, [=] {
    if (!Context || !GreenContext)
      return cudaErrorInvalidValue;
    if (CUresult Code = contextOf(Stream, *Context); Code != cudaSuccess)
      return Code;
    *GreenContext = nullptr;
    if (!(*Context)->isGreen())
      return cudaSuccess;
    if (Stream == cudaStreamPerThread)
      return cudaErrorInvalidResourceHandle;
    *GreenContext = *Context;
    *Context = primaryContext((*GreenContext)->Device);
    return cudaSuccess;
  });
}

extern "C" CUresult cuStreamGetGreenCtx(cudaStream_t Stream,
                                        CUcontext *GreenContext) {
  CUcontext Context = nullptr;
  return cuStreamGetCtx_v2(Stream, &Context, GreenContext);
}

extern "C" CUresult cuStreamGetDevice(cudaStream_t Stream, CUdevice *Device) {
  return askStream(Stream, [=] {
    if (!Device || !Process::get().stream(Stream))
      return Device ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
    *Device = 0;
    return cudaSuccess;
  });
}

HEDDLE_PER_THREAD(cuStreamSynchronize, _ptsz)
HEDDLE_PER_THREAD(cuStreamQuery, _ptsz)
HEDDLE_PER_THREAD(cuStreamWaitEvent, _ptsz)
HEDDLE_PER_THREAD(cuStreamAddCallback, _ptsz)
HEDDLE_PER_THREAD(cuStreamGetFlags, _ptsz)
HEDDLE_PER_THREAD(cuStreamGetPriority, _ptsz)
HEDDLE_PER_THREAD(cuStreamGetId, _ptsz)
HEDDLE_PER_THREAD(cuStreamGetAttribute, _ptsz)
HEDDLE_PER_THREAD(cuStreamSetAttribute, _ptsz)
HEDDLE_PER_THREAD(cuStreamCopyAttributes, _ptsz)
HEDDLE_PER_THREAD(cuStreamBeginCapture_v2, _ptsz)
HEDDLE_PER_THREAD(cuStreamBeginCapture, _ptsz)
HEDDLE_PER_THREAD(cuStreamBeginCaptureToGraph, _ptsz)
HEDDLE_PER_THREAD(cuStreamEndCapture, _ptsz)
HEDDLE_PER_THREAD(cuStreamIsCapturing, _ptsz)
HEDDLE_PER_THREAD(cuEventRecord, _ptsz)
HEDDLE_PER_THREAD(cuEventRecordWithFlags, _ptsz)
HEDDLE_PER_THREAD(cuStreamGetCaptureInfo, _ptsz)
HEDDLE_PER_THREAD(cuStreamGetCaptureInfo_v2, _ptsz)
HEDDLE_PER_THREAD(cuStreamGetCaptureInfo_v3, _ptsz)
HEDDLE_PER_THREAD(cuStreamUpdateCaptureDependencies, _ptsz)
HEDDLE_PER_THREAD(cuStreamUpdateCaptureDependencies_v2, _ptsz)
HEDDLE_PER_THREAD(cuStreamGetCtx, _ptsz)
HEDDLE_PER_THREAD(cuStreamGetCtx_v2, _ptsz)
HEDDLE_PER_THREAD(cuStreamGetDevice, _ptsz)
