//===- DriverMemory.cpp - Memory of the driver API --------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocation, copies, fills, and what is known of pointers.
//
//===----------------------------------------------------------------------===//

#include "Driver/Driver.h"
#include "Driver/DriverCopy.h"
#include "PerThread.h"
#include "Runtime/Copy.h"
#include "Runtime/Runtime.h"

#include <cstring>

using namespace heddle;
using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

/// The address of an allocation for Allocate, which takes a void **.
template <typename Fn>
static CUresult allocateAt(CUdeviceptr *Address, Fn Allocate) {
  return inContext([=] {
    void *Pointer = nullptr;
    if (!Address)
      return cudaErrorInvalidValue;
    CUresult Code = Allocate(&Pointer);
    *Address = addressOf(Pointer);
    return Code;
  });
}

extern "C" {

CUresult cuMemAlloc_v2(CUdeviceptr *Address, size_t Size) {
  if (Size == 0)
    return cudaErrorInvalidValue;
  return allocateAt(Address, [=](void **P) { return cudaMalloc(P, Size); });
}

CUresult cuMemAllocManaged(CUdeviceptr *Address, size_t Size, unsigned Flags) {
  return allocateAt(
      Address, [=](void **P) { return cudaMallocManaged(P, Size, Flags); });
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *Address, size_t *Pitch, size_t Width,
                            size_t Height, unsigned) {
  return allocateAt(Address, [=](void **P) {
    return cudaMallocPitch(P, Pitch, Width, Height);
  });
}

CUresult cuMemAllocAsync(CUdeviceptr *Address, size_t Size,
                         cudaStream_t Stream) {
  return allocateAt(Address,
                    [=](void **P) { return cudaMallocAsync(P, Size, Stream); });
}

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *Address, size_t Size,
                                 cudaMemPool_t Pool, cudaStream_t Stream) {
  return allocateAt(Address, [=](void **P) {
    return cudaMallocFromPoolAsync(P, Size, Pool, Stream);
  });
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *Address, void *Host,
                                      unsigned Flags) {
  return allocateAt(Address, [=](void **P) {
    return cudaHostGetDevicePointer(P, Host, Flags);
  });
}

/// The block in which an address lies.
CUresult cuMemGetAddressRange_v2(CUdeviceptr *Base, size_t *Size,
                                 CUdeviceptr Address) {
  return inContext([=] {
    std::optional<Block> B = Process::get().Pointers.find(pointerOf(Address));
    if (!B)
      return cudaErrorInvalidValue;
    if (Base)
      *Base = B->Address;
    if (Size)
      *Size = B->Size;
    return cudaSuccess;
  });
}

} // extern "C"

HEDDLE_SAME(cuMemFree_v2, (CUdeviceptr Address), cudaFree(pointerOf(Address)))
HEDDLE_SAME(cuMemFreeAsync, (CUdeviceptr Address, cudaStream_t Stream),
            cudaFreeAsync(pointerOf(Address), Stream))
HEDDLE_SAME(cuMemHostAlloc, (void **Pointer, size_t Size, unsigned Flags),
            cudaHostAlloc(Pointer, Size, Flags))
HEDDLE_SAME(cuMemAllocHost_v2, (void **Pointer, size_t Size),
            cudaHostAlloc(Pointer, Size, 0))
HEDDLE_SAME(cuMemFreeHost, (void *Pointer), cudaFreeHost(Pointer))
HEDDLE_SAME(cuMemHostRegister_v2, (void *Pointer, size_t Size, unsigned Flags),
            cudaHostRegister(Pointer, Size, Flags))
HEDDLE_SAME(cuMemHostUnregister, (void *Pointer), cudaHostUnregister(Pointer))
HEDDLE_SAME(cuMemHostGetFlags, (unsigned *Flags, void *Pointer),
            cudaHostGetFlags(Flags, Pointer))
HEDDLE_SAME(cuMemGetInfo_v2, (size_t *Free, size_t *Total),
            cudaMemGetInfo(Free, Total))
