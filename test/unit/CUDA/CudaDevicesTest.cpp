//===- CudaDevicesTest.cpp - Several devices in a process -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the runtime API says of several devices, and what kernels on them can
// and cannot reach of each other.
//
//===----------------------------------------------------------------------===//

#include "CudaProgram.h"
#include "Devices/ProcessDevice.h"
#include "Runtime/Runtime.h"

#include <set>
#include <thread>

extern "C" {
cudaError_t cudaSetDevice(int);
cudaError_t cudaGetDevice(int *);
cudaError_t cudaDeviceCanAccessPeer(int *, int, int);
cudaError_t cudaDeviceEnablePeerAccess(int, unsigned);
cudaError_t cudaDeviceDisablePeerAccess(int);
cudaError_t cudaDeviceGetP2PAttribute(int *, int, int, int);
cudaError_t cudaMemcpyPeer(void *, int, const void *, int, size_t);
cudaError_t cudaMemcpyPeerAsync(void *, int, const void *, int, size_t,
                                cudaStream_t);
cudaError_t cudaStreamGetDevice(cudaStream_t, int *);
cudaError_t cudaMemsetAsync(void *, int, size_t, cudaStream_t);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *, const void *);
cudaError_t cudaMemcpyFromSymbol(void *, const void *, size_t, size_t,
                                 cudaMemcpyKind);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t,
                                 unsigned long long);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaGraphDestroy(cudaGraph_t);
}

namespace {

constexpr int NumDevices = 3;

/// `add` adds a number to a word; `copy` copies a word; `shake` tells one word
/// and waits until another is told; `count` adds to variables.
constexpr const char *Body = R"(
.visible .global .align 4 .u32 Own = 7;
.visible .global .attribute(.managed) .align 4 .u32 Common = 100;

.visible .entry add(.param .u64 P, .param .u32 N) {
  .reg .u64 %rd<2>; .reg .u32 %r<3>;
  ld.param.u64 %rd1, [P]; ld.param.u32 %r1, [N];
  ld.global.u32 %r2, [%rd1]; add.u32 %r2, %r2, %r1; st.global.u32 [%rd1], %r2;
  ret;
}

.visible .entry copy(.param .u64 To, .param .u64 From) {
  .reg .u64 %rd<3>; .reg .u32 %r<2>;
  ld.param.u64 %rd1, [To]; ld.param.u64 %rd2, [From];
  ld.global.u32 %r1, [%rd2]; st.global.u32 [%rd1], %r1;
  ret;
}

.visible .entry shake(.param .u64 Mine, .param .u64 Theirs) {
  .reg .u64 %rd<3>; .reg .u32 %r<2>; .reg .pred %p<2>;
  ld.param.u64 %rd1, [Mine]; ld.param.u64 %rd2, [Theirs];
  st.release.sys.global.u32 [%rd1], 1;
wait:
  ld.acquire.sys.global.u32 %r1, [%rd2];
  setp.eq.u32 %p1, %r1, 0;
  @%p1 bra wait;
  ret;
}

.visible .entry count() {
  .reg .u32 %r<3>;
  atom.global.add.u32 %r1, [Own], 1;
  atom.sys.global.add.u32 %r2, [Common], 1;
  ret;
}
)";

class CudaDevices : public CudaProgram {
protected:
  static void SetUpTestSuite() { setenv("HEDDLE_DEVICES", "2xhd100,hd10", 1); }
  void SetUp() override {
    start(Body);
    Add = kernel("add");
    Copy = kernel("copy");
    Shake = kernel("shake");
    Count = kernel("count");
    expectSuccess(cudaSetDevice(0));
  }
  void TearDown() override {
    for (int Device = NumDevices; Device-- != 0;) {
      cudaSetDevice(Device);
      cudaDeviceReset();
    }
    CudaProgram::TearDown();
  }

