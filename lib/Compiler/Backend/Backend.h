//===- Backend.h - The steps from LLVM IR to machine code -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Optimisation and code generation of one module, and the retries around both.
// Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_BACKEND_BACKEND_H
#define HEDDLE_LIB_COMPILER_BACKEND_BACKEND_H

#include "Backend/CodeGenerator.h"

#include "heddle/DeviceLibrary/DeviceLibrary.h"

namespace heddle::compiler {

/// The fourth and the fifth step, for modules of one context, one after
/// another. What takes time to set up is set up once.
class Backend {
public:
  Backend(const Settings &S, CompilerContext &Ctx, Reporter &Report,
          Progress &Functions)
      : S(S), Ctx(Ctx), Report(Report), Functions(Functions) {}

  const Settings &settings() const { return S; }
  /// Runs the passes over LLVM IR, and links the device library.
  llvm::Error optimize(llvm::Module &M, const RegisterPlans &Plans);
  /// LLVM IR to what --emit asks for.
  llvm::Error generate(llvm::Module &M, const RegisterPlans &Plans,
                       GeneratedCode &Code);
  /// What each function cost to generate so far.
  FunctionCosts costs() const {
    return CodeGen ? CodeGen->costs() : FunctionCosts();
  }

private:
  llvm::Error linkLibrary(llvm::Module &M);

  const Settings &S;
  CompilerContext &Ctx;
  Reporter &Report;
  Progress &Functions;
  /// Made when they are needed.
  std::optional<DeviceLibrary> Library;
  std::optional<CodeGenerator> CodeGen;
};

/// The two steps, which are repeated. Each uses its module up.
struct BackendSteps {
  llvm::function_ref<llvm::Error(llvm::Module &, const RegisterPlans &)>
      Optimize;
  llvm::function_ref<llvm::Error(llvm::Module &, const RegisterPlans &,
                                 GeneratedCode &)>
      Generate;
};

/// Compiles \p M, and again where functions spill or where a core could hold
/// more warps of a kernel, until the code is the best that attempts give.
llvm::Error compileUntilBest(llvm::Module &M, const Settings &S, Buffer &Bytes,
                             BackendSteps Steps);

/// Puts \p M, slightly optimised, into \p M as bitcode, for a link to find it.
void embedBitcode(llvm::Module &M, const Settings &S,
                  const passes::PassContext &Context);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_BACKEND_BACKEND_H
