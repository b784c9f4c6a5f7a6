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

using Buffer = llvm::SmallVector<char, 0>;

/// The fourth and the fifth step, for modules of one context, one after
/// another. What takes time to set up is set up once.
class Backend {
public:
  Backend(const Settings &S, CompilerContext &Ctx, Reporter &Report,
          Progress &Functions)
      : S(S), Ctx(Ctx), Report(Report), Functions(Functions) {}

  const Settings &settings() const { return S; }
  /// Runs the passes over LLVM IR, and links the device library.
  llvm::Error optimize(llvm::Module &M);
  /// LLVM IR to what --emit asks for, in \p Bytes.
  llvm::Error generate(llvm::Module &M, Buffer &Bytes);
  /// What each function cost to generate so far.
  llvm::StringMap<double> milliseconds() const {
    return CodeGen ? CodeGen->milliseconds() : llvm::StringMap<double>();
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

/// Compiles a module once: what is repeated. The module is used up.
using CompileAttempt =
    llvm::function_ref<llvm::Error(llvm::Module &, Buffer &)>;

/// Compiles \p M, and again where functions spill or where a core could hold
/// more warps of a kernel, until the code is the best that attempts give.
llvm::Error compileUntilBest(llvm::Module &M, const Settings &S, Buffer &Bytes,
                             CompileAttempt Attempt);

/// The code of \p M in which each function spills least.
llvm::Error recompileOnSpill(llvm::Module &M, Buffer &Bytes,
                             CompileAttempt Attempt);

/// The code with as many warps as are of use, in place of that of \p Made,
/// which was \p Original and is compiled.
llvm::Error recompileForOccupancy(llvm::Module &Made,
                                  std::unique_ptr<llvm::Module> Original,
                                  Buffer &Bytes, CompileAttempt Attempt);

/// Instructions of a module, at most, that is compiled several times.
inline constexpr size_t MostRepeatedInstructions = 32768;

/// Whether some function of \p M may have more values than registers.
bool mayRunOut(const llvm::Module &M, const Settings &S);

/// Whether a kernel of \p M may take more registers than are good for it.
bool mayGainWarps(const llvm::Module &M, const Settings &S);

/// Puts \p M, slightly optimised, into \p M as bitcode, for a link to find it.
void embedBitcode(llvm::Module &M, const Settings &S,
                  const passes::PassContext &Context);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_BACKEND_BACKEND_H
