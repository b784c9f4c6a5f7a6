//===- TimingTest.cpp - The timing model ------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Microbenchmarks: each latency, width and bandwidth that the model shows is
// the figure that isa-defs/ states for the chip. Latencies are differences of
// two lengths of a chain in a loop, so that what is around it does not count
// and its code is there.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "heddle/Emulator/PeerLinks.h"
#include "heddle/Runtime/Profile.h"

#include <map>
#include <numeric>
#include <set>

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;
using isa::Control;
using isa::LatencyClass;

namespace {

constexpr unsigned Word = 4;                       // MemSize
constexpr unsigned CacheGlobal = 1, Streaming = 0; // CacheOp

constexpr unsigned Iterations = 128;
constexpr unsigned Counter = 100; // A register.
constexpr unsigned NotEqual = 5;  // CmpI

/// Names counter 0 and waits for it: a link of a chain.
Control chained() {
  Control C;
  C.WriteCounter = 0;
  C.WaitMask = 1;
  return C;
}
/// Issues as soon as the pipe takes it.
Control freely() { return Control(); }

/// Bytes that DRAM transfers in a cycle.
double reachable(const isa::ChipInfo &Chip) {
  return Chip.DRAMBytesPerCycle * Chip.DRAMPercent / 100.0;
}

class Timing : public testing::TestWithParam<const char *> {
protected:
  const isa::ChipInfo &chip() const { return *isa::findChip(GetParam()); }
  isa::ClassTiming timing(LatencyClass C) const {
    return chip().Timings[static_cast<size_t>(C)];
  }
  EmulatorOptions options() const {
    EmulatorOptions O;
    O.Chip = GetParam();
    O.Timing = true;
    O.StrictHazards = false;
    return O;
  }
  rt::LaunchProfile profile(Machine &M, const KernelBuilder &K, const Params &P,
                            const Machine::Shape &S) {
    rt::LaunchResult R = M.launch(K, P, S);
    EXPECT_FALSE(R.Fault) << (R.Fault ? R.Fault->str() : "");
    EXPECT_TRUE(R.Profile);
    return R.Profile ? *R.Profile : rt::LaunchProfile();
  }
  /// Goes back to "loop" as often as Counter says, and ends.
  static void repeat(KernelBuilder &K) {
    K.inst("IADD3_i", {{Role::d, Counter}, {Role::a, Counter}, {Role::b, ~0u}});
    K.inst("ISETP_i", {{Role::p, 6},
                       {Role::a, Counter},
                       {Role::b, 0},
                       {Role::cmp, NotEqual},
                       {Role::s, PT}});
    K.jump("BRA", "loop", {{Role::pg, 6}}).exit();
  }
  /// Cycles that each of many instructions adds, by two lengths of a loop in a
  /// kernel that Setup begins.
  template <typename SetupFn, typename LinkFn>
  double cyclesPerLink(Machine &M, const Params &P, const Machine::Shape &S,
                       SetupFn Setup, LinkFn Link) {
    constexpr unsigned Short = 32, Long = 96;
    auto Cycles = [&](unsigned Links) {
      KernelBuilder K;
      Setup(K);
      K.mov(Counter, Iterations).label("loop");
      for (unsigned N = 0; N < Links; ++N)
        Link(K);
      repeat(K);
      return double(profile(M, K, P, S).Cycles);
    };
    return (Cycles(Long) - Cycles(Short)) / ((Long - Short) * Iterations);
  }
  template <typename SetupFn, typename LinkFn>
  double cyclesPerLink(const Machine::Shape &S, SetupFn Setup, LinkFn Link) {
    Machine M(options());
    return cyclesPerLink(M, Params(), S, Setup, Link);
  }
  double cyclesPerLink(const Machine::Shape &S, std::string_view Name,
                       const Fields &Operands, Control Ctl) {
    return cyclesPerLink(
        S, [](KernelBuilder &K) { K.mov(4, 0).mov(5, 0); },
        [&](KernelBuilder &K) { K.inst(Name, Operands, Ctl); });
  }
};

INSTANTIATE_TEST_SUITE_P(Chips, Timing,
                         testing::Values("hd100", "hd10", "h200-like"),
                         [](const auto &Info) {
                           std::string Name = Info.param;
                           std::replace(Name.begin(), Name.end(), '-', '_');
                           return Name;
                         });

//===----------------------------------------------------------------------===//
// Latencies
//===----------------------------------------------------------------------===//

TEST_P(Timing, VariableLatencies) {
  struct Case {
    LatencyClass Class;
    const char *Name;
    Fields Operands;
  };
  const Case Cases[] = {
      {LatencyClass::MUFU, "MUFU", {{Role::d, 4}, {Role::a, 4}}},
      {LatencyClass::CONV, "I2F", {{Role::d, 4}, {Role::b, 4}}},
      {LatencyClass::F64, "DADD_r", {{Role::d, 4}, {Role::a, 4}, {Role::b, 4}}},
      {LatencyClass::S2R, "S2R", {{Role::d, 4}, {Role::b, 0}}},
      {LatencyClass::LDS,
       "LDS_r",
       {{Role::d, 4}, {Role::a, RZ}, {Role::size, Word}}},
      {LatencyClass::LDC,
       "LDC_r",
       {{Role::d, 4}, {Role::a, RZ}, {Role::size, Word}}},
      {LatencyClass::SHFL,
       "SHFL_i",
       {{Role::d, 4}, {Role::a, 4}, {Role::b, 0}}},
  };
  for (const Case &C : Cases) {
    Machine M(options());
    double Cycles = cyclesPerLink(
        M, Params().add(uint64_t(0)), {.SharedBytes = 128},
        [](KernelBuilder &K) { K.mov(4, 0).mov(5, 0); },
        [&](KernelBuilder &K) { K.inst(C.Name, C.Operands, chained()); });
    // A pipe that is busy for longer than an operation takes is what counts.
    EXPECT_NEAR(Cycles,
                std::max(timing(C.Class).Latency, timing(C.Class).Interval), 1)
        << C.Name;
  }
}

TEST_P(Timing, StallCountsHoldTheWarp) {
  for (unsigned Stall : {1, 2, 7, 15}) {
    Control C;
    C.Stall = Stall;
    double Cycles = cyclesPerLink({}, "MOV_i", {{Role::d, 4}, {Role::b, 1}}, C);
    EXPECT_NEAR(Cycles,
                std::max<unsigned>(Stall, timing(LatencyClass::ALU).Interval),
                0.3);
  }
}

/// A word that holds its own address, read through the given cache.
TEST_P(Timing, CacheLatencies) {
  Machine M(options());
  uint64_t Place = M.allocate(8);
  llvm::cantFail(M.Device->copyToDevice(
      Place, {reinterpret_cast<const uint8_t *>(&Place), 8}));
  auto Latency = [&](unsigned Cache) {
    return cyclesPerLink(
        M, Params().add(Place), {}, [](KernelBuilder &K) { K.param64(4, 0); },
        [&](KernelBuilder &K) {
          K.inst("LDG64_r", {{Role::d, 4}, {Role::a, 4}, {Role::cache, Cache}},
                 chained());
        });
  };
  EXPECT_NEAR(Latency(Streaming), chip().L1Latency, 1);
  EXPECT_NEAR(Latency(CacheGlobal), chip().L2Latency, 1);
}

/// A word that is zero, read by itself as an index: on some chips the address
/// is computed first.
TEST_P(Timing, LatencyOfIndices) {
  Machine M(options());
  uint64_t Place = M.upload(std::vector<uint32_t>(1));
  double Cycles = cyclesPerLink(
      M, Params().add(Place), {},
      [](KernelBuilder &K) {
        K.inst("ULDC64", {{Role::d, 2}, {Role::b, URZ}, {Role::imm, 0}});
        K.mov(4, 0);
      },
      [](KernelBuilder &K) {
        K.inst("LDG_x",
               {{Role::d, 4},
                {Role::u, 2},
                {Role::x, 4},
                {Role::sc, 2},
                {Role::size, Word}},
               chained());
      });
  EXPECT_NEAR(Cycles, chip().L1Latency + chip().IndexCycles, 1);
}

/// A list of which each word lies in a line of its own, longer than any cache
/// line is reused.
constexpr unsigned ListStride = 256;
uint64_t makeList(Machine &M) {
  constexpr unsigned Count = 96 * Iterations;
  std::vector<uint64_t> List(ListStride / 8 * Count);
  uint64_t Base = M.allocate(List.size() * 8);
  for (unsigned N = 0; N < Count; ++N)
    List[N * ListStride / 8] = Base + (N + 1) * ListStride;
  llvm::cantFail(M.Device->copyToDevice(
      Base, {reinterpret_cast<const uint8_t *>(List.data()), List.size() * 8}));
  return Base;
}

TEST_P(Timing, MemoryLatency) {
  Machine M(options());
  uint64_t Base = makeList(M);
  double Cycles = cyclesPerLink(
      M, Params().add(Base), {}, [](KernelBuilder &K) { K.param64(4, 0); },
      [&](KernelBuilder &K) {
        K.inst("LDG64_r", {{Role::d, 4}, {Role::a, 4}}, chained());
      });
  EXPECT_NEAR(Cycles, chip().DRAMLatency, 1);
}

/// What was prefetched long enough before is where the hint says. Behind the
/// end of the list there is nothing, and that is no fault.
TEST_P(Timing, PrefetchesComeInTime) {
  constexpr unsigned Ahead = 32 * ListStride;
  auto Latency = [&](unsigned Cache) {
    Machine M(options());
    return cyclesPerLink(
        M, Params().add(makeList(M)), {},
        [](KernelBuilder &K) { K.param64(4, 0); },
        [&](KernelBuilder &K) {
          Control AfterLoad;
          AfterLoad.WaitMask = 1;
          K.inst("PREFETCH",
                 {{Role::a, 4}, {Role::imm, Ahead}, {Role::cache, Cache}},
                 AfterLoad);
          K.inst("LDG64_r", {{Role::d, 4}, {Role::a, 4}}, chained());
        });
  };
  unsigned Issue = timing(LatencyClass::LDG).Interval;
  EXPECT_NEAR(Latency(0), chip().L1Latency + Issue, 1);
  EXPECT_NEAR(Latency(CacheGlobal), chip().L2Latency + Issue, 1);
}

//===----------------------------------------------------------------------===//
// Widths
//===----------------------------------------------------------------------===//

/// With many warps a scheduler issues to a pipe at its interval, and with all
/// schedulers at once.
TEST_P(Timing, PipeIntervals) {
  struct Case {
    LatencyClass Class;
    const char *Name;
    Fields Operands;
  };
  const Case Cases[] = {
      {LatencyClass::ALU, "MOV_i", {{Role::d, 4}, {Role::b, 1}}},
      {LatencyClass::FMA,
       "FFMA_r",
       {{Role::d, 4}, {Role::a, 5}, {Role::b, 5}, {Role::c, 5}}},
      {LatencyClass::MUFU, "MUFU", {{Role::d, 4}, {Role::a, 5}}},
      {LatencyClass::F64, "DADD_r", {{Role::d, 4}, {Role::a, 6}, {Role::b, 6}}},
      {LatencyClass::CONV, "I2F", {{Role::d, 4}, {Role::b, 5}}},
      {LatencyClass::WIDE, "DP4A_r", {{Role::d, 4}, {Role::a, 5}}},
      {LatencyClass::ALU64, "IADD64_r", {{Role::d, 4}, {Role::a, 6}}},
      {LatencyClass::HALF, "HFMA2_r", {{Role::d, 4}, {Role::a, 5}}},
      {LatencyClass::PRED, "ISETP_r", {{Role::p, 1}, {Role::a, 5}}},
      {LatencyClass::UALU, "UIADD3_r", {{Role::d, 4}, {Role::a, 5}}},
      {LatencyClass::UPRED, "UISETP_r", {{Role::p, 1}, {Role::a, 5}}},
      {LatencyClass::VOTE,
       "VOTE_i",
       {{Role::d, 4}, {Role::p, 1}, {Role::b, ~0u}}},
      {LatencyClass::WARP,
       "REDUX_i",
       {{Role::d, 4}, {Role::a, 5}, {Role::b, ~0u}}},
      {LatencyClass::S2R, "S2R", {{Role::d, 4}, {Role::b, 0}}},
      {LatencyClass::LDC,
       "LDC_r",
       {{Role::d, 4}, {Role::a, RZ}, {Role::size, Word}}},
      {LatencyClass::LDS,
       "LDS_r",
       {{Role::d, 4}, {Role::a, RZ}, {Role::size, Word}}},
      {LatencyClass::SHFL,
       "SHFL_i",
       {{Role::d, 4}, {Role::a, 5}, {Role::b, 0}}},
      {LatencyClass::DMMA,
       "DMMA",
       {{Role::d, 4}, {Role::a, 8}, {Role::b, 8}, {Role::c, 12}}},
  };
  constexpr unsigned WarpsPerScheduler = 2;
  unsigned Threads = WarpsPerScheduler * chip().SchedulersPerCore * 32;
  for (const Case &C : Cases) {
    Machine M(options());
    double Cycles = cyclesPerLink(
        M, Params().add(uint64_t(0)), {.Block = {Threads}, .SharedBytes = 128},
        [](KernelBuilder &K) { K.mov(4, 0).mov(5, 0); },
        [&](KernelBuilder &K) { K.inst(C.Name, C.Operands, freely()); });
    // All schedulers share the data path to shared memory.
    double Interval = timing(C.Class).Interval;
    if (C.Class == LatencyClass::LDS)
      Interval = std::max<double>(Interval, chip().SchedulersPerCore);
    EXPECT_NEAR(Cycles / WarpsPerScheduler, Interval, 0.1) << C.Name;
  }
}

/// The example of Huerta et al. (MICRO 2025): two multiply-adds one after the
/// other, the first with all sources in one bank. With two banks the second one
/// waits for no, one or two cycles if none, one or both of two of its sources
/// are in that bank too. A source that both read in one place is read once.
TEST_P(Timing, RegisterBanks) {
  EmulatorOptions Options = options();
  auto Cycles = [&](std::array<unsigned, 3> A, std::array<unsigned, 3> B) {
    Machine M(Options);
    return cyclesPerLink(
        M, Params(), {.Block = {32}}, [](KernelBuilder &) {},
        [&](KernelBuilder &K) {
          unsigned D = 80;
          for (const std::array<unsigned, 3> &S : {A, B})
            K.inst("FFMA_r",
                   {{Role::d, D++},
                    {Role::a, S[0]},
                    {Role::b, S[1]},
                    {Role::c, S[2]}},
                   freely());
          // The banks are free again for the next pair.
          Control C;
          C.Stall = 15;
          K.inst("NOP", {}, C);
        });
  };
  unsigned N = chip().RegisterBanks, Issue = timing(LatencyClass::FMA).Interval;
  double None =
      Cycles({10 * N, 11 * N, 12 * N}, {13 * N, 14 * N + 1, 15 * N + 1});
  auto Added = [&](std::array<unsigned, 3> B) {
    return Cycles({10 * N, 11 * N, 12 * N}, B) - None;
  };
  // A pipe that is busy for longer hides the wait for banks.
  auto Hidden = [&](unsigned Wait) {
    return Wait + 1 > Issue ? Wait + 1 - Issue : 0;
  };
  EXPECT_NEAR(Added({13 * N, 14 * N, 15 * N + 1}), Hidden(1), 0.03);
  EXPECT_NEAR(Added({13 * N, 14 * N, 15 * N}), Hidden(2), 0.03);
  EXPECT_NEAR(Added({10 * N, 11 * N, 12 * N}), 0, 0.03);
  Options.Model.Without = rt::Limiter::RegisterBanks;
  EXPECT_NEAR(Added({13 * N, 14 * N, 15 * N}), 0, 0.03);
}

/// Bank conflicts: a stride of N words takes as many wavefronts as words fall
/// into a bank.
TEST_P(Timing, BankConflicts) {
  for (unsigned Stride : {0, 1, 2, 3, 4, 8, 16, 32, 33}) {
    Machine M(options());
    KernelBuilder K;
    K.special(0, 0);
    K.inst("IMAD_i",
           {{Role::d, 4}, {Role::a, 0}, {Role::b, Stride * 4}, {Role::c, RZ}});
    K.inst("LDS_r", {{Role::d, 5}, {Role::a, 4}, {Role::size, Word}});
    K.exit();
    rt::LaunchProfile P =
        profile(M, K, Params(), {.Block = {32}, .SharedBytes = 8192});
    unsigned Expected = Stride == 0 ? 1 : std::gcd(Stride, 32u);
    EXPECT_EQ(P.Memory.SharedLoads.Requests, 1u);
    EXPECT_EQ(P.Memory.SharedLoads.Wavefronts, Expected) << Stride;
    EXPECT_EQ(P.Memory.SharedLoads.Conflicts, Expected - 1) << Stride;
  }
}

/// Sectors of a request by the distance of the lanes' words.
TEST_P(Timing, Coalescing) {
  for (auto [Stride, Sectors] : std::vector<std::pair<unsigned, unsigned>>{
           {0, 1}, {4, 4}, {8, 8}, {32, 32}, {128, 32}, {256, 32}}) {
    Machine M(options());
    uint64_t Buffer = M.allocate(32 * 256);
    KernelBuilder K;
    K.special(0, 0).param64(2, 0);
    K.inst("IMADW_i",
           {{Role::d, 4}, {Role::a, 0}, {Role::b, Stride}, {Role::c, 2}});
    K.inst("LDG_r", {{Role::d, 6}, {Role::a, 4}, {Role::size, Word}});
    K.exit();
    rt::LaunchProfile P = profile(M, K, Params().add(Buffer), {.Block = {32}});
    EXPECT_EQ(P.Memory.GlobalLoads.Requests, 1u);
    EXPECT_EQ(P.Memory.GlobalLoads.Sectors, Sectors) << Stride;
    EXPECT_EQ(P.Memory.L2Reads, Sectors) << Stride;
    EXPECT_EQ(P.Memory.DRAMReadBytes, Sectors * chip().SectorBytes) << Stride;
  }
}

//===----------------------------------------------------------------------===//
// Bandwidths
//===----------------------------------------------------------------------===//

/// Each thread reads 16 bytes at its number and then \p Loads - 1 times
/// further on, where the grid has ended.
KernelBuilder streamKernel(unsigned Loads, uint32_t BytesApart,
                           unsigned Cache) {
  KernelBuilder K;
  K.special(0, 0).special(1, 6);
  K.inst("IMAD_i", {{Role::d, 0}, {Role::a, 1}, {Role::b, 256}, {Role::c, 0}});
  K.param64(2, 0).address(4, 2, 0, 4);
  K.inst("MOV_i", {{Role::d, 1}, {Role::b, BytesApart}});
  for (unsigned N = 0; N < Loads; ++N) {
    Control C;
    C.WriteCounter = 0;
    C.Stall = 1;
    K.inst("LDG128_r",
           {{Role::d, 8 + 4 * (N % 32)}, {Role::a, 4}, {Role::cache, Cache}},
           C);
    C = Control();
    C.Stall = 6;
    K.inst("LEA64_r", {{Role::d, 4}, {Role::a, 1}, {Role::b, 4}, {Role::sh, 0}},
           C);
  }
  K.exit();
  return K;
}

TEST_P(Timing, MemoryBandwidth) {
  Machine M(options());
  constexpr unsigned Loads = 8;
  unsigned CTAs = chip().Cores * 8;
  uint32_t Apart = CTAs * 256 * 16;
  uint64_t Buffer = M.allocate(uint64_t(Apart) * Loads);
  rt::LaunchProfile P =
      profile(M, streamKernel(Loads, Apart, Streaming), Params().add(Buffer),
              {.Grid = {CTAs}, .Block = {256}});
  EXPECT_EQ(P.Memory.DRAMReadBytes, uint64_t(Apart) * Loads);
  double Rate = double(P.Memory.DRAMReadBytes) / P.Cycles;
  EXPECT_LE(Rate, reachable(chip()));
  EXPECT_GE(Rate, 0.85 * reachable(chip()));
}

/// Bulk copies of 16 KiB to shared memory, one thread a CTA, waited for by
/// parity at an mbarrier behind the data.
KernelBuilder bulkKernel(unsigned Copies, uint32_t BytesApart) {
  constexpr uint32_t Bytes = 16384;
  constexpr unsigned Init = 0, ArriveExpect = 6, TryParity = 3;
  KernelBuilder K;
  K.special(1, 6).param64(2, 0).mov(20, Bytes).mov(21, 1);
  K.address(4, 2, 1, 14);
  K.mov(1, BytesApart).mov(8, 0).mov(9, isa::abi::SharedWindow);
  K.inst("MBAR",
         {{Role::d, 22}, {Role::a, 20}, {Role::b, 21}, {Role::fn, Init}});
  for (unsigned N = 0; N < Copies; ++N) {
    K.inst("MBAR", {{Role::d, 22},
                    {Role::a, 20},
                    {Role::b, 20},
                    {Role::fn, ArriveExpect}});
    K.inst("BULK", {{Role::a, 8}, {Role::b, 4}, {Role::c, 20}, {Role::e, 20}});
    K.inst("LEA64_r",
           {{Role::d, 4}, {Role::a, 1}, {Role::b, 4}, {Role::sh, 0}});
    std::string Loop = "wait" + std::to_string(N);
    K.mov(24, N % 2).mov(25, 0).label(Loop);
    K.inst(
        "MBARTRY",
        {{Role::d, 23}, {Role::a, 20}, {Role::b, 24}, {Role::fn, TryParity}});
    K.inst("ISETP_i", {{Role::p, 6},
                       {Role::a, 23},
                       {Role::b, 1},
                       {Role::cmp, NotEqual},
                       {Role::s, PT}});
    K.jump("BRA", Loop, {{Role::pg, 6}});
  }
  K.exit();
  return K;
}

TEST_P(Timing, BulkBandwidth) {
  Machine M(options());
  constexpr unsigned Copies = 4, Bytes = 16384;
  unsigned CTAs = chip().Cores * 8;
  uint32_t Apart = CTAs * Bytes;
  uint64_t Buffer = M.allocate(uint64_t(Apart) * Copies);
  rt::LaunchProfile P =
      profile(M, bulkKernel(Copies, Apart), Params().add(Buffer),
              {.Grid = {CTAs}, .Block = {1}, .SharedBytes = Bytes + 128});
  EXPECT_EQ(P.Memory.DRAMReadBytes, uint64_t(Apart) * Copies);
  double Rate = double(P.Memory.DRAMReadBytes) / P.Cycles;
  EXPECT_LE(Rate, reachable(chip()));
  EXPECT_GE(Rate, 0.8 * reachable(chip()));
}

//===----------------------------------------------------------------------===//
// Other devices
//===----------------------------------------------------------------------===//

/// Two devices, and a link from the first to the second.
class PeerTiming : public Timing {
protected:
  static constexpr PeerLink Link = {100'000'000'000, 1000};

  EmulatorOptions options(unsigned Ordinal) const {
    EmulatorOptions O = Timing::options();
    O.Space = Space;
    O.Ordinal = Ordinal;
    return O;
  }
  void SetUp() override {
    setPeerLink(*Space, 0, 1, Link);
    First = std::make_unique<Machine>(options(0));
    Second = std::make_unique<Machine>(options(1));
    llvm::cantFail(First->Device->setPeerAccess(1, true));
    llvm::cantFail(Second->Device->setPeerAccess(0, true));
  }
  /// Cycles of the chip's clock.
  double linkLatency() const { return Link.LatencyNs * chip().ClockMHz / 1e3; }
  double linkBytesPerCycle() const {
    return Link.BytesPerSecond / (chip().ClockMHz * 1e6);
  }
  /// Of a load past L1, by kernels of \p M, of a word that \p Owner has.
  double loadLatency(Machine &M, Machine &Owner) {
    uint64_t Place = Owner.allocate(8);
    llvm::cantFail(Owner.Device->copyToDevice(
        Place, {reinterpret_cast<const uint8_t *>(&Place), 8}));
    return cyclesPerLink(
        M, Params().add(Place), {}, [](KernelBuilder &K) { K.param64(4, 0); },
        [&](KernelBuilder &K) {
          K.inst("LDG64_r",
                 {{Role::d, 4}, {Role::a, 4}, {Role::cache, CacheGlobal}},
                 chained());
        });
  }

  const std::shared_ptr<AddressSpace> Space = createAddressSpace();
  std::unique_ptr<Machine> First, Second;
};

INSTANTIATE_TEST_SUITE_P(Chips, PeerTiming, testing::Values("hd100", "hd10"));

TEST_P(PeerTiming, LoadsGoThereAndBack) {
  EXPECT_NEAR(loadLatency(*First, *Second),
              chip().L2Latency + 2 * linkLatency(), 2);
  EXPECT_NEAR(loadLatency(*First, *First), chip().L2Latency, 1);
  EXPECT_NEAR(loadLatency(*Second, *Second), chip().L2Latency, 1);
  EXPECT_NEAR(loadLatency(*Second, *First), chip().L2Latency, 1)
      << "there is no link in that direction";
}

TEST_P(PeerTiming, LoadsHaveTheRateOfTheLink) {
  constexpr unsigned Loads = 8;
  unsigned CTAs = chip().Cores * 8;
  uint32_t Apart = CTAs * 256 * 16;
  uint64_t Bytes = uint64_t(Apart) * Loads, Buffer = Second->allocate(Bytes);
  rt::LaunchProfile P =
      profile(*First, streamKernel(Loads, Apart, Streaming),
              Params().add(Buffer), {.Grid = {CTAs}, .Block = {256}});
  EXPECT_EQ(P.Memory.DRAMReadBytes, 0u);
  double Rate = double(Bytes) / P.Cycles;
  EXPECT_LE(Rate, linkBytesPerCycle());
  EXPECT_GE(Rate, 0.85 * linkBytesPerCycle());
}

/// Nobody waits for stores, but for a link that has taken what its buffer
/// holds.
TEST_P(PeerTiming, StoresHaveTheRateOfTheLink) {
  unsigned CTAs = chip().Cores * 64;
  uint64_t Bytes = uint64_t(CTAs) * 256 * 16, Buffer = Second->allocate(Bytes);
  KernelBuilder K;
  K.special(0, 0).special(1, 6);
  K.inst("IMAD_i", {{Role::d, 0}, {Role::a, 1}, {Role::b, 256}, {Role::c, 0}});
  K.param64(2, 0).address(4, 2, 0, 4);
  K.inst("STG128_r", {{Role::a, 4}, {Role::c, 8}}).exit();
  rt::LaunchProfile P = profile(*First, K, Params().add(Buffer),
                                {.Grid = {CTAs}, .Block = {256}});
  EXPECT_EQ(P.Memory.DRAMWriteBytes, 0u);
  double Rate = double(Bytes) / P.Cycles;
  EXPECT_LE(Rate, linkBytesPerCycle() * 1.001);
  EXPECT_GE(Rate, 0.85 * linkBytesPerCycle());
}

/// Products of 16 x 8 x 16 in half precision on all cores: docs/matrix.md says
/// what they reach, and that is what the chip is said to do. All have the same
/// sources, which a scheduler reads once.
TEST_P(Timing, MatrixRate) {
  constexpr unsigned WarpsPerScheduler = 4, M16N8K16 = 6;
  unsigned Threads = WarpsPerScheduler * chip().SchedulersPerCore * 32;
  double Cycles = cyclesPerLink({.Block = {Threads}}, "MMA",
                                {{Role::d, 8},
                                 {Role::a, 12},
                                 {Role::b, 16},
                                 {Role::c, 20},
                                 {Role::mshape, M16N8K16}},
                                freely()) /
                  WarpsPerScheduler;
  constexpr double Operations = 2.0 * 16 * 8 * 16;
  double Rate = Operations * chip().SchedulersPerCore * chip().Cores *
                chip().ClockMHz * 1e6 / Cycles;
  double Stated = Operations * chip().SchedulersPerCore * chip().Cores *
                  chip().ClockMHz * 1e6 / timing(LatencyClass::MMA).Interval;
  EXPECT_LE(Rate, Stated * 1.0001);
  EXPECT_GE(Rate, 0.95 * Stated);
  if (GetParam() == std::string("hd100"))
    EXPECT_NEAR(Stated, 1e15, 0.06e15);
}

/// The same lines over and over, past L1.
TEST_P(Timing, L2Bandwidth) {
  Machine M(options());
  constexpr unsigned Loads = 32;
  unsigned CTAs = chip().Cores * 8;
  uint64_t Buffer = M.allocate(CTAs * 256 * 16);
  rt::LaunchProfile P =
      profile(M, streamKernel(Loads, 0, CacheGlobal), Params().add(Buffer),
              {.Grid = {CTAs}, .Block = {256}});
  double Bytes = double(P.Memory.L2Reads) * chip().SectorBytes;
  double Most = std::min(chip().L2BytesPerCycle,
                         chip().Cores * chip().CoreL2BytesPerCycle);
  EXPECT_LE(Bytes / P.Cycles, Most);
  EXPECT_GE(Bytes / P.Cycles, 0.85 * Most);
}

/// A core of AD102 computes the addresses of 16 threads in a cycle, one of
/// GH100 those of 32: loads of words give half of what L1 has, those of four
/// words all.
class LoadRate : public Timing {
protected:
  /// Bytes that 32 warps read in a cycle.
  double rateOf(const char *Load, unsigned Words) {
    Machine M(options());
    Params P;
    P.add(M.allocate(1024 * Words * Word));
    double Cycles = cyclesPerLink(
        M, P, {.Block = {1024}},
        [&](KernelBuilder &K) {
          K.special(0, 0).param64(2, 0);
          K.address(4, 2, 0, Words == 4 ? 4 : 2);
        },
        [&](KernelBuilder &K) {
          Control C;
          C.WriteCounter = 0;
          K.inst(Load, {{Role::d, 8}, {Role::a, 4}}, C);
        });
    return 1024 * Words * Word / Cycles;
  }
};

INSTANTIATE_TEST_SUITE_P(Chips, LoadRate,
                         testing::Values("l40-like", "h200-like"));

TEST_P(LoadRate, DependsOnTheThreadsOfACycle) {
  double Words = GetParam() == std::string("l40-like") ? 64 : 128;
  EXPECT_NEAR(rateOf("LDG_r", 1), Words, 0.05 * Words);
  EXPECT_NEAR(rateOf("LDG128_r", 4), 128, 0.05 * 128);
}

//===----------------------------------------------------------------------===//
// Halves of L2, joined reads, written sectors
//===----------------------------------------------------------------------===//

/// A chip whose L2 has halves.
class HalvesTiming : public Timing {
protected:
  /// Cycles of a link of a chain that goes through \p Lines lines, after it
  /// has gone through all of them once.
  double chainOf(uint64_t Lines) {
    constexpr uint64_t Links = 4096;
    Machine M(options());
    std::vector<uint64_t> Ring(Lines * chip().LineBytes / 8);
    uint64_t Base = M.allocate(Ring.size() * 8);
    for (uint64_t N = 0; N < Lines; ++N)
      Ring[N * chip().LineBytes / 8] =
          Base + (N + 1) % Lines * chip().LineBytes;
    llvm::cantFail(M.Device->copyToDevice(
        Base,
        {reinterpret_cast<const uint8_t *>(Ring.data()), Ring.size() * 8}));
    auto Cycles = [&](uint64_t Count) {
      KernelBuilder K;
      K.param64(4, 0).mov(Counter, Count / 32).label("loop");
      for (unsigned N = 0; N < 32; ++N)
        K.inst("LDG64_r",
               {{Role::d, 4}, {Role::a, 4}, {Role::cache, CacheGlobal}},
               chained());
      repeat(K);
      return double(profile(M, K, Params().add(Base), {}).Cycles);
    };
    return (Cycles(Lines + Links) - Cycles(Lines)) / Links;
  }
  uint64_t linesOfL2() const { return chip().L2Bytes / chip().LineBytes; }
};

INSTANTIATE_TEST_SUITE_P(Chips, HalvesTiming, testing::Values("h200-like"));

/// A core's own half has copies of the other one's lines.
TEST_P(HalvesTiming, TheNearHalfHasCopies) {
  // The loop takes a few cycles for 32 links.
  EXPECT_NEAR(chainOf(linesOfL2() / 4 / 32 * 32), chip().L2Latency, 2);
}

/// What the near half does not hold comes from the other one, or, if its home
/// is the near half, from memory.
TEST_P(HalvesTiming, TheOtherHalfIsFarther) {
  double Far = chip().L2Latency + chip().L2FarCycles;
  double Memory = chip().DRAMLatency - chip().L2FarCycles / 2.0;
  double Cycles = chainOf(linesOfL2() * 2 / 3 / 32 * 32);
  EXPECT_NEAR(Cycles, (Far + Memory) / 2, 0.05 * Cycles);
}

/// Two cores of a port that read the same at once ask L2 once.
TEST_P(HalvesTiming, CoresOfAPortReadTogether) {
  Machine M(options());
  uint64_t Place = M.allocate(chip().LineBytes);
  KernelBuilder K;
  K.param64(4, 0);
  K.inst("LDG64_r", {{Role::d, 6}, {Role::a, 4}}).exit();
  rt::LaunchProfile P = profile(M, K, Params().add(Place),
                                {.Grid = {chip().Cores}, .Block = {1}});
  EXPECT_EQ(P.Memory.L2Reads, chip().Cores / chip().CoresPerPort);
}

/// A copy of more than L2 holds takes what reads and writes take, and two turns
/// of a channel for as many sectors as it collects.
TEST_P(HalvesTiming, ChannelsTurnForManySectors) {
  Machine M(options());
  const unsigned CTAs = 3 * chip().L2Bytes / (256 * 16);
  uint64_t Bytes = uint64_t(CTAs) * 256 * 16;
  uint64_t From = M.allocate(Bytes), To = M.allocate(Bytes);
  KernelBuilder K;
  K.special(0, 0).special(1, 6);
  K.inst("IMAD_i", {{Role::d, 0}, {Role::a, 1}, {Role::b, 256}, {Role::c, 0}});
  K.param64(2, 0).address(4, 2, 0, 4).param64(2, 8).address(6, 2, 0, 4);
  K.inst("LDG128_r", {{Role::d, 8}, {Role::a, 4}}, chained());
  Control AfterLoad;
  AfterLoad.WaitMask = 1;
  K.inst("STG128_r", {{Role::a, 6}, {Role::c, 8}}, AfterLoad).exit();
  rt::LaunchProfile P = profile(M, K, Params().add(From).add(To),
                                {.Grid = {CTAs}, .Block = {256}});
  const rt::MemoryProfile &Moved = P.Memory;
  double Transfers =
      (Moved.DRAMReadBytes + Moved.DRAMWriteBytes) / reachable(chip());
  double Turns = 2.0 * Moved.DRAMWriteBytes /
                 (double(chip().SectorBytes) * chip().DRAMWriteSectors *
                  chip().DRAMChannels);
  double TurnCycles = chip().DRAMTurnPs * 1e-6 * chip().ClockMHz;
  EXPECT_GE(Turns * TurnCycles, 0.05 * P.Cycles);
  EXPECT_NEAR(P.Cycles, Transfers + Turns * TurnCycles, 0.1 * P.Cycles);
}

/// Nobody waits for prefetches either: a grid of them takes as long as memory
/// needs for their lines.
TEST_P(Timing, PrefetchesTakeBandwidth) {
  Machine M(options());
  unsigned CTAs = chip().Cores * 4, Bytes = chip().LineBytes;
  KernelBuilder K;
  K.special(0, 0).special(1, 6);
  K.inst("IMAD_i", {{Role::d, 0}, {Role::a, 1}, {Role::b, 256}, {Role::c, 0}});
  K.param64(2, 0).address(4, 2, 0, 7); // A line for each thread.
  K.inst("PREFETCH", {{Role::a, 4}, {Role::cache, CacheGlobal}}).exit();
  uint64_t Lines = CTAs * 256;
  rt::LaunchProfile P = profile(M, K, Params().add(M.allocate(Lines * Bytes)),
                                {.Grid = {CTAs}, .Block = {256}});
  EXPECT_EQ(P.Memory.DRAMReadBytes, Lines * Bytes);
  double Rate = double(P.Memory.DRAMReadBytes) / P.Cycles;
  EXPECT_LE(Rate, reachable(chip()));
  EXPECT_GE(Rate, 0.8 * reachable(chip()));
}

/// Nobody waits for stores, but buffers that are full do: warps that store more
/// than L2 holds end when memory has taken what L2 has not.
TEST(StoreTiming, WaitsForMemory) {
  EmulatorOptions O;
  O.Chip = "hd10";
  O.Timing = true;
  O.StrictHazards = false;
  O.Model.TraceWarps = true;
  Machine M(O);
  const isa::ChipInfo &Chip = *isa::findChip("hd10");
  const unsigned CTAs = 4 * Chip.L2Bytes / (256 * 16);
  uint64_t Buffer = M.allocate(uint64_t(CTAs) * 256 * 16);
  KernelBuilder K;
  K.special(0, 0).special(1, 6);
  K.inst("IMAD_i", {{Role::d, 0}, {Role::a, 1}, {Role::b, 256}, {Role::c, 0}});
  K.param64(2, 0).address(4, 2, 0, 4);
  K.inst("STG128_r", {{Role::a, 4}, {Role::c, 8}}).exit();
  rt::LaunchResult R =
      M.launch(K, Params().add(Buffer), {.Grid = {CTAs}, .Block = {256}});
  ASSERT_TRUE(R.Profile);
  const rt::LaunchProfile &P = *R.Profile;
  EXPECT_GE(P.Memory.DRAMWriteBytes, 2.5 * Chip.L2Bytes);
  double Rate = double(P.Memory.DRAMWriteBytes) / P.Cycles;
  EXPECT_LE(Rate, reachable(Chip));
  EXPECT_GE(Rate, 0.85 * reachable(Chip));
  uint64_t LastEnd = 0;
  for (const rt::WarpSpan &W : P.Warps)
    LastEnd = std::max(LastEnd, W.End);
  EXPECT_GE(LastEnd, 0.95 * P.Cycles);
  EXPECT_GT(P.States[size_t(rt::StallReason::LGThrottle)], P.WarpCycles / 2);
}

/// A CTA has the local memory of the one that was at its place: only the first
/// ones do not find it in L2.
TEST_P(Timing, LocalMemoryBelongsToPlaces) {
  Machine M(options());
  KernelBuilder K;
  K.inst("STL_r", {{Role::a, RZ}, {Role::c, 4}, {Role::size, Word}});
  // CTAs end one after the other.
  for (unsigned N = 0; N < 40; ++N)
    K.inst("MUFU", {{Role::d, 4}, {Role::a, 4}}, chained());
  K.exit();
  constexpr unsigned Waves = 4;
  unsigned PerCore = chip().CTAsPerCore;
  rt::LaunchProfile P = profile(M, K, Params(),
                                {.Grid = {Waves * PerCore * chip().Cores},
                                 .Block = {32},
                                 .LocalBytes = 16});
  EXPECT_EQ(P.Theoretical.CTAsPerCore, PerCore);
  EXPECT_EQ(P.Memory.L2Writes, uint64_t(Waves) * PerCore * chip().Cores * 4);
  EXPECT_GE(P.Memory.L2WriteHits, P.Memory.L2Writes / Waves * (Waves - 1));
}

/// Atomic additions to one word: one in a cycle.
TEST_P(Timing, AtomicsOnOneWord) {
  Machine M(options());
  uint64_t Place = M.upload(std::vector<uint32_t>(1));
  KernelBuilder K;
  K.param64(4, 0).mov(6, 1);
  for (unsigned N = 0; N < 16; ++N)
    K.inst("REDG_r", {{Role::a, 4}, {Role::c, 6}}, freely());
  K.exit();
  constexpr unsigned CTAs = 16;
  rt::LaunchProfile P =
      profile(M, K, Params().add(Place), {.Grid = {CTAs}, .Block = {256}});
  uint64_t Operations = uint64_t(CTAs) * 256 * 16;
  EXPECT_EQ(M.download<uint32_t>(Place, 1)[0], Operations);
  EXPECT_GE(P.Cycles, Operations);
  EXPECT_LE(P.Cycles, Operations * 1.1 + 2 * chip().DRAMLatency);
}

/// A lock goes to the next lane when those that spin have been seen twice at
/// the same place, however long their loop is.
TEST_P(Timing, LocksAreHandedOver) {
  for (unsigned Idle : {0, 1, 2, 4, 10}) {
    Machine M(options());
    uint64_t Lock = M.upload(std::vector<uint32_t>(1));
    KernelBuilder K;
    K.param64(4, 0).mov(9, 1).jump("BSSY", "got", {{Role::d, 0}}).label("try");
    K.inst("ATOMGCAS_r", {{Role::d, 10},
                          {Role::a, 4},
                          {Role::c, RZ},
                          {Role::e, 9},
                          {Role::size, Word}});
    for (unsigned N = 0; N < Idle; ++N)
      K.mov(11, N);
    K.inst("ISETP_i", {{Role::p, 0},
                       {Role::a, 10},
                       {Role::b, 0},
                       {Role::cmp, NotEqual},
                       {Role::s, PT}});
    K.jump("BRA", "try", {{Role::pg, 0}}).label("got");
    K.inst("BSYNC", {{Role::a, 0}, {Role::yieldable, 1}});
    K.inst("STG_r", {{Role::a, 4}, {Role::c, RZ}, {Role::size, Word}}).exit();
    constexpr unsigned Lanes = 32, Slice = 128;
    rt::LaunchProfile P = profile(M, K, Params().add(Lock), {.Block = {Lanes}});
    EXPECT_EQ(M.download<uint32_t>(Lock, 1)[0], 0u);
    // Slices and the rest of a loop in each.
    EXPECT_LE(P.Issued, Lanes * 4 * (Slice + 3 + Idle)) << Idle;
  }
}

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

/// Little's law: while nothing is saturated, more warps take no more time.
TEST_P(Timing, WarpsHideLatency) {
  Machine M(options());
  uint64_t Place = M.allocate(8);
  llvm::cantFail(M.Device->copyToDevice(
      Place, {reinterpret_cast<const uint8_t *>(&Place), 8}));
  KernelBuilder K;
  K.param64(4, 0);
  for (unsigned N = 0; N < 64; ++N)
    K.inst("LDG64_r", {{Role::d, 4}, {Role::a, 4}, {Role::cache, CacheGlobal}},
           chained());
  K.exit();
  auto Cycles = [&](unsigned Warps) {
    return double(
        profile(M, K, Params().add(Place), {.Block = {32 * Warps}}).Cycles);
  };
  double One = Cycles(1);
  EXPECT_NEAR(Cycles(4) / One, 1, 0.02);
  EXPECT_NEAR(Cycles(16) / One, 1, 0.1);
}

/// CTAs beyond what a core holds wait for others to end.
TEST_P(Timing, OccupancyLimitsTheGrid) {
  Machine M(options());
  KernelBuilder K;
  for (unsigned N = 0; N < 200; ++N)
    K.inst("MUFU", {{Role::d, 4}, {Role::a, 4}}, chained());
  K.exit();
  // Shared memory for two CTAs on a core.
  Machine::Shape S{.Block = {32}, .SharedBytes = chip().SharedBytesPerCore / 2};
  S.SharedBytes = S.SharedBytes / 128 * 128;
  auto Cycles = [&](unsigned CTAsPerCore) {
    S.Grid = {CTAsPerCore * chip().Cores};
    rt::LaunchProfile P = profile(M, K, Params(), S);
    EXPECT_EQ(P.Theoretical.CTAsPerCore, 2u);
    return double(P.Cycles);
  };
  double One = Cycles(1);
  EXPECT_NEAR(Cycles(2) / One, 1, 0.05);
  EXPECT_NEAR(Cycles(4) / One, 2, 0.1);
}

/// Each warp cycle has one state.
TEST_P(Timing, StatesAddUp) {
  Machine M(options());
  uint64_t Buffer = M.allocate(64 * 256 * 16);
  KernelBuilder K = streamKernel(4, 0, Streaming);
  rt::LaunchProfile P =
      profile(M, K, Params().add(Buffer), {.Grid = {64}, .Block = {256}});
  uint64_t Sum = std::accumulate(P.States.begin(), P.States.end(), uint64_t(0));
  EXPECT_EQ(Sum, P.WarpCycles);
  EXPECT_EQ(P.States[size_t(rt::StallReason::Selected)], P.Issued);
  EXPECT_EQ(P.Issued, 64u * 8 * K.size());
  uint64_t Issued = 0;
  for (const rt::InstructionProfile &I : P.Instructions)
    Issued += I.Issued;
  EXPECT_EQ(Issued, P.Issued);
  EXPECT_LE(P.achievedWarps(), P.Theoretical.warpsPerCore());
}

/// The same launch takes the same cycles.
TEST_P(Timing, IsDeterministic) {
  auto Cycles = [&](unsigned HostThreads) {
    EmulatorOptions O = options();
    O.HostThreads = HostThreads;
    Machine M(O);
    uint64_t Buffer = M.allocate(64 * 256 * 16);
    return profile(M, streamKernel(4, 16, Streaming), Params().add(Buffer),
                   {.Grid = {63}, .Block = {256}})
        .Cycles;
  };
  uint64_t First = Cycles(1);
  EXPECT_EQ(Cycles(1), First);
  EXPECT_EQ(Cycles(2), First);
}

//===----------------------------------------------------------------------===//
// Dispatch
//===----------------------------------------------------------------------===//

/// The warps of a launch by cluster, as they were on the cores.
std::map<uint64_t, std::vector<rt::WarpSpan>>
spansByCluster(const rt::LaunchProfile &P, unsigned CTAsPerCluster) {
  std::map<uint64_t, std::vector<rt::WarpSpan>> Result;
  for (const rt::WarpSpan &S : P.Warps)
    Result[S.CTA / CTAsPerCluster].push_back(S);
  return Result;
}

/// CTAs of a cluster start together, on a core each while cores are free, and
/// only when there is room for all of them.
TEST_P(Timing, ClustersStartTogether) {
  EmulatorOptions O = options();
  O.Model.TraceWarps = true;
  Machine M(O);
  KernelBuilder K;
  for (unsigned N = 0; N < 50; ++N)
    K.inst("MUFU", {{Role::d, 4}, {Role::a, 4}}, chained());
  K.exit();
  constexpr unsigned Size = 4;
  // A core holds one CTA, so the chip a quarter as many clusters.
  unsigned Together = chip().Cores / Size;
  Machine::Shape S{.Grid = {Together * Size * 2 + Size},
                   .Block = {32},
                   .SharedBytes = chip().SharedBytesPerCTA};
  S.Cluster = {Size};
  rt::LaunchProfile P = profile(M, K, Params(), S);
  EXPECT_EQ(P.Theoretical.CTAsPerCore, 1u);
  std::map<uint64_t, std::vector<rt::WarpSpan>> Clusters =
      spansByCluster(P, Size);
  ASSERT_EQ(Clusters.size(), Together * 2 + 1);
  uint64_t FirstEnd = ~uint64_t(0);
  for (const auto &[Number, Spans] : Clusters) {
    std::set<uint32_t> Cores;
    for (const rt::WarpSpan &W : Spans) {
      EXPECT_EQ(W.Begin, Spans.front().Begin);
      EXPECT_TRUE(Cores.insert(W.Core).second);
    }
    EXPECT_EQ(Cores.size(), Size);
    if (Number < Together) // One starts in a cycle.
      EXPECT_EQ(Spans.front().Begin, Number);
    else
      EXPECT_GE(Spans.front().Begin, FirstEnd);
    FirstEnd = std::min(FirstEnd, Spans.front().End);
  }
}

//===----------------------------------------------------------------------===//
// Samples
//===----------------------------------------------------------------------===//

/// What a launch takes that is timed as a whole, and as a sample says.
struct Comparison {
  rt::LaunchProfile Whole, Sampled;

