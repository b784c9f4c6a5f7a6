//===- Routes.h - Rings and trees of ranks ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What each rank does in a collective that goes from rank to rank: the steps of
// Parameters.h. Knows nothing of devices and links.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_COLLECTIVES_ROUTES_H
#define HEDDLE_LIB_CUDA_COLLECTIVES_ROUTES_H

#include "Collectives/Parameters.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace heddle::cuda::collectives {

enum class CollectiveKind : uint8_t {
  AllReduce,
  Reduce,
  ReduceScatter,
  AllGather,
  Broadcast,
  AllToAll,
  Gather,
  Scatter,
};
/// As NCCL calls it.
llvm::StringRef nameOf(CollectiveKind Kind);

/// The neighbours of a rank in a tree.
struct TreePlace {
  std::optional<unsigned> Parent; ///< None: the root.
  llvm::SmallVector<unsigned, Step::MostPeers> Children;
};

/// The steps of a rank in a ring, whose order is that of \p Ring. \p Root is
/// where a reduction ends or a broadcast begins. \p Count is that of the
/// program's call.
Route ringRoute(CollectiveKind Kind, llvm::ArrayRef<unsigned> Ring,
                unsigned Rank, unsigned Root, uint64_t Count);

/// The steps of a rank in an all-reduce that goes up a tree and down again.
Route treeRoute(const TreePlace &Place, uint64_t Count);

} // namespace heddle::cuda::collectives

#endif // HEDDLE_LIB_CUDA_COLLECTIVES_ROUTES_H
