//===- CudaJitLinkTest.cpp - Tests of libnvJitLink.so.13 --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program that links PTX itself, by the names that NVIDIA's header has, and
// loads the result.
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

extern "C" {
int nvJitLinkVersion(unsigned *, unsigned *);
int __nvJitLinkCreate_13_0(void **, uint32_t, const char **);
int __nvJitLinkDestroy_13_0(void **);
int __nvJitLinkAddData_13_0(void *, int, const void *, size_t, const char *);
int __nvJitLinkComplete_13_0(void *);
int __nvJitLinkGetLinkedCubinSize_13_0(void *, size_t *);
int __nvJitLinkGetLinkedCubin_13_0(void *, void *);
int __nvJitLinkGetErrorLogSize_13_0(void *, size_t *);
int __nvJitLinkGetErrorLog_13_0(void *, char *);
int __nvJitLinkGetInfoLogSize_13_0(void *, size_t *);
int __nvJitLinkGetInfoLog_13_0(void *, char *);
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxPushCurrent_v2(void *);
int cuCtxPopCurrent_v2(void **);
int cuModuleLoadData(void **, const void *);
int cuModuleUnload(void *);
int cuModuleGetFunction(void **, void *, const char *);
int __nvJitLinkGetLinkedPtxSize_13_0(void *, size_t *);
int __nvJitLinkGetLinkedPtx_13_0(void *, char *);
int cuModuleGetGlobal_v2(unsigned long long *, size_t *, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned, void *, void **, void **);
int cuMemcpyDtoH_v2(void *, unsigned long long, size_t);
}

namespace {

constexpr int Success = 0, UnrecognizedOption = 1, MissingArch = 2,
              PTXCompile = 4, Internal = 6, NullInput = 10, LTONotEnabled = 18;
constexpr int PTX = 2, LTOIR = 3;

const std::string Head = ".version 8.0\n.target sm_90\n.address_size 64\n";
const std::string Main = Head + R"(
.extern .func (.param .b32 r) answer();
.visible .global .align 4 .u32 result = 1;
.visible .entry run() {
  .reg .u32 %v;
  {
    .param .b32 r;
    call (r), answer;
    ld.param.b32 %v, [r];
  }
  st.global.u32 [result], %v;
  ret;
})";
const std::string Library = Head + R"(
.visible .func (.param .b32 r) answer() {
  st.param.b32 [r], 42;
  ret;
})";

class CudaJitLink : public testing::Test {
protected:
  void SetUp() override {
    setenv("HEDDLE_CACHE_MODE", "off", 1);
    void *Context;
    ASSERT_EQ(cuInit(0), Success);
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&Context, 0), Success);
    ASSERT_EQ(cuCtxPushCurrent_v2(Context), Success);
  }
  void TearDown() override {
    if (Link)
      EXPECT_EQ(__nvJitLinkDestroy_13_0(&Link), Success);
    cuCtxPopCurrent_v2(nullptr);
  }
  int create(std::vector<const char *> Options) {
    return __nvJitLinkCreate_13_0(&Link, Options.size(), Options.data());
  }
  int add(const std::string &Text, const char *Name) {
    return __nvJitLinkAddData_13_0(Link, PTX, Text.c_str(), Text.size() + 1,
                                   Name);
  }
  std::string errors() {
    size_t Size = 0;
    EXPECT_EQ(__nvJitLinkGetErrorLogSize_13_0(Link, &Size), Success);
    std::string Log(Size, '?');
    EXPECT_EQ(__nvJitLinkGetErrorLog_13_0(Link, Log.data()), Success);
    EXPECT_EQ(Log.back(), 0);
    Log.pop_back();
    return Log;
  }

  void *Link = nullptr;
};

