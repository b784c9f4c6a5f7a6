//===- GraphEvents.h - Graphs that come to be -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which call has made a graph, its nodes, and what was instantiated of it,
// whose nodes are clones of the graph's. What profilers in the program are told
// of the same is CUPTI's.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_TRACE_GRAPHEVENTS_H
#define HEDDLE_LIB_CUDA_TRACE_GRAPHEVENTS_H

#include "Runtime/Graphs.h"
#include "Trace/Events.h"
#include "heddle/Runtime/Stream.h"

namespace heddle::cuda::trace {

/// Whether a call is of a function with that name behind `cuda` or `cu`.
bool isCallOf(const Call &C, llvm::StringRef Name);

/// The node that became a part of what was made of a graph: of a child graph
/// that is there no more, the node that this one was.
cudaGraphNode_t originalOf(cudaGraph_t Graph,
                           llvm::ArrayRef<rt::Graph::NodeId> Path);

/// Nodes that captures make in calls of this thread, where somebody has them
/// noted (rt::NotedCaptures), and nobody has taken them.
std::vector<rt::CapturedNode> &capturedNodes();

/// Records what a call has made of graphs, nodes that were captured in it among
/// that.
void noteGraphs(const Call &C);

} // namespace heddle::cuda::trace

#endif // HEDDLE_LIB_CUDA_TRACE_GRAPHEVENTS_H
