//===- CudaRuntimeTest.cpp - Tests of libcudart.so.13 -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Does what the host code of a program does that nvcc compiled: registers a fat
// binary that nvcc made (test/unit/Object/Inputs), and calls the API through
// the library's exported functions.
//
//===----------------------------------------------------------------------===//

#include "ABI.h"
#include "gtest/gtest.h"

#include <cstring>
#include <fstream>
#include <iterator>
#include <vector>

using namespace heddle::cuda;

extern "C" {
void **__cudaRegisterFatBinary(void *);
void __cudaRegisterFatBinaryEnd(void **);
void __cudaUnregisterFatBinary(void **);
void __cudaRegisterFunction(void **, const char *, char *, const char *, int,
                            void *, void *, void *, void *, int *);
unsigned __cudaPushCallConfiguration(dim3, dim3, size_t, cudaStream_t);
cudaError_t __cudaPopCallConfiguration(dim3 *, dim3 *, size_t *, void *);
cudaError_t __cudaGetKernel(cudaKernel_t *, const void *);
cudaError_t __cudaLaunchKernel(cudaKernel_t, dim3, dim3, void **, size_t,
                               cudaStream_t);
cudaError_t cudaLaunchKernel(const void *, dim3, dim3, void **, size_t,
                             cudaStream_t);
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *, const void *,
                                void **);
cudaError_t cudaMalloc(void **, size_t);
cudaError_t cudaFree(void *);
cudaError_t cudaMallocManaged(void **, size_t, unsigned);
cudaError_t cudaHostAlloc(void **, size_t, unsigned);
cudaError_t cudaFreeHost(void *);
cudaError_t cudaMallocPitch(void **, size_t *, size_t, size_t);
cudaError_t cudaMemcpy(void *, const void *, size_t, cudaMemcpyKind);
cudaError_t cudaMemcpyAsync(void *, const void *, size_t, cudaMemcpyKind,
                            cudaStream_t);
cudaError_t cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t,
                         cudaMemcpyKind);
cudaError_t cudaMemset(void *, int, size_t);
cudaError_t cudaMemset2D(void *, size_t, int, size_t, size_t);
cudaError_t cudaMemGetInfo(size_t *, size_t *);
cudaError_t cudaPointerGetAttributes(cudaPointerAttributes *, const void *);
cudaError_t cudaDeviceSynchronize();
cudaError_t cudaGetLastError();
cudaError_t cudaPeekAtLastError();
const char *cudaGetErrorName(cudaError_t);
const char *cudaGetErrorString(cudaError_t);
cudaError_t cudaGetDeviceCount(int *);
cudaError_t cudaDriverGetVersion(int *);
cudaError_t cudaRuntimeGetVersion(int *);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp *, int);
cudaError_t cudaDeviceGetAttribute(int *, int, int);
cudaError_t cudaStreamCreate(cudaStream_t *);
cudaError_t cudaStreamDestroy(cudaStream_t);
cudaError_t cudaStreamSynchronize(cudaStream_t);
cudaError_t cudaStreamBeginCapture(cudaStream_t, int);
cudaError_t cudaStreamEndCapture(cudaStream_t, cudaGraph_t *);
cudaError_t cudaGraphInstantiate(cudaGraphExec_t *, cudaGraph_t,
                                 unsigned long long);
cudaError_t cudaGraphLaunch(cudaGraphExec_t, cudaStream_t);
cudaError_t cudaGraphExecDestroy(cudaGraphExec_t);
cudaError_t cudaGraphDestroy(cudaGraph_t);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *, unsigned);
cudaError_t cudaEventRecord(cudaEvent_t, cudaStream_t);
cudaError_t cudaEventSynchronize(cudaEvent_t);
cudaError_t cudaEventElapsedTime(float *, cudaEvent_t, cudaEvent_t);
cudaError_t cudaEventDestroy(cudaEvent_t);
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *, const void *);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *,
                                                          int, size_t);
