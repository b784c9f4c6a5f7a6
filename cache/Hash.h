//===- Hash.h - XXH3 for several processors ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The form of XXH3 that is compiled for one kind of processor. Private to
// cache/.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_HASH_H
#define HEDDLE_CACHE_HASH_H

#include <stddef.h> // NOLINT: no C++ header, see HashAVX2.cpp
#include <stdint.h> // NOLINT

namespace heddle::cache {

/// XXH3-128 of Size bytes in its canonical order, 16 bytes. The processor must
/// have AVX2.
void hashWithAVX2(const void *Bytes, size_t Size, uint8_t *Canonical);

} // namespace heddle::cache

#endif // HEDDLE_CACHE_HASH_H
