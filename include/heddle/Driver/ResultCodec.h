//===- ResultCodec.h - Compilations as cache entries ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The metadata and the log of an entry: figures and messages of a compilation.
// Strings are a u32 and bytes, numbers little-endian; Driver's own form, which
// the cache does not look into.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DRIVER_RESULTCODEC_H
#define HEDDLE_DRIVER_RESULTCODEC_H

#include "heddle-cache/Entry.h"
#include "heddle/Compiler/CompilerInterface.h"

namespace heddle {

/// How messages were rendered, which a later reader may want otherwise. Their
/// places, notes and suggestions are kept as rendered text only.
struct Rendering {
  std::string Name; ///< of the input, before the colon
  bool Color = false;
  bool operator==(const Rendering &) const = default;
};

cache::Entry encodeResult(const CompileResult &Result, const Rendering &How);

/// None if the bytes are not what encodeResult writes.
std::optional<CompileResult> decodeResult(const cache::Entry &Entry,
                                          Rendering &How);

} // namespace heddle

#endif // HEDDLE_DRIVER_RESULTCODEC_H
