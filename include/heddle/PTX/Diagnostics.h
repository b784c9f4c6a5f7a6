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
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/MemoryBufferRef.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace heddle::ptx {

enum class Severity : uint8_t { Error, Warning, Note };

/// A range of the source, Length bytes on one line.
struct SourceRange {
  SourceLoc Loc;
  uint32_t Length = 1;
};

/// One message and its notes.
struct Diagnostic {
  Severity Level;
  SourceRange Range;
  std::string Message;
  std::vector<Diagnostic> Notes;

  /// Adds a note, at another place or (invalid location) at none.
  Diagnostic &note(SourceRange Where, const llvm::Twine &Text) {
    Notes.push_back({Severity::Note, Where, Text.str(), {}});
    return *this;
  }
};

/// Line and column of a place, both from 1; columns count bytes.
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

  /// Reports an error. The reference stays valid until the next report.
  Diagnostic &error(SourceRange Where, const llvm::Twine &Message);
  Diagnostic &warning(SourceRange Where, const llvm::Twine &Message);

  unsigned getNumErrors() const { return NumErrors; }
  bool hasErrors() const { return NumErrors != 0; }
  /// Whether so many errors have come up that going on is of no use.
  bool isFull() const { return NumErrors >= MaxErrors; }
  void setMaxErrors(unsigned N) { MaxErrors = N; }

  /// In the order of the source.
  llvm::ArrayRef<Diagnostic> getDiagnostics() const { return Diagnostics; }
  LineColumn getLineColumn(SourceLoc Loc) const;

  /// Writes all diagnostics: `file:line:col: error: message`, the line and a
  /// caret under the place.
  void print(llvm::raw_ostream &OS, bool Color = false) const;
  /// The same for one of them, with its notes.
  void print(llvm::raw_ostream &OS, const Diagnostic &D,
             bool Color = false) const;

private:
  void printOne(llvm::raw_ostream &OS, const Diagnostic &D, bool Color) const;
  llvm::StringRef getLine(SourceLoc Loc) const;
  Diagnostic &add(Severity Level, SourceRange Where,
                  const llvm::Twine &Message);

  llvm::MemoryBufferRef Buffer;
  std::vector<Diagnostic> Diagnostics;
  llvm::DenseSet<uint32_t> ErrorPlaces;
  Diagnostic Dropped{Severity::Error, {}, {}, {}};
  unsigned NumErrors = 0;
  unsigned MaxErrors = 50;
};

/// The candidate that is nearest to \p Text in spelling, or empty when none is
/// near.
llvm::StringRef findNearest(llvm::StringRef Text,
                            llvm::ArrayRef<llvm::StringRef> Candidates);

} // namespace heddle::ptx

#endif // HEDDLE_PTX_DIAGNOSTICS_H
