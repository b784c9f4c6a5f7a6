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
#include "ThreadValue.h"
#include "llvm/ADT/STLExtras.h"

#include <map>
#include <tuple>

namespace heddle::cuda::collectives {

GroupCalls &GroupCalls::get() { return threadValue<GroupCalls>(); }

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

/// Of those that have not begun yet.
Result GroupCalls::beginRound(const Round &All) {
  Round New;
  llvm::copy_if(All, std::back_inserter(New),
                [](const PendingCollective *P) { return !P->How; });
  auto ForAll = [&](auto Do) {
    for (PendingCollective *P : New) {
      DeviceScope Scope(P->Comm->Device);
      if (Result Code = Do(*P); Code != Success)
        return Code;
    }
    return Success;
  };
  Result Code = ForAll([](PendingCollective &P) {
    Result Code = P.Comm->follow(P.Stream);
    return Code == Success ? P.Comm->arrive(P.Stream) : Code;
  });
  if (Code != Success)
    return Code;
  return ForAll([&](PendingCollective &P) {
    for (const PendingCollective *Other : New)
      if (Result Code = P.Comm->meet(*Other->Comm, P.Stream); Code != Success)
        return Code;
    return P.Comm->begin(P.C, P.How.emplace(), P.Stream);
  });
}

Result GroupCalls::enqueueRound(const Round &All) {
  for (PendingCollective *P : All) {
    DeviceScope Scope(P->Comm->Device);
    Result Code;
    if (P->How->isRouted()) {
      Code = P->Comm->enqueueRoute(P->C, *P->How, P->Stream);
      P->Done = P->C.Bytes;
    } else {
      Code = P->Comm->enqueuePiece(P->C, *P->How, P->Done, P->Stream);
    }
    if (Code == Success && P->Done == P->C.Bytes)
      Code = P->Comm->note(P->Stream);
    if (Code != Success)
      return Code;
  }
  return Success;
}

/// In rounds, each of all ranks: the queue of one rank's stream is never filled
/// with what waits for a rank that this thread has not come to yet. A round has
/// a collective that goes from rank to rank, or a piece of another one.
Result GroupCalls::runCollectives() {
  std::vector<PendingCollective> All = std::move(Collectives);
  Collectives.clear();
  for (;;) {
    Round Next;
    for (PendingCollective &P : All)
      if (P.Done != P.C.Bytes &&
          llvm::none_of(Next, [&](const PendingCollective *Earlier) {
            return Earlier->Comm == P.Comm;
          }))
        Next.push_back(&P);
    if (Next.empty())
      return Success;
    if (Result Code = beginRound(Next); Code != Success)
      return Code;
    if (Result Code = enqueueRound(Next); Code != Success)
      return Code;
  }
}

} // namespace heddle::cuda::collectives
