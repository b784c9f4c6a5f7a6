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
#include "heddle/Runtime/Context.h"
#include "heddle/Runtime/NodeTag.h"
#include "heddle/Runtime/Stream.h"
#include "heddle/Runtime/VirtualTime.h"
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

/// Whether the body of a conditional node may have such a node.
static bool mayBeInBody(const Operation &Op) {
  return !std::holds_alternative<HostOp>(Op) &&
         !std::holds_alternative<RecordOp>(Op) &&
         !std::holds_alternative<WaitOp>(Op);
}

/// Makes the bodies ready, as they are now.
Error ExecutableGraph::prepare(ConditionalOp &Op, unsigned Depth) {
  Op.Ready.clear();
  for (const std::shared_ptr<const Graph> &Body : Op.Bodies) {
    Expected<std::unique_ptr<ExecutableGraph>> Ready =
        instantiate(*Body, Depth + 1);
    if (!Ready)
      return Ready.takeError();
    for (const Step &S : (*Ready)->Steps)
      if (!mayBeInBody(S.Op))
        return makeError("the body of a conditional node has a node that calls "
                         "the host or uses an event");
    Op.Ready.push_back(std::move(*Ready));
  }
  return Error::success();
}

static std::vector<Graph::NodeId> with(std::vector<Graph::NodeId> Path,
                                       Graph::NodeId Id) {
  Path.push_back(Id);
  return Path;
}

Error ExecutableGraph::append(const Graph &G, unsigned Depth,
                              const std::vector<Graph::NodeId> &Children) {
  if (Depth > MaxDepth)
    return makeError("child graphs are nested more than " + Twine(MaxDepth) +
                     " deep");
  if (!G.initial().empty())
    Steps.push_back({MemoryOp{G.initial()}, with(Children, None)});
  Expected<std::vector<Graph::NodeId>> Order = G.topologicalOrder();
  if (!Order)
    return Order.takeError();
  for (Graph::NodeId Id : *Order) {
    const Operation &Op = G.node(Id).Op;
    if (const auto *Inner = std::get_if<ChildGraphOp>(&Op)) {
      if (Error E = append(*Inner->Child, Depth + 1, with(Children, Id)))
        return E;
      continue;
    }
    Steps.push_back({Op, with(Children, Id)});
    if (auto *Conditional = std::get_if<ConditionalOp>(&Steps.back().Op))
      if (Error E = prepare(*Conditional, Depth))
        return E;
  }
  return Error::success();
}

Expected<std::unique_ptr<ExecutableGraph>>
ExecutableGraph::instantiate(const Graph &G, unsigned Depth) {
  auto Result = std::make_unique<ExecutableGraph>();
  Result->NumNodes = G.numNodes();
  if (Error E = Result->append(G, Depth, {}))
    return std::move(E);
  return Result;
}

Expected<std::unique_ptr<ExecutableGraph>>
ExecutableGraph::instantiate(const Graph &G) {
  return instantiate(G, 0);
}

std::vector<const Operation *> ExecutableGraph::operations() const {
  std::vector<const Operation *> Result;
  for (const Step &S : Steps)
    if (S.Enabled)
      Result.push_back(&S.Op);
  return Result;
}

uint32_t ExecutableGraph::numberOf(size_t Index) const {
  const std::vector<Graph::NodeId> &Path = Steps[Index].Path;
  if (Path.size() > 1)
    return NumNodes + Index + 1;
  return Path.front() == None ? 0 : Path.front() + 1;
}

std::vector<ExecutableGraph::Part> ExecutableGraph::parts() const {
  std::vector<Part> Result;
  for (const auto &[I, S] : llvm::enumerate(Steps))
    if (S.Path.back() != None)
      Result.push_back({numberOf(I), S.Path, S.Op});
  return Result;
}

namespace {
/// While one lives, what the thread submits is known by its call and by a node
/// of a graph: that of the outermost one, if graphs are in each other.
class NodeTag {
public:
  NodeTag() : Outer(WorkTag) {}
  ~NodeTag() { WorkTag = Outer; }
  NodeTag(const NodeTag &) = delete;
  NodeTag &operator=(const NodeTag &) = delete;

