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

/// Number of CUmemAllocationType.
static constexpr int Pinned = 1;
static constexpr int OnDevice = VirtualMemory::OnDevice;

namespace {
/// CUmulticastObjectProp.
struct MulticastProp {
  unsigned NumDevices;
  size_t Size;
  unsigned long long HandleTypes, Flags;
};
static_assert(sizeof(MulticastProp) == 32);
} // namespace

static VirtualMemory &memory() { return Process::get().Virtual; }

/// Whether there is such memory: of a device or of the host, for this process
/// or to be handed on as a file descriptor.
static CUresult check(const MemAllocationProp *P) {
  if (!P || P->Type != Pinned)
    return cudaErrorInvalidValue;
  if ((P->HandleTypes & ~VirtualMemory::FileDescriptor) ||
      P->Flags.CompressionType)
    return cudaErrorNotSupported;
  if (VirtualMemory::isOfHost(P->Location))
    return cudaSuccess; // All nodes of the host are the same.
  if (P->Location.type != OnDevice)
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
  return afterInit([=] {
    if (!Address || Flags)
      return cudaErrorInvalidValue;
    uint64_t Reserved = 0;
    CUresult Code = memory().reserve(Size, Align, Hint, Reserved);
    *Address = Reserved;
    return Code;
  });
}

CUresult cuMemAddressFree(CUdeviceptr Address, size_t Size) {
  return afterInit([=] { return memory().release(Address, Size); });
}

CUresult cuMemCreate(MemHandle *Handle, size_t Size, const MemAllocationProp *P,
                     unsigned long long Flags) {
  return afterInit([=] {
    if (!Handle || Flags)
      return cudaErrorInvalidValue;
    CUresult Code = check(P);
    return Code == cudaSuccess ? memory().create(Size, *P, *Handle) : Code;
  });
}

CUresult cuMemRelease(MemHandle Handle) {
  return afterInit([=] { return memory().releaseHandle(Handle); });
}

CUresult cuMemRetainAllocationHandle(MemHandle *Handle, void *Address) {
  return afterInit([=] {
    return Handle ? memory().retain(addressOf(Address), *Handle)
                  : cudaErrorInvalidValue;
  });
}

CUresult cuMemGetAllocationPropertiesFromHandle(MemAllocationProp *P,
                                                MemHandle Handle) {
  return afterInit([=] {
    return P ? memory().properties(Handle, *P) : cudaErrorInvalidValue;
  });
}

CUresult cuMemMap(CUdeviceptr Address, size_t Size, size_t Offset,
                  MemHandle Handle, unsigned long long Flags) {
  return afterInit([=] {
    return Flags ? cudaErrorInvalidValue
                 : memory().map(Address, Size, Offset, Handle);
  });
}

/// Waits for what may still use the memory.
CUresult cuMemUnmap(CUdeviceptr Address, size_t Size) {
  return afterInit([=] {
    if (CUresult Code = cudaDeviceSynchronize(); Code != cudaSuccess)
      return Code;
    return memory().unmap(Address, Size);
  });
}

CUresult cuMemSetAccess(CUdeviceptr Address, size_t Size,
                        const cudaMemAccessDesc *Descriptions, size_t Count) {
  return afterInit([=] {
    if (!Descriptions || Count == 0)
      return cudaErrorInvalidValue;
    for (size_t I = 0; I != Count; ++I) {
      const cudaMemAccessDesc &D = Descriptions[I];
      bool IsHost = VirtualMemory::isOfHost(D.location);
      if (!IsHost && D.location.type != OnDevice)
        return cudaErrorNotSupported;
      if (!IsHost && !Process::get().device(D.location.id))
        return cudaErrorInvalidDevice;
      if (D.flags != VirtualMemory::NoAccess &&
          D.flags != VirtualMemory::Read && D.flags != VirtualMemory::ReadWrite)
        return cudaErrorInvalidValue;
      CUresult Code =
          memory().setAccess(Address, Size, VirtualMemory::userAt(D.location),
                             static_cast<VirtualMemory::Access>(D.flags));
      if (Code != cudaSuccess)
        return Code;
    }
    return cudaSuccess;
  });
}

CUresult cuMemGetAccess(unsigned long long *Flags,
                        const cudaMemLocation *Location, CUdeviceptr Address) {
  return afterInit([=] {
    if (!Flags || !Location)
      return cudaErrorInvalidValue;
    VirtualMemory::Access Found = VirtualMemory::NoAccess;
    CUresult Code =
        memory().access(Address, VirtualMemory::userAt(*Location), Found);
    *Flags = Found;
    return Code;
  });
}

