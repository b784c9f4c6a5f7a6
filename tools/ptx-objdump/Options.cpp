//===- Options.cpp - The command line of ptx-objdump ------------*- C++ -*-===//
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
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;

namespace heddle::objdump {

namespace {

struct FlagRow {
  StringLiteral Name, Short;
  bool Options::*Field;
  StringLiteral Help;
};

constexpr FlagRow Flags[] = {
    {"--disassemble", "-d", &Options::Disassemble,
     "the instructions of each function (what happens without options)"},
    {"--source", "-S", &Options::Source,
     "the same, with the source lines they come from (compile with -lineinfo)"},
    {"--bytes", "-b", &Options::Bytes,
     "the same, each instruction with its bytes, 8 or 16"},
    {"--assembly", "-a", &Options::Assembly,
     "the whole object as assembly; heddle-mc makes the same code of it"},
    {"--metadata", "-m", &Options::Metadata,
     "chip, compiler, and what each kernel needs, as YAML"},
    {"--relocations", "-r", &Options::Relocations,
     "the fields that the loader fills in"},
    {"--symbols", "-t", &Options::Symbols, "names and what they stand for"},
    {"--json", "", &Options::JSON,
     "sizes and resources of each kernel and function, for scripts"},
    {"--help", "-h", &Options::Help, "this text"},
};

constexpr char HelpHead[] =
    R"(ptx-objdump: shows what is in a code object (.hdo) that ptx-compile made

usage: ptx-objdump [options] FILE        (- reads standard input)

)";

constexpr char HelpTail[] = R"(
  --function=NAME      only the function or kernel NAME

How to read a line of disassembly:

  @!P0 FADD.FTZ R0, -R1, |R2| {stall=4, yield, wr=0, rd=1, wait=0x3}  // 0x40

  @!P0       executed by the threads whose predicate P0 is false
  FADD.FTZ   operation and modifiers; docs/isa/ describes each
  R0, ...    results come first; RZ is zero, UR registers are one for the warp
  stall=4    the warp issues nothing for 4 cycles after this
  yield      the scheduler should prefer another warp now
  wr=0       counter 0 goes down when the result has arrived
  rd=1       counter 1 goes down when the sources have been read
  wait=0x3   issues only when counters 0 and 1 are zero (a bit for each)
  // 0x40    offset in the section, in bytes

A control field that is missing is {stall=1}.

In --json, 'padding_bytes' is what follows the last instruction that can be
reached from the start of the function; 'bytes' and 'instructions' are without.
)";

} // namespace

/// Sets the flag with the name, or those of several letters: `-ab`.
static bool parseFlag(StringRef Arg, Options &O) {
  for (const FlagRow &F : Flags)
    if (Arg == F.Name || (!F.Short.empty() && Arg == F.Short)) {
      O.*F.Field = true;
      return true;
    }
  if (Arg.starts_with("--") || !Arg.starts_with("-") || Arg.size() < 3)
    return false;
  return all_of(Arg.drop_front(), [&](char Letter) {
    return parseFlag(std::string("-") + Letter, O);
  });
}

Expected<Options> parseOptions(ArrayRef<const char *> Args) {
  Options O;
  for (StringRef Arg : Args) {
    if (parseFlag(Arg, O))
      continue;
    if (Arg.consume_front("--function="))
      O.Function = Arg.str();
    else if (Arg.starts_with("-") && Arg != "-")
      return createStringError("unknown option '" + Arg +
                               "'; see ptx-objdump --help");
    else if (!O.Input.empty())
      return createStringError("more than one input; see ptx-objdump --help");
    else
      O.Input = Arg.str();
  }
  if (O.Input.empty() && !O.Help)
    return createStringError("no input; see ptx-objdump --help");
  if (!O.Metadata && !O.Relocations && !O.Symbols && !O.JSON && !O.Assembly)
    O.Disassemble = true;
  O.Disassemble |= O.Source || O.Bytes || !O.Function.empty();
  return O;
}

void printHelp(raw_ostream &OS) {
  OS << HelpHead;
  for (const FlagRow &F : Flags)
    OS << formatv("  {0,-3} {1,-16} {2}\n",
                  F.Short.empty() ? "" : (F.Short + ",").str(), F.Name, F.Help);
  OS << HelpTail;
}

} // namespace heddle::objdump
