//===- GraphQueries.cpp - What graphs and nodes are -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Numbers of graphs and nodes, which cudaGraphDebugDotPrint writes too, and the
// parameters of a node of any kind.
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include "Runtime/GraphNodes.h"
#include "Runtime/RuntimeGraphs.h"

using namespace heddle::cuda;

unsigned heddle::cuda::newGraphNumber() {
  static std::atomic<unsigned> NumGraphs{0};
  return ++NumGraphs;
}

/// Whether a graph is one of the program's or in one of them.
static bool isGraph(const GraphHandle *Graph) {
  return Process::get().Graphs.contains(Graph);
}

extern "C" {

//===----------------------------------------------------------------------===//
// Numbers
//===----------------------------------------------------------------------===//

cudaError_t cudaGraphGetId(cudaGraph_t Graph, unsigned *Id) {
  if (!Id || !isGraph(Graph))
    return finish(cudaErrorInvalidValue);
  *Id = Graph->Number;
  return cudaSuccess;
}

cudaError_t cudaGraphExecGetId(cudaGraphExec_t Exec, unsigned *Id) {
  if (!Id || !Process::get().GraphExecs.contains(Exec))
    return finish(cudaErrorInvalidValue);
  *Id = Exec->Number;
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetContainingGraph(cudaGraphNode_t Node,
                                            cudaGraph_t *Graph) {
  if (!Graph || !isLive(Node))
    return finish(cudaErrorInvalidValue);
  *Graph = Node->Owner;
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetLocalId(cudaGraphNode_t Node, unsigned *Id) {
  if (!Id || !isLive(Node))
    return finish(cudaErrorInvalidValue);
  *Id = Node->Id;
  return cudaSuccess;
}

cudaError_t cudaGraphNodeGetToolsId(cudaGraphNode_t Node,
                                    unsigned long long *Id) {
  if (!Id || !isLive(Node))
    return finish(cudaErrorInvalidValue);
  *Id = static_cast<unsigned long long>(Node->Owner->Number) << 32 | Node->Id;
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

cudaError_t cudaGraphNodeGetParams(cudaGraphNode_t Node,
                                   cudaGraphNodeParams *P) {
  if (!P || !isLive(Node))
    return finish(cudaErrorInvalidValue);
  *P = {};
  cudaGraphNodeGetType(Node, &P->type);
  switch (P->type) {
  case cudaGraphNodeTypeKernel:
    return cudaGraphKernelNodeGetParams(Node, &P->kernel);
  case cudaGraphNodeTypeMemcpy:
    return cudaGraphMemcpyNodeGetParams(Node, &P->memcpy.copyParams);
  case cudaGraphNodeTypeMemset:
    return cudaGraphMemsetNodeGetParams(Node, &P->memset);
  case cudaGraphNodeTypeHost:
    return cudaGraphHostNodeGetParams(Node, &P->host);
  case cudaGraphNodeTypeGraph:
    return cudaGraphChildGraphNodeGetGraph(Node, &P->graph.graph);
  case cudaGraphNodeTypeEmpty:
    return cudaSuccess;
  case cudaGraphNodeTypeWaitEvent:
    return cudaGraphEventWaitNodeGetEvent(Node, &P->event.event);
  case cudaGraphNodeTypeEventRecord:
    return cudaGraphEventRecordNodeGetEvent(Node, &P->event.event);
  case cudaGraphNodeTypeMemAlloc:
    return cudaGraphMemAllocNodeGetParams(Node, &P->alloc);
  case cudaGraphNodeTypeMemFree:
    return cudaGraphMemFreeNodeGetParams(Node, &P->free.dptr);
  case cudaGraphNodeTypeConditional:
    P->conditional = paramsOf<ConditionalNode>(Node)->Params;
    return cudaSuccess;
  case cudaGraphNodeTypeBatchMemOp:
    break; // the driver's
  }
  return finish(cudaErrorNotSupported);
}

} // extern "C"
