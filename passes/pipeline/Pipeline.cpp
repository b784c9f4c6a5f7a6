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

#include "llvm/Analysis/LazyCallGraph.h"
#include "llvm/Analysis/LoopInfo.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/PassInstrumentation.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace llvm;

namespace heddle::passes {

/// What a pass runs over, in the words of -opt-bisect-limit.
static std::string describe(const Any &IR) {
  if (const auto *F = any_cast<const Function *>(&IR))
    return ("function (" + (*F)->getName() + ")").str();
  if (const auto *L = any_cast<const Loop *>(&IR))
    return ("loop " + (*L)->getName() + " of function (" +
            (*L)->getHeader()->getParent()->getName() + ")")
        .str();
  if (const auto *C = any_cast<const LazyCallGraph::SCC *>(&IR))
    return "functions that call each other (" + (*C)->getName() + ")";
  return "module";
}

/// Lets LLVM's -opt-bisect-limit count the passes over IR as it counts those of
/// the code generator. LLVM's own instrumentation comes with every pass there
/// is.
static void obeyPassGate(const Module &M, PassInstrumentationCallbacks &To) {
  OptPassGate &Gate = M.getContext().getOptPassGate();
  if (Gate.isEnabled())
    To.registerShouldRunOptionalPassCallback(
        [&Gate](StringRef Pass, const Any &IR) {
          return Gate.shouldRunPass(Pass, describe(IR));
        });
}

void runPasses(Module &M, ModulePassManager MPM, const PassContext &Context) {
  PassInstrumentationCallbacks Callbacks;
  obeyPassGate(M, Callbacks);
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
