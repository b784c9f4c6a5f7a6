//===- DriverEndpoints.cpp - cuLogicalEndpoint* -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parameters of the driver API's logical endpoints, and copies that name them.
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "Driver/LogicalEndpoints.h"
#include "PerThread.h"
#include "Runtime/Copy.h"
#include "Runtime/Runtime.h"

using namespace heddle;
using namespace heddle::cuda;

using EndpointId = uint32_t;

static LogicalEndpoints &endpoints() { return Process::get().Endpoints; }

namespace {

/// CUfabricCpyOperand.
struct FabricOperand {
  int Type;
  union {
    struct {
      CUdeviceptr Address;
      cudaMemLocation Hint;
    } Pointer;
    struct {
      EndpointId Id;
      uint64_t Offset;
    } Endpoint;
  };
};
static_assert(sizeof(FabricOperand) == 24);

/// CUDA_FABRIC_COPY_BATCH_OP.
struct FabricCopy {
  FabricOperand From, To;
  size_t Size;
  unsigned Flags;
};
static_assert(sizeof(FabricCopy) == 64);

enum FabricOperandType : int { IsPointer = 1, IsEndpoint = 2 };

} // namespace

/// Where an operand of a copy is.
static CUresult placeOf(const FabricOperand &O, size_t Size, bool IsRead,
                        void *&Place) {
  if (O.Type == IsPointer) {
    Place = pointerOf(O.Pointer.Address);
    return cudaSuccess;
  }
  if (O.Type != IsEndpoint ||
      (IsRead && endpoints().isMulticast(O.Endpoint.Id)))
    return cudaErrorInvalidValue;
  std::optional<uint64_t> Address =
      endpoints().resolve(O.Endpoint.Id, O.Endpoint.Offset, Size);
  if (!Address)
    return cudaErrorInvalidValue;
  Place = pointerOf(*Address);
  return cudaSuccess;
}

static CUresult copyThroughFabric(const FabricCopy &C, cudaStream_t Stream) {
  if (C.Flags || (C.From.Type == IsEndpoint && C.To.Type == IsEndpoint))
    return cudaErrorInvalidValue;
  void *From = nullptr, *To = nullptr;
  if (CUresult Code = placeOf(C.From, C.Size, /*IsRead=*/true, From);
      Code != cudaSuccess)
    return Code;
  if (CUresult Code = placeOf(C.To, C.Size, /*IsRead=*/false, To);
      Code != cudaSuccess)
    return Code;
  return copyAsync(linearCopy(To, From, C.Size, cudaMemcpyDefault), Stream);
}

extern "C" {

CUresult cuLogicalEndpointIdReserve(EndpointId *First, uint32_t Count) {
  return inContext([=] {
    return First ? endpoints().reserve(Count, *First) : cudaErrorInvalidValue;
  });
}

CUresult cuLogicalEndpointIdRelease(EndpointId First, uint32_t Count) {
  return inContext([=] { return endpoints().release(First, Count); });
}

CUresult cuLogicalEndpointCreate(EndpointId Id, const EndpointProp *P) {
  return inContext(
      [=] { return P ? endpoints().create(Id, *P) : cudaErrorInvalidValue; });
}

CUresult cuLogicalEndpointAddDevice(EndpointId Id, CUdevice Device) {
  return inContext([=] {
    // Endpoints are of the first device (docs/cuda.md).
    return Device == 0 ? endpoints().addDevice(Id) : cudaErrorInvalidDevice;
  });
}

/// Waits for what may still use the endpoint; so does the other one.
CUresult cuLogicalEndpointDestroy(EndpointId Id) {
  return inContext([=] {
    CUresult Code = cudaDeviceSynchronize();
    return Code == cudaSuccess ? endpoints().destroy(Id) : Code;
  });
}

CUresult cuLogicalEndpointUnbind(EndpointId Id, CUdevice Device,
                                 uint64_t Offset, uint64_t Size) {
  return inContext([=] {
    if (Device != 0)
      return cudaErrorInvalidDevice;
    CUresult Code = cudaDeviceSynchronize();
    return Code == cudaSuccess ? endpoints().unbind(Id, Offset, Size) : Code;
  });
}

CUresult cuLogicalEndpointBindAddr(EndpointId Id, CUdevice Device,
                                   uint64_t Offset, void *Memory, uint64_t Size,
                                   unsigned long long Flags) {
  return inContext([=] {
    if (Device != 0)
      return cudaErrorInvalidDevice;
    return Flags ? cudaErrorInvalidValue
                 : endpoints().bindAddress(Id, Offset, addressOf(Memory), Size);
  });
}

CUresult cuLogicalEndpointBindMem(EndpointId Id, CUdevice Device,
                                  uint64_t Offset, MemHandle Handle,
                                  uint64_t From, uint64_t Size,
                                  unsigned long long Flags) {
  return inContext([=] {
    if (Device != 0)
      return cudaErrorInvalidDevice;
    return Flags ? cudaErrorInvalidValue
                 : endpoints().bindMemory(Id, Offset, Handle, From, Size);
  });
}

CUresult cuLogicalEndpointGetLimits(uint64_t *Alignment, uint64_t *Largest,
                                    const EndpointProp *P) {
  return inContext([=] {
    if (!Alignment || !Largest || !P)
      return cudaErrorInvalidValue;
    *Alignment = LogicalEndpoints::Alignment;
    *Largest = Process::get().properties().MemoryBytes;
    return LogicalEndpoints::check(*P);
  });
}

CUresult cuLogicalEndpointQuery(EndpointId First, uint32_t Count,
                                int *IsComplete) {
  return inContext([=] {
    return IsComplete ? endpoints().query(First, Count, *IsComplete)
                      : cudaErrorInvalidValue;
  });
}

CUresult cuFabricCpyBatchAsync(size_t Count, const FabricCopy *Copies,
                               unsigned long long Flags, cudaStream_t Stream) {
  return inContext([=] {
    bool IsNamed = Stream && Stream != cudaStreamLegacy;
    if (!Count || !Copies || Flags || !(IsNamed || PerThreadScope::isActive()))
      return cudaErrorInvalidValue;
    for (const FabricCopy *C = Copies; C != Copies + Count; ++C)
      if (CUresult Code = copyThroughFabric(*C, Stream); Code != cudaSuccess)
        return Code;
    return cudaSuccess;
  });
}

} // extern "C"

HEDDLE_PER_THREAD(cuFabricCpyBatchAsync, _ptsz)