  /// Words of memory of a device, which is the thread's from then on.
  static uint32_t *allocateOn(int Device, uint32_t Value) {
    void *Pointer = nullptr;
    expectSuccess(cudaSetDevice(Device));
    expectSuccess(cudaMalloc(&Pointer, 256));
    expectSuccess(
        cudaMemcpy(Pointer, &Value, sizeof(Value), cudaMemcpyHostToDevice));
    return static_cast<uint32_t *>(Pointer);
  }
  static uint32_t read(const void *Pointer) {
    uint32_t Value = 0;
    expectSuccess(
        cudaMemcpy(&Value, Pointer, sizeof(Value), cudaMemcpyDefault));
    return Value;
  }
  template <typename... Args>
  static cudaError_t launch(const void *Kernel, cudaStream_t Stream,
                            Args... Arguments) {
    void *Places[] = {static_cast<void *>(&Arguments)..., nullptr};
    return cudaLaunchKernel(Kernel, {1, 1, 1}, {1, 1, 1}, Places, 0, Stream);
  }

  const void *Add = nullptr, *Copy = nullptr, *Shake = nullptr,
             *Count = nullptr;
};

TEST_F(CudaDevices, AreToldApart) {
  int Number = 0;
  expectSuccess(cudaGetDeviceCount(&Number));
  ASSERT_EQ(Number, NumDevices);
  std::set<std::string> UUIDs, Places;
  for (int Device = 0; Device != NumDevices; ++Device) {
    cudaDeviceProp P;
    expectSuccess(cudaGetDeviceProperties(&P, Device));
    EXPECT_TRUE(
        llvm::StringRef(P.name).ends_with(Device == 2 ? "hd10" : "hd100"));
    UUIDs.emplace(P.uuid.bytes, sizeof(P.uuid.bytes));
    EXPECT_EQ(std::string(P.uuid.bytes, sizeof(P.uuid.bytes)).find('\0'),
              std::string::npos)
        << "CuPy takes it for a text";
    char Id[32];
    expectSuccess(cudaDeviceGetPCIBusId(Id, sizeof(Id), Device));
    Places.insert(Id);
    int Found = -1;
    expectSuccess(cudaDeviceGetByPCIBusId(&Found, Id));
    EXPECT_EQ(Found, Device);
  }
  EXPECT_EQ(UUIDs.size(), size_t(NumDevices));
  EXPECT_EQ(Places.size(), size_t(NumDevices));
  for (int Bad : {-1, NumDevices}) {
    EXPECT_EQ(cudaSetDevice(Bad), cudaErrorInvalidDevice);
    cudaDeviceProp P;
    EXPECT_EQ(cudaGetDeviceProperties(&P, Bad), cudaErrorInvalidDevice);
  }
  cudaGetLastError();
}

TEST_F(CudaDevices, AThreadHasADeviceOfItsOwn) {
  expectSuccess(cudaSetDevice(1));
  int Here = -1, There = -1;
  std::thread([&] { expectSuccess(cudaGetDevice(&There)); }).join();
  expectSuccess(cudaGetDevice(&Here));
  EXPECT_EQ(Here, 1);
  EXPECT_EQ(There, 0);
}

