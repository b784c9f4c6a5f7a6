//===- Graph.h - Operations with dependencies -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A graph is built node by node or captured from streams, instantiated once and
// launched often.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_GRAPH_H
#define HEDDLE_RUNTIME_GRAPH_H

#include "heddle/Runtime/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle::rt {

class Stream;

/// Nodes are numbered from 0 in the order of their addition; a number is not
/// used again when its node was removed. Not safe against concurrent changes.
class Graph {
public:
  using NodeId = unsigned;

  struct Node {
    Operation Op;
    std::vector<NodeId> Dependencies;
    bool Removed = false;
  };

  /// Adds a node that waits for Dependencies, which have to exist.
  NodeId add(Operation Op, llvm::ArrayRef<NodeId> Dependencies = {});
  void addDependency(NodeId From, NodeId To);
  void removeDependency(NodeId From, NodeId To);
  /// Removes a node and its edges.
  void remove(NodeId Id);

  bool contains(NodeId Id) const {
    return Id < Nodes.size() && !Nodes[Id].Removed;
  }
  Node &node(NodeId Id) { return Nodes[Id]; }
  const Node &node(NodeId Id) const { return Nodes[Id]; }
  /// The nodes that were not removed.
  std::vector<NodeId> nodes() const;
  /// How many nodes there have been; the next one has this number.
  size_t numNodes() const { return Nodes.size(); }
  /// From each dependency to the node that waits for it.
  std::vector<std::pair<NodeId, NodeId>> edges() const;

  /// A number that each launch writes before all nodes.
  void addInitial(MemoryOp::Step Store) { Initial.push_back(Store); }
  const std::vector<MemoryOp::Step> &initial() const { return Initial; }

  /// The nodes in an order in which each comes after what it depends on; of
  /// those free to go, the lowest number goes first. A cycle is an error.
  llvm::Expected<std::vector<NodeId>> topologicalOrder() const;

private:
  std::vector<Node> Nodes;
  std::vector<MemoryOp::Step> Initial;
};

/// A graph made ready: a copy that later changes to the graph do not touch.
class ExecutableGraph {
public:
  /// Flattens child graphs. A cycle is an error, and so is a node in the body
  /// of a conditional one that cannot be there.
  static llvm::Expected<std::unique_ptr<ExecutableGraph>>
  instantiate(const Graph &G);

  /// Enqueues all operations into Destination, one after the other. Kernels
  /// get LaunchConfig::Number, but for those in bodies of conditional nodes.
  llvm::Error launch(Stream &Destination, uint32_t Number = 0) const;

  /// Replaces a node by an operation of the same kind, for later launches. \p
  /// Path is as in Part: of a node of the graph itself its number alone.
  llvm::Error update(llvm::ArrayRef<Graph::NodeId> Path, Operation Op);
  /// The same for a child graph of the graph itself, by one of the same shape.
  llvm::Error update(Graph::NodeId Id, const Graph &Child);
  /// Has \p Change update the body of a conditional node that was made of \p
  /// Body, however deep it is. Launches that are enqueued keep the body that
  /// they have. False if there is no such body.
  llvm::Expected<bool>
  changeBody(const Graph &Body,
             llvm::function_ref<llvm::Error(ExecutableGraph &)> Change);

  /// What a launch carries out.
  std::vector<const Operation *> operations() const;

  /// A node, or one of a child graph, as it is a part of launches.
  struct Part {
    uint32_t Number; ///< nodeOfTag of its work, different for each part.
    /// The nodes that are child graphs, from the graph itself inwards, and the
    /// node in the last of them.
    llvm::ArrayRef<Graph::NodeId> Path;
    const Operation &Op;
  };
  /// All parts. They refer to what update replaces.
  std::vector<Part> parts() const;

  /// Whether launches carry out a node; at first they do. False if the graph
  /// itself has no such node.
  bool setEnabled(Graph::NodeId Id, bool Enabled);
  std::optional<bool> isEnabled(Graph::NodeId Id) const;

  /// Whether Other has operations of the same kinds in the same order.
  bool hasShapeOf(const ExecutableGraph &Other) const;

private:
  struct Step {
    Operation Op;
    /// As in Part; None in place of the node where there is none.
    std::vector<Graph::NodeId> Path;
    bool Enabled = true;

    /// Whether it is a node of the graph itself.
    bool isNode(Graph::NodeId Id) const {
      return Path.size() == 1 && Path.front() == Id;
    }
    /// Whether it is in a child graph, or deeper in it.
    bool isInChild(Graph::NodeId Id) const {
      return Path.size() > 1 && Path.front() == Id;
    }
  };
  static constexpr Graph::NodeId None = ~Graph::NodeId(0);

  static llvm::Expected<std::unique_ptr<ExecutableGraph>>
  instantiate(const Graph &G, unsigned Depth);
  /// \p Children are the nodes of child graphs that lead to \p G.
  llvm::Error append(const Graph &G, unsigned Depth,
                     const std::vector<Graph::NodeId> &Children);
  /// The nodes of the graph itself come first, by their own numbers, then the
  /// parts of child graphs; from 1. 0: no node.
  uint32_t numberOf(size_t Index) const;
  static llvm::Error prepare(ConditionalOp &Op, unsigned Depth);
  static bool haveSameShape(llvm::ArrayRef<Step> A, llvm::ArrayRef<Step> B);

  size_t NumNodes = 0; ///< Of the graph itself, removed ones among them.
  std::vector<Step> Steps;
};

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_GRAPH_H
