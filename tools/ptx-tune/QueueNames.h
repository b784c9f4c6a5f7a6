//===- QueueNames.h - Keys and scripts of the queue -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the two sides of the queue have in common.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TOOLS_PTX_TUNE_QUEUENAMES_H
#define HEDDLE_TOOLS_PTX_TUNE_QUEUENAMES_H

#include "Options.h"
#include "Redis.h"

namespace heddle::tune {

struct QueueNames {
  /// An error if the compiler has no identity by which workers are chosen.
  static llvm::Expected<QueueNames> create();

  std::string jobs() const { return Prefix + ":jobs"; }
  std::string bundle(const std::string &Id) const {
    return Prefix + ":bundle:" + Id;
  }
  std::string results(const std::string &Id) const {
    return Prefix + ":results:" + Id;
  }
  std::string queued(const std::string &Id) const {
    return Prefix + ":queued:" + Id;
  }

private:
  std::string Prefix;
};

/// The consumer group.
inline constexpr const char *WorkerGroup = "workers";

/// How long the server keeps what nobody asks for, in seconds.
inline constexpr unsigned KeptSeconds = 7 * 24 * 3600;

/// A measurement that somebody wants.
struct Job {
  std::string Bundle, Kernel, Document;
  double Limit = 0;

  /// Its name among the results of its bundle.
  std::string name() const;
};

/// The server of --queue.
llvm::Expected<cache::RedisAddress> queueAddress(const Options &O);

} // namespace heddle::tune

#endif // HEDDLE_TOOLS_PTX_TUNE_QUEUENAMES_H
