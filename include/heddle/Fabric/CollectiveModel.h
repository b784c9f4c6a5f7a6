//===- CollectiveModel.h - How long collectives take ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts the times of NCCL's collectives on machines of one to thousands of
// devices from the data of their links. docs/collective-times.md has the
// formulas and how far they are from what others have measured.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_FABRIC_COLLECTIVEMODEL_H
#define HEDDLE_FABRIC_COLLECTIVEMODEL_H

#include "heddle/Fabric/Machine.h"
#include "llvm/ADT/SmallVector.h"

namespace heddle::fabric {

enum class Collective : uint8_t {
  AllReduce,
  AllGather,
  ReduceScatter,
  Broadcast,
  AllToAll,
};
constexpr unsigned NumCollectives = 5;

enum class Algorithm : uint8_t {
  Ring,     ///< Each device sends to the next one.
  Tree,     ///< A chain in each host, two binary trees of hosts.
  NVLS,     ///< The switch of a host adds and copies.
  NVLSTree, ///< The same in each host, and two trees of hosts.
  Pairwise, ///< Each device sends to each.
};
constexpr unsigned NumAlgorithms = 5;

/// What a time would become shorter by.
enum class Limit : uint8_t {
  Nothing,  ///< There is nothing to do.
  Launches, ///< Fewer devices for each process.
  Latency,  ///< Fewer or faster steps.
  Protocol, ///< What a protocol moves at most, whatever the links have.
  Link,     ///< A faster link, or port of a switch, in the host.
  Switch,   ///< A switch that adds faster.
  Network,  ///< More or faster network cards.
  Uplink,   ///< Faster links between switches of the network.
};

llvm::StringRef nameOf(Collective C);
llvm::StringRef nameOf(Algorithm A);
llvm::StringRef nameOf(Protocol P);
llvm::StringRef nameOf(Limit L);

/// The value whose name that is.
template <typename T>
std::optional<T> valueOf(llvm::StringRef Name, unsigned Count) {
  for (unsigned I = 0; I != Count; ++I)
    if (nameOf(static_cast<T>(I)) == Name)
      return static_cast<T>(I);
  return std::nullopt;
}

/// The devices that take part, as many of each host.
struct Group {
  unsigned Hosts = 1, DevicesPerHost = 1;
  /// Which of a host, by their indices in the machine; empty: the first ones.
  llvm::ArrayRef<unsigned> Devices = {};

  unsigned ranks() const { return Hosts * DevicesPerHost; }
};

/// One way of doing a collective, and its time. All times in microseconds.
struct CollectiveTime {
  Algorithm Way = Algorithm::Ring;
  Protocol Messages = Protocol::Simple;
  double Latency = 0;  ///< Of the steps, with nothing to move.
  double Transfer = 0; ///< Of all bytes through the narrowest place.
  double Fill = 0;     ///< Until all steps of a pipeline have work.
  double Launches = 0; ///< Of the kernels, at the same time.
  Limit Narrowest = Limit::Nothing;

  double total() const;
  Limit limit() const;
};

/// Devices of a host in the order of a ring: the first one, and from each over
/// its fastest link to one that is not in the ring yet.
llvm::SmallVector<unsigned> ringOrder(const Machine &M,
                                      llvm::ArrayRef<unsigned> Devices);

/// What nccl-tests multiply bytes a second with for the bandwidth of the bus.
double busFactor(Collective C, unsigned Ranks);

class CollectiveModel {
public:
  explicit CollectiveModel(Machine M) : M(std::move(M)) {}

  /// `16` ranks, which fill hosts, or `2x8`: eight devices of each of two. An
  /// error if the machine has none such.
  llvm::Expected<Group> parseGroup(llvm::StringRef Text) const;
  /// The largest group, and what has one and two hosts.
  llvm::SmallVector<Group> usualGroups() const;

  /// All ways that NCCL has on such a machine. \p Bytes are of the larger
  /// buffer of a rank. Each thread of the program starts the kernels of
  /// \p DevicesPerThread devices.
  llvm::SmallVector<CollectiveTime> ways(Collective C, Group G, uint64_t Bytes,
                                         unsigned DevicesPerThread = 1) const;

  const Machine &machine() const { return M; }

private:
  const Machine M;
};

/// The fastest of some ways. There is one.
CollectiveTime fastest(llvm::ArrayRef<CollectiveTime> Ways);

} // namespace heddle::fabric

#endif // HEDDLE_FABRIC_COLLECTIVEMODEL_H
