//===- DriverGraphs.cpp - Graphs of the driver API --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime's, with parameters of nodes as the driver API has them.
//
//===----------------------------------------------------------------------===//

#include "Driver/DriverCopy.h"
#include "Driver/DriverMemoryOps.h"
#include "PerThread.h"
#include "Runtime/RuntimeGraphs.h"

#include <cstring>

using namespace heddle;
using namespace heddle::cuda;

using Node = cudaGraphNode_t;
using Graph = cudaGraph_t;
using GraphExec = cudaGraphExec_t;

//===----------------------------------------------------------------------===//
// What is the same in both
//===----------------------------------------------------------------------===//

HEDDLE_SAME(cuGraphCreate, (Graph * G, unsigned Flags),
            cudaGraphCreate(G, Flags))
HEDDLE_SAME(cuGraphDestroy, (Graph G), cudaGraphDestroy(G))
HEDDLE_SAME(cuGraphClone, (Graph * Clone, Graph G), cudaGraphClone(Clone, G))
HEDDLE_SAME(cuGraphDebugDotPrint, (Graph G, const char *Path, unsigned Flags),
            cudaGraphDebugDotPrint(G, Path, Flags))

HEDDLE_SAME(cuGraphAddEmptyNode,
            (Node * N, Graph G, const Node *Dependencies, size_t Count),
            cudaGraphAddEmptyNode(N, G, Dependencies, Count))
HEDDLE_SAME(cuGraphAddHostNode,
            (Node * N, Graph G, const Node *Dependencies, size_t Count,
             const cudaHostNodeParams *P),
            cudaGraphAddHostNode(N, G, Dependencies, Count, P))
HEDDLE_SAME(cuGraphAddChildGraphNode,
            (Node * N, Graph G, const Node *Dependencies, size_t Count,
             Graph Child),
            cudaGraphAddChildGraphNode(N, G, Dependencies, Count, Child))
HEDDLE_SAME(cuGraphAddEventRecordNode,
            (Node * N, Graph G, const Node *Dependencies, size_t Count,
             cudaEvent_t Event),
            cudaGraphAddEventRecordNode(N, G, Dependencies, Count, Event))
HEDDLE_SAME(cuGraphAddEventWaitNode,
            (Node * N, Graph G, const Node *Dependencies, size_t Count,
             cudaEvent_t Event),
            cudaGraphAddEventWaitNode(N, G, Dependencies, Count, Event))
HEDDLE_SAME(cuGraphDestroyNode, (Node N), cudaGraphDestroyNode(N))
HEDDLE_SAME(cuGraphNodeGetType, (Node N, cudaGraphNodeType *Type),
            cudaGraphNodeGetType(N, Type))
HEDDLE_SAME(cuGraphGetId, (Graph G, unsigned *Id), cudaGraphGetId(G, Id))
HEDDLE_SAME(cuGraphExecGetId, (GraphExec E, unsigned *Id),
            cudaGraphExecGetId(E, Id))
HEDDLE_SAME(cuGraphNodeGetContainingGraph, (Node N, Graph *G),
            cudaGraphNodeGetContainingGraph(N, G))
HEDDLE_SAME(cuGraphNodeGetLocalId, (Node N, unsigned *Id),
            cudaGraphNodeGetLocalId(N, Id))
HEDDLE_SAME(cuGraphNodeGetToolsId, (Node N, unsigned long long *Id),
            cudaGraphNodeGetToolsId(N, Id))
HEDDLE_SAME(cuGraphNodeFindInClone, (Node * N, Node Original, Graph Clone),
            cudaGraphNodeFindInClone(N, Original, Clone))
HEDDLE_SAME(cuGraphNodeSetEnabled, (GraphExec E, Node N, unsigned Enabled),
            cudaGraphNodeSetEnabled(E, N, Enabled))
HEDDLE_SAME(cuGraphNodeGetEnabled, (GraphExec E, Node N, unsigned *Enabled),
            cudaGraphNodeGetEnabled(E, N, Enabled))

HEDDLE_SAME(cuGraphGetNodes, (Graph G, Node *Nodes, size_t *Count),
            cudaGraphGetNodes(G, Nodes, Count))
HEDDLE_SAME(cuGraphGetRootNodes, (Graph G, Node *Nodes, size_t *Count),
            cudaGraphGetRootNodes(G, Nodes, Count))
