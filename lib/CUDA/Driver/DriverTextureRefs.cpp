//===- DriverTextureRefs.cpp - Textures that modules name -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A texture reference is a variable of a module, which holds the handle of a
// texture. The program describes the texture step by step; the next launch
// makes it.
//
//===----------------------------------------------------------------------===//

#include "Driver/DriverTextureRefs.h"
#include "Driver/DriverArrays.h"
#include "Runtime/Runtime.h"

#include <algorithm>

using namespace heddle;
using namespace heddle::cuda;

namespace {

constexpr unsigned FloatFormat = 0x20; // of CUarray_format

/// A CUtexref or a CUsurfref.
struct Reference {
  bool IsSurface = false;
  CUmodule Module = nullptr; ///< Null: the program made it.
  std::string Name;
  CUdeviceptr Variable = 0;

  bool IsBound = false, IsChanged = false;
  ResourceDesc Resource = {};
  unsigned Format = FloatFormat, Channels = 1; ///< Of memory.
  TextureDesc Texture = {};
  unsigned long long Object = 0; ///< What Variable holds.

  Reference() {
    std::fill_n(Texture.Address, 3, cudaAddressModeClamp);
    Texture.MaxAnisotropy = 1;
  }
  /// Whether the module still has the variable.
  bool isOfModule() const {
    rt::SymbolInfo Info;
    return Module &&
           Process::get().Images.variable(Module, Name.c_str(), Info) ==
               cudaSuccess &&
           Info.Address == Variable;
  }
};

/// All references. Any thread may call anything at any time; a reference is
/// used by one thread at a time, as CUDA has it.
struct ReferenceTable {
  HandleSet<Reference> References;
  std::atomic<bool> IsChanged{false};
};

} // namespace

static ReferenceTable &table() {
  static auto *Made = new ReferenceTable; // see Process.h
  return *Made;
}

//===----------------------------------------------------------------------===//
// Binding
//===----------------------------------------------------------------------===//

/// Makes what a reference describes, and stores its handle.
static CUresult bind(Reference &R) {
  // Waits for launches that use it.
  if (R.Object)
    cudaDestroyTextureObject(std::exchange(R.Object, 0));
  CUresult Code = R.IsSurface ? cuSurfObjectCreate(&R.Object, &R.Resource)
                              : cuTexObjectCreate(&R.Object, &R.Resource,
                                                  &R.Texture, nullptr);
  if (Code != cudaSuccess)
    return Code;
  R.IsChanged = false;
  return cudaMemcpy(pointerOf(R.Variable), &R.Object, sizeof(R.Object),
                    cudaMemcpyHostToDevice);
}

/// Whether the next launch of its module has to bind it.
static bool isDue(const Reference &R) {
  return R.IsChanged && R.IsBound && R.isOfModule();
}

CUresult heddle::cuda::bindTextureReferences(CUmodule Module) {
  HandleSet<Reference> &References = table().References;
  if (!table().IsChanged)
    return cudaSuccess;
  while (Reference *R = References.find([=](const Reference &R) {
    return R.Module == Module && isDue(R);
  }))
    if (CUresult Code = bind(*R); Code != cudaSuccess)
      return Code;
  table().IsChanged = false;
  if (References.find(isDue))
    table().IsChanged = true;
  return cudaSuccess;
}

static bool isTexture(const Reference *R) {
  return table().References.contains(R) && !R->IsSurface;
}

/// Changes a texture reference.
template <typename Fn> static CUresult change(Reference *R, Fn Change) {
  return inContext([=] {
    if (!isTexture(R))
      return cudaErrorInvalidResourceHandle;
    if (CUresult Code = Change(*R); Code != cudaSuccess)
      return Code;
    R->IsChanged = true;
    table().IsChanged = true;
    return cudaSuccess;
  });
}

/// Reads one, if there is a place for the result.
template <typename Fn>
static CUresult read(Reference *R, const void *Result, Fn Read) {
  return inContext([=] {
    if (!Result)
      return cudaErrorInvalidValue;
    return isTexture(R) ? Read(*R) : cudaErrorInvalidResourceHandle;
  });
}

/// The reference that a variable of a module is.
static CUresult referenceOf(Reference **Result, CUmodule Module,
                            const char *Name, bool IsSurface) {
  return inContext([=] {
    if (!Result || !Name)
      return cudaErrorInvalidValue;
    rt::SymbolInfo Info;
    if (CUresult Code = Process::get().Images.variable(Module, Name, Info);
        Code != cudaSuccess)
      return Code;
    if (Info.Size != sizeof(Reference::Object))
      return cudaErrorSymbolNotFound;
    Reference *Known = table().References.find([=](const Reference &R) {
      return R.Module == Module && R.Name == Name && R.IsSurface == IsSurface &&
             R.Variable == Info.Address;
    });
    if (!Known) {
      auto Made = std::make_unique<Reference>();
      Made->IsSurface = IsSurface;
      Made->Module = Module;
      Made->Name = Name;
      Made->Variable = Info.Address;
      Known = table().References.add(std::move(Made));
    }
    *Result = Known;
    return cudaSuccess;
  });
}

