//===- Server.h - Devices of several processes ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Listens at a Unix socket, and knows of each client who it is, by what the
// kernel says. One thread does everything, and never waits for a client.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DEVICESERVICE_SERVER_H
#define HEDDLE_DEVICESERVICE_SERVER_H

#include "heddle/DeviceService/Quotas.h"
#include "heddle/DeviceService/Scheduler.h"
#include "heddle/Fabric/Machine.h"

#include <memory>
#include <set>

namespace heddle::deviced {

struct ServerOptions {
  std::string Path;        ///< Of the socket.
  std::string MachineText; ///< As HEDDLE_DEVICES, or the JSON of a file.
  fabric::Machine Machine;
  Quotas Limits;
  std::set<uint32_t> Users; ///< Beside the own one that may be clients.
  bool AllUsers = false;
  unsigned MaxClients = 256;
  Scheduler::Options Time;
  /// What those who operate the service should read, a line each.
  std::function<void(const std::string &)> Log;

  static constexpr unsigned MostClients = 512; ///< Whose status fits a message.
};

class Server {
public:
  /// Listens. An error if another service does so there already.
  static llvm::Expected<std::unique_ptr<Server>> create(ServerOptions Options);
  ~Server();
  Server(const Server &) = delete;
  Server &operator=(const Server &) = delete;

  /// Serves until \p Stop, a descriptor, can be read.
  void run(int Stop);

private:
  struct Impl;
  explicit Server(std::unique_ptr<Impl> State);
  std::unique_ptr<Impl> State;
};

} // namespace heddle::deviced

#endif // HEDDLE_DEVICESERVICE_SERVER_H
