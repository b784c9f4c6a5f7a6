//===- SparseMemory.cpp - Memory of sparse arrays ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tiles without memory are pages of the host that nobody else has.
//
//===----------------------------------------------------------------------===//

#include "Textures/SparseMemory.h"
#include "Process.h"
#include "Runtime/Copy.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <sys/mman.h>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

void heddle::cuda::divideIntoTiles(rt::ImageDesc &Image, size_t TexelBytes) {
  constexpr uint64_t TileBytes = SparseMemory::TileBytes;
  uint64_t Row = Image.Width * TexelBytes;
  uint64_t Pitch =
      Row < TileBytes ? std::max<uint64_t>(PowerOf2Ceil(Row), texture::RowAlign)
                      : alignTo(Row, TileBytes);
  Image.RowPitch = Pitch;
  Image.SlicePitch = alignTo(Pitch * Image.Height, TileBytes);
}

TileShape heddle::cuda::tileOf(uint32_t RowPitch, size_t TexelBytes) {
  uint32_t Width = std::min<uint64_t>(RowPitch, SparseMemory::TileBytes);
  return {uint32_t(Width / TexelBytes),
          uint32_t(SparseMemory::TileBytes / Width)};
}

/// Pages of zeros; fixed at an address that is ours already.
static void *emptyPages(void *Address, uint64_t Bytes, int Flags) {
  return mmap(Address, Bytes, PROT_READ | PROT_WRITE,
              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | Flags, -1, 0);
}

cudaError_t SparseMemory::create(uint64_t Bytes,
                                 std::shared_ptr<SparseMemory> &Result) {
  Expected<rt::Context &> C = Process::get().context();
  if (!C)
    return convert(C.takeError(), cudaErrorNoDevice);
  void *Pages = emptyPages(nullptr, Bytes, 0);
  if (Pages == MAP_FAILED)
    return cudaErrorMemoryAllocation;
  if (Error E = C->device().mapHost({static_cast<uint8_t *>(Pages), Bytes})) {
    munmap(Pages, Bytes);
    return convert(std::move(E), cudaErrorMemoryAllocation);
  }
  Block B = {addressOf(Pages), Bytes, cudaMemoryTypeDevice};
  B.IsFixed = true;
  Process::get().Pointers.add(B);
  Result.reset(new SparseMemory(addressOf(Pages), Bytes, currentDevice()));
  return cudaSuccess;
}

/// The device may have ended, and the memory with it.
SparseMemory::~SparseMemory() {
  void *Pages = pointerOf(Base);
  ProcessDevice *D = Process::get().device(Device);
  if (rt::Context *C = D ? D->opened() : nullptr) {
    Process::get().Pointers.remove(Pages);
    consumeError(C->device().unmapHost(Pages));
  }
  munmap(Pages, Bytes);
}

bool SparseMemory::map(uint64_t Tile, std::shared_ptr<const MemoryFile> File,
                       uint64_t Offset) {
  std::lock_guard Lock(Mutex);
  if (!File->map(Offset, TileBytes, pointerOf(Base + Tile * TileBytes)))
    return false;
  Files[Tile] = std::move(File);
  return true;
}

bool SparseMemory::unmap(uint64_t Tile) {
  std::lock_guard Lock(Mutex);
  if (emptyPages(pointerOf(Base + Tile * TileBytes), TileBytes, MAP_FIXED) ==
      MAP_FAILED)
    return false;
  Files[Tile] = nullptr;
  return true;
}