  void check(double LargestError = 0.2) const {
    ASSERT_TRUE(Sampled.Sample);
    const rt::SampleEstimate &S = *Sampled.Sample;
    EXPECT_LT(S.TimedCTAs, S.CTAs / 2);
    EXPECT_EQ(S.CTAs, Whole.Shape.CTAs);
    double Difference = std::abs(double(S.Cycles) - double(Whole.Cycles));
    EXPECT_LE(Difference, S.Error);
    EXPECT_LE(S.Error, LargestError * S.Cycles);
    EXPECT_FALSE(Whole.Sample);
  }
};

/// CTAs of a warp, many of which are on a core.
class Sampling : public testing::Test {
protected:
  static constexpr unsigned Waves = 60, CTAsPerCore = 16;
  const isa::ChipInfo &Chip = *isa::findChip("hd10");
  const unsigned CTAs = Waves * CTAsPerCore * Chip.Cores + 5;

  /// Runs \p K over a buffer of a word for each thread, which it increments.
  Comparison compare(const KernelBuilder &K) {
    Comparison C;
    for (bool IsSampled : {false, true}) {
      EmulatorOptions O;
      O.Chip = std::string(Chip.Name);
      O.Timing = true;
      O.StrictHazards = false;
      O.Model.SampleWaves = IsSampled ? 16 : 0;
      Machine M(O);
      uint64_t Buffer = M.upload(std::vector<uint32_t>(CTAs * 32, 7));
      rt::LaunchResult R =
          M.launch(K, Params().add(Buffer), {.Grid = {CTAs}, .Block = {32}});
      EXPECT_FALSE(R.Fault);
      (IsSampled ? C.Sampled : C.Whole) = *R.Profile;
      // What is not timed is executed.
      EXPECT_EQ(M.download<uint32_t>(Buffer, CTAs * 32),
                std::vector<uint32_t>(CTAs * 32, 8));
    }
    return C;
  }
  /// Has the address of the thread's word in R4 and R5.
  static KernelBuilder addressed() {
    KernelBuilder K;
    K.special(0, 0).special(1, 6);
    K.inst("IMAD_i", {{Role::d, 0}, {Role::a, 1}, {Role::b, 32}, {Role::c, 0}});
    return K.param64(2, 0).address(4, 2, 0, 2);
  }
  static void increment(KernelBuilder &K) {
    K.inst("LDG_r", {{Role::d, 8}, {Role::a, 4}, {Role::size, Word}});
    K.inst("IADD3_i", {{Role::d, 8}, {Role::a, 8}, {Role::b, 1}});
    K.inst("STG_r", {{Role::a, 4}, {Role::c, 8}, {Role::size, Word}}).exit();
  }
};

TEST_F(Sampling, EstimatesStreams) {
  KernelBuilder K = addressed();
  increment(K);
  compare(K).check();
}

TEST_F(Sampling, EstimatesArithmetic) {
  KernelBuilder K = addressed();
  for (unsigned N = 0; N < 64; ++N)
    K.inst("MUFU", {{Role::d, 9}, {Role::a, 9}}, chained());
  increment(K);
  compare(K).check();
}

/// Each thread loops as often as the upper bits of its CTA's number say.
TEST_F(Sampling, EstimatesWorkThatGrowsOverTheGrid) {
  KernelBuilder K = addressed();
  K.inst("SHR_i", {{Role::d, 10}, {Role::a, 1}, {Role::b, 9}});
  K.label("loop");
  K.inst("MUFU", {{Role::d, 9}, {Role::a, 9}}, chained());
  K.inst("ISETP_i", {{Role::p, 0},
                     {Role::a, 10},
                     {Role::b, 0},
                     {Role::cmp, NotEqual},
                     {Role::s, PT}});
  K.inst("IADD3_i", {{Role::d, 10}, {Role::a, 10}, {Role::b, ~0u}});
  K.jump("BRA", "loop", {{Role::pg, 0}});
  increment(K);
  // The segments differ, and the error says so.
  compare(K).check(0.3);
}

TEST_F(Sampling, TimesSmallGridsAsAWhole) {
  EmulatorOptions O;
  O.Chip = std::string(Chip.Name);
  O.Timing = true;
  O.StrictHazards = false;
  O.Model.SampleWaves = 16;
  Machine M(O);
  uint64_t Buffer = M.allocate(4096 * 32 * 4);
  KernelBuilder K = addressed();
  increment(K);
  rt::LaunchResult R =
      M.launch(K, Params().add(Buffer), {.Grid = {4096}, .Block = {32}});
  ASSERT_TRUE(R.Profile);
  EXPECT_FALSE(R.Profile->Sample);
}

/// A limit of cycles holds for all launches of a device together.
TEST_P(Timing, LaunchesEndWithTheirCycles) {
  KernelBuilder K;
  K.inst("NANOSLEEP_i", {{Role::b, 5000}}).exit();
  auto LaunchTwice = [&](uint64_t MaxCycles) {
    EmulatorOptions O = options();
    O.Model.MaxCycles = MaxCycles;
    Machine M(O);
    rt::LaunchResult First = M.launch(K, Params(), {.Block = {32}});
    return std::pair(First, M.launch(K, Params(), {.Block = {32}}));
  };
  auto [First, Second] = LaunchTwice(0);
  ASSERT_TRUE(First.Profile && Second.Profile);
  uint64_t Both = First.Profile->Cycles + Second.Profile->Cycles;
  auto [Within, AlsoWithin] = LaunchTwice(Both);
  EXPECT_FALSE(Within.Fault || AlsoWithin.Fault);
  auto [Good, TooLate] = LaunchTwice(Both / 2 + First.Profile->Cycles / 4);
  EXPECT_FALSE(Good.Fault);
  ASSERT_TRUE(TooLate.Fault);
  EXPECT_EQ(TooLate.Fault->Kind, rt::FaultKind::Timeout);
  EXPECT_FALSE(TooLate.Profile);
}

/// The warps that wait at a barrier do so for the last one.
TEST_P(Timing, BarriersWaitForTheLast) {
  Machine M(options());
  KernelBuilder K;
  K.special(0, 0);
  K.inst("ISETP_i", {{Role::p, 0},
                     {Role::a, 0},
                     {Role::b, 32},
                     {Role::cmp, 1},
                     {Role::s, PT}});
  K.guarded(0, false, "NANOSLEEP_i", {{Role::b, 5000}});
  K.inst("BAR_i", {{Role::b, 0}, {Role::c, RZ}}).exit();
  rt::LaunchProfile P = profile(M, K, Params(), {.Block = {64}});
  uint64_t Slept = uint64_t(5000) * chip().ClockMHz / 1000;
  EXPECT_NEAR(P.States[size_t(rt::StallReason::Sleeping)], Slept, 20);
  EXPECT_NEAR(P.States[size_t(rt::StallReason::Barrier)], Slept, 100);
  EXPECT_GE(P.Cycles, Slept);
}

TEST_P(Timing, DeadlocksAndFaultsAreReported) {
  Machine M(options());
  KernelBuilder K;
  K.special(0, 0);
  K.inst("ISETP_i", {{Role::p, 0},
                     {Role::a, 0},
                     {Role::b, 32},
                     {Role::cmp, 1},
                     {Role::s, PT}});
  K.guarded(0, false, "BAR_i", {{Role::b, 0}, {Role::c, RZ}});
  K.guarded(0, true, "BAR_i", {{Role::b, 1}, {Role::c, RZ}}).exit();
  M.runToFault(rt::FaultKind::Deadlock, K, Params(), {.Block = {64}});
  KernelBuilder Trap;
  Trap.inst("TRAP").exit();
  M.runToFault(rt::FaultKind::Trap, Trap, Params(), {.Block = {64}});
}

/// The clock that a kernel reads is the model's.
TEST_P(Timing, ClockCountsCycles) {
  Machine M(options());
  uint64_t Out = M.upload(std::vector<uint32_t>(2));
  constexpr unsigned ClockNumber = 22;
  KernelBuilder K;
  K.param64(2, 0).special(4, ClockNumber);
  for (unsigned N = 0; N < 8; ++N)
    K.inst("MUFU", {{Role::d, 6}, {Role::a, 6}}, chained());
  K.special(5, ClockNumber);
  K.inst("STG64_r", {{Role::a, 2}, {Role::c, 4}}).exit();
  profile(M, K, Params().add(Out), {});
  std::vector<uint32_t> Clock = M.download<uint32_t>(Out, 2);
  unsigned Expected = 8 * timing(LatencyClass::MUFU).Latency +
                      timing(LatencyClass::S2R).Latency;
  EXPECT_NEAR(Clock[1] - Clock[0], Expected, 20);
}

TEST(TimingOptions, ExcludeARandomOrder) {
  EmulatorOptions O;
  O.Timing = true;
  O.Seed = 1;
  auto Device = createEmulatorDevice(O);
  EXPECT_FALSE(bool(Device));
  llvm::consumeError(Device.takeError());
}

} // namespace
