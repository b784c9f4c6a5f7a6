//===- Importer.h - State of an import --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the parts of the import share: the module's state, and the state of the
// function being imported.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CONVERSION_PTXIMPORT_IMPORTER_H
#define HEDDLE_LIB_CONVERSION_PTXIMPORT_IMPORTER_H

#include "ControlFlow.h"
#include "OpTemplate.h"
#include "SSAPlan.h"
#include "heddle/Conversion/PTXImport.h"
#include "heddle/Dialect/PTX/PTX.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringSet.h"
#include <optional>

namespace heddle::import {

/// A mnemonic in terms of the dialect: the operation's name and attributes,
/// worked out once.
struct ImportedMnemonic {
  std::optional<mlir::OperationName> Name;
  llvm::SmallVector<mlir::NamedAttribute, 4> Attrs;
  OpTemplate Template;
};

/// The enumerator of the dialect with the same spelling; `None` of modifiers
/// is the dialect's first one.
template <typename To, typename From> To convertModifier(From Value) {
  if (Value == From(0))
    return To(0);
  llvm::StringRef Name =
      ptx::getModifierName(ptx::ModKindOf<From>::Value, unsigned(Value));
  return ptxir::symbolizeEnum<To>(
             Name.split("::").second.empty() ? Name : Name.split("::").second)
      .value_or(To(0));
}

using FunctionFilter = llvm::function_ref<ImportedPart(const ptx::Function &)>;

class ModuleImporter {
public:
  ModuleImporter(const ptx::Module &M, llvm::MemoryBufferRef Source,
                 mlir::MLIRContext &Context, FunctionFilter Wants,
                 ImportedVariables Variables);
  mlir::OwningOpRef<mlir::ModuleOp> run();

  // Locations.
  /// A place in the text; \p Source is what a `.loc` says of it, or null.
  mlir::Location location(ptx::SourceLoc Loc, mlir::LocationAttr Source = {});
  /// The place that a `.loc` names. \p Earlier holds those of the function so
  /// far, which inlined ones refer to.
  using SourcePlaces = llvm::DenseMap<std::tuple<uint32_t, uint32_t, uint32_t>,
                                      mlir::LocationAttr>;
  mlir::LocationAttr sourceLocation(const ptx::LocStatement &Loc,
                                    SourcePlaces &Earlier);
  mlir::LogicalResult unsupported(ptx::SourceLoc Loc, const llvm::Twine &What);

  // Types.
  std::optional<ptxir::ScalarType> scalarType(ptx::Type Ty) const {
    return ScalarTypes[unsigned(Ty)];
  }
  /// The register class; null, with an error, when the dialect has none.
  mlir::Type registerType(ptx::Type Ty, ptx::SourceLoc Loc);
  mlir::Type addressType() { return B.getIntegerType(M.AddressSize); }

  // Symbols.
  /// The symbol of a variable; one of a function becomes a global at its
  /// first mention.
  mlir::StringAttr symbolOf(const ptx::Variable *Var);
  mlir::StringAttr symbolOf(const ptx::Function *F);
  /// Makes the operation of a variable that is in memory for all threads.
  mlir::LogicalResult importVariable(const ptx::Variable *Var);
  mlir::LogicalResult importSampler(const ptx::Variable *Var,
                                    std::string &Bytes);

  /// A parameter list in terms of the dialect.
  struct Signature {
    /// The array that a function returns, or null.
    const ptx::Variable *ResultArray = nullptr;
    llvm::SmallVector<mlir::Type> Args;
    llvm::SmallVector<mlir::Type> Results;
    /// For each of Args, the array's layout or null.
    llvm::SmallVector<ptxir::AggregateAttr> Aggregates;
    bool hasAggregates() const {
      return llvm::any_of(Aggregates, [](auto A) { return bool(A); });
    }
  };
  mlir::FailureOr<Signature> signatureOf(llvm::ArrayRef<ptx::Parameter> Returns,
                                         llvm::ArrayRef<ptx::Parameter> Params,
                                         ptx::SourceLoc Loc);

