//===- Aliases.cpp - Further names of functions -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The other steps of an import know functions only. For them an alias is a
// function that is defined elsewhere.
//
//===----------------------------------------------------------------------===//

#include "Import.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/GlobalAlias.h"

using namespace llvm;

namespace heddle::compiler::nvvm {

std::vector<Alias> takeAliases(Import &I) {
  std::vector<Alias> Taken;
  for (GlobalAlias &A : make_early_inc_range(I.M.aliases())) {
    auto *F = dyn_cast<Function>(A.getAliaseeObject());
    if (!F || F != A.getAliasee()->stripPointerCasts()) {
      I.Report.error(I.File, "alias '" + A.getName() +
                                 "' of what is no function is not supported");
      continue;
    }
    Function *Declared =
        Function::Create(F->getFunctionType(), GlobalValue::ExternalLinkage,
                         F->getAddressSpace(), "", &I.M);
    Declared->copyAttributesFrom(F);
    Declared->takeName(&A);
    Taken.push_back(
        {Declared->getName().str(), F->getName().str(), A.getLinkage()});
    A.replaceAllUsesWith(Declared);
    A.eraseFromParent();
  }
  return Taken;
}

void putAliasesBack(Import &I, ArrayRef<Alias> Taken) {
  for (const Alias &A : Taken) {
    Function *Declared = I.M.getFunction(A.Name);
    Function *F = I.M.getFunction(A.Of);
    auto *New = GlobalAlias::create(F->getValueType(), F->getAddressSpace(),
                                    A.Linkage, "", F, &I.M);
    New->takeName(Declared);
    Declared->replaceAllUsesWith(New);
    Declared->eraseFromParent();
  }
}

} // namespace heddle::compiler::nvvm
