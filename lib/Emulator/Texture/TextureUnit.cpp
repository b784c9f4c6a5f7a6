//===- TextureUnit.cpp - Addressing and filtering ---------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Coordinates become texel indices and weights axis by axis; the texels around
// are read, compared with a depth if asked for, and summed up.
//
//===----------------------------------------------------------------------===//

#include "Texture/TextureUnit.h"
#include "heddle/Emulator/SoftFloat.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

// Every operation is rounded by itself.
#pragma STDC FP_CONTRACT OFF

namespace heddle::emu {

using texture::AddressMode;
using texture::FilterMode;
using texture::Geometry;
using texture::TexelFormat;

//===----------------------------------------------------------------------===//
// Formats
//===----------------------------------------------------------------------===//

bool isIntegerFormat(TexelFormat F) { return F <= TexelFormat::S32; }

static bool isSignedFormat(TexelFormat F) {
  return (F >= TexelFormat::S8 && F <= TexelFormat::S32) ||
         F == TexelFormat::SNORM8 || F == TexelFormat::SNORM16;
}

static unsigned bitsOf(TexelFormat F) {
  return texture::texelFormats()[size_t(F)].Bits;
}

/// The largest integer of a normalized format.
static double scaleOf(TexelFormat F) {
  return double((1u << (bitsOf(F) - isSignedFormat(F))) - 1);
}

static uint32_t bitsOfFloat(double V) {
  if (std::isnan(V))
    return uint32_t(F32Format.canonicalNaN());
  return std::bit_cast<uint32_t>(float(V));
}

static uint32_t decodeComponent(TexelFormat F, uint32_t Raw) {
  unsigned Shift = 32 - bitsOf(F);
  int32_t Signed = int32_t(Raw << Shift) >> Shift;
  switch (F) {
  case TexelFormat::F32:
    return Raw;
  case TexelFormat::F16:
    return uint32_t(
        convertBits(Raw, F16Format, F32Format, Rounding::NearestEven));
  case TexelFormat::UNORM8:
  case TexelFormat::UNORM16:
    return bitsOfFloat(float(Raw) / float(scaleOf(F)));
  case TexelFormat::SNORM8:
  case TexelFormat::SNORM16:
    return bitsOfFloat(std::max(float(Signed) / float(scaleOf(F)), -1.0f));
  default:
    return isSignedFormat(F) ? uint32_t(Signed) : Raw;
  }
}

Texel decodeTexel(const rt::ImageDesc &Image, const uint8_t *Bytes) {
  uint32_t One = isIntegerFormat(Image.Format) ? 1 : 0x3F800000;
  Texel T = {0, 0, 0, One};
  size_t Size = bitsOf(Image.Format) / 8;
  for (unsigned N = 0; N < Image.Channels; ++N) {
    uint32_t Raw = 0;
    std::memcpy(&Raw, Bytes + N * Size, Size);
    T[N] = decodeComponent(Image.Format, Raw);
  }
  return T;
}

static uint32_t encodeComponent(TexelFormat F, uint32_t V) {
  unsigned Bits = bitsOf(F);
  switch (F) {
  case TexelFormat::F32:
  case TexelFormat::U32:
  case TexelFormat::S32:
    return V;
  case TexelFormat::F16:
    return uint32_t(
        convertBits(V, F32Format, F16Format, Rounding::NearestEven));
  case TexelFormat::U8:
  case TexelFormat::U16:
    return std::min(V, (1u << Bits) - 1);
  case TexelFormat::S8:
  case TexelFormat::S16: {
    int32_t Limit = 1 << (Bits - 1);
    return uint32_t(std::clamp(int32_t(V), -Limit, Limit - 1));
  }
  default:
    break;
  }
  double X = std::bit_cast<float>(V);
  if (std::isnan(X))
    return 0;
  X = std::clamp(X, isSignedFormat(F) ? -1.0 : 0.0, 1.0) * scaleOf(F);
  return uint32_t(int32_t(std::nearbyint(X)));
}

std::array<uint8_t, 16> encodeTexel(const rt::ImageDesc &Image,
                                    const Texel &Components) {
  std::array<uint8_t, 16> Bytes{};
  size_t Size = bitsOf(Image.Format) / 8;
  for (unsigned N = 0; N < Image.Channels; ++N) {
    uint32_t Raw = encodeComponent(Image.Format, Components[N]);
    std::memcpy(Bytes.data() + N * Size, &Raw, Size);
  }
  return Bytes;
}

//===----------------------------------------------------------------------===//
// One axis
//===----------------------------------------------------------------------===//

namespace {

/// Fractions of texel positions and of levels have eight bits.
constexpr unsigned FractionBits = 8;
constexpr int64_t FractionOne = 1 << FractionBits;

int64_t modulo(int64_t I, int64_t N) { return ((I % N) + N) % N; }

/// Two neighbouring texels along an axis, of which the second has the weight
/// Fraction / FractionOne.
struct AxisPosition {
  int64_t First = 0;
  int64_t Fraction = 0;
  uint32_t Extent = 1;
  AddressMode Mode = AddressMode::Clamp;

