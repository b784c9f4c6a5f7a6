//===- HTTP.cpp - Remotes over HTTP -----------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The layout of Bazel's HTTP cache, so that bazel-remote, nginx with WebDAV or
// a gateway to S3 serve it. The transfers are libcurl's, whose time limit
// covers a whole transfer, so that a server which sends a byte now and then
// does not block a client.
//
//===----------------------------------------------------------------------===//

#include "ActionResult.h"
#include "Tiers.h"
#include "Transfers.h"

#include <algorithm>
#include <mutex>
#include <thread>

namespace heddle::cache {

namespace {

/// The largest ActionResult that is read, in bytes.
constexpr uint64_t MaxActionSize = 1 << 16;
/// The first pause before a request is made again, in milliseconds; it doubles.
constexpr long FirstPause = 20;
constexpr long MaxRedirects = 4;

struct Request {
  std::string URL;
  const std::string_view *Body = nullptr; ///< null: GET, else PUT
  uint64_t MaxSize = 0;
  RemoteTier::Deadline Until;
};

/// What a transfer reads and writes.
struct Transfer {
  ReceivedBytes Received;
  std::string_view ToSend;
};

size_t send(char *Bytes, size_t Size, size_t Count, void *Data) {
  auto &T = *static_cast<Transfer *>(Data);
  size_t N = std::min(Size * Count, T.ToSend.size());
  std::copy_n(T.ToSend.begin(), N, Bytes);
  T.ToSend.remove_prefix(N);
  return N;
}

class HTTPTier : public RemoteTier {
public:
  HTTPTier(const RemoteAddress &Address, const Settings &S)
      : Address(Address), CAFile(S.text(SettingId::RemoteCAFile)),
        Retries(S.number(SettingId::RemoteRetries)) {
    std::string_view Token = S.text(SettingId::RemoteToken);
    if (!Token.empty())
      Headers = curl_slist_append(
          Headers, ("Authorization: Bearer " + std::string(Token)).c_str());
    // A server that is a plain store need not be asked before each upload.
    Headers = curl_slist_append(Headers, "Expect:");
  }

  ~HTTPTier() override { curl_slist_free_all(Headers); }

  std::string name() const override { return withoutPassword(Address.URL); }
  bool readOnly() const override { return Address.ReadOnly; }

  Result<std::string> get(const Hash256 &Digest, uint64_t MaxSize,
                          Deadline Until) override {
    Result<std::string> Action = perform(
        {Address.URL + "/ac/" + Digest.str(), nullptr, MaxActionSize, Until});
    if (!Action)
      return Action;
    std::optional<std::string> Contents = decodeActionResult(*Action);
    if (!Contents)
      return Fault{Counter::RemoteBad, "not an ActionResult"};
    Result<std::string> Bytes =
        perform({Address.URL + "/cas/" + *Contents, nullptr, MaxSize, Until});
    if (Bytes && sha256(*Bytes).str() != *Contents)
      return Fault{Counter::RemoteBad, "not the bytes that were asked for"};
    return Bytes;
  }

  Status put(const Hash256 &Digest, std::string_view Bytes,
             Deadline Until) override {
    Hash256 Contents = sha256(Bytes);
    std::string Action = encodeActionResult(Contents, Bytes.size());
    std::string_view ActionView = Action;
    // In this order, so that no client finds an action without its file.
    Result<std::string> Stored = perform(
        {Address.URL + "/cas/" + Contents.str(), &Bytes, MaxActionSize, Until});
    if (Stored)
      Stored = perform({Address.URL + "/ac/" + Digest.str(), &ActionView,
                        MaxActionSize, Until});
    if (Stored)
      return std::nullopt;
    return Stored.fault();
  }

private:
  Result<std::string> perform(const Request &R);
  Result<std::string> performOnce(CURL *Handle, const Request &R,
                                  bool &MayRetry);
  void configure(CURL *Handle, const Request &R, Transfer &T);