cudaError_t cudaLaunchHostFunc(cudaStream_t, cudaHostFn_t, void *);
cudaError_t cudaDeviceReset();
cudaError_t cudaImportExternalMemory();
cudaError_t cudaMallocArray(cudaArray_t *, const cudaChannelFormatDesc *,
                            size_t, size_t, unsigned);
cudaError_t cudaFreeArray(cudaArray_t);
cudaError_t cudaMemcpyToArray(cudaArray_t, size_t, size_t, const void *, size_t,
                              cudaMemcpyKind);
cudaError_t cudaMemcpyFromArray(void *, cudaArray_t, size_t, size_t, size_t,
                                cudaMemcpyKind);
cudaError_t cudaMemcpyArrayToArray(cudaArray_t, size_t, size_t, cudaArray_t,
                                   size_t, size_t, size_t, cudaMemcpyKind);
}

namespace {

// What nvcc 13.0 and its headers say.
static_assert(sizeof(cudaDeviceProp) == 1008 &&
              offsetof(cudaDeviceProp, major) == 360 &&
              offsetof(cudaDeviceProp, reserved) == 784);
static_assert(sizeof(cudaFuncAttributes) == 144 &&
              offsetof(cudaFuncAttributes, nonPortableClusterSizeAllowed) ==
                  72);
static_assert(sizeof(cudaPointerAttributes) == 88);
static_assert(sizeof(cudaLaunchConfig_t) == 56);

/// The host's side of `scale(float *Values, float Factor, int Count)`: only its
/// address matters.
void scaleStub() {}

class CudaRuntime : public testing::Test {
protected:
  void SetUp() override {
    setenv("HEDDLE_CACHE_MODE", "off", 1);
    std::ifstream File(HEDDLE_FATBINARY_INPUTS "/size.fatbin",
                       std::ios::binary);
    Bytes.assign(std::istreambuf_iterator<char>(File), {});
    ASSERT_FALSE(Bytes.empty());
    Wrapper.Data = Bytes.data();
    Handle = __cudaRegisterFatBinary(&Wrapper);
    __cudaRegisterFunction(Handle, reinterpret_cast<const char *>(Scale),
                           nullptr, "scale", -1, nullptr, nullptr, nullptr,
                           nullptr, nullptr);
    __cudaRegisterFatBinaryEnd(Handle);
  }
  void TearDown() override {
    cudaDeviceReset();
    __cudaUnregisterFatBinary(Handle);
    cudaGetLastError();
  }

  static void expectSuccess(cudaError_t Code) {
    EXPECT_EQ(Code, cudaSuccess) << cudaGetErrorName(Code);
  }
  /// scale<<<Grid, 64, 0, Stream>>>(Values, Factor, Count).
  cudaError_t scale(void *Values, float Factor, int Count, unsigned Grid = 4,
                    cudaStream_t Stream = nullptr) {
    void *Arguments[] = {&Values, &Factor, &Count};
    return cudaLaunchKernel(Scale, {Grid, 1, 1}, {64, 1, 1}, Arguments, 0,
                            Stream);
  }

