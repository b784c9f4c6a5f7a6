//===- HeddleInlineCost.cpp - What inlining is worth ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call itself is cheap: a dozen cycles. Code that runs once from many places
// is better called, since its instructions are fetched once. docs/linking.md
// has the measurements.
//
//===----------------------------------------------------------------------===//

#include "HeddleInlineCost.h"

#include "heddle/Support/AddressSpace.h"

#include "llvm/Analysis/CFG.h"
#include "llvm/IR/Constants.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/Operator.h"

using namespace llvm;

namespace heddle {

namespace {

/// The optimisations that a call can prevent.
enum class Loss : uint8_t { LocalVariable, Target, Loop, AddressSpace };

struct Bonus {
  Loss Why;
  unsigned Amount; ///< in the units of the inliner's costs
  bool IsForEachArgument;
};

constexpr Bonus Bonuses[] = {
    // An argument points into the caller's frame, so that the variable has to
    // be in local memory; in one function it can be in registers. At most: see
    // worthOfVariable.
    {Loss::LocalVariable, 3000, true},
    // An argument is the address of a function, which the callee calls through
    // a pointer.
    {Loss::Target, 700, true},
    // A function may run diverged, so that it has no uniform path. A loop pays
    // for the lack in each iteration.
    {Loss::Loop, 600, false},
    // An argument is a generic address whose space the caller knows.
    {Loss::AddressSpace, 50, true},
};

/// A result of so many bytes is written and read once each: no loss.
constexpr uint64_t SmallResultBytes = 16;
/// Larger variables than this many bytes stay in memory in any case.
constexpr uint64_t MaxVariableBytes = 512;
/// The approximate size of the code for one instruction of LLVM IR.
constexpr uint64_t BytesPerInstruction = 10;
/// The worth of keeping a variable in registers, and the worth of each place in
/// the callee that accesses the variable once in a call.
constexpr unsigned WorthOfVariable = 400, WorthOfAccess = 25;
/// Steps of address arithmetic that are followed.
constexpr unsigned MaxSteps = 8;

/// The variable or function whose address \p V is computed from, if it can be
/// seen; otherwise the last operand reached. PTX passes addresses as integers.
const Value *originOf(const Value *V) {
  for (unsigned I = 0; I != MaxSteps; ++I) {
    const auto *Op = dyn_cast<Operator>(V);
    if (!Op)
      break;
    bool IsSum = Op->getOpcode() == Instruction::Add &&
                 isa<ConstantInt>(Op->getOperand(1));
    if (!IsSum &&
        !isa<GEPOperator, PtrToIntOperator, AddrSpaceCastOperator,
             BitCastOperator>(Op) &&
        Op->getOpcode() != Instruction::IntToPtr)
      break;
    V = Op->getOperand(0);
  }
  return V;
}

/// Whether the caller accesses a variable at places that it computes, so that
/// the variable stays in memory in any case.
bool hasComputedAccess(const Value *V, unsigned Steps = MaxSteps) {
  return any_of(V->users(), [&](const User *U) {
    const auto *Op = dyn_cast<Operator>(U);
    if (!Op || Steps == 0)
      return false;
    bool IsComputed = false;
    if (const auto *Place = dyn_cast<GEPOperator>(Op))
      IsComputed = !Place->hasAllConstantIndices();
    else if (Op->getOpcode() == Instruction::Add)
      IsComputed = !isa<ConstantInt>(Op->getOperand(1));
    else if (!isa<PtrToIntOperator, AddrSpaceCastOperator>(Op) &&
             Op->getOpcode() != Instruction::IntToPtr)
      return false;
    return IsComputed || hasComputedAccess(Op, Steps - 1);
  });
}

/// Whether Argument, made of V, is the address of a variable that could be in
/// registers.
bool isSmallVariable(const Use &Argument, const Value *V,
                     const DataLayout &DL) {
  const auto *Variable = dyn_cast<AllocaInst>(V);
  std::optional<TypeSize> Size =
      Variable ? Variable->getAllocationSize(DL) : std::nullopt;
  if (!Size || Size->isScalable() || Size->getFixedValue() > MaxVariableBytes ||
      hasComputedAccess(Variable))
    return false;
  const auto *Call = cast<CallBase>(Argument.getUser());
  return Size->getFixedValue() > SmallResultBytes ||
         !Call->paramHasAttr(Call->getArgOperandNo(&Argument),
                             Attribute::StructRet);
}

/// Whether a value that the caller passes is an address of a known space.
bool hasKnownSpace(const Value *Argument, const Value *Origin) {
  return Origin != Argument && Origin->getType()->isPointerTy() &&
         Origin->getType()->getPointerAddressSpace() != addrspace::Generic;
}

bool hasLoop(const Function &F) {
  SmallVector<std::pair<const BasicBlock *, const BasicBlock *>> BackEdges;
  FindFunctionBackedges(F, BackEdges);
  return !BackEdges.empty();
}

/// The number of instructions that access the variable at V; nothing if the
/// pointer escapes.
std::optional<unsigned> accessesThrough(const Value *V,
                                        unsigned Steps = MaxSteps) {
  unsigned Sum = 0;
  for (const User *U : V->users()) {
    const auto *Op = dyn_cast<Operator>(U);
    if (!Op || Steps == 0)
      return std::nullopt;
    std::optional<unsigned> More = 1;
    if (Op->getOpcode() == Instruction::Add ||
        Op->getOpcode() == Instruction::IntToPtr ||
        isa<GEPOperator, PtrToIntOperator, AddrSpaceCastOperator>(Op))
      More = accessesThrough(Op, Steps - 1);
    else if (!isa<LoadInst>(Op) &&
             !(isa<StoreInst>(Op) && getLoadStorePointerOperand(Op) == V))
      return std::nullopt;
    if (!More)
      return std::nullopt;
    Sum += *More;
  }
  return Sum;
}

/// The part of the bonus for a variable that a call to straight code is worth:
/// long code that hardly accesses it is better called.
unsigned worthOfVariable(const Use &Argument, const Function &Callee,
                         unsigned Most) {
  unsigned No = cast<CallBase>(Argument.getUser())->getArgOperandNo(&Argument);
  if (No >= Callee.arg_size())
    return Most;
  std::optional<unsigned> Accesses = accessesThrough(Callee.getArg(No));
  return Accesses ? std::min(Most, WorthOfVariable + WorthOfAccess * *Accesses)
                  : Most;
}

bool occurs(Loss Why, const Use &Argument, const DataLayout &DL) {
  const Value *Origin = originOf(Argument);
  switch (Why) {
  case Loss::LocalVariable:
    return isSmallVariable(Argument, Origin, DL);
  case Loss::Target:
    return isa<Function>(Origin);
  case Loss::AddressSpace:
    return hasKnownSpace(Argument, Origin);
  case Loss::Loop:
    break;
  }
  return false;
}

} // namespace

unsigned inlineBonus(const CallBase &Call, uint64_t InstructionCacheBytes) {
  const Function *Callee = Call.getCalledFunction();
  // Functions of the device library carry inlining attributes of their own.
  if (!Callee || Callee->isDeclaration() ||
      Callee->getName().starts_with("__heddle_"))
    return 0;
  // The function itself is not needed any more once no call is left of it.
  uint64_t Copies = Callee->getNumUses() - Callee->hasLocalLinkage();
  uint64_t Growth =
      Callee->getInstructionCount() * BytesPerInstruction * Copies;
  if (Growth > InstructionCacheBytes / 2)
    return 0;
  const DataLayout &DL = Callee->getDataLayout();
  unsigned Sum = 0;
  bool HasLoop = hasLoop(*Callee);
  for (const Bonus &B : Bonuses) {
    if (!B.IsForEachArgument) {
      Sum += HasLoop ? B.Amount : 0;
      continue;
    }
    for (const Use &Argument : Call.args())
      if (occurs(B.Why, Argument, DL))
        Sum += B.Why == Loss::LocalVariable && !HasLoop
                   ? worthOfVariable(Argument, *Callee, B.Amount)
                   : B.Amount;
  }
  return Sum;
}

} // namespace heddle
