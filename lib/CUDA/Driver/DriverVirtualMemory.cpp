//===- DriverVirtualMemory.cpp - cuMemMap and its kin -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters of the driver API's virtual memory management.
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "Runtime/Copy.h"
#include "Runtime/Runtime.h"

using namespace heddle::cuda;

/// Numbers of CUmemAllocationType and CUmemLocationType.
static constexpr int Pinned = 1, OnDevice = 1;

static VirtualMemory &memory() { return Process::get().Virtual; }

/// Whether there is such memory: of the device, for this process or to be
/// handed on as a file descriptor.
static CUresult check(const MemAllocationProp *P) {
  if (!P || P->Type != Pinned)
    return cudaErrorInvalidValue;
  if (P->Location.type != OnDevice ||
      (P->HandleTypes & ~VirtualMemory::FileDescriptor) ||
      P->Flags.CompressionType)
    return cudaErrorNotSupported;
  return Process::get().device(P->Location.id) ? cudaSuccess
                                               : cudaErrorInvalidDevice;
}

extern "C" {

CUresult cuMemGetAllocationGranularity(size_t *Granularity,
                                       const MemAllocationProp *P, int) {
  DriverCall Call;
  if (CUresult Code = Call.initialised(); Code != cudaSuccess)
    return Code;
  if (!Granularity)
    return cudaErrorInvalidValue;
  *Granularity = VirtualMemory::Granularity;
  return check(P);
}

CUresult cuMemAddressReserve(CUdeviceptr *Address, size_t Size, size_t Align,
                             CUdeviceptr Hint, unsigned long long Flags) {
  return inContext([=] {
    if (!Address || Flags)
      return cudaErrorInvalidValue;
    uint64_t Reserved = 0;
    CUresult Code = memory().reserve(Size, Align, Hint, Reserved);
    *Address = Reserved;
    return Code;
  });
}

CUresult cuMemAddressFree(CUdeviceptr Address, size_t Size) {
  return inContext([=] { return memory().release(Address, Size); });
}

CUresult cuMemCreate(MemHandle *Handle, size_t Size, const MemAllocationProp *P,
                     unsigned long long Flags) {
  return inContext([=] {
    if (!Handle || Flags)
      return cudaErrorInvalidValue;
    CUresult Code = check(P);
    return Code == cudaSuccess ? memory().create(Size, *P, *Handle) : Code;
  });
}

CUresult cuMemRelease(MemHandle Handle) {
  return inContext([=] { return memory().releaseHandle(Handle); });
}

CUresult cuMemRetainAllocationHandle(MemHandle *Handle, void *Address) {
  return inContext([=] {
    return Handle ? memory().retain(addressOf(Address), *Handle)
                  : cudaErrorInvalidValue;
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(MemAllocationProp *P,
                                                MemHandle Handle) {
  return inContext([=] {
    return P ? memory().properties(Handle, *P) : cudaErrorInvalidValue;
  });
}

CUresult cuMemMap(CUdeviceptr Address, size_t Size, size_t Offset,
                  MemHandle Handle, unsigned long long Flags) {
  return inContext([=] {
    return Flags ? cudaErrorInvalidValue
                 : memory().map(Address, Size, Offset, Handle);
  });
}

/// Waits for what may still use the memory.
CUresult cuMemUnmap(CUdeviceptr Address, size_t Size) {
  return inContext([=] {
    if (CUresult Code = cudaDeviceSynchronize(); Code != cudaSuccess)
      return Code;
    return memory().unmap(Address, Size);
  });
}

CUresult cuMemSetAccess(CUdeviceptr Address, size_t Size,
                        const cudaMemAccessDesc *Descriptions, size_t Count) {
  return inContext([=] {
    if (!Descriptions || Count == 0)
      return cudaErrorInvalidValue;
    for (size_t I = 0; I != Count; ++I) {
      const cudaMemAccessDesc &D = Descriptions[I];
      if (D.location.type != OnDevice)
        return cudaErrorNotSupported;
      if (!Process::get().device(D.location.id))
        return cudaErrorInvalidDevice;
      if (D.flags != VirtualMemory::NoAccess &&
          D.flags != VirtualMemory::Read && D.flags != VirtualMemory::ReadWrite)
        return cudaErrorInvalidValue;
      CUresult Code =
          memory().setAccess(Address, Size, D.location.id,
                             static_cast<VirtualMemory::Access>(D.flags));
      if (Code != cudaSuccess)
        return Code;
    }
    return cudaSuccess;
  });
}

CUresult cuMemGetAccess(unsigned long long *Flags,
                        const cudaMemLocation *Location, CUdeviceptr Address) {
  return inContext([=] {
    if (!Flags || !Location)
      return cudaErrorInvalidValue;
    VirtualMemory::Access Found = VirtualMemory::NoAccess;
    CUresult Code = memory().access(Address, Location->id, Found);
    *Flags = Location->type == OnDevice ? Found : VirtualMemory::NoAccess;
    return Code;
  });
}

CUresult cuMemExportToShareableHandle(void *Shared, MemHandle Handle, int Type,
                                      unsigned long long Flags) {
  return inContext([=] {
    if (!Shared || Flags)
      return cudaErrorInvalidValue;
    return Type == VirtualMemory::FileDescriptor
               ? memory().share(Handle, *static_cast<int *>(Shared))
               : cudaErrorNotSupported;
  });
}

/// The descriptor itself comes as a pointer.
CUresult cuMemImportFromShareableHandle(MemHandle *Handle, void *Shared,
                                        int Type) {
  return inContext([=] {
    if (!Handle)
      return cudaErrorInvalidValue;
    return Type == VirtualMemory::FileDescriptor
               ? memory().import(static_cast<int>(addressOf(Shared)), *Handle)
               : cudaErrorNotSupported;
  });
}

} // extern "C"
