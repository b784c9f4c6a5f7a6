//===- HeddleAsmMatcher.h - Matches statements to instructions --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the instruction whose template a statement follows, or says what the
// instruction that comes closest wanted to see.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TARGET_MCTARGETDESC_HEDDLEASMMATCHER_H
#define HEDDLE_TARGET_MCTARGETDESC_HEDDLEASMMATCHER_H

#include "HeddleAsmStatement.h"
#include "HeddleAsmTemplate.h"
#include "llvm/MC/MCInst.h"

#include <string>

namespace llvm::Heddle {

/// All instructions with the mnemonic; empty if there is none.
ArrayRef<const heddle::isa::InstInfo *> getCandidates(StringRef Mnemonic);

/// The mnemonic that \p Wrong was probably meant to be, or nothing.
StringRef suggestMnemonic(StringRef Wrong);

/// Where and why a statement does not follow a template.
struct MatchFailure {
  size_t Position = 0; ///< index of the element
  /// What should have stood there ("a register R0 to R254 or RZ"), or the whole
  /// message if IsMessage.
  std::string Text;
  bool IsMessage = false;
};

/// Matches one statement with one instruction.
class AsmMatcher {
public:
  AsmMatcher(const heddle::isa::InstInfo &Info, ArrayRef<AsmElement> Elements)
      : Info(Info), Elements(Elements), Operands(Info.Operands.size()) {}

  /// Whether all elements match. Then operands() holds the instruction's, those
  /// of the guard and the control field apart; else failure() says why not.
  bool match();

  SmallVectorImpl<MCOperand> &operands() { return Operands; }
  const MatchFailure &failure() const { return Failure; }

private:
  const AsmElement &next() const { return Elements[Position]; }
  bool expected(const Twine &What);
  bool fail(const Twine &Message);
  bool matchPiece(const AsmPiece &Piece);
  bool matchLiteral(StringRef Text);
  bool matchModifier(unsigned Operand);
  bool matchOffset(unsigned Operand);
  bool matchValue(const AsmPiece &Piece);
  bool matchRegister(const AsmPiece &Piece);
  bool matchImmediate(const AsmPiece &Piece);
  bool matchSigns(const AsmPiece &Piece);
  bool takeNumber(unsigned Operand, int64_t Value);
  bool takeReal(unsigned Operand);
  bool takesSymbol(const heddle::isa::OperandInfo &O) const;
  size_t countModifierElements(StringRef Name) const;

  const heddle::isa::InstInfo &Info;
  ArrayRef<AsmElement> Elements;
  size_t Position = 0;
  SmallVector<MCOperand, 16> Operands;
  MatchFailure Failure;
};

} // namespace llvm::Heddle

#endif // HEDDLE_TARGET_MCTARGETDESC_HEDDLEASMMATCHER_H
