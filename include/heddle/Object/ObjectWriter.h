//===- ObjectWriter.h - Writes code objects ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Writes the ELF file of an object whose sections come from other objects. The
// compiler itself writes objects through LLVM's MC layer.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_OBJECT_OBJECTWRITER_H
#define HEDDLE_OBJECT_OBJECTWRITER_H

#include "heddle/Object/ObjectFile.h"
#include <deque>

namespace heddle {

/// A symbol of the result.
struct OutputSymbol {
  llvm::StringRef Name;
  Symbol::BindingKind Binding = Symbol::BindingKind::Local;
  Symbol::TypeKind Type = Symbol::TypeKind::None;
  uint32_t Section = 0; ///< 0: undefined, or absolute
  bool IsAbsolute = false;
  uint64_t Value = 0, Size = 0;
  bool IsWritten = true; ///< nothing refers to one that is not
  uint32_t Index = 0;    ///< in the table, as the writer sets it
};

struct OutputRelocation {
  RelocationType Type;
  uint64_t Offset;
  int64_t Addend;
  OutputSymbol *Symbol; ///< null: the empty symbol
};

/// A section as it is in another object, with relocations of its own.
struct OutputSection {
  const Section *From = nullptr;
  std::vector<OutputRelocation> Relocations;
};

struct OutputObject {
  std::vector<OutputSection> Sections{1}; ///< the first is ELF's empty one
  std::deque<OutputSymbol> Symbols;
};

/// The file: the sections in their order, the metadata, symbols, local ones
/// first. Too many sections are an error.
llvm::Expected<std::string> writeObject(OutputObject &Object,
                                        const ModuleMetadata &Metadata);

} // namespace heddle

#endif // HEDDLE_OBJECT_OBJECTWRITER_H
