//===- Accounting.h - What processes have done on devices -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record ends with its process. Where a device is accounted for, what a
// process did on it is kept beyond that: by the process as it ends, or, if it
// was killed, by whoever next looks at the records. Each such device has a file
// in the folder of records; that the file is there says that it is accounted
// for.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CLIENTS_ACCOUNTING_H
#define HEDDLE_CLIENTS_ACCOUNTING_H

#include "heddle/Clients/List.h"

namespace heddle::clients {

/// The most processes that are kept of a device; the oldest go first.
inline constexpr unsigned MaxAccounts = 4000;

/// What one process did on one device, over its life.
struct Account {
  int64_t Process = 0;
  uint64_t StartNs = 0; ///< Of CLOCK_REALTIME.
  uint64_t LifeNs = 0;  ///< From then to its end, or to now.
  bool IsRunning = false;
  uint64_t MostBytes = 0, BusyNs = 0, Launches = 0;
};

/// Begins or ends accounting for a device; the end forgets all accounts.
llvm::Error setAccounting(const UUID &Device, bool IsOn);
llvm::Expected<bool> isAccounted(const UUID &Device);
/// Forgets the accounts of processes that have ended.
llvm::Error clearAccounts(const UUID &Device);
/// The accounts of a device in the order in which processes began; none if it
/// is not accounted for.
llvm::Expected<std::vector<Account>> listAccounts(const UUID &Device);

/// Keeps what a process that has ended, or is about to, did on devices that are
/// accounted for. What cannot be written is lost; nobody waits for it.
void keepAccounts(const Client &Ended);

} // namespace heddle::clients

#endif // HEDDLE_CLIENTS_ACCOUNTING_H
