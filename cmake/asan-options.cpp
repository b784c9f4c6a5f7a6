//===- asan-options.cpp - How AddressSanitizer runs in programs -*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's allocators mark what they have not handed out. The packaged LLVM was
// built without that and does not take marks away which our instances of the
// same functions make.
//
// UndefinedBehaviorSanitizer names by itself only the place; whose argument was
// wrong is known from the functions that called.
//
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0";
}

extern "C" const char *__ubsan_default_options() {
  return "print_stacktrace=1";
}
