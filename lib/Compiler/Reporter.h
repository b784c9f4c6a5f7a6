//===- Reporter.h - The messages of a compilation ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which messages reach the caller, and how many errors there were. Private to
// lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_REPORTER_H
#define HEDDLE_LIB_COMPILER_REPORTER_H

#include "heddle/Options/CompileOptions.h"
#include "heddle/Support/Diagnostic.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/DiagnosticHandler.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"
#include <array>
#include <optional>

namespace heddle::compiler {

/// The kinds of remarks, as options ask for them.
enum class RemarkKind : uint8_t { Passed, Missed, Analysis };

/// The passes whose remarks are wanted.
class RemarkFilter {
public:
  /// Reads the options' regular expressions; an error names the option.
  static llvm::Expected<RemarkFilter> create(const CompileOptions &Options);
  bool any() const {
    return llvm::any_of(Patterns, [](const auto &P) { return P.has_value(); });
  }
  bool matches(RemarkKind Kind, llvm::StringRef Pass) const {
    const std::optional<llvm::Regex> &P = Patterns[static_cast<size_t>(Kind)];
    return P && P->match(Pass);
  }

private:
  std::array<std::optional<llvm::Regex>, 3> Patterns; ///< by kind
};

/// Reports through a handler and counts errors. Which warnings are given, and
/// which of them are errors, is decided by the options.
class Reporter {
public:
  Reporter(const CompileOptions &Options, DiagnosticHandler Handler);
  void report(const Diagnostic &D);
  /// Messages about a file, or a line of it, from 1.
  void warning(WarningId Id, llvm::StringRef File, const llvm::Twine &Message,
               unsigned Line = 0);
  void error(llvm::StringRef File, const llvm::Twine &Message);
  void info(llvm::StringRef File, const llvm::Twine &Message);
  /// What an optimization did at a place of a file; 0: unknown.
  void remark(llvm::StringRef File, unsigned Line, unsigned Column,
              const llvm::Twine &Message);
  bool isEnabled(WarningId Id) const { return Warnings.isEnabled(Id); }
  const WarningSettings &warnings() const { return Warnings; }
  const RemarkFilter &remarks() const { return Remarks; }
  /// Most errors that the frontend keeps; 0: no limit.
  unsigned maxErrors() const { return MaxErrors; }
  bool failed() const { return Errors != 0; }
  /// What the code generator said so far, whether it was shown or not.
  unsigned backendMessages() const { return BackendMessages; }
  void countBackendMessage() { ++BackendMessages; }
  bool useColor() const { return Color; }

private:
  heddle::DiagnosticHandler Handler;
  WarningSettings Warnings;
  RemarkFilter Remarks;
  unsigned MaxErrors;
  bool Color;
  unsigned Errors = 0;
  unsigned BackendMessages = 0;
};

/// What LLVM has to say of a context's modules becomes messages about File.
std::unique_ptr<llvm::DiagnosticHandler>
createBackendDiagnostics(llvm::StringRef File, Reporter &Report);
/// The same, which writes all remarks to OS in LLVM's YAML, too.
llvm::Expected<std::unique_ptr<llvm::DiagnosticHandler>>
createRemarkRecorder(llvm::StringRef File, Reporter &Report,
                     llvm::raw_ostream &OS);

/// Leaves M the lines of its instructions, but nothing that would be part of an
/// object.
void keepLinesForRemarks(llvm::Module &M);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_REPORTER_H