CUresult cuMemExportToShareableHandle(void *Shared, MemHandle Handle, int Type,
                                      unsigned long long Flags) {
  return afterInit([=] {
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
  return afterInit([=] {
    if (!Handle)
      return cudaErrorInvalidValue;
    return Type == VirtualMemory::FileDescriptor
               ? memory().import(static_cast<int>(addressOf(Shared)), *Handle)
               : cudaErrorNotSupported;
  });
}

// Multicast objects.

/// They are for this process, or handed on as a file descriptor.
static CUresult check(const MulticastProp *P) {
  if (!P || P->NumDevices == 0 || P->Flags)
    return cudaErrorInvalidValue;
  return P->HandleTypes & ~uint64_t(VirtualMemory::FileDescriptor)
             ? cudaErrorNotSupported
             : cudaSuccess;
}

CUresult cuMulticastGetGranularity(size_t *Granularity, const MulticastProp *P,
                                   int) {
  DriverCall Call;
  if (CUresult Code = Call.initialised(); Code != cudaSuccess)
    return Code;
  if (!Granularity)
    return cudaErrorInvalidValue;
  *Granularity = VirtualMemory::Granularity;
  return check(P);
}

CUresult cuMulticastCreate(MemHandle *Handle, const MulticastProp *P) {
  return afterInit([=] {
    if (!Handle)
      return cudaErrorInvalidValue;
    CUresult Code = check(P);
    return Code == cudaSuccess
               ? memory().createMulticast(P->NumDevices, P->Size,
                                          int(P->HandleTypes), *Handle)
               : Code;
  });
}

CUresult cuMulticastAddDevice(MemHandle Handle, CUdevice Device) {
  return afterInit([=] {
    return Process::get().device(Device) ? memory().addDevice(Handle, Device)
                                         : cudaErrorInvalidDevice;
  });
}

static CUresult bindMemory(MemHandle Handle, size_t Offset, MemHandle Memory,
                           size_t MemoryOffset, size_t Size,
                           unsigned long long Flags,
                           std::optional<unsigned> Device) {
  return afterInit([=] {
    return Flags ? cudaErrorInvalidValue
                 : memory().bind(Handle, Offset, Memory, MemoryOffset, Size,
                                 Device);
  });
}

CUresult cuMulticastBindMem(MemHandle Handle, size_t Offset, MemHandle Memory,
                            size_t MemoryOffset, size_t Size,
                            unsigned long long Flags) {
  return bindMemory(Handle, Offset, Memory, MemoryOffset, Size, Flags,
                    std::nullopt);
}

CUresult cuMulticastBindMem_v2(MemHandle Handle, CUdevice Device, size_t Offset,
                               MemHandle Memory, size_t MemoryOffset,
                               size_t Size, unsigned long long Flags) {
  return Process::get().device(Device)
             ? bindMemory(Handle, Offset, Memory, MemoryOffset, Size, Flags,
                          Device)
             : cudaErrorInvalidDevice;
}

static CUresult bindAddress(MemHandle Handle, size_t Offset,
                            CUdeviceptr Address, size_t Size,
                            unsigned long long Flags,
                            std::optional<unsigned> Device) {
  return afterInit([=] {
    return Flags ? cudaErrorInvalidValue
                 : memory().bindAddress(Handle, Offset, Address, Size, Device);
  });
}

CUresult cuMulticastBindAddr(MemHandle Handle, size_t Offset,
                             CUdeviceptr Address, size_t Size,
                             unsigned long long Flags) {
  return bindAddress(Handle, Offset, Address, Size, Flags, std::nullopt);
}

CUresult cuMulticastBindAddr_v2(MemHandle Handle, CUdevice Device,
                                size_t Offset, CUdeviceptr Address, size_t Size,
                                unsigned long long Flags) {
  return Process::get().device(Device)
             ? bindAddress(Handle, Offset, Address, Size, Flags, Device)
             : cudaErrorInvalidDevice;
}

/// Waits for what may still use the memory.
CUresult cuMulticastUnbind(MemHandle Handle, CUdevice Device, size_t Offset,
                           size_t Size) {
  return afterInit([=] {
    if (!Process::get().device(Device))
      return cudaErrorInvalidDevice;
    if (CUresult Code = cudaDeviceSynchronize(); Code != cudaSuccess)
      return Code;
    return memory().unbind(Handle, Device, Offset, Size);
  });
}

} // extern "C"
