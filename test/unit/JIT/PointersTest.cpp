//===- PointersTest.cpp - Tests of replaced functions -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Pointers to device functions that a program holds while their code is
// replaced: they stay what they are, and whatever code is launched calls its
// own functions by them.
//
//===----------------------------------------------------------------------===//

#include "JITFixture.h"

#include <fstream>
#include <mutex>
#include <sstream>

using namespace heddle::jit;

namespace {

/// Functions that are called through pointers, which `take` hands to the host
/// and `call` takes back; `call` stores whether its pointer is that of
/// `square`, and what it gives for 7. `table` calls the functions of a table
/// that the host can see, `choose` one of two whose addresses nobody keeps.
constexpr const char *Pointers = R"(
.version 8.0
.target sm_80
.address_size 64
.visible .global .u32 Calls = 0;
.shared .u32 Factor[32];
.func (.param .u32 r) square(.param .u32 x)
{
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x];
  mul.lo.u32 %r1, %r1, %r1;
  st.param.u32 [r], %r1;
  ret;
}
.func (.param .u32 r) counted(.param .u32 x)
{
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x];
  atom.global.add.u32 %r2, [Calls], 1;
  add.u32 %r1, %r1, %r2;
  st.param.u32 [r], %r1;
  ret;
}
.func (.param .u32 r) scaled(.param .u32 x)
{
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x];
  ld.shared.u32 %r2, [Factor];
  mul.lo.u32 %r1, %r1, %r2;
  st.param.u32 [r], %r1;
  ret;
}
.func (.param .u32 r) less(.param .u32 x)
{
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x];
  sub.u32 %r1, %r1, 1;
  st.param.u32 [r], %r1;
  ret;
}
.func (.param .u32 r) more(.param .u32 x)
{
  .reg .b32 %r<3>;
  ld.param.u32 %r1, [x];
  add.u32 %r1, %r1, 1;
  st.param.u32 [r], %r1;
  ret;
}
.visible .global .u64 Table[3] = {square, counted, scaled};
.visible .entry take(.param .u64 out)
{
  .reg .b64 %rd<3>;
  ld.param.u64 %rd1, [out];
  mov.u64 %rd2, square;
  st.global.u64 [%rd1], %rd2;
  mov.u64 %rd2, counted;
  st.global.u64 [%rd1+8], %rd2;
  mov.u64 %rd2, scaled;
  st.global.u64 [%rd1+16], %rd2;
  ret;
}
.visible .entry call(.param .u64 out, .param .u64 function)
{
  .reg .pred %p;
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u64 %rd2, [function];
  mov.u32 %r1, 3;
  st.shared.u32 [Factor], %r1;
  mov.u64 %rd3, square;
  setp.eq.u64 %p, %rd2, %rd3;
  selp.u32 %r1, 1, 0, %p;
  st.global.u32 [%rd1], %r1;
  {
    .param .u32 x;
    .param .u32 result;
    prototype: .callprototype (.param .u32 _) _ (.param .u32 _);
    st.param.u32 [x], 7;
    call (result), %rd2, (x), prototype;
    ld.param.u32 %r1, [result];
  }
  st.global.u32 [%rd1+4], %r1;
  ret;
}
.visible .entry table(.param .u64 out)
{
  .reg .b32 %r<3>;
  .reg .b64 %rd<5>;
  ld.param.u64 %rd1, [out];
  mov.u32 %r1, %tid.x;
  mul.wide.u32 %rd2, %r1, 8;
  mov.u64 %rd3, Table;
  add.u64 %rd3, %rd3, %rd2;
  ld.global.u64 %rd4, [%rd3];
  {
    .param .u32 x;
    .param .u32 result;
    prototype: .callprototype (.param .u32 _) _ (.param .u32 _);
    st.param.u32 [x], 9;
    call (result), %rd4, (x), prototype;
    ld.param.u32 %r1, [result];
  }
  shr.u64 %rd2, %rd2, 1;
  add.u64 %rd1, %rd1, %rd2;
  st.global.u32 [%rd1], %r1;
  ret;
}
.visible .entry choose(.param .u64 out, .param .u32 which)
{
  .reg .pred %p;
  .reg .b32 %r<3>;
  .reg .b64 %rd<4>;
  ld.param.u64 %rd1, [out];
  ld.param.u32 %r1, [which];
  setp.eq.u32 %p, %r1, 0;
  mov.u64 %rd2, less;
  mov.u64 %rd3, more;
  selp.u64 %rd2, %rd2, %rd3, %p;
  {
    .param .u32 x;
    .param .u32 result;
    prototype: .callprototype (.param .u32 _) _ (.param .u32 _);
    st.param.u32 [x], 50;
    call (result), %rd2, (x), prototype;
    ld.param.u32 %r1, [result];
  }
  st.global.u32 [%rd1], %r1;
  ret;
}
)";

