//===- IndirectCallPromotion.cpp - Calls through pointers -------*- C++ -*-===//
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

#include "passes/lto/Passes.h"

#include "heddle/ProfileData/Probes.h"
#include "heddle/Support/Attributes.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/MDBuilder.h"
#include "llvm/IR/ProfDataUtils.h"
#include "llvm/IR/ValueHandle.h"
#include "llvm/ProfileData/InstrProf.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Transforms/Utils/BasicBlockUtils.h"
#include "llvm/Transforms/Utils/CallPromotionUtils.h"
#include "llvm/Transforms/Utils/Local.h"

using namespace llvm;

namespace heddle::passes {

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

/// What a profile says of a call.
void addCounts(PointerCall &C) {
  constexpr uint32_t Most = 255; // as many as records of profiles have
  SmallDenseMap<uint64_t, uint64_t> Counts;
  for (const InstrProfValueData &V : getValueProfDataFromInst(
           *C.Call, IPVK_IndirectCallTarget, Most, C.Total))
    Counts[V.Value] = V.Count;
  for (Function *F : C.Targets)
    C.Counts.push_back(Counts.lookup(Function::getGUIDAssumingExternalLinkage(
        getIRPGOFuncName(*F, /*InLTO=*/true))));
}

PointerCall findTargets(CallBase &Call, ArrayRef<Function *> Taken) {
  PointerCall C{&Call, {}, {}};
  for (Function *F : Taken)
    if (hasTypeOf(Call, *F))
      C.Targets.push_back(F);
    else
      C.MayBeOther |= F->arg_size() == Call.arg_size();
  return C;
}

using PointerCalls = SmallVector<PointerCall, 0>;

MapVector<Function *, PointerCalls> findCalls(Module &M,
                                              ArrayRef<Function *> Taken) {
  MapVector<Function *, PointerCalls> Calls;
  for (Function &F : M)
    for (Instruction &I : instructions(F))
      if (auto *Call = dyn_cast<CallBase>(&I); Call && Call->isIndirectCall())
        Calls[&F].push_back(findTargets(*Call, Taken));
  return Calls;
}

/// The functions that may be called from others, over pointers too.
class CallGraph {
public:
  CallGraph(Module &M, const MapVector<Function *, PointerCalls> &Pointers) {
    for (Function &F : M)
      for (Instruction &I : instructions(F))
        if (auto *Call = dyn_cast<CallBase>(&I))
          if (Function *Callee = Call->getCalledFunction();
              Callee && !Callee->isDeclaration())
            Callees[&F].insert(Callee);
    for (const auto &[F, Calls] : Pointers)
      for (const PointerCall &C : Calls)
        Callees[F].insert_range(C.Targets);
  }

  /// Whether a call of F leads to a call of \p To.
  bool reaches(Function *F, Function *To) const {
    SetVector<Function *> Reached;
    Reached.insert(F);
    for (size_t I = 0; I != Reached.size() && !Reached.contains(To); ++I)
      if (auto Next = Callees.find(Reached[I]); Next != Callees.end())
        Reached.insert(Next->second.begin(), Next->second.end());
    return Reached.contains(To);
  }

private:
  DenseMap<Function *, SetVector<Function *>> Callees;
};

/// A recursive call gains nothing by a comparison before it: it is not inlined.
/// Where most targets lead to one, comparisons with the others do not pay.
/// Where there is but one target, its arguments become known.
void leaveRecursionOut(Module &M, MapVector<Function *, PointerCalls> &Calls) {
  if (Calls.empty())
    return;
  CallGraph Graph(M, Calls);
  for (auto &[F, Own] : Calls) {
    DenseMap<Function *, bool> Recursive;
    auto IsRecursive = [&, Caller = F](Function *Target) {
      auto [At, IsNew] = Recursive.try_emplace(Target);
      if (IsNew)
        At->second = Graph.reaches(Target, Caller);
      return At->second;
    };
    for (PointerCall &C : Own) {
      size_t Before = C.Targets.size();
      if (Before == 1 && !C.MayBeOther)
        continue;
      size_t Left = count_if(C.Targets, IsRecursive);
      if (Left > Before - Left)
        C.Targets.clear();
      else
        erase_if(C.Targets, IsRecursive);
      C.MayBeOther |= C.Targets.size() != Before;
    }
  }
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
    if (!is_contained(InLoops, C.Call)) {
      for (const TargetChoice &Choice : orderTargets(&C))
        promoteCallWithIfThenElse(*C.Call, Choice.Target, Choice.Weights);
      // Whatever it was has become a direct call.
      C.Call->setMetadata(LLVMContext::MD_prof, nullptr);
    }
    if (!C.MayBeOther)
      Wrong.push_back(C.Call);
  }
  for (const WeakVH &Call : Wrong)
    if (Call) // No other one before it ends the block.
      trapAt(*cast<CallBase>(Call));
}

} // namespace

