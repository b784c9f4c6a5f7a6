//===- Communicator.h - A rank of a group -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ncclComm_t points to, and the kernels that it launches.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_COLLECTIVES_COMMUNICATOR_H
#define HEDDLE_LIB_CUDA_COLLECTIVES_COMMUNICATOR_H

#include "Collectives/Segment.h"
#include "Devices/CurrentDevice.h"

#include <map>
#include <mutex>

namespace heddle::cuda::collectives {

/// A reduction as the program names it: a sum whose elements have a factor, if
/// Factor is not null.
struct Operator {
  ReduceOp Op = ReduceOp::Sum;
  DataType Type = DataType::Int8; ///< Of the factor.
  const void *Factor = nullptr;   ///< On the device.
  bool IsOwn = false;             ///< Factor was allocated here.
};

/// What the ranks do together, seen by one of them. Each part is Bytes long in
/// all; it goes through the stages in pieces, or from rank to rank.
struct Collective {
  CollectiveKind Kind = CollectiveKind::AllReduce;
  unsigned Root = 0; ///< Of a reduction to one rank, or of a broadcast.
  const char *Send = nullptr; ///< Null: the rank gives nothing.
  char *Receive = nullptr;    ///< Null: the rank takes nothing.
  uint64_t Bytes = 0;         ///< Of a part.
  unsigned SendParts = 1;     ///< Of who sends, one behind the other.
  /// Of each rank the part of this one's number is taken, not the only one.
  bool TakesOwnPart = false;
  bool Reduces = false;    ///< Else what ranks sent is put behind each other:
  unsigned First = 0;      ///< The first rank that is taken from.
  unsigned TakenRanks = 0; ///< How many are.
  Operator Op = {};
  DataType Type = DataType::Int8;
};

class Communicator {
public:
  Communicator(unsigned Rank, unsigned NumRanks, unsigned Device)
      : Rank(Rank), NumRanks(NumRanks), Device(Device) {}
  /// Waits for what is in flight.
  ~Communicator();

  const unsigned Rank, NumRanks, Device;

  /// The two steps of a start. Others may have to do the first before this rank
  /// can do the second.
  Result join(const UniqueId &TheId);
  Result waitForOthers();

  /// The two steps of a split.
  struct SplitState {
    int Color = 0;
    uint32_t Number = 0;
  };
  Result announceSplit(int Color, int Key, SplitState &State);
  /// Which rank of how many this one is in its new group, and the group's id.
  void findSplit(const SplitState &State, unsigned &NewRank, unsigned &NewSize,
                 UniqueId &NewId);

  /// How a collective is done. Where the device has virtual time and the model
  /// knows the collective's, that is enqueued, and what follows takes no other.
  Result begin(const Collective &C, Way &W, cudaStream_t Stream);
  /// Enqueues a collective that goes from rank to rank.
  Result enqueueRoute(const Collective &C, const Way &W, cudaStream_t Stream);
  /// Enqueues the piece of another one that begins Done bytes behind the
  /// beginning of each part, and moves Done on.
  Result enqueuePiece(const Collective &C, const Way &W, uint64_t &Done,
                      cudaStream_t Stream);
  Result enqueue(const Transfers &All, cudaStream_t Stream);
  /// What follows in a stream waits for what this communicator has enqueued in
  /// another one; and notes that it has.
  Result follow(cudaStream_t Stream);
  Result note(cudaStream_t Stream);
  /// In virtual time no rank of a thread begins before those of the same group
  /// and thread have come: says that this one has, and waits for another one.
  Result arrive(cudaStream_t Stream);
  Result meet(const Communicator &Other, cudaStream_t Stream);

  Result createOperator(const void *Scalar, DataType Type, bool IsOnDevice,
                        int &Number);
  Result destroyOperator(int Number);
  /// False if there is no such one for elements of that type.
  bool findOperator(int Number, DataType Type, Operator &Op);

  void abort();
  /// Whether a rank has aborted, or another host is gone.
  bool isAborted() const;

private:
  Group group() const;
  void learnLinks();
  void tellChoice(const Collective &C, const Way &W);
  Result launch(const std::string &Kernel, uint64_t Blocks, unsigned Threads,
                void **Arguments, cudaStream_t Stream, bool IsTimed = true);

  std::shared_ptr<Segment> Shared;
  UniqueId Id = {}; ///< Of the group.
  OwnCounts *Own = nullptr;
  std::optional<Topology> Links; ///< When all have come.
  cudaEvent_t LastWork = nullptr, Arrival = nullptr;
  cudaStream_t LastStream = nullptr;
  uint32_t NumSplits = 0;
  uint64_t ToldWays = 0; ///< A bit for each kind and algorithm.
  std::mutex Mutex;      ///< Of what follows.
  std::map<int, Operator> Operators;
  int LastOperator = NumReduceOps - 1;
};

/// The bytes of an element.
unsigned bytesOf(DataType Type);

} // namespace heddle::cuda::collectives

#endif // HEDDLE_LIB_CUDA_COLLECTIVES_COMMUNICATOR_H
