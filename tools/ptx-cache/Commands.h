//===- Commands.h - What ptx-cache can do -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The commands, each a function, and the table from which both the help and the
// choice of the function are made.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_CACHE_COMMANDS_H
#define HEDDLE_TOOLS_PTX_CACHE_COMMANDS_H

#include "heddle-cache/Entry.h"
#include "heddle-cache/LocalStore.h"

#include <span>

namespace heddle::ptxcache {

/// What all commands work on.
class Session {
public:
  Session(cache::Settings Settings, std::vector<std::string> Arguments);

  /// The cache directory; null, with the reason in Error, if there is none.
  cache::LocalStore *store(std::string &Error);
  /// The entry whose name begins with Prefix, if that is only one.
  std::optional<cache::Hash128> resolve(const std::string &Prefix,
                                        std::string &Error);
  /// The bytes of an entry of the directory, and its header checked.
  cache::Result<cache::EntryHeader> read(const cache::Hash128 &Find,
                                         std::string &Bytes);

  cache::Settings Settings;
  std::vector<std::string> Arguments; ///< behind the command
  cache::EntryCodec Codec;

private:
  cache::Counters Count;
  std::unique_ptr<cache::LocalStore> Store;
};

struct Command {
  std::string_view Name;
  std::string_view Arguments; ///< for the help
  size_t Least, Most;         ///< how many it takes
  std::string_view Help;
  /// Returns the exit status, or an error's text.
  cache::Result<int> (*Run)(Session &S);
};

std::span<const Command> commands();

} // namespace heddle::ptxcache

#endif // HEDDLE_TOOLS_PTX_CACHE_COMMANDS_H
