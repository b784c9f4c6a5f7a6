//===- CudaContextsTest.cpp - Contexts, and parts of the device -----------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Green contexts and what they are made of, events of whole contexts, and what
// a program may ask of contexts and the device.
//
//===----------------------------------------------------------------------===//

#include "DriverProgram.h"

#include <array>
#include <atomic>

extern "C" {
using heddle::test::Address;
using heddle::test::Handle;

int cuDeviceGetAttribute(int *, int, int);
int cuDevicePrimaryCtxGetState(int, unsigned *, int *);
int cuDeviceGetProperties(void *, int);
int cuDeviceGetExecAffinitySupport(int *, int, int);
int cuDeviceGetHostAtomicCapabilities(unsigned *, const int *, unsigned, int);
int cuDeviceGetP2PAtomicCapabilities(unsigned *, const int *, unsigned, int,
                                     int);
int cuDeviceRegisterAsyncNotification(int, void (*)(void *, void *, void *),
                                      void *, Handle *);
int cuDeviceUnregisterAsyncNotification(int, Handle);
int cuDeviceGetDevResource(int, void *, int);
int cuCtxGetDevResource(Handle, void *, int);
int cuGreenCtxGetDevResource(Handle, void *, int);
int cuDevSmResourceSplit(void *, unsigned, const void *, void *, unsigned,
                         void *);
int cuStreamGetDevResource(Handle, void *, int);
int cuDevSmResourceSplitByCount(void *, unsigned *, const void *, void *,
                                unsigned, unsigned);
int cuDevResourceGenerateDesc(Handle *, void *, unsigned);
int cuGreenCtxCreate(Handle *, Handle, int, unsigned);
int cuGreenCtxDestroy(Handle);
int cuGreenCtxGetId(Handle, unsigned long long *);
int cuGreenCtxStreamCreate(Handle *, Handle, unsigned, int);
int cuGreenCtxRecordEvent(Handle, Handle);
int cuGreenCtxWaitEvent(Handle, Handle);
int cuCtxFromGreenCtx(Handle *, Handle);
int cuCtxCreate_v2(Handle *, unsigned, int);
int cuCtxCreate_v3(Handle *, const void *, int, unsigned, int);
int cuCtxDestroy_v2(Handle);
int cuCtxAttach(Handle *, unsigned);
int cuCtxDetach(Handle);
int cuCtxGetId(Handle, unsigned long long *);
int cuCtxGetFlags(unsigned *);
int cuCtxGetLimit(size_t *, unsigned);
int cuOccupancyMaxActiveClusters(int *, Handle, const void *);
int cuCtxSetFlags(unsigned);
int cuCtxGetCurrent(Handle *);
int cuCtxGetExecAffinity(void *, int);
int cuCtxRecordEvent(Handle, Handle);
int cuCtxWaitEvent(Handle, Handle);
int cuStreamGetCtx(Handle, Handle *);
int cuStreamGetCtx_v2(Handle, Handle *, Handle *);
int cuStreamGetGreenCtx(Handle, Handle *);
int cuStreamBeginCapture_v2(Handle, int);
int cuStreamEndCapture(Handle, Handle *);
int cuStreamWaitValue32_v2(Handle, Address, uint32_t, unsigned);
int cuMemHostAlloc(void **, size_t, unsigned);
int cuMemFreeHost(void *);
int cuEventCreate(Handle *, unsigned);
int cuEventRecord(Handle, Handle);
int cuEventQuery(Handle);
int cuEventSynchronize(Handle);
int cuEventDestroy_v2(Handle);
}

using namespace heddle::test;

