//===- Pipeline.cpp - Runs and prints pipelines -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs lists of passes over a module.
//
//===----------------------------------------------------------------------===//

#include "passes/pipeline/Pipelines.h"

#include "heddle/Support/PassRunner.h"
#include "heddle/Target/TargetAnalyses.h"

#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace llvm;

namespace heddle::passes {

void runPasses(Module &M, ModulePassManager MPM, const PassContext &Context) {
  PassInstrumentationCallbacks Callbacks;
  Callbacks.registerShouldRunOptionalPassCallback([&](StringRef, const Any &) {
    return !Context.ShouldStop || !Context.ShouldStop();
  });
  heddle::runPasses(M, std::move(MPM),
                    {Context.TM, &Callbacks, [&](FunctionAnalysisManager &FAM) {
                       registerTargetAnalyses(FAM, Context.Registers);
                     }});
}

void inlineLibrary(Module &M, const PassContext &Context) {
  ModulePassManager MPM;
  MPM.addPass(AlwaysInlinerPass(/*InsertLifetime=*/false));
  MPM.addPass(GlobalDCEPass());
  runPasses(M, std::move(MPM), Context);
}

void dropUnreachable(Module &M, const PassContext &Context) {
  ModulePassManager MPM;
  MPM.addPass(GlobalDCEPass());
  runPasses(M, std::move(MPM), Context);
}

} // namespace heddle::passes
