//===- List.cpp - Reads what processes do -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A record whose file can be locked has no process any more.
//
//===----------------------------------------------------------------------===//

#include "heddle/Clients/List.h"
#include "heddle/Clients/Accounting.h"
#include "heddle/Clients/Record.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::clients {

const ClientDevice *Client::find(const UUID &Device) const {
  auto It = find_if(Devices,
                    [&](const ClientDevice &D) { return D.Device == Device; });
  return It == Devices.end() ? nullptr : &*It;
}

template <size_t N> static std::string textOf(const char (&Text)[N]) {
  return std::string(Text, ::strnlen(Text, N));
}

static ClientDevice read(const DeviceUse &Use, uint64_t Now) {
  constexpr uint64_t SecondNs = 1'000'000'000;
  ClientDevice D;
  D.Device = Use.Device;
  D.IsOpen = Use.IsOpen;
  D.Bytes = Use.Bytes;
  D.MostBytes = Use.MostBytes;
  D.Launches = Use.Launches;
  D.Faults = Use.Faults;
  uint64_t Since = Use.BusySince;
  D.BusyNs = Use.BusyNs + (Since && Since < Now ? Now - Since : 0);
  D.LastSecond = Use.busyWithin(Now, SecondNs);
  return D;
}

std::optional<Client> readRecord(const RecordData &Data) {
  if (Data.Magic.load(std::memory_order_acquire) != RecordData::MagicNumber)
    return std::nullopt;
  Client C;
  C.Process = Data.Process;
  C.StartNs = Data.StartNs;
  C.Program = textOf(Data.Program);
  C.CommandLine = textOf(Data.CommandLine);
  uint64_t Now = monotonicNow();
  uint64_t Count = std::min<uint64_t>(Data.NumDevices, RecordData::MaxDevices);
  for (uint64_t I = 0; I != Count; ++I)
    if (const DeviceUse &Use = Data.Devices[I]; Use.Device != UUID())
      C.Devices.push_back(read(Use, Now));
  return C;
}

/// The client of a file; none if it has ended, or if the file is no record.
static std::optional<Client> readFile(const std::string &Path) {
  int File = ::open(Path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (File < 0)
    return std::nullopt;
  scope_exit Close([File] { ::close(File); });
  struct stat Status = {};
  if (::fstat(File, &Status) != 0 || !S_ISREG(Status.st_mode))
    return std::nullopt;
  bool HasEnded = ::flock(File, LOCK_EX | LOCK_NB) == 0;
  // Another reader that found the same has taken it away by now.
  if (HasEnded && (::fstat(File, &Status) != 0 || Status.st_nlink == 0))
    return std::nullopt;
  // One that has no length yet is about to be locked by its client.
  if (HasEnded && Status.st_size != 0)
    ::unlink(Path.c_str());
  if (Status.st_size != sizeof(RecordData))
    return std::nullopt;
  void *Pages =
      ::mmap(nullptr, sizeof(RecordData), PROT_READ, MAP_SHARED, File, 0);
  if (Pages == MAP_FAILED)
    return std::nullopt;
  scope_exit Unmap([Pages] { ::munmap(Pages, sizeof(RecordData)); });
  std::optional<Client> C = readRecord(*static_cast<const RecordData *>(Pages));
  if (!HasEnded)
    return C;
  // It was killed, or it would have taken its file away itself.
  if (C)
    keepAccounts(*C);
  return std::nullopt;
}

Expected<std::vector<Client>> listClients() {
  Expected<std::string> Folder = recordFolder();
  if (!Folder)
    return Folder.takeError();
  std::vector<Client> Clients;
  std::error_code Failed;
  for (sys::fs::directory_iterator It(*Folder, Failed), End;
       !Failed && It != End; It.increment(Failed))
    if (sys::path::filename(It->path()).starts_with("client-"))
      if (std::optional<Client> C = readFile(It->path()))
        Clients.push_back(std::move(*C));
  sort(Clients,
       [](const Client &A, const Client &B) { return A.Process < B.Process; });
  return Clients;
}

} // namespace heddle::clients
