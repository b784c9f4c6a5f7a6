//===- WarningsTest.cpp - Tests of the PTX warnings -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each warning has its place and a near miss that is silent; settings decide
// what becomes of it.
//
//===----------------------------------------------------------------------===//

#include "ParseTest.h"

using namespace heddle;
using namespace heddle::ptx;
using llvm::StringRef;

namespace {

/// The messages about a text under the settings that -W would make.
struct Judged {
  Judged(std::string Source, llvm::ArrayRef<StringRef> Settings)
      : Text(std::move(Source)) {
    WarningSettings S;
    for (StringRef W : Settings)
      EXPECT_EQ(S.apply(W), std::nullopt);
    Diags.setWarnings(S);
    M = parseModule(llvm::MemoryBufferRef(Text, "t.ptx"), Diags);
  }

  std::string first() const {
    auto All = Diags.getDiagnostics();
    if (All.empty())
      return "";
    LineColumn At = Diags.getLineColumn(All[0].Range.Loc);
    return std::to_string(At.Line) + ":" + std::to_string(At.Column) + ": " +
           All[0].Message;
  }

  std::string Text;
  DiagnosticEngine Diags;
  std::unique_ptr<Module> M;
};

/// The first message about a body, whose first line is line 8.
std::string inBody(StringRef Body, StringRef Setting) {
  return Judged(withBody(Body), {"no-all", Setting}).first();
}

} // namespace

TEST(PTXWarnings, ConstantRange) {
  auto Warn = [](StringRef Body) { return inBody(Body, "constant-range"); };
  EXPECT_EQ(Warn("mov.b16 %h1, 0x12345;"),
            "8:14: constant does not fit in type '.b16' and becomes 0x2345");
  EXPECT_EQ(Warn("add.s32 %r1, %r2, -2147483649;"),
            "8:19: constant does not fit in type '.s32' and becomes "
            "0x7FFFFFFF");
  EXPECT_EQ(Warn("mov.b16 %h1, 65535;"), "");
  EXPECT_EQ(Warn("mov.b16 %h1, -32768;"), "");
  EXPECT_EQ(Warn("add.u32 %r1, %r2, -2147483648;"), "");
  EXPECT_EQ(Warn("mov.b64 %rd1, -1;"), "");
  EXPECT_EQ(Warn("mov.pred %p1, 17;"), "");
  EXPECT_EQ(Judged(Header.str() + ".global .u8 x[2] = {255, 256};",
                   {"constant-range"})
                .first(),
            "4:26: constant does not fit in type '.u8' and becomes 0x0");
}

TEST(PTXWarnings, WhatOnlyPtxasTakes) {
  EXPECT_EQ(inBody("add.rank.u32 %r1, %r2, %r3;", "ignored-modifier"),
            "8:1: a modifier of 'add.rank.u32' belongs to other instructions "
            "and has no effect");
  EXPECT_EQ(inBody("add.u32 %r1, %r2, %r3;", "ignored-modifier"), "");
  // What an instruction has such a modifier for is checked.
  EXPECT_EQ(inBody("testp.rank.finite.f32 %p1, %f1;", "ignored-modifier"),
            "8:1: a modifier of 'testp.rank.finite.f32' belongs to other "
            "instructions and has no effect");
  EXPECT_EQ(inBody("testp.normal.finite.f32 %p1, %f1;", "ignored-modifier"),
            "8:14: '.finite' is not allowed on 'testp' here");
  EXPECT_EQ(inBody("ld.v8.u8 {%r1,%r1,%r1,%r1,%r1,%r1,%r1,%r1}, [%rd1];",
                   "undocumented"),
            "8:1: the manual does not have this form of 'ld.v8.u8'");
  EXPECT_EQ(inBody("ld.v4.u8 {%r1,%r1,%r1,%r1}, [%rd1];", "undocumented"), "");
  EXPECT_EQ(inBody("mov.v2.u32 {%r1, %r2}, 5;", "unchecked-operand"),
            "8:24: operand 'a' of 'mov.v2.u32' should be a vector of 2");
  EXPECT_EQ(inBody("mov.v2.u32 {%r1, %r2}, {5, 6};", "unchecked-operand"), "");
}

/// What has no meaning is kept apart, so that nothing compiles it.
TEST(PTXWarnings, Meaningless) {
  auto CountIn = [](StringRef Body) {
    Judged J(withBody(Body), {"no-all"});
    EXPECT_TRUE(J.M);
    return J.M ? J.M->Functions.back()->Meaningless.size() : 0;
  };
  EXPECT_EQ(CountIn("testp.f32 %p1, %f1; mov.v2.u32 {%r1, %r2}, 5;"), 2u);
  EXPECT_EQ(CountIn("mov.v2.u32 {%r1, %r2}, {5, 6}; add.rank.u32 %r1, %r2, 1;"),
            0u);
}