  struct {
    uint32_t Magic = 0x466243B1, Version = 1;
    const void *Data = nullptr;
    const void *Names = nullptr;
  } Wrapper;
  const void *Scale = reinterpret_cast<const void *>(&scaleStub);
  std::vector<char> Bytes;
  void **Handle = nullptr;
};

TEST(CudaVersion, IsThatOfCUDA) {
  int Runtime = 0, Driver = 0;
  EXPECT_EQ(cudaRuntimeGetVersion(&Runtime), cudaSuccess);
  EXPECT_EQ(cudaDriverGetVersion(&Driver), cudaSuccess);
  EXPECT_EQ(Runtime, 13050);
  EXPECT_EQ(Driver, 13050);
}

TEST_F(CudaRuntime, RunsAKernelAsGeneratedHostCodeDoes) {
  std::vector<float> Host(256, 1.5f);
  void *Device = nullptr;
  expectSuccess(cudaMalloc(&Device, 1024));
  expectSuccess(cudaMemcpy(Device, Host.data(), 1024, cudaMemcpyHostToDevice));
  // scale<<<4, 64>>>(Device, 2.0f, 255)
  ASSERT_EQ(__cudaPushCallConfiguration({4, 1, 1}, {64, 1, 1}, 0, nullptr), 0u);
  dim3 Grid, Block;
  size_t Shared;
  cudaStream_t Stream;
  expectSuccess(__cudaPopCallConfiguration(&Grid, &Block, &Shared, &Stream));
  EXPECT_EQ(__cudaPopCallConfiguration(&Grid, &Block, &Shared, &Stream),
            cudaErrorMissingConfiguration);
  cudaKernel_t Kernel;
  expectSuccess(__cudaGetKernel(&Kernel, Scale));
  float Factor = 2.0f;
  int Count = 255;
  void *Arguments[] = {&Device, &Factor, &Count};
  expectSuccess(
      __cudaLaunchKernel(Kernel, Grid, Block, Arguments, Shared, Stream));
  expectSuccess(cudaMemcpy(Host.data(), Device, 1024, cudaMemcpyDefault));
  EXPECT_EQ(Host[0], 3.0f);
  EXPECT_EQ(Host[254], 3.0f);
  EXPECT_EQ(Host[255], 1.5f);
  expectSuccess(cudaFree(Device));
  EXPECT_EQ(cudaFree(Device), cudaErrorInvalidValue);
}

TEST_F(CudaRuntime, ManagedAndPinnedMemoryAreOneMemory) {
  float *Managed = nullptr, *Pinned = nullptr;
  expectSuccess(
      cudaMallocManaged(reinterpret_cast<void **>(&Managed), 1024, 1));
  expectSuccess(cudaHostAlloc(reinterpret_cast<void **>(&Pinned), 1024, 0));
  for (int I = 0; I != 256; ++I)
    Managed[I] = Pinned[I] = I;
  expectSuccess(scale(Managed, 3, 256));
  expectSuccess(scale(Pinned, 5, 256));
  expectSuccess(cudaDeviceSynchronize());
  EXPECT_EQ(Managed[10], 30);
  EXPECT_EQ(Pinned[10], 50);
  cudaPointerAttributes A;
  expectSuccess(cudaPointerGetAttributes(&A, Managed + 7));
  EXPECT_EQ(A.type, cudaMemoryTypeManaged);
  expectSuccess(cudaPointerGetAttributes(&A, &A));
  EXPECT_EQ(A.type, cudaMemoryTypeUnregistered);
  expectSuccess(cudaFree(Managed));
  expectSuccess(cudaFreeHost(Pinned));
}

TEST_F(CudaRuntime, PitchedCopiesKeepTheirRows) {
  void *Device = nullptr;
  size_t Pitch = 0;
  expectSuccess(cudaMallocPitch(&Device, &Pitch, 5, 3));
  EXPECT_GE(Pitch, 5u);
  const char *Text = "abcdefghijklmno";
  expectSuccess(
      cudaMemcpy2D(Device, Pitch, Text, 5, 5, 3, cudaMemcpyHostToDevice));
  char Back[18] = {};
  expectSuccess(
      cudaMemcpy2D(Back, 6, Device, Pitch, 5, 3, cudaMemcpyDeviceToHost));
  EXPECT_EQ(std::memcmp(Back, "abcde\0fghij\0klmno", 17), 0);
  EXPECT_EQ(cudaMemcpy2D(Back, 4, Device, Pitch, 5, 3, cudaMemcpyDeviceToHost),
            cudaErrorInvalidPitchValue);
  expectSuccess(cudaMemset(Device, 'x', 2));
  expectSuccess(cudaMemcpy(Back, Device, 3, cudaMemcpyDeviceToHost));
  EXPECT_EQ(std::memcmp(Back, "xxc", 3), 0);
  expectSuccess(cudaFree(Device));
}

TEST_F(CudaRuntime, StreamsEventsAndGraphs) {
  float *Data = nullptr;
  expectSuccess(cudaMallocManaged(reinterpret_cast<void **>(&Data), 1024, 1));
  for (int I = 0; I != 256; ++I)
    Data[I] = 1;
  cudaStream_t Stream;
  cudaEvent_t Begin, End;
  expectSuccess(cudaStreamCreate(&Stream));
  expectSuccess(cudaEventCreateWithFlags(&Begin, 0));
  expectSuccess(cudaEventCreateWithFlags(&End, 0));
  expectSuccess(cudaStreamBeginCapture(Stream, 0));
  expectSuccess(scale(Data, 2, 256, 4, Stream));
  cudaGraph_t Graph;
  expectSuccess(cudaStreamEndCapture(Stream, &Graph));
  cudaGraphExec_t Ready;
  expectSuccess(cudaGraphInstantiate(&Ready, Graph, 0));
  expectSuccess(cudaEventRecord(Begin, Stream));
  for (int I = 0; I != 3; ++I)
    expectSuccess(cudaGraphLaunch(Ready, Stream));
  expectSuccess(cudaEventRecord(End, Stream));
  int Called = 0;
  expectSuccess(cudaLaunchHostFunc(
      Stream, [](void *P) { *static_cast<int *>(P) = 1; }, &Called));
  expectSuccess(cudaStreamSynchronize(Stream));
  EXPECT_EQ(Data[100], 8);
  EXPECT_EQ(Called, 1);
  float Milliseconds = -1;
  expectSuccess(cudaEventElapsedTime(&Milliseconds, Begin, End));
  EXPECT_GT(Milliseconds, 0);
  expectSuccess(cudaGraphExecDestroy(Ready));
  expectSuccess(cudaGraphDestroy(Graph));
  expectSuccess(cudaEventDestroy(Begin));
  EXPECT_EQ(cudaEventDestroy(Begin), cudaErrorInvalidResourceHandle);
  expectSuccess(cudaStreamDestroy(Stream));
  EXPECT_EQ(cudaStreamSynchronize(Stream), cudaErrorInvalidResourceHandle);
  cudaGetLastError();
  expectSuccess(cudaFree(Data));
}

TEST_F(CudaRuntime, AFaultIsSticky) {
  void *Device = nullptr;
  expectSuccess(cudaMalloc(&Device, 16));
  expectSuccess(scale(Device, 2, 256));
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaGetLastError(), cudaErrorIllegalAddress) << "it stays";
  void *Other = nullptr;
  EXPECT_EQ(scale(Device, 2, 1), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaMalloc(&Other, 16), cudaErrorIllegalAddress);
  EXPECT_EQ(cudaHostAlloc(&Other, 16, 0), cudaErrorIllegalAddress);
  expectSuccess(cudaDeviceReset());
  cudaGetLastError();
  expectSuccess(cudaMalloc(&Other, 16));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

/// Small memory is the heap's, large memory the system's.
TEST_F(CudaRuntime, ResetFreesMappedMemory) {
  for (size_t Size : {size_t(16), size_t(8) << 20}) {
    void *Managed = nullptr, *Pinned = nullptr;
    expectSuccess(cudaMallocManaged(&Managed, Size, 1));
    expectSuccess(cudaHostAlloc(&Pinned, Size, 0));
    std::memset(Managed, 1, Size);
    std::memset(Pinned, 1, Size);
    expectSuccess(cudaDeviceReset());
    EXPECT_EQ(cudaFree(Managed), cudaErrorInvalidValue);
    EXPECT_EQ(cudaFreeHost(Pinned), cudaErrorInvalidValue);
    cudaGetLastError();
  }
}

TEST_F(CudaRuntime, BadClustersAreNotSticky) {
  void *Device = nullptr;
  expectSuccess(cudaMalloc(&Device, 1024));
  void *Arguments[] = {&Device, &Device, &Device};
  cudaLaunchAttribute Cluster = {cudaLaunchAttributeClusterDimension, 0, {}};
  cudaLaunchConfig_t Config = {{4, 1, 1}, {32, 1, 1}, 0, {}, &Cluster, 1};
  // 65537 is 1 in the 16 bits that a packet has for it.
  for (unsigned Extent : {3u, 8u, 17u, 65537u}) {
    Cluster.val.clusterDim = {Extent, 1, 1};
    EXPECT_EQ(cudaLaunchKernelExC(&Config, Scale, Arguments),
              cudaErrorInvalidClusterSize)
        << Extent;
  }
  Cluster.val.clusterDim = {2, 0, 1};
  EXPECT_EQ(cudaLaunchKernelExC(&Config, Scale, Arguments),
            cudaErrorInvalidClusterSize);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidClusterSize);
  expectSuccess(cudaDeviceSynchronize());
  expectSuccess(cudaFree(Device));
}

