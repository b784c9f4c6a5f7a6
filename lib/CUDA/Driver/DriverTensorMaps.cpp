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

#include "Driver/Driver.h"
#include "heddle/ISA/ForeignTensorMap.h"
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

namespace {

/// What CUtensorMapSwizzle numbers: a pattern and what it leaves together.
struct Swizzling {
  TensorSwizzle Pattern;
  TensorAtom Atom = TensorAtom::Bytes16;
};

/// What all maps are made of, as the driver API hands it over.
struct Tensor {
  unsigned Type, Rank;
  void *Address;
  const uint64_t *Extents, *Strides;
  const unsigned *ElementStrides;
  unsigned Interleave, Swizzle, L2Promotion, Fill;
};

} // namespace

static constexpr Swizzling Swizzlings[] = {
    {TensorSwizzle::None},
    {TensorSwizzle::Bytes32},
    {TensorSwizzle::Bytes64},
    {TensorSwizzle::Bytes128},
    {TensorSwizzle::Bytes128, TensorAtom::Bytes32},
    {TensorSwizzle::Bytes128, TensorAtom::Bytes32Flip8},
    {TensorSwizzle::Bytes128, TensorAtom::Bytes64}};

static CUresult refuse(const char *Why) {
  log(std::string("the tensor map: ") + Why);
  return cudaErrorInvalidValue;
}

/// L2Promotion is a hint.
static CUresult describe(const Tensor &T, TensorDescription &D) {
  constexpr unsigned NumPromotions = 4;
  if (!T.Extents || (T.Rank > 1 && !T.Strides) || !T.ElementStrides)
    return cudaErrorInvalidValue;
  if (T.Rank == 0 || T.Rank > MaxTensorRank || T.Type >= std::size(Elements) ||
      T.Interleave > unsigned(TensorInterleave::Bytes32) ||
      T.Swizzle >= std::size(Swizzlings) || T.L2Promotion >= NumPromotions ||
      T.Fill > unsigned(TensorFill::NaN))
    return refuse("a number that CUDA has not");
  D.Element = Elements[T.Type];
  D.Rank = T.Rank;
  D.Address = addressOf(T.Address);
  std::copy_n(T.Extents, T.Rank, D.Extent);
  std::copy_n(T.Strides, T.Rank - 1, D.Stride);
  std::copy_n(T.ElementStrides, T.Rank, D.ElementStride);
  D.Swizzle = Swizzlings[T.Swizzle].Pattern;
  D.Atom = Swizzlings[T.Swizzle].Atom;
  D.Interleave = static_cast<TensorInterleave>(T.Interleave);
  D.Fill = static_cast<TensorFill>(T.Fill);
  return cudaSuccess;
}

/// The map may be anywhere, though NVIDIA's manual wants a multiple of 64
/// bytes: those of cuda-bindings are at none, and programs with them run.
static CUresult encode(const TensorDescription &D, void *Map) {
  if (!Map)
    return cudaErrorInvalidValue;
  TensorMap Encoded;
  if (const char *Why = encodeTensorMap(D, Encoded))
    return refuse(Why);
  std::memcpy(Map, &Encoded, sizeof(Encoded));
  return cudaSuccess;
}