  /// Null when the dialect has no operation for it, or that lacks something.
  ImportedMnemonic *mnemonic(const ptx::Instruction &Inst);
  /// What loads or stores with a mnemonic have in common in a state space;
  /// empty until the first one.
  OpTemplate &accessTemplate(const ptx::Mnemonic &Mn, ptxir::Space Space) {
    return AccessTemplates[{&Mn, unsigned(Space)}];
  }
  /// What reads a component (-1: all) of a special register as that type;
  /// empty until the first time.
  OpTemplate &specialRegisterTemplate(ptx::SpecialReg Reg, int Component,
                                      mlir::Type Ty) {
    return SpecialRegisterTemplates[{unsigned(Reg), Component, Ty}];
  }
  /// A 64-bit attribute.
  mlir::IntegerAttr offsetAttr(int64_t Value);
  mlir::TypedAttr integerAttr(unsigned Bits, uint64_t Value);
  mlir::Value makeConstant(mlir::Location Loc, mlir::TypedAttr Value);

  /// The halves of an identifier, null when there is none.
  mlir::DenseI64ArrayAttr unifiedId(const std::optional<ptx::UnifiedId> &Id);
  /// An attribute of 32 bits, null when there is no number.
  mlir::IntegerAttr numberAttr(std::optional<uint32_t> Number);
  /// The codes of `.language`, null when there are none.
  mlir::DenseI32ArrayAttr languages(const ptx::PerformanceDirectives &D);
  /// An array of strings, null when there are none.
  mlir::ArrayAttr strings(llvm::ArrayRef<llvm::StringRef> Strings);
  /// Whether a section of debug information refers to a label of this name.
  bool isDebugLabel(llvm::StringRef Name) const {
    return DebugLabels.contains(Name);
  }

  const ptx::Module &M;
  mlir::OpBuilder B;
  const ImportedVariables Variables;

private:
  void importHeader();
  void importSection(const ptx::Section &S);
  ImportedPart partOf(const ptx::Function *F) const;
  mlir::LogicalResult importFunction(const ptx::Function *F);
  mlir::FailureOr<ptxir::EntryOp> createEntry(const ptx::Function *F);
  mlir::FailureOr<ptxir::FuncOp> createFunc(const ptx::Function *F);
  bool describe(const ptx::Instruction &Inst, ImportedMnemonic &Result);
  /// A string of `.debug_str`, or null.
  mlir::StringAttr debugString(llvm::StringRef Label, int64_t Offset);
  mlir::StringAttr uniqueName(llvm::StringRef Name);

  llvm::MemoryBufferRef Source;
  FunctionFilter Wants;
  mlir::StringAttr FileName;
  Arena &Places;
  /// Offsets at which the lines of the text begin.
  std::vector<uint32_t> LineStarts;
  mlir::ModuleOp Module;
  llvm::DenseMap<const ptx::Decl *, mlir::StringAttr> Symbols;
  /// Names that are taken, with the last number that was put behind each.
  llvm::StringMap<unsigned> UsedNames;
  llvm::StringSet<> DebugLabels;
  llvm::DenseMap<uint32_t, mlir::StringAttr> FileNames;
  llvm::DenseMap<std::pair<llvm::StringRef, int64_t>, mlir::StringAttr>
      DebugStrings;
  size_t LastLine = 0; ///< The line, from 0, that location() found last.
  llvm::DenseMap<const ptx::Mnemonic *, ImportedMnemonic> Mnemonics;
  llvm::DenseMap<std::pair<const ptx::Mnemonic *, unsigned>, OpTemplate>
      AccessTemplates;
  /// Small integers of each width, which most constants are.
  llvm::DenseMap<std::pair<unsigned, uint64_t>, mlir::TypedAttr> Integers;
  OpTemplate ConstantTemplate;
  /// By PTX's types, those of the dialect.
  std::vector<std::optional<ptxir::ScalarType>> ScalarTypes;
  llvm::DenseMap<std::tuple<unsigned, int, mlir::Type>, OpTemplate>
      SpecialRegisterTemplates;
};

/// Whether a parameter is a register or a scalar in .param, rather than an
/// array.
bool isScalarParameter(ptx::Parameter P);
ptx::Type parameterType(ptx::Parameter P);
/// The values that a parameter which is no array is: the components of a vector
/// register.
unsigned numValues(ptx::Parameter P);

/// Imports the body of a function into the region of \p Op.
mlir::LogicalResult importBody(ModuleImporter &Importer, const ptx::Function *F,
                               mlir::Operation *Op);

} // namespace heddle::import

#endif // HEDDLE_LIB_CONVERSION_PTXIMPORT_IMPORTER_H
