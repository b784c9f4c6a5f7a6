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
#include "heddle/Support/SeverityName.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace heddle::ptx {

/// Most warnings of one name that are shown.
static constexpr unsigned MaxWarningsOfKind = 100;

void DiagnosticEngine::setBuffer(MemoryBufferRef B) {
  Buffer = B;
  Diagnostics.clear();
  LineStarts.clear();
  ErrorPlaces.clear();
  NumErrors = 0;
  NumGiven.fill(0);
}

//===----------------------------------------------------------------------===//
// Collecting
//===----------------------------------------------------------------------===//

Diagnostic &DiagnosticEngine::add(Diagnostic D) {
  IsSorted &= Diagnostics.empty() ||
              Diagnostics.back().Range.Loc.Offset <= D.Range.Loc.Offset;
  D.Number = Diagnostics.size();
  Diagnostics.push_back(std::move(D));
  return Diagnostics.back();
}

/// A place for notes that are dropped.
Diagnostic &DiagnosticEngine::drop() {
  Dropped.Notes.clear();
  Dropped.Message.clear();
  return Dropped;
}

Diagnostic &DiagnosticEngine::error(SourceRange Where, const Twine &Message) {
  // Where one is dropped, at least one error stands, so that the caller's
  // failure is accounted for.
  if (isFull() || !ErrorPlaces.insert(Where.Loc.Offset).second)
    return drop();
  ++NumErrors;
  return add({Severity::Error, Where, Message.str(), {}, {}, {}});
}

Diagnostic &DiagnosticEngine::warning(WarningId Id, SourceRange Where,
                                      const Twine &Message) {
  if (!Warnings.isEnabled(Id))
    return drop();
  if (Warnings.isError(Id)) {
    Diagnostic &D = error(Where, Message);
    D.Warning = Id;
    return D;
  }
  if (NumGiven[size_t(Id)]++ >= MaxWarningsOfKind)
    return drop();
  return add({Severity::Warning, Where, Message.str(), {}, Id, {}});
}

ArrayRef<Diagnostic> DiagnosticEngine::getDiagnostics() const {
  if (!IsSorted)
    llvm::sort(Diagnostics, [](const Diagnostic &A, const Diagnostic &B) {
      return std::pair(A.Range.Loc.Offset, A.Number) <
             std::pair(B.Range.Loc.Offset, B.Number);
    });
  IsSorted = true;
  return Diagnostics;
}

std::vector<Diagnostic> DiagnosticEngine::getSummaries() const {
  std::vector<Diagnostic> Result;
  auto Add = [&](Severity Level, const Twine &Message) {
    Result.push_back({Level, {}, Message.str(), {}, {}, {}});
  };
  for (const WarningInfo &W : warningTable())
    if (unsigned N = NumGiven[size_t(W.Id)]; N > MaxWarningsOfKind)
      Add(Severity::Note, Twine(N - MaxWarningsOfKind) + " more warnings [-W" +
                              StringRef(W.Name) + "] are not shown");
  if (isFull())
    Add(Severity::Error, "stopped after " + Twine(NumErrors) + " errors");
  return Result;
}

//===----------------------------------------------------------------------===//
// Places
//===----------------------------------------------------------------------===//

/// Number of characters in UTF-8; of other text, of bytes that could begin one.
static unsigned countCharacters(StringRef Text) {
  return count_if(Text, [](char C) { return (C & 0xC0) != 0x80; });
}

unsigned DiagnosticEngine::getLineIndex(uint32_t Offset) const {
  if (LineStarts.empty()) {
    StringRef Text = Buffer.getBuffer();
    LineStarts.push_back(0);
    for (size_t At = Text.find('\n'); At != StringRef::npos;
         At = Text.find('\n', At + 1))
      LineStarts.push_back(At + 1);
  }
  return upper_bound(LineStarts, Offset) - LineStarts.begin() - 1;
}

StringRef DiagnosticEngine::getLine(unsigned Index) const {
  StringRef Text = Buffer.getBuffer();
  size_t End =
      Index + 1 < LineStarts.size() ? LineStarts[Index + 1] - 1 : Text.size();
  return Text.slice(LineStarts[Index], End).rtrim('\r');
}

