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

/// What orders accesses writes nothing.
TEST_F(MemoryChecks, NothingIsWrittenByBarriersAndFences) {
  KernelBuilder K = begin();
  barrier(storeShared(K, 2));
  K.inst("MEMBAR", {{Role::fn, 0}, {Role::scope, 0}});
  K.inst("WARPSYNC_i", {{Role::b, ~0u}});
  K.inst("LDS_r",
         {{Role::d, 5}, {Role::a, 2}, {Role::imm, 512}, {Role::size, Word}});
  expectInit(K.exit(), true);
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

/// A fence by itself orders nothing.
TEST_F(MemoryChecks, FencesAreNoBarriers) {
  KernelBuilder K = begin();
  storeShared(K, 2).inst("MEMBAR", {{Role::fn, 0}, {Role::scope, 0}});
  loadShared(K, 3).exit();
  expectRace(K, "of shared memory, which warp");
}

/// Two pairs of warps at a barrier each: the first one writes what the third
/// one reads.
TEST_F(MemoryChecks, BarriersOrderThoseWhoMeet) {
  for (bool AreApart : {false, true}) {
    KernelBuilder K = begin();
    K.mov(8, 64);
    for (auto [P, First] : {std::pair(0u, 32u), std::pair(1u, 64u)})
      K.inst("ISETP_i", {{Role::p, P},
                         {Role::a, 0},
                         {Role::b, First},
                         {Role::cmp, LT},
                         {Role::s, PT}});
    K.guarded(0, false, "STS_r",
              {{Role::a, RZ}, {Role::c, 0}, {Role::size, Word}});
    K.jump("BRA", "second", {{Role::pg, 1}, {Role::pgn, 1}});
    unsigned Count = AreApart ? 8 : RZ;
    K.inst("BAR_i", {{Role::b, 1}, {Role::c, Count}, {Role::fn, Sync}}).exit();
    K.label("second");
    K.inst("BAR_i",
           {{Role::b, AreApart ? 2u : 1u}, {Role::c, Count}, {Role::fn, Sync}});
    loadShared(K, RZ).exit();
    expectRace(K, AreApart ? "of shared memory, which warp" : "", 128);
  }
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

//===----------------------------------------------------------------------===//
// race in global memory
//===----------------------------------------------------------------------===//

/// Two CTAs of a warp each over a buffer of 256 words, which is the first
/// parameter. R4 and R5 have its address, P0 says whether it is the first CTA.
class GlobalRaces : public MemoryChecks {
protected:
  static KernelBuilder beginGlobal() {
    constexpr unsigned CTANumber = 6;
    KernelBuilder K;
    K.special(0, 0).special(1, CTANumber).param64(4, 0);
    K.inst("ISETP_i", {{Role::p, 0},
                       {Role::a, 1},
                       {Role::b, 1},
                       {Role::cmp, LT},
                       {Role::s, PT}});
    return K;
  }
  static constexpr unsigned Flag = 128; ///< Bytes into the buffer.
  /// The first CTA writes the first word, the other one reads or writes it.
  static KernelBuilder exchange(bool WithFlag, const char *Second) {
    KernelBuilder K = beginGlobal();
    K.guarded(0, false, "STG_r",
              {{Role::a, 4}, {Role::c, 0}, {Role::size, Word}});
    if (WithFlag)
      K.inst("ATOMG_r",
             {{Role::d, 6}, {Role::a, 4}, {Role::imm, Flag}, {Role::c, RZ}});
    K.guarded(0, true, Second,
              {{Role::a, 4},
               {Role::size, Word},
               {Second[0] == 'S' ? Role::c : Role::d, 7}});
    return std::move(K.exit());
  }
  static void expectGlobal(const KernelBuilder &K, const std::string &Text,
                           unsigned CTAs = 2, unsigned Threads = 32) {
    expect("race", FaultKind::Race, K, Text,
           {.Grid = {CTAs}, .Block = {Threads}, .SharedBytes = 16});
  }
};

TEST_F(GlobalRaces, BetweenCTAs) {
  expectGlobal(exchange(false, "LDG_r"), "which warp 0 of CTA 0 writes at PC");
  expectGlobal(exchange(false, "STG_r"), "which warp 0 of CTA 0 writes at PC");
  expectGlobal(exchange(false, "LDG_r"), "", 1);
}

TEST_F(GlobalRaces, AtomicsOrder) {
  expectGlobal(exchange(true, "LDG_r"), "");
  expectGlobal(exchange(true, "STG_r"), "");
}

TEST_F(GlobalRaces, ReadsAreNone) {
  KernelBuilder K = beginGlobal();
  K.inst("LDG_r", {{Role::d, 6}, {Role::a, 4}, {Role::size, Word}}).exit();
  expectGlobal(K, "", 16, 64);
}

/// Each thread of the grid has a byte of its own, four in a word.
TEST_F(GlobalRaces, NeighbouringBytesAreNone) {
  KernelBuilder K = beginGlobal();
  K.inst("IMAD_i", {{Role::d, 6}, {Role::a, 1}, {Role::b, 33}, {Role::c, 0}});
  K.address(8, 4, 6, 0);
  K.inst("STG_r", {{Role::a, 8}, {Role::c, 0}, {Role::size, 0}}).exit();
  expectGlobal(K, "", 4);
  // The last of a CTA is the first of the next one.
  KernelBuilder Bad = beginGlobal();
  Bad.inst("IMAD_i", {{Role::d, 6}, {Role::a, 1}, {Role::b, 31}, {Role::c, 0}});
  Bad.address(8, 4, 6, 0);
  Bad.inst("STG_r", {{Role::a, 8}, {Role::c, 0}, {Role::size, 0}}).exit();
  expectGlobal(Bad, "which warp 0 of CTA 0 writes");
}

/// A read by a CTA that a later one overwrites.
TEST_F(GlobalRaces, WriteAfterRead) {
  KernelBuilder K = beginGlobal();
  K.guarded(0, false, "LDG_r",
            {{Role::d, 6}, {Role::a, 4}, {Role::size, Word}});
  K.guarded(0, true, "STG_r", {{Role::a, 4}, {Role::c, 0}, {Role::size, Word}});
  expectGlobal(K.exit(), "which warp 0 of CTA 0 reads");
}

/// Inside a CTA its barrier orders global memory too.
TEST_F(GlobalRaces, BarriersOrderWarpsOfACTA) {
  for (bool Good : {true, false}) {
    KernelBuilder K = beginGlobal();
    K.inst("SHL_i", {{Role::d, 2}, {Role::a, 0}, {Role::b, 2}});
    K.address(8, 4, 2, 0);
    K.inst("STG_r", {{Role::a, 8}, {Role::c, 0}, {Role::size, Word}});
    if (Good)
      barrier(K);
    K.inst("LDG_r", {{Role::d, 6}, {Role::a, 4}, {Role::size, Word}}).exit();
    expectGlobal(K, Good ? "" : "which warp 0 of CTA 0 writes at PC", 1, 64);
  }
}

} // namespace
