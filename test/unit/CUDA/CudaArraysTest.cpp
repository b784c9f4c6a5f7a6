//===- CudaArraysTest.cpp - Arrays in the driver API ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arrays with and without levels, textures over them, and hints of streams and
// pools that programs ask for again.
//
//===----------------------------------------------------------------------===//

#include "gtest/gtest.h"

#include <cstddef>
#include <cstdlib>
#include <cstring>

using Address = unsigned long long;
using Handle = void *;

namespace {
struct Descriptor3D {
  size_t Width, Height, Depth;
  unsigned Format, Channels, Flags;
};
struct Descriptor {
  size_t Width, Height;
  unsigned Format, Channels;
};
/// CUDA_RESOURCE_DESC of an array.
struct Resource {
  int Type;
  Handle Array;
  char Rest[120];
  unsigned Flags;
};
static_assert(sizeof(Resource) == 144);
/// CUDA_TEXTURE_DESC.
struct Texture {
  int Address[3], Filter;
  unsigned Flags, MaxAnisotropy;
  int MipFilter;
  float Bias, MinLevel, MaxLevel, Border[4];
  int Reserved[12];
};
static_assert(sizeof(Texture) == 104);
struct Location {
  int Type, Id;
};
struct Copy3D {
  struct Side {
    size_t X, Y, Z, Level;
    unsigned Type;
    const void *Host;
    Address Device;
    Handle Array, Context;
    size_t Pitch, Height;
  } Source, Destination;
  size_t Width, Height, Depth;
};
} // namespace

extern "C" {
int cuInit(unsigned);
int cuDevicePrimaryCtxRetain(Handle *, int);
int cuCtxPushCurrent_v2(Handle);
int cuCtxPopCurrent_v2(Handle *);
int cuMemAlloc_v2(Address *, size_t);
int cuMemFree_v2(Address);
int cuMemcpyDtoH_v2(void *, Address, size_t);
int cuArray3DCreate_v2(Handle *, const Descriptor3D *);
int cuArray3DGetDescriptor_v2(Descriptor3D *, Handle);
int cuArrayGetDescriptor_v2(Descriptor *, Handle);
int cuArrayDestroy(Handle);
int cuMemcpyHtoA_v2(Handle, size_t, const void *, size_t);
int cuMemcpyAtoA_v2(Handle, size_t, Handle, size_t, size_t);
int cuMemcpyAtoD_v2(Address, Handle, size_t, size_t);
int cuMemcpyDtoA_v2(Handle, size_t, Address, size_t);
int cuMemcpyAtoH_v2(void *, Handle, size_t, size_t);
int cuMemcpy3DPeer(const Copy3D *);
int cuMipmappedArrayCreate(Handle *, const Descriptor3D *, unsigned);
int cuMipmappedArrayGetLevel(Handle *, Handle, unsigned);
int cuMipmappedArrayDestroy(Handle);
int cuTexObjectCreate(Address *, const Resource *, const Texture *,
                      const void *);
int cuTexObjectDestroy(Address);
int cuTexObjectGetResourceDesc(Resource *, Address);
int cuTexObjectGetTextureDesc(Texture *, Address);
int cuTexObjectGetResourceViewDesc(void *, Address);
int cuDeviceGetTexture1DLinearMaxWidth(size_t *, unsigned, unsigned, int);
int cuModuleLoadData(Handle *, const void *);
int cuModuleGetFunction(Handle *, Handle, const char *);
int cuLaunchKernel(Handle, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned, Handle, void **, void **);
int cuStreamCreate(Handle *, unsigned);
int cuStreamDestroy_v2(Handle);
int cuStreamGetAttribute(Handle, int, void *);
int cuStreamSetAttribute(Handle, int, const void *);
int cuStreamCopyAttributes(Handle, Handle);
int cuStreamAttachMemAsync(Handle, Address, size_t, unsigned);
int cuDeviceGetDefaultMemPool(Handle *, int);
int cuMemAllocManaged(Address *, size_t, unsigned);
int cuMemAdvise(Address, size_t, int, int);
int cuMemPrefetchAsync(Address, size_t, int, Handle);
int cuMemcpyBatchAsync_v2(Address *, Address *, size_t *, size_t, void *,
                          size_t *, size_t, Handle);
int cuMemcpyBatchAsync(Address *, Address *, size_t *, size_t, void *, size_t *,
                       size_t, size_t *, Handle);
int cuMemPrefetchBatchAsync(Address *, size_t *, size_t, Location *, size_t *,
                            size_t, unsigned long long, Handle);
int cuMemDiscardBatchAsync(Address *, size_t *, size_t, unsigned long long,
                           Handle);
int cuStreamSynchronize(Handle);
int cuMemRangeGetAttribute(void *, size_t, int, Address, size_t);
int cuMemRangeGetAttributes(void **, size_t *, int *, size_t, Address, size_t);
int cuMemGetDefaultMemPool(Handle *, Location *, int);
int cuMemPoolGetAccess(int *, Handle, Location *);
}

