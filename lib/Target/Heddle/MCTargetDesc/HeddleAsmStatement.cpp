//===- HeddleAsmStatement.cpp - Statements of assembly ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the operands of an instruction from the assembler's tokens.
//
//===----------------------------------------------------------------------===//

#include "HeddleAsmStatement.h"

#include "HeddleAsmTemplate.h"
#include "heddle/Support/Check.h"
#include "llvm/MC/MCExpr.h"
#include "llvm/MC/MCParser/AsmLexer.h"
#include "llvm/MC/MCParser/MCAsmParser.h"

using namespace llvm;
using namespace llvm::Heddle;
namespace isa = heddle::isa;

std::optional<RegisterName> Heddle::parseRegisterName(StringRef Name) {
  struct File {
    StringLiteral Prefix, Constant;
    RegisterFile Name;
    unsigned ConstantNumber;
  };
  static constexpr File Files[] = {{"UR", "URZ", RegisterFile::UR, 63},
                                   {"UP", "UPT", RegisterFile::UP, 7},
                                   {"R", "RZ", RegisterFile::R, 255},
                                   {"P", "PT", RegisterFile::P, 7},
                                   {"B", "", RegisterFile::B, 16}};
  for (const File &F : Files) {
    if (!Name.empty() && Name == F.Constant)
      return RegisterName{F.Name, F.ConstantNumber};
    StringRef Digits = Name;
    unsigned Number;
    if (Digits.consume_front(F.Prefix) && !Digits.empty() &&
        (Digits.size() == 1 || Digits[0] != '0') &&
        !Digits.getAsInteger(10, Number) && Number < F.ConstantNumber)
      return RegisterName{F.Name, Number};
  }
  return std::nullopt;
}

RegisterFile Heddle::getRegisterFile(isa::OperandKind Kind) {
  switch (Kind) {
  case isa::OperandKind::GPR32:
  case isa::OperandKind::GPR64:
  case isa::OperandKind::GPR128:
    return RegisterFile::R;
  case isa::OperandKind::UGPR32:
  case isa::OperandKind::UGPR64:
  case isa::OperandKind::UGPR128:
    return RegisterFile::UR;
  case isa::OperandKind::PR:
    return RegisterFile::P;
  case isa::OperandKind::UPR:
    return RegisterFile::UP;
  case isa::OperandKind::BR:
    return RegisterFile::B;
  default:
    HEDDLE_UNREACHABLE("no register");
  }
}

void AsmStatementReader::addModifiers(StringRef Names) {
  while (!Names.empty()) {
    StringRef Text;
    std::tie(Text, Names) = Names.split('.');
    AsmElement E;
    E.Kind = AsmElement::Modifier;
    E.Loc = SMLoc::getFromPointer(Text.begin());
    E.Text = Text;
    add(E);
  }
}

std::optional<SmallVector<AsmElement, 16>>
AsmStatementReader::read(StringRef Name) {
  addModifiers(Name.split('.').second);
  while (Parser.getTok().isNot(AsmToken::EndOfStatement) &&
         Parser.getTok().isNot(AsmToken::Eof) &&
         Parser.getTok().isNot(AsmToken::LCurly))
    if (!readElement())
      return std::nullopt;
  AsmElement End;
  End.Loc = Parser.getTok().getLoc();
  add(End);
  return std::move(Elements);
}

/// Whether a minus stands between a base and an offset, not before a value.
bool AsmStatementReader::isOffsetSign() const {
  return Brackets > 0 && !Elements.back().isMark('[') &&
         !Elements.back().isMark('+') && !Elements.back().isMark(',');
}

bool AsmStatementReader::readElement() {
  AsmElement E;
  E.Loc = Parser.getTok().getLoc();
  switch (Parser.getTok().getKind()) {
  case AsmToken::Comma:
    return readMark(',');
  case AsmToken::LBrac:
    ++Brackets;
    return readMark('[');
  case AsmToken::RBrac:
    Brackets -= Brackets > 0;
    return readMark(']');
  case AsmToken::Plus:
    return readMark('+');
  case AsmToken::Minus:
    return isOffsetSign() ? readMark('-') : readSigned(E);
  case AsmToken::Pipe:
    return readAbsolute(E);
  case AsmToken::Exclaim:
    Parser.Lex();
    E.Inverted = true;
    return readRegister(E);
  case AsmToken::Identifier:
    return readIdentifier(E);
  default:
    return readValue(E);
  }
}

