//===- CudaIpcTest.cpp - What one process sees of IPC -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles of memory, events and pools, as far as no other process is needed,
// and what is refused. test/CUDA/ipc.test has two processes.
//
//===----------------------------------------------------------------------===//

#include "DriverProgram.h"

#include <cstring>
#include <unistd.h>
#include <vector>

using namespace heddle::test;

namespace {

struct Ipc {
  char Bytes[64];
};
struct Location {
  int Type, Id;
};
struct PoolProps {
  int Type, HandleTypes;
  Location Place;
  void *Security;
  size_t MaxSize;
  unsigned char Rest[56];
};
static_assert(sizeof(PoolProps) == 88);

constexpr int Pinned = 1, OnDevice = 1, FileDescriptor = 1, Win32Handle = 2;
constexpr unsigned LazyEnablePeerAccess = 1;
constexpr unsigned DisableTiming = 2, Interprocess = 4;

} // namespace

extern "C" {
int cuDeviceGetAttribute(int *, int, int);
int cuIpcGetMemHandle(Ipc *, Address);
int cuIpcOpenMemHandle_v2(Address *, Ipc, unsigned);
int cuIpcCloseMemHandle(Address);
int cuIpcGetEventHandle(Ipc *, Handle);
int cuIpcOpenEventHandle(Handle *, Ipc);
int cuEventCreate(Handle *, unsigned);
int cuEventDestroy_v2(Handle);
int cuEventRecord(Handle, Handle);
int cuEventQuery(Handle);
int cuEventSynchronize(Handle);
int cuStreamWaitEvent(Handle, Handle, unsigned);
int cuCtxWaitEvent(Handle, Handle);
int cuMemAllocAsync(Address *, size_t, Handle);
int cuMemAllocFromPoolAsync(Address *, size_t, Handle, Handle);
int cuMemFreeAsync(Address, Handle);
int cuMemAllocManaged(Address *, size_t, unsigned);
int cuMemGetInfo_v2(size_t *, size_t *);
int cuMemPoolCreate(Handle *, const PoolProps *);
int cuMemPoolDestroy(Handle);
int cuMemPoolExportToShareableHandle(void *, Handle, int, unsigned long long);
int cuMemPoolImportFromShareableHandle(Handle *, void *, int,
                                       unsigned long long);
int cuMemPoolExportPointer(Ipc *, Address);
int cuMemPoolImportPointer(Address *, Handle, Ipc *);
int cuDeviceSetMemPool(int, Handle);
int cuProfilerInitialize(const char *, const char *, int);
int cuLibraryLoadData(Handle *, const void *, int *, void **, unsigned, int *,
                      void **, unsigned);
int cuLibraryUnload(Handle);
int cuLibraryGetUnifiedFunction(void **, Handle, const char *);
}

namespace {

class CudaIpc : public DriverProgram {
protected:
  static int attribute(int Number) {
    int Value = -1;
    EXPECT_EQ(cuDeviceGetAttribute(&Value, Number, 0), Success);
    return Value;
  }
  static Handle pool(int HandleTypes) {
    PoolProps Props = {};
    Props.Type = Pinned;
    Props.HandleTypes = HandleTypes;
    Props.Place = {OnDevice, 0};
    Handle Pool = nullptr;
    EXPECT_EQ(cuMemPoolCreate(&Pool, &Props), Success);
    return Pool;
  }
  /// Another handle of a pool, as another process would have it.
  static Handle imported(Handle Pool) {
    int Descriptor = -1;
    EXPECT_EQ(
        cuMemPoolExportToShareableHandle(&Descriptor, Pool, FileDescriptor, 0),
        Success);
    Handle Result = nullptr;
    EXPECT_EQ(cuMemPoolImportFromShareableHandle(
                  &Result, reinterpret_cast<void *>(intptr_t(Descriptor)),
                  FileDescriptor, 0),
              Success);
    close(Descriptor);
    return Result;
  }
};

TEST_F(CudaIpc, TheDeviceSaysSo) {
  constexpr int PoolHandleTypes = 119, IpcEventSupported = 125;
  EXPECT_EQ(attribute(PoolHandleTypes), FileDescriptor);
  EXPECT_EQ(attribute(IpcEventSupported), 1);
}

TEST_F(CudaIpc, SharedMemoryKeepsItsAddressAndContents) {
  Address Memory = words(3 << 20, 7); // some pages of the system's
  Ipc First = {}, Again = {}, Inner = {};
  ASSERT_EQ(cuIpcGetMemHandle(&First, Memory), Success);
  EXPECT_EQ(word(Memory), 7u);
  EXPECT_EQ(word(Memory + 4 * ((3 << 20) - 1)), 7u);
  EXPECT_EQ(cuMemsetD32_v2(Memory, 8, 1), Success);
  EXPECT_EQ(word(Memory), 8u);
  // A handle is of the block.
  EXPECT_EQ(cuIpcGetMemHandle(&Again, Memory), Success);
  EXPECT_EQ(cuIpcGetMemHandle(&Inner, Memory + 4), Success);
  EXPECT_EQ(std::memcmp(&First, &Again, sizeof(Ipc)), 0);
  EXPECT_EQ(std::memcmp(&First, &Inner, sizeof(Ipc)), 0);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);
}