TEST(PTXWarnings, Deprecated) {
  auto Warn = [](StringRef Version, StringRef Target, StringRef Line) {
    return Judged((".version " + Version + "\n.target " + Target +
                   "\n.address_size 64\n.entry k() {\n"
                   ".reg .b32 %r<9>; .reg .pred %p<9>;\n" +
                   Line + "\nret;\n}\n")
                      .str(),
                  {"no-all", "deprecated"})
        .first();
  };
  EXPECT_EQ(Warn("6.0", "sm_60", "shfl.idx.b32 %r1, %r2, 0, 31;"),
            "6:1: 'shfl.idx.b32' is deprecated since .version 6.0; use "
            "'shfl.sync'");
  EXPECT_EQ(Warn("5.0", "sm_60", "shfl.idx.b32 %r1, %r2, 0, 31;"), "");
  EXPECT_EQ(Warn("6.0", "sm_60", "shfl.sync.idx.b32 %r1, %r2, 0, 31, -1;"), "");
  EXPECT_EQ(Warn("6.0", "sm_60", "vote.all.pred %p1, %p2;"),
            "6:1: 'vote.all.pred' is deprecated since .version 6.0; use "
            "'vote.sync'");
  auto Module = [](StringRef Version, StringRef Text) {
    return Judged((".version " + Version + "\n.target sm_20\n" + Text).str(),
                  {"no-all", "deprecated"})
        .first();
  };
  EXPECT_EQ(Module("2.0", ".entry k() .maxnctapersm 2 { ret; }"),
            "3:12: '.maxnctapersm' is deprecated since .version 2.0; use "
            "'.minnctapersm'");
  EXPECT_EQ(Module("2.0", "@@DWARF .byte 0\n"),
            "3:1: '@@DWARF' is deprecated since .version 2.0; use '.section'");
}

TEST(PTXWarnings, Accesses) {
  auto Warn = [](StringRef Body) {
    return Judged(withBody(Body, Header.str() + ".global .align 4 .b8 g[8];\n"),
                  {})
        .first();
  };
  EXPECT_EQ(Warn("ld.global.u32 %r1, [g+2];"),
            "9:20: offset 2 of 'g' is not a multiple of the 4 bytes accessed");
  EXPECT_EQ(Warn("st.global.u32 [g+8], %r1;"),
            "9:15: access to 4 bytes at offset 8 of 'g', which has 8");
  EXPECT_EQ(Warn("ld.global.v4.u32 {%r1,%r2,%r3,%r4}, [g];"),
            "9:37: access to 16 bytes at offset 0 of 'g', which has 8");
  EXPECT_EQ(Warn("ld.global.u8 %r1, [g+-1];"),
            "9:19: access to 1 bytes at offset -1 of 'g', which has 8");
  EXPECT_EQ(Warn("ld.global.u32 %r1, [g+4];"), "");
  // Nothing is known of the alignment that it has in fact.
  EXPECT_EQ(Warn("ld.global.u64 %rd1, [g];"), "");
}

TEST(PTXWarnings, Directives) {
  EXPECT_EQ(inBody(".pragma \"nounrol\";", "unknown-pragma"),
            "8:9: unknown pragma 'nounrol' has no effect; did you mean "
            "'nounroll'?");
  EXPECT_EQ(
      inBody(".pragma \"nounroll\", \"used_bytes_mask 1\";", "unknown-pragma"),
      "");
  EXPECT_EQ(inBody(".loc 3 1 1\n.loc 3 2 1", "unknown-file"),
            "8:1: file 3 has no .file directive; the line is lost");
  // .file may follow, and nvcc puts it at the end.
  EXPECT_EQ(
      Judged(withBody(".loc 3 1 1\nret;") + ".file 3 \"a.cu\"\n", {}).first(),
      "");
  EXPECT_EQ(
      Judged(Header.str() + ".entry k() .minnctapersm 2 { ret; }", {}).first(),
      "4:8: .minnctapersm has no effect without .maxntid or .reqntid");
  EXPECT_EQ(
      Judged(Header.str() + ".entry k() .minnctapersm 2 .maxntid 64 { ret; }",
             {})
          .first(),
      "");
}

