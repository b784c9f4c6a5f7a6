//===- ActionResult.h - Bazel's record of an action -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of the message build.bazel.remote.execution.v2.ActionResult that the
// HTTP remote needs, in protobuf's wire format:
//
//   ActionResult: output_files = 2   OutputFile: path = 1, digest = 2
//   Digest: hash = 1 (hexadecimal), size_bytes = 2
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_REMOTE_ACTIONRESULT_H
#define HEDDLE_CACHE_REMOTE_ACTIONRESULT_H

#include "heddle-cache/Key.h"

namespace heddle::cache {

/// The record of an action whose one output has this digest and size.
std::string encodeActionResult(const Hash256 &Digest, uint64_t Size);

/// The digest of the first output as 64 hexadecimal digits; none if the bytes
/// are no such record.
std::optional<std::string> decodeActionResult(std::string_view Bytes);

} // namespace heddle::cache

#endif // HEDDLE_CACHE_REMOTE_ACTIONRESULT_H
