//===- DebugMerge.h - Debug information of several objects ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Puts the debug sections of objects that are linked or merged one behind the
// other.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OBJECT_DEBUGMERGE_H
#define HEDDLE_OBJECT_DEBUGMERGE_H

#include "heddle/Object/ObjectWriter.h"
#include "llvm/ADT/MapVector.h"

namespace heddle {

/// Collects the debug sections of objects, whose relocations they must still
/// have. It owns the sections that it adds to an object, and must be there when
/// that is written.
class DebugMerger {
public:
  /// What the symbol of an index became; null if its section is not in the
  /// result, or another definition in its place.
  using SymbolMap = llvm::function_ref<OutputSymbol *(uint32_t)>;

  /// Adds the debug sections of \p Part behind the ones that are there.
  void add(const ObjectFile &Part, SymbolMap SymbolOf);
  bool empty() const { return Sections.empty(); }
  /// Adds the sections to \p Output.
  void addTo(OutputObject &Output);

private:
  /// A section of the result.
  struct Merged {
    Section Description;
    std::vector<uint8_t> Contents;
    OutputSymbol Symbol; ///< of the section
    std::vector<OutputRelocation> Relocations;
  };
  /// Where the section of an index starts in the result.
  struct Place {
    Merged *To = nullptr;
    uint64_t Offset = 0;
  };

  Place append(const Section &S);
  void relocate(const ObjectFile &Part, const Relocation &R, Place P,
                llvm::ArrayRef<Place> Places, SymbolMap SymbolOf);

  llvm::MapVector<llvm::StringRef, std::unique_ptr<Merged>> Sections;
};

} // namespace heddle

#endif // HEDDLE_OBJECT_DEBUGMERGE_H
