//===- DriverArrays.cpp - Arrays and textures -------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Those of the driver API: the runtime's, described in other structures.
//
//===----------------------------------------------------------------------===//

#include "Driver/DriverArrays.h"
#include "PerThread.h"
#include "Runtime/Copy.h"
#include "Runtime/Runtime.h"

#include <cstring>

using namespace heddle;
using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Descriptions
//===----------------------------------------------------------------------===//

cudaChannelFormatDesc heddle::cuda::channelsOf(unsigned Format,
                                               unsigned Channels) {
  int Bits;
  cudaChannelFormatKind Kind;
  switch (Format) {
  case 0x01:
  case 0x02:
  case 0x03:
    Bits = 8 << (Format - 1);
    Kind = cudaChannelFormatKindUnsigned;
    break;
  case 0x08:
  case 0x09:
  case 0x0A:
    Bits = 8 << (Format - 8);
    Kind = cudaChannelFormatKindSigned;
    break;
  case 0x10:
  case 0x20:
    Bits = static_cast<int>(Format);
    Kind = cudaChannelFormatKindFloat;
    break;
  default:
    return {0, 0, 0, 0, cudaChannelFormatKindNone};
  }
  auto Of = [&](unsigned N) { return Channels > N ? Bits : 0; };
  return {Of(0), Of(1), Of(2), Of(3), Kind};
}

std::pair<unsigned, unsigned>
heddle::cuda::formatNumberOf(const cudaChannelFormatDesc &D) {
  unsigned Channels = (D.x != 0) + (D.y != 0) + (D.z != 0) + (D.w != 0);
  unsigned Step = D.x == 8 ? 0 : D.x == 16 ? 1 : 2;
  switch (D.f) {
  case cudaChannelFormatKindUnsigned:
    return {0x01 + Step, Channels};
  case cudaChannelFormatKindSigned:
    return {0x08 + Step, Channels};
  default:
    return {D.x, Channels};
  }
}

//===----------------------------------------------------------------------===//
// Arrays
//===----------------------------------------------------------------------===//

extern "C" {

CUresult cuArray3DCreate_v2(cudaArray_t *Result, const Array3DDescriptor *D) {
  return inContext([=] {
    if (!Result || !D)
      return cudaErrorInvalidValue;
    cudaChannelFormatDesc Desc = channelsOf(D->Format, D->Channels);
    return cudaMalloc3DArray(Result, &Desc, {D->Width, D->Height, D->Depth},
                             D->Flags);
  });
}

CUresult cuArrayCreate_v2(cudaArray_t *Result, const ArrayDescriptor *D) {
  if (!D)
    return cudaErrorInvalidValue;
  Array3DDescriptor Same = {D->Width, D->Height, 0, D->Format, D->Channels, 0};
  return cuArray3DCreate_v2(Result, &Same);
}

CUresult cuArray3DGetDescriptor_v2(Array3DDescriptor *D, cudaArray_t A) {
  return inContext([=] {
    if (!D)
      return cudaErrorInvalidValue;
    if (!Process::get().Arrays.contains(A))
      return cudaErrorInvalidResourceHandle;
    auto [Format, Channels] = formatNumberOf(A->Format);
    *D = {A->Extent.width, A->Extent.height, A->Extent.depth,
          Format,          Channels,         A->Flags};
    return cudaSuccess;
  });
}

CUresult cuArrayGetDescriptor_v2(ArrayDescriptor *D, cudaArray_t A) {
  if (!D)
    return cudaErrorInvalidValue;
  Array3DDescriptor Whole;
  if (CUresult Code = cuArray3DGetDescriptor_v2(&Whole, A); Code != cudaSuccess)
    return Code;
  *D = {Whole.Width, Whole.Height, Whole.Format, Whole.Channels};
  return cudaSuccess;
}

CUresult cuMipmappedArrayCreate(cudaMipmappedArray_t *Result,
                                const Array3DDescriptor *D, unsigned Levels) {
  return inContext([=] {
    if (!Result || !D)
      return cudaErrorInvalidValue;
    cudaChannelFormatDesc Desc = channelsOf(D->Format, D->Channels);
    return cudaMallocMipmappedArray(
        Result, &Desc, {D->Width, D->Height, D->Depth}, Levels, D->Flags);
  });
}

CUresult cuDeviceGetTexture1DLinearMaxWidth(size_t *Width, unsigned Format,
                                            unsigned Channels,
                                            CUdevice Device) {
  return inContext([=] {
    cudaChannelFormatDesc Desc = channelsOf(Format, Channels);
    return cudaDeviceGetTexture1DLinearMaxWidth(Width, &Desc, Device);
  });
}
}

