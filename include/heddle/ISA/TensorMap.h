//===- TensorMap.h - The 128 bytes that describe a tensor -------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX leaves the layout of tensor maps open; this is ours: docs/tensor-maps.md.
// The runtime fills them in, kernels replace fields, and TMA reads them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ISA_TENSORMAP_H
#define HEDDLE_ISA_TENSORMAP_H

// Device code has the compiler's headers only.
#include <stdint.h> // NOLINT(modernize-deprecated-headers)

namespace heddle {

/// The values are those of `tensormap.replace`.
enum class TensorElement : uint8_t {
  U8,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F32,
  F32Ftz,
  F64,
  BF16,
  TF32,
  TF32Ftz,
  B4x16,
  B4x16P64,
  B6x16P32
};
enum class TensorSwizzle : uint8_t {
  None,
  Bytes32,
  Bytes64,
  Bytes128,
  Bytes96
};
/// What stays together where 128 bytes are swizzled: 16 bytes, 32, 32 whose
/// halves of 16 exchange their halves in every other row, 64.
enum class TensorAtom : uint8_t { Bytes16, Bytes32, Bytes32Flip8, Bytes64 };
enum class TensorFill : uint8_t { Zero, NaN };
/// How a copy goes through a tensor: in tiles, in columns of the pixels in a
/// box (im2col), in columns along W only (im2col::w, im2col::w::128).
enum class TensorAccess : uint8_t { Tile, Im2col, Im2colW, Im2colW128 };
/// Channels in slices of 16 or 32 bytes, each of which has all pixels.
enum class TensorInterleave : uint8_t { None, Bytes16, Bytes32 };

constexpr unsigned MaxTensorRank = 5;
constexpr unsigned TensorMapBytes = 128, TensorMapAlignment = 64;
/// Dimensions of a column's box: all but the channels and the images.
constexpr unsigned MaxSpatialRank = MaxTensorRank - 2;

/// Extents, strides and boxes are by dimension, the innermost first. Numbers
/// are little-endian. Each field has a meaning when it is zero, as kernels make
/// maps from zeros by `tensormap.replace`.
struct TensorMap {
  static constexpr uint32_t ValidMagic = 0x4D54u; ///< "TM".
  static constexpr uint32_t DeviceMagic = 0;      ///< Of what kernels make.

  uint64_t Address = 0;
  uint32_t Magic = ValidMagic;
  TensorElement Element = TensorElement::U8;
  uint8_t RankMinusOne = 0;
  TensorInterleave Interleave = TensorInterleave::None;
  TensorSwizzle Swizzle = TensorSwizzle::None;
  uint32_t Extent[MaxTensorRank] = {}; ///< Minus 1, so that 2^32 fits.
  /// Bits 7..0 the fill, 15..8 the atomicity of swizzling (0: 16 bytes), 23..16
  /// the way of access, 31..24 whether the memory is of the class of large
  /// allocations, which only `tensormap.query` looks at.
  uint32_t Options = 0;
  /// In bytes, from the second dimension on.
  uint64_t Stride[MaxTensorRank - 1] = {};
  /// In elements; of columns the channels of a pixel and the pixels.
  uint32_t BoxMinusOne[MaxTensorRank] = {};
  uint32_t ElementStrideMinusOne[MaxTensorRank] = {}; ///< Of what a box takes.
  /// Of the box that columns go through, W, H, D: from the tensor's first pixel
  /// to the box's, and from the last to the last.
  int16_t LowerCorner[MaxSpatialRank] = {}, UpperCorner[MaxSpatialRank] = {};
  uint32_t Reserved = 0;

  unsigned rank() const { return RankMinusOne + 1u; }
  unsigned spatialRank() const { return rank() - 2; }
  uint64_t box(unsigned D) const { return uint64_t(BoxMinusOne[D]) + 1; }
  uint64_t elementStride(unsigned D) const {
    return uint64_t(ElementStrideMinusOne[D]) + 1;
  }
  uint64_t channelsPerPixel() const { return box(0); }
  uint64_t pixelsPerColumn() const { return box(1); }
  TensorAccess access() const {
    return static_cast<TensorAccess>(Options >> 16 & 0xFF);
  }
  TensorFill fill() const { return static_cast<TensorFill>(Options & 0xFF); }
  TensorAtom atom() const {
    return static_cast<TensorAtom>(Options >> 8 & 0xFF);
  }
  bool isOfLargeClass() const { return Options >> 24; }
  void setLargeClass(bool IsLarge) {
    Options = (Options & 0xFFFFFF) | uint32_t(IsLarge) << 24;
  }
};
static_assert(sizeof(TensorMap) == TensorMapBytes);

/// What a map is made of; extents, strides and boxes as in TensorMap, strides
/// from the second dimension on. Box is for tiles, what follows Access for
/// columns.
struct TensorDescription {
  TensorElement Element = TensorElement::U8;
  unsigned Rank = 1;
  uint64_t Address = 0;
  uint64_t Extent[MaxTensorRank] = {};
  uint64_t Stride[MaxTensorRank - 1] = {};
  uint32_t Box[MaxTensorRank] = {};
  uint32_t ElementStride[MaxTensorRank] = {};
  TensorSwizzle Swizzle = TensorSwizzle::None;
  TensorFill Fill = TensorFill::Zero;
  TensorAtom Atom = TensorAtom::Bytes16;
  TensorInterleave Interleave = TensorInterleave::None;
  TensorAccess Access = TensorAccess::Tile;
  uint32_t ChannelsPerPixel = 0, PixelsPerColumn = 0;
  int32_t LowerCorner[MaxSpatialRank] = {}, UpperCorner[MaxSpatialRank] = {};
};

/// Makes the map of a tensor. Returns what is wrong with the description, or
/// null.
const char *encodeTensorMap(const TensorDescription &D, TensorMap &Map);

/// Bytes of an element; 0 for elements smaller than a byte.
unsigned tensorElementBytes(TensorElement E);

/// What is copied as one: an element, sixteen of 4 or 6 bits, which may be
/// padded in shared memory, or a slice of channels.
struct TensorUnit {
  unsigned Elements, GlobalBytes, SharedBytes;
};
TensorUnit tensorUnitOf(TensorElement E);
TensorUnit tensorUnitOf(const TensorMap &Map);

/// Where the byte at a shared address stands when it is swizzled.
uint32_t swizzleAddress(uint32_t Address, TensorSwizzle Mode, TensorAtom Atom);

/// Why a map describes no tensor that TMA can copy; null if it does.
/// PTX's and the driver API's rules are checked: alignment, ranges, sizes.
const char *checkTensorMap(const TensorMap &Map);

} // namespace heddle

#endif // HEDDLE_ISA_TENSORMAP_H