  /// The texel's index in the image; none is the border.
  std::optional<uint32_t> index(bool Second) const {
    int64_t I = First + Second, N = Extent;
    switch (Mode) {
    case AddressMode::Wrap:
      return modulo(I, N);
    case AddressMode::Mirror:
      I = modulo(I, 2 * N);
      return I < N ? I : 2 * N - 1 - I;
    case AddressMode::Clamp:
      return std::clamp<int64_t>(I, 0, N - 1);
    default:
      if (I < 0 || I >= N)
        return std::nullopt;
      return I;
    }
  }
};

struct AxisRules {
  AddressMode Mode;
  bool Linear, Normalized;
};

AxisPosition locate(float S, uint32_t Extent, int Offset, AxisRules Rules) {
  AxisPosition P;
  P.Extent = Extent;
  P.Mode = Rules.Mode;
  double U = std::isnan(S) ? 0 : S;
  if (Rules.Normalized)
    U *= Extent;
  else if (P.Mode == AddressMode::Wrap || P.Mode == AddressMode::Mirror)
    P.Mode = AddressMode::Clamp;
  constexpr double Limit = 2147483647.0;
  U = std::clamp(U, -Limit - 1, Limit);
  if (P.Mode == AddressMode::ClampOGL) {
    U = std::clamp(U, 0.0, double(Extent));
    P.Mode = Rules.Linear ? AddressMode::Border : AddressMode::Clamp;
  }
  if (Rules.Linear) {
    auto V = int64_t(std::floor((U - 0.5) * FractionOne + 0.5));
    P.First = (V >> FractionBits) + Offset;
    P.Fraction = V & (FractionOne - 1);
  } else {
    P.First = int64_t(std::floor(U)) + Offset;
  }
  return P;
}

//===----------------------------------------------------------------------===//
// One lookup
//===----------------------------------------------------------------------===//

/// A point in the coordinates of the face of a cube, and its gradients.
struct CubePoint {
  unsigned Face;
  std::array<float, 2> Place;
  std::array<std::array<float, 2>, 2> Gradients; ///< Along x and y.
};

class Lookup {
public:
  Lookup(const rt::ImageDesc &Image, const rt::SamplerDesc &Sampler,
         const TextureRequest &R, FetchTexel Fetch)
      : Image(Image), Sampler(Sampler), R(R), Fetch(Fetch) {}

  std::optional<Texel> run();
  std::optional<Texel> gather(unsigned Component);

private:
  using Components = std::array<double, 4>;

  unsigned dimensions() const;
  void takeCoordinates();
  CubePoint project() const;
  std::optional<Texel> fetchAsIntegers();
  std::optional<Texel> readTexel(const ImageLevel &L, uint32_t X, uint32_t Y,
                                 uint32_t Z, uint32_t Sample);
  std::optional<Texel> texelAt(const ImageLevel &L,
                               const std::array<AxisPosition, 3> &P,
                               unsigned Corner);
  std::array<AxisPosition, 3> locateAll(const ImageLevel &L, bool Linear) const;
  std::optional<Components> sampleLevel(unsigned Level);
  std::optional<Texel> sampleNearest(unsigned Level);
  int64_t levelOfDetail() const;
  int64_t gradientLevel() const;
  Texel compare(const Texel &T) const;
  unsigned lastLevel() const { return std::max<unsigned>(Image.Levels, 1) - 1; }
  bool isNormalized() const {
    return Image.Normalized && !Sampler.Unnormalized;
  }
  bool isCube() const {
    return R.Geometry == Geometry::Cube || R.Geometry == Geometry::ACube;
  }
  int offset(unsigned Axis) const {
    return R.HasOffset ? int32_t(R.C[3] << (28 - 4 * Axis)) >> 28 : 0;
  }

