//===- LitmusTest.cpp - What the memory model forbids and allows ----------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Litmus tests in PTX, compiled and run on weakly ordered memory in thousands
// of schedules. An outcome that PTX forbids must never show. One that it allows
// must show where docs/memory-model.md says that the emulator has it: else a
// test of the forbidden ones could not fail.
//
//===----------------------------------------------------------------------===//

#include "CompileKernel.h"
#include "heddle/Emulator/Emulator.h"
#include "heddle/ISA/ISA.h"
#include "heddle/Native/ChooseExecution.h"
#include "heddle/Object/ObjectFile.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

#include <cstring>
#include <map>

using namespace llvm;
using namespace heddle;

namespace {

/// Where the threads of a test are.
enum class Placement { Warps, CTAs };

/// Threads with two observations each, %a and %b. %x, %y and %z are the
/// addresses of places in global memory that hold 0 at the start; their final
/// values are observed too. In a CTA %s is the address of one in shared memory.
struct Litmus {
  std::vector<std::string> Threads;
  Placement Where = Placement::CTAs;
  unsigned Launches = 3000;
};

/// %a and %b of each thread, then x, y and z.
using Outcome = std::vector<uint32_t>;
using Outcomes = std::map<Outcome, unsigned>;

std::string moduleOf(const Litmus &L) {
  std::string Text = R"(.version 8.6
.target sm_90
.address_size 64
.visible .entry litmus(.param .u64 places, .param .u64 out) {
  .reg .u64 %x, %y, %z, %o;
  .reg .u32 %who, %lane, %a, %b, %t, %s;
  .reg .pred %p;
  .shared .align 4 .u32 shared;
  ld.param.u64 %x, [places];
  add.u64 %y, %x, 256;
  add.u64 %z, %x, 512;
  ld.param.u64 %o, [out];
  mov.u32 %s, shared;
  mov.u32 %a, 0;
  mov.u32 %b, 0;
  mov.u32 %lane, %tid.x;
  and.b32 %lane, %lane, 31;
  setp.ne.u32 %p, %lane, 0;
  @%p exit;
)";
  if (L.Where == Placement::CTAs)
    Text += "  mov.u32 %who, %ctaid.x;\n";
  else
    Text += "  mov.u32 %who, %tid.x;\n  shr.u32 %who, %who, 5;\n";
  for (auto [N, Body] : enumerate(L.Threads))
    Text += formatv("  setp.eq.u32 %p, %who, {0};\n  @%p bra T{0};\n", N);
  Text += "  exit;\n";
  for (auto [N, Body] : enumerate(L.Threads))
    Text += formatv("T{0}:\n{1}\n  bra DONE;\n", N, Body);
  return Text + R"(DONE:
  mad.wide.u32 %o, %who, 8, %o;
  st.global.v2.u32 [%o], {%a, %b};
  exit;
}
)";
}

/// Makes every fence in the code an instruction that is never executed.
unsigned dropFences(MutableArrayRef<char> Object) {
  auto *Bytes = reinterpret_cast<uint8_t *>(Object.data());
  auto File = cantFail(ObjectFile::create({Bytes, Object.size()}));
  unsigned Dropped = 0;
  for (const Section &S : File.sections()) {
    if (S.Kind != LoadKind::Text)
      continue;
    uint8_t *Code = Bytes + (S.Contents.data() - Bytes);
    for (size_t At = 0; At < S.Contents.size();
         At += isa::instructionBytes(Code[At])) {
      auto E = isa::readEncoding(S.Contents.drop_front(At));
      const isa::InstInfo *I = E ? isa::decode(*E) : nullptr;
      if (!I || I->Operation != isa::Op::MEMBAR)
        continue;
      const isa::OperandInfo *Negated = I->operand(isa::Role::pgn);
      E->setField(Negated->Lsb, Negated->Width, 1);
      uint64_t Word = isa::instructionBytes(Code[At]) == isa::CompactBytes
                          ? isa::compress(*E).value()
                          : E->Lo;
      std::memcpy(Code + At, &Word, 8);
      ++Dropped;
    }
  }
  return Dropped;
}

