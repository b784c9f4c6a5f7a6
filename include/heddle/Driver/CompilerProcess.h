//===- CompilerProcess.h - Compiling in a helper process --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A compilation in a process of its own can neither crash its caller's nor use
// up its memory, and can be ended at any time. Helper processes stay for the
// next compilation; one that had a fatal error, or used more than it may, does
// not.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_DRIVER_COMPILERPROCESS_H
#define HEDDLE_DRIVER_COMPILERPROCESS_H

#include "heddle/Compiler/CompilerInterface.h"

#include <functional>
#include <mutex>

namespace heddle {

/// The path of heddle-compiler-process, found as the compiler's library is.
std::string compilerProcessPath();

/// The failure of a result that a helper process did not live to give.
inline constexpr std::string_view HelperDied =
    "internal error: the helper process died";

/// Helper processes. Any thread may call anything but the destructor.
class CompilerProcesses {
public:
  CompilerProcesses(std::string Program, std::string Library)
      : Program(std::move(Program)), Library(std::move(Library)) {}
  /// Ends the processes that wait for work.
  ~CompilerProcesses();

  /// Compiles as CompilerInterface::Compile does, without parts; Control is
  /// asked every few milliseconds, and what it says of memory bounds the whole
  /// process.
  CompileResult compile(std::string_view Input, const std::string &Name,
                        const CompileOptions &Options, CompileControl *Control);

private:
  struct Helper {
    int PID = 0;
    int Socket = -1;
  };
  bool start(Helper &H);
  static void stop(Helper &H);
  Helper take();
  void giveBack(Helper H);

  const std::string Program, Library;
  std::mutex Mutex;
  std::vector<Helper> Idle;
  int Process = 0; ///< to which the idle ones belong
};

/// The helper's side: serves requests that come through Socket until there are
/// no more. AfterLoading is called when the compiler's library is there.
/// Returns the exit status.
int serveCompilations(int Socket, const std::string &Library,
                      const std::function<void()> &AfterLoading);

} // namespace heddle

#endif // HEDDLE_DRIVER_COMPILERPROCESS_H
