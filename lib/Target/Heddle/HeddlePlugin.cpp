//===- HeddlePlugin.cpp - The target in LLVM's own tools -------*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers the target when LLVM's llc loads this library (llc -load).
//
//===----------------------------------------------------------------------===//

#include "heddle/Target/HeddleTarget.h"

namespace {
struct RegisterOnLoad {
  RegisterOnLoad() { heddle::initializeHeddleTarget(); }
} Register;
} // namespace
