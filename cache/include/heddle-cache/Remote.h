//===- Remote.h - A tier on another machine ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interface of a remote tier. What a remote returns is bytes of which
// nothing is known; the cache verifies them like a file.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_REMOTE_H
#define HEDDLE_CACHE_REMOTE_H

#include "heddle-cache/Key.h"
#include "heddle-cache/Result.h"

#include <chrono>
#include <memory>

namespace heddle::cache {

class Settings;

/// A store of bytes by digest, reached through a connection that may fail. Any
/// number of threads may use one at once.
class RemoteTier {
public:
  using Deadline = std::chrono::steady_clock::time_point;

  virtual ~RemoteTier() = default;

  /// The address, without passwords, for messages and for the file that
  /// remembers failures.
  virtual std::string name() const = 0;
  virtual bool readOnly() const = 0;

  /// The bytes stored under Digest, at most MaxSize. Returns by Until. The
  /// fault RemoteMiss says that the remote works and does not have them.
  virtual Result<std::string> get(const Hash256 &Digest, uint64_t MaxSize,
                                  Deadline Until) = 0;
  virtual Status put(const Hash256 &Digest, std::string_view Bytes,
                     Deadline Until) = 0;
};

} // namespace heddle::cache

#endif // HEDDLE_CACHE_REMOTE_H
