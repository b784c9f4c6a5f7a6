//===- TiersTest.cpp - Tests of the tiers of the JIT ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What is compiled when, what replaces what, and what the better code is made
// from: profiles, advice, records, specialisations.
//
//===----------------------------------------------------------------------===//

#include "../ManyRegisters.h"
#include "JITFixture.h"

#include <atomic>
#include <fstream>
#include <future>
#include <mutex>
#include <sstream>
#include <utility>
#include <vector>

using namespace heddle::jit;

namespace {

/// Two kernels over variables that live longer than code: `count` adds Step,
/// which the host sets, to Total and to a variable of its own, and stores both;
/// `other` has one of that name, too.
constexpr const char *Counting = R"(
.version 8.0
.target sm_80
.address_size 64
.global .u32 Total = 100;
.const .u32 Step = 1;
.visible .entry count(.param .u64 out)
{
  .global .u32 Own = 7;
  .reg .b32 %r<5>;
  .reg .b64 %rd;
  ld.param.u64 %rd, [out];
  ld.const.u32 %r1, [Step];
  ld.global.u32 %r2, [Total];
  add.u32 %r2, %r2, %r1;
  st.global.u32 [Total], %r2;
  ld.global.u32 %r3, [Own];
  add.u32 %r3, %r3, %r1;
  st.global.u32 [Own], %r3;
  st.global.u32 [%rd], %r2;
  st.global.u32 [%rd+4], %r3;
  ret;
}
.visible .entry other(.param .u64 out)
{
  .global .u32 Own = 1000;
  .reg .b32 %r<4>;
  .reg .b64 %rd;
  ld.param.u64 %rd, [out];
  ld.global.u32 %r1, [Total];
  ld.global.u32 %r2, [Own];
  st.global.u32 [%rd], %r1;
  st.global.u32 [%rd+4], %r2;
  ret;
}
)";

std::string readWhole(const std::string &Path) {
  std::stringstream Bytes;
  Bytes << std::ifstream(Path, std::ios::binary).rdbuf();
  return Bytes.str();
}

/// A host that executes nothing until it is told to, so that the better code
/// does not come before a test has looked.
class HoldingHost {
public:
  ~HoldingHost() { release(); }
  void install(HeddleCompilerConfig &Config) {
    Config.ExecutorContext = this;
    Config.Executor = [](void *C, void (*Task)(void *), void *TaskContext) {
      auto &Host = *static_cast<HoldingHost *>(C);
      std::lock_guard Lock(Host.Mutex);
      Host.Held.push_back({Task, TaskContext});
    };
  }
  /// Executes what came so far.
  void release() {
    std::unique_lock Lock(Mutex);
    auto Tasks = std::exchange(Held, {});
    Lock.unlock();
    for (auto [Task, TaskContext] : Tasks)
      Task(TaskContext);
  }

private:
  std::mutex Mutex;
  std::vector<std::pair<void (*)(void *), void *>> Held;
};

