//===- Attempts.cpp - One module by several plans ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code generation uses up a copy of what the passes over LLVM IR made.
//
//===----------------------------------------------------------------------===//

#include "Backend/Attempts.h"

#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::compiler {

/// Instructions, at least, of a module that is copied before it is known
/// whether there will be another attempt: shorter ones seldom have so many
/// registers.
static constexpr size_t WorthKeeping = 200;

Attempts::Attempts(const Module &M, BackendSteps Steps)
    : Steps(Steps), Original(CloneModule(M)) {}

Error Attempts::compileFirst(Module &M, GeneratedCode &Code) {
  const RegisterPlans Plans;
  if (Error E = Steps.Optimize(M, Plans))
    return E;
  if (M.getInstructionCount() >= WorthKeeping)
    Modules.push_back({Plans, CloneModule(M)});
  if (Error E = Steps.Generate(M, Plans, Code))
    return E;
  Codes.push_back({Plans, Code});
  return Error::success();
}

Expected<const Module *> Attempts::optimized(const RegisterPlans &Plans) {
  RegisterPlans OfPasses = Plans.ofPasses();
  for (const Optimized &O : Modules)
    if (O.Plans == OfPasses)
      return O.M.get();
  std::unique_ptr<Module> M = CloneModule(*Original);
  if (Error E = Steps.Optimize(*M, OfPasses))
    return E;
  Modules.push_back({std::move(OfPasses), std::move(M)});
  return Modules.back().M.get();
}

Error Attempts::compile(const RegisterPlans &Plans, GeneratedCode &Code) {
  for (const Made &Before : Codes)
    if (Before.Plans == Plans) {
      Code = Before.Code;
      return Error::success();
    }
  Expected<const Module *> M = optimized(Plans);
  if (!M)
    return M.takeError();
  if (Error E = Steps.Generate(*CloneModule(**M), Plans, Code))
    return E;
  Codes.push_back({Plans, Code});
  return Error::success();
}

Error Attempts::compileSome(const RegisterPlans &Plans,
                            function_ref<bool(const Function &)> Wants,
                            GeneratedCode &Code) {
  Expected<const Module *> M = optimized(Plans);
  if (!M)
    return M.takeError();
  ValueToValueMapTy Map;
  std::unique_ptr<Module> Part =
      CloneModule(**M, Map, [&](const GlobalValue *G) {
        const auto *F = dyn_cast<Function>(G);
        const Function *Known =
            F ? Original->getFunction(F->getName()) : nullptr;
        return !Known || Wants(*Known);
      });
  return Steps.Generate(*Part, Plans, Code);
}

} // namespace heddle::compiler
