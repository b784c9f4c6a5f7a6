//===- Options.cpp - The command line of ptx-run ----------------*- C++ -*-===//
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
#include "heddle/Native/ChooseExecution.h"
#include "heddle/Support/OptionTable.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle::run {

static Error setChecks(Options &O, StringRef Value) {
  if (Error E = emu::CheckSet::parse(Value).moveInto(O.Checks))
    return createStringError("--check: " + toString(std::move(E)));
  if (O.Checks.needMemberMasks())
    O.CompilerArgs.push_back("--keep-member-masks");
  return Error::success();
}

static constexpr OptionText OptimizationLevel = {
    "-O0 ... -O3", "", "Optimization level of the compiler (-O3)"};

static Error setSampleWaves(Options &O, StringRef Value) {
  if (Value.getAsInteger(10, O.SampleWaves) ||
      O.SampleWaves < emu::TimingModel::LeastSampleWaves)
    return createStringError("--timing-sample takes a whole number from " +
                             Twine(emu::TimingModel::LeastSampleWaves) +
                             " on, not '" + Value + "'");
  O.Timing = O.Statistics = true;
  return Error::success();
}

/// A row's action that cannot fail.
#define DO(Statement)                                                          \
  [](Options &O, StringRef Value) -> Error {                                   \
    Statement;                                                                 \
    return Error::success();                                                   \
  }

static constexpr OptionRow<Options> Rows[] = {
    {"--module", "FILE",
     "Run this PTX file or code object in place of the manifest's module; "
     "several are linked",
     DO(O.Modules.push_back(Value.str()))},
    {"--chip", "NAME", "The chip to compile for and emulate (hd100)",
     DO(O.Chip = Value.str())},
    {"-X", "OPTION", "Pass an option to the compiler, as ptx-compile takes it",
     DO(O.CompilerArgs.push_back(Value.str()))},
    {"--no-strict", "",
     "Let instructions wait for their operands, as if the code's stall counts "
     "and wait masks were right; without it a hazard is a fault",
     DO(O.Strict = false)},
    {"--execution", "emulate|translate|auto|compare",
     "How launches are executed: instruction by instruction, as code of the "
     "host, so after a while, or in both ways (HEDDLE_EXECUTION, else "
     "emulate); "
     "all but the first are --no-strict",
     [](Options &O, StringRef Value) {
       return native::parseExecution(Value).moveInto(O.Execution.emplace());
     }},
    {"--interpret", "",
     "Interpret the PTX itself, with neither compiler nor emulator; then "
     "--chip and what is for the compiler mean nothing",
     DO(O.Interpret = true)},
    {"--variables", "",
     "With --interpret: print each value that a variable of the source gets "
     "in a register of PTX, as its debug sections say: block, thread, "
     "function, line, name, bits; for a piece of it, offset+size in front of "
     "the bits; what is in local memory as its bytes, after each store",
     DO(O.Variables = true)},
    {"--check", "NAME,...",
     "End a launch with a fault where a kernel does what PTX leaves undefined"
#define HEDDLE_CHECK(Enumerator, Name, Meaning) "; " Name ": " Meaning
#include "heddle/Emulator/Checks.def"
     ,
     setChecks},
    {"--threads", "N",
     "How many threads of the host run a launch; 0: one for each core (0)",
     [](Options &O, StringRef Value) {
       return setNumber("--threads", Value, O.HostThreads);
     }},
    {"--fresh-memory", "zero|poison",
     "What global memory holds that neither the manifest nor a kernel has "
     "written (poison)",
     [](Options &O, StringRef Value) {
       return rt::parseFreshMemory(Value).moveInto(O.FreshMemory);
     }},
    {"--bounds", "exact|page",
     "How far kernels' accesses to global memory may go: to the end of the "
     "allocation, or of the pages that a driver would give it (exact)",
     [](Options &O, StringRef Value) {
       return rt::parseMemoryBounds(Value).moveInto(O.Bounds);
     }},
    {"--seed", "N",
     "Run warps and CTAs in random time slices, which this number decides",
     [](Options &O, StringRef Value) {
       return setNumber("--seed", Value, O.Seed.emplace());
     }},
    {"--relaxed-memory", "",
     "With --seed: let loads return older values wherever the memory model "
     "allows them",
     DO(O.RelaxedMemory = true)},
    {"--max-instructions", "N",
     "End a launch with 'timeout' after N thread-instructions",
     [](Options &O, StringRef Value) {
       return setNumber("--max-instructions", Value,
                        O.MaxInstructions.emplace());
     }},
    {"--dump", "BUFFER", "Print a buffer's elements after the last launch",
     DO(O.Dumps.push_back(Value.str()))},
    {"--stats", "", "Print what each launch executed", DO(O.Statistics = true)},
    {"--timing", "",
     "Run in the time of the chip and print, with --stats' counts, cycles and "
     "where they went",
     DO(O.Timing = O.Statistics = true)},
    {"--timing-sample", "WAVES",
     "As --timing; of larger grids, time the CTAs of so many fillings of the "
     "chip",
     setSampleWaves},
    {"--profile-out", "FILE",
     "Add what the code counted, if it was made with -fprofile-generate or "
     "-fprofile-probes, to a profile for -fprofile-use",
     DO(O.ProfileOut = Value.str())},
    {"--json", "", "Print results and statistics as one JSON object",
     DO(O.JSON = true)},
    {"--help", "", "Print this text", DO(O.Help = true)},
};

#undef DO

Expected<Options> parseOptions(ArrayRef<const char *> Args) {
  Options O;
  for (size_t I = 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    Expected<bool> Known = applyOption<Options>(Rows, O, Args, I);
    if (!Known)
      return Known.takeError();
    if (*Known)
      continue;
    if (Arg.size() == 3 && Arg.starts_with("-O") && isDigit(Arg[2]))
      O.CompilerArgs.push_back(Arg.str());
    else if (Arg.size() > 1 && Arg.starts_with("-"))
      return unknownOption(textsOf<Options>(Rows), Arg);
    else if (!O.Manifest.empty())
      return createStringError("more than one manifest: '" + O.Manifest +
                               "' and '" + Arg + "'");
    else
      O.Manifest = Arg.str();
  }
  if (O.Manifest.empty() && !O.Help)
    return createStringError("no manifest; see --help");
  return O;
}

void printHelp(raw_ostream &OS) {
  OS << R"(ptx-run: runs kernels on the emulator and checks what they compute

usage: ptx-run [options] MANIFEST

Compiles a PTX module if need be, launches its kernels on the emulator with the
arguments that the manifest lists, and checks what they leave in memory. A small
manifest:

  { "module": "saxpy.ptx", "entry": "saxpy", "grid": [4], "block": [256],
    "args": [ {"type": "u32", "value": 1000}, {"type": "f32", "value": 2},
              {"buffer": "x", "type": "f32", "count": 1000,
               "init": {"iota": [0, 1]}},
              {"buffer": "y", "type": "f32", "count": 1000, "init": "zero"} ],
    "expect": [ {"buffer": "y", "values": [0, 2, 4], "first": 3} ] }

docs/launch-manifest.md describes the rest. What the kernels print goes to
standard output. The exit status is 0 if all expectations hold, else 1.

Options:
)";
  printOption(OS, OptimizationLevel);
  for (const OptionText &Row : Rows)
    printOption(OS, Row);
  OS << R"(
Examples:
  ptx-run test/kernels/saxpy/saxpy.json --stats
  ptx-run test/kernels/saxpy/saxpy.json -O0 --chip hd10 \
      --module test/kernels/saxpy/saxpy.clang.sm_90.ptx
)";
}

} // namespace heddle::run