namespace {

constexpr int InvalidType = 914, InvalidConfiguration = 915,
              UnsupportedAffinity = 224, ContextIsDestroyed = 709,
              CaptureUnsupported = 900;
constexpr int Cores = 1; ///< Of CUdevResourceType.
constexpr unsigned DefaultStream = 1, NonBlocking = 1, Equal = 1;

/// CUdevResource.
struct Resource {
  int Type = 0;
  char Padding[92] = {};
  unsigned Count = 0, Least = 0, Alignment = 0;
  char Oversize[36] = {};
};
static_assert(sizeof(Resource) == 144);

class CudaContexts : public DriverProgram {
protected:
  void SetUp() override {
    DriverProgram::SetUp();
    ASSERT_EQ(cuDevicePrimaryCtxReset_v2(0), Success);
    Memory = words(16);
    void *Pinned = nullptr;
    ASSERT_EQ(cuMemHostAlloc(&Pinned, 64, 0), Success);
    Flag = static_cast<std::atomic<uint32_t> *>(Pinned);
    ASSERT_EQ(cuEventCreate(&Event, 0), Success);
    ASSERT_EQ(cuDeviceGetDevResource(0, &Device, Cores), Success);
  }
  void TearDown() override {
    EXPECT_EQ(cuEventDestroy_v2(Event), Success);
    EXPECT_EQ(cuMemFreeHost(Flag), Success);
    DriverProgram::TearDown();
  }
  /// A green context with a part of the device.
  Handle green() {
    Resource Part;
    unsigned Count = 1;
    Handle Description = nullptr, Green = nullptr;
    EXPECT_EQ(
        cuDevSmResourceSplitByCount(&Part, &Count, &Device, nullptr, 0, 1),
        Success);
    EXPECT_EQ(cuDevResourceGenerateDesc(&Description, &Part, 1), Success);
    EXPECT_EQ(cuGreenCtxCreate(&Green, Description, 0, DefaultStream), Success);
    return Green;
  }
  static Handle streamOf(Handle Green) {
    Handle Stream = nullptr;
    EXPECT_EQ(cuGreenCtxStreamCreate(&Stream, Green, NonBlocking, 0), Success);
    return Stream;
  }
  /// Holds a stream back until release is called.
  void hold(Handle Stream) {
    Flag->store(0);
    ASSERT_EQ(cuStreamWaitValue32_v2(Stream, reinterpret_cast<uintptr_t>(Flag),
                                     1, Equal),
              Success);
  }
  void release() { Flag->store(1); }

