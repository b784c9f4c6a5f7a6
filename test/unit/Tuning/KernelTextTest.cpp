//===- KernelTextTest.cpp - Tests of kernels' texts -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What changes the text of a kernel, and what does not.
//
//===----------------------------------------------------------------------===//

#include "heddle/Tuning/KernelText.h"
#include "gtest/gtest.h"

using namespace heddle::tuning;

/// The text of kernel k; empty if there is none.
static std::string textOfK(const std::string &PTX) {
  for (const KernelText &K : kernelTexts(PTX))
    if (K.Name == "k")
      return K.Text;
  return {};
}

static const std::string Head = ".version 8.0\n.target sm_80\n"
                                ".address_size 64\n";
static const std::string Helper =
    ".func (.param .b32 r) helper(.param .b32 a)\n{\n  ret;\n}\n";
static const std::string Table = ".const .align 4 .b32 table[2] = {1, 2};\n";
static const std::string Kernel = R"(
.visible .entry k(.param .u64 out)
{
  .reg .b32 %r<3>;
  .local .align 4 .b8 __local_depot0[16];
  mov.u64 %rd1, table;
$L__BB0_1:
  @%p1 bra $L__BB0_1;
  ld.shared::cta.u32 %r1, [x];
  st.global.v2.u32 [%rd1], {%r1, %r2};
  {
    .param .b32 arg;
    call (arg), helper, (arg);
  }
  ret;
}
)";
static const std::string Variables = ".shared .b32 x;\n.global .b32 y;\n";
static const std::string Whole = Head + Variables + Table + Helper + Kernel;

static std::string replaced(std::string Text, const std::string &From,
                            const std::string &To) {
  size_t At;
  EXPECT_NE(Text.find(From), Text.npos);
  for (size_t Next = 0; (At = Text.find(From, Next)) != Text.npos;
       Next = At + To.size())
    Text.replace(At, From.size(), To);
  return Text;
}

TEST(KernelText, KernelsHaveTheirNames) {
  std::vector<KernelText> Kernels =
      kernelTexts(Whole + ".entry other() { ret; }\n.entry proto();\n");
  ASSERT_EQ(Kernels.size(), 2u) << "a prototype is no kernel";
  EXPECT_EQ(Kernels[0].Name, "k");
  EXPECT_EQ(Kernels[1].Name, "other");
}

TEST(KernelText, WhatItReachesBelongsToIt) {
  std::string Text = textOfK(Whole);
  ASSERT_FALSE(Text.empty());
  for (const char *Part : {"helper", "table", ".shared .b32 x", "sm_80"})
    EXPECT_NE(Text.find(Part), Text.npos) << Part;
  EXPECT_NE(textOfK(replaced(Whole, "{1, 2}", "{1, 3}")), Text);
  EXPECT_NE(textOfK(replaced(Whole, ".const .align 4", ".const .align 8")),
            Text);
  EXPECT_NE(textOfK(replaced(Whole, "sm_80", "sm_90")), Text);
  EXPECT_NE(textOfK(replaced(Whole, "bra $L__BB0_1;", "ret;")), Text);
  EXPECT_NE(textOfK(replaced(Whole, "st.global.v2", "st.v2")), Text);
  // Through another function.
  std::string Deep =
      replaced(Whole, "{\n  ret;\n}\n", "{ ld.global.u32 %r, [y]; ret; }\n");
  EXPECT_NE(textOfK(replaced(Deep, ".global .b32 y", ".global .f32 y")),
            textOfK(Deep));
}

TEST(KernelText, TheRestLeavesNoTrace) {
  std::string Text = textOfK(Whole);
  EXPECT_EQ(textOfK(replaced(Whole, "\n", " // comment\n\n")), Text);
  EXPECT_EQ(textOfK(replaced(Whole, " ", " /* a\n{ */  ")), Text);
  EXPECT_EQ(textOfK(Whole + ".entry other() { ret; }"), Text);
  EXPECT_EQ(textOfK(replaced(Whole, Kernel,
                             ".func f() { ret; }\n.entry a() {\n"
                             "$L__BB0_1: bra $L__BB0_1; }" +
                                 Kernel)),
            Text);
  EXPECT_EQ(textOfK(replaced(Whole, ".global .b32 y", ".global .b64 z")), Text);
  EXPECT_EQ(textOfK(replaced(Whole, "BB0_", "BB7_")), Text) << "labels";
  EXPECT_EQ(textOfK(replaced(Whole, "depot0", "depot5")), Text);
  EXPECT_EQ(textOfK(Head + ".file 1 \"a.cu\", 12, 34\n" +
                    replaced(Whole.substr(Head.size()), "  ret;",
                             "  .loc 1 12 3, function_name $L__info0+8, "
                             "inlined_at 1 3 4\n  ret;") +
                    ".section .debug_str { $L__info0: .b8 1 }"),
            Text);
}

/// Two labels may not be taken for one.
TEST(KernelText, LocalNamesStayApart) {
  auto With = [](const std::string &Target) {
    return textOfK(Head +
                   ".entry k() {\na: add.u32 %r1, %r1, 1;\n"
                   "b: add.u32 %r1, %r1, 1; bra " +
                   Target + "; }");
  };
  EXPECT_NE(With("a"), With("b"));
}

TEST(KernelText, WhatIsNoModuleHasNoKernels) {
  for (const char *Text :
       {"", ".entry", ".entry k", ".entry k() {", "{{{", "/*", "\"", ".func (",
        ".loc 1 1 1,", ".target", ".version", "BC\xC0\xDE.entry", "/", ";;"})
    EXPECT_TRUE(kernelTexts(Text).empty()) << Text;
  EXPECT_TRUE(kernelTexts(std::string_view("\0.entry\0", 8)).empty());
}

TEST(KernelNames, AreThoseOfKernelsWithBodies) {
  KernelNames Names = kernelNames(
      Head + ".entry proto();\n// .entry comment() {}\n"
             ".visible .entry first(.param .u64 p) .maxntid 32 { { ret; } }\n"
             ".func (.reg .u32 %r) helper() { ret; }\n"
             ".global .u32 numbers[2] = {1, 2};\n"
             ".entry second() { call (%r1), helper, (); ret; }\n");
  EXPECT_EQ(Names.Names, (std::vector<std::string>{"first", "second"}));
  EXPECT_TRUE(Names.AreApart);
  EXPECT_TRUE(kernelNames("no PTX }").Names.empty());
  EXPECT_TRUE(kernelNames(".entry open() { ret;").Names.empty());
  EXPECT_TRUE(kernelNames("").Names.empty());
}

TEST(KernelNames, AreNotApartWherePointersLeadToFunctions) {
  auto AreApart = [](const std::string &Rest) {
    KernelNames Names = kernelNames(Head + Helper + Rest);
    EXPECT_EQ(Names.Names, std::vector<std::string>{"k"}) << Rest;
    return Names.AreApart;
  };
  EXPECT_TRUE(AreApart(".entry k() { call helper, (); ret; }"));
  EXPECT_FALSE(AreApart(".entry k() { p: .callprototype _ (); ret; }"));
  EXPECT_FALSE(AreApart(".entry k() { t: .calltargets helper; ret; }"));
  EXPECT_FALSE(
      AreApart(".global .u64 table[1] = {helper};\n.entry k() { ret; }"));
  EXPECT_FALSE(AreApart(".extern .func (.param .b32 r) cudaLaunchDeviceV2();\n"
                        ".entry k() { ret; }"));
}
