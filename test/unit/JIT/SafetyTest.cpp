//===- SafetyTest.cpp - The C API in someone else's process -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Limits, helper processes, signals, traces, reproducers, and inputs that
// nobody means well with.
//
//===----------------------------------------------------------------------===//

#include "heddle-c/heddle.h"
#include "gtest/gtest.h"

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace {

constexpr const char *Head = ".version 8.0\n.target sm_80\n"
                             ".address_size 64\n";

/// A kernel of some Count instructions that depend on each other.
std::string kernelOf(unsigned Count) {
  std::string Text = std::string(Head) +
                     ".visible .entry large(.param .u64 p)\n{\n"
                     ".reg .b32 %r<9>;\n.reg .b64 %rd<2>;\n"
                     "ld.param.u64 %rd1, [p];\nld.global.u32 %r1, [%rd1];\n";
  for (unsigned I = 0; I != Count; ++I) {
    std::string A = std::to_string(1 + I % 7), B = std::to_string(1 + I % 5);
    Text += "mad.lo.u32 %r" + A + ", %r" + B + ", " + std::to_string(I) +
            ", %r1;\nst.global.u32 [%rd1+" + std::to_string(I * 4) + "], %r" +
            A + ";\n";
  }
  return Text + "ret;\n}\n";
}

class JITSafety : public testing::Test {
protected:
  void SetUp() override {
    heddleCompilerConfigInit(&Config);
    Config.CacheMode = HEDDLE_CACHE_OFF;
    char Template[] = "/tmp/heddle-jit-safety-XXXXXX";
    Directory = mkdtemp(Template);
  }
  void TearDown() override {
    heddleCompilerDestroy(Compiler);
    std::filesystem::remove_all(Directory);
  }
  HeddleCompiler compiler() {
    if (!Compiler) {
      HeddleError E = heddleCompilerCreate(&Config, &Compiler);
      EXPECT_EQ(E, nullptr) << heddleErrorGetMessage(E);
    }
    return Compiler;
  }
  /// The code; its message is in Message.
  HeddleErrorCode compile(const std::string &PTX, uint64_t Timeout = 0) {
    HeddleInput Input = {sizeof(Input), PTX.data(), PTX.size(), "test.ptx"};
    HeddleCompileOptions O;
    heddleCompileOptionsInit(&O);
    O.TimeoutNanoseconds = Timeout;
    HeddleCodeObject Code = nullptr;
    HeddleError E = heddleCompile(compiler(), &Input, &O, &Code);
    Message = heddleErrorGetMessage(E);
    HeddleDiagnostic D = {};
    D.StructSize = sizeof(D);
    Line = heddleErrorGetDiagnostic(E, 0, &D) ? D.Line : 0;
    HeddleErrorCode Result = heddleErrorGetCode(E);
    heddleErrorDestroy(E);
    Bytes.assign(static_cast<const char *>(heddleCodeObjectGetData(Code)),
                 heddleCodeObjectGetSize(Code));
    heddleCodeObjectDestroy(Code);
    return Result;
  }

  HeddleCompilerConfig Config;
  HeddleCompiler Compiler = nullptr;
  std::string Directory, Message, Bytes;
  unsigned Line = 0;
};

/// Processes whose parent this one is.
std::set<int> children() {
  std::set<int> Result;
  for (const auto &Task :
       std::filesystem::directory_iterator("/proc/self/task")) {
    std::ifstream List(Task.path() / "children");
    for (int PID; List >> PID;)
      Result.insert(PID);
  }
  return Result;
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_SANITIZED // sanitizers have allocation functions of their own
TEST_F(JITSafety, MemoryIsLimited) {
  EXPECT_EQ(compile(kernelOf(10)), HEDDLE_SUCCESS) << Message; // warm
  heddleCompilerDestroy(Compiler);
  Compiler = nullptr;
  Config.MaxMemoryBytes = 8 << 20;
  EXPECT_EQ(compile(kernelOf(20000)), HEDDLE_ERROR_LIMIT);
  EXPECT_NE(Message.find("8388608 bytes"), std::string::npos) << Message;
  EXPECT_EQ(compile(kernelOf(10)), HEDDLE_SUCCESS) << Message;
}
#endif

TEST_F(JITSafety, ACompilerHasATimeout) {
  Config.TimeoutNanoseconds = 1;
  EXPECT_EQ(compile(kernelOf(10)), HEDDLE_ERROR_TIMEOUT);
  EXPECT_EQ(compile(kernelOf(10), uint64_t(60) * 1'000'000'000), HEDDLE_SUCCESS)
      << Message;
}

//===----------------------------------------------------------------------===//
// Helper processes
//===----------------------------------------------------------------------===//

TEST_F(JITSafety, AHelperProcessGivesTheSame) {
  std::string Bad = std::string(Head) + "nonsense\n";
  EXPECT_EQ(compile(kernelOf(100)), HEDDLE_SUCCESS) << Message;
  std::string Here = Bytes;
  EXPECT_EQ(compile(Bad), HEDDLE_ERROR_INVALID_INPUT);
  std::string HereMessage = Message;
  heddleCompilerDestroy(Compiler);
  Compiler = nullptr;
  Config.Isolate = 1;
  EXPECT_EQ(compile(kernelOf(100)), HEDDLE_SUCCESS) << Message;
  EXPECT_EQ(Bytes, Here);
  EXPECT_EQ(compile(Bad), HEDDLE_ERROR_INVALID_INPUT);
  EXPECT_EQ(Message, HereMessage);
  EXPECT_EQ(Line, 4u);
  EXPECT_EQ(children().size(), 1u) << "one helper serves both";
  heddleCompilerDestroy(Compiler);
  Compiler = nullptr;
  EXPECT_TRUE(children().empty());
}

TEST_F(JITSafety, AHelperThatDiesIsAnError) {
  Config.Isolate = 1;
  std::string Reproducers = Directory + "/reproducers";
  Config.ReproducerDirectory = Reproducers.c_str();
  EXPECT_EQ(compile(kernelOf(10)), HEDDLE_SUCCESS) << Message;
  ASSERT_EQ(children().size(), 1u);
  std::string Large = kernelOf(60000); // would take many seconds
  // Again and again, since one that dies before it is asked is none; ever more
  // seldom, since on a slow machine all would die before they are asked.
  std::atomic<bool> IsOver = false;
  std::thread Killer([&] {
    for (unsigned Pause = 4, Waited = 0; !IsOver; ++Waited) {
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      if (Waited < Pause)
        continue;
      for (int Helper : children())
        kill(Helper, SIGKILL);
      Pause *= 2;
      Waited = 0;
    }
  });
  EXPECT_EQ(compile(Large), HEDDLE_ERROR_INTERNAL);
  IsOver = true;
  Killer.join();
  EXPECT_NE(Message.find("died"), std::string::npos) << Message;
  // What it was at can be repeated.
  std::string Option = "--options-file=";
  size_t At = Message.find(Option);
  ASSERT_NE(At, std::string::npos) << Message;
  std::string File = Message.substr(At + Option.size());
  std::stringstream Kept;
  Kept << std::ifstream(std::filesystem::path(File).replace_extension(".ptx"))
              .rdbuf();
  EXPECT_TRUE(Kept.str() == Large);
  EXPECT_TRUE(std::filesystem::exists(File));
  // The last signal may have hit the next helper, which then takes a moment to
  // die.
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(compile(kernelOf(10)), HEDDLE_SUCCESS) << Message;
  // One that dies while nobody needs it is none.
  kill(*children().begin(), SIGKILL);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  EXPECT_EQ(compile(kernelOf(10)), HEDDLE_SUCCESS) << Message;
}

TEST_F(JITSafety, AHelperIsEndedInTime) {
  Config.Isolate = 1;
  EXPECT_EQ(compile(kernelOf(10)), HEDDLE_SUCCESS) << Message;
  std::string Large = kernelOf(60000);
  auto Begin = std::chrono::steady_clock::now();
  EXPECT_EQ(compile(Large, 20'000'000), HEDDLE_ERROR_TIMEOUT);
  // In the process it would go on to the end of a pass.
  EXPECT_LT(std::chrono::steady_clock::now() - Begin, std::chrono::seconds(5));
  EXPECT_TRUE(children().empty());
}

#ifndef HEDDLE_SANITIZED
TEST_F(JITSafety, AHelperHasTheMemoryLimit) {
  Config.Isolate = 1;
  Config.MaxMemoryBytes = 8 << 20;
  EXPECT_EQ(compile(kernelOf(20000)), HEDDLE_ERROR_LIMIT) << Message;
  EXPECT_TRUE(children().empty()) << "what it had is given back";
  EXPECT_EQ(compile(kernelOf(10)), HEDDLE_SUCCESS) << Message;
}
#endif

TEST_F(JITSafety, AForkedChildHasHelpersOfItsOwn) {
  Config.Isolate = 1;
  EXPECT_EQ(compile(kernelOf(10)), HEDDLE_SUCCESS) << Message;
  pid_t Child = fork();
  if (Child == 0)
    _exit(compile(kernelOf(20)) == HEDDLE_SUCCESS ? 0 : 1);
  EXPECT_EQ(compile(kernelOf(10)), HEDDLE_SUCCESS) << Message;
  int Status = 1;
  waitpid(Child, &Status, 0);
  EXPECT_EQ(Status, 0);
}

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

std::atomic<int> Handled{0};

/// No thread of the compiler takes a signal of the host's.
TEST_F(JITSafety, SignalsStayWithTheHost) {
  struct sigaction Action = {}, Before;
  Action.sa_handler = [](int) { ++Handled; };
  sigaction(SIGUSR1, &Action, &Before);
  sigset_t Blocked, Mask, Pending;
  sigemptyset(&Blocked);
  sigaddset(&Blocked, SIGUSR1);
  pthread_sigmask(SIG_BLOCK, &Blocked, nullptr);
  EXPECT_EQ(compile(kernelOf(10)), HEDDLE_SUCCESS) << Message;
  HeddleInput Input = {sizeof(Input), Head, std::strlen(Head), "empty.ptx"};
  HeddleJob Job = nullptr;
  EXPECT_EQ(
      heddleCompileAsync(compiler(), &Input, nullptr, nullptr, nullptr, &Job),
      nullptr);
  heddleJobWait(Job, UINT64_MAX);
  heddleJobDestroy(Job);
  kill(getpid(), SIGUSR1);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  EXPECT_EQ(Handled, 0);
  sigpending(&Pending);
  EXPECT_TRUE(sigismember(&Pending, SIGUSR1));
  pthread_sigmask(SIG_UNBLOCK, &Blocked, &Mask);
  EXPECT_TRUE(sigismember(&Mask, SIGUSR1)) << "the caller's mask is its own";
  EXPECT_EQ(Handled, 1);
  sigaction(SIGUSR1, &Before, nullptr);
}

//===----------------------------------------------------------------------===//
// What can be seen of a compilation
//===----------------------------------------------------------------------===//

TEST_F(JITSafety, StagesAreTraced) {
  std::string File = Directory + "/trace.json";
  setenv("HEDDLE_TRACE", File.c_str(), 1);
  std::vector<std::string> Stages;
  Config.Tracer = [](void *Context, const HeddleTraceEvent *E) {
    EXPECT_LE(E->BeginNanoseconds, E->EndNanoseconds);
    EXPECT_STREQ(E->Input, "test.ptx");
    static_cast<std::vector<std::string> *>(Context)->push_back(E->Stage);
  };
  Config.TracerContext = &Stages;
  EXPECT_EQ(compile(kernelOf(10)), HEDDLE_SUCCESS) << Message;
  unsetenv("HEDDLE_TRACE");
  std::vector<std::string> Expected = {
      "parse",    "import",        "lower",  "translate", "link device library",
      "optimize", "generate code", "compile"};
  EXPECT_EQ(Stages, Expected);
  std::ifstream Stream(File);
  std::string Text;
  ASSERT_TRUE(std::getline(Stream, Text));
  EXPECT_EQ(Text, "[");
  for (const std::string &Stage : Expected) {
    ASSERT_TRUE(std::getline(Stream, Text));
    EXPECT_EQ(Text.find("{\"name\":\"" + Stage + "\",\"ph\":\"X\","), 0u)
        << Text;
    EXPECT_EQ(Text.substr(Text.size() - 3), "}},") << Text;
  }
  EXPECT_NE(Text.find("\"origin\":\"made\""), std::string::npos) << Text;
}

TEST_F(JITSafety, CompilationsAreLogged) {
  std::vector<std::string> Lines;
  Config.Logger = [](void *Context, HeddleSeverity Severity, const char *Line) {
    EXPECT_EQ(Severity, HEDDLE_SEVERITY_INFO);
    static_cast<std::vector<std::string> *>(Context)->push_back(Line);
  };
  Config.LoggerContext = &Lines;
  EXPECT_EQ(compile(kernelOf(10)), HEDDLE_SUCCESS) << Message;
  ASSERT_EQ(Lines.size(), 1u);
  EXPECT_EQ(Lines[0].find("test.ptx: made, "), 0u) << Lines[0];
  EXPECT_EQ(compile("nonsense"), HEDDLE_ERROR_INVALID_INPUT);
  ASSERT_EQ(Lines.size(), 2u);
  EXPECT_EQ(Lines[1].find("test.ptx: failed, "), 0u) << Lines[1];
}

TEST_F(JITSafety, PtxCompileRepeatsAReproducer) {
  std::string PTX = kernelOf(10);
  HeddleInput Input = {sizeof(Input), PTX.data(), PTX.size(), nullptr};
  HeddleCompileOptions O;
  heddleCompileOptionsInit(&O);
  const char *Level = "-O1";
  O.Options = &Level;
  O.NumOptions = 1;
  char *File = nullptr;
  ASSERT_EQ(heddleCompilerWriteReproducer(compiler(), &Input, &O,
                                          Directory.c_str(), &File),
            nullptr);
  // The object holds the name of its source.
  std::string Name = std::filesystem::path(File).replace_extension(".ptx");
  Input.Name = Name.c_str();
  HeddleCodeObject Code = nullptr;
  ASSERT_EQ(heddleCompile(compiler(), &Input, &O, &Code), nullptr);
  std::string Output = Directory + "/out.o";
  std::string Command = std::string(HEDDLE_PTX_COMPILE) +
                        " --options-file=" + File + " -o " + Output;
  EXPECT_EQ(std::system(Command.c_str()), 0) << Command;
  std::stringstream Made;
  Made << std::ifstream(Output).rdbuf();
  EXPECT_TRUE(Made.str() == std::string(static_cast<const char *>(
                                            heddleCodeObjectGetData(Code)),
                                        heddleCodeObjectGetSize(Code)));
  heddleCodeObjectDestroy(Code);
  heddleStringDestroy(File);
}

/// As a program for CUDA's driver calls it.
TEST_F(JITSafety, TakesTheOptionsOfCUDAsDriver) {
  std::string PTX = std::string(Head) + "nonsense\n";
  HeddleInput Input = {sizeof(Input), PTX.data(), PTX.size(), "test.ptx"};
  char Errors[40];
  HeddleJITOption Options[] = {HEDDLE_JIT_ERROR_LOG_BUFFER,
                               HEDDLE_JIT_ERROR_LOG_BUFFER_SIZE,
                               HEDDLE_JIT_WALL_TIME};
  void *Values[] = {Errors, reinterpret_cast<void *>(sizeof(Errors)), nullptr};
  HeddleCodeObject Code = nullptr;
  HeddleError E =
      heddleCompileJIT(compiler(), &Input, 3, Options, Values, &Code);
  EXPECT_EQ(heddleErrorGetCode(E), HEDDLE_ERROR_INVALID_INPUT);
  heddleErrorDestroy(E);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(Values[1]), sizeof(Errors) - 1);
  EXPECT_EQ(std::strlen(Errors), sizeof(Errors) - 1);
  EXPECT_EQ(std::string(Errors).find("test.ptx:4:1: error"), 0u) << Errors;
  float Milliseconds = 0;
  std::memcpy(&Milliseconds, &Values[2], sizeof(Milliseconds));
  EXPECT_GT(Milliseconds, 0);

  PTX = kernelOf(3);
  Input.Data = PTX.data();
  Input.Size = PTX.size();
  HeddleJITOption Limits[] = {HEDDLE_JIT_OPTIMIZATION_LEVEL,
                              HEDDLE_JIT_THREADS_PER_BLOCK};
  void *Numbers[] = {reinterpret_cast<void *>(4), reinterpret_cast<void *>(96)};
  ASSERT_EQ(heddleCompileJIT(compiler(), &Input, 2, Limits, Numbers, &Code),
            nullptr);
  HeddleKernelInfo Kernel = {};
  Kernel.StructSize = sizeof(Kernel);
  ASSERT_TRUE(heddleCodeObjectGetKernel(Code, 0, &Kernel));
  EXPECT_EQ(Kernel.MaxThreads, 96u);
  heddleCodeObjectDestroy(Code);
  Limits[0] = static_cast<HeddleJITOption>(20); // CU_JIT_LTO
  E = heddleCompileJIT(compiler(), &Input, 2, Limits, Numbers, &Code);
  EXPECT_EQ(heddleErrorGetCode(E), HEDDLE_ERROR_NOT_SUPPORTED);
  heddleErrorDestroy(E);
}

//===----------------------------------------------------------------------===//
// The cache
//===----------------------------------------------------------------------===//

TEST_F(JITSafety, TheCacheIsLookedAfter) {
  std::string Cache = Directory + "/cache", Pack = Directory + "/a.pack";
  Config.CacheMode = HEDDLE_CACHE_READ_WRITE;
  Config.CacheDirectory = Cache.c_str();
  EXPECT_EQ(compile(kernelOf(10)), HEDDLE_SUCCESS) << Message;
  const char *Named = nullptr;
  EXPECT_EQ(heddleCompilerGetCacheDirectory(compiler(), &Named), nullptr);
  EXPECT_EQ(Named, Cache);
  heddleCompilerDestroy(Compiler); // writes what is pending
  Compiler = nullptr;
  std::string Command = std::string(HEDDLE_PTX_CACHE) + " --dir=" + Cache +
                        " export " + Pack + " > /dev/null";
  ASSERT_EQ(std::system(Command.c_str()), 0) << Command;
  uint64_t Size = 0, Removed = 0, Entries = 0;
  EXPECT_EQ(heddleCompilerGetCacheSize(compiler(), &Size), nullptr);
  EXPECT_GT(Size, 0u);
  EXPECT_EQ(heddleCompilerTrimCache(compiler(), 0, &Removed), nullptr);
  EXPECT_EQ(Removed, Size);
  EXPECT_EQ(heddleCompilerGetCacheSize(compiler(), &Size), nullptr);
  EXPECT_EQ(Size, 0u);
  EXPECT_EQ(heddleCompilerWarmCache(compiler(), Pack.c_str(), &Entries),
            nullptr);
  EXPECT_GT(Entries, 0u);
  EXPECT_EQ(compile(kernelOf(10)), HEDDLE_SUCCESS) << Message;
  uint64_t Hits = 0;
  EXPECT_EQ(heddleCompilerGetStatistics(
                compiler(),
                [](void *C, const char *Name, uint64_t Value, const char *) {
                  if (std::string_view(Name) == "hit_local")
                    *static_cast<uint64_t *>(C) = Value;
                },
                &Hits),
            nullptr);
  EXPECT_EQ(Hits, 1u);
}

TEST_F(JITSafety, TheCacheIsLimited) {
  std::string Cache = Directory + "/cache";
  Config.CacheMode = HEDDLE_CACHE_READ_WRITE;
  Config.CacheDirectory = Cache.c_str();
  Config.MaxCacheBytes = 16 << 10;
  for (unsigned Count = 10; Count != 60; ++Count)
    EXPECT_EQ(compile(kernelOf(Count)), HEDDLE_SUCCESS) << Message;
  heddleCompilerDestroy(Compiler); // writes what is pending
  Compiler = nullptr;
  uint64_t Size = 0;
  EXPECT_EQ(heddleCompilerGetCacheSize(compiler(), &Size), nullptr);
  EXPECT_GT(Size, 0u);
  // The limit is approximate.
  EXPECT_LT(Size, uint64_t(64) << 10);
}

//===----------------------------------------------------------------------===//
// Inputs that nobody means well with
//===----------------------------------------------------------------------===//

/// Bytes that the process has in memory.
size_t residentBytes() {
  size_t Pages = 0, Resident = 0;
  std::ifstream("/proc/self/statm") >> Pages >> Resident;
  return Resident * static_cast<size_t>(sysconf(_SC_PAGESIZE));
}

/// A few lines of Text exchanged, dropped, doubled, or bytes changed.
std::string mutate(std::string Text, std::mt19937 &Random) {
  auto Below = [&](size_t N) { return N ? Random() % N : 0; };
  for (unsigned Change = 1 + Below(3); Change; --Change) {
    size_t At = Below(Text.size());
    size_t Begin = Text.rfind('\n', At), End = Text.find('\n', At);
    if (Begin == std::string::npos || End == std::string::npos || Begin == End)
      continue;
    std::string Taken = Text.substr(Begin, End - Begin);
    switch (Below(5)) {
    case 0:
      Text.erase(Begin, End - Begin);
      break;
    case 1:
      Text.insert(Begin, Taken);
      break;
    case 2:
      Text[At] = static_cast<char>(Random());
      break;
    case 3: // a character of another place
      Text[At] = Text[Below(Text.size())];
      break;
    default: { // a line to another place
      Text.erase(Begin, End - Begin);
      size_t Place = Text.find('\n', Below(Text.size()));
      Text.insert(Place == std::string::npos ? 0 : Place, Taken);
    }
    }
  }
  return Text;
}

/// HEDDLE_MUTATIONS says how many; 10,000 was tried.
TEST_F(JITSafety, MutatedInputsNeitherCrashNorGrow) {
  std::vector<std::string> Seeds;
  for (const auto &Entry :
       std::filesystem::recursive_directory_iterator(HEDDLE_KERNELS))
    if (Entry.path().extension() == ".ptx") {
      std::stringstream Text;
      Text << std::ifstream(Entry.path()).rdbuf();
      Seeds.push_back(Text.str());
    }
  std::sort(Seeds.begin(), Seeds.end());
  ASSERT_FALSE(Seeds.empty());
  const char *Wanted = std::getenv("HEDDLE_MUTATIONS");
  unsigned Rounds = Wanted ? std::atoi(Wanted) : 300;
  std::mt19937 Random(1);
  Config.TimeoutNanoseconds = uint64_t(20) * 1'000'000'000;
  [[maybe_unused]] size_t Warm = 0;
  unsigned Good = 0, Bad = 0;
  for (unsigned Round = 0; Round != Rounds; ++Round) {
    std::string PTX = mutate(Seeds[Random() % Seeds.size()], Random);
    HeddleErrorCode Code = compile(PTX);
    ++(Code == HEDDLE_SUCCESS ? Good : Bad);
    EXPECT_NE(Code, HEDDLE_ERROR_INTERNAL) << Message << "\n" << PTX;
    EXPECT_NE(Code, HEDDLE_ERROR_TIMEOUT) << PTX;
    if (Round == Rounds / 3)
      Warm = residentBytes();
    if (Wanted && Round % 500 == 0)
      std::printf("%u: %zu KiB\n", Round, residentBytes() >> 10);
  }
  EXPECT_GT(Good, Rounds / 20);
  EXPECT_GT(Bad, Rounds / 20);
#ifndef HEDDLE_SANITIZED
  EXPECT_LT(residentBytes(), Warm + (16 << 20));
#endif
}

} // namespace
