//===- MemoryCheckTest.cpp - Uninitialised memory and races -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The checks 'init' and 'race': each kind of memory and of order, broken and
// kept. Without the check the same kernels run to their end.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;
using rt::FaultKind;

namespace {

constexpr unsigned Word = 4;             // MemSize
constexpr unsigned LT = 1;               // CmpI
constexpr unsigned Sync = 0, Arrive = 1; // BarMode

class MemoryChecks : public testing::Test {
protected:
  static EmulatorOptions options(const char *Checks) {
    EmulatorOptions O;
    if (*Checks)
      O.Checks = llvm::cantFail(CheckSet::parse(Checks));
    return O;
  }
  /// Runs with the check: no report, or one that contains Text. Without it
  /// there is none.
  static void expect(const char *Check, FaultKind Kind, const KernelBuilder &K,
                     const std::string &Text, const Machine::Shape &S) {
    for (bool Checked : {true, false}) {
      Machine M(options(Checked ? Check : ""));
      uint64_t Fresh = M.allocate(1024);
      Params P;
      P.add(M.upload(std::vector<uint32_t>(256))).add(Fresh);
      rt::LaunchResult R = M.launch(K, P, S);
      if (!Checked || Text.empty()) {
        EXPECT_FALSE(R.Fault) << R.Fault->str();
        continue;
      }
      ASSERT_TRUE(R.Fault) << "not found: " << Text;
      EXPECT_EQ(R.Fault->Kind, Kind) << R.Fault->str();
      EXPECT_NE(R.Fault->Message.find(Text), std::string::npos)
          << R.Fault->Message;
    }
  }
  static void expectInit(const KernelBuilder &K, bool Report) {
    expect("init", FaultKind::Uninitialized, K,
           Report ? "memory that nobody has written" : "",
           {.Block = {64}, .SharedBytes = 1024, .LocalBytes = 64});
  }
  static void expectRace(const KernelBuilder &K, const std::string &Text,
                         unsigned Threads = 64) {
    expect("race", FaultKind::Race, K, Text,
           {.Block = {Threads}, .SharedBytes = 1024});
  }
};

/// R0 = tid, R2 = tid * 4, R3 = its neighbour's, a warp further on, of 64.
KernelBuilder begin() {
  KernelBuilder K;
  K.special(0, 0);
  K.inst("SHL_i", {{Role::d, 2}, {Role::a, 0}, {Role::b, 2}});
  K.inst("LOP3_i", {{Role::d, 3},
                    {Role::a, 2},
                    {Role::b, 128},
                    {Role::c, RZ},
                    {Role::lut, 0x3C}});
  return K;
}
KernelBuilder &storeShared(KernelBuilder &K, unsigned Address) {
  return K.inst("STS_r",
                {{Role::a, Address}, {Role::c, 0}, {Role::size, Word}});
}
KernelBuilder &loadShared(KernelBuilder &K, unsigned Address) {
  return K.inst("LDS_r",
                {{Role::d, 5}, {Role::a, Address}, {Role::size, Word}});
}
KernelBuilder &barrier(KernelBuilder &K, unsigned Number = 0,
                       unsigned Mode = Sync) {
  return K.inst("BAR_i", {{Role::b, Number}, {Role::c, RZ}, {Role::fn, Mode}});
}

//===----------------------------------------------------------------------===//
// init
//===----------------------------------------------------------------------===//

TEST_F(MemoryChecks, GlobalMemoryOfTheHost) {
  for (bool IsFresh : {false, true}) {
    KernelBuilder K;
    K.param64(2, IsFresh ? 8 : 0);
    K.inst("LDG_r", {{Role::d, 4}, {Role::a, 2}, {Role::size, Word}}).exit();
    expectInit(K, IsFresh);
  }
}

TEST_F(MemoryChecks, GlobalMemoryOfTheKernel) {
  // One byte of the word is missing in the second kernel.
  for (unsigned Size : {Word, 2u}) {
    KernelBuilder K;
    K.param64(2, 8);
    K.inst("STG_r", {{Role::a, 2}, {Role::c, RZ}, {Role::size, Size}});
    K.inst("LDG_r", {{Role::d, 4}, {Role::a, 2}, {Role::size, Word}}).exit();
    expectInit(K, Size != Word);
  }
}

TEST_F(MemoryChecks, AtomicsRead) {
  KernelBuilder K;
  K.param64(2, 8).mov(4, 1);
  K.inst("REDG_r", {{Role::a, 2}, {Role::c, 4}}).exit();
  expectInit(K, true);
}

TEST_F(MemoryChecks, SharedMemory) {
  KernelBuilder Good = begin();
  barrier(storeShared(Good, 2));
  loadShared(Good, 3).exit();
  expectInit(Good, false);
  KernelBuilder Bad = begin();
  storeShared(Bad, 2);
  Bad.inst("LDS_r",
           {{Role::d, 5}, {Role::a, 2}, {Role::imm, 512}, {Role::size, Word}});
  expectInit(Bad.exit(), true);
}

/// Local memory belongs to each thread.
TEST_F(MemoryChecks, LocalMemory) {
  for (bool All : {true, false}) {
    KernelBuilder K = begin();
    K.inst("ISETP_i", {{Role::p, 0},
                       {Role::a, 0},
                       {Role::b, All ? 64u : 63u},
                       {Role::cmp, LT},
                       {Role::s, PT}});
    K.guarded(0, false, "STL_r",
              {{Role::a, RZ}, {Role::c, 0}, {Role::size, Word}});
    K.inst("LDL_r", {{Role::d, 5}, {Role::a, RZ}, {Role::size, Word}}).exit();
    expectInit(K, !All);
  }
}

TEST_F(MemoryChecks, TheHostsCopiesCount) {
  Machine M(options("init"));
  uint64_t From = M.upload(std::vector<uint32_t>(4, 1));
  uint64_t Fresh = M.allocate(16), To = M.allocate(16);
  KernelBuilder K;
  K.param64(2, 0);
  K.inst("LDG_r", {{Role::d, 4}, {Role::a, 2}, {Role::size, Word}}).exit();
  llvm::cantFail(M.Device->copyOnDevice(To, From, 16));
  M.run(K, Params().add(To), {});
  llvm::cantFail(M.Device->copyOnDevice(To, Fresh, 16));
  M.runToFault(FaultKind::Uninitialized, K, Params().add(To), {});
  const uint8_t Zero[1] = {};
  llvm::cantFail(M.Device->fill(To, Zero, 16));
  M.run(K, Params().add(To), {});
}

//===----------------------------------------------------------------------===//
// race
//===----------------------------------------------------------------------===//

TEST_F(MemoryChecks, ReadAfterWrite) {
  KernelBuilder Good = begin();
  loadShared(barrier(storeShared(Good, 2)), 3).exit();
  expectRace(Good, "");
  KernelBuilder Bad = begin();
  loadShared(storeShared(Bad, 2), 3).exit();
  expectRace(Bad, "of shared memory, which warp 0 reads at PC 0x0040");
}

TEST_F(MemoryChecks, WriteAfterRead) {
  for (bool Good : {true, false}) {
    KernelBuilder K = begin();
    loadShared(barrier(storeShared(K, 2)), 3);
    if (Good)
      barrier(K);
    storeShared(K, 2).exit();
    expectRace(K, Good ? "" : "of shared memory, which warp");
  }
}

TEST_F(MemoryChecks, WriteAfterWrite) {
  KernelBuilder K = begin();
  K.inst("STS_r", {{Role::a, RZ}, {Role::c, 0}, {Role::size, Word}}).exit();
  expectRace(K, "writes byte 0 of shared memory, which warp 0 writes");
  // Of one warp only: its lanes are not told apart.
  expectRace(K, "", 32);
}

/// Bytes of a word are places of their own.
TEST_F(MemoryChecks, NeighbouringBytes) {
  KernelBuilder K = begin();
  K.inst("STS_r", {{Role::a, 0}, {Role::c, 0}, {Role::size, 0}}).exit();
  expectRace(K, "");
}

TEST_F(MemoryChecks, AtomicsAndOrderedAccessesAreNoRaces) {
  KernelBuilder Atomic = begin();
  Atomic.mov(4, 1);
  Atomic.inst("ATOMS", {{Role::d, 5}, {Role::a, RZ}, {Role::c, 4}}).exit();
  expectRace(Atomic, "");
  // An atomic and a plain access are.
  KernelBuilder Mixed = begin();
  Mixed.inst("ISETP_i", {{Role::p, 0},
                         {Role::a, 0},
                         {Role::b, 32},
                         {Role::cmp, LT},
                         {Role::s, PT}});
  Mixed.guarded(0, false, "STS_r",
                {{Role::a, RZ}, {Role::c, 0}, {Role::size, Word}});
  Mixed.guarded(0, true, "ATOMS", {{Role::d, 5}, {Role::a, RZ}, {Role::c, 0}});
  expectRace(Mixed.exit(), "which warp 0 writes");
}

/// Warp 0 arrives at a barrier at which warp 1 waits; not the other way round.
TEST_F(MemoryChecks, ArrivingOrdersOneWay) {
  for (bool WriterArrives : {true, false}) {
    KernelBuilder K = begin();
    K.inst("ISETP_i", {{Role::p, 0},
                       {Role::a, 0},
                       {Role::b, 32},
                       {Role::cmp, LT},
                       {Role::s, PT}});
    K.jump("BRA", "second", {{Role::pg, 0}, {Role::pgn, 1}});
    // Warp 0.
    K.inst("STS_r", {{Role::a, 2}, {Role::c, 0}, {Role::size, Word}});
    barrier(K, 1, WriterArrives ? Arrive : Sync);
    if (!WriterArrives)
      storeShared(K, 2);
    K.exit();
    K.label("second");
    if (WriterArrives) {
      barrier(K, 1, Sync);
      loadShared(K, 3).exit();
      expectRace(K, "");
      continue;
    }
    barrier(K, 1, Arrive);
    loadShared(K, 3).exit();
    expectRace(K, "of shared memory, which warp");
  }
}

} // namespace
