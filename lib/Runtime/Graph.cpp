//===- Graph.cpp - Operations with dependencies -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch puts the nodes one after the other into one stream: every order that
// respects the edges is a legal execution.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/Graph.h"
#include "heddle/Runtime/Stream.h"
#include "llvm/ADT/STLExtras.h"
#include <queue>

using namespace llvm;

namespace heddle::rt {

/// Child graphs inside child graphs inside ...
static constexpr unsigned MaxDepth = 64;

static Error makeError(const Twine &Message) {
  return createStringError(inconvertibleErrorCode(), Message);
}

Graph::NodeId Graph::add(Operation Op, ArrayRef<NodeId> Dependencies) {
  NodeId Id = Nodes.size();
  Nodes.push_back({std::move(Op), {}});
  for (NodeId D : Dependencies)
    addDependency(D, Id);
  return Id;
}

void Graph::addDependency(NodeId From, NodeId To) {
  assert(contains(From) && contains(To) && "no such node");
  std::vector<NodeId> &List = Nodes[To].Dependencies;
  if (!is_contained(List, From))
    List.push_back(From);
}

void Graph::removeDependency(NodeId From, NodeId To) {
  llvm::erase(Nodes[To].Dependencies, From);
}

void Graph::remove(NodeId Id) {
  Nodes[Id] = {EmptyOp(), {}, /*Removed=*/true};
  for (Node &N : Nodes)
    llvm::erase(N.Dependencies, Id);
}

std::vector<Graph::NodeId> Graph::nodes() const {
  std::vector<NodeId> Result;
  for (auto [Id, N] : enumerate(Nodes))
    if (!N.Removed)
      Result.push_back(Id);
  return Result;
}

std::vector<std::pair<Graph::NodeId, Graph::NodeId>> Graph::edges() const {
  std::vector<std::pair<NodeId, NodeId>> Result;
  for (auto [Id, N] : enumerate(Nodes))
    for (NodeId D : N.Dependencies)
      Result.push_back({D, Id});
  return Result;
}

Expected<std::vector<Graph::NodeId>> Graph::topologicalOrder() const {
  std::vector<unsigned> Missing(Nodes.size());
  std::vector<std::vector<NodeId>> Successors(Nodes.size());
  std::priority_queue<NodeId, std::vector<NodeId>, std::greater<>> Ready;
  std::vector<NodeId> All = nodes();
  for (NodeId Id : All) {
    Missing[Id] = Nodes[Id].Dependencies.size();
    for (NodeId D : Nodes[Id].Dependencies)
      Successors[D].push_back(Id);
    if (Missing[Id] == 0)
      Ready.push(Id);
  }
  std::vector<NodeId> Order;
  while (!Ready.empty()) {
    NodeId Id = Ready.top();
    Ready.pop();
    Order.push_back(Id);
    for (NodeId S : Successors[Id])
      if (--Missing[S] == 0)
        Ready.push(S);
  }
  if (Order.size() != All.size())
    return makeError("the graph has a cycle");
  return Order;
}

Error ExecutableGraph::append(const Graph &G, unsigned Depth) {
  if (Depth > MaxDepth)
    return makeError("child graphs are nested more than " + Twine(MaxDepth) +
                     " deep");
  Expected<std::vector<Graph::NodeId>> Order = G.topologicalOrder();
  if (!Order)
    return Order.takeError();
  for (Graph::NodeId Id : *Order) {
    const Operation &Op = G.node(Id).Op;
    if (const auto *Child = std::get_if<ChildGraphOp>(&Op)) {
      if (Error E = append(*Child->Child, Depth + 1))
        return E;
      continue;
    }
    Steps.push_back({Op, Depth ? std::nullopt : std::optional(Id)});
  }
  return Error::success();
}

Expected<std::unique_ptr<ExecutableGraph>>
ExecutableGraph::instantiate(const Graph &G) {
  auto Result = std::make_unique<ExecutableGraph>();
  if (Error E = Result->append(G, 0))
    return std::move(E);
  return Result;
}

Error ExecutableGraph::launch(Stream &Destination) const {
  for (const Step &S : Steps)
    if (S.Enabled)
      if (Error E = Destination.enqueue(S.Op))
        return E;
  return Error::success();
}

bool ExecutableGraph::setEnabled(Graph::NodeId Id, bool Enabled) {
  for (Step &S : Steps)
    if (S.Node == Id) {
      S.Enabled = Enabled;
      return true;
    }
  return false;
}

std::optional<bool> ExecutableGraph::isEnabled(Graph::NodeId Id) const {
  for (const Step &S : Steps)
    if (S.Node == Id)
      return S.Enabled;
  return std::nullopt;
}

bool ExecutableGraph::hasShapeOf(const ExecutableGraph &Other) const {
  return std::equal(Steps.begin(), Steps.end(), Other.Steps.begin(),
                    Other.Steps.end(), [](const Step &A, const Step &B) {
                      return A.Op.index() == B.Op.index();
                    });
}

Error ExecutableGraph::update(Graph::NodeId Id, Operation Op) {
  for (Step &S : Steps) {
    if (S.Node != Id)
      continue;
    if (S.Op.index() != Op.index())
      return makeError("a node cannot become one of another kind");
    S.Op = std::move(Op);
    return Error::success();
  }
  return makeError("the graph has no such node");
}

} // namespace heddle::rt