/// How kernels are executed, which HEDDLE_EXECUTION says.
emu::Execution mode() { return cantFail(native::executionOfEnvironment()); }
/// Then the order of accesses is that of the host, which is stronger.
bool isOnHost() { return mode() != emu::Execution::Emulate; }

Outcomes observe(const Litmus &L, ArrayRef<char> Object) {
  emu::EmulatorOptions Options;
  if (isOnHost()) {
    Options.StrictHazards = false;
    Options.HostThreads = 2;
    cantFail(native::chooseExecution(Options, mode()));
  } else {
    Options.Seed = 1;
    Options.RelaxedMemory = true;
  }
  auto Device = cantFail(emu::createEmulatorDevice(Options));
  auto Module = cantFail(Device->loadModule(
      {reinterpret_cast<const uint8_t *>(Object.data()), Object.size()}));
  size_t N = L.Threads.size();
  constexpr size_t PlaceStep = 256;
  uint64_t Places = cantFail(Device->allocate(3 * PlaceStep));
  uint64_t Out = cantFail(Device->allocate(8 * N));
  std::vector<uint8_t> Params(16);
  std::memcpy(Params.data(), &Places, 8);
  std::memcpy(Params.data() + 8, &Out, 8);
  rt::LaunchConfig Config;
  Config.Params = Params;
  if (L.Where == Placement::CTAs)
    Config.Grid.X = N;
  Config.Block.X = L.Where == Placement::CTAs ? 32 : 32 * N;
  Outcomes Seen;
  for (unsigned Launch = 0; Launch < L.Launches; ++Launch) {
    uint8_t Zero = 0;
    cantFail(Device->fill(Places, Zero, 3 * PlaceStep));
    rt::LaunchResult R = cantFail(Device->launch(*Module, 0, Config));
    EXPECT_FALSE(R.Fault) << R.Fault->str();
    if (R.Fault)
      return Seen;
    Outcome O(2 * N + 3);
    auto Read = [&](size_t At, uint64_t Address, size_t Words) {
      cantFail(Device->copyFromDevice(
          {reinterpret_cast<uint8_t *>(&O[At]), 4 * Words}, Address));
    };
    Read(0, Out, 2 * N);
    for (size_t P = 0; P < 3; ++P)
      Read(2 * N + P, Places + P * PlaceStep, 1);
    ++Seen[O];
  }
  return Seen;
}

/// Of the test that runs.
unsigned OptLevel = 3;

/// A test of both code generators, which are that of -O0 and that of the levels
/// above.
class AtEachLevel : public testing::TestWithParam<unsigned> {
  void SetUp() override { OptLevel = GetParam(); }
};

Outcomes observe(const Litmus &L) {
  SmallVector<char, 0> Object = compile(moduleOf(L), OptLevel);
  return Object.empty() ? Outcomes() : observe(L, Object);
}

/// How often an outcome showed of which the leading values are known; Any
/// matches every value.
constexpr uint32_t Any = ~0u;
unsigned count(const Outcomes &Seen, Outcome Pattern) {
  unsigned Total = 0;
  for (const auto &[O, Times] : Seen) {
    bool Matches = true;
    for (size_t N = 0; N < Pattern.size(); ++N)
      Matches &= Pattern[N] == Any || Pattern[N] == O[N];
    Total += Matches ? Times : 0;
  }
  return Total;
}

/// The same of an outcome that must show on weakly ordered memory, and may
/// elsewhere.
unsigned countAllowed(const Outcomes &Seen, Outcome Pattern) {
  return isOnHost() ? 1 : count(Seen, std::move(Pattern));
}

