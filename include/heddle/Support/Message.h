//===- Message.h - A message about an input ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A message with its place, as tools and the compiler's callers see it. Depends
// on the standard library only.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_MESSAGE_H
#define HEDDLE_SUPPORT_MESSAGE_H

#include "heddle/Support/Warnings.h"
#include <optional>
#include <string>
#include <vector>

namespace heddle {

enum class Severity : uint8_t { Note, Info, Remark, Warning, Error };

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

} // namespace heddle

#endif // HEDDLE_SUPPORT_MESSAGE_H
