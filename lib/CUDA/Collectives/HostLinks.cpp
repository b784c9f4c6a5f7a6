//===- HostLinks.cpp - A group's memory on several hosts --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One thread looks at the counts of the host's ranks, and sends what has
// changed; one for each other host receives, which never waits for anything
// else. So no two hosts wait until the other has taken what they send.
//
//===----------------------------------------------------------------------===//

#include "Collectives/HostLinks.h"
#include "ExitHandlers.h"
#include "llvm/ADT/STLExtras.h"

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <list>
#include <map>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

using namespace llvm;

namespace heddle::cuda::collectives {

namespace {

/// The part of a group on this host. Lives until its threads have ended.
class HostLinks {
public:
  /// Of the centre, which others come to.
  HostLinks(Socket Listener, SegmentFile File, uint64_t Secret)
      : Listener(std::move(Listener)), File(File), Secret(Secret) {}
  /// Of another host.
  HostLinks(SegmentFile File, uint64_t Secret) : File(File), Secret(Secret) {}

  bool map(unsigned NumRanks);
  void add(Socket To);
  void run();

  const SegmentFile &file() const { return File; }
  std::atomic<bool> IsWanted{true}; ///< Else no other host will come.
  /// Whether ranks of this process need not be waited for.
  std::atomic<bool> IsEnding{false};

private:
  /// To another host.
  struct Link {
    explicit Link(Socket To) : To(std::move(To)) {}
    Socket To;
    std::mutex Sending;
    std::atomic<bool> HasEnded{false};
    std::thread Receiver;
  };
  /// What other hosts know of a rank of this one.
  struct Known {
    uint32_t Presence = 0, Epoch = 0, Splits[2] = {};
    uint32_t Sent[MaxRanks] = {}, Taken[MaxRanks] = {};
  };

  bool isHere(unsigned Rank) const {
    return View.header().Ranks[Rank] != SegmentView::Elsewhere;
  }
  char *stage(unsigned Rank, uint32_t Epoch) const {
    return View.stages() + (uint64_t(Rank) * 2 + (Epoch + 1) % 2) * StageBytes;
  }
  char *slot(unsigned From, unsigned To, uint32_t Number) const {
    return View.pairs() + ((uint64_t(From) * View.NumRanks + To) * PairSlots +
                           (Number - 1) % PairSlots) *
                              PairBytes;
  }

  static Message joined(unsigned Rank) {
    return {MessageKind::Joined, Rank, 0, 0, sizeof(RankPlace)};
  }
  void acceptOther();
  bool welcome(Socket &Other, bool &IsFirst);
  void send(Link &To, const Message &M, const void *Payload);
  void sendToAll(const Message &M, const void *Payload, const Link *But);
  void route(const Message &M, const void *Payload, unsigned Rank);
  bool look();
  bool lookAtRank(unsigned Rank, Known &K);
  bool lookAtPairs(unsigned Rank, Known &K);
  void receive(Link &From);
  char *placeOf(const Message &M, std::vector<char> &Other);
  bool isSensible(const Message &M) const;
  void apply(const Message &M, const std::vector<char> &Payload);
  void pass(const Message &M, const void *Payload, Link &From);
  void abort();
  bool isDone();

