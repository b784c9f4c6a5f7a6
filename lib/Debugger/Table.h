//===- Table.h - Rows of words in columns -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables that the command info prints.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DEBUGGER_TABLE_H
#define HEDDLE_LIB_DEBUGGER_TABLE_H

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace heddle::debug {

/// Rows of words, in columns. The first column is a mark.
class Table {
public:
  explicit Table(std::vector<std::string> Head) { add(std::move(Head)); }
  void add(std::vector<std::string> Row) { Rows.push_back(std::move(Row)); }
  /// A line below a row, across all columns.
  void addNote(std::string Text) { Rows.push_back({"\t" + std::move(Text)}); }

  std::string text() const {
    std::vector<size_t> Widths;
    for (const auto &Row : Rows) {
      Widths.resize(std::max(Widths.size(), Row.size()));
      if (Row.size() == 1)
        continue;
      for (size_t N = 0; N < Row.size(); ++N)
        Widths[N] = std::max(Widths[N], Row[N].size());
    }
    std::string Text;
    for (const auto &Row : Rows) {
      std::string Line;
      for (size_t N = 0; N < Row.size(); ++N)
        Line += (N ? " " : "") + Row[N] +
                std::string(std::max(Widths[N], Row[N].size()) - Row[N].size(),
                            ' ');
      Text += llvm::StringRef(Line).rtrim().str() + "\n";
    }
    return Text;
  }

private:
  std::vector<std::vector<std::string>> Rows;
};

/// Lanes as a mask of eight digits.
inline std::string maskText(uint32_t Mask) {
  std::string Digits = llvm::utohexstr(Mask, /*LowerCase=*/true);
  return "0x" + std::string(8 - Digits.size(), '0') + Digits;
}

} // namespace heddle::debug

#endif // HEDDLE_LIB_DEBUGGER_TABLE_H
