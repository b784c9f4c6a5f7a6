//===- SSAPlan.h - Where variables need block arguments ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pruned SSA construction on a control-flow graph of numbers: dominators,
// liveness, and the variables for which each block needs an argument. It knows
// nothing of PTX or MLIR. Variables and blocks are dense numbers; block 0 is
// the entry and has no predecessors.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXIMPORT_SSAPLAN_H
#define HEDDLE_LIB_CONVERSION_PTXIMPORT_SSAPLAN_H

#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace heddle::import {

/// What the construction needs to know of a block.
struct FlowBlock {
  llvm::SmallVector<unsigned, 2> Succs;
  /// Variables that are read before the block writes them.
  std::vector<unsigned> Exposed;
  /// Variables that the block writes.
  std::vector<unsigned> Defined;
};

/// The result of planSSA. Blocks that the entry does not reach are left out
/// of Order and have no other entries.
struct SSAPlan {
  static constexpr unsigned None = ~0u;

  /// Reachable blocks in reverse post-order.
  std::vector<unsigned> Order;
  /// Position of each block in Order, or None.
  std::vector<unsigned> Position;
  /// Children of each block in the dominator tree.
  std::vector<llvm::SmallVector<unsigned, 2>> DominatedBy;
  /// For each block the variables that come in as its arguments, ascending.
  std::vector<std::vector<unsigned>> Arguments;
};

SSAPlan planSSA(const std::vector<FlowBlock> &Blocks, unsigned NumVariables);

} // namespace heddle::import

#endif // HEDDLE_LIB_CONVERSION_PTXIMPORT_SSAPLAN_H
