//===- QuotasTest.cpp - What users and processes may have -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Files of quotas, right and wrong.
//
//===----------------------------------------------------------------------===//

#include "heddle/DeviceService/Quotas.h"

#include "gtest/gtest.h"

using namespace heddle::deviced;

namespace {

std::string faultOf(const char *Text) {
  llvm::Expected<Quotas> Q = Quotas::parse(Text);
  return Q ? "" : toString(Q.takeError());
}

TEST(Quotas, UsersHaveWhatIsSaidAndElseTheDefault) {
  llvm::Expected<Quotas> Q = Quotas::parse(R"({
    "users": {"1001": {"share": 3, "ms": 20}, "1002": {"memory": 4096}},
    "default": {"memory": "512M", "period_ms": 50}})");
  ASSERT_TRUE(bool(Q)) << toString(Q.takeError());
  EXPECT_EQ(Q->of(7).Memory, 512u << 20);
  EXPECT_EQ(Q->of(7).Share, 1u);
  EXPECT_EQ(Q->of(1001).Share, 3u);
  EXPECT_EQ(Q->of(1001).Milliseconds, 20u);
  EXPECT_EQ(Q->of(1001).Period, 50u);
  EXPECT_EQ(Q->of(1001).Memory, 512u << 20);
  EXPECT_EQ(Q->of(1002).Memory, 4096u);
  EXPECT_EQ(Quotas().of(5).Threads, 100u);
}

TEST(Quotas, FaultsAreNamed) {
  EXPECT_EQ(faultOf("[]"), "is no object");
  EXPECT_EQ(faultOf(R"({"user": {}})"),
            "there is no 'user'; known are default and users");
  EXPECT_EQ(faultOf(R"({"users": []})"), "users is no object");
  EXPECT_EQ(faultOf(R"({"users": {"ada": {}}})"),
            "'ada' is no number of a user");
  EXPECT_EQ(faultOf(R"({"users": {"5": 3}})"),
            "the quota of user 5 is no object");
  EXPECT_EQ(faultOf(R"({"default": {"shares": 3}})"),
            "the quota of default: there is no 'shares'");
  EXPECT_EQ(faultOf(R"({"default": {"share": 0}})"),
            "the quota of default: 'share' is a number from 1 to 10000");
  EXPECT_EQ(faultOf(R"({"default": {"threads": -1}})"),
            "the quota of default: 'threads' is a number from 1 to 100");
  EXPECT_EQ(faultOf(R"({"default": {"memory": "1T"}})"),
            "the quota of default: 'memory' is a number from 0 to "
            "1125899906842624");
  EXPECT_FALSE(faultOf("{").empty());
}

TEST(Quotas, BytesHaveUnits) {
  EXPECT_EQ(parseBytes("12"), 12u);
  EXPECT_EQ(parseBytes("2K"), 2048u);
  EXPECT_EQ(parseBytes("3MB"), 3u << 20);
  EXPECT_EQ(parseBytes("1G"), 1u << 30);
  EXPECT_FALSE(parseBytes("G"));
  EXPECT_FALSE(parseBytes("-1"));
  EXPECT_FALSE(parseBytes("99999999999999G"));
}

} // namespace
