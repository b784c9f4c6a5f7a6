//===- Pipeline.h - The passes of each optimization level -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pipelines over LLVM IR, in the order in which lib/Compiler runs them:
// a linked program, loops with a profile or a tuning document, every module.
// Each is a function that makes a list of passes, so that a list can be
// printed without being run.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_PASSES_PIPELINE_PIPELINE_H
#define HEDDLE_PASSES_PIPELINE_PIPELINE_H

#include "heddle/Target/RegisterPlan.h"

#include "llvm/IR/PassManager.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

#include <string>

namespace heddle::passes {

/// What decides which passes run.
struct PipelineOptions {
  unsigned OptLevel = 3;    ///< 0 to 3
  std::string Chip;         ///< hd100, ...; one that isa::findChip knows
  bool LTO = false;         ///< The module is a linked program.
  bool Relocatable = false; ///< The object may be linked further.
};

/// What passes run with.
struct PassContext {
  llvm::TargetMachine *TM = nullptr; ///< Null for passes that ask for no costs.
  /// Asked before each pass that may be left out. Once it was true, those are
  /// left out.
  llvm::function_ref<bool()> ShouldStop = nullptr;
  /// What is decided of the functions' registers; null: nothing.
  const RegisterPlans *Registers = nullptr;
};

/// Runs passes with the analyses that passes over IR ask for.
void runPasses(llvm::Module &M, llvm::ModulePassManager MPM,
               const PassContext &Context);

/// What every function needs first: depots, casts and constant conditions that
/// the frontend leaves are folded.
llvm::FunctionPassManager cleanUp();

/// Link-time optimization. It comes before the device library is linked to a
/// program: nothing outside of the library knows its functions.
void optimizeProgram(llvm::Module &M, const PipelineOptions &Options,
                     const PassContext &Context);

/// Passes over loops of the functions for which a profile or a tuning document
/// makes them worth their time.
void optimizeLoops(llvm::Module &M, const PipelineOptions &Options,
                   const PassContext &Context);

/// Aligns the shared variables that the module places itself, and the constants
/// that it defines, so that accesses to neighbouring words of them can be
/// joined. A module that is going to be divided needs it before: its parts only
/// declare its constants.
void alignVariables(llvm::Module &M);

/// The passes that every module gets, by optimization level.
void optimizeModule(llvm::Module &M, const PipelineOptions &Options,
                    const PassContext &Context);

/// Inlines the short functions of the device library, no more.
void inlineLibrary(llvm::Module &M, const PassContext &Context);

/// Drops what nothing that is visible outside can reach.
void dropUnreachable(llvm::Module &M, const PassContext &Context);

/// Writes the pipelines that \p Options choose, in the order in which they run,
/// a line each pass, with the names that Passes.def and LLVM's `opt -passes=`
/// give them. Passes that depend on what a module has are all shown:
/// `where<condition>(...)` are for the functions of which the condition holds.
void printPipelines(llvm::raw_ostream &OS, const PipelineOptions &Options);

} // namespace heddle::passes

#endif // HEDDLE_PASSES_PIPELINE_PIPELINE_H