  Address Memory = 0;
  std::atomic<uint32_t> *Flag = nullptr; ///< In memory that is pinned.
  Handle Event = nullptr;
  Resource Device;
};

//===----------------------------------------------------------------------===//
// Resources
//===----------------------------------------------------------------------===//

TEST_F(CudaContexts, SplitTheDevice) {
  int All = 0;
  constexpr int MultiprocessorCount = 16;
  ASSERT_EQ(cuDeviceGetAttribute(&All, MultiprocessorCount, 0), Success);
  EXPECT_EQ(Device.Count, unsigned(All));
  ASSERT_NE(Device.Alignment, 0u);
  EXPECT_EQ(Device.Count % Device.Alignment, 0u);
  unsigned Possible = 0;
  ASSERT_EQ(cuDevSmResourceSplitByCount(nullptr, &Possible, &Device, nullptr, 0,
                                        Device.Least),
            Success);
  ASSERT_GE(Possible, 2u);
  EXPECT_EQ(Possible, Device.Count / Device.Least);
  // One core more than a part is two parts.
  unsigned Fewer = 0;
  ASSERT_EQ(cuDevSmResourceSplitByCount(nullptr, &Fewer, &Device, nullptr, 0,
                                        Device.Least + 1),
            Success);
  EXPECT_EQ(Fewer, Device.Count / (Device.Least + Device.Alignment));
  std::array<Resource, 3> Parts;
  Resource Rest;
  unsigned Count = 1;
  ASSERT_EQ(cuDevSmResourceSplitByCount(Parts.data(), &Count, &Device, &Rest, 0,
                                        Device.Least),
            Success);
  EXPECT_EQ(Count, 1u);
  EXPECT_EQ(Parts[0].Type, Cores);
  EXPECT_EQ(Parts[0].Count, Device.Least);
  EXPECT_EQ(Rest.Count, Device.Count - Device.Least);
  // The whole device leaves no rest.
  ASSERT_EQ(cuDevSmResourceSplitByCount(Parts.data(), &Count, &Device, &Rest, 0,
                                        Device.Count),
            Success);
  EXPECT_EQ(Parts[0].Count, Device.Count);
  EXPECT_EQ(Rest.Type, 0);
  // Cores one by one.
  ASSERT_EQ(
      cuDevSmResourceSplitByCount(nullptr, &Count, &Device, nullptr, 1, 1),
      Success);
  EXPECT_EQ(Count, Device.Count);
}

/// CU_DEV_SM_RESOURCE_GROUP_PARAMS.
struct GroupParams {
  unsigned Cores = 0, Together = 0, Preferred = 0, Flags = 0;
  unsigned Reserved[12] = {};
};

TEST_F(CudaContexts, SplitTheDeviceInGroups) {
  constexpr unsigned Backfill = 1;
  std::array<Resource, 2> Groups;
  Resource Rest;
  std::array<GroupParams, 2> P;
  P[0].Cores = 8;
  P[0].Together = 4;
  P[1].Flags = Backfill; // all others
  ASSERT_EQ(cuDevSmResourceSplit(Groups.data(), 2, &Device, &Rest, 0, P.data()),
            Success);
  EXPECT_EQ(Groups[0].Count, 8u);
  EXPECT_EQ(Groups[0].Alignment, 4u);
  EXPECT_EQ(Groups[1].Count, Device.Count - 8);
  EXPECT_EQ(P[1].Cores, Device.Count - 8);
  EXPECT_EQ(Rest.Type, 0);
  Handle Description = nullptr, Green = nullptr;
  ASSERT_EQ(cuDevResourceGenerateDesc(&Description, &Groups[0], 1), Success);
  ASSERT_EQ(cuGreenCtxCreate(&Green, Description, 0, DefaultStream), Success);
  Handle Stream = streamOf(Green);
  Resource OfStream;
  ASSERT_EQ(cuStreamGetDevResource(Stream, &OfStream, Cores), Success);
  EXPECT_EQ(OfStream.Count, 8u);
  ASSERT_EQ(cuStreamGetDevResource(nullptr, &OfStream, Cores), Success);
  EXPECT_EQ(OfStream.Count, Device.Count);
  EXPECT_EQ(cuStreamDestroy_v2(Stream), Success);
  EXPECT_EQ(cuGreenCtxDestroy(Green), Success);

  // Finding out leaves no group; what is left over is the rest.
  P = {};
  ASSERT_EQ(cuDevSmResourceSplit(nullptr, 1, &Device, &Rest, 0, P.data()),
            Success);
  EXPECT_EQ(P[0].Cores + Rest.Count, Device.Count);
  P = {};
  P[0].Cores = Device.Count; // nothing is left for the second
  EXPECT_EQ(cuDevSmResourceSplit(Groups.data(), 2, &Device, &Rest, 0, P.data()),
            InvalidConfiguration);
  P[0].Cores = Device.Count + 8;
  EXPECT_EQ(cuDevSmResourceSplit(Groups.data(), 1, &Device, &Rest, 0, P.data()),
            InvalidConfiguration);
  P[0] = {6, 4};
  EXPECT_EQ(cuDevSmResourceSplit(Groups.data(), 1, &Device, &Rest, 0, P.data()),
            InvalidValue);
  P[0].Flags = Backfill;
  EXPECT_EQ(cuDevSmResourceSplit(Groups.data(), 1, &Device, &Rest, 0, P.data()),
            Success);
  EXPECT_EQ(cuDevSmResourceSplit(Groups.data(), 1, &Device, &Rest, 1, P.data()),
            InvalidValue);
}

TEST_F(CudaContexts, RefuseWrongResources) {
  Resource R, Made, Parts[2];
  unsigned Count = 2;
  Handle Description = nullptr;
  EXPECT_EQ(cuDeviceGetDevResource(1, &R, Cores), InvalidDevice);
  EXPECT_EQ(cuDeviceGetDevResource(0, nullptr, Cores), InvalidValue);
  EXPECT_EQ(cuDeviceGetDevResource(0, &R, 0), InvalidType);
  EXPECT_EQ(cuDeviceGetDevResource(0, &R, 2), InvalidType);
  EXPECT_EQ(cuCtxGetDevResource(nullptr, &R, Cores), InvalidContext);
  EXPECT_EQ(cuGreenCtxGetDevResource(Context, &R, Cores), InvalidContext);
  Made.Type = Cores;
  Made.Count = 64;
  EXPECT_EQ(cuDevSmResourceSplitByCount(Parts, &Count, &Made, nullptr, 0, 8),
            InvalidType);
  EXPECT_EQ(cuDevSmResourceSplitByCount(Parts, nullptr, &Device, nullptr, 0, 8),
            InvalidValue);
  EXPECT_EQ(cuDevSmResourceSplitByCount(Parts, &Count, nullptr, nullptr, 0, 8),
            InvalidValue);
  EXPECT_EQ(cuDevSmResourceSplitByCount(Parts, &Count, &Device, nullptr, 4, 8),
            InvalidValue);
  EXPECT_EQ(cuDevSmResourceSplitByCount(Parts, &Count, &Device, nullptr, 0,
                                        Device.Count + 1),
            InvalidValue);
  ASSERT_EQ(cuDevSmResourceSplitByCount(Parts, &Count, &Device, nullptr, 0, 1),
            Success);
  ASSERT_EQ(Count, 2u);
  EXPECT_EQ(cuDevSmResourceSplitByCount(&R, &Count, &Parts[0], nullptr, 0, 1),
            InvalidConfiguration);
  EXPECT_EQ(cuDevResourceGenerateDesc(nullptr, Parts, 2), InvalidValue);
  EXPECT_EQ(cuDevResourceGenerateDesc(&Description, nullptr, 2), InvalidValue);
  EXPECT_EQ(cuDevResourceGenerateDesc(&Description, Parts, 0), InvalidValue);
  EXPECT_EQ(cuDevResourceGenerateDesc(&Description, &Made, 1), InvalidType);
  Resource Mixed[] = {Parts[0], Device}, Twice[] = {Parts[0], Parts[0]};
  EXPECT_EQ(cuDevResourceGenerateDesc(&Description, Mixed, 2),
            InvalidConfiguration);
  EXPECT_EQ(cuDevResourceGenerateDesc(&Description, Twice, 2),
            InvalidConfiguration);
  ASSERT_EQ(cuDevResourceGenerateDesc(&Description, Parts, 2), Success);
  Handle Green = nullptr;
  EXPECT_EQ(cuGreenCtxCreate(&Green, Description, 1, DefaultStream),
            InvalidDevice);
  EXPECT_EQ(cuGreenCtxCreate(&Green, Description, 0, 0), InvalidValue);
  EXPECT_EQ(
      cuGreenCtxCreate(&Green, Memory ? &Green : nullptr, 0, DefaultStream),
      InvalidValue);
  EXPECT_EQ(cuGreenCtxCreate(nullptr, Description, 0, DefaultStream),
            InvalidValue);
  ASSERT_EQ(cuGreenCtxCreate(&Green, Description, 0, DefaultStream), Success);
  ASSERT_EQ(cuGreenCtxGetDevResource(Green, &R, Cores), Success);
  EXPECT_EQ(R.Count, Parts[0].Count + Parts[1].Count);
  EXPECT_EQ(cuGreenCtxDestroy(Green), Success);
}

//===----------------------------------------------------------------------===//
// Green contexts
//===----------------------------------------------------------------------===//

TEST_F(CudaContexts, RunKernelsInGreenContexts) {
  Handle Green = green(), Current = nullptr, Same = nullptr;
  Resource R;
  ASSERT_EQ(cuCtxFromGreenCtx(&Same, Green), Success);
  ASSERT_EQ(cuCtxPushCurrent_v2(Same), Success);
  EXPECT_EQ(cuCtxGetCurrent(&Current), Success);
  EXPECT_EQ(Current, Same);
  ASSERT_EQ(cuCtxGetDevResource(Current, &R, Cores), Success);
  EXPECT_EQ(R.Count, Device.Least);
  // Its cores may be divided once more.
  unsigned Count = 0;
  EXPECT_EQ(cuDevSmResourceSplitByCount(nullptr, &Count, &R, nullptr, 1, 1),
            Success);
  EXPECT_EQ(Count, Device.Least);
  Handle Kernel = kernel(".visible .entry store(.param .u64 p) {\n"
                         ".reg .b64 %rd<1>;\n"
                         "ld.param.u64 %rd0, [p];\n"
                         "st.global.u32 [%rd0], 42;\nret; }",
                         "store");
  Address Place = Memory + 4;
  void *Arguments[] = {&Place};
  Handle Stream = streamOf(Green);
  ASSERT_EQ(
      cuLaunchKernel(Kernel, 1, 1, 1, 1, 1, 1, 0, Stream, Arguments, nullptr),
      Success);
  EXPECT_EQ(cuStreamSynchronize(Stream), Success);
  EXPECT_EQ(word(Memory + 4), 42u);
  EXPECT_EQ(cuStreamDestroy_v2(Stream), Success);
  EXPECT_EQ(cuCtxPopCurrent_v2(nullptr), Success);
  EXPECT_EQ(cuGreenCtxDestroy(Green), Success);
  EXPECT_EQ(cuGreenCtxDestroy(Green), InvalidContext);
}

TEST_F(CudaContexts, KeepThePrimaryContext) {
  unsigned Flags = 0;
  int Before = 0, Active = 0;
  ASSERT_EQ(cuDevicePrimaryCtxGetState(0, &Flags, &Before), Success);
  Handle Green = green();
  ASSERT_EQ(cuDevicePrimaryCtxGetState(0, &Flags, &Active), Success);
  EXPECT_EQ(Active, 1);
  EXPECT_EQ(cuGreenCtxDestroy(Green), Success);
  ASSERT_EQ(cuDevicePrimaryCtxGetState(0, &Flags, &Active), Success);
  EXPECT_EQ(Active, Before);
}

TEST_F(CudaContexts, TellWhoseAStreamIs) {
  Handle Green = green(), Own = streamOf(Green), Plain = stream(), Other,
         InOther, C = nullptr, G = nullptr;
  EXPECT_EQ(cuStreamGetCtx(Own, &C), Success);
  EXPECT_EQ(C, Green);
  EXPECT_EQ(cuStreamGetCtx_v2(Own, &C, &G), Success);
  EXPECT_EQ(C, Context);
  EXPECT_EQ(G, Green);
  EXPECT_EQ(cuStreamGetCtx_v2(Plain, &C, &G), Success);
  EXPECT_EQ(C, Context);
  EXPECT_EQ(G, nullptr);
  ASSERT_EQ(cuCtxCreate_v2(&Other, 0, 0), Success); // and makes it current
  InOther = stream();
  EXPECT_EQ(cuStreamGetCtx(nullptr, &C), Success);
  EXPECT_EQ(C, Other);
  ASSERT_EQ(cuCtxPopCurrent_v2(nullptr), Success);
  EXPECT_EQ(cuStreamGetCtx(InOther, &C), Success);
  EXPECT_EQ(C, Other);
  EXPECT_EQ(cuCtxDestroy_v2(Other), Success);
  EXPECT_EQ(cuStreamGetCtx(InOther, &C), ContextIsDestroyed);
  // The default streams are of the context that is current.
  ASSERT_EQ(cuCtxPushCurrent_v2(Green), Success);
  EXPECT_EQ(cuStreamGetGreenCtx(nullptr, &G), Success);
  EXPECT_EQ(G, Green);
  constexpr uintptr_t PerThread = 2;
  EXPECT_EQ(cuStreamGetCtx_v2(reinterpret_cast<Handle>(PerThread), &C, &G),
            InvalidHandle);
  Handle InGreen = stream();
  EXPECT_EQ(cuStreamGetGreenCtx(InGreen, &G), Success);
  EXPECT_EQ(G, Green);
  ASSERT_EQ(cuCtxPopCurrent_v2(nullptr), Success);
  EXPECT_EQ(cuStreamGetGreenCtx(nullptr, &G), Success);
  EXPECT_EQ(G, nullptr);
  EXPECT_EQ(cuStreamGetGreenCtx(Memory ? &G : nullptr, &G), InvalidHandle);
  EXPECT_EQ(cuStreamGetGreenCtx(Plain, nullptr), InvalidValue);
  EXPECT_EQ(cuGreenCtxDestroy(Green), Success);
}

TEST_F(CudaContexts, ShareNothingWithGraphics) {
  constexpr unsigned SharesWithGraphics = 8, NoLimit = 100;
  constexpr int UnsupportedLimit = 215;
  size_t Value = 1;
  EXPECT_EQ(cuCtxGetLimit(&Value, SharesWithGraphics), 0);
  EXPECT_EQ(Value, 0u);
  EXPECT_EQ(cuCtxGetLimit(&Value, NoLimit), UnsupportedLimit);
}

TEST_F(CudaContexts, HaveRoomForClustersOfNoKernel) {
  struct {
    unsigned Id = 4, Padding = 0; // the cluster's extents
    std::array<unsigned, 16> Value = {1, 1, 1};
  } Attribute;
  struct {
    unsigned Grid[3] = {16, 1, 1}, Block[3] = {128, 1, 1}, Shared = 0;
    Handle Stream = nullptr;
    const void *Attributes = nullptr;
    unsigned NumAttributes = 1;
  } Config;
  static_assert(sizeof(Attribute) == 72 && sizeof(Config) == 56);
  Config.Attributes = &Attribute;
  std::array<int, 3> Clusters = {};
  for (unsigned I = 0; I != Clusters.size(); ++I) {
    Attribute.Value[0] = 1u << I;
    EXPECT_EQ(cuOccupancyMaxActiveClusters(&Clusters[I], nullptr, &Config), 0);
  }
  EXPECT_GT(Clusters[2], 0);
  EXPECT_EQ(Clusters[1], Clusters[0] / 2);
  EXPECT_EQ(Clusters[2], Clusters[0] / 4);
  // Shared memory is all that such a kernel takes.
  int Few = 0;
  Attribute.Value[0] = 1;
  Config.Shared = 200 * 1024;
  EXPECT_EQ(cuOccupancyMaxActiveClusters(&Few, nullptr, &Config), 0);
  EXPECT_GT(Few, 0);
  EXPECT_LT(Few, Clusters[0]);
  EXPECT_EQ(cuOccupancyMaxActiveClusters(&Few, nullptr, nullptr), 1);
}

TEST_F(CudaContexts, HaveNumbersOfTheirOwn) {
  Handle A = green(), B = green();
  unsigned long long OfA = 0, OfB = 0, OfPrimary = 0;
  EXPECT_EQ(cuGreenCtxGetId(A, &OfA), Success);
  EXPECT_EQ(cuGreenCtxGetId(B, &OfB), Success);
  EXPECT_EQ(cuCtxGetId(Context, &OfPrimary), Success);
  EXPECT_NE(OfA, OfB);
  EXPECT_NE(OfA, OfPrimary);
  EXPECT_EQ(cuGreenCtxGetId(nullptr, &OfB), InvalidContext);
  ASSERT_EQ(cuCtxPushCurrent_v2(A), Success);
  EXPECT_EQ(cuGreenCtxGetId(nullptr, &OfB), Success);
  EXPECT_EQ(OfA, OfB);
  ASSERT_EQ(cuCtxPopCurrent_v2(nullptr), Success);
  EXPECT_EQ(cuGreenCtxDestroy(A), Success);
  Handle C = green(); // in whose place it may be
  EXPECT_EQ(cuGreenCtxGetId(C, &OfB), Success);
  EXPECT_NE(OfA, OfB);
  EXPECT_EQ(cuGreenCtxGetId(A == C ? nullptr : A, &OfB), InvalidContext);
  EXPECT_EQ(cuGreenCtxDestroy(B), Success);
  EXPECT_EQ(cuGreenCtxDestroy(C), Success);
}

TEST_F(CudaContexts, RefuseOthersAsGreenContexts) {
  Handle Stream = nullptr, Other = nullptr, Green = green();
  for (Handle Wrong : {Context, Handle(&Stream), Handle(nullptr)}) {
    EXPECT_EQ(cuGreenCtxStreamCreate(&Stream, Wrong, NonBlocking, 0),
              InvalidContext);
    EXPECT_EQ(cuCtxFromGreenCtx(&Other, Wrong), InvalidContext);
    EXPECT_EQ(cuGreenCtxDestroy(Wrong), InvalidContext);
    EXPECT_EQ(cuGreenCtxRecordEvent(Wrong, Event), InvalidContext);
    EXPECT_EQ(cuGreenCtxWaitEvent(Wrong, Event), InvalidContext);
  }
  EXPECT_EQ(cuGreenCtxStreamCreate(&Stream, Green, 0, 0), InvalidValue);
  EXPECT_EQ(cuGreenCtxStreamCreate(nullptr, Green, NonBlocking, 0),
            InvalidValue);
  EXPECT_EQ(cuCtxFromGreenCtx(nullptr, Green), InvalidValue);
  EXPECT_EQ(cuCtxDestroy_v2(Green), InvalidContext);
  EXPECT_EQ(cuGreenCtxDestroy(Green), Success);
}

//===----------------------------------------------------------------------===//
// Events of contexts
//===----------------------------------------------------------------------===//

TEST_F(CudaContexts, RecordAllStreams) {
  Handle A = stream(), B = stream();
  hold(B);
  ASSERT_EQ(cuMemsetD32Async(Memory + 4, 5, 1, A), Success);
  ASSERT_EQ(cuCtxRecordEvent(Context, Event), Success);
  EXPECT_EQ(cuStreamSynchronize(A), Success);
  EXPECT_EQ(cuEventQuery(Event), NotReady);
  release();
  EXPECT_EQ(cuEventSynchronize(Event), Success);
  EXPECT_EQ(cuStreamQuery(B), Success);
}

TEST_F(CudaContexts, RecordAGreenContextAlone) {
  Handle Green = green(), Own = streamOf(Green), Other = stream();
  hold(Other);
  ASSERT_EQ(cuMemsetD32Async(Memory + 4, 5, 1, Own), Success);
  ASSERT_EQ(cuGreenCtxRecordEvent(Green, Event), Success);
  EXPECT_EQ(cuEventSynchronize(Event), Success);
  EXPECT_EQ(word(Memory + 4), 5u);
  EXPECT_EQ(cuStreamQuery(Other), NotReady);
  release();
  // The primary context has the streams of green ones, too.
  EXPECT_EQ(cuCtxSynchronize(), Success);
  hold(Own);
  ASSERT_EQ(cuCtxRecordEvent(Context, Event), Success);
  EXPECT_EQ(cuEventQuery(Event), NotReady);
  release();
  EXPECT_EQ(cuEventSynchronize(Event), Success);
  EXPECT_EQ(cuGreenCtxDestroy(Green), Success);
}

TEST_F(CudaContexts, HoldAllStreamsBack) {
  Handle First = stream(), Old = stream(), Green = green();
  hold(First);
  ASSERT_EQ(cuEventRecord(Event, First), Success);
  Handle Free = streamOf(Green);
  ASSERT_EQ(cuCtxWaitEvent(Context, Event), Success);
  Handle New = stream();
  Address Place = Memory;
  for (Handle Stream : {Old, New, Free}) {
    ASSERT_EQ(cuMemsetD32Async(Place += 4, 5, 1, Stream), Success);
    EXPECT_EQ(cuStreamQuery(Stream), NotReady);
  }
  ASSERT_EQ(cuEventRecord(Event, Old), Success); // which changes nothing
  release();
  EXPECT_EQ(cuCtxSynchronize(), Success);
  EXPECT_EQ(cuGreenCtxDestroy(Green), Success);
}

TEST_F(CudaContexts, HoldAGreenContextBackAlone) {
  Handle First = stream(), Other = stream(), Green = green(),
         Own = streamOf(Green);
  hold(First);
  ASSERT_EQ(cuEventRecord(Event, First), Success);
  ASSERT_EQ(cuGreenCtxWaitEvent(Green, Event), Success);
  EXPECT_EQ(cuStreamQuery(Own), NotReady);
  EXPECT_EQ(cuStreamQuery(streamOf(Green)), NotReady);
  ASSERT_EQ(cuMemsetD32Async(Memory + 4, 5, 1, Other), Success);
  EXPECT_EQ(cuStreamSynchronize(Other), Success);
  EXPECT_EQ(cuStreamQuery(First), NotReady);
  release();
  EXPECT_EQ(cuStreamSynchronize(Own), Success);
  EXPECT_EQ(cuGreenCtxDestroy(Green), Success);
}

TEST_F(CudaContexts, EndCapturesByEventsOfContexts) {
  Handle Stream = stream(), Graph = nullptr;
  for (auto *Function : {cuCtxRecordEvent, cuCtxWaitEvent}) {
    ASSERT_EQ(cuStreamBeginCapture_v2(Stream, 0), Success);
    EXPECT_EQ(Function(Context, Event), CaptureUnsupported);
    EXPECT_NE(cuStreamEndCapture(Stream, &Graph), Success);
    EXPECT_EQ(Function(Context, Event), Success);
  }
  for (auto *Function : {cuCtxRecordEvent, cuCtxWaitEvent}) {
    EXPECT_EQ(Function(nullptr, Event), InvalidContext);
    EXPECT_EQ(Function(Context, nullptr), InvalidHandle);
    EXPECT_EQ(Function(Context, &Graph), InvalidHandle);
  }
}

//===----------------------------------------------------------------------===//
// What contexts and the device say
//===----------------------------------------------------------------------===//

TEST_F(CudaContexts, TakeFlags) {
  unsigned Flags = 0;
  constexpr unsigned BlockingSync = 4;
  ASSERT_EQ(cuCtxSetFlags(BlockingSync), Success);
  EXPECT_EQ(cuCtxGetFlags(&Flags), Success);
  EXPECT_EQ(Flags, BlockingSync);
  EXPECT_EQ(cuCtxSetFlags(0x100), InvalidValue);
  EXPECT_EQ(cuCtxSetFlags(0), Success);
}

TEST_F(CudaContexts, CountWhoIsAttached) {
  Handle Other = nullptr, Same = nullptr;
  ASSERT_EQ(cuCtxCreate_v2(&Other, 0, 0), Success);
  EXPECT_EQ(cuCtxAttach(&Same, 1), InvalidValue);
  EXPECT_EQ(cuCtxAttach(nullptr, 0), InvalidValue);
  ASSERT_EQ(cuCtxAttach(&Same, 0), Success);
  EXPECT_EQ(Same, Other);
  EXPECT_EQ(cuCtxDetach(Other), Success);
  EXPECT_EQ(cuCtxSynchronize(), Success); // It is still there.
  EXPECT_EQ(cuCtxDetach(Other), Success);
  EXPECT_EQ(cuCtxDetach(Other), InvalidContext);
}

TEST_F(CudaContexts, HaveNoAffinities) {
  int Supported = 1;
  Resource Room;
  EXPECT_EQ(cuDeviceGetExecAffinitySupport(&Supported, 0, 0), Success);
  EXPECT_EQ(Supported, 0);
  EXPECT_EQ(cuDeviceGetExecAffinitySupport(&Supported, 1, 0), InvalidValue);
  EXPECT_EQ(cuDeviceGetExecAffinitySupport(nullptr, 0, 0), InvalidValue);
  EXPECT_EQ(cuDeviceGetExecAffinitySupport(&Supported, 0, 1), InvalidDevice);
  EXPECT_EQ(cuCtxGetExecAffinity(&Room, 0), UnsupportedAffinity);
  EXPECT_EQ(cuCtxGetExecAffinity(&Room, 1), InvalidValue);
  EXPECT_EQ(cuCtxGetExecAffinity(nullptr, 0), InvalidValue);
  Handle Other = nullptr;
  EXPECT_EQ(cuCtxCreate_v3(&Other, &Room, 1, 0, 0), UnsupportedAffinity);
}

TEST_F(CudaContexts, ReadPropertiesTheOldWay) {
  struct {
    int Threads, Block[3], Grid[3], Shared, Constant, Warp, Pitch, Registers,
        Clock, Alignment;
  } P = {};
  ASSERT_EQ(cuDeviceGetProperties(&P, 0), Success);
  int Threads = 0, Registers = 0, Clock = 0;
  ASSERT_EQ(cuDeviceGetAttribute(&Threads, 1, 0), Success);
  ASSERT_EQ(cuDeviceGetAttribute(&Registers, 12, 0), Success);
  ASSERT_EQ(cuDeviceGetAttribute(&Clock, 13, 0), Success);
  EXPECT_EQ(P.Threads, Threads);
  EXPECT_EQ(P.Block[2], 64);
  EXPECT_EQ(P.Grid[0], 0x7FFFFFFF);
  EXPECT_EQ(P.Warp, 32);
  EXPECT_EQ(P.Registers, Registers);
  EXPECT_EQ(P.Clock, Clock);
  EXPECT_EQ(cuDeviceGetProperties(nullptr, 0), InvalidValue);
  EXPECT_EQ(cuDeviceGetProperties(&P, 1), InvalidDevice);
}

TEST_F(CudaContexts, SayWhichAtomicsReachTheHost) {
  enum : int { Add = 0, Increment = 3, CompareAndSwap = 9, FloatMin = 11 };
  constexpr unsigned Signed = 1, Unsigned = 2, Reduction = 4, Scalar32 = 8,
                     Scalar64 = 16, Scalar128 = 32;
  int Operations[] = {CompareAndSwap, Add, FloatMin, Increment};
  unsigned Capabilities[4] = {};
  ASSERT_EQ(cuDeviceGetHostAtomicCapabilities(Capabilities, Operations, 4, 0),
            Success);
  EXPECT_EQ(Capabilities[0], Unsigned | Scalar32 | Scalar64 | Scalar128);
  EXPECT_EQ(Capabilities[1],
            Signed | Unsigned | Reduction | Scalar32 | Scalar64);
  EXPECT_EQ(Capabilities[2], 0u);
  EXPECT_EQ(Capabilities[3], Unsigned | Reduction | Scalar32);
  EXPECT_EQ(cuDeviceGetHostAtomicCapabilities(nullptr, Operations, 4, 0),
            InvalidValue);
  EXPECT_EQ(cuDeviceGetHostAtomicCapabilities(Capabilities, nullptr, 4, 0),
            InvalidValue);
  EXPECT_EQ(cuDeviceGetHostAtomicCapabilities(Capabilities, Operations, 0, 0),
            InvalidValue);
  EXPECT_EQ(cuDeviceGetHostAtomicCapabilities(Capabilities, Operations, 4, 1),
            InvalidDevice);
  EXPECT_EQ(cuDeviceGetP2PAtomicCapabilities(Capabilities, Operations, 4, 0, 0),
            InvalidDevice);
  EXPECT_EQ(cuDeviceGetP2PAtomicCapabilities(Capabilities, nullptr, 4, 0, 1),
            InvalidValue);
  Operations[3] = 13;
  EXPECT_EQ(cuDeviceGetHostAtomicCapabilities(Capabilities, Operations, 4, 0),
            InvalidValue);
  Operations[3] = -1;
  EXPECT_EQ(cuDeviceGetP2PAtomicCapabilities(Capabilities, Operations, 4, 0, 1),
            InvalidValue);
}

TEST_F(CudaContexts, KeepCallbacksForNotices) {
  auto *Callback = +[](void *, void *, void *) {};
  Handle A = nullptr, B = nullptr;
  EXPECT_EQ(cuDeviceRegisterAsyncNotification(1, Callback, nullptr, &A),
            InvalidDevice);
  EXPECT_EQ(cuDeviceRegisterAsyncNotification(0, nullptr, nullptr, &A),
            InvalidValue);
  EXPECT_EQ(cuDeviceRegisterAsyncNotification(0, Callback, nullptr, nullptr),
            InvalidValue);
  ASSERT_EQ(cuDeviceRegisterAsyncNotification(0, Callback, nullptr, &A),
            Success);
  ASSERT_EQ(cuDeviceRegisterAsyncNotification(0, Callback, nullptr, &B),
            Success);
  EXPECT_NE(A, B);
  EXPECT_EQ(cuDeviceUnregisterAsyncNotification(1, A), InvalidDevice);
  EXPECT_EQ(cuDeviceUnregisterAsyncNotification(0, A), Success);
  EXPECT_EQ(cuDeviceUnregisterAsyncNotification(0, A), InvalidValue);
  EXPECT_EQ(cuDeviceUnregisterAsyncNotification(0, B), Success);
}

} // namespace
