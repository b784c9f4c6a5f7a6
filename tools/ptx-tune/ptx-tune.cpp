//===- ptx-tune.cpp - Searches for better decisions -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tunes the kernels of launch manifests one after the other, and writes the
// decisions found as a document for ptx-compile.
//
//===----------------------------------------------------------------------===//

#include "Queue.h"
#include "Report.h"
#include "T4.h"
#include "llvm/Support/Errno.h"
#include "llvm/Support/FileUtilities.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/JSON.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

using namespace heddle;
using namespace llvm;

static Error writeFile(StringRef Path,
                       function_ref<void(raw_ostream &)> Print) {
  if (Error E = writeToOutput(Path, [&](raw_ostream &OS) {
        Print(OS);
        return Error::success();
      }))
    return createStringError(Path + ": " + toString(std::move(E)));
  return Error::success();
}

/// The command that runs untuned what a measurement was about, and prints what
/// differed.
static std::string commandFor(const tune::Options &O,
                              const tune::DifferencePlace &P) {
  // A worker may have said anything.
  size_t Number = std::min(P.Workload, O.Workloads.size() - 1);
  std::string Command =
      "ptx-run " + O.Workloads[Number].Path + " --timing --chip " + P.Chip;
  if (!O.Module.empty())
    Command += " --module " + O.Module;
  for (const std::string &Option : O.CompilerArgs)
    Command += " -X " + Option;
  if (!P.Buffer.empty())
    Command += " --dump " + P.Buffer;
  return Command;
}

/// The documents of configurations that compute something else, for a report
/// about the compiler.
static Error writeWrong(const tune::Options &O,
                        ArrayRef<tune::KernelResult> Results) {
  unsigned Number = 0;
  for (const tune::KernelResult &R : Results)
    for (const auto &[C, M] : R.Wrong) {
      tuning::Document D;
      D.Kernels[R.Name] = C;
      std::string Path = ((O.Output == "-" ? "tuning.json" : O.Output) +
                          ".wrong-" + Twine(++Number) + ".json")
                             .str();
      if (Error E =
              writeFile(Path, [&](raw_ostream &OS) { OS << D.str() << "\n"; }))
        return E;
      std::string Command = commandFor(O, M.Place);
      errs() << "ptx-tune: warning: a configuration changes what '" << R.Name
             << "' computes (" << M.Fault
             << "). This is a defect of the compiler; please report it. To see "
                "it again, compare what these do:\n  "
             << Command << "\n  " << Command << " -X --tuning=" << Path << "\n";
    }
  return Error::success();
}

/// An error if nothing usable was found for a kernel: the untuned code is over
/// a limit then, too.
static Error checkFound(const tune::Options &O,
                        ArrayRef<tune::KernelResult> Results) {
  Error Missing = Error::success();
  for (const tune::KernelResult &R : Results)
    if (!R.Costs.empty() && !R.isFound())
      Missing = joinErrors(
          std::move(Missing),
          createStringError("kernel '" + R.Name +
                            "': no configuration that was tried keeps " +
                            O.Bounds.str() + "; nothing is recorded"));
  return Missing;
}

static Error search(const tune::Options &O) {
  std::unique_ptr<tune::Objective> Where;
  if (Error E = tune::createEmulatorObjective(O).moveInto(Where))
    return E;
  if (!O.Queue.empty())
    if (Error E =
            tune::createQueueObjective(O, std::move(Where)).moveInto(Where))
      return E;
  std::unique_ptr<tune::Journal> J;
  if (Error E = tune::Journal::open(O.Journal, Where->identity(), O.Bounds)
                    .moveInto(J))
    return E;
  std::unique_ptr<tune::Records> Store;
  if (Error E = tune::Records::open(O).moveInto(Store))
    return E;
  tune::Deadline End;
  if (O.Seconds)
    End = std::chrono::steady_clock::now() + std::chrono::seconds(O.Seconds);
  std::vector<tune::KernelResult> Results;
  tuning::Document Document;
  for (const tune::KernelToTune &Kernel : Where->kernels()) {
    std::vector<tuning::Configuration> Starts;
    if (O.Transfer)
      Starts = Store->startsFor(Kernel);
    Expected<tune::KernelResult> R =
        tune::tuneKernel(*Where, Kernel, Starts, O, *J, End);
    if (!R)
      return R.takeError();
    if (R->isFound())
      Store->insert(Kernel, *R, O);
    if (!R->Decisions.empty())
      Document.Kernels[R->Name] = R->Decisions;
    Results.push_back(std::move(*R));
  }
  if (Error E = writeFile(
          O.Output, [&](raw_ostream &OS) { OS << Document.str() << "\n"; }))
    return E;
  if (O.JSON)
    tune::printJSON(outs(), Results, O);
  else
    tune::printText(outs(), Results, O);
  if (!O.Html.empty())
    if (Error E = writeFile(
            O.Html, [&](raw_ostream &OS) { tune::printHtml(OS, Results, O); }))
      return E;
  if (Error E = writeWrong(O, Results))
    return E;
  return checkFound(O, Results);
}

/// Goes on in another process without waiting for its end. Returns whether this
/// one is done.
static Expected<bool> goToBackground() {
  constexpr int LeastPriority = 19;
  pid_t Child = ::fork();
  if (Child < 0)
    return createStringError("cannot start a process: " + sys::StrError());
  if (Child > 0)
    return true;
  ::setsid();
  if (::nice(LeastPriority) < 0)
    errno = 0; // then it has the priority that it has
  int Nowhere = ::open("/dev/null", O_RDWR);
  for (int FD : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (Nowhere < 0 || ::dup2(Nowhere, FD) < 0)
      ::close(FD);
  return false;
}

static Error run(const tune::Options &O) {
  if (O.Background) {
    Expected<bool> IsDone = goToBackground();
    if (!IsDone || *IsDone)
      return IsDone.takeError();
  }
  switch (O.Do) {
  case tune::Command::Tune:
    return search(O);
  case tune::Command::Export:
    return tune::exportRecord(O);
  case tune::Command::Import:
    return tune::importRecord(O);
  case tune::Command::Worker:
    return tune::runWorker(O);
  }
  return Error::success();
}

int main(int Argc, char **Argv) {
  InitLLVM Init(Argc, Argv);
  auto Fail = [](Error E) {
    errs() << "ptx-tune: " << toString(std::move(E)) << "\n";
    return 1;
  };
  Expected<tune::Options> Options =
      tune::parseOptions(ArrayRef<const char *>(Argv + 1, Argc - 1));
  if (!Options)
    return Fail(Options.takeError());
  if (Options->Help)
    tune::printHelp(outs());
  else if (Options->ListKnobs)
    tune::printKnobs(outs());
  else if (Error E = run(*Options))
    return Fail(std::move(E));
  return 0;
}
