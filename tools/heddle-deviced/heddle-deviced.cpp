//===- heddle-deviced.cpp - Shares devices out among processes --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the service until a signal ends it, or asks one who uses what.
//
//===----------------------------------------------------------------------===//

#include "heddle/Clients/Record.h"
#include "heddle/DeviceService/Confinement.h"
#include "heddle/DeviceService/Protocol.h"
#include "heddle/DeviceService/Server.h"
#include "heddle/Support/OptionTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/signalfd.h>
#include <thread>

using namespace heddle;
using namespace llvm;

namespace {

struct Options {
  deviced::ServerOptions Server;
  std::string Devices, QuotaFile;
  bool Status = false, Help = false;
};

/// A row's action that cannot fail.
#define DO(Statement)                                                          \
  [](Options &O, StringRef Value) -> Error {                                   \
    Statement;                                                                 \
    return Error::success();                                                   \
  }

Error setUsers(Options &O, StringRef Value) {
  if (Value == "all") {
    O.Server.AllUsers = true;
    return Error::success();
  }
  for (StringRef Item : split(Value, ',')) {
    uint32_t User = 0;
    if (Error E = setNumber("--users", Item.trim(), User))
      return E;
    O.Server.Users.insert(User);
  }
  return Error::success();
}

/// Sets Field to a number of an option that has bounds.
template <typename T>
Error setWithin(StringRef Name, StringRef Value, uint64_t Least, uint64_t Most,
                uint64_t Factor, T &Field) {
  uint64_t Number = 0;
  if (Error E = setNumber(Name, Value, Number))
    return E;
  if (Number < Least || Number > Most)
    return createStringError(Name + " takes " + Twine(Least) + " to " +
                             Twine(Most));
  Field = static_cast<T>(Number * Factor);
  return Error::success();
}

#define WITHIN(Name, Least, Most, Factor, Field)                               \
  [](Options &O, StringRef Value) {                                            \
    return setWithin(Name, Value, Least, Most, Factor, Field);                 \
  }

constexpr uint64_t Millisecond = 1'000'000;

constexpr OptionRow<Options> Rows[] = {
    {"--devices", "LIST|FILE",
     "The devices, as for ptx-env; what HEDDLE_DEVICES says without",
     DO(O.Devices = Value.str())},
    {"--socket", "PATH",
     "Listen there (heddle-deviced.socket in XDG_RUNTIME_DIR)",
     DO(O.Server.Path = Value.str())},
    {"--quotas", "FILE", "What users and processes may have, as JSON",
     DO(O.QuotaFile = Value.str())},
    {"--users", "all|NUMBERS",
     "Serve these users, too; without, the user alone who runs the service",
     setUsers},
    {"--clients", "N", "Serve so many connections at a time (256)",
     WITHIN("--clients", 1, deviced::ServerOptions::MostClients, 1,
            O.Server.MaxClients)},
    {"--places", "N",
     "Let so many threads run CTAs at a time (the machine's cores)",
     WITHIN("--places", 1, 4096, 1, O.Server.Time.Places)},
    {"--slice", "MILLISECONDS",
     "Let a process run for so long before others that wait (5)",
     WITHIN("--slice", 1, 10000, Millisecond, O.Server.Time.Slice)},
    {"--grace", "MILLISECONDS",
     "Give a place to others that is not left for so long (1000)",
     WITHIN("--grace", 10, 600000, Millisecond, O.Server.Time.Grace)},
    {"--status", "", "Print who uses what, as JSON, and end",
     DO(O.Status = true)},
    {"--help", "", "This text", DO(O.Help = true)},
};

void printHelp(raw_ostream &OS) {
  OS << R"(heddle-deviced: shares devices out among processes

usage: heddle-deviced [options]

Programs that find the service, by HEDDLE_DEVICE_SERVICE or at the default socket, have
a device's memory and its time together: each gets its share, others' memory is missing
in cudaMemGetInfo, and a kernel without end does not keep others from running. Without a
service a program has a device for itself.

    heddle-deviced --devices=2xhd100 --quotas=quotas.json &
    ptx-env ./program
    heddle-deviced --status

Options:
)";
  for (const OptionText &Row : Rows)
    printOption(OS, Row);
}

