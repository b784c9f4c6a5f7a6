//===- Scheduler.cpp - Who may run CTAs, and when ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Weighted fair sharing in two levels. Each client and each device has a
// virtual time, which its use moves on by its weight; the next place goes to
// the device, and in that to the client, that is furthest behind. While nobody
// waits, clients keep their places between launches, and no message is sent.
//
//===----------------------------------------------------------------------===//

#include "heddle/DeviceService/Scheduler.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace heddle::deviced {

static constexpr double SecondsOfNs = 1e-9;

unsigned Scheduler::Client::places() const {
  return std::min({Limits.Places, LeasePage::NumSlots});
}

//===----------------------------------------------------------------------===//
// Clients
//===----------------------------------------------------------------------===//

void Scheduler::add(ClientId Id, const std::string &Name, double Weight,
                    const TimeLimits &Limits, LeasePage &Page, Ns Now) {
  charge(Now);
  Device &D = Devices[Name];
  D.Weight = Weight;
  ++D.Clients;
  Client &C = Clients[Id];
  C.Of = &D;
  C.Limits = Limits;
  C.Page = &Page;
  C.PeriodBegin = Now;
}

void Scheduler::remove(ClientId Id, Ns Now) {
  charge(Now);
  auto It = Clients.find(Id);
  if (It == Clients.end())
    return;
  endLeases(It->second);
  Device *D = It->second.Of;
  Clients.erase(It);
  if (--D->Clients == 0)
    std::erase_if(Devices,
                  [=](const auto &Known) { return &Known.second == D; });
  update(Now);
}

void Scheduler::endLeases(Client &C) {
  for (const Lease &L : C.Leases)
    Free += !L.IsLost;
  C.Leases.clear();
}

void Scheduler::wait(ClientId Id, int Threads, Ns Now) {
  auto It = Clients.find(Id);
  if (It == Clients.end())
    return;
  charge(Now);
  Client &C = It->second;
  int64_t Waiting = int64_t(C.Waiting) + Threads;
  if (Waiting < 0 && !C.Leases.empty()) {
    // What was granted meanwhile is not needed: the first that was not taken.
    auto Unused = std::find_if(C.Leases.begin(), C.Leases.end(), [&](Lease &L) {
      uint32_t State = C.Page->Slots[L.Slot].load(std::memory_order_relaxed);
      return !(State & (LeasePage::Taken | LeasePage::Busy));
    });
    if (Unused != C.Leases.end())
      C.Page->Slots[Unused->Slot].fetch_or(LeasePage::Taken |
                                           LeasePage::WantedNow);
  }
  C.Waiting = std::clamp<int64_t>(Waiting, 0, LeasePage::NumSlots);
  if (C.Waiting && !C.IsActive)
    activate(C);
  update(Now);
}

/// One that was away gets nothing for that time: it begins with the one that
/// is furthest behind.
void Scheduler::activate(Client &C) {
  std::optional<double> OfClients, OfDevices;
  auto Take = [](std::optional<double> &Least, double Time) {
    Least = std::min(Least.value_or(Time), Time);
  };
  bool IsDeviceActive = false;
  for (auto &[Id, Other] : Clients) {
    if (!Other.IsActive)
      continue;
    Take(OfDevices, Other.Of->Time);
    IsDeviceActive |= Other.Of == C.Of;
    if (Other.Of == C.Of)
      Take(OfClients, Other.Time);
  }
  if (OfClients)
    C.Time = std::max(C.Time, *OfClients);
  if (OfDevices && !IsDeviceActive)
    C.Of->Time = std::max(C.Of->Time, *OfDevices);
  C.IsActive = true;
}

//===----------------------------------------------------------------------===//
// Time
//===----------------------------------------------------------------------===//

/// For how long threads of a client ran, by what it says.
static Ns toldTime(const LeasePage &Page, Ns Now) {
  Ns Told = Page.BusyNs.load(std::memory_order_relaxed);
  for (unsigned I = 0; I != LeasePage::NumSlots; ++I) {
    Ns Since = Page.BusySince[I].load(std::memory_order_relaxed);
    if (Since && Since < Now)
      Told += Now - Since;
  }
  return Told;
}

