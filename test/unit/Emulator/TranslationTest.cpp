//===- TranslationTest.cpp - Kernels as code of the host --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the emulator and translated code expect of each other. That both compute
// the same, all other tests find out when they run with
// HEDDLE_EXECUTION=compare.
//
//===----------------------------------------------------------------------===//

#include "KernelBuilder.h"
#include "Memory.h"
#include "Warp.h"
#include "heddle/Native/ChooseExecution.h"

#include <atomic>
#include <thread>

using namespace heddle;
using namespace heddle::emu;
using namespace heddle::emu::test;
using namespace llvm;

namespace {

constexpr unsigned Word = 4; // MemSize
constexpr unsigned SRTid = 0;

EmulatorOptions optionsFor(Execution Mode) {
  EmulatorOptions Options;
  Options.StrictHazards = false;
  ExitOnError()(native::chooseExecution(Options, Mode));
  return Options;
}

uint64_t translatedCTAs(const rt::LaunchStatistics &S) {
  for (const auto &[Name, Count] : S.Counters)
    if (Name == "translated CTAs")
      return Count;
  return 0;
}

/// Out[tid] = the sum of 1 to a bound, an immediate or a register.
void addSum(KernelBuilder &K, StringRef Compare, unsigned Bound) {
  constexpr unsigned LT = 1;
  K.mov(1, 0);
  K.mov(2, 0);
  K.label("loop");
  K.inst("IADD3_i", {{Role::d, 2}, {Role::a, 2}, {Role::b, 1}, {Role::c, RZ}});
  K.inst("IADD3_r", {{Role::d, 1}, {Role::a, 1}, {Role::b, 2}, {Role::c, RZ}});
  K.inst(Compare, {{Role::p, 0},
                   {Role::a, 2},
                   {Role::b, Bound},
                   {Role::cmp, LT},
                   {Role::s, PT}});
  K.jump("BRA", "loop", {{Role::pg, 0}});
  K.param64(4, 0).address(6, 4, 0, 2);
  K.inst("STG_r", {{Role::a, 6}, {Role::c, 1}, {Role::size, Word}});
}

/// The sum of 1 to Count.
KernelBuilder sumKernel(unsigned Count) {
  KernelBuilder K;
  K.special(0, SRTid);
  addSum(K, "ISETP_i", Count);
  return K.exit();
}

TEST(Translation, IsWhatRuns) {
  Machine M(optionsFor(Execution::Translate));
  uint64_t Out = M.allocate(64 * 4);
  rt::LaunchStatistics S =
      M.run(sumKernel(100), Params().add(Out), {.Grid = {3}, .Block = {64}});
  EXPECT_EQ(translatedCTAs(S), 3u);
  EXPECT_EQ(M.download<uint32_t>(Out, 64), std::vector<uint32_t>(64, 5050));
  // Four instructions a round, and six around the loop.
  EXPECT_EQ(S.ThreadInstructions, 3 * 64 * (4 * 100 + 6u));
}

/// Out[tid] = the sum of 1 to 9 * tid, at least of 1. Lanes leave the loop one
/// after the other, those of later warps behind many time slices.
KernelBuilder unevenKernel() {
  KernelBuilder K;
  K.special(0, SRTid);
  for (unsigned From : {0, 3})
    K.inst("IADD3_r",
           {{Role::d, 3}, {Role::a, From}, {Role::b, From}, {Role::c, From}});
  addSum(K, "ISETP_r", /*Bound=*/3);
  return K.exit();
}

/// Translated code begins a CTA's warps by itself. Those that do not come to
/// their end, and the last one, which has half of its threads, are the
/// emulator's; so are all where few instructions are left.
TEST(Translation, WarpsBeginOneAfterTheOther) {
  Machine M(optionsFor(Execution::Compare));
  uint64_t Out = M.allocate(112 * 4);
  for (uint64_t Limit :
       {rt::LaunchConfig::DefaultMaxThreadInstructions, uint64_t(1) << 33}) {
    auto Result = M.tryLaunch(
        unevenKernel(), Params().add(Out),
        {.Grid = {5}, .Block = {112}, .MaxThreadInstructions = Limit});
    ASSERT_EQ(Result ? "" : toString(Result.takeError()), "");
    std::vector<uint32_t> Sums = M.download<uint32_t>(Out, 112);
    for (uint32_t Thread = 0; Thread < 112; ++Thread) {
      uint32_t Last = std::max(9 * Thread, 1U);
      EXPECT_EQ(Sums[Thread], Last * (Last + 1) / 2) << Thread;
    }
  }
}

TEST(Translation, IsNotForStrictHazards) {
  EmulatorOptions Options = optionsFor(Execution::Translate);
  Options.StrictHazards = true;
  Machine M(Options);
  uint64_t Out = M.allocate(64 * 4);
  rt::LaunchStatistics S =
      M.run(sumKernel(100), Params().add(Out), {.Grid = {3}, .Block = {64}});
  EXPECT_EQ(translatedCTAs(S), 0u);
}

/// An endless loop ends at the limit of instructions.
TEST(Translation, KeepsToTheLimit) {
  Machine M(optionsFor(Execution::Translate));
  KernelBuilder K;
  K.label("loop").jump("BRA", "loop").exit();
  rt::Fault F = M.runToFault(
      rt::FaultKind::Timeout, K, Params(),
      {.Grid = {1}, .Block = {32}, .MaxThreadInstructions = 100'000});
  EXPECT_NE(F.Message.find("100000"), std::string::npos);
}

/// Translates each kernel to code that ends at once.
class Forgetful : public Translator {
public:
  std::shared_ptr<const TranslatedCode> translate(const CodeImage &,
                                                  uint32_t Entry) override {
    auto Code = std::make_shared<TranslatedCode>();
    Code->First = Entry;
    Code->Entries = {0};
    Code->Run = [](Warp *W, const DecodedInst *, const EmulatorFunctions *,
                   uint32_t) { W->exitLanes(W->Group); };
    return Code;
  }
};

TEST(Translation, ComparingFindsADifference) {
  EmulatorOptions Options;
  Options.StrictHazards = false;
  Options.Mode = Execution::Compare;
  Options.HostCode = std::make_shared<Forgetful>();
  Machine M(Options);
  uint64_t Out = M.allocate(32 * 4);
  auto Result = M.tryLaunch(sumKernel(100), Params().add(Out),
                            {.Grid = {1}, .Block = {32}});
  EXPECT_EQ(toString(Result.takeError()),
            "kernel 'test', emulated and translated: there are 12992 and 0 "
            "thread instructions");
}

/// What others do meanwhile is no difference: they wait.
TEST(Translation, ComparedLaunchesAreAlone) {
  Machine M(optionsFor(Execution::Compare));
  uint64_t Out = M.allocate(32 * 4), Other = M.allocate(4096);
  std::atomic<bool> Done{false};
  std::thread Filler([&] {
    for (uint8_t Value = 0; !Done; ++Value)
      ExitOnError()(M.Device->fill(Other, Value, 4096));
  });
  for (unsigned Round = 0; Round < 5; ++Round) {
    auto Result = M.tryLaunch(sumKernel(10'000), Params().add(Out),
                              {.Grid = {1}, .Block = {32}});
    EXPECT_EQ(Result ? "" : toString(Result.takeError()), "");
  }
  Done = true;
  Filler.join();
}

/// What a kernel allocates lies at the same places in both executions.
TEST(Translation, MemoryIsAsBeforeAfterARewind) {
  DeviceMemory Memory(createAddressSpace(), /*Device=*/0, {.HeapLimit = 128});
  uint64_t Old = Memory.heapAllocate(64);
  DeviceMemory::Mark Mark = Memory.mark();
  EXPECT_TRUE(Memory.heapFree(Old));
  uint64_t First = Memory.heapAllocate(32), Second = Memory.heapAllocate(96);
  EXPECT_NE(First, 0u);
  EXPECT_NE(Second, 0u);
  Memory.rewind(Mark);
  EXPECT_TRUE(Memory.find(Old)->Live);
  EXPECT_EQ(Memory.liveBlocks().size(), 1u);
  EXPECT_EQ(Memory.heapInUse().Bytes, 64u);
  EXPECT_EQ(Memory.heapAllocate(96), 0u); // There is no room for it again.
  EXPECT_EQ(Memory.heapAllocate(32), First);
}

/// The host's blocks stay, and nothing comes to lie on them.
TEST(Translation, ARewindKeepsWhatTheHostHas) {
  DeviceMemory Memory(createAddressSpace(), /*Device=*/0, {.HeapLimit = 128});
  DeviceMemory::Mark Mark = Memory.mark();
  uint64_t First = Memory.heapAllocate(32);
  Allocation *Host = Memory.allocate(32, 16);
  Memory.rewind(Mark);
  EXPECT_TRUE(Host->Live);
  EXPECT_EQ(Memory.find(Host->Base), Host);
  EXPECT_NE(Memory.find(First), Host);
  EXPECT_GT(Memory.heapAllocate(32), Host->Base);
}

} // namespace
