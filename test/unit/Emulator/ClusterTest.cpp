//===- ClusterTest.cpp - CTAs that run together -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The barrier of a cluster, the shared memory of other CTAs, and what a launch
// may ask for. test/Semantics/clusters.test does the same from PTX.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;
using rt::FaultKind;

namespace {

constexpr unsigned Word = 4; // MemSize
constexpr unsigned EQ = 2, NE = 5;
constexpr unsigned SRTid = 0, SRCta = 6, SRClusterRank = 44;
enum { Arrive, ArriveRelaxed, Wait }; // ClusterBarMode

KernelBuilder &barrier(KernelBuilder &K, unsigned Mode) {
  return K.inst("CBAR", {{Role::fn, Mode}});
}
KernelBuilder &compare(KernelBuilder &K, unsigned P, unsigned A, unsigned Code,
                       uint32_t B) {
  return K.inst("ISETP_i", {{Role::p, P},
                            {Role::a, A},
                            {Role::b, B},
                            {Role::cmp, Code},
                            {Role::s, PT}});
}
/// R6 = shared address Offset in the CTA whose rank is in R1.
KernelBuilder &mapRank(KernelBuilder &K, uint32_t Offset) {
  K.inst("IMAD_i", {{Role::d, 6},
                    {Role::a, 1},
                    {Role::b, 1u << isa::abi::SharedRankShift},
                    {Role::c, RZ}});
  return K.inst("IADD3_i", {{Role::d, 6},
                            {Role::a, 6},
                            {Role::b, (1u << isa::abi::SharedHasRank) + Offset},
                            {Role::c, RZ}});
}

TEST(Cluster, BarrierAndSharedMemoryOfOthers) {
  // Each CTA leaves its number for the other one of its cluster.
  KernelBuilder K;
  K.param64(4, 0).special(0, SRCta).special(1, SRClusterRank);
  K.inst("STS_r", {{Role::a, RZ}, {Role::c, 0}, {Role::size, Word}});
  barrier(barrier(K, Arrive), Wait);
  K.inst("LOP3_i", {{Role::d, 1},
                    {Role::a, 1},
                    {Role::b, 1},
                    {Role::c, RZ},
                    {Role::lut, 0x3C}}); // xor
  mapRank(K, 0);
  K.inst("LDS_r", {{Role::d, 7}, {Role::a, 6}, {Role::size, Word}});
  // A generic address of it means the same.
  K.mov(9, isa::abi::SharedWindow).inst("MOV_r", {{Role::d, 8}, {Role::b, 6}});
  K.inst("LD_r", {{Role::d, 10}, {Role::a, 8}, {Role::size, Word}});
  K.address(12, 4, 0, 3);
  K.inst("STG_r", {{Role::a, 12}, {Role::c, 7}, {Role::size, Word}});
  K.inst("STG_r",
         {{Role::a, 12}, {Role::c, 10}, {Role::imm, 4}, {Role::size, Word}});
  barrier(barrier(K, ArriveRelaxed), Wait).exit();
  Machine M;
  uint64_t Out = M.allocate(8 * 8);
  M.run(K, Params().add(Out),
        {.Grid = {8, 1, 1},
         .Block = {33, 1, 1},
         .SharedBytes = 16,
         .Cluster = rt::Dim3{2, 1, 1}});
  auto Words = M.download<uint32_t>(Out, 16);
  for (unsigned N = 0; N < 16; ++N)
    EXPECT_EQ(Words[N], (N / 2) ^ 1);
}

TEST(Cluster, ExitedThreadsAreNotAwaited) {
  // CTA 1 exits at once, and most threads of CTA 0 too.
  KernelBuilder K;
  K.param64(4, 0).special(0, SRTid).special(1, SRClusterRank);
  compare(K, 0, 1, NE, 0);
  K.guarded(0, false, "EXIT");
  compare(K, 0, 0, NE, 5);
  K.guarded(0, false, "EXIT");
  barrier(barrier(barrier(barrier(K, Arrive), Wait), Arrive), Wait);
  K.inst("STG_r", {{Role::a, 4}, {Role::c, 0}, {Role::size, Word}}).exit();
  Machine M;
  uint64_t Out = M.allocate(4);
  M.run(K, Params().add(Out),
        {.Grid = {2, 1, 1}, .Block = {64, 1, 1}, .Cluster = rt::Dim3{2, 1, 1}});
  EXPECT_EQ(M.download<uint32_t>(Out, 1)[0], 5u);
}

TEST(Cluster, WaitingForOneThatNeverComesIsADeadlock) {
  // CTA 0 waits at the cluster's barrier, CTA 1 at one of its own.
  KernelBuilder K;
  K.special(0, SRTid).special(1, SRClusterRank);
  compare(K, 0, 1, EQ, 0);
  K.jump("BRA", "first", {{Role::pg, 0}});
  K.inst("BAR_i", {{Role::b, 1}, {Role::c, RZ}});
  K.mov(2, 64).inst("BAR_r", {{Role::b, RZ}, {Role::c, 2}}).exit();
  K.label("first");
  barrier(barrier(K, Arrive), Wait).exit();
  Machine M;
  rt::Fault F = M.runToFault(
      FaultKind::Deadlock, K, {},
      {.Grid = {2, 1, 1}, .Block = {32, 1, 1}, .Cluster = rt::Dim3{2, 1, 1}});
  EXPECT_NE(F.Message.find("no thread of the cluster"), std::string::npos)
      << F.Message;
  EXPECT_NE(F.Message.find("at CBAR"), std::string::npos) << F.Message;
}

TEST(Cluster, AddressesOfNoCTAAreOutOfBounds) {
  KernelBuilder K; // Rank 2 of two.
  K.mov(1, 2);
  mapRank(K, 0);
  K.inst("LDS_r", {{Role::d, 7}, {Role::a, 6}, {Role::size, Word}}).exit();
  Machine M;
  Machine::Shape S{
      .Grid = {2, 1, 1}, .SharedBytes = 16, .Cluster = rt::Dim3{2, 1, 1}};
  rt::Fault F = M.runToFault(FaultKind::OutOfBounds, K, {}, S);
  EXPECT_NE(F.Message.find("rank 2 in a cluster of 2"), std::string::npos)
      << F.Message;

  KernelBuilder Past; // Behind the other CTA's 16 bytes.
  Past.mov(1, 1);
  mapRank(Past, 16);
  Past.inst("LDS_r", {{Role::d, 7}, {Role::a, 6}, {Role::size, Word}}).exit();
  M.runToFault(FaultKind::OutOfBounds, Past, {}, S);
}

TEST(Cluster, LaunchesAreChecked) {
  KernelBuilder K;
  K.exit();
  std::vector<uint8_t> Code = K.bytes();
  Machine M;
  RawKernel Raw;
  Raw.Info.Name = "k";
  Raw.Info.RequiredCluster = rt::Dim3{2, 1, 1};
  Raw.Code = Code;
  auto Module = llvm::cantFail(loadRawKernels(*M.Device, Raw));
  auto Launch = [&](rt::Dim3 Grid, std::optional<rt::Dim3> Cluster) {
    rt::LaunchConfig Config;
    Config.Grid = Grid;
    Config.Cluster = Cluster;
    auto Result = M.Device->launch(*Module, 0, Config);
    return Result ? std::string() : toString(Result.takeError());
  };
  EXPECT_EQ(Launch({4, 1, 1}, std::nullopt), "");
  EXPECT_EQ(Launch({4, 1, 1}, rt::Dim3{2, 1, 1}), "");
  EXPECT_NE(Launch({3, 1, 1}, std::nullopt).find("does not divide"),
            std::string::npos);
  EXPECT_NE(Launch({4, 1, 1}, rt::Dim3{4, 1, 1}).find("requires a cluster"),
            std::string::npos);
  EXPECT_NE(Launch({32, 1, 1}, rt::Dim3{32, 1, 1}).find("at most 16"),
            std::string::npos);
}

TEST(Cluster, KernelsLimitTheirClusters) {
  KernelBuilder K;
  K.exit();
  std::vector<uint8_t> Code = K.bytes();
  Machine M;
  RawKernel Raw;
  Raw.Info.Name = "k";
  Raw.Info.ExplicitCluster = true;
  Raw.Info.MaxClusterRank = 4;
  Raw.Code = Code;
  auto Module = llvm::cantFail(loadRawKernels(*M.Device, Raw));
  auto Launch = [&](std::optional<rt::Dim3> Cluster) {
    rt::LaunchConfig Config;
    Config.Grid = {8, 2, 1};
    Config.Cluster = Cluster;
    auto Result = M.Device->launch(*Module, 0, Config);
    return Result ? std::string() : toString(Result.takeError());
  };
  EXPECT_EQ(Launch(rt::Dim3{2, 2, 1}), "");
  EXPECT_EQ(Launch(rt::Dim3{1, 1, 1}), "");
  EXPECT_EQ(Launch(rt::Dim3{4, 2, 1}),
            "kernel 'k' takes at most 4 CTAs in a cluster, not 8");
  EXPECT_EQ(Launch(std::nullopt), "kernel 'k' must be launched with a cluster");
}

TEST(Cluster, EventsAreCounted) {
  KernelBuilder K; // Each thread triggers events 0 and 15, odd ones 3.
  K.special(0, SRTid).inst("PMTRIG", {{Role::b, 0x8001}});
  K.inst("LOP3_i", {{Role::d, 1},
                    {Role::a, 0},
                    {Role::b, 1},
                    {Role::c, RZ},
                    {Role::lut, 0xC0}});
  compare(K, 0, 1, NE, 0);
  K.guarded(0, false, "PMTRIG", {{Role::b, 8}}).exit();
  Machine M;
  rt::LaunchStatistics S =
      M.run(K, {}, {.Grid = {3, 1, 1}, .Block = {40, 1, 1}});
  // In which way CTAs have run is no event.
  std::erase_if(S.Counters,
                [](const auto &C) { return C.first == "translated CTAs"; });
  std::vector<std::pair<std::string, uint64_t>> Want = {
      {"pmevent0", 120}, {"pmevent15", 120}, {"pmevent3", 60}};
  EXPECT_EQ(S.Counters, Want);
}

} // namespace
