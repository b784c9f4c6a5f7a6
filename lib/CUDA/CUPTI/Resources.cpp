//===- Resources.cpp - Callbacks about objects of a program -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes of a graph are told behind the call that makes them: while it is still
// open, so that a profiler knows what is captured by which launch. What was not
// told then is when the graph is made ready.
//
// To make a graph ready clones it, for profilers: the clone's number is that of
// what launches carry out, whose work has the numbers of the clone's nodes.
//
//===----------------------------------------------------------------------===//

#include "CUPTI/Resources.h"
#include "CUPTI/Callbacks.h"
#include "Driver/Driver.h"
#include "Process.h"
#include "Runtime/Graphs.h"
#include "Runtime/RuntimeGraphs.h"
#include "ThreadValue.h"
#include "Trace/GraphEvents.h"
#include "Trace/Recorder.h"
#include "heddle/Runtime/Stream.h"

#include <set>

using namespace llvm;

namespace heddle::cuda::cupti {

using trace::isCallOf;

static bool isWanted(CUpti_CallbackIdResource Number) {
  return isEnabled(CUPTI_CB_DOMAIN_RESOURCE, Number);
}

static void tell(CUpti_CallbackIdResource Number, void *Stream,
                 void *Descriptor) {
  CUpti_ResourceData Data = {currentContext(), Stream, Descriptor};
  callSubscriber(CUPTI_CB_DOMAIN_RESOURCE, Number, &Data);
}

template <typename Handle> static Handle handleAt(uint64_t Address) {
  return Address ? *reinterpret_cast<Handle *>(Address) : nullptr;
}

namespace {
/// What was told, and what profilers have pointers to.
struct Told {
  std::mutex Mutex; ///< Of what follows.
  std::set<std::pair<unsigned, rt::Graph::NodeId>> Nodes;
  std::set<const void *> Contexts;
  std::map<cudaGraphExec_t, std::unique_ptr<GraphHandle>> Clones;

  static Told &get() {
    static auto *All = new Told; // see Process.h
    return *All;
  }
  bool isNew(unsigned Graph, rt::Graph::NodeId Node) {
    std::lock_guard Lock(Mutex);
    return Nodes.insert({Graph, Node}).second;
  }
  bool isNew(const void *Context) {
    std::lock_guard Lock(Mutex);
    return Context && Contexts.insert(Context).second;
  }
  void forget(unsigned Graph) {
    std::lock_guard Lock(Mutex);
    Nodes.erase(Nodes.lower_bound({Graph, 0}),
                Nodes.lower_bound({Graph + 1, 0}));
  }
  void forget(cudaGraphExec_t Exec) {
    std::lock_guard Lock(Mutex);
    Clones.erase(Exec);
  }
  /// A handle that lasts until the clone is forgotten.
  cudaGraph_t makeClone(cudaGraphExec_t Exec) {
    std::lock_guard Lock(Mutex);
    std::unique_ptr<GraphHandle> &Clone = Clones[Exec];
    Clone = std::make_unique<GraphHandle>(Exec->Number);
    return Clone.get();
  }
};

/// Nodes that captures make in the thread's calls, while some are open.
struct OpenCaptures {
  unsigned Depth = 0;

