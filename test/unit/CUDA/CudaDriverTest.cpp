//===- CudaDriverTest.cpp - Tests of libcuda.so.1 ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program of the driver API, through the library's exported functions.
//
//===----------------------------------------------------------------------===//

#include "../ManyRegisters.h"
#include "gtest/gtest.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <set>
#include <string>
#include <thread>
#include <vector>

using Address = unsigned long long;

extern "C" {
int cuInit(unsigned);
int cuDriverGetVersion(int *);
int cuDeviceGetCount(int *);
int cuDeviceGet(int *, int);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxPushCurrent_v2(void *);
int cuCtxPopCurrent_v2(void **);
int cuCtxCreate_v2(void **, unsigned, int);
int cuCtxDestroy_v2(void *);
int cuCtxGetCurrent(void **);
int cuCtxGetId(void *, unsigned long long *);
int cuStreamCreate(void **, unsigned);
int cuStreamDestroy_v2(void *);
int cuStreamGetId(void *, unsigned long long *);
int cuModuleLoadData(void **, const void *);
int cuModuleLoadDataEx(void **, const void *, unsigned, int *, void **);
int cuModuleUnload(void *);
int cuModuleGetFunction(void **, void *, const char *);
int cuModuleGetGlobal_v2(Address *, size_t *, void *, const char *);
int cuLinkCreate_v2(unsigned, int *, void **, void **);
int cuLinkAddData_v2(void *, int, void *, size_t, const char *, unsigned, int *,
                     void **);
int cuLinkComplete(void *, void **, size_t *);
int cuLinkDestroy(void *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned, void *, void **, void **);
int cuFuncGetAttribute(int *, int, void *);
int cuOccupancyMaxPotentialBlockSize(int *, int *, void *, size_t (*)(int),
                                     size_t, int);
int cuOccupancyMaxActiveBlocksPerMultiprocessor(int *, void *, int, size_t);
int cuMemAlloc_v2(Address *, size_t);
int cuMemFree_v2(Address);
int cuMemcpyHtoD_v2(Address, const void *, size_t);
int cuMemcpyDtoH_v2(void *, Address, size_t);
int cuMemsetD32_v2(Address, unsigned, size_t);
int cuPointerGetAttribute(void *, int, Address);
int cuPointerGetAttributes(unsigned, int *, void **, Address);
int cuGetErrorName(int, const char **);
int cuDeviceGetDefaultMemPool(void **, int);
int cuMemPoolGetAttribute(void *, int, void *);
int cuMemPoolSetAttribute(void *, int, void *);
int cuDeviceGetAttribute(int *, int, int);
int cuGetExportTable(const void **, const void *);
int cuGetErrorString(int, const char **);
int cuGetProcAddress(const char *, void **, int, unsigned long long);
int cuGetProcAddress_v2(const char *, void **, int, unsigned long long, int *);
}

namespace {

constexpr int Success = 0, InvalidValue = 1, InvalidContext = 201,
              InvalidPtx = 218, UnsupportedPtxVersion = 222,
              InvalidHandle = 400, NotFound = 500, OutOfResources = 701,
              NotSupported = 801;

constexpr char Module[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 bias = 7;
.visible .entry add(.param .u64 p, .param .u32 v) {
  .reg .u64 %p, %a; .reg .u32 %v, %t, %o;
  ld.param.u64 %p, [p];
  ld.param.u32 %v, [v];
  ld.global.u32 %o, [bias];
  add.u32 %v, %v, %o;
  mov.u32 %t, %tid.x;
  mul.wide.u32 %a, %t, 4;
  add.u64 %p, %p, %a;
  ld.global.u32 %o, [%p];
  add.u32 %o, %o, %v;
  st.global.u32 [%p], %o;
  ret;
})";

class CudaDriver : public testing::Test {
protected:
  void SetUp() override {
    setenv("HEDDLE_CACHE_MODE", "off", 1);
    ASSERT_EQ(cuInit(0), Success);
    void *Context;
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&Context, 0), Success);
    ASSERT_EQ(cuCtxPushCurrent_v2(Context), Success);
  }
  void TearDown() override { cuCtxPopCurrent_v2(nullptr); }

  /// What add makes of ten 100s and Value.
  unsigned runAdd(void *Loaded, unsigned Value) {
    void *Add;
    Address Memory;
    EXPECT_EQ(cuModuleGetFunction(&Add, Loaded, "add"), Success);
    EXPECT_EQ(cuMemAlloc_v2(&Memory, 40), Success);
    EXPECT_EQ(cuMemsetD32_v2(Memory, 100, 10), Success);
    void *Arguments[] = {&Memory, &Value};
    EXPECT_EQ(
        cuLaunchKernel(Add, 1, 1, 1, 10, 1, 1, 0, nullptr, Arguments, nullptr),
        Success);
    unsigned Results[10] = {};
    EXPECT_EQ(cuMemcpyDtoH_v2(Results, Memory, 40), Success);
    for (unsigned R : Results)
      EXPECT_EQ(R, Results[0]);
    EXPECT_EQ(cuMemFree_v2(Memory), Success);
    return Results[0];
  }
};

