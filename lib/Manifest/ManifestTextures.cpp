//===- ManifestTextures.cpp - Textures of a manifest ------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the lists "textures", "surfaces" and "samplers" of a launch manifest.
//
//===----------------------------------------------------------------------===//

#include "ManifestReader.h"
#include "llvm/ADT/StringExtras.h"
#include <cmath>

using namespace llvm;

namespace heddle::rt {

namespace tex = texture;

// In the order of the enumerations' values.
static constexpr StringRef Geometries[] = {
    "1d", "2d", "3d", "a1d", "a2d", "cube", "acube", "2dms", "a2dms"};
static constexpr StringRef AddressModes[] = {
    "wrap", "mirror", "clamp_ogl", "clamp_to_edge", "clamp_to_border"};
static constexpr StringRef FilterModes[] = {"nearest", "linear"};

/// One of a few words, as the enumerator of its position.
template <typename EnumT>
EnumT Reader::word(const Node &At, ArrayRef<StringRef> Words) {
  std::string Text = string(At);
  for (auto [Index, Word] : enumerate(Words))
    if (Word == Text)
      return static_cast<EnumT>(Index);
  fail(At, "unknown word \"" + Text + "\"; known are " +
               join(Words.begin(), Words.end(), ", "));
  return static_cast<EnumT>(0);
}

/// A level of detail in 1/256.
uint16_t Reader::lod(const Node &At) {
  double Value = real(At) * 256;
  if (Value >= 0 && Value <= UINT16_MAX && Value == std::floor(Value))
    return static_cast<uint16_t>(Value);
  fail(At, "expected a multiple of 1/256 from 0 to 255");
  return 0;
}

void Reader::image(const Node &At, TextureSpec &Spec) {
  if (!checkObject(At, {"buffer", "offset", "geometry", "format", "channels",
                        "size", "row_pitch", "slice_pitch", "levels", "samples",
                        "normalized", "linear"}))
    return;
  require(At, "buffer");
  Spec.Buffer = buffer(At);
  if (Node Offset = get(At, "offset"))
    Spec.Offset = natural(Offset);
  ImageDesc &I = Spec.Image;
  I.Geometry = word<tex::Geometry>(require(At, "geometry"), Geometries);
  SmallVector<StringRef> Formats;
  for (const tex::TexelFormatInfo &F : tex::texelFormats())
    Formats.push_back(StringRef(F.Name.data(), F.Name.size()));
  I.Format = word<tex::TexelFormat>(require(At, "format"), Formats);
  auto Small = [&](StringRef Key, uint8_t Default) -> uint8_t {
    Node Item = get(At, Key);
    return Item ? uint8_t(natural(Item, UINT8_MAX)) : Default;
  };
  I.Channels = Small("channels", 1);
  I.Levels = Small("levels", 0);
  I.Samples = Small("samples", 0);
  Dim3 Size = dim(require(At, "size"));
  I.Width = Size.X;
  I.Height = Size.Y;
  I.Depth = Size.Z;
  // Rows and slices stand one behind the other unless it is said otherwise.
  uint64_t Component = tex::texelFormats()[size_t(I.Format)].Bits / 8;
  uint64_t Texel = Component * I.Channels;
  uint64_t Row = Texel * I.Width * std::max<unsigned>(I.Samples, 1);
  Node RowPitch = get(At, "row_pitch"), SlicePitch = get(At, "slice_pitch");
  I.RowPitch = RowPitch ? natural(RowPitch, UINT32_MAX) : Row;
  I.SlicePitch =
      SlicePitch ? natural(SlicePitch) : uint64_t(I.RowPitch) * I.Height;
  auto Flag = [&](StringRef Key) {
    Node Item = get(At, Key);
    auto Value = Item ? Item.Value->getAsBoolean() : std::nullopt;
    if (Item && !Value)
      fail(Item, "expected true or false");
    return Value.value_or(false);
  };
  I.Normalized = Flag("normalized");
  I.Linear = Flag("linear");
}

void Reader::sampler(const Node &At, SamplerDesc &S) {
  Node Address = get(At, "address"), Border = get(At, "border");
  for (size_t I = 0, E = std::min<size_t>(length(Address), 3); I < E; ++I)
    S.Address[I] = word<tex::AddressMode>(at(Address, I), AddressModes);
  if (Node Filter = get(At, "filter"))
    S.Filter = word<tex::FilterMode>(Filter, FilterModes);
  if (Node Filter = get(At, "mip_filter"))
    S.MipFilter = word<tex::FilterMode>(Filter, FilterModes);
  // Less, equal and greater are bits 0 to 2.
  static constexpr StringRef Comparisons[] = {"never", "lt", "eq", "le",
                                              "gt",    "ne", "ge", "always"};
  if (Node Compare = get(At, "compare"))
    S.Compare = word<uint8_t>(Compare, Comparisons);
  if (Node Flag = get(At, "unnormalized"))
    S.Unnormalized = Flag.Value->getAsBoolean().value_or(false);
  if (Node Bias = get(At, "bias"))
    S.Bias = static_cast<int16_t>(std::lround(real(Bias) * 256));
  if (Node Lods = get(At, "lod")) {
    if (length(Lods) != 2)
      fail(Lods, "expected [least, greatest]");
    S.MinLod = lod(at(Lods, 0));
    S.MaxLod = lod(at(Lods, 1));
  }
  for (size_t I = 0, E = std::min<size_t>(length(Border), 4); I < E; ++I)
    S.Border[I] = static_cast<uint32_t>(bits(at(Border, I), ElementType::F32));
}

void Reader::texture(const Node &At, StringRef Kind) {
  TextureSpec Spec;
  Spec.Place = place(At);
  std::vector<StringRef> Keys = {Kind, "symbol"};
  bool HasImage = Kind != "sampler", HasSampler = Kind != "surface";
  if (HasImage)
    Keys.push_back("image");
  if (HasSampler)
    append_range(Keys, ArrayRef<StringRef>{"address", "filter", "mip_filter",
                                           "compare", "unnormalized", "bias",
                                           "lod", "border"});
  if (!checkObject(At, Keys))
    return;
  Spec.Kind = Kind == "texture"   ? TextureSpec::KindOf::Texture
              : Kind == "surface" ? TextureSpec::KindOf::Surface
                                  : TextureSpec::KindOf::Sampler;
  Spec.Name = string(require(At, Kind));
  if (Node Symbol = get(At, "symbol"))
    Spec.Symbol = string(Symbol);
  if (HasImage)
    image(require(At, "image"), Spec);
  if (HasSampler)
    sampler(At, Spec.Sampler);
  for (const TextureSpec &Known : Result.Textures)
    if (Known.Name == Spec.Name)
      fail(At, "\"" + Spec.Name + "\" was already described at " + Known.Place);
  Result.Textures.push_back(std::move(Spec));
}

void Reader::textures(const Node &Root) {
  for (StringRef Kind : {"texture", "surface", "sampler"}) {
    Node List = get(Root, (Kind + "s").str());
    for (size_t I = 0, E = length(List); I < E; ++I)
      texture(at(List, I), Kind);
  }
}

TextureArg Reader::textureArg(const Node &At) {
  if (!checkObject(At, {"texture", "surface", "sampler"}))
    return {0};
  Node Named;
  for (StringRef Kind : {"texture", "surface", "sampler"})
    if (Node Item = get(At, Kind))
      Named = Item;
  std::string Name = string(Named);
  for (auto [Index, Known] : enumerate(Result.Textures))
    if (Known.Name == Name)
      return {Index};
  fail(Named, "there is no \"" + Name + "\"");
  return {0};
}

} // namespace heddle::rt
