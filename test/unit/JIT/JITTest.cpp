//===- JITTest.cpp - Tests of the C API -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Everything goes through the functions that libheddle-jit.so shows, as in a
// program of someone else's.
//
//===----------------------------------------------------------------------===//

#include "heddle-c/heddle.h"
#include "gtest/gtest.h"

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

/// Doubles the integers of a buffer: parameters pointer, count.
constexpr const char *Twice = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 data, .param .u32 count)
{
  .reg .pred %p;
  .reg .b32 %r<6>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [data];
  ld.param.u32 %r1, [count];
  mov.u32 %r2, %ctaid.x;
  mov.u32 %r3, %ntid.x;
  mov.u32 %r4, %tid.x;
  mad.lo.s32 %r5, %r2, %r3, %r4;
  setp.ge.u32 %p, %r5, %r1;
  @%p ret;
  mul.wide.u32 %rd2, %r5, 4;
  add.s64 %rd3, %rd1, %rd2;
  ld.global.u32 %r1, [%rd3];
  add.s32 %r1, %r1, %r1;
  st.global.u32 [%rd3], %r1;
  ret;
}
)";

HeddleInput inputOf(const char *PTX, const char *Name = "test.ptx") {
  return {sizeof(HeddleInput), PTX, std::strlen(PTX), Name};
}

/// The code and text of an error, which is freed.
std::pair<HeddleErrorCode, std::string> taken(HeddleError E) {
  std::pair<HeddleErrorCode, std::string> Result{heddleErrorGetCode(E),
                                                 heddleErrorGetMessage(E)};
  heddleErrorDestroy(E);
  return Result;
}

void expectSuccess(HeddleError E) {
  auto [Code, Message] = taken(E);
  EXPECT_EQ(Code, HEDDLE_SUCCESS) << Message;
}

/// A compiler with a cache of its own, or none.
class JIT : public testing::Test {
protected:
  void SetUp() override {
    heddleCompilerConfigInit(&Config);
    Config.CacheMode = HEDDLE_CACHE_OFF;
  }
  void TearDown() override {
    heddleCompilerDestroy(Compiler);
    if (!Directory.empty())
      std::filesystem::remove_all(Directory);
  }

  void useCache() {
    char Template[] = "/tmp/heddle-jit-test-XXXXXX";
    Directory = mkdtemp(Template);
    Config.CacheMode = HEDDLE_CACHE_READ_WRITE;
    Config.CacheDirectory = Directory.c_str();
  }
  HeddleCompiler compiler() {
    if (!Compiler)
      expectSuccess(heddleCompilerCreate(&Config, &Compiler));
    return Compiler;
  }
  HeddleCodeObject compile(const char *PTX = Twice) {
    HeddleInput Input = inputOf(PTX);
    HeddleCodeObject Code = nullptr;
    expectSuccess(heddleCompile(compiler(), &Input, nullptr, &Code));
    return Code;
  }
  std::pair<HeddleErrorCode, std::string>
  compileError(const char *PTX, std::vector<const char *> Options = {}) {
    HeddleInput Input = inputOf(PTX);
    HeddleCompileOptions O;
    heddleCompileOptionsInit(&O);
    O.Options = Options.data();
    O.NumOptions = Options.size();
    HeddleCodeObject Code = nullptr;
    auto Result = taken(heddleCompile(compiler(), &Input, &O, &Code));
    EXPECT_EQ(Code, nullptr);
    return Result;
  }

  HeddleCompilerConfig Config;
  HeddleCompiler Compiler = nullptr;
  std::string Directory;
};

//===----------------------------------------------------------------------===//
// Versions and structures
//===----------------------------------------------------------------------===//

TEST(JITVersion, IsNegotiated) {
  uint32_t Oldest = 0, Newest = 0;
  heddleGetAPIVersions(&Oldest, &Newest);
  EXPECT_EQ(Oldest, 1u);
  EXPECT_EQ(Newest, uint32_t(HEDDLE_C_API_VERSION));
  HeddleCompilerConfig Config;
  heddleCompilerConfigInit(&Config);
  Config.APIVersion = Newest + 1;
  HeddleCompiler Compiler;
  EXPECT_EQ(taken(heddleCompilerCreate(&Config, &Compiler)).first,
            HEDDLE_ERROR_VERSION);
  EXPECT_EQ(Compiler, nullptr);
}

TEST_F(JIT, TakesOlderAndNewerStructures) {
  // An older caller's structure ends early: what follows must not be read.
  alignas(8) char Short[offsetof(HeddleCompilerConfig, Options)];
  std::memcpy(Short, &Config, sizeof(Short));
  size_t Size = sizeof(Short);
  std::memcpy(Short, &Size, sizeof(Size));
  HeddleCompiler Older = nullptr;
  expectSuccess(heddleCompilerCreate(
      reinterpret_cast<HeddleCompilerConfig *>(Short), &Older));
  heddleCompilerDestroy(Older);

  struct {
    HeddleCompilerConfig Known;
    uint64_t Unknown = 77;
  } Long;
  Long.Known = Config;
  Long.Known.StructSize = sizeof(Long);
  HeddleCompiler Newer = nullptr;
  expectSuccess(heddleCompilerCreate(&Long.Known, &Newer));
  heddleCompilerDestroy(Newer);

  Config.StructSize = 0;
  EXPECT_EQ(taken(heddleCompilerCreate(&Config, &Newer)).first,
            HEDDLE_ERROR_VERSION);
}

