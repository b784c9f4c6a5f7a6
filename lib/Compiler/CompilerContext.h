//===- CompilerContext.h - What compilations use again ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loading MLIR's dialects and setting up a target machine and its passes take
// longer than compiling a small kernel, so that they are kept from one
// compilation to the next. Nothing that a compilation leaves behind changes
// what the next one gives.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_COMPILERCONTEXT_H
#define HEDDLE_LIB_COMPILER_COMPILERCONTEXT_H

#include "FatalErrors.h"
#include "Settings.h"

#include "llvm/ADT/StringMap.h"

#include "mlir/IR/MLIRContext.h"

#include <map>
#include <mutex>

namespace heddle::compiler {

class CodeGenPasses;

/// Serves one compilation at a time.
class CompilerContext {
public:
  CompilerContext();
  ~CompilerContext();

  /// With the dialects of the frontend loaded. Threads that only generate code
  /// need none.
  mlir::MLIRContext &mlir();

  /// The target machine for the settings' chip and optimization level.
  llvm::TargetMachine &targetMachine(const Settings &S);

  /// The passes of that target machine, for assembly or objects. Options for
  /// LLVM itself, which they depend on, are the same for all of the process.
  CodeGenPasses &codeGenPasses(const Settings &S, bool Assembly);

  /// Notes an input of Bytes. A context never forgets a name or a place that it
  /// has seen, so that it has to be given up some day.
  void countInput(size_t Bytes) { InputBytes += Bytes; }
  bool isWornOut() const { return InputBytes > MaxInputBytes; }

private:
  static constexpr size_t MaxInputBytes = 1 << 20;

  std::optional<mlir::MLIRContext> MLIR; ///< none: not needed yet
  std::map<std::tuple<std::string, unsigned, bool>,
           std::unique_ptr<llvm::TargetMachine>>
      Machines; ///< by chip, level, and whether there is a single pass
  std::map<std::pair<llvm::TargetMachine *, bool>,
           std::unique_ptr<CodeGenPasses>>
      Passes; ///< by target machine, and whether they write assembly
  size_t InputBytes = 0;
};

/// A thread that compiles, and its context.
struct Worker {
  GuardedThread Thread;
  std::unique_ptr<CompilerContext> Ctx; ///< null: to be made by the thread
};

/// Workers that have nothing to do. Any thread may call anything.
class WorkerPool {
public:
  /// Runs Body on a worker's thread, as GuardedThread::run does.
  std::optional<std::string>
  run(llvm::function_ref<void(CompilerContext &)> Body);

private:
  static constexpr size_t MaxIdle = 16;
  std::unique_ptr<Worker> take();
  void giveBack(std::unique_ptr<Worker> W);

  std::mutex Mutex;
  std::vector<std::unique_ptr<Worker>> Idle;
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_COMPILERCONTEXT_H