class JITPointers : public JITRuntime {
protected:
  void SetUp() override {
    JITRuntime::SetUp();
    Config.Logger = [](void *Into, HeddleSeverity, const char *Message) {
      std::lock_guard Lock(LogMutex);
      *static_cast<std::string *>(Into) += Message;
    };
    Config.LoggerContext = &Log;
    heddleCompilerDestroy(Compiler);
    Compiler = nullptr;
  }
  void load(HeddleModuleOptions O) {
    HeddleInput Input = inputOf(Pointers);
    expectSuccess(
        heddleModuleCompile(Context, compiler(), &Input, &O, &Tiered));
  }
  void TearDown() override {
    heddleModuleDestroy(Tiered);
    JITRuntime::TearDown();
  }
  int32_t tier() {
    int32_t Tier = -2;
    expectSuccess(heddleModuleGetTier(Tiered, kernel("call"), &Tier));
    return Tier;
  }
  static HeddleModuleOptions options() {
    HeddleModuleOptions O;
    heddleModuleOptionsInit(&O);
    return O;
  }
  uint32_t kernel(const char *Name) {
    uint32_t Kernel = 0;
    expectSuccess(heddleModuleGetKernel(Tiered, Name, &Kernel));
    return Kernel;
  }
  HeddleLaunch launchOf(const char *Name, const void *Second = nullptr) {
    HeddleLaunch L;
    heddleLaunchInit(&L);
    L.Module = Tiered;
    L.Kernel = kernel(Name);
    Both[1] = Second;
    L.Arguments = Both;
    L.NumArguments = Second ? 2 : 1;
    return L;
  }
  template <typename T> std::vector<T> read(HeddleAddress From, size_t N) {
    std::vector<T> Values(N);
    expectSuccess(heddleCopyFromDevice(Context, nullptr, Values.data(), From,
                                       N * sizeof(T)));
    expectSuccess(heddleContextSynchronize(Context));
    return Values;
  }
  std::vector<uint64_t> take() {
    HeddleLaunch L = launchOf("take");
    expectSuccess(heddleLaunch(Context, nullptr, &L));
    return read<uint64_t>(Data, 3);
  }
  /// Whether it is square, and its value of 7.
  std::vector<uint32_t> call(uint64_t Function) {
    HeddleLaunch L = launchOf("call", &Function);
    expectSuccess(heddleLaunch(Context, nullptr, &L));
    return read<uint32_t>(Data, 2);
  }
  std::vector<uint32_t> callTable(uint32_t Threads) {
    HeddleLaunch L = launchOf("table");
    L.Block[0] = Threads;
    expectSuccess(heddleLaunch(Context, nullptr, &L));
    return read<uint32_t>(Data, Threads);
  }
  uint32_t choose(uint32_t Which) {
    HeddleLaunch L = launchOf("choose", &Which);
    expectSuccess(heddleLaunch(Context, nullptr, &L));
    return read<uint32_t>(Data, 1)[0];
  }
  std::vector<uint64_t> readTable() {
    HeddleAddress Table = 0;
    uint64_t Size = 0;
    expectSuccess(heddleModuleGetVariable(Tiered, "Table", &Table, &Size));
    EXPECT_EQ(Size, 24u);
    return read<uint64_t>(Table, 3);
  }
  /// Calls each function; Calls counts on from Calls to Calls + 1.
  void expectFunctions(const std::vector<uint64_t> &Functions, uint32_t Calls) {
    EXPECT_EQ(call(Functions[0]), Values({1, 49}));
    EXPECT_EQ(call(Functions[1]), Values({0, 7 + Calls}));
    EXPECT_EQ(call(Functions[2]), Values({0, 21}));
    EXPECT_EQ(callTable(2), Values({81, 10 + Calls}));
    EXPECT_EQ(choose(0), 49u);
    EXPECT_EQ(choose(1), 51u);
  }
  using Values = std::vector<uint32_t>;
  HeddleModule Tiered = nullptr;
  static inline std::mutex LogMutex;
  std::string Log;
  const void *Both[2] = {&Data, nullptr};
};

