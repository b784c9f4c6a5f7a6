//===- CompileInput.h - The five steps of a compilation ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Private to lib/Compiler.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_COMPILER_COMPILEINPUT_H
#define HEDDLE_LIB_COMPILER_COMPILEINPUT_H

#include "Frontend.h"
#include "Partition/PartitionCompiler.h"

namespace heddle::compiler {

class WorkerPool;

/// Compiles one input, PTX or LLVM bitcode, into the output of \p C.
llvm::Error compileInput(llvm::MemoryBufferRef Input, const Compilation &C,
                         llvm::LLVMContext &Context);

/// What a compilation does with its input.
using CompileSteps = llvm::function_ref<llvm::Error(
    llvm::MemoryBufferRef Input, const Compilation &C,
    llvm::LLVMContext &Context)>;

/// Takes \p Steps on a thread of \p Workers, as Compiler::compile says.
llvm::Expected<CompileOutput>
runCompilation(WorkerPool &Workers, llvm::MemoryBufferRef Input,
               const CompileOptions &Options, DiagnosticHandler Handler,
               CompileControl &Caller, PartitionStore *Store,
               CompileSteps Steps);

/// The first three steps over the whole of an input.
llvm::Expected<FrontendResult>
runFrontend(llvm::MemoryBufferRef Input, const Settings &S,
            mlir::MLIRContext &MLIR, llvm::LLVMContext &Context,
            Reporter &Report, CompileControl &Control);

/// The way from LLVM IR on: checks and directives, then the last two steps.
llvm::Error compileModule(llvm::Module &M, const Compilation &C);

/// The last two steps over a partition, which are repeated where functions
/// spill.
llvm::Error optimizeAndGenerate(Backend &B, llvm::Module &Part, Buffer &Code);

} // namespace heddle::compiler

#endif // HEDDLE_LIB_COMPILER_COMPILEINPUT_H