HEDDLE_SAME(cuMipmappedArrayDestroy, (cudaMipmappedArray_t M),
            cudaFreeMipmappedArray(M))
HEDDLE_SAME(cuMipmappedArrayGetLevel,
            (cudaArray_t * Level, cudaMipmappedArray_t M, unsigned Number),
            cudaGetMipmappedArrayLevel(Level, M, Number))
HEDDLE_SAME(cuArrayDestroy, (cudaArray_t A), cudaFreeArray(A))

//===----------------------------------------------------------------------===//
// Copies of bytes of an array
//===----------------------------------------------------------------------===//

HEDDLE_SAME(cuMemcpyHtoA_v2,
            (cudaArray_t To, size_t Offset, const void *From, size_t Size),
            cudaMemcpyToArray(To, Offset, 0, From, Size,
                              cudaMemcpyHostToDevice))
HEDDLE_SAME(cuMemcpyHtoAAsync_v2,
            (cudaArray_t To, size_t Offset, const void *From, size_t Size,
             cudaStream_t Stream),
            cudaMemcpyToArrayAsync(To, Offset, 0, From, Size,
                                   cudaMemcpyHostToDevice, Stream))
HEDDLE_SAME(cuMemcpyDtoA_v2,
            (cudaArray_t To, size_t Offset, CUdeviceptr From, size_t Size),
            cudaMemcpyToArray(To, Offset, 0, pointerOf(From), Size,
                              cudaMemcpyDeviceToDevice))
HEDDLE_SAME(cuMemcpyAtoH_v2,
            (void *To, cudaArray_t From, size_t Offset, size_t Size),
            cudaMemcpyFromArray(To, From, Offset, 0, Size,
                                cudaMemcpyDeviceToHost))
HEDDLE_SAME(cuMemcpyAtoHAsync_v2,
            (void *To, cudaArray_t From, size_t Offset, size_t Size,
             cudaStream_t Stream),
            cudaMemcpyFromArrayAsync(To, From, Offset, 0, Size,
                                     cudaMemcpyDeviceToHost, Stream))
HEDDLE_SAME(cuMemcpyAtoD_v2,
            (CUdeviceptr To, cudaArray_t From, size_t Offset, size_t Size),
            cudaMemcpyFromArray(pointerOf(To), From, Offset, 0, Size,
                                cudaMemcpyDeviceToDevice))
HEDDLE_SAME(cuMemcpyAtoA_v2,
            (cudaArray_t To, size_t ToOffset, cudaArray_t From,
             size_t FromOffset, size_t Size),
            cudaMemcpy2DArrayToArray(To, ToOffset, 0, From, FromOffset, 0, Size,
                                     1, cudaMemcpyDeviceToDevice))

//===----------------------------------------------------------------------===//
// Textures and surfaces
//===----------------------------------------------------------------------===//

HEDDLE_SAME(cuTexObjectDestroy, (cudaTextureObject_t T),
            cudaDestroyTextureObject(T))
HEDDLE_SAME(cuSurfObjectDestroy, (cudaSurfaceObject_t S),
            cudaDestroySurfaceObject(S))

