//===- GroupCalls.cpp - Calls until ncclGroupEnd ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order in which a thread does what several ranks have to do together.
//
//===----------------------------------------------------------------------===//

#include "Collectives/GroupCalls.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <tuple>

namespace heddle::cuda::collectives {

GroupCalls &GroupCalls::get() {
  static thread_local GroupCalls Calls;
  return Calls;
}

Result GroupCalls::end() {
  if (Depth == 0)
    return fail(InvalidUsage, "ncclGroupEnd without ncclGroupStart");
  if (--Depth != 0)
    return Success;
  Result First = Success;
  for (auto Step : {&GroupCalls::runSteps, &GroupCalls::runTransfers,
                    &GroupCalls::runCollectives})
    if (Result Code = (this->*Step)(); First == Success)
      First = Code;
  return First;
}

Result GroupCalls::run(Steps S) {
  start();
  Starts.push_back(std::move(S));
  return end();
}

Result GroupCalls::run(Communicator &Comm, const Collective &C,
                       cudaStream_t Stream) {
  if (C.Bytes == 0)
    return Success;
  start();
  Collectives.push_back({&Comm, C, Stream});
  return end();
}

Result GroupCalls::run(Communicator &Comm, const Transfer &T,
                       cudaStream_t Stream) {
  if (T.Bytes == 0)
    return Success;
  start();
  Moves.push_back({&Comm, T, Stream});
  return end();
}

/// All first steps, then all second ones, and so on.
Result GroupCalls::runSteps() {
  std::vector<Steps> All = std::move(Starts);
  Starts.clear();
  for (size_t Step = 0;; ++Step) {
    bool IsAny = false;
    for (Steps &S : All) {
      if (Step >= S.size())
        continue;
      IsAny = true;
      if (Result Code = S[Step](); Code != Success)
        return Code;
    }
    if (!IsAny)
      return Success;
  }
}

/// A round has at most one transfer to and one from each peer: the first ones
/// of all ranks belong together, and so do the second ones.
Result GroupCalls::runTransfers() {
  std::vector<PendingTransfer> All = std::move(Moves);
  Moves.clear();
  struct Launch {
    Communicator *Comm;
    cudaStream_t Stream;
    Transfers List;
  };
  std::map<unsigned, std::vector<Launch>> Rounds;
  std::map<std::tuple<Communicator *, uint32_t, uint32_t>, unsigned> Counts;
  for (const PendingTransfer &P : All) {
    std::vector<Launch> &Round =
        Rounds[Counts[{P.Comm, P.T.Peer, P.T.IsSend}]++];
    auto It = llvm::find_if(Round, [&](const Launch &L) {
      return L.Comm == P.Comm && L.Stream == P.Stream;
    });
    if (It == Round.end())
      It = Round.insert(It, {P.Comm, P.Stream, {0, {}}});
    It->List.List[It->List.Count++] = P.T;
  }
  for (const auto &[Number, Round] : Rounds)
    for (const Launch &L : Round) {
      DeviceScope Scope(L.Comm->Device);
      Result Code = L.Comm->follow(L.Stream);
      if (Code == Success)
        Code = L.Comm->enqueue(L.List, L.Stream);
      if (Code == Success)
        Code = L.Comm->note(L.Stream);
      if (Code != Success)
        return Code;
    }
  return Success;
}

/// Piece by piece, each of all ranks: the queue of one rank's stream is never
/// filled with what waits for a rank that this thread has not come to yet.
Result GroupCalls::runCollectives() {
  std::vector<PendingCollective> All = std::move(Collectives);
  Collectives.clear();
  for (bool IsAny = true; IsAny;) {
    IsAny = false;
    std::vector<Communicator *> Busy; ///< With an earlier collective.
    for (PendingCollective &P : All) {
      if (P.Done == P.C.Bytes || llvm::is_contained(Busy, P.Comm))
        continue;
      Busy.push_back(P.Comm);
      IsAny = true;
      DeviceScope Scope(P.Comm->Device);
      Result Code = P.HasBegun ? Success : P.Comm->follow(P.Stream);
      P.HasBegun = true;
      if (Code == Success)
        Code = P.Comm->enqueuePiece(P.C, P.Done, P.Stream);
      if (Code == Success && P.Done == P.C.Bytes)
        Code = P.Comm->note(P.Stream);
      if (Code != Success)
        return Code;
    }
  }
  return Success;
}

} // namespace heddle::cuda::collectives
