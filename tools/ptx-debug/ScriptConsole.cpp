//===- ScriptConsole.cpp - Commands from scripts and people -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Ctrl-C stops the kernel that runs, not the debugger.
//
//===----------------------------------------------------------------------===//

#include "ScriptConsole.h"

#include <atomic>
#include <csignal>
#include <cstdio>
#include <iostream>
#include <unistd.h>

using namespace llvm;

namespace heddle::debug {

static std::atomic<bool> Interrupted{false};

ScriptConsole::ScriptConsole(std::vector<std::string> TheCommands, bool Batch)
    : Commands(TheCommands.begin(), TheCommands.end()), Batch(Batch),
      IsTerminal(!Batch && isatty(STDIN_FILENO)) {
  if (!IsTerminal)
    return;
  // It interrupts waiting for a program, too.
  struct sigaction Action = {};
  Action.sa_handler = [](int) { Interrupted = true; };
  ::sigaction(SIGINT, &Action, nullptr);
}

bool ScriptConsole::read(std::string &Line, StringRef Prompt) {
  if (!Commands.empty()) {
    Line = std::move(Commands.front());
    Commands.pop_front();
    return true;
  }
  if (Batch)
    return false;
  if (IsTerminal)
    write(Prompt);
  while (!std::getline(std::cin, Line)) {
    if (!Interrupted.exchange(false))
      return false;
    std::cin.clear();
    std::clearerr(stdin);
    write("\n" + Prompt.str());
  }
  if (IsTerminal && StringRef(Line).trim().empty())
    Line = Last;
  Last = Line;
  return true;
}

void ScriptConsole::write(StringRef Text) {
  std::fwrite(Text.data(), 1, Text.size(), stdout);
  std::fflush(stdout);
}

bool ScriptConsole::wantsInterrupt() { return Interrupted.exchange(false); }

} // namespace heddle::debug
