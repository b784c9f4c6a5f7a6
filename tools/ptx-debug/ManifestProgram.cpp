//===- ManifestProgram.cpp - Debugging what a manifest says -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As ptx-run, with a debugger behind the device.
//
//===----------------------------------------------------------------------===//

#include "ManifestProgram.h"
#include "heddle/Manifest/ManifestRunner.h"
#include "heddle/Tooling/ModuleFile.h"

using namespace llvm;

namespace heddle::debug {

static Expected<SmallVector<char, 0>>
compileModules(const Options &O, ArrayRef<std::string> Modules) {
  CompileOptions Settings;
  if (auto Fault = Settings.set(OptionId::Arch, O.Chip))
    return createStringError(*Fault);
  // On all cores, unless something else is wanted; the code is the same.
  std::vector<std::string> Args = {"--split-compile=0"};
  append_range(Args, O.CompilerArgs);
  Args.push_back("-lineinfo");
  if (auto Fault = Settings.parse(Args))
    return createStringError(*Fault);
  return Modules.size() == 1 ? readModule(Modules.front(), Settings)
                             : linkModules(Modules, Settings);
}

static void reportChecks(ArrayRef<rt::CheckReport> Checks, Console &C) {
  for (const rt::CheckReport &Check : Checks) {
    if (Check.Passed)
      continue;
    C.write(Check.Place + ": " + Check.What + ": " + Check.Message + "\n");
    for (const std::string &Line : Check.Details)
      C.write("  " + Line + "\n");
  }
}

Error runManifest(const Options &O, std::shared_ptr<Session> S, Console &C) {
  const std::string &Path = O.Program.front();
  rt::Manifest Manifest;
  if (Error E = rt::readManifest(Path).moveInto(Manifest))
    return E;
  if (!O.Modules.empty())
    Manifest.Modules = O.Modules;
  SmallVector<char, 0> Code;
  if (Error E = compileModules(O, Manifest.Modules).moveInto(Code))
    return E;
  emu::EmulatorOptions Settings;
  Settings.Chip = O.Chip;
  Settings.StrictHazards = O.Strict;
  Settings.Checks = O.Checks;
  Settings.FreshMemory = rt::FreshMemory::Poison;
  Settings.HostThreads = 1;
  Settings.Debug = std::move(S);
  std::unique_ptr<rt::Device> Device;
  if (Error E = emu::createEmulatorDevice(Settings).moveInto(Device))
    return E;
  ArrayRef<uint8_t> Bytes(reinterpret_cast<const uint8_t *>(Code.data()),
                          Code.size());
  std::unique_ptr<rt::ManifestRunner> Runner;
  if (Error E =
          rt::ManifestRunner::create(*Device, Manifest, Bytes).moveInto(Runner))
    return E;
  Error Failure = Runner->launchAll();
  C.write(Runner->output());
  if (Failure)
    return Failure;
  std::vector<rt::CheckReport> Checks;
  if (Error E = Runner->check().moveInto(Checks))
    return E;
  reportChecks(Checks, C);
  bool Holds = all_of(Checks, [](const auto &Check) { return Check.Passed; });
  C.write("[" + Path + " has ended; what it expects " +
          (Holds ? "holds" : "does not hold") + "]\n");
  return Error::success();
}

} // namespace heddle::debug
