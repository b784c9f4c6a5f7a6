//===- ExternalSymbols.cpp - What a whole program may leave open -*- C++ -*-=//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Without -c the input is the whole program: a function or variable that it
// uses and does not define is an error, as in ptxas, and no other code calls
// the functions that it defines.
//
//===----------------------------------------------------------------------===//

#include "PrepareModule.h"

#include "heddle/IR/Kernels.h"
#include "heddle/Link/ModuleLink.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;

namespace heddle::compiler {

void checkExternalSymbols(const Module &M, StringRef File, Reporter &Report) {
  auto Check = [&](const auto &Symbol, StringRef Kind) {
    if (!Symbol.isDeclaration() || Symbol.use_empty() || isProvided(Symbol))
      return;
    Report.error(File, "unresolved extern " + Kind + " '" + Symbol.getName() +
                           "'; compile with -c to link it later");
  };
  for (const Function &F : M)
    Check(F, "function");
  for (const GlobalVariable &G : M.globals())
    Check(G, "variable");
}

void internalizeProgram(Module &M, CompileControl &Control) {
  bool AnyUnused = false;
  for (Function &F : M)
    if (!F.isDeclaration() && !ir::isKernel(F)) {
      F.setLinkage(GlobalValue::InternalLinkage);
      AnyUnused |= F.use_empty();
    }
  if (AnyUnused)
    passes::dropUnreachable(
        M, {/*TM=*/nullptr, [&Control] { return Control.shouldStop(); }});
}

} // namespace heddle::compiler
