//===- DiagnosticsTest.cpp - Tests of the rendering of errors ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a user sees, to the letter.
//
//===----------------------------------------------------------------------===//

#include "ParseTest.h"

using namespace heddle::ptx;
using llvm::StringRef;

TEST(PTXDiagnostics, LineAndCaret) {
  Parsed P(".version 8.0\n.target sm_90\n.address_size 64\n"
           ".func f() {\n\t.reg .b32 %r<4>;\n\tadd.s3\t%r1, %r2, %r3;\n}\n");
  EXPECT_EQ(P.messages(),
            "t.ptx:6:6: error: unknown modifier '.s3' on 'add'; did you mean "
            "'.s32'?\n"
            "\tadd.s3\t%r1, %r2, %r3;\n"
            "\t    ^~\n"
            "\t    s32\n"
            "t.ptx: note: the nearest form is "
            "add(.u16|.u32|.u64|.s16|.s32|.s64)\n");
}

TEST(PTXDiagnostics, NoteAtTheDeclaration) {
  Parsed P(".version 8.0\n.target sm_90\n.address_size 64\n"
           ".func f() {\n  .reg .f32 %f<4>;\n  add.s32 %f1, 1, 2;\n}\n");
  EXPECT_EQ(P.messages(),
            "t.ptx:6:11: error: '%f1' has type '.f32', but operand 'd' of "
            "'add.s32' needs a register for '.s32'\n"
            "  add.s32 %f1, 1, 2;\n"
            "          ^~~\n"
            "t.ptx:5:13: note: '%f' is declared here\n"
            "  .reg .f32 %f<4>;\n"
            "            ^~\n");
}

TEST(PTXDiagnostics, SeveralErrorsInTheOrderOfTheSource) {
  Parsed P(".version 8.0\n.target sm_90\n.address_size 64\n"
           ".func f() {\n.reg .b32 %r<4>;\n"
           "bra L;\n"
           "add.s32 %r1, %r2;\n"
           "mov.b32 %r1, %q;\n"
           "mov.b32 %r1, 1;\n}\n");
  auto All = P.Diags.getDiagnostics();
  ASSERT_EQ(All.size(), 3u) << P.messages();
  for (unsigned I : {0, 1, 2})
    EXPECT_EQ(P.Diags.getLineColumn(All[I].Range.Loc).Line, 6 + I);
}

TEST(PTXDiagnostics, MissingSemicolon) {
  Parsed P(".version 8.0\n.target sm_90\n.address_size 64\n"
           ".func f() {\n.reg .b32 %r<4>;\nmov.b32 %r1, 1\nad.s32 %r1, %r1, "
           "1;\n}\n");
  EXPECT_EQ(P.messages(),
            "t.ptx:6:15: error: expected ';' after 'mov.b32'\n"
            "mov.b32 %r1, 1\n"
            "              ^\n"
            "t.ptx:7:1: error: unknown instruction 'ad'; did you mean 'add'?\n"
            "ad.s32 %r1, %r1, 1;\n"
            "^~\n"
            "add\n");
}

TEST(PTXDiagnostics, Header) {
  auto First = [](StringRef Text) {
    Parsed P(Text.str());
    EXPECT_FALSE(P.M);
    return P.Diags.getDiagnostics()[0].Message;
  };
  EXPECT_EQ(First(""), "the file has no .version directive");
  EXPECT_EQ(First(".target sm_90\n"),
            "a PTX file must begin with a .version directive");
  EXPECT_EQ(First(".version 8.0\n"), "the file has no .target directive");
  EXPECT_EQ(First(".version 8.0\n.address_size 64\n"),
            "a .target directive must follow .version");
  EXPECT_EQ(First(".version 99.9\n.target sm_90\n"),
            "unknown PTX version; the newest is 9.4");
  EXPECT_EQ(First(".version 8\n.target sm_90\n"),
            "expected a version such as 8.0 before '8'");
  EXPECT_EQ(First(".version 8.0\n.target sm_95\n"), "unknown target 'sm_95'");
  EXPECT_EQ(First(".version 7.0\n.target sm_90\n"),
            "target 'sm_90' needs .version 7.8 or later");
  EXPECT_EQ(First(".version 8.0\n.target sm_90\n.address_size 48\n"),
            "expected 32 or 64 before '48'");
}

