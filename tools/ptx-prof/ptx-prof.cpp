//===- ptx-prof.cpp - Where the cycles of kernels go ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a manifest under the timing model and reports.
//
//===----------------------------------------------------------------------===//

#include "Diff.h"
#include "Html.h"
#include "Options.h"
#include "Report.h"
#include "heddle/Compiler/ModuleFile.h"
#include "heddle/Emulator/Emulator.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace heddle;
using namespace llvm;

static Expected<SmallVector<char, 0>> makeCode(const prof::Options &O,
                                               StringRef Path) {
  CompileOptions Settings;
  if (auto Fault = Settings.set(OptionId::Arch, O.Chip))
    return createStringError(*Fault);
  // Reports name source lines.
  std::vector<std::string> Args = {"-lineinfo"};
  Args.insert(Args.end(), O.CompilerArgs.begin(), O.CompilerArgs.end());
  if (auto Fault = Settings.parse(Args))
    return createStringError(*Fault);
  return readModule(Path, Settings);
}

/// Prints what does not hold to standard error.
static bool reportFailures(ArrayRef<rt::CheckReport> Checks) {
  bool Passed = true;
  for (const rt::CheckReport &Check : Checks)
    if (!Check.Passed) {
      Passed = false;
      errs() << Check.Place << ": " << Check.What << ": " << Check.Message
             << "\n";
    }
  return Passed;
}

/// Writes a file, unless its name is empty.
static Error writeFile(StringRef Path,
                       function_ref<void(raw_ostream &)> Print) {
  if (Path.empty())
    return Error::success();
  std::error_code Code;
  raw_fd_ostream OS(Path, Code);
  if (!Code) {
    Print(OS);
    OS.close();
    Code = OS.error();
    OS.clear_error();
  }
  if (Code)
    return createStringError(Path + ": " + Code.message());
  return Error::success();
}

/// Returns whether all expectations of the manifest hold.
static Expected<bool> runManifest(const prof::Options &O) {
  rt::Manifest Manifest;
  if (Error E = rt::readManifest(O.Files.front()).moveInto(Manifest))
    return E;
  if (!O.Module.empty())
    Manifest.Modules = {O.Module};
  if (Manifest.Modules.size() != 1)
    return createStringError("linking several modules is not supported yet");
  emu::EmulatorOptions Settings;
  Settings.Chip = O.Chip;
  Settings.StrictHazards = false;
  Settings.Timing = true;
  Settings.TraceWarps = !O.Trace.empty();
  std::unique_ptr<rt::Device> Device;
  if (Error E = emu::createEmulatorDevice(Settings).moveInto(Device))
    return E;
  SmallVector<char, 0> Code;
  if (Error E = makeCode(O, Manifest.Modules.front()).moveInto(Code))
    return E;
  ArrayRef<uint8_t> Bytes(reinterpret_cast<const uint8_t *>(Code.data()),
                          Code.size());
  Disassembly Text;
  if (Error E = disassemble(Bytes, O.Chip).moveInto(Text))
    return E;
  std::unique_ptr<rt::ManifestRunner> Runner;
  if (Error E =
          rt::ManifestRunner::create(*Device, Manifest, Bytes).moveInto(Runner))
    return E;
  if (Error E = Runner->launchAll())
    return E;
  prof::print(outs(), O, *isa::findChip(O.Chip), Runner->reports(), Text);
  if (Error E = writeFile(O.Html, [&](raw_ostream &OS) {
        prof::printHtml(OS, O, *isa::findChip(O.Chip), Runner->reports(), Text,
                        sys::path::parent_path(Manifest.Modules.front()));
      }))
    return E;
  if (Error E = writeFile(O.Trace, [&](raw_ostream &OS) {
        prof::printTrace(OS, Runner->reports());
      }))
    return E;
  std::vector<rt::CheckReport> Checks;
  if (Error E = Runner->check().moveInto(Checks))
    return E;
  return reportFailures(Checks);
}

static Expected<bool> run(const prof::Options &O) {
  if (O.Command == prof::Command::Run)
    return runManifest(O);
  if (Error E = prof::printDiff(outs(), O.Files[0], O.Files[1], O.Rows))
    return E;
  return true;
}

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv);
  Expected<prof::Options> Options =
      prof::parseOptions(ArrayRef<const char *>(Argv + 1, Argc - 1));
  if (!Options) {
    errs() << "ptx-prof: " << toString(Options.takeError()) << "\n";
    return 1;
  }
  if (Options->Help) {
    prof::printHelp(outs());
    return 0;
  }
  Expected<bool> Passed = run(*Options);
  if (Passed)
    return *Passed ? 0 : 1;
  errs() << "ptx-prof: " << toString(Passed.takeError()) << "\n";
  return 1;
}
