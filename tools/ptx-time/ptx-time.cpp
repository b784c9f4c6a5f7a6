//===- ptx-time.cpp - Times of kernels and of collectives -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries out launch manifests on the device of libcuda.so.1 and records
// medians: what the timing model is compared with. With --collectives it asks
// no device, but the model of what is between devices.
//
//===----------------------------------------------------------------------===//

#include "CUDADevice.h"
#include "Calibration.h"
#include "CollectiveTimes.h"
#include "heddle/Manifest/ManifestRunner.h"
#include "heddle/Support/OptionTable.h"
#include "heddle/Tooling/ModuleFile.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace heddle;
using namespace llvm;

namespace {

struct Options {
  std::vector<std::string> Manifests;
  std::string Driver = "libcuda.so.1";
  unsigned Runs = 21, WarmUp = 3;
  bool JSON = false, Help = false;
  timing::CollectiveOptions Collectives;
  StringRef OfCollectives; ///< An option that only collectives have; or empty.
  timing::CalibrationOptions Calibration;
  StringRef OfCalibration; ///< An option that only --calibrate has; or empty.
};

/// A row's action that cannot fail.
#define DO(Statement)                                                          \
  [](Options &O, StringRef Value) -> Error {                                   \
    Statement;                                                                 \
    return Error::success();                                                   \
  }

/// An action of a row of --collectives.
#define SET(Option, Method)                                                    \
  [](Options &O, StringRef Value) {                                            \
    O.OfCollectives = Option;                                                  \
    return O.Collectives.Method(Value);                                        \
  }

constexpr OptionRow<Options> Rows[] = {
    {"--driver", "LIBRARY", "The driver to load (libcuda.so.1)",
     DO(O.Driver = Value.str())},
    {"--runs", "N", "How often to time each launch; the median counts (21)",
     [](Options &O, StringRef Value) {
       return setNumber("--runs", Value, O.Runs);
     }},
    {"--warm-up", "N", "How often to carry it out before that (3)",
     [](Options &O, StringRef Value) {
       return setNumber("--warm-up", Value, O.WarmUp);
     }},
    {"--json", "", "Print one JSON object", DO(O.JSON = true)},
    {"--calibrate", "", "Measure the device, and print it as figures of a chip",
     DO(O.Calibration.Wanted = true)},
    {"--base", "CHIP", "The chip that has what is not measured (hd100)",
     DO(O.Calibration.Base = Value.str(); O.OfCalibration = "--base")},
    {"--record", "", "Print lines for isa-defs/HeddleChips.td",
     DO(O.Calibration.AsRecord = true; O.OfCalibration = "--record")},
    {"--collectives", "MACHINE.json",
     "Predict times of collectives on that machine",
     DO(O.Collectives.MachineFile = Value.str())},
    {"--collective", "LIST",
     "Of all-reduce, all-gather, reduce-scatter, broadcast, all-to-all; or all "
     "(all-reduce)",
     SET("--collective", setCollectives)},
    {"--ranks", "LIST",
     "Numbers of devices, which fill hosts, or of hosts and devices of each, "
     "as "
     "in 8,2x8,1024 (one host, two and all)",
     SET("--ranks", setRanks)},
    {"--size", "LIST",
     "Bytes of a rank's larger buffer, as in 8,32K or 1K..4G, four times as "
     "many each time, or 1K..4G*2 (1K..4G)",
     SET("--size", setSizes)},
    {"--algorithm", "NAME",
     "Only ring, tree, nvls, nvls-tree or pairwise (what is fastest)",
     SET("--algorithm", setAlgorithm)},
    {"--protocol", "NAME", "Only ll, ll128 or simple (what is fastest)",
     SET("--protocol", setProtocol)},
    {"--devices-per-thread", "N",
     "For how many devices a thread of the program starts kernels (1)",
     [](Options &O, StringRef Value) {
       O.OfCollectives = "--devices-per-thread";
       return setNumber("--devices-per-thread", Value,
                        O.Collectives.DevicesPerThread);
     }},
    {"--help", "", "Print this text", DO(O.Help = true)},
};

#undef DO
#undef SET

/// How long a launch took, in nanoseconds.
struct Times {
  std::string Manifest, Kernel;
  double Median = 0, Low = 0, High = 0; ///< Low and High: the quartiles.
};

Expected<Options> parseOptions(ArrayRef<const char *> Args) {
  Options O;
  for (size_t I = 0; I < Args.size(); ++I) {
    Expected<bool> Known = applyOption<Options>(Rows, O, Args, I);
    if (!Known)
      return Known.takeError();
    StringRef Arg = Args[I];
    if (!*Known && Arg.starts_with("-"))
      return unknownOption(textsOf<Options>(Rows), Arg);
    if (!*Known)
      O.Manifests.push_back(Arg.str());
  }
  if (O.Help)
    return O;
  if (O.Calibration.Wanted && !O.Collectives.MachineFile.empty())
    return createStringError(
        "--calibrate and --collectives exclude each other");
  if (!O.OfCalibration.empty() && !O.Calibration.Wanted)
    return createStringError(O.OfCalibration + " is for --calibrate");
  if (!O.Collectives.MachineFile.empty()) {
    if (!O.Manifests.empty())
      return createStringError("--collectives takes no manifest");
    if (!O.Collectives.DevicesPerThread)
      return createStringError("--devices-per-thread takes at least 1");
    return O;
  }
  if (!O.OfCollectives.empty())
    return createStringError(O.OfCollectives + " is for --collectives");
  if (O.Calibration.Wanted) {
    if (!O.Manifests.empty())
      return createStringError("--calibrate takes no manifest");
    if (O.JSON && O.Calibration.AsRecord)
      return createStringError("--json and --record exclude each other");
    return O;
  }
  if (O.Manifests.empty())
    return createStringError("no manifest; see --help");
  if (!O.Runs)
    return createStringError("--runs takes at least 1");
  return O;
}

void printHelp(raw_ostream &OS) {
  OS << R"(ptx-time: times kernels and devices through CUDA's driver, predicts collectives

usage: ptx-time [options] MANIFEST...
       ptx-time --calibrate [options]
       ptx-time --collectives MACHINE.json [options]

carries out launch manifests (docs/launch-manifest.md) on the device of
libcuda.so.1, whose driver compiles the PTX, and prints the median time of each
launch between two events. Results are checked after the first round. The exit
status is 0 if all expectations hold, else 1.

With --calibrate it runs microbenchmarks of its own instead: chains of dependent
instructions and loads, streams, empty kernels, copies. What they say becomes
figures of a chip, with what is not measured from the chip --base, and a line
that ptx-prof run takes (docs/timing.md).

With --collectives nothing is measured: a model predicts how long NCCL's
collectives take on a machine of up to thousands of devices, from the data of
its links (docs/collective-times.md). The file is one that ptx-env --devices
takes. A row has the time, bytes and bytes on the bus a second, as nccl-tests
have them, the way that is fastest, and what limits it: latency (fewer steps),
link, switch, network or uplinks (more of that), protocol, or launches.

Options:
)";
  for (const OptionText &Row : Rows)
    printOption(OS, Row);
  OS << R"(
examples:
  ptx-time --collectives dgx-h100.json                 # all-reduce, 1K to 4G
  ptx-time --collectives dgx-h100.json --ranks 8,64,1024 --size 256M
  ptx-time --collectives dgx-h100.json --collective all --json
  ptx-time --calibrate --base h200-like                # a chip, measured
  ptx-time --driver build/lib/libcuda.so.1 saxpy.json  # a kernel, measured
)";
}

