//===- CudaPoolPlacesTest.cpp - Pools of the host and managed ones --------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that is allocated in stream order and that the host reaches too.
//
//===----------------------------------------------------------------------===//

#include "DriverProgram.h"

extern "C" {
using heddle::test::Address;
using heddle::test::Handle;

/// CUmemLocation.
struct PoolLocation {
  int Type, Id;
};
/// CUmemPoolProps.
struct PoolProperties {
  int Type, HandleTypes;
  PoolLocation At;
  void *Security;
  size_t MaxSize;
  unsigned char Rest[56];
};
int cuMemPoolCreate(Handle *, const PoolProperties *);
int cuMemPoolDestroy(Handle);
int cuMemPoolGetAttribute(Handle, int, void *);
int cuMemPoolGetAccess(int *, Handle, PoolLocation *);
int cuMemPoolSetAccess(Handle, const void *, size_t);
int cuMemGetMemPool(Handle *, PoolLocation *, int);
int cuMemSetMemPool(PoolLocation *, int, Handle);
int cuMemGetDefaultMemPool(Handle *, PoolLocation *, int);
int cuMemAllocFromPoolAsync(Address *, size_t, Handle, Handle);
int cuMemFreeAsync(Address, Handle);
int cuPointerGetAttribute(void *, int, Address);
}

using namespace heddle::test;

namespace {

constexpr int Pinned = 1, Managed = 2;
constexpr int Nowhere = 0, OnDevice = 1, OnHost = 2, OnNode = 3;
constexpr int FileDescriptor = 1;
constexpr int UsedCurrent = 7, ReadWrite = 3;
constexpr int MemoryType = 2, IsManaged = 8; // of CUpointer_attribute

class CudaPoolPlaces : public DriverProgram {
protected:
  static int create(Handle &Pool, int Type, PoolLocation At,
                    int HandleTypes = 0) {
    PoolProperties P = {Type, HandleTypes, At, nullptr, 0, {}};
    return cuMemPoolCreate(&Pool, &P);
  }
  static uint64_t used(Handle Pool) {
    uint64_t Bytes = ~0ull;
    EXPECT_EQ(cuMemPoolGetAttribute(Pool, UsedCurrent, &Bytes), Success);
    return Bytes;
  }
  /// Allocates, has the device write and the host read, and frees.
  static void use(Handle Pool) {
    Handle Stream = stream();
    Address Memory = 0;
    ASSERT_EQ(cuMemAllocFromPoolAsync(&Memory, 64, Pool, Stream), Success);
    EXPECT_EQ(used(Pool), 64u);
    ASSERT_EQ(cuMemsetD32Async(Memory, 7, 16, Stream), Success);
    ASSERT_EQ(cuStreamSynchronize(Stream), Success);
    EXPECT_EQ(reinterpret_cast<uint32_t *>(Memory)[15], 7u);
    EXPECT_EQ(cuMemFreeAsync(Memory, Stream), Success);
    EXPECT_EQ(cuMemFreeAsync(Memory, Stream), InvalidValue);
    EXPECT_EQ(cuStreamSynchronize(Stream), Success);
    EXPECT_EQ(used(Pool), 0u);
    // Or in no stream.
    ASSERT_EQ(cuMemAllocFromPoolAsync(&Memory, 64, Pool, Stream), Success);
    EXPECT_EQ(cuMemFree_v2(Memory), Success);
    EXPECT_EQ(used(Pool), 0u);
    EXPECT_EQ(cuStreamDestroy_v2(Stream), Success);
  }
};

TEST_F(CudaPoolPlaces, HostAndDeviceReachTheMemory) {
  Handle Host = nullptr, Both = nullptr;
  ASSERT_EQ(create(Host, Pinned, {OnHost, 0}), Success);
  ASSERT_EQ(create(Both, Managed, {OnDevice, 0}), Success);
  use(Host);
  use(Both);
  Address Memory = 0;
  unsigned Is = 9, Type = 9;
  ASSERT_EQ(cuMemAllocFromPoolAsync(&Memory, 4, Both, nullptr), Success);
  EXPECT_EQ(cuPointerGetAttribute(&Is, IsManaged, Memory), Success);
  EXPECT_EQ(Is, 1u);
  EXPECT_EQ(cuMemFreeAsync(Memory, nullptr), Success);
  ASSERT_EQ(cuMemAllocFromPoolAsync(&Memory, 4, Host, nullptr), Success);
  EXPECT_EQ(cuPointerGetAttribute(&Type, MemoryType, Memory), Success);
  EXPECT_EQ(Type, 1u); // the host's
  EXPECT_EQ(cuMemFreeAsync(Memory, nullptr), Success);
  PoolLocation OfHost = {OnHost, 0};
  int Flags = 0;
  EXPECT_EQ(cuMemPoolGetAccess(&Flags, Host, &OfHost), Success);
  EXPECT_EQ(Flags, ReadWrite);
  EXPECT_EQ(cuMemPoolDestroy(Host), Success);
  EXPECT_EQ(cuMemPoolDestroy(Both), Success);
}

TEST_F(CudaPoolPlaces, EachPlaceHasADefault) {
  PoolLocation OfHost = {OnHost, 0}, OfDevice = {OnDevice, 0};
  Handle Host = nullptr, Device = nullptr, Both = nullptr, Own = nullptr,
         Current = nullptr;
  ASSERT_EQ(cuMemGetDefaultMemPool(&Host, &OfHost, Pinned), Success);
  ASSERT_EQ(cuMemGetDefaultMemPool(&Device, &OfDevice, Pinned), Success);
  ASSERT_EQ(cuMemGetDefaultMemPool(&Both, &OfDevice, Managed), Success);
  EXPECT_TRUE(Host != Device && Host != Both && Device != Both);
  EXPECT_EQ(cuMemPoolDestroy(Host), InvalidValue);
  ASSERT_EQ(create(Own, Pinned, {OnNode, 0}), Success);
  EXPECT_EQ(cuMemSetMemPool(&OfDevice, Pinned, Own), InvalidValue);
  ASSERT_EQ(cuMemSetMemPool(&OfHost, Pinned, Own), Success);
  ASSERT_EQ(cuMemGetMemPool(&Current, &OfHost, Pinned), Success);
  EXPECT_EQ(Current, Own);
  ASSERT_EQ(cuMemGetMemPool(&Current, &OfDevice, Pinned), Success);
  EXPECT_EQ(Current, Device);
  EXPECT_EQ(cuMemPoolDestroy(Own), Success);
  ASSERT_EQ(cuMemGetMemPool(&Current, &OfHost, Pinned), Success);
  EXPECT_EQ(Current, Host);
}

TEST_F(CudaPoolPlaces, RefuseWhatIsNotThere) {
  Handle Pool = nullptr;
  EXPECT_EQ(create(Pool, 0, {OnDevice, 0}), InvalidValue);
  EXPECT_EQ(create(Pool, Pinned, {Nowhere, 0}), NotSupported);
  EXPECT_EQ(create(Pool, Pinned, {OnDevice, 1}), InvalidDevice);
  EXPECT_EQ(create(Pool, Pinned, {OnHost, 0}, FileDescriptor), NotSupported);
  EXPECT_EQ(create(Pool, Managed, {Nowhere, 0}), Success);
  EXPECT_EQ(cuMemPoolDestroy(Pool), Success);
}

} // namespace
