//===- OptionTable.h - Options of a tool, as rows ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tool lists its options once, in rows that say how each is spelt, what it is
// for and what it sets. Parser, help and suggestions come from the rows.
// ptx-compile's options are a table of their own, since the cache reads them
// too: heddle/Options/CompileOptions.def.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_OPTIONTABLE_H
#define HEDDLE_SUPPORT_OPTIONTABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <limits>

namespace heddle {

/// What help and suggestions need of a row.
struct OptionText {
  llvm::StringLiteral Name;  ///< With its dashes.
  llvm::StringLiteral Value; ///< What its value is called; empty for a flag.
  llvm::StringLiteral Help;
};

/// An option that changes an OptionsT.
template <typename OptionsT> struct OptionRow : OptionText {
  /// Value is empty for a flag.
  llvm::Error (*Apply)(OptionsT &Options, llvm::StringRef Value);

  constexpr OptionRow(llvm::StringLiteral Name, llvm::StringLiteral Value,
                      llvm::StringLiteral Help,
                      llvm::Error (*Apply)(OptionsT &, llvm::StringRef))
      : OptionText{Name, Value, Help}, Apply(Apply) {}
};

/// The value of Args[I], which names the option Text: behind '=', or the next
/// argument, to which I then moves. An error if there is one too few or many.
llvm::Expected<llvm::StringRef>
takeOptionValue(const OptionText &Text, llvm::ArrayRef<const char *> Args,
                size_t &I);

/// Applies Args[I], and Args[I + 1] if that is its value, with I at the last
/// one used. Returns whether Args[I] is an option of the rows.
template <typename OptionsT>
llvm::Expected<bool> applyOption(llvm::ArrayRef<OptionRow<OptionsT>> Rows,
                                 OptionsT &Options,
                                 llvm::ArrayRef<const char *> Args, size_t &I) {
  llvm::StringRef Name = llvm::StringRef(Args[I]).split('=').first;
  for (const OptionRow<OptionsT> &Row : Rows) {
    if (Row.Name != Name)
      continue;
    llvm::Expected<llvm::StringRef> Value = takeOptionValue(Row, Args, I);
    if (!Value)
      return Value.takeError();
    if (llvm::Error E = Row.Apply(Options, *Value))
      return E;
    return true;
  }
  return false;
}

template <typename OptionsT>
llvm::SmallVector<OptionText>
textsOf(llvm::ArrayRef<OptionRow<OptionsT>> Rows) {
  return llvm::SmallVector<OptionText>(Rows.begin(), Rows.end());
}

/// Sets Field to the whole number that Value is.
template <typename NumberT>
llvm::Error setNumber(llvm::StringRef Name, llvm::StringRef Value,
                      NumberT &Field) {
  uint64_t Number;
  if (Value.getAsInteger(10, Number) ||
      Number > std::numeric_limits<NumberT>::max())
    return llvm::createStringError(Name + " takes a whole number, not '" +
                                   Value + "'");
  Field = static_cast<NumberT>(Number);
  return llvm::Error::success();
}

/// Says that Arg is unknown, with the closest name if one is close.
llvm::Error unknownOption(llvm::ArrayRef<OptionText> Texts,
                          llvm::StringRef Arg);

/// One option of a --help text, its explanation wrapped beside it.
void printOption(llvm::raw_ostream &OS, const OptionText &Text);

} // namespace heddle

#endif // HEDDLE_SUPPORT_OPTIONTABLE_H
