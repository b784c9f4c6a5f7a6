//===- CodeGenerator.h - LLVM IR to machine code ----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes of the target, set up once for any number of compilations. Private
// to lib/Compiler.
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

class FunctionEnd;

/// The passes of the code generator. Setting them up costs about as much as
/// running them over a short function; they may run over any number of modules
/// of any contexts of LLVM, one after another.
class CodeGenPasses {
public:
  explicit CodeGenPasses(llvm::TargetMachine &TM) : TM(TM) {}

  /// For assembly or objects; the first call decides.
  llvm::Error setUp(bool Assembly);
  /// Runs them over \p M and gives what they write. \p Costs gets what each
  /// function cost.
  llvm::ArrayRef<char> run(llvm::Module &M, FunctionCosts &Costs,
                           Progress &Functions);
  llvm::TargetMachine &targetMachine() { return TM; }

private:
  llvm::TargetMachine &TM;
  Buffer Output;
  llvm::raw_svector_ostream Stream{Output};
  std::unique_ptr<llvm::legacy::PassManager> Passes; ///< null: not set up yet
  FunctionEnd *End = nullptr;                        ///< one of Passes
};

/// The code generator of one compilation.
class CodeGenerator {
public:
  /// For assembly or objects.
  CodeGenerator(CodeGenPasses &Passes, bool Assembly, Progress &Functions)
      : Passes(Passes), Assembly(Assembly), Functions(Functions) {}

  /// Machine code by \p Plans. Once the compilation is cancelled, the
  /// functions that are left are dropped.
  llvm::Error emit(llvm::Module &M, const RegisterPlans &Plans,
                   GeneratedCode &Code);
  /// What each function cost to generate so far.
  const FunctionCosts &costs() const { return Costs; }

private:
  CodeGenPasses &Passes;
  bool Assembly;
  Progress &Functions;
  FunctionCosts Costs;
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_BACKEND_CODEGENERATOR_H
