//===- ptx-run.cpp - Launches kernels and checks the results ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Carries out a launch manifest on the emulator or the interpreter.
//
//===----------------------------------------------------------------------===//

#include "CodeObject.h"
#include "Options.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/Interpreter/Interpreter.h"
#include "heddle/Manifest/ManifestRunner.h"
#include "heddle/Native/ChooseExecution.h"
#include "heddle/ProfileData/ProfilingDevice.h"
#include "heddle/Tooling/TestMain.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/InitLLVM.h"
#include <cstdlib>

using namespace heddle;
using namespace llvm;

static void printVariable(const interp::VariableEvent &E) {
  auto Coordinates = [](const rt::Dim3 &D) {
    return formatv("{0},{1},{2}", D.X, D.Y, D.Z).str();
  };
  outs() << Coordinates(E.Block) << ' ' << Coordinates(E.Thread) << ' '
         << E.Function << ' ' << E.Line << ' ' << E.Name << ' ';
  if (E.Bytes)
    outs() << E.Offset << '+' << E.Bytes << ' ';
  if (E.Bits)
    outs() << format_hex(*E.Bits, 0) << '\n';
  else
    outs() << (E.Content.empty() ? "-" : toHex(E.Content, /*LowerCase=*/true))
           << '\n';
}

static Expected<std::unique_ptr<rt::Device>>
makeDevice(const run::Options &Options, const rt::Manifest &Manifest,
           std::shared_ptr<pgo::ProbeSink> Probes) {
  if (Options.Interpret) {
    if (Options.Bounds != rt::MemoryBounds::Exact)
      return createStringError("the interpreter has exact bounds only");
    interp::InterpreterOptions Settings;
    Settings.ModuleName = Manifest.Modules.front();
    Settings.FreshMemory = Options.FreshMemory;
    if (Options.Variables)
      Settings.OnVariable = printVariable;
    return interp::createInterpreterDevice(Settings);
  }
  emu::EmulatorOptions Settings;
  Settings.Chip = Options.Chip;
  Settings.StrictHazards = Options.Strict;
  Settings.Checks = Options.Checks;
  Settings.FreshMemory = Options.FreshMemory;
  Settings.Bounds = Options.Bounds;
  Settings.Timing = Options.Timing;
  Settings.Model.SampleWaves = Options.SampleWaves;
  Settings.HostThreads = Options.HostThreads;
  Settings.Seed = Options.Seed;
  Settings.RelaxedMemory = Options.RelaxedMemory;
  Settings.Probes = std::move(Probes);
  emu::Execution Mode = emu::Execution::Emulate;
  if (Options.Execution)
    Mode = *Options.Execution;
  else if (Error E = native::executionOfEnvironment().moveInto(Mode))
    return std::move(E);
  if (Mode != emu::Execution::Emulate)
    Settings.StrictHazards = false;
  if (Error E = native::chooseExecution(Settings, Mode))
    return std::move(E);
  return emu::createEmulatorDevice(Settings);
}

/// Prints the elements of a buffer, one on a line.
static Error dump(rt::ManifestRunner &Runner, StringRef Name) {
  const rt::ArraySpec *Buffer = Runner.findBuffer(Name);
  if (!Buffer)
    return createStringError("no argument is a buffer '" + Name + "'");
  unsigned Size = rt::elementSize(Buffer->Type);
  uint8_t Element[8];
  for (uint64_t I = 0; I < Buffer->Count; ++I) {
    if (Error E = Runner.read(*Buffer, I * Size, {Element, Size}))
      return E;
    outs() << Name << "[" << I << "] = "
           << rt::formatElement(Buffer->Type,
                                rt::loadElement(Buffer->Type, Element))
           << "\n";
  }
  return Error::success();
}