TEST(PTXDiagnostics, Declarations) {
  auto First = [](StringRef Text) {
    Parsed P((Header + Text).str());
    EXPECT_FALSE(P.M) << Text.str();
    return P.M ? "" : P.Diags.getDiagnostics()[0].Message;
  };
  EXPECT_EQ(First(".globl .u32 x;"), "expected a directive of the module "
                                     "before '.globl'; did you mean "
                                     "'.global'?");
  EXPECT_EQ(First(".global .u3 x;"),
            "unknown type '.u3'; did you mean '.u32'?");
  EXPECT_EQ(First(".global x;"), "expected a type such as .u32 before 'x'");
  EXPECT_EQ(First(".global .pred x;"), "only registers can have type '.pred'");
  EXPECT_EQ(First(".global .align 3 .u32 x;"),
            "an alignment must be a power of two");
  EXPECT_EQ(First(".global .u32 x[];"),
            "the size of 'x' is not known: only an .extern array may leave it "
            "out");
  EXPECT_EQ(First(".global .u32 x[0];"), "an extent must be greater than 0");
  EXPECT_EQ(First(".global .u32 x[1000000000000000];"),
            "the array is too large");
  EXPECT_EQ(First(".global .u32 x[2] = {1, 2, 3};"),
            "too many elements in the initializer of 'x'");
  EXPECT_EQ(First(".global .u32 x = y;"), "'y' is not declared");
  EXPECT_EQ(First(".global .u16 x; .global .u16 y = x;"),
            "an element of type '.u16' cannot hold an address");
  EXPECT_EQ(First(".global .u32 x; .global .u32 x;"),
            "'x' is declared already");
  EXPECT_EQ(First(".shared .u32 x = 1;"),
            "only .global and .const variables can have an initializer");
  EXPECT_EQ(First(".reg .u32 x;"),
            "registers can be declared only in functions");
  EXPECT_EQ(First(".func f(.param .u32 a); .func f(.param .u64 a) { ret; }"),
            "'f' differs from its declaration");
  EXPECT_EQ(First(".func f() { ret; } .func f() { ret; }"),
            "'f' is defined already");
  EXPECT_EQ(First(".global .f16 x = 1.5;"),
            "a variable of type '.f16' cannot have an initializer; use a .b "
            "type");
  EXPECT_EQ(First(".global .u32 x = {1};"), "expected a constant before '{'");
  EXPECT_EQ(First(".global .u32 x[2][2] = {1, 2, 3, 4};"),
            "expected '{' at the start of a row before '1'");
  EXPECT_EQ(First(".global .u32 x[2] = {1, };"),
            "expected an element before '}'");
  EXPECT_EQ(First(".shared .u32 x; .global .u64 y = x;"),
            "'x' has no address that is known here");
  EXPECT_EQ(First(".extern .global .u32 x; .global .u32 x = 1;"),
            "'x' is declared already as .extern");
  EXPECT_EQ(First(".local .u32 x;"),
            "variables of the module cannot be in this state space");
  EXPECT_EQ(First(".global .u32 .align 8 x;"),
            "'.align' must stand before the type");
  EXPECT_EQ(First(".func (.param .b32 a, .param .b32 b) f();"),
            "several return values must be .reg");
  EXPECT_EQ(First(".entry k() .maxntid 32 .reqntid 32 { ret; }"),
            ".maxntid and .reqntid exclude each other");
  EXPECT_EQ(First(".entry k() .noreturn { trap; }"),
            "'.noreturn' is not for kernels");
  EXPECT_EQ(First(".entry k(.param .b32 a[]) { ret; }"),
            "a parameter of a kernel cannot be an unsized array");
  EXPECT_EQ(First(".func f(.param .b32 a) { .reg .b32 a; ret; }"),
            "'a' is declared already in this scope");
  EXPECT_EQ(First(".func f(.param .b32 _);"), "'_' cannot be declared");
  EXPECT_EQ(First(".target sm_80"), "the .target directive may come only once");
  EXPECT_EQ(First(".func f() { ret;; }"),
            "expected an instruction, a label or a directive before ';'");
  EXPECT_EQ(First(".entry k(.reg .u32 a) { ret; }"),
            "expected .param before '.u32'");
}