static cudaResourceDesc resourceOf(const ResourceDesc &R) {
  cudaResourceDesc Same = {};
  Same.resType = R.Type;
  if (R.Type == cudaResourceTypeLinear)
    Same.res.linear = {pointerOf(R.Linear.Address),
                       channelsOf(R.Linear.Format, R.Linear.Channels),
                       R.Linear.Bytes};
  else if (R.Type == cudaResourceTypePitch2D)
    Same.res.pitch2D = {pointerOf(R.Pitch2D.Address),
                        channelsOf(R.Pitch2D.Format, R.Pitch2D.Channels),
                        R.Pitch2D.Width, R.Pitch2D.Height, R.Pitch2D.Pitch};
  else
    Same.res.array.array = static_cast<cudaArray_t>(R.Handle);
  return Same;
}

static ResourceDesc asDriver(const cudaResourceDesc &R) {
  ResourceDesc Same = {};
  Same.Type = R.resType;
  if (R.resType == cudaResourceTypeLinear) {
    auto [Format, Channels] = formatNumberOf(R.res.linear.desc);
    Same.Linear = {addressOf(R.res.linear.devPtr), Format, Channels,
                   R.res.linear.sizeInBytes};
  } else if (R.resType == cudaResourceTypePitch2D) {
    auto [Format, Channels] = formatNumberOf(R.res.pitch2D.desc);
    Same.Pitch2D = {addressOf(R.res.pitch2D.devPtr),
                    Format,
                    Channels,
                    R.res.pitch2D.width,
                    R.res.pitch2D.height,
                    R.res.pitch2D.pitchInBytes};
  } else {
    Same.Handle = R.res.array.array;
  }
  return Same;
}

/// Whether the array is one, if an array is meant.
static bool isThere(const ResourceDesc &R) {
  const ArrayTable &Arrays = Process::get().Arrays;
  if (R.Type == cudaResourceTypeArray)
    return Arrays.contains(static_cast<cudaArray_t>(R.Handle));
  return R.Type != cudaResourceTypeMipmappedArray ||
         Arrays.contains(static_cast<cudaMipmappedArray_t>(R.Handle));
}

extern "C" CUresult cuTexObjectCreate(cudaTextureObject_t *Result,
                                      const ResourceDesc *R,
                                      const TextureDesc *T,
                                      const cudaResourceViewDesc *View) {
  return inContext([=] {
    if (!Result || !R || !T || !isThere(*R))
      return cudaErrorInvalidValue;
    cudaResourceDesc Resource = resourceOf(*R);
    cudaTextureDesc Same = {};
    std::memcpy(Same.addressMode, T->Address, sizeof(T->Address));
    Same.filterMode = T->Filter;
    // Integers of 8 and 16 bits are read as fractions unless a flag says else.
    cudaChannelFormatDesc Format =
        R->Type == cudaResourceTypeLinear    ? Resource.res.linear.desc
        : R->Type == cudaResourceTypePitch2D ? Resource.res.pitch2D.desc
        : R->Type == cudaResourceTypeArray   ? Resource.res.array.array->Format
                                           : Resource.res.mipmap.mipmap->Format;
    bool AreFractions = !(T->Flags & ReadAsInteger) && Format.x < 32 &&
                        Format.f != cudaChannelFormatKindFloat;
    Same.readMode =
        AreFractions ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    Same.sRGB = (T->Flags & SRGB) != 0;
    Same.normalizedCoords = (T->Flags & NormalizedCoordinates) != 0;
    std::memcpy(Same.borderColor, T->Border, sizeof(T->Border));
    Same.mipmapFilterMode = T->MipFilter;
    Same.mipmapLevelBias = T->Bias;
    Same.minMipmapLevelClamp = T->MinLevel;
    Same.maxMipmapLevelClamp = T->MaxLevel;
    return cudaCreateTextureObject(Result, &Resource, &Same, View);
  });
}

extern "C" CUresult cuSurfObjectCreate(cudaSurfaceObject_t *Result,
                                       const ResourceDesc *R) {
  return inContext([=] {
    if (!R)
      return cudaErrorInvalidValue;
    cudaResourceDesc Resource = resourceOf(*R);
    return cudaCreateSurfaceObject(Result, &Resource);
  });
}

