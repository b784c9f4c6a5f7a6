//===- Resources.cpp - Callbacks about objects of a program -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes of a graph are told when it is made ready, in front of what is made of
// it: until then nobody can launch them.
//
//===----------------------------------------------------------------------===//

#include "CUPTI/Resources.h"
#include "CUPTI/Callbacks.h"
#include "Driver/Driver.h"
#include "Process.h"
#include "Runtime/Graphs.h"
#include "Runtime/RuntimeGraphs.h"

#include <set>

using namespace llvm;

namespace heddle::cuda::cupti {

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

/// Whether a call is of a function with that name behind `cuda` or `cu`.
static bool isCallOf(const trace::Call &C, StringRef Name) {
  StringRef Called = C.Called->Name;
  bool HasPrefix = Called.consume_front("cuda") || Called.consume_front("cu");
  return HasPrefix && Called.starts_with(Name);
}

namespace {
/// Which nodes and contexts were told.
struct Told {
  std::mutex Mutex; ///< Of what follows.
  std::set<std::pair<unsigned, rt::Graph::NodeId>> Nodes;
  std::set<const void *> Contexts;

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
};
} // namespace

static void tellNodes(cudaGraph_t Graph) {
  if (!isWanted(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED))
    return;
  for (rt::Graph::NodeId Id : Graph->Graph->nodes()) {
    if (!Told::get().isNew(Graph->Number, Id))
      continue;
    CUpti_GraphData Data = {};
    Data.graph = Graph;
    cudaGraphNode_t Node = Graph->node(Id);
    Data.node = Node;
    cudaGraphNodeType Type = {};
    if (cudaGraphNodeGetType(Node, &Type) == cudaSuccess)
      Data.nodeType = static_cast<uint32_t>(Type);
    tell(CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, nullptr, &Data);
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
  auto *Handle = reinterpret_cast<void *>(C.Arguments[0]);
  if (!Handle)
    return;
  if (isCallOf(C, "StreamDestroy")) {
    tell(CUPTI_CBID_RESOURCE_STREAM_DESTROY_STARTING, Handle, nullptr);
  } else if (isCallOf(C, "GraphExecDestroy")) {
    tellExec(CUPTI_CBID_RESOURCE_GRAPHEXEC_DESTROY_STARTING, nullptr,
             static_cast<cudaGraphExec_t>(Handle));
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

void tellBehind(const trace::Call &C) {
  if (C.Result)
    return;
  if (isWanted(CUPTI_CBID_RESOURCE_CONTEXT_CREATED) &&
      Told::get().isNew(currentContext()))
    tell(CUPTI_CBID_RESOURCE_CONTEXT_CREATED, nullptr, nullptr);
  tellSynchronization(C);
  if (isCallOf(C, "StreamCreate")) {
    tell(CUPTI_CBID_RESOURCE_STREAM_CREATED, handleAt<void *>(C.Arguments[0]),
         nullptr);
  } else if (isCallOf(C, "GraphInstantiate")) {
    auto *Graph = reinterpret_cast<cudaGraph_t>(C.Arguments[1]);
    tellNodes(Graph);
    tellExec(CUPTI_CBID_RESOURCE_GRAPHEXEC_CREATED, Graph,
             handleAt<cudaGraphExec_t>(C.Arguments[0]));
  }
}

} // namespace heddle::cuda::cupti