TEST(PTXDiagnostics, Colour) {
  Parsed P(".version 8.0\n.target sm_95\n");
  std::string Out;
  llvm::raw_string_ostream OS(Out);
  P.Diags.print(OS, /*Color=*/true);
  EXPECT_TRUE(StringRef(Out).contains("\x1b[31merror: \x1b[0m"));
  EXPECT_FALSE(StringRef(P.messages()).contains("\x1b"));
}

TEST(PTXDiagnostics, LongLinesAreCut) {
  std::string Line = "mov.b32 %r1, 1; ";
  std::string Body;
  for (int I = 0; I != 100; ++I)
    Body += Line;
  Parsed P(withBody(Body + "ad.s32 %r1, 1, 2;" + Body));
  auto Lines = llvm::SmallVector<StringRef>();
  std::string Messages = P.messages();
  StringRef(Messages).split(Lines, '\n');
  EXPECT_EQ(Lines[1].size(), 160u);
  size_t Caret = Lines[2].find('^');
  EXPECT_EQ(Lines[1].substr(Caret, 6), "ad.s32");
}

TEST(PTXDiagnostics, ErrorsAreLimited) {
  std::string Body;
  for (int I = 0; I != 500; ++I)
    Body += "foo;\n";
  Parsed P(withBody(Body));
  EXPECT_EQ(P.Diags.getNumErrors(), 50u);
  EXPECT_TRUE(StringRef(P.messages())
                  .ends_with("t.ptx: error: stopped after 50 errors\n"));
}

TEST(PTXDiagnostics, NearestWord) {
  StringRef Words[] = {"alpha", "beta", "gamma"};
  EXPECT_EQ(findNearest("alpa", Words), "alpha");
  EXPECT_EQ(findNearest("btea", Words), "beta");
  EXPECT_EQ(findNearest("delta", Words), "beta");
  EXPECT_EQ(findNearest("ebta", {"eta", "beta"}), "eta");
  // Letters that changed places are one mistake.
  EXPECT_EQ(findNearest("s23", {"s64", "s32"}), "s32");
  EXPECT_EQ(findNearest("xyz", Words), "");
}

TEST(PTXDiagnostics, NotesAtTheHeader) {
  Parsed P(".version 7.0\n.target sm_80\n.address_size 64\n"
           ".func f() {\n.reg .b32 %r<4>;\n"
           "mov.u32 %r1, %clusterid.x;\n"
           "redux.sync.add.s32 %r1, %r2, 3;\n"
           "ldmatrix.sync.aligned.m8n16.x1.b8 {%r1}, [%r1];\n}\n");
  EXPECT_TRUE(StringRef(P.messages())
                  .contains("t.ptx:1:1: note: as '.version 7.0' says\n"
                            ".version 7.0\n"
                            "^~~~~~~~~~~~\n"))
      << P.messages();
  Parsed Q(".version 8.0\n.target sm_80\n.address_size 64\n"
           ".func f() {\n.reg .b32 %r<4>;\n"
           "mov.u32 %r1, %clusterid.x;\n}\n");
  EXPECT_TRUE(
      StringRef(Q.messages()).contains("t.ptx:2:9: note: as 'sm_80' says\n"))
      << Q.messages();
}

