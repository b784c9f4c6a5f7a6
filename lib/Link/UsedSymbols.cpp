//===- UsedSymbols.cpp - What of a linked program is used -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Kernels are launched by name and variables copied by name; everything else is
// reached from there.
//
//===----------------------------------------------------------------------===//

#include "heddle/IR/Kernels.h"
#include "heddle/Link/ModuleLink.h"
#include "heddle/Support/AddressSpace.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/GlobalAlias.h"
#include "llvm/Transforms/Utils/ModuleUtils.h"

using namespace llvm;

namespace heddle {

bool isHostVisible(const GlobalVariable &G) {
  return (G.getAddressSpace() == addrspace::Global ||
          G.getAddressSpace() == addrspace::Const) &&
         !G.isDeclaration();
}

Error undefinedName(StringRef Option, StringRef Kind, StringRef Name) {
  return createStringError(Option + ": no " + Kind + " '" + Name +
                           "' is defined");
}

namespace {

Error dropKernels(Module &M, const UsedNames &Used) {
  StringSet<> Kept;
  for (const std::string &Name : Used.Names) {
    const Function *F = M.getFunction(Name);
    if (!F || !ir::isDefinedKernel(*F))
      return undefinedName("--kernels-used", "kernel", Name);
    Kept.insert(Name);
  }
  for (Function &F : make_early_inc_range(M)) {
    if (!ir::isDefinedKernel(F) || Kept.contains(F.getName()))
      continue;
    // Device code may launch a kernel, or hold its address.
    F.removeDeadConstantUsers();
    if (F.use_empty())
      F.eraseFromParent();
  }
  return Error::success();
}

Error dropVariables(Module &M, const UsedNames &Used) {
  StringSet<> Kept;
  for (const std::string &Name : Used.Names) {
    const GlobalVariable *G = M.getNamedGlobal(Name);
    if (!G || !isHostVisible(*G))
      return undefinedName("--variables-used", "variable", Name);
    Kept.insert(Name);
  }
  removeFromUsedLists(M, [&](Constant *C) {
    auto *G = dyn_cast<GlobalVariable>(C);
    return G && isHostVisible(*G) && !Kept.contains(G->getName());
  });
  // What code writes and reads stays, and so does what holds a handle.
  for (GlobalVariable &G : M.globals())
    if (isHostVisible(G) && !Kept.contains(G.getName()) && !G.hasSection())
      G.setLinkage(GlobalValue::InternalLinkage);
  return Error::success();
}

} // namespace

Error dropUnused(Module &M, const UsedNames &Kernels,
                 const UsedNames &Variables) {
  if (Kernels.IsGiven)
    if (Error E = dropKernels(M, Kernels))
      return E;
  return Variables.IsGiven ? dropVariables(M, Variables) : Error::success();
}

void internalizeFunctions(Module &M, ArrayRef<std::string> Needed) {
  StringSet<> Kept;
  for (const std::string &Name : Needed)
    Kept.insert(Name);
  auto Internalize = [&](GlobalValue &G) {
    if (!G.isDeclaration() && !Kept.contains(G.getName()))
      G.setLinkage(GlobalValue::InternalLinkage);
  };
  for (Function &F : M)
    if (!ir::isKernel(F))
      Internalize(F);
  for (GlobalAlias &A : M.aliases())
    Internalize(A);
}

} // namespace heddle
