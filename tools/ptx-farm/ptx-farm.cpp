//===- ptx-farm.cpp - Compiles for many processes and machines --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a farm until a signal ends it, or asks one what it does.
//
//===----------------------------------------------------------------------===//

#include "heddle-cache/RemoteLoader.h"
#include "heddle/Farm/Server.h"
#include "heddle/Support/OptionTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>
#include <thread>

using namespace heddle;
using namespace llvm;

namespace {

struct Options {
  farm::ServerOptions Server;
  farm::ServiceLimits Limits;
  std::vector<std::string> CacheSettings;
  std::string Token;
  bool AsMetrics = false, Help = false;
};

/// A row's action that cannot fail.
#define DO(Statement)                                                          \
  [](Options &O, StringRef Value) -> Error {                                   \
    Statement;                                                                 \
    return Error::success();                                                   \
  }
/// That of an option with a number.
#define NUMBER(Name, Field)                                                    \
  [](Options &O, StringRef Value) { return setNumber(Name, Value, Field); }

Error setMemory(Options &O, StringRef Value) {
  uint64_t Megabytes = 0;
  if (Error E = setNumber("--memory", Value, Megabytes))
    return E;
  O.Limits.MemoryBytes = Megabytes << 20;
  return Error::success();
}

Error setTime(Options &O, StringRef Value) {
  uint32_t Seconds = 0;
  if (Error E = setNumber("--time", Value, Seconds))
    return E;
  O.Limits.Time = std::chrono::seconds(Seconds);
  return Error::success();
}

constexpr OptionRow<Options> ServeRows[] = {
    {"--workers", "N", "Compile so many inputs at a time (the machine's cores)",
     NUMBER("--workers", O.Limits.Admission.Workers)},
    {"--waiting", "N",
     "Accept so many requests beyond these; more are told to come again (256)",
     NUMBER("--waiting", O.Limits.Admission.Waiting)},
    {"--per-client", "N", "Accept so many requests of one client (64)",
     NUMBER("--per-client", O.Limits.Admission.PerClient)},
    {"--memory", "MEGABYTES",
     "What one compilation may use; 0: no limit (4096)", setMemory},
    {"--time", "SECONDS", "How long one may take; 0: no limit (300)", setTime},
    {"--tokens", "FILE",
     "Serve clients with one of these tokens only: lines of a client's name "
     "and its token",
     DO(O.Server.TokenFile = Value.str())},
    {"--certificate", "FILE", "For https, in PEM",
     DO(O.Server.Certificate = Value.str())},
    {"--key", "FILE", "The certificate's key, in PEM",
     DO(O.Server.Key = Value.str())},
    {"--cache-set", "NAME=VALUE",
     "A setting of the farm's own cache, such as dir or remotes",
     DO(O.CacheSettings.push_back(Value.str()))},
    {"--help", "", "This text", DO(O.Help = true)},
};

constexpr OptionRow<Options> StatusRows[] = {
    {"--metrics", "", "As OpenMetrics, in place of JSON",
     DO(O.AsMetrics = true)},
    {"--token", "TOKEN", "For a farm that wants one",
     DO(O.Token = Value.str())},
    {"--help", "", "This text", DO(O.Help = true)},
};

void printHelp(raw_ostream &OS) {
  OS << R"(ptx-farm: compiles for many processes and machines

usage: ptx-farm serve [options] ADDRESS...    # http://HOST:PORT, https://..., unix:PATH
       ptx-farm status [options] ADDRESS      # what a farm does, as JSON

Programs compile there what is in no cache if the setting `farm` names an address
(docs/cache.md): ptx-compile, ptx-link, and CUDA programs under ptx-env. Each input is
compiled once, however many want it, by a process of its own; the farm keeps it in
its cache and in the remotes of that. A farm that is full, gone or of another build
costs a program nothing but its help.

    ptx-farm serve unix:/run/user/1000/heddle-farm
    HEDDLE_CACHE_FARM=unix:/run/user/1000/heddle-farm ptx-env ./program
    ptx-farm serve --tokens=tokens --certificate=cert.pem --key=key.pem https://0.0.0.0:7780

Options of serve:
)";
  for (const OptionText &Row : ServeRows)
    printOption(OS, Row);
  OS << "\nOptions of status:\n";
  for (const OptionText &Row : StatusRows)
    printOption(OS, Row);
}

/// Options, and addresses behind them or between.
Error parse(ArrayRef<OptionRow<Options>> Rows, ArrayRef<const char *> Args,
            Options &O) {
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    if (!Arg.starts_with("-")) {
      O.Server.Addresses.push_back(Arg.str());
      continue;
    }
    if (Arg == "-h") {
      O.Help = true;
      continue;
    }
    Expected<bool> IsKnown = applyOption(Rows, O, Args, I);
    if (!IsKnown)
      return IsKnown.takeError();
    if (!*IsKnown)
      return unknownOption(textsOf(Rows), Arg);
  }
  if (!O.Help && O.Server.Addresses.empty())
    return createStringError("no address; see ptx-farm --help");
  return Error::success();
}

