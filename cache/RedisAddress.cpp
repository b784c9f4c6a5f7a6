//===- RedisAddress.cpp - Addresses of Redis servers ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Takes an address apart.
//
//===----------------------------------------------------------------------===//

#include "heddle-cache/RedisAddress.h"

#include <charconv>

namespace heddle::cache {

std::optional<RedisAddress> RedisAddress::parse(std::string_view URL) {
  constexpr std::string_view Scheme = "redis://";
  if (!URL.starts_with(Scheme))
    return std::nullopt;
  URL.remove_prefix(Scheme.size());
  RedisAddress Where;
  if (size_t At = URL.rfind('@'); At != URL.npos) {
    std::string_view Login = URL.substr(0, At);
    size_t Colon = Login.find(':');
    if (Colon == Login.npos)
      return std::nullopt;
    Where.User = Login.substr(0, Colon);
    Where.Password = Login.substr(Colon + 1);
    URL.remove_prefix(At + 1);
  }
  if (size_t Slash = URL.find('/'); Slash != URL.npos) {
    Where.Database = URL.substr(Slash + 1);
    URL = URL.substr(0, Slash);
  }
  if (size_t Colon = URL.rfind(':'); Colon != URL.npos) {
    std::string_view Port = URL.substr(Colon + 1);
    auto [End, Code] =
        std::from_chars(Port.data(), Port.data() + Port.size(), Where.Port);
    if (Code != std::errc() || End != Port.data() + Port.size())
      return std::nullopt;
    URL = URL.substr(0, Colon);
  }
  Where.Host = URL;
  if (Where.Host.empty())
    return std::nullopt;
  return Where;
}

} // namespace heddle::cache