HEDDLE_SAME(cuGraphGetEdges_v2,
            (Graph G, Node *From, Node *To, cudaGraphEdgeData *Data,
             size_t *Count),
            cudaGraphGetEdges(G, From, To, Data, Count))
HEDDLE_SAME(cuGraphGetEdges, (Graph G, Node *From, Node *To, size_t *Count),
            cudaGraphGetEdges(G, From, To, nullptr, Count))
HEDDLE_SAME(cuGraphNodeGetDependencies_v2,
            (Node N, Node *Nodes, cudaGraphEdgeData *Data, size_t *Count),
            cudaGraphNodeGetDependencies(N, Nodes, Data, Count))
HEDDLE_SAME(cuGraphNodeGetDependencies, (Node N, Node *Nodes, size_t *Count),
            cudaGraphNodeGetDependencies(N, Nodes, nullptr, Count))
HEDDLE_SAME(cuGraphNodeGetDependentNodes_v2,
            (Node N, Node *Nodes, cudaGraphEdgeData *Data, size_t *Count),
            cudaGraphNodeGetDependentNodes(N, Nodes, Data, Count))
HEDDLE_SAME(cuGraphNodeGetDependentNodes, (Node N, Node *Nodes, size_t *Count),
            cudaGraphNodeGetDependentNodes(N, Nodes, nullptr, Count))
HEDDLE_SAME(cuGraphAddDependencies_v2,
            (Graph G, const Node *From, const Node *To,
             const cudaGraphEdgeData *Data, size_t Count),
            cudaGraphAddDependencies(G, From, To, Data, Count))
HEDDLE_SAME(cuGraphAddDependencies,
            (Graph G, const Node *From, const Node *To, size_t Count),
            cudaGraphAddDependencies(G, From, To, nullptr, Count))
HEDDLE_SAME(cuGraphRemoveDependencies_v2,
            (Graph G, const Node *From, const Node *To,
             const cudaGraphEdgeData *Data, size_t Count),
            cudaGraphRemoveDependencies(G, From, To, Data, Count))
HEDDLE_SAME(cuGraphRemoveDependencies,
            (Graph G, const Node *From, const Node *To, size_t Count),
            cudaGraphRemoveDependencies(G, From, To, nullptr, Count))

HEDDLE_SAME(cuGraphHostNodeGetParams, (Node N, cudaHostNodeParams *P),
            cudaGraphHostNodeGetParams(N, P))
HEDDLE_SAME(cuGraphHostNodeSetParams, (Node N, const cudaHostNodeParams *P),
            cudaGraphHostNodeSetParams(N, P))
HEDDLE_SAME(cuGraphExecHostNodeSetParams,
            (GraphExec E, Node N, const cudaHostNodeParams *P),
            cudaGraphExecHostNodeSetParams(E, N, P))
HEDDLE_SAME(cuGraphEventRecordNodeGetEvent, (Node N, cudaEvent_t *Event),
            cudaGraphEventRecordNodeGetEvent(N, Event))
HEDDLE_SAME(cuGraphEventRecordNodeSetEvent, (Node N, cudaEvent_t Event),
            cudaGraphEventRecordNodeSetEvent(N, Event))
HEDDLE_SAME(cuGraphExecEventRecordNodeSetEvent,
            (GraphExec E, Node N, cudaEvent_t Event),
            cudaGraphExecEventRecordNodeSetEvent(E, N, Event))
HEDDLE_SAME(cuGraphEventWaitNodeGetEvent, (Node N, cudaEvent_t *Event),
            cudaGraphEventWaitNodeGetEvent(N, Event))
HEDDLE_SAME(cuGraphEventWaitNodeSetEvent, (Node N, cudaEvent_t Event),
            cudaGraphEventWaitNodeSetEvent(N, Event))
HEDDLE_SAME(cuGraphExecEventWaitNodeSetEvent,
            (GraphExec E, Node N, cudaEvent_t Event),
            cudaGraphExecEventWaitNodeSetEvent(E, N, Event))
HEDDLE_SAME(cuGraphChildGraphNodeGetGraph, (Node N, Graph *G),
            cudaGraphChildGraphNodeGetGraph(N, G))

HEDDLE_SAME(cuGraphExecChildGraphNodeSetParams, (GraphExec E, Node N, Graph G),
            cudaGraphExecChildGraphNodeSetParams(E, N, G))
