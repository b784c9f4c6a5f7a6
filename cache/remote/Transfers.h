//===- Transfers.h - What transfers of libcurl share ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles that are kept for the next request, and bytes that come in bounds.
// Private to cache/remote.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_CACHE_REMOTE_TRANSFERS_H
#define HEDDLE_CACHE_REMOTE_TRANSFERS_H

#include <cstdint>
#include <curl/curl.h>
#include <mutex>
#include <string>
#include <vector>

namespace heddle::cache {

/// Handles with connections that stay open. Any thread may call anything.
class CurlHandles {
public:
  CurlHandles() = default;
  CurlHandles(const CurlHandles &) = delete;
  CurlHandles &operator=(const CurlHandles &) = delete;
  ~CurlHandles() {
    for (CURL *Handle : Idle)
      curl_easy_cleanup(Handle);
  }

  /// Null if there is no memory.
  CURL *acquire() {
    std::lock_guard Lock(Guard);
    if (Idle.empty())
      return curl_easy_init();
    CURL *Handle = Idle.back();
    Idle.pop_back();
    return Handle;
  }
  void release(CURL *Handle) {
    std::lock_guard Lock(Guard);
    Idle.push_back(Handle);
  }

private:
  std::mutex Guard;
  std::vector<CURL *> Idle;
};

/// What a transfer receives; more than MaxSize bytes end it.
struct ReceivedBytes {
  std::string Bytes;
  uint64_t MaxSize = 0;
  bool IsTooLarge = false;

  /// For CURLOPT_WRITEFUNCTION, with one of these as CURLOPT_WRITEDATA.
  static size_t receive(char *From, size_t Size, size_t Count, void *To) {
    auto &R = *static_cast<ReceivedBytes *>(To);
    if (Size * Count > R.MaxSize - R.Bytes.size()) {
      R.IsTooLarge = true;
      return 0; // ends the transfer
    }
    R.Bytes.append(From, Size * Count);
    return Size * Count;
  }
};

} // namespace heddle::cache

#endif // HEDDLE_CACHE_REMOTE_TRANSFERS_H