TEST_F(JIT, RefusesWhatIsWrong) {
  EXPECT_EQ(taken(heddleCompilerCreate(&Config, nullptr)).first,
            HEDDLE_ERROR_INVALID_ARGUMENT);
  Config.Chip = "hd9000";
  EXPECT_EQ(taken(heddleCompilerCreate(&Config, &Compiler)),
            std::make_pair(HEDDLE_ERROR_INVALID_ARGUMENT,
                           std::string("unknown chip 'hd9000'")));
  Config.Chip = nullptr;
  HeddleCodeObject Code;
  EXPECT_EQ(taken(heddleCompile(compiler(), nullptr, nullptr, &Code)).second,
            "Input must not be NULL");
  for (const char *Option : {"-o=x", "--mllvm=-debug", "file.ptx", "-nonsense"})
    EXPECT_EQ(compileError(Twice, {Option}).first,
              HEDDLE_ERROR_INVALID_ARGUMENT)
        << Option;
}

TEST(JITErrors, NullIsSuccess) {
  EXPECT_EQ(heddleErrorGetCode(nullptr), HEDDLE_SUCCESS);
  EXPECT_STREQ(heddleErrorGetMessage(nullptr), "");
  heddleErrorDestroy(nullptr);
  heddleCompilerDestroy(nullptr);
  heddleJobDestroy(nullptr);
  heddleCodeObjectDestroy(nullptr);
  for (int Code = HEDDLE_SUCCESS; Code <= HEDDLE_ERROR_NOT_FOUND; ++Code)
    EXPECT_STRNE(heddleErrorCodeName(HeddleErrorCode(Code)), "unknown error");
}

