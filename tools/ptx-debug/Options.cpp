//===- Options.cpp - Command line of ptx-debug ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options of ptx-debug: gdb's words for commands and batches, ptx-run's and
// ptx-env's for how kernels are compiled and run.
//
//===----------------------------------------------------------------------===//

#include "Options.h"
#include "heddle/Support/OptionTable.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle::debug {

static Error setChecks(Options &O, StringRef Value) {
  if (Error E = emu::CheckSet::parse(Value).moveInto(O.Checks))
    return createStringError("--check: " + toString(std::move(E)));
  O.CheckNames = Value.str();
  if (O.Checks.needMemberMasks())
    O.CompilerArgs.push_back("--keep-member-masks");
  return Error::success();
}

static Error setProcess(Options &O, StringRef Value) {
  if (Value.getAsInteger(10, O.Attach) || O.Attach <= 0)
    return createStringError("--attach: '" + Value +
                             "' is not the number of a process");
  return Error::success();
}

static constexpr OptionText OptimizationLevel = {
    "-O0 ... -O3", "", "Optimization level of the compiler (-O3)"};

#define DO(Statement)                                                          \
  [](Options &O, StringRef Value) -> Error {                                   \
    Statement;                                                                 \
    return Error::success();                                                   \
  }

static constexpr OptionRow<Options> Rows[] = {
    {"-ex", "COMMAND", "Carry out a command; several in their order",
     DO(O.Commands.push_back(Value.str()))},
    {"-x", "FILE", "Carry out the commands in a file",
     DO(O.Commands.push_back("source " + Value.str()))},
    {"-batch", "", "End when these commands are done; ask for no others",
     DO(O.Batch = true)},
    {"--dap", "",
     "Serve an editor by the Debug Adapter Protocol on standard input and "
     "output, which says what to run",
     DO(O.Dap = true)},
    {"-directory", "FOLDER", "Look for source files there, too",
     DO(O.SourceFolders.push_back(Value.str()))},
    {"--core", "FILE",
     "Look at a core file of ptx-env --core or generate-core-file, in place of "
     "running a program",
     DO(O.Core = Value.str())},
    {"--attach", "PID",
     "Debug a process that ptx-env --debug-wait has waiting; `run` lets it go "
     "on",
     setProcess},
    {"--module", "FILE",
     "With a manifest: run this PTX file or code object in place of its "
     "module; several are linked",
     DO(O.Modules.push_back(Value.str()))},
    {"--chip", "NAME", "The chip to compile for and emulate (hd100)",
     DO(O.Chip = Value.str())},
    {"-X", "OPTION",
     "With a manifest: pass an option to the compiler, as ptx-compile takes it",
     DO(O.CompilerArgs.push_back(Value.str()))},
    {"--strict", "", "Stop where code does not wait for its operands",
     DO(O.Strict = true)},
    {"--check", "NAME,...", "Stop where a kernel does what PTX leaves undefined"
#define HEDDLE_CHECK(Enumerator, Name, Meaning) "; " Name ": " Meaning
#include "heddle/Emulator/Checks.def"
     ,
     setChecks},
    {"--help", "", "Print this text", DO(O.Help = true)},
};

#undef DO

/// What gdb has short or other names for.
static std::string longName(StringRef Arg) {
  constexpr std::pair<StringLiteral, StringLiteral> Names[] = {
      {"-p", "--attach"},      {"-pid", "--attach"}, {"-c", "--core"},
      {"-core", "--core"},     {"-d", "-directory"}, {"-command", "-x"},
      {"-eval-command", "-ex"}};
  auto [Name, Value] = Arg.split('=');
  if (Name.starts_with("--"))
    Name = Name.drop_front();
  for (const auto &[Short, Long] : Names)
    if (Name == Short && Arg != "--core")
      return (Long + (Value.empty() ? "" : "=") + Value).str();
  return "";
}

/// Options of gdb that say what is so anyway.
static constexpr StringLiteral Meaningless[] = {
    "q",  "quiet",     "silent",
    "nx", "nh",        "n",
    "nw", "nowindows", "return-child-result"};

Expected<Options> parseOptions(ArrayRef<const char *> Args) {
  Options O;
  size_t I = 0;
  for (; I < Args.size() && Args[I][0] == '-'; ++I) {
    StringRef Arg = Args[I];
    if (Arg == "--" || Arg == "--args" || Arg == "-args") {
      ++I;
      break;
    }
    // gdb takes one dash or two.
    std::string Single = Arg.starts_with("--") ? Arg.drop_front().str() : "";
    std::vector<const char *> These(Args.begin(), Args.end());
    for (StringRef Name : {"-ex", "-x", "-batch", "-directory"})
      if (!Single.empty() && StringRef(Single).split('=').first == Name)
        These[I] = Single.c_str();
    std::string Long = longName(Arg);
    if (!Long.empty())
      These[I] = Long.c_str();
    if (is_contained(Meaningless, Arg.ltrim('-')))
      continue;
    Expected<bool> Known = applyOption<Options>(Rows, O, These, I);
    if (!Known)
      return Known.takeError();
    if (*Known)
      continue;
    if (Arg.size() == 3 && Arg.starts_with("-O") && isDigit(Arg[2]))
      O.CompilerArgs.push_back(Arg.str());
    else
      return unknownOption(textsOf<Options>(Rows), Arg);
  }
  for (; I < Args.size(); ++I)
    O.Program.push_back(Args[I]);
  if (!O.Core.empty() && !O.Program.empty())
    return createStringError("a core file has its program; '" +
                             O.Program.front() + "' is one too many");
  if (O.Attach && !(O.Program.empty() && O.Core.empty()))
    return createStringError("a process has its program; '" +
                             (O.Program.empty() ? O.Core : O.Program.front()) +
                             "' is one too many");
  if (O.Dap && !(O.Program.empty() && O.Core.empty() && O.Commands.empty() &&
                 O.Attach == 0))
    return createStringError("with --dap the editor says what to run");
  bool HasProgram = !O.Program.empty() || !O.Core.empty() || O.Attach;
  bool HasCommands = !O.Commands.empty() || O.Help || O.Dap;
  if (!HasProgram && !HasCommands)
    return createStringError("no manifest and no program; see --help");
  if (O.isManifest() && O.Program.size() > 1)
    return createStringError("more than one manifest: '" + O.Program[0] +
                             "' and '" + O.Program[1] + "'");
  return O;
}

void printHelp(raw_ostream &OS) {
  OS << R"(ptx-debug: debugs kernels on the emulator

usage: ptx-debug [options] MANIFEST.json
       ptx-debug [options] PROGRAM [ARGUMENTS...]
       ptx-debug [options] --core FILE
       ptx-debug [options] --attach PID

Runs what ptx-run runs, or a CUDA program as ptx-env does, and stops kernels at
breakpoints, watchpoints and faults. Commands are gdb's and cuda-gdb's; `help`
lists them, and docs/debugging.md has a session.

    ptx-debug -batch -ex 'break saxpy if threadIdx.x == 5' -ex run \
        -ex 'info registers R0 R1' -ex 'info cuda lanes' saxpy.json

Options:
)";
  printOption(OS, OptimizationLevel);
  for (const OptionText &Row : Rows)
    printOption(OS, Row);
}

} // namespace heddle::debug