  Socket Listener;
  const SegmentFile File;
  const uint64_t Secret;
  SegmentView View;
  Known Ranks[MaxRanks];
  bool HasAborted = false; ///< And others know.
  std::mutex Mutex;        ///< Of what follows.
  std::list<Link> Links;
  std::map<uint64_t, SegmentFile> Files; ///< Of other hosts.
  /// By the rank; null: of this host, or not known yet.
  Link *Hosts[MaxRanks] = {};
  bool IsGone[MaxRanks] = {};
  std::vector<unsigned> Joined;
};

/// All of the process. Never destroyed, see Process.h.
struct Table {
  std::mutex Mutex;
  std::condition_variable Ended;
  std::list<std::unique_ptr<HostLinks>> All;
};

Table &table() {
  static auto *The = new Table;
  return *The;
}

} // namespace

/// Other hosts may still need what ranks of this process have done.
static void waitForLinks(void *) {
  constexpr auto Longest = std::chrono::seconds(20);
  Segment::leaveAll();
  std::unique_lock Lock(table().Mutex);
  for (const std::unique_ptr<HostLinks> &L : table().All)
    L->IsEnding = true;
  table().Ended.wait_for(Lock, Longest, [] { return table().All.empty(); });
}

/// Runs the links in a thread of their own.
static HostLinks &start(std::unique_ptr<HostLinks> New) {
  static const bool IsRegistered = (callAtExit(waitForLinks), true);
  (void)IsRegistered;
  HostLinks &Links = *New;
  std::lock_guard Lock(table().Mutex);
  table().All.push_back(std::move(New));
  std::thread([&Links] {
    Links.run();
    std::lock_guard Lock(table().Mutex);
    table().All.remove_if([&](const auto &L) { return L.get() == &Links; });
    table().Ended.notify_all();
  }).detach();
  return Links;
}

//===----------------------------------------------------------------------===//
// Starts
//===----------------------------------------------------------------------===//

bool HostLinks::map(unsigned NumRanks) {
  if (View.Begin)
    return NumRanks == View.NumRanks;
  uint64_t Bytes = SegmentView::bytesFor(NumRanks);
  std::optional<MemoryFile> Opened = File.open();
  if (NumRanks == 0 || NumRanks > MaxRanks || !Opened ||
      (Opened->size() < Bytes && !Opened->resize(Bytes)))
    return false;
  uint8_t *Begin = Opened->map(0, Bytes);
  if (!Begin)
    return false;
  View = {Begin, NumRanks};
  uint32_t Nothing = 0;
  View.header().IsAcrossHosts = 1;
  return View.header().NumRanks.compare_exchange_strong(Nothing, NumRanks) ||
         Nothing == NumRanks;
}

/// A host that comes learns of the ranks that are there.
void HostLinks::add(Socket To) {
  std::lock_guard Lock(Mutex);
  Link &New = Links.emplace_back(std::move(To));
  for (unsigned Rank : Joined)
    send(New, joined(Rank), &View.header().Places[Rank]);
  New.Receiver = std::thread([this, &New] { receive(New); });
}

/// Tells who joins where the segment of that host is. False if the group is
/// another one.
bool HostLinks::welcome(Socket &Other, bool &IsFirst) {
  // Whoever connects may say nothing.
  constexpr unsigned Seconds = 10;
  Other.setPatience(Seconds);
  Hello H;
  if (!Other.receive(H) || H.Secret != Secret || !map(H.NumRanks))
    return false;
  auto Known = Files.find(H.Host);
  IsFirst = Known == Files.end();
  Welcome W = {IsFirst, 0, IsFirst ? SegmentFile() : Known->second};
  if (!Other.send(W))
    return false;
  SegmentFile Made;
  if (IsFirst && !Other.receive(Made))
    return false;
  if (IsFirst)
    Files[H.Host] = Made;
  Other.setPatience(0);
  return true;
}

void HostLinks::acceptOther() {
  constexpr int Milliseconds = 100;
  Socket Other = Listener.accept(Links.empty() ? Milliseconds : 0);
  bool IsFirst = false;
  if (Other.isValid() && welcome(Other, IsFirst) && IsFirst)
    add(std::move(Other));
}

void serveOtherHosts(Socket Listener, SegmentFile File, uint64_t Secret) {
  start(std::make_unique<HostLinks>(std::move(Listener), File, Secret));
}

void stopServing(const SegmentFile &File) {
  std::lock_guard Lock(table().Mutex);
  for (const std::unique_ptr<HostLinks> &L : table().All)
    if (L->file().identity() == File.identity())
      L->IsWanted = false;
}

Result joinOtherHost(const HostAddress &Centre, uint64_t Secret,
                     unsigned NumRanks, SegmentFile &File,
                     std::optional<MemoryFile> &Made) {
  Socket To = Centre.IPv4 ? Socket::connect(Centre) : Socket();
  if (!To.isValid())
    return fail(SystemError, "the host of the group's id cannot be reached");
  Welcome W;
  if (!To.send(Hello{Secret, hostHash(), NumRanks, 0}) || !To.receive(W))
    return fail(RemoteError, "the host of the group's id has another group, or "
                             "ranks say different sizes");
  if (!W.IsFirst) {
    File = W.File;
    return Success;
  }
  Made = MemoryFile::create(SegmentView::bytesFor(NumRanks));
  if (!Made)
    return fail(SystemError, "the host has no memory for a group");
  File = SegmentFile::of(*Made);
  auto Links = std::make_unique<HostLinks>(File, Secret);
  if (!Links->map(NumRanks) || !To.send(File))
    return fail(SystemError, "the group's memory cannot be mapped");
  Links->add(std::move(To));
  start(std::move(Links));
  return Success;
}

//===----------------------------------------------------------------------===//
// What this host's ranks do
//===----------------------------------------------------------------------===//

void HostLinks::send(Link &To, const Message &M, const void *Payload) {
  std::lock_guard Lock(To.Sending);
  if (To.To.send(M) && M.Bytes)
    To.To.send(Payload, M.Bytes);
}

/// Links are never taken away, so that their addresses stay.
void HostLinks::sendToAll(const Message &M, const void *Payload,
                          const Link *But) {
  std::unique_lock Lock(Mutex);
  if (M.Kind == MessageKind::Joined)
    Joined.push_back(M.Rank);
  SmallVector<Link *> To;
  for (Link &L : Links)
    if (&L != But && !L.HasEnded)
      To.push_back(&L);
  Lock.unlock();
  for (Link *L : To)
    send(*L, M, Payload);
}

/// To the host of a rank: those who are not the centre know that one alone.
void HostLinks::route(const Message &M, const void *Payload, unsigned Rank) {
  std::unique_lock Lock(Mutex);
  Link *To = Listener.isValid() ? Hosts[Rank] : &Links.front();
  Lock.unlock();
  if (To && !To->HasEnded)
    send(*To, M, Payload);
}

bool HostLinks::lookAtPairs(unsigned Rank, Known &K) {
  SharedCounts &C = View.counts();
  bool HasChanged = false;
  for (unsigned Peer = 0; Peer != View.NumRanks; ++Peer) {
    if (isHere(Peer))
      continue;
    uint32_t Sent = __atomic_load_n(&C.Sent[Rank][Peer], __ATOMIC_ACQUIRE);
    for (; K.Sent[Peer] != Sent; HasChanged = true) {
      uint32_t Number = ++K.Sent[Peer];
      uint32_t Bytes = C.SentBytes[Rank][Peer][(Number - 1) % PairSlots];
      route({MessageKind::Sent, Rank, Peer, Number, Bytes},
            slot(Rank, Peer, Number), Peer);
    }
    uint32_t Taken = __atomic_load_n(&C.Taken[Peer][Rank], __ATOMIC_ACQUIRE);
    if (K.Taken[Peer] != Taken) {
      K.Taken[Peer] = Taken;
      route({MessageKind::Taken, Peer, Rank, Taken}, nullptr, Peer);
      HasChanged = true;
    }
  }
  return HasChanged;
}

/// Sends what has changed; false if nothing has.
bool HostLinks::lookAtRank(unsigned Rank, Known &K) {
  SegmentView::Header &H = View.header();
  bool HasChanged = false;
  uint32_t Presence = H.Ranks[Rank];
  if (K.Presence == SegmentView::Elsewhere) {
    K.Presence = SegmentView::Here;
    HasChanged = true;
    sendToAll(joined(Rank), &H.Places[Rank], nullptr);
  }
  const SharedCounts::Arrival &A = View.counts().Arrivals[Rank];
  uint32_t Epoch = __atomic_load_n(&A.Epoch, __ATOMIC_ACQUIRE);
  for (; K.Epoch != Epoch; HasChanged = true) {
    uint32_t Next = ++K.Epoch;
    sendToAll({MessageKind::Arrived, Rank, 0, Next, A.Staged[Next % 2]},
              stage(Rank, Next), nullptr);
  }
  for (unsigned I : {0, 1}) {
    const SegmentView::Split &S = H.Splits[I][Rank];
    if (uint32_t Number = S.Number; Number != K.Splits[I]) {
      K.Splits[I] = Number;
      HasChanged = true;
      const Announcement &What = S;
      sendToAll({MessageKind::Split, Rank, 0, Number, sizeof(What)}, &What,
                nullptr);
    }
  }
  HasChanged |= lookAtPairs(Rank, K);
  if (Presence == SegmentView::Gone && K.Presence != Presence && !HasChanged) {
    K.Presence = Presence;
    HasChanged = true;
    sendToAll({MessageKind::Left, Rank}, nullptr, nullptr);
  }
  return HasChanged;
}

bool HostLinks::look() {
  bool HasChanged = false;
  for (unsigned Rank = 0; Rank != View.NumRanks; ++Rank)
    if (isHere(Rank))
      HasChanged |= lookAtRank(Rank, Ranks[Rank]);
  if (!HasAborted &&
      __atomic_load_n(&View.counts().IsAborted, __ATOMIC_ACQUIRE)) {
    HasAborted = true;
    sendToAll({MessageKind::Aborted}, nullptr, nullptr);
  }
  return HasChanged;
}

/// Whether nobody needs this host any more: its ranks have left, or their
/// process ends; the centre is needed by all.
bool HostLinks::isDone() {
  std::lock_guard Lock(Mutex);
  if (!View.Begin)
    return !IsWanted || IsEnding;
  bool AreAllHere = View.header().NumJoined == View.NumRanks;
  if (!AreAllHere && !IsEnding)
    return false;
  if (Listener.isValid())
    return all_of(Links, [](const Link &L) { return L.HasEnded.load(); });
  for (unsigned Rank = 0; Rank != View.NumRanks; ++Rank)
    if (isHere(Rank) && Ranks[Rank].Presence != SegmentView::Gone)
      return IsEnding && Links.front().HasEnded;
  return true;
}

void HostLinks::run() {
  constexpr auto Eager = std::chrono::microseconds(20),
                 Patient = std::chrono::microseconds(500);
  auto Pause = Eager;
  while (!isDone()) {
    if (Listener.isValid() && IsWanted)
      acceptOther();
    bool HasChanged = View.Begin && look();
    Pause = HasChanged ? Eager : std::min(Pause * 2, Patient);
    if (!HasChanged && View.Begin)
      std::this_thread::sleep_for(Pause);
  }
  for (Link &L : Links) {
    shutdown(L.To.descriptor(), SHUT_RDWR);
    L.Receiver.join();
  }
  if (View.Begin)
    MemoryFile::unmap(View.Begin, SegmentView::bytesFor(View.NumRanks));
}

//===----------------------------------------------------------------------===//
// What ranks of other hosts do
//===----------------------------------------------------------------------===//

void HostLinks::abort() {
  __atomic_store_n(&View.counts().IsAborted, 1u, __ATOMIC_RELEASE);
}

/// Whether a message means places that there are.
bool HostLinks::isSensible(const Message &M) const {
  uint64_t Most = 0;
  switch (M.Kind) {
  case MessageKind::Arrived:
    Most = StageBytes;
    break;
  case MessageKind::Sent:
    Most = PairBytes;
    break;
  case MessageKind::Split:
    Most = sizeof(Announcement);
    break;
  case MessageKind::Joined:
    Most = sizeof(RankPlace);
    break;
  default:
    break;
  }
  return M.Rank < View.NumRanks && M.Peer < View.NumRanks && M.Bytes <= Most;
}

void HostLinks::apply(const Message &M, const std::vector<char> &Payload) {
  SharedCounts &C = View.counts();
  switch (M.Kind) {
  case MessageKind::Joined:
    std::memcpy(&View.header().Places[M.Rank], Payload.data(),
                sizeof(RankPlace));
    ++View.header().NumJoined;
    return;
  case MessageKind::Left:
    return;
  case MessageKind::Arrived:
    std::memcpy(stage(M.Rank, M.Number), Payload.data(), M.Bytes);
    __atomic_store_n(&C.Arrivals[M.Rank].Epoch, M.Number, __ATOMIC_RELEASE);
    return;
  case MessageKind::Sent:
    std::memcpy(slot(M.Rank, M.Peer, M.Number), Payload.data(), M.Bytes);
    __atomic_store_n(&C.Sent[M.Rank][M.Peer], M.Number, __ATOMIC_RELEASE);
    return;
  case MessageKind::Taken:
    __atomic_store_n(&C.Taken[M.Rank][M.Peer], M.Number, __ATOMIC_RELEASE);
    return;
  case MessageKind::Split: {
    SegmentView::Split &S = View.header().Splits[M.Number % 2][M.Rank];
    Announcement What = {};
    std::memcpy(&What, Payload.data(), M.Bytes);
    static_cast<Announcement &>(S) = What;
    S.Number = M.Number;
    return;
  }
  case MessageKind::Aborted:
    abort();
    return;
  }
}

/// What the centre hears, others have to know.
void HostLinks::pass(const Message &M, const void *Payload, Link &From) {
  if (M.Kind == MessageKind::Joined || M.Kind == MessageKind::Left) {
    std::lock_guard Lock(Mutex);
    Hosts[M.Rank] = &From;
    IsGone[M.Rank] = M.Kind == MessageKind::Left;
  }
  if (!Listener.isValid())
    return;
  if (M.Kind == MessageKind::Sent || M.Kind == MessageKind::Taken) {
    unsigned To = M.Kind == MessageKind::Sent ? M.Peer : M.Rank;
    if (!isHere(To))
      route(M, Payload, To);
    return;
  }
  sendToAll(M, Payload, &From);
}

/// Until the other host ends. If ranks are there that have not left, the group
/// is broken.
void HostLinks::receive(Link &From) {
  Message M;
  std::vector<char> Payload;
  while (From.To.receive(M) && isSensible(M)) {
    Payload.resize(std::max<size_t>(M.Bytes, sizeof(Announcement)));
    if (!From.To.receive(Payload.data(), M.Bytes))
      break;
    apply(M, Payload);
    pass(M, Payload.data(), From);
  }
  From.HasEnded = true;
  std::unique_lock Lock(Mutex);
  bool IsBroken = false;
  for (unsigned Rank = 0; Rank != View.NumRanks; ++Rank)
    IsBroken |= Hosts[Rank] == &From && !IsGone[Rank];
  Lock.unlock();
  if (IsBroken)
    abort();
}

} // namespace heddle::cuda::collectives
