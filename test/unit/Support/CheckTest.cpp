//===- CheckTest.cpp - Tests of HEDDLE_CHECK --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// HEDDLE_CHECK is on in every build and says where it failed.
//
//===----------------------------------------------------------------------===//

#include "heddle/Support/Check.h"
#include "gtest/gtest.h"

TEST(Check, TrueConditionIsSilentAndEvaluatedOnce) {
  int Evaluations = 0;
  HEDDLE_CHECK(++Evaluations == 1, "unused");
  EXPECT_EQ(Evaluations, 1);
}

TEST(CheckDeathTest, FailureNamesFileConditionAndMessage) {
  int Two = 2;
  EXPECT_DEATH(HEDDLE_CHECK(Two == 3, "arithmetic is broken"),
               "CheckTest.cpp:[0-9]+: internal error: arithmetic is broken "
               ".check 'Two == 3' failed.");
}

TEST(CheckDeathTest, UnreachableAborts) {
  EXPECT_DEATH(HEDDLE_UNREACHABLE("no such opcode"), "no such opcode");
}