Error checkResults(rt::ManifestRunner &Runner) {
  Expected<std::vector<rt::CheckReport>> Checks = Runner.check();
  if (!Checks)
    return Checks.takeError();
  for (const rt::CheckReport &C : *Checks)
    if (!C.Passed)
      return createStringError(C.Place + ": " + C.What + ": " + C.Message);
  return Error::success();
}

Error timeManifest(const Options &O, timing::CUDADevice &Device, StringRef Path,
                   std::vector<Times> &Into) {
  rt::Manifest Manifest;
  if (Error E = rt::readManifest(Path).moveInto(Manifest))
    return E;
  if (Manifest.Modules.size() != 1 || Manifest.ExpectedFault ||
      Manifest.ExpectedOutput)
    return createStringError(Path + ": several modules, faults and output are "
                                    "not supported yet");
  StringRef ModulePath = Manifest.Modules.front();
  auto Buffer = MemoryBuffer::getFile(ModulePath);
  if (!Buffer)
    return createStringError(ModulePath + ": " + Buffer.getError().message());
  if (isCodeObject((*Buffer)->getBuffer()))
    return createStringError(ModulePath + ": not PTX");
  SmallVector<char, 0> Code;
  if (Error E = readModule(ModulePath, CompileOptions()).moveInto(Code))
    return E;
  Device.setText((*Buffer)->getBuffer().str());
  std::unique_ptr<rt::ManifestRunner> Runner;
  if (Error E =
          rt::ManifestRunner::create(
              Device, Manifest,
              {reinterpret_cast<const uint8_t *>(Code.data()), Code.size()})
              .moveInto(Runner))
    return E;
  if (Error E = Runner->launchAll())
    return E;
  if (Error E = checkResults(*Runner))
    return E;
  for (size_t N = 0; N < Manifest.Launches.size(); ++N) {
    std::vector<double> Measured;
    for (unsigned Round = 0; Round < O.WarmUp + O.Runs; ++Round) {
      Expected<rt::LaunchReport> Report = Runner->launch(N);
      if (!Report)
        return Report.takeError();
      if (Round >= O.WarmUp)
        Measured.push_back(Device.lastNanoseconds());
    }
    llvm::sort(Measured);
    Into.push_back({sys::path::stem(Path).str(), Manifest.Launches[N].Entry,
                    Measured[O.Runs / 2], Measured[O.Runs / 4],
                    Measured[O.Runs - 1 - O.Runs / 4]});
  }
  return Error::success();
}

