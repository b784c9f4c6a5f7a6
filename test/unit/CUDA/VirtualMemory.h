//===- VirtualMemory.h - Memory that is mapped, for tests -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The driver's structures and functions of memory that has an address of its
// own, as far as more than one test uses them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_TEST_UNIT_CUDA_VIRTUALMEMORY_H
#define HEDDLE_TEST_UNIT_CUDA_VIRTUALMEMORY_H

#include <cstddef>
#include <cstdint>

namespace heddle::test {

using Address = unsigned long long;
using MemHandle = unsigned long long;
using Handle = void *;

struct Location {
  int Type, Id;
};
struct AllocationProp {
  int Type, HandleTypes;
  Location Place;
  void *Win32;
  unsigned char Flags[8];
};
struct AccessDesc {
  Location Place;
  int Flags;
};

constexpr int Pinned = 1, OnDevice = 1, FileDescriptor = 1, ReadWrite = 3;

extern "C" {
int cuInit(unsigned);
int cuDeviceGetAttribute(int *, int, int);
int cuDevicePrimaryCtxRetain(Handle *, int);
int cuDevicePrimaryCtxReset_v2(int);
int cuCtxSynchronize();
int cuModuleLoadData(Handle *, const void *);
int cuModuleGetFunction(Handle *, Handle, const char *);
int cuLaunchKernel(Handle, unsigned, unsigned, unsigned, unsigned, unsigned,
                   unsigned, unsigned, Handle, void **, void **);
int cuMemFree_v2(Address);
int cuMemcpyHtoD_v2(Address, const void *, size_t);
int cuMemcpyDtoH_v2(void *, Address, size_t);
int cuMemAddressReserve(Address *, size_t, size_t, Address, unsigned long long);
int cuMemAddressFree(Address, size_t);
int cuMemCreate(MemHandle *, size_t, const AllocationProp *,
                unsigned long long);
int cuMemRelease(MemHandle);
int cuMemMap(Address, size_t, size_t, MemHandle, unsigned long long);
int cuMemUnmap(Address, size_t);
int cuMemSetAccess(Address, size_t, const AccessDesc *, size_t);
int cuMemExportToShareableHandle(void *, MemHandle, int, unsigned long long);
int cuMemImportFromShareableHandle(MemHandle *, void *, int);
}

} // namespace heddle::test

#endif // HEDDLE_TEST_UNIT_CUDA_VIRTUALMEMORY_H