class JITTiers : public JITRuntime {
protected:
  void load(HeddleTiers Tiers, bool Lazy, uint32_t ProfileLaunches = 0) {
    HeddleModuleOptions O;
    heddleModuleOptionsInit(&O);
    O.ProfileLaunches = ProfileLaunches;
    O.Tiers = Tiers;
    O.Lazy = Lazy;
    HeddleInput Input = inputOf(Counting);
    expectSuccess(
        heddleModuleCompile(Context, compiler(), &Input, &O, &Tiered));
    expectSuccess(heddleModuleGetKernel(Tiered, "count", &CountKernel));
    expectSuccess(heddleModuleGetKernel(Tiered, "other", &OtherKernel));
  }
  void TearDown() override {
    heddleModuleDestroy(Tiered);
    JITRuntime::TearDown();
  }
  int32_t tierOf(uint32_t Kernel) {
    int32_t Tier = -2;
    expectSuccess(heddleModuleGetTier(Tiered, Kernel, &Tier));
    return Tier;
  }
  std::pair<uint32_t, uint32_t> run(uint32_t Kernel) {
    HeddleLaunch L;
    heddleLaunchInit(&L);
    L.Module = Tiered;
    L.Kernel = Kernel;
    L.Arguments = Arguments;
    L.NumArguments = 1;
    expectSuccess(heddleLaunch(Context, nullptr, &L));
    uint32_t Out[2] = {};
    expectSuccess(
        heddleCopyFromDevice(Context, nullptr, Out, Data, sizeof(Out)));
    expectSuccess(heddleContextSynchronize(Context));
    return {Out[0], Out[1]};
  }
  /// Whether the cache has code of kernel count made with that option.
  bool isCached(const char *Option) {
    const char *Options[] = {"--entry=count", Option};
    HeddleCompileOptions O;
    heddleCompileOptionsInit(&O);
    O.Options = Options;
    O.NumOptions = 2;
    O.OnlyCached = 1;
    HeddleInput Input = inputOf(Counting);
    HeddleCodeObject Found = nullptr;
    heddleErrorDestroy(heddleCompile(compiler(), &Input, &O, &Found));
    bool Is = Found != nullptr;
    heddleCodeObjectDestroy(Found);
    return Is;
  }
  using Pair = std::pair<uint32_t, uint32_t>;

  HeddleModule Tiered = nullptr;
  uint32_t CountKernel = 0, OtherKernel = 0;
};

TEST_F(JITTiers, WhatTierZeroCountsMakesTierOne) {
  heddleCompilerDestroy(Compiler);
  Compiler = nullptr;
  std::string Log;
  Config.Logger = [](void *Into, HeddleSeverity, const char *Message) {
    *static_cast<std::string *>(Into) += Message;
  };
  Config.LoggerContext = &Log;
  load(HEDDLE_TIERS_REPLACE, /*Lazy=*/true, /*ProfileLaunches=*/2);
  EXPECT_EQ(run(CountKernel), Pair(101, 8));
  EXPECT_EQ(run(CountKernel), Pair(102, 9));
  expectSuccess(heddleModuleWait(Tiered));
  EXPECT_EQ(tierOf(CountKernel), 0);
  // The third launch begins it; it counts, too.
  EXPECT_EQ(run(CountKernel), Pair(103, 10));
  expectSuccess(heddleModuleWait(Tiered));
  EXPECT_EQ(tierOf(CountKernel), 1);
  EXPECT_NE(Log.find("tier 1 is made for the profile of 3 launches"),
            std::string::npos)
      << Log;
  EXPECT_EQ(run(CountKernel), Pair(104, 11));
  // What was counted is a file's to keep, and what there is to add to.
  std::string File = testing::TempDir() + "heddle-tiers.prof";
  std::remove(File.c_str());
  expectSuccess(heddleModuleAddProfile(Tiered, File.c_str()));
  std::string Once = readWhole(File);
  expectSuccess(heddleModuleAddProfile(Tiered, File.c_str()));
  std::string Twice = readWhole(File);
  EXPECT_EQ(Once.substr(0, 8), "\xfflprofi\x81");
  EXPECT_EQ(Once.size(), Twice.size());
  EXPECT_NE(Once, Twice);
  std::remove(File.c_str());
}

