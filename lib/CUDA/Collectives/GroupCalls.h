//===- GroupCalls.h - What a thread collects until ncclGroupEnd -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Between ncclGroupStart and ncclGroupEnd starts, transfers and collectives are
// collected, since one thread may act for several ranks that need each other.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_COLLECTIVES_GROUPCALLS_H
#define HEDDLE_LIB_CUDA_COLLECTIVES_GROUPCALLS_H

#include "Collectives/Communicator.h"

#include <functional>
#include <vector>

namespace heddle::cuda::collectives {

class GroupCalls {
public:
  /// The thread's.
  static GroupCalls &get();

  void start() { ++Depth; }
  /// Does what was collected if this is the end of the outermost group.
  Result end();

  /// Does something in steps, each of which may wait for what other ranks do in
  /// the step before.
  using Steps = std::vector<std::function<Result()>>;
  Result run(Steps S);
  Result run(Communicator &Comm, const Collective &C, cudaStream_t Stream);
  Result run(Communicator &Comm, const Transfer &T, cudaStream_t Stream);

private:
  struct PendingCollective {
    Communicator *Comm;
    Collective C;
    cudaStream_t Stream;
    uint64_t Done = 0;
    std::optional<Way> How = {}; ///< None: it has not begun.
  };
  using Round = std::vector<PendingCollective *>;
  struct PendingTransfer {
    Communicator *Comm;
    Transfer T;
    cudaStream_t Stream;
  };

  Result runSteps();
  Result runTransfers();
  Result runCollectives();
  static Result beginRound(const Round &All);
  static Result enqueueRound(const Round &All);

  unsigned Depth = 0;
  std::vector<Steps> Starts;
  std::vector<PendingTransfer> Moves;
  std::vector<PendingCollective> Collectives;
};

} // namespace heddle::cuda::collectives

#endif // HEDDLE_LIB_CUDA_COLLECTIVES_GROUPCALLS_H
