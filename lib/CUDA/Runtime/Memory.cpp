//===- Memory.cpp - Memory of CUDA programs ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocation, copies and fills. Device memory is the device's; pinned and
// managed memory is the host's, mapped to the device at the same address.
//
//===----------------------------------------------------------------------===//

#include "PerThread.h"
#include "Process.h"
#include "Runtime/Copy.h"
#include "Runtime/RuntimeGraphs.h"
#include "heddle/Support/HostMemory.h"

#include <cstring>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

cudaError_t heddle::cuda::allocateDevice(void **Pointer, size_t Size) {
  if (!Pointer)
    return finish(cudaErrorInvalidValue);
  *Pointer = nullptr;
  if (Size == 0)
    return cudaSuccess;
  Expected<rt::Context &> C = Process::get().context();
  if (!C)
    return finish(convert(C.takeError(), cudaErrorNoDevice));
  if (Error E = C->status())
    return finish(convert(std::move(E), cudaErrorUnknown));
  Process::get().makeRoom(currentDevice(), Size);
  Expected<rt::DeviceAddress> Address = C->device().allocate(Size);
  if (!Address) {
    consumeError(Address.takeError());
    return finish(cudaErrorMemoryAllocation);
  }
  // With zeros or NaNs, what a careless check expects or cannot compare, it
  // would take launches that did nothing for correct ones.
  if (Process::get().skipsLaunches())
    if (Error E = C->device().fill(*Address, {&SkippedPattern, 1}, Size))
      return finish(convert(std::move(E), cudaErrorUnknown));
  Process::get().Pointers.add({*Address, Size, cudaMemoryTypeDevice});
  *Pointer = pointerOf(*Address);
  return cudaSuccess;
}

extern "C" cudaError_t cudaMalloc(void **Pointer, size_t Size) {
  if (cudaError_t Code = refuseDuringCapture(); Code != cudaSuccess)
    return finish(Code);
  return allocateDevice(Pointer, Size);
}

extern "C" cudaError_t cudaFree(void *Pointer) {
  if (Pointer)
    if (cudaError_t Code = refuseDuringCapture(); Code != cudaSuccess)
      return finish(Code);
  std::optional<Block> B =
      Pointer ? Process::get().Pointers.find(Pointer) : std::nullopt;
  Expected<rt::Context &> C =
      B ? Process::get().contextOf(*B) : Process::get().context();
  if (!C)
    return finish(convert(C.takeError(), cudaErrorNoDevice));
  if (!Pointer)
    return finish(convert(C->status(), cudaErrorUnknown));
  if (!B || B->Address != addressOf(Pointer) || B->IsFixed ||
      (B->Type == cudaMemoryTypeHost && !Process::get().Pools.find(Pointer)))
    return finish(cudaErrorInvalidValue);
  if (Error E = C->synchronize())
    return finish(convert(std::move(E), cudaErrorUnknown));
  if (B->IsGraph) // whose next launch allocates it again, at the same address
    return cudaSuccess;
  Process::get().Pointers.remove(Pointer);
  PoolBlock Pooled = Process::get().Pools.freed(Pointer);
  Process::get().Pools.settle();
  return finish(
      convert(freeBlock(C->device(), *B, Pooled), cudaErrorInvalidValue));
}

/// Memory of the host that kernels reach.
static cudaError_t allocateMapped(void **Pointer, size_t Size,
                                  cudaMemoryType Type, unsigned Flags) {
  if (!Pointer)
    return cudaErrorInvalidValue;
  *Pointer = nullptr;
  Expected<rt::Context &> C = Process::get().context();
  if (!C)
    return convert(C.takeError(), cudaErrorNoDevice);
  if (Error E = C->status())
    return convert(std::move(E), cudaErrorUnknown);
  uint8_t *Memory = allocateZeroed(Size);
  if (!Memory)
    return cudaErrorMemoryAllocation;
  if (Error E = C->device().mapHost({Memory, std::max<size_t>(Size, 1)})) {
    freeZeroed(Memory, Size);
    return convert(std::move(E), cudaErrorMemoryAllocation);
  }
  Process::get().Pointers.add({addressOf(Memory), Size, Type, true, Flags});
  Process::get().Advice.forget(addressOf(Memory), Size);
  *Pointer = Memory;
  return cudaSuccess;
}

extern "C" cudaError_t cudaMallocManaged(void **Pointer, size_t Size,
                                         unsigned Flags) {
  if (Size == 0)
    return finish(cudaErrorInvalidValue);
  return finish(allocateMapped(Pointer, Size, cudaMemoryTypeManaged, Flags));
}

