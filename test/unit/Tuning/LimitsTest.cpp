//===- LimitsTest.cpp - Limits on code --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What limits take, how they travel, and what is over them.
//
//===----------------------------------------------------------------------===//

#include "Limits.h"

#include "gtest/gtest.h"

using namespace heddle::tune;
using namespace llvm;

/// Sets a limit; the error's text, or nothing.
static std::string set(Limits &L, LimitKind Kind, StringRef Text) {
  return toString(L.set(Kind, Text));
}

TEST(LimitsTest, AreUnsetAtFirst) {
  Limits L;
  EXPECT_FALSE(L.any());
  EXPECT_EQ(L.str(), "");
  EXPECT_TRUE(L.excessOf({255, 1 << 20}).empty());
}

TEST(LimitsTest, WhatEqualsALimitKeepsIt) {
  Limits L;
  ASSERT_EQ(set(L, LimitKind::Registers, "32"), "");
  ASSERT_EQ(set(L, LimitKind::CodeBytes, "1000"), "");
  EXPECT_TRUE(L.excessOf({32, 1000}).empty());
  std::vector<Excess> Both = L.excessOf({33, 1001});
  ASSERT_EQ(Both.size(), 2u);
  EXPECT_EQ(Both[0].Kind, LimitKind::Registers);
  EXPECT_EQ(Both[0].Text, "over the limit on registers: 33 of 32");
  EXPECT_EQ(Both[1].Text, "over the limit on bytes of code: 1001 of 1000");
}

TEST(LimitsTest, TakeNumbersOnly) {
  Limits L;
  for (StringRef Text : {"", "0", "-1", "1.5", "many", "32x"})
    EXPECT_NE(set(L, LimitKind::Registers, Text), "") << Text.str();
  for (StringRef Text : {"", "0", "-1", "1x", "0.5x", "x", "inf", "nan"})
    EXPECT_NE(set(L, LimitKind::CompileTime, Text), "") << Text.str();
  EXPECT_FALSE(L.any());
}

TEST(LimitsTest, SurviveTheirTravel) {
  Limits L;
  ASSERT_EQ(set(L, LimitKind::Registers, "40"), "");
  ASSERT_EQ(set(L, LimitKind::CompileTime, "1.5x"), "");
  EXPECT_EQ(L.str(), "--max-registers 40 --max-compile-time 1.5x");
  Expected<Limits> Back = Limits::fromJSON(L.toJSON());
  ASSERT_TRUE(bool(Back)) << toString(Back.takeError());
  EXPECT_EQ(Back->str(), L.str());
  EXPECT_TRUE(Back->time()->IsRelative);
}

TEST(LimitsTest, AnUnknownLimitIsRefused) {
  Expected<Limits> L = Limits::fromJSON(json::Object{{"smem", "1024"}});
  ASSERT_FALSE(bool(L));
  EXPECT_EQ(toString(L.takeError()), "unknown limit 'smem'");
  L = Limits::fromJSON(json::Object{{"registers", "none"}});
  ASSERT_FALSE(bool(L));
  EXPECT_EQ(toString(L.takeError()),
            "limit 'registers' takes a whole number above 0, not 'none'");
}
