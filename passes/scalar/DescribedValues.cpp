//===- DescribedValues.cpp - That debuggers see true values -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// InstCombine changes an instruction in its place where nothing but a debugger
// sees the difference: of (x >> 5) << 2 it makes x >> 3 without its lowest
// bits, and a variable that is x >> 5 becomes x >> 3. Bits that no instruction
// looks at change likewise. LLVM goes on telling debuggers of that value.
//
// So variables are computed before the pass and behind it, of the same numbers
// for what is not computed: arguments, loads, results of calls. A variable that
// comes out otherwise has no value any more. Numbers may be ones that a program
// never has; a variable may lose its value in vain then, and none is wrong.
//
//===----------------------------------------------------------------------===//

#include "passes/scalar/DescribedValues.h"

#include "llvm/ADT/APInt.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/IR/DebugProgramInstruction.h"
#include "llvm/IR/Function.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/xxhash.h"

using namespace llvm;

namespace heddle::passes {

/// Of longer chains what is behind is given, not computed.
static constexpr unsigned MaxDepth = 48;

/// The width of integers that are computed; 0: it is not one of them.
static unsigned widthOf(const Value &V) {
  const auto *T = dyn_cast<IntegerType>(V.getType());
  return T && T->getBitWidth() <= 64 ? T->getBitWidth() : 0;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Whether a program has small numbers only.
static bool isSmall(const Value &V) {
  const auto *Call = dyn_cast<CallBase>(&V);
  return Call && (Call->getRange() || Call->hasMetadata(LLVMContext::MD_range));
}

std::optional<DescribedValues::Sample> DescribedValues::given(Value *V) {
  auto [It, IsNew] = Numbers.try_emplace(V, Given.size());
  if (IsNew)
    Given.push_back(IsBehind ? nullptr : V);
  unsigned Number = It->second;
  // What was not there before cannot be compared.
  if (Given[Number] != V)
    return std::nullopt;
  constexpr uint64_t Small = 0x3FF, Middle = 0xFFFFFF;
  Sample Result;
  for (unsigned Trial = 0; Trial != Result.size(); ++Trial) {
    std::array<unsigned, 2> Key = {Number, Trial};
    Result[Trial] = xxh3_64bits(
        ArrayRef(reinterpret_cast<const uint8_t *>(Key.data()), sizeof(Key)));
    Result[Trial] &= Trial == 0 || isSmall(*V) ? Small
                     : Trial == 1              ? Middle
                                               : ~uint64_t(0);
    if (unsigned Width = widthOf(*V); Width && Width < 64)
      Result[Trial] &= (uint64_t(1) << Width) - 1;
  }
  return Result;
}

static std::optional<APInt> apply(const BinaryOperator &I, const APInt &A,
                                  const APInt &B) {
  // What is shifted by too much is poison, which may be anything; numbers that
  // are divided by zero are none.
  bool ShiftsAll = B.uge(B.getBitWidth());
  auto Divided = [&](auto Divide) {
    return B.isZero() ? std::nullopt : std::optional<APInt>(Divide());
  };
  switch (I.getOpcode()) {
  case Instruction::Add:
    return A + B;
  case Instruction::Sub:
    return A - B;
  case Instruction::Mul:
    return A * B;
  case Instruction::And:
    return A & B;
  case Instruction::Or:
    return A | B;
  case Instruction::Xor:
    return A ^ B;
  case Instruction::Shl:
    return ShiftsAll ? std::nullopt : std::optional(A.shl(B));
  case Instruction::LShr:
    return ShiftsAll ? std::nullopt : std::optional(A.lshr(B));
  case Instruction::AShr:
    return ShiftsAll ? std::nullopt : std::optional(A.ashr(B));
  case Instruction::UDiv:
    return Divided([&] { return A.udiv(B); });
  case Instruction::SDiv:
    return Divided([&] { return A.sdiv(B); });
  case Instruction::URem:
    return Divided([&] { return A.urem(B); });
  case Instruction::SRem:
    return Divided([&] { return A.srem(B); });
  default:
    return std::nullopt;
  }
}

/// An instruction's value of those of its operands; none: it is not one that is
/// computed here.
static std::optional<APInt> apply(const Instruction &I, ArrayRef<APInt> Of) {
  unsigned Width = widthOf(I);
  switch (I.getOpcode()) {
  case Instruction::Trunc:
    return Of[0].trunc(Width);
  case Instruction::ZExt:
    return Of[0].zext(Width);
  case Instruction::SExt:
    return Of[0].sext(Width);
  case Instruction::Freeze:
    return Of[0];
  case Instruction::Select:
    return Of[0].isOne() ? Of[1] : Of[2];
  case Instruction::ICmp:
    return APInt(
        1, ICmpInst::compare(Of[0], Of[1], cast<ICmpInst>(I).getPredicate()));
  default:
    if (const auto *Binary = dyn_cast<BinaryOperator>(&I))
      return apply(*Binary, Of[0], Of[1]);
    return std::nullopt;
  }
}

static bool isComputed(const Instruction &I) {
  return widthOf(I) &&
         isa<BinaryOperator, TruncInst, ZExtInst, SExtInst, FreezeInst,
             SelectInst, ICmpInst>(I) &&
         all_of(I.operands(), [](const Use &U) { return widthOf(*U); });
}

std::optional<DescribedValues::Sample>
DescribedValues::computed(Instruction &I, unsigned Depth) {
  SmallVector<Sample, 3> Operands;
  for (Value *V : I.operands()) {
    auto Of = valueOf(V, Depth + 1);
    if (!Of)
      return std::nullopt;
    Operands.push_back(*Of);
  }
  Sample Result;
  for (unsigned Trial = 0; Trial != Result.size(); ++Trial) {
    SmallVector<APInt, 3> Of;
    for (auto [V, S] : zip(I.operands(), Operands))
      Of.push_back(APInt(widthOf(*V), S[Trial]));
    auto Value = apply(I, Of);
    if (!Value)
      return std::nullopt;
    Result[Trial] = Value->getZExtValue();
  }
  return Result;
}

std::optional<DescribedValues::Sample>
DescribedValues::valueOf(Value *V, unsigned Depth) {
  if (const auto *C = dyn_cast<ConstantInt>(V); C && widthOf(*V)) {
    Sample Result;
    Result.fill(C->getZExtValue());
    return Result;
  }
  if (isa<Constant>(V))
    return std::nullopt;
  auto *I = dyn_cast<Instruction>(V);
  if (!I || !isComputed(*I) || Depth > MaxDepth)
    return given(V);
  if (auto It = Known.find(V); It != Known.end())
    return It->second;
  auto Result = computed(*I, Depth);
  Known[V] = Result;
  return Result;
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

std::optional<DescribedValues::Record>
DescribedValues::recordOf(DbgVariableRecord &R) {
  if (!R.isDbgValue() || R.isKillLocation())
    return std::nullopt;
  Record Result{R.getVariable(), R.getExpression(), {}, {}};
  for (Value *V : R.location_ops()) {
    auto Of = widthOf(*V) ? valueOf(V) : std::nullopt;
    if (!Of)
      return std::nullopt;
    Result.Values.push_back(*Of);
  }
  return Result;
}

/// Finds what a variable is computed of; false if that is too much.
bool DescribedValues::findGiven(DbgVariableRecord &R, Record &To) const {
  constexpr unsigned MaxSteps = 64;
  SmallSetVector<Value *, 16> Work;
  for (Value *V : R.location_ops())
    Work.insert(V);
  for (unsigned N = 0; N != Work.size(); ++N) {
    if (N == MaxSteps)
      return false;
    auto It = Numbers.find(Work[N]);
    auto *I = dyn_cast<Instruction>(Work[N]);
    if (It != Numbers.end())
      To.Of.push_back(It->second);
    else if (I)
      Work.insert_range(I->operand_values());
  }
  return true;
}

DescribedValues::DescribedValues(Function &F) : F(F) {
  if (!F.getSubprogram())
    return;
  // Also what the pass may compute variables of.
  for (Argument &A : F.args())
    given(&A);
  for (Instruction &I : instructions(F))
    if (!isComputed(I))
      given(&I);
  for (Instruction &I : instructions(F))
    for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange()))
      if (auto Found = recordOf(R); Found && findGiven(R, *Found))
        Records.insert({&R, std::move(*Found)});
}

void DescribedValues::dropChanged() {
  if (Records.empty())
    return;
  IsBehind = true;
  Known.clear();
  // What is gone has been replaced by something equal, or computed otherwise.
  auto IsGone = [&](unsigned Number) { return !Given[Number]; };
  for (Instruction &I : instructions(F))
    for (DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange())) {
      auto Before = Records.find(&R);
      if (Before == Records.end() || any_of(Before->second.Of, IsGone))
        continue;
      auto Now = recordOf(R);
      if (Now && Now->Variable == Before->second.Variable &&
          Now->Expression == Before->second.Expression &&
          Now->Values != Before->second.Values)
        R.setKillLocation();
    }
}

} // namespace heddle::passes