//===----------------------------------------------------------------------===//
// Message passing: a flag is seen, but not the data before it
//===----------------------------------------------------------------------===//

const Outcome StaleMessage = {Any, Any, 1, 0};

Litmus messagePassing(const std::string &Store, const std::string &Load,
                      Placement Where, const std::string &Before = "",
                      const std::string &After = "") {
  return {
      {"st.relaxed.gpu.global.u32 [%x], 1;\n" + Before + Store + " [%y], 1;",
       Load + " %a, [%y];\n" + After + "ld.relaxed.gpu.global.u32 %b, [%x];"},
      Where};
}

using MessagePassing = AtEachLevel;

TEST_P(MessagePassing, RelaxedMayBeStale) {
  for (Placement Where : {Placement::CTAs, Placement::Warps})
    EXPECT_GT(countAllowed(
                  observe(messagePassing("st.relaxed.gpu.global.u32",
                                         "ld.relaxed.gpu.global.u32", Where)),
                  StaleMessage),
              0u);
}

TEST_P(MessagePassing, ReleaseAndAcquireForbidIt) {
  for (std::string Scope : {"gpu", "sys"})
    EXPECT_EQ(
        count(observe(messagePassing("st.release." + Scope + ".global.u32",
                                     "ld.acquire." + Scope + ".global.u32",
                                     Placement::CTAs)),
              StaleMessage),
        0u);
  EXPECT_EQ(count(observe(messagePassing("st.release.cta.global.u32",
                                         "ld.acquire.cta.global.u32",
                                         Placement::Warps)),
                  StaleMessage),
            0u);
}

TEST_P(MessagePassing, OneSideIsNotEnough) {
  EXPECT_GT(countAllowed(observe(messagePassing("st.release.gpu.global.u32",
                                                "ld.relaxed.gpu.global.u32",
                                                Placement::CTAs)),
                         StaleMessage),
            0u);
  EXPECT_GT(countAllowed(observe(messagePassing("st.relaxed.gpu.global.u32",
                                                "ld.acquire.gpu.global.u32",
                                                Placement::CTAs)),
                         StaleMessage),
            0u);
}

// The scopes must include each other.
TEST_P(MessagePassing, ScopeOfTheCTADoesNotReachAnother) {
  EXPECT_GT(countAllowed(observe(messagePassing("st.release.cta.global.u32",
                                                "ld.acquire.gpu.global.u32",
                                                Placement::CTAs)),
                         StaleMessage),
            0u);
}

Litmus fencedMessage(const std::string &Fence,
                     Placement Where = Placement::CTAs) {
  return messagePassing("st.relaxed.gpu.global.u32",
                        "ld.relaxed.gpu.global.u32", Where, Fence + "\n",
                        Fence + "\n");
}

TEST_P(MessagePassing, FencesForbidIt) {
  for (std::string Fence : {"fence.acq_rel.gpu;", "fence.sc.gpu;",
                            "fence.acq_rel.sys;", "membar.gl;", "membar.sys;"})
    EXPECT_EQ(count(observe(fencedMessage(Fence)), StaleMessage), 0u) << Fence;
  EXPECT_EQ(
      count(observe(fencedMessage("fence.acq_rel.cta;", Placement::Warps)),
            StaleMessage),
      0u);
  EXPECT_GT(
      countAllowed(observe(fencedMessage("fence.acq_rel.cta;")), StaleMessage),
      0u);
}

// If the compiler left the fences out, the tests above would say so.
TEST_P(MessagePassing, ShowsThatAFenceIsMissing) {
  Litmus L = fencedMessage("fence.acq_rel.gpu;");
  SmallVector<char, 0> Object = compile(moduleOf(L), OptLevel);
  EXPECT_EQ(count(observe(L, Object), StaleMessage), 0u);
  EXPECT_EQ(dropFences(Object), 2u);
  EXPECT_GT(countAllowed(observe(L, Object), StaleMessage), 0u);
}

