//===- SSAPlanTest.cpp - Block arguments on random graphs -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Walks random control-flow graphs and compares what each read sees through
// the planned block arguments with the last write of the walk.
//
//===----------------------------------------------------------------------===//

#include "../../../lib/Conversion/PTXImport/SSAPlan.h"
#include "gtest/gtest.h"
#include <random>

using namespace heddle::import;

namespace {

constexpr unsigned NumVariables = 5;

/// A value is named by the write that made it; 0 is "never written".
using Value = unsigned;

/// Where a variable's value comes from in the renamed program: a write, or an
/// argument of a block.
struct Source {
  enum { Undefined, Write, Argument } Kind = Undefined;
  unsigned Id = 0;
};

class RenamedProgram {
public:
  RenamedProgram(const std::vector<FlowBlock> &Blocks, const SSAPlan &Plan)
      : Blocks(Blocks), Plan(Plan), In(Blocks.size()), Out(Blocks.size()) {
    std::vector<Source> Current(NumVariables);
    rename(0, Current);
  }

  /// Number of the write of \p Var in \p Block.
  static unsigned writeId(unsigned Block, unsigned Var) {
    return 1 + Block * NumVariables + Var;
  }

  std::vector<std::vector<Source>> const &in() const { return In; }
  std::vector<std::vector<Source>> const &out() const { return Out; }

private:
  void rename(unsigned Block, std::vector<Source> Current) {
    for (unsigned Var : Plan.Arguments[Block])
      Current[Var] = {Source::Argument, Block * NumVariables + Var};
    In[Block] = Current;
    for (unsigned Var : Blocks[Block].Defined)
      Current[Var] = {Source::Write, writeId(Block, Var)};
    Out[Block] = Current;
    for (unsigned Child : Plan.DominatedBy[Block])
      rename(Child, Current);
  }

  const std::vector<FlowBlock> &Blocks;
  const SSAPlan &Plan;
  std::vector<std::vector<Source>> In, Out;
};

std::vector<FlowBlock> randomGraph(std::mt19937 &Random) {
  auto Below = [&](unsigned N) { return unsigned(Random() % N); };
  std::vector<FlowBlock> Blocks(2 + Below(12));
  for (FlowBlock &Block : Blocks) {
    for (unsigned I = Below(3); I != 0; --I)
      Block.Succs.push_back(1 + Below(Blocks.size() - 1)); // Never the entry.
    for (unsigned Var = 0; Var != NumVariables; ++Var) {
      if (Below(3) == 0)
        Block.Exposed.push_back(Var);
      if (Below(3) == 0)
        Block.Defined.push_back(Var);
    }
  }
  return Blocks;
}

/// Walks from the entry; each exposed read must see the last write.
void walk(const std::vector<FlowBlock> &Blocks, const SSAPlan &Plan,
          const RenamedProgram &Program, std::mt19937 &Random) {
  std::vector<Value> Actual(NumVariables, 0);
  std::vector<Value> Arguments(Blocks.size() * NumVariables, 0);
  auto ValueOf = [&](Source S) {
    return S.Kind == Source::Write      ? S.Id
           : S.Kind == Source::Argument ? Arguments[S.Id]
                                        : 0;
  };
  unsigned Block = 0;
  for (unsigned Steps = 0; Steps != 60; ++Steps) {
    for (unsigned Var : Blocks[Block].Exposed)
      ASSERT_EQ(ValueOf(Program.in()[Block][Var]), Actual[Var])
          << "variable " << Var << " in block " << Block;
    for (unsigned Var : Blocks[Block].Defined)
      Actual[Var] = RenamedProgram::writeId(Block, Var);
    if (Blocks[Block].Succs.empty())
      return;
    unsigned Next = Blocks[Block].Succs[Random() % Blocks[Block].Succs.size()];
    // All arguments are passed at once.
    std::vector<Value> Passed;
    for (unsigned Var : Plan.Arguments[Next])
      Passed.push_back(ValueOf(Program.out()[Block][Var]));
    for (unsigned I = 0; I != Passed.size(); ++I)
      Arguments[Next * NumVariables + Plan.Arguments[Next][I]] = Passed[I];
    Block = Next;
  }
}

TEST(SSAPlan, ReadsSeeTheLastWriteOnRandomGraphs) {
  std::mt19937 Random(1);
  for (unsigned Graph = 0; Graph != 400; ++Graph) {
    std::vector<FlowBlock> Blocks = randomGraph(Random);
    SSAPlan Plan = planSSA(Blocks, NumVariables);
    RenamedProgram Program(Blocks, Plan);
    for (unsigned Walk = 0; Walk != 20; ++Walk)
      walk(Blocks, Plan, Program, Random);
  }
}

TEST(SSAPlan, PassesOnlyWhatIsLiveAndDiffers) {
  // 0 -> 1 -> {1, 2}; variable 0 changes in the loop and is read in it,
  // variable 1 is only read, variable 2 is written and never read.
  std::vector<FlowBlock> Blocks(3);
  Blocks[0] = {{1}, {}, {0, 1, 2}};
  Blocks[1] = {{1, 2}, {0, 1}, {0, 2}};
  Blocks[2] = {{}, {0}, {}};
  SSAPlan Plan = planSSA(Blocks, 3);
  EXPECT_EQ(Plan.Arguments[1], std::vector<unsigned>({0}));
  EXPECT_TRUE(Plan.Arguments[2].empty());
}

TEST(SSAPlan, LeavesOutUnreachableBlocks) {
  std::vector<FlowBlock> Blocks(3);
  Blocks[0] = {{2}, {}, {0}};
  Blocks[1] = {{2}, {}, {0}};
  Blocks[2] = {{}, {0}, {}};
  SSAPlan Plan = planSSA(Blocks, 1);
  EXPECT_EQ(Plan.Order, std::vector<unsigned>({0, 2}));
  EXPECT_EQ(Plan.Position[1], SSAPlan::None);
  EXPECT_TRUE(Plan.Arguments[2].empty());
}

// A chain and a ladder as long as those of large kernels: no recursion, and
// not quadratic.
TEST(SSAPlan, HandlesLongFunctions) {
  constexpr unsigned N = 100000;
  std::vector<FlowBlock> Blocks(N);
  for (unsigned I = 0; I + 1 != N; ++I)
    Blocks[I].Succs = {I + 1, std::min(I + 2, N - 1)};
  Blocks[0].Defined = {0};
  Blocks[N - 1].Exposed = {0};
  SSAPlan Plan = planSSA(Blocks, 1);
  EXPECT_EQ(Plan.Order.size(), size_t(N));
}

} // namespace
