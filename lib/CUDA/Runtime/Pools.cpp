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
#include "Runtime/GraphNodes.h"
#include "Runtime/RuntimeGraphs.h"
#include "heddle/Support/HostMemory.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>
#include <unistd.h>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

namespace heddle::cuda {

std::optional<uint64_t> PoolFile::take(uint64_t Bytes) {
  Bytes = alignTo(Bytes, getpagesize());
  std::lock_guard Lock(Mutex);
  uint64_t Offset = 0;
  for (auto [Begin, Taken] : Used) {
    if (Begin - Offset >= Bytes)
      break;
    Offset = Begin + Taken;
  }
  if (Offset + Bytes > File.size() && !File.resize(Offset + Bytes))
    return std::nullopt;
  Used[Offset] = Bytes;
  return Offset;
}

void PoolFile::give(uint64_t Offset) {
  std::lock_guard Lock(Mutex);
  auto It = Used.find(Offset);
  if (It == Used.end())
    return;
  File.clear(Offset, It->second);
  Used.erase(It);
}

PoolTable::DevicePools::DevicePools(unsigned Device) {
  for (unsigned I = 0; I != NumPoolPlaces; ++I) {
    Defaults[I].Place = PoolPlace(I);
    Defaults[I].Device = Device;
    Current[I] = &Defaults[I];
  }
  Graphs.Device = Device;
  Graphs.HoldsBack = false;
}

PoolTable::DevicePools &PoolTable::ofDevice(unsigned Device) {
  std::lock_guard Lock(Mutex);
  return ByDevice.try_emplace(Device, Device).first->second;
}

bool PoolTable::isDefault(const MemPoolHandle *Pool) const {
  std::lock_guard Lock(Mutex);
  return any_of(ByDevice, [=](const auto &Entry) {
    return any_of(Entry.second.Defaults,
                  [=](const MemPoolHandle &D) { return &D == Pool; });
  });
}

MemPoolHandle *PoolTable::create(PoolPlace Place, unsigned Device,
                                 uint64_t MaxSize,
                                 std::shared_ptr<PoolFile> File) {
  auto Pool = std::make_unique<MemPoolHandle>();
  Pool->Place = Place;
  Pool->Device = Device;
  Pool->MaxSize = MaxSize;
  Pool->HoldsBack = !File || !File->IsImported;
  Pool->File = std::move(File);
  return Pools.add(std::move(Pool));
}

bool PoolTable::destroy(MemPoolHandle *Pool) {
  std::unique_ptr<MemPoolHandle> Gone = Pools.remove(Pool);
  if (!Gone)
    return false;
  std::lock_guard Lock(Mutex);
  hold(*Gone, 0);
  for (auto &[Address, Block] : Blocks)
    if (Block.Pool == Pool)
      Block.Pool = nullptr;
  for (auto &[Device, Of] : ByDevice)
    for (unsigned I = 0; I != NumPoolPlaces; ++I)
      if (Of.Current[I] == Pool)
        Of.Current[I] = &Of.Defaults[I];
  return true;
}

/// Lets a device reach a block of a pool's, whose memory is the device's own
/// alone.
static Error giveAccess(const MemPoolHandle &Pool, const void *Address,
                        unsigned Device, bool Reaches) {
  if (Pool.File || Pool.Place != PoolPlace::Device)
    return Error::success(); // All devices reach mapped memory.
  Expected<rt::Context &> C = Process::get().context(Pool.Device);
  return C ? C->device().setPeerAccess(addressOf(Address), Device, Reaches)
           : C.takeError();
}

/// A service of devices may refuse, where the block that was freed is there
/// until its stream comes to it.
static std::shared_ptr<emu::MemoryGrant> grantFor(const MemPoolHandle &Pool,
                                                  uint64_t Bytes) {
  ProcessDevice *D = Process::get().device(Pool.Device);
  return D && Bytes ? emu::MemoryGrant::take(D->broker(), Bytes) : nullptr;
}

/// The memory is the device's own, so that only the number is kept.
void PoolTable::hold(MemPoolHandle &Pool, uint64_t Bytes) {
  if (Pool.Place == PoolPlace::Device) {
    Use.remove(Pool.Device, Pool.Held);
    Use.add(Pool.Device, Bytes);
    Pool.HeldGrant = nullptr;
    Pool.HeldGrant = grantFor(Pool, Bytes);
  }
  Pool.Held = Bytes;
  AnyHeld = AnyHeld || Bytes;
}

bool PoolTable::prepare(MemPoolHandle &Pool, uint64_t Size) {
  std::lock_guard Lock(Mutex);
  if (Pool.MaxSize &&
      (Pool.Used > Pool.MaxSize || Size > Pool.MaxSize - Pool.Used))
    return false;
  if (Pool.Held)
    hold(Pool, Pool.Held - std::min(Pool.Held, Size));
  return true;
}

/// What a pool still holds when it has no more than so many bytes.
static uint64_t heldWithin(const MemPoolHandle &Pool, uint64_t Bytes) {
  return std::min(Pool.Held, Bytes > Pool.Used ? Bytes - Pool.Used : 0);
}

void PoolTable::trim(MemPoolHandle &Pool, uint64_t Bytes) {
  std::lock_guard Lock(Mutex);
  hold(Pool, heldWithin(Pool, Bytes));
}

/// Whether no other process can have what a pool holds.
static bool hasWhatItHolds(const MemPoolHandle &Pool) {
  return Pool.Place != PoolPlace::Device || !Pool.Held || Pool.HeldGrant;
}

template <typename Fn> void PoolTable::forEachPool(Fn Do) {
  for (auto &[Device, Of] : ByDevice)
    for (MemPoolHandle &Pool : Of.Defaults)
      Do(Pool);
  Pools.find([&](MemPoolHandle &Pool) {
    Do(Pool);
    return false;
  });
}

void PoolTable::settle() {
  if (!holds())
    return;
  std::lock_guard Lock(Mutex);
  bool StillHeld = false;
  forEachPool([&](MemPoolHandle &Pool) {
    uint64_t Kept = heldWithin(Pool, Pool.ReleaseThreshold);
    if (Kept != Pool.Held || !hasWhatItHolds(Pool))
      hold(Pool, Kept);
    // What was freed is free by now, unless another process has it.
    if (!hasWhatItHolds(Pool))
      hold(Pool, 0);
    StillHeld |= Pool.Held != 0;
  });
  AnyHeld = StillHeld;
}

void PoolTable::release(unsigned Device) {
  std::lock_guard Lock(Mutex);
  forEachPool([&](MemPoolHandle &Pool) {
    if (Pool.Device == Device)
      hold(Pool, 0);
  });
}

void PoolTable::allocated(const void *Address, PoolBlock Block) {
  std::lock_guard Lock(Mutex);
  MemPoolHandle &Pool = *Block.Pool;
  Pool.Used += Block.Size;
  Pool.UsedHigh = std::max(Pool.UsedHigh, Pool.Used);
  Pool.ReservedHigh = std::max(Pool.ReservedHigh, Pool.Used + Pool.Held);
  for (unsigned Device = 0; Pool.Accessors >> Device; ++Device)
    if (Pool.Accessors >> Device & 1)
      consumeError(
          giveAccess(Pool, Address, Device, true)); // It is its pool's.
  Blocks[Address] = std::move(Block);
}

PoolBlock PoolTable::freed(const void *Address) {
  std::lock_guard Lock(Mutex);
  auto It = Blocks.find(Address);
  if (It == Blocks.end())
    return {};
  PoolBlock Block = std::move(It->second);
  if (MemPoolHandle *Pool = Block.Pool) {
    Pool->Used -= Block.Size;
    if (Pool->HoldsBack)
      hold(*Pool, Pool->Held + Block.Size);
  }
  Blocks.erase(It);
  return Block;
}

std::optional<PoolBlock> PoolTable::find(const void *Address) {
  std::lock_guard Lock(Mutex);
  auto It = Blocks.find(Address);
  return It == Blocks.end() ? std::nullopt : std::optional(It->second);
}

Error PoolTable::setAccess(MemPoolHandle &Pool, unsigned Device, bool Reaches) {
  if (Device == Pool.Device)
    return Error::success();
  std::lock_guard Lock(Mutex);
  uint64_t Bit = uint64_t(1) << Device;
  Pool.Accessors = Reaches ? Pool.Accessors | Bit : Pool.Accessors & ~Bit;
  for (auto &[Address, Block] : Blocks)
    if (Block.Pool == &Pool)
      if (Error E = giveAccess(Pool, Address, Device, Reaches))
        return E;
  return Error::success();
}

bool PoolTable::hasAccess(const MemPoolHandle &Pool, unsigned Device) {
  std::lock_guard Lock(Mutex);
  return Device == Pool.Device || Pool.Accessors >> Device & 1;
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
    return Put(Pool->Used + Pool->Held);
  case UsedCurrent:
    return Put(Pool->Used);
  case ReservedHigh:
    return Put(Pool->ReservedHigh);
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
    if (Zero == 0 && Attribute == UsedHigh)
      Pool->UsedHigh = Pool->Used;
    else if (Zero == 0)
      Pool->ReservedHigh = Pool->Used + Pool->Held;
    return Zero == 0;
  }
  default:
    if (Attribute < ReuseFirst || Attribute > ReuseLast)
      return false;
    std::memcpy(&Pool->Reuse[Attribute - ReuseFirst], Value, 4);
    return true;
  }
}

