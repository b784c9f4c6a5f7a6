//===- Options.cpp - The command line of ptx-prof ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options once, in a table from which both parser and help are made.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/Support/OptionTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle::prof {

static constexpr OptionText OptimizationLevel = {
    "-O0 ... -O3", "", "Optimization level of the compiler (-O3)"};

static Error setSampleWaves(Options &O, StringRef Value) {
  constexpr unsigned Least = emu::TimingModel::LeastSampleWaves;
  if (Value.getAsInteger(10, O.SampleWaves) || O.SampleWaves < Least)
    return createStringError("--timing-sample takes a whole number from " +
                             Twine(Least) + " on, not '" + Value + "'");
  return Error::success();
}

/// A row's action that cannot fail.
#define DO(Statement)                                                          \
  [](Options &O, StringRef Value) -> Error {                                   \
    Statement;                                                                 \
    return Error::success();                                                   \
  }

static constexpr OptionRow<Options> Rows[] = {
    {"--module", "FILE", "PTX or code object in place of the manifest's",
     DO(O.Module = Value.str())},
    {"--chip", "NAME", "The chip to compile for and run on (hd100)",
     DO(O.Chip = Value.str())},
    {"-X", "OPTION", "Pass an option to the compiler",
     DO(O.CompilerArgs.push_back(Value.str()))},
    {"--rows", "N", "Lines and instructions to list in the text (10)",
     [](Options &O, StringRef Value) {
       return setNumber("--rows", Value, O.Rows);
     }},
    {"--no-advice", "", "Do not run again without what may hold kernels back",
     DO(O.Advice = false)},
    {"--figures", "NAME=VALUE|NAME=FACTORx,...",
     "Run on a chip with these other figures", DO(O.Figures = Value.str())},
    {"--what-if", "NAME=VALUE|NAME=FACTORx,...",
     "Time each launch on a chip with other figures as well (docs/timing.md), "
     "such as dram=2x; may be given several times",
     DO(O.WhatIf.push_back(Value.str()))},
    {"--timing-sample", "WAVES",
     "Of larger grids, time the CTAs of so many fillings of the chip",
     setSampleWaves},
    {"--fresh-memory", "zero|poison",
     "What global memory holds that neither the manifest nor a kernel has "
     "written (poison)",
     [](Options &O, StringRef Value) {
       return rt::parseFreshMemory(Value).moveInto(O.FreshMemory);
     }},
    {"--json", "", "Print everything as one JSON object",
     DO(O.Format = Format::JSON)},
    {"--csv", "", "Print the metrics of each launch, one in a row",
     DO(O.Format = Format::CSV)},
    {"--html", "FILE", "Write one page with everything, too",
     DO(O.Html = Value.str())},
    {"--fix", "FILE",
     "Try what of the advice the compiler can follow, and write the decisions "
     "that win cycles as a tuning document, for ptx-compile --tuning",
     DO(O.Fix = Value.str())},
    {"--trace", "FILE",
     "Write the warps on the cores for Perfetto or chrome://tracing, too; in "
     "Perfetto's own format if FILE ends in .pftrace",
     DO(O.Trace = Value.str())},
    {"--help", "", "Print this text", DO(O.Help = true)},
};

#undef DO

Expected<Options> parseOptions(ArrayRef<const char *> Args) {
  Options O;
  bool HasCommand = false;
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    Expected<bool> Known = applyOption<Options>(Rows, O, Args, I);
    if (!Known)
      return Known.takeError();
    if (*Known)
      continue;
    if (Arg.size() == 3 && Arg.starts_with("-O") && isDigit(Arg[2])) {
      O.CompilerArgs.push_back(Arg.str());
      continue;
    }
    if (Arg.size() > 1 && Arg.starts_with("-"))
      return unknownOption(textsOf<Options>(Rows), Arg);
    if (!HasCommand && Arg != "run" && Arg != "diff")
      return createStringError("unknown command '" + Arg + "'; see --help");
    else if (HasCommand)
      O.Files.push_back(Arg.str());
    else
      O.Command = Arg == "run" ? Command::Run : Command::Diff;
    HasCommand = true;
  }
  if (O.Help)
    return O;
  if (!HasCommand)
    return createStringError("no command; see --help");
  if (O.Command == Command::Run && O.Files.size() != 1)
    return createStringError("run takes one manifest; see --help");
  if (!O.Fix.empty() && !O.Advice)
    return createStringError("--fix follows advice, which --no-advice leaves "
                             "out");
  if (O.Command == Command::Diff && O.Files.size() != 2)
    return createStringError("diff takes two reports; see --help");
  return O;
}

void printHelp(raw_ostream &OS) {
  OS << R"(ptx-prof: tells where the cycles of kernels go

usage: ptx-prof run [options] MANIFEST
       ptx-prof diff [--rows N] BEFORE AFTER

run carries out a launch manifest (docs/launch-manifest.md) in the time of a chip
and reports where the cycles of each launch went: metrics with the names of Nsight
Compute, a roofline, advice with the cycles that it would win, source lines and
instructions. docs/profiling.md explains the report, docs/timing.md the model. The
exit status is 0 if all launches end without a fault and all expectations hold,
else 1.

diff takes two reports of run --json, and attributes the change of each launch's
cycles to source lines and to what warps waited for there.

Options:
)";
  printOption(OS, OptimizationLevel);
  for (const OptionText &Row : Rows)
    printOption(OS, Row);
}

} // namespace heddle::prof
