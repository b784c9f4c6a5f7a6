//===- PromotePointerCalls.cpp - Calls through pointers ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In a program that is complete, a call through a pointer can only reach a
// function whose address the program takes, and only one of the call's type.
// Where they are few, the call becomes a choice of direct calls, which can be
// inlined.
//
//===----------------------------------------------------------------------===//

#include "ProgramPasses.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CallPromotionUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace heddle::compiler {

namespace {

/// More targets than this are called through the pointer.
constexpr unsigned MaxTargets = 8;

/// The type of an array that is passed by its value or returned so.
Type *arrayType(const AttributeSet &Attributes) {
  Type *T = Attributes.getByValType();
  return T ? T : Attributes.getStructRetType();
}

bool hasTypeOf(const CallBase &Call, const Function &F) {
  if (Call.getFunctionType() != F.getFunctionType())
    return false;
  for (unsigned I = 0; I != F.arg_size(); ++I)
    if (arrayType(Call.getAttributes().getParamAttrs(I)) !=
        arrayType(F.getAttributes().getParamAttrs(I)))
      return false;
  return isLegalToPromote(Call, const_cast<Function *>(&F));
}

/// What a pointer may point to.
struct Targets {
  SmallVector<Function *, MaxTargets> OfType;
  /// Others may have the same form in registers, such as .f32 for .b32, so that
  /// a call of the wrong type works.
  bool MayBeOther = false;
};

Targets findTargets(const CallBase &Call, ArrayRef<Function *> Taken) {
  Targets T;
  for (Function *F : Taken)
    if (hasTypeOf(Call, *F))
      T.OfType.push_back(F);
    else
      T.MayBeOther |= F->arg_size() == Call.arg_size();
  return T;
}

/// A pointer that is none of the targets is an error of the program.
void trapAt(CallBase &Call) {
  IRBuilder<> B(&Call);
  B.CreateIntrinsic(Intrinsic::trap, {});
  changeToUnreachable(&Call);
}

void promote(CallBase &Call, const Targets &T) {
  for (Function *F : T.OfType)
    promoteCallWithIfThenElse(Call, F);
  if (!T.MayBeOther)
    trapAt(Call);
}

} // namespace

PreservedAnalyses PromotePointerCallsPass::run(Module &M,
                                               ModuleAnalysisManager &) {
  SmallVector<Function *> Taken;
  SmallVector<CallBase *> Calls;
  for (Function &F : M) {
    bool IsOpen = F.isDeclaration() && !F.isIntrinsic() && F.hasAddressTaken();
    if (IsOpen) // It may be anything.
      return PreservedAnalyses::all();
    if (!F.isIntrinsic() && F.hasAddressTaken())
      Taken.push_back(&F);
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->isIndirectCall())
        Calls.push_back(Call);
  }
  bool Changed = false;
  for (CallBase *Call : Calls) {
    Targets T = findTargets(*Call, Taken);
    if (T.OfType.empty() || T.OfType.size() > MaxTargets)
      continue;
    promote(*Call, T);
    Changed = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::compiler
