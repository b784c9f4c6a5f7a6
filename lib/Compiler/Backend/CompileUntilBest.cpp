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

#include "Backend/Backend.h"
#include "ScopedDiagnosticSuppressor.h"

#include "heddle/Support/Attributes.h"
#include "heddle/Target/Registers.h"

#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace heddle::compiler {

static Error compileBest(Module &M, const Settings &S, Buffer &Bytes,
                         CompileAttempt Attempt) {
  std::unique_ptr<Module> Copy = mayGainWarps(M, S) ? CloneModule(M) : nullptr;
  if (Error E = mayRunOut(M, S) ? recompileOnSpill(M, Bytes, Attempt)
                                : Attempt(M, Bytes))
    return E;
  return Copy ? recompileForOccupancy(M, std::move(Copy), Bytes, Attempt)
              : Error::success();
}

/// Finds out how functions of \p M that are compiled again are compiled best,
/// and notes it in attributes, which an attempt obeys.
static Error chooseRegisters(Module &M, const Settings &S,
                             CompileAttempt Attempt) {
  if (!mayRunOut(M, S) && !mayGainWarps(M, S))
    return Error::success();
  ScopedDiagnosticSuppressor Quiet(M.getContext());
  std::unique_ptr<Module> Copy = CloneModule(M);
  Buffer Bytes;
  if (Error E = compileBest(*Copy, S, Bytes, Attempt))
    return E;
  for (const Function &F : *Copy)
    for (StringRef Name : RegisterChoiceAttributes)
      if (F.hasFnAttribute(Name))
        M.getFunction(F.getName())->addFnAttr(F.getFnAttribute(Name));
  return Error::success();
}

Error compileUntilBest(Module &M, const Settings &S, Buffer &Bytes,
                       CompileAttempt Attempt) {
  limitCallees(M, S.Chip);
  if (!M.getContext().getDiagHandlerPtr()->isAnyRemarkEnabled())
    return compileBest(M, S, Bytes, Attempt);
  // Remarks are about the code that is kept.
  if (Error E = chooseRegisters(M, S, Attempt))
    return E;
  return Attempt(M, Bytes);
}

} // namespace heddle::compiler