HEDDLE_SAME(cuGraphConditionalHandleCreate,
            (cudaGraphConditionalHandle * Handle, Graph G, CUcontext,
             unsigned Default, unsigned Flags),
            cudaGraphConditionalHandleCreate(Handle, G, Default, Flags))
HEDDLE_SAME(cuGraphKernelNodeGetAttribute,
            (Node N, cudaLaunchAttributeID Id, void *Value),
            cudaGraphKernelNodeGetAttribute(N, Id, Value))
HEDDLE_SAME(cuGraphKernelNodeSetAttribute,
            (Node N, cudaLaunchAttributeID Id, const void *Value),
            cudaGraphKernelNodeSetAttribute(N, Id, Value))
HEDDLE_SAME(cuGraphKernelNodeCopyAttributes, (Node To, Node From),
            cudaGraphKernelNodeCopyAttributes(To, From))

HEDDLE_SAME(cuUserObjectCreate,
            (UserObjectHandle * *Handle, void *Object, cudaHostFn_t Destroy,
             unsigned Count, unsigned Flags),
            cudaUserObjectCreate(Handle, Object, Destroy, Count, Flags))
HEDDLE_SAME(cuUserObjectRetain, (UserObjectHandle * Handle, unsigned Count),
            cudaUserObjectRetain(Handle, Count))
HEDDLE_SAME(cuUserObjectRelease, (UserObjectHandle * Handle, unsigned Count),
            cudaUserObjectRelease(Handle, Count))
HEDDLE_SAME(cuGraphRetainUserObject,
            (Graph G, UserObjectHandle *Handle, unsigned Count, unsigned Flags),
            cudaGraphRetainUserObject(G, Handle, Count, Flags))
HEDDLE_SAME(cuGraphReleaseUserObject,
            (Graph G, UserObjectHandle *Handle, unsigned Count),
            cudaGraphReleaseUserObject(G, Handle, Count))

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

HEDDLE_SAME(cuGraphInstantiateWithFlags,
            (GraphExec * E, Graph G, unsigned long long Flags),
            cudaGraphInstantiate(E, G, Flags))
HEDDLE_SAME(cuGraphInstantiateWithParams,
            (GraphExec * E, Graph G, cudaGraphInstantiateParams *P),
            cudaGraphInstantiateWithParams(E, G, P))
HEDDLE_SAME(cuGraphExecGetFlags, (GraphExec E, unsigned long long *Flags),
            cudaGraphExecGetFlags(E, Flags))
HEDDLE_SAME(cuGraphLaunch, (GraphExec E, cudaStream_t Stream),
            cudaGraphLaunch(E, Stream))
HEDDLE_SAME(cuGraphUpload, (GraphExec E, cudaStream_t Stream),
            cudaGraphUpload(E, Stream))
HEDDLE_SAME(cuGraphExecDestroy, (GraphExec E), cudaGraphExecDestroy(E))
HEDDLE_SAME(cuGraphExecUpdate_v2,
            (GraphExec E, Graph G, cudaGraphExecUpdateResultInfo *Result),
            cudaGraphExecUpdate(E, G, Result))

extern "C" CUresult cuGraphExecUpdate(GraphExec E, Graph G, Node *ErrorNode,
                                      int *Result) {
  return inContext([=] {
    if (!Result)
      return cudaErrorInvalidValue;
    cudaGraphExecUpdateResultInfo Info = {};
    CUresult Code = cudaGraphExecUpdate(E, G, &Info);
    *Result = Info.result;
    if (ErrorNode)
      *ErrorNode = Info.errorNode;
    return Code;
  });
}

/// As it was up to version 11: what goes wrong is told as a text too.
extern "C" CUresult cuGraphInstantiate_v2(GraphExec *E, Graph G,
                                          Node *ErrorNode, char *Log,
                                          size_t LogBytes) {
  return inContext([=] {
    CUresult Code = cudaGraphInstantiate(E, G, 0);
    if (ErrorNode)
      *ErrorNode = nullptr;
    if (Log && LogBytes)
      *Log = 0;
    return Code;
  });
}

extern "C" CUresult cuGraphInstantiate(GraphExec *E, Graph G, Node *ErrorNode,
                                       char *Log, size_t LogBytes) {
  return cuGraphInstantiate_v2(E, G, ErrorNode, Log, LogBytes);
}

//===----------------------------------------------------------------------===//
// Kernels
//===----------------------------------------------------------------------===//

