//===- TextureDescriptors.cpp - Descriptors in memory -----------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads and writes descriptors field by field, by the generated places.
//
//===----------------------------------------------------------------------===//

#include "Texture/TextureDescriptors.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

using namespace llvm;

namespace heddle::emu {

namespace tex = texture;
using tex::Geometry;

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

static uint64_t get(ArrayRef<uint8_t> Bytes, tex::FieldPlace P) {
  uint64_t V = 0;
  std::memcpy(&V, Bytes.data() + P.Offset, P.Bytes);
  return V;
}
static void set(std::vector<uint8_t> &Bytes, tex::FieldPlace P, uint64_t V) {
  std::memcpy(Bytes.data() + P.Offset, &V, P.Bytes);
}

std::vector<uint8_t> encode(const rt::ImageDesc &I) {
  std::vector<uint8_t> B(tex::ImageBytes);
  set(B, tex::ImageBase, I.Base);
  set(B, tex::ImageWidth, I.Width);
  set(B, tex::ImageHeight, I.Height);
  set(B, tex::ImageDepth, I.Depth);
  set(B, tex::ImageRowPitch, I.RowPitch);
  set(B, tex::ImageSlicePitch, I.SlicePitch);
  set(B, tex::ImageGeometry, uint64_t(I.Geometry));
  set(B, tex::ImageFormat, uint64_t(I.Format));
  set(B, tex::ImageChannels, I.Channels);
  set(B, tex::ImageLevels, I.Levels);
  set(B, tex::ImageSamples, I.Samples);
  set(B, tex::ImageNormalized, I.Normalized);
  set(B, tex::ImageLinear, I.Linear);
  return B;
}

static rt::ImageDesc decodeImage(ArrayRef<uint8_t> B) {
  rt::ImageDesc I;
  I.Base = get(B, tex::ImageBase);
  I.Width = get(B, tex::ImageWidth);
  I.Height = get(B, tex::ImageHeight);
  I.Depth = get(B, tex::ImageDepth);
  I.RowPitch = get(B, tex::ImageRowPitch);
  I.SlicePitch = get(B, tex::ImageSlicePitch);
  I.Geometry = Geometry(get(B, tex::ImageGeometry));
  I.Format = tex::TexelFormat(get(B, tex::ImageFormat));
  I.Channels = get(B, tex::ImageChannels);
  I.Levels = get(B, tex::ImageLevels);
  I.Samples = get(B, tex::ImageSamples);
  I.Normalized = get(B, tex::ImageNormalized);
  I.Linear = get(B, tex::ImageLinear);
  return I;
}

static constexpr tex::FieldPlace AddressFields[] = {
    tex::SamplerAddress0, tex::SamplerAddress1, tex::SamplerAddress2};

/// Component \p N of the border's colour.
static constexpr tex::FieldPlace borderField(unsigned N) {
  return {uint8_t(tex::SamplerBorder.Offset + 4 * N), 4};
}

std::vector<uint8_t> encode(const rt::SamplerDesc &S) {
  std::vector<uint8_t> B(tex::SamplerBytes);
  for (unsigned N = 0; N < 3; ++N)
    set(B, AddressFields[N], uint64_t(S.Address[N]));
  set(B, tex::SamplerFilter, uint64_t(S.Filter));
  set(B, tex::SamplerMipFilter, uint64_t(S.MipFilter));
  set(B, tex::SamplerCompare, S.Compare);
  set(B, tex::SamplerUnnormalized, S.Unnormalized);
  set(B, tex::SamplerValid, 1);
  set(B, tex::SamplerBias, uint16_t(S.Bias));
  set(B, tex::SamplerMinLod, S.MinLod);
  set(B, tex::SamplerMaxLod, S.MaxLod);
  for (unsigned N = 0; N < 4; ++N)
    set(B, borderField(N), S.Border[N]);
  return B;
}

static rt::SamplerDesc decodeSampler(ArrayRef<uint8_t> B) {
  rt::SamplerDesc S;
  for (unsigned N = 0; N < 3; ++N)
    S.Address[N] = tex::AddressMode(get(B, AddressFields[N]));
  S.Filter = tex::FilterMode(get(B, tex::SamplerFilter));
  S.MipFilter = tex::FilterMode(get(B, tex::SamplerMipFilter));
  S.Compare = get(B, tex::SamplerCompare);
  S.Unnormalized = get(B, tex::SamplerUnnormalized);
  S.Bias = int16_t(get(B, tex::SamplerBias));
  S.MinLod = get(B, tex::SamplerMinLod);
  S.MaxLod = get(B, tex::SamplerMaxLod);
  for (unsigned N = 0; N < 4; ++N)
    S.Border[N] = get(B, borderField(N));
  return S;
}

Expected<rt::SamplerDesc> decodeSamplerStart(ArrayRef<uint8_t> Bytes) {
  std::vector<uint8_t> All = encode(rt::SamplerDesc());
  std::copy(Bytes.begin(), Bytes.end(), All.begin());
  rt::SamplerDesc S = decodeSampler(All);
  bool IsValid = get(All, tex::SamplerValid) == 1 && S.Compare < 8 &&
                 S.Filter <= tex::FilterMode::Linear &&
                 S.MipFilter <= tex::FilterMode::Linear;
  for (tex::AddressMode Mode : S.Address)
    IsValid &= Mode <= tex::AddressMode::Border;
  if (!IsValid)
    return createStringError("the initial value of a sampler is none");
  return S;
}

//===----------------------------------------------------------------------===//
// Images
//===----------------------------------------------------------------------===//

unsigned texelBytes(const rt::ImageDesc &I) {
  return tex::texelFormats()[size_t(I.Format)].Bits / 8 * I.Channels;
}

ImageLevel levelOf(const rt::ImageDesc &I, unsigned Level) {
  bool Is3D = I.Geometry == Geometry::D3;
  uint64_t Span = uint64_t(std::max<uint32_t>(I.Samples, 1)) * texelBytes(I);
  ImageLevel L{I.Base, I.RowPitch, I.SlicePitch, I.Width, I.Height, I.Depth};
  for (unsigned N = 0; N < Level; ++N) {
    L.Base += L.SlicePitch * L.Depth;
    L.Base = I.Base + alignTo(L.Base - I.Base, tex::LevelAlign);
    L.Width = std::max(L.Width / 2, 1u);
    L.Height = std::max(L.Height / 2, 1u);
    if (Is3D)
      L.Depth = std::max(L.Depth / 2, 1u);
    L.RowPitch = alignTo(L.Width * Span, tex::RowAlign);
    L.SlicePitch = L.RowPitch * L.Height;
  }
  return L;
}

Error checkImage(const rt::ImageDesc &I) {
  auto Refuse = [](const Twine &Why) {
    return createStringError(inconvertibleErrorCode(), "an image with " + Why);
  };
  if (size_t(I.Format) >= tex::texelFormats().size() ||
      I.Geometry > Geometry::AM2)
    return Refuse("an unknown format or geometry");
  if (I.Channels != 1 && I.Channels != 2 && I.Channels != 4)
    return Refuse(Twine(unsigned(I.Channels)) + " channels");
  if (!I.Width || !I.Height || !I.Depth)
    return Refuse("no texels");
  constexpr uint32_t MaxExtent = 1u << 28;
  if (I.Width > MaxExtent || I.Height > MaxExtent || I.Depth > MaxExtent)
    return Refuse("more than 2^28 texels along an axis");
  bool Is1D = I.Geometry == Geometry::D1 || I.Geometry == Geometry::A1;
  bool IsCube = I.Geometry == Geometry::Cube || I.Geometry == Geometry::ACube;
  bool IsMulti = I.Geometry == Geometry::M2 || I.Geometry == Geometry::AM2;
  bool HasDepth = I.Geometry != Geometry::D1 && I.Geometry != Geometry::D2 &&
                  I.Geometry != Geometry::M2;
  if ((Is1D && I.Height != 1) || (!HasDepth && I.Depth != 1))
    return Refuse("extents that its geometry does not have");
  if (IsCube && (I.Width != I.Height || I.Depth % 6 != 0 ||
                 (I.Geometry == Geometry::Cube && I.Depth != 6)))
    return Refuse("faces that are no squares, or not six to a cube");
  if (IsMulti != (I.Samples > 1) || (IsMulti && I.Levels > 1))
    return Refuse("samples that its geometry does not have");
  unsigned Texel = texelBytes(I);
  uint64_t Row = uint64_t(I.Width) * std::max<uint32_t>(I.Samples, 1) * Texel;
  if (I.Base % 16 || I.RowPitch % Texel || I.SlicePitch % Texel)
    return Refuse("a base or pitch that is not aligned");
  if (I.RowPitch < Row || I.SlicePitch < uint64_t(I.RowPitch) * I.Height)
    return Refuse("rows or slices that overlap");
  if (I.Levels > 1 + Log2_32(std::max({I.Width, I.Height, I.Depth})))
    return Refuse("more levels than it can have");
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Tables
//===----------------------------------------------------------------------===//

Error DescriptorTable::grow(DeviceMemory &Memory) {
  constexpr size_t FirstEntries = 256;
  size_t Entries = Used.empty() ? FirstEntries : 2 * Used.size();
  Allocation *New = Memory.allocate(Entries * EntryBytes, 256);
  if (!New)
    return createStringError(inconvertibleErrorCode(),
                             "out of memory for texture descriptors");
  std::memset(New->Host, 0, Entries * EntryBytes);
  if (Block) {
    std::memcpy(New->Host, Block->Host, Used.size() * EntryBytes);
    Memory.release(Block);
  }
  Block = New;
  if (Used.empty())
    Used.push_back(true);
  Used.resize(Entries);
  return Error::success();
}

Expected<uint32_t> DescriptorTable::add(DeviceMemory &Memory,
                                        ArrayRef<uint8_t> Bytes) {
  size_t Index = std::find(Used.begin(), Used.end(), false) - Used.begin();
  if (Index == Used.size()) {
    if (Index >> tex::SamplerBits)
      return createStringError(inconvertibleErrorCode(),
                               "too many texture descriptors");
    bool First = Used.empty();
    if (Error E = grow(Memory))
      return std::move(E);
    Index += First;
  }
  Used[Index] = true;
  std::memcpy(Block->Host + Index * EntryBytes, Bytes.data(), EntryBytes);
  return Index;
}

bool DescriptorTable::remove(uint32_t Index) {
  if (Index == 0 || Index >= Used.size() || !Used[Index])
    return false;
  Used[Index] = false;
  std::memset(Block->Host + Index * EntryBytes, 0, EntryBytes);
  return true;
}

ArrayRef<uint8_t> DescriptorTable::operator[](uint32_t Index) const {
  if (Index == 0 || Index >= Used.size() || !Used[Index])
    return {};
  return {Block->Host + Index * EntryBytes, EntryBytes};
}

TextureTables::TextureTables()
    : Images(tex::ImageBytes), Samplers(tex::SamplerBytes) {}

std::optional<rt::ImageDesc> TextureTables::image(uint64_t Handle) const {
  ArrayRef<uint8_t> Bytes = Images[tex::imageIndex(Handle)];
  if (Bytes.empty())
    return std::nullopt;
  return decodeImage(Bytes);
}

std::optional<rt::SamplerDesc> TextureTables::sampler(uint64_t Handle) const {
  ArrayRef<uint8_t> Bytes = Samplers[tex::samplerIndex(Handle)];
  if (Bytes.empty())
    return std::nullopt;
  return decodeSampler(Bytes);
}

} // namespace heddle::emu
