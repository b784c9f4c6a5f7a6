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
#include <functional>

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

  /// Bytes that the compilation may have allocated at a time; 0: no limit. It
  /// is looked at where shouldStop is asked.
  virtual uint64_t memoryLimit() { return 0; }

  /// Whether the process ends with the compilation, so that it may be left
  /// wherever it is when it has allocated too much.
  virtual bool endsProcess() { return false; }

  /// Asked to call Help on up to Threads threads, now or later; a call that
  /// comes when there is nothing to do any more returns at once, also after the
  /// end of the compilation. False: the compiler uses threads of its own.
  virtual bool requestHelp(unsigned Threads,
                           const std::function<void()> &Help) {
    return false;
  }
};

} // namespace heddle

#endif // HEDDLE_COMPILER_CONTROL_H
