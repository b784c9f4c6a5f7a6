//===- CollectiveModel.cpp - How long collectives take ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A way of doing a collective has a number of steps, each with a latency, and a
// rate, which is that of the narrowest place that all bytes go through. Bytes
// go through the steps in pieces: the smaller they are, the earlier the last
// step begins, and the more often a step's latency counts.
//
//===----------------------------------------------------------------------===//

#include "heddle/Fabric/CollectiveModel.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>

using namespace llvm;

namespace heddle::fabric {

//===----------------------------------------------------------------------===//
// Figures and names
//===----------------------------------------------------------------------===//

namespace {

#define HEDDLE_FIGURE(Name, Value) constexpr double Name = Value;
#include "Figures.def"

struct ProtocolFigures {
  StringLiteral Word;
  double RingStart, TreeStart, LinkStep, NetworkStep;
};

constexpr ProtocolFigures Protocols[] = {
#define HEDDLE_PROTOCOL(Name, Word, RingStart, TreeStart, LinkStep,            \
                        NetworkStep)                                           \
  {Word, RingStart, TreeStart, LinkStep, NetworkStep},
#include "Figures.def"
};
static_assert(std::size(Protocols) == NumProtocols);

const ProtocolFigures &figuresOf(Protocol P) {
  return Protocols[static_cast<unsigned>(P)];
}

} // namespace

StringRef nameOf(Collective C) {
  static constexpr StringLiteral Names[] = {
      "all-reduce", "all-gather", "reduce-scatter", "broadcast", "all-to-all"};
  return Names[static_cast<unsigned>(C)];
}

StringRef nameOf(Algorithm A) {
  static constexpr StringLiteral Names[] = {"ring", "tree", "nvls", "nvls-tree",
                                            "pairwise"};
  return Names[static_cast<unsigned>(A)];
}

StringRef nameOf(Protocol P) { return figuresOf(P).Word; }

StringRef nameOf(Limit L) {
  static constexpr StringLiteral Names[] = {"nothing",  "launches", "latency",
                                            "protocol", "link",     "switch",
                                            "network",  "uplinks"};
  return Names[static_cast<unsigned>(L)];
}

double busFactor(Collective C, unsigned Ranks) {
  double Others = Ranks ? (Ranks - 1.0) / Ranks : 0;
  switch (C) {
  case Collective::AllReduce:
    return 2 * Others;
  case Collective::Broadcast:
    return 1;
  default:
    return Others;
  }
}

double CollectiveTime::total() const {
  return std::max(Latency + Transfer + Fill, Launches);
}

Limit CollectiveTime::limit() const {
  if (total() == 0)
    return Limit::Nothing;
  if (Launches > Latency + Transfer + Fill)
    return Limit::Launches;
  return Transfer >= Latency + Fill ? Narrowest : Limit::Latency;
}