/// The key has what the profile says of the input's functions, and nothing of
/// those of another module.
TEST_F(JITTiers, TheKeyHasTheProfileOfTheFunctionsCompiled) {
  heddleCompilerDestroy(Compiler);
  Compiler = nullptr;
  useCache();
  load(HEDDLE_TIERS_REPLACE, /*Lazy=*/true, /*ProfileLaunches=*/100);
  std::string File = testing::TempDir() + "heddle-key.prof";
  std::remove(File.c_str());
  std::string Use = "-fprofile-use=" + File;
  const char *Options[] = {"--entry=count", Use.c_str()};
  run(CountKernel);
  expectSuccess(heddleModuleAddProfile(Tiered, File.c_str()));
  EXPECT_FALSE(isCached(Use.c_str()));
  HeddleCompileOptions O;
  heddleCompileOptionsInit(&O);
  O.Options = Options;
  O.NumOptions = 2;
  HeddleInput Input = inputOf(Counting);
  HeddleCodeObject Made = nullptr;
  expectSuccess(heddleCompile(compiler(), &Input, &O, &Made));
  heddleCodeObjectDestroy(Made);
  EXPECT_TRUE(isCached(Use.c_str()));

  const char *Counts = "-fprofile-generate";
  HeddleModuleOptions M;
  heddleModuleOptionsInit(&M);
  M.Options = &Counts;
  M.NumOptions = 1;
  Input = inputOf(Twice);
  HeddleModule Another = nullptr;
  expectSuccess(heddleModuleCompile(Context, compiler(), &Input, &M, &Another));
  Launch.Module = Another;
  expectSuccess(heddleModuleGetKernel(Another, "twice", &Launch.Kernel));
  expectSuccess(heddleLaunch(Context, nullptr, &Launch));
  expectSuccess(heddleContextSynchronize(Context));
  std::string Before = readWhole(File);
  expectSuccess(heddleModuleAddProfile(Another, File.c_str()));
  EXPECT_NE(readWhole(File), Before);
  EXPECT_TRUE(isCached(Use.c_str())) << "of another module";
  heddleModuleDestroy(Another);

  expectSuccess(heddleModuleAddProfile(Tiered, File.c_str()));
  EXPECT_FALSE(isCached(Use.c_str())) << "other counts";
  std::remove(File.c_str());
}

TEST_F(JITTiers, ModulesThatDoNotCountHaveNoProfile) {
  load(HEDDLE_TIERS_BEST, /*Lazy=*/false);
  EXPECT_EQ(taken(heddleModuleAddProfile(Tiered, "nowhere.prof")).first,
            HEDDLE_ERROR_INVALID_ARGUMENT);
}

TEST_F(JITTiers, BetterCodeTakesOverAndVariablesStay) {
  load(HEDDLE_TIERS_REPLACE, /*Lazy=*/false);
  EXPECT_EQ(run(CountKernel), Pair(101, 8));
  expectSuccess(heddleModuleWait(Tiered));
  EXPECT_EQ(tierOf(CountKernel), 1);
  HeddleAddress Step = 0, Total = 0;
  expectSuccess(heddleModuleGetVariable(Tiered, "Step", &Step, nullptr));
  uint32_t Ten = 10, Seen = 0;
  expectSuccess(heddleCopyToDevice(Context, nullptr, Step, &Ten, 4));
  EXPECT_EQ(run(CountKernel), Pair(111, 18));
  EXPECT_EQ(run(OtherKernel), Pair(111, 1000));
  expectSuccess(heddleModuleGetVariable(Tiered, "Total", &Total, nullptr));
  expectSuccess(heddleCopyFromDevice(Context, nullptr, &Seen, Total, 4));
  expectSuccess(heddleContextSynchronize(Context));
  EXPECT_EQ(Seen, 111u);
}

TEST_F(JITTiers, OnlyWhatIsLaunchedIsCompiled) {
  load(HEDDLE_TIERS_REPLACE, /*Lazy=*/true);
  EXPECT_EQ(tierOf(CountKernel), -1);
  EXPECT_EQ(run(OtherKernel), Pair(100, 1000));
  EXPECT_EQ(tierOf(CountKernel), -1);
  EXPECT_EQ(run(CountKernel), Pair(101, 8));
  expectSuccess(heddleModuleWait(Tiered));
  EXPECT_EQ(tierOf(OtherKernel), 1);
  EXPECT_EQ(run(CountKernel), Pair(102, 9));
  EXPECT_EQ(run(OtherKernel), Pair(102, 1000));
}

