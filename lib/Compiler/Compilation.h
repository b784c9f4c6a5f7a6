//===- Compilation.h - One compilation --------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the stages of one compilation share, and how a compilation ends early.
// Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_COMPILATION_H
#define HEDDLE_LIB_COMPILER_COMPILATION_H

#include "Reporter.h"
#include "Settings.h"
#include "heddle/Compiler/Compiler.h"
#include "heddle/Compiler/PartitionStore.h"
#include <chrono>

namespace heddle::compiler {

class CompilerContext;
class SharedControl;
class TaskGroup;

/// What a compilation works with besides its input.
struct CompileEnvironment {
  const CompileOptions &Options;
  SharedControl &Control;
  TaskGroup &Helpers;
  PartitionStore *Store; ///< null: none
  CompilerContext &Ctx;
};

/// One compilation, or one of the modules of a link: what every stage is given.
/// The members outlive the stages.
struct Compilation {
  llvm::StringRef File; ///< the input's name, for messages
  const Settings &S;
  const CompileEnvironment &Env;
  Reporter &Report;
  CompileOutput &Output;
};

/// Tells a CompileControl of stages, each of which begins where the last one
/// ended.
class StageTimer {
public:
  explicit StageTimer(CompileControl &Control) : Control(Control) {}
  void end(const char *Name) {
    CompileControl::Time Now = std::chrono::steady_clock::now();
    Control.stageDone(Name, Last, Now);
    Last = Now;
  }

private:
  CompileControl &Control;
  CompileControl::Time Last = std::chrono::steady_clock::now();
};

/// The error of a compilation whose messages say what is wrong.
llvm::Error aborted();
/// The error of a compilation that LLVM ended.
llvm::Error fatalError(const std::string &Reason);
/// An error if the compilation was cancelled.
llvm::Error checkStop(CompileControl &Control);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_COMPILATION_H
