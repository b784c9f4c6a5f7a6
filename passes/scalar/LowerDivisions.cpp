//===- LowerDivisions.cpp - Divisions to library calls ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites the divisions of LLVM IR to calls of the device library; see
// Passes.h for which.
//
//===----------------------------------------------------------------------===//

#include "passes/scalar/Passes.h"

#include "heddle/DeviceLibrary/DeviceLibrary.h"
#include "heddle/Support/Check.h"

#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Module.h"

using namespace llvm;

namespace heddle::passes {

/// The library's word for an operation; empty if it is none of those rewritten.
static StringRef operationName(const Instruction &I) {
  switch (I.getOpcode()) {
  case Instruction::FDiv:
    return "div";
  case Instruction::SDiv:
    return "sdiv";
  case Instruction::UDiv:
    return "udiv";
  case Instruction::SRem:
    return "srem";
  case Instruction::URem:
    return "urem";
  case Instruction::Call:
    if (cast<CallInst>(I).getIntrinsicID() == Intrinsic::sqrt)
      return "sqrt";
    return "";
  default:
    return "";
  }
}

/// Whether instruction selection makes multiplications and shifts of an integer
/// division by \p Divisor.
static bool isExpandedLater(const Value *Divisor, unsigned Width) {
  auto *Constant = dyn_cast<ConstantInt>(Divisor);
  if (!Constant || Constant->isZero())
    return false;
  return Width <= 32 || Constant->getValue().isPowerOf2();
}

namespace {

/// Rewrites one scalar operation.
class DivisionLowering {
public:
  explicit DivisionLowering(Instruction &I)
      : M(*I.getModule()), Operation(operationName(I)), Builder(&I) {}

  /// The operation on scalars; null if the operation stays as it is.
  Value *lower(ArrayRef<Value *> Operands) {
    Type *Ty = Operands[0]->getType();
    return Ty->isIntegerTy() ? lowerInteger(Operands) : lowerFloat(Operands);
  }

  IRBuilder<> &builder() { return Builder; }

private:
  Value *lowerInteger(ArrayRef<Value *> Operands) {
    Type *Ty = Operands[0]->getType();
    unsigned Width = Ty->getIntegerBitWidth();
    if (Width > 64 || isExpandedLater(Operands[1], Width))
      return nullptr;
    bool IsSigned = Operation.starts_with("s");
    unsigned CallWidth = Width <= 32 ? 32 : 64;
    Type *CallTy = Builder.getIntNTy(CallWidth);
    SmallVector<Value *, 2> Wide;
    for (Value *Operand : Operands)
      Wide.push_back(Builder.CreateIntCast(Operand, CallTy, IsSigned));
    std::string Name = ("__heddle_" + Operation + Twine(CallWidth)).str();
    return Builder.CreateTrunc(call(Name, Wide), Ty);
  }

  /// f16 and bf16 go through f32: its 24 bits are over twice theirs and two
  /// more, so that rounding twice gives what rounding once does.
  Value *lowerFloat(ArrayRef<Value *> Operands) {
    Type *Ty = Operands[0]->getType();
    if (!Ty->isFloatTy() && !Ty->isDoubleTy() && !Ty->is16bitFPTy())
      return nullptr;
    Type *CallTy = Ty->isDoubleTy() ? Ty : Builder.getFloatTy();
    SmallVector<Value *, 2> Wide;
    for (Value *Operand : Operands)
      Wide.push_back(Builder.CreateFPCast(Operand, CallTy));
    std::string Name =
        ("__heddle_" + Operation + "_rn_" + (Ty->isDoubleTy() ? "f64" : "f32"))
            .str();
    return Builder.CreateFPCast(call(Name, Wide), Ty);
  }

  /// Calls a library function of operands and a result of one type.
  Value *call(StringRef Name, ArrayRef<Value *> Operands) {
    Type *Ty = Operands[0]->getType();
    SmallVector<Type *, 2> Params(Operands.size(), Ty);
    FunctionCallee Callee =
        M.getOrInsertFunction(Name, FunctionType::get(Ty, Params, false));
    auto *F = dyn_cast<Function>(Callee.getCallee());
    HEDDLE_CHECK(F && F->getFunctionType() == Callee.getFunctionType(),
                 "a name of the device library has another meaning");
    F->setDoesNotThrow();
    F->setDoesNotAccessMemory();
    F->setWillReturn();
    return Builder.CreateCall(Callee, Operands);
  }

  Module &M;
  StringRef Operation;
  IRBuilder<> Builder;
};

} // namespace

/// The operation on vectors, one element at a time; an element whose operation
/// stays keeps it as a scalar.
static Value *lowerVector(Instruction &I, DivisionLowering &Lowering,
                          ArrayRef<Value *> Operands, FixedVectorType *Ty) {
  IRBuilder<> &Builder = Lowering.builder();
  Value *Result = PoisonValue::get(Ty);
  for (unsigned N = 0, E = Ty->getNumElements(); N != E; ++N) {
    SmallVector<Value *, 2> Elements;
    for (Value *Operand : Operands)
      Elements.push_back(Builder.CreateExtractElement(Operand, N));
    Value *Element = Lowering.lower(Elements);
    if (!Element && !isa<BinaryOperator>(I))
      return nullptr;
    if (!Element)
      Element = Builder.CreateBinOp(cast<BinaryOperator>(I).getOpcode(),
                                    Elements[0], Elements[1]);
    Result = Builder.CreateInsertElement(Result, Element, N);
  }
  return Result;
}

static bool lowerDivision(Instruction &I) {
  SmallVector<Value *, 2> Operands;
  for (unsigned N = 0, E = isa<CallInst>(I) ? 1 : 2; N != E; ++N)
    Operands.push_back(I.getOperand(N));
  DivisionLowering Lowering(I);
  auto *VectorTy = dyn_cast<FixedVectorType>(I.getType());
  Value *Lowered = VectorTy ? lowerVector(I, Lowering, Operands, VectorTy)
                            : Lowering.lower(Operands);
  if (!Lowered)
    return false;
  Lowered->takeName(&I);
  I.replaceAllUsesWith(Lowered);
  I.eraseFromParent();
  return true;
}

bool lowerDivisions(Function &F) {
  SmallVector<Instruction *, 8> Divisions;
  for (Instruction &I : instructions(F))
    if (!operationName(I).empty())
      Divisions.push_back(&I);
  bool Changed = false;
  for (Instruction *I : Divisions)
    Changed |= lowerDivision(*I);
  return Changed;
}

bool lowerDivisions(Module &M) {
  bool Changed = false;
  for (Function &F : M)
    Changed |= lowerDivisions(F);
  return Changed;
}

} // namespace heddle::passes
