//===- Exporter.cpp - Devices as metrics ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One request after the other, each within a second: a scrape is one, and
// whoever says nothing keeps nobody waiting.
//
//===----------------------------------------------------------------------===//

#include "Exporter.h"
#include "heddle/Dashboard/Request.h"
#include "heddle/Dashboard/Server.h"
#include "llvm/ADT/STLExtras.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

using namespace llvm;

namespace heddle::smi {

//===----------------------------------------------------------------------===//
// The text
//===----------------------------------------------------------------------===//

namespace {

constexpr std::nullopt_t Absent = std::nullopt;

using Number = std::optional<uint64_t>;

struct Metric {
  StringLiteral Name, Kind, Help;
  Number (*OfDevice)(const DeviceState &D);
  Number (*OfPart)(const DeviceState &D, const PartState &P);
};

} // namespace

static uint64_t mebibytes(uint64_t Bytes) { return Bytes >> 20; }

static uint64_t processesOf(const DeviceState &D, const PartState &P) {
  return count_if(D.Processes, [&](const ProcessUse &Use) {
    return Use.Instance == P.Instance &&
           Use.ComputeInstance == P.ComputeInstance;
  });
}

#define METRIC(Name, Kind, DeviceValue, PartValue, Help)                       \
  {Name, Kind, Help,                                                           \
   [](const DeviceState &D) -> Number { return DeviceValue; },                 \
   [](const DeviceState &D, const PartState &P) -> Number {                    \
     return PartValue;                                                         \
   }},
static constexpr Metric Metrics[] = {
#include "Metrics.def"
};

/// A text between quotation marks, as Prometheus wants it.
static std::string quoted(StringRef Text) {
  std::string Quoted = "\"";
  for (char C : Text) {
    if (C == '"' || C == '\\')
      Quoted += '\\';
    if (C == '\n')
      Quoted += "\\n";
    else
      Quoted += C;
  }
  return Quoted + "\"";
}

static std::string hostName() {
  char Name[256] = {};
  return ::gethostname(Name, sizeof(Name) - 1) == 0 ? Name : "";
}

/// What distinguishes a device, or a part of it, from others.
static std::string labelsOf(const DeviceState &D, const PartState *P,
                            StringRef Host) {
  std::string Index = std::to_string(D.Index);
  std::string Labels = "gpu=" + quoted(Index) + ",UUID=" + quoted(D.UUID) +
                       ",pci_bus_id=" + quoted(D.BusId) +
                       ",device=" + quoted("nvidia" + Index) +
                       ",modelName=" + quoted(D.Name);
  if (P)
    Labels += ",GPU_I_PROFILE=" + quoted(P->Name) +
              ",GPU_I_ID=" + quoted(std::to_string(P->Instance)) +
              ",GPU_CI_ID=" + quoted(std::to_string(P->ComputeInstance));
  return Labels + ",Hostname=" + quoted(Host);
}

void printMetrics(const Snapshot &S, raw_ostream &OS) {
  std::string Host = hostName();
  for (const Metric &M : Metrics) {
    OS << "# HELP " << M.Name << " " << M.Help << "\n# TYPE " << M.Name << " "
       << M.Kind << "\n";
    auto Print = [&](Number Value, const DeviceState &D, const PartState *P) {
      if (Value)
        OS << M.Name << "{" << labelsOf(D, P, Host) << "} " << *Value << "\n";
    };
    for (const DeviceState &D : S.Devices) {
      Print(M.OfDevice(D), D, nullptr);
      for (const PartState &P : D.Parts)
        Print(M.OfPart(D, P), D, &P);
    }
  }
}

//===----------------------------------------------------------------------===//
// The server
//===----------------------------------------------------------------------===//

static std::string answerTo(const NVML &Library, StringRef Text) {
  dash::Request R = dash::parseRequest(Text);
  if (R.Failure)
    return dash::response(R.Failure, "text/plain", R.Message + "\n");
  if (R.Path != "/metrics")
    return dash::response(404, "text/plain", "there is /metrics\n");
  Expected<Snapshot> S = takeSnapshot(Library, {});
  if (!S)
    return dash::response(500, "text/plain", toString(S.takeError()) + "\n");
  std::string Body;
  raw_string_ostream OS(Body);
  printMetrics(*S, OS);
  return dash::response(200, "text/plain; version=0.0.4; charset=utf-8", Body);
}

static void serve(const NVML &Library, int Socket) {
  constexpr size_t MaxRequestBytes = 16 << 10;
  // accept gives a socket that waits, for no longer than this.
  const timeval Limit = {1, 0};
  ::setsockopt(Socket, SOL_SOCKET, SO_RCVTIMEO, &Limit, sizeof(Limit));
  ::setsockopt(Socket, SOL_SOCKET, SO_SNDTIMEO, &Limit, sizeof(Limit));
  std::string In;
  char Buffer[4096];
  while (!StringRef(In).contains("\r\n\r\n")) {
    ssize_t Size = ::recv(Socket, Buffer, sizeof(Buffer), 0);
    if (Size <= 0 || In.size() > MaxRequestBytes)
      return;
    In.append(Buffer, Size);
  }
  std::string Out =
      answerTo(Library, StringRef(In).take_front(In.find("\r\n\r\n") + 2));
  StringRef Rest = Out;
  while (!Rest.empty()) {
    ssize_t Sent = ::send(Socket, Rest.data(), Rest.size(), MSG_NOSIGNAL);
    if (Sent <= 0)
      return;
    Rest = Rest.drop_front(Sent);
  }
}

Error serveMetrics(const NVML &Library, uint16_t Port, raw_ostream &OS) {
  Expected<dash::Listener> On = dash::Listener::open(Port);
  if (!On)
    return On.takeError();
  OS << "http://127.0.0.1:" << On->port() << "/metrics\n";
  OS.flush();
  while (true) {
    pollfd Ready = {On->socket(), POLLIN, 0};
    ::poll(&Ready, 1, -1);
    int Socket = ::accept4(On->socket(), nullptr, nullptr, SOCK_CLOEXEC);
    if (Socket < 0)
      continue;
    serve(Library, Socket);
    ::close(Socket);
  }
}

} // namespace heddle::smi