namespace {

constexpr int Success = 0, InvalidValue = 1, InvalidHandle = 400;
constexpr unsigned UInt8 = 1, UInt32 = 3, Float = 0x20;

class CudaArrays : public testing::Test {
protected:
  void SetUp() override {
    setenv("HEDDLE_CACHE_MODE", "off", 1);
    ASSERT_EQ(cuInit(0), Success);
    Handle Context;
    ASSERT_EQ(cuDevicePrimaryCtxRetain(&Context, 0), Success);
    ASSERT_EQ(cuCtxPushCurrent_v2(Context), Success);
  }
  void TearDown() override { cuCtxPopCurrent_v2(nullptr); }
};

TEST_F(CudaArrays, DescribesThemAndCopiesTheirBytes) {
  Handle A, B;
  Descriptor3D D = {8, 0, 0, UInt32, 2, 2}, Same;
  ASSERT_EQ(cuArray3DCreate_v2(&A, &D), Success);
  ASSERT_EQ(cuArray3DCreate_v2(&B, &D), Success);
  ASSERT_EQ(cuArray3DGetDescriptor_v2(&Same, A), Success);
  EXPECT_EQ(std::memcmp(&D, &Same, offsetof(Descriptor3D, Flags) + 4), 0);
  Descriptor Flat;
  ASSERT_EQ(cuArrayGetDescriptor_v2(&Flat, A), Success);
  EXPECT_EQ(Flat.Width, 8u);
  EXPECT_EQ(Flat.Format, UInt32);
  EXPECT_EQ(Flat.Channels, 2u);
  EXPECT_EQ(cuArray3DGetDescriptor_v2(&Same, &Flat), InvalidHandle);

  unsigned In[16], Out[16] = {};
  for (unsigned I = 0; I != 16; ++I)
    In[I] = 100 + I;
  Address Memory;
  ASSERT_EQ(cuMemAlloc_v2(&Memory, 64), Success);
  EXPECT_EQ(cuMemcpyHtoA_v2(A, 0, In, 64), Success);
  EXPECT_EQ(cuMemcpyHtoA_v2(A, 32, In, 64), InvalidValue); // beyond its end
  EXPECT_EQ(cuMemcpyAtoA_v2(B, 32, A, 0, 32), Success);
  EXPECT_EQ(cuMemcpyAtoA_v2(B, 0, A, 32, 32), Success);
  EXPECT_EQ(cuMemcpyAtoD_v2(Memory, B, 0, 64), Success);
  EXPECT_EQ(cuMemcpyDtoA_v2(A, 8, Memory, 8), Success);
  EXPECT_EQ(cuMemcpyDtoH_v2(Out, Memory, 64), Success);
  for (unsigned I = 0; I != 16; ++I)
    EXPECT_EQ(Out[I], 100 + (I + 8) % 16);
  EXPECT_EQ(cuMemcpyAtoH_v2(Out, A, 0, 64), Success);
  EXPECT_EQ(Out[1], 101u);
  EXPECT_EQ(Out[2], 108u);
  EXPECT_EQ(Out[4], 104u);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);
  EXPECT_EQ(cuArrayDestroy(A), Success);
  EXPECT_EQ(cuArrayDestroy(B), Success);
}

