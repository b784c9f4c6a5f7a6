//===- Modifiers.h - PTX modifiers as attributes ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which attribute of an operation a modifier of an instruction is, for both
// ways between them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DIALECT_PTX_MODIFIERS_H
#define HEDDLE_DIALECT_PTX_MODIFIERS_H

#include "heddle/Dialect/PTX/PTX.h"
#include "heddle/PTX/Tables.h"

namespace heddle::ptxir {

/// A modifier that is an attribute by itself. Those of memory operations,
/// calls and barriers are handled with them.
struct ModifierRule {
  ptx::ModKind Kind;
  llvm::StringLiteral Attr;
  /// The attribute of a spelling; null when it has none.
  mlir::Attribute (*Make)(mlir::MLIRContext *, llvm::StringRef Spelling);
  /// The spelling of an attribute; empty when the attribute is of another
  /// kind or stands for no modifier.
  llvm::StringRef (*Spell)(ptx::ModKind, mlir::Attribute);
};

llvm::ArrayRef<ModifierRule> getModifierRules();

/// The attribute of a function of LLVM's dialect with the further names
/// (strings) that `.alias` gives it in other modules.
constexpr llvm::StringLiteral AliasesAttrName = "ptx.aliases";

/// Marks a variable of LLVM's dialect that is a texture, sampler or surface.
constexpr llvm::StringLiteral HandleAttrName = "ptx.handle";

/// PTX's name of a state space as an instruction writes it; empty for generic.
llvm::StringRef spellSpace(Space S);

} // namespace heddle::ptxir

#endif // HEDDLE_DIALECT_PTX_MODIFIERS_H
