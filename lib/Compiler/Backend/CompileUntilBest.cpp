//===- CompileUntilBest.cpp - Which attempts are made -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module is compiled once, unless functions spill, a core could hold more
// warps of a kernel, or a profile tells which code of a kernel is best.
//
//===----------------------------------------------------------------------===//

#include "Backend/PlanText.h"
#include "Backend/Recompile.h"
#include "ScopedDiagnosticSuppressor.h"

#include "heddle/Target/Registers.h"

#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::compiler {

/// Instructions of a module, at most, that is compiled several times.
static constexpr size_t MostRepeatedInstructions = 32768;

namespace {

/// For what a module may have to be compiled again.
struct Reasons {
  bool Spills = false, Occupancy = false, Profile = false;

  bool isNone() const { return !Spills && !Occupancy && !Profile; }
};

} // namespace

static Reasons reasonsOf(const Module &M, const Settings &S) {
  if (S.OptLevel < 2 || S.Emit == "llvm")
    return {};
  Reasons R;
  bool IsLast = S.OptLevel >= 3 && !S.EmbedBitcode;
  size_t Instructions = 0;
  for (const Function &F : M) {
    if (F.isDeclaration())
      continue;
    size_t Count = F.getInstructionCount();
    Instructions += Count;
    R.Spills |= mayRunOut(F, Count, S.Chip);
    R.Occupancy |= IsLast && mayGainWarps(F, Count);
    R.Profile |= IsLast && mayGainByProfile(F, Count);
  }
  return Instructions <= MostRepeatedInstructions ? R : Reasons();
}

/// Uses \p First up, which is as the original of R's attempts.
static Error compileBest(Module &First, Reasons Why, Recompilation &R) {
  GeneratedCode Code;
  if (Error E = R.All.compileFirst(First, Code))
    return E;
  R.Bytes = std::move(Code.Bytes);
  R.Found = std::move(Code.Uses);
  if (Why.Spills)
    if (Error E = recompileOnSpill(R))
      return E;
  if (Why.Occupancy)
    if (Error E = recompileForOccupancy(R))
      return E;
  return Why.Profile ? recompileForProfile(R) : Error::success();
}

static Error compileOnce(Module &M, const RegisterPlans &Plans, Buffer &Bytes,
                         BackendSteps Steps) {
  if (Error E = Steps.Optimize(M, Plans.ofPasses()))
    return E;
  GeneratedCode Code;
  if (Error E = Steps.Generate(M, Plans, Code))
    return E;
  Bytes = std::move(Code.Bytes);
  return Error::success();
}

/// What was decided is what was asked for.
static void writePlans(const RegisterPlans &Plans, const Settings &S,
                       Buffer &Bytes) {
  if (S.Emit != PlanForm)
    return;
  std::string Text = describePlans(Plans);
  Bytes.assign(Text.begin(), Text.end());
}

Error compileUntilBest(Module &M, const Settings &S, Buffer &Bytes,
                       BackendSteps Steps) {
  limitCallees(M, S.Chip);
  if (S.Plans)
    return compileOnce(M, *S.Plans, Bytes, Steps);
  Reasons Why = reasonsOf(M, S);
  if (Why.isNone()) {
    if (Error E = compileOnce(M, {}, Bytes, Steps))
      return E;
    writePlans({}, S, Bytes);
    return Error::success();
  }
  Attempts All(M, Steps);
  Recompilation R{All, {}, {}, {}};
  if (!M.getContext().getDiagHandlerPtr()->isAnyRemarkEnabled()) {
    if (Error E = compileBest(M, Why, R))
      return E;
    Bytes = std::move(R.Bytes);
    writePlans(R.Plans, S, Bytes);
    return Error::success();
  }
  // Remarks are about the code that is kept: the module is compiled last, by
  // what was found to be best with copies of it.
  {
    ScopedDiagnosticSuppressor Quiet(M.getContext());
    if (Error E = compileBest(*CloneModule(M), Why, R))
      return E;
  }
  return compileOnce(M, R.Plans, Bytes, Steps);
}

} // namespace heddle::compiler
