//===- PassRunner.h - Runs passes over LLVM IR ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's PassBuilder knows every pass that there is, by name, so that whoever
// uses it has all of them linked in: their options are set up each time that a
// process starts, for pipelines that are written in C++ all the same.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SUPPORT_PASSRUNNER_H
#define HEDDLE_SUPPORT_PASSRUNNER_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/PassManager.h"

namespace llvm {
class PassInstrumentationCallbacks;
class TargetMachine;
} // namespace llvm

namespace heddle {

/// What a run of passes is set up with.
struct PassRunSetup {
  /// Knows costs and alias analyses; null for passes that ask for neither.
  llvm::TargetMachine *TM = nullptr;
  /// Asked before each pass.
  llvm::PassInstrumentationCallbacks *Callbacks = nullptr;
  /// Registers analyses of functions that LLVM does not have.
  llvm::function_ref<void(llvm::FunctionAnalysisManager &)> RegisterMore =
      nullptr;
};

/// Runs \p Passes over \p M. They find the analyses of LLVM that passes over IR
/// use; one that is missing in PassRunner.cpp ends the process where it is
/// asked for.
void runPasses(llvm::Module &M, llvm::ModulePassManager Passes,
               const PassRunSetup &Setup = {});

} // namespace heddle

#endif // HEDDLE_SUPPORT_PASSRUNNER_H