Error parse(ArrayRef<const char *> Args, Options &O) {
  for (size_t I = 0; I < Args.size(); ++I) {
    if (StringRef(Args[I]) == "-h") {
      O.Help = true;
      continue;
    }
    Expected<bool> IsKnown = applyOption<Options>(Rows, O, Args, I);
    if (!IsKnown)
      return IsKnown.takeError();
    if (!*IsKnown)
      return unknownOption(textsOf<Options>(Rows), Args[I]);
  }
  if (O.Server.Path.empty())
    O.Server.Path = deviced::defaultSocket();
  if (O.Server.Path.empty() && !O.Help)
    return createStringError("no --socket, and no XDG_RUNTIME_DIR for it");
  return Error::success();
}

/// The devices, and the text by which programs know them that have the socket
/// only.
Error readMachine(Options &O) {
  const char *Environment = std::getenv("HEDDLE_DEVICES");
  std::string Text = !O.Devices.empty() ? O.Devices
                     : Environment      ? Environment
                                        : "";
  if (Text.empty())
    Text = "hd100";
  StringRef Name = Text;
  if (Name.contains('/') || Name.ends_with(".json")) {
    auto File = MemoryBuffer::getFile(Name, /*IsText=*/true);
    if (!File)
      return createStringError("cannot read '" + Name +
                               "': " + File.getError().message());
    O.Server.MachineText = (*File)->getBuffer().str();
  } else {
    O.Server.MachineText = Text;
  }
  Expected<fabric::Machine> M = fabric::Machine::parse(Text);
  if (!M)
    return createStringError("--devices: " + toString(M.takeError()));
  O.Server.Machine = std::move(*M);
  if (O.QuotaFile.empty())
    return Error::success();
  return deviced::Quotas::read(O.QuotaFile).moveInto(O.Server.Limits);
}

void log(const std::string &Text) {
  errs() << "heddle-deviced: " << Text << "\n";
}

Error serve(Options &O) {
  if (Error E = readMachine(O))
    return E;
  sigset_t Signals;
  sigemptyset(&Signals);
  sigaddset(&Signals, SIGINT);
  sigaddset(&Signals, SIGTERM);
  sigprocmask(SIG_BLOCK, &Signals, nullptr);
  int Stop = ::signalfd(-1, &Signals, SFD_CLOEXEC);
  if (Stop < 0)
    return createStringError(std::string("signals: ") + std::strerror(errno));
  // Where records are, and how devices are divided, has to be there by now.
  consumeError(clients::recordFolder().takeError());
  if (!deviced::limitResources(O.Server.MaxClients))
    return createStringError("the system does not let it open files for " +
                             Twine(O.Server.MaxClients) +
                             " clients; see ulimit -n and --clients");
  O.Server.Log = log;
  std::string Path = O.Server.Path;
  Expected<std::unique_ptr<deviced::Server>> Server =
      deviced::Server::create(std::move(O.Server));
  if (!Server)
    return Server.takeError();
  if (!deviced::confineToServing())
    log("warning: the kernel, or the build, has no filters of system calls");
  outs() << "serving at " << Path << "\n";
  outs().flush();
  (*Server)->run(Stop);
  return Error::success();
}

Error carryOut(ArrayRef<const char *> Args) {
  Options O;
  O.Server.Time.Places = std::max(1u, std::thread::hardware_concurrency());
  if (Error E = parse(Args, O))
    return E;
  if (O.Help) {
    printHelp(outs());
    return Error::success();
  }
  if (!O.Status)
    return serve(O);
  Expected<std::string> Text =
      deviced::ask(O.Server.Path, deviced::MessageKind::Status);
  if (!Text)
    return Text.takeError();
  outs() << *Text;
  return Error::success();
}

} // namespace

int main(int Count, char **Arguments) {
  Error E = carryOut(ArrayRef<const char *>(Arguments, Count).drop_front());
  if (!E)
    return 0;
  errs() << "heddle-deviced: error: " << toString(std::move(E)) << "\n";
  return 1;
}
