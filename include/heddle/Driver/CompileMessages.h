//===- CompileMessages.h - Compilations between processes -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a process asks another one to compile, and the answer: bytes that both
// sides, which are of one build, write and read alike. Texts are a u64 and
// bytes, numbers little-endian.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DRIVER_COMPILEMESSAGES_H
#define HEDDLE_DRIVER_COMPILEMESSAGES_H

#include "heddle/Compiler/CompilerInterface.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle {

struct CompileMessage {
  std::vector<std::string> Options; ///< as a command line
  std::string Name;                 ///< of the input, for messages
  uint64_t MemoryLimit = 0;         ///< in bytes; 0: none
  std::string_view Input;           ///< within the bytes that were decoded
};

std::string encodeCompileMessage(const CompileMessage &Message);
/// None if the bytes are not what encodeCompileMessage writes.
std::optional<CompileMessage> decodeCompileMessage(std::string_view Bytes);

/// What a caller sees of a result: figures, messages with their places, code.
std::string encodeAnswer(const CompileResult &Result);
/// None if the bytes are not what encodeAnswer writes.
std::optional<CompileResult> decodeAnswer(std::string_view Bytes);

} // namespace heddle

#endif // HEDDLE_DRIVER_COMPILEMESSAGES_H
