//===- Accounting.cpp - Accounts of processes in NVML -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What processes have done on a device over their lives, also of those that
// have ended, once somebody has asked for it to be kept.
//
//===----------------------------------------------------------------------===//

#include "heddle/Clients/Accounting.h"
#include "Management/Management.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;
using namespace heddle::cuda::nvml;

namespace {

/// nvmlAccountingStats_t.
struct AccountOf1 {
  unsigned Device, Memory; ///< Percent of its life.
  unsigned long long MostBytes;
  unsigned long long Milliseconds; ///< 0 while it runs.
  unsigned long long StartMicroseconds;
  unsigned IsRunning;
  unsigned Reserved[5];
};

/// nvmlAccountingStats_v2_t.
struct AccountOf2 {
  unsigned Process, IsRunning;
  unsigned Device, Memory;
  unsigned long long MostBytes;
  unsigned Samples;
  unsigned long long SumOfDevice, SumOfMemory; ///< In hundredths of a percent.
  unsigned long long Milliseconds, StartMicroseconds;
};

Result failure(Error E) {
  log(toString(std::move(E)));
  return Unknown;
}

clients::UUID uuidOf(const DeviceHandle &D) {
  return D.Description.Machine.uuid();
}

/// Does something with the accounts of a device that is accounted for.
template <typename Fn> Result ofAccounts(const DeviceHandle *Device, Fn Do) {
  return ofDevice(Device, [&](const DeviceHandle &D) {
    Expected<bool> IsOn = clients::isAccounted(uuidOf(D));
    if (!IsOn)
      return failure(IsOn.takeError());
    if (!*IsOn)
      return NotSupported;
    Expected<std::vector<clients::Account>> Accounts =
        clients::listAccounts(uuidOf(D));
    return Accounts ? Do(*Accounts) : failure(Accounts.takeError());
  });
}

unsigned percentOf(const clients::Account &A) {
  return A.LifeNs ? std::min<uint64_t>(100, 100 * A.BusyNs / A.LifeNs) : 0;
}

/// The last of the processes that had this number.
Result giveAccount(const DeviceHandle *Device, unsigned Process,
                   AccountOf1 *To) {
  return ofAccounts(Device, [=](ArrayRef<clients::Account> Accounts) {
    if (!To)
      return InvalidArgument;
    constexpr uint64_t NsPerMs = 1'000'000, NsPerMicrosecond = 1000;
    for (const clients::Account &A : reverse(Accounts)) {
      if (static_cast<unsigned>(A.Process) != Process)
        continue;
      // Nobody counts when memory was used.
      *To = {percentOf(A),
             percentOf(A),
             A.MostBytes,
             A.IsRunning ? 0 : A.LifeNs / NsPerMs,
             A.StartNs / NsPerMicrosecond,
             A.IsRunning,
             {}};
      return Success;
    }
    return NotFound;
  });
}

} // namespace

extern "C" {

Result nvmlDeviceGetAccountingMode(DeviceHandle *Device, unsigned *Mode) {
  return ofDevice(Device, [=](const DeviceHandle &D) {
    Expected<bool> IsOn = clients::isAccounted(uuidOf(D));
    if (!IsOn)
      return failure(IsOn.takeError());
    return giveValue(Device, Mode, unsigned(*IsOn));
  });
}

Result nvmlDeviceSetAccountingMode(DeviceHandle *Device, unsigned Mode) {
  if (isInUse() && Mode > 1)
    return InvalidArgument;
  return ofDevice(Device, [=](const DeviceHandle &D) {
    if (Error E = clients::setAccounting(uuidOf(D), Mode == 1))
      return failure(std::move(E));
    return Success;
  });
}

Result nvmlDeviceGetAccountingBufferSize(DeviceHandle *Device,
                                         unsigned *Count) {
  return giveValue(Device, Count, clients::MaxAccounts);
}

Result nvmlDeviceClearAccountingPids(DeviceHandle *Device) {
  return ofAccounts(Device, [=](ArrayRef<clients::Account>) {
    if (Error E = clients::clearAccounts(uuidOf(*Device)))
      return failure(std::move(E));
    return Success;
  });
}

Result nvmlDeviceGetAccountingPids(DeviceHandle *Device, unsigned *Count,
                                   unsigned *Processes) {
  return ofAccounts(Device, [=](ArrayRef<clients::Account> Accounts) {
    if (!Count)
      return InvalidArgument;
    unsigned Room = *Count;
    *Count = Accounts.size();
    if (Accounts.size() > Room)
      return InsufficientSize;
    if (!Accounts.empty() && !Processes)
      return InvalidArgument;
    transform(Accounts, Processes, [](const clients::Account &A) {
      return static_cast<unsigned>(A.Process);
    });
    return Success;
  });
}

Result nvmlDeviceGetAccountingStats(DeviceHandle *Device, unsigned Process,
                                    AccountOf1 *To) {
  return giveAccount(Device, Process, To);
}

Result nvmlDeviceGetAccountingStats_v2(DeviceHandle *Device, AccountOf2 *To) {
  if (isInUse() && !To)
    return InvalidArgument;
  AccountOf1 Found = {};
  Result Code = giveAccount(Device, To ? To->Process : 0, &Found);
  if (Code != Success)
    return Code;
  // One sample, of the whole life.
  constexpr unsigned Hundredths = 100;
  *To = {To->Process,
         Found.IsRunning,
         Found.Device,
         Found.Memory,
         Found.MostBytes,
         1,
         uint64_t(Found.Device) * Hundredths,
         uint64_t(Found.Memory) * Hundredths,
         Found.Milliseconds,
         Found.StartMicroseconds};
  return Success;
}

} // extern "C"
