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

extern "C" const heddle::native::NativeInterface *heddleNativeInterface() {
  static constexpr heddle::native::NativeInterface Interface = {
      heddle::native::createTranslator};
  return &Interface;
}
