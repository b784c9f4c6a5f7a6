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

  /// Replaces a node of the graph itself (not of a child) by an operation of
  /// the same kind, for later launches.
  llvm::Error update(Graph::NodeId Id, Operation Op);
  /// The same for a child graph, by one of the same shape.
  llvm::Error update(Graph::NodeId Id, const Graph &Child);

  /// What a launch carries out.
  std::vector<const Operation *> operations() const;

  /// Whether launches carry out a node; at first they do. False if the graph
  /// itself has no such node.
  bool setEnabled(Graph::NodeId Id, bool Enabled);
  std::optional<bool> isEnabled(Graph::NodeId Id) const;

  /// Whether Other has operations of the same kinds in the same order.
  bool hasShapeOf(const ExecutableGraph &Other) const;

private:
  struct Step {
    Operation Op;
    std::optional<Graph::NodeId> Node; ///< none: of no node of the graph itself
    std::optional<Graph::NodeId> Child = {}; ///< the child graph's node
    bool Enabled = true;
  };

  static llvm::Expected<std::unique_ptr<ExecutableGraph>>
  instantiate(const Graph &G, unsigned Depth);
  llvm::Error append(const Graph &G, unsigned Depth,
                     std::optional<Graph::NodeId> Child);
  static llvm::Error prepare(ConditionalOp &Op, unsigned Depth);
  static bool haveSameShape(llvm::ArrayRef<Step> A, llvm::ArrayRef<Step> B);

  std::vector<Step> Steps;
};

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_GRAPH_H
