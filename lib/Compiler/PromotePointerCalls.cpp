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

#include "llvm/ADT/STLExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/ValueHandle.h"
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

PointerCall findTargets(CallBase &Call, ArrayRef<Function *> Taken) {
  PointerCall C{&Call, {}};
  for (Function *F : Taken)
    if (hasTypeOf(Call, *F))
      C.Targets.push_back(F);
    else
      C.MayBeOther |= F->arg_size() == Call.arg_size();
  return C;
}

/// A pointer that is none of the targets is an error of the program.
void trapAt(CallBase &Call) {
  IRBuilder<> B(&Call);
  B.CreateIntrinsic(Intrinsic::trap, {});
  changeToUnreachable(&Call);
}

void promote(ArrayRef<PointerCall> Calls, Function &F,
             FunctionAnalysisManager &FAM) {
  SmallVector<CallBase *> InLoops = specializeLoops(F, FAM, Calls);
  SmallVector<WeakVH> Wrong;
  for (const PointerCall &C : Calls) {
    if (!is_contained(InLoops, C.Call))
      for (Function *Target : C.Targets)
        promoteCallWithIfThenElse(*C.Call, Target);
    if (!C.MayBeOther)
      Wrong.push_back(C.Call);
  }
  for (const WeakVH &Call : Wrong)
    if (Call) // No other one before it ends the block.
      trapAt(*cast<CallBase>(Call));
}

} // namespace

/// The module flag: how many targets there are.
static constexpr char TargetsKnownFlag[] = "heddle.targets-known";

static uint32_t countTargets(const Module &Part) {
  return count_if(Part, [](const Function &F) {
    return F.hasFnAttribute(PointerTargetAttribute);
  });
}

void setTargetsKnown(Module &Part) {
  Part.addModuleFlag(Module::Max, TargetsKnownFlag, countTargets(Part));
}

bool areTargetsKnown(const Module &Part) {
  const auto *Count = mdconst::extract_or_null<ConstantInt>(
      Part.getModuleFlag(TargetsKnownFlag));
  return Count && Count->getZExtValue() == countTargets(Part);
}

PreservedAnalyses PromotePointerCallsPass::run(Module &M,
                                               ModuleAnalysisManager &AM) {
  SmallVector<Function *> Taken;
  for (Function &F : M) {
    bool IsOpen = F.isDeclaration() && !F.isIntrinsic() && F.hasAddressTaken();
    if (IsOpen) // It may be anything.
      return PreservedAnalyses::all();
    if (!F.isIntrinsic() &&
        (F.hasAddressTaken() || F.hasFnAttribute(PointerTargetAttribute)))
      Taken.push_back(&F);
  }
  auto &FAM = AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  bool Changed = false;
  for (Function &F : M) {
    SmallVector<PointerCall, 0> Calls;
    for (Instruction &I : instructions(F)) {
      auto *Call = dyn_cast<CallBase>(&I);
      if (!Call || !Call->isIndirectCall())
        continue;
      PointerCall C = findTargets(*Call, Taken);
      if (!C.Targets.empty() && C.Targets.size() <= MaxTargets)
        Calls.push_back(std::move(C));
    }
    if (Calls.empty())
      continue;
    promote(Calls, F, FAM);
    FAM.invalidate(F, PreservedAnalyses::none());
    Changed = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::compiler
