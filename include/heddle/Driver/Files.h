//===- Files.h - Input and output of programs -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the input and writes the output, without LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DRIVER_FILES_H
#define HEDDLE_DRIVER_FILES_H

#include <optional>
#include <string>
#include <string_view>

namespace heddle {

/// Reads a file, or standard input for "-", into Text. Returns what went wrong.
std::optional<std::string> readInputFile(const std::string &Name,
                                         std::string &Text);

/// Writes to standard output for "-"; else to a new file, which then gets the
/// name: readers never see half a file, and a failure leaves the old one. A
/// file that has these bytes already gets a new time alone, and one that is not
/// regular (/dev/null) is written in place. Returns what went wrong.
std::optional<std::string> writeOutputFile(const std::string &Name,
                                           std::string_view Bytes);

} // namespace heddle

#endif // HEDDLE_DRIVER_FILES_H
