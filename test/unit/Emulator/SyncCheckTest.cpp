//===- SyncCheckTest.cpp - Rules of synchronisation -------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Each rule of the check 'sync', broken; without the check the same kernels
// run to their end.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;
using rt::FaultKind;

namespace {

constexpr unsigned Word = 4; // MemSize
constexpr unsigned LT = 1, EQ = 2, NE = 5;
constexpr unsigned SRTid = 0, SRLane = 12, SRClusterRank = 44;

KernelBuilder &compare(KernelBuilder &K, unsigned P, unsigned A, unsigned Code,
                       uint32_t B) {
  return K.inst("ISETP_i", {{Role::p, P},
                            {Role::a, A},
                            {Role::b, B},
                            {Role::cmp, Code},
                            {Role::s, PT}});
}

/// Runs with the check and expects a report that contains Text; runs without
/// it and expects none.
void expectReport(const KernelBuilder &K, const std::string &Text,
                  const Machine::Shape &S) {
  EmulatorOptions Options;
  Options.Checks = llvm::cantFail(CheckSet::parse("sync"));
  Machine Checked(Options);
  rt::Fault F = Checked.runToFault(FaultKind::Synchronization, K, {}, S);
  EXPECT_NE(F.Message.find(Text), std::string::npos) << F.Message;
  Machine Plain;
  Plain.run(K, {}, S);
}
/// The same for one warp.
void expectReport(const KernelBuilder &K, const std::string &Text) {
  expectReport(K, Text, {.Block = {32, 1, 1}});
}

KernelBuilder &shuffleDown(KernelBuilder &K, unsigned Distance) {
  return K.inst("SHFL_i", {{Role::d, 2},
                           {Role::a, 0},
                           {Role::b, Distance},
                           {Role::seg, 31},
                           {Role::shfn, 2}});
}

TEST(SyncCheck, NamesAreKnown) {
  EXPECT_TRUE(llvm::cantFail(CheckSet::parse("sync")).any());
  llvm::Expected<CheckSet> Bad = CheckSet::parse("sync,spin");
  ASSERT_FALSE(static_cast<bool>(Bad));
  EXPECT_EQ(toString(Bad.takeError()),
            "unknown check 'spin' (known: mem, sync, init, race, warp)");
}

TEST(SyncCheck, TheLaneMustBeInItsMask) {
  KernelBuilder K;
  K.inst("WARPSYNC_i", {{Role::b, 0xFFFFFFFD}}).exit();
  expectReport(K, "lane 1 is not in its member mask 0xfffffffd");
  KernelBuilder Vote;
  Vote.inst("VOTE_i", {{Role::fn, 3}, {Role::s, PT}, {Role::b, 0x7FFFFFFF}});
  Vote.exit();
  expectReport(Vote, "lane 31 is not in its member mask");
}

TEST(SyncCheck, MasksOfLanesThatMeetAreEqual) {
  KernelBuilder K; // Lane 0 names all lanes, the others all but lane 0.
  K.special(0, SRLane).mov(1, ~1u);
  compare(K, 0, 0, EQ, 0);
  K.guarded(0, false, "MOV_i", {{Role::d, 1}, {Role::b, ~0u}});
  K.inst("WARPSYNC_r", {{Role::b, 1}}).exit();
  expectReport(K, "with the member masks 0xffffffff and 0xfffffffe");
}

TEST(SyncCheck, ShufflesReadFromLanesThatTakePart) {
  KernelBuilder Exited; // Lane 8 has exited, lane 7 reads from it.
  Exited.special(0, SRLane);
  compare(Exited, 0, 0, EQ, 8);
  Exited.guarded(0, false, "EXIT");
  shuffleDown(Exited, 1).exit();
  expectReport(Exited, "lane 7 reads from lane 8, which has exited");

  KernelBuilder Partial; // A warp of 20 lanes.
  Partial.special(0, SRLane);
  shuffleDown(Partial, 16).exit();
  expectReport(Partial, "lane 4 reads from lane 20, which has exited or never",
               {.Block = {20, 1, 1}});

  KernelBuilder Inactive;
  Inactive.special(0, SRLane);
  compare(Inactive, 0, 0, LT, 4);
  Inactive.guarded(0, false, "SHFL_i",
                   {{Role::d, 2},
                    {Role::a, 0},
                    {Role::b, 3},
                    {Role::seg, 31},
                    {Role::shfn, 2}});
  Inactive.exit();
  expectReport(Inactive, "lane 1 reads from lane 4, which does not execute");

  KernelBuilder Outside; // Two halves shuffle together.
  Outside.special(0, SRLane).mov(1, 0xFFFF0000);
  compare(Outside, 0, 0, LT, 16);
  Outside.guarded(0, false, "MOV_i", {{Role::d, 1}, {Role::b, 0xFFFF}});
  Outside.inst("WARPSYNC_r", {{Role::b, 1}});
  shuffleDown(Outside, 4).exit();
  expectReport(Outside, "lane 12 reads from lane 16, which is not in its "
                        "member mask 0x0000ffff");
}

TEST(SyncCheck, AlignedBarriersAreExecutedByTheWholeWarp) {
  KernelBuilder Two; // The two halves of a warp, each at an instruction.
  Two.special(0, SRTid);
  compare(Two, 0, 0, LT, 16);
  Two.jump("BRA", "low", {{Role::pg, 0}});
  Two.inst("BAR_i", {{Role::b, 0}, {Role::c, RZ}, {Role::aligned, 1}}).exit();
  Two.label("low");
  Two.inst("BAR_i", {{Role::b, 0}, {Role::c, RZ}, {Role::aligned, 1}}).exit();
  expectReport(Two, "different .aligned barriers");

  KernelBuilder Good; // Without the promise both are allowed.
  Good.special(0, SRTid);
  compare(Good, 0, 0, LT, 16);
  Good.jump("BRA", "low", {{Role::pg, 0}});
  Good.inst("BAR_i", {{Role::b, 0}, {Role::c, RZ}}).exit();
  Good.label("low").inst("BAR_i", {{Role::b, 0}, {Role::c, RZ}}).exit();
  EmulatorOptions Options;
  Options.Checks.add(CheckKind::Sync);
  Machine(Options).run(Good, {}, {.Block = {32, 1, 1}});
}

TEST(SyncCheck, ReductionsAreNotMixed) {
  KernelBuilder K; // Warp 0 waits, warp 1 waits and reduces.
  K.special(0, SRTid);
  compare(K, 0, 0, LT, 32);
  K.jump("BRA", "low", {{Role::pg, 0}});
  K.inst("BAR_i", {{Role::b, 2}, {Role::c, RZ}, {Role::fn, 2}}).exit();
  K.label("low").inst("BAR_i", {{Role::b, 2}, {Role::c, RZ}}).exit();
  expectReport(K, "barrier 2 is used with and without a reduction",
               {.Block = {64, 1, 1}});
}

TEST(SyncCheck, ArrivalsAtTheClusterAlternateWithWaits) {
  enum { Arrive, ArriveRelaxed, Wait }; // ClusterBarMode
  KernelBuilder Twice;
  Twice.inst("CBAR", {{Role::fn, Arrive}});
  Twice.inst("CBAR", {{Role::fn, ArriveRelaxed}}).exit();
  expectReport(Twice, "arrive at the cluster's barrier again");
  KernelBuilder Never;
  Never.inst("CBAR", {{Role::fn, Wait}}).exit();
  expectReport(Never, "without having arrived");
}

TEST(SyncCheck, SharedMemoryGoesWithItsCTA) {
  // CTA 0 reads from CTA 1, which is not there any more.
  KernelBuilder K;
  K.special(0, SRClusterRank);
  compare(K, 0, 0, NE, 0);
  K.guarded(0, false, "EXIT");
  K.mov(1, 0).label("loop");
  K.inst("IADD3_i", {{Role::d, 1}, {Role::a, 1}, {Role::b, 1}, {Role::c, RZ}});
  compare(K, 0, 1, LT, 100000);
  K.jump("BRA", "loop", {{Role::pg, 0}});
  K.mov(2, 1u << isa::abi::SharedHasRank | 1u << isa::abi::SharedRankShift);
  K.inst("LDS_r", {{Role::d, 3}, {Role::a, 2}, {Role::size, Word}}).exit();
  expectReport(K, "the shared memory of a CTA that has exited",
               {.Grid = {2, 1, 1},
                .Block = {32, 1, 1},
                .SharedBytes = 16,
                .Cluster = rt::Dim3{2, 1, 1}});
}

} // namespace