HEDDLE_SAME_WITHOUT_CONTEXT(cuMemPoolCreate,
                            (cudaMemPool_t * Pool, const cudaMemPoolProps *P),
                            cudaMemPoolCreate(Pool, P))
HEDDLE_SAME_WITHOUT_CONTEXT(cuMemPoolDestroy, (cudaMemPool_t Pool),
                            cudaMemPoolDestroy(Pool))
HEDDLE_SAME_WITHOUT_CONTEXT(cuMemPoolGetAttribute,
                            (cudaMemPool_t Pool, int Attribute, void *Value),
                            cudaMemPoolGetAttribute(Pool, Attribute, Value))
HEDDLE_SAME_WITHOUT_CONTEXT(cuMemPoolSetAttribute,
                            (cudaMemPool_t Pool, int Attribute, void *Value),
                            cudaMemPoolSetAttribute(Pool, Attribute, Value))
HEDDLE_SAME_WITHOUT_CONTEXT(
    cuMemPoolExportToShareableHandle,
    (void *Shared, cudaMemPool_t Pool, int Type, unsigned long long Flags),
    Flags ? cudaErrorInvalidValue
          : cudaMemPoolExportToShareableHandle(Shared, Pool, Type, 0))
HEDDLE_SAME_WITHOUT_CONTEXT(
    cuMemPoolImportFromShareableHandle,
    (cudaMemPool_t * Pool, void *Shared, int Type, unsigned long long Flags),
    Flags ? cudaErrorInvalidValue
          : cudaMemPoolImportFromShareableHandle(Pool, Shared, Type, 0))
HEDDLE_SAME(cuMemPoolExportPointer, (PoolExport * Data, CUdeviceptr Address),
            cudaMemPoolExportPointer(Data, pointerOf(Address)))
extern "C" CUresult cuMemPoolImportPointer(CUdeviceptr *Address,
                                           cudaMemPool_t Pool,
                                           PoolExport *Data) {
  return allocateAt(Address, [=](void **P) {
    return cudaMemPoolImportPointer(P, Pool, Data);
  });
}
HEDDLE_SAME_WITHOUT_CONTEXT(cuMemPoolTrimTo, (cudaMemPool_t Pool, size_t Bytes),
                            cudaMemPoolTrimTo(Pool, Bytes))
HEDDLE_SAME_WITHOUT_CONTEXT(cuMemPoolSetAccess,
                            (cudaMemPool_t Pool,
                             const cudaMemAccessDesc *Access, size_t Count),
                            cudaMemPoolSetAccess(Pool, Access, Count))
HEDDLE_SAME_WITHOUT_CONTEXT(cuMemPoolGetAccess,
                            (int *Flags, cudaMemPool_t Pool,
                             cudaMemLocation *Location),
                            cudaMemPoolGetAccess(Flags, Pool, Location))
HEDDLE_SAME_WITHOUT_CONTEXT(cuMemGetDefaultMemPool,
                            (cudaMemPool_t * Pool, cudaMemLocation *Location,
                             int Type),
                            cudaMemGetDefaultMemPool(Pool, Location, Type))
HEDDLE_SAME_WITHOUT_CONTEXT(cuMemGetMemPool,
                            (cudaMemPool_t * Pool, cudaMemLocation *Location,
                             int Type),
                            cudaMemGetMemPool(Pool, Location, Type))
HEDDLE_SAME_WITHOUT_CONTEXT(cuMemSetMemPool,
                            (cudaMemLocation * Location, int Type,
                             cudaMemPool_t Pool),
                            cudaMemSetMemPool(Location, Type, Pool))
HEDDLE_SAME(cuStreamAttachMemAsync,
            (cudaStream_t Stream, CUdeviceptr Address, size_t Size,
             unsigned Flags),
            cudaStreamAttachMemAsync(Stream, pointerOf(Address), Size, Flags))
HEDDLE_SAME(cuMemAdvise_v2,
            (CUdeviceptr Address, size_t Size, int Advice, cudaMemLocation L),
            cudaMemAdvise(pointerOf(Address), Size, Advice, L))