TEST_F(CudaDevices, HaveMemoryStreamsAndLimitsOfTheirOwn) {
  size_t FreeBefore = 0, Free = 0, Total = 0;
  expectSuccess(cudaSetDevice(0));
  expectSuccess(cudaMemGetInfo(&FreeBefore, &Total));
  uint32_t *One = allocateOn(1, 5);
  cudaStream_t Stream;
  expectSuccess(cudaStreamCreate(&Stream));
  expectSuccess(cudaDeviceSetLimit(2, 1 << 20));
  cudaPointerAttributes A;
  expectSuccess(cudaSetDevice(0));
  expectSuccess(cudaPointerGetAttributes(&A, One));
  EXPECT_EQ(A.device, 1);
  int Device = -1;
  expectSuccess(cudaStreamGetDevice(Stream, &Device));
  EXPECT_EQ(Device, 1);
  expectSuccess(cudaMemGetInfo(&Free, &Total));
  EXPECT_EQ(Free, FreeBefore);
  size_t Limit = 0;
  expectSuccess(cudaDeviceGetLimit(&Limit, 2));
  EXPECT_NE(Limit, size_t(1 << 20));
  // A kernel of this device does not go into a stream of another one.
  uint32_t *Zero = allocateOn(0, 1);
  EXPECT_EQ(launch(Add, Stream, Zero, 1u), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  // What is done with memory and streams does not ask for the thread's device.
  expectSuccess(cudaMemsetAsync(One, 0, 4, Stream));
  expectSuccess(cudaStreamSynchronize(Stream));
  EXPECT_EQ(read(One), 0u);
  expectSuccess(cudaFree(One));
  expectSuccess(cudaStreamDestroy(Stream));
}

TEST_F(CudaDevices, KernelsRunOnAllAtOnce) {
  // Each kernel waits for the other: they have to run at the same time.
  uint32_t *Zero = allocateOn(0, 0), *One = allocateOn(1, 0);
  expectSuccess(cudaDeviceEnablePeerAccess(0, 0));
  expectSuccess(cudaSetDevice(0));
  expectSuccess(cudaDeviceEnablePeerAccess(1, 0));
  expectSuccess(launch(Shake, nullptr, Zero, One));
  expectSuccess(cudaSetDevice(1));
  expectSuccess(launch(Shake, nullptr, One, Zero));
  expectSuccess(cudaDeviceSynchronize());
  expectSuccess(cudaSetDevice(0));
  expectSuccess(cudaDeviceSynchronize());
}

TEST_F(CudaDevices, ReachEachOthersMemoryOnlyAsPeers) {
  uint32_t *Zero = allocateOn(0, 40), *One = allocateOn(1, 2);
  int Can = 0;
  expectSuccess(cudaDeviceCanAccessPeer(&Can, 1, 0));
  EXPECT_EQ(Can, 1);
  expectSuccess(cudaDeviceCanAccessPeer(&Can, 1, 1));
  EXPECT_EQ(Can, 0);
  expectSuccess(cudaDeviceEnablePeerAccess(0, 0));
  EXPECT_EQ(cudaDeviceEnablePeerAccess(0, 0),
            cudaErrorPeerAccessAlreadyEnabled);
  EXPECT_EQ(cudaDeviceEnablePeerAccess(1, 0), cudaErrorInvalidDevice);
  cudaGetLastError();
  expectSuccess(launch(Copy, nullptr, One, Zero));
  expectSuccess(launch(Add, nullptr, Zero, 3u));
  EXPECT_EQ(read(One), 40u);
  EXPECT_EQ(read(Zero), 43u);
  // What is allocated later is reached, too.
  uint32_t *Later = allocateOn(0, 9);
  expectSuccess(cudaSetDevice(1));
  expectSuccess(launch(Copy, nullptr, One, Later));
  EXPECT_EQ(read(One), 9u);
  expectSuccess(cudaDeviceDisablePeerAccess(0));
  EXPECT_EQ(cudaDeviceDisablePeerAccess(0), cudaErrorPeerAccessNotEnabled);
  cudaGetLastError();
  expectSuccess(launch(Copy, nullptr, One, Later));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

TEST_F(CudaDevices, AFaultIsOfItsDeviceAlone) {
  uint32_t *Zero = allocateOn(0, 1);
  uint32_t *One = allocateOn(1, 2);
  expectSuccess(launch(Add, nullptr, Zero, 1u)); // is no peer's
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  expectSuccess(cudaSetDevice(0));
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  expectSuccess(launch(Add, nullptr, Zero, 1u));
  EXPECT_EQ(read(Zero), 2u);
  // A reset of the one leaves the other as it is.
  expectSuccess(cudaSetDevice(1));
  expectSuccess(cudaDeviceReset());
  EXPECT_EQ(cudaFree(One), cudaErrorInvalidValue);
  cudaGetLastError();
  One = allocateOn(1, 6);
  expectSuccess(launch(Add, nullptr, One, 1u));
  EXPECT_EQ(read(One), 7u);
  EXPECT_EQ(read(Zero), 2u);
}

TEST_F(CudaDevices, CopiesBetweenThemAreInOrder) {
  uint32_t *Zero = allocateOn(0, 1), *One = allocateOn(1, 0);
  for (int I = 0; I != 20; ++I) {
    expectSuccess(cudaSetDevice(0));
    expectSuccess(launch(Add, nullptr, Zero, 1u));
    // In the default stream of either device.
    expectSuccess(cudaSetDevice(I % 2));
    expectSuccess(cudaMemcpyAsync(One, Zero, 4, cudaMemcpyDefault, nullptr));
    expectSuccess(cudaSetDevice(1));
    expectSuccess(launch(Add, nullptr, One, 1u));
    expectSuccess(cudaMemcpyPeerAsync(Zero, 0, One, 1, 4, nullptr));
  }
  EXPECT_EQ(read(Zero), 41u);
  expectSuccess(cudaSetDevice(0));
  expectSuccess(launch(Add, nullptr, Zero, 1u));
  expectSuccess(cudaMemcpyPeer(One, 1, Zero, 0, 4));
  EXPECT_EQ(read(One), 42u);
}

TEST_F(CudaDevices, EventsOrderTheirStreams) {
  uint32_t *Zero = allocateOn(0, 0), *One = allocateOn(1, 0);
  expectSuccess(cudaDeviceEnablePeerAccess(0, 0));
  cudaStream_t S1, S0;
  cudaEvent_t Done;
  expectSuccess(cudaStreamCreate(&S1));
  expectSuccess(cudaSetDevice(0));
  expectSuccess(cudaStreamCreate(&S0));
  expectSuccess(cudaEventCreateWithFlags(&Done, 0));
  for (unsigned I = 0; I != 20; ++I) {
    expectSuccess(cudaSetDevice(0));
    expectSuccess(launch(Add, S0, Zero, 1u));
    expectSuccess(cudaEventRecord(Done, S0));
    expectSuccess(cudaStreamWaitEvent(S1, Done, 0));
    expectSuccess(cudaSetDevice(1));
    expectSuccess(launch(Copy, S1, One, Zero));
    expectSuccess(cudaStreamSynchronize(S1));
    EXPECT_EQ(read(One), I + 1);
  }
  expectSuccess(cudaEventDestroy(Done));
}

TEST_F(CudaDevices, VariablesAreOnEachAndManagedOnesAreCommon) {
  static char Own;
  static uint32_t *Common = nullptr;
  __cudaRegisterVar(Handle, &Own, nullptr, "Own", 0, 4, 0, 0);
  __cudaRegisterManagedVar(Handle, reinterpret_cast<void **>(&Common), nullptr,
                           "Common", 0, 4, 0, 0);
  __cudaInitModule(Handle);
  ASSERT_NE(Common, nullptr);
  uint32_t *First = Common;
  for (int Device = 0; Device != NumDevices; ++Device) {
    expectSuccess(cudaSetDevice(Device));
    for (int I = 0; I <= Device; ++I)
      expectSuccess(launch(Count, nullptr));
    expectSuccess(cudaDeviceSynchronize());
  }
  EXPECT_EQ(Common, First) << "it stays where it is";
  EXPECT_EQ(*Common, 106u);
  for (int Device = 0; Device != NumDevices; ++Device) {
    expectSuccess(cudaSetDevice(Device));
    uint32_t Value = 0;
    expectSuccess(
        cudaMemcpyFromSymbol(&Value, &Own, 4, 0, cudaMemcpyDeviceToHost));
    EXPECT_EQ(Value, 8u + Device);
  }
}

TEST_F(CudaDevices, AManagedBlockIsForAll) {
  uint32_t *Block = nullptr;
  expectSuccess(cudaMallocManaged(reinterpret_cast<void **>(&Block), 4, 1));
  *Block = 0;
  for (int Device = 0; Device != NumDevices; ++Device) {
    expectSuccess(cudaSetDevice(Device));
    expectSuccess(launch(Add, nullptr, Block, 1u));
    expectSuccess(cudaDeviceSynchronize());
  }
  EXPECT_EQ(*Block, 3u);
}

TEST_F(CudaDevices, PoolsGiveAccess) {
  cudaMemPool_t Pool;
  expectSuccess(cudaDeviceGetDefaultMemPool(&Pool, 0));
  void *Before = nullptr, *After = nullptr;
  expectSuccess(cudaMallocFromPoolAsync(&Before, 4, Pool, nullptr));
  cudaMemAccessDesc Access = {{/*device*/ 1, 1}, /*read and write*/ 3};
  expectSuccess(cudaMemPoolSetAccess(Pool, &Access, 1));
  expectSuccess(cudaMallocFromPoolAsync(&After, 4, Pool, nullptr));
  uint32_t *Other = allocateOn(0, 1);
  expectSuccess(cudaMemset(Before, 0, 4));
  expectSuccess(cudaMemset(After, 0, 4));
  expectSuccess(cudaDeviceSynchronize());
  cudaMemLocation One = {1, 1}, Two = {1, 2};
  int Flags = 0;
  expectSuccess(cudaMemPoolGetAccess(&Flags, Pool, &One));
  EXPECT_EQ(Flags, 3);
  expectSuccess(cudaMemPoolGetAccess(&Flags, Pool, &Two));
  EXPECT_EQ(Flags, 0);
  expectSuccess(cudaSetDevice(1));
  for (void *Block : {Before, After}) {
    expectSuccess(launch(Add, nullptr, Block, 4u));
    EXPECT_EQ(read(Block), 4u);
  }
  expectSuccess(launch(Add, nullptr, Other, 1u)); // is of no pool
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
}

TEST_F(CudaDevices, AGraphSpansThem) {
  uint32_t *Zero = allocateOn(0, 0), *One = allocateOn(1, 0);
  expectSuccess(cudaDeviceEnablePeerAccess(0, 0));
  cudaStream_t S0, S1;
  cudaEvent_t Fork, Join;
  expectSuccess(cudaStreamCreate(&S1));
  expectSuccess(cudaSetDevice(0));
  expectSuccess(cudaStreamCreate(&S0));
  expectSuccess(cudaEventCreateWithFlags(&Fork, 0));
  expectSuccess(cudaEventCreateWithFlags(&Join, 0));
  // Both are loaded before the capture.
  expectSuccess(launch(Add, S0, Zero, 0u));
  expectSuccess(cudaSetDevice(1));
  expectSuccess(launch(Copy, S1, One, Zero));
  expectSuccess(cudaSetDevice(0));
  expectSuccess(cudaStreamBeginCapture(S0, 0));
  expectSuccess(launch(Add, S0, Zero, 1u));
  expectSuccess(cudaEventRecord(Fork, S0));
  expectSuccess(cudaStreamWaitEvent(S1, Fork, 0));
  expectSuccess(cudaSetDevice(1));
  expectSuccess(launch(Copy, S1, One, Zero));
  expectSuccess(cudaEventRecord(Join, S1));
  expectSuccess(cudaStreamWaitEvent(S0, Join, 0));
  cudaGraph_t Graph;
  cudaGraphExec_t Ready;
  expectSuccess(cudaSetDevice(0));
  expectSuccess(cudaStreamEndCapture(S0, &Graph));
  expectSuccess(cudaGraphInstantiate(&Ready, Graph, 0));
  for (int I = 0; I != 5; ++I)
    expectSuccess(cudaGraphLaunch(Ready, S0));
  expectSuccess(cudaStreamSynchronize(S0));
  EXPECT_EQ(read(One), 5u);
  expectSuccess(cudaGraphExecDestroy(Ready));
  expectSuccess(cudaGraphDestroy(Graph));
}

} // namespace
