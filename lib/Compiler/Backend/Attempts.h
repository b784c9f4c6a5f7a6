//===- Attempts.h - One module by several plans -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module may be compiled several times, with other decisions about its
// functions' registers each time. What passes over LLVM IR made of the module
// serves all attempts that ask the same of these passes. Private to
// lib/Compiler/Backend.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_BACKEND_ATTEMPTS_H
#define HEDDLE_LIB_COMPILER_BACKEND_ATTEMPTS_H

#include "Backend/Backend.h"

namespace heddle::compiler {

/// The attempts to compile one module.
class Attempts {
public:
  /// Copies \p M.
  Attempts(const llvm::Module &M, BackendSteps Steps);

  /// The module as it was before the first attempt.
  const llvm::Module &original() const { return *Original; }
  /// The first attempt, in which nothing is decided. Uses \p M up, which is as
  /// the original.
  llvm::Error compileFirst(llvm::Module &M, GeneratedCode &Code);
  /// An attempt by \p Plans.
  llvm::Error compile(const RegisterPlans &Plans, GeneratedCode &Code);
  /// An attempt with those definitions alone that \p Wants names, of functions
  /// of the original.
  llvm::Error
  compileSome(const RegisterPlans &Plans,
              llvm::function_ref<bool(const llvm::Function &)> Wants,
              GeneratedCode &Code);

private:
  struct Optimized {
    RegisterPlans Plans; ///< what passes over LLVM IR know of them
    std::unique_ptr<llvm::Module> M;
  };
  struct Made {
    RegisterPlans Plans;
    GeneratedCode Code;
  };
  llvm::Expected<const llvm::Module *> optimized(const RegisterPlans &Plans);

  BackendSteps Steps;
  std::unique_ptr<llvm::Module> Original;
  std::vector<Optimized> Modules;
  std::vector<Made> Codes; ///< of the whole module
};

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_BACKEND_ATTEMPTS_H
