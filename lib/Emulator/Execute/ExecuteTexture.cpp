//===- ExecuteTexture.cpp - Textures and surfaces ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The operations of isa-defs/HeddleInstrTexture.td: operands, handles and
// places in memory, lane by lane. TextureUnit.cpp has the arithmetic.
//
//===----------------------------------------------------------------------===//

#include "Execute/AtomicArithmetic.h"
#include "Execute/ExecuteMemory.h"
#include "Texture/TextureUnit.h"

#include <cstring>

namespace heddle::emu {

using isa::Op;
using texture::Geometry;
using texture::Query;

namespace {

std::array<uint32_t, 4> quad(const Warp &W, unsigned Row, unsigned Lane) {
  return {W.R[Row][Lane], W.R[Row + 1][Lane], W.R[Row + 2][Lane],
          W.R[Row + 3][Lane]};
}

/// The descriptors that lanes name; mostly all name the same.
template <typename Desc> class DescriptorCache {
public:
  using Reader = std::optional<Desc> (TextureTables::*)(uint64_t) const;
  DescriptorCache(const Warp &W, Reader Read, uint64_t Mask)
      : Tables(W.Launch->Textures), Read(Read), Mask(Mask) {}

  /// None if the handle names nothing.
  const std::optional<Desc> &operator()(uint64_t Handle) {
    if (!Known || ((Handle ^ Last) & Mask)) {
      Value = (Tables.*Read)(Handle);
      Last = Handle;
      Known = true;
    }
    return Value;
  }

private:
  const TextureTables &Tables;
  Reader Read;
  uint64_t Mask; ///< The bits of a handle that tell descriptors apart.
  uint64_t Last = 0;
  bool Known = false;
  std::optional<Desc> Value;
};

constexpr uint64_t ImageMask = 0xFFFFFFFF;

struct ImageCache : DescriptorCache<rt::ImageDesc> {
  explicit ImageCache(const Warp &W)
      : DescriptorCache(W, &TextureTables::image, ImageMask) {}
};
struct SamplerCache : DescriptorCache<rt::SamplerDesc> {
  explicit SamplerCache(const Warp &W)
      : DescriptorCache(W, &TextureTables::sampler, ~ImageMask) {}
};

void badHandle(Warp &W, unsigned Lane, uint64_t Handle, const char *What) {
  W.fault(rt::FaultKind::InvalidHandle, Lane,
          std::string("the handle names no ") + What, Handle);
}

/// Whether an image may be looked up as that geometry.
bool fitsGeometry(const rt::ImageDesc &Image, Geometry Wanted) {
  return Image.Geometry == Wanted;
}

/// As fitsGeometry, of textures: programs read arrays of one dimension with the
/// instruction for two, as GPUs let them.
bool fitsLookup(const rt::ImageDesc &Image, Geometry Wanted) {
  bool IsRow = Image.Geometry == Geometry::D1 && !Image.Linear;
  return fitsGeometry(Image, Wanted) || (IsRow && Wanted == Geometry::D2);
}

void badGeometry(Warp &W, unsigned Lane, uint64_t Handle) {
  W.fault(rt::FaultKind::InvalidHandle, Lane,
          "the image has another geometry than the instruction", Handle);
}

/// Copies from global memory by the largest unit; false after a fault.
bool fetch(Warp &W, unsigned Lane, uint64_t Address, unsigned Bytes,
           uint8_t *Out) {
  const uint8_t *Host = W.resolveGlobal(Lane, Address, Bytes, false);
  if (!Host)
    return false;
  auto Copy = [&](auto Unit) {
    for (unsigned N = 0; N < Bytes; N += sizeof(Unit)) {
      Unit = read<decltype(Unit)>(Host + N);
      std::memcpy(Out + N, &Unit, sizeof(Unit));
    }
  };
  if (Bytes >= 8)
    Copy(uint64_t());
  else if (Bytes == 4)
    Copy(uint32_t());
  else if (Bytes == 2)
    Copy(uint16_t());
  else
    Copy(uint8_t());
  return true;
}

//===----------------------------------------------------------------------===//
// Lookups
//===----------------------------------------------------------------------===//

TextureRequest requestOf(const Warp &W, Inst I, unsigned Lane) {
  TextureRequest R;
  R.Geometry = I.Geometry;
  R.IntCoords = I.IntCoords;
  R.Lod = I.Lod;
  R.HasOffset = I.TexelOffset;
  R.HasDepth = I.DepthCompare;
  R.Coords = quad(W, I.B, Lane);
  R.C = quad(W, I.C, Lane);
  R.E = quad(W, I.E, Lane);
  return R;
}

template <bool Gathers> void texture(Warp &W, Inst I, LaneMask Exec) {
  ImageCache Images(W);
  SamplerCache Samplers(W);
  Quad Results[WarpSize] = {};
  for (unsigned L : lanes(Exec)) {
    uint64_t Handle = W.reg64(I.A, L);
    const auto &Image = Images(Handle);
    if (!Image)
      return badHandle(W, L, Handle, "texture");
    if (!fitsLookup(*Image, I.Geometry))
      return badGeometry(W, L, Handle);
    // Integer coordinates need no sampler.
    static const rt::SamplerDesc NoSampler;
    const auto &Sampler = Samplers(Handle);
    if (!Sampler && !I.IntCoords)
      return badHandle(W, L, Handle, "sampler");
    const rt::SamplerDesc &S = Sampler ? *Sampler : NoSampler;
    auto Fetch = [&](uint64_t Address, unsigned Bytes, uint8_t *Out) {
      return fetch(W, L, Address, Bytes, Out);
    };
    TextureRequest R = requestOf(W, I, L);
    auto T = Gathers ? gather(*Image, S, R, I.Component, Fetch)
                     : lookUp(*Image, S, R, Fetch);
    if (!T)
      return;
    Results[L] = {(*T)[0] | uint64_t((*T)[1]) << 32, (*T)[2] | uint64_t((*T)[3])
                                                                   << 32};
  }
  storeResults(W, I.D, Exec, Results);
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

uint32_t queryImage(const rt::ImageDesc &Image, Query Q, uint32_t Level) {
  unsigned Last = std::max<unsigned>(Image.Levels, 1) - 1;
  auto AtLevel = [&] {
    return levelOf(Image, std::min<uint32_t>(Level, Last));
  };
  switch (Q) {
  case Query::Width:
    return AtLevel().Width;
  case Query::Height:
    return AtLevel().Height;
  case Query::Depth:
    return Image.Geometry == Geometry::D3 ? AtLevel().Depth : 1;
  case Query::Type:
    return texture::texelFormats()[size_t(Image.Format)].DataType;
  case Query::Order:
    return Image.Channels == 1 ? 0x10B0 : Image.Channels == 2 ? 0x10B2 : 0x10B5;
  case Query::Normalized:
    return Image.Normalized;
  case Query::Array:
    switch (Image.Geometry) {
    case Geometry::A1:
    case Geometry::A2:
    case Geometry::AM2:
      return Image.Depth;
    case Geometry::ACube:
      return Image.Depth / 6;
    default:
      return 0;
    }
  case Query::Levels:
    return Image.Levels;
  case Query::Samples:
    return Image.Samples;
  default:
    return Image.Linear;
  }
}

uint32_t querySampler(const rt::SamplerDesc &Sampler, Query Q) {
  switch (Q) {
  case Query::Unnormalized:
    return Sampler.Unnormalized;
  case Query::Filter:
    return uint32_t(Sampler.Filter);
  default:
    return uint32_t(Sampler.Address[unsigned(Q) - unsigned(Query::Address0)]);
  }
}

void query(Warp &W, Inst I, LaneMask Exec) {
  ImageCache Images(W);
  SamplerCache Samplers(W);
  Query Q = I.Query;
  uint32_t Results[WarpSize] = {};
  for (unsigned L : lanes(Exec)) {
    uint64_t Handle = W.reg64(I.A, L);
    if (Q >= Query::Unnormalized) {
      const auto &Sampler = Samplers(Handle);
      if (!Sampler)
        return badHandle(W, L, Handle, "sampler");
      Results[L] = querySampler(*Sampler, Q);
      continue;
    }
    const auto &Image = Images(Handle);
    if (!Image)
      return badHandle(W, L, Handle, "texture or surface");
    Results[L] = queryImage(*Image, Q, W.R[I.B][L]);
  }
  storeResults(W, I.D, Exec, Results);
}

//===----------------------------------------------------------------------===//
// Surfaces
//===----------------------------------------------------------------------===//

/// Where a lane's access of some bytes goes.
struct SurfacePlace {
  bool Outside = false; ///< The access does nothing.
  uint64_t Address = 0;
};

/// None after a fault. With ByTexels x is scaled by \p Bytes.
std::optional<SurfacePlace> surfacePlace(Warp &W, Inst I, unsigned Lane,
                                         const rt::ImageDesc &Image,
                                         unsigned Bytes, bool ByTexels) {
  std::array<uint32_t, 4> Coords = quad(W, I.B, Lane);
  Geometry G = I.Geometry;
  bool IsArray = G == Geometry::A1 || G == Geometry::A2;
  bool Has2 = G != Geometry::D1 && G != Geometry::A1;
  // x, y and the slice or layer.
  int64_t At[3] = {int32_t(Coords[IsArray]),
                   Has2 ? int32_t(Coords[IsArray + 1]) : 0, 0};
  if (IsArray)
    At[2] = Coords[0]; // unsigned
  else if (G == Geometry::D3)
    At[2] = int32_t(Coords[2]);
  if (ByTexels)
    At[0] *= Bytes;
  int64_t Row = int64_t(Image.Width) * texelBytes(Image);
  int64_t Last[3] = {Row - Bytes, int64_t(Image.Height) - 1,
                     int64_t(Image.Depth) - 1};
  SurfacePlace P;
  for (unsigned N = 0; N < 3; ++N) {
    if (At[N] >= 0 && At[N] <= Last[N])
      continue;
    if (I.OutOfImage == isa::OutOfImage::Trap) {
      W.fault(rt::FaultKind::Trap, Lane,
              "a surface access outside of the surface, with .trap");
      return std::nullopt;
    }
    P.Outside |= I.OutOfImage == isa::OutOfImage::Zero || Last[N] < 0;
    At[N] = std::clamp<int64_t>(At[N], 0, std::max<int64_t>(Last[N], 0));
  }
  P.Address = Image.Base + At[2] * Image.SlicePitch + At[1] * Image.RowPitch +
              uint64_t(At[0]);
  return P;
}

/// The surface that a lane names, or null after a fault.
const rt::ImageDesc *surfaceOf(Warp &W, Inst I, unsigned Lane,
                               ImageCache &Images) {
  uint64_t Handle = W.reg64(I.A, Lane);
  const auto &Image = Images(Handle);
  if (!Image) {
    badHandle(W, Lane, Handle, "surface");
    return nullptr;
  }
  if (!fitsGeometry(*Image, I.Geometry)) {
    badGeometry(W, Lane, Handle);
    return nullptr;
  }
  return &*Image;
}

void surfaceLoad(Warp &W, Inst I, LaneMask Exec) {
  ImageCache Images(W);
  Quad Results[WarpSize] = {};
  unsigned Bytes = 1u << I.Size;
  for (unsigned L : lanes(Exec)) {
    const rt::ImageDesc *Image = surfaceOf(W, I, L, Images);
    if (!Image)
      return;
    auto P = surfacePlace(W, I, L, *Image, Bytes, false);
    if (!P)
      return;
    uint8_t Data[16] = {};
    if (!P->Outside && !fetch(W, L, P->Address, Bytes, Data))
      return;
    std::memcpy(&Results[L], Data, sizeof(Data));
  }
  storeResults(W, I.D, Exec, Results);
}

/// Stores by units of at most 64 bits; false after a fault.
bool storeBytes(Warp &W, unsigned Lane, uint64_t Address, unsigned Bytes,
                const uint8_t *Data) {
  uint8_t *Host = W.resolveGlobal(Lane, Address, Bytes, true);
  if (!Host)
    return false;
  if (W.Launch->Relaxed)
    W.Launch->Relaxed->settle(Host, Bytes);
  auto Copy = [&](auto Unit) {
    for (unsigned N = 0; N < Bytes; N += sizeof(Unit)) {
      std::memcpy(&Unit, Data + N, sizeof(Unit));
      write(Host + N, Unit);
    }
  };
  if (Bytes >= 8)
    Copy(uint64_t());
  else if (Bytes == 4)
    Copy(uint32_t());
  else if (Bytes == 2)
    Copy(uint16_t());
  else
    Copy(uint8_t());
  return true;
}

void surfaceStore(Warp &W, Inst I, LaneMask Exec) {
  ImageCache Images(W);
  for (unsigned L : lanes(Exec)) {
    const rt::ImageDesc *Image = surfaceOf(W, I, L, Images);
    if (!Image)
      return;
    unsigned Bytes = I.Formatted ? texelBytes(*Image) : 1u << I.Size;
    auto P = surfacePlace(W, I, L, *Image, Bytes, I.Formatted);
    if (!P)
      return;
    std::array<uint32_t, 4> Components = quad(W, I.C, L);
    std::array<uint8_t, 16> Data;
    if (I.Formatted)
      Data = encodeTexel(*Image, Components);
    else
      std::memcpy(Data.data(), Components.data(), sizeof(Data));
    if (!P->Outside && !storeBytes(W, L, P->Address, Bytes, Data.data()))
      return;
  }
}

//===----------------------------------------------------------------------===//
// Reductions on surfaces
//===----------------------------------------------------------------------===//

template <typename T>
void reduceAt(Warp &W, Inst I, uint8_t *Host, T Value, bool IsSigned) {
  AtomOp O = I.AtomOp;
  auto *Place = reinterpret_cast<T *>(Host);
  if (W.Launch->Relaxed)
    W.Launch->Relaxed->settle(Host, sizeof(T));
  T Old = __atomic_load_n(Place, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(
      Place, &Old, applyToInteger(O, Old, Value, IsSigned), false,
      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    ;
}

void surfaceReduce(Warp &W, Inst I, LaneMask Exec) {
  using isa::ImageRedType;
  auto Type = static_cast<ImageRedType>(I.AtomType);
  ImageCache Images(W);
  bool IsWide = Type == ImageRedType::U64 || Type == ImageRedType::S64;
  unsigned Bytes = IsWide ? 8 : 4;
  for (unsigned L : lanes(Exec)) {
    const rt::ImageDesc *Image = surfaceOf(W, I, L, Images);
    if (!Image)
      return;
    auto P = surfacePlace(W, I, L, *Image, Bytes, I.Formatted);
    if (!P)
      return;
    if (P->Outside)
      continue;
    uint8_t *Host = W.resolveGlobal(L, P->Address, Bytes, true);
    if (!Host)
      return;
    using texture::TexelFormat;
    bool IsSigned =
        I.Formatted ? Image->Format >= TexelFormat::S8 &&
                          Image->Format <= TexelFormat::S32
                    : Type == ImageRedType::S32 || Type == ImageRedType::S64;
    uint64_t Value = W.reg64(I.C, L);
    if (IsWide)
      reduceAt<uint64_t>(W, I, Host, Value, IsSigned);
    else
      reduceAt<uint32_t>(W, I, Host, uint32_t(Value), IsSigned);
  }
}

} // namespace

ExecFn textureExecutor(Op O) {
  switch (O) {
  case Op::TEX:
    return texture<false>;
  case Op::TLD4:
    return texture<true>;
  case Op::TXQ:
    return query;
  case Op::SULD:
    return surfaceLoad;
  case Op::SUST:
    return surfaceStore;
  case Op::SURED:
    return surfaceReduce;
  default:
    return nullptr;
  }
}

} // namespace heddle::emu
