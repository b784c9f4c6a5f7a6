//===- ChipChanges.h - A chip with other figures ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What would a chip make of a kernel that had twice the bandwidth? Code is
// compiled for the chip as it is, and runs on one with other figures.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ISA_CHIPCHANGES_H
#define HEDDLE_ISA_CHIPCHANGES_H

#include "heddle/ISA/ISA.h"

#include <optional>
#include <string>
#include <vector>

namespace heddle::isa {

/// A figure of ChipFigures.def.
struct ChipFigure {
  std::string_view Name;
  std::string_view Meaning;  ///< with its unit
  uint32_t ChipInfo::*Field; ///< null: the interval of Class
  uint32_t Least, Most;
  LatencyClass Class = {};

  uint32_t of(const ChipInfo &Chip) const;
};

/// All figures, in the order of the table.
std::span<const ChipFigure> chipFigures();

/// Other values for figures of a chip.
class ChipChanges {
public:
  /// Adds what \p Text says: `NAME=VALUE` sets a figure, `NAME=FACTORx`
  /// multiplies it, with a comma between two of them. Returns what is wrong
  /// with it, or nothing.
  [[nodiscard]] std::optional<std::string> parse(std::string_view Text);

  /// Changes \p Chip. Returns what is wrong with the result, or nothing; the
  /// chip is unusable then. Changed intervals live as long as the process.
  [[nodiscard]] std::optional<std::string> apply(ChipInfo &Chip) const;

  bool empty() const { return Changes.empty(); }

private:
  struct Change {
    const ChipFigure *Figure;
    bool IsFactor;
    double Value;
  };

  std::optional<std::string> parseOne(std::string_view Text);

  std::vector<Change> Changes;
};

} // namespace heddle::isa

#endif // HEDDLE_ISA_CHIPCHANGES_H
