//===- TypeIndex.h - Types of the source by name ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entries of types and enumerators in the debug information of a module, by
// the names that expressions have for them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DEBUGGER_TYPEINDEX_H
#define HEDDLE_LIB_DEBUGGER_TYPEINDEX_H

#include "heddle/Object/SourceFrames.h"

#include <string>
#include <vector>

namespace heddle::debug {

class TypeIndex {
public:
  explicit TypeIndex(const SourceFrames &In);

  struct Entry {
    std::string Name; ///< With its namespaces.
    llvm::DWARFDie Die;
    /// Of an enumerator, what it is one of.
    llvm::DWARFDie Enumeration;
  };
  /// Null if there is none. A name without its namespaces will do.
  const Entry *findType(llvm::StringRef Name) const {
    return find(Types, Name);
  }
  const Entry *findEnumerator(llvm::StringRef Name) const {
    return find(Enumerators, Name);
  }
  /// Sorted by name; each name once.
  const std::vector<Entry> &types() const { return Types; }

private:
  void add(const llvm::DWARFDie &Die);
  static const Entry *find(const std::vector<Entry> &In, llvm::StringRef Name);

  std::vector<Entry> Types, Enumerators;
};

} // namespace heddle::debug

#endif // HEDDLE_LIB_DEBUGGER_TYPEINDEX_H
