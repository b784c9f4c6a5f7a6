//===- OptionTable.cpp - Options of a tool, as rows -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values, suggestions and help texts.
//
//===----------------------------------------------------------------------===//

#include "heddle/Support/OptionTable.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle {

/// Where explanations begin, and where lines end.
static constexpr size_t HelpColumn = 26, LastColumn = 79;
/// A name is a misspelling of another if fewer than one letter in so many, and
/// no more letters than that, are wrong.
static constexpr size_t LettersPerFault = 3, MostFaults = 3;

Expected<StringRef> takeOptionValue(const OptionText &Text,
                                    ArrayRef<const char *> Args, size_t &I) {
  StringRef Arg = Args[I];
  bool HasValue = Arg.contains('=');
  if (Text.Value.empty() && HasValue)
    return createStringError(Text.Name + " takes no value");
  if (Text.Value.empty() || HasValue)
    return Arg.split('=').second;
  if (I + 1 == Args.size())
    return createStringError(Text.Name + " needs a value: " + Text.Value);
  return Args[++I];
}

Error unknownOption(ArrayRef<OptionText> Texts, StringRef Arg) {
  StringRef Name = Arg.split('=').first, Best;
  auto Least = static_cast<unsigned>(
      std::min(Name.size() / LettersPerFault, MostFaults) + 1);
  for (const OptionText &T : Texts)
    if (unsigned D = Name.edit_distance(T.Name, true, Least); D < Least) {
      Least = D;
      Best = T.Name;
    }
  return createStringError(
      "unknown option '" + Arg + "'" +
      (Best.empty() ? "; see --help" : "; did you mean '" + Best + "'?"));
}

void printOption(raw_ostream &OS, const OptionText &Text) {
  std::string Name =
      (Text.Name + (Text.Value.empty() ? "" : " ") + Text.Value).str();
  OS << "  " << Name;
  size_t Column = 2 + Name.size();
  auto Indent = [&](size_t Spaces) {
    OS.indent(Spaces);
    Column = HelpColumn;
  };
  if (Column < HelpColumn)
    Indent(HelpColumn - Column);
  else
    OS << "\n", Indent(HelpColumn);
  SmallVector<StringRef> Words;
  Text.Help.split(Words, ' ');
  for (StringRef Word : Words) {
    if (Column > HelpColumn && Column + 1 + Word.size() > LastColumn) {
      OS << "\n";
      Indent(HelpColumn);
    }
    if (Column > HelpColumn) {
      OS << " ";
      ++Column;
    }
    OS << Word;
    Column += Word.size();
  }
  OS << "\n";
}

} // namespace heddle
