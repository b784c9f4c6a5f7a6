//===- Pools.cpp - Memory pools and allocation in stream order --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Memory is there at once, which is earlier than promised, and goes when the
// stream comes to the point where it is freed.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Pools.h"
#include "PerThread.h"
#include "Process.h"
#include "Runtime/Copy.h"

#include <cstring>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

namespace heddle::cuda {

bool PoolTable::destroy(MemPoolHandle *Pool) {
  std::unique_ptr<MemPoolHandle> Gone = Pools.remove(Pool);
  if (!Gone)
    return false;
  std::lock_guard Lock(Mutex);
  std::erase_if(Blocks, [&](auto &B) { return B.second.first == Pool; });
  if (Current == Pool)
    Current = &Default;
  return true;
}

void PoolTable::allocated(const void *Block, uint64_t Size,
                          MemPoolHandle *Pool) {
  std::lock_guard Lock(Mutex);
  Blocks[Block] = {Pool, Size};
  Pool->Used += Size;
  Pool->UsedHigh = std::max(Pool->UsedHigh, Pool->Used);
}

void PoolTable::freed(const void *Block) {
  std::lock_guard Lock(Mutex);
  auto It = Blocks.find(Block);
  if (It == Blocks.end())
    return;
  It->second.first->Used -= It->second.second;
  Blocks.erase(It);
}

/// Numbers of cudaMemPoolAttr.
enum PoolAttribute : int {
  ReuseFirst = 1,
  ReuseLast = 3,
  ReleaseThreshold = 4,
  ReservedCurrent = 5,
  ReservedHigh = 6,
  UsedCurrent = 7,
  UsedHigh = 8
};

bool PoolTable::get(MemPoolHandle *Pool, int Attribute, void *Value) {
  std::lock_guard Lock(Mutex);
  auto Put = [&](auto V) {
    std::memcpy(Value, &V, sizeof(V));
    return true;
  };
  switch (Attribute) {
  case ReleaseThreshold:
    return Put(Pool->ReleaseThreshold);
  case ReservedCurrent:
  case UsedCurrent:
    return Put(Pool->Used);
  case ReservedHigh:
  case UsedHigh:
    return Put(Pool->UsedHigh);
  default:
    return Attribute >= ReuseFirst && Attribute <= ReuseLast &&
           Put(Pool->Reuse[Attribute - ReuseFirst]);
  }
}

bool PoolTable::set(MemPoolHandle *Pool, int Attribute, const void *Value) {
  std::lock_guard Lock(Mutex);
  switch (Attribute) {
  case ReleaseThreshold:
    std::memcpy(&Pool->ReleaseThreshold, Value, 8);
    return true;
  case ReservedHigh: // only to begin again
  case UsedHigh: {
    uint64_t Zero;
    std::memcpy(&Zero, Value, 8);
    if (Zero == 0)
      Pool->UsedHigh = Pool->Used;
    return Zero == 0;
  }
  default:
    if (Attribute < ReuseFirst || Attribute > ReuseLast)
      return false;
    std::memcpy(&Pool->Reuse[Attribute - ReuseFirst], Value, 4);
    return true;
  }
}

} // namespace heddle::cuda

static PoolTable &pools() { return Process::get().Pools; }

