//===- Admission.h - Whose turn it is to compile ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bounds what a farm has accepted, in all and of each client, and hands out its
// workers: the next one goes to the client that has the fewest, and of those to
// the one that has had none for longest. So a client with a thousand inputs
// does not keep another one with a single input waiting.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_FARM_ADMISSION_H
#define HEDDLE_FARM_ADMISSION_H

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>

namespace heddle::farm {

struct AdmissionLimits {
  unsigned Workers = 1;   ///< compilations at a time
  unsigned Waiting = 256; ///< requests accepted beyond those
  unsigned PerClient = 0; ///< requests accepted of one client; 0: as of all
};

enum class Admitted : uint8_t { Yes, ClientHasTooMany, NoRoom };

/// Any thread may call anything.
class Admission {
public:
  explicit Admission(const AdmissionLimits &Limits) : Limits(Limits) {}

  /// Accepts a request, which leave() ends if the answer is Yes.
  Admitted enter(const std::string &Client);
  void leave(const std::string &Client);

  /// Waits for a worker, which giveBack() returns. False if ShouldStop, which
  /// is asked every few milliseconds, says so first. A request that finds what
  /// it wants already being made needs no worker.
  bool take(const std::string &Client, const std::function<bool()> &ShouldStop);
  void giveBack(const std::string &Client);

  struct Figures {
    unsigned Accepted = 0, Compiling = 0, Clients = 0;
  };
  Figures figures() const;

private:
  struct Waiter {
    bool HasWorker = false;
  };
  struct ClientState {
    unsigned Accepted = 0, Workers = 0;
    uint64_t LastTurn = 0;
    std::deque<Waiter *> Waiting;
  };
  void handOut();
  void forgetIdle(const std::string &Client);

  const AdmissionLimits Limits;
  mutable std::mutex Guard;
  std::condition_variable Changed;
  std::map<std::string, ClientState> Clients;
  unsigned Accepted = 0, Busy = 0;
  uint64_t Turn = 0;
};

} // namespace heddle::farm

#endif // HEDDLE_FARM_ADMISSION_H
