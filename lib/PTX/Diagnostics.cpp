//===- Diagnostics.cpp - Errors with their place ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Collects diagnostics and renders them as text.
//
//===----------------------------------------------------------------------===//

#include "heddle/PTX/Diagnostics.h"
#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle::ptx {

void DiagnosticEngine::setBuffer(MemoryBufferRef B) {
  Buffer = B;
  Diagnostics.clear();
  ErrorPlaces.clear();
  NumErrors = 0;
}

Diagnostic &DiagnosticEngine::add(Severity Level, SourceRange Where,
                                  const Twine &Message) {
  auto It = Diagnostics.end();
  while (It != Diagnostics.begin() &&
         It[-1].Range.Loc.Offset > Where.Loc.Offset)
    --It;
  return *Diagnostics.insert(It, {Level, Where, Message.str(), {}});
}

Diagnostic &DiagnosticEngine::error(SourceRange Where, const Twine &Message) {
  if (isFull() || !ErrorPlaces.insert(Where.Loc.Offset).second) {
    // At least one error stands, so the caller's failure is accounted for.
    Dropped.Notes.clear();
    return Dropped;
  }
  ++NumErrors;
  return add(Severity::Error, Where, Message);
}

Diagnostic &DiagnosticEngine::warning(SourceRange Where, const Twine &Message) {
  return add(Severity::Warning, Where, Message);
}

LineColumn DiagnosticEngine::getLineColumn(SourceLoc Loc) const {
  StringRef Before = Buffer.getBuffer().take_front(Loc.Offset);
  size_t LineStart = Before.rfind('\n') + 1; // npos + 1 is 0.
  return {unsigned(Before.count('\n')) + 1,
          unsigned(Before.size() - LineStart) + 1};
}

StringRef DiagnosticEngine::getLine(SourceLoc Loc) const {
  StringRef Text = Buffer.getBuffer();
  size_t Offset = std::min<size_t>(Loc.Offset, Text.size());
  size_t Start = Text.take_front(Offset).rfind('\n') + 1;
  return Text.substr(Start, Text.find('\n', Offset) - Start).rtrim('\r');
}

static StringRef getLevelName(Severity Level) {
  switch (Level) {
  case Severity::Error:
    return "error";
  case Severity::Warning:
    return "warning";
  case Severity::Note:
    return "note";
  }
  return "";
}

void DiagnosticEngine::printOne(raw_ostream &OS, const Diagnostic &D,
                                bool Color) const {
  // ANSI sequences rather than raw_ostream::changeColor, which asks the stream
  // whether it is a terminal; here the caller has decided.
  auto Style = [&](StringRef Code) {
    if (Color)
      OS << "\x1b[" << Code << "m";
  };
  bool HasPlace = D.Range.Loc.isValid();
  LineColumn Where = HasPlace ? getLineColumn(D.Range.Loc) : LineColumn{0, 0};
  Style("1");
  OS << Buffer.getBufferIdentifier();
  if (HasPlace)
    OS << ':' << Where.Line << ':' << Where.Column;
  OS << ": ";
  Style(D.Level == Severity::Error     ? "31"
        : D.Level == Severity::Warning ? "35"
                                       : "36");
  OS << getLevelName(D.Level) << ": ";
  Style("0");
  OS << D.Message << '\n';
  if (!HasPlace)
    return;

  StringRef Line = getLine(D.Range.Loc);
  // A line of a generated file may be very long: show a window of it.
  constexpr unsigned MaxWidth = 160;
  unsigned First = 0;
  if (Line.size() > MaxWidth && Where.Column > MaxWidth / 2)
    First = Where.Column - MaxWidth / 2;
  Line = Line.substr(First, MaxWidth);
  unsigned Column = Where.Column - 1 - First;
  OS << Line << '\n';
  for (unsigned I = 0; I != Column; ++I)
    OS << (I < Line.size() && Line[I] == '\t' ? '\t' : ' ');
  Style("32");
  OS << '^';
  unsigned End = std::min<size_t>(Column + D.Range.Length, Line.size());
  for (unsigned I = Column + 1; I < End; ++I)
    OS << '~';
  Style("0");
  OS << '\n';
}

void DiagnosticEngine::print(raw_ostream &OS, const Diagnostic &D,
                             bool Color) const {
  printOne(OS, D, Color);
  for (const Diagnostic &N : D.Notes)
    printOne(OS, N, Color);
}

void DiagnosticEngine::print(raw_ostream &OS, bool Color) const {
  for (const Diagnostic &D : Diagnostics)
    print(OS, D, Color);
  if (isFull())
    OS << Buffer.getBufferIdentifier() << ": error: stopped after " << NumErrors
       << " errors\n";
}

StringRef findNearest(StringRef Text, ArrayRef<StringRef> Candidates) {
  StringRef Best;
  // Longer words may have more mistakes in them.
  // Of a word of one letter nothing would be left.
  if (Text.size() < 2)
    return {};
  unsigned Limit = std::min<size_t>((Text.size() + 2) / 3, 3);
  unsigned BestDistance = Limit + 1;
  for (StringRef C : Candidates) {
    unsigned Distance =
        Text.edit_distance(C, /*AllowReplacements=*/true, BestDistance);
    if (Distance < BestDistance) {
      BestDistance = Distance;
      Best = C;
    }
  }
  return Best;
}

} // namespace heddle::ptx
