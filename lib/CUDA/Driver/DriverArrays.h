//===- DriverArrays.h - Arrays and textures ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How the driver API describes them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_DRIVERARRAYS_H
#define HEDDLE_LIB_CUDA_DRIVERARRAYS_H

#include "Driver/Driver.h"

#include <utility>

namespace heddle::cuda {

struct ArrayDescriptor {
  size_t Width, Height;
  unsigned Format, Channels;
};
struct Array3DDescriptor {
  size_t Width, Height, Depth;
  unsigned Format, Channels, Flags;
};

/// CUDA_RESOURCE_DESC.
struct ResourceDesc {
  cudaResourceType Type;
  union {
    void *Handle;
    struct {
      CUdeviceptr Address;
      unsigned Format, Channels;
      size_t Bytes;
    } Linear;
    struct {
      CUdeviceptr Address;
      unsigned Format, Channels;
      size_t Width, Height, Pitch;
    } Pitch2D;
    int Reserved[32];
  };
  unsigned Flags;
};
static_assert(sizeof(ResourceDesc) == 144);

/// CUDA_TEXTURE_DESC.
struct TextureDesc {
  cudaTextureAddressMode Address[3];
  cudaTextureFilterMode Filter;
  unsigned Flags, MaxAnisotropy;
  cudaTextureFilterMode MipFilter;
  float Bias, MinLevel, MaxLevel, Border[4];
  int Reserved[12];
};
static_assert(sizeof(TextureDesc) == 104);
enum TextureFlag : unsigned {
  ReadAsInteger = 1,
  NormalizedCoordinates = 2,
  SRGB = 0x10
};

/// The runtime's description of a CUarray_format.
cudaChannelFormatDesc channelsOf(unsigned Format, unsigned Channels);
/// The CUarray_format of channels, and their number.
std::pair<unsigned, unsigned> formatNumberOf(const cudaChannelFormatDesc &Desc);

} // namespace heddle::cuda

extern "C" {
using namespace heddle::cuda;

CUresult cuTexObjectCreate(cudaTextureObject_t *, const ResourceDesc *,
                           const TextureDesc *, const cudaResourceViewDesc *);
CUresult cuSurfObjectCreate(cudaSurfaceObject_t *, const ResourceDesc *);
}

#endif // HEDDLE_LIB_CUDA_DRIVERARRAYS_H
