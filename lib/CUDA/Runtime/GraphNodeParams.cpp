//===- GraphNodeParams.cpp - Nodes of graphs of any kind --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Calls that say by their parameters what kind of node they mean, and copies
// to and from variables: each is one of the calls for a kind.
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include "Runtime/Copy.h"
#include "Runtime/RuntimeGraphs.h"

using namespace heddle;
using namespace heddle::cuda;

extern "C" {

cudaError_t cudaGetSymbolAddress(void **, const void *);
cudaError_t cudaGetSymbolSize(size_t *, const void *);

//===----------------------------------------------------------------------===//
// New parameters
//===----------------------------------------------------------------------===//

/// Kinds that are not listed have no parameters to set.
cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t Node,
                                   cudaGraphNodeParams *P) {
  if (!P)
    return finish(cudaErrorInvalidValue);
  switch (P->type) {
  case cudaGraphNodeTypeKernel:
    return cudaGraphKernelNodeSetParams(Node, &P->kernel);
  case cudaGraphNodeTypeMemcpy:
    return cudaGraphMemcpyNodeSetParams(Node, &P->memcpy.copyParams);
  case cudaGraphNodeTypeMemset:
    return cudaGraphMemsetNodeSetParams(Node, &P->memset);
  case cudaGraphNodeTypeHost:
    return cudaGraphHostNodeSetParams(Node, &P->host);
  case cudaGraphNodeTypeWaitEvent:
    return cudaGraphEventWaitNodeSetEvent(Node, P->event.event);
  case cudaGraphNodeTypeEventRecord:
    return cudaGraphEventRecordNodeSetEvent(Node, P->event.event);
  default:
    return finish(cudaErrorNotSupported);
  }
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t Exec,
                                       cudaGraphNode_t Node,
                                       cudaGraphNodeParams *P) {
  if (!P)
    return finish(cudaErrorInvalidValue);
  switch (P->type) {
  case cudaGraphNodeTypeKernel:
    return cudaGraphExecKernelNodeSetParams(Exec, Node, &P->kernel);
  case cudaGraphNodeTypeMemcpy:
    return cudaGraphExecMemcpyNodeSetParams(Exec, Node, &P->memcpy.copyParams);
  case cudaGraphNodeTypeMemset:
    return cudaGraphExecMemsetNodeSetParams(Exec, Node, &P->memset);
  case cudaGraphNodeTypeHost:
    return cudaGraphExecHostNodeSetParams(Exec, Node, &P->host);
  case cudaGraphNodeTypeGraph:
    return cudaGraphExecChildGraphNodeSetParams(Exec, Node, P->graph.graph);
  case cudaGraphNodeTypeWaitEvent:
    return cudaGraphExecEventWaitNodeSetEvent(Exec, Node, P->event.event);
  case cudaGraphNodeTypeEventRecord:
    return cudaGraphExecEventRecordNodeSetEvent(Exec, Node, P->event.event);
  default:
    return finish(cudaErrorNotSupported);
  }
}

//===----------------------------------------------------------------------===//
// Copies to and from variables
//===----------------------------------------------------------------------===//

/// The place of Size bytes of a variable.
static cudaError_t placeIn(const void *Symbol, size_t Offset, size_t Size,
                           void *&Place) {
  size_t Whole = 0;
  cudaError_t Code = cudaGetSymbolAddress(&Place, Symbol);
  if (Code == cudaSuccess)
    Code = cudaGetSymbolSize(&Whole, Symbol);
  if (Code == cudaSuccess && (Offset > Whole || Size > Whole - Offset))
    Code = finish(cudaErrorInvalidValue);
  Place = static_cast<char *>(Place) + Offset;
  return Code;
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t *, cudaGraph_t,
                                     const cudaGraphNode_t *, size_t, void *,
                                     const void *, size_t, cudaMemcpyKind);
cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t, void *,
                                           const void *, size_t,
                                           cudaMemcpyKind);
cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t, cudaGraphNode_t,
                                               void *, const void *, size_t,
                                               cudaMemcpyKind);

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *Node,
                                           cudaGraph_t Graph,
                                           const cudaGraphNode_t *Dependencies,
                                           size_t Count, const void *Symbol,
                                           const void *From, size_t Size,
                                           size_t Offset, cudaMemcpyKind Kind) {
  void *To = nullptr;
  cudaError_t Code = placeIn(Symbol, Offset, Size, To);
  return Code == cudaSuccess
             ? cudaGraphAddMemcpyNode1D(Node, Graph, Dependencies, Count, To,
                                        From, Size, Kind)
             : Code;
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(
    cudaGraphNode_t *Node, cudaGraph_t Graph,
    const cudaGraphNode_t *Dependencies, size_t Count, void *To,
    const void *Symbol, size_t Size, size_t Offset, cudaMemcpyKind Kind) {
  void *From = nullptr;
  cudaError_t Code = placeIn(Symbol, Offset, Size, From);
  return Code == cudaSuccess
             ? cudaGraphAddMemcpyNode1D(Node, Graph, Dependencies, Count, To,
                                        From, Size, Kind)
             : Code;
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t Node,
                                                 const void *Symbol,
                                                 const void *From, size_t Size,
                                                 size_t Offset,
                                                 cudaMemcpyKind Kind) {
  void *To = nullptr;
  cudaError_t Code = placeIn(Symbol, Offset, Size, To);
  return Code == cudaSuccess
             ? cudaGraphMemcpyNodeSetParams1D(Node, To, From, Size, Kind)
             : Code;
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t Node,
                                                   void *To, const void *Symbol,
                                                   size_t Size, size_t Offset,
                                                   cudaMemcpyKind Kind) {
  void *From = nullptr;
  cudaError_t Code = placeIn(Symbol, Offset, Size, From);
  return Code == cudaSuccess
             ? cudaGraphMemcpyNodeSetParams1D(Node, To, From, Size, Kind)
             : Code;
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, const void *Symbol,
    const void *From, size_t Size, size_t Offset, cudaMemcpyKind Kind) {
  void *To = nullptr;
  cudaError_t Code = placeIn(Symbol, Offset, Size, To);
  return Code == cudaSuccess ? cudaGraphExecMemcpyNodeSetParams1D(
                                   Exec, Node, To, From, Size, Kind)
                             : Code;
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(
    cudaGraphExec_t Exec, cudaGraphNode_t Node, void *To, const void *Symbol,
    size_t Size, size_t Offset, cudaMemcpyKind Kind) {
  void *From = nullptr;
  cudaError_t Code = placeIn(Symbol, Offset, Size, From);
  return Code == cudaSuccess ? cudaGraphExecMemcpyNodeSetParams1D(
                                   Exec, Node, To, From, Size, Kind)
                             : Code;
}

} // extern "C"
