//===- ErrorLog.h - What went wrong, for the program ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Messages of errors, of which the first is on stderr, too. The program may
// read the last of them, and be called for each.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_ERRORLOG_H
#define HEDDLE_LIB_CUDA_ERRORLOG_H

#include "Handles.h"

#include <cstddef>
#include <deque>
#include <mutex>
#include <string>

namespace heddle::cuda {

/// Called with the program's data, a level, a message without a newline, and
/// its length.
using cudaLogsCallback_t = void (*)(void *, int, char *, size_t);

struct LogsCallbackHandle {
  cudaLogsCallback_t Function;
  void *UserData;
};

/// Any thread may call anything at any time.
class ErrorLog {
public:
  /// All that is kept, in bytes; as CUDA documents it.
  static constexpr size_t MaxBytes = 25600;

  static ErrorLog &get();

  /// Adds a message, which may have several lines, and calls the program.
  void add(std::string Message);
  /// The number of the message that comes next.
  unsigned next() const;
  /// The messages from one on, each with a newline, as far as they fit into
  /// Room bytes: the last ones, behind a line that says that there were more.
  /// Sets Begin to the next message. Empty if there is none, or none fits.
  std::string read(unsigned &Begin, size_t Room = MaxBytes) const;

  HandleSet<LogsCallbackHandle> Callbacks;

private:
  mutable std::mutex Mutex; ///< Of everything below.
  std::deque<std::string> Messages;
  unsigned First = 0; ///< Of Messages.
  size_t Bytes = 0;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_ERRORLOG_H