void print(raw_ostream &OS, const Options &O, StringRef Device,
           ArrayRef<Times> All) {
  if (!O.JSON) {
    OS << "device: " << Device << "\n"
       << "kernel                               median ns     quartiles\n";
    for (const Times &T : All)
      OS << left_justify(T.Manifest + " " + T.Kernel, 34)
         << format("%12.0f  %12.0f %12.0f\n", T.Median, T.Low, T.High);
    return;
  }
  json::Array Launches;
  for (const Times &T : All)
    Launches.push_back(json::Object{{"manifest", T.Manifest},
                                    {"kernel", T.Kernel},
                                    {"median_ns", T.Median},
                                    {"quartiles_ns", {T.Low, T.High}}});
  OS << formatv("{0:2}\n",
                json::Value(json::Object{{"device", Device},
                                         {"runs", O.Runs},
                                         {"launches", std::move(Launches)}}));
}

Error run(const Options &O) {
  if (!O.Collectives.MachineFile.empty())
    return timing::printCollectiveTimes(outs(), O.Collectives, O.JSON);
  Expected<timing::DriverAPI> API = timing::loadDriver(O.Driver);
  if (!API)
    return API.takeError();
  if (O.Calibration.Wanted)
    return timing::calibrate(outs(), *API, O.Calibration, O.JSON);
  std::unique_ptr<timing::CUDADevice> Device;
  if (Error E = timing::CUDADevice::create(*API).moveInto(Device))
    return E;
  std::vector<Times> All;
  for (const std::string &Path : O.Manifests)
    if (Error E = timeManifest(O, *Device, Path, All))
      return E;
  print(outs(), O, Device->name(), All);
  return Error::success();
}

} // namespace

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv);
  Expected<Options> O =
      parseOptions(ArrayRef<const char *>(Argv + 1, Argc - 1));
  if (O && O->Help) {
    printHelp(outs());
    return 0;
  }
  Error E = O ? run(*O) : O.takeError();
  if (!E)
    return 0;
  errs() << "ptx-time: " << toString(std::move(E)) << "\n";
  return 1;
}
