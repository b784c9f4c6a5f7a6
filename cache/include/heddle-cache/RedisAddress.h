//===- RedisAddress.h - Addresses of Redis servers --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE], taken apart.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_REDISADDRESS_H
#define HEDDLE_CACHE_REDISADDRESS_H

#include <optional>
#include <string>
#include <string_view>

namespace heddle::cache {

struct RedisAddress {
  std::string Host, User, Password, Database; ///< Empty: not stated.
  int Port = 6379;

  /// What an address looks like, for messages.
  static constexpr std::string_view Form =
      "redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]";

  /// None if \p URL is not of that form.
  static std::optional<RedisAddress> parse(std::string_view URL);
};

} // namespace heddle::cache

#endif // HEDDLE_CACHE_REDISADDRESS_H
