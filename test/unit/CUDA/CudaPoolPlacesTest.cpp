//===- CudaPoolPlacesTest.cpp - Where pools are, and what they hold -------===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory that is allocated in stream order: of pools that the host reaches too,
// and what pools hold back of it.
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
int cuMemPoolSetAttribute(Handle, int, void *);
int cuMemPoolTrimTo(Handle, size_t);
int cuMemGetInfo_v2(size_t *, size_t *);
int cuEventCreate(Handle *, unsigned);
int cuEventRecord(Handle, Handle);
int cuEventSynchronize(Handle);
int cuEventDestroy_v2(Handle);
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
constexpr int ReleaseThreshold = 4, ReservedCurrent = 5, ReservedHigh = 6,
              UsedCurrent = 7, UsedHigh = 8, ReadWrite = 3;
constexpr int MemoryType = 2, IsManaged = 8; // of CUpointer_attribute

class CudaPoolPlaces : public DriverProgram {
protected:
  static int create(Handle &Pool, int Type, PoolLocation At,
                    int HandleTypes = 0, size_t MaxSize = 0) {
    PoolProperties P = {Type, HandleTypes, At, nullptr, MaxSize, {}};
    return cuMemPoolCreate(&Pool, &P);
  }
  static uint64_t attribute(Handle Pool, int Which) {
    uint64_t Bytes = ~0ull;
    EXPECT_EQ(cuMemPoolGetAttribute(Pool, Which, &Bytes), Success);
    return Bytes;
  }
  static uint64_t used(Handle Pool) { return attribute(Pool, UsedCurrent); }
  static uint64_t reserved(Handle Pool) {
    return attribute(Pool, ReservedCurrent);
  }
  static size_t freeBytes() {
    size_t Free = 0, Total = 0;
    EXPECT_EQ(cuMemGetInfo_v2(&Free, &Total), Success);
    return Free;
  }
  /// Allocates and frees in the default stream, and waits for nothing.
  static void allocateAndFree(Handle Pool, size_t Size) {
    Address Memory = 0;
    ASSERT_EQ(cuMemAllocFromPoolAsync(&Memory, Size, Pool, nullptr), Success);
    ASSERT_EQ(cuMemFreeAsync(Memory, nullptr), Success);
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

constexpr size_t MiB = 1 << 20;

TEST_F(CudaPoolPlaces, HoldBackWhatIsFreedUntilTheProgramWaits) {
  for (int HandleTypes : {0, FileDescriptor}) {
    Handle Pool = nullptr, Event = nullptr;
    ASSERT_EQ(create(Pool, Pinned, {OnDevice, 0}, HandleTypes), Success);
    size_t Before = freeBytes();
    allocateAndFree(Pool, 4 * MiB);
    EXPECT_EQ(used(Pool), 0u);
    EXPECT_EQ(reserved(Pool), 4 * MiB);
    EXPECT_EQ(freeBytes(), Before - 4 * MiB);
    EXPECT_EQ(cuStreamSynchronize(nullptr), Success);
    EXPECT_EQ(reserved(Pool), 0u);
    EXPECT_EQ(freeBytes(), Before);
    // An event does, and so does the context.
    ASSERT_EQ(cuEventCreate(&Event, 0), Success);
    allocateAndFree(Pool, MiB);
    ASSERT_EQ(cuEventRecord(Event, nullptr), Success);
    EXPECT_EQ(reserved(Pool), MiB);
    EXPECT_EQ(cuEventSynchronize(Event), Success);
    EXPECT_EQ(reserved(Pool), 0u);
    allocateAndFree(Pool, MiB);
    EXPECT_EQ(cuCtxSynchronize(), Success);
    EXPECT_EQ(reserved(Pool), 0u);
    EXPECT_EQ(cuEventDestroy_v2(Event), Success);
    EXPECT_EQ(cuMemPoolDestroy(Pool), Success);
  }
}

TEST_F(CudaPoolPlaces, HoldBackAsMuchAsTheThresholdSays) {
  Handle Pool = nullptr;
  Address Memory = 0;
  ASSERT_EQ(create(Pool, Pinned, {OnDevice, 0}), Success);
  size_t Before = freeBytes();
  uint64_t Threshold = 3 * MiB, Zero = 0, One = 1;
  ASSERT_EQ(cuMemPoolSetAttribute(Pool, ReleaseThreshold, &Threshold), Success);
  allocateAndFree(Pool, 8 * MiB);
  EXPECT_EQ(cuCtxSynchronize(), Success);
  EXPECT_EQ(reserved(Pool), 3 * MiB);
  EXPECT_EQ(freeBytes(), Before - 3 * MiB);
  // A block comes out of what is held, and counts against the threshold.
  ASSERT_EQ(cuMemAllocFromPoolAsync(&Memory, MiB, Pool, nullptr), Success);
  EXPECT_EQ(used(Pool), MiB);
  EXPECT_EQ(reserved(Pool), 3 * MiB);
  EXPECT_EQ(freeBytes(), Before - 3 * MiB);
  allocateAndFree(Pool, 4 * MiB);
  EXPECT_EQ(reserved(Pool), 5 * MiB);
  EXPECT_EQ(cuCtxSynchronize(), Success);
  EXPECT_EQ(reserved(Pool), 3 * MiB);
  EXPECT_EQ(cuMemPoolTrimTo(Pool, 2 * MiB), Success);
  EXPECT_EQ(reserved(Pool), 2 * MiB);
  EXPECT_EQ(cuMemPoolTrimTo(Pool, 0), Success);
  EXPECT_EQ(reserved(Pool), MiB);
  EXPECT_EQ(cuMemFreeAsync(Memory, nullptr), Success);
  // Highest values begin again where the present ones are.
  EXPECT_EQ(attribute(Pool, UsedHigh), 8 * MiB);
  EXPECT_EQ(attribute(Pool, ReservedHigh), 8 * MiB);
  EXPECT_EQ(cuMemPoolSetAttribute(Pool, ReservedHigh, &One), InvalidValue);
  EXPECT_EQ(cuMemPoolSetAttribute(Pool, ReservedHigh, &Zero), Success);
  EXPECT_EQ(attribute(Pool, ReservedHigh), MiB);
  EXPECT_EQ(attribute(Pool, UsedHigh), 8 * MiB);
  EXPECT_EQ(cuMemPoolDestroy(Pool), Success);
  EXPECT_EQ(freeBytes(), Before);
}

TEST_F(CudaPoolPlaces, GiveWhatTheyHoldToWhoeverNeedsIt) {
  Handle Pool = nullptr;
  Address Memory = 0;
  ASSERT_EQ(create(Pool, Pinned, {OnDevice, 0}), Success);
  size_t Free = freeBytes(), Most = Free / 2 + MiB;
  uint64_t Threshold = ~0ull;
  ASSERT_EQ(cuMemPoolSetAttribute(Pool, ReleaseThreshold, &Threshold), Success);
  allocateAndFree(Pool, Most);
  EXPECT_EQ(cuCtxSynchronize(), Success);
  EXPECT_EQ(reserved(Pool), Most);
  EXPECT_EQ(freeBytes(), Free - Most);
  ASSERT_EQ(cuMemAlloc_v2(&Memory, Most), Success);
  EXPECT_EQ(reserved(Pool), 0u);
  EXPECT_EQ(freeBytes(), Free - Most);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);
  EXPECT_EQ(cuMemPoolDestroy(Pool), Success);
}

TEST_F(CudaPoolPlaces, HaveNoMoreThanTheirLargestSize) {
  Handle Pool = nullptr;
  Address First = 0, Second = 0;
  ASSERT_EQ(create(Pool, Pinned, {OnDevice, 0}, 0, 2 * MiB), Success);
  ASSERT_EQ(cuMemAllocFromPoolAsync(&First, MiB, Pool, nullptr), Success);
  EXPECT_EQ(cuMemAllocFromPoolAsync(&Second, MiB + 1, Pool, nullptr),
            OutOfMemory);
  ASSERT_EQ(cuMemAllocFromPoolAsync(&Second, MiB, Pool, nullptr), Success);
  EXPECT_EQ(cuMemFreeAsync(First, nullptr), Success);
  EXPECT_EQ(cuMemFreeAsync(Second, nullptr), Success);
  EXPECT_EQ(cuMemPoolDestroy(Pool), Success);
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
