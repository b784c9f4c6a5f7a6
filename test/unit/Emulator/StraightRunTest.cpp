//===- StraightRunTest.cpp - Counting whole runs at once --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The strict mode executes and counts instruction by instruction. Without it,
// statistics, clocks, results and faults must be the same.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "heddle/ISA/Effects.h"

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;

namespace {

constexpr unsigned Word = 4; // MemSize
constexpr unsigned LT = 1;
constexpr unsigned SRTid = 0, SRClock = 22;
constexpr uint32_t Threads = 80; // The last warp is not full.

struct Outcome {
  std::string Statistics, Fault;
  std::vector<uint32_t> Words;
  bool operator==(const Outcome &) const = default;
};

std::string describe(const rt::LaunchStatistics &S) {
  std::string Text = std::to_string(S.WarpInstructions) + " " +
                     std::to_string(S.ThreadInstructions);
  for (const rt::InstructionCount &C : S.ByClass)
    Text += ", " + C.Class + " " + std::to_string(C.Warp) + " " +
            std::to_string(C.Thread);
  return Text;
}

Outcome run(const KernelBuilder &K, bool Strict) {
  EmulatorOptions Options;
  Options.HostThreads = 1;
  Options.StrictHazards = Strict;
  Machine M(Options);
  uint64_t Out = M.allocate(Threads * 4);
  rt::LaunchResult R =
      M.launch(K, Params().add(Out), {.Block = {Threads}, .SharedBytes = 512});
  Outcome O;
  O.Statistics = describe(R.Statistics);
  O.Fault = R.Fault ? R.Fault->str() : "";
  O.Words = M.download<uint32_t>(Out, Threads);
  return O;
}

/// P0 = the thread's number is less than a bound.
void lessThan(KernelBuilder &K, uint32_t Bound) {
  K.inst("ISETP_i", {{Role::p, 0},
                     {Role::a, 0},
                     {Role::b, Bound},
                     {Role::cmp, LT},
                     {Role::s, PT}});
}

/// R2 += R3, \p Count times; where \p Guard holds.
void add(KernelBuilder &K, unsigned Count, unsigned Guard = PT) {
  for (unsigned N = 0; N < Count; ++N)
    K.guarded(Guard, false, "IADD3_r",
              {{Role::d, 2}, {Role::a, 2}, {Role::b, 3}, {Role::c, RZ}});
}

/// R3 = the clock, R2 += R3.
void addClock(KernelBuilder &K) {
  K.special(3, SRClock);
  add(K, 1);
}

void begin(KernelBuilder &K) {
  K.param64(4, 0).special(0, SRTid).mov(2, 0).mov(3, 1);
  K.address(6, 4, 0, 2);
}
void end(KernelBuilder &K) {
  K.inst("STG_r", {{Role::a, 6}, {Role::c, 2}, {Role::size, Word}});
  K.exit();
}

TEST(StraightRuns, CountWhatExecutes) {
  for (uint32_t Bound : {0, 5, 40, 70, 100}) {
    KernelBuilder K;
    begin(K);
    lessThan(K, Bound);
    add(K, 7, /*Guard=*/0);
    addClock(K);
    K.jump("BRA", "else", {{Role::pg, 0}});
    add(K, 300); // More than a time slice.
    addClock(K);
    K.jump("BRA", "end");
    K.label("else");
    add(K, 45);
    addClock(K);
    K.label("end");
    K.inst("STS_r",
           {{Role::a, 0}, {Role::c, 2}, {Role::sc, 2}, {Role::size, Word}});
    K.inst("BAR_i", {{Role::b, 0}, {Role::c, RZ}});
    addClock(K);
    end(K);
    Outcome Whole = run(K, false);
    EXPECT_EQ(Whole.Fault, "");
    EXPECT_NE(Whole.Words[0], 0u);
    EXPECT_EQ(Whole, run(K, true)) << Bound;
  }
}

/// A lane of the second warp accesses what is outside its memory, with
/// instructions of many classes behind it.
TEST(StraightRuns, CountUpToAFault) {
  for (bool IsAtomic : {false, true}) {
    KernelBuilder K;
    begin(K);
    add(K, 3);
    K.inst("LEA64_r",
           {{Role::d, 8}, {Role::a, 0}, {Role::b, 4}, {Role::sh, 5}});
    if (IsAtomic)
      K.inst("ATOMG_r", {{Role::d, 10}, {Role::a, 8}, {Role::c, 3}});
    else
      K.inst("LDG_r", {{Role::d, 10}, {Role::a, 8}, {Role::size, Word}});
    K.inst("MEMBAR").inst("NOP");
    add(K, 5);
    lessThan(K, 50);
    add(K, 5, /*Guard=*/0);
    end(K);
    Outcome Whole = run(K, false);
    EXPECT_NE(Whole.Fault.find("out-of-bounds"), std::string::npos)
        << Whole.Fault;
    EXPECT_EQ(Whole, run(K, true));
  }
}

/// What the tables say of flow and accesses fits what they say otherwise.
TEST(StraightRuns, TablesAgree) {
  unsigned NumAccesses = 0;
  for (const isa::InstInfo &I : isa::instructions()) {
    const isa::Effects &E = isa::effects(I.Operation);
    if (I.IsBranch || I.IsCall || I.IsReturn || I.IsBarrier)
      EXPECT_EQ(E.Behind, isa::Flow::Any) << I.Name;
    if (I.Uniform)
      EXPECT_NE(E.Behind, isa::Flow::Meet) << I.Name;
    if (!E.isAccess())
      continue;
    ++NumAccesses;
    EXPECT_EQ(E.Behind, isa::Flow::Fault) << I.Name;
    EXPECT_TRUE(I.MayLoad || I.MayStore) << I.Name;
    const isa::OperandInfo *Data = I.operand(I.MayStore ? Role::c : Role::d);
    ASSERT_NE(Data, nullptr) << I.Name;
    unsigned Words = Data->Kind == isa::OperandKind::GPR128  ? 4
                     : Data->Kind == isa::OperandKind::GPR64 ? 2
                                                             : 1;
    EXPECT_EQ(E.AccessWords, Words) << I.Name;
  }
  EXPECT_NE(NumAccesses, 0u);
}

} // namespace
