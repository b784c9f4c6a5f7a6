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
  uint32_t Index;
  EXPECT_EQ(taken(heddleModuleGetKernel(Module, "thrice", &Index)).second,
            "the module has no kernel 'thrice'");
}

} // namespace
