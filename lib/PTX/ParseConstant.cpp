//===- ParseConstant.cpp - Constant expressions -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constant expressions with the operators and precedences of C. Integers are
// .s64 or .u64: the result of an operator is .u64 when an operand is, except
// that comparisons and logical operators give .s64 and shifts take the type of
// their left operand.
//
//===----------------------------------------------------------------------===//

#include "ParserImpl.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/bit.h"

#include <optional>

using namespace llvm;

namespace heddle::ptx {

double Constant::toDouble() const {
  switch (K) {
  case Kind::Int:
    return Unsigned ? double(Bits) : double(int64_t(Bits));
  case Kind::Single:
    return bit_cast<float>(uint32_t(Bits));
  case Kind::Double:
    return bit_cast<double>(Bits);
  }
  return 0;
}

/// Precedence of a binary operator, 0 for other tokens.
static unsigned getPrecedence(TokenKind Op) {
  switch (Op) {
  case TokenKind::Star:
  case TokenKind::Slash:
  case TokenKind::Percent:
    return 10;
  case TokenKind::Plus:
  case TokenKind::Minus:
    return 9;
  case TokenKind::ShiftLeft:
  case TokenKind::ShiftRight:
    return 8;
  case TokenKind::Less:
  case TokenKind::Greater:
  case TokenKind::LessEqual:
  case TokenKind::GreaterEqual:
    return 7;
  case TokenKind::EqualEqual:
  case TokenKind::NotEqual:
    return 6;
  case TokenKind::Ampersand:
    return 5;
  case TokenKind::Caret:
    return 4;
  case TokenKind::Bar:
    return 3;
  case TokenKind::AndAnd:
    return 2;
  case TokenKind::OrOr:
    return 1;
  default:
    return 0;
  }
}

bool Parser::parseConstant(Constant &C) {
  ConstantDepth = 0;
  return parseConditional(C);
}

bool Parser::parseConditional(Constant &C) {
  if (++ConstantDepth > Options.MaxDepth)
    return fail("constant expression is nested too deeply");
  scope_exit Leave([&] { --ConstantDepth; });
  if (!parseBinary(C, 1))
    return false;
  if (!Tok.is('?'))
    return true;
  if (!C.isInt())
    return failAt(C.Range, "the condition must be an integer");
  advance();
  Constant Then, Else;
  if (!parseConditional(Then) || !expect(':', "in a conditional expression") ||
      !parseConditional(Else))
    return false;
  C = C.Bits ? Then : Else;
  return true;
}

bool Parser::parseBinary(Constant &C, unsigned MinPrecedence) {
  if (!parseUnary(C))
    return false;
  while (true) {
    TokenKind Op = Tok.Kind;
    unsigned Precedence = getPrecedence(Op);
    if (Precedence < MinPrecedence || Precedence == 0)
      return true;
    SourceRange Where = Tok.getRange();
    advance();
    Constant Right;
    if (!parseBinary(Right, Precedence + 1) ||
        !applyBinary(Op, Where, C, Right))
      return false;
  }
}

bool Parser::parseUnary(Constant &C) {
  if (++ConstantDepth > Options.MaxDepth)
    return fail("constant expression is nested too deeply");
  scope_exit Leave([&] { --ConstantDepth; });
  if (Tok.is('-') || Tok.is('+') || Tok.is('!') || Tok.is('~')) {
    char Op = char(Tok.Kind);
    SourceRange Where = Tok.getRange();
    advance();
    return parseUnary(C) && applyUnary(Op, Where, C);
  }
  return parsePrimary(C);
}

/// `.5`, which looks like a part of a mnemonic to the lexer.
bool Parser::parseFraction(uint64_t &Bits) const {
  StringRef Digits = getText().drop_front();
  if (Digits.find_first_not_of("0123456789") != StringRef::npos)
    return false;
  APFloat F(APFloat::IEEEdouble());
  auto Status = F.convertFromString(("0" + getText()).str(),
                                    APFloat::rmNearestTiesToEven);
  if (!Status) {
    consumeError(Status.takeError());
    return false;
  }
  Bits = F.bitcastToAPInt().getZExtValue();
  return true;
}

bool Parser::parsePrimary(Constant &C) {
  C = Constant();
  C.Range = Tok.getRange();
  if (Tok.is(TokenKind::Integer)) {
    C.Bits = Tok.Value;
    C.Unsigned = Tok.Unsigned;
  } else if (Tok.is(TokenKind::Single) || Tok.is(TokenKind::Double)) {
    C.K = Tok.is(TokenKind::Single) ? Constant::Kind::Single
                                    : Constant::Kind::Double;
    C.Bits = Tok.Value;
  } else if (Tok.is(TokenKind::Dotted) && parseFraction(C.Bits)) {
    C.K = Constant::Kind::Double;
  } else if (Tok.is(TokenKind::Word) && getText() == "WARP_SZ") {
    C.Bits = 32;
  } else if (Tok.is('(')) {
    advance();
    if (isDotted(".s64") || isDotted(".u64")) {
      bool ToUnsigned = isDotted(".u64");
      advance();
      if (!expect(')', "after the type of a cast") || !parseUnary(C))
        return false;
      if (!C.isInt())
        return failAt(C.Range, "only an integer can be cast");
      C.Unsigned = ToUnsigned;
      return true;
    }
    return parseConditional(C) && expect(')', "in a constant expression");
  } else {
    return expected("a constant");
  }
  advance();
  return true;
}

bool Parser::applyUnary(char Op, SourceRange Where, Constant &C) {
  C.Range = Where;
  if (!C.isInt()) {
    if (Op != '-' && Op != '+')
      return failAt(Where, "'" + Twine(Op) + "' needs an integer");
    if (Op == '-')
      C.Bits ^= C.K == Constant::Kind::Single ? 1ull << 31 : 1ull << 63;
    return true;
  }
  switch (Op) {
  case '-':
    C.Bits = -C.Bits;
    break;
  case '~':
    C.Bits = ~C.Bits;
    break;
  case '!':
    C.Bits = C.Bits == 0;
    C.Unsigned = false;
    break;
  default: // '+'
    break;
  }
  return true;
}

bool Parser::applyBinary(TokenKind Op, SourceRange Where, Constant &L,
                         const Constant &R) {
  if (L.isInt() && R.isInt())
    return applyIntBinary(Op, Where, L, R);
  double A = L.toDouble(), B = R.toDouble(), Result;
  switch (Op) {
  case TokenKind::Plus:
    Result = A + B;
    break;
  case TokenKind::Minus:
    Result = A - B;
    break;
  case TokenKind::Star:
    Result = A * B;
    break;
  case TokenKind::Slash:
    Result = A / B;
    break;
  default:
    return failAt(Where, "this operator needs integers");
  }
  L.K = Constant::Kind::Double;
  L.Bits = bit_cast<uint64_t>(Result);
  return true;
}

/// A comparison, or a connection of truth values; nothing for other operators.
static std::optional<bool> holds(TokenKind Op, bool Unsigned, uint64_t A,
                                 uint64_t B) {
  auto Less = [&](uint64_t X, uint64_t Y) {
    return Unsigned ? X < Y : int64_t(X) < int64_t(Y);
  };
  switch (Op) {
  case TokenKind::Less:
    return Less(A, B);
  case TokenKind::Greater:
    return Less(B, A);
  case TokenKind::LessEqual:
    return !Less(B, A);
  case TokenKind::GreaterEqual:
    return !Less(A, B);
  case TokenKind::EqualEqual:
    return A == B;
  case TokenKind::NotEqual:
    return A != B;
  case TokenKind::AndAnd:
    return A && B;
  case TokenKind::OrOr:
    return A || B;
  default:
    return std::nullopt;
  }
}

/// The quotient or the remainder; B is not zero.
static uint64_t divide(bool IsDiv, bool Unsigned, uint64_t A, uint64_t B) {
  if (Unsigned)
    return IsDiv ? A / B : A % B;
  if (int64_t(B) == -1) // Also where the quotient would overflow.
    return IsDiv ? -A : 0;
  return IsDiv ? int64_t(A) / int64_t(B) : int64_t(A) % int64_t(B);
}

bool Parser::applyIntBinary(TokenKind Op, SourceRange Where, Constant &L,
                            const Constant &R) {
  uint64_t A = L.Bits, B = R.Bits;
  bool Unsigned = L.Unsigned || R.Unsigned;
  if (std::optional<bool> Holds = holds(Op, Unsigned, A, B)) {
    L.Bits = *Holds;
    L.Unsigned = false;
    return true;
  }
  switch (Op) {
  case TokenKind::Star:
    L.Bits = A * B;
    break;
  case TokenKind::Slash:
  case TokenKind::Percent:
    if (B == 0)
      return failAt(Where, "division by zero");
    L.Bits = divide(Op == TokenKind::Slash, Unsigned, A, B);
    break;
  case TokenKind::Plus:
    L.Bits = A + B;
    break;
  case TokenKind::Minus:
    L.Bits = A - B;
    break;
  case TokenKind::ShiftLeft:
    L.Bits = B < 64 ? A << B : 0;
    return true;
  case TokenKind::ShiftRight:
    if (L.Unsigned)
      L.Bits = B < 64 ? A >> B : 0;
    else
      L.Bits = int64_t(A) >> std::min<uint64_t>(B, 63);
    return true;
  case TokenKind::Ampersand:
    L.Bits = A & B;
    break;
  case TokenKind::Caret:
    L.Bits = A ^ B;
    break;
  case TokenKind::Bar:
    L.Bits = A | B;
    break;
  default:
    return failAt(Where, "unknown operator");
  }
  L.Unsigned = Unsigned;
  return true;
}

bool Parser::parseIntConstant(int64_t &Value, const Twine &What) {
  Constant C;
  if (!parseConstant(C))
    return false;
  if (!C.isInt())
    return failAt(C.Range, What + " must be an integer");
  Value = int64_t(C.Bits);
  return true;
}

} // namespace heddle::ptx
