//===- LinkTest.cpp - Tests of linking through the C API --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Several inputs of all kinds, from memory, become one code object.
//
//===----------------------------------------------------------------------===//

#include "JITFixture.h"

using namespace heddle::jit;

namespace {

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

/// Links Caller and Callee with options, and launches the result on 14.
class JITLinkedProgram : public JITLinker {
protected:
  std::string link(std::vector<const char *> Options) {
    HeddleCompileOptions O;
    heddleCompileOptionsInit(&O);
    O.Options = Options.data();
    O.NumOptions = Options.size();
    expectSuccess(heddleLinkerCreate(compiler(), &O, &Linker));
    add(Caller, "caller.ptx");
    add(Callee, "callee.ptx");
    HeddleCodeObject Code = nullptr;
    expectSuccess(heddleLinkerComplete(Linker, &Code));
    std::string Bytes(static_cast<const char *>(heddleCodeObjectGetData(Code)),
                      heddleCodeObjectGetSize(Code));
    heddleCodeObjectDestroy(Code);
    heddleLinkerDestroy(Linker);
    Linker = nullptr;
    return Bytes;
  }
  uint32_t run(const std::string &Program) {
    HeddleContextConfig C;
    heddleContextConfigInit(&C);
    C.StrictHazards = 1;
    HeddleContext Context = nullptr;
    HeddleModule Module = nullptr;
    HeddleAddress Data = 0;
    uint32_t Value = 14;
    expectSuccess(heddleContextCreate(&C, &Context));
    expectSuccess(
        heddleModuleLoad(Context, Program.data(), Program.size(), &Module));
    expectSuccess(heddleAllocate(Context, 4, &Data));
    expectSuccess(heddleCopyToDevice(Context, nullptr, Data, &Value, 4));
    const void *Argument = &Data;
    HeddleLaunch Launch;
    heddleLaunchInit(&Launch);
    Launch.Module = Module;
    Launch.Arguments = &Argument;
    Launch.NumArguments = 1;
    expectSuccess(heddleModuleGetKernel(Module, "calls", &Launch.Kernel));
    expectSuccess(heddleLaunch(Context, nullptr, &Launch));
    expectSuccess(heddleCopyFromDevice(Context, nullptr, &Value, Data, 4));
    expectSuccess(heddleContextSynchronize(Context));
    heddleModuleDestroy(Module);
    heddleContextDestroy(Context);
    return Value;
  }
};

/// All ways of linking give the program, with what a debugger reads where it is
/// asked for, and the same from the cache.
TEST_F(JITLinkedProgram, IsTheSameByEveryWay) {
  useCache();
  for (const char *Debug : {"-O3", "-lineinfo", "-g"}) {
    std::vector<std::vector<const char *>> Ways = {
        {Debug},
        {Debug, "-dlto"},
        {Debug, "-dlto", "--thin-lto"},
        {Debug, "-dlto", "--thin-lto", "--split-compile=2"}};
    for (const std::vector<const char *> &Way : Ways) {
      std::string Program = link(Way);
      EXPECT_EQ(run(Program), 42u);
      EXPECT_EQ(link(Way), Program);
      EXPECT_EQ(Program.find(".debug_line") != std::string::npos,
                std::string_view(Debug) != "-O3")
          << Debug << " and " << Way.size() - 1 << " more options";
    }
  }
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

} // namespace
