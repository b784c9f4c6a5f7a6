//===- ConcurrencyTest.cpp - Launches beside each other ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel that waits for a word in memory meets whoever writes it: another
// launch, a copy of the host, or someone who has lost patience.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include <future>

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;

namespace {

constexpr unsigned Word = 4; // MemSize
constexpr uint64_t EQ = 2;   // Cmp
constexpr unsigned SRCta = 6;

/// Waits until the word at the first parameter is not zero, then copies it to
/// the second.
KernelBuilder waiter() {
  KernelBuilder K;
  K.param64(4, 0).param64(6, 8);
  K.label("again");
  K.inst("LDG_r", {{Role::d, 8}, {Role::a, 4}, {Role::size, Word}});
  K.inst("ISETP_r", {{Role::p, 0},
                     {Role::a, 8},
                     {Role::b, RZ},
                     {Role::cmp, EQ},
                     {Role::s, PT}});
  K.jump("BRA", "again", {{Role::pg, 0}});
  K.inst("STG_r", {{Role::a, 6}, {Role::c, 8}, {Role::size, Word}});
  K.exit();
  return K;
}

/// Stores 42 to the first parameter.
KernelBuilder writer() {
  KernelBuilder K;
  K.param64(4, 0).mov(8, 42);
  K.inst("STG_r", {{Role::a, 4}, {Role::c, 8}, {Role::size, Word}});
  K.exit();
  return K;
}

/// CTA 1 stores what all wait for, by loads at \p Scope.
KernelBuilder waitersOfTheSecondCTA(uint64_t Scope) {
  constexpr uint64_t NE = 5, Relaxed = 2;
  KernelBuilder K;
  K.param64(4, 0).special(1, SRCta).mov(9, 1);
  K.inst("ISETP_i", {{Role::p, 0},
                     {Role::a, 1},
                     {Role::b, 1},
                     {Role::cmp, NE},
                     {Role::s, PT}});
  K.guarded(0, true, "STG_r", {{Role::a, 4}, {Role::c, 9}, {Role::size, Word}});
  K.label("again");
  K.inst("LDG_r", {{Role::d, 8},
                   {Role::a, 4},
                   {Role::size, Word},
                   {Role::order, Relaxed},
                   {Role::scope, Scope}});
  K.inst("ISETP_r", {{Role::p, 0},
                     {Role::a, 8},
                     {Role::b, RZ},
                     {Role::cmp, EQ},
                     {Role::s, PT}});
  K.jump("BRA", "again", {{Role::pg, 0}});
  K.exit();
  return K;
}

struct Meeting {
  Machine M;
  uint64_t Flag = M.upload(std::vector<uint32_t>{0});
  uint64_t Target = M.upload(std::vector<uint32_t>{0});
  std::future<void> Waiting = std::async(std::launch::async, [this] {
    M.run(waiter(), Params().add(Flag).add(Target), {});
  });

  void expectMet() {
    Waiting.get();
    EXPECT_EQ(M.download<uint32_t>(Target, 1)[0], 42u);
  }
};

TEST(EmulatorConcurrency, TwoLaunchesSeeEachOther) {
  Meeting T;
  T.M.run(writer(), Params().add(T.Flag), {});
  T.expectMet();
}

/// A CTA that asks again and again for what another device could store gives
/// its turn to others early.
TEST(EmulatorConcurrency, WhoWaitsForOtherDevicesTakesShortTurns) {
  constexpr uint64_t GPU = 2, System = 3;
  EmulatorOptions Options;
  Options.HostThreads = 1;
  auto Count = [&](uint64_t Scope) {
    Machine M(Options);
    uint64_t Flag = M.upload(std::vector<uint32_t>{0});
    return M
        .run(waitersOfTheSecondCTA(Scope), Params().add(Flag), {.Grid = {2}})
        .WarpInstructions;
  };
  EXPECT_LT(Count(System), 8192u);
  EXPECT_GT(Count(GPU), 100000u); // which is about kernels of one device
}

TEST(EmulatorConcurrency, ACopyReachesARunningKernel) {
  Meeting T;
  uint32_t Value = 42;
  llvm::cantFail(T.M.Device->copyToDevice(
      T.Flag, {reinterpret_cast<const uint8_t *>(&Value), sizeof(Value)}));
  T.expectMet();
}

TEST(EmulatorConcurrency, MappedMemoryIsTheHostsOwn) {
  Machine M;
  alignas(8) std::atomic<uint32_t> Words[2] = {0, 0};
  auto Address = reinterpret_cast<uint64_t>(&Words);
  llvm::MutableArrayRef Memory(reinterpret_cast<uint8_t *>(&Words),
                               sizeof(Words));
  llvm::cantFail(M.Device->mapHost(Memory));
  EXPECT_EQ(toString(M.Device->mapHost(Memory)),
            "the memory of the host is mapped already");
  auto Waiting = std::async(std::launch::async, [&] {
    M.run(waiter(), Params().add(Address).add(Address + 4), {});
  });
  Words[0] = 42; // while the kernel runs
  Waiting.get();
  EXPECT_EQ(Words[1], 42u);

  llvm::cantFail(M.Device->unmapHost(&Words));
  M.runToFault(rt::FaultKind::OutOfBounds, writer(), Params().add(Address), {});
  EXPECT_EQ(toString(M.Device->unmapHost(&Words)),
            "no memory of the host is mapped there");
}

TEST(EmulatorConcurrency, ALaunchCanBeCancelled) {
  Machine M;
  uint64_t Flag = M.upload(std::vector<uint32_t>{0});
  std::vector<uint8_t> Code = waiter().bytes();
  Params P;
  P.add(Flag).add(Flag);
  RawKernel Raw;
  Raw.Info.Name = "waiter";
  Raw.Info.ParamBytes = P.Bytes.size();
  Raw.Code = Code;
  auto Module = llvm::cantFail(loadRawKernels(*M.Device, Raw));
  std::atomic<bool> Cancel{false};
  rt::LaunchConfig Config;
  Config.Grid.X = 1000;
  Config.Params = P.Bytes;
  Config.Cancel = &Cancel;
  std::future<std::string> End = std::async(std::launch::async, [&] {
    return toString(M.Device->launch(*Module, 0, Config).takeError());
  });
  Cancel = true;
  EXPECT_EQ(End.get(), "the launch of 'waiter' was cancelled");
}

TEST(EmulatorDevice, MemoryIsBounded) {
  EmulatorOptions Options;
  Options.MemoryBytes = 1 << 20;
  Machine M(Options);
  EXPECT_EQ(M.Device->properties().MemoryBytes, 1u << 20);
  uint64_t First = M.allocate(1 << 19);
  EXPECT_EQ(toString(M.Device->allocate((1 << 19) + 1).takeError()),
            "out of device memory for 524289 bytes");
  llvm::cantFail(M.Device->free(First));
  M.allocate(1 << 20);
}

} // namespace
