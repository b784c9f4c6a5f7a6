//===- Variables.cpp - Places of the source's variables ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// States where each variable is from an instruction on: in the frame, in the
// registers of a value as long as they are the value's, or a constant.
//
//===----------------------------------------------------------------------===//

#include "Selector.h"

#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace heddle::singlepass {

/// Whether a debugger is told where variables of the source are.
static bool hasVariables(const Function &F) {
  return F.getSubprogram() && any_of(instructions(F), [](const Instruction &I) {
           return any_of(filterDbgVars(I.getDbgRecordRange()),
                         [](const DbgVariableRecord &Variable) {
                           return !Variable.isKillLocation();
                         });
         });
}

void Selector::beginVariables() {
  if (!hasVariables(F))
    return;
  Flow.emplace(F, A);
  Said.resize(Flow->variables().size());
  // What is said once would count for all of the function.
  for (unsigned N = 0; N != Said.size(); ++N)
    sayPlace(N, VariablePlace(), /*IsFirst=*/true);
}

/// Where a variable is by a record; null: nowhere.
VariablePlace Selector::placeOfVariable(const DbgVariableRecord *Record) const {
  VariablePlace P;
  // A list of several values is an expression that PTX does not have.
  if (!Record || Record->hasArgList())
    return P;
  const Value *V = Record->getVariableLocationOp(0);
  P.Expression = Record->getExpression();
  if (std::optional<Operand> Offset = frameOffset(root(V), 0)) {
    P.K = VariablePlace::Frame;
    P.Number = unsigned(FrameBase);
    P.Offset = *Offset;
    P.IsAddress = Record->isDbgDeclare();
    return P;
  }
  if (Record->isDbgDeclare())
    return P;
  if (const auto *C = dyn_cast<Constant>(V)) {
    bool IsNumber = llvm::isa<ConstantInt, ConstantFP>(C);
    P.K = IsNumber ? VariablePlace::Constant : VariablePlace::Nowhere;
    P.Of = C;
    return P;
  }
  auto It = Homes.find(root(V));
  if (It == Homes.end() || It->second.K == Home::Nowhere)
    return P;
  P.Of = It->first;
  P.Number = It->second.Number;
  P.Count = It->second.Count;
  P.K = It->second.K == Home::Predicate ? VariablePlace::Predicate
                                        : VariablePlace::Registers;
  return P;
}

void Selector::sayPlace(unsigned N, VariablePlace P, bool IsFirst) {
  VariablePlace &Last = Said[N];
  if (!IsFirst && Last.saysSame(P))
    return;
  P.First = Out.Items.size();
  P.Variable = Flow->variables()[N];
  if (!P.Expression)
    P.Expression = P.Variable->getExpression();
  Last = P;
  Out.Variables.push_back(P);
  // Of the bytes that they share nothing else is said any more.
  for (unsigned Other : Flow->overlapping(N))
    Said[Other] = VariablePlace();
}

void Selector::sayVariablesAt(unsigned Block) {
  if (!Flow)
    return;
  for (auto [N, Record] : enumerate(Flow->at(Block)))
    if (!Record)
      sayPlace(N, VariablePlace());
  for (auto [N, Record] : enumerate(Flow->at(Block)))
    if (Record)
      sayPlace(N, placeOfVariable(Record));
}

void Selector::sayVariables(const Instruction &I) {
  if (Flow)
    for (const DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange()))
      sayPlace(Flow->numberOf(R),
               placeOfVariable(R.isKillLocation() ? nullptr : &R));
}

/// The registers of a value are another one's from here on.
void Selector::endPlaces(const Value &V) {
  for (unsigned N = 0; N != Said.size(); ++N)
    if (Said[N].isInRegistersOf(V))
      sayPlace(N, VariablePlace());
}

void Selector::finishVariables() {
  for (VariablePlace &P : Out.Variables) {
    P.First += Out.PrologueItems;
    if (P.Offset.K == Operand::BehindFrame)
      P.Offset.Number += int64_t(FrameBytes);
  }
}

} // namespace heddle::singlepass
