//===- DeviceTest.cpp - Launches and the device's own calls -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whole kernels, and the calls of heddle/Runtime/Device.h.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

#include <cmath>
#include <sys/resource.h>

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;

namespace {

/// y[i] = a * x[i] + y[i] for i < n; parameters n, a, x, y.
KernelBuilder saxpy() {
  KernelBuilder K;
  K.special(0, 0).special(1, 6).special(2, 3);
  K.inst("IMAD_r", {{Role::d, 0}, {Role::a, 1}, {Role::b, 2}, {Role::c, 0}});
  K.param32(3, 0);
  K.inst("ISETP_r", {{Role::p, 0},
                     {Role::a, 0},
                     {Role::b, 3},
                     {Role::cmp, 6}, // GE
                     {Role::s, PT}});
  K.guarded(0, false, "EXIT");
  K.param32(10, 4).param64(4, 8).param64(6, 16);
  K.address(4, 4, 0, 2).address(6, 6, 0, 2);
  K.inst("LDG_r", {{Role::d, 8}, {Role::a, 4}, {Role::size, 4}});
  K.inst("LDG_r", {{Role::d, 9}, {Role::a, 6}, {Role::size, 4}});
  K.inst("FFMA_r", {{Role::d, 9}, {Role::a, 10}, {Role::b, 8}, {Role::c, 9}});
  K.inst("STG_r", {{Role::a, 6}, {Role::c, 9}, {Role::size, 4}});
  K.exit();
  return K;
}

std::vector<float> runSaxpy(Machine &M, uint32_t Count,
                            rt::LaunchStatistics *Statistics = nullptr) {
  std::vector<float> X(Count), Y(Count);
  for (uint32_t N = 0; N < Count; ++N) {
    X[N] = N * 0.25f;
    Y[N] = 100.0f - N;
  }
  uint64_t AddressX = M.upload(X), AddressY = M.upload(Y);
  Params P;
  P.add(Count).add(2.5f).add(AddressX).add(AddressY);
  Machine::Shape Shape;
  Shape.Grid.X = (Count + 127) / 128;
  Shape.Block.X = 128;
  rt::LaunchStatistics S = M.run(saxpy(), P, Shape);
  if (Statistics)
    *Statistics = S;
  return M.download<float>(AddressY, Count);
}

TEST(EmulatorDevice, RunsSaxpyOnEveryChipAndThreadCount) {
  for (const isa::ChipInfo &Chip : isa::chips())
    for (unsigned Threads : {1, 2, 5}) {
      EmulatorOptions Options;
      Options.Chip = Chip.Name;
      Options.HostThreads = Threads;
      Machine M(Options);
      std::vector<float> Y = runSaxpy(M, 1000);
      for (uint32_t N = 0; N < Y.size(); ++N)
        ASSERT_EQ(Y[N], std::fma(2.5f, N * 0.25f, 100.0f - N));
    }
}

TEST(EmulatorDevice, CountsInstructions) {
  Machine M;
  rt::LaunchStatistics S;
  runSaxpy(M, 1000, &S);
  EXPECT_EQ(S.CTAs, 8u);
  EXPECT_EQ(S.Warps, 32u);
  EXPECT_EQ(S.Threads, 1024u);
  // Each warp issues all 17 instructions; in the last one, 24 of the 32 lanes
  // leave at the guarded exit, before the last ten instructions.
  EXPECT_EQ(S.WarpInstructions, 32u * 17);
  uint64_t Exits = 24, AfterExit = 10;
  EXPECT_EQ(S.ThreadInstructions, 1024u * 16 - Exits * AfterExit + Exits);
  uint64_t Sum = 0;
  for (const rt::InstructionCount &C : S.ByClass) {
    Sum += C.Thread;
    if (C.Class == "FMA") { // IMAD and FFMA
      EXPECT_EQ(C.Thread, 1024u + 1000u);
    }
  }
  EXPECT_EQ(Sum, S.ThreadInstructions);
}

TEST(EmulatorDevice, RefusesBadCalls) {
  Machine M;
  rt::Device &D = *M.Device;
  uint64_t Block = M.allocate(64);
  std::vector<uint8_t> Bytes(65);
  auto Fails = [](llvm::Error E) {
    bool Failed = bool(E);
    llvm::consumeError(std::move(E));
    return Failed;
  };
  EXPECT_TRUE(Fails(D.copyToDevice(Block, Bytes)));
  EXPECT_TRUE(Fails(D.copyFromDevice(Bytes, Block)));
  EXPECT_TRUE(Fails(D.copyOnDevice(Block + 1, Block, 64)));
  EXPECT_TRUE(Fails(D.fill(Block, {1, 2}, 33)));
  EXPECT_TRUE(Fails(D.fill(Block, {1, 2}, ~uint64_t(0))));
  EXPECT_TRUE(Fails(D.free(Block + 1)));
  EXPECT_FALSE(Fails(D.free(Block)));
  EXPECT_TRUE(Fails(D.free(Block)));
  EXPECT_TRUE(Fails(D.copyToDevice(Block, {1})));
  EXPECT_TRUE(Fails(D.allocate(16, 3).takeError()));
  EXPECT_TRUE(Fails(D.loadModule(Bytes).takeError()));
  EmulatorOptions Unknown;
  Unknown.Chip = "no-chip";
  EXPECT_TRUE(Fails(createEmulatorDevice(Unknown).takeError()));
}

/// What a captured launch needs: blocks where they were, and no others there.
TEST(EmulatorDevice, AllocatesWhereItIsTold) {
  Machine M;
  rt::Device &D = *M.Device;
  constexpr uint64_t Low = uint64_t(1) << 32, High = 0x7F0012340000;
  for (uint64_t Address : {Low, High}) {
    llvm::cantFail(D.allocateAt(Address, 100));
    llvm::cantFail(D.copyToDevice(Address + 96, {1, 2, 3, 4}));
    uint8_t Bytes[4];
    llvm::cantFail(D.copyFromDevice(Bytes, Address + 96));
    EXPECT_EQ(Bytes[3], 4);
  }
  uint64_t Other = llvm::cantFail(D.allocate(1000));
  EXPECT_GE(Other, Low + 100);
  EXPECT_LT(Other, High);
  auto Fails = [](llvm::Error E) {
    bool Failed(E);
    llvm::consumeError(std::move(E));
    return Failed;
  };
  for (uint64_t Taken : {Low, Low + 99, High - 1, Other, uint64_t(0)})
    EXPECT_TRUE(Fails(D.allocateAt(Taken, 8)));
  EXPECT_FALSE(Fails(D.free(High)));
}

TEST(EmulatorDevice, NewMemoryIsZero) {
  Machine M;
  for (uint64_t Size : {uint64_t(6), uint64_t(5) << 20}) {
    uint64_t Block = M.allocate(Size);
    const uint8_t Pattern[] = {1, 2, 3};
    EXPECT_EQ(M.download<uint8_t>(Block, Size), std::vector<uint8_t>(Size));
    llvm::cantFail(M.Device->fill(Block, Pattern, Size / 3));
    // Other memory, and that which is freed, say nothing of new memory.
    llvm::cantFail(M.Device->free(Block));
    EXPECT_EQ(M.download<uint8_t>(M.allocate(Size), Size),
              std::vector<uint8_t>(Size));
  }
}

TEST(EmulatorDevice, PoisonsNewMemoryOnRequest) {
  EmulatorOptions Asked, Checked;
  Asked.FreshMemory = rt::FreshMemory::Poison;
  Checked.Checks.add(CheckKind::Init);
  for (const EmulatorOptions &Options : {Asked, Checked}) {
    Machine M(Options);
    for (uint16_t Word : M.download<uint16_t>(M.allocate(1 << 20), 1 << 19))
      ASSERT_EQ(Word, rt::PoisonPattern);
    EXPECT_EQ(M.download<uint8_t>(M.allocate(3), 3),
              (std::vector<uint8_t>{0xFB, 0x7F, 0xFB}));
  }
}

TEST(EmulatorDevice, UntouchedMemoryCostsNothing) {
  rusage Before, After;
  getrusage(RUSAGE_SELF, &Before);
  Machine M;
  uint64_t Size = (uint64_t(4) << 30) - 4096;
  uint64_t Block = M.allocate(Size);
  EXPECT_EQ(M.download<uint8_t>(Block + Size - 1, 1)[0], 0);
  getrusage(RUSAGE_SELF, &After);
  EXPECT_LT(After.ru_maxrss - Before.ru_maxrss, 64 << 10); // in KiB
}

TEST(EmulatorDevice, AnAllocationThatFailsReservesNothing) {
  EmulatorOptions Options;
  Options.MemoryBytes = uint64_t(1) << 57;
  Machine M(Options);
  // More than there are addresses.
  auto Failed = M.Device->allocate(Options.MemoryBytes);
  ASSERT_FALSE(bool(Failed));
  EXPECT_EQ(llvm::toString(Failed.takeError()),
            "the host has no memory for 144115188075855872 bytes");
  auto Small = M.Device->allocate(64);
  EXPECT_TRUE(bool(Small)) << llvm::toString(Small.takeError());
}

} // namespace
