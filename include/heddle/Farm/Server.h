//===- Server.h - A farm's service over HTTP --------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// POST /compile takes a message of CompileMessages.h and answers with one. GET
// /status and /metrics say what the farm does. Where tokens are given, each of
// these wants one; the token's name is the client's.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_FARM_SERVER_H
#define HEDDLE_FARM_SERVER_H

#include "heddle/Farm/Service.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heddle::farm {

struct ServerOptions {
  /// http://HOST:PORT, https://HOST:PORT or unix:PATH. Port 0 is any.
  std::vector<std::string> Addresses;
  /// Lines of a client's name and its token, blanks between them; empty: none.
  std::string TokenFile;
  std::string Certificate, Key; ///< files in PEM, for https
  size_t MaxRequestBytes = size_t(256) << 20;
  unsigned Connections = 512;
};

class Server {
public:
  Server(Service &S, ServerOptions Options);
  ~Server();
  Server(const Server &) = delete;
  Server &operator=(const Server &) = delete;

  /// Listens at all addresses, and serves from threads of its own. Returns an
  /// error's text, or nothing.
  std::optional<std::string> start();
  /// The addresses, with the ports that were found.
  const std::vector<std::string> &addresses() const;
  /// Accepts no more, and lets what is compiled be given up.
  void stop();

private:
  struct Impl;
  std::unique_ptr<Impl> State;
};

} // namespace heddle::farm

#endif // HEDDLE_FARM_SERVER_H
