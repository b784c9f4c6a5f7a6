//===- ConstantTest.cpp - Tests of constant expressions ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Values of constant expressions, seen through the initializers of variables.
//
//===----------------------------------------------------------------------===//

#include "ParseTest.h"

using namespace heddle::ptx;

namespace {

uint64_t evaluate(const std::string &Expression,
                  const std::string &Type = ".u64") {
  Parsed P(Header.str() + ".global " + Type + " x = " + Expression + ";\n");
  EXPECT_TRUE(P.M) << P.messages();
  return P.M ? P.M->Globals[0]->Init[0].Value : 0;
}

void expectError(const std::string &Expression, const std::string &Message) {
  Parsed P(Header.str() + ".global .u64 x = " + Expression + ";\n");
  ASSERT_FALSE(P.M) << Expression;
  EXPECT_EQ(P.Diags.getDiagnostics()[0].Message, Message);
}

} // namespace

TEST(PTXConstant, Precedence) {
  EXPECT_EQ(evaluate("1 + 2 * 3"), 7u);
  EXPECT_EQ(evaluate("(1 + 2) * 3"), 9u);
  EXPECT_EQ(evaluate("1 << 4 | 3 & 2 ^ 8"), 26u);
  EXPECT_EQ(evaluate("10 - 4 - 3"), 3u);
  EXPECT_EQ(evaluate("1 < 2 ? 5 : 6"), 5u);
  EXPECT_EQ(evaluate("0 ? 1 : 0 ? 2 : 3"), 3u);
  EXPECT_EQ(evaluate("1 || 0 && 0"), 1u);
  EXPECT_EQ(evaluate("7 % 4"), 3u);
}

TEST(PTXConstant, Signedness) {
  EXPECT_EQ(evaluate("-8 / 3"), uint64_t(-2));
  EXPECT_EQ(evaluate("-8 >> 1"), uint64_t(-4));
  EXPECT_EQ(evaluate("(.u64)-8 >> 1"), uint64_t(-8) >> 1);
  EXPECT_EQ(evaluate("-1 < 0"), 1u);
  EXPECT_EQ(evaluate("-1 < 0U"), 0u);
  EXPECT_EQ(evaluate("0x8000000000000000 / -1"), 0u);
  EXPECT_EQ(evaluate("(.s64)0x8000000000000000 / -1"), 0x8000000000000000u);
  EXPECT_EQ(evaluate("(.s64)0x8000000000000000 % -1"), 0u);
}

TEST(PTXConstant, Unary) {
  EXPECT_EQ(evaluate("~0"), UINT64_MAX);
  EXPECT_EQ(evaluate("!5"), 0u);
  EXPECT_EQ(evaluate("- -3"), 3u);
  EXPECT_EQ(evaluate("WARP_SZ * 2"), 64u);
}

TEST(PTXConstant, LargeShifts) {
  EXPECT_EQ(evaluate("1 << 64"), 0u);
  EXPECT_EQ(evaluate("-1 >> 100"), UINT64_MAX);
  EXPECT_EQ(evaluate("1U >> 64"), 0u);
}

TEST(PTXConstant, ConversionToElements) {
  EXPECT_EQ(evaluate("-1", ".u8"), 0xFFu);
  EXPECT_EQ(evaluate("0x1FFFF", ".b16"), 0xFFFFu);
  EXPECT_EQ(evaluate("1.5", ".f32"), 0x3FC00000u);
  EXPECT_EQ(evaluate(".5", ".f32"), 0x3F000000u);
  EXPECT_EQ(evaluate("-0f3F800000", ".f32"), 0xBF800000u);
  EXPECT_EQ(evaluate("0f3F800000", ".f64"), 0x3FF0000000000000u);
  EXPECT_EQ(evaluate("1.5 * 2.0", ".f64"), 0x4008000000000000u);
  EXPECT_EQ(evaluate("0f3F800000", ".b32"), 0x3F800000u);
}

TEST(PTXConstant, Errors) {
  expectError("1 / 0", "division by zero");
  expectError("1 % (2 - 2)", "division by zero");
  expectError("1.5", "an element of type '.u64' needs an integer constant");
  expectError("~1.5", "'~' needs an integer");
  expectError("1 +", "expected a constant before ';'");
  std::string Deep(5000, '(');
  expectError(Deep, "constant expression is nested too deeply");
  std::string Chain;
  for (int I = 0; I != 5000; ++I)
    Chain += "1 ? 1 : ";
  expectError(Chain + "1", "constant expression is nested too deeply");
}