Expected<cache::Settings> loadSettings(const Options &O) {
  std::vector<std::string> Complaints;
  cache::Settings Settings =
      cache::Settings::load(cache::processEnvironment(), Complaints);
  for (const std::string &Complaint : Complaints)
    errs() << "ptx-farm: warning: " << Complaint << "\n";
  for (StringRef Text : O.CacheSettings) {
    auto [Name, Value] = Text.split('=');
    if (cache::Status Wrong = Settings.set(Name, Value, "--cache-set"))
      return createStringError(Wrong->Text);
  }
  if (Settings.mode() == cache::Mode::Off)
    return createStringError("a farm needs a cache, and the mode is off");
  return Settings;
}

/// Waits for a signal that ends programs. They are blocked before any thread
/// is made, so that none takes them.
void blockSignals(sigset_t &Signals) {
  sigemptyset(&Signals);
  sigaddset(&Signals, SIGINT);
  sigaddset(&Signals, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &Signals, nullptr);
}

Error serve(ArrayRef<const char *> Args) {
  Options O;
  O.Limits.Admission = {std::max(1u, std::thread::hardware_concurrency()), 256,
                        64};
  O.Limits.MemoryBytes = uint64_t(4) << 30;
  O.Limits.Time = std::chrono::seconds(300);
  if (Error E = parse(ServeRows, Args, O))
    return E;
  if (O.Help) {
    printHelp(outs());
    return Error::success();
  }
  if (O.Limits.Admission.Workers == 0)
    return createStringError("--workers takes at least 1");
  Expected<cache::Settings> Settings = loadSettings(O);
  if (!Settings)
    return Settings.takeError();
  sigset_t Signals;
  blockSignals(Signals);
  farm::Service Service(std::move(*Settings), O.Limits);
  if (Service.build().empty())
    return createStringError("the compiler's library has no build identity");
  // More than may be accepted, so that who is too many is told so.
  O.Server.Connections =
      O.Limits.Admission.Workers + O.Limits.Admission.Waiting + 64;
  farm::Server Server(Service, std::move(O.Server));
  if (std::optional<std::string> Wrong = Server.start())
    return createStringError(*Wrong);
  for (const std::string &Address : Server.addresses())
    outs() << "serving at " << Address << "\n";
  outs().flush();
  int Signal = 0;
  sigwait(&Signals, &Signal);
  Server.stop();
  return Error::success();
}

Error showStatus(ArrayRef<const char *> Args) {
  Options O;
  if (Error E = parse(StatusRows, Args, O))
    return E;
  if (O.Help) {
    printHelp(outs());
    return Error::success();
  }
  if (O.Server.Addresses.size() != 1)
    return createStringError("status takes one address");
  std::string Wrong;
  std::unique_ptr<cache::Service> Farm = cache::loadService(
      {O.Server.Addresses.front(), O.Token,
       std::string(
           cache::Settings::load(cache::processEnvironment(), O.CacheSettings)
               .text(cache::SettingId::RemoteCAFile))},
      remoteLibraryPath(), Wrong);
  if (!Farm)
    return createStringError(O.Server.Addresses.front() + ": " + Wrong);
  cache::ServiceRequest Request;
  Request.Path = O.AsMetrics ? "/metrics" : "/status";
  Request.MaxAnswer = 1 << 20;
  Request.Until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
  cache::Result<cache::ServiceAnswer> Answer = Farm->send(Request);
  if (!Answer)
    return createStringError(O.Server.Addresses.front() + ": " +
                             Answer.fault().Text);
  if (Answer->Status != 200)
    return createStringError(O.Server.Addresses.front() + ": status " +
                             Twine(Answer->Status) + ": " + Answer->Body);
  outs() << Answer->Body;
  return Error::success();
}

Error carryOut(ArrayRef<const char *> Args) {
  StringRef Command = Args.empty() ? "" : Args.front();
  if (Command == "serve")
    return serve(Args.drop_front());
  if (Command == "status")
    return showStatus(Args.drop_front());
  if (Command == "--help" || Command == "-h") {
    printHelp(outs());
    return Error::success();
  }
  return createStringError("the first word is serve or status; see ptx-farm "
                           "--help");
}

} // namespace

int main(int Count, char **Arguments) {
  Error E = carryOut(ArrayRef<const char *>(Arguments, Count).drop_front());
  if (!E)
    return 0;
  errs() << "ptx-farm: error: " << toString(std::move(E)) << "\n";
  return 1;
}