// Weak data under a strong flag, as programs have it.
TEST_P(MessagePassing, CarriesWeakData) {
  Litmus L = {{"st.global.u32 [%x], 1;\nst.release.gpu.global.u32 [%y], 1;",
               "ld.acquire.gpu.global.u32 %a, [%y];\nld.global.u32 %b, [%x];"}};
  EXPECT_EQ(count(observe(L), StaleMessage), 0u);
}

TEST_P(MessagePassing, ThroughSharedMemory) {
  Litmus L = {{"st.global.u32 [%x], 1;\nst.release.cta.shared.u32 [%s], 1;",
               "ld.acquire.cta.shared.u32 %a, [%s];\nld.global.u32 %b, [%x];"},
              Placement::Warps};
  EXPECT_EQ(count(observe(L), StaleMessage), 0u);
}

TEST_P(MessagePassing, ThroughAtomics) {
  Litmus L = {{"st.global.u32 [%x], 1;\n"
               "atom.release.gpu.global.add.u32 %t, [%y], 1;",
               "atom.acquire.gpu.global.or.b32 %a, [%y], 0;\n"
               "ld.global.u32 %b, [%x];"}};
  EXPECT_EQ(count(observe(L), StaleMessage), 0u);
}

// A release stays one through updates by others.
TEST_P(MessagePassing, ThroughAReleaseSequence) {
  Litmus L = {{"st.global.u32 [%x], 1;\nst.release.gpu.global.u32 [%y], 1;",
               "atom.relaxed.gpu.global.add.u32 %a, [%y], 10;",
               "ld.acquire.gpu.global.u32 %a, [%y];\nld.global.u32 %b, [%x];"}};
  EXPECT_EQ(count(observe(L), {Any, Any, 1, Any, 11, 0}), 0u);
}

TEST_P(MessagePassing, OverABarrier) {
  Litmus L = {{"st.global.u32 [%x], 1;\nbarrier.sync 1, 64;",
               "barrier.sync 1, 64;\nld.global.u32 %b, [%x];"},
              Placement::Warps};
  // One lane of each warp arrives, and counts for those that have exited.
  EXPECT_EQ(count(observe(L), {Any, Any, Any, 0}), 0u);
}

//===----------------------------------------------------------------------===//
// A lock: each thread counts a weak place up while it holds the lock
//===----------------------------------------------------------------------===//

/// Threads that take the lock at %x with \p Take, which ends with the values
/// that it compares with and stores, and give it back with \p Give. %a is what
/// each found at %y.
Litmus lock(std::string Take, std::string Give, Placement Where) {
  Litmus L;
  for (unsigned N = 0; N != 3; ++N)
    L.Threads.push_back(
        formatv("LOCK{0}:\n{1} %t, [%x], 0, 1;\nsetp.ne.u32 %p, %t, 0;\n"
                "@%p bra LOCK{0};\nld.global.u32 %a, [%y];\n"
                "add.u32 %t, %a, 1;\nst.global.u32 [%y], %t;\n{2} [%x], 0;",
                N, Take, Give));
  L.Where = Where;
  L.Launches = 1000;
  return L;
}

/// Launches after which %y does not hold the number of threads.
unsigned countLost(const Litmus &L) {
  unsigned Lost = 0;
  size_t Y = 2 * L.Threads.size() + 1;
  for (const auto &[O, Times] : observe(L))
    Lost += O[Y] != L.Threads.size() ? Times : 0;
  return Lost;
}

unsigned countLostAllowed(const Litmus &L) {
  return isOnHost() ? 1 : countLost(L);
}

using Lock = AtEachLevel;

TEST_P(Lock, CountsEachHolder) {
  EXPECT_EQ(countLost(lock("atom.acquire.gpu.global.cas.b32",
                           "st.release.gpu.global.u32", Placement::CTAs)),
            0u);
  EXPECT_EQ(countLost(lock("atom.acquire.cta.global.cas.b32",
                           "st.release.cta.global.u32", Placement::Warps)),
            0u);
}

