//===- TextureReferences.cpp - Texture references of CUDA 11 ----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How a texture is read stands in the host's variable when it is bound. What is
// bound is read from any address, so that there are no offsets.
//
//===----------------------------------------------------------------------===//

#include "Textures/TextureReferences.h"
#include "Driver/DriverTextureRefs.h"
#include "Process.h"
#include "Runtime/Runtime.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::cuda;

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void ReferenceNames::add(const void *Host, RegisteredReference R) {
  std::lock_guard Lock(Mutex);
  Names.insert_or_assign(Host, std::move(R));
}

void ReferenceNames::remove(const FatBinary *Image) {
  std::lock_guard Lock(Mutex);
  std::erase_if(Names,
                [=](auto &Entry) { return Entry.second.Image == Image; });
}

std::optional<RegisteredReference> ReferenceNames::find(const void *Host) {
  std::lock_guard Lock(Mutex);
  auto Found = Names.find(Host);
  if (Found == Names.end())
    return std::nullopt;
  return Found->second;
}

//===----------------------------------------------------------------------===//
// What a program says of a texture
//===----------------------------------------------------------------------===//

namespace {

/// textureReference.
struct HostReference {
  int IsCoordinateNormalized;
  cudaTextureFilterMode Filter;
  cudaTextureAddressMode Address[3];
  cudaChannelFormatDesc Format;
  int IsSRGB;
  unsigned MaxAnisotropy;
  cudaTextureFilterMode MipFilter;
  float Bias, MinLevel, MaxLevel;
  int Reserved[15];
};
static_assert(sizeof(HostReference) == 124);

/// What is to be bound, but for how it is read.
struct Binding {
  ResourceDesc Resource = {};
  cudaChannelFormatDesc Format = {};
};

} // namespace

static TextureDesc readingOf(const HostReference &Host, bool IsNormalized) {
  TextureDesc T = {};
  std::copy_n(Host.Address, 3, T.Address);
  T.Filter = Host.Filter;
  T.Flags =
      (IsNormalized ? 0 : unsigned(ReadAsInteger)) |
      (Host.IsCoordinateNormalized ? unsigned(NormalizedCoordinates) : 0) |
      (Host.IsSRGB ? unsigned(SRGB) : 0);
  T.MaxAnisotropy = Host.MaxAnisotropy;
  T.MipFilter = Host.MipFilter;
  T.Bias = Host.Bias;
  T.MinLevel = Host.MinLevel;
  T.MaxLevel = Host.MaxLevel;
  return T;
}

/// Binds a texture to what Describe says of the memory.
template <typename Fn>
static cudaError_t bindTexture(const HostReference *Host, Fn Describe) {
  std::optional<RegisteredReference> R = Process::get().References.find(Host);
  if (!R)
    return finish(cudaErrorInvalidTexture);
  llvm::Expected<rt::Context &> C = Process::get().context();
  if (!C)
    return finish(convert(C.takeError(), cudaErrorNoDevice));
  Binding B;
  if (cudaError_t Code = Describe(B); Code != cudaSuccess)
    return finish(Code);
  auto [Format, Channels] = formatNumberOf(B.Format);
  return finish(describeTexture(R->Image, R->Name.c_str(), B.Resource, Format,
                                Channels, readingOf(*Host, R->IsNormalized)));
}

/// How much of a block is behind an address; a program may ask for more.
static size_t bytesBehind(const void *Address) {
  std::optional<Block> B = Process::get().Pointers.find(Address);
  return B ? B->Address + B->Size - addressOf(Address) : 0;
}

