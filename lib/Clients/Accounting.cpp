//===- Accounting.cpp - What processes have done on devices -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each device that is accounted for has a list in a file.
//
//===----------------------------------------------------------------------===//

#include "heddle/Clients/Accounting.h"

#include "KeptList.h"
#include "heddle/Clients/Record.h"
#include "llvm/ADT/StringExtras.h"

#include <cerrno>
#include <chrono>
#include <cstring>
#include <fcntl.h>
#include <tuple>
#include <unistd.h>

using namespace llvm;

namespace heddle::clients {

namespace {

/// An account as it is kept.
struct KeptAccount {
  static constexpr uint64_t MagicNumber = 0x314341444c444548; // "HEDLDAC1"
  uint64_t Magic = MagicNumber;
  int64_t Process = 0;
  uint64_t StartNs = 0, LifeNs = 0, MostBytes = 0, BusyNs = 0, Launches = 0;
};

using AccountList = KeptList<KeptAccount>;

} // namespace

static Expected<std::string> fileOf(const UUID &Device) {
  Expected<std::string> Folder = recordFolder();
  if (!Folder)
    return Folder.takeError();
  return *Folder + "/accounting-" +
         toHex(StringRef(Device.data(), Device.size()), /*LowerCase=*/true);
}

Expected<bool> isAccounted(const UUID &Device) {
  Expected<std::string> Path = fileOf(Device);
  if (!Path)
    return Path.takeError();
  return ::access(Path->c_str(), F_OK) == 0;
}

Error setAccounting(const UUID &Device, bool IsOn) {
  Expected<std::string> Path = fileOf(Device);
  if (!Path)
    return Path.takeError();
  if (!IsOn) {
    ::unlink(Path->c_str());
    return Error::success();
  }
  if (LockedFile(*Path, O_RDWR | O_CREAT))
    return Error::success();
  return createStringError("cannot write '" + *Path +
                           "': " + std::strerror(errno));
}

Error clearAccounts(const UUID &Device) {
  Expected<std::string> Path = fileOf(Device);
  if (!Path)
    return Path.takeError();
  if (AccountList File(*Path, O_RDWR, MaxAccounts); File)
    File.write({});
  return Error::success();
}

static uint64_t realtimeNow() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::system_clock::now().time_since_epoch())
      .count();
}

static uint64_t lifeOf(const Client &C) {
  uint64_t Now = realtimeNow();
  return Now > C.StartNs ? Now - C.StartNs : 0;
}

void keepAccounts(const Client &Ended) {
  for (const ClientDevice &Use : Ended.Devices) {
    Expected<std::string> Path = fileOf(Use.Device);
    if (!Path) {
      consumeError(Path.takeError());
      return;
    }
    AccountList File(*Path, O_RDWR, MaxAccounts);
    if (!File)
      continue;
    std::vector<KeptAccount> Accounts = File.read();
    KeptAccount New;
    New.Process = Ended.Process;
    New.StartNs = Ended.StartNs;
    New.LifeNs = lifeOf(Ended);
    New.MostBytes = Use.MostBytes;
    New.BusyNs = Use.BusyNs;
    New.Launches = Use.Launches;
    Accounts.push_back(New);
    File.write(Accounts);
  }
}

Expected<std::vector<Account>> listAccounts(const UUID &Device) {
  std::vector<Account> All;
  Expected<std::string> Path = fileOf(Device);
  if (!Path)
    return Path.takeError();
  if (::access(Path->c_str(), F_OK) != 0)
    return All;
  // First, since this is what finds those that were killed.
  Expected<std::vector<Client>> Clients = listClients();
  if (!Clients)
    return Clients.takeError();
  if (AccountList File(*Path, O_RDWR, MaxAccounts); File)
    for (const KeptAccount &A : File.read())
      All.push_back({A.Process, A.StartNs, A.LifeNs, false, A.MostBytes,
                     A.BusyNs, A.Launches});
  for (const Client &C : *Clients)
    if (const ClientDevice *Use = C.find(Device))
      All.push_back({C.Process, C.StartNs, lifeOf(C), true, Use->MostBytes,
                     Use->BusyNs, Use->Launches});
  sort(All, [](const Account &A, const Account &B) {
    return std::tie(A.StartNs, A.Process) < std::tie(B.StartNs, B.Process);
  });
  return All;
}

} // namespace heddle::clients
