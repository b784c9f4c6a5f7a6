//===- MetricsTest.cpp - Metrics and rules ----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables of lib/Metrics fit the ISA and each other.
//
//===----------------------------------------------------------------------===//

#include "heddle/ISA/ISA.h"
#include "heddle/Metrics/Advice.h"
#include "gtest/gtest.h"

#include <set>

using namespace heddle;
using namespace heddle::prof;

namespace {

/// A new instruction needs a kind in Operations.def.
TEST(Operations, EveryInstructionHasAKind) {
  for (const isa::InstInfo &I : isa::instructions())
    EXPECT_TRUE(operationsKind(I.Mnemonic)) << I.Mnemonic;
}

TEST(Operations, EveryMnemonicIsAnInstructionAndInOneRow) {
  std::set<llvm::StringRef> Known, Seen;
  for (const isa::InstInfo &I : isa::instructions())
    Known.insert(I.Mnemonic);
  constexpr llvm::StringLiteral Rows[] = {
#define HEDDLE_OPERATIONS(Enumerator, Name, Title, Mnemonics) Mnemonics,
#include "heddle/Metrics/Operations.def"
  };
  for (llvm::StringRef Row : Rows)
    for (llvm::StringRef Mnemonic : llvm::split(Row, ' ')) {
      EXPECT_TRUE(Known.count(Mnemonic)) << Mnemonic.str();
      EXPECT_TRUE(Seen.insert(Mnemonic).second) << Mnemonic.str();
    }
}

TEST(Metrics, NamesAreUnique) {
  std::set<std::string> Names;
  for (const Metric &M : computeMetrics(rt::LaunchProfile()))
    EXPECT_TRUE(Names.insert(M.Name).second) << M.Name;
}

/// Figures of nothing are zero, not NaN.
TEST(Metrics, OfAnEmptyProfileAreZero) {
  for (const Metric &M : computeMetrics(rt::LaunchProfile()))
    if (M.Section != MetricSection::Launch &&
        M.Section != MetricSection::Occupancy) {
      EXPECT_EQ(M.Value, 0) << M.Name;
    }
  for (const SourceMetric &M : computeSourceMetrics(LineProfile()))
    EXPECT_EQ(M.Value, 0u) << M.Name.str();
}

/// A launch of which half the wavefronts are bank conflicts.
rt::LaunchProfile conflicting() {
  rt::LaunchProfile P;
  P.Cycles = 1000;
  P.Memory.SharedLoads.Wavefronts = 100;
  P.Memory.SharedLoads.Conflicts = 50;
  // Nothing else is suspicious.
  P.Cores = P.SchedulersPerCore = 1;
  P.Issued = 900;
  P.Threads = P.ActiveThreads = 900 * 32;
  return P;
}

TEST(Advice, RunsOnceForEachLimiterThatIsSuspected) {
  rt::LaunchProfile P = conflicting();
  std::vector<rt::Limiter> Runs;
  auto Run = [&](rt::Limiter L) -> llvm::Expected<std::vector<uint64_t>> {
    Runs.push_back(L);
    return std::vector<uint64_t>{600, 0, 999};
  };
  auto All = llvm::cantFail(advise({&P, nullptr, &P}, {}, Run));
  EXPECT_EQ(Runs, std::vector{rt::Limiter::BankConflicts});
  ASSERT_EQ(All.size(), 3u);
  ASSERT_EQ(All[0].size(), 1u);
  EXPECT_EQ(All[0][0].won(), 400u);
  EXPECT_TRUE(All[0][0].isProved());
  EXPECT_TRUE(All[1].empty());
  ASSERT_EQ(All[2].size(), 1u);
  EXPECT_FALSE(All[2][0].isProved()); // A thousandth of the cycles.
}

/// What the compiler adds has a file and no line: no line is named for it.
TEST(Advice, NamesNoLineZero) {
  rt::LaunchProfile P = conflicting();
  for (auto [Line, Conflicts] : {std::pair{12u, 10u}, {0u, 25u}, {0u, 15u}}) {
    rt::InstructionProfile &I = P.Instructions.emplace_back();
    I.SourceFile = Conflicts == 15 ? "b.cu" : "a.cu";
    I.SourceLine = Line;
    I.Shared.Conflicts = Conflicts;
  }
  std::vector<Suspicion> All = findSuspicions(P, {});
  ASSERT_EQ(All.size(), 1u);
  ASSERT_EQ(All[0].Culprits.size(), 2u);
  EXPECT_EQ(All[0].Culprits[0].File, "");
  EXPECT_EQ(All[0].Culprits[0].Share, 0.8);
  EXPECT_EQ(All[0].Culprits[1].File, "a.cu");
  EXPECT_EQ(All[0].Culprits[1].Line, 12u);
  // The same where nobody tries them.
  std::vector<Advice> Suspected = suspect(P, {});
  ASSERT_EQ(Suspected.size(), 1u);
  EXPECT_FALSE(Suspected[0].IsTried);
  EXPECT_FALSE(Suspected[0].isProved());
}

/// Of code of a header that was inlined, the line that called it is named.
TEST(Advice, NamesTheCallersOfInlinedCode) {
  rt::LaunchProfile P = conflicting();
  InlinedLines Inlined;
  for (auto [PC, Line, Conflicts] :
       {std::tuple{0u, 7u, 10u}, {16u, 8u, 20u}, {32u, 30u, 20u}}) {
    rt::InstructionProfile &I = P.Instructions.emplace_back();
    I.Section = ".text.k";
    I.PC = PC;
    I.SourceFile = Line == 30 ? "k.cu" : "header.h";
    I.SourceLine = Line;
    I.Shared.Conflicts = Conflicts;
    if (Line != 30)
      Inlined[{I.Section, PC}] = {"k.cu", 12};
  }
  std::vector<Suspicion> All = findSuspicions(P, Inlined);
  ASSERT_EQ(All.size(), 1u);
  ASSERT_EQ(All[0].Culprits.size(), 2u);
  const Culprit &First = All[0].Culprits[0], &Second = All[0].Culprits[1];
  EXPECT_EQ(First.File, "k.cu");
  EXPECT_EQ(First.Line, 12u);
  EXPECT_EQ(First.Share, 0.6);
  EXPECT_EQ(First.Inlined, SourcePlace("header.h", 8));
  EXPECT_EQ(Second.Line, 30u);
  EXPECT_EQ(Second.Inlined, SourcePlace());
}

TEST(Advice, RunsThatEndEarlyAreAnError) {
  rt::LaunchProfile P = conflicting();
  auto Run = [&](rt::Limiter) -> llvm::Expected<std::vector<uint64_t>> {
    return std::vector<uint64_t>();
  };
  auto All = advise({&P}, {}, Run);
  EXPECT_FALSE(bool(All));
  llvm::consumeError(All.takeError());
}

} // namespace
