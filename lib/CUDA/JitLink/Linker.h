//===- Linker.h - Links the inputs of a program ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What cuLink* and nvJitLink* have in common.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_LINKER_H
#define HEDDLE_LIB_CUDA_LINKER_H

#include "ABI.h"

#include <deque>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::cuda {

/// Takes PTX, fat binaries with PTX, objects of ptx-compile -dlto and archives,
/// and makes a code object of them (docs/linking.md).
class Linker {
public:
  /// Adds an input, which is copied. Messages go to log().
  cudaError_t add(std::string_view Bytes, std::string_view Name);
  /// The same, from a file.
  cudaError_t addFile(const char *Path);
  /// Options in ptxas's spelling; later ones count.
  void addArguments(const std::vector<std::string> &More);

  /// Links what was added. Nothing is an error.
  cudaError_t complete();
  /// What was added, if that is PTX and nothing else; an empty text otherwise.
  std::string_view onlyPTX() const;
  /// What complete made.
  const std::vector<uint8_t> &object() const { return Object; }
  const std::string &log() const { return Log; }

private:
  struct Input {
    std::string Name, Bytes;
    std::string RegisterLimit = {}; ///< As in LinkInput.
  };
  std::deque<Input> Inputs;
  std::vector<std::string> Arguments;
  std::vector<uint8_t> Object;
  std::string Log;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_LINKER_H