namespace {

/// CUDA_KERNEL_NODE_PARAMS_v1.
struct KernelNodeParams {
  CUfunction Function;
  dim3 Grid, Block;
  unsigned Shared;
  void **Arguments, **Extra;
};
static_assert(sizeof(KernelNodeParams) == sizeof(cudaKernelNodeParams));

/// CUDA_KERNEL_NODE_PARAMS_v2.
struct KernelNodeParams2 : KernelNodeParams {
  CUfunction Kernel; ///< If there is no Function.
  CUcontext Context;
};
static_assert(sizeof(KernelNodeParams2) == 72);

} // namespace

static cudaKernelNodeParams asRuntime(const KernelNodeParams &P) {
  return {P.Function, P.Grid, P.Block, P.Shared, P.Arguments, P.Extra};
}

static cudaKernelNodeParams asRuntime(const KernelNodeParams2 &P) {
  cudaKernelNodeParams Same = asRuntime(static_cast<KernelNodeParams>(P));
  if (!P.Function)
    Same.func = P.Kernel;
  return Same;
}

template <typename Params>
static CUresult addKernelNode(Node *N, Graph G, const Node *Dependencies,
                              size_t Count, const Params *P) {
  return inContext([=] {
    if (!P)
      return cudaErrorInvalidValue;
    cudaKernelNodeParams Same = asRuntime(*P);
    return cudaGraphAddKernelNode(N, G, Dependencies, Count, &Same);
  });
}

template <typename Params>
static CUresult setKernelNode(Node N, const Params *P) {
  return inContext([=] {
    if (!P)
      return cudaErrorInvalidValue;
    cudaKernelNodeParams Same = asRuntime(*P);
    return cudaGraphKernelNodeSetParams(N, &Same);
  });
}

template <typename Params>
static CUresult setKernelNode(GraphExec E, Node N, const Params *P) {
  return inContext([=] {
    if (!P)
      return cudaErrorInvalidValue;
    cudaKernelNodeParams Same = asRuntime(*P);
    return cudaGraphExecKernelNodeSetParams(E, N, &Same);
  });
}

static CUresult getKernelNode(Node N, KernelNodeParams *P) {
  return inContext([=] {
    cudaKernelNodeParams Same;
    if (!P)
      return cudaErrorInvalidValue;
    if (CUresult Code = cudaGraphKernelNodeGetParams(N, &Same);
        Code != cudaSuccess)
      return Code;
    // The runtime API names it by the host's address, if that was given.
    *P = {Process::get().Images.kernel(Same.func),
          Same.gridDim,
          Same.blockDim,
          Same.sharedMemBytes,
          Same.kernelParams,
          Same.extra};
    return cudaSuccess;
  });
}

extern "C" {

CUresult cuGraphAddKernelNode(Node *N, Graph G, const Node *Dependencies,
                              size_t Count, const KernelNodeParams *P) {
  return addKernelNode(N, G, Dependencies, Count, P);
}
CUresult cuGraphAddKernelNode_v2(Node *N, Graph G, const Node *Dependencies,
                                 size_t Count, const KernelNodeParams2 *P) {
  return addKernelNode(N, G, Dependencies, Count, P);
}
CUresult cuGraphKernelNodeSetParams(Node N, const KernelNodeParams *P) {
  return setKernelNode(N, P);
}
CUresult cuGraphKernelNodeSetParams_v2(Node N, const KernelNodeParams2 *P) {
  return setKernelNode(N, P);
}
CUresult cuGraphExecKernelNodeSetParams(GraphExec E, Node N,
                                        const KernelNodeParams *P) {
  return setKernelNode(E, N, P);
}
CUresult cuGraphExecKernelNodeSetParams_v2(GraphExec E, Node N,
                                           const KernelNodeParams2 *P) {
  return setKernelNode(E, N, P);
}
CUresult cuGraphKernelNodeGetParams(Node N, KernelNodeParams *P) {
  return getKernelNode(N, P);
}
CUresult cuGraphKernelNodeGetParams_v2(Node N, KernelNodeParams2 *P) {
  CUresult Code = getKernelNode(N, P);
  if (Code == cudaSuccess) {
    P->Kernel = nullptr;
    P->Context = nullptr;
  }
  return Code;
}

} // extern "C"

//===----------------------------------------------------------------------===//
// Copies and fills
//===----------------------------------------------------------------------===//