constexpr char Sample[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry sample(.param .u64 t, .param .u64 p) {
  .reg .u64 %t, %p; .reg .f32 %f<6>;
  ld.param.u64 %t, [t];
  ld.param.u64 %p, [p];
  mov.f32 %f4, 0f3F000000;
  mov.f32 %f5, 0f3F800000;
  tex.level.2d.v4.f32.f32 {%f0, %f1, %f2, %f3}, [%t, {%f4, %f4}], %f5;
  st.global.f32 [%p], %f0;
  ret;
})";

TEST_F(CudaArrays, HasLevelsThatTexturesRead) {
  Handle Mipmap, Level;
  Descriptor3D D = {8, 4, 0, Float, 1, 0}, Half;
  ASSERT_EQ(cuMipmappedArrayCreate(&Mipmap, &D, 3), Success);
  EXPECT_EQ(cuMipmappedArrayGetLevel(&Level, Mipmap, 3), InvalidValue);
  for (unsigned L = 0; L != 3; ++L) {
    ASSERT_EQ(cuMipmappedArrayGetLevel(&Level, Mipmap, L), Success);
    ASSERT_EQ(cuArray3DGetDescriptor_v2(&Half, Level), Success);
    EXPECT_EQ(Half.Width, 8u >> L);
    EXPECT_EQ(Half.Height, 4u >> L);
    float Texels[32];
    for (float &T : Texels)
      T = 10.0f * (L + 1);
    Copy3D C = {};
    C.Source.Type = 1; // the host
    C.Source.Host = Texels;
    C.Destination.Type = 3; // an array
    C.Destination.Array = Level;
    C.Width = Half.Width * 4;
    C.Height = Half.Height;
    C.Depth = 1;
    EXPECT_EQ(cuMemcpy3DPeer(&C), Success);
  }
  constexpr int MipmappedArray = 1;
  Resource R = {};
  R.Type = MipmappedArray;
  R.Array = Mipmap;
  Texture T = {};
  T.Flags = 2; // normalised coordinates
  T.MaxLevel = 2;
  Address Object, Memory;
  ASSERT_EQ(cuTexObjectCreate(&Object, &R, &T, nullptr), Success);
  Resource SameR;
  Texture SameT;
  EXPECT_EQ(cuTexObjectGetResourceDesc(&SameR, Object), Success);
  EXPECT_EQ(SameR.Type, MipmappedArray);
  EXPECT_EQ(SameR.Array, Mipmap);
  EXPECT_EQ(cuTexObjectGetTextureDesc(&SameT, Object), Success);
  EXPECT_EQ(SameT.MaxLevel, 2.0f);
  char View[112];
  EXPECT_EQ(cuTexObjectGetResourceViewDesc(View, Object), InvalidValue);
  EXPECT_EQ(cuTexObjectGetTextureDesc(&SameT, Object + 99999), InvalidValue);

  Handle Module, Function;
  ASSERT_EQ(cuModuleLoadData(&Module, Sample), Success);
  ASSERT_EQ(cuModuleGetFunction(&Function, Module, "sample"), Success);
  ASSERT_EQ(cuMemAlloc_v2(&Memory, 4), Success);
  void *Arguments[] = {&Object, &Memory};
  ASSERT_EQ(cuLaunchKernel(Function, 1, 1, 1, 1, 1, 1, 0, nullptr, Arguments,
                           nullptr),
            Success);
  float Read = 0;
  EXPECT_EQ(cuMemcpyDtoH_v2(&Read, Memory, 4), Success);
  EXPECT_EQ(Read, 20.0f);
  EXPECT_EQ(cuTexObjectDestroy(Object), Success);
  EXPECT_EQ(cuMipmappedArrayDestroy(Mipmap), Success);
  EXPECT_EQ(cuMipmappedArrayDestroy(Mipmap), InvalidHandle);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);
  size_t Width = 0;
  EXPECT_EQ(cuDeviceGetTexture1DLinearMaxWidth(&Width, UInt8, 4, 0), Success);
  EXPECT_EQ(Width, size_t(1) << 28);
}

