//===- RecoveryTest.cpp - The parser gets over bad input --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Malformed input of all kinds gives errors: no crash, no endless loop, and no
// deep recursion.
//
//===----------------------------------------------------------------------===//

#include "ParseTest.h"
#include "llvm/Support/MemoryBuffer.h"
#include <random>

using namespace heddle::ptx;

namespace {

void expectError(const std::string &Text) {
  Parsed P(Text);
  EXPECT_FALSE(P.M) << Text;
  EXPECT_TRUE(P.Diags.hasErrors()) << Text;
  EXPECT_FALSE(P.messages().empty());
}

std::string repeat(llvm::StringRef Text, unsigned Times) {
  std::string Out;
  for (unsigned I = 0; I != Times; ++I)
    Out += Text;
  return Out;
}

} // namespace

TEST(PTXRecovery, DeepNesting) {
  expectError(withBody(repeat("{", 100000)));
  expectError(withBody("mov.b32 %r1, " + repeat("(", 100000) + ";"));
  expectError(withBody("mov.b32 %r1, " + repeat("-", 100000) + "1;"));
  expectError(withBody("mov.b64 " + repeat("{", 100000) + ";"));
  expectError(Header.str() + ".global .u32 x" + repeat("[1]", 64) + " = " +
              repeat("{", 100000) + ";");
}

TEST(PTXRecovery, ManyDimensions) {
  expectError(Header.str() + ".global .u32 x" + repeat("[1]", 100000) + " = " +
              repeat("{", 100000) + ";");
}

TEST(PTXRecovery, NestingUpToTheLimit) {
  Parsed P(withBody(repeat("{", 200) + "ret;" + repeat("}", 200)));
  EXPECT_TRUE(P.M) << P.messages();
}

TEST(PTXRecovery, ManyParts) {
  expectError(withBody("add" + repeat(".rn", 1000) + ".f32 %f1, %f2, %f3;"));
  expectError(withBody("ld" + repeat(".global", 20) + ".u32 %r1, [%rd1];"));
}

TEST(PTXRecovery, HugeRegisterRanges) {
  expectError(withBody(".reg .b32 %x<4294967295>;"));
  expectError(withBody(repeat(".reg .b32 %x<100000000>; ", 3)));
}

TEST(PTXRecovery, HugeInitializers) {
  expectError(Header.str() + ".global .u8 x[2][1000000000] = {{1}, {2}};");
  expectError(Header.str() + ".global .u8 x[1099511627776] = {1, 2};");
  // Without an initializer it is only a size.
  Parsed P(Header.str() + ".global .u8 x[1099511627776];");
  EXPECT_TRUE(P.M) << P.messages();
}

TEST(PTXRecovery, ErrorsDoNotHideLaterOnes) {
  Parsed P(Header.str() + ".global .u32 x[2] = {1, 2, 3};\n" // Error 1.
                          ".func f() {\n.reg .b32 %r<4>;\n"
                          "ld.v2.u32 {%r1 %r2}, [x];\n" // Error 2.
                          "{ add.s32 %r1, %r2; }\n"     // Error 3.
                          "bra L;\n"                    // Error 4.
                          "}\n.func g() { foo; }\n");   // Error 5.
  EXPECT_EQ(P.Diags.getNumErrors(), 5u) << P.messages();
}

TEST(PTXRecovery, MissingBraceBeforeAFunction) {
  Parsed P(Header.str() + ".func f() {\nret;\n.func g() {\nret;\n}\n");
  EXPECT_FALSE(P.M);
  EXPECT_NE(P.messages().find("expected '}'"), std::string::npos)
      << P.messages();
}

// Every prefix of a file that has about everything in it.
TEST(PTXRecovery, Prefixes) {
  std::string Text =
      Header.str() +
      ".file 1 \"a\"\n.global .v2 .f32 v[2] = {{1.0, 2.0}, {-1.0}};\n"
      ".extern .func (.param .b32 r) g(.param .b32 a);\n"
      ".visible .entry k(.param .u64 .ptr .global p)\n.maxntid 1,2,3\n{\n"
      ".reg .pred %p<3>; .reg .b32 %r<3>; .reg .b64 %rd<3>;\n"
      ".param .b32 a, b;\n.loc 1 2 3\n"
      "@!%p1 bra L;\nld.param.u64 %rd1, [p];\n"
      "{ call (a), g, (b); }\nts: .branchtargets L, L;\n"
      "setp.lt.and.s32 %p1|%p2, %r1, (1 + 2) * 3, !%p1;\n"
      "mov.b64 %rd1, {%r1, %r2};\nL: ret;\n}\n"
      ".section .debug_str { .b8 1, 2 }\n";
  Parsed Whole(Text);
  EXPECT_TRUE(Whole.M) << Whole.messages();
  for (size_t I = 0; I != Text.size(); ++I) {
    Parsed P(Text.substr(0, I));
    EXPECT_TRUE(P.M || P.Diags.hasErrors()) << I;
  }
}

// Random changes of the same kind of text, from a fixed seed.
TEST(PTXRecovery, Mutations) {
  std::string Text = withBody(
      "add.s32 %r1, %r2, 3;\n@%p1 bra L; ld.global.v2.f32 {%f1, %f2}, "
      "[%rd1+4];\nL: setp.eq.s32 %p1|%p2, %r1, 0x10;\n{ .reg .b32 t; mov.b32 "
      "t, %tid.x; }\nbar.sync 0; ret;");
  const llvm::StringRef Pieces[] = {"{", "}", "(",  ")", "[",   "]",
                                    ";", ",", ".",  "@", "%r1", ".b32",
                                    "!", "|", "0x", "<", "\"",  "/*"};
  std::mt19937 Random(7);
  for (int Run = 0; Run != 3000; ++Run) {
    std::string Changed = Text;
    for (int I = Random() % 4; I >= 0; --I) {
      size_t Place = Random() % Changed.size();
      if (Random() % 2)
        Changed.erase(Place, 1 + Random() % 5);
      else
        Changed.insert(Place, Pieces[Random() % std::size(Pieces)].str());
    }
    Parsed P(Changed);
    EXPECT_TRUE(P.M || P.Diags.hasErrors()) << Changed;
  }
}
