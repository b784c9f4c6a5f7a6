//===- JSONTest.cpp - Tests of reading JSON ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Text that nests deeply is an error with its place; no other text is kept from
// LLVM's parser.
//
//===----------------------------------------------------------------------===//

#include "heddle/Support/JSON.h"

#include "gtest/gtest.h"

using namespace heddle;

namespace {

std::string complaint(const std::string &Text) {
  llvm::Expected<llvm::json::Value> V = parseJSON(Text);
  return V ? "" : llvm::toString(V.takeError());
}

std::string nested(unsigned Depth) {
  return std::string(Depth, '[') + std::string(Depth, ']');
}

TEST(JSON, NestsSoFarAndNoFarther) {
  EXPECT_EQ(complaint(nested(MaxJSONDepth)), "");
  EXPECT_EQ(complaint("\n " + nested(MaxJSONDepth + 1)),
            "[2:65, byte=66]: arrays and objects nest too deeply");
  EXPECT_NE(complaint(std::string(1000000, '[')), "");
  std::string Objects;
  for (unsigned N = 0; N != 100000; ++N)
    Objects += "{\"a\":";
  EXPECT_NE(complaint(Objects), "");
}

TEST(JSON, BracketsOfStringsDoNotNest) {
  EXPECT_EQ(complaint("[\"" + std::string(1000, '[') + "\"]"), "");
  EXPECT_EQ(complaint("[\"\\\"" + std::string(1000, '{') + "\"]"), "");
  std::string Many = "[0";
  for (unsigned N = 0; N != 1000; ++N)
    Many += ",[{}]";
  EXPECT_EQ(complaint(Many + "]"), "");
}

TEST(JSON, OtherErrorsAreLLVMs) {
  EXPECT_EQ(complaint("[1,"), "[1:3, byte=3]: Unexpected EOF");
}

} // namespace