TEST_F(CudaArrays, KeepsHintsOfStreamsAndKnowsPools) {
  Handle A, B;
  ASSERT_EQ(cuStreamCreate(&A, 0), Success);
  ASSERT_EQ(cuStreamCreate(&B, 0), Success);
  constexpr int Window = 1, SyncPolicy = 3, Cooperative = 2;
  char Value[64] = {}, Read[64];
  EXPECT_EQ(cuStreamGetAttribute(A, SyncPolicy, Read), Success);
  EXPECT_EQ(Read[0], 1); // automatic
  Value[5] = 42;
  EXPECT_EQ(cuStreamSetAttribute(A, Window, Value), Success);
  EXPECT_EQ(cuStreamGetAttribute(B, Window, Read), Success);
  EXPECT_EQ(Read[5], 0);
  EXPECT_EQ(cuStreamCopyAttributes(B, A), Success);
  EXPECT_EQ(cuStreamGetAttribute(B, Window, Read), Success);
  EXPECT_EQ(Read[5], 42);
  EXPECT_EQ(cuStreamSetAttribute(A, Cooperative, Value), InvalidValue);
  EXPECT_EQ(cuStreamAttachMemAsync(A, 0, 0, 4), Success);
  EXPECT_EQ(cuStreamDestroy_v2(A), Success);
  EXPECT_EQ(cuStreamDestroy_v2(B), Success);

  constexpr int OnDevice = 1, OnHost = 2, Pinned = 1, ReadWrite = 3;
  Location Here = {OnDevice, 0}, Host = {OnHost, 0};
  Handle Pool, Same;
  int Flags = 0;
  ASSERT_EQ(cuDeviceGetDefaultMemPool(&Pool, 0), Success);
  EXPECT_EQ(cuMemGetDefaultMemPool(&Same, &Here, Pinned), Success);
  EXPECT_EQ(Same, Pool);
  EXPECT_EQ(cuMemGetDefaultMemPool(&Same, &Host, Pinned), Success);
  EXPECT_NE(Same, Pool);
  EXPECT_EQ(cuMemPoolGetAccess(&Flags, Pool, &Here), Success);
  EXPECT_EQ(Flags, ReadWrite);
  EXPECT_EQ(cuMemPoolGetAccess(&Flags, Pool, &Host), Success);
  EXPECT_EQ(Flags, 0);
}

TEST_F(CudaArrays, KeepsAdviceAboutManagedMemory) {
  constexpr int ReadMostly = 1, Written = 2, Prefer = 3, AccessedBy = 5;
  constexpr int Preferred = 2, Accessors = 3, Prefetched = 4,
                PrefetchedType = 7;
  constexpr int Cpu = -1, None = -2, OnDevice = 1;
  constexpr size_t Size = 1 << 16, Half = Size / 2;
  Address Memory, Device;
  ASSERT_EQ(cuMemAllocManaged(&Memory, Size, 1), Success);
  ASSERT_EQ(cuMemAlloc_v2(&Device, 64), Success);
  int Value = 7;
  auto Ask = [&](int Attribute, size_t Begin, size_t Bytes) {
    EXPECT_EQ(
        cuMemRangeGetAttribute(&Value, 4, Attribute, Memory + Begin, Bytes),
        Success);
    return Value;
  };
  EXPECT_EQ(Ask(ReadMostly, 0, Size), 0);
  EXPECT_EQ(Ask(Preferred, 0, Size), None);
  EXPECT_EQ(cuMemAdvise(Memory, Half, ReadMostly, 0), Success);
  EXPECT_EQ(Ask(ReadMostly, 0, Half), 1);
  EXPECT_EQ(Ask(ReadMostly, 0, Size), 0);
  EXPECT_EQ(cuMemAdvise(Memory + 4096, 4096, Written, 0), Success);
  EXPECT_EQ(Ask(ReadMostly, 0, 4096), 1);
  EXPECT_EQ(Ask(ReadMostly, 0, Half), 0);
  EXPECT_EQ(cuMemAdvise(Memory, Size, Prefer, Cpu), Success);
  EXPECT_EQ(Ask(Preferred, 0, Size), Cpu);
  EXPECT_EQ(cuMemAdvise(Memory + Half, Half, Prefer, 0), Success);
  EXPECT_EQ(Ask(Preferred, Half, Half), 0);
  EXPECT_EQ(Ask(Preferred, 0, Size), None);
  EXPECT_EQ(cuMemPrefetchAsync(Memory, Size, 0, nullptr), Success);
  EXPECT_EQ(cuMemAdvise(Memory, Size, AccessedBy, Cpu), Success);
  int By[2], Place[1], Type[1];
  void *Data[] = {By, Place, Type};
  size_t Bytes[] = {8, 4, 4};
  int Attributes[] = {Accessors, Prefetched, PrefetchedType};
  EXPECT_EQ(cuMemRangeGetAttributes(Data, Bytes, Attributes, 3, Memory, Size),
            Success);
  EXPECT_EQ(By[0], Cpu);
  EXPECT_EQ(By[1], None);
  EXPECT_EQ(Place[0], 0);
  EXPECT_EQ(Type[0], OnDevice);
  EXPECT_EQ(cuMemRangeGetAttribute(&Value, 4, 99, Memory, Size), InvalidValue);
  EXPECT_EQ(cuMemRangeGetAttribute(&Value, 4, ReadMostly, Device, 64),
            InvalidValue);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);
  EXPECT_EQ(cuMemFree_v2(Device), Success);
}