HEDDLE_SAME(cuMemPrefetchAsync_v2,
            (CUdeviceptr Address, size_t Size, cudaMemLocation L,
             unsigned Flags, cudaStream_t Stream),
            cudaMemPrefetchAsync(pointerOf(Address), Size, L, Flags, Stream))

/// A device or the host, as these took it before version 13.
static cudaMemLocation locationOf(CUdevice Device) {
  constexpr int OnDevice = 1, OnHost = 2;
  return {Device == cudaCpuDeviceId ? OnHost : OnDevice,
          Device == cudaCpuDeviceId ? 0 : Device};
}
HEDDLE_SAME(cuMemAdvise,
            (CUdeviceptr Address, size_t Size, int Advice, CUdevice Device),
            cudaMemAdvise(pointerOf(Address), Size, Advice, locationOf(Device)))
HEDDLE_SAME(cuMemPrefetchAsync,
            (CUdeviceptr Address, size_t Size, CUdevice Device,
             cudaStream_t Stream),
            cudaMemPrefetchAsync(pointerOf(Address), Size, locationOf(Device),
                                 0, Stream))

//===----------------------------------------------------------------------===//
// Linear copies
//===----------------------------------------------------------------------===//

HEDDLE_SAME(cuMemcpy, (CUdeviceptr To, CUdeviceptr From, size_t Size),
            cudaMemcpy(pointerOf(To), pointerOf(From), Size, cudaMemcpyDefault))
HEDDLE_SAME(cuMemcpyAsync,
            (CUdeviceptr To, CUdeviceptr From, size_t Size,
             cudaStream_t Stream),
            cudaMemcpyAsync(pointerOf(To), pointerOf(From), Size,
                            cudaMemcpyDefault, Stream))
HEDDLE_SAME(cuMemcpyHtoD_v2, (CUdeviceptr To, const void *From, size_t Size),
            cudaMemcpy(pointerOf(To), From, Size, cudaMemcpyHostToDevice))
HEDDLE_SAME(cuMemcpyHtoDAsync_v2,
            (CUdeviceptr To, const void *From, size_t Size,
             cudaStream_t Stream),
            cudaMemcpyAsync(pointerOf(To), From, Size, cudaMemcpyHostToDevice,
                            Stream))
HEDDLE_SAME(cuMemcpyDtoH_v2, (void *To, CUdeviceptr From, size_t Size),
            cudaMemcpy(To, pointerOf(From), Size, cudaMemcpyDeviceToHost))
HEDDLE_SAME(cuMemcpyDtoHAsync_v2,
            (void *To, CUdeviceptr From, size_t Size, cudaStream_t Stream),
            cudaMemcpyAsync(To, pointerOf(From), Size, cudaMemcpyDeviceToHost,
                            Stream))
HEDDLE_SAME(cuMemcpyDtoD_v2, (CUdeviceptr To, CUdeviceptr From, size_t Size),
            cudaMemcpy(pointerOf(To), pointerOf(From), Size,
                       cudaMemcpyDeviceToDevice))
HEDDLE_SAME(cuMemcpyDtoDAsync_v2,
            (CUdeviceptr To, CUdeviceptr From, size_t Size,
             cudaStream_t Stream),
            cudaMemcpyAsync(pointerOf(To), pointerOf(From), Size,
                            cudaMemcpyDeviceToDevice, Stream))

//===----------------------------------------------------------------------===//
// Copies of boxes
//===----------------------------------------------------------------------===//

namespace {

/// CUDA_MEMCPY2D.
struct Memcpy2D {
  struct Side {
    size_t XBytes, Y;
    MemoryType Type;
    const void *Host;
    CUdeviceptr Device;
    cudaArray_t Array;
    size_t Pitch;
  } Source, Destination;
  size_t WidthBytes, Height;
};
static_assert(sizeof(Memcpy2D) == 128);

} // namespace