TEST_F(JIT, EnumeratesWhatThereIs) {
  std::vector<std::string> Chips, Options;
  heddleEnumerateChips(
      [](void *C, const char *Name, const char *) {
        static_cast<std::vector<std::string> *>(C)->push_back(Name);
      },
      &Chips);
  EXPECT_NE(std::find(Chips.begin(), Chips.end(), "hd100"), Chips.end());
  heddleEnumerateOptions(
      [](void *C, const char *Name, const char *, const char *Help) {
        EXPECT_STRNE(Help, "");
        static_cast<std::vector<std::string> *>(C)->push_back(Name);
      },
      &Options);
  EXPECT_NE(std::find(Options.begin(), Options.end(), "opt-level"),
            Options.end());
  const char *Versions = nullptr;
  expectSuccess(heddleCompilerGetPTXVersions(compiler(), &Versions));
  EXPECT_NE(std::string(Versions).find("9.0\n"), std::string::npos);
  std::vector<std::pair<std::string, std::string>> Targets;
  expectSuccess(heddleCompilerEnumerateTargets(
      compiler(),
      [](void *C, const char *Name, const char *Version) {
        static_cast<decltype(Targets) *>(C)->emplace_back(Name, Version);
      },
      &Targets));
  for (auto [Name, Version] :
       {std::pair{"sm_52", "4.1"}, {"sm_90a", "8.0"}, {"sm_120", "8.7"}})
    EXPECT_NE(std::find(Targets.begin(), Targets.end(),
                        std::pair<std::string, std::string>(Name, Version)),
              Targets.end())
        << Name;
  EXPECT_EQ(std::string(heddleGetVersionString()).find("Heddle 0."), 0u);
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

TEST_F(JIT, DescribesWhatItMade) {
  HeddleCodeObject Code = compile();
  EXPECT_EQ(std::memcmp(heddleCodeObjectGetData(Code), "\177ELF", 4), 0);
  EXPECT_STREQ(heddleCodeObjectGetChip(Code), "hd100");
  ASSERT_EQ(heddleCodeObjectGetNumKernels(Code), 1u);
  HeddleKernelInfo Kernel = {};
  Kernel.StructSize = sizeof(Kernel);
  ASSERT_TRUE(heddleCodeObjectGetKernel(Code, 0, &Kernel));
  EXPECT_STREQ(Kernel.Name, "twice");
  EXPECT_GT(Kernel.Registers, 0u);
  EXPECT_EQ(Kernel.ParamBytes, 12u);
  EXPECT_FALSE(heddleCodeObjectGetKernel(Code, 1, &Kernel));
  HeddleParamInfo Param = {};
  Param.StructSize = sizeof(Param);
  ASSERT_TRUE(heddleCodeObjectGetParam(Code, 0, 1, &Param));
  EXPECT_STREQ(Param.Type, "u32");
  EXPECT_EQ(Param.Offset, 8u);
  uint32_t CTAs = 0;
  const char *Limiter = nullptr;
  expectSuccess(
      heddleCodeObjectGetOccupancy(Code, 0, 1024, 0, &CTAs, &Limiter));
  EXPECT_EQ(CTAs, 2u);
  EXPECT_STREQ(Limiter, "warps");
  heddleCodeObjectDestroy(Code);
}

/// Compilers keep what is costly to set up from one compilation to the next.
TEST_F(JIT, WhatWasCompiledBeforeChangesNothing) {
  auto Bytes = [&](const char *PTX) {
    HeddleCodeObject Code = compile(PTX);
    std::string Result(static_cast<const char *>(heddleCodeObjectGetData(Code)),
                       heddleCodeObjectGetSize(Code));
    heddleCodeObjectDestroy(Code);
    return Result;
  };
  std::string Divides = Twice;
  Divides.replace(Divides.find("add.s32 %r1, %r1, %r1"), 7, "div.u32");
  std::string First = Bytes(Twice), Second = Bytes(Divides.c_str());
  EXPECT_NE(First, Second);
  // More input than what is kept lasts for, and an error among it.
  for (int Round = 0; Round != 40; ++Round) {
    std::string Large = std::string(20000, ' ') + Twice;
    EXPECT_EQ(Bytes(Large.c_str()), First);
    EXPECT_EQ(compileError("nonsense").first, HEDDLE_ERROR_INVALID_INPUT);
    EXPECT_EQ(Bytes(Divides.c_str()), Second);
  }
}

TEST_F(JIT, ErrorsCarryTheirDiagnostics) {
  HeddleInput Input = inputOf(".version 8.0\n.target sm_80\n"
                              ".entry f() {\n  add.q32 %r1, %r2, %r3;\n}\n");
  HeddleCodeObject Code = nullptr;
  HeddleError E = heddleCompile(compiler(), &Input, nullptr, &Code);
  ASSERT_EQ(heddleErrorGetCode(E), HEDDLE_ERROR_INVALID_INPUT);
  ASSERT_GT(heddleErrorGetNumDiagnostics(E), 0u);
  HeddleDiagnostic D = {};
  D.StructSize = sizeof(D);
  ASSERT_TRUE(heddleErrorGetDiagnostic(E, 0, &D));
  EXPECT_EQ(D.Severity, HEDDLE_SEVERITY_ERROR);
  EXPECT_STREQ(D.File, "test.ptx");
  EXPECT_EQ(D.Line, 4u);
  EXPECT_GT(D.Column, 0u);
  EXPECT_NE(std::string(D.Rendered).find("add.q32 %r1"), std::string::npos);
  EXPECT_FALSE(heddleErrorGetDiagnostic(E, 99, &D));
  heddleErrorDestroy(E);
}

TEST_F(JIT, TheCacheServesTheSecondCompiler) {
  useCache();
  HeddleCodeObject First = compile(), Second = compile();
  EXPECT_STREQ(heddleCodeObjectGetOrigin(First), "made");
  EXPECT_STREQ(heddleCodeObjectGetOrigin(Second), "memory");
  heddleCompilerDestroy(Compiler);
  Compiler = nullptr;
  HeddleCodeObject Third = compile();
  EXPECT_STREQ(heddleCodeObjectGetOrigin(Third), "local");
  EXPECT_EQ(heddleCodeObjectGetSize(First), heddleCodeObjectGetSize(Third));
  EXPECT_EQ(std::memcmp(heddleCodeObjectGetData(First),
                        heddleCodeObjectGetData(Third),
                        heddleCodeObjectGetSize(First)),
            0);
  for (HeddleCodeObject Code : {First, Second, Third})
    heddleCodeObjectDestroy(Code);
}

TEST_F(JIT, ResultsComeFromTheHostsAllocator) {
  static std::atomic<int> Live{0};
  HeddleAllocator Allocator = {};
  Allocator.StructSize = sizeof(Allocator);
  Allocator.Allocate = [](void *, size_t Size, size_t Align) {
    ++Live;
    return std::aligned_alloc(Align, (Size + Align - 1) / Align * Align);
  };
  Allocator.Release = [](void *, void *Memory) {
    --Live;
    std::free(Memory);
  };
  Config.Allocator = &Allocator;
  HeddleCodeObject Code = compile();
  EXPECT_EQ(Live, 1);
  heddleCompilerDestroy(Compiler); // the code stays
  Compiler = nullptr;
  EXPECT_EQ(std::memcmp(heddleCodeObjectGetData(Code), "\177ELF", 4), 0);
  heddleCodeObjectDestroy(Code);
  EXPECT_EQ(Live, 0);

  Allocator.Allocate = [](void *, size_t, size_t) -> void * { return nullptr; };
  EXPECT_EQ(compileError(Twice).first, HEDDLE_ERROR_OUT_OF_MEMORY);
}

TEST_F(JIT, LargeInputsAreRefused) {
  Config.MaxInputBytes = 100;
  EXPECT_EQ(compileError(Twice).first, HEDDLE_ERROR_LIMIT);
}

TEST_F(JIT, ADeadlineEndsACompilation) {
  HeddleInput Input = inputOf(Twice);
  HeddleCompileOptions O;
  heddleCompileOptionsInit(&O);
  O.TimeoutNanoseconds = 1;
  HeddleCodeObject Code = nullptr;
  EXPECT_EQ(taken(heddleCompile(compiler(), &Input, &O, &Code)).first,
            HEDDLE_ERROR_TIMEOUT);
}

TEST_F(JIT, ProgressCountsFunctions) {
  std::vector<std::pair<uint32_t, uint32_t>> Calls;
  HeddleInput Input = inputOf(Twice);
  HeddleCompileOptions O;
  heddleCompileOptionsInit(&O);
  O.Progress = [](void *C, uint32_t Done, uint32_t Total) {
    static_cast<std::vector<std::pair<uint32_t, uint32_t>> *>(C)->push_back(
        {Done, Total});
  };
  O.ProgressContext = &Calls;
  HeddleCodeObject Code = nullptr;
  expectSuccess(heddleCompile(compiler(), &Input, &O, &Code));
  heddleCodeObjectDestroy(Code);
  EXPECT_EQ(Calls, (std::vector<std::pair<uint32_t, uint32_t>>{{1, 1}}));
}

//===----------------------------------------------------------------------===//
// Jobs
//===----------------------------------------------------------------------===//

TEST_F(JIT, JobsRunBesideTheCaller) {
  std::atomic<int> Done{0};
  std::vector<HeddleJob> Jobs(8);
  for (HeddleJob &Job : Jobs) {
    HeddleInput Input = inputOf(Twice);
    expectSuccess(heddleCompileAsync(
        compiler(), &Input, nullptr,
        [](void *C, HeddleJob) { ++*static_cast<std::atomic<int> *>(C); },
        &Done, &Job));
  }
  for (HeddleJob Job : Jobs) {
    EXPECT_TRUE(heddleJobWait(Job, UINT64_MAX));
    HeddleCodeObject Code = nullptr;
    expectSuccess(heddleJobTakeResult(Job, &Code));
    EXPECT_NE(Code, nullptr);
    heddleCodeObjectDestroy(Code);
    EXPECT_EQ(taken(heddleJobTakeResult(Job, &Code)).first,
              HEDDLE_ERROR_INVALID_ARGUMENT)
        << "a result is taken once";
    heddleJobDestroy(Job);
  }
  heddleCompilerDestroy(Compiler); // waits for the callbacks
  Compiler = nullptr;
  EXPECT_EQ(Done, 8);
}

TEST_F(JIT, ACancelledJobSaysSo) {
  // The host's executor holds the task back until the job is cancelled.
  struct Held {
    void (*Task)(void *) = nullptr;
    void *Context = nullptr;
  } Task;
  Config.Executor = [](void *C, void (*T)(void *), void *TaskContext) {
    *static_cast<Held *>(C) = {T, TaskContext};
  };
  Config.ExecutorContext = &Task;
  HeddleInput Input = inputOf(Twice);
  HeddleJob Job = nullptr;
  expectSuccess(
      heddleCompileAsync(compiler(), &Input, nullptr, nullptr, nullptr, &Job));
  EXPECT_FALSE(heddleJobWait(Job, 1000));
  heddleJobCancel(Job);
  ASSERT_NE(Task.Task, nullptr);
  Task.Task(Task.Context);
  HeddleCodeObject Code = nullptr;
  EXPECT_EQ(taken(heddleJobTakeResult(Job, &Code)).first,
            HEDDLE_ERROR_CANCELLED);
  heddleJobDestroy(Job);
}

TEST_F(JIT, ManyThreadsShareACompiler) {
  useCache();
  compiler();
  std::vector<std::thread> Threads;
  for (int T = 0; T != 8; ++T)
    Threads.emplace_back([this, T] {
      // Two threads want the same, the next two something else.
      std::string PTX = Twice;
      PTX += "// " + std::to_string(T / 2) + "\n";
      for (int Round = 0; Round != 4; ++Round)
        heddleCodeObjectDestroy(compile(PTX.c_str()));
    });
  for (std::thread &T : Threads)
    T.join();
}

TEST_F(JIT, AForkedChildCompilesToo) {
  HeddleInput Input = inputOf(Twice);
  HeddleJob Job = nullptr;
  expectSuccess(
      heddleCompileAsync(compiler(), &Input, nullptr, nullptr, nullptr, &Job));
  heddleJobWait(Job, UINT64_MAX);
  pid_t Child = fork();
  if (Child == 0) {
    HeddleJob Own = nullptr;
    HeddleCodeObject Code = nullptr;
    bool Works = !heddleCompileAsync(Compiler, &Input, nullptr, nullptr,
                                     nullptr, &Own) &&
                 heddleJobWait(Own, uint64_t(60) * 1'000'000'000) &&
                 !heddleJobTakeResult(Own, &Code);
    _exit(Works ? 0 : 1);
  }
  int Status = 1;
  waitpid(Child, &Status, 0);
  EXPECT_EQ(Status, 0);
  heddleJobDestroy(Job);
}

//===----------------------------------------------------------------------===//
// Parts of an input at a time
//===----------------------------------------------------------------------===//

/// Kernels that can be compiled apart, each of a few hundred instructions.
std::string manyKernels(unsigned Count) {
  std::string Text = ".version 8.0\n.target sm_80\n.address_size 64\n";
  for (unsigned K = 0; K != Count; ++K) {
    Text += ".visible .entry k" + std::to_string(K) +
            "(.param .u64 p)\n{\n.reg .b32 %r<9>;\n.reg .b64 %rd<2>;\n"
            "ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];\n";
    for (unsigned I = 0; I != 200; ++I)
      Text += "mad.lo.u32 %r" + std::to_string(1 + (I + K) % 7) + ", %r" +
              std::to_string(1 + I % 5) + ", " + std::to_string(I + K) +
              ", %r1;\nst.global.u32 [%rd1+" + std::to_string(I * 4) + "], %r" +
              std::to_string(1 + I % 7) + ";\n";
    Text += "ret;\n}\n";
  }
  return Text;
}

class JITParallel : public JIT {
protected:
  /// Compiles with a new compiler of the configuration.
  std::string bytes(const std::string &PTX,
                    std::vector<const char *> Options = {}) {
    heddleCompilerDestroy(Compiler);
    Compiler = nullptr;
    HeddleInput Input = {sizeof(Input), PTX.data(), PTX.size(), "many.ptx"};
    HeddleCompileOptions O;
    heddleCompileOptionsInit(&O);
    O.Options = Options.data();
    O.NumOptions = Options.size();
    O.Progress = [](void *C, uint32_t Done, uint32_t Total) {
      auto &Last = *static_cast<std::pair<uint32_t, uint32_t> *>(C);
      EXPECT_GT(Done, Last.first);
      Last = {Done, Total};
    };
    Progress = {};
    O.ProgressContext = &Progress;
    HeddleCodeObject Code = nullptr;
    expectSuccess(heddleCompile(compiler(), &Input, &O, &Code));
    std::string Result(static_cast<const char *>(heddleCodeObjectGetData(Code)),
                       heddleCodeObjectGetSize(Code));
    heddleCodeObjectDestroy(Code);
    return Result;
  }
  std::pair<uint32_t, uint32_t> Progress;
};

TEST_F(JITParallel, AnyNumberOfThreadsGivesTheSame) {
  std::string PTX = manyKernels(12);
  for (const char *Level : {"-O0", "-O3"}) {
    std::string One = bytes(PTX, {Level, "--split-compile=1"});
    EXPECT_EQ(Progress, std::make_pair(12u, 12u));
    for (uint32_t Threads : {0, 1, 2, 5, 40}) {
      Config.MaxThreads = Threads;
      EXPECT_TRUE(bytes(PTX, {Level}) == One) << Level << " " << Threads;
      EXPECT_EQ(Progress, std::make_pair(12u, 12u));
    }
  }
  // In a helper process, too.
  std::string One = bytes(PTX, {"--split-compile=1"});
  Config.Isolate = 1;
  EXPECT_TRUE(bytes(PTX) == One);
}

/// Parts run where the host says, or, if it does not get to them, without it.
TEST_F(JITParallel, TheHostLimitsThreads) {
  struct Host {
    std::mutex Mutex;
    std::vector<std::thread> Threads;
    std::vector<std::pair<void (*)(void *), void *>> Held;
    bool HoldsBack = false;
  } TheHost;
  Config.Executor = [](void *C, void (*Task)(void *), void *TaskContext) {
    auto &H = *static_cast<Host *>(C);
    std::lock_guard Lock(H.Mutex);
    if (H.HoldsBack)
      H.Held.push_back({Task, TaskContext});
    else
      H.Threads.emplace_back(Task, TaskContext);
  };
  Config.ExecutorContext = &TheHost;
  std::string PTX = manyKernels(12);
  std::string One = bytes(PTX, {"--split-compile=1"});
  EXPECT_TRUE(TheHost.Threads.empty());
  EXPECT_TRUE(bytes(PTX, {"--split-compile=4"}) == One);
  EXPECT_EQ(TheHost.Threads.size(), 3u);
  for (std::thread &T : TheHost.Threads)
    T.join();
  TheHost.HoldsBack = true;
  EXPECT_TRUE(bytes(PTX, {"--split-compile=4"}) == One);
  EXPECT_EQ(TheHost.Held.size(), 3u);
  for (auto [Task, Context] : TheHost.Held) // too late to help
    Task(Context);
}

TEST_F(JITParallel, ErrorsAndLimitsEndAllThreads) {
  Config.MaxThreads = 4;
  std::string PTX = manyKernels(12);
  HeddleInput Input = {sizeof(Input), PTX.data(), PTX.size(), "many.ptx"};
  HeddleCompileOptions O;
  heddleCompileOptionsInit(&O);
  O.TimeoutNanoseconds = 30'000'000;
  HeddleCodeObject Code = nullptr;
  auto [Late, Message] = taken(heddleCompile(compiler(), &Input, &O, &Code));
  EXPECT_TRUE(Late == HEDDLE_ERROR_TIMEOUT || Late == HEDDLE_SUCCESS)
      << Message;
  heddleCodeObjectDestroy(Code);
  // Cancelled by a callback of one of its threads.
  static HeddleJob Job = nullptr;
  static std::atomic<bool> HasJob{false};
  O.TimeoutNanoseconds = 0;
  O.Progress = [](void *, uint32_t, uint32_t) {
    while (!HasJob)
      std::this_thread::yield();
    heddleJobCancel(Job);
  };
  expectSuccess(
      heddleCompileAsync(compiler(), &Input, &O, nullptr, nullptr, &Job));
  HasJob = true;
  EXPECT_EQ(taken(heddleJobTakeResult(Job, &Code)).first,
            HEDDLE_ERROR_CANCELLED);
  heddleJobDestroy(Job);
}

//===----------------------------------------------------------------------===//
// Linking
//===----------------------------------------------------------------------===//

constexpr const char *Callee = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .func (.param .u32 result) triple(.param .u32 x)
{
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x];
  mul.lo.u32 %r2, %r1, 3;
  st.param.u32 [result], %r2;
  ret;
}
)";
constexpr const char *Caller = R"(
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .u32 result) triple(.param .u32 x);
.visible .entry calls(.param .u64 data)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd;
  ld.param.u64 %rd, [data];
  ld.global.u32 %r1, [%rd];
  {
    .param .u32 a;
    .param .u32 b;
    st.param.u32 [a], %r1;
    call (b), triple, (a);
    ld.param.u32 %r2, [b];
  }
  st.global.u32 [%rd], %r2;
  ret;
}
)";

