//===- CommandLine.h - What our compiling programs share --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// ptx-compile and ptx-link: messages, statistics, and the way from an input to
// the output file.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DRIVER_COMMANDLINE_H
#define HEDDLE_DRIVER_COMMANDLINE_H

#include "heddle/Driver/CompileService.h"

#include <string>
#include <string_view>
#include <vector>

namespace heddle {

/// Messages of a program itself and of the compiler, all in one format: text
/// at once, the others as one document at the end, which the compiler's library
/// writes.
class Console {
public:
  /// \p Tool is the program's name, \p Format a value of --diagnostics-format.
  explicit Console(std::string Tool, std::string_view Format = "text")
      : Tool(std::move(Tool)), Format(Format) {}
  Console(const Console &) = delete;
  Console &operator=(const Console &) = delete;
  ~Console();

  bool isText() const { return Format == "text"; }
  void write(const Diagnostic &D);
  /// Says Message as an error of the program and gives its exit status.
  int fail(const std::string &Message) {
    say(Severity::Error, Message, Tool + ": error: ");
    return 1;
  }
  void warn(const std::string &Message) {
    say(Severity::Warning, Message, Tool + ": warning: ");
  }
  void note(const std::string &Message) {
    say(Severity::Note, Message, Tool + ": note: ");
  }
  /// A message of ptxas's -v, which scripts parse; may have several lines.
  void info(const std::string &Message) {
    say(Severity::Info, Message, "ptxas info    : ");
  }

private:
  void say(Severity Level, const std::string &Message,
           const std::string &Prefix);

  std::string Tool, Format;
  std::vector<Diagnostic> Messages;
};

/// --help and its kin for the program; an exit status if there was something
/// to say.
std::optional<int> printInformation(const CompileOptions &Options,
                                    OptionTool Tool, const std::string &Name);

/// Compiles Input, which messages call Name, through the cache as Options say,
/// and writes the output file. Returns the exit status.
int compileToFile(std::string_view Input, const std::string &Name,
                  const CompileOptions &Options, Console &Out);

} // namespace heddle

#endif // HEDDLE_DRIVER_COMMANDLINE_H