  static OpenCaptures &get() { return threadValue<OpenCaptures>(); }
  void begin() {
    ++Depth;
    if (isWanted(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED))
      rt::NotedCaptures = &trace::capturedNodes();
  }
  /// Ends a call; gives what was captured since the last one ended.
  std::vector<rt::CapturedNode> end() {
    --Depth;
    // A timeline takes them after this.
    if (trace::Recorder::get().hasFile())
      return trace::capturedNodes();
    if (Depth == 0)
      rt::NotedCaptures = nullptr;
    return std::exchange(trace::capturedNodes(), {});
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Nodes of graphs
//===----------------------------------------------------------------------===//

static uint32_t typeOf(cudaGraphNode_t Node) {
  cudaGraphNodeType Type = {};
  cudaGraphNodeGetType(Node, &Type);
  return static_cast<uint32_t>(Type);
}

static void tellNode(cudaGraph_t Graph, rt::Graph::NodeId Id) {
  if (!Told::get().isNew(Graph->Number, Id))
    return;
  CUpti_GraphData Data = {};
  Data.graph = Graph;
  cudaGraphNode_t Node = Graph->node(Id);
  Data.node = Node;
  Data.nodeType = typeOf(Node);
  tell(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, nullptr, &Data);
}

static void tellClone(cudaGraphNode_t Node, cudaGraphNode_t Original,
                      uint32_t Type) {
  CUpti_GraphData Data = {};
  Data.graph = Node->Owner;
  Data.originalGraph = Original->Owner;
  Data.node = Node;
  Data.originalNode = Original;
  Data.nodeType = Type;
  tell(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED, nullptr, &Data);
}

static void tellClones(cudaGraph_t Graph, cudaGraph_t Original) {
  if (!isWanted(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED))
    return;
  for (rt::Graph::NodeId Id : Graph->Graph->nodes())
    tellClone(Graph->node(Id), Original->node(Id), typeOf(Graph->node(Id)));
}

static void tellClones(cudaGraphExec_t Exec, cudaGraph_t Original) {
  if (!isWanted(CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED))
    return;
  cudaGraph_t Clone = Told::get().makeClone(Exec);
  for (const rt::ExecutableGraph::Part &Part : Exec->Graph->parts()) {
    cudaGraphNode_t Node = trace::originalOf(Original, Part.Path);
    bool IsKernel = std::holds_alternative<rt::KernelOp>(Part.Op);
    tellClone(Clone->node(Part.Number - 1), Node,
              IsKernel ? uint32_t(cudaGraphNodeTypeKernel) : typeOf(Node));
  }
}

static void tellExec(CUpti_CallbackIdResource Number, cudaGraph_t Graph,
                     cudaGraphExec_t Exec) {
  CUpti_GraphData Data = {};
  Data.graph = Graph;
  Data.graphExec = Exec;
  tell(Number, nullptr, &Data);
}

void tellBefore(const trace::Call &C) {
  OpenCaptures::get().begin();
  auto *Handle = reinterpret_cast<void *>(C.Arguments[0]);
  if (!Handle)
    return;
  if (isCallOf(C, "StreamDestroy")) {
    tell(CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, Handle, nullptr);
  } else if (isCallOf(C, "GraphExecDestroy")) {
    auto *Exec = static_cast<cudaGraphExec_t>(Handle);
    tellExec(CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING, nullptr, Exec);
    Told::get().forget(Exec);
  } else if (isCallOf(C, "GraphDestroy") && !isCallOf(C, "GraphDestroyNode")) {
    tellExec(CUPTI_CBID_RESOURCE_GRAPH_DESTROY_STARTING,
             static_cast<cudaGraph_t>(Handle), nullptr);
    Told::get().forget(static_cast<cudaGraph_t>(Handle)->Number);
  }
}

static void tellSynchronization(const trace::Call &C) {
  CUpti_SynchronizeData Data = {currentContext(), nullptr};
  if (C.Called->Waits == trace::Synchronization::Stream) {
    Data.stream = reinterpret_cast<void *>(C.Arguments[0]);
    callSubscriber(CUPTI_CB_DOMAIN_SYNCHRONIZE,
                   CUPTI_CBID_SYNCHRONIZE_STREAM_SYNCHRONIZED, &Data);
  } else if (C.Called->Waits == trace::Synchronization::Context) {
    callSubscriber(CUPTI_CB_DOMAIN_SYNCHRONIZE,
                   CUPTI_CBID_SYNCHRONIZE_CONTEXT_SYNCHRONIZED, &Data);
  }
}

/// Nodes that the call has captured or added.
static void tellNewNodes(const trace::Call &C,
                         ArrayRef<rt::CapturedNode> Captured) {
  for (const rt::CapturedNode &Node : Captured)
    if (cudaGraph_t Graph = capturedGraph(*Node.In))
      tellNode(Graph, Node.Id);
  if (isCallOf(C, "GraphAdd") && !isCallOf(C, "GraphAddDependencies") &&
      isWanted(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED))
    if (auto *Node = handleAt<cudaGraphNode_t>(C.Arguments[0]))
      tellNode(Node->Owner, Node->Id);
}

static void tellReady(cudaGraph_t Graph, cudaGraphExec_t Exec) {
  if (isWanted(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED))
    for (rt::Graph::NodeId Id : Graph->Graph->nodes())
      tellNode(Graph, Id);
  tellClones(Exec, Graph);
  tellExec(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, Graph, Exec);
}

void tellBehind(const trace::Call &C) {
  std::vector<rt::CapturedNode> Captured = OpenCaptures::get().end();
  if (C.Result)
    return;
  if (isWanted(CUPTI_CBID_RESOURCE_CONTEXT_CREATED) &&
      Told::get().isNew(currentContext()))
    tell(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, nullptr, nullptr);
  tellSynchronization(C);
  tellNewNodes(C, Captured);
  if (isCallOf(C, "StreamCreate"))
    tell(CUPTI_CBID_RESOURCE_STREAM_CREATED, handleAt<void *>(C.Arguments[0]),
         nullptr);
  else if (isCallOf(C, "GraphInstantiate"))
    tellReady(reinterpret_cast<cudaGraph_t>(C.Arguments[1]),
              handleAt<cudaGraphExec_t>(C.Arguments[0]));
  else if (isCallOf(C, "GraphClone"))
    tellClones(handleAt<cudaGraph_t>(C.Arguments[0]),
               reinterpret_cast<cudaGraph_t>(C.Arguments[1]));
}

} // namespace heddle::cuda::cupti