extern "C" cudaError_t cudaHostAlloc(void **Pointer, size_t Size,
                                     unsigned Flags) {
  return finish(allocateMapped(Pointer, Size, cudaMemoryTypeHost, Flags));
}

extern "C" cudaError_t cudaMallocHost(void **Pointer, size_t Size) {
  return cudaHostAlloc(Pointer, Size, 0);
}

extern "C" cudaError_t cudaFreeHost(void *Pointer) {
  if (!Pointer)
    return cudaSuccess;
  std::optional<Block> B = Process::get().Pointers.find(Pointer);
  if (!B || B->Address != addressOf(Pointer) || B->Type != cudaMemoryTypeHost ||
      !B->IsOurs || B->IsFixed)
    return finish(cudaErrorInvalidValue);
  if (cudaError_t Code = refuseDuringCapture(); Code != cudaSuccess)
    return finish(Code);
  rt::Context &C = cantFail(Process::get().contextOf(*B));
  consumeError(C.synchronize()); // told by the next call
  Process::get().Pointers.remove(Pointer);
  Error E = C.device().unmapHost(Pointer);
  freeZeroed(static_cast<uint8_t *>(Pointer), B->Size);
  return finish(convert(std::move(E), cudaErrorInvalidValue));
}

extern "C" cudaError_t cudaHostRegister(void *Pointer, size_t Size,
                                        unsigned Flags) {
  Expected<rt::Context &> C = Process::get().context();
  if (!C)
    return finish(convert(C.takeError(), cudaErrorNoDevice));
  if (!Pointer || Size == 0)
    return finish(cudaErrorInvalidValue);
  if (Error E = C->device().mapHost({static_cast<uint8_t *>(Pointer), Size})) {
    consumeError(std::move(E));
    return finish(cudaErrorHostMemoryAlreadyRegistered);
  }
  Process::get().Pointers.add(
      {addressOf(Pointer), Size, cudaMemoryTypeHost, false, Flags});
  return cudaSuccess;
}

extern "C" cudaError_t cudaHostUnregister(void *Pointer) {
  std::optional<Block> B = Process::get().Pointers.find(Pointer);
  if (!B || B->Address != addressOf(Pointer) || B->IsOurs)
    return finish(cudaErrorHostMemoryNotRegistered);
  rt::Context &C = cantFail(Process::get().contextOf(*B));
  consumeError(C.synchronize());
  Process::get().Pointers.remove(Pointer);
  return finish(convert(C.device().unmapHost(Pointer), cudaErrorInvalidValue));
}

extern "C" cudaError_t cudaHostGetDevicePointer(void **Device, void *Host,
                                                unsigned) {
  if (!Device || !Process::get().Pointers.find(Host))
    return finish(cudaErrorInvalidValue);
  *Device = Host;
  return cudaSuccess;
}

extern "C" cudaError_t cudaHostGetFlags(unsigned *Flags, void *Host) {
  std::optional<Block> B = Process::get().Pointers.find(Host);
  if (!Flags || !B || B->Type != cudaMemoryTypeHost)
    return finish(cudaErrorInvalidValue);
  *Flags = B->Flags;
  return cudaSuccess;
}

/// Rows begin at multiples of it.
static constexpr size_t PitchAlign = 512;

extern "C" cudaError_t cudaMallocPitch(void **Pointer, size_t *Pitch,
                                       size_t Width, size_t Height) {
  if (!Pitch)
    return finish(cudaErrorInvalidValue);
  *Pitch = (Width + PitchAlign - 1) / PitchAlign * PitchAlign;
  if (Height && *Pitch > SIZE_MAX / Height)
    return finish(cudaErrorMemoryAllocation);
  return cudaMalloc(Pointer, *Pitch * Height);
}

extern "C" cudaError_t cudaMalloc3D(cudaPitchedPtr *Pitched,
                                    cudaExtent Extent) {
  if (!Pitched)
    return finish(cudaErrorInvalidValue);
  if (Extent.depth && Extent.height > SIZE_MAX / Extent.depth)
    return finish(cudaErrorMemoryAllocation);
  Pitched->xsize = Extent.width;
  Pitched->ysize = Extent.height;
  return cudaMallocPitch(&Pitched->ptr, &Pitched->pitch, Extent.width,
                         Extent.height * Extent.depth);
}

extern "C" cudaError_t cudaMemGetInfo(size_t *Free, size_t *Total) {
  if (!Free || !Total)
    return finish(cudaErrorInvalidValue);
  *Total = Process::get().properties().MemoryBytes;
  *Free = Process::get().freeBytes(currentDevice());
  return cudaSuccess;
}

