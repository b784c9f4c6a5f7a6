//===- VariableFlow.cpp - Variables where blocks begin ----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variable is at the begin of a block what it is at the end of all those in
// front of it. Blocks that have not been seen count as if they agreed, until
// nothing changes any more.
//
//===----------------------------------------------------------------------===//

#include "VariableFlow.h"

using namespace llvm;

namespace heddle::singlepass {

/// Whether two records of a variable say the same.
static bool saySame(VariableFlow::Record A, VariableFlow::Record B) {
  if (!A || !B)
    return A == B;
  return A->getRawLocation() == B->getRawLocation() &&
         A->getExpression() == B->getExpression() &&
         A->isDbgDeclare() == B->isDbgDeclare();
}

void VariableFlow::run(const BasicBlock &BB, std::vector<Record> &State) const {
  for (const Instruction &I : BB)
    for (const DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange())) {
      unsigned Number = numberOf(R);
      for (unsigned Other : overlapping(Number))
        State[Other] = nullptr;
      State[Number] = R.isKillLocation() ? nullptr : &R;
    }
}

std::vector<VariableFlow::Record>
VariableFlow::meet(const Analysis::Block &B) const {
  std::vector<Record> State;
  for (unsigned Pred : B.Preds) {
    if (End[Pred].empty())
      continue;
    if (State.empty()) {
      State = End[Pred];
      continue;
    }
    for (auto [Now, Other] : zip(State, End[Pred]))
      if (!saySame(Now, Other))
        Now = nullptr;
  }
  if (State.empty() || B.Preds.empty())
    State.assign(Variables.size(), nullptr);
  return State;
}

void VariableFlow::findOverlapping() {
  Overlapping.resize(Variables.size());
  DenseMap<DebugVariableAggregate, SmallVector<unsigned, 1>> Pieces;
  for (unsigned N = 0; N != Variables.size(); ++N) {
    DebugVariable V(Variables[N]);
    for (unsigned Other : Pieces[DebugVariableAggregate(V)]) {
      DebugVariable O(Variables[Other]);
      if (!DIExpression::fragmentsOverlap(V.getFragmentOrDefault(),
                                          O.getFragmentOrDefault()))
        continue;
      Overlapping[N].push_back(Other);
      Overlapping[Other].push_back(N);
    }
    Pieces[DebugVariableAggregate(V)].push_back(N);
  }
}

VariableFlow::VariableFlow(const Function &F, const Analysis &A) {
  for (const BasicBlock &BB : F)
    for (const Instruction &I : BB)
      for (const DbgVariableRecord &R : filterDbgVars(I.getDbgRecordRange()))
        if (Numbers.try_emplace(DebugVariable(&R), Variables.size()).second)
          Variables.push_back(&R);
  findOverlapping();
  const std::vector<Analysis::Block> &Blocks = A.blocks();
  Begin.resize(Blocks.size());
  End.resize(Blocks.size());
  for (bool Changes = !Variables.empty(); Changes;) {
    Changes = false;
    for (unsigned B = 0; B != Blocks.size(); ++B) {
      Begin[B] = meet(Blocks[B]);
      std::vector<Record> State = Begin[B];
      run(*Blocks[B].BB, State);
      bool IsSame = State.size() == End[B].size() &&
                    all_of(zip(State, End[B]), [](auto Pair) {
                      return saySame(std::get<0>(Pair), std::get<1>(Pair));
                    });
      Changes |= !IsSame;
      End[B] = std::move(State);
    }
  }
}

} // namespace heddle::singlepass
