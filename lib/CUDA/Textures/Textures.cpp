//===- Textures.cpp - Textures and surfaces ---------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translates CUDA's descriptions into those of the texture unit.
//
//===----------------------------------------------------------------------===//

#include "Textures/Textures.h"
#include "Process.h"
#include "Runtime/Arrays.h"

#include <cmath>
#include <cstring>

using namespace llvm;
using namespace heddle;
using namespace heddle::cuda;

namespace heddle::cuda {

/// Texels in ordinary memory.
static cudaError_t imageOfMemory(const void *Pointer,
                                 const cudaChannelFormatDesc &Desc,
                                 size_t Width, size_t Height, size_t Pitch,
                                 bool Normalized, rt::ImageDesc &Image) {
  if (cudaError_t Code = formatOf(Desc, Normalized, Image); Code != cudaSuccess)
    return Code;
  if (!Pointer || Width == 0 || Width > UINT32_MAX || Height > UINT32_MAX ||
      Pitch > UINT32_MAX || Pitch < Width * ArrayHandle::texelBytesOf(Desc))
    return cudaErrorInvalidValue;
  Image.Base = addressOf(Pointer);
  Image.Width = Width;
  Image.Height = Height;
  Image.RowPitch = Pitch;
  Image.SlicePitch = uint64_t(Pitch) * Height;
  Image.Linear = true;
  return cudaSuccess;
}

/// What a texture or a surface is made of.
static cudaError_t imageOf(const cudaResourceDesc &R, bool Normalized,
                           rt::ImageDesc &Image) {
  switch (R.resType) {
  case cudaResourceTypeArray:
    if (!Process::get().Arrays.contains(R.res.array.array))
      return cudaErrorInvalidResourceHandle;
    Image = R.res.array.array->Image;
    return formatOf(R.res.array.array->Format, Normalized, Image);
  case cudaResourceTypeMipmappedArray:
    if (!Process::get().Arrays.contains(R.res.mipmap.mipmap))
      return cudaErrorInvalidResourceHandle;
    Image = R.res.mipmap.mipmap->Image;
    return formatOf(R.res.mipmap.mipmap->Format, Normalized, Image);
  case cudaResourceTypeLinear: {
    size_t Texel = ArrayHandle::texelBytesOf(R.res.linear.desc);
    if (Texel == 0)
      return cudaErrorInvalidChannelDescriptor;
    Image.Geometry = texture::Geometry::D1;
    // One row, whose pitch nothing depends on.
    size_t Width = R.res.linear.sizeInBytes / Texel;
    return imageOfMemory(R.res.linear.devPtr, R.res.linear.desc, Width, 1,
                         Width * Texel, Normalized, Image);
  }
  case cudaResourceTypePitch2D:
    Image.Geometry = texture::Geometry::D2;
    return imageOfMemory(R.res.pitch2D.devPtr, R.res.pitch2D.desc,
                         R.res.pitch2D.width, R.res.pitch2D.height,
                         R.res.pitch2D.pitchInBytes, Normalized, Image);
  }
  return cudaErrorInvalidValue;
}

/// A level of detail in the sampler's unit of 1/256.
static uint16_t lodOf(float Level) {
  float Scaled = std::round(Level * 256);
  return Scaled >= 0 ? static_cast<uint16_t>(std::min(Scaled, 65535.f)) : 0;
}

static cudaError_t samplerOf(const cudaTextureDesc &T, bool IsMipmap,
                             rt::SamplerDesc &S) {
  using A = texture::AddressMode;
  static constexpr A Modes[] = {A::Wrap, A::Clamp, A::Mirror, A::Border};
  for (int I = 0; I != 3; ++I) {
    if (T.addressMode[I] < cudaAddressModeWrap ||
        T.addressMode[I] > cudaAddressModeBorder)
      return cudaErrorInvalidValue;
    S.Address[I] = Modes[T.addressMode[I]];
  }
  auto Filter = [](cudaTextureFilterMode Mode) {
    return Mode == cudaFilterModeLinear ? texture::FilterMode::Linear
                                        : texture::FilterMode::Nearest;
  };
  S.Filter = Filter(T.filterMode);
  S.MipFilter = Filter(T.mipmapFilterMode);
  S.Bias = static_cast<int16_t>(
      std::clamp(std::round(T.mipmapLevelBias * 256), -32768.f, 32767.f));
  if (IsMipmap) {
    S.MinLod = lodOf(T.minMipmapLevelClamp);
    S.MaxLod = lodOf(T.maxMipmapLevelClamp);
  }
  static_assert(sizeof(S.Border) == sizeof(T.borderColor));
  std::memcpy(S.Border, T.borderColor, sizeof(S.Border));
  return cudaSuccess;
}

/// A view has to be the whole image as it is.
static bool isWholeView(const cudaResourceViewDesc &V,
                        const rt::ImageDesc &Image) {
  return V.format == 0 && V.width == Image.Width && V.firstMipmapLevel == 0 &&
         V.firstLayer == 0 &&
         V.lastMipmapLevel + 1 >= std::max<unsigned>(Image.Levels, 1);
}

cudaError_t TextureTable::create(const TextureObject &Object,
                                 unsigned long long &Handle) {
  Expected<rt::Context &> C = Process::get().context();
  if (!C)
    return convert(C.takeError(), cudaErrorNoDevice);
  const auto &T = Object.Texture;
  bool Fractions = T && T->readMode == cudaReadModeNormalizedFloat;
  rt::ImageDesc Image;
  if (cudaError_t Code = imageOf(Object.Resource, Fractions, Image);
      Code != cudaSuccess) {
    // Floats, and integers of 32 bits, are read as they are.
    if (Code != cudaErrorInvalidNormSetting)
      return Code;
    return cudaErrorInvalidValue;
  }
  if (Object.View && !isWholeView(*Object.View, Image))
    return cudaErrorNotSupported;
  Expected<rt::TextureHandle> Made = 0;
  if (T) {
    rt::SamplerDesc Sampler;
    if (cudaError_t Code = samplerOf(*T, Image.Levels != 0, Sampler);
        Code != cudaSuccess)
      return Code;
    if (T->sRGB)
      return cudaErrorNotSupported;
    Image.Normalized = T->normalizedCoords;
    Made = C->device().createTexture(Image, Sampler);
  } else {
    Made = C->device().createSurface(Image);
  }
  if (!Made)
    return convert(Made.takeError(), cudaErrorInvalidValue);
  Handle = *Made;
  std::lock_guard Lock(Mutex);
  Objects[keyOf(Handle)] = Object;
  return cudaSuccess;
}

cudaError_t TextureTable::destroy(unsigned long long Handle) {
  {
    std::lock_guard Lock(Mutex);
    if (!Objects.erase(keyOf(Handle)))
      return cudaErrorInvalidValue;
  }
  Expected<rt::Context &> C = Process::get().context();
  if (!C)
    return convert(C.takeError(), cudaErrorNoDevice);
  // Work in flight may still use it.
  if (Error E = C->synchronize())
    return convert(std::move(E), cudaErrorUnknown);
  return convert(C->device().destroyTextureObject(Handle),
                 cudaErrorInvalidValue);
}

std::optional<TextureObject>
TextureTable::find(unsigned long long Handle) const {
  std::lock_guard Lock(Mutex);
  auto It = Objects.find(keyOf(Handle));
  return It == Objects.end() ? std::nullopt : std::optional(It->second);
}

bool TextureTable::empty() const {
  std::lock_guard Lock(Mutex);
  return Objects.empty();
}

void TextureTable::clear(unsigned Device) {
  std::lock_guard Lock(Mutex);
  std::erase_if(Objects,
                [=](const auto &Entry) { return Entry.first.first == Device; });
}

} // namespace heddle::cuda

