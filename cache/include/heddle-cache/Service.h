//===- Service.h - Requests to a service over HTTP --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A service on this machine or on another one that is sent bytes and answers
// with bytes. Its implementation is in libheddle-cache-remote.so.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_SERVICE_H
#define HEDDLE_CACHE_SERVICE_H

#include "heddle-cache/Result.h"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cache {

struct ServiceAddress {
  std::string URL;    ///< http://HOST:PORT, https://HOST:PORT or unix:PATH
  std::string Token;  ///< for bearer authentication; empty: none
  std::string CAFile; ///< certificates in PEM; empty: the system's
  /// How long a connection may take to be made.
  std::chrono::milliseconds ConnectTimeout{1000};
};

struct ServiceRequest {
  std::string_view Path;
  std::vector<std::string> Headers; ///< "Name: value"
  std::string_view Body;            ///< posted; without data: got
  uint64_t MaxAnswer = 0;           ///< bytes that an answer may have
  std::chrono::steady_clock::time_point Until;
  /// How long nothing may come or go; 0: for as long as it takes.
  std::chrono::milliseconds MaxSilence{0};
  /// Asked every few milliseconds; may be empty.
  std::function<bool()> ShouldStop;
};

struct ServiceAnswer {
  long Status = 0; ///< of HTTP
  std::string Body;
};

/// Any number of threads may use one at once.
class Service {
public:
  virtual ~Service() = default;

  /// A fault is RemoteTimeout, RemoteError where nobody answers, or RemoteBad
  /// for an answer that is too long. What was stopped, and who is silent, is a
  /// RemoteTimeout.
  virtual Result<ServiceAnswer> send(const ServiceRequest &Request) = 0;
};

} // namespace heddle::cache

#endif // HEDDLE_CACHE_SERVICE_H