  void set(uint32_t Number) const {
    if (nodeOfTag(Outer) == 0)
      WorkTag = tagWithNode(Outer, Number);
  }

private:
  const uint64_t Outer;
};
} // namespace

Error ExecutableGraph::launch(Stream &Destination, uint32_t Number) const {
  VirtualTime *Time = Destination.context().device().virtualTime();
  HostCall Call(Time, Time ? Time->Properties.LaunchCallNs : 0);
  NodeTag Tag;
  for (const auto &[I, S] : llvm::enumerate(Steps)) {
    if (!S.Enabled)
      continue;
    Operation Copy = S.Op;
    if (auto *K = std::get_if<KernelOp>(&Copy))
      K->Config.Number = Number;
    Tag.set(numberOf(I));
    if (Error E = Destination.enqueue(std::move(Copy)))
      return E;
  }
  return Error::success();
}

bool ExecutableGraph::setEnabled(Graph::NodeId Id, bool Enabled) {
  for (Step &S : Steps)
    if (S.isNode(Id)) {
      S.Enabled = Enabled;
      return true;
    }
  return false;
}

std::optional<bool> ExecutableGraph::isEnabled(Graph::NodeId Id) const {
  for (const Step &S : Steps)
    if (S.isNode(Id))
      return S.Enabled;
  return std::nullopt;
}

bool ExecutableGraph::haveSameShape(ArrayRef<Step> A, ArrayRef<Step> B) {
  return llvm::equal(A, B, [](const Step &S, const Step &T) {
    if (S.Op.index() != T.Op.index())
      return false;
    const auto *C = std::get_if<ConditionalOp>(&S.Op);
    const auto *D = std::get_if<ConditionalOp>(&T.Op);
    return !C || (C->Kind == D->Kind &&
                  llvm::equal(C->Ready, D->Ready, [](auto &X, auto &Y) {
                    return X->hasShapeOf(*Y);
                  }));
  });
}

bool ExecutableGraph::hasShapeOf(const ExecutableGraph &Other) const {
  return haveSameShape(Steps, Other.Steps);
}

Error ExecutableGraph::update(Graph::NodeId Id, const Graph &Child) {
  auto IsOfChild = [&](const Step &S) { return S.isInChild(Id); };
  auto Begin = llvm::find_if(Steps, IsOfChild);
  auto End = std::find_if_not(Begin, Steps.end(), IsOfChild);
  ExecutableGraph New;
  if (Error E = New.append(Child, 1, {Id}))
    return E;
  if (Begin == End && !New.Steps.empty())
    return makeError("the graph has no such child graph, or an empty one");
  if (!haveSameShape(ArrayRef(Steps).slice(Begin - Steps.begin(), End - Begin),
                     New.Steps))
    return makeError("a child graph cannot become one of another shape");
  llvm::move(New.Steps, Begin);
  return Error::success();
}

Expected<bool>
ExecutableGraph::changeBody(const Graph &Body,
                            function_ref<Error(ExecutableGraph &)> Change) {
  for (Step &S : Steps) {
    auto *Conditional = std::get_if<ConditionalOp>(&S.Op);
    if (!Conditional)
      continue;
    for (auto [Source, Ready] :
         llvm::zip_equal(Conditional->Bodies, Conditional->Ready)) {
      auto Changed = std::make_shared<ExecutableGraph>(*Ready);
      bool IsFound = Source.get() == &Body;
      if (IsFound) {
        if (Error E = Change(*Changed))
          return std::move(E);
      } else if (Error E =
                     Changed->changeBody(Body, Change).moveInto(IsFound)) {
        return std::move(E);
      }
      if (!IsFound)
        continue;
      Ready = std::move(Changed);
      return true;
    }
  }
  return false;
}

Error ExecutableGraph::update(ArrayRef<Graph::NodeId> Path, Operation Op) {
  for (Step &S : Steps) {
    if (ArrayRef(S.Path) != Path)
      continue;
    if (S.Op.index() != Op.index())
      return makeError("a node cannot become one of another kind");
    S.Op = std::move(Op);
    return Error::success();
  }
  return makeError("the graph has no such node");
}

} // namespace heddle::rt