TEST_F(CudaArrays, TakesBatches) {
  constexpr int OnDevice = 1, OnHost = 2, Prefetched = 4;
  Handle Stream;
  Address Managed, Device;
  ASSERT_EQ(cuStreamCreate(&Stream, 0), Success);
  ASSERT_EQ(cuMemAllocManaged(&Managed, 64, 1), Success);
  ASSERT_EQ(cuMemAlloc_v2(&Device, 64), Success);
  int Host[2] = {11, 22}, Back[2] = {};
  auto At = [](void *P) { return reinterpret_cast<Address>(P); };
  Address To[] = {Device, Managed}, From[] = {At(&Host[0]), At(&Host[1])};
  size_t Sizes[] = {4, 4}, Failed = 0;
  EXPECT_EQ(
      cuMemcpyBatchAsync_v2(To, From, Sizes, 2, nullptr, nullptr, 0, nullptr),
      InvalidValue); // the default stream
  EXPECT_EQ(
      cuMemcpyBatchAsync_v2(To, From, Sizes, 2, nullptr, nullptr, 0, Stream),
      Success);
  Address Results[] = {At(&Back[0]), At(&Back[1])};
  EXPECT_EQ(cuMemcpyBatchAsync(Results, To, Sizes, 2, nullptr, nullptr, 0,
                               &Failed, Stream),
            Success);
  EXPECT_EQ(cuStreamSynchronize(Stream), Success);
  EXPECT_EQ(Back[0], 11);
  EXPECT_EQ(Back[1], 22);
  Results[1] = 0; // nowhere
  EXPECT_EQ(cuMemcpyBatchAsync(Results, To, Sizes, 2, nullptr, nullptr, 0,
                               &Failed, Stream),
            InvalidValue);
  EXPECT_EQ(Failed, 1u);
  // Half of the memory here, half there.
  Address Ranges[] = {Managed, Managed + 32};
  size_t Halves[] = {32, 32}, Starts[] = {0, 1}, Wrong[] = {0, 0};
  Location Places[] = {{OnHost, 0}, {OnDevice, 0}};
  EXPECT_EQ(
      cuMemPrefetchBatchAsync(Ranges, Halves, 2, Places, Wrong, 2, 0, Stream),
      InvalidValue);
  EXPECT_EQ(
      cuMemPrefetchBatchAsync(Ranges, Halves, 2, Places, Starts, 2, 0, Stream),
      Success);
  int Place;
  EXPECT_EQ(cuMemRangeGetAttribute(&Place, 4, Prefetched, Managed, 32),
            Success);
  EXPECT_EQ(Place, -1);
  EXPECT_EQ(cuMemRangeGetAttribute(&Place, 4, Prefetched, Managed + 32, 32),
            Success);
  EXPECT_EQ(Place, 0);
  EXPECT_EQ(cuMemDiscardBatchAsync(Ranges, Halves, 2, 0, Stream), Success);
  EXPECT_EQ(cuMemDiscardBatchAsync(To, Halves, 2, 0, Stream), InvalidValue);
  EXPECT_EQ(cuStreamDestroy_v2(Stream), Success);
  EXPECT_EQ(cuMemFree_v2(Managed), Success);
  EXPECT_EQ(cuMemFree_v2(Device), Success);
}

} // namespace