extern "C" cudaError_t
cudaPointerGetAttributes(cudaPointerAttributes *Attributes,
                         const void *Pointer) {
  if (!Attributes)
    return finish(cudaErrorInvalidValue);
  *Attributes = {};
  std::optional<Block> B = Process::get().Pointers.find(Pointer);
  Attributes->device = B ? int(B->Device) : -2; // cudaInvalidDeviceId
  if (!B) {
    Attributes->hostPointer = const_cast<void *>(Pointer);
    return cudaSuccess;
  }
  Attributes->type = B->Type;
  Attributes->devicePointer = const_cast<void *>(Pointer);
  if (B->Type != cudaMemoryTypeDevice)
    Attributes->hostPointer = const_cast<void *>(Pointer);
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

extern "C" cudaError_t cudaMemcpy(void *To, const void *From, size_t Size,
                                  cudaMemcpyKind Kind) {
  return finish(copyNow(linearCopy(To, From, Size, Kind)));
}

extern "C" cudaError_t cudaMemcpyAsync(void *To, const void *From, size_t Size,
                                       cudaMemcpyKind Kind,
                                       cudaStream_t Stream) {
  return finish(copyAsync(linearCopy(To, From, Size, Kind), Stream));
}

extern "C" cudaError_t cudaMemcpy2D(void *To, size_t ToPitch, const void *From,
                                    size_t FromPitch, size_t Width,
                                    size_t Height, cudaMemcpyKind Kind) {
  return finish(
      copyNow({{To, ToPitch}, {From, FromPitch}, Width, Height, 1, Kind}));
}

extern "C" cudaError_t cudaMemcpy2DAsync(void *To, size_t ToPitch,
                                         const void *From, size_t FromPitch,
                                         size_t Width, size_t Height,
                                         cudaMemcpyKind Kind,
                                         cudaStream_t Stream) {
  return finish(copyAsync(
      {{To, ToPitch}, {From, FromPitch}, Width, Height, 1, Kind}, Stream));
}

extern "C" cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms *Parameters) {
  Copy C;
  cudaError_t Code = boxOf(Parameters, C);
  return finish(Code == cudaSuccess ? copyNow(C) : Code);
}