/// A side of a copy; an array counts in texels, of which Unit bytes are one.
static CUresult sideOf(const Memcpy3D::Side &S, const Memcpy3D &M, size_t Unit,
                       cudaArray_t &InArray, cudaPitchedPtr &Pitched,
                       cudaPos &At) {
  At = {S.XBytes, S.Y, S.Z};
  if (S.Type == Array) {
    InArray = S.Array;
    if (S.XBytes % Unit)
      return cudaErrorInvalidValue;
    At.x /= Unit;
    return cudaSuccess;
  }
  if (S.Type != Host && S.Type != Device && S.Type != Unified)
    return cudaErrorInvalidValue;
  const void *Base = S.Type == Host ? S.Host : pointerOf(S.Device);
  Pitched = {const_cast<void *>(Base), S.Pitch ? S.Pitch : M.WidthBytes,
             M.WidthBytes, S.Height ? S.Height : M.Height};
  return cudaSuccess;
}

static CUresult asRuntime(const Memcpy3D *M, cudaMemcpy3DParms &P) {
  if (!M)
    return cudaErrorInvalidValue;
  size_t Unit = 1;
  for (const Memcpy3D::Side *S : {&M->Source, &M->Destination})
    if (S->Type == Array) {
      if (!Process::get().Arrays.contains(S->Array))
        return cudaErrorInvalidResourceHandle;
      Unit = S->Array->texelBytes();
    }
  if (M->WidthBytes % Unit)
    return cudaErrorInvalidValue;
  P = {};
  P.extent = {M->WidthBytes / Unit, M->Height, M->Depth};
  P.kind = kindOf(*M);
  if (CUresult Code =
          sideOf(M->Source, *M, Unit, P.srcArray, P.srcPtr, P.srcPos);
      Code != cudaSuccess)
    return Code;
  return sideOf(M->Destination, *M, Unit, P.dstArray, P.dstPtr, P.dstPos);
}

/// The other way round. Where the kind of a copy does not say what a side is,
/// its address does.
static Memcpy3D::Side asDriver(cudaArray_t InArray, const cudaPitchedPtr &P,
                               const cudaPos &At, size_t Unit,
                               MemoryType Type) {
  Memcpy3D::Side S = {};
  S.Y = At.y;
  S.Z = At.z;
  S.Type = InArray ? Array : Type;
  S.Array = InArray;
  S.XBytes = InArray ? At.x * Unit : At.x;
  if (InArray)
    return S;
  if (Type == Host)
    S.Host = P.ptr;
  else
    S.Device = addressOf(P.ptr);
  S.Pitch = P.pitch;
  S.Height = P.ysize;
  return S;
}

static Memcpy3D asDriver(const cudaMemcpy3DParms &P) {
  cudaArray_t InArray = P.srcArray ? P.srcArray : P.dstArray;
  size_t Unit = InArray ? InArray->texelBytes() : 1;
  auto TypeOf = [&](cudaMemcpyKind IfOne, cudaMemcpyKind IfOther) {
    return P.kind == cudaMemcpyDefault            ? Unified
           : P.kind == IfOne || P.kind == IfOther ? Host
                                                  : Device;
  };
  return {asDriver(P.srcArray, P.srcPtr, P.srcPos, Unit,
                   TypeOf(cudaMemcpyHostToHost, cudaMemcpyHostToDevice)),
          asDriver(P.dstArray, P.dstPtr, P.dstPos, Unit,
                   TypeOf(cudaMemcpyHostToHost, cudaMemcpyDeviceToHost)),
          P.extent.width * Unit, P.extent.height, P.extent.depth};
}

namespace {

/// CUDA_MEMSET_NODE_PARAMS.
struct MemsetNodeParams {
  CUdeviceptr Destination;
  size_t Pitch;
  unsigned Value, ElementBytes;
  size_t Width, Height;
};

} // namespace

static cudaMemsetParams asRuntime(const MemsetNodeParams &P) {
  return {pointerOf(P.Destination), P.Pitch, P.Value,
          P.ElementBytes,           P.Width, P.Height};
}

