//===- LexerTest.cpp - Tests of the PTX lexer -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Every form of token, and the malformed ones.
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"
#include "gtest/gtest.h"

using namespace heddle::ptx;
using llvm::StringRef;

namespace {

struct Lexed {
  explicit Lexed(StringRef Text) {
    Diags.setBuffer(llvm::MemoryBufferRef(Text, "t.ptx"));
    Lexer L(Text, Diags);
    for (Token T = L.lex(); !T.is(TokenKind::Eof); T = L.lex()) {
      Tokens.push_back(T);
      Texts.push_back(L.getText(T).str());
    }
  }
  DiagnosticEngine Diags;
  std::vector<Token> Tokens;
  std::vector<std::string> Texts;
};

void expectInteger(StringRef Text, uint64_t Value, bool Unsigned = false) {
  Lexed L(Text);
  ASSERT_EQ(L.Tokens.size(), 1u) << Text.str();
  EXPECT_TRUE(L.Tokens[0].is(TokenKind::Integer)) << Text.str();
  EXPECT_EQ(L.Tokens[0].Value, Value) << Text.str();
  EXPECT_EQ(L.Tokens[0].Unsigned, Unsigned) << Text.str();
}

void expectReal(StringRef Text, TokenKind Kind, uint64_t Bits) {
  Lexed L(Text);
  ASSERT_EQ(L.Tokens.size(), 1u) << Text.str();
  EXPECT_TRUE(L.Tokens[0].is(Kind)) << Text.str();
  EXPECT_EQ(L.Tokens[0].Value, Bits) << Text.str();
}

void expectError(StringRef Text, StringRef Message) {
  Lexed L(Text);
  ASSERT_EQ(L.Diags.getDiagnostics().size(), 1u) << Text.str();
  EXPECT_EQ(L.Diags.getDiagnostics()[0].Message, Message) << Text.str();
}

} // namespace

TEST(PTXLexer, Integers) {
  expectInteger("0", 0);
  expectInteger("42", 42);
  expectInteger("42U", 42, true);
  expectInteger("0x1fU", 31, true);
  expectInteger("0XFF", 255);
  expectInteger("017", 15);
  expectInteger("0b101", 5);
  expectInteger("0B11U", 3, true);
  expectInteger("9223372036854775807", INT64_MAX);
  expectInteger("9223372036854775808", uint64_t(INT64_MAX) + 1, true);
  expectInteger("0xFFFFFFFFFFFFFFFF", UINT64_MAX, true);
}

TEST(PTXLexer, Reals) {
  expectReal("0f3F800000", TokenKind::Single, 0x3F800000);
  expectReal("0F7fc00001", TokenKind::Single, 0x7FC00001);
  expectReal("0d3FF0000000000000", TokenKind::Double, 0x3FF0000000000000);
  expectReal("0DBFE0000000000000", TokenKind::Double, 0xBFE0000000000000);
  expectReal("1.5", TokenKind::Double, 0x3FF8000000000000);
  expectReal("2.", TokenKind::Double, 0x4000000000000000);
  expectReal("1e3", TokenKind::Double, 0x408F400000000000);
  expectReal("1.25e-1", TokenKind::Double, 0x3FC0000000000000);
}

TEST(PTXLexer, MalformedNumbers) {
  expectError("0x", "malformed number");
  expectError("0xFG", "malformed number");
  expectError("089", "malformed number");
  expectError("0b12", "malformed number");
  expectError("12u", "malformed number");
  expectError("1.5x", "malformed number");
  expectError("18446744073709551616", "integer does not fit in 64 bits");
  expectError("0f3F8", "'0f' takes exactly 8 hexadecimal digits");
  expectError("0d3FF", "'0d' takes exactly 16 hexadecimal digits");
}

TEST(PTXLexer, Words) {
  Lexed L("%r1 %0 $L__BB0_1 _ _Z1f abc$1 %tid.x .shared::cta .b32 @!%p");
  std::vector<std::string> Expected = {
      "%r1", "%0",           "$L__BB0_1", "_", "_Z1f", "abc$1", "%tid",
      ".x",  ".shared::cta", ".b32",      "@", "!",    "%p"};
  EXPECT_EQ(L.Texts, Expected);
  EXPECT_FALSE(L.Diags.hasErrors());
}

TEST(PTXLexer, PercentIsAlsoAnOperator) {
  Lexed L("7 % 4 %r");
  ASSERT_EQ(L.Tokens.size(), 4u);
  EXPECT_TRUE(L.Tokens[1].is('%'));
  EXPECT_TRUE(L.Tokens[3].is(TokenKind::Word));
}

TEST(PTXLexer, Operators) {
  Lexed L("<<>><=>===!=&&||<>@@|");
  std::vector<std::string> Expected = {
      "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "<", ">", "@@", "|"};
  EXPECT_EQ(L.Texts, Expected);
}

TEST(PTXLexer, BlanksAndComments) {
  Lexed L("a // b ; c\n\t/* d\n e */ f\r\n# 1 \"x.c\"\ng");
  std::vector<std::string> Expected = {"a", "f", "g"};
  EXPECT_EQ(L.Texts, Expected);
  EXPECT_EQ(L.Diags.getLineColumn(L.Tokens[1].getLoc()).Line, 3u);
  expectError("a /* b", "comment is not closed");
}

TEST(PTXLexer, Strings) {
  Lexed L("\"a b\" \"c\\\"d\"");
  ASSERT_EQ(L.Tokens.size(), 2u);
  EXPECT_TRUE(L.Tokens[0].is(TokenKind::String));
  EXPECT_EQ(L.Texts[1], "\"c\\\"d\"");
  expectError("\"abc\nx", "string is not closed on its line");
}

TEST(PTXLexer, StrangeBytes) {
  expectError("`", "unexpected character '`'");
  expectError(StringRef("\x01", 1), "unexpected byte 0x1");
  expectError(StringRef("\xFF", 1), "unexpected byte 0xFF");
}
