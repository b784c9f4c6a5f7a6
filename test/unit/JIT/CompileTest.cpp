//===- CompileTest.cpp - Tests of compiling through the C API ---*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Versions and structures, compilations, jobs and threads, and the shape of
// nvPTXCompiler.
//
//===----------------------------------------------------------------------===//

#include "JITFixture.h"

#include <atomic>
#include <mutex>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

using namespace heddle::jit;

namespace {

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

TEST_F(JIT, RemarksAreDiagnosticsOfTheCode) {
  HeddleInput Input = inputOf(Twice);
  const char *Options[] = {"-Rpass-analysis=asm-printer"};
  HeddleCompileOptions O;
  heddleCompileOptionsInit(&O);
  O.Options = Options;
  O.NumOptions = std::size(Options);
  HeddleCodeObject Code = nullptr;
  expectSuccess(heddleCompile(compiler(), &Input, &O, &Code));
  ASSERT_GT(heddleCodeObjectGetNumDiagnostics(Code), 0u);
  HeddleDiagnostic D = {};
  D.StructSize = sizeof(D);
  ASSERT_TRUE(heddleCodeObjectGetDiagnostic(Code, 0, &D));
  EXPECT_EQ(D.Severity, HEDDLE_SEVERITY_INFO);
  EXPECT_STREQ(D.File, "test.ptx");
  EXPECT_GT(D.Line, 0u);
  EXPECT_NE(std::string(D.Rendered).find(": remark: "), std::string::npos);
  heddleCodeObjectDestroy(Code);
  EXPECT_NE(compileError(Twice, {"-Rpass=("}).second.find("'Rpass'"),
            std::string::npos);
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
  // Three more, asked for twice: to LLVM IR, then to machine code.
  EXPECT_EQ(TheHost.Threads.size(), 6u);
  for (std::thread &T : TheHost.Threads)
    T.join();
  TheHost.HoldsBack = true;
  EXPECT_TRUE(bytes(PTX, {"--split-compile=4"}) == One);
  EXPECT_EQ(TheHost.Held.size(), 6u);
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

TEST(PTXCompiler, SaysThatPTXIsTooNew) {
  setenv("HEDDLE_CACHE_MODE", "off", 1);
  heddlePTXCompilerHandle Compiler = nullptr;
  const char *PTX = "// .version 8.0\n.version 99.9\n.target sm_80\n";
  ASSERT_EQ(heddlePTXCompilerCreate(&Compiler, std::strlen(PTX), PTX),
            HEDDLE_PTXCOMPILE_SUCCESS);
  EXPECT_EQ(heddlePTXCompilerCompile(Compiler, 0, nullptr),
            HEDDLE_PTXCOMPILE_ERROR_UNSUPPORTED_PTX_VERSION);
  const char *TryAnyhow = "--accept-newer-version";
  EXPECT_EQ(heddlePTXCompilerCompile(Compiler, 1, &TryAnyhow),
            HEDDLE_PTXCOMPILE_SUCCESS);
  heddlePTXCompilerDestroy(&Compiler);
}

TEST(PTXCompiler, IsThatOfCUDA) {
  unsigned Major = 0, Minor = 0;
  ASSERT_EQ(heddlePTXCompilerGetVersion(&Major, &Minor),
            HEDDLE_PTXCOMPILE_SUCCESS);
  EXPECT_EQ(Major, 13u);
  EXPECT_EQ(Minor, 5u);
}

} // namespace
