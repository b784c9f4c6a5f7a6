//===- PTXParserFuzzer.cpp - Fuzzes the PTX parser --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses any text: what is refused is refused with an error.
//
//===----------------------------------------------------------------------===//

#include "PTXFuzz.h"

using namespace heddle::ptx;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *Data, size_t Size) {
  DiagnosticEngine Diags;
  parseForFuzzing({reinterpret_cast<const char *>(Data), Size}, Diags);
  return 0;
}
