//===- ResultCodecTest.cpp - Tests of stored figures ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Figures and messages come back as they were stored, and damaged ones not at
// all.
//
//===----------------------------------------------------------------------===//

#include "heddle/Driver/ResultCodec.h"
#include "gtest/gtest.h"

using namespace heddle;

static CompileResult makeResult() {
  CompileResult R;
  R.Succeeded = true;
  R.Bytes = "code";
  R.Chip = "hd100";
  R.GlobalBytes = 1ull << 40;
  R.ConstantBytes = 8;
  R.Milliseconds = 1.5;
  R.InOnePass = 3;
  R.NotInOnePass = 1;
  FunctionReport F;
  F.Name = "kernel";
  F.IsEntry = true;
  F.Registers = 17;
  F.CodeBytes = 4096;
  F.Milliseconds = 0.25;
  R.Functions = {F, F};
  Diagnostic D;
  D.Level = Severity::Warning;
  D.File = "a.ptx";
  D.Message = "odd";
  D.Rendered = "a.ptx: warning: odd\n";
  R.Messages = {D};
  return R;
}

TEST(ResultCodec, RoundTrip) {
  cache::Entry E = encodeResult(makeResult(), {"a.ptx", true});
  Rendering How;
  auto R = decodeResult(E, How);
  ASSERT_TRUE(R);
  EXPECT_EQ(How, (Rendering{"a.ptx", true}));
  EXPECT_TRUE(R->Succeeded);
  EXPECT_EQ(R->Bytes, "code");
  EXPECT_EQ(R->GlobalBytes, 1ull << 40);
  EXPECT_EQ(R->InOnePass, 3u);
  EXPECT_EQ(R->NotInOnePass, 1u);
  ASSERT_EQ(R->Functions.size(), 2u);
  EXPECT_EQ(R->Functions[1].Registers, 17u);
  EXPECT_EQ(R->Functions[1].Milliseconds, 0.25);
  ASSERT_EQ(R->Messages.size(), 1u);
  EXPECT_EQ(R->Messages[0].Rendered, "a.ptx: warning: odd\n");
  EXPECT_EQ(R->Messages[0].Level, Severity::Warning);
}

TEST(ResultCodec, WhatIsCutIsRefused) {
  cache::Entry Good = encodeResult(makeResult(), {"a.ptx", false});
  Rendering How;
  for (size_t Size = 0; Size != Good.Metadata.size(); ++Size) {
    cache::Entry Bad = Good;
    Bad.Metadata.resize(Size);
    EXPECT_FALSE(decodeResult(Bad, How));
  }
  for (size_t Size = 0; Size != Good.Log.size(); ++Size) {
    cache::Entry Bad = Good;
    Bad.Log.resize(Size);
    EXPECT_FALSE(decodeResult(Bad, How));
  }
}