// As CUDA programs write it: fences around relaxed operations.
TEST_P(Lock, CountsEachHolderWithFences) {
  Litmus L =
      lock("atom.global.cas.b32",
           "fence.acq_rel.gpu;\nst.relaxed.gpu.global.u32", Placement::CTAs);
  for (std::string &Thread : L.Threads)
    Thread.insert(Thread.find("ld.global"), "fence.acq_rel.gpu;\n");
  EXPECT_EQ(countLost(L), 0u);
}

TEST_P(Lock, LosesHoldersWithoutOrderOrScope) {
  EXPECT_GT(
      countLostAllowed(lock("atom.acquire.gpu.global.cas.b32",
                            "st.relaxed.gpu.global.u32", Placement::CTAs)),
      0u);
  EXPECT_GT(
      countLostAllowed(lock("atom.relaxed.gpu.global.cas.b32",
                            "st.release.gpu.global.u32", Placement::CTAs)),
      0u);
  EXPECT_GT(
      countLostAllowed(lock("atom.acquire.cta.global.cas.b32",
                            "st.release.cta.global.u32", Placement::CTAs)),
      0u);
}

//===----------------------------------------------------------------------===//
// Store buffering: neither of two threads sees the other's store
//===----------------------------------------------------------------------===//

Litmus storeBuffering(const std::string &Fence,
                      Placement Where = Placement::CTAs) {
  return {{"st.relaxed.gpu.global.u32 [%x], 1;\n" + Fence +
               "\nld.relaxed.gpu.global.u32 %a, [%y];",
           "st.relaxed.gpu.global.u32 [%y], 1;\n" + Fence +
               "\nld.relaxed.gpu.global.u32 %a, [%x];"},
          Where};
}
const Outcome BothMissed = {0, Any, 0, Any};

using StoreBuffering = AtEachLevel;

TEST_P(StoreBuffering, OnlySequentiallyConsistentFencesForbidIt) {
  EXPECT_GT(countAllowed(observe(storeBuffering("")), BothMissed), 0u);
  EXPECT_GT(
      countAllowed(observe(storeBuffering("fence.acq_rel.gpu;")), BothMissed),
      0u);
  for (std::string Fence : {"fence.sc.gpu;", "fence.sc.sys;", "membar.gl;"})
    EXPECT_EQ(count(observe(storeBuffering(Fence)), BothMissed), 0u) << Fence;
  EXPECT_GT(countAllowed(observe(storeBuffering("fence.sc.cta;")), BothMissed),
            0u);
  EXPECT_EQ(count(observe(storeBuffering("fence.sc.cta;", Placement::Warps)),
                  BothMissed),
            0u);
}

//===----------------------------------------------------------------------===//
// Load buffering: each sees the store that follows the other's load
//===----------------------------------------------------------------------===//

Litmus loadBuffering(std::string Load, std::string Store, std::string Fence,
                     Placement Where = Placement::CTAs) {
  auto Thread = [&](const std::string &From, const std::string &To) {
    return Load + " %a, [" + From + "];\n" + Fence + "\n" + Store + " [" + To +
           "], 1;";
  };
  return {{Thread("%x", "%y"), Thread("%y", "%x")}, Where};
}
const Outcome BothSaw = {1, Any, 1, Any};
constexpr const char *RelaxedLoad = "ld.relaxed.gpu.global.u32",
                     *RelaxedStore = "st.relaxed.gpu.global.u32";

using LoadBuffering = AtEachLevel;

TEST_P(LoadBuffering, ShowsWithoutFences) {
  for (Placement Where : {Placement::CTAs, Placement::Warps})
    EXPECT_GT(countAllowed(
                  observe(loadBuffering(RelaxedLoad, RelaxedStore, "", Where)),
                  BothSaw),
              0u);
}