TEST_F(CudaDriver, RunsAKernelOfAModule) {
  void *Loaded, *None;
  ASSERT_EQ(cuModuleLoadData(&Loaded, Module), Success);
  EXPECT_EQ(cuModuleGetFunction(&None, Loaded, "sub"), NotFound);
  EXPECT_EQ(runAdd(Loaded, 5), 112u);
  Address Bias;
  size_t Size;
  ASSERT_EQ(cuModuleGetGlobal_v2(&Bias, &Size, Loaded, "bias"), Success);
  EXPECT_EQ(Size, 4u);
  unsigned Value = 20;
  EXPECT_EQ(cuMemcpyHtoD_v2(Bias, &Value, 4), Success);
  EXPECT_EQ(runAdd(Loaded, 5), 125u);
  EXPECT_EQ(cuMemFree_v2(Bias), InvalidValue); // not the program's
  EXPECT_EQ(cuModuleUnload(Loaded), Success);
  EXPECT_EQ(cuModuleUnload(Loaded), InvalidHandle);
}

/// Kernels of a module that have many registers: `wide` stores the sum of a
/// hundred values for each thread, and counts its threads; `called` stores what
/// the function that `choose` took the address of makes of it, its double.
std::string manyRegisters(const std::string &Directives = "") {
  return R"(
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 threads;
.visible .global .align 8 .u64 chosen;
.func (.param .b32 r) twice(.param .b32 a) {
  .reg .b32 %v;
  ld.param.b32 %v, [a];
  add.u32 %v, %v, %v;
  st.param.b32 [r], %v;
  ret;
}
.visible .entry choose() {
  .reg .b64 %f;
  mov.b64 %f, twice;
  st.global.b64 [chosen], %f;
  ret;
}
.visible .entry called(.param .u64 out) {
  .reg .b32 %s, %t; .reg .b64 %p, %a, %f;
  ld.param.u64 %p, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %a, %t, 4;
  add.u64 %a, %p, %a;
)" + heddle::sumOfManyValues() +
         R"(
  ld.global.b64 %f, [chosen];
  {
    .param .b32 a; .param .b32 r;
    st.param.b32 [a], %s;
    prototype: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (r), %f, (a), prototype;
    ld.param.b32 %s, [r];
  }
  st.global.b32 [%a], %s;
  ret;
}
.visible .entry wide(.param .u64 out) )" +
         Directives + R"({
  .reg .b32 %s, %t; .reg .b64 %p, %a;
  ld.param.u64 %p, [out];
  mov.u32 %t, %tid.x;
  mul.wide.u32 %a, %t, 4;
  add.u64 %a, %p, %a;
)" + heddle::sumOfManyValues() +
         R"(
  atom.global.add.u32 %t, [threads], 1;
  st.global.b32 [%a], %s;
  ret;
})";
}

class CudaBlockSize : public CudaDriver {
protected:
  void load(const std::string &Text, const char *Name) {
    ASSERT_EQ(cuModuleLoadData(&Loaded, Text.c_str()), Success);
    ASSERT_EQ(cuModuleGetFunction(&Kernel, Loaded, Name), Success);
    ASSERT_EQ(cuMemAlloc_v2(&Memory, 4096), Success);
    ASSERT_EQ(cuMemsetD32_v2(Memory, 3, 1024), Success);
  }
  int attribute(int Which) {
    int Value = -1;
    EXPECT_EQ(cuFuncGetAttribute(&Value, Which, Kernel), Success);
    return Value;
  }
  int launch(unsigned Threads) {
    void *Arguments[] = {&Memory};
    return cuLaunchKernel(Kernel, 1, 1, 1, Threads, 1, 1, 0, nullptr, Arguments,
                          nullptr);
  }
  std::vector<unsigned> results(unsigned Threads) {
    std::vector<unsigned> Values(Threads);
    EXPECT_EQ(cuMemcpyDtoH_v2(Values.data(), Memory, Threads * 4), Success);
    return Values;
  }

  static constexpr int MaxThreadsPerBlock = 0, NumRegs = 4;
  void *Loaded = nullptr, *Kernel = nullptr;
  Address Memory = 0;
};

TEST_F(CudaBlockSize, CompilesAgainForABlockThatIsTooLarge) {
  load(manyRegisters(), "wide");
  EXPECT_GT(attribute(NumRegs), 100);
  EXPECT_EQ(attribute(MaxThreadsPerBlock), 1024);
  int Blocks = 0;
  ASSERT_EQ(
      cuOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, Kernel, 1024, 0),
      Success);
  EXPECT_EQ(Blocks, 1);
  for (unsigned Threads : {64u, 1024u, 640u, 1024u}) {
    ASSERT_EQ(cuMemsetD32_v2(Memory, 3, 1024), Success);
    ASSERT_EQ(launch(Threads), Success);
    EXPECT_EQ(results(Threads), std::vector<unsigned>(Threads, 300));
  }
  // The variables are those of the module.
  Address Counter;
  unsigned Count = 0;
  ASSERT_EQ(cuModuleGetGlobal_v2(&Counter, nullptr, Loaded, "threads"),
            Success);
  ASSERT_EQ(cuMemcpyDtoH_v2(&Count, Counter, 4), Success);
  EXPECT_EQ(Count, 64u + 1024 + 640 + 1024);
  EXPECT_EQ(cuModuleUnload(Loaded), Success);
}