void PoolTable::clear(unsigned Device) {
  release(Device);
  std::lock_guard Lock(Mutex);
  std::erase_if(Blocks, [=](const auto &Entry) {
    const MemPoolHandle *Pool = Entry.second.Pool;
    return !Pool || Pool->Device == Device;
  });
  Pools.removeIf(
      [=](const MemPoolHandle &Pool) { return Pool.Device == Device; });
  // The program may still have the addresses of the default ones.
  if (auto It = ByDevice.find(Device); It != ByDevice.end()) {
    It->second.~DevicePools();
    new (&It->second) DevicePools(Device);
  }
}

Error freeBlock(rt::Device &Device, const Block &Freed,
                const PoolBlock &Pooled) {
  if (Freed.Type != cudaMemoryTypeDevice) {
    Error Failed = Device.unmapHost(pointerOf(Freed.Address));
    freeZeroed(static_cast<uint8_t *>(pointerOf(Freed.Address)), Freed.Size);
    return Failed;
  }
  if (!Freed.IsFile)
    return Device.free(Freed.Address);
  Error Failed = Device.unmapHost(pointerOf(Freed.Address));
  MemoryFile::unmap(pointerOf(Freed.Address), Freed.Size);
  if (Pooled.File && !Pooled.File->IsImported)
    Pooled.File->give(Pooled.Offset);
  return Failed;
}

} // namespace heddle::cuda