TEST_P(LoadBuffering, OneOrderedAccessOfEachForbidsIt) {
  EXPECT_EQ(count(observe(loadBuffering("ld.acquire.gpu.global.u32",
                                        RelaxedStore, "")),
                  BothSaw),
            0u);
  EXPECT_EQ(count(observe(loadBuffering(RelaxedLoad,
                                        "st.release.gpu.global.u32", "")),
                  BothSaw),
            0u);
  for (std::string Fence : {"fence.acq_rel.gpu;", "fence.sc.gpu;"})
    EXPECT_EQ(count(observe(loadBuffering(RelaxedLoad, RelaxedStore, Fence)),
                    BothSaw),
              0u)
        << Fence;
}

// No value comes out of thin air: what is stored depends on what was loaded, as
// data, or because a branch decided on it.
TEST_P(LoadBuffering, DependenciesForbidIt) {
  auto Copy = [](const std::string &From, const std::string &To) {
    return "ld.relaxed.gpu.global.u32 %a, [" + From +
           "];\nst.relaxed.gpu.global.u32 [" + To + "], %a;";
  };
  EXPECT_EQ(count(observe({{Copy("%x", "%y"), Copy("%y", "%x")}}),
                  {0, Any, 0, Any, 0, 0}),
            3000u);
  auto Decide = [](const std::string &From, const std::string &To,
                   const std::string &Label) {
    return "ld.relaxed.gpu.global.u32 %a, [" + From +
           "];\nsetp.eq.u32 %p, %a, 0;\n@%p bra DONE;\n" +
           "st.relaxed.gpu.global.u32 [" + To + "], 1;" + Label;
  };
  EXPECT_EQ(count(observe({{Decide("%x", "%y", ""), Decide("%y", "%x", "")}}),
                  BothSaw),
            0u);
}

// The loads and stores of one thread to one place keep their order.
TEST_P(LoadBuffering, OnePlaceForbidsIt) {
  Litmus L = {{"ld.relaxed.gpu.global.u32 %a, [%x];\n"
               "st.relaxed.gpu.global.u32 [%x], 1;",
               "ld.relaxed.gpu.global.u32 %a, [%y];"}};
  EXPECT_EQ(count(observe(L), {1}), 0u);
}

//===----------------------------------------------------------------------===//
// Independent reads of independent writes: two readers see two stores in
// opposite orders
//===----------------------------------------------------------------------===//

Litmus independentReads(std::string Load, std::string Fence) {
  auto Reader = [&](const std::string &First, const std::string &Second) {
    return Load + " %a, [" + First + "];\n" + Fence + "\n" + Load + " %b, [" +
           Second + "];";
  };
  return {{"st.relaxed.gpu.global.u32 [%x], 1;",
           "st.relaxed.gpu.global.u32 [%y], 1;", Reader("%x", "%y"),
           Reader("%y", "%x")},
          Placement::CTAs,
          6000};
}
const Outcome OppositeOrders = {Any, Any, Any, Any, 1, 0, 1, 0};

using IndependentReads = AtEachLevel;

TEST_P(IndependentReads, OnlySequentiallyConsistentFencesForbidIt) {
  EXPECT_GT(
      countAllowed(observe(independentReads("ld.relaxed.gpu.global.u32", "")),
                   OppositeOrders),
      0u);
  EXPECT_GT(
      countAllowed(observe(independentReads("ld.acquire.gpu.global.u32", "")),
                   OppositeOrders),
      0u);
  EXPECT_EQ(count(observe(independentReads("ld.relaxed.gpu.global.u32",
                                           "fence.sc.gpu;")),
                  OppositeOrders),
            0u);
}

//===----------------------------------------------------------------------===//
// Coherence: one place has one order
//===----------------------------------------------------------------------===//

// CoRR: reads of one thread do not go back.
using Coherence = AtEachLevel;

