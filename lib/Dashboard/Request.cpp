//===- Request.cpp - Requests and answers as text ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Names of fields are compared without regard to case; fields that the server
// has no use for are skipped.
//
//===----------------------------------------------------------------------===//

#include "heddle/Dashboard/Request.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle::dash {

/// What a page of the dashboard may do: run its own script and ask this server.
static constexpr StringLiteral Always =
    "Cache-Control: no-store\r\n"
    "X-Content-Type-Options: nosniff\r\n"
    "Content-Security-Policy: default-src 'none'; script-src 'unsafe-inline'; "
    "style-src 'unsafe-inline'; connect-src 'self'; frame-ancestors 'none'\r\n";

static StringRef reason(int Status) {
  switch (Status) {
  case 200:
    return "OK";
  case 400:
    return "Bad Request";
  case 403:
    return "Forbidden";
  case 404:
    return "Not Found";
  case 405:
    return "Method Not Allowed";
  case 406:
    return "Not Acceptable";
  case 431:
    return "Request Header Fields Too Large";
  default:
    return "HTTP Version Not Supported";
  }
}

static bool isLoopback(StringRef Host) {
  StringRef Name = Host.trim().rsplit(':').first;
  return Name.equals_insensitive("localhost") || Name == "127.0.0.1";
}

Request parseRequest(StringRef Lines) {
  Request R;
  auto Fail = [&](int Status, StringRef Message) {
    R.Failure = Status;
    R.Message = Message.str();
    return R;
  };
  auto [First, Rest] = Lines.split("\r\n");
  SmallVector<StringRef, 3> Words;
  First.split(Words, ' ');
  if (Words.size() != 3 || !Words[1].starts_with("/"))
    return Fail(400, "this is no request of HTTP");
  if (!Words[2].starts_with("HTTP/1."))
    return Fail(Words[2].starts_with("HTTP/") ? 505 : 400,
                "the server speaks HTTP/1.1");
  if (Words[0] != "GET")
    return Fail(405, "everything is read by GET");
  R.Path = Words[1].split('?').first.str();
  bool HasHost = false;
  while (!Rest.empty()) {
    StringRef Line;
    std::tie(Line, Rest) = Rest.split("\r\n");
    auto [Name, Value] = Line.split(':');
    if (Name.equals_insensitive("host")) {
      if (!isLoopback(Value))
        return Fail(403, "the server is for this machine: 127.0.0.1");
      HasHost = true;
    } else if (Name.equals_insensitive("accept-encoding")) {
      R.TakesGzip = Value.contains_insensitive("gzip");
    }
  }
  return HasHost ? R : Fail(400, "the request names no host");
}

std::string response(int Status, StringRef Type, StringRef Body,
                     StringRef Fields) {
  std::string Text;
  raw_string_ostream(Text) << "HTTP/1.1 " << Status << " " << reason(Status)
                           << "\r\n"
                           << "Content-Type: " << Type
                           << "\r\nContent-Length: " << Body.size() << "\r\n"
                           << (Status == 405 ? "Allow: GET\r\n" : "") << Always
                           << Fields << "Connection: close\r\n\r\n"
                           << Body;
  return Text;
}

std::string streamHead() {
  return ("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" + Always +
          "Connection: close\r\n\r\n")
      .str();
}

} // namespace heddle::dash