TEST_F(JITPointers, StayWhatTheyAre) {
  HeddleModuleOptions O = options();
  O.ProfileLaunches = 7;
  load(O);
  std::vector<uint64_t> Functions = take();
  EXPECT_EQ(readTable(), Functions);
  expectFunctions(Functions, 0);
  EXPECT_EQ(tier(), 0);
  // A graph keeps the code that it was captured with.
  HeddleStream Stream = nullptr;
  HeddleGraph Graph = nullptr;
  expectSuccess(heddleStreamCreate(Context, 0, &Stream));
  HeddleLaunch Captured = launchOf("call", &Functions[0]);
  expectSuccess(heddleStreamBeginCapture(Context, Stream));
  expectSuccess(heddleLaunch(Context, Stream, &Captured));
  expectSuccess(heddleStreamEndCapture(Context, Stream, &Graph));
  expectSuccess(heddleModuleWait(Tiered));
  EXPECT_EQ(take(), Functions);
  EXPECT_EQ(tier(), 1) << Log;
  EXPECT_EQ(readTable(), Functions);
  expectFunctions(Functions, 2);
  expectSuccess(heddleFill(Context, nullptr, Data, 0, 1, 8));
  expectSuccess(heddleContextSynchronize(Context));
  expectSuccess(heddleGraphLaunch(Context, Stream, Graph));
  expectSuccess(heddleStreamSynchronize(Context, Stream));
  EXPECT_EQ(read<uint32_t>(Data, 2), Values({1, 49}));
  heddleGraphDestroy(Graph);
  heddleStreamDestroy(Stream);
  // The profile that tier 1 was made for knows what was called, by the first
  // bytes of the MD5 of the name.
  EXPECT_NE(Log.find("tier 1 is made for the profile of"), std::string::npos)
      << Log;
  std::string File = testing::TempDir() + "heddle-function-pointers.prof";
  std::remove(File.c_str());
  expectSuccess(heddleModuleAddProfile(Tiered, File.c_str()));
  std::stringstream Profile;
  Profile << std::ifstream(File, std::ios::binary).rdbuf();
  std::remove(File.c_str());
  std::string Square("\x2f"
                     "\xc0"
                     "\x1e"
                     "\xc7"
                     "\x65"
                     "\xec"
                     "\x0c"
                     "\xb3");
  EXPECT_NE(Profile.str().find(Square), std::string::npos);
}

TEST_F(JITPointers, AreCalledWhileCodeIsReplaced) {
  for (bool Lazy : {false, true}) {
    HeddleModuleOptions O = options();
    O.Lazy = Lazy;
    load(O);
    std::vector<uint64_t> Functions = take();
    uint32_t Calls = 0;
    for (int Round = 0; Round != 3; ++Round, Calls += 2)
      expectFunctions(Functions, Calls);
    expectSuccess(heddleModuleWait(Tiered));
    expectFunctions(Functions, Calls);
    EXPECT_EQ(tier(), 1) << Log;
    EXPECT_EQ(take(), Functions);
    heddleModuleDestroy(Tiered);
    Tiered = nullptr;
  }
}

/// Where the cache has the better code, nothing is replaced.
TEST_F(JITPointers, LeadToCachedCode) {
  useCache();
  for (int32_t Cached : {0, 1}) {
    load(options());
    if (Cached)
      EXPECT_EQ(tier(), 1);
    std::vector<uint64_t> Functions = take();
    expectSuccess(heddleModuleWait(Tiered));
    EXPECT_EQ(take(), Functions);
    EXPECT_EQ(readTable(), Functions);
    expectFunctions(Functions, 0);
    heddleModuleDestroy(Tiered);
    Tiered = nullptr;
  }
}

/// A kernel that only hands out addresses may be specialised, one that calls
/// them not: they may lead to functions that its own code does not have.
TEST_F(JITPointers, AreNotCalledBySpecialisations) {
  for (HeddleTiers Tiers : {HEDDLE_TIERS_BEST, HEDDLE_TIERS_REPLACE}) {
    HeddleModuleOptions O = options();
    O.Tiers = Tiers;
    load(O);
    std::vector<uint64_t> Functions = take();
    HeddleSpecialization S = {};
    S.StructSize = sizeof(S);
    S.Kernel = kernel("take");
    S.Block[0] = S.Block[1] = S.Block[2] = 1;
    S.RefuseOthers = 1;
    expectSuccess(heddleModuleSpecialize(Tiered, &S));
    EXPECT_EQ(take(), Functions);
    S.Kernel = kernel("call");
    EXPECT_EQ(taken(heddleModuleSpecialize(Tiered, &S)).first,
              HEDDLE_ERROR_NOT_SUPPORTED);
    expectFunctions(Functions, 0);
    heddleModuleDestroy(Tiered);
    Tiered = nullptr;
  }
}

} // namespace
