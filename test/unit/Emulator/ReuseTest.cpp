//===- ReuseTest.cpp - CTAs that follow others ------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A host thread uses the objects of a CTA that is done for the next one, which
// must find nothing of what the first has left. test/Semantics/reused-ctas.test
// does the same for asynchronous work and tensor memory.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;

namespace {

constexpr unsigned Word = 4; // MemSize
constexpr unsigned LT = 1, EQ = 2;
constexpr unsigned SRTid = 0, SRCta = 6, SRWarp = 13, SRClock = 22;
constexpr uint32_t Poison =
    uint32_t(rt::PoisonPattern) << 16 | rt::PoisonPattern;

/// A device on which one host thread runs all CTAs.
Machine makeMachine(bool Strict) {
  EmulatorOptions Options;
  Options.HostThreads = 1;
  Options.StrictHazards = Strict;
  return Machine(Options);
}

/// Where a thread leaves what it finds, in the order of its words there.
constexpr unsigned FirstFound = 20, NumFound = 8;

/// R20 to R27 = what is in a register, in shared and local memory, in the
/// predicates, a uniform register, a uniform predicate, a convergence register
/// and the clock.
void findState(KernelBuilder &K) {
  K.inst("LDS_r", {{Role::d, 21}, {Role::a, RZ}, {Role::size, Word}});
  K.inst("LDL_r", {{Role::d, 22}, {Role::a, RZ}, {Role::size, Word}});
  K.inst("P2R", {{Role::d, 23}});
  K.inst("MOV_u", {{Role::d, 24}, {Role::b, 9}});
  K.inst("USEL_i", {{Role::d, 5}, {Role::a, URZ}, {Role::b, 1}, {Role::s, 3}});
  K.inst("MOV_u", {{Role::d, 25}, {Role::b, 5}});
  K.inst("BMOV", {{Role::d, 26}, {Role::a, 4}});
  K.special(27, SRClock);
}

/// Changes all that findState looks at but the clock, which changes by itself.
void changeState(KernelBuilder &K) {
  K.mov(20, 1);
  K.inst("STS_r", {{Role::a, RZ}, {Role::c, 20}, {Role::size, Word}});
  K.inst("STL_r", {{Role::a, RZ}, {Role::c, 20}, {Role::size, Word}});
  for (const char *Name : {"ISETP_i", "UISETP_i"}) {
    bool Uniform = Name[0] == 'U';
    K.inst(Name, {{Role::p, 3},
                  {Role::a, Uniform ? URZ : RZ},
                  {Role::b, 0},
                  {Role::cmp, EQ},
                  {Role::s, PT}});
  }
  K.inst("UMOV_i", {{Role::d, 9}, {Role::b, 1}});
  K.inst("BMOVR", {{Role::d, 4}, {Role::a, 20}});
}

TEST(Reuse, RegistersAndMemoryAreFresh) {
  constexpr uint32_t CTAs = 40, Threads = 64;
  KernelBuilder K;
  K.param64(4, 0).special(0, SRTid).special(1, SRCta);
  findState(K);
  K.inst("IMAD_i",
         {{Role::d, 2}, {Role::a, 1}, {Role::b, Threads}, {Role::c, 0}});
  K.address(10, 4, 2, 5);
  for (unsigned N = 0; N < NumFound; ++N)
    K.inst("STG_r", {{Role::a, 10},
                     {Role::c, FirstFound + N},
                     {Role::size, Word},
                     {Role::imm, 4 * N}});
  K.inst("BAR_i", {{Role::b, 0}, {Role::c, RZ}});
  changeState(K);
  K.exit();
  for (bool Strict : {true, false}) {
    Machine M = makeMachine(Strict);
    uint64_t Out = M.allocate(CTAs * Threads * NumFound * 4);
    M.run(K, Params().add(Out),
          {.Grid = {CTAs, 1, 1},
           .Block = {Threads, 1, 1},
           .SharedBytes = 16,
           .LocalBytes = 16});
    auto Found = M.download<uint32_t>(Out, CTAs * Threads * NumFound);
    uint32_t Clock = Found[NumFound - 1];
    const uint32_t Want[NumFound] = {Poison, Poison, Poison, 0,
                                     Poison, 1,      0,      Clock};
    for (size_t N = 0; N < Found.size(); ++N)
      ASSERT_EQ(Found[N], Want[N % NumFound]) << N;
  }
}

/// Threads arrive at a barrier for more than there are, by turns 96 and 128:
/// the barrier stays in use. At the start the same barrier has warp 1 wait for
/// warp 0, which is late.
TEST(Reuse, BarriersAreFresh) {
  constexpr uint32_t CTAs = 10;
  for (uint32_t Expected : {0, 64}) { // 0: all threads
    KernelBuilder K;
    K.param64(4, 0).special(0, SRWarp).special(1, SRCta).mov(3, Expected);
    K.inst("ISETP_i", {{Role::p, 0},
                       {Role::a, 0},
                       {Role::b, 0},
                       {Role::cmp, EQ},
                       {Role::s, PT}});
    K.jump("BRA", "barrier", {{Role::pg, 0}, {Role::pgn, 1}});
    for (unsigned N = 0; N < 1000; ++N)
      K.inst("NOP");
    K.inst("STS_r", {{Role::a, RZ}, {Role::c, 1}, {Role::size, Word}});
    K.label("barrier").inst("BAR_i", {{Role::b, 1}, {Role::c, 3}});
    K.inst("LDS_r", {{Role::d, 8}, {Role::a, RZ}, {Role::size, Word}});
    K.address(10, 4, 1, 2);
    K.inst("STG_r", {{Role::a, 10}, {Role::c, 8}, {Role::size, Word}});
    K.inst("BAR_i", {{Role::b, 2}, {Role::c, RZ}}); // The last to store is any.
    K.inst("LOP3_i", {{Role::d, 3},
                      {Role::a, 1},
                      {Role::b, 1},
                      {Role::c, RZ},
                      {Role::lut, 0xC0}}); // a & b
    K.mov(6, 96);
    K.inst("IMAD_i", {{Role::d, 3}, {Role::a, 3}, {Role::b, 32}, {Role::c, 6}});
    K.inst("BAR_i", {{Role::b, 1}, {Role::c, 3}, {Role::fn, 1}}).exit();
    Machine M = makeMachine(true);
    uint64_t Out = M.allocate(CTAs * 4);
    M.run(K, Params().add(Out),
          {.Grid = {CTAs, 1, 1}, .Block = {64, 1, 1}, .SharedBytes = 16});
    auto Found = M.download<uint32_t>(Out, CTAs);
    for (uint32_t N = 0; N < CTAs; ++N)
      EXPECT_EQ(Found[N], N);
  }
}

/// Two sections of code: the first goes to the second by the instruction
/// \p Way, and only the second names register 60.
void buildSections(std::string_view Way, KernelBuilder &First,
                   KernelBuilder &Second) {
  constexpr size_t SectionInsts = 64; // with a gap of one
  First.param64(4, 0).special(1, SRCta).address(6, 4, 1, 2);
  First.jump("CALL", "next", {{Role::d, 2}}).label("next");
  size_t Rest = SectionInsts - First.size();
  First.inst("IADD64_i", {{Role::d, 10}, {Role::a, 2}, {Role::b, Rest * 16}});
  if (Way == "BRA")
    First.jump("BRA", "second");
  else if (Way == "CALL")
    First.jump("CALL", "second", {{Role::d, 12}});
  else if (Way == "CALLR")
    First.inst("CALLR", {{Role::d, 12}, {Role::a, 10}});
  else
    First.inst(Way, {{Role::a, 10}});
  while (First.size() < SectionInsts)
    First.inst("NOP");
  First.label("second");
  Second.inst("STG_r", {{Role::a, 6}, {Role::c, 60}, {Role::size, Word}});
  Second.mov(60, 1).exit();
}

TEST(Reuse, RegistersOfOtherSectionsAreFresh) {
  constexpr uint32_t CTAs = 4;
  for (const char *Way : {"BRA", "CALL", "BRX", "CALLR", "RET"}) {
    KernelBuilder First, Second;
    buildSections(Way, First, Second);
    std::vector<uint8_t> Codes[] = {First.bytes(), Second.bytes()};
    Codes[0].resize(Codes[0].size() - isa::InstBytes); // The gap.
    Machine M = makeMachine(false);
    uint64_t Out = M.allocate(CTAs * 4);
    Params P = Params().add(Out);
    RawKernel Raw[2];
    for (unsigned N = 0; N < 2; ++N) {
      Raw[N].Info.Name = N ? "second" : "first";
      Raw[N].Info.ParamBytes = P.Bytes.size();
      Raw[N].Code = Codes[N];
    }
    auto Module = llvm::cantFail(loadRawKernels(*M.Device, Raw));
    rt::LaunchConfig Config;
    Config.Grid = {CTAs, 1, 1};
    Config.Params = P.Bytes;
    auto Result = llvm::cantFail(M.Device->launch(*Module, 0, Config));
    EXPECT_FALSE(Result.Fault.has_value()) << Way << Result.Fault->Message;
    EXPECT_EQ(M.download<uint32_t>(Out, CTAs),
              std::vector<uint32_t>(CTAs, Poison))
        << Way;
  }
}

/// A load that nobody waits for is on its way when a CTA ends.
TEST(Reuse, HazardsAreThoseOfTheCTA) {
  constexpr isa::Control NoWait = {.Stall = 15};
  constexpr isa::Control Counted = {
      .Stall = 15, .WriteCounter = 3, .WaitMask = 63};
  KernelBuilder K;
  K.inst("MOV_r", {{Role::d, 8}, {Role::b, 20}}, NoWait).param64(4, 0);
  K.inst("LDG_r", {{Role::d, 20}, {Role::a, 4}, {Role::size, Word}}, Counted);
  K.inst("EXIT", {}, NoWait);
  Machine M = makeMachine(true);
  uint64_t Data = M.upload(std::vector<uint32_t>{1});
  M.run(K, Params().add(Data), {.Grid = {3, 1, 1}, .Block = {32, 1, 1}});
}

/// Warp 0 ends last, and warps take a number when they begin.
TEST(Reuse, WarpsBeginInOrder) {
  constexpr uint32_t CTAs = 5, Warps = 3;
  KernelBuilder K;
  K.param64(4, 0).special(0, SRWarp).special(1, SRCta).mov(8, 1);
  K.inst("ATOMG_r", {{Role::d, 12}, {Role::a, 4}, {Role::c, 8}});
  K.inst("IMAD_i",
         {{Role::d, 2}, {Role::a, 1}, {Role::b, Warps}, {Role::c, 0}});
  K.address(10, 4, 2, 2);
  K.inst("STG_r",
         {{Role::a, 10}, {Role::c, 12}, {Role::size, Word}, {Role::imm, 4}});
  K.inst("ISETP_i", {{Role::p, 0},
                     {Role::a, 0},
                     {Role::b, 1},
                     {Role::cmp, LT},
                     {Role::s, PT}});
  K.guarded(0, true, "EXIT");
  for (unsigned N = 0; N < 1000; ++N)
    K.inst("NOP");
  K.exit();
  Machine M = makeMachine(false);
  uint64_t Out = M.upload(std::vector<uint32_t>(1 + CTAs * Warps));
  M.run(K, Params().add(Out),
        {.Grid = {CTAs, 1, 1}, .Block = {32 * (Warps - 1) + 1, 1, 1}});
  auto Numbers = M.download<uint32_t>(Out, 1 + CTAs * Warps);
  for (uint32_t CTA = 0; CTA < CTAs; ++CTA)
    for (uint32_t W = 1; W < Warps; ++W)
      EXPECT_LT(Numbers[CTA * Warps + W], Numbers[1 + CTA * Warps + W]);
}

/// Threads that exit around the end of their warp's time slice.
TEST(Reuse, CTAsEndAtAnyInstruction) {
  constexpr unsigned Slice = 512; // instructions
  for (unsigned Length : {Slice - 1, Slice, Slice + 1, 2 * Slice})
    for (unsigned Warps : {1, 3}) {
      KernelBuilder K;
      for (unsigned N = 1; N < Length; ++N)
        K.inst("NOP");
      K.exit();
      Machine M;
      rt::LaunchStatistics S =
          M.run(K, {}, {.Grid = {3, 1, 1}, .Block = {32 * Warps, 1, 1}});
      EXPECT_EQ(S.WarpInstructions, 3 * Warps * Length);
    }
}

/// No CTA has as many instructions as the grid may, but all of them do.
TEST(Reuse, TheGridHasOneBudget) {
  constexpr uint64_t CTAs = 100;
  KernelBuilder K;
  for (unsigned N = 1; N < 600; ++N)
    K.inst("NOP");
  K.exit();
  Machine::Shape Shape = {.Grid = {CTAs, 1, 1}, .Block = {32, 1, 1}};
  Shape.MaxThreadInstructions = CTAs * 32 * K.size();
  makeMachine(false).run(K, {}, Shape);
  --Shape.MaxThreadInstructions;
  makeMachine(false).runToFault(rt::FaultKind::Timeout, K, {}, Shape);
}

/// Each CTA's instructions and events count once.
TEST(Reuse, CountsAreThoseOfTheCTA) {
  constexpr uint64_t CTAs = 100, Threads = 40;
  KernelBuilder K;
  K.inst("PMTRIG", {{Role::b, 1}}).exit();
  for (unsigned HostThreads : {1, 3}) {
    EmulatorOptions Options;
    Options.HostThreads = HostThreads;
    rt::LaunchStatistics S = Machine(Options).run(
        K, {}, {.Grid = {CTAs, 1, 1}, .Block = {Threads, 1, 1}});
    EXPECT_EQ(S.WarpInstructions, CTAs * 2 * K.size());
    EXPECT_EQ(S.ThreadInstructions, CTAs * Threads * K.size());
    std::vector<std::pair<std::string, uint64_t>> Want = {
        {"pmevent0", CTAs * Threads}};
    // In which way CTAs have run is no event.
    std::erase_if(S.Counters,
                  [](const auto &C) { return C.first == "translated CTAs"; });
    EXPECT_EQ(S.Counters, Want);
  }
}

} // namespace
