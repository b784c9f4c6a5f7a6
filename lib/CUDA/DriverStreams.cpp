//===- DriverStreams.cpp - Streams, events and graphs -----------*- C++ -*-===//
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

#include "Driver.h"
#include "PerThread.h"
#include "Runtime.h"

using namespace heddle;
using namespace heddle::cuda;

/// A function of the driver API that is the runtime's.
#define HEDDLE_SAME(Name, Parameters, Call)                                    \
  extern "C" CUresult Name Parameters {                                        \
    return inContext([=] { return Call; });                                    \
  }

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
HEDDLE_SAME(cuStreamGetId, (cudaStream_t S, unsigned long long *Id),
            cudaStreamGetId(S, Id))
HEDDLE_SAME(cuStreamBeginCapture_v2, (cudaStream_t S, int Mode),
            cudaStreamBeginCapture(S, Mode))
HEDDLE_SAME(cuStreamEndCapture, (cudaStream_t S, cudaGraph_t *Graph),
            cudaStreamEndCapture(S, Graph))
HEDDLE_SAME(cuStreamIsCapturing,
            (cudaStream_t S, cudaStreamCaptureStatus *Status),
            cudaStreamIsCapturing(S, Status))
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

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

HEDDLE_SAME(cuGraphCreate, (cudaGraph_t * Graph, unsigned Flags),
            cudaGraphCreate(Graph, Flags))
HEDDLE_SAME(cuGraphDestroy, (cudaGraph_t Graph), cudaGraphDestroy(Graph))
HEDDLE_SAME(cuGraphAddEmptyNode,
            (cudaGraphNode_t * Node, cudaGraph_t Graph,
             const cudaGraphNode_t *Dependencies, size_t Count),
            cudaGraphAddEmptyNode(Node, Graph, Dependencies, Count))
HEDDLE_SAME(cuGraphAddHostNode,
            (cudaGraphNode_t * Node, cudaGraph_t Graph,
             const cudaGraphNode_t *Dependencies, size_t Count,
             const cudaHostNodeParams *P),
            cudaGraphAddHostNode(Node, Graph, Dependencies, Count, P))
HEDDLE_SAME(cuGraphGetNodes,
            (cudaGraph_t Graph, cudaGraphNode_t *Nodes, size_t *Count),
            cudaGraphGetNodes(Graph, Nodes, Count))
HEDDLE_SAME(cuGraphGetRootNodes,
            (cudaGraph_t Graph, cudaGraphNode_t *Nodes, size_t *Count),
            cudaGraphGetRootNodes(Graph, Nodes, Count))
HEDDLE_SAME(cuGraphNodeGetType, (cudaGraphNode_t Node, cudaGraphNodeType *Type),
            cudaGraphNodeGetType(Node, Type))
HEDDLE_SAME(cuGraphDestroyNode, (cudaGraphNode_t Node),
            cudaGraphDestroyNode(Node))
HEDDLE_SAME(cuGraphInstantiateWithFlags,
            (cudaGraphExec_t * Exec, cudaGraph_t Graph,
             unsigned long long Flags),
            cudaGraphInstantiate(Exec, Graph, Flags))
HEDDLE_SAME(cuGraphLaunch, (cudaGraphExec_t Exec, cudaStream_t Stream),
            cudaGraphLaunch(Exec, Stream))
HEDDLE_SAME(cuGraphUpload, (cudaGraphExec_t Exec, cudaStream_t Stream),
            cudaGraphUpload(Exec, Stream))
HEDDLE_SAME(cuGraphExecDestroy, (cudaGraphExec_t Exec),
            cudaGraphExecDestroy(Exec))

namespace {

/// CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelNodeParams {
  CUfunction Function;
  dim3 Grid, Block;
  unsigned Shared;
  void **Arguments, **Extra;
  CUfunction Kernel; ///< If there is no Function.
  CUcontext Context;
};

/// CUDA_MEMSET_NODE_PARAMS.
struct MemsetNodeParams {
  CUdeviceptr Destination;
  size_t Pitch;
  unsigned Value, ElementBytes;
  size_t Width, Height;
};

} // namespace

extern "C" CUresult cuGraphAddKernelNode_v2(cudaGraphNode_t *Node,
                                            cudaGraph_t Graph,
                                            const cudaGraphNode_t *Dependencies,
                                            size_t Count,
                                            const KernelNodeParams *P) {
  return inContext([=] {
    if (!P)
      return cudaErrorInvalidValue;
    cudaKernelNodeParams Same = {P->Function ? P->Function : P->Kernel,
                                 P->Grid,
                                 P->Block,
                                 P->Shared,
                                 P->Arguments,
                                 P->Extra};
    return cudaGraphAddKernelNode(Node, Graph, Dependencies, Count, &Same);
  });
}

extern "C" CUresult cuGraphAddMemsetNode(cudaGraphNode_t *Node,
                                         cudaGraph_t Graph,
                                         const cudaGraphNode_t *Dependencies,
                                         size_t Count,
                                         const MemsetNodeParams *P, CUcontext) {
  return inContext([=] {
    if (!P)
      return cudaErrorInvalidValue;
    cudaMemsetParams Same = {pointerOf(P->Destination), P->Pitch, P->Value,
                             P->ElementBytes,           P->Width, P->Height};
    return cudaGraphAddMemsetNode(Node, Graph, Dependencies, Count, &Same);
  });
}

HEDDLE_PER_THREAD(cuStreamSynchronize, _ptsz)
HEDDLE_PER_THREAD(cuStreamQuery, _ptsz)
HEDDLE_PER_THREAD(cuStreamWaitEvent, _ptsz)
HEDDLE_PER_THREAD(cuStreamAddCallback, _ptsz)
HEDDLE_PER_THREAD(cuStreamGetFlags, _ptsz)
HEDDLE_PER_THREAD(cuStreamGetPriority, _ptsz)
HEDDLE_PER_THREAD(cuStreamGetId, _ptsz)
HEDDLE_PER_THREAD(cuStreamBeginCapture_v2, _ptsz)
HEDDLE_PER_THREAD(cuStreamEndCapture, _ptsz)
HEDDLE_PER_THREAD(cuStreamIsCapturing, _ptsz)
HEDDLE_PER_THREAD(cuEventRecord, _ptsz)
HEDDLE_PER_THREAD(cuEventRecordWithFlags, _ptsz)
HEDDLE_PER_THREAD(cuGraphLaunch, _ptsz)
HEDDLE_PER_THREAD(cuGraphUpload, _ptsz)
