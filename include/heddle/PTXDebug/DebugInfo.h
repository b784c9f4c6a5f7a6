//===- DebugInfo.h - The debug sections of a PTX module ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The DWARF that a compiler wrote into PTX as `.section`s. The sections are
// assembled, and LLVM's reader reads them. An address of code is a place in the
// text: the offset of a label's statement. An address of a variable is a number
// that stands for its symbol.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PTXDEBUG_DEBUGINFO_H
#define HEDDLE_PTXDEBUG_DEBUGINFO_H

#include "heddle/PTX/AST.h"
#include "heddle/Support/DebugSpace.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/DebugInfo/DWARF/DWARFContext.h"
#include "llvm/DebugInfo/DWARF/DWARFDie.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::ptx {

using heddle::DebugSpace;

/// Some of the bytes of a variable.
struct DebugPiece {
  uint64_t Offset = 0;
  uint64_t Bytes = 0; ///< 0: it is all of the variable.
  bool operator==(const DebugPiece &) const = default;
};

/// Where a variable is, or a piece of it, in a range of the text.
struct DebugPlace {
  enum KindType : uint8_t {
    Register, ///< In the PTX register of this name.
    Memory,   ///< At Offset from the variable of this name.
    Constant, ///< Its value is Offset.
    Unknown,  ///< In a way that is not understood.
  };
  KindType Kind = Unknown;
  uint64_t Begin = 0, End = 0; ///< Addresses.
  std::string Name;
  int64_t Offset = 0;
  DebugPiece Piece;
  bool operator==(const DebugPlace &) const = default;
};

/// A variable or a parameter of a function, or of a copy that was inlined, or a
/// piece of it: a structure may be in several registers.
struct DebugVariable {
  uint64_t Die = 0; ///< The offset of its entry in .debug_info.
  std::string Name;
  DebugPiece Piece;               ///< That of all of its places.
  std::vector<DebugPlace> Places; ///< In no particular order.
};

/// A range of addresses.
struct DebugRange {
  uint64_t Begin = 0, End = 0;
  bool contains(uint64_t Address) const {
    return Begin <= Address && Address < End;
  }
};

class DebugInfo {
public:
  /// Null if the module has no .debug_info. \p M has to outlive it.
  static std::unique_ptr<DebugInfo> create(const Module &M,
                                           llvm::StringRef Text);

  const Module &module() const { return M; }
  llvm::DWARFContext &dwarf() const { return *Context; }
  /// The address of a place in the text.
  static uint64_t addressOf(SourceLoc Loc) { return Loc.Offset; }
  /// The same for a line and a column, from 1 on.
  uint64_t addressOf(unsigned Line, unsigned Column) const;

  /// The entry of a function; an invalid one if it has none.
  llvm::DWARFDie subprogramOf(llvm::StringRef Function) const;
  /// The variables of a function and of what was inlined there. The pieces of
  /// one follow one another.
  std::vector<DebugVariable> variablesOf(llvm::StringRef Function) const;
  /// Where an entry's code is; none if it has none.
  std::vector<DebugRange> rangesOf(const llvm::DWARFDie &Die) const;
  /// A string of .debug_str, behind a label; empty if there is none.
  std::string stringAt(llvm::StringRef Label, int64_t Offset) const;
  /// The one place of a variable that has the same one everywhere.
  DebugPlace staticPlaceOf(const llvm::DWARFDie &Variable) const;

private:
  explicit DebugInfo(const Module &M) : M(M) {}

  void assignAddresses();
  void addLabels(const Function &F,
                 llvm::ArrayRef<const Statement *> Statements);
  void addSymbol(llvm::StringRef Name);
  void assemble();
  void placeLabels();
  uint64_t valueOf(llvm::StringRef Name) const;
  void findSubprograms();
  void collect(const llvm::DWARFDie &Die, const std::vector<DebugRange> &Scope,
               std::vector<DebugVariable> &To) const;
  std::vector<DebugPlace> placesOf(const llvm::DWARFDie &Variable,
                                   llvm::ArrayRef<DebugRange> Scope) const;
  DebugPlace decode(llvm::ArrayRef<uint8_t> Expression) const;
  std::vector<DebugPlace>
  decodePieces(llvm::ArrayRef<uint8_t> Expression) const;

  const Module &M;
  std::vector<uint32_t> LineStarts;
  llvm::StringMap<uint64_t> Addresses;  ///< Of labels and symbols.
  std::vector<llvm::StringRef> Symbols; ///< By number.
  llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>> Sections;
  std::unique_ptr<llvm::DWARFContext> Context;
  llvm::StringMap<llvm::DWARFDie> Subprograms; ///< By the PTX function's name.
};

} // namespace heddle::ptx

#endif // HEDDLE_PTXDEBUG_DEBUGINFO_H
