//===- UnwindTable.h - Where functions without names are --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Exceptions are unwound by a table of all functions, sorted by address, which
// a file keeps when it is stripped (.eh_frame_hdr, .eh_frame).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_STATICRUNTIME_UNWINDTABLE_H
#define HEDDLE_LIB_CUDA_STATICRUNTIME_UNWINDTABLE_H

#include "StaticRuntime/ElfFile.h"

namespace heddle::cuda {

/// The functions of a file in the order of their addresses.
class UnwindTable {
public:
  /// Has no functions if the file has no such table, or none as linkers write
  /// it.
  explicit UnwindTable(const ElfFile &File);

  unsigned size() const { return Count; }
  /// The address of a function, relative to where the file is loaded.
  uint64_t start(unsigned I) const { return Address + Entries[I].Start; }
  /// How many bytes the function has; 0 if its description is damaged.
  uint64_t length(unsigned I) const;
  /// Where in the file the function's description is.
  uint64_t description(unsigned I) const {
    return Offset + static_cast<int64_t>(Entries[I].Description);
  }

private:
  /// Both are relative to the table.
  struct Entry {
    int32_t Start;
    int32_t Description;
  };
  /// How many bytes the description that begins with another one, at an offset
  /// in the file, has for an address and for a length; 0 if that is not known.
  unsigned pointerSize(uint64_t Common) const;

  const ElfFile &File;
  uint64_t Address = 0;
  uint64_t Offset = 0; ///< In the file, of what descriptions are relative to.
  const Entry *Entries = nullptr;
  unsigned Count = 0;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_STATICRUNTIME_UNWINDTABLE_H