TEST_F(CudaIpc, OnlyBlocksOfTheDeviceAreShared) {
  Ipc Shared = {};
  Address Memory = words(4), Managed = 0, Ordered = 0;
  EXPECT_EQ(cuIpcGetMemHandle(nullptr, Memory), InvalidValue);
  EXPECT_EQ(cuIpcGetMemHandle(&Shared, 4096), InvalidValue);
  ASSERT_EQ(cuMemAllocManaged(&Managed, 16, 1), Success);
  EXPECT_EQ(cuIpcGetMemHandle(&Shared, Managed), InvalidValue);
  ASSERT_EQ(cuMemAllocAsync(&Ordered, 16, nullptr), Success);
  EXPECT_EQ(cuIpcGetMemHandle(&Shared, Ordered), InvalidValue);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);
  EXPECT_EQ(cuMemFree_v2(Managed), Success);
  EXPECT_EQ(cuMemFree_v2(Ordered), Success);
}

TEST_F(CudaIpc, HandlesAreForOtherProcesses) {
  Ipc Shared = {};
  Address Memory = words(4), Opened = 0;
  ASSERT_EQ(cuIpcGetMemHandle(&Shared, Memory), Success);
  EXPECT_EQ(cuIpcOpenMemHandle_v2(&Opened, Shared, LazyEnablePeerAccess),
            InvalidContext);
  EXPECT_EQ(cuIpcOpenMemHandle_v2(&Opened, Shared, 0), InvalidValue);
  EXPECT_EQ(cuIpcOpenMemHandle_v2(nullptr, Shared, LazyEnablePeerAccess),
            InvalidValue);
  EXPECT_EQ(cuIpcOpenMemHandle_v2(&Opened, Ipc(), LazyEnablePeerAccess),
            InvalidValue);
  EXPECT_EQ(cuIpcCloseMemHandle(Memory), InvalidValue);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);

  Handle Event = nullptr, Other = nullptr;
  ASSERT_EQ(cuEventCreate(&Event, DisableTiming | Interprocess), Success);
  ASSERT_EQ(cuIpcGetEventHandle(&Shared, Event), Success);
  EXPECT_EQ(cuIpcOpenEventHandle(&Other, Shared), InvalidContext);
  EXPECT_EQ(cuIpcOpenEventHandle(&Other, Ipc()), InvalidValue);
  EXPECT_EQ(cuEventDestroy_v2(Event), Success);
}

TEST_F(CudaIpc, EventsOfSeveralProcessesAreEvents) {
  Handle Event = nullptr, Own = nullptr, Stream = stream();
  Ipc Shared = {};
  EXPECT_EQ(cuEventCreate(&Event, Interprocess), InvalidValue);
  ASSERT_EQ(cuEventCreate(&Own, DisableTiming), Success);
  EXPECT_EQ(cuIpcGetEventHandle(&Shared, Own), InvalidHandle);
  EXPECT_EQ(cuEventDestroy_v2(Own), Success);
  ASSERT_EQ(cuEventCreate(&Event, DisableTiming | Interprocess), Success);
  EXPECT_EQ(cuEventQuery(Event), Success);
  EXPECT_EQ(cuStreamWaitEvent(Stream, Event, 0), Success);
  for (int N = 0; N != 3; ++N) {
    EXPECT_EQ(cuEventRecord(Event, Stream), Success);
    EXPECT_EQ(cuStreamWaitEvent(nullptr, Event, 0), Success);
    EXPECT_EQ(cuEventSynchronize(Event), Success);
    EXPECT_EQ(cuEventQuery(Event), Success);
  }
  EXPECT_EQ(cuCtxSynchronize(), Success);
  EXPECT_NE(cuCtxWaitEvent(Context, Event), Success);
  // Work may still wait for an event that is gone.
  EXPECT_EQ(cuEventRecord(Event, Stream), Success);
  EXPECT_EQ(cuStreamWaitEvent(nullptr, Event, 0), Success);
  EXPECT_EQ(cuEventDestroy_v2(Event), Success);
  EXPECT_EQ(cuCtxSynchronize(), Success);
  EXPECT_EQ(cuStreamDestroy_v2(Stream), Success);
}

