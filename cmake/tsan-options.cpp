//===- tsan-options.cpp - How ThreadSanitizer runs in programs --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs here fork while they have threads, and go on in the child. The
// packaged LLVM was built without the sanitizer, which so does not see the
// guard of a static variable that LLVM makes when it is asked for first.
//
//===----------------------------------------------------------------------===//

extern "C" const char *__tsan_default_options() { return "die_after_fork=0"; }

extern "C" const char *__tsan_default_suppressions() {
  return "race:EVTArray\n";
}
