//===- Diagnostic.h - Messages about an input -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Making messages (Message.h), and the writer that puts them out as text, JSON
// or SARIF.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_DIAGNOSTIC_H
#define HEDDLE_SUPPORT_DIAGNOSTIC_H

#include "heddle/Support/Message.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"
#include <optional>
#include <string>

namespace heddle {

using DiagnosticHandler = llvm::function_ref<void(const Diagnostic &)>;

/// ` [-Wname]`, or ` [-Werror=name]` for a warning that became an error.
std::string describeWarning(WarningId Id, Severity Level);

/// A message about a file or a place in it, as far as that is known, rendered
/// as `FILE:LINE:COLUMN: error: MESSAGE`.
Diagnostic makeDiagnostic(Severity Level, llvm::StringRef File,
                          const SourceRegion &Where, const llvm::Twine &Message,
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