/// The one type of handle that there is.
static constexpr int FileDescriptor = VirtualMemory::FileDescriptor;

static PoolTable &pools() { return Process::get().Pools; }

extern "C" {

cudaError_t cudaMallocManaged(void **Pointer, size_t Size, unsigned Flags);
cudaError_t cudaHostAlloc(void **Pointer, size_t Size, unsigned Flags);
cudaError_t cudaFree(void *Pointer);

//===----------------------------------------------------------------------===//
// Pools
//===----------------------------------------------------------------------===//

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *Pool, int Device) {
  if (!Pool || !Process::get().device(Device))
    return finish(Pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  *Pool = pools().defaultOf(PoolPlace::Device, Device);
  return cudaSuccess;
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *Pool, int Device) {
  if (!Pool || !Process::get().device(Device))
    return finish(Pool ? cudaErrorInvalidDevice : cudaErrorInvalidValue);
  *Pool = pools().current(PoolPlace::Device, Device);
  return cudaSuccess;
}

/// Whether a program may allocate from a pool: it is not another process's.
static bool isSource(const MemPoolHandle *Pool) {
  return pools().contains(Pool) && !(Pool->File && Pool->File->IsImported);
}

cudaError_t cudaDeviceSetMemPool(int Device, cudaMemPool_t Pool) {
  if (!Process::get().device(Device))
    return finish(cudaErrorInvalidDevice);
  if (!isSource(Pool) || Pool->Place != PoolPlace::Device ||
      Pool->Device != unsigned(Device))
    return finish(cudaErrorInvalidValue);
  pools().setCurrent(Pool, Device);
  return cudaSuccess;
}

/// The place that a location and a cudaMemAllocationType mean. The device alone
/// has memory that only kernels reach; all of the host's is as near to it.
static cudaError_t placeOf(const cudaMemLocation *At, int Type,
                           PoolPlace &Place, unsigned &Device) {
  enum { Anywhere, OnDevice, OnHost, OnNode, OnThisNode };
  constexpr int Pinned = 1, Managed = 2;
  if (!At || (Type != Pinned && Type != Managed))
    return cudaErrorInvalidValue;
  if (At->type > OnThisNode || (At->type == Anywhere && Type == Pinned))
    return cudaErrorNotSupported;
  if (At->type == OnDevice && !Process::get().device(At->id))
    return cudaErrorInvalidDevice;
  Device = At->type == OnDevice ? At->id : currentDevice();
  Place = Type == Managed        ? PoolPlace::Managed
          : At->type == OnDevice ? PoolPlace::Device
                                 : PoolPlace::Host;
  return cudaSuccess;
}

/// What is on the device only can be shared with other processes.
cudaError_t cudaMemPoolCreate(cudaMemPool_t *Pool, const cudaMemPoolProps *P) {
  PoolPlace Place;
  unsigned Device;
  if (!Pool || !P)
    return finish(cudaErrorInvalidValue);
  if (cudaError_t Code = placeOf(&P->location, P->allocType, Place, Device);
      Code != cudaSuccess)
    return finish(Code);
  if ((P->handleTypes & ~FileDescriptor) ||
      (P->handleTypes && Place != PoolPlace::Device))
    return finish(cudaErrorNotSupported);
  std::shared_ptr<PoolFile> Memory;
  if (P->handleTypes == FileDescriptor) {
    std::optional<MemoryFile> File = MemoryFile::create(0);
    if (!File)
      return finish(cudaErrorMemoryAllocation);
    Memory = std::make_shared<PoolFile>(std::move(*File), false);
  }
  *Pool = pools().create(Place, Device, P->maxSize, std::move(Memory));
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

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t Pool, size_t Bytes) {
  if (!pools().contains(Pool))
    return finish(cudaErrorInvalidValue);
  pools().trim(*Pool, Bytes);
  return cudaSuccess;
}

/// Whether what has a location may be given access to the memory of a pool:
/// each device may, and the host to what is not a device's alone.
static bool mayReach(const cudaMemLocation &Location,
                     const MemPoolHandle *Pool) {
  constexpr int OnDevice = 1;
  return Location.type == OnDevice
             ? Process::get().device(Location.id) != nullptr
             : Pool->Place != PoolPlace::Device;
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t Pool,
                                 const cudaMemAccessDesc *Desc, size_t Count) {
  constexpr int OnDevice = 1;
  if (!pools().contains(Pool) || (Count && !Desc))
    return finish(cudaErrorInvalidValue);
  for (size_t I = 0; I != Count; ++I)
    if (!mayReach(Desc[I].location, Pool))
      return finish(cudaErrorInvalidDevice);
  for (size_t I = 0; I != Count; ++I)
    if (Desc[I].location.type == OnDevice)
      if (Error E = pools().setAccess(*Pool, Desc[I].location.id,
                                      Desc[I].flags != VirtualMemory::NoAccess))
        return finish(convert(std::move(E), cudaErrorInvalidValue));
  return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(int *Flags, cudaMemPool_t Pool,
                                 cudaMemLocation *Location) {
  constexpr int OnDevice = 1;
  if (!Flags || !Location || !pools().contains(Pool))
    return finish(cudaErrorInvalidValue);
  bool HasAccess =
      mayReach(*Location, Pool) &&
      (Location->type != OnDevice || Pool->Place != PoolPlace::Device ||
       pools().hasAccess(*Pool, Location->id));
  *Flags = HasAccess ? VirtualMemory::ReadWrite : VirtualMemory::NoAccess;
  return cudaSuccess;
}

// Type is of cudaMemAllocationType.

cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *Pool, cudaMemLocation *At,
                                     int Type) {
  PoolPlace Place;
  unsigned Device;
  cudaError_t Code =
      Pool ? placeOf(At, Type, Place, Device) : cudaErrorInvalidValue;
  if (Code == cudaSuccess)
    *Pool = pools().defaultOf(Place, Device);
  return finish(Code);
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *Pool, cudaMemLocation *At,
                              int Type) {
  PoolPlace Place;
  unsigned Device;
  cudaError_t Code =
      Pool ? placeOf(At, Type, Place, Device) : cudaErrorInvalidValue;
  if (Code == cudaSuccess)
    *Pool = pools().current(Place, Device);
  return finish(Code);
}

cudaError_t cudaMemSetMemPool(cudaMemLocation *At, int Type,
                              cudaMemPool_t Pool) {
  PoolPlace Place;
  unsigned Device;
  if (cudaError_t Code = placeOf(At, Type, Place, Device); Code != cudaSuccess)
    return finish(Code);
  if (!isSource(Pool) || Pool->Place != Place ||
      (Place == PoolPlace::Device && Pool->Device != Device))
    return finish(cudaErrorInvalidValue);
  pools().setCurrent(Pool, Device);
  return cudaSuccess;
}

cudaError_t cudaDeviceGraphMemTrim(int Device) {
  return finish(Process::get().device(Device) ? cudaSuccess
                                              : cudaErrorInvalidDevice);
}

/// Numbers of cudaGraphMemAttributeType as attributes of a pool.
static constexpr int GraphAttributes[] = {UsedCurrent, UsedHigh,
                                          ReservedCurrent, ReservedHigh};

cudaError_t cudaDeviceGetGraphMemAttribute(int Device, unsigned Attribute,
                                           void *Value) {
  if (!Process::get().device(Device))
    return finish(cudaErrorInvalidDevice);
  if (!Value || Attribute >= std::size(GraphAttributes))
    return finish(cudaErrorInvalidValue);
  pools().get(pools().graphPool(Device), GraphAttributes[Attribute], Value);
  return cudaSuccess;
}

/// Only highest values can be set, and only to zero.
cudaError_t cudaDeviceSetGraphMemAttribute(int Device, unsigned Attribute,
                                           void *Value) {
  if (!Process::get().device(Device))
    return finish(cudaErrorInvalidDevice);
  if (!Value || Attribute >= std::size(GraphAttributes) ||
      !pools().set(pools().graphPool(Device), GraphAttributes[Attribute],
                   Value))
    return finish(cudaErrorInvalidValue);
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Allocation
//===----------------------------------------------------------------------===//

/// Maps a block of a pool's file as device memory.
static cudaError_t mapBlock(void *&Pointer, PoolBlock Block) {
  unsigned Device = Block.Pool->Device;
  Expected<rt::Context &> C = Process::get().context(Device);
  if (!C)
    return convert(C.takeError(), cudaErrorNoDevice);
  uint8_t *Mapped = Block.File->file().map(Block.Offset, Block.Size);
  if (!Mapped)
    return cudaErrorMemoryAllocation;
  if (Error E = C->device().mapHost({Mapped, Block.Size})) {
    MemoryFile::unmap(Mapped, Block.Size);
    return convert(std::move(E), cudaErrorMemoryAllocation);
  }
  cuda::Block B = {addressOf(Mapped), Block.Size, cudaMemoryTypeDevice};
  B.IsFile = true;
  B.Device = Device;
  Process::get().Pointers.add(B);
  pools().allocated(Mapped, std::move(Block));
  Pointer = Mapped;
  return cudaSuccess;
}

static cudaError_t allocateInFile(void *&Pointer, size_t Size,
                                  MemPoolHandle *Pool) {
  Pointer = nullptr;
  if (Size == 0)
    return cudaSuccess;
  std::shared_ptr<emu::MemoryGrant> Grant =
      Process::get().takeMemory(Pool->Device, Size);
  if (!Grant)
    return cudaErrorMemoryAllocation;
  std::shared_ptr<PoolFile> File = Pool->File;
  std::optional<uint64_t> Offset = File->take(Size);
  if (!Offset)
    return cudaErrorMemoryAllocation;
  cudaError_t Code = mapBlock(Pointer, {Pool, Size, File, *Offset, Grant});
  if (Code != cudaSuccess)
    File->give(*Offset);
  else if (Process::get().skipsLaunches())
    std::memset(Pointer, SkippedPattern, Size);
  return Code;
}

static cudaError_t allocateIn(PoolPlace Place, void **Pointer, size_t Size) {
  constexpr unsigned OfAllStreams = 1;
  if (Place == PoolPlace::Device || !Size || !Pointer)
    return allocateDevice(Pointer, Size);
  return Place == PoolPlace::Host
             ? cudaHostAlloc(Pointer, Size, 0)
             : cudaMallocManaged(Pointer, Size, OfAllStreams);
}

/// Memory of the graph that a stream captures.
static cudaError_t allocateInCapture(void *&Pointer, size_t Size,
                                     const MemPoolHandle *Pool,
                                     rt::Stream &Stream) {
  constexpr int Pinned = 1, OnDevice = 1;
  if (Pool->File || Pool->Place != PoolPlace::Device)
    return cudaErrorNotSupported;
  cudaMemAllocNodeParams Params = {};
  Params.poolProps.allocType = Pinned;
  Params.poolProps.location = {OnDevice, int(Pool->Device)};
  Params.bytesize = Size;
  cudaError_t Code =
      addToCapture(Stream, [&](cudaGraphNode_t *Node, cudaGraph_t Graph,
                               const cudaGraphNode_t *Behind, size_t Count) {
        return cudaGraphAddMemAllocNode(Node, Graph, Behind, Count, &Params);
      });
  Pointer = Params.dptr;
  return Code;
}

cudaError_t cudaMallocFromPoolAsync(void **Pointer, size_t Size,
                                    cudaMemPool_t Pool, cudaStream_t Stream) {
  if (!isSource(Pool))
    return finish(cudaErrorInvalidValue);
  rt::Stream *S = Process::get().stream(Stream);
  if (!S)
    return finish(cudaErrorInvalidResourceHandle);
  if (S->capture() && Pointer && Size)
    return finish(allocateInCapture(*Pointer, Size, Pool, *S));
  if (!pools().prepare(*Pool, Size))
    return finish(cudaErrorMemoryAllocation);
  if (Pool->File)
    return finish(Pointer ? allocateInFile(*Pointer, Size, Pool)
                          : cudaErrorInvalidValue);
  DeviceScope Scope(Pool->Device);
  cudaError_t Code = allocateIn(Pool->Place, Pointer, Size);
  if (Code == cudaSuccess && *Pointer)
    pools().allocated(*Pointer, {Pool, Size});
  return Code;
}

cudaError_t cudaMallocAsync(void **Pointer, size_t Size, cudaStream_t Stream) {
  rt::Stream *S = Process::get().stream(Stream);
  if (!S)
    return finish(cudaErrorInvalidResourceHandle);
  unsigned Device = Process::get().deviceOf(S->context()).Ordinal;
  return cudaMallocFromPoolAsync(
      Pointer, Size, pools().current(PoolPlace::Device, Device), Stream);
}

/// A graph frees what a graph has allocated.
static cudaError_t freeInCapture(void *Pointer, const Block &Freed,
                                 rt::Stream &Stream) {
  if (!Freed.IsGraph)
    return cudaErrorInvalidValue;
  return addToCapture(Stream, [&](cudaGraphNode_t *Node, cudaGraph_t Graph,
                                  const cudaGraphNode_t *Behind, size_t Count) {
    return cudaGraphAddMemFreeNode(Node, Graph, Behind, Count, Pointer);
  });
}

cudaError_t cudaFreeAsync(void *Pointer, cudaStream_t Stream) {
  if (!Pointer)
    return cudaSuccess;
  rt::Stream *S = Process::get().stream(Stream);
  if (!S)
    return finish(cudaErrorInvalidResourceHandle);
  std::optional<Block> B = Process::get().Pointers.find(Pointer);
  if (!B || B->Address != addressOf(Pointer) ||
      (B->Type != cudaMemoryTypeDevice && !pools().find(Pointer)))
    return finish(cudaErrorInvalidValue);
  if (S->capture())
    return finish(freeInCapture(Pointer, *B, *S));
  // A graph keeps its memory, whose addresses are part of it.
  if (B->IsGraph)
    return finish(enqueue(Stream, rt::EmptyOp()));
  Process::get().Pointers.remove(Pointer);
  PoolBlock Pooled = pools().freed(Pointer);
  Expected<rt::Context &> C = Process::get().contextOf(*B);
  if (!C)
    return finish(convert(C.takeError(), cudaErrorNoDevice));
  return finish(
      enqueue(Stream, rt::HostOp{[D = &C->device(), Freed = *B, Pooled] {
                consumeError(freeBlock(*D, Freed, Pooled));
              }}));
}

//===----------------------------------------------------------------------===//
// Other processes
//===----------------------------------------------------------------------===//

/// What the export data of a block holds.
struct ExportedBlock {
  uint64_t Device, Node; ///< The file's identity.
  uint64_t Offset, Size;
};
static_assert(sizeof(ExportedBlock) <= sizeof(PoolExport));

/// A descriptor of the pool's file, which the program closes.
cudaError_t cudaMemPoolExportToShareableHandle(void *Shared, cudaMemPool_t Pool,
                                               int Type, unsigned Flags) {
  if (!Shared || !isSource(Pool) || !Pool->File || Flags)
    return finish(cudaErrorInvalidValue);
  if (Type != FileDescriptor)
    return finish(cudaErrorNotSupported);
  int Descriptor = Pool->File->file().duplicate();
  if (Descriptor < 0)
    return finish(cudaErrorMemoryAllocation);
  *static_cast<int *>(Shared) = Descriptor;
  return cudaSuccess;
}

/// The descriptor itself comes as a pointer.
cudaError_t cudaMemPoolImportFromShareableHandle(cudaMemPool_t *Pool,
                                                 void *Shared, int Type,
                                                 unsigned Flags) {
  if (!Pool || Flags)
    return finish(cudaErrorInvalidValue);
  if (Type != FileDescriptor)
    return finish(cudaErrorNotSupported);
  std::optional<MemoryFile> File =
      MemoryFile::open(static_cast<int>(addressOf(Shared)));
  if (!File)
    return finish(cudaErrorInvalidValue);
  *Pool = pools().create(PoolPlace::Device, currentDevice(), 0,
                         std::make_shared<PoolFile>(std::move(*File), true));
  return cudaSuccess;
}

cudaError_t cudaMemPoolExportPointer(PoolExport *Data, void *Pointer) {
  std::optional<PoolBlock> Block = pools().find(Pointer);
  if (!Data || !Block || !Block->File)
    return finish(cudaErrorInvalidValue);
  auto [Device, Node] = Block->File->file().identity();
  ExportedBlock Exported = {Device, Node, Block->Offset, Block->Size};
  *Data = {};
  std::memcpy(Data->Bytes, &Exported, sizeof(Exported));
  return cudaSuccess;
}

cudaError_t cudaMemPoolImportPointer(void **Pointer, cudaMemPool_t Pool,
                                     PoolExport *Data) {
  if (!Pointer || !Data || !pools().contains(Pool) || isSource(Pool))
    return finish(cudaErrorInvalidValue);
  ExportedBlock Exported;
  std::memcpy(&Exported, Data->Bytes, sizeof(Exported));
  const std::shared_ptr<PoolFile> &File = Pool->File;
  uint64_t Size = File->file().size();
  MemoryFile::Identity Meant = {Exported.Device, Exported.Node};
  if (Meant != File->file().identity() || Exported.Size == 0 ||
      Exported.Offset > Size || Exported.Size > Size - Exported.Offset)
    return finish(cudaErrorInvalidValue);
  return finish(
      mapBlock(*Pointer, {Pool, Exported.Size, File, Exported.Offset}));
}

} // extern "C"

HEDDLE_PER_THREAD(cudaMallocAsync, _ptsz)
HEDDLE_PER_THREAD(cudaMallocFromPoolAsync, _ptsz)
HEDDLE_PER_THREAD(cudaFreeAsync, _ptsz)