TEST_P(Coherence, ReadsDoNotGoBack) {
  Litmus L = {{"st.relaxed.gpu.global.u32 [%x], 1;\n"
               "st.relaxed.gpu.global.u32 [%x], 2;",
               "ld.relaxed.gpu.global.u32 %a, [%x];\n"
               "ld.relaxed.gpu.global.u32 %b, [%x];"}};
  Outcomes Seen = observe(L);
  for (const auto &[O, Times] : Seen) {
    EXPECT_LE(O[2], O[3]);
    EXPECT_EQ(O[4], 2u); // CoWW: the thread's last store is the last.
  }
  EXPECT_GT(countAllowed(Seen, {Any, Any, 0, 1}), 0u);
  EXPECT_GT(countAllowed(Seen, {Any, Any, 1, 2}), 0u);
}

// CoRW, CoWR: a thread that read a value does not store before it, and reads
// its own store or what came later.
TEST_P(Coherence, ReadsAndStoresOfOneThread) {
  Litmus L = {{"st.relaxed.gpu.global.u32 [%x], 1;",
               "ld.relaxed.gpu.global.u32 %a, [%x];\n"
               "st.relaxed.gpu.global.u32 [%x], 2;\n"
               "ld.relaxed.gpu.global.u32 %b, [%x];"}};
  Outcomes Seen = observe(L);
  EXPECT_EQ(count(Seen, {Any, Any, 1, Any, 1}), 0u);
  EXPECT_EQ(count(Seen, {Any, Any, 1, 1}), 0u);
  EXPECT_EQ(count(Seen, {Any, Any, Any, 0}), 0u);
  EXPECT_GT(countAllowed(Seen, {Any, Any, 0, Any, 1}), 0u);
}

// CoRR of two readers: both see the stores of two writers in one order.
TEST_P(Coherence, ReadersAgree) {
  Litmus L = {{"st.relaxed.gpu.global.u32 [%x], 1;",
               "st.relaxed.gpu.global.u32 [%x], 2;",
               "ld.relaxed.gpu.global.u32 %a, [%x];\n"
               "ld.relaxed.gpu.global.u32 %b, [%x];",
               "ld.relaxed.gpu.global.u32 %a, [%x];\n"
               "ld.relaxed.gpu.global.u32 %b, [%x];"}};
  Outcomes Seen = observe(L);
  EXPECT_EQ(count(Seen, {Any, Any, Any, Any, 1, 2, 2, 1}), 0u);
  EXPECT_EQ(count(Seen, {Any, Any, Any, Any, 2, 1, 1, 2}), 0u);
  EXPECT_GT(countAllowed(Seen, {Any, Any, Any, Any, 1, 2, 1, 2}), 0u);
}

//===----------------------------------------------------------------------===//
// 2+2W: two threads store to two places in opposite orders, and each place
// keeps the first store
//===----------------------------------------------------------------------===//

Litmus twoPlusTwo(const std::string &Fence) {
  return {{"st.relaxed.gpu.global.u32 [%x], 1;\n" + Fence +
               "\nst.relaxed.gpu.global.u32 [%y], 2;",
           "st.relaxed.gpu.global.u32 [%y], 1;\n" + Fence +
               "\nst.relaxed.gpu.global.u32 [%x], 2;"}};
}
const Outcome FirstsRemain = {Any, Any, Any, Any, 1, 1};

using TwoPlusTwoWrites = AtEachLevel;

TEST_P(TwoPlusTwoWrites, SequentiallyConsistentFencesForbidIt) {
  EXPECT_GT(countAllowed(observe(twoPlusTwo("")), FirstsRemain), 0u);
  EXPECT_EQ(count(observe(twoPlusTwo("fence.sc.gpu;")), FirstsRemain), 0u);
}

//===----------------------------------------------------------------------===//
// Causality over three threads
//===----------------------------------------------------------------------===//