extern "C" {

CUresult cuTensorMapEncodeTiled(void *Map, unsigned Type, unsigned Rank,
                                void *Address, const uint64_t *Extents,
                                const uint64_t *Strides, const unsigned *Box,
                                const unsigned *ElementStrides,
                                unsigned Interleave, unsigned Swizzle,
                                unsigned L2Promotion, unsigned Fill) {
  TensorDescription D;
  if (!Box)
    return cudaErrorInvalidValue;
  if (CUresult Code =
          describe({Type, Rank, Address, Extents, Strides, ElementStrides,
                    Interleave, Swizzle, L2Promotion, Fill},
                   D);
      Code != cudaSuccess)
    return Code;
  std::copy_n(Box, Rank, D.Box);
  return encode(D, Map);
}

/// The corners of the pixels' box are by W, H, D.
CUresult cuTensorMapEncodeIm2col(void *Map, unsigned Type, unsigned Rank,
                                 void *Address, const uint64_t *Extents,
                                 const uint64_t *Strides, const int *Lower,
                                 const int *Upper, unsigned ChannelsPerPixel,
                                 unsigned PixelsPerColumn,
                                 const unsigned *ElementStrides,
                                 unsigned Interleave, unsigned Swizzle,
                                 unsigned L2Promotion, unsigned Fill) {
  constexpr unsigned LeastRank = 3; // channels, W, images
  TensorDescription D;
  if (!Lower || !Upper)
    return cudaErrorInvalidValue;
  if (CUresult Code =
          describe({Type, Rank, Address, Extents, Strides, ElementStrides,
                    Interleave, Swizzle, L2Promotion, Fill},
                   D);
      Code != cudaSuccess)
    return Code;
  if (Rank < LeastRank)
    return refuse("columns are of tensors of at least three dimensions");
  D.Access = TensorAccess::Im2col;
  D.ChannelsPerPixel = ChannelsPerPixel;
  D.PixelsPerColumn = PixelsPerColumn;
  std::copy_n(Lower, Rank - 2, D.LowerCorner);
  std::copy_n(Upper, Rank - 2, D.UpperCorner);
  return encode(D, Map);
}

CUresult cuTensorMapEncodeIm2colWide(
    void *Map, unsigned Type, unsigned Rank, void *Address,
    const uint64_t *Extents, const uint64_t *Strides, int LowerW, int UpperW,
    unsigned ChannelsPerPixel, unsigned PixelsPerColumn,
    const unsigned *ElementStrides, unsigned Interleave, unsigned Mode,
    unsigned Swizzle, unsigned L2Promotion, unsigned Fill) {
  constexpr unsigned OfPixelsPerColumn = 0,
                     Of128 = 1; // CUtensorMapIm2ColWideMode
  TensorDescription D;
  if (CUresult Code =
          describe({Type, Rank, Address, Extents, Strides, ElementStrides,
                    Interleave, Swizzle, L2Promotion, Fill},
                   D);
      Code != cudaSuccess)
    return Code;
  if (Mode != OfPixelsPerColumn && Mode != Of128)
    return refuse("a number that CUDA has not");
  D.Access = Mode == Of128 ? TensorAccess::Im2colW128 : TensorAccess::Im2colW;
  D.ChannelsPerPixel = ChannelsPerPixel;
  D.PixelsPerColumn = PixelsPerColumn;
  D.LowerCorner[0] = LowerW;
  D.UpperCorner[0] = UpperW;
  return encode(D, Map);
}

CUresult cuTensorMapReplaceAddress(void *Map, void *Address) {
  if (!Map)
    return cudaErrorInvalidValue;
  TensorMap Changed;
  std::memcpy(&Changed, Map, sizeof(Changed));
  adoptTensorMap(Changed);
  Changed.Address = addressOf(Address);
  if (const char *Why = checkTensorMap(Changed))
    return refuse(Why);
  std::memcpy(Map, &Changed, sizeof(Changed));
  return cudaSuccess;
}

/// The class says how far behind its memory a tensor may be read; reads outside
/// of tensors never leave the chip here, so that it is only kept.
CUresult cuTensorMapSetAllocationClass(void *Map, int Class, int *InEffect) {
  constexpr int Automatic = 0, Small = 1, Large = 2;
  if (InEffect)
    *InEffect = Small;
  if (!Map || Class < Automatic || Class > Large)
    return cudaErrorInvalidValue;
  TensorMap Changed;
  std::memcpy(&Changed, Map, sizeof(Changed));
  adoptTensorMap(Changed);
  if (const char *Why = checkTensorMap(Changed))
    return refuse(Why);
  Changed.setLargeClass(Class == Large);
  std::memcpy(Map, &Changed, sizeof(Changed));
  if (InEffect)
    *InEffect = Class == Large ? Large : Small;
  return cudaSuccess;
}

} // extern "C"
