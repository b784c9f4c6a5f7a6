//===- Diagnostic.h - Messages about an input -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message with its place, as tools and the compiler's callers see it, and the
// writer that puts messages out as text, JSON or SARIF.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_DIAGNOSTIC_H
#define HEDDLE_SUPPORT_DIAGNOSTIC_H

#include "heddle/Support/Warnings.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>
#include <vector>

namespace heddle {

enum class Severity : uint8_t { Note, Info, Warning, Error };

/// A part of one line. Columns count characters (Unicode code points).
struct SourceRegion {
  unsigned Line = 0;      ///< From 1; 0: unknown.
  unsigned Column = 0;    ///< From 1; 0: unknown.
  unsigned EndColumn = 0; ///< Of what follows the last character.
};

/// One message about an input, complete with place and source line.
struct Diagnostic {
  Severity Level = Severity::Error;
  std::string File; ///< As named by the caller; empty if about no file.
  SourceRegion Where;
  std::string Message;
  /// The warning that this is, also where an option made it an error.
  std::optional<WarningId> Warning;
  /// What to put in place of Where; empty: no suggestion.
  std::string Replacement;
  std::vector<Diagnostic> Notes;
  /// The whole text as a terminal shows it, with source lines, carets and
  /// notes, ending in a newline.
  std::string Rendered;
};

using DiagnosticHandler = llvm::function_ref<void(const Diagnostic &)>;

/// ` [-Wname]`, or ` [-Werror=name]` for a warning that became an error.
std::string describeWarning(WarningId Id, Severity Level);

/// A message about a file or a line of it (0: none), rendered as
/// `FILE:LINE: error: MESSAGE`.
Diagnostic makeDiagnostic(Severity Level, llvm::StringRef File, unsigned Line,
                          const llvm::Twine &Message,
                          std::optional<WarningId> Warning = std::nullopt);
/// A message of a program about no file, rendered as `TOOL: error: MESSAGE`.
Diagnostic makeToolDiagnostic(Severity Level, llvm::StringRef Tool,
                              const llvm::Twine &Message);

enum class DiagnosticFormat : uint8_t { Text, JSON, SARIF };

/// The format with this name, text, json or sarif.
std::optional<DiagnosticFormat> parseDiagnosticFormat(llvm::StringRef Name);

/// Writes messages, text at once, the other formats as one document at the
/// end, which comes even if there are no messages.
class DiagnosticWriter {
public:
  /// \p Tool is the program's name and \p Version its version.
  DiagnosticWriter(llvm::raw_ostream &OS, DiagnosticFormat Format,
                   llvm::StringRef Tool, llvm::StringRef Version)
      : OS(OS), Format(Format), Tool(Tool), Version(Version) {}
  DiagnosticWriter(const DiagnosticWriter &) = delete;
  DiagnosticWriter &operator=(const DiagnosticWriter &) = delete;
  ~DiagnosticWriter() { finish(); }

  void write(const Diagnostic &D);
  /// Writes the document; further messages are not allowed.
  void finish();

private:
  llvm::raw_ostream &OS;
  DiagnosticFormat Format;
  std::string Tool, Version;
  llvm::json::Array Results;
  bool IsFinished = false;
};

} // namespace heddle

#endif // HEDDLE_SUPPORT_DIAGNOSTIC_H
