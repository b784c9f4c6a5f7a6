//===- CudaVirtualMemoryTest.cpp - cuMemMap and its kin ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel works on memory that grows under its addresses, as an allocator
// with expandable segments lets it, and on memory that has two addresses.
//
//===----------------------------------------------------------------------===//

#include "VirtualMemory.h"
#include "gtest/gtest.h"

#include <cstdint>
#include <cstdlib>
#include <unistd.h>
#include <vector>

using namespace heddle::test;

namespace {

enum {
  Success = 0,
  InvalidValue = 1,
  IllegalAddress = 700,
  NotSupported = 801
};
constexpr int OnHost = 2, OnNode = 3;

} // namespace

extern "C" {
int cuCtxPushCurrent_v2(Handle);
int cuCtxPopCurrent_v2(Handle *);
int cuMemGetInfo_v2(size_t *, size_t *);
int cuMemGetAllocationGranularity(size_t *, const AllocationProp *, int);
int cuMemRetainAllocationHandle(MemHandle *, void *);
int cuMemGetAccess(unsigned long long *, const Location *, Address);
int cuMemGetAllocationPropertiesFromHandle(AllocationProp *, MemHandle);
int cuPointerGetAttribute(void *, int, Address);
}

/// Counts up to n at an address.
static const char CountPTX[] = R"(
.version 8.0
.target sm_90
.address_size 64
.visible .entry count(.param .u64 p, .param .u32 n) {
  .reg .b64 %a, %o; .reg .b32 %t, %c, %d, %n; .reg .pred %q;
  ld.param.u64 %a, [p];
  ld.param.u32 %n, [n];
  mov.u32 %t, %tid.x; mov.u32 %c, %ctaid.x; mov.u32 %d, %ntid.x;
  mad.lo.u32 %t, %c, %d, %t;
  setp.ge.u32 %q, %t, %n;
  @%q exit;
  mul.wide.u32 %o, %t, 4;
  add.u64 %a, %a, %o;
  st.global.u32 [%a], %t;
  exit;
}
)";

namespace {

class CudaVirtualMemory : public testing::Test {
protected:
  CudaVirtualMemory() {
    setenv("HEDDLE_CACHE_MODE", "off", 1);
    EXPECT_EQ(cuInit(0), Success);
    EXPECT_EQ(cuDevicePrimaryCtxRetain(&Context, 0), Success);
    EXPECT_EQ(cuCtxPushCurrent_v2(Context), Success);
    EXPECT_EQ(cuModuleLoadData(&Module, CountPTX), Success);
    EXPECT_EQ(cuModuleGetFunction(&Count, Module, "count"), Success);
    EXPECT_EQ(cuMemGetAllocationGranularity(&Piece, &Properties, 0), Success);
  }
  ~CudaVirtualMemory() override {
    EXPECT_EQ(cuCtxPopCurrent_v2(&Context), Success);
    EXPECT_EQ(cuDevicePrimaryCtxReset_v2(0), Success);
  }

  MemHandle create(size_t Size) {
    MemHandle M = 0;
    EXPECT_EQ(cuMemCreate(&M, Size, &Properties, 0), Success);
    return M;
  }
  Address reserve(size_t Size) {
    Address A = 0;
    EXPECT_EQ(cuMemAddressReserve(&A, Size, 0, 0, 0), Success);
    return A;
  }
  void mapWithAccess(Address A, size_t Size, MemHandle M) {
    EXPECT_EQ(cuMemMap(A, Size, 0, M, 0), Success);
    EXPECT_EQ(cuMemSetAccess(A, Size, &Access, 1), Success);
  }
  int count(Address A, unsigned N) {
    void *Arguments[] = {&A, &N};
    int Code = cuLaunchKernel(Count, (N + 255) / 256, 1, 1, 256, 1, 1, 0,
                              nullptr, Arguments, nullptr);
    return Code == Success ? cuCtxSynchronize() : Code;
  }
  static size_t inUse() {
    size_t Free = 0, Total = 0;
    EXPECT_EQ(cuMemGetInfo_v2(&Free, &Total), Success);
    return Total - Free;
  }

  AllocationProp Properties = {Pinned, FileDescriptor, {OnDevice, 0}, {}, {}};
  AccessDesc Access = {{OnDevice, 0}, ReadWrite};
  Handle Context = nullptr, Module = nullptr, Count = nullptr;
  size_t Piece = 0;
};

} // namespace