  const RemoteAddress Address;
  const std::string CAFile;
  const uint64_t Retries;
  curl_slist *Headers = nullptr;
  CurlHandles Handles;
};

void HTTPTier::configure(CURL *Handle, const Request &R, Transfer &T) {
  curl_easy_reset(Handle); // keeps the connections
  curl_easy_setopt(Handle, CURLOPT_URL, R.URL.c_str());
  curl_easy_setopt(Handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(Handle, CURLOPT_NOSIGNAL, 1L);
  // 0 would mean no limit.
  curl_easy_setopt(Handle, CURLOPT_TIMEOUT_MS,
                   std::max(1L, millisecondsUntil(R.Until)));
  curl_easy_setopt(Handle, CURLOPT_HTTPHEADER, Headers);
  curl_easy_setopt(Handle, CURLOPT_HTTPAUTH, CURLAUTH_BASIC);
  curl_easy_setopt(Handle, CURLOPT_WRITEFUNCTION, ReceivedBytes::receive);
  curl_easy_setopt(Handle, CURLOPT_WRITEDATA, &T.Received);
  if (!CAFile.empty())
    curl_easy_setopt(Handle, CURLOPT_CAINFO, CAFile.c_str());
  if (R.Body) {
    curl_easy_setopt(Handle, CURLOPT_UPLOAD, 1L);
    curl_easy_setopt(Handle, CURLOPT_READFUNCTION, send);
    curl_easy_setopt(Handle, CURLOPT_READDATA, &T);
    curl_easy_setopt(Handle, CURLOPT_INFILESIZE_LARGE,
                     static_cast<curl_off_t>(R.Body->size()));
  } else {
    // libcurl does not send credentials on to another host.
    curl_easy_setopt(Handle, CURLOPT_FOLLOWLOCATION, 1L);
    curl_easy_setopt(Handle, CURLOPT_MAXREDIRS, MaxRedirects);
    curl_easy_setopt(Handle, CURLOPT_REDIR_PROTOCOLS_STR, "http,https");
  }
}

Result<std::string> HTTPTier::performOnce(CURL *Handle, const Request &R,
                                          bool &MayRetry) {
  Transfer T{{{}, R.MaxSize}, R.Body ? *R.Body : std::string_view()};
  configure(Handle, R, T);
  CURLcode Code = curl_easy_perform(Handle);
  long Status = 0;
  curl_easy_getinfo(Handle, CURLINFO_RESPONSE_CODE, &Status);
  MayRetry = false;
  if (T.Received.IsTooLarge)
    return Fault{Counter::RemoteBad, "more bytes than are allowed"};
  if (Code == CURLE_OPERATION_TIMEDOUT)
    return Fault{Counter::RemoteTimeout, "no answer in time"};
  if (Code != CURLE_OK) {
    MayRetry = true;
    return Fault{Counter::RemoteError, curl_easy_strerror(Code)};
  }
  if (Status == 404 && !R.Body)
    return Fault{Counter::Miss, "not found"};
  if (Status / 100 == 2)
    return std::move(T.Received.Bytes);
  MayRetry = Status / 100 == 5;
  return Fault{Counter::RemoteError, "status " + std::to_string(Status)};
}

Result<std::string> HTTPTier::perform(const Request &R) {
  CURL *Handle = Handles.acquire();
  if (!Handle)
    return Fault{Counter::RemoteError, "out of memory"};
  long Pause = FirstPause;
  bool MayRetry;
  Result<std::string> Answer = performOnce(Handle, R, MayRetry);
  for (uint64_t Try = 0; !Answer && MayRetry && Try != Retries &&
                         millisecondsUntil(R.Until) > Pause;
       ++Try, Pause *= 2) {
    std::this_thread::sleep_for(std::chrono::milliseconds(Pause));
    Answer = performOnce(Handle, R, MayRetry);
  }
  Handles.release(Handle);
  return Answer;
}

} // namespace

std::unique_ptr<RemoteTier> openHTTP(const RemoteAddress &Address,
                                     const Settings &S) {
  static std::once_flag Once;
  std::call_once(Once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  return std::make_unique<HTTPTier>(Address, S);
}

} // namespace heddle::cache
