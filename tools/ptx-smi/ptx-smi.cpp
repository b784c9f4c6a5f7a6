//===- ptx-smi.cpp - Who uses which device, and how much --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes nvidia-smi's options as far as they mean something here, asks the
// management library, and prints.
//
//===----------------------------------------------------------------------===//

#include "Accounts.h"
#include "Containers.h"
#include "Exporter.h"
#include "Instances.h"
#include "Properties.h"
#include "ShortNames.h"
#include "Table.h"
#include "heddle/Support/InstalledTree.h"
#include "heddle/Support/OptionTable.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdlib>
#include <unistd.h>

using namespace heddle;
using namespace heddle::smi;
using namespace llvm;

namespace {

struct Options {
  enum class Print { Table, List, All, Devices, Processes, Accounts };

  Print What = Print::Table;
  bool AsXML = false, Help = false;
  bool ExplainsDevices = false, ExplainsProcesses = false;
  bool ExplainsAccounts = false, ClearsAccounts = false;
  std::string Query;
  QueryFormat Format;
  bool HasFormat = false;
  std::vector<std::string> Wanted;
  std::optional<unsigned> Seconds;
  std::optional<bool> Divides, Accounts;
  std::string Devices, Output;
};

/// A row's action that cannot fail.
#define DO(Statement)                                                          \
  [](Options &O, StringRef Value) -> Error {                                   \
    Statement;                                                                 \
    return Error::success();                                                   \
  }

Error setIds(Options &O, StringRef Value) {
  for (StringRef Id : split(Value, ','))
    O.Wanted.push_back(Id.trim().str());
  return Error::success();
}

Error setFormat(Options &O, StringRef Value) {
  O.HasFormat = true;
  return QueryFormat::parse(Value).moveInto(O.Format);
}

Error setLoop(Options &O, StringRef Value) {
  unsigned Seconds = 0;
  if (Error E = setNumber("--loop", Value, Seconds))
    return E;
  O.Seconds = std::max(Seconds, 1u);
  return Error::success();
}

Error setDeviceQuery(Options &O, StringRef Value) {
  O.What = Options::Print::Devices;
  O.Query = Value.str();
  return checkDeviceQuery(Value);
}

Error setProcessQuery(Options &O, StringRef Value) {
  O.What = Options::Print::Processes;
  O.Query = Value.str();
  return checkProcessQuery(Value);
}

Error setAccountQuery(Options &O, StringRef Value) {
  O.What = Options::Print::Accounts;
  O.Query = Value.str();
  return checkAccountQuery(Value);
}

Error setSwitch(StringRef Name, StringRef Value, std::optional<bool> &Switch) {
  if (Value != "0" && Value != "1")
    return createStringError(Name + " takes 0 or 1, not '" + Value + "'");
  Switch = Value == "1";
  return Error::success();
}

Error setDivides(Options &O, StringRef Value) {
  return setSwitch("--multi-instance-gpu", Value, O.Divides);
}

Error setAccounts(Options &O, StringRef Value) {
  return setSwitch("--accounting-mode", Value, O.Accounts);
}

constexpr OptionRow<Options> Rows[] = {
    {"--list-gpus", "", "Print a line for each device, with its UUID (-L)",
     DO(O.What = Options::Print::List)},
    {"--query", "", "Print everything that is known of the devices (-q)",
     DO(O.What = Options::Print::All)},
    {"--xml-format", "", "With --query: as XML, like nvidia-smi's (-x)",
     DO(O.AsXML = true)},
    {"--id", "LIST",
     "Of devices with these indices, UUIDs or places on the bus only (-i)",
     setIds},
    {"--query-gpu", "LIST",
     "Print these properties of each device, as in "
     "index,name,memory.used,utilization.gpu",
     setDeviceQuery},
    {"--query-compute-apps", "LIST",
     "Print these properties of each process that uses a device, as in "
     "pid,process_name,used_memory",
     setProcessQuery},
    {"--multi-instance-gpu", "0|1",
     "Let devices be divided into instances, or no longer (-mig)", setDivides},
    {"--accounting-mode", "0|1", "Keep what processes did, or no longer (-am)",
     setAccounts},
    {"--query-accounted-apps", "LIST",
     "Print these properties of each process that is kept, as in "
     "pid,gpu_utilization,max_memory_usage,time",
     setAccountQuery},
    {"--clear-accounted-apps", "", "Forget what is kept (-caa)",
     DO(O.ClearsAccounts = true)},
    {"--help-query-accounted-apps", "", "What --query-accounted-apps takes",
     DO(O.ExplainsAccounts = true)},
    {"--help-query-gpu", "", "What --query-gpu takes",
     DO(O.ExplainsDevices = true)},
    {"--help-query-compute-apps", "", "What --query-compute-apps takes",
     DO(O.ExplainsProcesses = true)},
    {"--format", "csv[,noheader][,nounits]",
     "How queries are printed: without a line of names, without units (csv)",
     setFormat},
    {"--loop", "SECONDS", "Print again and again, until interrupted (-l)",
     setLoop},
    {"--filename", "FILE", "Write there (-f)", DO(O.Output = Value.str())},
    {"--devices", "LIST|FILE",
     "The machine's devices, as for ptx-env; what HEDDLE_DEVICES says "
     "otherwise",
     DO(O.Devices = Value.str())},
    {"--help", "", "This text", DO(O.Help = true)},
};

constexpr ShortName ShortNames[] = {
    {"-L", "--list-gpus"},
    {"-q", "--query"},
    {"-x", "--xml-format"},
    {"-i", "--id"},
    {"-l", "--loop"},
    {"-f", "--filename"},
    {"-mig", "--multi-instance-gpu"},
    {"-am", "--accounting-mode"},
    {"-caa", "--clear-accounted-apps"},
    {"-h", "--help"},
};

void printHelp(raw_ostream &OS) {
  OS << R"(ptx-smi: who uses which device, and how much of it

usage: ptx-smi [options]
       ptx-smi mig [options]              # see ptx-smi mig --help
       ptx-smi metrics [--serve=PORT]     # for Prometheus, with DCGM's names
       ptx-smi cdi generate [--kind=KIND] # for containers, as nvidia.com/gpu

Devices are those of Heddle's CUDA: of programs that ptx-env starts, or that find
its libraries by themselves. Each process of yours that has one open is shown.

    ptx-smi
    ptx-smi --query-gpu=index,name,memory.used,utilization.gpu --format=csv
    ptx-smi -q -x

Options:
)";
  for (const OptionText &Row : Rows)
    printOption(OS, Row);
}