//===----------------------------------------------------------------------===//
// The runtime API
//===----------------------------------------------------------------------===//

extern "C" cudaError_t cudaCreateTextureObject(
    cudaTextureObject_t *Handle, const cudaResourceDesc *Resource,
    const cudaTextureDesc *Texture, const cudaResourceViewDesc *View) {
  if (!Handle || !Resource || !Texture)
    return finish(cudaErrorInvalidValue);
  TextureObject Object = {*Resource, *Texture, {}};
  if (View)
    Object.View = *View;
  return finish(Process::get().Textures.create(Object, *Handle));
}

extern "C" cudaError_t cudaDestroyTextureObject(cudaTextureObject_t Handle) {
  return finish(Handle ? Process::get().Textures.destroy(Handle) : cudaSuccess);
}

extern "C" cudaError_t
cudaCreateSurfaceObject(cudaSurfaceObject_t *Handle,
                        const cudaResourceDesc *Resource) {
  if (!Handle || !Resource || Resource->resType != cudaResourceTypeArray)
    return finish(cudaErrorInvalidValue);
  return finish(Process::get().Textures.create({*Resource, {}, {}}, *Handle));
}

extern "C" cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t Handle) {
  return cudaDestroyTextureObject(Handle);
}

extern "C" cudaError_t
cudaGetTextureObjectResourceDesc(cudaResourceDesc *Desc,
                                 cudaTextureObject_t Handle) {
  std::optional<TextureObject> Object = Process::get().Textures.find(Handle);
  if (!Desc || !Object)
    return finish(cudaErrorInvalidValue);
  *Desc = Object->Resource;
  return cudaSuccess;
}

extern "C" cudaError_t
cudaGetSurfaceObjectResourceDesc(cudaResourceDesc *Desc,
                                 cudaSurfaceObject_t Handle) {
  return cudaGetTextureObjectResourceDesc(Desc, Handle);
}

extern "C" cudaError_t
cudaGetTextureObjectTextureDesc(cudaTextureDesc *Desc,
                                cudaTextureObject_t Handle) {
  std::optional<TextureObject> Object = Process::get().Textures.find(Handle);
  if (!Desc || !Object || !Object->Texture)
    return finish(cudaErrorInvalidValue);
  *Desc = *Object->Texture;
  return cudaSuccess;
}

extern "C" cudaError_t
cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc *Desc,
                                     cudaTextureObject_t Handle) {
  std::optional<TextureObject> Object = Process::get().Textures.find(Handle);
  if (!Desc || !Object || !Object->View)
    return finish(cudaErrorInvalidValue);
  *Desc = *Object->View;
  return cudaSuccess;
}