class JITLinker : public JIT {
protected:
  void TearDown() override {
    heddleLinkerDestroy(Linker);
    JIT::TearDown();
  }
  void add(std::string_view Bytes, const char *Name) {
    if (!Linker)
      expectSuccess(heddleLinkerCreate(compiler(), nullptr, &Linker));
    HeddleInput Input = {sizeof(Input), Bytes.data(), Bytes.size(), Name};
    expectSuccess(heddleLinkerAdd(Linker, &Input));
  }
  void expectKernel() {
    HeddleCodeObject Code = nullptr;
    expectSuccess(heddleLinkerComplete(Linker, &Code));
    EXPECT_EQ(heddleCodeObjectGetNumKernels(Code), 1u);
    heddleCodeObjectDestroy(Code);
  }
  HeddleLinker Linker = nullptr;
};

TEST_F(JITLinker, PutsInputsTogether) {
  add(Caller, "caller.ptx");
  HeddleCodeObject Code = nullptr;
  HeddleError E = heddleLinkerComplete(Linker, &Code);
  EXPECT_EQ(heddleErrorGetCode(E), HEDDLE_ERROR_INVALID_INPUT);
  EXPECT_NE(std::string(heddleErrorGetMessage(E)).find("triple"),
            std::string::npos)
      << heddleErrorGetMessage(E);
  EXPECT_EQ(heddleErrorGetNumDiagnostics(E), 1u);
  heddleErrorDestroy(E);
  add(Callee, "callee.ptx");
  expectKernel();
}

