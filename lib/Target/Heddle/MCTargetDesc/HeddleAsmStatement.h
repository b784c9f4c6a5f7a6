//===- HeddleAsmStatement.h - Statements of assembly ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An instruction's operands as they stand in the source, before anyone knows
// which instruction they belong to.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_MCTARGETDESC_HEDDLEASMSTATEMENT_H
#define HEDDLE_TARGET_MCTARGETDESC_HEDDLEASMSTATEMENT_H

#include "heddle/ISA/ISA.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/SMLoc.h"

#include <optional>

namespace llvm {
class MCAsmParser;
class MCExpr;

namespace Heddle {

enum class RegisterFile : uint8_t { R, P, UR, UP, B };

struct RegisterName {
  RegisterFile File;
  unsigned Number; ///< as encoded: RZ is 255
};

/// Reads `R12`, `URZ`, `PT`; nothing if it is not the name of a register.
std::optional<RegisterName> parseRegisterName(StringRef Name);
/// The file that operands of a kind are in; the kind is a register's.
RegisterFile getRegisterFile(heddle::isa::OperandKind Kind);

/// A register, value, modifier or punctuation mark of a statement.
struct AsmElement {
  enum ElementKind : uint8_t {
    Punctuation, ///< Mark: one of , [ ] + - and the c of c[bank]
    Register,
    Modifier, ///< Text, without its dot
    Number,   ///< Value
    Real,     ///< Text, with IsNegative: a decimal fraction
    Symbolic, ///< Expr
    Special,  ///< Value: the number of a special register
    End,
  };
  ElementKind Kind = End;
  SMLoc Loc;
  char Mark = 0;
  bool Negated = false;    ///< `-` before a register or `-(` before a value
  bool Absolute = false;   ///< inside `|`
  bool Inverted = false;   ///< `!`
  bool IsNegative = false; ///< the sign of a Real
  RegisterName Reg = {RegisterFile::R, 0};
  int64_t Value = 0;
  const MCExpr *Expr = nullptr;
  StringRef Text = {};

  bool isMark(char C) const { return Kind == Punctuation && Mark == C; }
};

/// Cuts the rest of a statement into elements, up to its control field or its
/// end; the last element is End. Nothing if an error was reported.
class AsmStatementReader {
public:
  explicit AsmStatementReader(MCAsmParser &Parser) : Parser(Parser) {}

  /// The modifiers after the first dot of \p Name come first.
  std::optional<SmallVector<AsmElement, 16>> read(StringRef Name);

private:
  bool readElement();
  bool readMark(char Mark);
  bool readRegister(AsmElement E);
  bool readSigned(AsmElement E);
  bool readAbsolute(AsmElement E);
  bool readParentheses(AsmElement E);
  bool readIdentifier(AsmElement E);
  bool readValue(AsmElement E);
  bool readReal(AsmElement &E);
  bool takeExpression(AsmElement &E, bool PrimaryOnly);
  bool isOffsetSign() const;
  void addModifiers(StringRef Names);
  bool add(const AsmElement &E) {
    Elements.push_back(E);
    return true;
  }

  MCAsmParser &Parser;
  SmallVector<AsmElement, 16> Elements;
  unsigned Brackets = 0;
};

} // namespace Heddle
} // namespace llvm

#endif // HEDDLE_TARGET_MCTARGETDESC_HEDDLEASMSTATEMENT_H
