//===- ptx-cache.cpp - Looks after the microcode cache ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses the command line and runs one command.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"

#include <cstdio>

using namespace heddle;
using namespace heddle::cache;
using namespace heddle::ptxcache;

static int fail(const std::string &Message) {
  std::fprintf(stderr, "ptx-cache: error: %s\n", Message.c_str());
  return 1;
}

static void printHelp() {
  std::string Text = "ptx-cache: looks after the microcode cache\n\n"
                     "usage: ptx-cache [options] COMMAND\n\n";
  for (const Command &C : commands()) {
    std::string Left =
        "  " + std::string(C.Name) + " " + std::string(C.Arguments);
    Left.resize(std::max<size_t>(Left.size() + 1, 24), ' ');
    Text += Left + std::string(C.Help) + "\n";
  }
  Text += R"(
  --dir=DIRECTORY       the cache directory
  --max-size=SIZE       for trim: 500M, ...
  --max-age=TIME        for trim: 30d, ...
  --set=NAME=VALUE      any setting
  --help, -h            this text

A KEY is the name of an entry as list shows it, or the beginning of one.

Settings, in the configuration file (NAME = VALUE) or the environment
(HEDDLE_CACHE_NAME, in capitals):

)";
  for (const SettingInfo &S : settingTable())
    Text += "  " + std::string(S.Name) + "\n        " + std::string(S.Help) +
            (S.Default.empty() ? "" : ". Default: " + std::string(S.Default)) +
            "\n";
  std::fputs(Text.c_str(), stdout);
}

/// An option, applied to Settings; none if Arg is no option that we know.
static std::optional<Status> takeOption(std::string_view Arg,
                                        Settings &Settings) {
  struct Row {
    std::string_view Prefix;
    SettingId Id;
  };
  static constexpr Row Rows[] = {{"--dir=", SettingId::Dir},
                                 {"--max-size=", SettingId::MaxSize},
                                 {"--max-age=", SettingId::MaxAge}};
  for (const Row &R : Rows)
    if (Arg.starts_with(R.Prefix))
      return Settings.set(R.Id, Arg.substr(R.Prefix.size()),
                          R.Prefix.substr(0, R.Prefix.size() - 1));
  constexpr std::string_view Set = "--set=";
  if (!Arg.starts_with(Set))
    return std::nullopt;
  Arg.remove_prefix(Set.size());
  size_t Equals = std::min(Arg.find('='), Arg.size());
  std::string_view Value = Arg.substr(std::min(Equals + 1, Arg.size()));
  return Settings.set(Arg.substr(0, Equals), Value, "--set");
}

int main(int Argc, char **Argv) {
  std::vector<std::string> Complaints, Arguments;
  Settings Settings = Settings::load(processEnvironment(), Complaints);
  for (const std::string &Complaint : Complaints)
    std::fprintf(stderr, "ptx-cache: warning: %s\n", Complaint.c_str());
  for (const std::string &Arg :
       std::vector<std::string>(Argv + 1, Argv + Argc)) {
    if (Arg == "--help" || Arg == "-h") {
      printHelp();
      return 0;
    }
    if (!Arg.starts_with("-")) {
      Arguments.push_back(Arg);
      continue;
    }
    std::optional<Status> Taken = takeOption(Arg, Settings);
    if (!Taken)
      return fail("unknown option '" + Arg + "'; see ptx-cache --help");
    if (*Taken)
      return fail((*Taken)->Text);
  }
  if (Arguments.empty())
    return fail("no command; see ptx-cache --help");
  std::string Name = Arguments.front();
  Arguments.erase(Arguments.begin());
  for (const Command &C : commands()) {
    if (C.Name != Name)
      continue;
    if (Arguments.size() < C.Least || Arguments.size() > C.Most)
      return fail("'" + Name + "' takes " +
                  (C.Most ? std::string(C.Arguments) : "no arguments") +
                  "; see ptx-cache --help");
    Session S(std::move(Settings), std::move(Arguments));
    Result<int> Status = C.Run(S);
    return Status ? *Status : fail(Status.fault().Text);
  }
  return fail("unknown command '" + Name + "'; see ptx-cache --help");
}