TEST_F(JITLinker, TakesObjectsAndArchivesFromMemory) {
  HeddleInput Input = inputOf(Callee, "callee.ptx");
  HeddleCompileOptions O;
  heddleCompileOptionsInit(&O);
  const char *LTO = "-dlto";
  O.Options = &LTO;
  O.NumOptions = 1;
  HeddleCodeObject Code = nullptr;
  expectSuccess(heddleCompile(compiler(), &Input, &O, &Code));
  std::string Object(static_cast<const char *>(heddleCodeObjectGetData(Code)),
                     heddleCodeObjectGetSize(Code));
  heddleCodeObjectDestroy(Code);
  add(Caller, "caller.ptx");
  add(Object, "callee.o");
  expectKernel();
  heddleLinkerDestroy(Linker);
  Linker = nullptr;

  std::string Size = std::to_string(Object.size());
  Size.resize(10, ' ');
  Object.resize((Object.size() + 1) & ~size_t(1), '\n');
  add(Caller, "caller.ptx");
  add("!<arch>\ncallee.o/       0           0     0     644     " + Size +
          "`\n" + Object,
      "library.a");
  expectKernel();
}

TEST_F(JITLinker, RefusesWhatIsWrong) {
  expectSuccess(heddleLinkerCreate(compiler(), nullptr, &Linker));
  HeddleCodeObject Code = nullptr;
  EXPECT_EQ(taken(heddleLinkerComplete(Linker, &Code)).second,
            "nothing was added to the linker");
  EXPECT_EQ(taken(heddleLinkerAdd(Linker, nullptr)).second,
            "Input must not be NULL");
  add("nonsense", "bad.ptx");
  EXPECT_EQ(taken(heddleLinkerComplete(Linker, &Code)).first,
            HEDDLE_ERROR_INVALID_INPUT);
}