/// Out[0] = a * 3, Out[1] = threads of the CTA.
constexpr const char *Special = R"(
.version 8.0
.target sm_80
.address_size 64
.global .u32 Calls;
.visible .entry special(.param .u64 out, .param .u32 a)
{
  .reg .b32 %r<5>;
  .reg .b64 %rd;
  ld.param.u64 %rd, [out];
  ld.param.u32 %r1, [a];
  mul.lo.u32 %r2, %r1, 3;
  st.global.u32 [%rd], %r2;
  mov.u32 %r3, %ntid.x;
  st.global.u32 [%rd+4], %r3;
  atom.global.add.u32 %r4, [Calls], 1;
  ret;
}
)";

TEST_F(JITTiers, ASpecialisationServesOnlyWhatItIsFor) {
  HeddleInput Input = inputOf(Special);
  expectSuccess(
      heddleModuleCompile(Context, compiler(), &Input, nullptr, &Tiered));
  auto Run = [&](uint32_t A, uint32_t Threads) {
    HeddleLaunch L;
    heddleLaunchInit(&L);
    L.Module = Tiered;
    L.Block[0] = Threads;
    const void *Values[] = {&Data, &A};
    L.Arguments = Values;
    L.NumArguments = 2;
    return taken(heddleLaunch(Context, nullptr, &L));
  };
  auto Out = [&] {
    uint32_t Values[2] = {};
    expectSuccess(heddleCopyFromDevice(Context, nullptr, Values, Data, 8));
    expectSuccess(heddleContextSynchronize(Context));
    return Pair(Values[0], Values[1]);
  };
  HeddleArgument Arguments[] = {{1, 0, 7}, {0, 1, 256}};
  HeddleSpecialization S;
  heddleSpecializationInit(&S);
  S.Block[0] = 32;
  S.Block[1] = S.Block[2] = 1;
  S.Arguments = Arguments;
  S.NumArguments = 2;
  expectSuccess(heddleModuleSpecialize(Tiered, &S));
  EXPECT_EQ(Run(7, 32).first, HEDDLE_SUCCESS);
  EXPECT_EQ(Out(), Pair(21, 32));
  // General code.
  EXPECT_EQ(Run(8, 32).first, HEDDLE_SUCCESS);
  EXPECT_EQ(Out(), Pair(24, 32));
  EXPECT_EQ(Run(7, 64).first, HEDDLE_SUCCESS);
  EXPECT_EQ(Out(), Pair(21, 64));
  S.RefuseOthers = 1;
  expectSuccess(heddleModuleSpecialize(Tiered, &S));
  EXPECT_EQ(Run(7, 32).first, HEDDLE_SUCCESS);
  EXPECT_EQ(Run(8, 32).second,
            "the launch of 'special' is not as its specialisations assume");
  HeddleAddress Calls = 0;
  uint32_t Counted = 0;
  expectSuccess(heddleModuleGetVariable(Tiered, "Calls", &Calls, nullptr));
  expectSuccess(heddleCopyFromDevice(Context, nullptr, &Counted, Calls, 4));
  expectSuccess(heddleContextSynchronize(Context));
  EXPECT_EQ(Counted, 32u + 32 + 64 + 32) << "all code has one variable";
  Arguments[0].Index = 2;
  EXPECT_EQ(taken(heddleModuleSpecialize(Tiered, &S)).second,
            "kernel 'special' has no scalar argument 2");
}

/// A kernel with many registers, which stores the sum of a hundred values that
/// are the same, and counts its threads.
std::string manyRegisters() {
  return R"(
.version 8.0
.target sm_80
.address_size 64
.global .u32 Threads;
.visible .entry wide(.param .u64 out)
{
  .reg .b32 %s;
  .reg .b64 %a;
  ld.param.u64 %a, [out];
)" + heddle::sumOfManyValues() +
         R"(
  st.global.b32 [%a+4], %s;
  atom.global.add.u32 %s, [Threads], 1;
  ret;
})";
}