/// A pointer that other code stored leads to the function of this code.
TEST_F(CudaBlockSize, CallsPointersFromCodeThatIsCompiledAgain) {
  load(manyRegisters(), "choose");
  ASSERT_EQ(
      cuLaunchKernel(Kernel, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
      Success);
  ASSERT_EQ(cuModuleGetFunction(&Kernel, Loaded, "called"), Success);
  ASSERT_EQ(launch(1024), Success);
  EXPECT_EQ(results(1024), std::vector<unsigned>(1024, 600));
}

/// Threads that launch at the same time wait for the one that compiles.
TEST_F(CudaBlockSize, ThreadsShareTheCode) {
  load(manyRegisters(), "wide");
  std::vector<std::thread> Threads;
  std::atomic<int> Failures{0};
  for (int I = 0; I != 4; ++I)
    Threads.emplace_back([&] {
      void *Context;
      cuDevicePrimaryCtxRetain(&Context, 0);
      cuCtxPushCurrent_v2(Context);
      Failures += launch(1024) != Success;
    });
  for (std::thread &T : Threads)
    T.join();
  EXPECT_EQ(Failures, 0);
}

/// A kernel that says how many registers it takes keeps them.
TEST_F(CudaBlockSize, KeepsRegistersThatTheKernelAsksFor) {
  load(manyRegisters(".maxnreg 128 "), "wide");
  EXPECT_LT(attribute(MaxThreadsPerBlock), 1024);
  EXPECT_EQ(launch(1024), OutOfResources);
  EXPECT_EQ(launch(attribute(MaxThreadsPerBlock)), Success);
}

/// Machine code stays what it is: the launch is refused, with the reason.
TEST_F(CudaBlockSize, ExplainsALaunchThatCannotBe) {
  void *Linker, *Object;
  size_t Size;
  std::string Text = manyRegisters();
  ASSERT_EQ(cuLinkCreate_v2(0, nullptr, nullptr, &Linker), Success);
  constexpr int PTX = 1;
  ASSERT_EQ(cuLinkAddData_v2(Linker, PTX, Text.data(), Text.size() + 1, "wide",
                             0, nullptr, nullptr),
            Success);
  ASSERT_EQ(cuLinkComplete(Linker, &Object, &Size), Success);
  ASSERT_EQ(cuModuleLoadData(&Loaded, Object), Success);
  ASSERT_EQ(cuModuleGetFunction(&Kernel, Loaded, "wide"), Success);
  ASSERT_EQ(cuMemAlloc_v2(&Memory, 4096), Success);
  EXPECT_LT(attribute(MaxThreadsPerBlock), 1024);
  // Only the first error of a process is explained.
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  EXPECT_EXIT(
      std::exit(launch(1024) == OutOfResources ? 0 : 1),
      testing::ExitedWithCode(0),
      "kernel 'wide' takes .* and 1024 were asked for; compile it with");
  EXPECT_EQ(launch(attribute(MaxThreadsPerBlock)), Success);
  EXPECT_EQ(cuLinkDestroy(Linker), Success);
}

/// `extra` names the whole block of parameters, with C's padding in it.
TEST_F(CudaDriver, TakesArgumentsAsABlock) {
  void *Loaded, *Add;
  ASSERT_EQ(cuModuleLoadData(&Loaded, Module), Success);
  ASSERT_EQ(cuModuleGetFunction(&Add, Loaded, "add"), Success);
  struct {
    Address Memory;
    unsigned Value;
  } Block = {0, 1};
  ASSERT_EQ(cuMemAlloc_v2(&Block.Memory, 4), Success);
  ASSERT_EQ(cuMemsetD32_v2(Block.Memory, 0, 1), Success);
  size_t Size = sizeof(Block);
  void *Extra[] = {reinterpret_cast<void *>(1), &Block,
                   reinterpret_cast<void *>(2), &Size, nullptr};
  EXPECT_EQ(cuLaunchKernel(Add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, Extra),
            Success);
  unsigned Result = 0;
  EXPECT_EQ(cuMemcpyDtoH_v2(&Result, Block.Memory, 4), Success);
  EXPECT_EQ(Result, 8u);
  Size = 8; // too short for the second one
  EXPECT_EQ(cuLaunchKernel(Add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, Extra),
            InvalidValue);
  // What is missing of the last one is zero.
  Block.Value = 0x10001;
  Size = 10;
  EXPECT_EQ(cuLaunchKernel(Add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, Extra),
            Success);
  EXPECT_EQ(cuMemcpyDtoH_v2(&Result, Block.Memory, 4), Success);
  EXPECT_EQ(Result, 16u);
  EXPECT_EQ(cuModuleUnload(Loaded), Success);
}

/// A kernel, and a function and a variable that it has from another module.
TEST_F(CudaDriver, LinksSeveralInputs) {
  std::string Main = R"(
.version 8.0
.target sm_90
.address_size 64
.extern .func (.param .b32 r) twice(.param .b32 x);
.extern .global .align 4 .u32 bias;
.visible .entry add(.param .u64 p, .param .u32 v) {
  .reg .u64 %p, %a; .reg .u32 %v, %t, %o, %b;
  ld.param.u64 %p, [p];
  ld.param.u32 %v, [v];
  {
    .param .b32 x, r;
    st.param.b32 [x], %v;
    call (r), twice, (x);
    ld.param.b32 %v, [r];
  }
  ld.global.u32 %b, [bias];
  add.u32 %v, %v, %b;
  mov.u32 %t, %tid.x;
  mul.wide.u32 %a, %t, 4;
  add.u64 %p, %p, %a;
  ld.global.u32 %o, [%p];
  add.u32 %o, %o, %v;
  st.global.u32 [%p], %o;
  ret;
})";
  std::string Other = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .global .align 4 .u32 bias = 7;
.visible .func (.param .b32 r) twice(.param .b32 x) {
  .reg .u32 %x;
  ld.param.b32 %x, [x];
  add.u32 %x, %x, %x;
  st.param.b32 [r], %x;
  ret;
})";
  constexpr int PTX = 1, NVVM = 5;
  char Log[512] = "";
  int Options[] = {5, 6, 7}; // the error's log and its size; -O
  void *Values[] = {Log, reinterpret_cast<void *>(sizeof(Log)),
                    reinterpret_cast<void *>(1)};
  void *State, *Image, *Loaded;
  size_t Size;
  ASSERT_EQ(cuLinkCreate_v2(3, Options, Values, &State), Success);
  EXPECT_EQ(cuLinkComplete(State, &Image, &Size), InvalidValue); // nothing
  auto Add = [&](std::string &Text, const char *Name) {
    return cuLinkAddData_v2(State, PTX, Text.data(), Text.size() + 1, Name, 0,
                            nullptr, nullptr);
  };
  EXPECT_EQ(Add(Main, "main"), Success);
  EXPECT_EQ(cuLinkComplete(State, &Image, &Size), InvalidPtx);
  EXPECT_NE(std::strstr(Log, "twice"), nullptr) << Log;
  EXPECT_EQ(cuLinkAddData_v2(State, NVVM, Main.data(), Main.size(), "n", 0,
                             nullptr, nullptr),
            NotSupported);
  EXPECT_EQ(Add(Other, "other"), Success);
  ASSERT_EQ(cuLinkComplete(State, &Image, &Size), Success) << Log;
  ASSERT_EQ(cuModuleLoadData(&Loaded, Image), Success);
  EXPECT_EQ(cuLinkDestroy(State), Success);
  EXPECT_EQ(cuLinkDestroy(State), InvalidValue);
  EXPECT_EQ(runAdd(Loaded, 5), 100u + 2 * 5 + 7);
  EXPECT_EQ(cuModuleUnload(Loaded), Success);
}

