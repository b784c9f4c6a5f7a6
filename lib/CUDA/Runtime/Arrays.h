//===- Arrays.h - CUDA arrays -----------------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An array is device memory with texels in it; what a texture or a surface is
// made of. A mipmapped one has an array for each level.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_ARRAYS_H
#define HEDDLE_LIB_CUDA_ARRAYS_H

#include "Devices/CurrentDevice.h"
#include "Handles.h"
#include "Runtime/Copy.h"
#include "Textures/SparseMemory.h"
#include "heddle/Runtime/Device.h"

#include <vector>

namespace heddle::cuda {

struct ArrayHandle {
  rt::ImageDesc Image; ///< With the format of integers, not normalized.
  cudaChannelFormatDesc Format;
  cudaExtent Extent; ///< As asked for: zero where there is no such dimension.
  unsigned Flags;
  unsigned Device = currentDevice(); ///< Whose memory it is.
  bool IsLevel = false; ///< Of a mipmapped array, which has the memory.
  /// Of a sparse array; null for others.
  std::shared_ptr<SparseMemory> Sparse = nullptr;

  /// In bytes.
  size_t texelBytes() const { return texelBytesOf(Format); }
  static size_t texelBytesOf(const cudaChannelFormatDesc &F) {
    return (F.x + F.y + F.z + F.w) / 8;
  }
};

struct MipmapHandle {
  rt::ImageDesc Image; ///< Level 0, with the number of levels.
  cudaChannelFormatDesc Format;
  cudaExtent Extent;
  unsigned Flags;
  unsigned Device = currentDevice(); ///< Whose memory it is.
  std::vector<cudaArray_t> Levels = {};
  /// Of a sparse array; null for others.
  std::shared_ptr<SparseMemory> Sparse = nullptr;
};

/// The format and the number of components; an error if no texel looks so.
/// Normalized: integers are read as fractions.
cudaError_t formatOf(const cudaChannelFormatDesc &Desc, bool Normalized,
                     rt::ImageDesc &Image);

/// All arrays of the process.
class ArrayTable {
public:
  cudaError_t create(cudaArray_t &Array, const cudaChannelFormatDesc &Desc,
                     cudaExtent Extent, unsigned Flags);
  cudaError_t destroy(cudaArray_t Array);
  cudaError_t create(cudaMipmappedArray_t &Mipmap,
                     const cudaChannelFormatDesc &Desc, cudaExtent Extent,
                     unsigned NumLevels, unsigned Flags);
  cudaError_t destroy(cudaMipmappedArray_t Mipmap);

  bool contains(const ArrayHandle *Array) const {
    return Arrays.contains(Array);
  }
  bool contains(const MipmapHandle *Mipmap) const {
    return Mipmaps.contains(Mipmap);
  }

  /// Where the texel at a position is, for a copy of a box of Extent texels.
  cudaError_t place(const ArrayHandle *Array, cudaPos At, cudaExtent Extent,
                    Place &P) const;
  /// Forgets all arrays of a device, which has forgotten their memory.
  void clear(unsigned Device);

private:
  HandleSet<ArrayHandle> Arrays;
  HandleSet<MipmapHandle> Mipmaps;
};

} // namespace heddle::cuda

#endif // HEDDLE_LIB_CUDA_ARRAYS_H
