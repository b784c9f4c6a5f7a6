//===- Pipelines.h - How the pipelines are made -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Makes the lists of passes of Pipeline.h. A list depends on what the module
// has: passes for functions that the module lacks are left out. Without a
// module a list has all of them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_PIPELINE_PIPELINES_H
#define HEDDLE_PASSES_PIPELINE_PIPELINES_H

#include "passes/pipeline/Pipeline.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/PassManager.h"

namespace heddle::passes {

/// Whether passes for functions of a condition belong into a pipeline over
/// \p M: null stands for a pipeline that is only printed.
inline bool isNeeded(const llvm::Module *M,
                     llvm::function_ref<bool(const llvm::Function &)> Holds) {
  return !M || llvm::any_of(*M, Holds);
}

/// Link-time optimization of a linked program.
llvm::ModulePassManager buildProgramPipeline(const PipelineOptions &Options,
                                             const llvm::Module *M);

/// Loops of functions with a profile or a tuning document.
llvm::ModulePassManager buildLoopPipeline(const PipelineOptions &Options,
                                          const llvm::Module *M);

/// What every module gets.
llvm::ModulePassManager buildModulePipeline(const PipelineOptions &Options,
                                            const llvm::Module *M,
                                            const RegisterPlans &Registers);

} // namespace heddle::passes

#endif // HEDDLE_PASSES_PIPELINE_PIPELINES_H