CollectiveTime fastest(ArrayRef<CollectiveTime> Ways) {
  return *min_element(Ways,
                      [](const CollectiveTime &A, const CollectiveTime &B) {
                        return A.total() < B.total();
                      });
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

Expected<Group> CollectiveModel::parseGroup(StringRef Text) const {
  unsigned PerHost = M.devices().size();
  unsigned Hosts = M.network() ? M.network()->Hosts : 1;
  auto Fault = [&](const Twine &Why) {
    return createStringError("'" + Text + "': " + Why);
  };
  Group G;
  auto [First, Second] = Text.split('x');
  unsigned Ranks = 0;
  if (Text.contains('x')) {
    if (First.getAsInteger(10, G.Hosts) || !G.Hosts ||
        Second.getAsInteger(10, G.DevicesPerHost) || !G.DevicesPerHost)
      return Fault("a number of ranks, or of hosts and devices of each as in "
                   "2x8, is wanted");
  } else {
    if (Text.getAsInteger(10, Ranks) || !Ranks)
      return Fault("a number of ranks, or of hosts and devices of each as in "
                   "2x8, is wanted");
    G.DevicesPerHost = std::min(Ranks, PerHost);
    if (Ranks % G.DevicesPerHost)
      return Fault("ranks do not fill hosts of " + Twine(PerHost) +
                   " devices; say how many of each host, as in 2x5");
    G.Hosts = Ranks / G.DevicesPerHost;
  }
  if (G.DevicesPerHost > PerHost)
    return Fault("a host has " + Twine(PerHost) + " devices");
  if (G.Hosts > 1 && !M.network())
    return Fault("the machine has one host of " + Twine(PerHost) +
                 " devices, and no way to others ('hosts')");
  if (G.Hosts > Hosts)
    return Fault("the machine has " + Twine(Hosts) + " hosts");
  return G;
}

SmallVector<Group> CollectiveModel::usualGroups() const {
  unsigned PerHost = M.devices().size();
  unsigned Hosts = M.network() ? M.network()->Hosts : 1;
  SmallVector<Group> Groups = {{1, PerHost}};
  if (Hosts > 2)
    Groups.push_back({2, PerHost});
  if (Hosts > 1)
    Groups.push_back({Hosts, PerHost});
  return Groups;
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

static bool isBetter(const DeviceLink &A, const DeviceLink &B) {
  return std::pair(A.BytesPerSecond, -int64_t(A.LatencyNs)) >
         std::pair(B.BytesPerSecond, -int64_t(B.LatencyNs));
}

SmallVector<unsigned> ringOrder(const Machine &M, ArrayRef<unsigned> Devices) {
  SmallVector<unsigned> Ring, Left(Devices);
  while (!Left.empty()) {
    auto *Next = Left.begin();
    for (unsigned &Other : Left)
      if (!Ring.empty() &&
          isBetter(M.link(Ring.back(), Other), M.link(Ring.back(), *Next)))
        Next = &Other;
    Ring.push_back(*Next);
    Left.erase(Next);
  }
  return Ring;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

namespace {

/// A rate in bytes a microsecond, and whose it is.
struct Rate {
  double BytesPerUs;
  Limit Whose;

  bool operator<(const Rate &Other) const {
    return BytesPerUs < Other.BytesPerUs;
  }
  Rate operator*(double Share) const { return {BytesPerUs * Share, Whose}; }
};

constexpr Rate Unlimited = {INFINITY, Limit::Nothing};

/// A ring through the first devices of a host.
struct HostPaths {
  /// Of what a device sends and receives, as data and as the link has it.
  Rate Data = Unlimited;
  double Raw = INFINITY;
  double Latency = 0; ///< Of the slowest link.
  bool AllNVLink = true;

  void take(const DeviceLink &L) {
    double Link = L.BytesPerSecond / 1e6;
    bool IsNVLink = L.Kind == LinkKind::NVLink;
    Data = std::min(
        Data, Rate{Link * (IsNVLink ? NVLinkShare : PCIeShare), Limit::Link});
    Raw = std::min(Raw, Link);
    Latency = std::max(Latency, L.LatencyNs / 1e3);
    AllNVLink &= IsNVLink;
  }
};

/// A ring in the order of ringOrder.
HostPaths ringOf(const Machine &M, ArrayRef<unsigned> Devices) {
  HostPaths Paths;
  SmallVector<unsigned> Ring = ringOrder(M, Devices);
  for (unsigned I = 1; I < Ring.size(); ++I)
    Paths.take(M.link(Ring[I - 1], Ring[I]));
  if (Ring.size() > 2)
    Paths.take(M.link(Ring.back(), Ring.front()));
  return Paths;
}

/// The slowest links between any two devices of a host.
HostPaths allPairs(const Machine &M, ArrayRef<unsigned> Devices) {
  HostPaths Paths;
  for (unsigned A = 0; A < Devices.size(); ++A)
    for (unsigned B = A + 1; B < Devices.size(); ++B)
      Paths.take(M.link(Devices[A], Devices[B]));
  return Paths;
}

/// The devices of a group that are on each host.
SmallVector<unsigned> devicesOf(const Group &G) {
  if (!G.Devices.empty())
    return SmallVector<unsigned>(G.Devices);
  SmallVector<unsigned> First(G.DevicesPerHost);
  std::iota(First.begin(), First.end(), 0);
  return First;
}

/// A collective on a group.
class Estimator {
public:
  Estimator(const Machine &M, Collective C, Group G, double Bytes)
      : M(M), C(C), G(G), Bytes(Bytes), Ranks(G.ranks()),
        Ring(ringOf(M, devicesOf(G))), Network(cards()) {}

  SmallVector<CollectiveTime> all();

private:
  CollectiveTime ring(Protocol P) const;
  CollectiveTime tree(Protocol P) const;
  CollectiveTime nvls() const;
  CollectiveTime nvlsTree() const;
  CollectiveTime pairwise() const;

  /// What the cards that the devices of a host use have together.
  Rate cards() const {
    if (G.Hosts == 1)
      return Unlimited;
    const HostNetwork &N = *M.network();
    double Used = std::min<double>(
        N.Cards,
        std::max(1.0, double(N.Cards) * G.DevicesPerHost / M.devices().size()));
    return {Used * N.BytesPerSecond / 1e6 * NetworkShare, Limit::Network};
  }
  /// Of one way in and one out of each leaf switch, as rings and trees have it.
  Rate uplinks() const {
    if (G.Hosts == 1 || !M.network()->crossesLeaves(G.Hosts))
      return Unlimited;
    const HostNetwork &N = *M.network();
    return {Network.BytesPerUs * N.HostsPerLeaf / N.Oversubscription,
            Limit::Uplink};
  }
  Rate between() const { return std::min(Network, uplinks()); }
  double networkLatency() const {
    const HostNetwork &N = *M.network();
    double Further = N.crossesLeaves(G.Hosts) ? 2.0 * N.SwitchLatencyNs : 0;
    return (N.LatencyNs + Further) / 1e3;
  }
  /// The steps from the root of a binary tree of hosts to its leaves.
  double depth() const { return Log2_32_Ceil(G.Hosts); }
  /// What hosts have for each byte of a result that goes up and down a tree: in
  /// the middle of one a host sends it to the one above and two below.
  Rate betweenInTree() const { return between() * (G.Hosts == 2 ? 1 : 0.5); }
  /// What a switch that adds and copies has for each byte of a result.
  Rate switchRate() const;
  CollectiveTime finish(Algorithm A, Protocol P, double Latency, Rate R,
                        double Moved, double FillFactor) const;

  const Machine &M;
  const Collective C;
  const Group G;
  const double Bytes;
  const unsigned Ranks;
  const HostPaths Ring;
  const Rate Network;
};

} // namespace

//===----------------------------------------------------------------------===//
// Ways
//===----------------------------------------------------------------------===//

/// For N stages of latency L and a rate R, pieces of the size that makes the
/// sum of filling and of their latencies least take 2 sqrt(N L Bytes / R)
/// beside N L + Bytes / R. NCCL's pieces have a largest size.
CollectiveTime Estimator::finish(Algorithm A, Protocol P, double Latency,
                                 Rate R, double Moved,
                                 double FillFactor) const {
  CollectiveTime T;
  T.Way = A;
  T.Messages = P;
  T.Latency = Latency;
  T.Transfer = Moved / R.BytesPerUs;
  double PerByte = Bytes > 0 ? T.Transfer / Bytes : 0;
  T.Fill = std::min(2 * FillFactor * std::sqrt(Latency * T.Transfer),
                    FillFactor > 0 ? MostFill * PerByte : 0);
  T.Narrowest = R.Whose;
  return T;
}

CollectiveTime Estimator::ring(Protocol P) const {
  const ProtocolFigures &F = figuresOf(P);
  Rate R = std::min(Ring.Data, between());
  if (P == Protocol::LL)
    R = std::min(R * LLShare, Rate{G.Hosts == 1 ? Ring.Raw * LLMostOfLink
                                                : LLMostOfNetwork * 1e3,
                                   Limit::Protocol});
  if (P == Protocol::LL128)
    R = R * LL128Share;
  unsigned Rounds = C == Collective::AllReduce ? 2 : 1;
  double Step = Ring.Latency + F.LinkStep, Latency = F.RingStart;
  if (G.Hosts > 1) {
    Step = std::max(Step, P == Protocol::Simple ? 3 * PostStep : PostStep);
    Latency += Rounds * (G.Hosts - 1) * (networkLatency() + F.NetworkStep);
  }
  Latency += Rounds * (Ranks - G.Hosts) * Step;
  return finish(Algorithm::Ring, P, Latency, R, Bytes * busFactor(C, Ranks),
                P == Protocol::Simple ? FillShare : 0);
}

CollectiveTime Estimator::tree(Protocol P) const {
  const ProtocolFigures &F = figuresOf(P);
  // In a chain a device sends each byte once up and once down.
  Rate R = std::min(Ring.Data * (0.5 * TreeShare), betweenInTree());
  if (P == Protocol::LL)
    R = std::min(R * LLTreeShare,
                 Rate{0.5 * (G.Hosts == 1 ? Ring.Raw * LLMostOfLink
                                          : LLMostOfNetwork * 1e3),
                      Limit::Protocol});
  if (P == Protocol::LL128)
    R = R * (G.Hosts == 1 ? LL128TreeShare : LL128HostTreeShare);
  double Up = (G.DevicesPerHost - 1) * (Ring.Latency + F.LinkStep);
  if (G.Hosts > 1)
    Up += depth() * (networkLatency() + F.NetworkStep);
  return finish(Algorithm::Tree, P, F.TreeStart + 2 * Up, R, Bytes,
                P == Protocol::Simple ? FillShare : FlaggedTreeFillShare);
}

Rate Estimator::switchRate() const {
  double N = G.DevicesPerHost;
  // Of each byte of a result a device sends its own part to the switch, and one
  // device sends the sum.
  double Share = C == Collective::AllReduce ? N / (N + 1) : N / (N - 1);
  return {Ring.Data.BytesPerUs * SwitchShare * Share, Limit::Switch};
}

CollectiveTime Estimator::nvls() const {
  return finish(Algorithm::NVLS, Protocol::Simple, SwitchStart, switchRate(),
                Bytes, SwitchFillShare);
}

CollectiveTime Estimator::nvlsTree() const {
  double Latency =
      SwitchStart + 2 * depth() * (networkLatency() + SwitchTreeStep);
  return finish(Algorithm::NVLSTree, Protocol::Simple, Latency,
                std::min(switchRate() * TreeShare, betweenInTree()), Bytes,
                SwitchFillShare);
}

/// Each device sends an equal part of its bytes to each. Where hosts have rails
/// a device hands what goes to another rail to the device of that rail.
CollectiveTime Estimator::pairwise() const {
  const ProtocolFigures &F = figuresOf(Protocol::Simple);
  double Part = Bytes / Ranks, Latency = F.RingStart;
  double InHost = (G.DevicesPerHost - 1) * Part, Outside = 0;
  if (G.Hosts > 1) {
    double Others = Ranks - G.DevicesPerHost;
    Outside = Others * Part;
    Latency += networkLatency() + F.NetworkStep + Others * PostStep;
    if (M.network()->HasRails) {
      InHost += Outside * (G.DevicesPerHost - 1) / G.DevicesPerHost;
      Latency += Ring.Latency + F.LinkStep;
    }
  }
  HostPaths Pairs = allPairs(M, devicesOf(G));
  // Without a switch each two devices have a link of their own.
  double Links = M.deviceSwitch() ? 1 : std::max(1u, G.DevicesPerHost - 1);
  CollectiveTime T = finish(Algorithm::Pairwise, Protocol::Simple, Latency,
                            Pairs.Data * Links, InHost, 0);
  auto TakeSlower = [&](Rate R, double Moved) {
    if (Moved / R.BytesPerUs > T.Transfer)
      T = finish(Algorithm::Pairwise, Protocol::Simple, Latency, R, Moved, 0);
  };
  TakeSlower(Network, Outside * G.DevicesPerHost);
  if (G.Hosts > 1 && M.network()->crossesLeaves(G.Hosts)) {
    const HostNetwork &N = *M.network();
    double Above =
        Part * G.DevicesPerHost * (G.Hosts - N.HostsPerLeaf) * G.DevicesPerHost;
    TakeSlower({Network.BytesPerUs / N.Oversubscription, Limit::Uplink}, Above);
  }
  return T;
}

SmallVector<CollectiveTime> Estimator::all() {
  if (Ranks == 1)
    return {CollectiveTime()};
  if (C == Collective::AllToAll)
    return {pairwise()};
  SmallVector<CollectiveTime> Ways;
  for (unsigned I = 0; I != NumProtocols; ++I) {
    auto P = static_cast<Protocol>(I);
    if (G.Hosts > 1 && !M.network()->allows(P))
      continue;
    if (P == Protocol::LL128 && !Ring.AllNVLink)
      continue; // Its lines of 128 bytes arrive whole over NVLink only.
    Ways.push_back(ring(P));
    if (C == Collective::AllReduce)
      Ways.push_back(tree(P));
  }
  bool Adds = M.deviceSwitch() && M.deviceSwitch()->Reduces &&
              G.DevicesPerHost > 2 &&
              (G.Hosts == 1 || M.network()->allows(Protocol::Simple));
  if (Adds && G.Hosts == 1 && C != Collective::Broadcast)
    Ways.push_back(nvls());
  if (Adds && G.Hosts > 1 && C == Collective::AllReduce)
    Ways.push_back(nvlsTree());
  return Ways;
}

SmallVector<CollectiveTime>
CollectiveModel::ways(Collective C, Group G, uint64_t Bytes,
                      unsigned DevicesPerThread) const {
  SmallVector<CollectiveTime> Ways =
      Estimator(M, C, G, static_cast<double>(Bytes)).all();
  if (DevicesPerThread > 1)
    for (CollectiveTime &T : Ways)
      T.Launches = DevicesPerThread * LaunchTime;
  return Ways;
}

} // namespace heddle::fabric
