//===- PTXLexerFuzzer.cpp - Fuzzes the PTX lexer ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Cuts any text into tokens; they must follow each other, end, and stay within
// the text, and a token that is none must have been reported.
//
//===----------------------------------------------------------------------===//

#include "Lexer.h"
#include "heddle/Support/Check.h"

using namespace llvm;
using namespace heddle::ptx;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  StringRef Text(reinterpret_cast<const char *>(Data), Size);
  DiagnosticEngine Diags;
  Diags.setBuffer({Text, "fuzz.ptx"});
  Lexer Lex(Text, Diags);
  uint64_t End = 0;
  while (true) {
    Token T = Lex.lex();
    if (T.is(TokenKind::Word))
      Lex.extendMnemonic(T);
    HEDDLE_CHECK(T.Offset >= End, "tokens overlap");
    End = uint64_t(T.Offset) + T.Length;
    HEDDLE_CHECK(End <= Size, "a token leaves the text");
    HEDDLE_CHECK(!T.is(TokenKind::Error) || Diags.hasErrors(),
                 "no report of a malformed token");
    if (T.is(TokenKind::Eof))
      return 0;
    HEDDLE_CHECK(T.Length != 0, "an empty token");
  }
}