TEST_F(JITTiers, LargeBlocksHaveCodeWithFewerRegisters) {
  std::string Text = manyRegisters();
  HeddleInput Input = inputOf(Text.c_str());
  for (HeddleTiers Tiers : {HEDDLE_TIERS_BEST, HEDDLE_TIERS_REPLACE})
    for (int Lazy : {0, 1}) {
      HeddleModuleOptions O;
      heddleModuleOptionsInit(&O);
      O.Tiers = Tiers;
      O.Lazy = Lazy;
      expectSuccess(
          heddleModuleCompile(Context, compiler(), &Input, &O, &Tiered));
      HeddleLaunch L;
      heddleLaunchInit(&L);
      L.Module = Tiered;
      expectSuccess(heddleModuleGetKernel(Tiered, "wide", &L.Kernel));
      L.Arguments = Arguments;
      L.NumArguments = 1;
      uint32_t Launched = 0;
      for (uint32_t Threads : {1024u, 64u, 640u, 1024u}) {
        const uint32_t In[2] = {7, 0};
        uint32_t Out[2] = {};
        expectSuccess(heddleCopyToDevice(Context, nullptr, Data, In, 8));
        L.Block[0] = Threads;
        expectSuccess(heddleLaunch(Context, nullptr, &L));
        expectSuccess(heddleCopyFromDevice(Context, nullptr, Out, Data, 8));
        expectSuccess(heddleContextSynchronize(Context));
        EXPECT_EQ(Out[1], 700u);
        Launched += Threads;
        expectSuccess(heddleModuleWait(Tiered));
      }
      HeddleAddress Counter = 0;
      uint32_t Count = 0;
      expectSuccess(
          heddleModuleGetVariable(Tiered, "Threads", &Counter, nullptr));
      expectSuccess(heddleCopyFromDevice(Context, nullptr, &Count, Counter, 4));
      expectSuccess(heddleContextSynchronize(Context));
      EXPECT_EQ(Count, Launched);
      heddleModuleDestroy(Tiered);
      Tiered = nullptr;
    }
}

/// Machine code stays what it is: the launch is refused, with the reason.
TEST_F(JITTiers, ExplainsALaunchWithTooManyRegisters) {
  HeddleCodeObject Machine = compile(manyRegisters().c_str());
  expectSuccess(heddleModuleLoad(Context, heddleCodeObjectGetData(Machine),
                                 heddleCodeObjectGetSize(Machine), &Tiered));
  heddleCodeObjectDestroy(Machine);
  HeddleLaunch L;
  heddleLaunchInit(&L);
  L.Module = Tiered;
  expectSuccess(heddleModuleGetKernel(Tiered, "wide", &L.Kernel));
  L.Arguments = Arguments;
  L.NumArguments = 1;
  L.Block[0] = 1024;
  HeddleError E = heddleLaunch(Context, nullptr, &L);
  auto [What, Message] = taken(E ? E : heddleContextSynchronize(Context));
  EXPECT_EQ(What, HEDDLE_ERROR_DEVICE);
  EXPECT_NE(Message.find("kernel 'wide' takes"), std::string::npos) << Message;
  EXPECT_NE(Message.find("1024 were asked for"), std::string::npos) << Message;
}

TEST_F(JITTiers, OneTierOnly) {
  load(HEDDLE_TIERS_FAST, /*Lazy=*/false);
  expectSuccess(heddleModuleWait(Tiered));
  EXPECT_EQ(tierOf(CountKernel), 0);
  heddleModuleDestroy(Tiered);
  load(HEDDLE_TIERS_BEST, /*Lazy=*/false);
  EXPECT_EQ(tierOf(CountKernel), 1);
  EXPECT_EQ(run(CountKernel), Pair(101, 8));
}

TEST_F(JITTiers, TheCacheRemembersTheBetterCode) {
  useCache();
  heddleCompilerDestroy(Compiler);
  Compiler = nullptr;
  load(HEDDLE_TIERS_REPLACE, /*Lazy=*/false);
  expectSuccess(heddleModuleWait(Tiered));
  heddleModuleDestroy(Tiered);
  load(HEDDLE_TIERS_REPLACE, /*Lazy=*/false);
  EXPECT_EQ(tierOf(CountKernel), 1) << "without waiting";
  HeddleInput Input = inputOf("// not seen before\n");
  HeddleCompileOptions O;
  heddleCompileOptionsInit(&O);
  O.OnlyCached = 1;
  HeddleCodeObject Code = nullptr;
  EXPECT_EQ(taken(heddleCompile(compiler(), &Input, &O, &Code)).first,
            HEDDLE_ERROR_NOT_FOUND);
}

