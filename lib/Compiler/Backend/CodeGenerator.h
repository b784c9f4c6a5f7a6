//===- CodeGenerator.h - LLVM IR to machine code ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of the target, set up once for any number of modules. Private to
// lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_BACKEND_CODEGENERATOR_H
#define HEDDLE_LIB_COMPILER_BACKEND_CODEGENERATOR_H

#include "Compilation.h"
#include "FunctionCosts.h"

#include "heddle/Target/RegisterPlan.h"

#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Target/TargetMachine.h"
#include <mutex>

namespace heddle::compiler {

using Buffer = llvm::SmallVector<char, 0>;

/// The code of a module, and what was found of it.
struct GeneratedCode {
  Buffer Bytes;
  RegisterUses Uses;
};

/// A target machine for the settings' chip and level.
std::unique_ptr<llvm::TargetMachine> createTargetMachine(const Settings &S);

/// How far the work on a module's functions is.
class Progress {
public:
  Progress(CompileControl &Control, unsigned Total)
      : Control(Control), Total(Total) {}
  CompileControl &control() const { return Control; }
  /// Functions more that are done. Those of the device library make it more
  /// than there are in the module.
  /// Any thread may call it.
  void add(unsigned Functions) {
    std::lock_guard Lock(Mutex);
    Done = std::min(Done + Functions, Total);
    Control.progress(Done, Total);
  }

private:
  CompileControl &Control;
  std::mutex Mutex; ///< Of Done.
  unsigned Done = 0, Total;
};

/// The code generator, set up once for any number of modules.
class CodeGenerator {
public:
  /// For assembly or objects.
  CodeGenerator(llvm::TargetMachine &TM, bool Assembly, Progress &Functions)
      : TM(TM), Assembly(Assembly), Functions(Functions) {}

  /// Machine code by \p Plans. Once the compilation is cancelled, the
  /// functions that are left are dropped.
  llvm::Error emit(llvm::Module &M, const RegisterPlans &Plans,
                   GeneratedCode &Code);
  /// What each function cost to generate so far.
  const FunctionCosts &costs() const { return Costs; }

private:
  llvm::Error setUp();

  llvm::TargetMachine &TM;
  bool Assembly;
  Progress &Functions;
  FunctionCosts Costs;
  Buffer Output;
  llvm::raw_svector_ostream Stream{Output};
  std::unique_ptr<llvm::legacy::PassManager> Passes; ///< null: not set up yet
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_BACKEND_CODEGENERATOR_H
