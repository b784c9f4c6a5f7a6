//===- Lexer.h - Tokens of PTX ----------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts a buffer into tokens, one at a time. Tokens refer to the buffer; nothing
// is allocated.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_PTX_LEXER_H
#define HEDDLE_LIB_PTX_LEXER_H

#include "heddle/PTX/Diagnostics.h"

namespace heddle::ptx {

/// A token of one character is that character's code; tokens that the
/// parser switches on have names.
enum class TokenKind : uint8_t {
  Eof = 0,
  Error = 1, ///< Reported already.
  Word,      ///< `add`, `%r1`, `$L`, `_`
  Dotted,    ///< `.reg`, `.shared::cta`
  Integer,   ///< Value, and Unsigned for a `U` suffix
  Single,    ///< `0fXXXXXXXX`: Value
  Double,    ///< `0d...` or decimal: Value has the bits of the double
  String,    ///< With its quotes.
  AtAt,      ///< `@@`
  ShiftLeft,
  ShiftRight,
  LessEqual,
  GreaterEqual,
  EqualEqual,
  NotEqual,
  AndAnd,
  OrOr,
  Bang = '!',
  Percent = '%',
  Ampersand = '&',
  Star = '*',
  Plus = '+',
  Minus = '-',
  Slash = '/',
  Less = '<',
  Greater = '>',
  OpenBracket = '[',
  Caret = '^',
  OpenBrace = '{',
  Bar = '|',
};

struct Token {
  TokenKind Kind = TokenKind::Eof;
  bool Unsigned = false;
  uint32_t Offset = 0;
  uint32_t Length = 0;
  uint64_t Value = 0;

  bool is(TokenKind K) const { return Kind == K; }
  bool is(char C) const { return Kind == TokenKind(C); }
  SourceLoc getLoc() const { return {Offset}; }
  SourceRange getRange() const { return {{Offset}, std::max(Length, 1u)}; }
};

class Lexer {
public:
  Lexer(llvm::StringRef Text, DiagnosticEngine &Diags)
      : Start(Text.begin()), Cur(Text.begin()), End(Text.end()), Diags(Diags) {}

  Token lex();
  /// Extends a Word that was just lexed over the dotted parts that follow it
  /// without a gap: `ld` becomes `ld.global.u32`.
  void extendMnemonic(Token &T);
  llvm::StringRef getText(const Token &T) const {
    return {Start + T.Offset, T.Length};
  }

private:
  bool skipBlank();
  Token make(TokenKind Kind, const char *From);
  Token lexNumber(const char *From);
  Token lexHexFloat(const char *From, unsigned Digits, TokenKind Kind);
  Token lexDecimalFloat(const char *From);
  Token lexString(const char *From);
  Token lexPunctuation(const char *From);
  Token fail(const char *From, const llvm::Twine &Message);
  const char *skipDottedPart(const char *P) const;
  char peek(unsigned Ahead = 0) const {
    return unsigned(End - Cur) > Ahead ? Cur[Ahead] : '\0';
  }

  const char *Start;
  const char *Cur;
  const char *End;
  DiagnosticEngine &Diags;
};

} // namespace heddle::ptx

#endif // HEDDLE_LIB_PTX_LEXER_H
