//===- MetadataBuilder.h - PTX's DWARF as LLVM's metadata -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes LLVM's debug metadata of entries of .debug_info: units, types, scopes
// and variables. An entry that refers to an abstract one is the abstract one.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXTOLLVM_DEBUGMETADATA_METADATABUILDER_H
#define HEDDLE_LIB_CONVERSION_PTXTOLLVM_DEBUGMETADATA_METADATABUILDER_H

#include "heddle/PTXDebug/DebugInfo.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/DIBuilder.h"
#include "llvm/IR/Module.h"

namespace heddle::lowering {

class MetadataBuilder {
public:
  MetadataBuilder(llvm::Module &M, const ptx::DebugInfo &Debug,
                  bool IsOptimized)
      : Debug(Debug), IsOptimized(IsOptimized), Context(M.getContext()),
        Builder(M) {}

  const ptx::DebugInfo &debug() const { return Debug; }
  llvm::LLVMContext &context() { return Context; }

  // Units and files (MetadataBuilder.cpp).
  llvm::DIFile *file(uint64_t Index);
  void finish();

  // Types (Types.cpp).
  llvm::DIType *typeOf(const llvm::DWARFDie &User); ///< Its DW_AT_type.
  llvm::DIScope *scopeOf(const llvm::DWARFDie &Die);

  // Scopes of code and variables (MetadataBuilder.cpp).
  llvm::DISubprogram *subprogram(const llvm::DWARFDie &Die);
  /// A function of which nothing is known but its name.
  llvm::DISubprogram *subprogram(llvm::StringRef LinkageName, uint64_t File,
                                 llvm::DISubprogram *Near);
  llvm::DILocalScope *localScope(const llvm::DWARFDie &Die);
  /// Where the code of an entry was inlined; null if it was not.
  llvm::DILocation *inlinedAt(const llvm::DWARFDie &Die);
  llvm::DILocation *location(uint64_t File, unsigned Line, unsigned Column,
                             llvm::DILocalScope *Scope, llvm::DILocation *At);
  llvm::DILocation *location(llvm::DIFile *File, unsigned Line, unsigned Column,
                             llvm::DILocalScope *Scope, llvm::DILocation *At);
  /// Null for an entry without a type or a name.
  llvm::DILocalVariable *variable(const llvm::DWARFDie &Die);
  /// Lets a function have its variables although they are nowhere.
  void addVariables(const llvm::DWARFDie &Function);
  void addGlobals(llvm::Module &M);

private:
  llvm::DICompileUnit *unit(const llvm::DWARFDie &Die);
  bool isDescribed(const llvm::DWARFDie &Die) const;
  void addGlobal(llvm::Module &M, const llvm::DWARFDie &Die);
  llvm::DIType *type(const llvm::DWARFDie &Die);
  llvm::DIType *makeType(const llvm::DWARFDie &Die);
  llvm::DIType *makeBasicType(const llvm::DWARFDie &Die);
  llvm::DIType *makeArray(const llvm::DWARFDie &Die);
  llvm::DIType *makeEnumeration(const llvm::DWARFDie &Die);
  llvm::DIType *makeRecord(const llvm::DWARFDie &Die);
  llvm::Metadata *makeMember(const llvm::DWARFDie &Member,
                             llvm::DICompositeType *Of);
  llvm::DISubroutineType *makeSignature(const llvm::DWARFDie &Die);
  llvm::DINodeArray templateParameters(const llvm::DWARFDie &Die);

  const ptx::DebugInfo &Debug;
  const bool IsOptimized;
  llvm::LLVMContext &Context;
  llvm::DIBuilder Builder;
  llvm::DenseMap<uint64_t, llvm::DICompileUnit *> Units;
  llvm::DenseMap<uint64_t, llvm::DIFile *> Files;
  // By the offset of the entry.
  llvm::DenseMap<uint64_t, llvm::DIType *> Types;
  llvm::DenseMap<uint64_t, llvm::DISubprogram *> Subprograms;
  llvm::DenseMap<uint64_t, llvm::DILocalScope *> Blocks;
  llvm::DenseMap<uint64_t, llvm::DILocation *> CallSites;
  llvm::DenseMap<uint64_t, llvm::DILocalVariable *> Variables;
  llvm::StringMap<llvm::DISubprogram *> Unknown;
};

/// The entry that says what is the same in all copies of an entry.
llvm::DWARFDie originOf(const llvm::DWARFDie &Die);
/// The number of an attribute, or \p Default.
uint64_t numberOf(const llvm::DWARFDie &Die, llvm::dwarf::Attribute Attr,
                  uint64_t Default = 0);
llvm::StringRef nameOf(const llvm::DWARFDie &Die);

} // namespace heddle::lowering

#endif // HEDDLE_LIB_CONVERSION_PTXTOLLVM_DEBUGMETADATA_METADATABUILDER_H
