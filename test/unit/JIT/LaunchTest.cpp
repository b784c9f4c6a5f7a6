//===- LaunchTest.cpp - Tests of launches through the C API -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches, streams, events, graphs and faults.
//
//===----------------------------------------------------------------------===//

#include "JITFixture.h"

using namespace heddle::jit;

namespace {

TEST_F(JITRuntime, RunsWhatWasCompiled) {
  expectSuccess(heddleLaunch(Context, nullptr, &Launch));
  expectTimes(2);
  expectSuccess(heddleFree(Context, Data));
}

TEST(JITContext, FreshMemory) {
  HeddleContextConfig C;
  heddleContextConfigInit(&C);
  for (auto [Fresh, Wanted] :
       {std::pair(HEDDLE_FRESH_MEMORY_ZERO, uint32_t(0)),
        std::pair(HEDDLE_FRESH_MEMORY_POISON, uint32_t(0x7FFB7FFB))}) {
    C.FreshMemory = Fresh;
    HeddleContext Context = nullptr;
    ASSERT_EQ(heddleContextCreate(&C, &Context), nullptr);
    HeddleAddress Address = 0;
    uint32_t Word = 1;
    EXPECT_EQ(heddleAllocate(Context, sizeof(Word), &Address), nullptr);
    EXPECT_EQ(heddleCopyFromDevice(Context, nullptr, &Word, Address, 4),
              nullptr);
    EXPECT_EQ(heddleContextSynchronize(Context), nullptr);
    EXPECT_EQ(Word, Wanted);
    heddleContextDestroy(Context);
  }
  C.FreshMemory = static_cast<HeddleFreshMemory>(2);
  HeddleContext None = nullptr;
  HeddleError E = heddleContextCreate(&C, &None);
  ASSERT_NE(E, nullptr);
  EXPECT_EQ(heddleErrorGetCode(E), HEDDLE_ERROR_INVALID_ARGUMENT);
  heddleErrorDestroy(E);
}

/// A launch that writes behind the one word that is given out.
TEST_F(JIT, Bounds) {
  HeddleContextConfig C;
  heddleContextConfigInit(&C);
  HeddleCodeObject Code = compile();
  for (auto [Bounds, Wanted] :
       {std::pair(HEDDLE_MEMORY_BOUNDS_EXACT, HEDDLE_ERROR_KERNEL_FAULT),
        std::pair(HEDDLE_MEMORY_BOUNDS_PAGE, HEDDLE_SUCCESS)}) {
    C.Bounds = Bounds;
    HeddleContext Context = nullptr;
    expectSuccess(heddleContextCreate(&C, &Context));
    HeddleModule Module = nullptr;
    expectSuccess(heddleModuleLoad(Context, heddleCodeObjectGetData(Code),
                                   heddleCodeObjectGetSize(Code), &Module));
    HeddleAddress Data = 0;
    expectSuccess(heddleAllocate(Context, 4, &Data));
    uint32_t Count = 2;
    const void *Arguments[] = {&Data, &Count};
    HeddleLaunch Launch;
    heddleLaunchInit(&Launch);
    Launch.Module = Module;
    expectSuccess(heddleModuleGetKernel(Module, "twice", &Launch.Kernel));
    Launch.Block[0] = 32;
    Launch.Arguments = Arguments;
    Launch.NumArguments = 2;
    expectSuccess(heddleLaunch(Context, nullptr, &Launch));
    EXPECT_EQ(taken(heddleContextSynchronize(Context)).first, Wanted);
    heddleModuleDestroy(Module);
    heddleContextDestroy(Context);
  }
  heddleCodeObjectDestroy(Code);
  C.Bounds = static_cast<HeddleMemoryBounds>(2);
  HeddleContext None = nullptr;
  EXPECT_EQ(taken(heddleContextCreate(&C, &None)).first,
            HEDDLE_ERROR_INVALID_ARGUMENT);
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
  Launch.Block[0] = 64;
  Launch.Cluster[0] = 17;
  auto [Code, Message] = taken(heddleLaunch(Context, nullptr, &Launch));
  EXPECT_EQ(Code, HEDDLE_ERROR_INVALID_ARGUMENT);
  EXPECT_EQ(Message, "a cluster of (17, 1, 1) CTAs: at most 16 are possible");
  Launch.Cluster[0] = Launch.Cluster[1] = Launch.Cluster[2] = 0;
  expectSuccess(heddleLaunch(Context, nullptr, &Launch));
  expectSuccess(heddleContextSynchronize(Context));
  uint32_t Index;
  EXPECT_EQ(taken(heddleModuleGetKernel(Module, "thrice", &Index)).second,
            "the module has no kernel 'thrice'");
}

} // namespace