TEST_F(CudaIpc, ManyEventsHavePagesOfTheirOwn) {
  std::vector<Handle> Events(10'000);
  for (Handle &E : Events)
    ASSERT_EQ(cuEventCreate(&E, DisableTiming | Interprocess), Success);
  for (Handle E : Events)
    ASSERT_EQ(cuEventRecord(E, nullptr), Success);
  EXPECT_EQ(cuCtxSynchronize(), Success);
  for (Handle E : Events) {
    ASSERT_EQ(cuEventQuery(E), Success);
    ASSERT_EQ(cuEventDestroy_v2(E), Success);
  }
}

TEST_F(CudaIpc, AnImportedPoolHasTheSameMemory) {
  Handle Pool = pool(FileDescriptor), Other = imported(Pool);
  Address A = 0, B = 0, SameB = 0;
  ASSERT_EQ(cuMemAllocFromPoolAsync(&A, 5000, Pool, nullptr), Success);
  ASSERT_EQ(cuMemAllocFromPoolAsync(&B, 5000, Pool, nullptr), Success);
  EXPECT_EQ(word(B), 0u);
  Ipc Exported = {};
  ASSERT_EQ(cuMemPoolExportPointer(&Exported, B), Success);
  ASSERT_EQ(cuMemPoolImportPointer(&SameB, Other, &Exported), Success);
  EXPECT_NE(SameB, B);
  EXPECT_EQ(cuMemsetD32_v2(A, 1, 1250), Success);
  EXPECT_EQ(cuMemsetD32_v2(B, 2, 1250), Success);
  EXPECT_EQ(cuCtxSynchronize(), Success);
  EXPECT_EQ(word(SameB), 2u);
  EXPECT_EQ(word(SameB + 4996), 2u);
  EXPECT_EQ(cuMemsetD32_v2(SameB, 3, 1), Success);
  EXPECT_EQ(word(B), 3u);
  EXPECT_EQ(word(A), 1u);
  EXPECT_EQ(cuMemFreeAsync(SameB, nullptr), Success);
  EXPECT_EQ(cuCtxSynchronize(), Success);
  EXPECT_EQ(word(B), 3u);
  // What is allocated anew is zero, also where something was.
  EXPECT_EQ(cuMemFree_v2(B), Success);
  ASSERT_EQ(cuMemAllocFromPoolAsync(&B, 5000, Pool, nullptr), Success);
  EXPECT_EQ(word(B), 0u);
  // Blocks outlive their pools.
  EXPECT_EQ(cuMemPoolDestroy(Other), Success);
  EXPECT_EQ(cuMemPoolDestroy(Pool), Success);
  EXPECT_EQ(word(A), 1u);
  EXPECT_EQ(cuMemFree_v2(A), Success);
  EXPECT_EQ(cuMemFreeAsync(B, nullptr), Success);
  EXPECT_EQ(cuCtxSynchronize(), Success);
}

TEST_F(CudaIpc, PoolsRefuseWhatIsNotTheirs) {
  Handle Plain = pool(0), Pool = pool(FileDescriptor), Other = imported(Pool);
  PoolProps Props = {};
  Props.Type = Pinned;
  Props.HandleTypes = Win32Handle;
  Props.Place = {OnDevice, 0};
  Handle None = nullptr;
  EXPECT_EQ(cuMemPoolCreate(&None, &Props), NotSupported);

  int Descriptor = -1;
  auto Export = [&](Handle P, int Type, unsigned long long Flags) {
    return cuMemPoolExportToShareableHandle(&Descriptor, P, Type, Flags);
  };
  EXPECT_EQ(Export(Plain, FileDescriptor, 0), InvalidValue);
  EXPECT_EQ(Export(Other, FileDescriptor, 0), InvalidValue);
  EXPECT_EQ(Export(Pool, Win32Handle, 0), NotSupported);
  EXPECT_EQ(Export(Pool, FileDescriptor, 1), InvalidValue);
  EXPECT_EQ(Descriptor, -1);
  EXPECT_EQ(
      cuMemPoolImportFromShareableHandle(
          &None, reinterpret_cast<void *>(intptr_t(-1)), FileDescriptor, 0),
      InvalidValue);

  // Nothing is allocated from another process's pool.
  Address Memory = 0, Imported = 0;
  EXPECT_EQ(cuMemAllocFromPoolAsync(&Memory, 16, Other, nullptr), InvalidValue);
  EXPECT_EQ(cuDeviceSetMemPool(0, Other), InvalidValue);

  Ipc Exported = {};
  ASSERT_EQ(cuMemAllocFromPoolAsync(&Memory, 16, Plain, nullptr), Success);
  EXPECT_EQ(cuMemPoolExportPointer(&Exported, Memory), InvalidValue);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);
  ASSERT_EQ(cuMemAllocFromPoolAsync(&Memory, 16, Pool, nullptr), Success);
  ASSERT_EQ(cuMemPoolExportPointer(&Exported, Memory), Success);
  EXPECT_EQ(cuMemPoolImportPointer(&Imported, Pool, &Exported), InvalidValue);
  EXPECT_EQ(cuMemPoolImportPointer(&Imported, Plain, &Exported), InvalidValue);
  Ipc Broken = {};
  EXPECT_EQ(cuMemPoolImportPointer(&Imported, Other, &Broken), InvalidValue);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);
  for (Handle P : {Plain, Pool, Other})
    EXPECT_EQ(cuMemPoolDestroy(P), Success);
}

