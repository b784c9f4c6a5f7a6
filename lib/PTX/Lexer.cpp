//===- Lexer.cpp - Tokens of PTX --------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts a buffer into tokens.
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringExtras.h"
#include <array>

using namespace llvm;

namespace heddle::ptx {

namespace {

/// What a byte may be a part of.
enum CharClass : uint8_t {
  WordStart = 1,
  WordPart = 2,
  Digit = 4,
  Blank = 8,
  Operator = 16,  ///< A token of its own.
  PairStart = 32, ///< May begin an operator of two characters.
};

constexpr std::array<uint8_t, 256> makeCharClasses() {
  std::array<uint8_t, 256> Table{};
  for (int C = 'a'; C <= 'z'; ++C)
    Table[C] = Table[C - 'a' + 'A'] = WordStart | WordPart;
  for (int C = '0'; C <= '9'; ++C)
    Table[C] = WordPart | Digit;
  Table['_'] = Table['$'] = WordStart | WordPart;
  for (char C : {' ', '\t', '\n', '\r', '\f', '\v'})
    Table[uint8_t(C)] = Blank;
  for (char C : {';', ',', ':', '(', ')', '[', ']', '{', '}', '+', '-', '*',
                 '/', '%', '^', '~', '?', '.'})
    Table[uint8_t(C)] = Operator;
  for (char C : {'@', '<', '>', '=', '!', '&', '|'})
    Table[uint8_t(C)] = Operator | PairStart;
  return Table;
}

constexpr std::array<uint8_t, 256> CharClasses = makeCharClasses();

bool isIn(char C, uint8_t Classes) { return CharClasses[uint8_t(C)] & Classes; }

/// The first byte at or behind \p P that is not of the classes. A member in
/// place of \p P would be written for each byte.
const char *skipWhile(const char *P, const char *End, uint8_t Classes) {
  while (P != End && isIn(*P, Classes))
    ++P;
  return P;
}

} // namespace

Token Lexer::make(TokenKind Kind, const char *From) {
  Token T;
  T.Kind = Kind;
  T.Offset = From - Start;
  T.Length = Cur - From;
  return T;
}

Token Lexer::fail(const char *From, const Twine &Message) {
  Token T = make(TokenKind::Error, From);
  Diags.error(T.getRange(), Message);
  return T;
}

/// Skips blanks, comments and lines that begin with `#`. False when a comment
/// does not end.
bool Lexer::skipBlank() {
  while (Cur != End) {
    if (isIn(*Cur, Blank)) {
      Cur = skipWhile(Cur, End, Blank);
    } else if (*Cur == '/' && peek(1) == '/') {
      while (Cur != End && *Cur != '\n')
        ++Cur;
    } else if (*Cur == '/' && peek(1) == '*') {
      StringRef Rest(Cur, End - Cur);
      size_t Close = Rest.find("*/", 2);
      if (Close == StringRef::npos)
        return false;
      Cur += Close + 2;
    } else if (*Cur == '#' && (Cur == Start || Cur[-1] == '\n')) {
      while (Cur != End && *Cur != '\n')
        ++Cur;
    } else {
      return true;
    }
  }
  return true;
}

/// Whether the `:` behind \p Part is that of `.sp::2:4`.
static bool isRatio(StringRef Part) {
  return Part.rtrim("0123456789") == ".sp::";
}

/// The end of a `.part` that begins at \p P, or P when there is none.
const char *Lexer::skipDottedPart(const char *P) const {
  if (End - P < 2 || *P != '.' || !isIn(P[1], WordPart))
    return P;
  const char *From = P++;
  while (P != End) {
    if (isIn(*P, WordPart))
      ++P;
    else if (End - P > 2 && P[0] == ':' && P[1] == ':' && isIn(P[2], WordPart))
      P += 2;
    else if (End - P > 1 && *P == ':' && isIn(P[1], Digit) &&
             isRatio(StringRef(From, P - From)))
      ++P;
    else
      break;
  }
  return P;
}

void Lexer::extendMnemonic(Token &T) {
  const char *From = Start + T.Offset;
  for (const char *Next = skipDottedPart(Cur); Next != Cur;
       Next = skipDottedPart(Cur))
    Cur = Next;
  T.Length = Cur - From;
}

Token Lexer::lex() {
  if (!skipBlank()) {
    const char *From = Cur;
    Cur += 2;
    Token T = fail(From, "comment is not closed");
    Cur = End;
    return T;
  }
  const char *From = Cur;
  if (Cur == End)
    return make(TokenKind::Eof, From);
  char C = *Cur;
  if (isIn(C, WordStart) || (C == '%' && isIn(peek(1), WordPart))) {
    Cur = skipWhile(Cur + 1, End, WordPart);
    return make(TokenKind::Word, From);
  }
  if (isIn(C, Operator) && C != '.')
    return lexPunctuation(From);
  if (isIn(C, Digit))
    return lexNumber(From);
  if (C == '.') {
    if (const char *Next = skipDottedPart(Cur); Next != Cur) {
      Cur = Next;
      return make(TokenKind::Dotted, From);
    }
  }
  if (C == '"')
    return lexString(From);
  return lexPunctuation(From);
}

Token Lexer::lexPunctuation(const char *From) {
  struct Pair {
    char First, Second;
    TokenKind Kind;
  };
  static constexpr Pair Pairs[] = {
      {'@', '@', TokenKind::AtAt},         {'<', '<', TokenKind::ShiftLeft},
      {'>', '>', TokenKind::ShiftRight},   {'<', '=', TokenKind::LessEqual},
      {'>', '=', TokenKind::GreaterEqual}, {'=', '=', TokenKind::EqualEqual},
      {'!', '=', TokenKind::NotEqual},     {'&', '&', TokenKind::AndAnd},
      {'|', '|', TokenKind::OrOr}};
  char C = *Cur++;
  if (!isIn(C, Operator)) {
    if (isPrint(C))
      return fail(From, "unexpected character '" + Twine(C) + "'");
    return fail(From, "unexpected byte 0x" + utohexstr(uint8_t(C)));
  }
  if (!isIn(C, PairStart))
    return make(TokenKind(C), From);
  for (const Pair &P : Pairs)
    if (C == P.First && peek() == P.Second) {
      ++Cur;
      return make(P.Kind, From);
    }
  return make(TokenKind(C), From);
}

Token Lexer::lexString(const char *From) {
  ++Cur;
  while (Cur != End && *Cur != '"' && *Cur != '\n') {
    if (*Cur == '\\' && End - Cur > 1)
      ++Cur;
    ++Cur;
  }
  if (Cur == End || *Cur != '"')
    return fail(From, "string is not closed on its line");
  ++Cur;
  return make(TokenKind::String, From);
}

/// `0f` or `0d` and the hexadecimal digits of the value.
Token Lexer::lexHexFloat(const char *From, unsigned Digits, TokenKind Kind) {
  Cur += 2;
  const char *First = Cur;
  while (Cur != End && isIn(*Cur, WordPart))
    ++Cur;
  StringRef Text(First, Cur - First);
  uint64_t Value;
  if (Text.size() != Digits || Text.getAsInteger(16, Value))
    return fail(From, "'" + StringRef(From, 2) + "' takes exactly " +
                          Twine(Digits) + " hexadecimal digits");
  Token T = make(Kind, From);
  T.Value = Value;
  return T;
}

Token Lexer::lexDecimalFloat(const char *From) {
  auto SkipDigits = [&] {
    while (Cur != End && isIn(*Cur, Digit))
      ++Cur;
  };
  SkipDigits();
  if (peek() == '.') {
    ++Cur;
    SkipDigits();
  }
  if (peek() == 'e' || peek() == 'E') {
    ++Cur;
    if (peek() == '+' || peek() == '-')
      ++Cur;
    SkipDigits();
  }
  if (Cur != End && isIn(*Cur, WordPart)) {
    while (Cur != End && isIn(*Cur, WordPart))
      ++Cur;
    return fail(From, "malformed number");
  }
  APFloat F(APFloat::IEEEdouble());
  auto Status = F.convertFromString(StringRef(From, Cur - From),
                                    APFloat::rmNearestTiesToEven);
  if (!Status) {
    consumeError(Status.takeError());
    return fail(From, "malformed floating-point number");
  }
  Token T = make(TokenKind::Double, From);
  T.Value = F.bitcastToAPInt().getZExtValue();
  return T;
}

Token Lexer::lexNumber(const char *From) {
  if (*Cur == '0') {
    char Next = peek(1);
    if (Next == 'f' || Next == 'F')
      return lexHexFloat(From, 8, TokenKind::Single);
    if (Next == 'd' || Next == 'D')
      return lexHexFloat(From, 16, TokenKind::Double);
  }
  while (Cur != End && isIn(*Cur, WordPart))
    ++Cur;
  StringRef Text(From, Cur - From);
  bool IsHex = Text.starts_with("0x") || Text.starts_with("0X");
  if (!IsHex && (peek() == '.' || Text.find_first_of("eE") < Text.size())) {
    Cur = From;
    return lexDecimalFloat(From);
  }
  bool Unsigned = Text.consume_back("U");
  unsigned Radix = 10;
  if (IsHex)
    Radix = 16;
  else if (Text.starts_with("0b") || Text.starts_with("0B"))
    Radix = 2;
  else if (Text.size() > 1 && Text[0] == '0')
    Radix = 8;
  StringRef Digits = Text.drop_front(Radix == 16 || Radix == 2 ? 2 : 0);
  uint64_t Value;
  if (Digits.getAsInteger(Radix, Value)) {
    bool AllDigits = !Digits.empty() && all_of(Digits, [&](char C) {
      unsigned D = hexDigitValue(C);
      return D < Radix;
    });
    return fail(From, AllDigits ? "integer does not fit in 64 bits"
                                : "malformed number");
  }
  Token T = make(TokenKind::Integer, From);
  T.Value = Value;
  T.Unsigned = Unsigned || Value > uint64_t(INT64_MAX);
  return T;
}

} // namespace heddle::ptx
