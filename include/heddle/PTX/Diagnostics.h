//===- Diagnostics.h - Errors with their place ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the PTX frontend has to say about a file: errors and warnings, each at
// a range of the source and with notes, and their rendering as text.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PTX_DIAGNOSTICS_H
#define HEDDLE_PTX_DIAGNOSTICS_H

#include "heddle/PTX/AST.h"
#include "heddle/Support/Diagnostic.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace heddle::ptx {

using heddle::Severity;

/// A range of the source, Length bytes on one line.
struct SourceRange {
  SourceLoc Loc;
  uint32_t Length = 1;
};

/// The range of a declaration's name.
inline SourceRange getNameRange(const Decl *D) {
  return {D->getLoc(), uint32_t(D->getName().size())};
}

/// One message and its notes, within its file.
struct Diagnostic {
  Severity Level;
  SourceRange Range;
  std::string Message;
  std::vector<Diagnostic> Notes;
  /// The warning that this is, also where it was made an error.
  std::optional<WarningId> Warning;
  /// What should stand at Range instead; empty: no idea.
  std::string Replacement;
  /// In the order of reporting, from 0; set by the engine.
  size_t Number = 0;

  /// Adds a note, at another place or (invalid location) at none.
  Diagnostic &note(SourceRange Where, const llvm::Twine &Text) {
    Notes.push_back({Severity::Note, Where, Text.str(), {}, {}, {}});
    return *this;
  }
  /// Notes where \p D is declared.
  Diagnostic &noteDeclaration(const Decl *D) {
    return note(getNameRange(D), "'" + D->getName() + "' is declared here");
  }
  /// Asks whether \p Text was meant in place of Range, unless it is empty;
  /// \p Lead is what the message shows before it.
  Diagnostic &suggest(llvm::StringRef Text, llvm::StringRef Lead = "") {
    if (!Text.empty()) {
      Message += ("; did you mean '" + Lead + Text + "'?").str();
      Replacement = Text.str();
    }
    return *this;
  }
};

/// Line and column of a place, both from 1; columns count characters (Unicode
/// code points).
struct LineColumn {
  unsigned Line;
  unsigned Column;
};

/// Collects the diagnostics of one file. Errors beyond the limit are counted
/// and dropped, and so is a second error at the same place.
class DiagnosticEngine {
public:
  /// Diagnostics refer to \p Buffer, which must outlive the engine's use.
  /// parseModule calls this.
  void setBuffer(llvm::MemoryBufferRef Buffer);
  /// Which warnings are given, and which of them are errors.
  void setWarnings(const WarningSettings &Settings) { Warnings = Settings; }
  /// Most errors that are kept; 0: no limit.
  void setMaxErrors(unsigned N) { MaxErrors = N; }

  /// Reports an error. The reference stays valid until the next report.
  Diagnostic &error(SourceRange Where, const llvm::Twine &Message);
  /// Reports a warning, an error, or nothing, as the settings say.
  Diagnostic &warning(WarningId Id, SourceRange Where,
                      const llvm::Twine &Message);
  bool isEnabled(WarningId Id) const { return Warnings.isEnabled(Id); }

  unsigned getNumErrors() const { return NumErrors; }
  bool hasErrors() const { return NumErrors != 0; }
  /// Whether so many errors have come up that going on is of no use.
  bool isFull() const { return MaxErrors && NumErrors >= MaxErrors; }

  /// In the order of the source.
  llvm::ArrayRef<Diagnostic> getDiagnostics() const;
  /// What is to be said of messages that were dropped.
  std::vector<Diagnostic> getSummaries() const;
  LineColumn getLineColumn(SourceLoc Loc) const;
  /// The place of a line and a column that counts bytes, both from 1, or an
  /// invalid one if there is none such.
  SourceLoc getLoc(unsigned Line, unsigned ByteColumn) const;

  /// The word that begins at a place, a mnemonic or a name with its `%`; one
  /// character where there is none.
  SourceRange getWordRange(SourceLoc Loc) const;

  /// A diagnostic for readers who do not have the file.
  heddle::Diagnostic render(const Diagnostic &D, bool Color = false) const;
  /// Writes all diagnostics: `file:line:col: error: message`, the line and a
  /// caret under the place.
  void print(llvm::raw_ostream &OS, bool Color = false) const;
  /// The same for one of them, with its notes.
  void print(llvm::raw_ostream &OS, const Diagnostic &D,
             bool Color = false) const;

private:
  void printHead(llvm::raw_ostream &OS, const Diagnostic &D, bool Color) const;
  void printSource(llvm::raw_ostream &OS, const Diagnostic &D,
                   bool Color) const;
  /// Index of the line of an offset, from 0.
  unsigned getLineIndex(uint32_t Offset) const;
  llvm::StringRef getLine(unsigned Index) const;
  Diagnostic &drop();
  Diagnostic &add(Diagnostic D);

  llvm::MemoryBufferRef Buffer;
  WarningSettings Warnings;
  /// Sorted, and the beginnings of the lines found, when first asked for.
  mutable std::vector<Diagnostic> Diagnostics;
  mutable bool IsSorted = true;
  mutable std::vector<uint32_t> LineStarts;
  llvm::DenseSet<uint32_t> ErrorPlaces;
  Diagnostic Dropped{Severity::Error, {}, {}, {}, {}, {}};
  unsigned NumErrors = 0;
  unsigned MaxErrors = 50;
  std::array<unsigned, NumWarnings> NumGiven{};
};

/// The candidate that is nearest to \p Text in spelling, or empty when none is
/// near. Of several equally near, the one that shares the longest beginning.
llvm::StringRef findNearest(llvm::StringRef Text,
                            llvm::ArrayRef<llvm::StringRef> Candidates);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_DIAGNOSTICS_H
