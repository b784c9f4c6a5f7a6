//===- ActivityTest.cpp - What units do over time ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The samples of a launch add up to its sums, and what happens in one part of
// it is in the samples of that part.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "Timing/ActivityLog.h"
#include "gtest/gtest.h"

#include <numeric>

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;
using isa::Control;

namespace {

rt::ActivitySample sumOf(const rt::ActivityProfile &A) {
  return std::accumulate(A.Samples.begin(), A.Samples.end(),
                         rt::ActivitySample(),
                         [](rt::ActivitySample Sum,
                            const rt::ActivitySample &S) { return Sum += S; });
}

TEST(ActivityLog, HasASampleForEachPart) {
  ActivityLog Log;
  Log.moveDRAM(0, 32);
  Log.moveDRAM(130, 64);
  Log.moveL2(130, 2);
  rt::ActivityProfile A = Log.finish(500);
  EXPECT_EQ(A.CyclesPerSample, 128u);
  ASSERT_EQ(A.Samples.size(), 4u);
  EXPECT_EQ(A.Samples[0].DRAMBytes, 32u);
  EXPECT_EQ(A.Samples[1].DRAMBytes, 64u);
  EXPECT_EQ(A.Samples[1].L2Sectors, 2u);
  EXPECT_EQ(A.Samples[2].DRAMBytes + A.Samples[3].DRAMBytes, 0u);
}

TEST(ActivityLog, JoinsSamplesOfLongLaunches) {
  ActivityLog Log;
  constexpr uint64_t Cycles = 1'000'000;
  for (uint64_t When = 0; When < Cycles; When += 10)
    Log.moveDRAM(When, 1);
  rt::ActivityProfile A = Log.finish(Cycles);
  EXPECT_EQ(A.CyclesPerSample, 16384u);
  ASSERT_EQ(A.Samples.size(), 62u);
  for (size_t I = 0; I + 1 != A.Samples.size(); ++I)
    EXPECT_NEAR(double(A.Samples[I].DRAMBytes), 1638.4, 1) << I;
  EXPECT_EQ(sumOf(A).DRAMBytes, Cycles / 10);
}

TEST(ActivityLog, KeepsWhatComesOutOfOrder) {
  ActivityLog Log;
  Log.moveL2(900'000, 1);
  Log.moveL2(5, 2);
  rt::ActivityProfile A = Log.finish(1'000'000);
  EXPECT_EQ(A.Samples.front().L2Sectors, 2u);
  EXPECT_EQ(sumOf(A).L2Sectors, 3u);
}

TEST(ActivityLog, SpreadsWhatTakesLong) {
  ActivityLog Log;
  Log.useMatrixPipe(100, 300);
  rt::ActivityProfile A = Log.finish(300);
  ASSERT_EQ(A.Samples.size(), 3u);
  EXPECT_EQ(A.Samples[0].MatrixCycles, 28u);
  EXPECT_EQ(A.Samples[1].MatrixCycles, 128u);
  // The launch ended before the pipe did.
  EXPECT_EQ(A.Samples[2].MatrixCycles, 144u);
}

TEST(ActivityLog, HasNothingOfNothing) {
  EXPECT_TRUE(ActivityLog().finish(0).Samples.empty());
}

/// Each thread reads 16 bytes that nobody else does, and waits for them.
void addLoads(KernelBuilder &K, unsigned Loads, uint32_t BytesApart) {
  K.special(0, 0).special(1, 6);
  K.inst("IMAD_i", {{Role::d, 0}, {Role::a, 1}, {Role::b, 256}, {Role::c, 0}});
  K.param64(2, 0).address(4, 2, 0, 4);
  K.inst("MOV_i", {{Role::d, 1}, {Role::b, BytesApart}});
  for (unsigned N = 0; N < Loads; ++N) {
    Control C;
    C.WriteCounter = 0;
    K.inst("LDG128_r", {{Role::d, 8}, {Role::a, 4}, {Role::cache, 0}}, C);
    C = Control();
    C.Stall = 6;
    C.WaitMask = 1;
    K.inst("LEA64_r", {{Role::d, 4}, {Role::a, 1}, {Role::b, 4}, {Role::sh, 0}},
           C);
  }
}

void addProducts(KernelBuilder &K, unsigned Products) {
  constexpr unsigned M16N8K16 = 6;
  for (unsigned N = 0; N < Products; ++N)
    K.inst("MMA", {{Role::d, 8},
                   {Role::a, 12},
                   {Role::b, 16},
                   {Role::c, 20},
                   {Role::mshape, M16N8K16}});
}

TEST(Activity, ShowsThePartsOfALaunch) {
  EmulatorOptions Options;
  Options.Chip = "hd10";
  Options.Timing = true;
  Options.StrictHazards = false;
  Machine M(Options);
  constexpr unsigned Loads = 8, CTAs = 64, Products = 400;
  constexpr uint32_t Apart = CTAs * 256 * 16;
  KernelBuilder K;
  addLoads(K, Loads, Apart);
  addProducts(K, Products);
  K.exit();
  rt::LaunchResult R =
      M.launch(K, Params().add(M.allocate(uint64_t(Apart) * Loads)),
               {.Grid = {CTAs}, .Block = {256}});
  ASSERT_FALSE(R.Fault) << R.Fault->str();
  const rt::LaunchProfile &P = *R.Profile;
  rt::ActivitySample Sum = sumOf(P.Activity);
  EXPECT_EQ(Sum.DRAMBytes, P.dramBytes());
  EXPECT_EQ(Sum.DRAMBytes, uint64_t(Apart) * Loads);
  EXPECT_EQ(Sum.L2Sectors, P.Memory.L2Reads + P.Memory.L2Writes);
  for (const rt::PipeProfile &Pipe : P.Pipes)
    if (Pipe.Name == "matrix")
      EXPECT_EQ(Sum.MatrixCycles, Pipe.BusyCycles);
  EXPECT_GT(Sum.MatrixCycles, 0u);
  // All CTAs run at once: the matrix pipes wait for memory, and then memory has
  // nothing more to do.
  size_t Count = P.Activity.Samples.size();
  ASSERT_GT(Count, 8u);
  EXPECT_EQ(P.Activity.Samples[0].MatrixCycles, 0u);
  EXPECT_GT(P.Activity.Samples[Count / 8].DRAMBytes, 0u);
  EXPECT_EQ(P.Activity.Samples[Count - 2].DRAMBytes, 0u);
  EXPECT_GT(P.Activity.Samples[Count - 2].MatrixCycles, 0u);
  EXPECT_LE(P.Activity.CyclesPerSample * (Count - 1), P.Cycles);
  EXPECT_GE(P.Activity.CyclesPerSample * Count, P.Cycles);
}

} // namespace