TEST_F(CudaDriver, HandsOverTheCompilersMessages) {
  char Log[512] = "";
  void *Loaded;
  int Options[] = {5, 6}; // CU_JIT_ERROR_LOG_BUFFER and its size
  void *Values[] = {Log, reinterpret_cast<void *>(sizeof(Log))};
  EXPECT_EQ(cuModuleLoadDataEx(&Loaded, ".version 8.0\n.target sm_90\nbad", 2,
                               Options, Values),
            InvalidPtx);
  EXPECT_NE(std::strstr(Log, "bad"), nullptr) << Log;
  EXPECT_EQ(reinterpret_cast<size_t>(Values[1]), std::strlen(Log) + 1);
}

TEST_F(CudaDriver, KnowsPointersErrorsAndFunctions) {
  Address Memory;
  ASSERT_EQ(cuMemAlloc_v2(&Memory, 64), Success);
  unsigned Type = 0;
  EXPECT_EQ(cuPointerGetAttribute(&Type, 2, Memory + 8), Success);
  EXPECT_EQ(Type, 2u); // CU_MEMORYTYPE_DEVICE
  EXPECT_EQ(cuPointerGetAttribute(&Type, 2, 4), InvalidValue);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);

  const char *Text;
  EXPECT_EQ(cuGetErrorName(700, &Text), Success);
  EXPECT_STREQ(Text, "CUDA_ERROR_ILLEGAL_ADDRESS");
  EXPECT_EQ(cuGetErrorString(700, &Text), Success);
  EXPECT_STREQ(Text, "an illegal memory access was encountered");
  EXPECT_EQ(cuGetErrorName(12345, &Text), InvalidValue);

  void *Found, *Symbol;
  int Status;
  EXPECT_EQ(cuGetProcAddress_v2("cuMemAlloc", &Found, 12000, 0, &Status),
            Success);
  EXPECT_EQ(cuGetProcAddress_v2("cuMemAlloc_v2", &Symbol, 12000, 0, &Status),
            Success);
  EXPECT_EQ(Found, Symbol);
  // With the thread's default stream another function.
  EXPECT_EQ(cuGetProcAddress_v2("cuLaunchKernel", &Found, 12000, 0, &Status),
            Success);
  EXPECT_EQ(cuGetProcAddress_v2("cuLaunchKernel", &Symbol, 12000, 2, &Status),
            Success);
  EXPECT_NE(Found, Symbol);
  EXPECT_EQ(cuGetProcAddress_v2("cuNone", &Found, 12000, 0, &Status), Success);
  EXPECT_EQ(Found, nullptr);
  EXPECT_EQ(Status, 1);
  EXPECT_EQ(cuGetProcAddress_v2("cuInit", &Found, 12000, 3, &Status),
            InvalidValue); // both default streams
}

/// XGBoost and others end where the driver has no such function, though they
/// may never call it.
TEST_F(CudaDriver, HandsOutFunctionsThatFail) {
  for (const char *Name :
       {"cuMemBatchDecompressAsync", "cuGraphicsGLRegisterBuffer"}) {
    void *Found, *PerThread;
    int Status;
    EXPECT_EQ(cuGetProcAddress_v2(Name, &Found, 12090, 0, &Status), Success);
    ASSERT_NE(Found, nullptr) << Name;
    EXPECT_EQ(Status, 0);
    EXPECT_EQ(reinterpret_cast<int (*)()>(Found)(), NotSupported);
    EXPECT_EQ(cuGetProcAddress_v2(Name, &PerThread, 12090, 2, &Status),
              Success);
    EXPECT_EQ(Found != PerThread, Name[2] == 'M') << Name;
  }
  // The newest one is meant.
  void *Found, *Symbol;
  int Status;
  EXPECT_EQ(cuGetProcAddress_v2("cuGLGetDevices", &Found, 12090, 0, &Status),
            Success);
  EXPECT_EQ(
      cuGetProcAddress_v2("cuGLGetDevices_v2", &Symbol, 12090, 0, &Status),
      Success);
  EXPECT_EQ(Found, Symbol);
}