/// What the advisor says is part of tier 1 and of its key, and not of tier 0.
TEST_F(JITTiers, AdviceIsForTheBetterCode) {
  useCache();
  heddleCompilerDestroy(Compiler);
  Compiler = nullptr;
  struct Host {
    std::atomic<int> Asked{0};
    std::string Kernel;
  } TheHost;
  HeddleModuleOptions O;
  heddleModuleOptionsInit(&O);
  O.Lazy = 1;
  O.Advisor = [](void *C, const HeddleInput *Input, const char *Kernel,
                 void (*Add)(void *, const char *), void *Sink) {
    auto &H = *static_cast<Host *>(C);
    ++H.Asked;
    H.Kernel = Kernel;
    EXPECT_EQ(
        std::string_view(static_cast<const char *>(Input->Data), Input->Size),
        Counting);
    Add(Sink, "--fmad=false");
  };
  O.AdvisorContext = &TheHost;
  HeddleInput Input = inputOf(Counting);
  auto Load = [&] {
    heddleModuleDestroy(Tiered);
    expectSuccess(
        heddleModuleCompile(Context, compiler(), &Input, &O, &Tiered));
    expectSuccess(heddleModuleGetKernel(Tiered, "count", &CountKernel));
    EXPECT_EQ(run(CountKernel), Pair(101, 8));
  };
  EXPECT_FALSE(isCached("--fmad=false"));
  Load();
  expectSuccess(heddleModuleWait(Tiered));
  EXPECT_EQ(TheHost.Kernel, "count");
  EXPECT_EQ(TheHost.Asked, 2) << "for what the cache has, and to make it";
  EXPECT_TRUE(isCached("--fmad=false"));
  EXPECT_FALSE(isCached("--fmad=true")) << "as without advice";
  Load();
  EXPECT_EQ(TheHost.Asked, 3) << "the cache had it";
  EXPECT_EQ(tierOf(CountKernel), 1);
}

/// Kernels are compiled one by one, and launches of a ready one go on
/// meanwhile.
TEST_F(JITTiers, AReadyKernelDoesNotWaitForAnothersCompilation) {
  struct Host {
    std::promise<void> Began, MayGoOn;
  } TheHost;
  HeddleModuleOptions O;
  heddleModuleOptionsInit(&O);
  O.Lazy = 1;
  O.Tiers = HEDDLE_TIERS_BEST;
  // The compilation of `other` asks for advice, which takes its time.
  O.Advisor = [](void *C, const HeddleInput *, const char *Kernel,
                 void (*)(void *, const char *), void *) {
    if (std::string_view(Kernel) != "other")
      return;
    auto &H = *static_cast<Host *>(C);
    H.Began.set_value();
    H.MayGoOn.get_future().wait();
  };
  O.AdvisorContext = &TheHost;
  HeddleInput Input = inputOf(Counting);
  expectSuccess(heddleModuleCompile(Context, compiler(), &Input, &O, &Tiered));
  expectSuccess(heddleModuleGetKernel(Tiered, "count", &CountKernel));
  expectSuccess(heddleModuleGetKernel(Tiered, "other", &OtherKernel));
  EXPECT_EQ(run(CountKernel), Pair(101, 8));
  auto Other = std::async(std::launch::async, [&] { return run(OtherKernel); });
  TheHost.Began.get_future().wait();
  auto Count = std::async(std::launch::async, [&] { return run(CountKernel); });
  EXPECT_EQ(Count.wait_for(std::chrono::seconds(60)), std::future_status::ready)
      << "it waits for the compilation of the other kernel";
  TheHost.MayGoOn.set_value();
  EXPECT_EQ(Count.get(), Pair(102, 9));
  EXPECT_EQ(Other.get(), Pair(102, 1000));
}