bool AsmStatementReader::readMark(char Mark) {
  AsmElement E;
  E.Kind = AsmElement::Punctuation;
  E.Loc = Parser.getTok().getLoc();
  E.Mark = Mark;
  Parser.Lex();
  return add(E);
}

/// A register with the modifiers of its own: `R5.UX.X4`.
bool AsmStatementReader::readRegister(AsmElement E) {
  auto [Name, Modifiers] = Parser.getTok().getString().split('.');
  std::optional<RegisterName> Reg;
  if (Parser.getTok().is(AsmToken::Identifier))
    Reg = parseRegisterName(Name);
  if (!Reg)
    return !Parser.Error(Parser.getTok().getLoc(), "expected a register");
  E.Kind = AsmElement::Register;
  E.Reg = *Reg;
  E.Text = Name;
  Parser.Lex();
  add(E);
  addModifiers(Modifiers);
  return true;
}

/// An operand that starts with a minus: a negated register or value, or a
/// negative value.
bool AsmStatementReader::readSigned(AsmElement E) {
  const AsmToken Next = Parser.getLexer().peekTok();
  bool IsRegister = Next.is(AsmToken::Identifier) &&
                    parseRegisterName(Next.getString().split('.').first);
  if (!IsRegister && Next.isNot(AsmToken::Pipe) && Next.isNot(AsmToken::LParen))
    return readValue(E);
  Parser.Lex();
  E.Negated = true;
  if (IsRegister)
    return readRegister(E);
  return Next.is(AsmToken::Pipe) ? readAbsolute(E) : readParentheses(E);
}

bool AsmStatementReader::readAbsolute(AsmElement E) {
  Parser.Lex();
  E.Absolute = true;
  const AsmToken &Tok = Parser.getTok();
  if (Tok.is(AsmToken::Identifier) && parseRegisterName(Tok.getString()))
    readRegister(E);
  else if (readReal(E) || takeExpression(E, /*PrimaryOnly=*/true))
    add(E);
  else
    return false;
  return !Parser.parseToken(AsmToken::Pipe, "expected '|'");
}

bool AsmStatementReader::readParentheses(AsmElement E) {
  Parser.Lex();
  if (!readReal(E) && !takeExpression(E, /*PrimaryOnly=*/false))
    return false;
  add(E);
  return !Parser.parseToken(AsmToken::RParen, "expected ')'");
}

bool AsmStatementReader::readIdentifier(AsmElement E) {
  StringRef Name = Parser.getTok().getString();
  if (parseRegisterName(Name.split('.').first))
    return readRegister(E);
  if (Name == "c" && Parser.getLexer().peekTok().is(AsmToken::LBrac))
    return readMark('c');
  if (std::optional<unsigned> Number = findSpecialRegister(Name)) {
    E.Kind = AsmElement::Special;
    E.Value = *Number;
    E.Text = Name;
    Parser.Lex();
    return add(E);
  }
  return readValue(E);
}

bool AsmStatementReader::readValue(AsmElement E) {
  return (readReal(E) || takeExpression(E, /*PrimaryOnly=*/false)) && add(E);
}

/// A decimal fraction with or without a sign, if one comes next.
bool AsmStatementReader::readReal(AsmElement &E) {
  bool IsNegative = Parser.getTok().is(AsmToken::Minus);
  if (IsNegative ? Parser.getLexer().peekTok().isNot(AsmToken::Real)
                 : Parser.getTok().isNot(AsmToken::Real))
    return false;
  if (IsNegative)
    Parser.Lex();
  E.Kind = AsmElement::Real;
  E.IsNegative = IsNegative;
  E.Text = Parser.getTok().getString();
  Parser.Lex();
  return true;
}

bool AsmStatementReader::takeExpression(AsmElement &E, bool PrimaryOnly) {
  SMLoc EndLoc;
  E.Loc = Parser.getTok().getLoc();
  if (PrimaryOnly ? Parser.parsePrimaryExpr(E.Expr, EndLoc, nullptr)
                  : Parser.parseExpression(E.Expr, EndLoc))
    return false;
  E.Kind = E.Expr->evaluateAsAbsolute(E.Value) ? AsmElement::Number
                                               : AsmElement::Symbolic;
  return true;
}
