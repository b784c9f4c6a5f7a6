//===- DebugSections.h - DWARF of a code object -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Gives LLVM's reader the debug sections of a code object, and tells which
// section of code an address in them means.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_OBJECT_DEBUGSECTIONS_H
#define HEDDLE_LIB_OBJECT_DEBUGSECTIONS_H

#include "heddle/Object/ObjectFile.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>

namespace heddle {

/// Where the sections of code are for the debug information: at their own
/// addresses or, as long as it has relocations, each in a range of its own.
class CodeLayout {
public:
  explicit CodeLayout(const ObjectFile &Object);

  /// By section; 0 for what is no code.
  llvm::ArrayRef<uint64_t> addresses() const { return Addresses; }
  /// The section of code at an address.
  std::optional<uint32_t> find(uint64_t Address) const;

private:
  llvm::ArrayRef<Section> Sections;
  std::vector<uint64_t> Addresses;
};

/// Those of the debug sections with these names that there are, relocated, as
/// LLVM names them: without the dot.
llvm::Expected<llvm::StringMap<std::unique_ptr<llvm::MemoryBuffer>>>
debugSections(const ObjectFile &Object, const CodeLayout &Code,
              llvm::ArrayRef<llvm::StringRef> Names);

} // namespace heddle

#endif // HEDDLE_LIB_OBJECT_DEBUGSECTIONS_H