Litmus causality(const std::string &Release, const std::string &Acquire) {
  return {{"st.relaxed.gpu.global.u32 [%x], 1;",
           "ld.relaxed.gpu.global.u32 %a, [%x];\n" + Release + " [%y], 1;",
           Acquire + " %a, [%y];\nld.relaxed.gpu.global.u32 %b, [%x];"}};
}
const Outcome EffectBeforeCause = {Any, Any, 1, Any, 1, 0};

using Causality = AtEachLevel;

TEST_P(Causality, ReleasesHandOnWhatWasRead) {
  EXPECT_GT(countAllowed(observe(causality("st.relaxed.gpu.global.u32",
                                           "ld.relaxed.gpu.global.u32")),
                         EffectBeforeCause),
            0u);
  EXPECT_EQ(count(observe(causality("st.release.gpu.global.u32",
                                    "ld.acquire.gpu.global.u32")),
                  EffectBeforeCause),
            0u);
}

//===----------------------------------------------------------------------===//
// Atomicity
//===----------------------------------------------------------------------===//

using Atomicity = AtEachLevel;

TEST_P(Atomicity, UpdatesAreNotLost) {
  for (Placement Where : {Placement::CTAs, Placement::Warps}) {
    std::string Add = "atom.relaxed.gpu.global.add.u32 %a, [%x], 1;\n"
                      "red.relaxed.gpu.global.add.u32 [%x], 1;";
    Outcomes Seen = observe({{Add, Add, Add, Add}, Where, 1000});
    EXPECT_EQ(count(Seen, {Any, Any, Any, Any, Any, Any, Any, Any, 8}), 1000u);
  }
}

TEST_P(Atomicity, OneCompareAndSwapWins) {
  std::string Swap = "atom.relaxed.gpu.global.cas.b32 %a, [%x], 0, 1;";
  Outcomes Seen = observe({{Swap, Swap}});
  EXPECT_EQ(count(Seen, {0, Any, 0, Any}), 0u);
  EXPECT_EQ(count(Seen, {1, Any, 1, Any}), 0u);
}

// 128 bits are one access: no half of one store with the other half of another.
TEST_P(Atomicity, WideAccessesAreWhole) {
  auto Store = [](const std::string &Value) {
    return "{ .reg .u64 %v; .reg .b128 %w; mov.u64 %v, " + Value +
           "; mov.b128 %w, {%v, %v};\nst.relaxed.gpu.global.b128 [%x], %w; }";
  };
  Litmus L = {{Store("1"), Store("2"),
               "{ .reg .u64 %l, %h; .reg .b128 %w;\n"
               "ld.relaxed.gpu.global.b128 %w, [%x];\n"
               "mov.b128 {%l, %h}, %w;\ncvt.u32.u64 %a, %l;\n"
               "cvt.u32.u64 %b, %h; }"}};
  for (const auto &[O, Times] : observe(L))
    EXPECT_EQ(O[4], O[5]);
}

INSTANTIATE_TEST_SUITE_P(Levels, MessagePassing, testing::Values(0, 3));
INSTANTIATE_TEST_SUITE_P(Levels, Lock, testing::Values(0, 3));
INSTANTIATE_TEST_SUITE_P(Levels, StoreBuffering, testing::Values(0, 3));
INSTANTIATE_TEST_SUITE_P(Levels, LoadBuffering, testing::Values(0, 3));
INSTANTIATE_TEST_SUITE_P(Levels, IndependentReads, testing::Values(0, 3));
INSTANTIATE_TEST_SUITE_P(Levels, Coherence, testing::Values(0, 3));
INSTANTIATE_TEST_SUITE_P(Levels, TwoPlusTwoWrites, testing::Values(0, 3));
INSTANTIATE_TEST_SUITE_P(Levels, Causality, testing::Values(0, 3));
INSTANTIATE_TEST_SUITE_P(Levels, Atomicity, testing::Values(0, 3));

} // namespace