TEST_F(CudaRuntime, BadLaunchesAreNotSticky) {
  void *Device = nullptr;
  expectSuccess(cudaMalloc(&Device, 1024));
  void *Arguments[] = {&Device, &Device, &Device};
  EXPECT_EQ(cudaLaunchKernel(Scale, {1, 1, 1}, {2048, 1, 1}, Arguments, 0, 0),
            cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaLaunchKernel(Scale, {0, 1, 1}, {32, 1, 1}, Arguments, 0, 0),
            cudaErrorInvalidConfiguration);
  EXPECT_EQ(cudaLaunchKernel(&Device, {1, 1, 1}, {32, 1, 1}, Arguments, 0, 0),
            cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaPeekAtLastError(), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidDeviceFunction);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  expectSuccess(scale(Device, 1, 256));
  expectSuccess(cudaDeviceSynchronize());
  expectSuccess(cudaFree(Device));
}

TEST_F(CudaRuntime, BadCopiesAreNotSticky) {
  char *Device = nullptr;
  char Host[64] = {};
  expectSuccess(cudaMalloc(reinterpret_cast<void **>(&Device), 64));
  EXPECT_EQ(cudaMemcpy(Device, Host, 65, cudaMemcpyHostToDevice),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(Host, Device + 1, 64, cudaMemcpyDeviceToHost, 0),
            cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpy(Host, Host, 1, cudaMemcpyDeviceToHost),
            cudaErrorInvalidValue); // no memory of the device
  EXPECT_EQ(cudaMemset(Device + 32, 0, 33), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemset2D(Device, 32, 0, 16, 3), cudaErrorInvalidValue);
  EXPECT_EQ(cudaGetLastError(), cudaErrorInvalidValue);
  expectSuccess(cudaMemset2D(Device, 48, 7, 16, 2)); // its end is the block's
  expectSuccess(cudaMemcpy(Host, Device, 64, cudaMemcpyDeviceToHost));
  EXPECT_EQ(Host[63], 7);
  expectSuccess(cudaDeviceSynchronize());
  expectSuccess(cudaFree(Device));
}