/// A program gets the function that its version of CUDA had: parameters differ.
TEST_F(CudaDriver, HandsOutTheFunctionsOfAVersion) {
  struct {
    int Version;
    const char *Symbol;
  } Known[] = {{3000, "cuCtxCreate"},     {3020, "cuCtxCreate_v2"},
               {11030, "cuCtxCreate_v2"}, {11040, "cuCtxCreate_v3"},
               {12040, "cuCtxCreate_v3"}, {12050, "cuCtxCreate_v4"},
               {99000, "cuCtxCreate_v4"}};
  for (auto [Version, Symbol] : Known) {
    void *Found, *Expected;
    int Status;
    EXPECT_EQ(cuGetProcAddress_v2("cuCtxCreate", &Found, Version, 0, &Status),
              Success);
    EXPECT_EQ(cuGetProcAddress_v2(Symbol, &Expected, Version, 0, &Status),
              Success);
    EXPECT_EQ(Found, Expected) << Version;
  }
  void *Found;
  int Status;
  EXPECT_EQ(cuGetProcAddress_v2("cuMemAlloc", &Found, 3000, 0, &Status),
            Success);
  EXPECT_EQ(Found, nullptr);
  EXPECT_EQ(Status, 2); // the version is too old
  // Who does not ask for the status looks at the pointer, as numba-cuda-mlir
  // does; the function of CUDA 11.3 has no other way to tell.
  Found = &Status;
  EXPECT_EQ(cuGetProcAddress_v2("cuMemAlloc", &Found, 3000, 0, nullptr),
            Success);
  EXPECT_EQ(Found, nullptr);
  EXPECT_EQ(cuGetProcAddress("cuMemAlloc", &Found, 3000, 0), NotFound);
  // Where a later version has no function of the thread's own stream, the
  // newest counts all the same.
  void *Old, *New;
  EXPECT_EQ(cuGetProcAddress_v2("cuMemAdvise", &Old, 12000, 2, &Status),
            Success);
  EXPECT_EQ(cuGetProcAddress_v2("cuMemAdvise", &New, 13000, 2, &Status),
            Success);
  EXPECT_NE(Old, New);
}

/// What programs ask for by the version in which CUDA had it first.
TEST_F(CudaDriver, HandsOutFunctionsByTheirFirstVersion) {
  struct {
    const char *Name, *Symbol;
    int Version;
  } Known[] = {{"cuIpcOpenMemHandle", "cuIpcOpenMemHandle", 4010},
               {"cuIpcOpenMemHandle", "cuIpcOpenMemHandle_v2", 11000},
               {"cuStreamBeginCapture", "cuStreamBeginCapture", 10000},
               {"cuStreamBeginCapture", "cuStreamBeginCapture_v2", 10010},
               {"cuCtxGetDevice", "cuCtxGetDevice", 12000},
               {"cuCtxGetDevice", "cuCtxGetDevice_v2", 13000},
               {"cuCtxSynchronize", "cuCtxSynchronize_v2", 13000},
               {"cuStreamGetCtx", "cuStreamGetCtx_v2", 12050}};
  for (auto [Name, Symbol, Version] : Known) {
    void *Found, *Expected = dlsym(RTLD_DEFAULT, Symbol);
    int Status;
    EXPECT_EQ(cuGetProcAddress_v2(Name, &Found, Version, 0, &Status), Success);
    EXPECT_EQ(Status, 0);
    EXPECT_NE(Found, nullptr);
    void *Whole;
    EXPECT_EQ(cuGetProcAddress_v2(Symbol, &Whole, Version, 0, &Status),
              Success);
    EXPECT_EQ(Found, Whole) << Symbol;
    EXPECT_NE(Expected, nullptr) << Symbol;
    EXPECT_EQ(cuGetProcAddress_v2(Name, &Found, 2000, 0, &Status), Success);
  }
}

/// All that CUDA 13.5 numbers, and no more.
TEST_F(CudaDriver, AnswersAllAttributes) {
  constexpr int Last = 161;
  int Value;
  for (int A = 1; A <= Last; ++A)
    EXPECT_EQ(cuDeviceGetAttribute(&Value, A, 0), Success) << A;
  for (int A : {-1, 0, Last + 1, 1000})
    EXPECT_EQ(cuDeviceGetAttribute(&Value, A, 0), InvalidValue) << A;
  struct {
    int Attribute, Value;
  } Known[] = {{10, 32}, {41, 1},  {73, 32768}, {102, 1}, {103, 1},
               {104, 0}, {110, 0}, {115, 1},    {120, 1}, {127, 1},
               {128, 0}, {132, 1}, {134, -1}};
  for (auto [Attribute, Expected] : Known) {
    EXPECT_EQ(cuDeviceGetAttribute(&Value, Attribute, 0), Success);
    EXPECT_EQ(Value, Expected) << Attribute;
  }
}

