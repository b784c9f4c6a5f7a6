//===- main.cpp - ptx-compile -----------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptx-compile: PTX to a code object, with the command line of ptxas.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/CommandLine.h"
#include "heddle/Driver/Files.h"

#include <cstdio>
#include <cstdlib>

using namespace heddle;

static constexpr char Tool[] = "ptx-compile";

/// The input: the file named, standard input for "-", or the text of -ias.
static std::optional<std::string>
readInput(const CompileOptions &Options, std::string &Name, std::string &Text) {
  const std::vector<std::string> &Texts = Options.list(OptionId::InputAsString);
  if (Options.inputs().size() + Texts.size() != 1)
    return Options.inputs().empty() && Texts.empty()
               ? "no input file; see --help"
               : "one input at a time; ptx-link puts several together";
  if (!Texts.empty()) {
    Name = "<string>";
    Text = Texts.front();
    return std::nullopt;
  }
  Name = Options.inputs().front() == "-" ? "<stdin>" : Options.inputs().front();
  return readInputFile(Options.inputs().front(), Text);
}

/// In a program under ptx-env, as Triton's compiler is, the chip is the one
/// that the program runs on, where the command line names none.
static std::optional<std::string> chooseChip(CompileOptions &Options) {
  const char *Chip = std::getenv("HEDDLE_CHIP");
  if (!Chip || !*Chip || Options.given(OptionId::Chip) ||
      Options.text(OptionId::Arch).starts_with("hd"))
    return std::nullopt;
  if (auto Error = Options.set(OptionId::Chip, Chip))
    return "HEDDLE_CHIP: " + *Error;
  return std::nullopt;
}

int main(int Argc, char **Argv) {
  std::vector<std::string> Args(Argv + 1, Argv + Argc);
  CompileOptions Options;
  if (auto Error = Options.parse(Args))
    return Console(Tool).fail(*Error);
  if (Args.empty())
    (void)Options.set(OptionId::Help, "true");
  if (auto Error = chooseChip(Options))
    return Console(Tool).fail(*Error);
  if (auto Status = printInformation(Options, OptionTool::Compile, Tool))
    return *Status;
  Console Out(Tool, Options.text(OptionId::DiagnosticsFormat));
  std::string Name, Text;
  if (auto Error = readInput(Options, Name, Text))
    return Out.fail(*Error);
  return compileToFile(Text, Name, Options, Out);
}
