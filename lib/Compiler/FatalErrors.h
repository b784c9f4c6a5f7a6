//===- FatalErrors.h - LLVM gives up, the process does not ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM ends the process where it cannot go on ("Cannot select", out of
// registers). A library must not let it.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_FATALERRORS_H
#define HEDDLE_LIB_COMPILER_FATALERRORS_H

#include "llvm/ADT/STLFunctionalExtras.h"

#include <memory>
#include <optional>
#include <string>

namespace heddle::compiler {

/// Ends the compilation that the thread is at, as a fatal error does, or
/// returns if it is at none.
void leaveCompilation(const char *Reason);

/// A thread with a stack on which deep recursion of the compiler has room and
/// on which no signal handler of the host runs. It starts when it is needed,
/// and anew in a process that was forked from its own.
class GuardedThread {
public:
  GuardedThread();
  /// Ends the thread.
  ~GuardedThread();

  /// Runs Body there, once at a time, and waits for it. Returns LLVM's reason
  /// if it met a fatal error of its own. What Body had allocated is then lost,
  /// since its frames are left without being unwound.
  std::optional<std::string> run(llvm::function_ref<void()> Body);

private:
  struct Shared;
  void start();
  void end();
  void forgetAfterFork();

  std::unique_ptr<Shared> State; ///< null: not started
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_FATALERRORS_H