LineColumn DiagnosticEngine::getLineColumn(SourceLoc Loc) const {
  unsigned Line = getLineIndex(Loc.Offset);
  StringRef Before =
      Buffer.getBuffer().slice(LineStarts[Line], size_t(Loc.Offset));
  return {Line + 1, countCharacters(Before) + 1};
}

SourceLoc DiagnosticEngine::getLoc(unsigned Line, unsigned ByteColumn) const {
  getLineIndex(0); // finds the lines
  if (Line == 0 || Line > LineStarts.size())
    return {};
  uint64_t Offset =
      LineStarts[Line - 1] + uint64_t(ByteColumn ? ByteColumn - 1 : 0);
  return Offset > Buffer.getBufferSize() ? SourceLoc()
                                         : SourceLoc{uint32_t(Offset)};
}

SourceRange DiagnosticEngine::getWordRange(SourceLoc Loc) const {
  if (!Loc.isValid())
    return {Loc, 1};
  StringRef Word =
      Buffer.getBuffer().drop_front(Loc.Offset).take_while([](char C) {
        return isAlnum(C) || StringRef("_$.%:").contains(C);
      });
  return {Loc, std::max<uint32_t>(Word.rtrim(':').size(), 1)};
}

//===----------------------------------------------------------------------===//
// Rendering
//===----------------------------------------------------------------------===//

static StringRef getColor(Severity Level) {
  switch (Level) {
  case Severity::Error:
    return "31";
  case Severity::Warning:
    return "35";
  default:
    return "36";
  }
}

/// ANSI sequences rather than raw_ostream::changeColor, which asks the stream
/// whether it is a terminal; here the caller has decided.
static void setStyle(raw_ostream &OS, bool Color, StringRef Code) {
  if (Color)
    OS << "\x1b[" << Code << "m";
}

/// Text of the file, in which a control character must not reach a terminal.
static void printPlain(raw_ostream &OS, StringRef Text) {
  for (char C : Text) {
    bool IsControl = (uint8_t(C) < 0x20 && C != '\t') || C == 0x7F;
    OS << (IsControl ? '?' : C);
  }
}

void DiagnosticEngine::printHead(raw_ostream &OS, const Diagnostic &D,
                                 bool Color) const {
  setStyle(OS, Color, "1");
  OS << Buffer.getBufferIdentifier();
  if (D.Range.Loc.isValid()) {
    LineColumn Where = getLineColumn(D.Range.Loc);
    OS << ':' << Where.Line << ':' << Where.Column;
  }
  OS << ": ";
  setStyle(OS, Color, getColor(D.Level));
  OS << severityName(D.Level) << ": ";
  setStyle(OS, Color, "0");
  printPlain(OS, D.Message);
  if (D.Warning)
    OS << describeWarning(*D.Warning, D.Level);
  OS << '\n';
}

void DiagnosticEngine::printSource(raw_ostream &OS, const Diagnostic &D,
                                   bool Color) const {
  unsigned Index = getLineIndex(D.Range.Loc.Offset);
  StringRef Line = getLine(Index);
  size_t Column = D.Range.Loc.Offset - LineStarts[Index];
  // A line of a generated file may be very long: show a window of it.
  constexpr size_t MaxWidth = 160;
  size_t First = 0;
  if (Line.size() > MaxWidth && Column >= MaxWidth / 2)
    First = Column - MaxWidth / 2;
  Line = Line.substr(First, MaxWidth);
  Column -= First;
  printPlain(OS, Line);
  OS << '\n';

  std::string Margin;
  StringRef Before = Line.take_front(Column);
  for (char C : Before)
    if ((C & 0xC0) != 0x80)
      Margin += C == '\t' ? '\t' : ' ';
  Margin.append(Column - Before.size(), ' '); // behind the end of the line
  unsigned Length = countCharacters(Line.substr(Column, D.Range.Length));
  setStyle(OS, Color, "32");
  OS << Margin << '^' << std::string(Length ? Length - 1 : 0, '~');
  if (!D.Replacement.empty())
    OS << '\n' << Margin << D.Replacement;
  setStyle(OS, Color, "0");
  OS << '\n';
}