Expected<Options> parseArguments(ArrayRef<const char *> Args) {
  Expected<Options> Parsed = parseOptions<Options>(Rows, ShortNames, Args);
  if (!Parsed)
    return Parsed.takeError();
  const Options &O = *Parsed;
  if (O.AsXML && O.What != Options::Print::All)
    return createStringError("--xml-format needs --query");
  if (O.HasFormat && O.Query.empty())
    return createStringError(
        "--format needs --query-gpu, --query-compute-apps or "
        "--query-accounted-apps");
  return Parsed;
}

Error print(const Snapshot &S, const Options &O, bool IsFirst,
            raw_ostream &OS) {
  QueryFormat Format = O.Format;
  Format.HasHeader &= IsFirst;
  switch (O.What) {
  case Options::Print::Table:
    printTable(S, OS);
    break;
  case Options::Print::List:
    printList(S, OS);
    break;
  case Options::Print::All:
    O.AsXML ? printXML(S, OS) : printText(S, OS);
    break;
  case Options::Print::Devices:
    return queryDevices(S, O.Query, Format, OS);
  case Options::Print::Processes:
    return queryProcesses(S, O.Query, Format, OS);
  case Options::Print::Accounts:
    return queryAccounts(S, O.Query, Format, OS);
  }
  return Error::success();
}

Expected<NVML> loadLibrary() {
  std::string Folder;
  if (Error E = cudaLibraryFolder().moveInto(Folder))
    return std::move(E);
  return NVML::load(Folder + "/libnvidia-ml.so.1");
}

Error run(const Options &O, raw_ostream &OS) {
  if (!O.Devices.empty())
    ::setenv("HEDDLE_DEVICES", O.Devices.c_str(), /*replace=*/1);
  Expected<NVML> Library = loadLibrary();
  if (!Library)
    return Library.takeError();
  if (O.Divides)
    return enableInstances(*Library, O.Wanted, *O.Divides, OS);
  if (O.Accounts)
    return enableAccounts(*Library, O.Wanted, *O.Accounts, OS);
  if (O.ClearsAccounts)
    return clearAccounts(*Library, O.Wanted, OS);
  for (bool IsFirst = true;; IsFirst = false) {
    Expected<Snapshot> S = takeSnapshot(*Library, O.Wanted);
    if (!S)
      return S.takeError();
    if (Error E = print(*S, O, IsFirst, OS))
      return E;
    OS.flush();
    if (!O.Seconds)
      return Error::success();
    ::sleep(*O.Seconds);
  }
}

