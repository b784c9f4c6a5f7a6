//===- List.h - The processes that use devices ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the records of all clients, and takes away those of clients that have
// ended without doing so.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CLIENTS_LIST_H
#define HEDDLE_CLIENTS_LIST_H

#include "heddle/Clients/Record.h"

#include <optional>
#include <vector>

namespace heddle::clients {

/// What a client did on a device, at one moment.
struct ClientDevice {
  UUID Device;
  bool IsOpen = false;
  uint64_t Bytes = 0, MostBytes = 0;
  uint64_t Launches = 0, Faults = 0;
  uint64_t BusyNs = 0;     ///< Since the device was opened first.
  uint64_t LastSecond = 0; ///< Nanoseconds of the last second, likewise.
};

struct Client {
  int64_t Process = 0;
  uint64_t StartNs = 0; ///< Of CLOCK_REALTIME.
  std::string Program, CommandLine;
  std::vector<ClientDevice> Devices;

  /// Null if the client never had the device.
  const ClientDevice *find(const UUID &Device) const;
};

/// What a record says now; none if it is not written yet.
std::optional<Client> readRecord(const RecordData &Data);

/// All clients that are alive, by the numbers of their processes. A folder of
/// records that is not there has none; what is no record is passed over.
llvm::Expected<std::vector<Client>> listClients();

} // namespace heddle::clients

#endif // HEDDLE_CLIENTS_LIST_H
