//===- HashAVX2.cpp - XXH3 on wide vectors ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// XXH3-128 as compiled for AVX2, which hashes twice as fast as the vectors that
// every x86-64 has. Called only where the processor has them. This file must
// include nothing whose inline functions other files share: the linker might
// keep the copies made here.
//
//===----------------------------------------------------------------------===//

#include "Hash.h"

#define XXH_INLINE_ALL
#include <xxhash.h>

void heddle::cache::hashWithAVX2(const void *Bytes, size_t Size,
                                 uint8_t *Canonical) {
  XXH128_canonical_t Digest;
  XXH128_canonicalFromHash(&Digest, XXH3_128bits(Bytes, Size));
  __builtin_memcpy(Canonical, Digest.digest, sizeof(Digest.digest));
}