/// One side of a box of WidthBytes times Height times Depth.
static CUresult placeOf(const Memcpy3D::Side &S, const Memcpy3D &C, Place &P) {
  if (S.Type == Array) {
    if (!Process::get().Arrays.contains(S.Array))
      return cudaErrorInvalidResourceHandle;
    size_t Texel = S.Array->texelBytes();
    if (S.XBytes % Texel || C.WidthBytes % Texel)
      return cudaErrorInvalidValue;
    return Process::get().Arrays.place(
        S.Array, {S.XBytes / Texel, S.Y, S.Z},
        {C.WidthBytes / Texel, C.Height, C.Depth}, P);
  }
  if (S.Type != Host && S.Type != Device && S.Type != Unified)
    return cudaErrorInvalidValue;
  size_t Pitch = S.Pitch ? S.Pitch : C.WidthBytes;
  size_t Slice = Pitch * (S.Height ? S.Height : C.Height);
  const void *Base = S.Type == Host ? S.Host : pointerOf(S.Device);
  if (!Base)
    return cudaErrorInvalidValue;
  P = {static_cast<const char *>(Base) + S.Z * Slice + S.Y * Pitch + S.XBytes,
       Pitch, Slice};
  return cudaSuccess;
}

cudaMemcpyKind heddle::cuda::kindOf(const Memcpy3D &M) {
  MemoryType From = M.Source.Type, To = M.Destination.Type;
  if (From == Unified || To == Unified)
    return cudaMemcpyDefault;
  if (From == Host)
    return To == Host ? cudaMemcpyHostToHost : cudaMemcpyHostToDevice;
  return To == Host ? cudaMemcpyDeviceToHost : cudaMemcpyDeviceToDevice;
}

static CUresult boxOf(const Memcpy3D *M, Copy &C) {
  if (!M)
    return cudaErrorInvalidValue;
  C = {};
  C.Width = M->WidthBytes;
  C.Height = M->Height;
  C.Depth = M->Depth;
  if (CUresult Code = placeOf(M->Source, *M, C.From); Code != cudaSuccess)
    return Code;
  if (CUresult Code = placeOf(M->Destination, *M, C.To); Code != cudaSuccess)
    return Code;
  C.Kind = kindOf(*M);
  return cudaSuccess;
}

static CUresult boxOf(const Memcpy2D *M, Copy &C) {
  if (!M)
    return cudaErrorInvalidValue;
  auto Side = [](const Memcpy2D::Side &S) {
    return Memcpy3D::Side{S.XBytes, S.Y,     0,       0,       S.Type, S.Host,
                          S.Device, S.Array, nullptr, S.Pitch, 0};
  };
  Memcpy3D Same = {Side(M->Source), Side(M->Destination), M->WidthBytes,
                   M->Height, 1};
  return boxOf(&Same, C);
}

template <typename T> static CUresult copyBoxNow(const T *M) {
  return inContext([=] {
    Copy C;
    CUresult Code = boxOf(M, C);
    return Code == cudaSuccess ? copyNow(C) : Code;
  });
}

template <typename T>
static CUresult copyBoxAsync(const T *M, cudaStream_t Stream) {
  return inContext([=] {
    Copy C;
    CUresult Code = boxOf(M, C);
    return Code == cudaSuccess ? copyAsync(C, Stream) : Code;
  });
}

extern "C" {
CUresult cuMemcpy2D_v2(const Memcpy2D *M) { return copyBoxNow(M); }
CUresult cuMemcpy2DUnaligned_v2(const Memcpy2D *M) { return copyBoxNow(M); }
CUresult cuMemcpy2DAsync_v2(const Memcpy2D *M, cudaStream_t Stream) {
  return copyBoxAsync(M, Stream);
}
CUresult cuMemcpy3D_v2(const Memcpy3D *M) { return copyBoxNow(M); }
CUresult cuMemcpy3DAsync_v2(const Memcpy3D *M, cudaStream_t Stream) {
  return copyBoxAsync(M, Stream);
}
// Contexts, in the place of what is reserved, share what is on the device.
CUresult cuMemcpy3DPeer(const Memcpy3D *M) { return copyBoxNow(M); }
CUresult cuMemcpy3DPeerAsync(const Memcpy3D *M, cudaStream_t Stream) {
  return copyBoxAsync(M, Stream);
}
}

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