TEST_F(CudaIpc, APoolWithAFileCountsAsDeviceMemory) {
  Handle Pool = pool(FileDescriptor);
  size_t Before = 0, After = 0, Total = 0;
  ASSERT_EQ(cuMemGetInfo_v2(&Before, &Total), Success);
  Address Memory = 0, None = 0;
  ASSERT_EQ(cuMemAllocFromPoolAsync(&Memory, 1 << 20, Pool, nullptr), Success);
  ASSERT_EQ(cuMemGetInfo_v2(&After, &Total), Success);
  EXPECT_EQ(Before - After, size_t(1) << 20);
  EXPECT_EQ(cuMemAllocFromPoolAsync(&None, Total, Pool, nullptr), OutOfMemory);
  EXPECT_EQ(cuMemFree_v2(Memory), Success);
  ASSERT_EQ(cuMemGetInfo_v2(&After, &Total), Success);
  EXPECT_EQ(Before, After);
  EXPECT_EQ(cuMemPoolDestroy(Pool), Success);
}

TEST_F(CudaIpc, AResetEndsPools) {
  Handle Pool = pool(FileDescriptor);
  Address Memory = 0;
  ASSERT_EQ(cuMemAllocFromPoolAsync(&Memory, 4096, Pool, nullptr), Success);
  ASSERT_EQ(cuDevicePrimaryCtxReset_v2(0), Success);
  EXPECT_EQ(cuMemPoolDestroy(Pool), InvalidValue);
  ASSERT_EQ(cuDevicePrimaryCtxRetain(&Context, 0), Success);
  ASSERT_EQ(cuCtxPushCurrent_v2(Context), Success);
  size_t Free = 0, Total = 0;
  ASSERT_EQ(cuMemGetInfo_v2(&Free, &Total), Success);
  EXPECT_EQ(Free, Total);
}

TEST_F(CudaIpc, OtherFunctionsAnswerAsDocumented) {
  EXPECT_EQ(cuProfilerInitialize("in", "out", 0), NotSupported);
  Handle Library = nullptr;
  const char *PTX = ".version 8.0\n.target sm_90\n.address_size 64\n"
                    ".visible .global .u32 there;\n"
                    ".entry kernel() { ret; }\n";
  ASSERT_EQ(cuLibraryLoadData(&Library, PTX, nullptr, nullptr, 0, nullptr,
                              nullptr, 0),
            Success);
  void *Function = nullptr;
  EXPECT_EQ(cuLibraryGetUnifiedFunction(&Function, Library, "there"), NotFound);
  EXPECT_EQ(cuLibraryGetUnifiedFunction(&Function, Library, "none"), NotFound);
  EXPECT_EQ(cuLibraryGetUnifiedFunction(nullptr, Library, "none"),
            InvalidValue);
  EXPECT_EQ(cuLibraryGetUnifiedFunction(&Function, Library, nullptr),
            InvalidValue);
  EXPECT_EQ(cuLibraryGetUnifiedFunction(&Function, nullptr, "none"),
            InvalidHandle);
  EXPECT_EQ(cuLibraryUnload(Library), Success);
}

} // namespace
