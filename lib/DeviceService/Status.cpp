//===- Status.cpp - Who uses what of a device service -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table is both the service's and its readers'.
//
//===----------------------------------------------------------------------===//

#include "heddle/DeviceService/Status.h"

#include "heddle/DeviceService/Protocol.h"

using namespace llvm;

namespace heddle::deviced {

json::Object describe(const ClientStatus &C) {
  return json::Object{
#define HEDDLE_CLIENT_STATUS(Type, Field, Name, Meaning) {Name, C.Field},
#include "heddle/DeviceService/Status.def"
  };
}

static bool fromJSON(const json::Value &Value, ClientStatus &C,
                     json::Path Path) {
  json::ObjectMapper Object(Value, Path);
  return Object
#define HEDDLE_CLIENT_STATUS(Type, Field, Name, Meaning)                       \
  &&Object.mapOptional(Name, C.Field)
#include "heddle/DeviceService/Status.def"
      ;
}

Expected<std::vector<ClientStatus>> parseStatus(StringRef Text) {
  Expected<json::Value> Value = json::parse(Text);
  if (!Value)
    return Value.takeError();
  json::Path::Root Root("the status of the device service");
  std::vector<ClientStatus> Clients;
  json::ObjectMapper Object(*Value, Root);
  if (!Object || !Object.map("clients", Clients))
    return Root.getError();
  return Clients;
}

std::vector<ClientStatus> clientsOfService() {
  std::string Path = serviceAddress().Path;
  if (Path.empty())
    return {};
  // Monitors ask often, and a service that is stopped answers none of them.
  Expected<std::string> Text =
      ask(Path, MessageKind::Status, std::chrono::seconds(1));
  Expected<std::vector<ClientStatus>> Clients =
      Text ? parseStatus(*Text) : Text.takeError();
  if (Clients)
    return std::move(*Clients);
  consumeError(Clients.takeError());
  return {};
}

} // namespace heddle::deviced
