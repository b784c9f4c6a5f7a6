//===- Backend.cpp - Optimisation and code generation -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order of the pipelines, the device library and the code generator.
//
//===----------------------------------------------------------------------===//

#include "Backend/Backend.h"
#include "CompilerContext.h"

#include "passes/pipeline/Pipeline.h"
#include "passes/scalar/Passes.h"

#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace heddle::compiler {

Error Backend::linkLibrary(Module &M) {
  if (!DeviceLibrary::isNeededBy(M))
    return Error::success();
  if (!Library)
    Library.emplace(M.getContext());
  return Library->linkInto(M);
}

Error Backend::optimize(Module &M, const RegisterPlans &Plans) {
  CompileControl &Control = Functions.control();
  StageTimer Stages(Control);
  auto ShouldStop = [&] { return Control.shouldStop(); };
  const passes::PassContext Context{&Ctx.targetMachine(S), ShouldStop, &Plans};
  const passes::PipelineOptions Options = S.pipelineOptions();
  if (S.EmbedBitcode && S.Emit == "obj")
    embedBitcode(M, S, Context);
  passes::summarizeProfile(M);
  // Divisions are whole until what they divide by is known.
  if (S.LTO)
    passes::optimizeProgram(M, Options, Context);
  passes::optimizeLoops(M, Options, Context);
  passes::lowerDivisions(M);
  if (Error E = linkLibrary(M))
    return E;
  Stages.end("link device library");
  passes::optimizeModule(M, Options, Context);
  // The trip counts of loops that are unrolled or of no use otherwise are
  // quotients that were not there before.
  if (passes::lowerDivisions(M)) {
    if (Error E = linkLibrary(M))
      return E;
    passes::inlineLibrary(M, Context);
  }
  Stages.end("optimize");
  return checkStop(Control);
}

Error Backend::generate(Module &M, const RegisterPlans &Plans,
                        GeneratedCode &Code) {
  if (S.Emit == "llvm") {
    raw_svector_ostream(Code.Bytes) << M;
    return Error::success();
  }
  StageTimer Stages(Functions.control());
  if (!CodeGen) {
    bool Assembly = S.Emit == "asm";
    CodeGen.emplace(Ctx.codeGenPasses(S, Assembly), Assembly, Functions);
  }
  if (Error E = CodeGen->emit(M, Plans, Code))
    return E;
  Stages.end("generate code");
  if (Error E = checkStop(Functions.control()))
    return E;
  return Report.failed() ? aborted() : Error::success();
}

} // namespace heddle::compiler