extern "C" {

CUresult cuGraphAddMemcpyNode(Node *N, Graph G, const Node *Dependencies,
                              size_t Count, const Memcpy3D *M, CUcontext) {
  return inContext([=] {
    cudaMemcpy3DParms P;
    CUresult Code = asRuntime(M, P);
    return Code == cudaSuccess
               ? cudaGraphAddMemcpyNode(N, G, Dependencies, Count, &P)
               : Code;
  });
}

CUresult cuGraphMemcpyNodeGetParams(Node N, Memcpy3D *M) {
  return inContext([=] {
    cudaMemcpy3DParms P;
    if (!M)
      return cudaErrorInvalidValue;
    CUresult Code = cudaGraphMemcpyNodeGetParams(N, &P);
    if (Code == cudaSuccess)
      *M = asDriver(P);
    return Code;
  });
}

CUresult cuGraphMemcpyNodeSetParams(Node N, const Memcpy3D *M) {
  return inContext([=] {
    cudaMemcpy3DParms P;
    CUresult Code = asRuntime(M, P);
    return Code == cudaSuccess ? cudaGraphMemcpyNodeSetParams(N, &P) : Code;
  });
}

CUresult cuGraphExecMemcpyNodeSetParams(GraphExec E, Node N, const Memcpy3D *M,
                                        CUcontext) {
  return inContext([=] {
    cudaMemcpy3DParms P;
    CUresult Code = asRuntime(M, P);
    return Code == cudaSuccess ? cudaGraphExecMemcpyNodeSetParams(E, N, &P)
                               : Code;
  });
}

CUresult cuGraphAddMemsetNode(Node *N, Graph G, const Node *Dependencies,
                              size_t Count, const MemsetNodeParams *P,
                              CUcontext) {
  return inContext([=] {
    if (!P)
      return cudaErrorInvalidValue;
    cudaMemsetParams Same = asRuntime(*P);
    return cudaGraphAddMemsetNode(N, G, Dependencies, Count, &Same);
  });
}

CUresult cuGraphMemsetNodeGetParams(Node N, MemsetNodeParams *P) {
  return inContext([=] {
    cudaMemsetParams Same;
    if (!P)
      return cudaErrorInvalidValue;
    CUresult Code = cudaGraphMemsetNodeGetParams(N, &Same);
    if (Code == cudaSuccess)
      *P = {addressOf(Same.dst), Same.pitch, Same.value,
            Same.elementSize,    Same.width, Same.height};
    return Code;
  });
}

CUresult cuGraphMemsetNodeSetParams(Node N, const MemsetNodeParams *P) {
  return inContext([=] {
    if (!P)
      return cudaErrorInvalidValue;
    cudaMemsetParams Same = asRuntime(*P);
    return cudaGraphMemsetNodeSetParams(N, &Same);
  });
}

CUresult cuGraphExecMemsetNodeSetParams(GraphExec E, Node N,
                                        const MemsetNodeParams *P, CUcontext) {
  return inContext([=] {
    if (!P)
      return cudaErrorInvalidValue;
    cudaMemsetParams Same = asRuntime(*P);
    return cudaGraphExecMemsetNodeSetParams(E, N, &Same);
  });
}

} // extern "C"

//===----------------------------------------------------------------------===//
// Memory, and nodes of any kind
//===----------------------------------------------------------------------===//

namespace {

/// CUgraphNodeParams. Kinds that are not listed have the runtime's parameters.
struct GraphNodeParams {
  cudaGraphNodeType Kind;
  int Reserved[3];
  union {
    KernelNodeParams2 Kernel;
    struct {
      int Flags, Reserved;
      CUcontext Context;
      Memcpy3D Copy;
    } Memcpy;
    MemoryOpNodeParams MemoryOps;
    long long Words[30];
  };
};
static_assert(sizeof(GraphNodeParams) == sizeof(cudaGraphNodeParams));

} // namespace

static CUresult asRuntime(const GraphNodeParams *P, cudaGraphNodeParams &Same) {
  if (!P)
    return cudaErrorInvalidValue;
  std::memcpy(&Same, P, sizeof(Same));
  if (P->Kind == cudaGraphNodeTypeKernel)
    Same.kernel = asRuntime(P->Kernel);
  return P->Kind == cudaGraphNodeTypeMemcpy
             ? asRuntime(&P->Memcpy.Copy, Same.memcpy.copyParams)
             : cudaSuccess;
}