/// Moves clients on by what they had since the last time. Where somebody waited
/// meanwhile, and where time is limited, that is the time in which a client had
/// its places. Else what it says, but no more than that: nobody is the worse
/// for it.
void Scheduler::charge(Ns Now) {
  if (Now <= LastCharge)
    return;
  Ns Passed = Now - std::exchange(LastCharge, Now);
  for (auto &[Id, C] : Clients) {
    if (C.Leases.empty())
      continue;
    Ns Had = Passed * C.Leases.size();
    Ns Told = toldTime(*C.Page, Now);
    Ns Says = Told > C.ToldBefore ? Told - C.ToldBefore : 0;
    C.ToldBefore = Told;
    Ns Used = Had;
    if (!IsContended && !C.hasQuota()) {
      C.Allowance += Had;
      Used = std::min(Says, C.Allowance);
      C.Allowance -= Used;
    }
    C.Used += Used;
    C.UsedInPeriod += Used;
    C.Time += Used * SecondsOfNs / C.Limits.Share;
    C.Of->Time += Used * SecondsOfNs / C.Of->Weight;
  }
}

void Scheduler::beginPeriods(Ns Now) {
  for (auto &[Id, C] : Clients) {
    Ns Length = C.Limits.Period;
    if (!C.hasQuota() || Now - C.PeriodBegin < Length)
      continue;
    // What was used beyond the quota is of the next periods.
    Ns Periods = (Now - C.PeriodBegin) / Length;
    C.PeriodBegin += Periods * Length;
    C.UsedInPeriod -= std::min(C.UsedInPeriod, Periods * C.Limits.Quota);
  }
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

bool Scheduler::isEligible(const Client &C) const {
  bool HasLost = std::any_of(C.Leases.begin(), C.Leases.end(),
                             [](const Lease &L) { return L.IsLost; });
  return C.Waiting && C.Leases.size() < C.places() && !C.isExhausted() &&
         !HasLost;
}

/// Who gets the next place; null if nobody waits who may have one.
Scheduler::Client *Scheduler::next() {
  Client *Best = nullptr;
  auto Key = [](const Client &C) {
    return std::tuple(C.Of->Time, C.Of, -C.Limits.Priority, C.Time,
                      C.Leases.size());
  };
  for (auto &[Id, C] : Clients)
    if (isEligible(C) && (!Best || Key(C) < Key(*Best)))
      Best = &C;
  return Best;
}

void Scheduler::grant(Client &C, Ns Now) {
  for (unsigned Slot = 0; Slot != LeasePage::NumSlots; ++Slot) {
    bool IsUsed = std::any_of(C.Leases.begin(), C.Leases.end(),
                              [=](const Lease &L) { return L.Slot == Slot; });
    if (IsUsed)
      continue;
    C.Page->Slots[Slot].store(LeasePage::Granted, std::memory_order_release);
    C.Leases.push_back({Slot, Now});
    break;
  }
  --C.Waiting;
  --Free;
  call(*C.Page);
}

/// Whether a thread has to wake up first, for which the host may be too busy.
bool Scheduler::isAboutToBeTaken(uint32_t State, const Lease &L, Ns Now) const {
  constexpr unsigned Slices = 4;
  return !(State & (LeasePage::Taken | LeasePage::WantedNow)) &&
         Now - L.Since < Slices * Settings.Slice;
}

/// Takes back what clients have left; whether there was anything.
bool Scheduler::collect(Ns Now) {
  bool Found = false;
  for (auto &[Id, C] : Clients) {
    std::erase_if(C.Leases, [&, &C = C](const Lease &L) {
      std::atomic<uint32_t> &Slot = C.Page->Slots[L.Slot];
      uint32_t State = Slot.load(std::memory_order_acquire);
      bool IsWanted = State & (LeasePage::WantedNow | LeasePage::WantedAtEnd);
      if (State & LeasePage::Busy || !(IsWanted || L.IsLost) ||
          isAboutToBeTaken(State, L, Now) ||
          !Slot.compare_exchange_strong(State, 0))
        return false;
      Free += !L.IsLost;
      // The thread that it was for still waits, or is about to say otherwise.
      if (!(State & LeasePage::Taken))
        C.Waiting = std::min(C.Waiting + 1, LeasePage::NumSlots);
      return Found = true;
    });
    if (C.Leases.empty()) {
      C.Allowance = 0;
      C.IsActive = C.Waiting != 0;
    }
  }
  return Found;
}

/// Whether \p Waiter, who waits first of all, should have this place now.
bool Scheduler::isDue(const Client &C, const Lease &L, const Client *Waiter,
                      Ns Now) const {
  if (C.isExhausted())
    return true;
  if (!Waiter)
    return false;
  bool IsOver = Now - L.Since >= Settings.Slice;
  if (Waiter->Of != C.Of)
    return IsOver && C.Of->Time > Waiter->Of->Time;
  if (Waiter->Limits.Priority != C.Limits.Priority)
    return Waiter->Limits.Priority > C.Limits.Priority;
  return IsOver && C.Time > Waiter->Time;
}

/// Asks for as many places as are waited for, of those first who are furthest
/// ahead; takes those that were asked for in vain.
void Scheduler::want(Ns Now) {
  struct Candidate {
    Client *Of;
    Lease *What;
  };
  std::vector<Candidate> Due;
  const Client *First = next();
  unsigned Waiting = 0, Asked = 0;
  for (auto &[Id, C] : Clients) {
    Waiting += isEligible(C) ? C.Waiting : 0;
    for (Lease &L : C.Leases) {
      if (L.WantedAt && !L.IsLost && Now - *L.WantedAt >= Settings.Grace) {
        L.IsLost = true;
        ++Free;
        C.Page->Slots[L.Slot].fetch_or(LeasePage::Lost);
        if (OnLost)
          OnLost(Id);
      }
      Asked += L.WantedAt && !L.IsLost;
      uint32_t State = C.Page->Slots[L.Slot].load(std::memory_order_relaxed);
      if (!L.WantedAt && isDue(C, L, First, Now) &&
          !isAboutToBeTaken(State, L, Now))
        Due.push_back({&C, &L});
    }
  }
  std::sort(Due.begin(), Due.end(), [](const Candidate &A, const Candidate &B) {
    auto Key = [](const Candidate &X) {
      return std::tuple(!X.Of->isExhausted(), -X.Of->Of->Time, -X.Of->Time);
    };
    return Key(A) < Key(B);
  });
  for (const Candidate &X : Due) {
    if (Asked >= Waiting && !X.Of->isExhausted())
      break;
    X.What->WantedAt = Now;
    X.Of->Page->Slots[X.What->Slot].fetch_or(LeasePage::WantedNow);
    ++Asked;
  }
}

/// Lets clients say when they have left places, or no longer.
void Scheduler::markAtEnd(bool Contended) {
  for (auto &[Id, C] : Clients)
    for (const Lease &L : C.Leases) {
      std::atomic<uint32_t> &Slot = C.Page->Slots[L.Slot];
      if (Contended || C.hasQuota())
        Slot.fetch_or(LeasePage::WantedAtEnd);
      else
        Slot.fetch_and(~LeasePage::WantedAtEnd);
    }
}

void Scheduler::update(Ns Now) {
  charge(Now);
  beginPeriods(Now);
  do {
    for (Client *C; Free && (C = next());)
      grant(*C, Now);
    IsContended = next() != nullptr;
    want(Now);
    markAtEnd(IsContended);
  } while (collect(Now) || (Free && next()));
}

std::optional<Ns> Scheduler::nextUpdate(Ns Now) const {
  std::optional<Ns> Next;
  auto At = [&](Ns Time) { Next = std::min(Next.value_or(Time), Time); };
  for (const auto &[Id, C] : Clients) {
    if (C.hasQuota() && (C.Waiting || !C.Leases.empty())) {
      At(C.PeriodBegin + C.Limits.Period);
      if (!C.Leases.empty() && !C.isExhausted())
        At(Now + (C.Limits.Quota - C.UsedInPeriod) / C.Leases.size());
    }
    for (const Lease &L : C.Leases)
      if (L.WantedAt && !L.IsLost)
        At(*L.WantedAt + Settings.Grace);
      else if (IsContended && !L.IsLost)
        At(std::max(L.Since + Settings.Slice, Now + Settings.Slice / 4));
  }
  return Next;
}

Scheduler::Figures Scheduler::figures(ClientId Id, Ns Now) {
  charge(Now);
  auto It = Clients.find(Id);
  if (It == Clients.end())
    return {};
  const Client &C = It->second;
  Figures F;
  F.Used = C.Used;
  F.Waiting = C.Waiting;
  for (const Lease &L : C.Leases) {
    F.Places += !L.IsLost;
    F.IsLost |= L.IsLost;
  }
  return F;
}

} // namespace heddle::deviced
