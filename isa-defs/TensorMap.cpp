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

/// The longest row that a mode swizzles.
static unsigned swizzledBytes(TensorSwizzle Mode) {
  return Mode == TensorSwizzle::Bytes96 ? 96
                                        : 16u << static_cast<unsigned>(Mode);
}

static const char *checkDimension(const TensorMap &Map, unsigned D) {
  if (D > 0) {
    if (Map.Stride[D - 1] % 16 || Map.Stride[D - 1] == 0)
      return "a stride is no multiple of 16 bytes";
    if (Map.Stride[D - 1] >= uint64_t(1) << 40)
      return "a stride is too large";
  }
  if (Map.Box[D] == 0 || Map.Box[D] > 256)
    return "an extent of the box is not in 1 to 256";
  if (Map.ElementStride[D] == 0 || Map.ElementStride[D] > 8)
    return "an element stride is not in 1 to 8";
  return nullptr;
}

const char *checkTensorMap(const TensorMap &Map) {
  if (Map.Magic != TensorMap::ValidMagic)
    return "these bytes are no tensor map";
  if (Map.RankMinusOne >= MaxTensorRank)
    return "the rank is not in 1 to 5";
  if (Map.Element > TensorElement::B6x16P32)
    return "there is no such type of elements";
  if (Map.Interleave)
    return "interleaved tensors are not supported yet";
  if (Map.Swizzle > TensorSwizzle::Bytes96 ||
      Map.atom() > TensorAtom::Bytes64 ||
      (Map.atom() != TensorAtom::Bytes16 &&
       Map.Swizzle != TensorSwizzle::Bytes128))
    return "there is no such way of swizzling";
  if (Map.Address % 16)
    return "the address is no multiple of 16";
  for (unsigned D = 0; D < Map.rank(); ++D)
    if (const char *Error = checkDimension(Map, D))
      return Error;
  TensorUnit Unit = tensorUnitOf(Map.Element);
  if (Map.Box[0] % Unit.Elements || (Map.Extent[0] + 1) % Unit.Elements ||
      (Unit.Elements > 1 && Map.ElementStride[0] != 1))
    return "elements of less than a byte that are not copied by sixteen";
  unsigned Row = Map.Box[0] / Unit.Elements * Unit.SharedBytes;
  if (Row % 16)
    return "a row of the box is no multiple of 16 bytes";
  if (Map.Swizzle != TensorSwizzle::None && Row > swizzledBytes(Map.Swizzle))
    return "a row of the box is longer than what is swizzled";
  return nullptr;
}

const char *encodeTensorMap(const TensorDescription &D, TensorMap &Map) {
  if (D.Rank == 0 || D.Rank > MaxTensorRank)
    return "the rank is not in 1 to 5";
  TensorMap New;
  New.Address = D.Address;
  New.Element = D.Element;
  New.RankMinusOne = static_cast<uint8_t>(D.Rank - 1);
  New.Swizzle = D.Swizzle;
  New.Options = static_cast<uint32_t>(D.Fill) | static_cast<uint32_t>(D.Atom)
                                                    << 8;
  for (unsigned N = 0; N < D.Rank; ++N) {
    if (D.Extent[N] == 0 || D.Extent[N] > uint64_t(1) << 32)
      return "an extent is not in 1 to 2^32";
    New.Extent[N] = static_cast<uint32_t>(D.Extent[N] - 1);
    if (N > 0)
      New.Stride[N - 1] = D.Stride[N - 1];
    New.Box[N] = D.Box[N];
    New.ElementStride[N] = D.ElementStride[N];
  }
  if (const char *Error = checkTensorMap(New))
    return Error;
  Map = New;
  return nullptr;
}

} // namespace heddle
