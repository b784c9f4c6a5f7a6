//===- TensorMap.cpp - The 128 bytes that describe a tensor -----*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a tensor map must satisfy.
//
//===----------------------------------------------------------------------===//

#include "heddle/ISA/TensorMap.h"

#include "heddle/ISA/ForeignTensorMap.h"

#include <cstring>
#include <initializer_list>

namespace heddle {

unsigned tensorElementBytes(TensorElement E) {
  switch (E) {
  case TensorElement::U8:
    return 1;
  case TensorElement::U16:
  case TensorElement::F16:
  case TensorElement::BF16:
    return 2;
  case TensorElement::U32:
  case TensorElement::S32:
  case TensorElement::F32:
  case TensorElement::F32Ftz:
  case TensorElement::TF32:
  case TensorElement::TF32Ftz:
    return 4;
  case TensorElement::U64:
  case TensorElement::S64:
  case TensorElement::F64:
    return 8;
  default:
    return 0;
  }
}

TensorUnit tensorUnitOf(TensorElement E) {
  switch (E) {
  case TensorElement::B4x16:
    return {16, 8, 8};
  case TensorElement::B4x16P64:
    return {16, 8, 16};
  case TensorElement::B6x16P32:
    return {16, 12, 16};
  default:
    return {1, tensorElementBytes(E), tensorElementBytes(E)};
  }
}

uint32_t swizzleAddress(uint32_t Address, TensorSwizzle Mode, TensorAtom Atom) {
  // The number of a row of 128 bytes changes bits of its bytes' numbers.
  uint32_t Row = Address >> 7;
  switch (Mode) {
  case TensorSwizzle::None:
    return Address;
  case TensorSwizzle::Bytes32:
  case TensorSwizzle::Bytes96:
    return Address ^ (Row & 1) << 4;
  case TensorSwizzle::Bytes64:
    return Address ^ (Row & 3) << 4;
  case TensorSwizzle::Bytes128:
    break;
  }
  switch (Atom) {
  case TensorAtom::Bytes16:
    return Address ^ (Row & 7) << 4;
  case TensorAtom::Bytes32:
    return Address ^ (Row & 3) << 5;
  case TensorAtom::Bytes32Flip8:
    return Address ^ (Row & 3) << 5 ^ (Row & 1) << 3;
  case TensorAtom::Bytes64:
    return Address ^ (Row & 1) << 6;
  }
  return Address;
}

TensorUnit tensorUnitOf(const TensorMap &Map) {
  TensorUnit Element = tensorUnitOf(Map.Element);
  if (Map.Interleave == TensorInterleave::None || Element.GlobalBytes == 0)
    return Element;
  unsigned Slice = Map.Interleave == TensorInterleave::Bytes16 ? 16 : 32;
  return {Slice / Element.GlobalBytes * Element.Elements, Slice, Slice};
}

/// The longest row that a mode swizzles.
static unsigned swizzledBytes(TensorSwizzle Mode) {
  return Mode == TensorSwizzle::Bytes96 ? 96
                                        : 16u << static_cast<unsigned>(Mode);
}

/// What addresses and strides are multiples of.
static unsigned globalAlignment(const TensorMap &Map) {
  return Map.Element == TensorElement::B4x16P64 ||
                 Map.Interleave == TensorInterleave::Bytes32
             ? 32
             : 16;
}

static const char *checkDimension(const TensorMap &Map, unsigned D) {
  if (D > 0) {
    if (Map.Stride[D - 1] % globalAlignment(Map))
      return "a stride is no multiple of 16 bytes, or not of 32 where it has "
             "to "
             "be";
    if (Map.Stride[D - 1] >= uint64_t(1) << 40)
      return "a stride is too large";
  }
  if (Map.elementStride(D) > 8)
    return "an element stride is not in 1 to 8";
  return nullptr;
}

static bool isFloat(TensorElement E) {
  return (E >= TensorElement::F16 && E <= TensorElement::F64) ||
         (E >= TensorElement::BF16 && E <= TensorElement::TF32Ftz);
}

/// Types, and what an interleaved tensor has to be.
static const char *checkKind(const TensorMap &Map) {
  if (Map.Element > TensorElement::B6x16P32)
    return "there is no such type of elements";
  if (Map.fill() > TensorFill::NaN ||
      (Map.fill() == TensorFill::NaN && !isFloat(Map.Element)))
    return "there is no such fill, or no NaN of this type";
  if (Map.Swizzle > TensorSwizzle::Bytes96 ||
      Map.atom() > TensorAtom::Bytes64 ||
      (Map.atom() != TensorAtom::Bytes16 &&
       Map.Swizzle != TensorSwizzle::Bytes128))
    return "there is no such way of swizzling";
  if (Map.Interleave == TensorInterleave::None)
    return nullptr;
  TensorUnit Unit = tensorUnitOf(Map.Element);
  if (Map.Interleave > TensorInterleave::Bytes32)
    return "there is no such way of interleaving";
  if (Map.rank() < 3)
    return "an interleaved tensor has at least three dimensions";
  if (Unit.SharedBytes != Unit.GlobalBytes)
    return "elements that are padded cannot be interleaved";
  if (Map.Swizzle == TensorSwizzle::Bytes96 ||
      (Map.Interleave == TensorInterleave::Bytes32 &&
       Map.Swizzle != TensorSwizzle::Bytes32))
    return "slices of 32 bytes are swizzled by 32 bytes, and none by 96";
  return nullptr;
}

static const char *checkTile(const TensorMap &Map) {
  for (unsigned D = 0; D < Map.rank(); ++D)
    if (Map.box(D) > 256)
      return "an extent of the box is not in 1 to 256";
  return nullptr;
}

/// The pixels that a column's box has along a spatial dimension.
static int64_t boxExtent(const TensorMap &Map, unsigned S) {
  return int64_t(Map.Extent[S + 1]) + 1 + Map.UpperCorner[S] -
         Map.LowerCorner[S];
}

static const char *checkColumn(const TensorMap &Map) {
  constexpr uint32_t MaxChannels = 256, MaxPixels = 1024;
  if (Map.rank() < 3)
    return "a tensor that is copied by columns has at least three dimensions";
  if (Map.channelsPerPixel() > MaxChannels)
    return "the channels of a pixel are not in 1 to 256";
  bool Wide = Map.access() != TensorAccess::Im2col;
  if (Wide && Map.Interleave != TensorInterleave::None)
    return "an interleaved tensor cannot be copied by columns along W";
  if (Map.access() != TensorAccess::Im2colW128 &&
      Map.pixelsPerColumn() > MaxPixels)
    return "the pixels of a column are not in 1 to 1024";
  // 16, 8 or 5 bits for each spatial dimension.
  unsigned Spatial = Wide ? 1 : Map.spatialRank();
  int Limit = Spatial == 1 ? 1 << 15 : Spatial == 2 ? 1 << 7 : 1 << 4;
  for (unsigned S = 0; S < Spatial; ++S) {
    for (int Corner : {Map.LowerCorner[S], Map.UpperCorner[S]})
      if (Corner < -Limit || Corner >= Limit)
        return "a corner of the box is too far away";
    if (boxExtent(Map, S) <= 0)
      return "the box between the corners is empty";
  }
  if (Map.access() == TensorAccess::Im2colW128 &&
      Map.Swizzle == TensorSwizzle::Bytes96)
    return "columns of 128 pixels are not swizzled by 96 bytes";
  if (Wide && Map.atom() == TensorAtom::Bytes32Flip8)
    return "columns along W are not swizzled with exchanged halves";
  return nullptr;
}

/// What stands side by side in shared memory.
static const char *checkRow(const TensorMap &Map) {
  TensorUnit Unit = tensorUnitOf(Map.Element);
  if (Unit.Elements > 1 &&
      (Map.box(0) % Unit.Elements || (Map.Extent[0] + 1) % Unit.Elements))
    return "elements of less than a byte that are not copied by sixteen";
  if (Map.Interleave != TensorInterleave::None)
    return nullptr; // A row is a slice.
  uint64_t Row = Map.box(0) / Unit.Elements * Unit.SharedBytes;
  if (Row % 16)
    return "a row of the box is no multiple of 16 bytes";
  if (Map.Swizzle != TensorSwizzle::None && Row > swizzledBytes(Map.Swizzle))
    return "a row of the box is longer than what is swizzled";
  return nullptr;
}

static bool isZero(const TensorMap &Map) {
  const TensorMap Zero = {.Magic = 0};
  return std::memcmp(&Map, &Zero, sizeof(Map)) == 0;
}

const char *checkTensorMap(const TensorMap &Map) {
  if (isForeign(Map))
    return "a map as NVIDIA's chips have it, with fields whose meaning is not "
           "known";
  if (Map.Magic != TensorMap::ValidMagic && Map.Magic != TensorMap::DeviceMagic)
    return "these bytes are no tensor map";
  if (isZero(Map))
    return "these bytes are all zero: nothing was written to the map";
  if (Map.RankMinusOne >= MaxTensorRank)
    return "the rank is not in 1 to 5";
  if (Map.access() > TensorAccess::Im2colW128)
    return "there is no such way of access";
  if (const char *Error = checkKind(Map))
    return Error;
  if (Map.Address % globalAlignment(Map))
    return "the address is no multiple of 16, or not of 32 where it has to be";
  for (unsigned D = 0; D < Map.rank(); ++D)
    if (const char *Error = checkDimension(Map, D))
      return Error;
  bool Tile = Map.access() == TensorAccess::Tile;
  if (const char *Error = Tile ? checkTile(Map) : checkColumn(Map))
    return Error;
  return checkRow(Map);
}

/// Writes what columns go through. The corners' ranges are checked here, as the
/// map has fewer bits.
static const char *encodeColumn(const TensorDescription &D, TensorMap &Map) {
  Map.BoxMinusOne[0] = D.ChannelsPerPixel - 1;
  Map.BoxMinusOne[1] = D.PixelsPerColumn - 1;
  for (unsigned S = 0; S < MaxSpatialRank; ++S) {
    Map.LowerCorner[S] = static_cast<int16_t>(D.LowerCorner[S]);
    Map.UpperCorner[S] = static_cast<int16_t>(D.UpperCorner[S]);
    if (Map.LowerCorner[S] != D.LowerCorner[S] ||
        Map.UpperCorner[S] != D.UpperCorner[S])
      return "a corner of the box is too far away";
  }
  return nullptr;
}

const char *encodeTensorMap(const TensorDescription &D, TensorMap &Map) {
  if (D.Rank == 0 || D.Rank > MaxTensorRank)
    return "the rank is not in 1 to 5";
  TensorMap New;
  New.Address = D.Address;
  New.Element = D.Element;
  New.RankMinusOne = static_cast<uint8_t>(D.Rank - 1);
  New.Interleave = D.Interleave;
  New.Swizzle = D.Swizzle;
  New.Options = static_cast<uint32_t>(D.Fill) |
                static_cast<uint32_t>(D.Atom) << 8 |
                static_cast<uint32_t>(D.Access) << 16;
  for (unsigned N = 0; N < D.Rank; ++N) {
    if (D.Extent[N] == 0 || D.Extent[N] > uint64_t(1) << 32)
      return "an extent is not in 1 to 2^32";
    New.Extent[N] = static_cast<uint32_t>(D.Extent[N] - 1);
    if (N > 0)
      New.Stride[N - 1] = D.Stride[N - 1];
    if (D.Access == TensorAccess::Tile)
      New.BoxMinusOne[N] = D.Box[N] - 1;
    New.ElementStrideMinusOne[N] = D.ElementStride[N] - 1;
  }
  // Without slices there are no steps between channels.
  if (D.Interleave == TensorInterleave::None)
    New.ElementStrideMinusOne[0] = 0;
  if (D.Access != TensorAccess::Tile)
    if (const char *Error = encodeColumn(D, New))
      return Error;
  if (const char *Error = checkTensorMap(New))
    return Error;
  Map = New;
  return nullptr;
}

} // namespace heddle
