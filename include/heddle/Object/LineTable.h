//===- LineTable.h - Source lines of a code object --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the source line of an instruction in a code object's .debug_line.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OBJECT_LINETABLE_H
#define HEDDLE_OBJECT_LINETABLE_H

#include "heddle/Object/ObjectFile.h"

namespace heddle {

/// A place in a source file.
struct SourceLine {
  llvm::StringRef File; ///< As the line table has it; owned by the LineTable.
  uint32_t Line = 0;    ///< 1-based; 0 if the instruction has none.
  uint32_t Column = 0;  ///< 1-based; 0 if unknown.
};

/// The line information of a code object, which it does not refer to later.
/// Instructions of one section that belong to one line, from an offset in bytes
/// to one.
struct LineRange {
  uint32_t Section = 0;
  uint64_t Begin = 0, End = 0;
  SourceLine Line;
};

class LineTable {
public:
  /// Reads .debug_line; a code object without one gives an empty table.
  static llvm::Expected<LineTable> create(const ObjectFile &Object);

  /// The line of the instruction at \p Offset of section \p SectionIndex; none
  /// if it is unknown.
  std::optional<SourceLine> lookup(uint32_t SectionIndex,
                                   uint64_t Offset) const;

  bool empty() const { return Ranges.empty(); }

  /// All of it, by section and offset.
  std::vector<LineRange> ranges() const;

private:
  /// Instructions of one section that belong to one line.
  struct Range {
    uint32_t Section;
    uint64_t Begin, End; ///< Offsets, in bytes.
    uint32_t File;       ///< Index into Files.
    uint32_t Line, Column;
  };

  std::vector<std::string> Files;
  std::vector<Range> Ranges; ///< Sorted by section and offset.
};

} // namespace heddle

#endif // HEDDLE_OBJECT_LINETABLE_H