TEST_F(CudaRuntime, DescribesDeviceAndKernels) {
  int Count = 0, Value = 0;
  expectSuccess(cudaGetDeviceCount(&Count));
  EXPECT_EQ(Count, 1);
  cudaDeviceProp P;
  expectSuccess(cudaGetDeviceProperties(&P, 0));
  EXPECT_EQ(P.warpSize, 32);
  EXPECT_EQ(P.major, 9);
  EXPECT_GT(P.multiProcessorCount, 0);
  expectSuccess(cudaDeviceGetAttribute(&Value, 16, 0));
  EXPECT_EQ(Value, P.multiProcessorCount);
  EXPECT_EQ(cudaGetDeviceProperties(&P, 1), cudaErrorInvalidDevice);
  cudaFuncAttributes A;
  expectSuccess(cudaFuncGetAttributes(&A, Scale));
  EXPECT_GT(A.numRegs, 0);
  EXPECT_EQ(A.maxThreadsPerBlock, 1024);
  int Blocks = 0;
  expectSuccess(
      cudaOccupancyMaxActiveBlocksPerMultiprocessor(&Blocks, Scale, 256, 0));
  EXPECT_EQ(Blocks, 8);
  size_t Free = 0, Total = 0, After = 0;
  expectSuccess(cudaMemGetInfo(&Free, &Total));
  EXPECT_EQ(Free, Total);
  void *Device = nullptr;
  expectSuccess(cudaMalloc(&Device, 1 << 20));
  expectSuccess(cudaMemGetInfo(&After, &Total));
  EXPECT_EQ(Free - After, size_t(1) << 20);
}