/// Prints failed checks to standard error; returns whether there are none.
static bool reportFailures(ArrayRef<rt::CheckReport> Checks) {
  bool Passed = true;
  for (const rt::CheckReport &Check : Checks) {
    if (Check.Passed)
      continue;
    Passed = false;
    errs() << Check.Place << ": " << Check.What << ": " << Check.Message
           << "\n";
    for (const std::string &Line : Check.Details)
      errs() << "  " << Line << "\n";
  }
  return Passed;
}

/// With --check=mem, prints what kernels have not freed; returns whether that
/// is something.
static bool reportLeaks(const run::Options &Options, rt::Device &Device) {
  if (Options.Interpret || !Options.Checks.contains(emu::CheckKind::Mem))
    return false;
  std::string Leaks = emu::describeLeaks(Device);
  if (!Leaks.empty())
    errs() << Options.Manifest << ": leak: " << Leaks << "\n";
  return !Leaks.empty();
}

static Error writeProfile(pgo::ProfilingDevice &Device, StringRef Path) {
  Expected<pgo::ProfileData> Profile = Device.collect();
  if (!Profile)
    return Profile.takeError();
  bool Counts = any_of(Profile->Functions,
                       [](const auto &F) { return !F.second.Edges.empty(); });
  if (!Counts)
    return createStringError("--profile-out: the code counts nothing; compile "
                             "it with -fprofile-generate or -fprofile-probes");
  return Profile->addToFile(Path);
}

/// Does what the command line says; returns whether all expectations hold.
static Expected<bool> runManifest(const run::Options &Options) {
  rt::Manifest Manifest;
  if (Error E = rt::readManifest(Options.Manifest).moveInto(Manifest))
    return E;
  if (!Options.Modules.empty())
    Manifest.Modules = Options.Modules;
  if (Options.MaxInstructions)
    Manifest.MaxInstructions = *Options.MaxInstructions;

  if (Error E =
          run::applyTuning(std::move(Manifest), Options).moveInto(Manifest))
    return E;

  SmallVector<char, 0> Code;
  if (Error E = run::makeCodeObject(Manifest.Modules, Options).moveInto(Code))
    return E;
  std::unique_ptr<rt::Device> Device;
  std::shared_ptr<pgo::ProbeSink> Probes;
  if (!Options.ProfileOut.empty())
    Probes = std::make_shared<pgo::ProbeSink>();
  if (Error E = makeDevice(Options, Manifest, Probes).moveInto(Device))
    return E;
  std::unique_ptr<pgo::ProfilingDevice> Profiling;
  if (Probes)
    Profiling = pgo::createProfilingDevice(*Device, Probes);
  std::unique_ptr<rt::ManifestRunner> Runner;
  ArrayRef<uint8_t> Bytes(reinterpret_cast<const uint8_t *>(Code.data()),
                          Code.size());
  if (Error E = rt::ManifestRunner::create(Profiling ? *Profiling : *Device,
                                           Manifest, Bytes)
                    .moveInto(Runner))
    return E;

  Error Failure = Runner->launchAll();
  if (!Options.JSON)
    outs() << Runner->output();
  if (Failure)
    return Failure;
  if (Profiling)
    if (Error E = writeProfile(*Profiling, Options.ProfileOut))
      return E;
  std::vector<rt::CheckReport> Checks;
  if (Error E = Runner->check().moveInto(Checks))
    return E;
  for (const std::string &Name : Options.Dumps)
    if (Error E = dump(*Runner, Name))
      return E;
  if (Options.JSON)
    outs() << formatv("{0:2}\n",
                      rt::reportJSON(Manifest, *Device, *Runner, Checks));
  else if (Options.Statistics)
    rt::printStatistics(outs(), Runner->reports());
  return reportFailures(Checks) && !reportLeaks(Options, *Device);
}

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv);
  return testMain<run::Options>(
      "ptx-run", run::parseOptions(ArrayRef<const char *>(Argv + 1, Argc - 1)),
      run::printHelp, runManifest);
}
