//===- Redis.h - A connection to a Redis server -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Commands and replies. A connection that breaks is made anew, and the command
// repeated: only commands that may be repeated are to be given.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TUNE_REDIS_H
#define HEDDLE_TOOLS_PTX_TUNE_REDIS_H

#include "heddle-cache/RedisAddress.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

struct redisContext; // NOLINT(readability-identifier-naming): of hiredis

namespace heddle::tune {

/// What a server answered.
struct Reply {
  enum class KindOf : uint8_t { Nil, Text, Number, List, Fault };

  KindOf Kind = KindOf::Nil;
  std::string Text; ///< Of a Text, or the server's words of a Fault.
  int64_t Number = 0;
  std::vector<Reply> List;

  bool isNil() const { return Kind == KindOf::Nil; }
  bool isFault() const { return Kind == KindOf::Fault; }
  /// An element of a list; a Nil where there is none.
  const Reply &operator[](size_t I) const;
};

/// Belongs to one thread at a time.
class Redis {
public:
  explicit Redis(cache::RedisAddress Where);
  ~Redis();
  Redis(Redis &&) noexcept;

  /// Sends a command and waits for its reply, which may be a Fault. An error
  /// says that the server could not be reached for a while.
  llvm::Expected<Reply> ask(const std::vector<std::string> &Words);
  /// The same, a Fault being an error, too.
  llvm::Expected<Reply> command(const std::vector<std::string> &Words);

private:
  struct Close {
    void operator()(redisContext *C) const;
  };

  llvm::Error connect();
  std::optional<Reply> tryOnce(const std::vector<std::string> &Words,
                               std::string &Why);

  cache::RedisAddress Where;
  std::unique_ptr<redisContext, Close> Connection;
};

} // namespace heddle::tune

#endif // HEDDLE_TOOLS_PTX_TUNE_REDIS_H
