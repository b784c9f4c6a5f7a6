//===- JITFixture.h - What tests of the C API share -------------*- C++ -*-===//
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

#ifndef HEDDLE_TEST_UNIT_JIT_JITFIXTURE_H
#define HEDDLE_TEST_UNIT_JIT_JITFIXTURE_H

#include "heddle-c/heddle.h"
#include "gtest/gtest.h"

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace heddle::jit {

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

inline HeddleInput inputOf(const char *PTX, const char *Name = "test.ptx") {
  return {sizeof(HeddleInput), PTX, std::strlen(PTX), Name};
}

/// The code and text of an error, which is freed.
inline std::pair<HeddleErrorCode, std::string> taken(HeddleError E) {
  std::pair<HeddleErrorCode, std::string> Result{heddleErrorGetCode(E),
                                                 heddleErrorGetMessage(E)};
  heddleErrorDestroy(E);
  return Result;
}

inline void expectSuccess(HeddleError E) {
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

/// A context with a buffer of integers and kernel `twice`, ready to launch.
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

} // namespace heddle::jit

#endif // HEDDLE_TEST_UNIT_JIT_JITFIXTURE_H
