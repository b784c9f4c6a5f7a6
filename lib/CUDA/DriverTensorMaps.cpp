//===- DriverTensorMaps.cpp - Tensor maps of the driver API --*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What cp.async.bulk.tensor reads: docs/tensor-maps.md has the layout, the
// driver API's documentation the rules.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "heddle/ISA/TensorMap.h"

#include <cstring>
#include <iterator>

using namespace heddle;
using namespace heddle::cuda;

/// The types by their numbers in CUtensorMapDataType, which are not PTX's.
static constexpr TensorElement Elements[] = {
    TensorElement::U8,      TensorElement::U16,    TensorElement::U32,
    TensorElement::S32,     TensorElement::U64,    TensorElement::S64,
    TensorElement::F16,     TensorElement::F32,    TensorElement::F64,
    TensorElement::BF16,    TensorElement::F32Ftz, TensorElement::TF32,
    TensorElement::TF32Ftz, TensorElement::B4x16,  TensorElement::B4x16P64,
    TensorElement::B6x16P32};

/// Numbers of CUtensorMapSwizzle from which on the atom is not of 16 bytes.
constexpr unsigned FirstWithAtom = 4, NumSwizzles = 7;

static CUresult refuse(const char *Why) {
  log(std::string("the tensor map: ") + Why);
  return cudaErrorInvalidValue;
}

extern "C" {

CUresult cuTensorMapEncodeTiled(void *Map, unsigned Type, unsigned Rank,
                                void *Address, const uint64_t *Extents,
                                const uint64_t *Strides, const unsigned *Box,
                                const unsigned *ElementStrides,
                                unsigned Interleave, unsigned Swizzle,
                                unsigned L2Promotion, unsigned Fill) {
  constexpr unsigned NumPromotions = 4, NumInterleaves = 3;
  if (!Map || !Extents || (Rank > 1 && !Strides) || !Box || !ElementStrides)
    return cudaErrorInvalidValue;
  if (reinterpret_cast<uintptr_t>(Map) % TensorMapAlignment)
    return refuse("it has to be at a multiple of 64 bytes");
  if (Rank == 0 || Rank > MaxTensorRank || Type >= std::size(Elements) ||
      Interleave >= NumInterleaves || Swizzle >= NumSwizzles ||
      L2Promotion >= NumPromotions || Fill > unsigned(TensorFill::NaN))
    return refuse("a number that CUDA has not");
  if (Interleave != 0 || Swizzle >= FirstWithAtom) {
    log("the tensor map: interleaving and swizzles of larger atoms are not "
        "supported");
    return cudaErrorNotSupported;
  }
  TensorDescription D;
  D.Element = Elements[Type];
  D.Rank = Rank;
  D.Address = addressOf(Address);
  std::copy_n(Extents, Rank, D.Extent);
  std::copy_n(Strides, Rank - 1, D.Stride);
  std::copy_n(Box, Rank, D.Box);
  std::copy_n(ElementStrides, Rank, D.ElementStride);
  D.Swizzle = static_cast<TensorSwizzle>(Swizzle);
  D.Fill = static_cast<TensorFill>(Fill);
  TensorMap Encoded;
  if (const char *Why = encodeTensorMap(D, Encoded))
    return refuse(Why);
  std::memcpy(Map, &Encoded, sizeof(Encoded));
  return cudaSuccess;
}

CUresult cuTensorMapReplaceAddress(void *Map, void *Address) {
  if (!Map)
    return cudaErrorInvalidValue;
  TensorMap Changed;
  std::memcpy(&Changed, Map, sizeof(Changed));
  Changed.Address = addressOf(Address);
  if (const char *Why = checkTensorMap(Changed))
    return refuse(Why);
  std::memcpy(Map, &Changed, sizeof(Changed));
  return cudaSuccess;
}

} // extern "C"
