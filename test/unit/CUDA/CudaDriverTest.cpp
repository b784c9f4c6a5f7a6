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

#include "gtest/gtest.h"

#include <cstdint>
#include <cstring>
#include <string>

using Address = unsigned long long;

extern "C" {
int cuInit(unsigned);
int cuDeviceGetCount(int *);
int cuDeviceGet(int *, int);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxPushCurrent_v2(void *);
int cuCtxPopCurrent_v2(void **);
int cuCtxGetCurrent(void **);
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
int cuMemAlloc_v2(Address *, size_t);
int cuMemFree_v2(Address);
int cuMemcpyHtoD_v2(Address, const void *, size_t);
int cuMemcpyDtoH_v2(void *, Address, size_t);
int cuMemsetD32_v2(Address, unsigned, size_t);
int cuPointerGetAttribute(void *, int, Address);
int cuGetErrorName(int, const char **);
int cuGetErrorString(int, const char **);
int cuGetProcAddress_v2(const char *, void **, int, unsigned long long, int *);
}

namespace {

constexpr int Success = 0, InvalidValue = 1, InvalidContext = 201,
              InvalidPtx = 218, InvalidHandle = 400, NotFound = 500,
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

/// A program gets the function that its version of CUDA had: parameters differ.
TEST_F(CudaDriver, HandsOutTheFunctionsOfAVersion) {
  struct {
    int Version;
    const char *Symbol;
  } Known[] = {{3020, "cuCtxCreate_v2"},  {11030, "cuCtxCreate_v2"},
               {11040, "cuCtxCreate_v3"}, {12040, "cuCtxCreate_v3"},
               {12050, "cuCtxCreate_v4"}, {99000, "cuCtxCreate_v4"}};
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
  EXPECT_EQ(cuGetProcAddress_v2("cuCtxCreate", &Found, 3000, 0, &Status),
            Success);
  EXPECT_EQ(Found, nullptr);
  EXPECT_EQ(Status, 2); // the version is too old
  // Where a later version has no function of the thread's own stream, the
  // newest counts all the same.
  void *Old, *New;
  EXPECT_EQ(cuGetProcAddress_v2("cuMemAdvise", &Old, 12000, 2, &Status),
            Success);
  EXPECT_EQ(cuGetProcAddress_v2("cuMemAdvise", &New, 13000, 2, &Status),
            Success);
  EXPECT_NE(Old, New);
}

TEST_F(CudaDriver, NeedsAContext) {
  void *Own, *Current;
  ASSERT_EQ(cuCtxPopCurrent_v2(&Own), Success);
  ASSERT_EQ(cuCtxGetCurrent(&Current), Success);
  EXPECT_EQ(Current, nullptr);
  Address Memory;
  EXPECT_EQ(cuMemAlloc_v2(&Memory, 64), InvalidContext);
  ASSERT_EQ(cuCtxPushCurrent_v2(Own), Success);
  EXPECT_EQ(cuMemAlloc_v2(&Memory, 64), Success);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);
}

} // namespace
