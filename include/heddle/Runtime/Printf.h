//===- Printf.h - Formatting what kernels print -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// printf over arguments that lie in device memory. The host's printf formats
// each argument, so that all flags mean what C says.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_RUNTIME_PRINTF_H
#define HEDDLE_RUNTIME_PRINTF_H

#include <cstdint>
#include <optional>
#include <string>

namespace heddle::rt {

/// The arguments of a call, in order.
class PrintfArguments {
public:
  virtual ~PrintfArguments() = default;
  /// The next argument, of 4 or 8 bytes and aligned to its size; none if it
  /// cannot be read.
  virtual std::optional<uint64_t> next(unsigned Bytes) = 0;
  /// The string at a device address; none if it cannot be read.
  virtual std::optional<std::string> string(uint64_t Address) = 0;
};

struct PrintfResult {
  std::string Text;
  uint32_t Arguments = 0; ///< How many were read: what printf returns.
};

/// Formats as far as the arguments can be read. A conversion that C does not
/// know is copied as it stands. Widths and precisions are bounded by
/// MaxPrintfWidth.
PrintfResult formatPrintf(const std::string &Format,
                          PrintfArguments &Arguments);

constexpr int MaxPrintfWidth = 4096;

} // namespace heddle::rt

#endif // HEDDLE_RUNTIME_PRINTF_H