static CUresult fill(CUdeviceptr To, size_t Pitch, uint64_t Pattern,
                     unsigned Bytes, size_t Width, size_t Height,
                     cudaStream_t Stream) {
  return inContext([=] {
    std::optional<rt::FillOp> Op;
    CUresult Code =
        fillOf(pointerOf(To), Pitch, Pattern, Bytes, Width, Height, Op);
    return Code != cudaSuccess || !Op ? Code : enqueue(Stream, *Op);
  });
}

#define HEDDLE_FILL(Bits, Type)                                                \
  extern "C" CUresult cuMemsetD##Bits##_v2(CUdeviceptr To, Type Value,         \
                                           size_t Count) {                     \
    return fill(To, 0, Value, Bits / 8, Count, 1, nullptr);                    \
  }                                                                            \
  extern "C" CUresult cuMemsetD##Bits##Async(                                  \
      CUdeviceptr To, Type Value, size_t Count, cudaStream_t Stream) {         \
    return fill(To, 0, Value, Bits / 8, Count, 1, Stream);                     \
  }                                                                            \
  extern "C" CUresult cuMemsetD2D##Bits##_v2(                                  \
      CUdeviceptr To, size_t Pitch, Type Value, size_t Width, size_t Height) { \
    return fill(To, Pitch, Value, Bits / 8, Width, Height, nullptr);           \
  }                                                                            \
  extern "C" CUresult cuMemsetD2D##Bits##Async(                                \
      CUdeviceptr To, size_t Pitch, Type Value, size_t Width, size_t Height,   \
      cudaStream_t Stream) {                                                   \
    return fill(To, Pitch, Value, Bits / 8, Width, Height, Stream);            \
  }
HEDDLE_FILL(8, unsigned char)
HEDDLE_FILL(16, unsigned short)
HEDDLE_FILL(32, unsigned)
#undef HEDDLE_FILL

//===----------------------------------------------------------------------===//
// Pointers
//===----------------------------------------------------------------------===//

/// One attribute; false if there is no such attribute here.
static bool attributeOf(const Block *B, int Attribute, CUdeviceptr Address,
                        void *Value) {
  enum {
    Context = 1,
    Type = 2,
    DevicePointer = 3,
    HostPointer = 4,
    SyncMemops = 6,
    BufferId = 7,
    IsManaged = 8,
    Ordinal = 9,
    RangeStart = 11,
    RangeSize = 12,
    Mapped = 13
  };
  auto Put = [&](auto V) {
    std::memcpy(Value, &V, sizeof(V));
    return true;
  };
  switch (Attribute) {
  case Context: {
    CUcontext Of = nullptr;
    if (B && B->Device == currentDevice())
      Of = currentContext();
    return Put(B && !Of ? primaryContext(B->Device) : Of);
  }
  case Type:
    return Put(unsigned(!B                              ? 0
                        : B->Type == cudaMemoryTypeHost ? Host
                                                        : Device));
  case DevicePointer:
    return Put(B ? Address : 0);
  case HostPointer:
    return Put(B && B->Type == cudaMemoryTypeDevice ? 0 : Address);
  case SyncMemops:
    return Put(0u);
  case BufferId:
    return Put(B ? B->Address : 0);
  case IsManaged:
    return Put(unsigned(B && B->Type == cudaMemoryTypeManaged));
  case Ordinal:
    return Put(B ? int(B->Device) : -2);
  case RangeStart:
    return Put(B ? B->Address : 0);
  case RangeSize:
    return Put(size_t(B ? B->Size : 0));
  case Mapped:
    return Put(unsigned(B != nullptr));
  default:
    return false;
  }
}

/// Runs a function that needs no context. Threads that have none may ask what
/// an address is, as KvikIO's do to find one.
template <typename Fn> static CUresult inAnyContext(Fn Function) {
  DriverCall Call;
  if (CUresult Code = Call.initialised(); Code != cudaSuccess)
    return Code;
  return driverCode(Function());
}

