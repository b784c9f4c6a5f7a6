//===- Open.cpp - Opens the remotes of the settings -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The one symbol of libheddle-cache-remote.so.
//
//===----------------------------------------------------------------------===//

#include "Tiers.h"

#include <algorithm>
#include <cstdio>

namespace heddle::cache {

long millisecondsUntil(RemoteTier::Deadline Until) {
  auto Left = std::chrono::duration_cast<std::chrono::milliseconds>(
      Until - std::chrono::steady_clock::now());
  return std::max<long>(0, static_cast<long>(Left.count()));
}

std::string withoutPassword(const std::string &URL) {
  size_t Start = URL.find("://");
  Start = Start == URL.npos ? 0 : Start + 3;
  size_t End = std::min(URL.find('/', Start), URL.size());
  size_t At = URL.rfind('@', End);
  if (At == URL.npos || At < Start)
    return URL;
  return URL.substr(0, Start) + URL.substr(At + 1);
}

static std::vector<RemoteAddress> addresses(std::string_view Text) {
  std::vector<RemoteAddress> Result;
  while (!Text.empty()) {
    size_t End = std::min(Text.find(' '), Text.size());
    std::string URL(Text.substr(0, End));
    Text.remove_prefix(std::min(End + 1, Text.size()));
    constexpr std::string_view Attribute = "#read-only";
    bool IsReadOnly = URL.ends_with(Attribute);
    if (IsReadOnly)
      URL.resize(URL.size() - Attribute.size());
    while (URL.ends_with("/"))
      URL.pop_back();
    if (!URL.empty())
      Result.push_back({URL, IsReadOnly});
  }
  return Result;
}

/// The bytes of a file that holds the shared key; none if there are none.
static std::string readSecret(const std::string &Path) {
  std::string Secret;
  if (FILE *File = std::fopen(Path.c_str(), "re")) {
    char Bytes[4096];
    Secret.assign(Bytes, std::fread(Bytes, 1, sizeof(Bytes), File));
    std::fclose(File);
  }
  return Secret;
}

static std::unique_ptr<RemoteTier> open(const RemoteAddress &Address,
                                        const Settings &S, std::string &Error) {
  if (Address.URL.starts_with("http://") || Address.URL.starts_with("https://"))
    return openHTTP(Address, S);
  if (Address.URL.starts_with("redis://"))
    return openRedis(Address, Error);
  Error = "it takes http://, https:// or redis://";
  return nullptr;
}

} // namespace heddle::cache

using namespace heddle::cache;

void heddleCacheOpenRemotes(const Settings &S,
                            std::vector<std::unique_ptr<RemoteTier>> &Tiers,
                            std::vector<std::string> &Complaints) {
  std::string KeyFile(S.text(SettingId::RemoteKeyFile)), Secret;
  if (!KeyFile.empty()) {
    Secret = readSecret(KeyFile);
    if (Secret.empty()) {
      // Without it nothing may be trusted.
      Complaints.push_back("remotes are not used: the key file '" + KeyFile +
                           "' cannot be read or is empty");
      return;
    }
  }
  for (const RemoteAddress &Address : addresses(S.text(SettingId::Remotes))) {
    std::string Error;
    std::unique_ptr<RemoteTier> Tier = open(Address, S, Error);
    if (!Tier)
      Complaints.push_back("remote '" + withoutPassword(Address.URL) +
                           "' is not used: " + Error);
    else
      Tiers.push_back(Secret.empty() ? std::move(Tier)
                                     : signTier(std::move(Tier), Secret));
  }
}
