//===- ConditionalNodes.cpp - Branches and loops of graphs ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A condition is a word of device memory, whose address is its handle: kernels
// write it with cudaGraphSetConditional, and the queue reads it when a node
// that depends on it begins.
//
//===----------------------------------------------------------------------===//

#include "Process.h"
#include "Runtime/GraphNodes.h"
#include "Runtime/RuntimeGraphs.h"

using namespace heddle;
using namespace heddle::cuda;

namespace {

/// Conditions that no node has taken yet. Any thread may call anything at any
/// time.
class ConditionTable {
public:
  void add(uint64_t Address, const GraphHandle *Graph) {
    std::lock_guard Lock(Mutex);
    Free[Address] = Graph;
  }
  /// False if there is no such condition, or a node has it.
  bool take(uint64_t Address) {
    std::lock_guard Lock(Mutex);
    auto It = Free.find(Address);
    if (It == Free.end())
      return false;
    bool IsLive = Process::get().Graphs.contains(It->second);
    Free.erase(It);
    return IsLive;
  }

private:
  std::mutex Mutex;
  std::map<uint64_t, const GraphHandle *> Free; ///< With the graph of each.
};

} // namespace

static ConditionTable &conditions() {
  static auto *Made = new ConditionTable; // see Process.h
  return *Made;
}

static constexpr size_t ConditionBytes = 4;

extern "C" cudaError_t
cudaGraphConditionalHandleCreate(cudaGraphConditionalHandle *Handle,
                                 cudaGraph_t Graph, unsigned Default,
                                 unsigned Flags) {
  constexpr unsigned AssignDefault = 1;
  if (!Handle || !Process::get().Graphs.contains(Graph) ||
      Flags > AssignDefault)
    return finish(cudaErrorInvalidValue);
  void *Pointer = nullptr;
  if (cudaError_t Code = allocateFor(*Graph, ConditionBytes, Pointer);
      Code != cudaSuccess)
    return Code;
  *Handle = reinterpret_cast<uintptr_t>(Pointer);
  if (Flags & AssignDefault)
    Graph->Graph->addInitial(
        {std::nullopt, ConditionBytes, *Handle, uint64_t(Default)});
  conditions().add(*Handle, Graph);
  return cudaSuccess;
}

/// Whether a node of that kind can have so many bodies.
static bool isPossible(const cudaConditionalNodeParams &P) {
  switch (P.type) {
  case cudaGraphCondTypeIf:
    return P.size == 1 || P.size == 2;
  case cudaGraphCondTypeWhile:
    return P.size == 1;
  case cudaGraphCondTypeSwitch:
    return P.size >= 1;
  }
  return false;
}

/// While launches are skipped, no kernel ends a loop: a loop has one
/// iteration at most.
static rt::BranchKind kindOf(cudaGraphConditionalNodeType Type) {
  switch (Type) {
  case cudaGraphCondTypeIf:
    return rt::BranchKind::If;
  case cudaGraphCondTypeWhile:
    return Process::get().skipsLaunches() ? rt::BranchKind::If
                                          : rt::BranchKind::While;
  case cudaGraphCondTypeSwitch:
    return rt::BranchKind::Switch;
  }
  return rt::BranchKind::If;
}

cudaError_t
heddle::cuda::addConditionalNode(cudaGraphNode_t *Node, cudaGraph_t Graph,
                                 const cudaGraphNode_t *Dependencies,
                                 size_t Count, cudaConditionalNodeParams &P) {
  std::vector<rt::Graph::NodeId> Ids;
  if (!Node || !Process::get().Graphs.contains(Graph) ||
      !idsOf(Graph, Dependencies, Count, Ids) || !isPossible(P) ||
      !conditions().take(P.handle))
    return cudaErrorInvalidValue;
  auto Bodies = std::make_shared<ConditionalBodies>();
  rt::ConditionalOp Op = {kindOf(P.type), P.handle, {}};
  for (unsigned I = 0; I != P.size; ++I) {
    auto Body = std::make_unique<GraphHandle>();
    Body->IsBody = true;
    Op.Bodies.push_back(Body->Graph);
    Bodies->Graphs.push_back(Process::get().Graphs.add(std::move(Body)));
  }
  P.phGraph_out = Bodies->Graphs.data();
  NodeMaking M;
  M.Op = std::move(Op);
  M.Params = ConditionalNode{P, std::move(Bodies)};
  return addNode(Node, Graph, Dependencies, Count, cudaSuccess, M);
}