static TextureDesc asDriver(const cudaTextureDesc &T) {
  TextureDesc Same = {};
  std::memcpy(Same.Address, T.addressMode, sizeof(Same.Address));
  Same.Filter = T.filterMode;
  Same.Flags = (T.readMode == cudaReadModeElementType ? ReadAsInteger : 0u) |
               (T.normalizedCoords ? NormalizedCoordinates : 0u) |
               (T.sRGB ? SRGB : 0u);
  Same.MaxAnisotropy = T.maxAnisotropy;
  Same.MipFilter = T.mipmapFilterMode;
  Same.Bias = T.mipmapLevelBias;
  Same.MinLevel = T.minMipmapLevelClamp;
  Same.MaxLevel = T.maxMipmapLevelClamp;
  std::memcpy(Same.Border, T.borderColor, sizeof(Same.Border));
  return Same;
}

extern "C" CUresult cuTexObjectGetResourceDesc(ResourceDesc *R,
                                               cudaTextureObject_t Texture) {
  return inContext([=] {
    cudaResourceDesc Same;
    if (!R)
      return cudaErrorInvalidValue;
    CUresult Code = cudaGetTextureObjectResourceDesc(&Same, Texture);
    if (Code == cudaSuccess)
      *R = asDriver(Same);
    return Code;
  });
}

extern "C" CUresult cuSurfObjectGetResourceDesc(ResourceDesc *R,
                                                cudaSurfaceObject_t Surface) {
  return cuTexObjectGetResourceDesc(R, Surface);
}

extern "C" CUresult cuTexObjectGetTextureDesc(TextureDesc *T,
                                              cudaTextureObject_t Texture) {
  return inContext([=] {
    cudaTextureDesc Same;
    if (!T)
      return cudaErrorInvalidValue;
    CUresult Code = cudaGetTextureObjectTextureDesc(&Same, Texture);
    if (Code == cudaSuccess)
      *T = asDriver(Same);
    return Code;
  });
}

HEDDLE_SAME(cuTexObjectGetResourceViewDesc,
            (cudaResourceViewDesc * View, cudaTextureObject_t Texture),
            cudaGetTextureObjectResourceViewDesc(View, Texture))

HEDDLE_PER_THREAD(cuMemcpyHtoA_v2, _ptds)
HEDDLE_PER_THREAD(cuMemcpyHtoAAsync_v2, _ptsz)
HEDDLE_PER_THREAD(cuMemcpyDtoA_v2, _ptds)
HEDDLE_PER_THREAD(cuMemcpyAtoH_v2, _ptds)
HEDDLE_PER_THREAD(cuMemcpyAtoHAsync_v2, _ptsz)
HEDDLE_PER_THREAD(cuMemcpyAtoD_v2, _ptds)
HEDDLE_PER_THREAD(cuMemcpyAtoA_v2, _ptds)

//===----------------------------------------------------------------------===//
// What no array is
//===----------------------------------------------------------------------===//

HEDDLE_SAME(cuArrayGetMemoryRequirements,
            (void *Requirements, cudaArray_t Array, CUdevice Device),
            cudaArrayGetMemoryRequirements(Requirements, Array, Device))
HEDDLE_SAME(cuMipmappedArrayGetMemoryRequirements,
            (void *Requirements, cudaMipmappedArray_t Mipmap, CUdevice Device),
            cudaMipmappedArrayGetMemoryRequirements(Requirements, Mipmap,
                                                    Device))
HEDDLE_SAME(cuArrayGetSparseProperties, (void *Properties, cudaArray_t Array),
            cudaArrayGetSparseProperties(Properties, Array))
HEDDLE_SAME(cuMipmappedArrayGetSparseProperties,
            (void *Properties, cudaMipmappedArray_t Mipmap),
            cudaMipmappedArrayGetSparseProperties(Properties, Mipmap))
HEDDLE_SAME(cuArrayGetPlane,
            (cudaArray_t * Plane, cudaArray_t Array, unsigned Index),
            cudaArrayGetPlane(Plane, Array, Index))
