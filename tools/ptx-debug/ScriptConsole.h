//===- ScriptConsole.h - Commands from scripts and people -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives a session the commands of the command line, and then those of standard
// input.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_DEBUG_SCRIPTCONSOLE_H
#define HEDDLE_TOOLS_PTX_DEBUG_SCRIPTCONSOLE_H

#include "heddle/Debugger/Debugger.h"

#include <deque>

namespace heddle::debug {

class ScriptConsole : public Console {
public:
  /// With \p Batch standard input is not read.
  ScriptConsole(std::vector<std::string> Commands, bool Batch);

  bool read(std::string &Line, llvm::StringRef Prompt) override;
  void write(llvm::StringRef Text) override;
  bool wantsInterrupt() override;

private:
  std::deque<std::string> Commands;
  std::string Last; ///< Which an empty line of a person repeats.
  bool Batch;
  bool IsTerminal; ///< Someone types.
};

} // namespace heddle::debug

#endif // HEDDLE_TOOLS_PTX_DEBUG_SCRIPTCONSOLE_H
