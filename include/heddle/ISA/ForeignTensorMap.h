//===- ForeignTensorMap.h - Tensor maps as NVIDIA has them ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs get tensor maps from the driver, whose layout is the driver's. But
// CUTLASS's DSL writes the maps of NVIDIA's chips itself, in code for the host
// that it prints. What is known of that layout is what it prints for maps of
// all types, ranks and ways of swizzling (docs/tensor-maps.md). The host, the
// interpreter and kernels take such maps for ours by what is here.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_ISA_FOREIGNTENSORMAP_H
#define HEDDLE_ISA_FOREIGNTENSORMAP_H

#include "heddle/ISA/TensorMap.h"

namespace heddle {

/// The eight words that a map of NVIDIA's has; as many zeros follow.
struct ForeignTensorMap {
  static constexpr unsigned NumWords = 8;
  /// Bits 3..0 of the second word, by which such a map is known: where ours has
  /// its magic number.
  static constexpr uint32_t Kind = 2;
  /// Of the lower half of the second word: kind, rank, type, swizzling, the
  /// rounding to tf32, how much is fetched into L2, the atomicity, and whether
  /// the tensor has 128 KiB.
  static constexpr uint32_t KnownBits = 0x3F67FF;

  uint64_t Word[NumWords];

  uint32_t bits(unsigned First, unsigned Count) const {
    return static_cast<uint32_t>(Word[1]) >> First & ((1u << Count) - 1);
  }
  unsigned type() const { return bits(7, 4); }
  bool roundsToTF32() const { return bits(16, 1); }
};

inline bool isForeign(const TensorMap &Map) {
  return (Map.Magic & 0xF) == ForeignTensorMap::Kind;
}

/// The type of elements; false if none is known of that number.
inline bool readForeignElement(const ForeignTensorMap &From,
                               TensorElement &Element) {
  constexpr unsigned U8 = 0, U16 = 1, U32 = 2, U64 = 4, F16 = 6, F32 = 7,
                     F64 = 9, BF16 = 10, B4x16 = 11, B6x16P32 = 13;
  switch (From.type()) {
  case F32:
    Element = From.roundsToTF32() ? TensorElement::TF32 : TensorElement::F32;
    return true;
  case B4x16:
    Element = TensorElement::B4x16;
    break;
  case B6x16P32:
    Element = TensorElement::B6x16P32;
    break;
  case U8:
  case U16:
  case U32:
  case U64:
  case F16:
  case F64:
  case BF16: // PTX's numbers.
    Element = static_cast<TensorElement>(From.type());
    break;
  default:
    return false;
  }
  return !From.roundsToTF32();
}

/// Extents and strides; false if bits behind them are set, whose meaning is not
/// known.
inline bool readForeignPlace(const ForeignTensorMap &From, TensorMap &Map) {
  constexpr unsigned StrideUnit = 16, UpperBits = 4;
  const uint64_t *W = From.Word;
  const auto UpperOfStrides = static_cast<uint32_t>(W[3] >> 32);
  Map.Address = W[0];
  for (unsigned D = 0; D < MaxTensorRank; ++D)
    Map.Extent[D] = static_cast<uint32_t>(W[4 + D / 2] >> 32 * (D % 2));
  for (unsigned D = 0; D + 1 < MaxTensorRank; ++D) {
    uint64_t Low =
        static_cast<uint32_t>(W[1 + (D + 1) / 2] >> 32 * ((D + 1) % 2));
    uint64_t High = UpperOfStrides >> UpperBits * D & ((1u << UpperBits) - 1);
    Map.Stride[D] = (Low | High << 32) * StrideUnit;
  }
  return UpperOfStrides >> UpperBits * (MaxTensorRank - 1) == 0;
}

/// Extents of the box; false as above.
inline bool readForeignBox(const ForeignTensorMap &From, TensorMap &Map) {
  Map.BoxMinusOne[0] = static_cast<uint32_t>(From.Word[6] >> 56);
  for (unsigned D = 1; D < MaxTensorRank; ++D)
    Map.BoxMinusOne[D] = From.Word[7] >> 8 * (D - 1) & 0xFF;
  return (From.Word[6] >> 32 & 0xFFFFFF) == 0 && From.Word[7] >> 32 == 0;
}

/// Makes a map of NVIDIA's one of ours, and leaves others as they are. One with
/// fields that are not known stays as it is, too, which checkTensorMap tells.
inline void adoptTensorMap(TensorMap &Map) {
  if (!isForeign(Map))
    return;
  ForeignTensorMap From;
  __builtin_memcpy(&From, &Map, sizeof(From));
  TensorMap New;
  bool IsKnown = !(From.bits(0, 31) & ~ForeignTensorMap::KnownBits) &&
                 From.bits(31, 1) == 0 && From.bits(4, 3) < MaxTensorRank &&
                 readForeignElement(From, New.Element);
  IsKnown &= readForeignPlace(From, New);
  IsKnown &= readForeignBox(From, New);
  if (!IsKnown)
    return;
  New.RankMinusOne = static_cast<uint8_t>(From.bits(4, 3));
  New.Swizzle = static_cast<TensorSwizzle>(From.bits(13, 2));
  New.Options = From.bits(19, 2) << 8;
  Map = New;
}

} // namespace heddle

#endif // HEDDLE_ISA_FOREIGNTENSORMAP_H