/// Gives a reference of a module another description.
template <typename Fn>
static CUresult describe(CUmodule Module, const char *Name, bool IsSurface,
                         Fn Describe) {
  Reference *R = nullptr;
  if (CUresult Code = referenceOf(&R, Module, Name, IsSurface);
      Code != cudaSuccess)
    return Code;
  Describe(*R);
  R->IsBound = R->IsChanged = true;
  table().IsChanged = true;
  return cudaSuccess;
}

CUresult heddle::cuda::describeTexture(CUmodule Module, const char *Name,
                                       const ResourceDesc &Resource,
                                       unsigned Format, unsigned Channels,
                                       const TextureDesc &Texture) {
  return describe(Module, Name, /*IsSurface=*/false, [&](Reference &R) {
    R.Resource = Resource;
    R.Format = Format;
    R.Channels = Channels;
    R.Texture = Texture;
  });
}

CUresult heddle::cuda::describeSurface(CUmodule Module, const char *Name,
                                       const ResourceDesc &Resource) {
  return describe(Module, Name, /*IsSurface=*/true,
                  [&](Reference &R) { R.Resource = Resource; });
}

//===----------------------------------------------------------------------===//
// References
//===----------------------------------------------------------------------===//

extern "C" {

CUresult cuModuleGetTexRef(Reference **R, CUmodule Module, const char *Name) {
  return referenceOf(R, Module, Name, /*IsSurface=*/false);
}

CUresult cuModuleGetSurfRef(Reference **R, CUmodule Module, const char *Name) {
  return referenceOf(R, Module, Name, /*IsSurface=*/true);
}

CUresult cuTexRefCreate(Reference **R) {
  return inContext([=] {
    if (!R)
      return cudaErrorInvalidValue;
    *R = table().References.add(std::make_unique<Reference>());
    return cudaSuccess;
  });
}

/// Those of modules end with them.
CUresult cuTexRefDestroy(Reference *R) {
  return inContext([=] {
    if (!isTexture(R))
      return cudaErrorInvalidResourceHandle;
    if (R->Module)
      return cudaErrorInvalidValue;
    table().References.remove(R);
    return cudaSuccess;
  });
}

/// A kernel finds the references of its module by itself.
CUresult cuParamSetTexRef(CUfunction Kernel, int Unit, Reference *R) {
  constexpr int DefaultUnit = -1;
  return inContext([=] {
    if (!Process::get().Images.kernel(Kernel) || !isTexture(R))
      return cudaErrorInvalidResourceHandle;
    return Unit == DefaultUnit && R->Module == Kernel->Owner
               ? cudaSuccess
               : cudaErrorInvalidValue;
  });
}

//===----------------------------------------------------------------------===//
// What is read
//===----------------------------------------------------------------------===//

static constexpr unsigned OverrideFormat = 1; // the array's; has to be

CUresult cuTexRefSetArray(Reference *R, cudaArray_t Array, unsigned Flags) {
  return change(R, [=](Reference &Ref) {
    if (!Process::get().Arrays.contains(Array) || Flags != OverrideFormat)
      return cudaErrorInvalidValue;
    Ref.Resource = {};
    Ref.Resource.Type = cudaResourceTypeArray;
    Ref.Resource.Handle = Array;
    std::tie(Ref.Format, Ref.Channels) = formatNumberOf(Array->Format);
    Ref.IsBound = true;
    return cudaSuccess;
  });
}

CUresult cuTexRefSetMipmappedArray(Reference *R, cudaMipmappedArray_t Mipmap,
                                   unsigned Flags) {
  return change(R, [=](Reference &Ref) {
    if (!Process::get().Arrays.contains(Mipmap) || Flags != OverrideFormat)
      return cudaErrorInvalidValue;
    Ref.Resource = {};
    Ref.Resource.Type = cudaResourceTypeMipmappedArray;
    Ref.Resource.Handle = Mipmap;
    std::tie(Ref.Format, Ref.Channels) = formatNumberOf(Mipmap->Format);
    Ref.IsBound = true;
    return cudaSuccess;
  });
}

/// Any address will do, so that there is no offset.
CUresult cuTexRefSetAddress_v2(size_t *Offset, Reference *R,
                               CUdeviceptr Address, size_t Bytes) {
  return change(R, [=](Reference &Ref) {
    if (Offset)
      *Offset = 0;
    Ref.Resource = {};
    Ref.Resource.Type = cudaResourceTypeLinear;
    Ref.Resource.Linear = {Address, Ref.Format, Ref.Channels, Bytes};
    Ref.IsBound = Address && Bytes;
    return cudaSuccess;
  });
}

CUresult cuTexRefSetAddress2D_v3(Reference *R, const ArrayDescriptor *D,
                                 CUdeviceptr Address, size_t Pitch) {
  return change(R, [=](Reference &Ref) {
    if (!D || !Address)
      return cudaErrorInvalidValue;
    Ref.Format = D->Format;
    Ref.Channels = D->Channels;
    Ref.Resource = {};
    Ref.Resource.Type = cudaResourceTypePitch2D;
    Ref.Resource.Pitch2D = {Address,  D->Format, D->Channels,
                            D->Width, D->Height, Pitch};
    Ref.IsBound = true;
    return cudaSuccess;
  });
}

CUresult cuTexRefSetAddress2D_v2(Reference *R, const ArrayDescriptor *D,
                                 CUdeviceptr Address, size_t Pitch) {
  return cuTexRefSetAddress2D_v3(R, D, Address, Pitch);
}

CUresult cuTexRefSetFormat(Reference *R, unsigned Format, int Channels) {
  return change(R, [=](Reference &Ref) {
    if (Channels < 1 || Channels > 4 ||
        channelsOf(Format, Channels).f == cudaChannelFormatKindNone)
      return cudaErrorInvalidValue;
    Ref.Format = Format;
    Ref.Channels = Channels;
    if (Ref.Resource.Type == cudaResourceTypeLinear) {
      Ref.Resource.Linear.Format = Format;
      Ref.Resource.Linear.Channels = Channels;
    }
    return cudaSuccess;
  });
}

CUresult cuTexRefGetArray(cudaArray_t *Array, Reference *R) {
  return read(R, Array, [=](const Reference &Ref) {
    if (!Ref.IsBound || Ref.Resource.Type != cudaResourceTypeArray)
      return cudaErrorInvalidValue;
    *Array = static_cast<cudaArray_t>(Ref.Resource.Handle);
    return cudaSuccess;
  });
}

CUresult cuTexRefGetMipmappedArray(cudaMipmappedArray_t *Mipmap, Reference *R) {
  return read(R, Mipmap, [=](const Reference &Ref) {
    if (!Ref.IsBound || Ref.Resource.Type != cudaResourceTypeMipmappedArray)
      return cudaErrorInvalidValue;
    *Mipmap = static_cast<cudaMipmappedArray_t>(Ref.Resource.Handle);
    return cudaSuccess;
  });
}

CUresult cuTexRefGetAddress_v2(CUdeviceptr *Address, Reference *R) {
  return read(R, Address, [=](const Reference &Ref) {
    if (!Ref.IsBound || (Ref.Resource.Type != cudaResourceTypeLinear &&
                         Ref.Resource.Type != cudaResourceTypePitch2D))
      return cudaErrorInvalidValue;
    *Address = Ref.Resource.Linear.Address; // at the same place in both
    return cudaSuccess;
  });
}

CUresult cuTexRefGetFormat(unsigned *Format, int *Channels, Reference *R) {
  return read(R, Format, [=](const Reference &Ref) {
    *Format = Ref.Format;
    if (Channels)
      *Channels = static_cast<int>(Ref.Channels);
    return cudaSuccess;
  });
}

//===----------------------------------------------------------------------===//
// How it is read
//===----------------------------------------------------------------------===//

static constexpr int Dimensions = 3;

static bool isFilter(int Mode) {
  return Mode == cudaFilterModePoint || Mode == cudaFilterModeLinear;
}

CUresult cuTexRefSetAddressMode(Reference *R, int Dimension, int Mode) {
  return change(R, [=](Reference &Ref) {
    if (Dimension < 0 || Dimension >= Dimensions ||
        Mode < cudaAddressModeWrap || Mode > cudaAddressModeBorder)
      return cudaErrorInvalidValue;
    Ref.Texture.Address[Dimension] = static_cast<cudaTextureAddressMode>(Mode);
    return cudaSuccess;
  });
}

CUresult cuTexRefGetAddressMode(int *Mode, Reference *R, int Dimension) {
  return read(R, Mode, [=](const Reference &Ref) {
    if (Dimension < 0 || Dimension >= Dimensions)
      return cudaErrorInvalidValue;
    *Mode = Ref.Texture.Address[Dimension];
    return cudaSuccess;
  });
}

CUresult cuTexRefSetFilterMode(Reference *R, int Mode) {
  return change(R, [=](Reference &Ref) {
    if (!isFilter(Mode))
      return cudaErrorInvalidValue;
    Ref.Texture.Filter = static_cast<cudaTextureFilterMode>(Mode);
    return cudaSuccess;
  });
}

CUresult cuTexRefSetMipmapFilterMode(Reference *R, int Mode) {
  return change(R, [=](Reference &Ref) {
    if (!isFilter(Mode))
      return cudaErrorInvalidValue;
    Ref.Texture.MipFilter = static_cast<cudaTextureFilterMode>(Mode);
    return cudaSuccess;
  });
}

CUresult cuTexRefSetMipmapLevelBias(Reference *R, float Bias) {
  return change(R, [=](Reference &Ref) {
    Ref.Texture.Bias = Bias;
    return cudaSuccess;
  });
}

CUresult cuTexRefSetMipmapLevelClamp(Reference *R, float Min, float Max) {
  return change(R, [=](Reference &Ref) {
    Ref.Texture.MinLevel = Min;
    Ref.Texture.MaxLevel = Max;
    return cudaSuccess;
  });
}

CUresult cuTexRefSetMaxAnisotropy(Reference *R, unsigned Max) {
  return change(R, [=](Reference &Ref) {
    Ref.Texture.MaxAnisotropy = Max;
    return cudaSuccess;
  });
}

CUresult cuTexRefSetBorderColor(Reference *R, const float *Color) {
  return change(R, [=](Reference &Ref) {
    if (!Color)
      return cudaErrorInvalidValue;
    std::copy_n(Color, std::size(Ref.Texture.Border), Ref.Texture.Border);
    return cudaSuccess;
  });
}

CUresult cuTexRefSetFlags(Reference *R, unsigned Flags) {
  constexpr unsigned NoTrilinearOptimization = 0x20; // a hint
  return change(R, [=](Reference &Ref) {
    if (Flags & ~(ReadAsInteger | NormalizedCoordinates | SRGB |
                  NoTrilinearOptimization))
      return cudaErrorInvalidValue;
    Ref.Texture.Flags = Flags;
    return cudaSuccess;
  });
}

CUresult cuTexRefGetFilterMode(int *Mode, Reference *R) {
  return read(R, Mode, [=](const Reference &Ref) {
    *Mode = Ref.Texture.Filter;
    return cudaSuccess;
  });
}

CUresult cuTexRefGetMipmapFilterMode(int *Mode, Reference *R) {
  return read(R, Mode, [=](const Reference &Ref) {
    *Mode = Ref.Texture.MipFilter;
    return cudaSuccess;
  });
}

CUresult cuTexRefGetMipmapLevelBias(float *Bias, Reference *R) {
  return read(R, Bias, [=](const Reference &Ref) {
    *Bias = Ref.Texture.Bias;
    return cudaSuccess;
  });
}

CUresult cuTexRefGetMipmapLevelClamp(float *Min, float *Max, Reference *R) {
  return read(R, Min && Max ? Min : nullptr, [=](const Reference &Ref) {
    *Min = Ref.Texture.MinLevel;
    *Max = Ref.Texture.MaxLevel;
    return cudaSuccess;
  });
}

CUresult cuTexRefGetMaxAnisotropy(int *Max, Reference *R) {
  return read(R, Max, [=](const Reference &Ref) {
    *Max = static_cast<int>(Ref.Texture.MaxAnisotropy);
    return cudaSuccess;
  });
}

CUresult cuTexRefGetBorderColor(float *Color, Reference *R) {
  return read(R, Color, [=](const Reference &Ref) {
    std::copy_n(Ref.Texture.Border, std::size(Ref.Texture.Border), Color);
    return cudaSuccess;
  });
}

CUresult cuTexRefGetFlags(unsigned *Flags, Reference *R) {
  return read(R, Flags, [=](const Reference &Ref) {
    *Flags = Ref.Texture.Flags;
    return cudaSuccess;
  });
}

//===----------------------------------------------------------------------===//
// Surfaces
//===----------------------------------------------------------------------===//

CUresult cuSurfRefSetArray(Reference *R, cudaArray_t Array, unsigned Flags) {
  return inContext([=] {
    if (!table().References.contains(R) || !R->IsSurface)
      return cudaErrorInvalidResourceHandle;
    if (!Process::get().Arrays.contains(Array) || Flags ||
        !(Array->Flags & cudaArraySurfaceLoadStore))
      return cudaErrorInvalidValue;
    R->Resource.Type = cudaResourceTypeArray;
    R->Resource.Handle = Array;
    R->IsBound = R->IsChanged = true;
    table().IsChanged = true;
    return cudaSuccess;
  });
}

CUresult cuSurfRefGetArray(cudaArray_t *Array, Reference *R) {
  return inContext([=] {
    if (!table().References.contains(R) || !R->IsSurface)
      return cudaErrorInvalidResourceHandle;
    if (!Array || !R->IsBound)
      return cudaErrorInvalidValue;
    *Array = static_cast<cudaArray_t>(R->Resource.Handle);
    return cudaSuccess;
  });
}

} // extern "C"
