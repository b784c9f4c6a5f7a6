//===- SymbolTable.h - Names in scopes --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Maps names to declarations, with nested scopes and register ranges: after
// `.reg .b32 %r<100>;` the name %r57 means register 57 of the range %r.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_PTX_SYMBOLTABLE_H
#define HEDDLE_LIB_PTX_SYMBOLTABLE_H

#include "heddle/PTX/AST.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include <array>
#include <string>

namespace heddle::ptx {

class SymbolTable {
public:
  /// What a name means. Index is that within a register range.
  struct Symbol {
    Decl *D = nullptr;
    uint32_t Index = 0;
    unsigned Depth = 0; ///< Of its scope; the module's is 0.
  };

  void enterScope() { Marks.push_back(Log.size()); }
  void leaveScope();
  unsigned getDepth() const { return Marks.size(); }

  /// Declares \p D in the innermost scope. Returns the declaration that has
  /// the name there already, or null when all is well.
  Decl *declare(Decl *D);
  /// Declares \p D in the scope of the module, which must not have its name.
  /// Hidden names of inner scopes stay hidden until those end.
  void declareGlobal(Decl *D);
  /// What \p Name means here; D is null when nothing.
  Symbol lookup(llvm::StringRef Name) const;
  /// The register range that \p Name would belong to if it were larger.
  const RegisterDecl *findRange(llvm::StringRef Name) const;
  /// What the name of \p D, which is not declared yet, means here; null when
  /// nothing. A range of registers hides a range with the same name.
  Decl *findMeaning(const Decl *D) const;
  /// All visible names of declarations that \p Matches accepts, sorted, for
  /// suggestions.
  llvm::SmallVector<llvm::StringRef>
  getNames(llvm::function_ref<bool(const Decl *)> Matches) const;
  /// The registers of the visible ranges that have the number in \p Name, if
  /// that has letters enough to resemble one.
  llvm::SmallVector<std::string> getRegistersLike(llvm::StringRef Name) const;

private:
  struct Entry {
    Decl *D = nullptr;
    unsigned Depth = 0;
  };
  using Map = llvm::DenseMap<llvm::StringRef, Entry>;
  struct Undo {
    bool Range;
    llvm::StringRef Name;
    Entry Old;
  };

  /// The entry of a range, null where there is none.
  const Entry *findEntry(llvm::StringRef Prefix) const;

  Map Names;
  Map Ranges;
  /// Ranges that were looked up, since Ranges changed last, by length and last
  /// letter of their names: most operands name one of five.
  struct Recent {
    llvm::StringRef Prefix;
    const Entry *E = nullptr;
  };
  mutable std::array<Recent, 16> RecentRanges;
  llvm::SmallVector<Undo> Log;
  llvm::SmallVector<size_t> Marks;
  /// Number of declared names like %x1, ranges aside; while there are none, a
  /// hit among the ranges needs no second look.
  unsigned NumIndexed = 0;
};

} // namespace heddle::ptx

#endif // HEDDLE_LIB_PTX_SYMBOLTABLE_H
