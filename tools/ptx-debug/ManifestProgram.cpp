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
#include "heddle/Tooling/PTXLines.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace llvm;

namespace heddle::debug {

static Expected<std::string> readText(const std::string &Path) {
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return createStringError(Path + ": " + Buffer.getError().message());
  return (*Buffer)->getBuffer().str();
}

std::optional<PTXSource> MadeCode::findPTX(ArrayRef<uint8_t> Of,
                                           StringRef Chip) const {
  if (Path.empty() || Of != ArrayRef<uint8_t>(Object))
    return std::nullopt;
  auto FindLines = [this, TheChip = Chip.str()]() -> Expected<PlacedLines> {
    Expected<std::string> Text = readText(Path);
    if (!Text)
      return Text.takeError();
    return findPTXLines(MemoryBufferRef(*Text, Path), Settings, Object,
                        TheChip);
  };
  return PTXSource{Path, [this] { return readText(Path); },
                   std::move(FindLines)};
}

static bool isPTX(const std::string &Path) {
  Expected<std::string> Text = readText(Path);
  if (Text)
    return !isCodeObject(*Text);
  consumeError(Text.takeError());
  return false;
}

/// The code of the program.
static Error compileModules(const Options &O, ArrayRef<std::string> Modules,
                            MadeCode &Made) {
  CompileOptions &Settings = Made.Settings;
  Settings = CompileOptions();
  if (auto Fault = Settings.set(OptionId::Arch, O.Chip))
    return createStringError(*Fault);
  // On all cores, unless something else is wanted; the code is the same. Each
  // thread is one of the source.
  std::vector<std::string> Args = {"--split-compile=0", "--separate-ctas"};
  append_range(Args, O.CompilerArgs);
  Args.push_back("-lineinfo");
  if (auto Fault = Settings.parse(Args))
    return createStringError(*Fault);
  Expected<SmallVector<char, 0>> Code =
      Modules.size() == 1 ? readModule(Modules.front(), Settings)
                          : linkModules(Modules, Settings);
  if (!Code)
    return Code.takeError();
  Made.Object.assign(Code->begin(), Code->end());
  Made.Path = Modules.size() == 1 && isPTX(Modules.front()) ? Modules.front()
                                                            : std::string();
  return Error::success();
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

Error runManifest(const Options &O, std::shared_ptr<Session> S, Console &C,
                  MadeCode &Made) {
  const std::string &Path = O.Program.front();
  rt::Manifest Manifest;
  if (Error E = rt::readManifest(Path).moveInto(Manifest))
    return E;
  if (!O.Modules.empty())
    Manifest.Modules = O.Modules;
  if (Error E = compileModules(O, Manifest.Modules, Made))
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
  std::unique_ptr<rt::ManifestRunner> Runner;
  if (Error E = rt::ManifestRunner::create(*Device, Manifest, Made.Object)
                    .moveInto(Runner))
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
