//===- Options.h - Command line of ptx-debug --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What ptx-debug is asked to do.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_DEBUG_OPTIONS_H
#define HEDDLE_TOOLS_PTX_DEBUG_OPTIONS_H

#include "heddle/Emulator/Emulator.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace heddle::debug {

struct Options {
  /// A manifest, or a program with its arguments.
  std::vector<std::string> Program;
  std::vector<std::string> Modules; ///< In place of the manifest's.
  std::string Chip = "hd100";
  std::vector<std::string> CompilerArgs; ///< As ptx-compile takes them.
  std::string Core;                  ///< A core file, in place of a program.
  int Attach = 0;                    ///< A process, in place of one.
  std::vector<std::string> Commands; ///< Carried out at first.
  std::vector<std::string> SourceFolders;
  emu::CheckSet Checks;
  std::string CheckNames; ///< The same, as they were given.
  bool Strict = false;
  bool Batch = false;
  bool Dap = false; ///< An editor gives the commands.
  bool Help = false;

  bool isManifest() const {
    return !Program.empty() &&
           llvm::StringRef(Program.front()).ends_with(".json");
  }
};

/// Reads the command line. An error explains what is wrong with it.
llvm::Expected<Options> parseOptions(llvm::ArrayRef<const char *> Args);

/// Writes the text of --help.
void printHelp(llvm::raw_ostream &OS);

} // namespace heddle::debug

#endif // HEDDLE_TOOLS_PTX_DEBUG_OPTIONS_H
