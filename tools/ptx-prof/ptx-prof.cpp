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
#include "Fix.h"
#include "Options.h"
#include "Report.h"
#include "Trace.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/Metrics/Page.h"
#include "heddle/Support/TraceWriter.h"
#include "heddle/Tooling/InlinedCode.h"
#include "heddle/Tooling/LoadedCompiler.h"
#include "heddle/Tooling/ModuleFile.h"
#include "heddle/Tooling/PTXLines.h"
#include "heddle/Tooling/TestMain.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/Path.h"

using namespace heddle;
using namespace llvm;

/// How the manifest's module is compiled.
static Expected<CompileOptions> settingsOf(const prof::Options &O) {
  CompileOptions Settings;
  if (auto Fault = Settings.set(OptionId::Arch, O.Chip))
    return createStringError(*Fault);
  // Reports name source lines.
  std::vector<std::string> Args = {"-lineinfo"};
  Args.insert(Args.end(), O.CompilerArgs.begin(), O.CompilerArgs.end());
  if (auto Fault = Settings.parse(Args))
    return createStringError(*Fault);
  return Settings;
}

static Expected<SmallVector<char, 0>> makeCode(const prof::Options &O,
                                               StringRef Path) {
  Expected<CompileOptions> Settings = settingsOf(O);
  if (!Settings)
    return Settings.takeError();
  return readModule(Path, *Settings);
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

/// A manifest with what its launches run.
struct Program {
  rt::Manifest Manifest;
  SmallVector<char, 0> Code;

  ArrayRef<uint8_t> bytes() const {
    return {reinterpret_cast<const uint8_t *>(Code.data()), Code.size()};
  }
};

/// A device in time with a program that has run on it.
struct Run {
  std::unique_ptr<rt::Device> Device;
  std::unique_ptr<rt::ManifestRunner> Runner;
};

static Expected<Program> load(const prof::Options &O) {
  Program P;
  if (Error E = rt::readManifest(O.Files.front()).moveInto(P.Manifest))
    return std::move(E);
  if (!O.Module.empty())
    P.Manifest.Modules = {O.Module};
  if (!O.Fix.empty() && any_of(O.CompilerArgs, [](StringRef Arg) {
        return Arg.ltrim('-').starts_with("tuning");
      }))
    return createStringError("--fix makes a tuning document, and --tuning has "
                             "one already");
  if (P.Manifest.Modules.size() != 1)
    return createStringError("linking several modules is not supported yet");
  if (Error E = makeCode(O, P.Manifest.Modules.front()).moveInto(P.Code))
    return std::move(E);
  return P;
}

/// What of the model is not as it is.
struct ModelChange {
  rt::LimiterSet Without;
  isa::ChipChanges Chip; ///< --figures among them; if empty, they alone
  /// What goes with IdleBarriers among Without.
  std::vector<prof::InstructionPlace> LeftOut = {};
  bool FindsBarriers = false; ///< Looks for those that order nothing.

  bool any() const { return Without.any() || !Chip.empty(); }
};

/// The changes of --figures and, after them, of \p Text, if the chip can have
/// them. \p Option is the one that \p Text is from.
static Expected<isa::ChipChanges> changesOf(const prof::Options &O,
                                            StringRef Option = "--figures",
                                            StringRef Text = "") {
  isa::ChipChanges Changes;
  std::optional<std::string> Fault;
  for (StringRef One : {StringRef(O.Figures), Text})
    if (!One.empty() && !Fault)
      Fault = Changes.parse(std::string_view(One));
  isa::ChipInfo Changed;
  if (const isa::ChipInfo *Chip = isa::findChip(O.Chip); Chip && !Fault)
    Fault = Changes.apply(Changed = *Chip);
  if (Fault)
    return createStringError(Option + ": " + *Fault);
  return Changes;
}

static Expected<Run> launchAll(const prof::Options &O, const Program &P,
                               const ModelChange &Change = {}) {
  Expected<isa::ChipChanges> Figures = changesOf(O);
  if (!Figures)
    return Figures.takeError();
  emu::EmulatorOptions Settings;
  Settings.Chip = O.Chip;
  Settings.StrictHazards = false;
  Settings.FreshMemory = O.FreshMemory;
  Settings.Timing = true;
  Settings.Changes = Change.Chip.empty() ? *Figures : Change.Chip;
  Settings.Model.Without = Change.Without;
  Settings.Model.LeftOutBarriers = Change.LeftOut;
  Settings.Model.FindIdleBarriers = Change.FindsBarriers;
  Settings.Model.SampleWaves = O.SampleWaves;
  Settings.Model.TraceWarps = !O.Trace.empty() && !Change.any();
  Run R;
  if (Error E = emu::createEmulatorDevice(Settings).moveInto(R.Device))
    return std::move(E);
  if (Error E = rt::ManifestRunner::create(*R.Device, P.Manifest, P.bytes())
                    .moveInto(R.Runner))
    return std::move(E);
  if (Error E = R.Runner->launchAll())
    return std::move(E);
  return R;
}

/// The cycles of each launch of another run.
static Expected<std::vector<uint64_t>> cyclesWith(const prof::Options &O,
                                                  const Program &P,
                                                  const ModelChange &Change) {
  Expected<Run> Again = launchAll(O, P, Change);
  if (!Again)
    return Again.takeError();
  std::vector<uint64_t> Cycles;
  for (const rt::LaunchReport &R : Again->Runner->reports())
    Cycles.push_back(R.Result.Profile ? R.Result.Profile->totalCycles() : 0);
  return Cycles;
}

/// The change that \p Text asks for, if the chip can have it.
static Expected<ModelChange> changeOf(const prof::Options &O, StringRef Text) {
  ModelChange Change;
  if (Error E = changesOf(O, "--what-if", Text).moveInto(Change.Chip))
    return std::move(E);
  return Change;
}

/// The chip that launches run on.
static Expected<isa::ChipInfo> chipOf(const prof::Options &O) {
  Expected<isa::ChipChanges> Changes = changesOf(O);
  if (!Changes)
    return Changes.takeError();
  isa::ChipInfo Chip = *isa::findChip(O.Chip);
  if (std::optional<std::string> Fault = Changes->apply(Chip))
    return createStringError("--figures: " + *Fault);
  return Chip;
}

/// The instructions of the program as text, with their lines.
static Expected<prof::CodeNotes> readCode(const prof::Options &O,
                                          const Program &P) {
  Expected<LoadedCompiler> Compiler = LoadedCompiler::load();
  if (!Compiler)
    return Compiler.takeError();
  prof::CodeNotes Code;
  if (Error E = Compiler->disassemble(P.bytes(), O.Chip).moveInto(Code.Text))
    return std::move(E);
  if (Error E = findInlinedPlaces(P.bytes(), Code.Text).moveInto(Code.Inlined))
    return std::move(E);
  const std::string &Path = P.Manifest.Modules.front();
  Code.PTXFile = sys::path::filename(Path).str();
  auto Buffer = MemoryBuffer::getFile(Path);
  if (!Buffer)
    return createStringError(Path + ": " + Buffer.getError().message());
  if (isCodeObject((*Buffer)->getBuffer()))
    return Code;
  Expected<CompileOptions> Settings = settingsOf(O);
  if (!Settings)
    return Settings.takeError();
  if (Error E =
          findPTXLines(*Compiler, MemoryBufferRef((*Buffer)->getBuffer(), Path),
                       *Settings, P.bytes(), Code.Text)
              .moveInto(Code.PTXLines))
    return std::move(E);
  return Code;
}

/// Runs the program again with each change of the chip that was asked for.
static Expected<std::vector<prof::WhatIf>> askWhatIf(const prof::Options &O,
                                                     const Program &P) {
  std::vector<prof::WhatIf> Answers;
  for (const std::string &Text : O.WhatIf) {
    ModelChange Change;
    if (Error E = changeOf(O, Text).moveInto(Change))
      return std::move(E);
    Answers.push_back({Text, {}});
    if (Error E = cyclesWith(O, P, Change).moveInto(Answers.back().Cycles))
      return std::move(E);
  }
  return Answers;
}

/// Runs the program again without what its launches are suspected of.
static Expected<std::vector<std::vector<prof::Advice>>>
findAdvice(const prof::Options &O, const Program &P,
           const prof::CodeNotes &Code, ArrayRef<rt::LaunchReport> Reports) {
  std::vector<const rt::LaunchProfile *> Profiles;
  for (const rt::LaunchReport &R : Reports)
    Profiles.push_back(R.Result.Profile.get());
  return prof::advise(Profiles, Code.Inlined, [&](rt::Limiter L) {
    ModelChange Change{L, {}};
    if (L == rt::Limiter::IdleBarriers)
      Change.LeftOut = prof::findLongestIdleBarriers(Profiles);
    return cyclesWith(O, P, Change);
  });
}

/// The cycles of all launches with decisions for the compiler. A module that
/// does not compile with them, a launch that fails and a result that is not as
/// expected are no error, but the decisions are no good.
static Expected<std::optional<uint64_t>>
cyclesDecided(prof::Options O, const rt::Manifest &M,
              const tuning::Document &Decisions) {
  constexpr std::optional<uint64_t> NoGood;
  auto Refuse = [&](Error E) {
    consumeError(std::move(E));
    return NoGood;
  };
  if (!Decisions.Kernels.empty())
    O.CompilerArgs.push_back("--tuning=" + Decisions.str());
  Program P{M, {}};
  if (Error E = makeCode(O, M.Modules.front()).moveInto(P.Code))
    return Refuse(std::move(E));
  Expected<Run> Ran = launchAll(O, P);
  if (!Ran)
    return Refuse(Ran.takeError());
  Expected<std::vector<rt::CheckReport>> Checks = Ran->Runner->check();
  if (!Checks)
    return Refuse(Checks.takeError());
  if (!all_of(*Checks, [](const rt::CheckReport &C) { return C.Passed; }))
    return NoGood;
  uint64_t Cycles = 0;
  for (const rt::LaunchReport &R : Ran->Runner->reports())
    Cycles += R.Result.Profile ? R.Result.Profile->totalCycles() : 0;
  return Cycles;
}

/// Writes the decisions that follow the advice.
static Error fix(const prof::Options &O, const Program &P,
                 const prof::Results &R) {
  Expected<prof::Fixes> Found =
      prof::findFixes(R.Launches, R.Advice, [&](const tuning::Document &D) {
        return cyclesDecided(O, P.Manifest, D);
      });
  if (!Found)
    return Found.takeError();
  if (O.Format == prof::Format::Text)
    prof::printFixes(outs(), *Found, O.Fix);
  return writeFile(
      O.Fix, [&](raw_ostream &OS) { OS << Found->Decisions.str() << '\n'; });
}

static void printPage(raw_ostream &OS, const prof::Results &R,
                      StringRef SourceFolder) {
  std::string Title = sys::path::stem(R.O.Files.front()).str() + " on " +
                      R.O.Chip + " - ptx-prof";
  prof::PageWriter Page(OS, Title, R.Chip, R.head(), SourceFolder.str());
  for (size_t N = 0; N < R.Launches.size(); ++N)
    Page.add(R.record(N), R.Code);
  Page.finish(R.WhatIf);
}

/// Returns whether all expectations of the manifest hold.
static Expected<bool> runManifest(const prof::Options &O) {
  // Said before anything runs.
  for (const std::string &Text : O.WhatIf)
    if (Error E = changeOf(O, Text).takeError())
      return E;
  Expected<Program> P = load(O);
  if (!P)
    return P.takeError();
  Expected<Run> First = launchAll(O, *P, {{}, {}, {}, O.Advice});
  if (!First)
    return First.takeError();
  Expected<isa::ChipInfo> Chip = chipOf(O);
  if (!Chip)
    return Chip.takeError();
  prof::Results R{O, *Chip, First->Runner->reports(), {}, {}, {}};
  if (Error E = readCode(O, *P).moveInto(R.Code))
    return E;
  if (O.Advice)
    if (Error E = findAdvice(O, *P, R.Code, R.Launches).moveInto(R.Advice))
      return E;
  if (Error E = askWhatIf(O, *P).moveInto(R.WhatIf))
    return E;
  prof::print(outs(), R);
  if (!O.Fix.empty())
    if (Error E = fix(O, *P, R))
      return E;
  if (Error E = writeFile(O.Html, [&](raw_ostream &OS) {
        printPage(OS, R, sys::path::parent_path(P->Manifest.Modules.front()));
      }))
    return E;
  auto PrintTrace =
      isPerfettoName(O.Trace) ? prof::printPerfettoTrace : prof::printTrace;
  if (Error E = writeFile(O.Trace,
                          [&](raw_ostream &OS) { PrintTrace(OS, R.Launches); }))
    return E;
  std::vector<rt::CheckReport> Checks;
  if (Error E = First->Runner->check().moveInto(Checks))
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
  return testMain<prof::Options>(
      "ptx-prof",
      prof::parseOptions(ArrayRef<const char *>(Argv + 1, Argc - 1)),
      prof::printHelp, run);
}