extern "C" {

cudaError_t cudaMalloc(void **Pointer, size_t Size);
cudaError_t cudaFree(void *Pointer);

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *Pool, int Device) {
  if (!Pool || Device != 0)
    return finish(Pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  *Pool = pools().deviceDefault();
  return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *Pool, int Device) {
  if (!Pool || Device != 0)
    return finish(Pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  *Pool = pools().current();
  return cudaSuccess;
}

cudaError_t cudaDeviceSetMemPool(int Device, cudaMemPool_t Pool) {
  if (Device != 0 || !pools().contains(Pool))
    return finish(Device ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  pools().setCurrent(Pool);
  return cudaSuccess;
}

/// Pools of other places than the device, or to share with other processes, are
/// not there.
cudaError_t cudaMemPoolCreate(cudaMemPool_t *Pool, const cudaMemPoolProps *P) {
  constexpr int Pinned = 1, OnDevice = 1;
  if (!Pool || !P || P->allocType != Pinned)
    return finish(cudaErrorInvalidValue);
  if (P->handleTypes != 0 || P->location.type != OnDevice)
    return finish(cudaErrorNotSupported);
  if (P->location.id != 0)
    return finish(cudaErrorInvalidDevice);
  *Pool = pools().create();
  return cudaSuccess;
}

/// Blocks that are still in use stay.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t Pool) {
  return finish(pools().destroy(Pool) ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t Pool, int Attribute,
                                    void *Value) {
  return finish(Value && pools().contains(Pool) &&
                        pools().get(Pool, Attribute, Value)
                    ? cudaSuccess
                    : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t Pool, int Attribute,
                                    void *Value) {
  return finish(Value && pools().contains(Pool) &&
                        pools().set(Pool, Attribute, Value)
                    ? cudaSuccess
                    : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t Pool, size_t) {
  return finish(pools().contains(Pool) ? cudaSuccess : cudaErrorInvalidValue);
}

/// There is only the device itself to give access to.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t Pool,
                                 const cudaMemAccessDesc *Desc, size_t Count) {
  if (!pools().contains(Pool) || (Count && !Desc))
    return finish(cudaErrorInvalidValue);
  for (size_t I = 0; I != Count; ++I)
    if (Desc[I].location.id != 0)
      return finish(cudaErrorInvalidDevice);
  return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(int *Flags, cudaMemPool_t Pool,
                                 cudaMemLocation *Location) {
  constexpr int ReadWrite = 3;
  if (!Flags || !Location || !pools().contains(Pool))
    return finish(cudaErrorInvalidValue);
  *Flags = Location->id == 0 ? ReadWrite : 0;
  return cudaSuccess;
}

/// There is memory on the device only. Type is of cudaMemAllocationType.
static cudaError_t checkPlace(const cudaMemLocation *Place, int Type) {
  constexpr int OnDevice = 1, Pinned = 1;
  if (!Place)
    return cudaErrorInvalidValue;
  if (Place->type != OnDevice || Type != Pinned)
    return cudaErrorNotSupported;
  return Place->id == 0 ? cudaSuccess : cudaErrorInvalidDevice;
}

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *Pool,
                                     cudaMemLocation *Place, int Type) {
  cudaError_t Code = checkPlace(Place, Type);
  return Code == cudaSuccess ? cudaDeviceGetDefaultMemPool(Pool, 0)
                             : finish(Code);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *Pool, cudaMemLocation *Place,
                              int Type) {
  cudaError_t Code = checkPlace(Place, Type);
  return Code == cudaSuccess ? cudaDeviceGetMemPool(Pool, 0) : finish(Code);
}

cudaError_t cudaMemSetMemPool(cudaMemLocation *Place, int Type,
                              cudaMemPool_t Pool) {
  cudaError_t Code = checkPlace(Place, Type);
  return Code == cudaSuccess ? cudaDeviceSetMemPool(0, Pool) : finish(Code);
}

cudaError_t cudaDeviceGraphMemTrim(int Device) {
  return finish(Device == 0 ? cudaSuccess : cudaErrorInvalidDevice);
}

/// Numbers of cudaGraphMemAttributeType as attributes of a pool.
static constexpr int GraphAttributes[] = {UsedCurrent, UsedHigh,
                                          ReservedCurrent, ReservedHigh};

cudaError_t cudaDeviceGetGraphMemAttribute(int Device, unsigned Attribute,
                                           void *Value) {
  if (Device != 0)
    return finish(cudaErrorInvalidDevice);
  if (!Value || Attribute >= std::size(GraphAttributes))
    return finish(cudaErrorInvalidValue);
  pools().get(pools().graphPool(), GraphAttributes[Attribute], Value);
  return cudaSuccess;
}

/// Only highest values can be set, and only to zero.
cudaError_t cudaDeviceSetGraphMemAttribute(int Device, unsigned Attribute,
                                           void *Value) {
  if (Device != 0)
    return finish(cudaErrorInvalidDevice);
  if (!Value || Attribute >= std::size(GraphAttributes) ||
      !pools().set(pools().graphPool(), GraphAttributes[Attribute], Value))
    return finish(cudaErrorInvalidValue);
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

cudaError_t cudaMallocFromPoolAsync(void **Pointer, size_t Size,
                                    cudaMemPool_t Pool, cudaStream_t Stream) {
  if (!pools().contains(Pool))
    return finish(cudaErrorInvalidValue);
  if (!Process::get().stream(Stream))
    return finish(cudaErrorInvalidResourceHandle);
  cudaError_t Code = cudaMalloc(Pointer, Size);
  if (Code == cudaSuccess && *Pointer)
    pools().allocated(*Pointer, Size, Pool);
  return Code;
}

cudaError_t cudaMallocAsync(void **Pointer, size_t Size, cudaStream_t Stream) {
  return cudaMallocFromPoolAsync(Pointer, Size, pools().current(), Stream);
}

cudaError_t cudaFreeAsync(void *Pointer, cudaStream_t Stream) {
  if (!Pointer)
    return cudaSuccess;
  rt::Stream *S = Process::get().stream(Stream);
  if (!S)
    return finish(cudaErrorInvalidResourceHandle);
  std::optional<Block> B = Process::get().Pointers.find(Pointer);
  if (!B || B->Address != addressOf(Pointer) || B->Type != cudaMemoryTypeDevice)
    return finish(cudaErrorInvalidValue);
  // A graph keeps its memory, whose addresses are part of it.
  if (S->capture() || B->IsGraph)
    return finish(enqueue(Stream, rt::EmptyOp()));
  Process::get().Pointers.remove(Pointer);
  pools().freed(Pointer);
  Expected<rt::Context &> C = Process::get().context();
  if (!C)
    return finish(convert(C.takeError(), cudaErrorNoDevice));
  return finish(
      enqueue(Stream, rt::HostOp{[D = &C->device(), Address = B->Address] {
                consumeError(D->free(Address));
              }}));
}

} // extern "C"

HEDDLE_PER_THREAD(cudaMallocAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMallocFromPoolAsync, _ptsz)
HEDDLE_PER_THREAD(cudaFreeAsync, _ptsz)
