//===- SourceVariables.h - Variables of the source --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which variables there are in a frame, their types, and where they are at an
// instruction, from a code object's .debug_info.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_DEBUGGER_SOURCEVARIABLES_H
#define HEDDLE_LIB_DEBUGGER_SOURCEVARIABLES_H

#include "../Expressions/Value.h"
#include "heddle/Object/SourceFrames.h"
#include "llvm/ADT/DenseMap.h"

namespace heddle::debug {

/// A variable as its entry describes it.
struct SourceVariable {
  std::string Name;
  llvm::DWARFDie Die;
  bool IsParameter = false;
  bool IsGlobal = false; ///< Of the module, if only a function sees it.
};

/// The name of a type or a variable with those of its namespaces and classes.
std::string qualifiedName(const llvm::DWARFDie &Die);
/// What an enumerator is called in expressions.
std::string enumeratorName(const llvm::DWARFDie &Enumeration,
                           const llvm::DWARFDie &Enumerator);

/// A register as debug information numbers it.
struct DebugRegister {
  emu::RegisterFile File = emu::RegisterFile::Vector;
  unsigned Number = 0;
};
/// None for a number that is not of a register that holds values.
std::optional<DebugRegister> registerOf(uint64_t DwarfNumber);

/// The memory that a class of addresses is, by cuda-gdb's numbers; generic
/// addresses for a class that is none of them.
MemorySpace spaceOfClass(uint64_t Class);

/// A part of a variable; the parts follow one another.
struct VariablePart {
  enum KindType : uint8_t { Nowhere, Register, Memory, Constant };
  KindType Kind = Nowhere;
  DebugRegister Reg;
  MemorySpace Space = MemorySpace::Generic;
  uint64_t Address = 0; ///< Of memory; the value of a constant.
  uint64_t Bytes = 0;   ///< 0: all of the variable.
};

/// What expressions for places ask of a thread. Nothing where it is not known.
class PlaceReader {
public:
  virtual ~PlaceReader();
  virtual std::optional<uint32_t> readRegister(DebugRegister R) = 0;
  virtual std::optional<uint64_t>
  readMemory(MemorySpace Space, uint64_t Address, unsigned Bytes) = 0;
};

class SourceVariables {
public:
  /// What frame \p Frame of an instruction sees, innermost first; frames are
  /// those of SourceFrames::lookup.
  static std::vector<SourceVariable> visible(const SourceFrames &In,
                                             uint32_t Section, uint64_t Offset,
                                             size_t Frame);
  /// The variables of the module.
  static std::vector<SourceVariable> globals(const SourceFrames &In);
  /// Whether a variable of the module is in shared memory.
  static bool isShared(const SourceVariable &V);
  /// Where a variable is at an instruction, none if it is nowhere.
  static std::vector<VariablePart> locate(const SourceFrames &In,
                                          const SourceVariable &V,
                                          uint32_t Section, uint64_t Offset,
                                          PlaceReader &Reader);
  /// The name by which the linker knows a variable of the module.
  static std::string linkageName(const SourceVariable &V);
  /// Null if it has none.
  const Type *typeOf(const SourceVariable &V, TypePool &Types);
  /// What an entry of a type describes.
  const Type *type(const llvm::DWARFDie &Die, TypePool &Types);

private:
  const Type *attributeType(const llvm::DWARFDie &User, TypePool &Types);
  const Type *makeType(const llvm::DWARFDie &Die, TypePool &Types);
  const Type *makeBase(const llvm::DWARFDie &Die, TypePool &Types);
  const Type *makeArray(const llvm::DWARFDie &Die, TypePool &Types);
  const Type *makeRecord(const llvm::DWARFDie &Die, TypePool &Types);
  Type *makeRecordItself(const llvm::DWARFDie &Die, TypePool &Types);
  const Type *makeEnumeration(const llvm::DWARFDie &Die, TypePool &Types);
  const Type *makeAlias(const llvm::DWARFDie &Die, TypePool &Types);
  const Type *makeFunction(const llvm::DWARFDie &Die, TypePool &Types);
  Type *renamed(const Type *T, std::string Name, TypePool &Types);

  llvm::DenseMap<uint64_t, const Type *> Known; ///< By the entry's offset.
  unsigned OpenRecords = 0;                     ///< That are being made.
  /// Copies of structures that may be incomplete.
  std::vector<std::pair<Type *, const Type *>> Unfinished;
};

} // namespace heddle::debug

#endif // HEDDLE_LIB_DEBUGGER_SOURCEVARIABLES_H
