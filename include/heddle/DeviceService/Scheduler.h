//===- Scheduler.h - Who may run CTAs, and when -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives out the places of a host: threads that may run CTAs at a time. Devices,
// and parts of them, share the places by their weights, and the clients of one
// share its time by theirs. Time is what it is told, so that tests need none.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DEVICESERVICE_SCHEDULER_H
#define HEDDLE_DEVICESERVICE_SCHEDULER_H

#include "heddle/DeviceService/LeasePage.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace heddle::deviced {

/// Nanoseconds of CLOCK_MONOTONIC.
using Ns = uint64_t;

/// What a client may have of the time of its device.
struct TimeLimits {
  double Share = 1;         ///< Against other clients of the device.
  int Priority = 0;         ///< Those with a higher one come first.
  unsigned Places = ~0u;    ///< At a time.
  Ns Quota = 0, Period = 0; ///< Of all places together in a period; 0: all.
};

class Scheduler {
public:
  struct Options {
    unsigned Places = 1;
    Ns Slice = 5'000'000;     ///< Before others that wait come first.
    Ns Grace = 1'000'000'000; ///< To leave a place that is wanted.
  };
  using ClientId = uint64_t;

  explicit Scheduler(const Options &O) : Settings(O), Free(O.Places) {}

  /// Called with a client that has not left a place in time.
  std::function<void(ClientId)> OnLost;

  /// \p Device is what clients of one device have in common, \p Weight its
  /// share of the host. \p Page has to stay until remove.
  void add(ClientId Id, const std::string &Device, double Weight,
           const TimeLimits &Limits, LeasePage &Page, Ns Now);
  void remove(ClientId Id, Ns Now);
  /// So many threads more, or less, of a client wait for a place.
  void wait(ClientId Id, int Threads, Ns Now);
  /// Looks what has changed in the clients' pages and by time.
  void update(Ns Now);
  /// When update has to be called again, if nothing happens; none if only a
  /// client can change anything.
  std::optional<Ns> nextUpdate(Ns Now) const;

  struct Figures {
    Ns Used = 0; ///< Of places, since the client came.
    unsigned Places = 0, Waiting = 0;
    bool IsLost = false;
  };
  Figures figures(ClientId Id, Ns Now);
  unsigned freePlaces() const { return Free; }

private:
  struct Lease {
    unsigned Slot;
    Ns Since; ///< When it was granted.
    std::optional<Ns> WantedAt = {};
    bool IsLost = false;
  };
  struct Device {
    double Weight = 1, Time = 0; ///< Time in seconds, over the weight.
    unsigned Clients = 0;
  };
  struct Client {
    Device *Of;
    TimeLimits Limits;
    LeasePage *Page;
    std::vector<Lease> Leases;
    unsigned Waiting = 0;
    double Time = 0; ///< Virtual, as the device's.
    Ns Used = 0, UsedInPeriod = 0, PeriodBegin = 0;
    Ns ToldBefore = 0, Allowance = 0; ///< See charge.
    bool IsActive = false;

    bool hasQuota() const { return Limits.Quota != 0; }
    bool isExhausted() const {
      return hasQuota() && UsedInPeriod >= Limits.Quota;
    }
    unsigned places() const;
  };

  void charge(Ns Now);
  void beginPeriods(Ns Now);
  void activate(Client &C);
  bool isEligible(const Client &C) const;
  Client *next();
  void grant(Client &C, Ns Now);
  bool collect(Ns Now);
  bool isAboutToBeTaken(uint32_t State, const Lease &L, Ns Now) const;
  bool isDue(const Client &C, const Lease &L, const Client *Waiter,
             Ns Now) const;
  void want(Ns Now);
  void markAtEnd(bool IsContended);
  void endLeases(Client &C);

  const Options Settings;
  unsigned Free;
  Ns LastCharge = 0;
  bool IsContended = false; ///< Since LastCharge.
  std::map<std::string, Device> Devices;
  std::map<ClientId, Client> Clients;
};

} // namespace heddle::deviced

#endif // HEDDLE_DEVICESERVICE_SCHEDULER_H