Error runTo(const Options &O) {
  if (O.Output.empty())
    return run(O, outs());
  std::error_code Failed;
  raw_fd_ostream File(O.Output, Failed);
  if (Failed)
    return createStringError("cannot write '" + O.Output +
                             "': " + Failed.message());
  return run(O, File);
}

/// `ptx-smi mig`.
Error divide(ArrayRef<const char *> Args) {
  Expected<InstanceOptions> O = parseInstanceOptions(Args);
  if (!O)
    return O.takeError();
  if (O->Help) {
    explainInstanceOptions(outs());
    return Error::success();
  }
  Expected<NVML> Library = loadLibrary();
  return Library ? manageInstances(*Library, *O, outs()) : Library.takeError();
}

/// Takes one option with a value, or none, behind a command.
Expected<std::optional<StringRef>> optionalValue(StringRef Command,
                                                 StringRef Option,
                                                 ArrayRef<const char *> Args) {
  std::optional<StringRef> Value;
  if (Args.empty())
    return Value;
  auto [Name, Behind] = StringRef(Args.front()).split('=');
  bool IsApart = !StringRef(Args.front()).contains('=');
  if (Name != Option || Args.size() != (IsApart ? 2 : 1))
    return createStringError(Command + " takes " + Option +
                             " with a value, and nothing else; see ptx-smi "
                             "--help");
  Value = IsApart ? StringRef(Args[1]) : Behind;
  return Value;
}

/// `ptx-smi metrics`.
Error tellMetrics(ArrayRef<const char *> Args) {
  std::optional<StringRef> Text;
  if (Error E = optionalValue("metrics", "--serve", Args).moveInto(Text))
    return E;
  uint16_t Port = 0;
  if (Text)
    if (Error E = setNumber("--serve", *Text, Port))
      return E;
  Expected<NVML> Library = loadLibrary();
  if (!Library)
    return Library.takeError();
  if (Text)
    return serveMetrics(*Library, Port, outs());
  Expected<Snapshot> S = takeSnapshot(*Library, {});
  if (!S)
    return S.takeError();
  printMetrics(*S, outs());
  return Error::success();
}

/// `ptx-smi cdi generate`.
Error describeForContainers(ArrayRef<const char *> Args) {
  if (Args.empty() || StringRef(Args.front()) != "generate")
    return createStringError("cdi does one thing: ptx-smi cdi generate");
  std::optional<StringRef> Kind;
  if (Error E = optionalValue("cdi generate", "--kind", Args.drop_front())
                    .moveInto(Kind))
    return E;
  Expected<NVML> Library = loadLibrary();
  if (!Library)
    return Library.takeError();
  Expected<Snapshot> S = takeSnapshot(*Library, {});
  if (!S)
    return S.takeError();
  return printContainerDevices(*S, Kind.value_or("nvidia.com/gpu"), outs());
}

Error carryOut(ArrayRef<const char *> Args) {
  StringRef Command = Args.empty() ? "" : Args.front();
  if (Command == "mig")
    return divide(Args.drop_front());
  if (Command == "metrics")
    return tellMetrics(Args.drop_front());
  if (Command == "cdi")
    return describeForContainers(Args.drop_front());
  Expected<Options> O = parseArguments(Args);
  if (!O)
    return O.takeError();
  if (O->Help)
    printHelp(outs());
  else if (O->ExplainsDevices)
    explainDeviceQueries(outs());
  else if (O->ExplainsProcesses)
    explainProcessQueries(outs());
  else if (O->ExplainsAccounts)
    explainAccountQueries(outs());
  else
    return runTo(*O);
  return Error::success();
}

} // namespace

int main(int Count, char **Arguments) {
  Error E = carryOut(ArrayRef<const char *>(Arguments, Count).drop_front());
  if (!E)
    return 0;
  errs() << "ptx-smi: error: " << toString(std::move(E)) << "\n";
  return 1;
}
