//===- asan-options.cpp - How AddressSanitizer runs in programs -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The options are explained where they are set (HeddleOptions.cmake).
//
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options() { return HEDDLE_ASAN_OPTIONS; }

extern "C" const char *__ubsan_default_options() {
  return HEDDLE_UBSAN_OPTIONS;
}
