//===- HostAccess.cpp - One access to the host's memory ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the host has.
//
//===----------------------------------------------------------------------===//

#include "HostAccess.h"

#ifdef __x86_64__
const bool heddle::emu::HasWideMoves = [] {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx") != 0;
}();
#endif