SmallVector<TargetChoice> orderTargets(ArrayRef<const PointerCall *> Calls) {
  const PointerCall &First = *Calls.front();
  struct Counted {
    uint64_t Count;
    size_t Index;
  };
  SmallVector<Counted> Order;
  uint64_t Left = 0;
  for (size_t I = 0; I != First.Targets.size(); ++I) {
    uint64_t Count = 0;
    for (const PointerCall *C : Calls)
      Count = SaturatingAdd(Count, C->Counts[I]);
    Order.push_back({Count, I});
  }
  for (const PointerCall *C : Calls)
    Left = SaturatingAdd(Left, C->Total);
  sort(Order, [](const Counted &A, const Counted &B) {
    return std::pair(B.Count, A.Index) < std::pair(A.Count, B.Index);
  });
  MDBuilder MD(First.Call->getContext());
  const uint64_t Scale = calculateCountScale(Left);
  SmallVector<TargetChoice> Choices;
  for (auto [Count, Index] : Order) {
    MDNode *Weights = nullptr;
    if (Left != 0) {
      Left -= std::min(Left, Count);
      Weights = MD.createBranchWeights(scaleBranchCount(Count, Scale),
                                       scaleBranchCount(Left, Scale));
    }
    Choices.push_back({First.Targets[Index], Weights});
  }
  return Choices;
}

/// The module flag: how many targets there are.
static constexpr char TargetsKnownFlag[] = "heddle.targets-known";

static uint32_t countTargets(const Module &Part) {
  return count_if(Part, [](const Function &F) {
    return F.hasFnAttribute(attr::PointerTarget);
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

PreservedAnalyses IndirectCallPromotionPass::run(Module &M,
                                                 ModuleAnalysisManager &AM) {
  // Probes tell what calls through pointers reach.
  if (M.getFunction(pgo::ProbeFunctionName))
    return PreservedAnalyses::all();
  SmallVector<Function *> Taken;
  for (Function &F : M) {
    bool IsOpen = F.isDeclaration() && !F.isIntrinsic() && F.hasAddressTaken();
    if (IsOpen) // It may be anything.
      return PreservedAnalyses::all();
    if (!F.isIntrinsic() &&
        (F.hasAddressTaken() || F.hasFnAttribute(attr::PointerTarget)))
      Taken.push_back(&F);
  }
  auto &FAM = AM.getResult<FunctionAnalysisManagerModuleProxy>(M).getManager();
  MapVector<Function *, PointerCalls> Calls = findCalls(M, Taken);
  leaveRecursionOut(M, Calls);
  bool Changed = false;
  for (auto &[F, Own] : Calls) {
    erase_if(Own, [](const PointerCall &C) {
      return C.Targets.empty() || C.Targets.size() > MaxTargets;
    });
    if (Own.empty())
      continue;
    for (PointerCall &C : Own)
      addCounts(C);
    promote(Own, *F, FAM);
    FAM.invalidate(*F, PreservedAnalyses::none());
    Changed = true;
  }
  return Changed ? PreservedAnalyses::none() : PreservedAnalyses::all();
}

} // namespace heddle::passes
