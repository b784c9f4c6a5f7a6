//===- Options.cpp - The command line of ptx-tune ---------------*- C++ -*-===//
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
#include "heddle/ISA/ChipChanges.h"
#include "heddle/ISA/ISA.h"
#include "heddle/Support/OptionTable.h"

using namespace llvm;

namespace heddle::tune {

static Error setStrategy(Options &O, StringRef Value) {
  if (std::optional<tuning::StrategyKind> K = tuning::findStrategy(Value)) {
    O.Strategy = *K;
    return Error::success();
  }
  std::string Names;
  for (const tuning::StrategyInfo &Row : tuning::strategyTable())
    Names += (Names.empty() ? "" : ", ") + Row.Name.str();
  return createStringError("--strategy takes one of " + Names + ", not '" +
                           Value + "'");
}

static Error setChips(Options &O, StringRef Value) {
  O.Chips.clear();
  SmallVector<StringRef> Names;
  Value.split(Names, ',');
  for (StringRef Name : Names) {
    if (!isa::findChip({Name.data(), Name.size()}))
      return createStringError("--chip: there is no chip '" + Name + "'");
    O.Chips.push_back(Name.str());
  }
  return Error::success();
}

static Error setEvaluations(Options &O, StringRef Value) {
  if (Error E = setNumber("--evaluations", Value, O.Evaluations))
    return E;
  return O.Evaluations ? Error::success()
                       : createStringError("--evaluations must not be 0");
}

static Error setPositive(StringRef Name, StringRef Value, unsigned Most,
                         unsigned &Field) {
  if (Error E = setNumber(Name, Value, Field))
    return E;
  return Field && Field <= Most
             ? Error::success()
             : createStringError(Name + " takes a number from 1 to " +
                                 Twine(Most));
}

static Error setOnly(Options &O, StringRef Value) {
  if (Expected<tuning::Decision> D = tuning::Decision::parse(Value); !D)
    return createStringError("--only: " + toString(D.takeError()));
  O.Only.push_back(Value.str());
  return Error::success();
}

static Error setBatch(Options &O, StringRef Value) {
  return setPositive("--batch", Value, 1024, O.Batch);
}

static Error setLease(Options &O, StringRef Value) {
  return setPositive("--lease", Value, 3600, O.LeaseSeconds);
}

/// Sets a limit; messages begin with the option's name.
template <LimitKind Kind> static Error setLimit(Options &O, StringRef Value) {
  if (Error E = O.Bounds.set(Kind, Value))
    return createStringError(limitInfo(Kind).Option + " " +
                             toString(std::move(E)));
  return Error::success();
}

/// A row's action that cannot fail.
#define DO(Statement)                                                          \
  [](Options &O, StringRef Value) -> Error {                                   \
    Statement;                                                                 \
    return Error::success();                                                   \
  }

static constexpr OptionRow<Options> Rows[] = {
    {"--module", "FILE", "PTX in place of the manifests', or to export from",
     DO(O.Module = Value.str())},
    {"--chip", "NAME,...", "The chips to tune for, all counting alike (hd100)",
     setChips},
    {"--figures", "NAME=VALUE|NAME=FACTORx,...",
     "Measure on chips with these other figures, as ptx-prof takes them; "
     "nothing is kept in the cache",
     DO(O.Figures = Value.str())},
    {"-X", "OPTION", "Pass an option to the compiler, as ptx-compile takes it",
     DO(O.CompilerArgs.push_back(Value.str()))},
    {"--kernel", "NAME",
     "Tune this kernel only; may be repeated. Without it all that the "
     "manifests launch are tuned, one after the other",
     DO(O.Kernels.push_back(Value.str()))},
    {"--evaluations", "N", "Configurations to try for each kernel (100)",
     setEvaluations},
    {"--moves", "N",
     "Moves to try in the final order of a kernel's instructions, after the "
     "search (half of --evaluations)",
     [](Options &O, StringRef Value) {
       return setNumber("--moves", Value, O.Moves.emplace());
     }},
    {"--only", "NAME",
     "Search this decision only, such as unroll or unroll@0; may be repeated",
     setOnly},
    {"--no-transfer", "",
     "Do not start from what the cache has recorded for similar kernels",
     DO(O.Transfer = false)},
    {"--batch", "N",
     "Configurations that the search asks for at once (4): no more workers or "
     "threads than that have work. The result depends on it",
     setBatch},
    {"--seconds", "N",
     "Stop the search after so many seconds (no limit); end a worker that had "
     "no work for so long",
     [](Options &O, StringRef Value) {
       return setNumber("--seconds", Value, O.Seconds);
     }},
    {"--max-registers", "N",
     "Take no configuration that needs more registers for a thread",
     setLimit<LimitKind::Registers>},
    {"--max-code-bytes", "N",
     "Nor one with more bytes of code, those of called functions among them",
     setLimit<LimitKind::CodeBytes>},
    {"--max-compile-time", "MS|FACTORx",
     "Nor one whose module takes more milliseconds of processor time to "
     "compile, or so many times what the untuned one takes",
     setLimit<LimitKind::CompileTime>},
    {"--strategy", "NAME", "How to search, see below (auto)", setStrategy},
    {"--seed", "N", "What random choices depend on (1)",
     [](Options &O, StringRef Value) {
       return setNumber("--seed", Value, O.Seed);
     }},
    {"--threads", "N",
     "Configurations to measure at once (the number of cores). The result does "
     "not depend on it",
     [](Options &O, StringRef Value) {
       return setNumber("--threads", Value, O.Threads);
     }},
    {"--output", "FILE",
     "Where to write the decisions (tuning.json) or the export (standard "
     "output); - is standard output",
     DO(O.Output = Value.str())},
    {"--journal", "FILE",
     "Note each measurement there; what it has of an earlier run that was "
     "stopped is not measured again",
     DO(O.Journal = Value.str())},
    {"--no-store", "", "Do not keep what was found in the cache",
     DO(O.Store = false)},
    {"--cache-dir", "DIR", "The cache to keep it in (the user's)",
     DO(O.CacheDir = Value.str())},
    {"--queue", "redis://HOST:PORT",
     "Have the configurations measured by the workers of that Redis server; of "
     "a worker, where it takes work from",
     DO(O.Queue = Value.str())},
    {"--lease", "N",
     "Seconds for which a worker may give no sign of life before its work goes "
     "to others (30)",
     setLease},
    {"--html", "FILE", "Write the report as a page with curves, too",
     DO(O.Html = Value.str())},
    {"--background", "",
     "Return at once and search in a process of low priority that says "
     "nothing; "
     "what it finds is in the cache when it ends",
     DO(O.Background = true)},
    {"--json", "", "Print the report as one JSON object", DO(O.JSON = true)},
    {"--list", "", "Print the decisions that are searched, and end",
     DO(O.ListKnobs = true)},
    {"--help", "", "Print this text", DO(O.Help = true)},
};

#undef DO

/// MANIFEST or MANIFEST@WEIGHT.
static Expected<WorkloadOption> parseWorkload(StringRef Arg) {
  auto [Path, Weight] = Arg.rsplit('@');
  WorkloadOption W{Path.str()};
  if (Arg.contains('@') &&
      (Weight.getAsDouble(W.Weight) || !(W.Weight > 0) || W.Weight > 1e9))
    return createStringError("'" + Arg +
                             "': a weight is a number greater than 0");
  return W;
}

namespace {

struct CommandRow {
  Command Do;
  StringLiteral Name, Values, Help;
  size_t Inputs; ///< How many it takes.
};

} // namespace

static constexpr CommandRow Commands[] = {
    {Command::Export, "export", "--module FILE",
     "Write all that was tried for a kernel, from its record in the cache, in "
     "Kernel Tuner's T4 format",
     0},
    {Command::Import, "import", "T4-FILE --module FILE",
     "Record the best configuration of such a file for a kernel", 1},
    {Command::Worker, "worker", "--queue redis://HOST:PORT",
     "Measure what searches with --queue ask for, until it is killed: nothing "
     "is lost by that",
     0},
};

static const CommandRow *findCommand(ArrayRef<const char *> Args) {
  const auto *Row = find_if(Commands, [&](const CommandRow &R) {
    return !Args.empty() && R.Name == Args.front();
  });
  return Row == std::end(Commands) ? nullptr : Row;
}

/// Whether the chips can have the figures that were asked for.
static Error checkFigures(const Options &O) {
  isa::ChipChanges Changes;
  std::optional<std::string> Fault = Changes.parse(std::string_view(O.Figures));
  for (const std::string &Name : O.Chips)
    if (isa::ChipInfo Chip = *isa::findChip(Name); !Fault)
      Fault = Changes.apply(Chip);
  return Fault ? createStringError("--figures: " + *Fault) : Error::success();
}

static Error checkInputs(const Options &O, const CommandRow *Row) {
  if (O.Help || O.ListKnobs)
    return Error::success();
  if (!Row)
    return O.Workloads.empty() ? createStringError("no manifest; see --help")
                               : Error::success();
  if (O.Workloads.size() == Row->Inputs)
    return Error::success();
  return createStringError("usage: ptx-tune " + Row->Name + " [options] " +
                           Row->Values);
}

Expected<Options> parseOptions(ArrayRef<const char *> Args) {
  Options O;
  const CommandRow *Row = findCommand(Args);
  if (Row)
    O.Do = Row->Do;
  for (size_t I = Row ? 1 : 0; I < Args.size(); ++I) {
    StringRef Arg = Args[I];
    Expected<bool> Known = applyOption<Options>(Rows, O, Args, I);
    if (!Known)
      return Known.takeError();
    if (*Known)
      continue;
    if (Arg.size() > 1 && Arg.starts_with("-"))
      return unknownOption(textsOf<Options>(Rows), Arg);
    Expected<WorkloadOption> W = parseWorkload(Arg);
    if (!W)
      return W.takeError();
    O.Workloads.push_back(std::move(*W));
  }
  if (!O.Figures.empty()) {
    if (Error E = checkFigures(O))
      return E;
    O.Store = false; // Records are of the chips as they are.
  }
  if (Error E = checkInputs(O, Row))
    return E;
  if (O.Output.empty())
    O.Output = Row ? "-" : "tuning.json";
  return O;
}

void printHelp(raw_ostream &OS) {
  OS << R"(usage: ptx-tune [options] MANIFEST[@WEIGHT] ...

Searches for decisions that make the kernels of launch manifests
(docs/launch-manifest.md) faster than the compiler's own at -O3 do: compiles each
configuration, runs it in the time of the chip, and compares what it computes with
what the untuned kernel does. One that computes something else is never taken, and
is written beside the output for a report: it is a defect of the compiler.

The result is a file for ptx-compile --tuning=FILE, and a record in the cache, which
ptx-compile --use-tuning and the JIT find by the text of the kernel. With several
manifests or chips the geometric mean of the times, each relative to the untuned one,
decides.

Commands in place of a search:
)";
  for (const CommandRow &Row : Commands)
    printOption(OS, {Row.Name, Row.Values, Row.Help});
  OS << R"(
Options:
)";
  for (const OptionText &Row : Rows)
    printOption(OS, Row);
  OS << "\nStrategies:\n";
  for (const tuning::StrategyInfo &Row : tuning::strategyTable())
    printOption(OS, {Row.Name, "", Row.Help});
  OS << R"(
Examples:
  ptx-tune test/kernels/sgemm/sgemm.json --output sgemm.tuning.json
  ptx-compile test/kernels/sgemm/sgemm.nvcc.sm_90.ptx --tuning=sgemm.tuning.json
  ptx-tune small.json@1 large.json@3 --evaluations 300 --journal sgemm.journal
)";
}

} // namespace heddle::tune