/// What a search recorded is for tier 1, by itself, and does not hinder tier 0.
TEST_F(JITTiers, RecordsAreForTheBetterCode) {
  useCache();
  heddleCompilerDestroy(Compiler);
  Compiler = nullptr;
  HoldingHost Host;
  Host.install(Config);
  std::string PTX = Directory + "/count.ptx", Results = Directory + "/t4.json";
  std::ofstream(PTX) << Counting;
  std::ofstream(Results) << R"({"schema_version": "1.0.0", "results": [
    {"configuration": {"compact": 0}, "times": {"runtimes": [1]},
     "invalidity": "correct", "correctness": 1}]})";
  std::string Command = std::string("HEDDLE_CACHE_MODE=on ") + HEDDLE_PTX_TUNE +
                        " import --cache-dir " + Directory + " --module " +
                        PTX + " --kernel count " + Results;
  ASSERT_EQ(std::system(Command.c_str()), 0) << Command;
  constexpr const char *Tuned =
      R"(--tuning={"heddle_tuning":1,"kernels":{"count":{"compact":0}}})";
  for (int Round : {0, 1}) {
    SCOPED_TRACE(Round);
    EXPECT_EQ(isCached(Tuned), Round == 1);
    load(HEDDLE_TIERS_REPLACE, /*Lazy=*/true);
    EXPECT_EQ(run(CountKernel), Pair(101, 8));
    EXPECT_EQ(tierOf(CountKernel), Round) << "the cache has the tuned code";
    Host.release();
    expectSuccess(heddleModuleWait(Tiered));
    EXPECT_EQ(tierOf(CountKernel), 1);
    EXPECT_TRUE(isCached(Tuned));
    EXPECT_FALSE(isCached("--fmad=true")) << "as without a record";
    heddleModuleDestroy(Tiered);
    Tiered = nullptr;
  }
}

/// Its kernel calls a function by a pointer.
constexpr const char *Indirect = R"(
.version 8.0
.target sm_80
.address_size 64
.func (.param .u32 r) one() { st.param.u32 [r], 1; ret; }
.global .u64 Table[1] = {one};
.visible .entry count(.param .u64 out)
{
  .reg .b32 %r<2>;
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  ld.global.u64 %rd2, [Table];
  {
    .param .u32 result;
    prototype: .callprototype (.param .u32 _) _ ();
    call (result), %rd2, (), prototype;
    ld.param.u32 %r1, [result];
  }
  st.global.u32 [%rd1], %r1;
  st.global.u32 [%rd1+4], %r1;
  ret;
}
)";

/// What such a module calls is counted where its own options ask for that.
TEST_F(JITTiers, ModulesOfCallsThroughPointersCountWhenAsked) {
  const char *Options[] = {"-fprofile-generate"};
  for (bool Lazy : {false, true}) {
    HeddleModuleOptions O;
    heddleModuleOptionsInit(&O);
    O.Lazy = Lazy;
    O.Options = Options;
    O.NumOptions = 1;
    HeddleInput Input = inputOf(Indirect);
    heddleModuleDestroy(Tiered);
    expectSuccess(
        heddleModuleCompile(Context, compiler(), &Input, &O, &Tiered));
    expectSuccess(heddleModuleGetKernel(Tiered, "count", &CountKernel));
    EXPECT_EQ(run(CountKernel), Pair(1, 1));
    std::string File = testing::TempDir() + "heddle-pointers.prof";
    std::remove(File.c_str());
    expectSuccess(heddleModuleAddProfile(Tiered, File.c_str()));
    std::string Profile = readWhole(File);
    std::remove(File.c_str());
    // The first bytes of the MD5 of the name of function one.
    std::string Target("\xf9"
                       "\x7c"
                       "\x5d"
                       "\x29"
                       "\x94"
                       "\x1b"
                       "\xfb"
                       "\x1b");
    EXPECT_NE(Profile.find(Target), std::string::npos)
        << "of the function that was called";
  }
}

} // namespace