//===----------------------------------------------------------------------===//
// The shape of nvPTXCompiler
//===----------------------------------------------------------------------===//

TEST(PTXCompiler, CompilesLikeNVIDIAs) {
  setenv("HEDDLE_CACHE_MODE", "off", 1);
  heddlePTXCompilerHandle Compiler = nullptr;
  ASSERT_EQ(heddlePTXCompilerCreate(&Compiler, std::strlen(Twice), Twice),
            HEDDLE_PTXCOMPILE_SUCCESS);
  size_t Size = 0;
  EXPECT_EQ(heddlePTXCompilerGetCompiledProgramSize(Compiler, &Size),
            HEDDLE_PTXCOMPILE_ERROR_COMPILER_INVOCATION_INCOMPLETE);
  const char *Options[] = {"--gpu-name=sm_90", "-O1"};
  ASSERT_EQ(heddlePTXCompilerCompile(Compiler, 2, Options),
            HEDDLE_PTXCOMPILE_SUCCESS);
  ASSERT_EQ(heddlePTXCompilerGetCompiledProgramSize(Compiler, &Size),
            HEDDLE_PTXCOMPILE_SUCCESS);
  std::vector<char> Bytes(Size);
  EXPECT_EQ(heddlePTXCompilerGetCompiledProgram(Compiler, Bytes.data()),
            HEDDLE_PTXCOMPILE_SUCCESS);
  EXPECT_EQ(std::string(Bytes.data(), 4), "\177ELF");
  EXPECT_EQ(heddlePTXCompilerDestroy(&Compiler), HEDDLE_PTXCOMPILE_SUCCESS);
  EXPECT_EQ(Compiler, nullptr);
  EXPECT_EQ(heddlePTXCompilerDestroy(&Compiler),
            HEDDLE_PTXCOMPILE_ERROR_INVALID_COMPILER_HANDLE);
}

