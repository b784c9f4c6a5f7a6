//===- OccupancyTest.cpp - Tests of occupancy -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The expected numbers are worked out by hand from the figures given here.
//
//===----------------------------------------------------------------------===//

#include "heddle/Runtime/Occupancy.h"
#include "heddle/Runtime/BlockRegisters.h"
#include "gtest/gtest.h"

using namespace heddle::rt;

namespace {

DeviceProperties device() {
  DeviceProperties D;
  D.WarpsPerCore = 64;
  D.CTAsPerCore = 32;
  D.ThreadsPerCTA = 1024;
  D.RegistersPerCore = 65536;
  D.RegisterGranule = 8;
  D.SharedBytesPerCore = 100 * 1024;
  D.SharedBytesPerCTA = 99 * 1024;
  D.SharedGranule = 128;
  return D;
}

KernelInfo kernel(uint32_t Registers, uint32_t Shared = 0) {
  KernelInfo K;
  K.Registers = Registers;
  K.SharedBytes = Shared;
  return K;
}

void expectOccupancy(const Occupancy &O, uint32_t CTAs, OccupancyLimit Limit) {
  EXPECT_EQ(O.CTAsPerCore, CTAs);
  EXPECT_EQ(occupancyLimitName(O.Limit), occupancyLimitName(Limit));
}

TEST(Occupancy, LargeBlocksLeaveFewRegisters) {
  DeviceProperties D = device();
  EXPECT_EQ(registersForBlock(D, 1024), 64u);
  EXPECT_EQ(registersForBlock(D, 769), 64u); // as 1024
  EXPECT_EQ(registersForBlock(D, 768), 80u); // 85
  EXPECT_EQ(registersForBlock(D, 512), 128u);
  EXPECT_EQ(registersForBlock(D, 0), 0u);
  EXPECT_EQ(registersForBlock(D, 1025), 0u);
  EXPECT_FALSE(needsFewerRegisters(D, kernel(64), 1024));
  EXPECT_TRUE(needsFewerRegisters(D, kernel(65), 1024));
  EXPECT_FALSE(needsFewerRegisters(D, kernel(72), 896));
  EXPECT_FALSE(needsFewerRegisters(D, kernel(65), 2048)); // too large anyway
  KernelInfo Bounded = kernel(255);
  Bounded.MaxBlock = Dim3{1024, 1, 1};
  EXPECT_FALSE(needsFewerRegisters(D, Bounded, 1024));
  EXPECT_TRUE(hasTooManyRegisters(D, Bounded, 1024));
  KernelInfo Chosen = kernel(128);
  Chosen.MaxRegisters = 128;
  EXPECT_FALSE(needsFewerRegisters(D, Chosen, 1024));
  std::string Why = explainRegisters(D, kernel(80), 1024);
  EXPECT_NE(Why.find("at most 800 threads"), std::string::npos) << Why;
  EXPECT_NE(Why.find("-maxrregcount=64"), std::string::npos) << Why;
}

TEST(Occupancy, EachResourceLimits) {
  DeviceProperties D = device();
  // 64 warps / 8 warps
  expectOccupancy(computeOccupancy(D, kernel(32), 256, 0), 8,
                  OccupancyLimit::Warps);
  // 64 warps / 1 warp would be 64
  expectOccupancy(computeOccupancy(D, kernel(32), 20, 0), 32,
                  OccupancyLimit::CTAs);
  // 33 registers become 40; 65536 / (40 * 256) = 6.4
  expectOccupancy(computeOccupancy(D, kernel(33), 256, 0), 6,
                  OccupancyLimit::Registers);
  // 20 KiB and a byte become 20.125 KiB; 100 / 20.125 = 4.97
  expectOccupancy(computeOccupancy(D, kernel(32, 20 * 1024), 256, 1), 4,
                  OccupancyLimit::SharedMemory);
}

TEST(Occupancy, WhatCannotBeLaunchedHasNone) {
  DeviceProperties D = device();
  EXPECT_EQ(computeOccupancy(D, kernel(32), 0, 0).CTAsPerCore, 0u);
  EXPECT_EQ(computeOccupancy(D, kernel(32), 1025, 0).CTAsPerCore, 0u);
  EXPECT_EQ(computeOccupancy(D, kernel(128), 1024, 0).CTAsPerCore, 0u);
  expectOccupancy(computeOccupancy(D, kernel(32), 32, 99 * 1024 + 1), 0,
                  OccupancyLimit::SharedMemory);
}

TEST(Occupancy, TheBestBlockIsTheLargestOfTheFullest) {
  DeviceProperties D = device();
  auto NoShared = [](uint32_t) { return 0u; };
  EXPECT_EQ(bestBlockSize(D, kernel(32), 0, NoShared), 1024u);
  // 80 registers allow 25 warps: one CTA of 25 warps fills that.
  EXPECT_EQ(bestBlockSize(D, kernel(80), 0, NoShared), 25u * 32);
  // 96 threads would leave one of 64 warps free.
  EXPECT_EQ(bestBlockSize(D, kernel(32), 100, NoShared), 64u);
  // 512 bytes for each thread: 200 threads on a core, six warps.
  EXPECT_EQ(bestBlockSize(D, kernel(32), 0, [](uint32_t T) { return T * 512; }),
            6u * 32);
}

TEST(Occupancy, ChipsStateTheirFigures) {
  for (const heddle::isa::ChipInfo &Chip : heddle::isa::chips()) {
    DeviceProperties P = chipProperties(Chip);
    EXPECT_GT(P.Cores, 0u);
    EXPECT_EQ(computeOccupancy(P, kernel(32), 32, 0).CTAsPerCore,
              uint32_t(Chip.CTAsPerCore));
  }
}

} // namespace
