//===- Tiers.h - The kinds of remotes ---------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the library of the remotes is made of. Private to cache/remote/.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_REMOTE_TIERS_H
#define HEDDLE_CACHE_REMOTE_TIERS_H

#include "heddle-cache/RemoteLoader.h"

namespace heddle::cache {

/// A remote as the settings name it: URL and whether '#read-only' follows.
struct RemoteAddress {
  std::string URL;
  bool ReadOnly = false;
};

/// HTTP with Bazel's layout: /ac/ and the digest holds an ActionResult that
/// names one file, whose bytes are in /cas/ under their own SHA-256.
std::unique_ptr<RemoteTier> openHTTP(const RemoteAddress &Address,
                                     const Settings &S);

/// redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE]; null with Error set if the
/// address is not of this form.
std::unique_ptr<RemoteTier> openRedis(const RemoteAddress &Address,
                                      std::string &Error);

/// A tier whose bytes are signed with Secret when they are put there, and
/// refused when what is got is not.
std::unique_ptr<RemoteTier> signTier(std::unique_ptr<RemoteTier> Tier,
                                     std::string Secret);

/// The time left until a deadline, in milliseconds, at least 0.
long millisecondsUntil(RemoteTier::Deadline Until);

/// URL without user and password.
std::string withoutPassword(const std::string &URL);

} // namespace heddle::cache

#endif // HEDDLE_CACHE_REMOTE_TIERS_H