constexpr char Bounded[] = R"(
.version 8.0
.target sm_90
.address_size 64
.const .align 4 .b8 table[80];
.visible .entry read(.param .u64 p) .maxntid 64, 1, 1 {
  .reg .u64 %p, %a; .reg .u32 %v, %t;
  ld.param.u64 %p, [p];
  mov.u32 %t, %tid.x;
  and.b32 %t, %t, 15;
  mul.wide.u32 %a, %t, 4;
  mov.u64 %p, table;
  add.u64 %a, %a, %p;
  ld.const.u32 %v, [%a];
  ld.param.u64 %p, [p];
  st.global.u32 [%p], %v;
  ret;
})";

/// The driver API has other codes than the runtime API.
TEST_F(CudaDriver, RefusesLaunchesInItsOwnTerms) {
  void *Loaded, *Read;
  ASSERT_EQ(cuModuleLoadData(&Loaded, Bounded), Success);
  ASSERT_EQ(cuModuleGetFunction(&Read, Loaded, "read"), Success);
  int Bytes = 0;
  constexpr int ConstantBytes = 2; // of CUfunction_attribute
  EXPECT_EQ(cuFuncGetAttribute(&Bytes, ConstantBytes, Read), Success);
  EXPECT_EQ(Bytes, 80);
  Address Memory;
  ASSERT_EQ(cuMemAlloc_v2(&Memory, 64), Success);
  void *Arguments[] = {&Memory};
  const unsigned Shapes[][6] = {{1, 1, 1, 2048, 1, 1},  {1, 1, 1, 65, 1, 1},
                                {0, 1, 1, 32, 1, 1},    {1, 1, 1, 0, 1, 1},
                                {1, 65536, 1, 1, 1, 1}, {1, 1, 1, 1, 1, 65}};
  for (const auto &S : Shapes)
    EXPECT_EQ(cuLaunchKernel(Read, S[0], S[1], S[2], S[3], S[4], S[5], 0,
                             nullptr, Arguments, nullptr),
              InvalidValue);
  EXPECT_EQ(
      cuLaunchKernel(Read, 1, 1, 1, 64, 1, 1, 0, nullptr, Arguments, nullptr),
      Success);
  EXPECT_EQ(cuModuleUnload(Loaded), Success);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);
}

TEST_F(CudaDriver, IsThatOfCUDA) {
  int Version = 0;
  ASSERT_EQ(cuDriverGetVersion(&Version), Success);
  EXPECT_EQ(Version, 13050);
  EXPECT_EQ(cuDriverGetVersion(nullptr), InvalidValue);
}

TEST_F(CudaDriver, SaysThatPTXIsTooNew) {
  void *Loaded;
  EXPECT_EQ(cuModuleLoadData(&Loaded, "// a comment with .version 1.0\n"
                                      ".version 99.0\n.target sm_90\n"),
            UnsupportedPtxVersion);
  EXPECT_EQ(cuModuleLoadData(&Loaded, ".version 8.0\n.target sm_90\nbad"),
            InvalidPtx);
}

