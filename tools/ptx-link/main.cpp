//===- main.cpp - ptx-link --------------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptx-link: PTX, LLVM bitcode, objects and archives to a code object.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/CommandLine.h"
#include "heddle/Driver/Files.h"
#include "heddle/Link/Bundle.h"

#include <deque>
#include <unistd.h>

using namespace heddle;

static constexpr char Tool[] = "ptx-link";

/// The file that -l Name stands for; empty if no directory has it.
static std::string findLibrary(const CompileOptions &Options,
                               const std::string &Name) {
  bool IsFile = Name.find('.') != Name.npos;
  std::string File = IsFile ? Name : "lib" + Name + ".a";
  for (const std::string &Directory : Options.list(OptionId::LibraryPath))
    if (std::string Path = Directory + "/" + File;
        !::access(Path.c_str(), R_OK))
      return Path;
  return {};
}

/// The files to link in their order, libraries last. Returns an error's text,
/// or nothing.
static std::optional<std::string> listFiles(const CompileOptions &Options,
                                            std::vector<std::string> &Files) {
  Files = Options.inputs();
  for (const std::string &Name : Options.list(OptionId::Library)) {
    Files.push_back(findLibrary(Options, Name));
    if (Files.back().empty())
      return "library '" + Name + "' is in no directory of -L";
  }
  if (Files.empty())
    return "no input file; see --help";
  return std::nullopt;
}

/// All files as one input of the compiler; a bundle stands for itself.
static std::optional<std::string>
readFiles(const std::vector<std::string> &Files, std::string &Input) {
  std::deque<std::string> Texts;
  std::vector<LinkInput> Inputs;
  for (const std::string &File : Files) {
    if (auto Error = readInputFile(File, Texts.emplace_back()))
      return Error;
    Inputs.push_back({File, Texts.back()});
  }
  Input = Files.size() == 1 && isLinkBundle(Texts.front())
              ? Texts.front()
              : makeLinkBundle(Inputs);
  return std::nullopt;
}

int main(int Argc, char **Argv) {
  std::vector<std::string> Args(Argv + 1, Argv + Argc);
  CompileOptions Options(OptionTool::Link);
  if (auto Error = Options.parse(Args))
    return Console(Tool).fail(*Error);
  if (Args.empty())
    (void)Options.set(OptionId::Help, "true");
  if (auto Status = printInformation(Options, OptionTool::Link, Tool))
    return *Status;
  Console Out(Tool, Options.text(OptionId::DiagnosticsFormat));
  std::vector<std::string> Files;
  std::string Input;
  if (auto Error = listFiles(Options, Files))
    return Out.fail(*Error);
  if (auto Error = readFiles(Files, Input))
    return Out.fail(*Error);
  return compileToFile(Input, Files.front(), Options, Out);
}
