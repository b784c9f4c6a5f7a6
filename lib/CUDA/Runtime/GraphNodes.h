//===- GraphNodes.h - Making nodes of graphs --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What functions for all kinds of nodes have in common.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_GRAPHNODES_H
#define HEDDLE_LIB_CUDA_GRAPHNODES_H

#include "Runtime/Graphs.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::cuda {

/// What a node does, and what is kept of how the program asked for it.
struct NodeMaking {
  rt::Operation Op = rt::EmptyOp();
  decltype(GraphNodeHandle::Params) Params;
  GraphMemory Memory = {};
};

/// Whether a node is one of a graph that is there.
bool isLive(const GraphNodeHandle *Node);

/// Makes a node of a graph behind others and hands it over.
using NodeMaker = llvm::function_ref<cudaError_t(
    cudaGraphNode_t *, cudaGraph_t, const cudaGraphNode_t *, size_t)>;

/// Adds a node to the graph that a stream captures.
cudaError_t addToCapture(rt::Stream &S, NodeMaker Make);

/// Hands over the node that a stream has captured last, if it captures.
void useCapturedNode(rt::Stream &S,
                     llvm::function_ref<void(GraphNodeHandle &)> Use);

/// Lets the graph that a stream captures, if it does, keep what it uses.
void keepInCapture(const rt::Stream &S, const GraphMemory &Memory);

/// Device memory that the graph keeps.
cudaError_t allocateFor(GraphHandle &Graph, size_t Size, void *&Pointer);

/// Adds a node of the kind; gives Params the graphs of its bodies.
cudaError_t addConditionalNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                               const cudaGraphNode_t *Dependencies,
                               size_t Count, cudaConditionalNodeParams &Params);

/// Gives the operation of a kernel's node what its attributes say.
cudaError_t applyNodeAttributes(const GraphNodeHandle &Node, rt::Operation &Op);

/// Adds a node, unless making it failed.
cudaError_t addNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                    const cudaGraphNode_t *Dependencies, size_t Count,
                    cudaError_t Made, NodeMaking &M);
/// Replaces what a node does by something of the same kind.
cudaError_t setNode(cudaGraphNode_t Node, cudaError_t Made, NodeMaking &M);
/// The same for later launches of what was instantiated.
cudaError_t setInExec(cudaGraphExec_t Exec, cudaGraphNode_t Node,
                      cudaError_t Made, NodeMaking &M);

/// What a node was made of, if it was made of a T; else null.
template <typename T> T *paramsOf(cudaGraphNode_t Node) {
  return isLive(Node) ? std::get_if<T>(&Node->Params) : nullptr;
}

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_GRAPHNODES_H