/// The kernels of a large module are compiled when they are asked for, and have
/// the module's variables in common.
TEST_F(CudaDriver, KernelsOfALargeModuleShareItsVariables) {
  auto Kernel = [](const std::string &Name, const std::string &Change) {
    return ".visible .entry " + Name +
           "()\n{\n  .reg .b32 %r<3>;\n  ld.global.u32 %r1, [number];\n  " +
           Change +
           " %r2, %r1, 5;\n  st.global.u32 [number], %r2;\n  ret;\n}\n";
  };
  std::string Padding(300 << 10, '\n');
  std::string PTX = ".version 8.0\n.target sm_90\n.address_size 64\n" +
                    Padding + ".visible .global .u32 number = 7;\n" +
                    Kernel("add", "add.u32") + Kernel("times", "mul.lo.u32");
  void *Module, *Add, *Times;
  ASSERT_EQ(cuModuleLoadData(&Module, PTX.c_str()), Success);
  ASSERT_EQ(cuModuleGetFunction(&Times, Module, "times"), Success);
  ASSERT_EQ(cuModuleGetFunction(&Add, Module, "add"), Success);
  for (void *K : {Times, Add, Times})
    ASSERT_EQ(cuLaunchKernel(K, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
              Success);
  Address Number;
  size_t Bytes;
  ASSERT_EQ(cuModuleGetGlobal_v2(&Number, &Bytes, Module, "number"), Success);
  unsigned Value = 0;
  ASSERT_EQ(cuMemcpyDtoH_v2(&Value, Number, sizeof(Value)), Success);
  EXPECT_EQ(Value, (7u * 5 + 5) * 5);
  ASSERT_EQ(cuModuleUnload(Module), Success);
  // What is wrong with one kernel is said when the module is loaded.
  EXPECT_EQ(cuModuleLoadData(&Module, (PTX + ".entry wrong() { bad }").c_str()),
            InvalidPtx);
}

/// What a library keeps with a context by a table that has no header. What
/// Wine's tests of NVIDIA's driver expect of it.
TEST_F(CudaDriver, ContextsKeepWhatLibrariesPut) {
  const unsigned char Id[16] = {0xC6, 0x93, 0x33, 0x6E, 0x11, 0x21, 0xDF, 0x11,
                                0xA8, 0xC3, 0x68, 0xF3, 0x55, 0xD8, 0x95, 0x93};
  using Told = std::vector<std::array<void *, 2>>;
  using Ended = void (*)(void *, void *, void *);
  struct Functions {
    int (*Put)(void *, void *, void *, Ended);
    int (*Remove)(void *, void *);
    int (*Get)(void **, void *, void *);
  };
  const void *Table = nullptr;
  ASSERT_EQ(cuGetExportTable(&Table, Id), Success);
  const auto &F = *static_cast<const Functions *>(Table);
  int Keys[2], Values[2];
  void *Got = &Keys;
  void *First, *Second;
  ASSERT_EQ(cuCtxCreate_v2(&First, 0, 0), Success);
  ASSERT_EQ(cuCtxCreate_v2(&Second, 0, 0), Success);

  EXPECT_EQ(F.Get(&Got, nullptr, &Keys[0]), InvalidHandle);
  EXPECT_EQ(Got, &Keys);
  ASSERT_EQ(F.Put(nullptr, &Keys[0], &Values[0], nullptr), Success);
  EXPECT_EQ(F.Put(nullptr, &Keys[0], &Values[1], nullptr), InvalidHandle);
  ASSERT_EQ(F.Put(First, &Keys[0], &Values[1], nullptr), Success);
  EXPECT_EQ(F.Get(&Got, nullptr, &Keys[0]), Success);
  EXPECT_EQ(Got, &Values[0]);
  EXPECT_EQ(F.Get(&Got, Second, &Keys[0]), Success);
  EXPECT_EQ(Got, &Values[0]);
  EXPECT_EQ(F.Get(&Got, First, &Keys[0]), Success);
  EXPECT_EQ(Got, &Values[1]);
  EXPECT_EQ(F.Remove(First, &Keys[0]), Success);
  EXPECT_EQ(F.Remove(First, &Keys[0]), InvalidHandle);
  EXPECT_EQ(F.Get(&Got, First, &Keys[0]), InvalidHandle);

  // Of the end of a context it is told, of what is removed it is not.
  Told Ends;
  auto Tell = [](void *Context, void *Key, void *Place) {
    static_cast<Told *>(Place)->push_back({Context, Key});
  };
  ASSERT_EQ(F.Put(First, &Keys[0], &Ends, Tell), Success);
  ASSERT_EQ(F.Put(First, &Keys[1], &Ends, Tell), Success);
  EXPECT_EQ(F.Remove(First, &Keys[0]), Success);
  EXPECT_EQ(cuCtxDestroy_v2(Second), Success);
  EXPECT_TRUE(Ends.empty());
  EXPECT_EQ(cuCtxDestroy_v2(First), Success);
  EXPECT_EQ(Ends, (Told{{First, &Keys[1]}}));
  EXPECT_EQ(F.Get(&Got, First, &Keys[1]), InvalidContext);
}

/// The tables by which NVIDIA's libraries ask for the current context and for
/// its number, at the places that public lists of such tables name.
TEST_F(CudaDriver, TablesNameTheCurrentContext) {
  const unsigned char Thread[16] = {0x42, 0xD8, 0x5A, 0x81, 0x23, 0xF6,
                                    0xCB, 0x47, 0x82, 0x98, 0xF6, 0xE7,
                                    0x8A, 0x3A, 0xEC, 0xDC};
  const unsigned char Context[16] = {0x21, 0x31, 0x8C, 0x60, 0x97, 0x14,
                                     0x32, 0x48, 0x8C, 0xA6, 0x41, 0xFF,
                                     0x73, 0x24, 0xC8, 0xF2};
  auto FunctionAt = [](const unsigned char *Id, unsigned Byte) {
    const void *Table = nullptr;
    EXPECT_EQ(cuGetExportTable(&Table, Id), 0);
    EXPECT_LT(Byte, *static_cast<const uint64_t *>(Table));
    return static_cast<const void *const *>(Table)[Byte / 8];
  };
  auto *Current = reinterpret_cast<int (*)(void **)>(
      const_cast<void *>(FunctionAt(Thread, 0x10)));
  auto *NumberOf = reinterpret_cast<int (*)(void *, unsigned long long *)>(
      const_cast<void *>(FunctionAt(Context, 0x20)));
  void *Expected, *Got = nullptr;
  ASSERT_EQ(cuCtxGetCurrent(&Expected), 0);
  ASSERT_EQ(Current(&Got), 0);
  EXPECT_NE(Got, nullptr);
  EXPECT_EQ(Got, Expected);
  unsigned long long Number, Id;
  ASSERT_EQ(NumberOf(Got, &Number), 0);
  ASSERT_EQ(cuCtxGetId(Got, &Id), 0);
  EXPECT_EQ(Number, Id);

  // Streams by handle: the default one is what its flag says.
  auto *StreamOf = reinterpret_cast<int (*)(void *, void *, void **, unsigned)>(
      const_cast<void *>(FunctionAt(Context, 0x198)));
  auto *StreamNumber =
      reinterpret_cast<int (*)(void *, void *, unsigned long long *)>(
          const_cast<void *>(FunctionAt(Context, 0x138)));
  void *Created, *Meant, *Legacy, *PerThread;
  ASSERT_EQ(cuStreamCreate(&Created, 0), 0);
  ASSERT_EQ(StreamOf(Got, Created, &Meant, 0), 0);
  ASSERT_EQ(StreamOf(Got, nullptr, &Legacy, 0), 0);
  ASSERT_EQ(StreamOf(Got, nullptr, &PerThread, 1), 0);
  EXPECT_EQ(Meant, Created);
  EXPECT_NE(Legacy, PerThread);
  std::set<unsigned long long> Numbers;
  for (void *Stream : {Meant, Legacy, PerThread}) {
    ASSERT_EQ(StreamNumber(Got, Stream, &Number), 0);
    ASSERT_EQ(cuStreamGetId(Stream, &Id), 0);
    EXPECT_EQ(Number, Id);
    Numbers.insert(Number);
  }
  EXPECT_EQ(Numbers.size(), 3u);
  EXPECT_EQ(StreamOf(Got, Created, nullptr, 0), InvalidValue);
  EXPECT_EQ(cuStreamDestroy_v2(Created), 0);
}

/// A hint names who has NVIDIA's runtime in it, once, and what to do.
TEST_F(CudaDriver, SaysWhoHasARuntimeOfNvidias) {
  const unsigned char Interface[16] = {0x6B, 0xD5, 0xFB, 0x6C, 0x5B, 0xF4,
                                       0xE7, 0x4A, 0x89, 0x87, 0xD9, 0x39,
                                       0x12, 0xFD, 0x9D, 0xF9};
  const unsigned char Nvrtc[16] = {0xDA, 0x91, 0x51, 0xD3, 0x3A, 0xE6,
                                   0xCC, 0x41, 0xA5, 0xC0, 0x4F, 0x26,
                                   0xD5, 0x33, 0xE3, 0x28};
  void *Library = dlopen(HEDDLE_STATIC_RUNTIME, RTLD_NOW);
  ASSERT_NE(Library, nullptr) << dlerror();
  auto *Ask = reinterpret_cast<int (*)(const void **, const void *)>(
      dlsym(Library, "askForTable"));
  ASSERT_NE(Ask, nullptr);
  auto Said = [](auto Asker, const void *Id) {
    const void *Table = &Table;
    testing::internal::CaptureStderr();
    EXPECT_EQ(Asker(&Table, Id), InvalidValue);
    EXPECT_EQ(Table, nullptr);
    return testing::internal::GetCapturedStderr();
  };
  // Who misses nothing is told nothing.
  EXPECT_EQ(Said(cuGetExportTable, Nvrtc), "");
  EXPECT_EQ(Said(Ask, Nvrtc), "");
  std::string Program = Said(cuGetExportTable, Interface);
  EXPECT_NE(Program.find("the program "), std::string::npos) << Program;
  EXPECT_NE(Program.find("CudaDriverTests"), std::string::npos) << Program;
  EXPECT_NE(Program.find("NVCC_APPEND_FLAGS=\"-cudart shared\""),
            std::string::npos);
  EXPECT_EQ(Said(cuGetExportTable, Interface), "");
  std::string Named = Said(Ask, Interface);
  EXPECT_NE(Named.find("the library "), std::string::npos) << Named;
  EXPECT_NE(Named.find("CudaStaticRuntime"), std::string::npos) << Named;
  EXPECT_EQ(Named.find("NVCC_APPEND_FLAGS"), std::string::npos) << Named;
  EXPECT_EQ(Said(Ask, Interface), "");
  dlclose(Library);
}

TEST_F(CudaDriver, NeedsAContext) {
  void *Own, *Current;
  ASSERT_EQ(cuCtxPopCurrent_v2(&Own), Success);
  ASSERT_EQ(cuCtxGetCurrent(&Current), Success);
  EXPECT_EQ(Current, nullptr);
  Address Memory;
  EXPECT_EQ(cuMemAlloc_v2(&Memory, 64), InvalidContext);
  // Taichi sets up the pool of a device before it has a context.
  void *Pool;
  uint64_t Threshold = 1 << 20, Found = 0;
  constexpr int ReleaseThreshold = 4;
  EXPECT_EQ(cuDeviceGetDefaultMemPool(&Pool, 0), Success);
  EXPECT_EQ(cuMemPoolSetAttribute(Pool, ReleaseThreshold, &Threshold), Success);
  EXPECT_EQ(cuMemPoolGetAttribute(Pool, ReleaseThreshold, &Found), Success);
  EXPECT_EQ(Found, Threshold);
  Threshold = 0;
  EXPECT_EQ(cuMemPoolSetAttribute(Pool, ReleaseThreshold, &Threshold), Success);
  ASSERT_EQ(cuCtxPushCurrent_v2(Own), Success);
  EXPECT_EQ(cuMemAlloc_v2(&Memory, 64), Success);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);
}

/// Threads without a context may ask what an address is.
TEST_F(CudaDriver, DescribesPointersInNoContext) {
  Address Memory;
  ASSERT_EQ(cuMemAlloc_v2(&Memory, 64), Success);
  void *Own, *Of = nullptr;
  ASSERT_EQ(cuCtxPopCurrent_v2(&Own), Success);
  unsigned Type = 0;
  EXPECT_EQ(cuPointerGetAttribute(&Of, 1, Memory), Success);
  EXPECT_NE(Of, nullptr);
  EXPECT_EQ(cuPointerGetAttribute(&Type, 2, Memory), Success);
  EXPECT_EQ(Type, 2u); // CU_MEMORYTYPE_DEVICE
  int Asked = 2;
  void *Answer = &Type;
  EXPECT_EQ(cuPointerGetAttributes(1, &Asked, &Answer,
                                   reinterpret_cast<Address>(&Type)),
            Success);
  EXPECT_EQ(Type, 0u);
  ASSERT_EQ(cuCtxPushCurrent_v2(Own), Success);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);
}

} // namespace
