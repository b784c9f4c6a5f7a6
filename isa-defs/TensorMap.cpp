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
  unsigned Bytes = tensorElementBytes(Map.Element);
  if (Bytes == 0)
    return "elements of less than a byte are not supported yet";
  if (Map.Interleave)
    return "interleaved tensors are not supported yet";
  if (Map.Swizzle > TensorSwizzle::Bytes128 || Map.atomicity())
    return "this way of swizzling is not supported yet";
  if (Map.Address % 16)
    return "the address is no multiple of 16";
  for (unsigned D = 0; D < Map.rank(); ++D)
    if (const char *Error = checkDimension(Map, D))
      return Error;
  unsigned Row = Map.Box[0] * Bytes;
  if (Row % 16)
    return "a row of the box is no multiple of 16 bytes";
  if (Map.Swizzle != TensorSwizzle::None &&
      Row > 16u << static_cast<unsigned>(Map.Swizzle))
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
  New.Options = static_cast<uint32_t>(D.Fill);
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
