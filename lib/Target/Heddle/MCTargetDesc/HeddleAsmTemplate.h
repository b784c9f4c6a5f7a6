//===- HeddleAsmTemplate.h - Assembly templates of instructions -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction's assembly template, cut into the pieces that the printer
// writes and the parser looks for. One form serves both, so that what is
// printed parses.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_MCTARGETDESC_HEDDLEASMTEMPLATE_H
#define HEDDLE_TARGET_MCTARGETDESC_HEDDLEASMTEMPLATE_H

#include "heddle/ISA/ISA.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"

#include <optional>

namespace llvm::Heddle {

struct AsmPiece {
  enum PieceKind : uint8_t {
    Literal, ///< the text, its blanks being optional in the input
    Value, ///< a register or immediate, with its source modifier if it has one
    Modifier, ///< `.NAME`, or nothing
    Offset,   ///< ` + N`, ` - N`, or nothing for zero
  };
  PieceKind Kind;
  int8_t Operand = -1;        ///< index of the operand in InstInfo::Operands
  int8_t SourceModifier = -1; ///< likewise of its `-`, `|x|` or `!`
  StringRef Text = {};        ///< of a Literal
};

/// What follows the mnemonic of \p Info. The pieces live as long as the
/// program.
ArrayRef<AsmPiece> getAsmPieces(const heddle::isa::InstInfo &Info);

/// Index of the operand with the role, or -1.
int findOperand(const heddle::isa::InstInfo &Info, heddle::isa::Role R);

/// Whether assembly leaves out a memory operation's scope when it is the
/// smallest: operations without an order have none. \p Order is the value of
/// the order modifier.
bool isScopeOptional(int64_t Order);

/// The name of the special register without its prefix, or nothing.
StringRef getSpecialRegisterName(int64_t Number);
/// Its number; the name comes with `SR_`.
std::optional<unsigned> findSpecialRegister(StringRef Name);

/// Puts these before the names of PTX's special registers.
inline constexpr StringLiteral SpecialRegisterPrefix = "SR_";

} // namespace llvm::Heddle

#endif // HEDDLE_TARGET_MCTARGETDESC_HEDDLEASMTEMPLATE_H
