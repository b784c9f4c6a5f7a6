//===- CompileUntilBest.cpp - Which attempts are made -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module is compiled once, unless functions spill or a core could hold more
// warps of a kernel.
//
//===----------------------------------------------------------------------===//

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
  bool Spills = false, Occupancy = false;
};

} // namespace

static Reasons reasonsOf(const Module &M, const Settings &S) {
  if (S.OptLevel < 2 || S.Emit == "llvm")
    return {};
  Reasons R;
  bool MayHaveMoreWarps = S.OptLevel >= 3 && !S.EmbedBitcode;
  size_t Instructions = 0;
  for (const Function &F : M) {
    if (F.isDeclaration())
      continue;
    size_t Count = F.getInstructionCount();
    Instructions += Count;
    R.Spills |= mayRunOut(F, Count, S.Chip);
    R.Occupancy |= MayHaveMoreWarps && mayGainWarps(F, Count);
  }
  return Instructions <= MostRepeatedInstructions ? R : Reasons();
}

/// Uses \p First up, which is as R.Original.
static Error compileBest(Module &First, Reasons Why, Recompilation &R) {
  GeneratedCode Code;
  if (Error E = R.Attempt(First, R.Plans, Code))
    return E;
  R.Bytes = std::move(Code.Bytes);
  R.Found = std::move(Code.Uses);
  if (Why.Spills)
    if (Error E = recompileOnSpill(R))
      return E;
  return Why.Occupancy ? recompileForOccupancy(R) : Error::success();
}

/// Remarks are about the code that is kept: \p M is compiled last, by what was
/// found to be best with copies of it.
static Error compileWithRemarks(Module &M, Reasons Why, GeneratedCode &Code,
                                CompileAttempt Attempt) {
  Recompilation R{M, Attempt, {}, {}, {}};
  {
    ScopedDiagnosticSuppressor Quiet(M.getContext());
    if (Error E = compileBest(*CloneModule(M), Why, R))
      return E;
  }
  return Attempt(M, R.Plans, Code);
}

Error compileUntilBest(Module &M, const Settings &S, Buffer &Bytes,
                       CompileAttempt Attempt) {
  limitCallees(M, S.Chip);
  Reasons Why = reasonsOf(M, S);
  GeneratedCode Code;
  if (!Why.Spills && !Why.Occupancy) {
    if (Error E = Attempt(M, {}, Code))
      return E;
  } else if (M.getContext().getDiagHandlerPtr()->isAnyRemarkEnabled()) {
    if (Error E = compileWithRemarks(M, Why, Code, Attempt))
      return E;
  } else {
    std::unique_ptr<Module> Original = CloneModule(M);
    Recompilation R{*Original, Attempt, {}, {}, {}};
    if (Error E = compileBest(M, Why, R))
      return E;
    Code.Bytes = std::move(R.Bytes);
  }
  Bytes = std::move(Code.Bytes);
  return Error::success();
}

} // namespace heddle::compiler