TEST_F(CudaVirtualMemory, GrowsUnderItsAddresses) {
  int Supported = 0;
  EXPECT_EQ(cuDeviceGetAttribute(&Supported, 102, 0), Success);
  EXPECT_EQ(Supported, 1);
  Address Base = reserve(4 * Piece);
  size_t Before = inUse();
  for (unsigned I = 0; I != 2; ++I) {
    MemHandle M = create(Piece);
    mapWithAccess(Base + I * Piece, Piece, M);
    EXPECT_EQ(cuMemRelease(M), Success); // the mapping keeps it
  }
  EXPECT_EQ(inUse(), Before + 2 * Piece);

  // Across the two pieces, by a kernel and by copies.
  unsigned N = (Piece + Piece / 2) / 4;
  EXPECT_EQ(count(Base, N), Success);
  std::vector<uint32_t> Got(N);
  EXPECT_EQ(cuMemcpyDtoH_v2(Got.data(), Base, N * 4ull), Success);
  for (unsigned I = 0; I != N; ++I)
    ASSERT_EQ(Got[I], I);
  // Not beyond them.
  EXPECT_EQ(cuMemcpyDtoH_v2(Got.data(), Base + Piece, Piece + 4), InvalidValue);
  EXPECT_EQ(cuMemFree_v2(Base), InvalidValue);

  EXPECT_EQ(cuMemAddressFree(Base, 4 * Piece), InvalidValue); // still mapped
  EXPECT_EQ(cuMemUnmap(Base, Piece + 1), InvalidValue);
  EXPECT_EQ(cuMemUnmap(Base, 2 * Piece), Success);
  EXPECT_EQ(inUse(), Before);
  EXPECT_EQ(cuMemAddressFree(Base, 4 * Piece), Success);
}

TEST_F(CudaVirtualMemory, HasTwoAddresses) {
  MemHandle M = create(Piece), Same = 0, Imported = 0;
  Address First = reserve(Piece), Second = reserve(Piece);
  mapWithAccess(First, Piece, M);
  EXPECT_EQ(cuMemRetainAllocationHandle(&Same,
                                        reinterpret_cast<void *>(First + 4096)),
            Success);
  EXPECT_EQ(Same, M);
  int Descriptor = -1;
  EXPECT_EQ(cuMemExportToShareableHandle(&Descriptor, M, FileDescriptor, 0),
            Success);
  EXPECT_EQ(cuMemImportFromShareableHandle(
                &Imported, reinterpret_cast<void *>(intptr_t(Descriptor)),
                FileDescriptor),
            Success);
  close(Descriptor);
  mapWithAccess(Second, Piece, Imported);
  EXPECT_EQ(count(First, 1000), Success);
  uint32_t Got[2] = {};
  EXPECT_EQ(cuMemcpyDtoH_v2(Got, Second + 998 * 4, 8), Success);
  EXPECT_EQ(Got[0], 998u);
  EXPECT_EQ(Got[1], 999u);
}

TEST_F(CudaVirtualMemory, NeedsAccess) {
  MemHandle M = create(Piece);
  Address A = reserve(Piece);
  unsigned long long Flags = 7;
  EXPECT_EQ(cuMemSetAccess(A, Piece, &Access, 1), InvalidValue); // not mapped
  EXPECT_EQ(cuMemMap(A, Piece, 0, M, 0), Success);
  EXPECT_EQ(cuMemMap(A, Piece, 0, M, 0), InvalidValue); // mapped already
  EXPECT_EQ(cuMemMap(A + Piece, Piece, 0, M, 0), InvalidValue); // not reserved
  EXPECT_EQ(cuMemGetAccess(&Flags, &Access.Place, A), Success);
  EXPECT_EQ(Flags, 0u);
  uint32_t Word = 0;
  EXPECT_EQ(cuMemcpyHtoD_v2(A, &Word, 4), InvalidValue);
  EXPECT_EQ(cuMemSetAccess(A, Piece, &Access, 1), Success);
  EXPECT_EQ(cuMemGetAccess(&Flags, &Access.Place, A), Success);
  EXPECT_EQ(Flags, 3u);
  EXPECT_EQ(cuMemcpyHtoD_v2(A, &Word, 4), Success);
  AccessDesc None = {{OnDevice, 0}, 0};
  EXPECT_EQ(cuMemSetAccess(A, Piece, &None, 1), Success);
  EXPECT_EQ(count(A, 1), IllegalAddress);
}

