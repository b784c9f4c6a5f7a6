//===- SourcePlaces.h - Places in the source by those in PTX ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The line of an instruction is that of the last `.loc`, its scope the
// innermost entry of .debug_info whose code it is in.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXTOLLVM_DEBUGMETADATA_SOURCEPLACES_H
#define HEDDLE_LIB_CONVERSION_PTXTOLLVM_DEBUGMETADATA_SOURCEPLACES_H

#include "DebugMetadata/MetadataBuilder.h"

namespace heddle::lowering {

class SourcePlaces {
public:
  /// \p Die is the entry of the PTX function.
  SourcePlaces(MetadataBuilder &MB, const llvm::DWARFDie &Die,
               llvm::StringRef Function);
  /// The place of what stands at \p InText; that itself, in its scope, in a
  /// function that has no `.loc`.
  llvm::DILocation *at(const llvm::DILocation &InText);

private:
  /// A `.loc`, and the number of the one that it was inlined at.
  struct Loc {
    uint64_t Address;
    const ptx::LocStatement *Statement;
    size_t Caller; ///< None: it was not inlined.
  };
  static constexpr size_t None = ~size_t(0);
  /// An entry with code.
  struct Node {
    llvm::DWARFDie Die;
    std::vector<ptx::DebugRange> Ranges;
    std::vector<Node> Children;
    bool contains(uint64_t Address) const;
  };
  void addLocs(llvm::ArrayRef<const ptx::Statement *> Statements);
  void addChildren(Node &To, const llvm::DWARFDie &Die);
  llvm::SmallVector<size_t> chainOf(size_t Number) const;

  MetadataBuilder &MB;
  std::vector<Loc> Locs; ///< In the order of the text.
  llvm::DenseMap<std::tuple<uint32_t, uint32_t, uint32_t>, size_t> ByPlace;
  bool SaysInlined = false; ///< Some `.loc` says where it was inlined.
  Node Root;
};

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_DEBUGMETADATA_SOURCEPLACES_H
