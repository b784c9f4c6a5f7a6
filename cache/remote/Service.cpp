//===- Service.cpp - Requests to a service over HTTP ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Over libcurl's interface for several transfers, since one that is waited for
// can be given up at any time there.
//
//===----------------------------------------------------------------------===//

#include "Transfers.h"
#include "heddle-cache/RemoteLoader.h"

#include <algorithm>
#include <mutex>

namespace heddle::cache {

namespace {

/// How often a request is asked whether it is to go on, in milliseconds.
constexpr int PollMilliseconds = 20;

constexpr std::string_view SocketScheme = "unix:";

class HTTPService final : public Service {
public:
  explicit HTTPService(const ServiceAddress &Address) : Address(Address) {}

  Result<ServiceAnswer> send(const ServiceRequest &Request) override;

private:
  void configure(CURL *Handle, const ServiceRequest &Request,
                 ReceivedBytes &Into, curl_slist *Headers) const;
  curl_slist *headersOf(const ServiceRequest &Request) const;

  const ServiceAddress Address;
  CurlHandles Handles;
};

curl_slist *HTTPService::headersOf(const ServiceRequest &Request) const {
  // A body is sent at once, whether it will be taken or not.
  curl_slist *Headers = curl_slist_append(nullptr, "Expect:");
  Headers =
      curl_slist_append(Headers, "Content-Type: application/octet-stream");
  if (!Address.Token.empty())
    Headers = curl_slist_append(
        Headers, ("Authorization: Bearer " + Address.Token).c_str());
  for (const std::string &Header : Request.Headers)
    Headers = curl_slist_append(Headers, Header.c_str());
  return Headers;
}

void HTTPService::configure(CURL *Handle, const ServiceRequest &Request,
                            ReceivedBytes &Into, curl_slist *Headers) const {
  curl_easy_reset(Handle);
  std::string URL = Address.URL;
  if (URL.starts_with(SocketScheme)) {
    curl_easy_setopt(Handle, CURLOPT_UNIX_SOCKET_PATH,
                     URL.c_str() + SocketScheme.size());
    URL = "http://localhost";
  }
  URL += Request.Path;
  curl_easy_setopt(Handle, CURLOPT_URL, URL.c_str());
  curl_easy_setopt(Handle, CURLOPT_PROTOCOLS_STR, "http,https");
  curl_easy_setopt(Handle, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(Handle, CURLOPT_CONNECTTIMEOUT_MS,
                   static_cast<long>(Address.ConnectTimeout.count()));
  curl_easy_setopt(Handle, CURLOPT_HTTPHEADER, Headers);
  curl_easy_setopt(Handle, CURLOPT_WRITEFUNCTION, ReceivedBytes::receive);
  curl_easy_setopt(Handle, CURLOPT_WRITEDATA, &Into);
  if (!Address.CAFile.empty())
    curl_easy_setopt(Handle, CURLOPT_CAINFO, Address.CAFile.c_str());
  const char *Body = Request.Body.data();
  if (!Body)
    return;
  curl_easy_setopt(Handle, CURLOPT_POSTFIELDS, Body);
  curl_easy_setopt(Handle, CURLOPT_POSTFIELDSIZE_LARGE,
                   static_cast<curl_off_t>(Request.Body.size()));
}

/// Whether the other side has been silent for too long. Where a network is cut,
/// nobody says so: bytes just come no more, and go nowhere.
class SilenceWatch {
public:
  SilenceWatch(CURL *Handle, const ReceivedBytes &Into,
               std::chrono::milliseconds Most)
      : Handle(Handle), Into(Into), Most(Most) {}

  bool isTooLong() {
    curl_off_t Sent = 0;
    curl_easy_getinfo(Handle, CURLINFO_SIZE_UPLOAD_T, &Sent);
    uint64_t Moved = static_cast<uint64_t>(Sent) + Into.Bytes.size();
    auto Now = std::chrono::steady_clock::now();
    if (Moved != Known)
      LastSign = Now;
    Known = Moved;
    return Most.count() && Now - LastSign > Most;
  }

private:
  CURL *const Handle;
  const ReceivedBytes &Into;
  const std::chrono::milliseconds Most;
  uint64_t Known = 0;
  std::chrono::steady_clock::time_point LastSign =
      std::chrono::steady_clock::now();
};

/// Transfers until the end, until it is time, until the other side is silent or
/// until it is not wanted any more; CURLE_OPERATION_TIMEDOUT in these cases.
CURLcode perform(CURLM *Multi, CURL *Handle, const ServiceRequest &Request,
                 const ReceivedBytes &Into) {
  if (curl_multi_add_handle(Multi, Handle) != CURLM_OK)
    return CURLE_FAILED_INIT;
  CURLcode Code = CURLE_OPERATION_TIMEDOUT;
  SilenceWatch Silence(Handle, Into, Request.MaxSilence);
  while (std::chrono::steady_clock::now() < Request.Until &&
         !Silence.isTooLong() &&
         !(Request.ShouldStop && Request.ShouldStop())) {
    int Running = 0;
    if (curl_multi_perform(Multi, &Running) != CURLM_OK) {
      Code = CURLE_FAILED_INIT;
      break;
    }
    int Waiting = 0;
    if (CURLMsg *Message = curl_multi_info_read(Multi, &Waiting)) {
      Code = Message->data.result;
      break;
    }
    curl_multi_poll(Multi, nullptr, 0, PollMilliseconds, nullptr);
  }
  curl_multi_remove_handle(Multi, Handle);
  return Code;
}

Result<ServiceAnswer> HTTPService::send(const ServiceRequest &Request) {
  CURL *Handle = Handles.acquire();
  CURLM *Multi = curl_multi_init();
  if (!Handle || !Multi)
    return Fault{Counter::RemoteError, "out of memory"};
  ReceivedBytes Into{{}, Request.MaxAnswer};
  curl_slist *Headers = headersOf(Request);
  configure(Handle, Request, Into, Headers);
  CURLcode Code = perform(Multi, Handle, Request, Into);
  ServiceAnswer Answer;
  curl_easy_getinfo(Handle, CURLINFO_RESPONSE_CODE, &Answer.Status);
  curl_multi_cleanup(Multi);
  curl_slist_free_all(Headers);
  Handles.release(Handle);
  if (Into.IsTooLarge)
    return Fault{Counter::RemoteBad, "more bytes than are allowed"};
  if (Code == CURLE_OPERATION_TIMEDOUT)
    return Fault{Counter::RemoteTimeout, "no answer in time"};
  if (Code != CURLE_OK)
    return Fault{Counter::RemoteError, curl_easy_strerror(Code)};
  Answer.Body = std::move(Into.Bytes);
  return Answer;
}

} // namespace

} // namespace heddle::cache

using namespace heddle::cache;

void heddleCacheOpenService(const ServiceAddress &Address,
                            std::unique_ptr<Service> &Opened,
                            std::string &Error) {
  static std::once_flag Once;
  std::call_once(Once, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
  bool IsKnown = std::ranges::any_of(
      std::initializer_list<std::string_view>{"http://", "https://",
                                              SocketScheme},
      [&](std::string_view Scheme) { return Address.URL.starts_with(Scheme); });
  if (IsKnown)
    Opened = std::make_unique<HTTPService>(Address);
  else
    Error = "it takes http://, https:// or unix:";
}
