//===- CudaExecutionContextsTest.cpp - Parts of the device ----------------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The runtime's execution contexts: their cores, streams and events.
//
//===----------------------------------------------------------------------===//

#include "ABI.h"
#include "gtest/gtest.h"

#include <atomic>
#include <cstdlib>

using namespace heddle::cuda;

extern "C" {
using Context = void *;

cudaError_t cudaDeviceGetDevResource(int, void *, int);
cudaError_t cudaDevSmResourceSplitByCount(void *, unsigned *, const void *,
                                          void *, unsigned, unsigned);
cudaError_t cudaDevResourceGenerateDesc(void **, void *, unsigned);
cudaError_t cudaDeviceGetExecutionCtx(Context *, int);
cudaError_t cudaGreenCtxCreate(Context *, void *, int, unsigned);
cudaError_t cudaExecutionCtxDestroy(Context);
cudaError_t cudaExecutionCtxGetDevResource(Context, void *, int);
cudaError_t cudaExecutionCtxGetDevice(int *, Context);
cudaError_t cudaExecutionCtxGetId(Context, unsigned long long *);
cudaError_t cudaExecutionCtxStreamCreate(cudaStream_t *, Context, unsigned,
                                         int);
cudaError_t cudaExecutionCtxSynchronize(Context);
cudaError_t cudaExecutionCtxRecordEvent(Context, cudaEvent_t);
cudaError_t cudaExecutionCtxWaitEvent(Context, cudaEvent_t);
cudaError_t cudaStreamGetDevResource(cudaStream_t, void *, int);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaLaunchHostFunc_v2(cudaStream_t, cudaHostFn_t, void *, unsigned);
cudaError_t cudaGetLastError();
}

namespace {

class CudaExecutionContexts : public testing::Test {
protected:
  void SetUp() override { setenv("HEDDLE_CACHE_MODE", "off", 1); }
  void TearDown() override { cudaGetLastError(); }
};

/// cudaDevResource, of which the cores' number is looked at.
struct Resource {
  int Type;
  unsigned char Padding[92];
  unsigned Cores;
  unsigned char Rest[44];
};
static_assert(sizeof(Resource) == 144);
constexpr int CoreResource = 1;

/// A context with eight of the device's cores.
Context makeGreen() {
  Resource All, Part, Rest;
  unsigned Count = 1;
  void *Description = nullptr;
  Context Green = nullptr;
  EXPECT_EQ(cudaDeviceGetDevResource(0, &All, CoreResource), 0);
  EXPECT_EQ(cudaDevSmResourceSplitByCount(&Part, &Count, &All, &Rest, 0, 8), 0);
  EXPECT_EQ(Part.Cores + Rest.Cores, All.Cores);
  EXPECT_EQ(cudaDevResourceGenerateDesc(&Description, &Part, 1), 0);
  EXPECT_EQ(cudaGreenCtxCreate(&Green, Description, 0, 1),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaGreenCtxCreate(&Green, Description, 0, 0), 0);
  return Green;
}

TEST_F(CudaExecutionContexts, AreTheDrivers) {
  Context Green = makeGreen(), Primary = nullptr;
  EXPECT_EQ(cudaDeviceGetExecutionCtx(&Primary, 0), 0);
  EXPECT_EQ(cudaDeviceGetExecutionCtx(&Primary, 1), cudaErrorInvalidDevice);
  unsigned long long Ids[2] = {};
  int Device = -1;
  EXPECT_EQ(cudaExecutionCtxGetId(Green, &Ids[0]), 0);
  EXPECT_EQ(cudaExecutionCtxGetId(Primary, &Ids[1]), 0);
  EXPECT_NE(Ids[0], Ids[1]);
  EXPECT_EQ(cudaExecutionCtxGetDevice(&Device, Green), 0);
  EXPECT_EQ(Device, 0);
  EXPECT_EQ(cudaExecutionCtxGetDevice(&Device, &Device), cudaErrorInvalidValue);

  cudaStream_t Stream = nullptr, Other = nullptr;
  EXPECT_EQ(cudaExecutionCtxStreamCreate(&Stream, Green, 0, 0), 0);
  EXPECT_EQ(cudaExecutionCtxStreamCreate(&Other, Primary, 0, 0), 0);
  Resource OfStream, OfContext, OfOther;
  EXPECT_EQ(cudaStreamGetDevResource(Stream, &OfStream, CoreResource), 0);
  EXPECT_EQ(cudaExecutionCtxGetDevResource(Green, &OfContext, CoreResource), 0);
  EXPECT_EQ(cudaStreamGetDevResource(Other, &OfOther, CoreResource), 0);
  EXPECT_EQ(OfStream.Cores, 8u);
  EXPECT_EQ(OfContext.Cores, 8u);
  EXPECT_GT(OfOther.Cores, 8u);

  // An event of the context is behind what its streams have.
  std::atomic<int> Done{0};
  auto Set = [](void *Value) { *static_cast<std::atomic<int> *>(Value) = 1; };
  EXPECT_EQ(cudaLaunchHostFunc_v2(Stream, Set, &Done, 2),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaLaunchHostFunc_v2(Stream, Set, &Done, 1), 0);
  cudaEvent_t Event = nullptr;
  EXPECT_EQ(cudaEventCreateWithFlags(&Event, cudaEventDisableTiming), 0);
  EXPECT_EQ(cudaExecutionCtxRecordEvent(Green, Event), 0);
  EXPECT_EQ(cudaExecutionCtxWaitEvent(Primary, Event), 0);
  EXPECT_EQ(cudaEventSynchronize(Event), 0);
  EXPECT_EQ(Done, 1);
  EXPECT_EQ(cudaExecutionCtxSynchronize(Green), 0);
  EXPECT_EQ(cudaEventDestroy(Event), 0);
  EXPECT_EQ(cudaStreamDestroy(Stream), 0);
  EXPECT_EQ(cudaStreamDestroy(Other), 0);
  EXPECT_EQ(cudaExecutionCtxDestroy(Green), 0);
  EXPECT_NE(cudaExecutionCtxDestroy(Green), 0);
}

} // namespace