extern "C" CUresult cuPointerGetAttribute(void *Value, int Attribute,
                                          CUdeviceptr Address) {
  return inAnyContext([=] {
    std::optional<Block> B = Process::get().Pointers.find(pointerOf(Address));
    if (!Value || !B)
      return cudaErrorInvalidValue;
    return attributeOf(&*B, Attribute, Address, Value) ? cudaSuccess
                                                       : cudaErrorNotSupported;
  });
}

/// Unknown addresses give zeros.
extern "C" CUresult cuPointerGetAttributes(unsigned Count, int *Attributes,
                                           void **Values, CUdeviceptr Address) {
  return inAnyContext([=] {
    std::optional<Block> B = Process::get().Pointers.find(pointerOf(Address));
    if (Count && (!Attributes || !Values))
      return cudaErrorInvalidValue;
    for (unsigned I = 0; I != Count; ++I)
      if (!attributeOf(B ? &*B : nullptr, Attributes[I], Address, Values[I]))
        return cudaErrorNotSupported;
    return cudaSuccess;
  });
}

extern "C" CUresult cuPointerSetAttribute(const void *, int, CUdeviceptr) {
  return inContext([] { return cudaSuccess; }); // copies are synchronous enough
}

HEDDLE_PER_THREAD(cuMemAllocAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemAllocFromPoolAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemFreeAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemPrefetchAsync_v2, _ptsz)
HEDDLE_PER_THREAD(cuMemcpyAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemcpyHtoDAsync_v2, _ptsz)
HEDDLE_PER_THREAD(cuMemcpyDtoHAsync_v2, _ptsz)
HEDDLE_PER_THREAD(cuMemcpyDtoDAsync_v2, _ptsz)
HEDDLE_PER_THREAD(cuMemcpy2DAsync_v2, _ptsz)
HEDDLE_PER_THREAD(cuMemcpy3DAsync_v2, _ptsz)
HEDDLE_PER_THREAD(cuMemsetD8Async, _ptsz)
HEDDLE_PER_THREAD(cuMemsetD16Async, _ptsz)
HEDDLE_PER_THREAD(cuMemsetD32Async, _ptsz)
HEDDLE_PER_THREAD(cuMemsetD2D8Async, _ptsz)
HEDDLE_PER_THREAD(cuMemsetD2D16Async, _ptsz)
HEDDLE_PER_THREAD(cuMemsetD2D32Async, _ptsz)
HEDDLE_PER_THREAD(cuMemcpy, _ptds)
HEDDLE_PER_THREAD(cuMemcpyHtoD_v2, _ptds)
HEDDLE_PER_THREAD(cuMemcpyDtoH_v2, _ptds)
HEDDLE_PER_THREAD(cuMemcpyDtoD_v2, _ptds)
HEDDLE_PER_THREAD(cuMemcpy2D_v2, _ptds)
HEDDLE_PER_THREAD(cuMemcpy2DUnaligned_v2, _ptds)
HEDDLE_PER_THREAD(cuMemcpy3D_v2, _ptds)
HEDDLE_PER_THREAD(cuMemcpy3DPeer, _ptds)
HEDDLE_PER_THREAD(cuMemcpy3DPeerAsync, _ptsz)
HEDDLE_PER_THREAD(cuStreamAttachMemAsync, _ptsz)
HEDDLE_PER_THREAD(cuMemsetD8_v2, _ptds)
HEDDLE_PER_THREAD(cuMemsetD16_v2, _ptds)
HEDDLE_PER_THREAD(cuMemsetD32_v2, _ptds)
HEDDLE_PER_THREAD(cuMemsetD2D8_v2, _ptds)
HEDDLE_PER_THREAD(cuMemsetD2D16_v2, _ptds)
HEDDLE_PER_THREAD(cuMemsetD2D32_v2, _ptds)
HEDDLE_PER_THREAD(cuMemPrefetchAsync, _ptsz)
