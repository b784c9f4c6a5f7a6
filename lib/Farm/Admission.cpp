//===- Admission.cpp - Whose turn it is to compile --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One lock over a table of clients: a compilation takes milliseconds, a turn
// less than one of them.
//
//===----------------------------------------------------------------------===//

#include "heddle/Farm/Admission.h"

#include <algorithm>
#include <chrono>
#include <tuple>

namespace heddle::farm {

static constexpr auto Poll = std::chrono::milliseconds(20);

Admitted Admission::enter(const std::string &Client) {
  std::lock_guard Lock(Guard);
  if (Accepted >= Limits.Workers + Limits.Waiting)
    return Admitted::NoRoom;
  auto Known = Clients.find(Client);
  if (Limits.PerClient && Known != Clients.end() &&
      Known->second.Accepted >= Limits.PerClient)
    return Admitted::ClientHasTooMany;
  ++Accepted;
  ++Clients[Client].Accepted;
  return Admitted::Yes;
}

void Admission::forgetIdle(const std::string &Client) {
  auto Known = Clients.find(Client);
  if (Known != Clients.end() && !Known->second.Accepted &&
      !Known->second.Workers && Known->second.Waiting.empty())
    Clients.erase(Known);
}

void Admission::leave(const std::string &Client) {
  std::lock_guard Lock(Guard);
  --Accepted;
  --Clients[Client].Accepted;
  forgetIdle(Client);
}

/// Gives free workers to those who wait.
void Admission::handOut() {
  while (Busy < Limits.Workers) {
    ClientState *Next = nullptr;
    for (auto &[Name, Client] : Clients)
      if (!Client.Waiting.empty() &&
          (!Next || std::tie(Client.Workers, Client.LastTurn) <
                        std::tie(Next->Workers, Next->LastTurn)))
        Next = &Client;
    if (!Next)
      return;
    Next->Waiting.front()->HasWorker = true;
    Next->Waiting.pop_front();
    ++Next->Workers;
    Next->LastTurn = ++Turn;
    ++Busy;
    Changed.notify_all();
  }
}

bool Admission::take(const std::string &Client,
                     const std::function<bool()> &ShouldStop) {
  std::unique_lock Lock(Guard);
  Waiter Self;
  ClientState &State = Clients[Client];
  State.Waiting.push_back(&Self);
  handOut();
  while (!Self.HasWorker) {
    Changed.wait_for(Lock, Poll);
    if (Self.HasWorker || !ShouldStop())
      continue;
    std::erase(State.Waiting, &Self);
    forgetIdle(Client);
    return false;
  }
  return true;
}

void Admission::giveBack(const std::string &Client) {
  std::lock_guard Lock(Guard);
  --Busy;
  --Clients[Client].Workers;
  handOut();
  forgetIdle(Client);
}

Admission::Figures Admission::figures() const {
  std::lock_guard Lock(Guard);
  return {Accepted, Busy, static_cast<unsigned>(Clients.size())};
}

} // namespace heddle::farm