TEST(PTXCompiler, ErrorsAreInTheLog) {
  setenv("HEDDLE_CACHE_MODE", "off", 1);
  heddlePTXCompilerHandle Compiler = nullptr;
  const char *PTX = ".version 8.0\n.target sm_80\nnonsense\n";
  ASSERT_EQ(heddlePTXCompilerCreate(&Compiler, std::strlen(PTX), PTX),
            HEDDLE_PTXCOMPILE_SUCCESS);
  EXPECT_EQ(heddlePTXCompilerCompile(Compiler, 0, nullptr),
            HEDDLE_PTXCOMPILE_ERROR_COMPILATION_FAILURE);
  size_t Size = 0;
  ASSERT_EQ(heddlePTXCompilerGetErrorLogSize(Compiler, &Size),
            HEDDLE_PTXCOMPILE_SUCCESS);
  std::string Log(Size + 1, 'x');
  heddlePTXCompilerGetErrorLog(Compiler, Log.data());
  EXPECT_EQ(Log.back(), '\0');
  EXPECT_NE(Log.find(":3:1: "), std::string::npos) << Log;
  heddlePTXCompilerDestroy(&Compiler);
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

class JITRuntime : public JIT {
protected:
  void SetUp() override {
    JIT::SetUp();
    HeddleContextConfig C;
    heddleContextConfigInit(&C);
    C.StrictHazards = 1;
    expectSuccess(heddleContextCreate(&C, &Context));
    Code = compile();
    expectSuccess(heddleModuleLoad(Context, heddleCodeObjectGetData(Code),
                                   heddleCodeObjectGetSize(Code), &Module));
    heddleLaunchInit(&Launch);
    Launch.Module = Module;
    expectSuccess(heddleModuleGetKernel(Module, "twice", &Launch.Kernel));
    Launch.Grid[0] = 4;
    Launch.Block[0] = 64;
    Launch.Arguments = Arguments;
    Launch.NumArguments = 2;
    Host.resize(Count);
    for (uint32_t I = 0; I != Count; ++I)
      Host[I] = I;
    expectSuccess(heddleAllocate(Context, Bytes, &Data));
    expectSuccess(
        heddleCopyToDevice(Context, nullptr, Data, Host.data(), Bytes));
  }
  void TearDown() override {
    heddleModuleDestroy(Module);
    heddleContextDestroy(Context);
    heddleCodeObjectDestroy(Code);
    JIT::TearDown();
  }

  void expectTimes(uint32_t Factor, HeddleStream Stream = nullptr) {
    expectSuccess(
        heddleCopyFromDevice(Context, Stream, Host.data(), Data, Bytes));
    expectSuccess(heddleStreamSynchronize(Context, Stream));
    for (uint32_t I = 0; I != Count; ++I)
      ASSERT_EQ(Host[I], I * Factor);
  }

  static constexpr uint32_t Count = 250, Bytes = Count * 4;
  HeddleContext Context = nullptr;
  HeddleCodeObject Code = nullptr;
  HeddleModule Module = nullptr;
  HeddleLaunch Launch;
  HeddleAddress Data = 0;
  uint32_t CountArgument = Count;
  const void *Arguments[2] = {&Data, &CountArgument};
  std::vector<uint32_t> Host;
};

TEST_F(JITRuntime, RunsWhatWasCompiled) {
  expectSuccess(heddleLaunch(Context, nullptr, &Launch));
  expectTimes(2);
  expectSuccess(heddleFree(Context, Data));
}

TEST_F(JITRuntime, StreamsEventsAndGraphs) {
  HeddleStream Stream = nullptr;
  HeddleEvent Begin = nullptr, End = nullptr;
  expectSuccess(heddleStreamCreate(Context, /*NonBlocking=*/0, &Stream));
  expectSuccess(heddleEventCreate(Context, &Begin));
  expectSuccess(heddleEventCreate(Context, &End));
  expectSuccess(heddleEventRecord(Context, Stream, Begin));
  expectSuccess(heddleLaunch(Context, Stream, &Launch));
  expectSuccess(heddleEventRecord(Context, Stream, End));
  expectSuccess(heddleStreamWaitEvent(Context, nullptr, End));
  expectSuccess(heddleEventSynchronize(Context, End));
  int64_t Nanoseconds = 0;
  expectSuccess(heddleEventElapsed(Begin, End, &Nanoseconds));
  EXPECT_GT(Nanoseconds, 0);

  expectSuccess(heddleStreamBeginCapture(Context, Stream));
  expectSuccess(heddleLaunch(Context, Stream, &Launch));
  expectSuccess(heddleLaunch(Context, Stream, &Launch));
  HeddleGraph Graph = nullptr;
  expectSuccess(heddleStreamEndCapture(Context, Stream, &Graph));
  expectTimes(2, Stream); // capture ran nothing
  expectSuccess(heddleGraphLaunch(Context, Stream, Graph));
  expectTimes(8, Stream);
  heddleGraphDestroy(Graph);
  heddleEventDestroy(Begin);
  heddleEventDestroy(End);
  heddleStreamDestroy(Stream);
}

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

/// What a search recorded is for tier 1, by itself, and does not hinder tier 0.
TEST_F(JITTiers, RecordsAreForTheBetterCode) {
  useCache();
  heddleCompilerDestroy(Compiler);
  Compiler = nullptr;
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
    expectSuccess(heddleModuleWait(Tiered));
    EXPECT_EQ(tierOf(CountKernel), 1);
    EXPECT_TRUE(isCached(Tuned));
    EXPECT_FALSE(isCached("--fmad=true")) << "as without a record";
    heddleModuleDestroy(Tiered);
    Tiered = nullptr;
  }
}

