//===- Topology.cpp - Which way a collective goes ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rings and trees of ranks, and what NCCL_ALGO and NCCL_PROTO allow.
//
//===----------------------------------------------------------------------===//

#include "Collectives/Topology.h"
#include "Devices/MachineLinks.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

#include <cstdlib>

using namespace llvm;

namespace heddle::cuda::collectives {

//===----------------------------------------------------------------------===//
// What the program asks for
//===----------------------------------------------------------------------===//

static StringRef variable(const char *Name) {
  const char *Text = std::getenv(Name);
  return Text ? Text : "";
}

/// Names as NCCL's, which has no hyphens in them.
static bool isNamed(StringRef Ours, StringRef Given) {
  std::string Plain = Ours.str();
  llvm::erase(Plain, '-');
  return Given.trim().equals_insensitive(Plain);
}

/// Whether a variable such as `ring,tree`, `^tree` or
/// `allreduce:tree;broadcast:ring` allows something for a collective.
static bool allows(StringRef List, CollectiveKind Kind, StringRef Name) {
  SmallVector<StringRef> Sections;
  List.split(Sections, ';');
  for (StringRef Section : Sections) {
    auto [For, Names] =
        Section.contains(':') ? Section.split(':') : std::pair("", Section);
    if (!For.empty() && !For.trim().equals_insensitive(nameOf(Kind)))
      continue;
    Names = Names.trim();
    bool IsExcluding = Names.consume_front("^");
    if (Names.empty())
      continue;
    bool IsThere = any_of(split(Names, ','), [&](StringRef Given) {
      return isNamed(Name, Given);
    });
    if (IsThere == IsExcluding)
      return false;
  }
  return true;
}

uint64_t Topology::wishes() {
  std::string All;
  for (const char *Name :
       {"HEDDLE_DEVICES", "HEDDLE_CHIP", "NCCL_ALGO", "NCCL_PROTO"})
    All += variable(Name).str() + "\n";
  return xxh3_64bits(All);
}

//===----------------------------------------------------------------------===//
// Rings and trees
//===----------------------------------------------------------------------===//

Topology::Topology(unsigned Rank, ArrayRef<RankPlace> Places) {
  for (unsigned R = 0; R != Places.size(); ++R) {
    auto Here = find_if(
        Hosts, [&](const HostRanks &H) { return H.Host == Places[R].Host; });
    if (Here == Hosts.end())
      Here = Hosts.insert(Here, {Places[R].Host, {}, {}});
    Here->Ranks.push_back(R);
    Here->Devices.push_back(Places[R].Device);
  }
  order(Places);
  makeTree(Rank);
}

void Topology::order(ArrayRef<RankPlace> Places) {
  IsAgreed = all_of(Places, [&](const RankPlace &P) {
    return P.Wishes == Places.front().Wishes;
  });
  const fabric::Machine *M = IsAgreed ? knownMachine() : nullptr;
  // Two ranks may share a device, which has no link to itself.
  IsKnown = M != nullptr;
  for (HostRanks &H : Hosts) {
    SmallVector<unsigned> Sorted = H.Devices;
    llvm::sort(Sorted);
    bool AreApart = llvm::unique(Sorted) == Sorted.end();
    bool AreThere = M && Sorted.back() < M->devices().size();
    IsKnown &= AreApart && AreThere;
    if (AreApart && AreThere) {
      SmallVector<unsigned> Ordered = fabric::ringOrder(*M, H.Devices);
      llvm::sort(H.Ranks, [&](unsigned A, unsigned B) {
        return find(Ordered, Places[A].Device) <
               find(Ordered, Places[B].Device);
      });
      H.Devices = Ordered;
    }
    IsKnown &= H.Devices == Hosts.front().Devices;
    append_range(Ring, H.Ranks);
  }
  if (Hosts.size() > 1)
    IsKnown &= M && M->network() && Hosts.size() <= M->network()->Hosts;
}

/// A chain in each host, whose first ranks are a binary tree.
void Topology::makeTree(unsigned Rank) {
  for (unsigned I = 0; I != Hosts.size(); ++I) {
    ArrayRef<unsigned> Chain = Hosts[I].Ranks;
    const auto *Here = find(Chain, Rank);
    if (Here == Chain.end())
      continue;
    if (Here + 1 != Chain.end())
      Tree.Children.push_back(Here[1]);
    if (Here != Chain.begin()) {
      Tree.Parent = Here[-1];
      continue;
    }
    if (I != 0)
      Tree.Parent = Hosts[(I - 1) / 2].Ranks.front();
    for (unsigned Child : {2 * I + 1, 2 * I + 2})
      if (Child < Hosts.size())
        Tree.Children.push_back(Hosts[Child].Ranks.front());
  }
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// What the model calls it; none if it has no times for it.
static std::optional<fabric::Collective> modelled(CollectiveKind Kind) {
  switch (Kind) {
  case CollectiveKind::AllReduce:
    return fabric::Collective::AllReduce;
  case CollectiveKind::ReduceScatter:
    return fabric::Collective::ReduceScatter;
  case CollectiveKind::AllGather:
    return fabric::Collective::AllGather;
  case CollectiveKind::Reduce: // the same way, from its end
  case CollectiveKind::Broadcast:
    return fabric::Collective::Broadcast;
  case CollectiveKind::AllToAll:
    return fabric::Collective::AllToAll;
  default:
    return std::nullopt;
  }
}

/// What there is for ranks of whose links nothing is known: no times.
static SmallVector<fabric::CollectiveTime> blindWays(CollectiveKind Kind) {
  fabric::CollectiveTime T;
  switch (Kind) {
  case CollectiveKind::AllToAll:
  case CollectiveKind::Gather:
  case CollectiveKind::Scatter:
    T.Way = fabric::Algorithm::Pairwise;
    return {T};
  case CollectiveKind::AllReduce: {
    fabric::CollectiveTime Tree = T;
    Tree.Way = fabric::Algorithm::Tree;
    return {T, Tree};
  }
  default:
    return {T};
  }
}

static bool bySwitch(const fabric::CollectiveTime &T) {
  return T.Way == fabric::Algorithm::NVLS ||
         T.Way == fabric::Algorithm::NVLSTree;
}

Expected<Way> Topology::choose(const WayQuery &Q) const {
  std::optional<fabric::Collective> Known = modelled(Q.Kind);
  bool HasTimes = Known && IsKnown;
  SmallVector<fabric::CollectiveTime> Ways = blindWays(Q.Kind);
  if (HasTimes) {
    const HostRanks &H = Hosts.front();
    fabric::Group G = {static_cast<unsigned>(Hosts.size()),
                       static_cast<unsigned>(H.Ranks.size()), H.Devices};
    Ways = fabric::CollectiveModel(*knownMachine()).ways(*Known, G, Q.Bytes);
  }
  if (!Q.SwitchReduces)
    llvm::erase_if(Ways, bySwitch);
  // A collective that has none of the algorithms is not meant.
  StringRef Algorithms = IsAgreed ? variable("NCCL_ALGO") : "",
            Protocols = IsAgreed ? variable("NCCL_PROTO") : "";
  auto IsWanted = [&](const fabric::CollectiveTime &T) {
    return allows(Algorithms, Q.Kind, fabric::nameOf(T.Way));
  };
  if (any_of(Ways, IsWanted))
    llvm::erase_if(Ways, std::not_fn(IsWanted));
  if (HasTimes)
    llvm::erase_if(Ways, [&](const fabric::CollectiveTime &T) {
      return !allows(Protocols, Q.Kind, fabric::nameOf(T.Messages));
    });
  if (Ways.empty())
    return createStringError("NCCL_ALGO '" + Algorithms + "' and NCCL_PROTO '" +
                             Protocols + "' leave no way for " +
                             nameOf(Q.Kind));
  if (!HasTimes)
    return Way{Ways.front().Way, Ways.front().Messages, std::nullopt};
  fabric::CollectiveTime T = fabric::fastest(Ways);
  return Way{T.Way, T.Messages, static_cast<uint64_t>(T.total() * 1e3)};
}

} // namespace heddle::cuda::collectives