void DiagnosticEngine::print(raw_ostream &OS, const Diagnostic &D,
                             bool Color) const {
  printHead(OS, D, Color);
  if (D.Range.Loc.isValid())
    printSource(OS, D, Color);
  for (const Diagnostic &N : D.Notes)
    print(OS, N, Color);
}

void DiagnosticEngine::print(raw_ostream &OS, bool Color) const {
  for (const Diagnostic &D : getDiagnostics())
    print(OS, D, Color);
  for (const Diagnostic &D : getSummaries())
    print(OS, D, Color);
}

heddle::Diagnostic DiagnosticEngine::render(const Diagnostic &D,
                                            bool Color) const {
  heddle::Diagnostic Result;
  Result.Level = D.Level;
  Result.File = Buffer.getBufferIdentifier().str();
  Result.Message = D.Message;
  Result.Warning = D.Warning;
  Result.Replacement = D.Replacement;
  if (D.Range.Loc.isValid()) {
    LineColumn Where = getLineColumn(D.Range.Loc);
    StringRef Text =
        Buffer.getBuffer()
            .substr(D.Range.Loc.Offset, D.Range.Length)
            .take_until([](char C) { return C == '\n' || C == '\r'; });
    Result.Where = {Where.Line, Where.Column,
                    Where.Column + countCharacters(Text)};
  }
  for (const Diagnostic &N : D.Notes)
    Result.Notes.push_back(render(N, Color));
  raw_string_ostream OS(Result.Rendered);
  print(OS, D, Color);
  return Result;
}

//===----------------------------------------------------------------------===//
// Suggestions
//===----------------------------------------------------------------------===//

static size_t getCommonPrefix(StringRef A, StringRef B) {
  size_t N = 0;
  while (N < A.size() && N < B.size() && A[N] == B[N])
    ++N;
  return N;
}

/// Number of letters to insert, drop, replace, or exchange with their
/// neighbour to make B of A (each letter in one change at most); more than
/// \p Limit for any number above it.
static unsigned getDistance(StringRef A, StringRef B, unsigned Limit) {
  size_t Difference =
      std::max(A.size(), B.size()) - std::min(A.size(), B.size());
  if (Difference > Limit)
    return Limit + 1;
  SmallVector<unsigned, 32> Rows[3];
  for (SmallVector<unsigned, 32> &Row : Rows)
    Row.resize(B.size() + 1);
  for (unsigned J = 0; J <= B.size(); ++J)
    Rows[0][J] = J;
  for (unsigned I = 1; I <= A.size(); ++I) {
    auto &Row = Rows[I % 3], &Above = Rows[(I + 2) % 3],
         &Above2 = Rows[(I + 1) % 3];
    Row[0] = I;
    for (unsigned J = 1; J <= B.size(); ++J) {
      Row[J] = std::min({Above[J] + 1, Row[J - 1] + 1,
                         Above[J - 1] + (A[I - 1] != B[J - 1])});
      if (I > 1 && J > 1 && A[I - 1] == B[J - 2] && A[I - 2] == B[J - 1])
        Row[J] = std::min(Row[J], Above2[J - 2] + 1);
    }
  }
  return Rows[A.size() % 3][B.size()];
}

StringRef findNearest(StringRef Text, ArrayRef<StringRef> Candidates) {
  StringRef Best;
  // Longer words may have more mistakes in them. Of a word of one letter
  // nothing would be left.
  if (Text.size() < 2)
    return {};
  unsigned Limit = std::min<size_t>((Text.size() + 2) / 3, 3);
  unsigned BestDistance = Limit + 1;
  for (StringRef C : Candidates) {
    unsigned Distance = getDistance(Text, C, BestDistance);
    bool IsBetter = Distance < BestDistance ||
                    (Distance == BestDistance && !Best.empty() &&
                     getCommonPrefix(Text, C) > getCommonPrefix(Text, Best));
    if (IsBetter) {
      BestDistance = Distance;
      Best = C;
    }
  }
  return Best;
}

} // namespace heddle::ptx