extern "C" {

//===----------------------------------------------------------------------===//
// Textures
//===----------------------------------------------------------------------===//

cudaError_t cudaBindTexture(size_t *Offset, const HostReference *Host,
                            const void *Memory,
                            const cudaChannelFormatDesc *Format, size_t Bytes) {
  return bindTexture(Host, [=](Binding &B) {
    size_t Room = bytesBehind(Memory);
    if (!Format || !Room)
      return cudaErrorInvalidValue;
    B.Format = *Format;
    B.Resource.Type = cudaResourceTypeLinear;
    auto [Number, Channels] = formatNumberOf(*Format);
    B.Resource.Linear = {addressOf(Memory), Number, Channels,
                         std::min(Bytes, Room)};
    if (Offset)
      *Offset = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaBindTexture2D(size_t *Offset, const HostReference *Host,
                              const void *Memory,
                              const cudaChannelFormatDesc *Format, size_t Width,
                              size_t Height, size_t Pitch) {
  return bindTexture(Host, [=](Binding &B) {
    if (!Format || !Memory)
      return cudaErrorInvalidValue;
    B.Format = *Format;
    B.Resource.Type = cudaResourceTypePitch2D;
    auto [Number, Channels] = formatNumberOf(*Format);
    B.Resource.Pitch2D = {
        addressOf(Memory), Number, Channels, Width, Height, Pitch};
    if (Offset)
      *Offset = 0;
    return cudaSuccess;
  });
}

cudaError_t cudaBindTextureToArray(const HostReference *Host, cudaArray_t Array,
                                   const cudaChannelFormatDesc *) {
  return bindTexture(Host, [=](Binding &B) {
    if (!Process::get().Arrays.contains(Array))
      return cudaErrorInvalidResourceHandle;
    B.Format = Array->Format;
    B.Resource.Type = cudaResourceTypeArray;
    B.Resource.Handle = Array;
    return cudaSuccess;
  });
}

cudaError_t cudaBindTextureToMipmappedArray(const HostReference *Host,
                                            cudaMipmappedArray_t Mipmap,
                                            const cudaChannelFormatDesc *) {
  return bindTexture(Host, [=](Binding &B) {
    if (!Process::get().Arrays.contains(Mipmap))
      return cudaErrorInvalidResourceHandle;
    B.Format = Mipmap->Format;
    B.Resource.Type = cudaResourceTypeMipmappedArray;
    B.Resource.Handle = Mipmap;
    return cudaSuccess;
  });
}

/// What kernels read of a texture that is not bound is undefined; it is what
/// was bound last.
cudaError_t cudaUnbindTexture(const HostReference *Host) {
  return finish(Process::get().References.find(Host) ? cudaSuccess
                                                     : cudaErrorInvalidTexture);
}

cudaError_t cudaGetTextureAlignmentOffset(size_t *Offset,
                                          const HostReference *Host) {
  if (!Offset)
    return finish(cudaErrorInvalidValue);
  *Offset = 0;
  return finish(Process::get().References.find(Host) ? cudaSuccess
                                                     : cudaErrorInvalidTexture);
}

/// The variable of the host is the reference.
cudaError_t cudaGetTextureReference(const HostReference **Reference,
                                    const void *Symbol) {
  if (!Reference)
    return finish(cudaErrorInvalidValue);
  if (!Process::get().References.find(Symbol))
    return finish(cudaErrorInvalidTexture);
  *Reference = static_cast<const HostReference *>(Symbol);
  return cudaSuccess;
}

//===----------------------------------------------------------------------===//
// Surfaces
//===----------------------------------------------------------------------===//

cudaError_t cudaBindSurfaceToArray(const void *Host, cudaArray_t Array,
                                   const cudaChannelFormatDesc *) {
  std::optional<RegisteredReference> R = Process::get().References.find(Host);
  if (!R)
    return finish(cudaErrorInvalidSurface);
  llvm::Expected<rt::Context &> C = Process::get().context();
  if (!C)
    return finish(convert(C.takeError(), cudaErrorNoDevice));
  if (!Process::get().Arrays.contains(Array))
    return finish(cudaErrorInvalidResourceHandle);
  ResourceDesc Resource = {};
  Resource.Type = cudaResourceTypeArray;
  Resource.Handle = Array;
  return finish(describeSurface(R->Image, R->Name.c_str(), Resource));
}

cudaError_t cudaGetSurfaceReference(const void **Reference,
                                    const void *Symbol) {
  if (!Reference)
    return finish(cudaErrorInvalidValue);
  if (!Process::get().References.find(Symbol))
    return finish(cudaErrorInvalidSurface);
  *Reference = Symbol;
  return cudaSuccess;
}

} // extern "C"
