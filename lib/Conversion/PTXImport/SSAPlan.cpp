//===- SSAPlan.cpp - Where variables need block arguments -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Dominators and dominance frontiers after Cooper, Harvey and Kennedy;
// arguments at the iterated frontier of a variable's definitions, where it is
// live.
//
//===----------------------------------------------------------------------===//

#include "SSAPlan.h"
#include "llvm/ADT/BitVector.h"

using namespace heddle::import;

namespace {

class Planner {
public:
  Planner(const std::vector<FlowBlock> &Blocks, unsigned NumVariables)
      : Blocks(Blocks), NumVariables(NumVariables) {}
  SSAPlan run();

private:
  void orderBlocks();
  void findDominators();
  unsigned commonDominator(unsigned A, unsigned B) const;
  void findFrontiers();
  void numberCrossingVariables();
  void findLiveness();
  void placeArguments();

  bool reachable(unsigned B) const { return Plan.Position[B] != SSAPlan::None; }

  const std::vector<FlowBlock> &Blocks;
  const unsigned NumVariables;
  SSAPlan Plan;
  std::vector<llvm::SmallVector<unsigned, 2>> Preds;
  std::vector<unsigned> IDom;
  std::vector<llvm::SmallVector<unsigned, 2>> Frontier;
  /// Variables that are live across a block border, and their numbers there.
  std::vector<unsigned> Crossing;
  std::vector<unsigned> CrossingNumber;
  std::vector<llvm::BitVector> LiveIn;
};

} // namespace

/// Depth-first search without recursion: a program may have very many blocks.
void Planner::orderBlocks() {
  Plan.Position.assign(Blocks.size(), SSAPlan::None);
  std::vector<bool> Seen(Blocks.size());
  std::vector<std::pair<unsigned, unsigned>> Stack = {{0, 0}};
  Seen[0] = true;
  while (!Stack.empty()) {
    auto &[Block, Next] = Stack.back();
    if (Next == Blocks[Block].Succs.size()) {
      Plan.Order.push_back(Block);
      Stack.pop_back();
      continue;
    }
    unsigned Succ = Blocks[Block].Succs[Next++];
    if (!Seen[Succ]) {
      Seen[Succ] = true;
      Stack.push_back({Succ, 0});
    }
  }
  std::reverse(Plan.Order.begin(), Plan.Order.end());
  for (unsigned I = 0; I != Plan.Order.size(); ++I)
    Plan.Position[Plan.Order[I]] = I;
  Preds.resize(Blocks.size());
  for (unsigned Block : Plan.Order)
    for (unsigned Succ : Blocks[Block].Succs)
      Preds[Succ].push_back(Block);
}

unsigned Planner::commonDominator(unsigned A, unsigned B) const {
  while (A != B) {
    while (Plan.Position[A] > Plan.Position[B])
      A = IDom[A];
    while (Plan.Position[B] > Plan.Position[A])
      B = IDom[B];
  }
  return A;
}

void Planner::findDominators() {
  IDom.assign(Blocks.size(), SSAPlan::None);
  IDom[0] = 0;
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned Block : llvm::ArrayRef(Plan.Order).drop_front()) {
      unsigned New = SSAPlan::None;
      for (unsigned Pred : Preds[Block])
        if (IDom[Pred] != SSAPlan::None)
          New = New == SSAPlan::None ? Pred : commonDominator(Pred, New);
      Changed |= IDom[Block] != New;
      IDom[Block] = New;
    }
  }
  Plan.DominatedBy.resize(Blocks.size());
  for (unsigned Block : llvm::ArrayRef(Plan.Order).drop_front())
    Plan.DominatedBy[IDom[Block]].push_back(Block);
}

void Planner::findFrontiers() {
  Frontier.resize(Blocks.size());
  for (unsigned Block : Plan.Order) {
    if (Preds[Block].size() < 2)
      continue;
    for (unsigned Runner : Preds[Block])
      for (; Runner != IDom[Block]; Runner = IDom[Runner])
        if (Frontier[Runner].empty() || Frontier[Runner].back() != Block)
          Frontier[Runner].push_back(Block);
  }
}

void Planner::numberCrossingVariables() {
  CrossingNumber.assign(NumVariables, SSAPlan::None);
  for (unsigned Block : Plan.Order)
    for (unsigned Var : Blocks[Block].Exposed)
      if (CrossingNumber[Var] == SSAPlan::None) {
        CrossingNumber[Var] = Crossing.size();
        Crossing.push_back(Var);
      }
}

void Planner::findLiveness() {
  LiveIn.assign(Blocks.size(), llvm::BitVector());
  std::vector<llvm::BitVector> Killed(Blocks.size());
  for (unsigned Block : Plan.Order) {
    LiveIn[Block].resize(Crossing.size());
    Killed[Block].resize(Crossing.size());
    for (unsigned Var : Blocks[Block].Exposed)
      LiveIn[Block].set(CrossingNumber[Var]);
    for (unsigned Var : Blocks[Block].Defined)
      if (CrossingNumber[Var] != SSAPlan::None)
        Killed[Block].set(CrossingNumber[Var]);
  }
  for (bool Changed = true; Changed;) {
    Changed = false;
    for (unsigned Block : llvm::reverse(Plan.Order)) {
      llvm::BitVector Live(Crossing.size());
      for (unsigned Succ : Blocks[Block].Succs)
        Live |= LiveIn[Succ];
      Live.reset(Killed[Block]);
      Live |= LiveIn[Block];
      if (Live != LiveIn[Block]) {
        LiveIn[Block] = std::move(Live);
        Changed = true;
      }
    }
  }
}

void Planner::placeArguments() {
  Plan.Arguments.resize(Blocks.size());
  std::vector<llvm::SmallVector<unsigned, 4>> DefBlocks(Crossing.size());
  for (unsigned Block : Plan.Order)
    for (unsigned Var : Blocks[Block].Defined)
      if (CrossingNumber[Var] != SSAPlan::None)
        DefBlocks[CrossingNumber[Var]].push_back(Block);
  // Block I has an argument for the variable of round LastRound[I].
  std::vector<unsigned> LastRound(Blocks.size(), SSAPlan::None);
  for (unsigned Number = 0; Number != Crossing.size(); ++Number) {
    // The entry defines every variable, if only as undefined.
    auto Work = std::move(DefBlocks[Number]);
    Work.push_back(0);
    while (!Work.empty()) {
      unsigned Block = Work.pop_back_val();
      for (unsigned Join : Frontier[Block]) {
        if (LastRound[Join] == Number || !LiveIn[Join].test(Number))
          continue;
        LastRound[Join] = Number;
        Plan.Arguments[Join].push_back(Crossing[Number]);
        Work.push_back(Join);
      }
    }
  }
  for (auto &Arguments : Plan.Arguments)
    llvm::sort(Arguments);
}

SSAPlan Planner::run() {
  orderBlocks();
  findDominators();
  findFrontiers();
  numberCrossingVariables();
  findLiveness();
  placeArguments();
  return std::move(Plan);
}

SSAPlan heddle::import::planSSA(const std::vector<FlowBlock> &Blocks,
                                unsigned NumVariables) {
  return Planner(Blocks, NumVariables).run();
}
