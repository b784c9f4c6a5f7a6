//===- Control.h - A hand on a compilation that runs ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a caller stops a compilation and sees how far it is. Free of LLVM.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_COMPILER_CONTROL_H
#define HEDDLE_COMPILER_CONTROL_H

#include <chrono>
#include <cstdint>

namespace heddle {

/// Asked and told by the compiler, from one thread at a time. Does nothing
/// itself.
class CompileControl {
public:
  virtual ~CompileControl() = default;

  /// Asked between stages and passes and after each function. Once it was true,
  /// the compilation ends as soon as it can, without a result.
  virtual bool shouldStop() { return false; }

  /// Told when the code of a function is done: how many of how many.
  virtual void progress(unsigned Done, unsigned Total) {}

  using Time = std::chrono::steady_clock::time_point;
  /// Told when a stage of the compilation is done; Name is a literal.
  virtual void stageDone(const char *Name, Time Begin, Time End) {}

  /// Bytes that the compilation may have allocated at a time; 0: no limit.
  virtual uint64_t memoryLimit() { return 0; }
};

} // namespace heddle

#endif // HEDDLE_COMPILER_CONTROL_H