TEST_F(CudaRuntime, CopiesBytesOfArraysRowBehindRow) {
  constexpr size_t Size = 48; // rows of 8 bytes in one, of 12 in the other
  cudaChannelFormatDesc Words = {32, 0, 0, 0, cudaChannelFormatKindUnsigned};
  cudaArray_t Narrow = nullptr, Wide = nullptr;
  expectSuccess(cudaMallocArray(&Narrow, &Words, 2, 6, 0));
  expectSuccess(cudaMallocArray(&Wide, &Words, 3, 4, 0));
  std::vector<uint32_t> Given(Size / 4), Zeros(Size / 4), Got(Size / 4);
  for (uint32_t I = 0; I != Given.size(); ++I)
    Given[I] = 100 + I;
  expectSuccess(cudaMemcpyToArray(Narrow, 0, 0, Given.data(), Size,
                                  cudaMemcpyHostToDevice));
  expectSuccess(cudaMemcpyArrayToArray(Wide, 0, 0, Narrow, 0, 0, Size,
                                       cudaMemcpyDeviceToDevice));
  expectSuccess(cudaMemcpyFromArray(Got.data(), Wide, 0, 0, Size,
                                    cudaMemcpyDeviceToHost));
  EXPECT_EQ(Got, Given);
  // Ten words from the second on to the third on, the other way round.
  expectSuccess(cudaMemcpyToArray(Narrow, 0, 0, Zeros.data(), Size,
                                  cudaMemcpyHostToDevice));
  expectSuccess(cudaMemcpyArrayToArray(Narrow, 0, 1, Wide, 4, 0, 40,
                                       cudaMemcpyDeviceToDevice));
  expectSuccess(cudaMemcpyFromArray(Got.data(), Narrow, 0, 0, Size,
                                    cudaMemcpyDeviceToHost));
  std::vector<uint32_t> Expected(2);
  Expected.insert(Expected.end(), Given.begin() + 1, Given.begin() + 11);
  EXPECT_EQ(Got, Expected);
  EXPECT_EQ(cudaMemcpyArrayToArray(Narrow, 0, 1, Wide, 4, 0, 44,
                                   cudaMemcpyDeviceToDevice),
            cudaErrorInvalidValue); // beyond the end
  expectSuccess(cudaFreeArray(Wide));
  EXPECT_EQ(cudaMemcpyArrayToArray(Narrow, 0, 0, Wide, 0, 0, 4,
                                   cudaMemcpyDeviceToDevice),
            cudaErrorInvalidResourceHandle);
  expectSuccess(cudaFreeArray(Narrow));
}

TEST_F(CudaRuntime, NamesErrorsAndWhatIsMissing) {
  EXPECT_STREQ(cudaGetErrorName(cudaErrorIllegalAddress),
               "cudaErrorIllegalAddress");
  EXPECT_STREQ(cudaGetErrorString(cudaSuccess), "no error");
  testing::internal::CaptureStderr();
  EXPECT_EQ(cudaImportExternalMemory(), cudaErrorNotSupported);
  EXPECT_EQ(testing::internal::GetCapturedStderr(),
            "heddle: cudaImportExternalMemory is not supported: no other "
            "driver shares "
            "anything\n");
}

} // namespace