/// Code that functions are called through by pointers cannot be replaced one
/// kernel at a time.
TEST_F(JITTiers, PointersToFunctionsForbidReplacement) {
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
  for (bool Lazy : {false, true}) {
    HeddleModuleOptions O;
    heddleModuleOptionsInit(&O);
    O.Lazy = Lazy;
    HeddleInput Input = inputOf(Indirect);
    heddleModuleDestroy(Tiered);
    expectSuccess(
        heddleModuleCompile(Context, compiler(), &Input, &O, &Tiered));
    expectSuccess(heddleModuleGetKernel(Tiered, "count", &CountKernel));
    EXPECT_EQ(tierOf(CountKernel), 1);
    EXPECT_EQ(run(CountKernel), Pair(1, 1));
  }
}

TEST_F(JITRuntime, AFaultSpoilsTheContext) {
  CountArgument = 1000; // the buffer has 250
  Launch.Grid[0] = 16;
  expectSuccess(heddleLaunch(Context, nullptr, &Launch));
  auto [Code, Message] = taken(heddleContextSynchronize(Context));
  EXPECT_EQ(Code, HEDDLE_ERROR_KERNEL_FAULT);
  EXPECT_NE(Message.find("out-of-bounds"), std::string::npos) << Message;
  EXPECT_NE(Message.find("twice"), std::string::npos) << Message;
  EXPECT_EQ(taken(heddleLaunch(Context, nullptr, &Launch)).first,
            HEDDLE_ERROR_KERNEL_FAULT);
}

TEST_F(JITRuntime, ABadLaunchIsRefused) {
  Launch.NumArguments = 1;
  EXPECT_EQ(taken(heddleLaunch(Context, nullptr, &Launch)).second,
            "kernel 'twice' takes 2 arguments, not 1");
  Launch.NumArguments = 2;
  Launch.Block[0] = 70000;
  EXPECT_EQ(taken(heddleLaunch(Context, nullptr, &Launch)).first,
            HEDDLE_ERROR_INVALID_ARGUMENT);
  uint32_t Index;
  EXPECT_EQ(taken(heddleModuleGetKernel(Module, "thrice", &Index)).second,
            "the module has no kernel 'thrice'");
}

} // namespace
