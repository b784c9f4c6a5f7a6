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
#include "llvm/IR/PrintPasses.h"
#include "llvm/Support/Debug.h"
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

static std::string printed(const Module &M) {
  std::string Text;
  raw_string_ostream(Text) << M;
  return Text;
}

/// Prints the module behind each pass that changes it, where LLVM's
/// -print-changed asks for that, as the code generator does of functions. \p
/// Last is the module behind the last pass.
static void printChanges(const Module &M, std::string &Last,
                         PassInstrumentationCallbacks &To) {
  if (PrintChanged == ChangePrinter::None)
    return;
  Last = printed(M);
  auto Compare = [&M, &Last](StringRef Pass, const Twine &Over) {
    std::string Text = printed(M);
    if (Text == Last)
      return;
    dbgs() << "*** IR Dump After " << Pass << " on " << Over << " ***\n"
           << Text;
    Last = std::move(Text);
  };
  To.registerAfterPassCallback(
      [Compare](StringRef Pass, const Any &IR, const PreservedAnalyses &) {
        Compare(Pass, describe(IR));
      });
  To.registerAfterPassInvalidatedCallback(
      [Compare](StringRef Pass, const PreservedAnalyses &) {
        Compare(Pass, "what is gone");
      });
}

void runPasses(Module &M, ModulePassManager MPM, const PassContext &Context) {
  PassInstrumentationCallbacks Callbacks;
  std::string Last;
  obeyPassGate(M, Callbacks);
  printChanges(M, Last, Callbacks);
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
