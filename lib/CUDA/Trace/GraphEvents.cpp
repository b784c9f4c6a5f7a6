//===- GraphEvents.cpp - Graphs that come to be -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Nodes of a graph have consecutive numbers, so that a graph knows up to which
// they were recorded. Those of a child graph, and what was made before there
// was a file, are recorded when something is made of them.
//
//===----------------------------------------------------------------------===//

#include "Trace/GraphEvents.h"
#include "Process.h"
#include "ThreadValue.h"
#include "Trace/Calls.h"
#include "Trace/Recorder.h"

#include <utility>

using namespace llvm;

namespace heddle::cuda::trace {

//===----------------------------------------------------------------------===//
// Calls and their nodes
//===----------------------------------------------------------------------===//

bool isCallOf(const Call &C, StringRef Name) {
  StringRef Called = C.Called->Name;
  bool HasPrefix = Called.consume_front("cuda") || Called.consume_front("cu");
  return HasPrefix && Called.starts_with(Name);
}

cudaGraphNode_t originalOf(cudaGraph_t Graph,
                           ArrayRef<rt::Graph::NodeId> Path) {
  cudaGraphNode_t Node = Graph->node(Path.front());
  for (rt::Graph::NodeId Id : Path.drop_front()) {
    const auto *Child = std::get_if<cudaGraph_t>(&Node->Params);
    if (!Child || !Process::get().Graphs.contains(*Child) ||
        !(*Child)->Graph->contains(Id))
      return Node;
    Node = (*Child)->node(Id);
  }
  return Node;
}

namespace {
/// Ends with the thread.
struct Captures {
  std::vector<rt::CapturedNode> Nodes;
  ~Captures() {
    rt::NotedCaptures = nullptr;
    forgetCaptures();
  }
};
} // namespace

std::vector<rt::CapturedNode> &capturedNodes() {
  return threadValue<Captures>().Nodes;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

namespace {
/// What one call has made.
class MadeByCall {
public:
  explicit MadeByCall(const Call &C) {
    E.Thread = C.Thread;
    E.Time = C.End;
  }
  void addGraph(cudaGraph_t Graph, cudaGraph_t Original = nullptr);
  /// Those that were not recorded yet.
  void addNodes(cudaGraph_t Graph, cudaGraph_t Original = nullptr);
  void addExec(cudaGraph_t Graph, cudaGraphExec_t Exec);

private:
  void add(GraphEventKind Kind, uint64_t Number, uint64_t Original,
           uint32_t Exec = 0) {
    E.Kind = Kind;
    E.Number = Number;
    E.Original = Original;
    E.Exec = Exec;
    Recorder::get().add(E);
  }
  static uint64_t idOf(cudaGraph_t Graph, rt::Graph::NodeId Id) {
    return nodeIdOf(Graph->Number, Id + 1);
  }

  GraphEvent E;
};
} // namespace

void MadeByCall::addGraph(cudaGraph_t Graph, cudaGraph_t Original) {
  if (!std::exchange(Graph->IsRecorded, true))
    add(GraphEventKind::Graph, Graph->Number, Original ? Original->Number : 0);
}

void MadeByCall::addNodes(cudaGraph_t Graph, cudaGraph_t Original) {
  addGraph(Graph, Original);
  for (rt::Graph::NodeId Id : Graph->Graph->nodes())
    if (Id >= Graph->RecordedNodes)
      add(GraphEventKind::Node, idOf(Graph, Id),
          Original ? idOf(Original, Id) : 0);
  Graph->RecordedNodes = Graph->Graph->numNodes();
}

/// Its nodes are clones of the graph's and of its child graphs'.
void MadeByCall::addExec(cudaGraph_t Graph, cudaGraphExec_t Exec) {
  addNodes(Graph);
  add(GraphEventKind::Exec, Graph->Number, 0, Exec->Number);
  for (const rt::ExecutableGraph::Part &Part : Exec->Graph->parts()) {
    cudaGraphNode_t Node = originalOf(Graph, Part.Path);
    addNodes(Node->Owner);
    add(GraphEventKind::Node, nodeIdOf(Exec->Number, Part.Number),
        idOf(Node->Owner, Node->Id), Exec->Number);
  }
}

template <typename Handle> static Handle handleAt(uint64_t Address) {
  return *reinterpret_cast<Handle *>(Address);
}

/// Made by the function itself; its handles are where the arguments say.
static void noteMade(const Call &C) {
  MadeByCall Made(C);
  if (isCallOf(C, "GraphInstantiate"))
    Made.addExec(reinterpret_cast<cudaGraph_t>(C.Arguments[1]),
                 handleAt<cudaGraphExec_t>(C.Arguments[0]));
  else if (isCallOf(C, "GraphClone"))
    Made.addNodes(handleAt<cudaGraph_t>(C.Arguments[0]),
                  reinterpret_cast<cudaGraph_t>(C.Arguments[1]));
  else if (isCallOf(C, "GraphCreate"))
    Made.addGraph(handleAt<cudaGraph_t>(C.Arguments[0]));
  else if (isCallOf(C, "StreamEndCapture"))
    Made.addNodes(handleAt<cudaGraph_t>(C.Arguments[1]));
  else if (C.Arguments[0]) // GraphAdd: some want no handle.
    Made.addNodes(handleAt<cudaGraphNode_t>(C.Arguments[0])->Owner);
}

void noteGraphs(const Call &C) {
  for (const rt::CapturedNode &Node : std::exchange(capturedNodes(), {}))
    if (cudaGraph_t Graph = capturedGraph(*Node.In))
      MadeByCall(C).addNodes(Graph);
  if (C.Called->MakesGraphs && !C.Result)
    noteMade(C);
}

} // namespace heddle::cuda::trace