extern "C" {

CUresult cuGraphAddNode_v2(Node *N, Graph G, const Node *Dependencies,
                           const cudaGraphEdgeData *Data, size_t Count,
                           GraphNodeParams *P) {
  if (P && P->Kind == cudaGraphNodeTypeBatchMemOp)
    return cuGraphAddBatchMemOpNode(N, G, Dependencies, Count, &P->MemoryOps);
  return inContext([=] {
    cudaGraphNodeParams Same;
    if (CUresult Code = asRuntime(P, Same); Code != cudaSuccess)
      return Code;
    CUresult Code = cudaGraphAddNode(N, G, Dependencies, Data, Count, &Same);
    // Which say where the memory is, and which graphs are the bodies.
    if (P->Kind == cudaGraphNodeTypeMemAlloc ||
        P->Kind == cudaGraphNodeTypeConditional)
      std::memcpy(P, &Same, sizeof(Same));
    return Code;
  });
}
CUresult cuGraphAddNode(Node *N, Graph G, const Node *Dependencies,
                        size_t Count, GraphNodeParams *P) {
  return cuGraphAddNode_v2(N, G, Dependencies, nullptr, Count, P);
}
CUresult cuGraphNodeSetParams(Node N, const GraphNodeParams *P) {
  if (P && P->Kind == cudaGraphNodeTypeBatchMemOp)
    return cuGraphBatchMemOpNodeSetParams(N, &P->MemoryOps);
  return inContext([=] {
    cudaGraphNodeParams Same;
    CUresult Code = asRuntime(P, Same);
    return Code == cudaSuccess ? cudaGraphNodeSetParams(N, &Same) : Code;
  });
}
CUresult cuGraphExecNodeSetParams(GraphExec E, Node N,
                                  const GraphNodeParams *P) {
  if (P && P->Kind == cudaGraphNodeTypeBatchMemOp)
    return cuGraphExecBatchMemOpNodeSetParams(E, N, &P->MemoryOps);
  return inContext([=] {
    cudaGraphNodeParams Same;
    CUresult Code = asRuntime(P, Same);
    return Code == cudaSuccess ? cudaGraphExecNodeSetParams(E, N, &Same) : Code;
  });
}

CUresult cuGraphNodeGetParams(Node N, GraphNodeParams *P) {
  cudaGraphNodeType Kind;
  if (!P)
    return cudaErrorInvalidValue;
  if (CUresult Code = cuGraphNodeGetType(N, &Kind); Code != cudaSuccess)
    return Code;
  std::memset(P, 0, sizeof(*P));
  P->Kind = Kind;
  switch (Kind) {
  case cudaGraphNodeTypeKernel:
    return cuGraphKernelNodeGetParams_v2(N, &P->Kernel);
  case cudaGraphNodeTypeMemcpy:
    return cuGraphMemcpyNodeGetParams(N, &P->Memcpy.Copy);
  case cudaGraphNodeTypeBatchMemOp:
    return cuGraphBatchMemOpNodeGetParams(N, &P->MemoryOps);
  default:
    return inContext([=] {
      return cudaGraphNodeGetParams(N,
                                    reinterpret_cast<cudaGraphNodeParams *>(P));
    });
  }
}

CUresult cuGraphMemFreeNodeGetParams(Node N, CUdeviceptr *Address) {
  return inContext([=] {
    void *Pointer = nullptr;
    if (!Address)
      return cudaErrorInvalidValue;
    CUresult Code = cudaGraphMemFreeNodeGetParams(N, &Pointer);
    *Address = addressOf(Pointer);
    return Code;
  });
}

} // extern "C"

HEDDLE_SAME(cuGraphAddMemAllocNode,
            (Node * N, Graph G, const Node *Dependencies, size_t Count,
             cudaMemAllocNodeParams *P),
            cudaGraphAddMemAllocNode(N, G, Dependencies, Count, P))
HEDDLE_SAME(cuGraphAddMemFreeNode,
            (Node * N, Graph G, const Node *Dependencies, size_t Count,
             CUdeviceptr Address),
            cudaGraphAddMemFreeNode(N, G, Dependencies, Count,
                                    pointerOf(Address)))
HEDDLE_SAME(cuGraphMemAllocNodeGetParams, (Node N, cudaMemAllocNodeParams *P),
            cudaGraphMemAllocNodeGetParams(N, P))

HEDDLE_PER_THREAD(cuGraphInstantiateWithParams, _ptsz)
HEDDLE_PER_THREAD(cuGraphLaunch, _ptsz)
HEDDLE_PER_THREAD(cuGraphUpload, _ptsz)
