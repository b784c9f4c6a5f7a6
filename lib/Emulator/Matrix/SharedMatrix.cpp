//===- SharedMatrix.cpp - Matrices in shared memory -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The two kinds of descriptors.
//
//===----------------------------------------------------------------------===//

#include "Matrix/SharedMatrix.h"

namespace heddle::emu {

/// Fields that both have; they count in 16 bytes.
static SharedLayout commonLayout(uint64_t Descriptor) {
  auto Bytes = [&](unsigned First) {
    return uint32_t(Descriptor >> First & 0x3FFF) << 4;
  };
  SharedLayout L;
  L.Start = Bytes(0);
  L.Leading = Bytes(16);
  L.Stride = Bytes(32);
  L.BaseOffset = Descriptor >> 49 & 7;
  return L;
}

SharedLayout warpgroupLayout(uint64_t Descriptor) {
  SharedLayout L = commonLayout(Descriptor);
  // 1: 128 bytes, 2: 64, 3: 32.
  unsigned Mode = Descriptor >> 62;
  L.SwizzleBits = Mode == 0 ? 0 : 4 - Mode;
  return L;
}

const char *tensorLayout(uint64_t Descriptor, SharedLayout &L) {
  L = commonLayout(Descriptor);
  L.Continues = Descriptor >> 52 & 1;
  constexpr unsigned Swizzled128 = 2;
  if (L.Continues && (Descriptor >> 61 != Swizzled128 || L.BaseOffset))
    return "a leading dimension by its address, without swizzling of 128 bytes "
           "or with a base offset";
  switch (Descriptor >> 61) {
  case 0:
    return nullptr;
  case 1:
    L.SwizzleBits = 2;
    L.Units32 = true;
    return nullptr;
  case 2:
    L.SwizzleBits = 3;
    return nullptr;
  case 4:
    L.SwizzleBits = 2;
    return nullptr;
  case 6:
    L.SwizzleBits = 1;
    return nullptr;
  default:
    return "this way of swizzling";
  }
}

} // namespace heddle::emu