TEST_F(CudaJitLink, LinksModules) {
  ASSERT_EQ(create({"-arch=sm_90", "-O3", "-lineinfo", "-kernels-used=run",
                    "-variables-used=result"}),
            Success);
  EXPECT_EQ(add(Main, "main"), Success);
  EXPECT_EQ(add(Library, "library"), Success);
  ASSERT_EQ(__nvJitLinkComplete_13_0(Link), Success) << errors();
  size_t Size;
  ASSERT_EQ(__nvJitLinkGetLinkedCubinSize_13_0(Link, &Size), Success);
  std::vector<char> Image(Size);
  ASSERT_EQ(__nvJitLinkGetLinkedCubin_13_0(Link, Image.data()), Success);

  void *Module, *Run;
  unsigned long long Place;
  unsigned Result = 0;
  ASSERT_EQ(cuModuleLoadData(&Module, Image.data()), Success);
  ASSERT_EQ(cuModuleGetFunction(&Run, Module, "run"), Success);
  ASSERT_EQ(cuModuleGetGlobal_v2(&Place, &Size, Module, "result"), Success);
  EXPECT_EQ(cuLaunchKernel(Run, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            Success);
  EXPECT_EQ(cuMemcpyDtoH_v2(&Result, Place, 4), Success);
  EXPECT_EQ(Result, 42u);
  EXPECT_EQ(cuModuleUnload(Module), Success);
}

/// As XLA finds out the newest version: when PTX is added, in ptxas's words.
TEST_F(CudaJitLink, SaysThatPTXIsTooNew) {
  ASSERT_EQ(create({"-arch=sm_90a"}), Success);
  EXPECT_EQ(add(".version 99.99", nullptr), PTXCompile);
  EXPECT_NE(
      errors().find("Unsupported .version 99.99; current version is '9.5'"),
      std::string::npos)
      << errors();
}

/// What is wrong is told in the log.
TEST_F(CudaJitLink, TellsWhatIsWrong) {
  EXPECT_EQ(create({"-O3"}), MissingArch);
  EXPECT_EQ(__nvJitLinkDestroy_13_0(&Link), Success);
  EXPECT_EQ(__nvJitLinkDestroy_13_0(&Link), NullInput);
  EXPECT_EQ(create({"-arch=sm_90", "-colour"}), UnrecognizedOption);
  EXPECT_NE(errors().find("-colour"), std::string::npos);
  EXPECT_EQ(__nvJitLinkDestroy_13_0(&Link), Success);

  ASSERT_EQ(create({"-arch=sm_90"}), Success);
  size_t Size;
  EXPECT_EQ(__nvJitLinkGetLinkedCubinSize_13_0(Link, &Size), Internal);
  EXPECT_EQ(__nvJitLinkAddData_13_0(Link, LTOIR, "x", 1, "ir"), LTONotEnabled);
  EXPECT_EQ(add(Main, "main"), Success);
  EXPECT_EQ(__nvJitLinkComplete_13_0(Link), PTXCompile);
  EXPECT_NE(errors().find("answer"), std::string::npos) << errors();
}

/// What NVIDIA's compilers give for LTO-IR under ptx-env.
TEST_F(CudaJitLink, TakesPTXForLTOIR) {
  ASSERT_EQ(create({"-arch=sm_90", "-lto"}), Success);
  for (const std::string *Text : {&Main, &Library})
    EXPECT_EQ(
        __nvJitLinkAddData_13_0(Link, LTOIR, Text->data(), Text->size(), "ir"),
        Success);
  EXPECT_EQ(__nvJitLinkComplete_13_0(Link), Success) << errors();
  size_t Size;
  EXPECT_EQ(__nvJitLinkGetLinkedCubinSize_13_0(Link, &Size), Success);
  EXPECT_EQ(__nvJitLinkGetLinkedPtxSize_13_0(Link, &Size), LTONotEnabled);
}

/// CCCL looks for the values of variables in it.
TEST_F(CudaJitLink, GivesPTXOfOneInput) {
  ASSERT_EQ(create({"-arch=sm_90", "-lto", "-ptx"}), Success);
  EXPECT_EQ(__nvJitLinkAddData_13_0(Link, LTOIR, Library.c_str(),
                                    Library.size() + 1, "ir"),
            Success);
  ASSERT_EQ(__nvJitLinkComplete_13_0(Link), Success) << errors();
  size_t Size = 0;
  ASSERT_EQ(__nvJitLinkGetLinkedPtxSize_13_0(Link, &Size), Success);
  ASSERT_EQ(Size, Library.size() + 1);
  std::string Text(Size, '?');
  EXPECT_EQ(__nvJitLinkGetLinkedPtx_13_0(Link, Text.data()), Success);
  EXPECT_EQ(Text, Library + '\0');

  EXPECT_EQ(add(Main, "main"), Success);
  EXPECT_EQ(__nvJitLinkComplete_13_0(Link), LTONotEnabled);
  EXPECT_NE(errors().find("-ptx"), std::string::npos) << errors();
  EXPECT_EQ(__nvJitLinkGetLinkedPtxSize_13_0(Link, &Size), LTONotEnabled);
  EXPECT_EQ(__nvJitLinkGetLinkedPtx_13_0(Link, Text.data()), LTONotEnabled);
}

/// A declaration with a result of a function without one, which nvlink refuses.
TEST_F(CudaJitLink, OnlyWarnsOfPrototypes) {
  const std::string Caller = Head + R"(
.extern .func (.param .b64 r) consume(.param .b32 x);
.visible .global .align 4 .u32 seen;
.visible .entry run() {
  .reg .u64 %v;
  {
    .param .b32 p;
    .param .b64 q;
    st.param.b32 [p], 5;
    call (q), consume, (p);
    ld.param.b64 %v, [q];
  }
  ret;
})";
  const std::string Consumer = Head + R"(
.extern .global .align 4 .u32 seen;
.visible .func consume(.param .b32 x) {
  .reg .u32 %v;
  ld.param.u32 %v, [x];
  st.global.u32 [seen], %v;
  ret;
})";
  ASSERT_EQ(create({"-arch=sm_90"}), Success);
  EXPECT_EQ(add(Caller, "caller"), Success);
  EXPECT_EQ(add(Consumer, "consumer"), Success);
  ASSERT_EQ(__nvJitLinkComplete_13_0(Link), Success) << errors();
  EXPECT_EQ(errors(), "");
  size_t Size = 0;
  EXPECT_EQ(__nvJitLinkGetInfoLogSize_13_0(Link, &Size), Success);
  std::string Log(Size, '?');
  EXPECT_EQ(__nvJitLinkGetInfoLog_13_0(Link, Log.data()), Success);
  EXPECT_NE(Log.find("Prototype doesn't match: 'consume'"), std::string::npos)
      << Log;

  ASSERT_EQ(__nvJitLinkGetLinkedCubinSize_13_0(Link, &Size), Success);
  std::vector<char> Image(Size);
  ASSERT_EQ(__nvJitLinkGetLinkedCubin_13_0(Link, Image.data()), Success);
  void *Module, *Run;
  unsigned long long Place;
  ASSERT_EQ(cuModuleLoadData(&Module, Image.data()), Success);
  ASSERT_EQ(cuModuleGetFunction(&Run, Module, "run"), Success);
  ASSERT_EQ(cuModuleGetGlobal_v2(&Place, &Size, Module, "seen"), Success);
  ASSERT_EQ(cuLaunchKernel(Run, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr),
            Success);
  unsigned Seen = 0;
  EXPECT_EQ(cuMemcpyDtoH_v2(&Seen, Place, 4), Success);
  EXPECT_EQ(Seen, 5u);
  EXPECT_EQ(cuModuleUnload(Module), Success);
}

