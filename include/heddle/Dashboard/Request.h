//===- Request.h - Requests and answers as text -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// As much of HTTP/1.1 (RFC 9112) as a server needs of which everything is read
// by GET. Each connection has one request.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DASHBOARD_REQUEST_H
#define HEDDLE_DASHBOARD_REQUEST_H

#include "llvm/ADT/StringRef.h"

#include <string>

namespace heddle::dash {

struct Request {
  std::string Path;       ///< Without what is behind a question mark.
  bool TakesGzip = false; ///< The answer may be compressed so.
  int Failure = 0;        ///< A status, if the request gets nothing else.
  std::string Message;    ///< Why.
};

/// Reads the lines up to the empty one, each with its end. The host has to be
/// the loopback: a page of another site whose name was made to mean this
/// machine reads nothing here.
Request parseRequest(llvm::StringRef Lines);

/// A whole answer. \p Fields are further lines of its head.
std::string response(int Status, llvm::StringRef Type, llvm::StringRef Body,
                     llvm::StringRef Fields = "");

/// The head of an answer that goes on as server-sent events.
std::string streamHead();

} // namespace heddle::dash

#endif // HEDDLE_DASHBOARD_REQUEST_H
