//===- SparseMemory.h - Memory of sparse arrays -----------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The addresses of an array whose memory the program puts under it, tile by
// tile. A tile is a part of the addresses, so that the texture unit finds
// texels as in any array: it has whole rows, or a piece of one.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_SPARSEMEMORY_H
#define HEDDLE_LIB_CUDA_SPARSEMEMORY_H

#include "ABI.h"
#include "heddle/Runtime/Device.h"
#include "heddle/Support/MemoryFile.h"

#include <memory>
#include <mutex>
#include <vector>

namespace heddle::cuda {

/// How texels of a sparse array are divided. All tiles of an array are alike;
/// those at its end are cut off.
struct TileShape {
  uint32_t Width, Height; ///< In texels; of one slice.
};

/// Gives an array the pitches with which its rows are divided into tiles.
void divideIntoTiles(rt::ImageDesc &Image, size_t TexelBytes);
/// The tiles of an array that has such a pitch.
TileShape tileOf(uint32_t RowPitch, size_t TexelBytes);

/// Addresses of the thread's device. What has no memory reads as zeros, and
/// what is written there is lost. Any thread may call anything at any time.
class SparseMemory {
public:
  static constexpr uint64_t TileBytes = 64 << 10;

  /// \p Bytes is a multiple of TileBytes.
  static cudaError_t create(uint64_t Bytes,
                            std::shared_ptr<SparseMemory> &Result);
  ~SparseMemory();
  SparseMemory(const SparseMemory &) = delete;
  SparseMemory &operator=(const SparseMemory &) = delete;

  uint64_t base() const { return Base; }
  uint64_t bytes() const { return Bytes; }
  /// Puts memory under a tile, which keeps it. False if the host refuses.
  bool map(uint64_t Tile, std::shared_ptr<const MemoryFile> File,
           uint64_t Offset);
  bool unmap(uint64_t Tile);

private:
  SparseMemory(uint64_t Base, uint64_t Bytes, unsigned Device)
      : Base(Base), Bytes(Bytes), Device(Device), Files(Bytes / TileBytes) {}

  const uint64_t Base, Bytes;
  const unsigned Device;
  std::mutex Mutex;                                     ///< Of what is mapped.
  std::vector<std::shared_ptr<const MemoryFile>> Files; ///< By tile.
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_SPARSEMEMORY_H