/// All that NVIDIA documents, with values as programs give them.
TEST_F(CudaJitLink, TakesTheOptionsOfNvidias) {
  ASSERT_EQ(create({"-arch=sm_90",
                    "-maxrregcount=32",
                    "-time",
                    "-verbose",
                    "-lto",
                    "-ptx",
                    "-O2",
                    "-g",
                    "-lineinfo",
                    "-ftz=1",
                    "-prec-div=0",
                    "-prec-sqrt=0",
                    "-fma=0",
                    "-kernels-used=run",
                    "-variables-used=result",
                    "-optimize-unused-variables",
                    "-Xptxas=-O1",
                    "-Xnvvm=-opt-level=2",
                    "-numba-debug",
                    "-split-compile=2",
                    "-split-compile-extended=2",
                    "-jump-table-density=50",
                    "-no-cache",
                    "-device-stack-protector=true"}),
            Success)
      << errors();
}

/// Programs ask for LTO-IR, which only NVIDIA's compiler reads, from a later
/// version on.
TEST_F(CudaJitLink, IsOfTheFirstVersion) {
  unsigned Major, Minor;
  ASSERT_EQ(nvJitLinkVersion(&Major, &Minor), Success);
  EXPECT_EQ(Major, 12u);
  EXPECT_EQ(Minor, 0u);
}

} // namespace
