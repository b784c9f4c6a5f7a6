//===- Graphs.h - Graphs of CUDA programs -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles of graphs, their nodes and what was instantiated. The graph itself is
// an rt::Graph.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_GRAPHS_H
#define HEDDLE_LIB_CUDA_GRAPHS_H

#include "ABI.h"
#include "Devices/CurrentDevice.h"
#include "Handles.h"
#include "heddle/Runtime/Graph.h"

#include <atomic>
#include <memory>
#include <variant>
#include <vector>

namespace heddle::cuda {

/// Counted by the program; its end calls the program back.
struct UserObjectHandle {
  void *Object;
  cudaHostFn_t Destroy;
  std::atomic<unsigned> Count;
};

/// What a kernel's node was given, with the arguments that the program may ask
/// for.
struct KernelNode {
  cudaKernelNodeParams Params = {};
  std::vector<std::vector<char>> Values;
  std::vector<void *> Arguments; ///< Into Values.
};

/// CUstreamBatchMemOpParams.
struct MemoryOpParams {
  int Kind;
  unsigned BarrierFlags; ///< of kinds without an address
  unsigned long long Address;
  unsigned long long Value; ///< the low half for numbers of 32 bits
  unsigned Flags;
  unsigned long long Alias; ///< the driver's; ours leaves it alone
  unsigned long long Reserved;
};
static_assert(sizeof(MemoryOpParams) == 48);

struct MemoryOpNode {
  void *Context;
  std::vector<MemoryOpParams> Steps;
};

/// The bodies of a conditional node, which end with it.
struct ConditionalBodies {
  std::vector<cudaGraph_t> Graphs;
  ConditionalBodies() = default;
  ConditionalBodies(const ConditionalBodies &) = delete;
  ConditionalBodies &operator=(const ConditionalBodies &) = delete;
  ~ConditionalBodies();
};

struct ConditionalNode {
  cudaConditionalNodeParams Params;
  std::shared_ptr<ConditionalBodies> Bodies;
};

/// Device memory of a graph's nodes, and references to objects of the program:
/// freed with the last that may use it.
using GraphMemory = std::vector<std::shared_ptr<void>>;

struct GraphNodeHandle {
  struct GraphHandle *Owner;
  rt::Graph::NodeId Id;
  /// What the node was made of; nothing for captured ones.
  std::variant<std::monostate, KernelNode, cudaMemcpy3DParms, cudaMemsetParams,
               cudaHostNodeParams, cudaEvent_t, cudaGraph_t,
               cudaMemAllocNodeParams, void *, MemoryOpNode, ConditionalNode>
      Params;
  /// What a kernel's launches have besides.
  std::vector<cudaLaunchAttribute> Attributes = {};
  GraphMemory Memory = {}; ///< Of a child graph.
};

/// A number that no other graph, and nothing instantiated, has.
unsigned newGraphNumber();

struct GraphHandle {
  const unsigned Number;
  unsigned Device = currentDevice(); ///< With which it ends.
  std::shared_ptr<rt::Graph> Graph = std::make_shared<rt::Graph>();
  std::vector<std::unique_ptr<GraphNodeHandle>> Nodes; ///< By NodeId.
  std::vector<std::pair<UserObjectHandle *, unsigned>> UserObjects;
  GraphMemory Memory;
  bool IsBody = false; ///< Of a conditional node, with which it ends.
  /// What a timeline has of it: the graph itself, and nodes up to which number.
  bool IsRecorded = false;
  rt::Graph::NodeId RecordedNodes = 0;

  explicit GraphHandle(unsigned Number = newGraphNumber()) : Number(Number) {}
  ~GraphHandle();
  /// The handle of a node; nodes that capture made get one when asked for.
  GraphNodeHandle *node(rt::Graph::NodeId Id);
  /// Memory, with that of children and bodies and with references to all
  /// objects.
  GraphMemory allMemory() const;
  /// Whether some node is conditional, or a launch sets a condition.
  bool hasConditions() const;
};

/// The graph into which a stream captures \p Graph; null if none does.
GraphHandle *capturedGraph(const rt::Graph &Graph);

/// The numbers of nodes of one graph; false if one is of another.
bool idsOf(GraphHandle *Graph, const cudaGraphNode_t *Nodes, size_t Count,
           std::vector<rt::Graph::NodeId> &Ids);

struct GraphExecHandle {
  std::unique_ptr<rt::ExecutableGraph> Graph;
  unsigned long long Flags;
  GraphMemory Memory;
  /// The numbers of the graph that it was made of and of the last one that it
  /// was updated by, whose nodes name what is to be changed.
  std::vector<unsigned> Sources;
  const unsigned Number = newGraphNumber();
  unsigned Device = currentDevice(); ///< With which it ends.
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_GRAPHS_H
