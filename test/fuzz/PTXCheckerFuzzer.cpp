//===- PTXCheckerFuzzer.cpp - Fuzzes the checks of PTX ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The bytes are the choices of the generator: each input is a program that is
// nearly right, so that the checks of mnemonics and operands are reached.
//
//===----------------------------------------------------------------------===//

#include "PTXFuzz.h"
#include "PTXGenerator.h"

using namespace heddle::ptx;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  std::string Text = PTXGenerator({Data, Size}).makeModule();
  DiagnosticEngine Diags;
  parseForFuzzing(Text, Diags);
  return 0;
}
