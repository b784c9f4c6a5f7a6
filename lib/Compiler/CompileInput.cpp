//===- CompileInput.cpp - The five steps of a compilation -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way of a kernel through the compiler: parse, import, lower, optimise,
// generate. Partitions and retries stand around the steps: the second and the
// third may run over partitions of the file, in several threads, the fourth and
// the fifth over partitions of the module, each until its registers suffice.
//
//===----------------------------------------------------------------------===//

#include "CompileInput.h"
#include "CompilerContext.h"
#include "GenerateOutput.h"
#include "LowerInput.h"
#include "PrepareModule.h"
#include "TaskGroup.h"

using namespace llvm;

namespace heddle::compiler {

static bool importAndLower(Frontend &F, FunctionFilter Wants) {
  return F.importPTX(Wants) && F.lower();
}

Error optimizeAndGenerate(Backend &B, Module &Part, Buffer &Code) {
  auto Optimize = [&](Module &M, const RegisterPlans &Plans) {
    return B.optimize(M, Plans);
  };
  auto Generate = [&](Module &M, const RegisterPlans &Plans,
                      GeneratedCode &Made) {
    return B.generate(M, Plans, Made);
  };
  return compileUntilBest(Part, B.settings(), Code, {Optimize, Generate});
}

Error compileModule(Module &M, const Compilation &C) {
  if (Error E = checkModule(M, C.S, C.File, C.Report, C.Env.Control))
    return E;
  return generateOutput(M, C, optimizeAndGenerate);
}

/// What follows the frontend where it made one module, or text.
static Error compileResult(Expected<FrontendResult> Front,
                           const Compilation &C) {
  if (!Front)
    return Front.takeError();
  if (C.Report.failed())
    return aborted();
  if (Error E = checkStop(C.Env.Control))
    return E;
  if (Front->Module)
    profile(*Front->Module, C.File, C.S, C.Report);
  if (Front->Module && !C.S.CheckOnly)
    return compileModule(*Front->Module, C);
  C.Output.Bytes.append(Front->Text.begin(), Front->Text.end());
  return Error::success();
}

static Error compilePTX(MemoryBufferRef Input, const Compilation &C,
                        LLVMContext &Context) {
  ParsedInput Tree = parseInput(Input, C.S, C.Report, C.Env.Control);
  if (Tree.Module && C.S.isWholeProgram())
    Tree.Reachable = reachableFunctions(*Tree.Module, C.S);
  Expected<std::optional<PartitionedInput>> Partitions =
      lowerPartitions(Tree, Input, C, importAndLower);
  if (!Partitions)
    return Partitions.takeError();
  if (*Partitions)
    return generateOutput(std::move(**Partitions), C, optimizeAndGenerate);
  return compileResult(lowerWhole(Tree, Input, C.S, C.Env.Ctx.mlir(), Context,
                                  C.Report, C.Env.Control, importAndLower),
                       C);
}

Error compileInput(MemoryBufferRef Input, const Compilation &C,
                   LLVMContext &Context) {
  if (!isBitcode(Input.getBuffer()))
    return compilePTX(Input, C, Context);
  return compileResult(runNVVMFrontend(Input, C.S, C.Env.Ctx.mlir(), Context,
                                       C.Report, C.Env.Control),
                       C);
}

Expected<FrontendResult> runFrontend(MemoryBufferRef Input, const Settings &S,
                                     mlir::MLIRContext &MLIR,
                                     LLVMContext &Context, Reporter &Report,
                                     CompileControl &Control) {
  ParsedInput Tree = parseInput(Input, S, Report, Control);
  return lowerWhole(Tree, Input, S, MLIR, Context, Report, Control,
                    importAndLower);
}

} // namespace heddle::compiler
