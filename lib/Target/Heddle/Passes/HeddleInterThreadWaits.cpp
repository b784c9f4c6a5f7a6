//===- HeddleInterThreadWaits.cpp - Who may wait for others ----*- C++ -*--===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Starts from the functions that wait themselves and proceeds to their callers,
// so that each function is visited once, however many call it.
//
//===----------------------------------------------------------------------===//

#include "Passes/HeddleInterThreadWaits.h"

#include "heddle/ISA/ISA.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

static bool isSystemCall(const Function &F) {
  return any_of(heddle::isa::systemCalls(), [&](const auto &Call) {
    return F.getName() == StringRef(Call.Function.data(), Call.Function.size());
  });
}

/// Whether F stands for an instruction that observes the effects of other
/// threads, so that a loop around the call may wait for other threads.
static bool mayPoll(const Function &F) {
  static constexpr StringLiteral Polling[] = {"ld_b128", "atom_", "mbarrier"};
  StringRef Name = F.getName();
  return Name.consume_front("__heddle_") &&
         any_of(Polling, [&](StringRef P) { return Name.starts_with(P); });
}

/// Of a function that is only declared.
static bool mayWaitThere(const Function &F) {
  // System calls and instructions in the guise of functions.
  if (F.getName().starts_with("__heddle_") || isSystemCall(F))
    return mayPoll(F);
  return !F.hasFnAttribute(Attribute::NoSync);
}

/// The function that I calls, if all that may wait in I is in there.
static const Function *definedCallee(const Instruction &I) {
  const auto *Call = dyn_cast<CallBase>(&I);
  const Function *Callee = Call ? Call->getCalledFunction() : nullptr;
  return Callee && !Callee->isDeclaration() ? Callee : nullptr;
}

/// Whether I waits itself, or calls a function that may wait and is not defined
/// here.
static bool mayWaitItself(const Instruction &I) {
  if (const auto *L = dyn_cast<LoadInst>(&I))
    return L->isVolatile() || L->isAtomic();
  if (isa<AtomicRMWInst, AtomicCmpXchgInst>(I))
    return true;
  const auto *Call = dyn_cast<CallBase>(&I);
  if (!Call)
    return false;
  if (isa<IntrinsicInst>(I))
    return Call->isConvergent();
  const Function *Callee = Call->getCalledFunction();
  return !Callee || (Callee->isDeclaration() && mayWaitThere(*Callee));
}

void HeddleInterThreadWaits::clear() {
  Known = nullptr;
  Waiting.clear();
}

void HeddleInterThreadWaits::collect(const Module &M) {
  clear();
  Known = &M;
  DenseMap<const Function *, SmallVector<const Function *, 2>> Callers;
  SmallVector<const Function *, 8> Work;
  for (const Function &F : M) {
    if (any_of(instructions(F), mayWaitItself)) {
      Work.push_back(&F);
      continue;
    }
    for (const Instruction &I : instructions(F))
      if (const Function *Callee = definedCallee(I))
        Callers[Callee].push_back(&F);
  }
  while (!Work.empty()) {
    const Function *F = Work.pop_back_val();
    if (Waiting.insert(F).second)
      append_range(Work, Callers.lookup(F));
  }
}

bool HeddleInterThreadWaits::mayWait(const Function *F) {
  if (!F)
    return true;
  if (F->isDeclaration())
    return mayWaitThere(*F);
  if (Known != F->getParent())
    collect(*F->getParent());
  return Waiting.contains(F);
}
