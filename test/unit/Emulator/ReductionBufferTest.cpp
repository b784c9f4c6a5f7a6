//===- ReductionBufferTest.cpp - Reductions that wait -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Host threads keep reductions and carry them out later, together. Nobody may
// find one missing that the memory model lets him expect, whatever the number
// of host threads.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <functional>
#include <random>
#include <type_traits>

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;

namespace {

constexpr unsigned Word = 4;             // MemSize
constexpr unsigned Relaxed = 2, GPU = 2; // MemOrder, MemScope
constexpr unsigned Acquire = 3, Release = 4;
constexpr unsigned EQ = 2, NE = 5; // Cmp
constexpr unsigned SRTid = 0, SRCta = 6;

EmulatorOptions hostThreads(unsigned Count) {
  EmulatorOptions Options;
  Options.HostThreads = Count;
  return Options;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

struct Reduction {
  const char *Name;
  unsigned Operation, Type;
  std::function<uint64_t(uint64_t, uint64_t)> Of32, Of64;
};

template <typename T, typename Fn>
std::function<uint64_t(uint64_t, uint64_t)> on(Fn F) {
  return [F](uint64_t A, uint64_t B) {
    return uint64_t(std::make_unsigned_t<T>(F(T(A), T(B))));
  };
}
template <typename Fn>
Reduction reduction(const char *Name, unsigned O, bool Signed, Fn F) {
  if (Signed)
    return {Name, O, 1, on<int32_t>(F), on<int64_t>(F)};
  return {Name, O, 0, on<uint32_t>(F), on<uint64_t>(F)};
}

const Reduction Reductions[] = {
    reduction("add", 0, false, [](auto A, auto B) { return A + B; }),
    reduction("min.u", 1, false, [](auto A, auto B) { return std::min(A, B); }),
    reduction("min.s", 1, true, [](auto A, auto B) { return std::min(A, B); }),
    reduction("max.u", 2, false, [](auto A, auto B) { return std::max(A, B); }),
    reduction("max.s", 2, true, [](auto A, auto B) { return std::max(A, B); }),
    reduction("and", 5, false, [](auto A, auto B) { return A & B; }),
    reduction("or", 6, false, [](auto A, auto B) { return A | B; }),
    reduction("xor", 7, false, [](auto A, auto B) { return A ^ B; }),
};

/// Each thread reduces the place that its row of a table names, with the value
/// that stands there; Rows is what it reads, a place and a value of 64 bits.
void checkTable(const Reduction &R, bool IsWide, unsigned Threads,
                size_t NumPlaces, uint64_t PlaceMask) {
  SCOPED_TRACE(std::string(R.Name) + (IsWide ? ", 64 bits, " : ", ") +
               std::to_string(Threads) + " host threads");
  constexpr unsigned CTAs = 24, Block = 96;
  std::mt19937_64 Random(NumPlaces);
  auto Rows = std::vector<uint64_t>();
  auto Expected = std::vector<uint64_t>(NumPlaces);
  for (uint64_t &V : Expected)
    V = IsWide ? Random() : uint32_t(Random());
  Machine M(hostThreads(Threads));
  std::vector<uint32_t> Narrow(Expected.begin(), Expected.end());
  uint64_t Target = IsWide ? M.upload(Expected) : M.upload(Narrow);
  for (unsigned T = 0; T < CTAs * Block; ++T) {
    uint64_t Place = Random() & PlaceMask, Value = Random();
    Rows.push_back(Place);
    Rows.push_back(Value);
    Expected[Place] = (IsWide ? R.Of64 : R.Of32)(Expected[Place], Value);
  }
  KernelBuilder K;
  K.param64(4, 0).param64(6, 8).special(0, SRTid).special(1, SRCta);
  K.inst("IMAD_i",
         {{Role::d, 0}, {Role::a, 1}, {Role::b, Block}, {Role::c, 0}});
  K.address(8, 6, 0, 4);
  K.inst("LDG128_r", {{Role::d, 12}, {Role::a, 8}});
  K.address(10, 4, 12, IsWide ? 3 : 2);
  K.inst(IsWide ? "REDG64_r" : "REDG_r", {{Role::a, 10},
                                          {Role::c, 14},
                                          {Role::aop, R.Operation},
                                          {Role::aty, R.Type},
                                          {Role::order, Relaxed},
                                          {Role::scope, GPU}});
  K.exit();
  M.run(K, Params().add(Target).add(M.upload(Rows)),
        {.Grid = {CTAs, 1, 1}, .Block = {Block, 1, 1}});
  std::vector<uint64_t> Result;
  if (IsWide) {
    Result = M.download<uint64_t>(Target, NumPlaces);
  } else {
    Narrow = M.download<uint32_t>(Target, NumPlaces);
    Result.assign(Narrow.begin(), Narrow.end());
  }
  EXPECT_EQ(Result, Expected);
}

/// A few places; more than a window has; and a block that ends in the middle
/// of a line.
TEST(ReductionBuffer, ComesToTheSameAsOneAfterTheOther) {
  for (const Reduction &R : Reductions)
    for (bool IsWide : {false, true})
      for (unsigned Threads : {1, 2, 3}) {
        checkTable(R, IsWide, Threads, 16, 15);
        checkTable(R, IsWide, Threads, 65536, 65535);
        checkTable(R, IsWide, Threads, 5, 3);
      }
}

//===----------------------------------------------------------------------===//
// One thread
//===----------------------------------------------------------------------===//

KernelBuilder &reduce(KernelBuilder &K, unsigned Place, unsigned Value,
                      uint64_t Offset = 0, unsigned Operation = 0) {
  return K.inst("REDG_r", {{Role::a, Place},
                           {Role::c, Value},
                           {Role::imm, Offset},
                           {Role::aop, Operation},
                           {Role::order, Relaxed},
                           {Role::scope, GPU}});
}
KernelBuilder &load(KernelBuilder &K, unsigned D, unsigned A,
                    uint64_t Offset = 0, unsigned Order = 0) {
  return K.inst("LDG_r", {{Role::d, D},
                          {Role::a, A},
                          {Role::imm, Offset},
                          {Role::size, Word},
                          {Role::order, Order},
                          {Role::scope, GPU}});
}
KernelBuilder &store(KernelBuilder &K, unsigned A, unsigned C,
                     uint64_t Offset = 0, unsigned Order = 0) {
  return K.inst("STG_r", {{Role::a, A},
                          {Role::c, C},
                          {Role::imm, Offset},
                          {Role::size, Word},
                          {Role::order, Order},
                          {Role::scope, GPU}});
}

/// Whatever comes next to the place, by any instruction, comes after it.
TEST(ReductionBuffer, AThreadSeesWhatItHasReduced) {
  Machine M;
  uint64_t Target = M.upload(std::vector<uint32_t>{10, 20, 30, 40, 50});
  uint64_t Out = M.allocate(64);
  KernelBuilder K;
  K.param64(4, 0).param64(6, 8).mov(8, 7).mov(10, 100);
  reduce(K, 4, 8); // 17
  load(K, 12, 4);
  store(K, 6, 12);
  reduce(K, 4, 8, 4); // 27
  K.inst("ATOMG_r",
         {{Role::d, 12}, {Role::a, 4}, {Role::c, 8}, {Role::imm, 4}});
  store(K, 6, 12, 4);
  reduce(K, 4, 8, 8); // 37, then 100
  store(K, 4, 10, 8);
  reduce(K, 4, 8, 8);              // 107
  reduce(K, 4, 8, 12);             // 47,
  reduce(K, 4, 10, 12, /*and*/ 5); // 36,
  reduce(K, 4, 8, 12);             // 43
  reduce(K, 4, 8, 16);             // 57, which is more than 7:
  K.inst("RED_r",
         {{Role::a, 4}, {Role::c, 8}, {Role::imm, 16}, {Role::aop, 3}});
  K.exit(); // 0
  M.run(K, Params().add(Target).add(Out), {});
  EXPECT_EQ(M.download<uint32_t>(Out, 2), (std::vector<uint32_t>{17, 27}));
  EXPECT_EQ(M.download<uint32_t>(Target, 5),
            (std::vector<uint32_t>{17, 34, 107, 43, 0}));
}

/// What was reduced before a fault is in memory.
TEST(ReductionBuffer, AFaultLosesNothing) {
  Machine M;
  uint64_t Target = M.upload(std::vector<uint32_t>{10});
  KernelBuilder K;
  K.param64(4, 0).mov(8, 7);
  reduce(K, 4, 8);
  reduce(K, 4, 8, 4);
  K.exit();
  rt::Fault F =
      M.runToFault(rt::FaultKind::OutOfBounds, K, Params().add(Target), {});
  EXPECT_EQ(F.Address, Target + 4);
  EXPECT_EQ(M.download<uint32_t>(Target, 1)[0], 17u);
}

//===----------------------------------------------------------------------===//
// Several threads
//===----------------------------------------------------------------------===//

/// Message passing: each CTA of a chain reduces the data, then sets its flag;
/// its successor waits for that, keeps what it finds and does the same. A fence
/// or the flag itself orders the two.
void checkChain(bool Fence, bool FlagByReduction, unsigned Threads) {
  SCOPED_TRACE(std::to_string(Fence) + std::to_string(FlagByReduction) +
               std::to_string(Threads));
  constexpr unsigned CTAs = 64;
  Machine M(hostThreads(Threads));
  uint64_t Data = M.upload(std::vector<uint32_t>{0});
  std::vector<uint32_t> Start(CTAs + 1);
  Start[0] = 1;
  uint64_t Flags = M.upload(Start), Seen = M.allocate(4 * CTAs);
  KernelBuilder K;
  K.param64(4, 0).param64(6, 8).param64(20, 16).special(0, SRCta).mov(1, 1);
  K.address(8, 6, 0, 2).address(22, 20, 0, 2);
  K.label("again");
  load(K, 10, 8, 0, Acquire);
  K.inst("ISETP_r", {{Role::p, 0},
                     {Role::a, 10},
                     {Role::b, RZ},
                     {Role::cmp, EQ},
                     {Role::s, PT}});
  K.jump("BRA", "again", {{Role::pg, 0}});
  load(K, 11, 4);
  store(K, 22, 11);
  reduce(K, 4, 1);
  if (Fence)
    K.inst("MEMBAR", {{Role::fn, 0}, {Role::scope, GPU}});
  if (FlagByReduction)
    K.inst("REDG_r", {{Role::a, 8},
                      {Role::c, 1},
                      {Role::imm, 4},
                      {Role::order, Fence ? Relaxed : Release},
                      {Role::scope, GPU}});
  else
    store(K, 8, 1, 4, Fence ? Relaxed : Release);
  K.exit();
  M.run(K, Params().add(Data).add(Flags).add(Seen), {.Grid = {CTAs, 1, 1}});
  std::vector<uint32_t> Expected(CTAs);
  for (unsigned N = 0; N < CTAs; ++N)
    Expected[N] = N;
  EXPECT_EQ(M.download<uint32_t>(Seen, CTAs), Expected);
}

TEST(ReductionBuffer, FencesAndReleasesCarryItOut) {
  for (unsigned Threads : {1, 2, 4})
    for (bool Fence : {false, true})
      for (bool FlagByReduction : {false, true})
        for (unsigned Repeat = 0; Repeat < 5; ++Repeat)
          checkChain(Fence, FlagByReduction, Threads);
}

/// All CTAs count themselves by a reduction without an order, and wait until
/// all have come: nobody may wait for what another one keeps for ever. The
/// counter and the flag that the last one sets are in different blocks.
TEST(ReductionBuffer, WhoWaitsSeesItInTheEnd) {
  for (unsigned Threads : {1, 2, 4}) {
    Machine M(hostThreads(Threads));
    constexpr unsigned CTAs = 9;
    uint64_t Counter = M.upload(std::vector<uint32_t>{0});
    uint64_t Flag = M.upload(std::vector<uint32_t>{0});
    KernelBuilder K;
    K.param64(4, 0).param64(6, 8).special(0, SRCta).mov(1, 1).mov(2, CTAs);
    reduce(K, 4, 1);
    K.inst("ISETP_r", {{Role::p, 0},
                       {Role::a, 0},
                       {Role::b, RZ},
                       {Role::cmp, NE},
                       {Role::s, PT}});
    K.jump("BRA", "wait", {{Role::pg, 0}});
    K.label("count"); // The first one waits for the others,
    load(K, 10, 4, 0, Relaxed);
    K.inst("ISETP_r", {{Role::p, 0},
                       {Role::a, 10},
                       {Role::b, 2},
                       {Role::cmp, NE},
                       {Role::s, PT}});
    K.jump("BRA", "count", {{Role::pg, 0}});
    reduce(K, 6, 1);
    K.label("wait"); // and they for it.
    load(K, 10, 6, 0, Relaxed);
    K.inst("ISETP_r", {{Role::p, 0},
                       {Role::a, 10},
                       {Role::b, RZ},
                       {Role::cmp, EQ},
                       {Role::s, PT}});
    K.jump("BRA", "wait", {{Role::pg, 0}});
    K.exit();
    M.run(K, Params().add(Counter).add(Flag), {.Grid = {CTAs, 1, 1}});
  }
}

//===----------------------------------------------------------------------===//
// Atomics on one place
//===----------------------------------------------------------------------===//

/// Lanes of a warp that add to one place get different sums, each that of the
/// lanes before it, with any of them absent.
TEST(ReductionBuffer, LanesAtOnePlaceComeOneAfterTheOther) {
  for (uint32_t Lanes : {0xFFFFFFFFu, 0x80000001u, 0x00F0F100u, 0x00000010u}) {
    Machine M;
    uint64_t Target = M.upload(std::vector<uint32_t>{5, 9, 3});
    uint64_t Out = M.upload(std::vector<uint32_t>(96));
    std::vector<uint32_t> TakesPart(32);
    for (unsigned L = 0; L < 32; ++L)
      TakesPart[L] = Lanes >> L & 1;
    KernelBuilder K;
    K.param64(4, 0).param64(6, 8).param64(14, 16).special(0, SRTid);
    K.address(8, 6, 0, 2).address(16, 14, 0, 2);
    load(K, 3, 16);
    K.inst("ISETP_r", {{Role::p, 0},
                       {Role::a, 3},
                       {Role::b, RZ},
                       {Role::cmp, NE},
                       {Role::s, PT}});
    const unsigned Operations[] = {/*add*/ 0, /*max*/ 2, /*exchange*/ 8};
    for (unsigned N = 0; N < 3; ++N) {
      K.guarded(0, false, "ATOMG_r",
                {{Role::d, 12},
                 {Role::a, 4},
                 {Role::c, 0},
                 {Role::imm, 4 * N},
                 {Role::aop, Operations[N]}});
      K.guarded(0, false, "STG_r",
                {{Role::a, 8},
                 {Role::c, 12},
                 {Role::size, Word},
                 {Role::imm, 128 * N}});
    }
    K.exit();
    M.run(K, Params().add(Target).add(Out).add(M.upload(TakesPart)),
          {.Block = {32, 1, 1}});
    std::vector<uint32_t> Left = {5, 9, 3}, Returned(96);
    for (uint32_t L = 0; L < 32; ++L)
      if (Lanes >> L & 1) {
        for (unsigned N = 0; N < 3; ++N)
          Returned[32 * N + L] = Left[N];
        Left = {Left[0] + L, std::max(Left[1], L), L};
      }
    EXPECT_EQ(M.download<uint32_t>(Out, 96), Returned) << Lanes;
    EXPECT_EQ(M.download<uint32_t>(Target, 3), Left) << Lanes;
  }
}

} // namespace