extern "C" cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms *Parameters,
                                         cudaStream_t Stream) {
  Copy C;
  cudaError_t Code = boxOf(Parameters, C);
  return finish(Code == cudaSuccess ? copyAsync(C, Stream) : Code);
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

/// The device's address of a piece of a variable.
static cudaError_t placeIn(const void *Symbol, size_t Offset, size_t Size,
                           void *&Place) {
  rt::SymbolInfo Info;
  if (cudaError_t Code = Process::get().Images.variable(Symbol, Info);
      Code != cudaSuccess)
    return Code;
  if (Offset > Info.Size || Size > Info.Size - Offset)
    return cudaErrorInvalidValue;
  Place = pointerOf(Info.Address + Offset);
  return cudaSuccess;
}

static bool isOnDevice(const void *Pointer) {
  std::optional<Block> B = Process::get().Pointers.find(Pointer);
  return B && B->Type == cudaMemoryTypeDevice;
}

extern "C" cudaError_t cudaMemcpyToSymbolAsync(const void *Symbol,
                                               const void *From, size_t Size,
                                               size_t Offset,
                                               cudaMemcpyKind Kind,
                                               cudaStream_t Stream) {
  void *To;
  if (cudaError_t Code = placeIn(Symbol, Offset, Size, To); Code != cudaSuccess)
    return finish(Code);
  // A variable is none of the blocks that cudaMemcpyDefault could find.
  if (Kind == cudaMemcpyDefault)
    Kind = isOnDevice(From) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  return finish(copyAsync(linearCopy(To, From, Size, Kind), Stream));
}

extern "C" cudaError_t cudaMemcpyToSymbol(const void *Symbol, const void *From,
                                          size_t Size, size_t Offset,
                                          cudaMemcpyKind Kind) {
  return finish(doNow([=] {
    return cudaMemcpyToSymbolAsync(Symbol, From, Size, Offset, Kind, nullptr);
  }));
}

extern "C" cudaError_t cudaMemcpyFromSymbolAsync(void *To, const void *Symbol,
                                                 size_t Size, size_t Offset,
                                                 cudaMemcpyKind Kind,
                                                 cudaStream_t Stream) {
  void *From;
  if (cudaError_t Code = placeIn(Symbol, Offset, Size, From);
      Code != cudaSuccess)
    return finish(Code);
  if (Kind == cudaMemcpyDefault)
    Kind = isOnDevice(To) ? cudaMemcpyDeviceToDevice : cudaMemcpyDeviceToHost;
  return finish(copyAsync(linearCopy(To, From, Size, Kind), Stream));
}

extern "C" cudaError_t cudaMemcpyFromSymbol(void *To, const void *Symbol,
                                            size_t Size, size_t Offset,
                                            cudaMemcpyKind Kind) {
  return finish(doNow([=] {
    return cudaMemcpyFromSymbolAsync(To, Symbol, Size, Offset, Kind, nullptr);
  }));
}

extern "C" cudaError_t cudaGetSymbolAddress(void **Pointer,
                                            const void *Symbol) {
  if (!Pointer)
    return finish(cudaErrorInvalidValue);
  return finish(placeIn(Symbol, 0, 0, *Pointer));
}

extern "C" cudaError_t cudaGetSymbolSize(size_t *Size, const void *Symbol) {
  rt::SymbolInfo Info;
  cudaError_t Code = Process::get().Images.variable(Symbol, Info);
  if (Code == cudaSuccess)
    *Size = Info.Size;
  return finish(Code);
}

//===----------------------------------------------------------------------===//
// Fills
//===----------------------------------------------------------------------===//

static cudaError_t fillAsync(void *To, size_t Pitch, int Value, size_t Width,
                             size_t Height, cudaStream_t Stream) {
  std::optional<rt::FillOp> Op;
  cudaError_t Code =
      fillOf(To, Pitch, static_cast<uint8_t>(Value), 1, Width, Height, Op);
  return Code != cudaSuccess || !Op ? Code : enqueue(Stream, *Op);
}

extern "C" cudaError_t cudaMemsetAsync(void *To, int Value, size_t Size,
                                       cudaStream_t Stream) {
  return finish(fillAsync(To, 0, Value, Size, 1, Stream));
}

/// Asynchronous for the host too, as CUDA's is for device memory.
extern "C" cudaError_t cudaMemset(void *To, int Value, size_t Size) {
  return cudaMemsetAsync(To, Value, Size, nullptr);
}

extern "C" cudaError_t cudaMemset2DAsync(void *To, size_t Pitch, int Value,
                                         size_t Width, size_t Height,
                                         cudaStream_t Stream) {
  return finish(fillAsync(To, Pitch, Value, Width, Height, Stream));
}

extern "C" cudaError_t cudaMemset2D(void *To, size_t Pitch, int Value,
                                    size_t Width, size_t Height) {
  return cudaMemset2DAsync(To, Pitch, Value, Width, Height, nullptr);
}

extern "C" cudaError_t cudaMemset3DAsync(cudaPitchedPtr To, int Value,
                                         cudaExtent Extent,
                                         cudaStream_t Stream) {
  for (size_t Z = 0; Z != Extent.depth; ++Z)
    if (cudaError_t Code =
            fillAsync(static_cast<char *>(To.ptr) + Z * To.ysize * To.pitch,
                      To.pitch, Value, Extent.width, Extent.height, Stream);
        Code != cudaSuccess)
      return finish(Code);
  return cudaSuccess;
}

extern "C" cudaError_t cudaMemset3D(cudaPitchedPtr To, int Value,
                                    cudaExtent Extent) {
  return cudaMemset3DAsync(To, Value, Extent, nullptr);
}

extern "C" cudaError_t cudaStreamAttachMemAsync(cudaStream_t, void *, size_t,
                                                unsigned) {
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// With the thread's default stream
//===----------------------------------------------------------------------===//

HEDDLE_PER_THREAD(cudaMemcpy2DAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemcpy2D, _ptds)
HEDDLE_PER_THREAD(cudaMemcpy3DAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemcpy3D, _ptds)
HEDDLE_PER_THREAD(cudaMemcpyAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemcpyFromSymbolAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemcpyFromSymbol, _ptds)
HEDDLE_PER_THREAD(cudaMemcpyToSymbolAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemcpyToSymbol, _ptds)
HEDDLE_PER_THREAD(cudaMemcpy, _ptds)
HEDDLE_PER_THREAD(cudaMemset2DAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemset2D, _ptds)
HEDDLE_PER_THREAD(cudaMemset3DAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemset3D, _ptds)
HEDDLE_PER_THREAD(cudaMemsetAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMemset, _ptds)
HEDDLE_PER_THREAD(cudaStreamAttachMemAsync, _ptsz)
