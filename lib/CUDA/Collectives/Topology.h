//===- Topology.h - Which way a collective goes -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where the ranks of a group are, and the order and the algorithm that the
// links between them ask for: the model's of heddle/Fabric, unless NCCL_ALGO or
// NCCL_PROTO say otherwise.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_COLLECTIVES_TOPOLOGY_H
#define HEDDLE_LIB_CUDA_COLLECTIVES_TOPOLOGY_H

#include "Collectives/Routes.h"
#include "heddle/Fabric/CollectiveModel.h"

#include <vector>

namespace heddle::cuda::collectives {

/// Where a rank is, as all ranks know it.
struct RankPlace {
  uint64_t Host;   ///< hostHash
  uint64_t Wishes; ///< Of variables that choices depend on.
  uint32_t Device; ///< Its index in the machine.
  uint32_t Reserved;
};

/// How a collective is done.
struct Way {
  fabric::Algorithm Algorithm = fabric::Algorithm::Ring;
  fabric::Protocol Protocol = fabric::Protocol::Simple;
  std::optional<uint64_t> Nanoseconds; ///< None: nobody knows.

  /// Whether it goes from rank to rank, and not through stages that all read.
  bool isRouted() const {
    return Algorithm == fabric::Algorithm::Ring ||
           Algorithm == fabric::Algorithm::Tree;
  }
};

/// What a collective is, for the choice.
struct WayQuery {
  CollectiveKind Kind;
  uint64_t Bytes; ///< Of the larger buffer of a rank.
  /// Whether a switch can reduce elements of that type by that operation.
  bool SwitchReduces;
};

class Topology {
public:
  /// \p Places are those of all ranks.
  Topology(unsigned Rank, llvm::ArrayRef<RankPlace> Places);

  /// Ranks in the order of the ring, from that of the first host on.
  llvm::ArrayRef<unsigned> ring() const { return Ring; }
  const TreePlace &tree() const { return Tree; }
  unsigned hosts() const { return Hosts.size(); }
  /// Whether the model knows the links of the group.
  bool isKnown() const { return IsKnown; }

  /// An error if NCCL_ALGO and NCCL_PROTO leave nothing.
  llvm::Expected<Way> choose(const WayQuery &Q) const;

  /// What all ranks have to agree in.
  static uint64_t wishes();

private:
  struct HostRanks {
    uint64_t Host;
    llvm::SmallVector<unsigned> Ranks;   ///< In the order of the ring.
    llvm::SmallVector<unsigned> Devices; ///< The same.
  };

  void order(llvm::ArrayRef<RankPlace> Places);
  void makeTree(unsigned Rank);

  std::vector<HostRanks> Hosts; ///< By their first ranks.
  llvm::SmallVector<unsigned> Ring;
  TreePlace Tree;
  bool IsKnown = false;
  bool IsAgreed = false; ///< Else nobody's variables count.
};

} // namespace heddle::cuda::collectives

#endif // HEDDLE_LIB_CUDA_COLLECTIVES_TOPOLOGY_H