/// The host and kernels work on memory of the host by one address.
TEST_F(CudaVirtualMemory, MayBeOfTheHost) {
  for (int Attribute : {141, 145}) {
    int Supported = 0;
    EXPECT_EQ(cuDeviceGetAttribute(&Supported, Attribute, 0), Success);
    EXPECT_EQ(Supported, 1);
  }
  size_t Before = inUse();
  Properties.Place = {OnNode, 0};
  MemHandle M = create(Piece);
  EXPECT_EQ(inUse(), Before); // no memory of the device
  Address A = reserve(Piece);
  mapWithAccess(A, Piece, M);
  AccessDesc OfHost = {{OnHost, 0}, ReadWrite};
  unsigned long long Flags = 7;
  EXPECT_EQ(cuMemGetAccess(&Flags, &OfHost.Place, A), Success);
  EXPECT_EQ(Flags, 0u);
  EXPECT_EQ(cuMemSetAccess(A, Piece, &OfHost, 1), Success);
  EXPECT_EQ(cuMemGetAccess(&Flags, &OfHost.Place, A), Success);
  EXPECT_EQ(Flags, 3u);
  int Kind = 0;
  constexpr int MemoryType = 2, HostMemory = 1;
  EXPECT_EQ(cuPointerGetAttribute(&Kind, MemoryType, A), Success);
  EXPECT_EQ(Kind, HostMemory);

  auto *Words = reinterpret_cast<volatile uint32_t *>(A);
  Words[1000] = 5;
  EXPECT_EQ(count(A, 1000), Success);
  EXPECT_EQ(Words[999], 999u);
  EXPECT_EQ(Words[1000], 5u);
  EXPECT_EQ(cuMemUnmap(A, Piece), Success);
  EXPECT_EQ(cuMemAddressFree(A, Piece), Success);
  EXPECT_EQ(cuMemRelease(M), Success);
}

/// Who imports memory of the host knows that it is the host's.
TEST_F(CudaVirtualMemory, IsOfTheHostWhereverItIsImported) {
  for (int Where : {OnNode, OnDevice}) {
    Properties.Place = {Where, 0};
    MemHandle M = create(Piece), Imported = 0;
    int Descriptor = -1;
    EXPECT_EQ(cuMemExportToShareableHandle(&Descriptor, M, FileDescriptor, 0),
              Success);
    EXPECT_EQ(cuMemImportFromShareableHandle(
                  &Imported, reinterpret_cast<void *>(intptr_t(Descriptor)),
                  FileDescriptor),
              Success);
    close(Descriptor);
    AllocationProp Known = {};
    EXPECT_EQ(cuMemGetAllocationPropertiesFromHandle(&Known, Imported),
              Success);
    EXPECT_EQ(Known.Place.Type, Where);
    Address A = reserve(Piece);
    mapWithAccess(A, Piece, Imported);
    // The host reaches its own memory, and that of no device.
    AccessDesc OfHost = {{OnNode, 0}, ReadWrite};
    EXPECT_EQ(cuMemSetAccess(A, Piece, &OfHost, 1),
              Where == OnNode ? Success : NotSupported);
    EXPECT_EQ(count(A, 4), Success);
    EXPECT_EQ(cuMemUnmap(A, Piece), Success);
    EXPECT_EQ(cuMemRelease(M), Success);
    EXPECT_EQ(cuMemRelease(Imported), Success);
  }
}

/// A reset takes devices' access to memory of the host, and not the memory.
TEST_F(CudaVirtualMemory, OfTheHostOutlivesADevice) {
  Properties.Place = {OnHost, 0};
  MemHandle M = create(Piece);
  Address A = reserve(Piece);
  mapWithAccess(A, Piece, M);
  *reinterpret_cast<uint32_t *>(A) = 7;
  EXPECT_EQ(cuDevicePrimaryCtxReset_v2(0), Success);
  EXPECT_EQ(*reinterpret_cast<uint32_t *>(A), 7u);
  EXPECT_EQ(cuDevicePrimaryCtxRetain(&Context, 0), Success);
  EXPECT_EQ(cuModuleLoadData(&Module, CountPTX), Success);
  EXPECT_EQ(cuModuleGetFunction(&Count, Module, "count"), Success);
  EXPECT_EQ(cuMemSetAccess(A, Piece, &Access, 1), Success);
  EXPECT_EQ(count(A, 1), Success);
  EXPECT_EQ(*reinterpret_cast<uint32_t *>(A), 0u);
  EXPECT_EQ(cuMemUnmap(A, Piece), Success);
  EXPECT_EQ(cuMemAddressFree(A, Piece), Success);
  EXPECT_EQ(cuMemRelease(M), Success);
}