TEST(PTXWarnings, Unused) {
  EXPECT_EQ(inBody("L: ret;", "unused-label"),
            "8:1: nothing jumps to label 'L'");
  EXPECT_EQ(inBody("bra L;\nL: ret;", "unused-label"), "");
  EXPECT_EQ(
      inBody("ts: .branchtargets L; brx.idx %r1, ts;\nL: ret;", "unused-label"),
      "");
  EXPECT_EQ(Judged(withBody("L: ret;") + ".section .debug_x { .b64 L, M-K }\n",
                   {"unused-label"})
                .first(),
            "");
  EXPECT_EQ(inBody(".reg .b32 x;\nret;", "unused-register"),
            "5:12: no register of '%p' is used");
  EXPECT_EQ(inBody(".local .b32 x;\nret;", "unused-variable"),
            "8:13: variable 'x' is not used");
  EXPECT_EQ(
      inBody(".local .b32 x;\nst.local.b32 [x], 1;\nret;", "unused-variable"),
      "");
  StringRef Function = ".func f() { ret; }\n";
  EXPECT_EQ(Judged((Header + Function).str(), {"unused-function"}).first(),
            "4:7: function 'f' is not used");
  for (StringRef User : {".global .u64 p = f;", ".entry k() { call f; ret; }"})
    EXPECT_EQ(
        Judged((Header + Function + User).str(), {"unused-function"}).first(),
        "");
  EXPECT_EQ(Judged((Header + ".visible " + Function).str(), {"unused-function"})
                .first(),
            "");
}

TEST(PTXWarnings, Flow) {
  EXPECT_EQ(inBody("add.s32 %r1, %r2, 1;", "uninitialized"),
            "8:14: '%r2' is read here and written nowhere");
  EXPECT_EQ(inBody("@%p1 bra L;\nL: ret;", "uninitialized"),
            "8:6: '%p1' is read here and written nowhere");
  EXPECT_EQ(inBody("mov.b64 {%r2, %r3}, %rd1; mov.b64 %rd1, 1;\n"
                   "add.s32 %r1, %r2, %r3;",
                   "uninitialized"),
            "");
  EXPECT_EQ(Judged(Header.str() + ".func (.reg .b32 %o) f(.reg .b32 %i)\n"
                                  "{ mov.b32 %o, %i; ret; }",
                   {"uninitialized"})
                .first(),
            "");
  EXPECT_EQ(inBody("ret;\nadd.s32 %r1, %r2, 1;\nret;", "unreachable"),
            "9:1: 'add.s32' is never reached");
  EXPECT_EQ(inBody("@%p1 ret;\nret;\nL: ret;", "unreachable"), "");
}

TEST(PTXWarnings, Shadow) {
  Judged J(withBody("{ .reg .f32 %r<4>; }"), {"shadow"});
  EXPECT_EQ(J.first(), "8:13: '%r' hides a name of an outer scope");
  EXPECT_EQ(J.Diags.getDiagnostics()[0].Notes.size(), 1u);
  EXPECT_EQ(inBody("{ .reg .b32 x; } { .reg .b32 x; }", "shadow"), "");
}

TEST(PTXWarnings, Settings) {
  std::string Text = withBody("mov.b16 %h1, 0x12345;\nL: ret;");
  Judged Default(Text, {});
  EXPECT_TRUE(Default.M);
  ASSERT_EQ(Default.Diags.getDiagnostics().size(), 1u);
  EXPECT_EQ(Default.Diags.getDiagnostics()[0].Level, Severity::Warning);

  EXPECT_EQ(Judged(Text, {"no-constant-range"}).first(), "");
  EXPECT_EQ(Judged(Text, {"no-all"}).first(), "");
  EXPECT_EQ(Judged(Text, {"all"}).Diags.getDiagnostics().size(),
            10u); // the constant, seven ranges of registers, L, and f
  Judged AsError(Text, {"error=constant-range"});
  EXPECT_FALSE(AsError.M);
  EXPECT_EQ(AsError.Diags.getNumErrors(), 1u);
  // It also gives the warning.
  EXPECT_FALSE(Judged(Text, {"no-constant-range", "error=constant-range"}).M);
  EXPECT_FALSE(Judged(Text, {"error"}).M);
  EXPECT_TRUE(Judged(Text, {"error", "no-error=constant-range"}).M);
  EXPECT_FALSE(Judged(Text, {"unused-label", "error=unused-label"}).M);

  WarningSettings S;
  EXPECT_EQ(S.apply("unused-lable"),
            "there is no warning 'unused-lable'; did you mean 'unused-label'?");
  S.apply("error=all");
  S.dropAll();
  EXPECT_FALSE(S.isEnabled(WarningId::Spills));
}

TEST(PTXWarnings, AreLimited) {
  std::string Body;
  for (int I = 0; I != 1000; ++I)
    Body += "mov.b16 %h1, 0x12345;\n";
  Judged J(withBody(Body), {});
  EXPECT_TRUE(J.M);
  EXPECT_EQ(J.Diags.getDiagnostics().size(), 100u);
  ASSERT_EQ(J.Diags.getSummaries().size(), 1u);
  EXPECT_EQ(J.Diags.getSummaries()[0].Message,
            "900 more warnings [-Wconstant-range] are not shown");
}