TEST(PTXDiagnostics, Suggestions) {
  auto First = [](StringRef Body) {
    Parsed P(withBody(Body));
    EXPECT_FALSE(P.M) << Body.str();
    return P.M ? Diagnostic() : P.Diags.getDiagnostics()[0];
  };
  auto Check = [&](StringRef Body, StringRef Replacement, StringRef Replaced) {
    Diagnostic D = First(Body);
    EXPECT_EQ(D.Replacement, Replacement) << D.Message;
    StringRef Text = Body.substr(
        D.Range.Loc.Offset - withBody("").find("\n\n}\n") - 1, D.Range.Length);
    EXPECT_EQ(Text, Replaced) << D.Message;
  };
  Check("addd.s32 %r1, %r2, 3;", "add", "addd");
  Check("add.s3 %r1, %r2, 3;", "s32", "s3");
  Check(".regg .b32 %x;", ".reg", ".regg");
  Check(".reg .b3 %x;", "b32", "b3");
  Check("bra LOOB;\nLOOP: ret;", "LOOP", "LOOB");
  // Labels are no operands, and the reverse.
  Check("mov.b32 %r1, LOOB;\nLOOP: ret;", "", "LOOB");
  Check("mov.b32 %r1, %tib.x;", "%tid", "%tib");
  Check(".reg .b32 %temp<4>;\nmov.b32 %tmp1, 1;", "%temp1", "%tmp1");
}

TEST(PTXDiagnostics, AddressSize) {
  Parsed P(".version 8.0\n.target sm_90\n.func f() {\n"
           ".reg .b64 %rd<2>; .reg .b32 %r<2>;\n"
           "ld.global.u32 %r1, [%rd1];\nld.global.u32 %r1, [%r1];\n}\n");
  EXPECT_EQ(StringRef(P.messages()).count("error:"), 1u) << P.messages();
  EXPECT_TRUE(StringRef(P.messages())
                  .contains("note: without an .address_size directive, "
                            "addresses have 64 bits"))
      << P.messages();
}

// Columns are of characters, the caret stands below the character, and control
// characters do not reach the terminal.
TEST(PTXDiagnostics, CharactersThatAreNoASCII) {
  Parsed P(withBody("/* \xC3\xA9\xC3\xA9 \x1b[2J */ ad.s32 %r1, 1, 2;"));
  EXPECT_TRUE(StringRef(P.messages())
                  .contains("t.ptx:8:15: error: unknown instruction 'ad'; did "
                            "you mean 'add'?\n"
                            "/* \xC3\xA9\xC3\xA9 ?[2J */ ad.s32 %r1, 1, 2;\n"
                            "              ^~\n"))
      << P.messages();
}

TEST(PTXDiagnostics, Rendering) {
  Parsed P(withBody("ad.s32 %r1, 1, 2;"));
  heddle::Diagnostic D = P.Diags.render(P.Diags.getDiagnostics()[0]);
  EXPECT_EQ(D.File, "t.ptx");
  EXPECT_EQ(D.Where.Line, 8u);
  EXPECT_EQ(D.Where.Column, 1u);
  EXPECT_EQ(D.Where.EndColumn, 3u);
  EXPECT_EQ(D.Replacement, "add");
  EXPECT_EQ(D.Rendered, P.messages());
}

TEST(PTXDiagnostics, NoLimit) {
  std::string Body, Text;
  for (int I = 0; I != 20000; ++I)
    Body += "foo;\n";
  Text = withBody(Body);
  DiagnosticEngine Diags;
  Diags.setMaxErrors(0);
  EXPECT_FALSE(parseModule(llvm::MemoryBufferRef(Text, "t.ptx"), Diags));
  EXPECT_EQ(Diags.getNumErrors(), 20000u);
  EXPECT_EQ(Diags.getLineColumn(Diags.getDiagnostics().back().Range.Loc).Line,
            20007u);
}
