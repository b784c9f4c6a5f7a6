//===- NativeLibrary.cpp - The function that the library shows --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The entry of libheddle-native.so.
//
//===----------------------------------------------------------------------===//

#include "NativeTranslator.h"
#include "heddle/Native/NativeInterface.h"

// A program may end while a thread of its translates, so that nothing of the
// library is destroyed. The linker's --wrap makes registrations come here.
// NOLINTBEGIN(bugprone-reserved-identifier, readability-identifier-naming)
extern "C" int __wrap___cxa_atexit(void (*)(void *), void *, void *) {
  return 0;
}
// NOLINTEND(bugprone-reserved-identifier, readability-identifier-naming)

extern "C" const heddle::native::NativeInterface *heddleNativeInterface() {
  static constexpr heddle::native::NativeInterface Interface = {
      heddle::native::createTranslator};
  return &Interface;
}
