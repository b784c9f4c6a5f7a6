//===- ControlTest.cpp - Divergence, barriers, exchange ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What lanes run where, when they meet, and what ends a launch.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;
using rt::FaultKind;

namespace {

constexpr unsigned Word = 4;                       // MemSize
constexpr unsigned LT = 1, EQ = 2, NE = 5, GE = 6; // CmpI
constexpr unsigned SRTid = 0, SRCta = 6, SRLane = 12;

KernelBuilder &compare(KernelBuilder &K, unsigned P, unsigned A, unsigned Code,
                       uint32_t B) {
  return K.inst("ISETP_i", {{Role::p, P},
                            {Role::a, A},
                            {Role::b, B},
                            {Role::cmp, Code},
                            {Role::s, PT}});
}
KernelBuilder &addImm(KernelBuilder &K, unsigned D, unsigned A, uint32_t B) {
  return K.inst("IADD3_i",
                {{Role::d, D}, {Role::a, A}, {Role::b, B}, {Role::c, RZ}});
}
/// Out[thread of the block] = R, where R4,R5 is Out.
KernelBuilder &storeByThread(KernelBuilder &K, unsigned R) {
  K.special(30, SRTid).address(32, 4, 30, 2);
  return K.inst("STG_r", {{Role::a, 32}, {Role::c, R}, {Role::size, Word}});
}

std::vector<uint32_t> runBlock(KernelBuilder &K, unsigned Threads,
                               uint32_t SharedBytes = 0,
                               EmulatorOptions Options = {}) {
  Machine M(Options);
  uint64_t Out = M.allocate(Threads * 4);
  M.run(K, Params().add(Out),
        {.Block = {Threads, 1, 1}, .SharedBytes = SharedBytes});
  return M.download<uint32_t>(Out, Threads);
}

TEST(Control, LoopsOfDifferentLengths) {
  // R1 counts the lane's iterations, lane + 1 of them.
  KernelBuilder K;
  K.param64(4, 0).special(0, SRLane).mov(1, 0);
  K.jump("BSSY", "end", {{Role::d, 0}});
  K.label("loop");
  addImm(K, 1, 1, 1);
  K.inst("ISETP_r", {{Role::p, 0},
                     {Role::a, 1},
                     {Role::b, 0},
                     {Role::cmp, 3}, // LE
                     {Role::s, PT}});
  K.jump("BRA", "loop", {{Role::pg, 0}});
  K.label("end").inst("BSYNC", {{Role::a, 0}});
  // All lanes are together again: each sees all others.
  K.inst("VOTE_i", {{Role::d, 2},
                    {Role::p, PT},
                    {Role::fn, 3},
                    {Role::s, PT},
                    {Role::b, ~0u}});
  K.inst("POPC_r", {{Role::d, 2}, {Role::b, 2}});
  K.inst("IMAD_i", {{Role::d, 1}, {Role::a, 1}, {Role::b, 100}, {Role::c, 2}});
  storeByThread(K, 1).exit();
  auto Out = runBlock(K, 32);
  for (unsigned L = 0; L < 32; ++L)
    EXPECT_EQ(Out[L], (L + 1) * 100 + 32);
}

TEST(Control, NestedDivergenceAndBreak) {
  // Odd lanes leave the barrier in the middle and go on alone.
  KernelBuilder K;
  K.param64(4, 0).special(0, SRLane);
  K.inst("LOP3_i", {{Role::d, 1},
                    {Role::a, 0},
                    {Role::b, 1},
                    {Role::c, RZ},
                    {Role::lut, 0xC0}});
  K.jump("BSSY", "end", {{Role::d, 3}});
  compare(K, 0, 1, NE, 0);
  K.guarded(0, false, "BREAK", {{Role::d, 3}});
  K.jump("BRA", "odd", {{Role::pg, 0}});
  K.label("end").inst("BSYNC", {{Role::a, 3}});
  K.label("odd");
  K.inst("VOTE_i", {{Role::d, 2},
                    {Role::p, PT},
                    {Role::fn, 3},
                    {Role::s, PT},
                    {Role::b, ~0u}});
  // The groups of even and odd lanes may meet at the vote or not; the barrier's
  // mask tells who was awaited.
  K.inst("BMOV", {{Role::d, 2}, {Role::a, 3}});
  storeByThread(K, 2).exit();
  auto Out = runBlock(K, 32);
  for (unsigned L = 0; L < 32; ++L)
    EXPECT_EQ(Out[L], 0x55555555u);
}

TEST(Control, ExitedLanesAreNotAwaited) {
  KernelBuilder K;
  K.param64(4, 0).special(0, SRLane);
  K.jump("BSSY", "end", {{Role::d, 0}});
  compare(K, 0, 0, LT, 16);
  K.guarded(0, false, "EXIT");
  K.label("end").inst("BSYNC", {{Role::a, 0}});
  K.inst("WARPSYNC_i", {{Role::b, ~0u}});
  K.inst("BAR_i", {{Role::b, 0}});
  storeByThread(K, 0).exit();
  auto Out = runBlock(K, 32);
  for (unsigned L = 16; L < 32; ++L)
    EXPECT_EQ(Out[L], L);
}

TEST(Control, CallsAndIndirectBranches) {
  // Even lanes call one function and odd lanes another through an address.
  KernelBuilder K;
  K.param64(4, 0).special(0, SRLane);
  K.jump("CALL", "next", {{Role::d, 2}}); // R2 = address of "next"
  K.label("next");
  constexpr unsigned Step = 16;
  auto AddressOf = [&](unsigned D, unsigned Instructions) {
    K.inst("IADD64_i",
           {{Role::d, D}, {Role::a, 2}, {Role::b, Instructions * Step}});
  };
  // The functions stand after the code below: 7 and 9 instructions from next.
  AddressOf(10, 9);
  AddressOf(12, 11);
  K.inst("LOP3_i", {{Role::d, 1},
                    {Role::a, 0},
                    {Role::b, 1},
                    {Role::c, RZ},
                    {Role::lut, 0xC0}});
  compare(K, 1, 1, EQ, 0);
  K.inst("SEL64_r",
         {{Role::d, 14}, {Role::a, 10}, {Role::b, 12}, {Role::s, 1}});
  K.inst("CALLR", {{Role::d, 2}, {Role::a, 14}});
  K.special(30, SRTid).address(32, 4, 30, 2);
  K.jump("BRA", "store");
  addImm(K, 6, 0, 1000); // even
  K.inst("RET", {{Role::a, 2}});
  addImm(K, 6, 0, 2000); // odd
  K.inst("RET", {{Role::a, 2}});
  K.label("store");
  K.inst("STG_r", {{Role::a, 32}, {Role::c, 6}, {Role::size, Word}});
  K.exit();
  auto Out = runBlock(K, 32);
  for (unsigned L = 0; L < 32; ++L)
    EXPECT_EQ(Out[L], (L & 1 ? 2000 : 1000) + L);
}

/// A lock that lanes take one after the other, each releasing it only after the
/// barrier behind the loop: with a hard barrier it would never end.
TEST(Control, SpinLockNeedsTheBoundedWait) {
  for (bool Bounded : {true, false}) {
    KernelBuilder K;
    K.param64(4, 0).mov(8, 0).mov(9, 1);
    K.jump("BSSY", "got", {{Role::d, 0}});
    K.label("try");
    K.inst("ATOMGCAS_r", {{Role::d, 10},
                          {Role::a, 4},
                          {Role::c, RZ},
                          {Role::e, 9},
                          {Role::size, Word}});
    compare(K, 0, 10, NE, 0);
    K.jump("BRA", "try", {{Role::pg, 0}});
    K.label("got").inst("BSYNC", {{Role::a, 0}, {Role::yieldable, Bounded}});
    // The critical section: a counter without atomics.
    K.inst("LDG_r",
           {{Role::d, 11}, {Role::a, 4}, {Role::imm, 4}, {Role::size, Word}});
    addImm(K, 11, 11, 1);
    K.inst("STG_r",
           {{Role::a, 4}, {Role::c, 11}, {Role::imm, 4}, {Role::size, Word}});
    K.inst("MEMBAR", {{Role::fn, 0}, {Role::scope, 2}});
    K.inst("STG_r", {{Role::a, 4}, {Role::c, RZ}, {Role::size, Word}});
    K.exit();
    Machine M;
    uint64_t Memory = M.upload(std::vector<uint32_t>{0, 0});
    Machine::Shape Shape{.Grid = {4, 1, 1}, .Block = {64, 1, 1}};
    if (Bounded) {
      M.run(K, Params().add(Memory), Shape);
      EXPECT_EQ(M.download<uint32_t>(Memory, 2)[1], 256u);
    } else {
      Shape.MaxThreadInstructions = 1000000;
      M.runToFault(FaultKind::Timeout, K, Params().add(Memory), Shape);
    }
  }
}

/// Lane 0 waits in a loop for what lane 1 does after the branch, and the other
/// way round: both must get their turns.
TEST(Control, LanesThatSpinOnEachOtherProgress) {
  KernelBuilder K;
  K.param64(4, 0).special(0, SRLane).mov(9, 1);
  K.inst("STG_r", {{Role::a, 4}, {Role::c, RZ}, {Role::size, Word}});
  compare(K, 0, 0, NE, 0);
  K.jump("BRA", "lane1", {{Role::pg, 0}});
  K.label("wait0");
  K.inst("LDG_r", {{Role::d, 10}, {Role::a, 4}, {Role::size, Word}});
  compare(K, 1, 10, EQ, 0);
  K.jump("BRA", "wait0", {{Role::pg, 1}});
  K.mov(9, 2);
  K.inst("STG_r", {{Role::a, 4}, {Role::c, 9}, {Role::size, Word}});
  K.exit();
  K.label("lane1");
  K.inst("STG_r", {{Role::a, 4}, {Role::c, 9}, {Role::size, Word}});
  K.label("wait1");
  K.inst("LDG_r", {{Role::d, 10}, {Role::a, 4}, {Role::size, Word}});
  compare(K, 1, 10, NE, 2);
  K.jump("BRA", "wait1", {{Role::pg, 1}});
  K.exit();
  EXPECT_EQ(runBlock(K, 2)[0], 2u);
}

/// CTA 0 waits for CTA 1, on one host thread.
TEST(Control, CTAsThatWaitForLaterOnesProgress) {
  EmulatorOptions Options;
  Options.HostThreads = 1;
  Machine M(Options);
  uint64_t Memory = M.upload(std::vector<uint32_t>{0});
  KernelBuilder K;
  K.param64(4, 0).special(0, SRCta).mov(9, 1);
  compare(K, 0, 0, NE, 0);
  K.guarded(0, false, "STG_r",
            {{Role::a, 4}, {Role::c, 9}, {Role::size, Word}});
  K.label("wait");
  K.inst("LDG_r", {{Role::d, 10}, {Role::a, 4}, {Role::size, Word}});
  compare(K, 1, 10, EQ, 0);
  K.jump("BRA", "wait", {{Role::pg, 1}});
  K.exit();
  M.run(K, Params().add(Memory), {.Grid = {2, 1, 1}});
}

//===----------------------------------------------------------------------===//
// CTA barriers
//===----------------------------------------------------------------------===//

TEST(Control, BarrierOrdersSharedMemory) {
  // Each thread stores, all wait, each reads its mirror image.
  constexpr unsigned Threads = 200;
  KernelBuilder K;
  K.param64(4, 0).special(0, SRTid);
  addImm(K, 1, 0, 7);
  K.inst("STS_r",
         {{Role::a, 0}, {Role::sc, 2}, {Role::c, 1}, {Role::size, Word}});
  K.inst("BAR_i", {{Role::b, 3}});
  K.inst("IADD3_i", {{Role::d, 2},
                     {Role::a, 0},
                     {Role::ma, 1},
                     {Role::b, Threads - 1},
                     {Role::c, RZ}});
  K.inst("LDS_r",
         {{Role::d, 3}, {Role::a, 2}, {Role::sc, 2}, {Role::size, Word}});
  storeByThread(K, 3).exit();
  auto Out = runBlock(K, Threads, Threads * 4);
  for (unsigned T = 0; T < Threads; ++T)
    EXPECT_EQ(Out[T], Threads - 1 - T + 7);
}

TEST(Control, BarrierReductions) {
  constexpr unsigned Threads = 100;
  for (unsigned Limit : {0u, 30u, Threads}) {
    KernelBuilder K;
    K.param64(4, 0).special(0, SRTid);
    compare(K, 0, 0, LT, Limit);
    K.inst("BAR_i", {{Role::d, 1}, {Role::b, 1}, {Role::fn, 2}, {Role::s, 0}});
    K.inst("BAR_i", {{Role::p, 1}, {Role::b, 1}, {Role::fn, 3}, {Role::s, 0}});
    K.inst("BAR_i", {{Role::p, 2}, {Role::b, 1}, {Role::fn, 4}, {Role::s, 0}});
    K.inst("P2R", {{Role::d, 2}});
    K.inst("LOP3_i", {{Role::d, 2},
                      {Role::a, 2},
                      {Role::b, 6},
                      {Role::c, RZ},
                      {Role::lut, 0xC0}});
    K.inst("IMAD_i", {{Role::d, 1}, {Role::a, 1}, {Role::b, 8}, {Role::c, 2}});
    storeByThread(K, 1).exit();
    auto Out = runBlock(K, Threads);
    unsigned And = Limit == Threads, Or = Limit > 0;
    for (unsigned T = 0; T < Threads; ++T)
      EXPECT_EQ(Out[T], Limit * 8 + And * 2 + Or * 4);
  }
}

TEST(Control, ProducersArriveConsumersWait) {
  // Warp 0 arrives and ends; warp 1 waits for 64 threads.
  KernelBuilder K;
  K.param64(4, 0).special(0, SRTid).mov(8, 64);
  compare(K, 0, 0, GE, 32);
  K.jump("BRA", "consumer", {{Role::pg, 0}});
  K.inst("STS_r",
         {{Role::a, 0}, {Role::sc, 2}, {Role::c, 0}, {Role::size, Word}});
  K.inst("BAR_i", {{Role::b, 2}, {Role::c, 8}, {Role::fn, 1}});
  storeByThread(K, 0).exit();
  K.label("consumer");
  K.inst("BAR_i", {{Role::b, 2}, {Role::c, 8}});
  K.inst("LDS_r", {{Role::d, 3},
                   {Role::a, 0},
                   {Role::sc, 2},
                   {Role::imm, uint32_t(-128)},
                   {Role::size, Word}});
  storeByThread(K, 3).exit();
  auto Out = runBlock(K, 64, 128);
  for (unsigned T = 0; T < 64; ++T)
    EXPECT_EQ(Out[T], T % 32);
}

/// Lanes let out of a bounded wait early come to the next barrier, which has
/// the same lanes in the same register, while the others come to the bounded
/// one.
TEST(Control, BarriersOfTheSameLanesAreKeptApart) {
  KernelBuilder K;
  K.param64(4, 0).special(0, SRLane).mov(1, 0);
  K.jump("BSSY", "outer", {{Role::d, 0}});
  K.jump("BSSY", "inner", {{Role::d, 0}});
  compare(K, 0, 0, LT, 8);
  K.jump("BRA", "inner", {{Role::pg, 0}});
  K.label("loop");
  addImm(K, 1, 1, 1);
  compare(K, 0, 1, LT, 1000);
  K.jump("BRA", "loop", {{Role::pg, 0}});
  K.label("inner").inst("BSYNC", {{Role::a, 0}, {Role::yieldable, 1}});
  addImm(K, 1, 1, 1);
  K.label("outer").inst("BSYNC", {{Role::a, 0}});
  K.inst("VOTE_i", {{Role::d, 2},
                    {Role::p, PT},
                    {Role::fn, 3},
                    {Role::s, PT},
                    {Role::b, ~0u}});
  storeByThread(K, 2).exit();
  auto Out = runBlock(K, 32);
  for (unsigned L = 0; L < 32; ++L)
    EXPECT_EQ(Out[L], ~0u);
}

TEST(Control, DeadlocksSayWhoWaits) {
  Machine M;
  KernelBuilder Hard; // Lane 0 waits for lanes that wait at another barrier.
  Hard.special(0, SRLane);
  Hard.jump("BSSY", "end", {{Role::d, 0}});
  compare(Hard, 0, 0, EQ, 0);
  Hard.jump("BRA", "end", {{Role::pg, 0}});
  Hard.inst("WARPSYNC_i", {{Role::b, ~0u}});
  Hard.label("end").inst("BSYNC", {{Role::a, 0}}).exit();
  rt::Fault F =
      M.runToFault(FaultKind::Deadlock, Hard, {}, {.Block = {32, 1, 1}});
  EXPECT_NE(F.Message.find("lanes 0x00000001 at BSYNC"), std::string::npos)
      << F.Message;
  EXPECT_NE(F.Message.find("lanes 0xfffffffe at WARPSYNC"), std::string::npos)
      << F.Message;

  KernelBuilder Half; // Warp 0 waits at barrier 1 and warp 1 at barrier 2.
  Half.special(0, SRTid);
  compare(Half, 0, 0, LT, 32);
  Half.inst("SEL_i", {{Role::d, 1}, {Role::a, RZ}, {Role::b, 1}, {Role::s, 0}});
  Half.inst("BAR_r", {{Role::b, 1}}).exit();
  F = M.runToFault(FaultKind::Deadlock, Half, {}, {.Block = {64, 1, 1}});
  EXPECT_NE(F.Message.find("barrier 0 32 of 64"), std::string::npos)
      << F.Message;
  EXPECT_NE(F.Message.find("barrier 1 32 of 64"), std::string::npos)
      << F.Message;
}

TEST(Control, EndlessLoopsTimeOut) {
  KernelBuilder K;
  K.label("loop").jump("BRA", "loop").exit();
  Machine M;
  rt::Fault F =
      M.runToFault(FaultKind::Timeout, K, {},
                   {.Block = {64, 1, 1}, .MaxThreadInstructions = 100000});
  EXPECT_EQ(F.PC, 0u);
}

TEST(Control, IllegalCodeAndTraps) {
  Machine M;
  KernelBuilder Empty;
  Empty.inst("NOP");
  M.runToFault(FaultKind::IllegalInstruction, Empty, {}, {});

  KernelBuilder Odd; // An odd register for a pair.
  Odd.inst("MOV64_r", {{Role::d, 4}, {Role::b, 6}}).exit();
  Odd[0].setField(16, 8, 5);
  EXPECT_EQ(M.runToFault(FaultKind::IllegalInstruction, Odd, {}, {}).PC, 0u);

  KernelBuilder Stray; // A bit that no field covers.
  Stray.inst("NOP").inst("EXIT").exit();
  Stray[1].Hi |= uint64_t(1) << 63;
  EXPECT_EQ(M.runToFault(FaultKind::IllegalInstruction, Stray, {}, {}).PC, 16u);

  KernelBuilder Wild;
  Wild.mov(4, 0x1000).mov(5, 0).inst("BRX", {{Role::a, 4}}).exit();
  EXPECT_EQ(M.runToFault(FaultKind::IllegalInstruction, Wild, {}, {}).PC, 32u);

  KernelBuilder Trap;
  Trap.inst("NOP").inst("TRAP").exit();
  EXPECT_EQ(M.runToFault(FaultKind::Trap, Trap, {}, {}).PC, 16u);
  KernelBuilder Breakpoint;
  Breakpoint.inst("BPT").exit();
  M.runToFault(FaultKind::Trap, Breakpoint, {}, {});
}

TEST(Control, TheFirstFaultInTheGridIsReported) {
  EmulatorOptions Options;
  Options.HostThreads = 4;
  KernelBuilder K; // CTAs from 5 on trap.
  K.special(0, SRCta);
  compare(K, 0, 0, GE, 5);
  K.guarded(0, false, "TRAP").exit();
  for (int N = 0; N < 20; ++N) {
    Machine M(Options);
    rt::Fault F = M.runToFault(FaultKind::Trap, K, {},
                               {.Grid = {40, 1, 1}, .Block = {32, 1, 1}});
    EXPECT_EQ(F.Block, (rt::Dim3{5, 0, 0}));
  }
}

//===----------------------------------------------------------------------===//
// Exchange within a warp
//===----------------------------------------------------------------------===//

/// PTX's own definition of the source lane; -1 out of range.
int shuffleLane(unsigned Mode, int Lane, int B, int Control) {
  int Segment = Control >> 8 & 31, Clamp = Control & 31;
  int MaxLane = (Lane & Segment) | (Clamp & ~Segment), MinLane = Lane & Segment;
  B &= 31;
  switch (Mode) {
  case 1:
    return Lane - B >= MaxLane ? Lane - B : -1;
  case 2:
    return Lane + B <= MaxLane ? Lane + B : -1;
  case 3:
    return (Lane ^ B) <= MaxLane ? Lane ^ B : -1;
  default:
    return (MinLane | (B & ~Segment)) <= MaxLane ? MinLane | (B & ~Segment)
                                                 : -1;
  }
}

TEST(Control, Shuffles) {
  for (unsigned Mode = 0; Mode < 4; ++Mode)
    for (unsigned Control : {0x1Fu, 0u, 0x181Fu, 0x1C03u, 0x1800u})
      for (unsigned B : {0, 1, 3, 8, 17, 31}) {
        KernelBuilder K;
        K.param64(4, 0).special(0, SRLane).mov(1, Control);
        addImm(K, 6, 0, 100);
        K.inst("SHFL_i", {{Role::d, 7},
                          {Role::p, 0},
                          {Role::a, 6},
                          {Role::b, B},
                          {Role::seg, Control},
                          {Role::shfn, Mode}});
        K.mov(8, B);
        K.inst("SHFLV", {{Role::d, 9},
                         {Role::p, 1},
                         {Role::a, 6},
                         {Role::b, 8},
                         {Role::c, 1},
                         {Role::shfn, Mode}});
        K.inst("P2R", {{Role::d, 10}});
        K.inst("LEA_r",
               {{Role::d, 7}, {Role::a, 9}, {Role::b, 7}, {Role::sh, 8}});
        K.inst("LEA_r",
               {{Role::d, 7}, {Role::a, 10}, {Role::b, 7}, {Role::sh, 16}});
        storeByThread(K, 7).exit();
        auto Out = runBlock(K, 32);
        for (int L = 0; L < 32; ++L) {
          int From = shuffleLane(Mode, L, B, Control);
          uint32_t Value = 100 + (From < 0 ? L : From);
          ASSERT_EQ(Out[L], Value | Value << 8 | (From < 0 ? 0 : 3 << 16))
              << "mode " << Mode << " control " << Control << " b " << B
              << " lane " << L;
        }
      }
}

TEST(Control, VotesMatchesReductions) {
  // Lanes 8 to 31 execute; the mask leaves out lane 31; s holds for odd lanes.
  struct {
    std::string_view Name;
    Fields F;
    std::function<uint32_t(unsigned)> Want;
  } Cases[] = {
      {"VOTE_i", {{Role::fn, 3}}, [](unsigned) { return 0x2AAAAA00; }},
      {"MATCH_i",
       {{Role::fn, 0}},
       [](unsigned L) {
         uint32_t Same = 0;
         for (unsigned O = 8; O < 31; ++O)
           Same |= uint32_t(O % 3 == L % 3) << O;
         return Same;
       }},
      {"MATCH_i", {{Role::fn, 1}}, [](unsigned) { return 0; }},
      {"MATCH64_i",
       {{Role::fn, 1}, {Role::a, 12}},
       [](unsigned) { return 0x7FFFFF00; }},
      {"REDUX_i",
       {{Role::fn, 0}},
       [](unsigned) {
         uint32_t Sum = 0;
         for (unsigned O = 8; O < 31; ++O)
           Sum += O % 3 - 1;
         return Sum;
       }},
      {"REDUX_i",
       {{Role::fn, 1}, {Role::sgn, 1}},
       [](unsigned) { return ~0u; }},
      {"REDUX_i", {{Role::fn, 1}}, [](unsigned) { return 0u; }},
      {"REDUX_i", {{Role::fn, 2}, {Role::sgn, 1}}, [](unsigned) { return 1u; }},
      {"REDUX_i", {{Role::fn, 3}}, [](unsigned) { return 0u; }},
      {"REDUX_i", {{Role::fn, 4}}, [](unsigned) { return ~0u; }}};
  for (auto &C : Cases) {
    KernelBuilder K;
    K.param64(4, 0).special(0, SRLane).mov(7, 99).mov(12, 5).mov(13, 6);
    // R6 = lane % 3 - 1: by multiplication with 2^32 / 3 rounded up.
    K.inst("IMADHI_i",
           {{Role::d, 6}, {Role::a, 0}, {Role::b, 0x55555556}, {Role::c, RZ}});
    K.inst("IMAD_i",
           {{Role::d, 6}, {Role::a, 6}, {Role::b, uint32_t(-3)}, {Role::c, 0}});
    addImm(K, 6, 6, ~0u);
    K.inst("LOP3_i", {{Role::d, 1},
                      {Role::a, 0},
                      {Role::b, 1},
                      {Role::c, RZ},
                      {Role::lut, 0xC0}});
    compare(K, 0, 1, NE, 0);
    compare(K, 1, 0, GE, 8);
    Fields F = {{Role::b, 0x7FFFFFFF}, {Role::d, 7}, {Role::pg, 1}};
    if (C.Name == "VOTE_i")
      F.push_back({Role::s, 0});
    else
      F.push_back({Role::a, 6});
    F.insert(F.end(), C.F.begin(), C.F.end());
    K.inst(C.Name, F);
    storeByThread(K, 7).exit();
    auto Out = runBlock(K, 32);
    for (unsigned L = 0; L < 31; ++L)
      ASSERT_EQ(Out[L], L < 8 ? 99 : C.Want(L)) << C.Name << " lane " << L;
  }
}

TEST(Control, VotePredicates) {
  // s holds for the lanes below Limit.
  for (unsigned Limit : {0, 5, 32}) {
    KernelBuilder K;
    K.param64(4, 0).special(0, SRLane);
    compare(K, 0, 0, LT, Limit);
    for (unsigned Mode : {0, 1, 2})
      K.inst("VOTE_i", {{Role::p, Mode + 1},
                        {Role::fn, Mode},
                        {Role::s, 0},
                        {Role::b, ~0u}});
    K.inst("P2R", {{Role::d, 2}});
    K.inst("SHR_i", {{Role::d, 2}, {Role::a, 2}, {Role::b, 1}});
    storeByThread(K, 2).exit();
    auto Out = runBlock(K, 32);
    unsigned Want = Limit == 0 ? 4 : Limit == 32 ? 7 : 2;
    for (unsigned L = 0; L < 32; ++L)
      EXPECT_EQ(Out[L], Want);
  }
}

TEST(Control, SpecialRegisters) {
  Machine M;
  uint64_t Out = M.allocate(2 * 3 * 4 * 6 * 4);
  KernelBuilder K; // One word of Out for each thread: all coordinates in it.
  K.param64(4, 0).mov(6, 0).mov(7, 0);
  // Index = ((ctaid.y * 2 + ctaid.x) * 4 + tid.y) * 3 + tid.x;
  // value = ntid.x | ntid.y << 4 | nctaid.x << 8 | nctaid.y << 12 | lane << 16.
  auto MulAdd = [&](unsigned D, uint32_t Factor, unsigned Number) {
    K.special(8, Number);
    K.inst("IMAD_i",
           {{Role::d, D}, {Role::a, D}, {Role::b, Factor}, {Role::c, 8}});
  };
  MulAdd(6, 1, 7);
  MulAdd(6, 2, 6);
  MulAdd(6, 4, 1);
  MulAdd(6, 3, 0);
  for (unsigned Number : {12, 10, 9, 4, 3})
    MulAdd(7, 16, Number);
  K.address(10, 4, 6, 2);
  K.inst("STG_r", {{Role::a, 10}, {Role::c, 7}, {Role::size, Word}}).exit();
  M.run(K, Params().add(Out), {.Grid = {2, 6, 1}, .Block = {3, 4, 1}});
  auto Values = M.download<uint32_t>(Out, 2 * 6 * 12);
  for (unsigned N = 0; N < Values.size(); ++N)
    EXPECT_EQ(Values[N], 3u | 4 << 4 | 2 << 8 | 6 << 12 | (N % 12) << 16);
}

TEST(Control, NumbersOfThreadsInTheGrid) {
  constexpr rt::Dim3 Grid = {3, 2, 2}, Block = {5, 4, 2};
  constexpr unsigned GridTid = 48, NGridTid = 51;
  for (unsigned Axis = 0; Axis < 3; ++Axis) {
    Machine M;
    uint64_t Out = M.allocate(Grid.count() * Block.count() * 24);
    KernelBuilder K; // A word and two pairs for each thread of the grid.
    K.param64(4, 0).mov(6, 0);
    for (auto [Factor, Number] :
         std::initializer_list<std::pair<unsigned, unsigned>>{{1, 8},
                                                              {Grid.Y, 7},
                                                              {Grid.X, 6},
                                                              {Block.Z, 2},
                                                              {Block.Y, 1},
                                                              {Block.X, 0}}) {
      K.special(8, Number);
      K.inst("IMAD_i",
             {{Role::d, 6}, {Role::a, 6}, {Role::b, Factor}, {Role::c, 8}});
    }
    K.inst("IMAD_i", {{Role::d, 6}, {Role::a, 6}, {Role::b, 24}});
    K.address(10, 4, 6, 0);
    K.special(12, GridTid + Axis);
    K.inst("S2R64", {{Role::d, 14}, {Role::b, GridTid + Axis}});
    K.inst("S2R64", {{Role::d, 16}, {Role::b, NGridTid + Axis}});
    K.inst("STG_r", {{Role::a, 10}, {Role::c, 12}, {Role::size, Word}});
    for (unsigned Pair : {0, 1})
      K.inst(
          "STG64_r",
          {{Role::a, 10}, {Role::c, 14 + 2 * Pair}, {Role::imm, 8 + 8 * Pair}});
    K.exit();
    M.run(K, Params().add(Out), {.Grid = Grid, .Block = Block});
    auto Values = M.download<uint64_t>(Out, Grid.count() * Block.count() * 3);
    auto Part = [&](uint64_t N, const rt::Dim3 &D) {
      return Axis == 0 ? N % D.X : Axis == 1 ? N / D.X % D.Y : N / D.X / D.Y;
    };
    auto Extent = [&](const rt::Dim3 &D) {
      return Axis == 0 ? D.X : Axis == 1 ? D.Y : D.Z;
    };
    for (uint64_t N = 0; N < Values.size() / 3; ++N) {
      uint64_t Want = Part(N / Block.count(), Grid) * Extent(Block) +
                      Part(N % Block.count(), Block);
      ASSERT_EQ(uint32_t(Values[3 * N]), Want);
      ASSERT_EQ(Values[3 * N + 1], Want);
      ASSERT_EQ(Values[3 * N + 2], uint64_t(Extent(Grid)) * Extent(Block));
    }
  }
}

TEST(Control, ThreadCoordinatesInBlocksOfAnyShape) {
  for (rt::Dim3 Block :
       {rt::Dim3{7, 3, 5}, rt::Dim3{64, 2, 2}, rt::Dim3{40, 1, 1},
        rt::Dim3{33, 2, 1}, rt::Dim3{1, 1, 64}, rt::Dim3{48, 4, 1}}) {
    Machine M;
    uint64_t Out = M.allocate(Block.count() * 4);
    KernelBuilder K; // Out[warpid * 32 + laneid] = x | y << 10 | z << 20.
    K.param64(4, 0).special(6, 13).special(8, SRLane);
    K.inst("IMAD_i", {{Role::d, 6}, {Role::a, 6}, {Role::b, 32}, {Role::c, 8}});
    K.special(7, SRTid + 2);
    for (unsigned Number : {SRTid + 1, SRTid}) {
      K.special(8, Number);
      K.inst("IMAD_i",
             {{Role::d, 7}, {Role::a, 7}, {Role::b, 1 << 10}, {Role::c, 8}});
    }
    K.address(10, 4, 6, 2);
    K.inst("STG_r", {{Role::a, 10}, {Role::c, 7}, {Role::size, Word}}).exit();
    M.run(K, Params().add(Out), {.Grid = {}, .Block = Block});
    auto Values = M.download<uint32_t>(Out, Block.count());
    for (uint32_t N = 0; N < Values.size(); ++N)
      ASSERT_EQ(Values[N], (N % Block.X) | (N / Block.X % Block.Y) << 10 |
                               (N / Block.X / Block.Y) << 20);
  }
}

} // namespace