  const rt::ImageDesc &Image;
  const rt::SamplerDesc &Sampler;
  const TextureRequest &R;
  FetchTexel Fetch;
  uint32_t Layer = 0, Sample = 0;
  std::array<uint32_t, 3> Place{}; ///< Bits of integers or floats.
  std::array<std::array<float, 3>, 2> Gradients{};
};

unsigned Lookup::dimensions() const {
  switch (R.Geometry) {
  case Geometry::D1:
  case Geometry::A1:
    return 1;
  case Geometry::D3:
    return 3;
  default:
    return 2;
  }
}

CubePoint Lookup::project() const {
  unsigned First = R.Geometry == Geometry::ACube;
  auto Vector = [&](const std::array<uint32_t, 4> &From, unsigned At) {
    return std::array<float, 3>{std::bit_cast<float>(From[At]),
                                std::bit_cast<float>(From[At + 1]),
                                std::bit_cast<float>(From[At + 2])};
  };
  std::array<float, 3> P = Vector(R.Coords, First);
  float AX = std::fabs(P[0]), AY = std::fabs(P[1]), AZ = std::fabs(P[2]);
  unsigned Axis = AZ >= AX && AZ >= AY ? 2 : AY >= AX ? 1 : 0;
  bool Negative = std::signbit(P[Axis]);
  // sc, tc and the magnitude of the major axis, of a point or a gradient.
  auto OnFace = [&](const std::array<float, 3> &V) {
    float Sign = Negative ? -1.0f : 1.0f;
    switch (Axis) {
    case 0:
      return std::array<float, 3>{-Sign * V[2], -V[1], Sign * V[0]};
    case 1:
      return std::array<float, 3>{V[0], Sign * V[2], Sign * V[1]};
    default:
      return std::array<float, 3>{Sign * V[0], -V[1], Sign * V[2]};
    }
  };
  auto [S, T, M] = OnFace(P);
  CubePoint Point{2 * Axis + Negative, {(S / M + 1) / 2, (T / M + 1) / 2}, {}};
  if (R.Lod != isa::LodMode::Gradients)
    return Point;
  for (unsigned N = 0; N < 2; ++N) {
    auto [DS, DT, DM] = OnFace(Vector(N == 0 ? R.C : R.E, 0));
    Point.Gradients[N] = {(DS * M - S * DM) / (M * M) / 2,
                          (DT * M - T * DM) / (M * M) / 2};
  }
  return Point;
}

/// Sorts the operands by the geometry.
void Lookup::takeCoordinates() {
  unsigned Next = 0;
  bool IsArray = R.Geometry == Geometry::A1 || R.Geometry == Geometry::A2 ||
                 R.Geometry == Geometry::AM2 || R.Geometry == Geometry::ACube;
  bool IsMulti = R.Geometry == Geometry::M2 || R.Geometry == Geometry::AM2;
  if (IsArray)
    Layer = R.Coords[Next++];
  if (IsMulti)
    Sample = R.Coords[Next++];
  for (unsigned N = 0; N < 3; ++N)
    Gradients[0][N] = std::bit_cast<float>(R.C[N]),
    Gradients[1][N] = std::bit_cast<float>(R.E[N]);
  uint32_t Unit = isCube() ? 6 : 1;
  Layer = std::min(Layer, std::max(Image.Depth / Unit, 1u) - 1) * Unit;
  if (!isCube()) {
    for (unsigned N = 0; N < dimensions() && Next < 4; ++N)
      Place[N] = R.Coords[Next++];
    return;
  }
  CubePoint P = project();
  Layer += P.Face;
  for (unsigned N = 0; N < 2; ++N) {
    Place[N] = std::bit_cast<uint32_t>(P.Place[N]);
    Gradients[0][N] = P.Gradients[0][N];
    Gradients[1][N] = P.Gradients[1][N];
  }
}

std::optional<Texel> Lookup::readTexel(const ImageLevel &L, uint32_t X,
                                       uint32_t Y, uint32_t Z,
                                       uint32_t Sample) {
  unsigned Bytes = texelBytes(Image);
  uint64_t Column = uint64_t(X) * std::max<uint32_t>(Image.Samples, 1) + Sample;
  uint8_t Raw[16];
  if (!Fetch(L.Base + Z * L.SlicePitch + Y * L.RowPitch + Column * Bytes, Bytes,
             Raw))
    return std::nullopt;
  return decodeTexel(Image, Raw);
}

std::optional<Texel> Lookup::fetchAsIntegers() {
  int64_t Level = R.Lod == isa::LodMode::Level ? int64_t(int32_t(R.C[0])) : 0;
  if (Level < 0 || Level > lastLevel())
    return Texel{};
  ImageLevel L = levelOf(Image, unsigned(Level));
  uint32_t Extents[3] = {L.Width, L.Height, L.Depth};
  uint32_t Index[3] = {0, 0, Layer};
  for (unsigned N = 0; N < dimensions(); ++N) {
    int64_t I = int64_t(int32_t(Place[N])) + offset(N);
    if (I < 0 || I >= Extents[N])
      return Texel{};
    Index[N] = uint32_t(I);
  }
  if (Sample >= std::max<uint32_t>(Image.Samples, 1))
    return Texel{};
  return readTexel(L, Index[0], Index[1], Index[2], Sample);
}

//===----------------------------------------------------------------------===//
// Filtering
//===----------------------------------------------------------------------===//

std::array<AxisPosition, 3> Lookup::locateAll(const ImageLevel &L,
                                              bool Linear) const {
  std::array<AxisPosition, 3> P;
  uint32_t Extents[3] = {L.Width, L.Height, L.Depth};
  for (unsigned N = 0; N < dimensions(); ++N) {
    AxisRules Rules{isCube() ? AddressMode::Clamp : Sampler.Address[N], Linear,
                    isCube() || isNormalized()};
    P[N] = locate(std::bit_cast<float>(Place[N]), Extents[N], offset(N), Rules);
  }
  if (dimensions() < 3) {
    P[2].Extent = std::max(L.Depth, 1u);
    P[2].First = Layer;
  }
  return P;
}

/// The texel at a corner of the footprint: bit N chooses the second one along
/// axis N.
std::optional<Texel> Lookup::texelAt(const ImageLevel &L,
                                     const std::array<AxisPosition, 3> &P,
                                     unsigned Corner) {
  uint32_t Index[3];
  for (unsigned N = 0; N < 3; ++N) {
    auto I = P[N].index(Corner >> N & 1);
    if (!I) {
      Texel Border;
      std::copy(std::begin(Sampler.Border), std::end(Sampler.Border),
                Border.begin());
      return compare(Border);
    }
    Index[N] = *I;
  }
  auto T = readTexel(L, Index[0], Index[1], Index[2], 0);
  if (!T)
    return std::nullopt;
  return compare(*T);
}

/// With a depth operand, 1 or 0 in all components.
Texel Lookup::compare(const Texel &T) const {
  if (!R.HasDepth)
    return T;
  float Depth = std::bit_cast<float>(R.E[3]),
        Value = std::bit_cast<float>(T[0]);
  unsigned Relation = Depth < Value    ? 1
                      : Depth == Value ? 2
                      : Depth > Value  ? 4
                                       : 0;
  Texel Result;
  Result.fill(Sampler.Compare & Relation ? 0x3F800000 : 0);
  return Result;
}

std::optional<Texel> Lookup::sampleNearest(unsigned Level) {
  ImageLevel L = levelOf(Image, Level);
  return texelAt(L, locateAll(L, false), 0);
}

std::optional<Lookup::Components> Lookup::sampleLevel(unsigned Level) {
  ImageLevel L = levelOf(Image, Level);
  bool Linear = Sampler.Filter == FilterMode::Linear;
  std::array<AxisPosition, 3> P = locateAll(L, Linear);
  unsigned Corners = Linear ? 1u << dimensions() : 1;
  Components Sum{};
  for (unsigned Corner = 0; Corner < Corners; ++Corner) {
    double Weight = 1;
    for (unsigned N = 0; N < 3; ++N)
      Weight *= double(Corner >> N & 1 ? P[N].Fraction
                                       : FractionOne - P[N].Fraction) /
                FractionOne;
    if (Weight == 0)
      continue;
    auto T = texelAt(L, P, Corner);
    if (!T)
      return std::nullopt;
    for (unsigned N = 0; N < 4; ++N)
      Sum[N] += double(std::bit_cast<float>((*T)[N])) * Weight;
  }
  return Sum;
}

/// Half of the binary logarithm of the larger sum of squares, in 1/256.
int64_t Lookup::gradientLevel() const {
  float Largest = 0;
  uint32_t Extents[3] = {Image.Width, Image.Height, Image.Depth};
  for (const auto &G : Gradients) {
    float Sum = 0;
    for (unsigned N = 0; N < dimensions(); ++N) {
      float Scaled =
          isCube() || isNormalized() ? G[N] * float(Extents[N]) : G[N];
      Sum = Sum + Scaled * Scaled;
    }
    Largest = Sum > Largest ? Sum : Largest;
  }
  constexpr int64_t Beyond = 1 << 20;
  if (!(Largest > 0))
    return -Beyond;
  if (std::isinf(Largest))
    return Beyond;
  int Exponent;
  double Mantissa = std::frexp(double(Largest), &Exponent) * 2;
  int64_t Log = Exponent - 1;
  // A bit of the fraction for each squaring; half of it is one bit less.
  for (unsigned Bit = 0; Bit + 1 < FractionBits; ++Bit) {
    Mantissa *= Mantissa;
    Log *= 2;
    if (Mantissa >= 2) {
      Mantissa /= 2;
      ++Log;
    }
  }
  return Log;
}

/// In 1/256, biased and clamped.
int64_t Lookup::levelOfDetail() const {
  int64_t Lod;
  if (R.Lod == isa::LodMode::Gradients) {
    Lod = gradientLevel();
  } else {
    double Given = std::bit_cast<float>(R.C[0]);
    constexpr double Limit = 1 << 20;
    Given =
        std::isnan(Given) ? 0 : std::clamp(Given * FractionOne, -Limit, Limit);
    Lod = int64_t(std::nearbyint(Given));
  }
  Lod = std::clamp<int64_t>(Lod + Sampler.Bias, Sampler.MinLod,
                            std::max(Sampler.MinLod, Sampler.MaxLod));
  return std::clamp<int64_t>(Lod, 0, int64_t(lastLevel()) * FractionOne);
}

std::optional<Texel> Lookup::run() {
  takeCoordinates();
  if (R.IntCoords)
    return fetchAsIntegers();
  int64_t Lod = R.Lod == isa::LodMode::Base ? 0 : levelOfDetail();
  bool IsInteger = isIntegerFormat(Image.Format);
  bool Blends = Sampler.MipFilter == FilterMode::Linear && !IsInteger;
  auto Level = unsigned(Blends ? Lod >> FractionBits
                               : (Lod + FractionOne / 2) >> FractionBits);
  double Weight = Blends ? double(Lod & (FractionOne - 1)) / FractionOne : 0.0;
  bool IsExact = Sampler.Filter == FilterMode::Nearest && Weight == 0;
  if (IsInteger || IsExact)
    return sampleNearest(Level);
  auto Sum = sampleLevel(Level);
  if (Sum && Weight != 0) {
    auto Next = sampleLevel(Level + 1);
    if (!Next)
      return std::nullopt;
    for (unsigned N = 0; N < 4; ++N)
      (*Sum)[N] = (*Sum)[N] * (1 - Weight) + (*Next)[N] * Weight;
  }
  if (!Sum)
    return std::nullopt;
  Texel T;
  for (unsigned N = 0; N < 4; ++N)
    T[N] = bitsOfFloat((*Sum)[N]);
  return T;
}

std::optional<Texel> Lookup::gather(unsigned Component) {
  takeCoordinates();
  ImageLevel L = levelOf(Image, 0);
  std::array<AxisPosition, 3> P = locateAll(L, true);
  constexpr unsigned Counterclockwise[] = {2, 3, 1, 0};
  Texel Result;
  for (unsigned N = 0; N < 4; ++N) {
    auto T = texelAt(L, P, Counterclockwise[N]);
    if (!T)
      return std::nullopt;
    Result[N] = (*T)[Component];
  }
  return Result;
}

} // namespace

std::optional<Texel> lookUp(const rt::ImageDesc &Image,
                            const rt::SamplerDesc &Sampler,
                            const TextureRequest &Request, FetchTexel Fetch) {
  return Lookup(Image, Sampler, Request, Fetch).run();
}

std::optional<Texel> gather(const rt::ImageDesc &Image,
                            const rt::SamplerDesc &Sampler,
                            const TextureRequest &Request, unsigned Component,
                            FetchTexel Fetch) {
  return Lookup(Image, Sampler, Request, Fetch).gather(Component);
}

} // namespace heddle::emu
