//===- TensorMap.cpp - Tensor maps in C -------------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The C API of tensor maps.
//
//===----------------------------------------------------------------------===//

#include "heddle-c/TensorMap.h"
#include "Error.h"
#include "heddle/ISA/TensorMap.h"

#include <algorithm>
#include <cstring>

using namespace heddle;
using namespace heddle::jit;

static_assert(HEDDLE_TENSOR_MAP_BYTES == TensorMapBytes &&
              HEDDLE_MAX_TENSOR_RANK == MaxTensorRank &&
              HEDDLE_MAX_SPATIAL_RANK == MaxSpatialRank);

static HeddleError refuse(const char *Why) {
  return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                   std::string("the tensor map: ") + Why);
}

/// Null, or the error.
static HeddleError readDescription(const HeddleTensorMapDescription *From,
                                   TensorDescription &D) {
  if (!From)
    return nullArgument("Description");
  HeddleTensorMapDescription Given;
  heddleTensorMapDescriptionInit(&Given);
  if (!readStruct(From, Given))
    return makeError(HEDDLE_ERROR_VERSION,
                     "the description of a tensor map states no size");
  if (Given.Element > unsigned(TensorElement::B6x16P32) ||
      Given.Swizzle > unsigned(TensorSwizzle::Bytes96) ||
      Given.SwizzleAtomicity > unsigned(TensorAtom::Bytes64) ||
      Given.Interleave > unsigned(TensorInterleave::Bytes32) ||
      Given.Fill > unsigned(TensorFill::NaN))
    return refuse("an element type, a swizzle, a fill or a way of interleaving "
                  "that there is not");
  D.Element = static_cast<TensorElement>(Given.Element);
  D.Rank = Given.Rank;
  D.Address = Given.Address;
  std::copy(std::begin(Given.Extent), std::end(Given.Extent), D.Extent);
  std::copy(std::begin(Given.Stride), std::end(Given.Stride), D.Stride);
  std::copy(std::begin(Given.Box), std::end(Given.Box), D.Box);
  std::copy(std::begin(Given.ElementStride), std::end(Given.ElementStride),
            D.ElementStride);
  D.Swizzle = static_cast<TensorSwizzle>(Given.Swizzle);
  D.Fill = static_cast<TensorFill>(Given.Fill);
  D.Atom = static_cast<TensorAtom>(Given.SwizzleAtomicity);
  D.Interleave = static_cast<TensorInterleave>(Given.Interleave);
  return nullptr;
}

/// Null, or the error.
static HeddleError readColumns(const HeddleTensorMapColumns *From,
                               TensorDescription &D) {
  if (!From)
    return nullArgument("Columns");
  HeddleTensorMapColumns Given;
  heddleTensorMapColumnsInit(&Given);
  if (!readStruct(From, Given))
    return makeError(HEDDLE_ERROR_VERSION,
                     "the columns of a tensor map state no size");
  D.ChannelsPerPixel = Given.ChannelsPerPixel;
  D.PixelsPerColumn = Given.PixelsPerColumn;
  std::copy(std::begin(Given.LowerCorner), std::end(Given.LowerCorner),
            D.LowerCorner);
  std::copy(std::begin(Given.UpperCorner), std::end(Given.UpperCorner),
            D.UpperCorner);
  return nullptr;
}

static HeddleError encode(const TensorDescription &D, void *OutMap) {
  if (!OutMap)
    return nullArgument("OutMap");
  TensorMap Map;
  if (const char *Why = encodeTensorMap(D, Map))
    return refuse(Why);
  std::memcpy(OutMap, &Map, sizeof(Map));
  return nullptr;
}

static HeddleError encodeColumns(const HeddleTensorMapDescription *Description,
                                 const HeddleTensorMapColumns *Columns,
                                 TensorAccess Access, void *OutMap) {
  TensorDescription D;
  D.Access = Access;
  if (HeddleError Error = readDescription(Description, D))
    return Error;
  if (HeddleError Error = readColumns(Columns, D))
    return Error;
  return encode(D, OutMap);
}

HeddleError heddleTensorMapEncode(const HeddleTensorMapDescription *Description,
                                  void *OutMap) {
  TensorDescription D;
  if (HeddleError Error = readDescription(Description, D))
    return Error;
  return encode(D, OutMap);
}

HeddleError
heddleTensorMapEncodeIm2col(const HeddleTensorMapDescription *Description,
                            const HeddleTensorMapColumns *Columns,
                            void *OutMap) {
  return encodeColumns(Description, Columns, TensorAccess::Im2col, OutMap);
}

HeddleError
heddleTensorMapEncodeIm2colWide(const HeddleTensorMapDescription *Description,
                                const HeddleTensorMapColumns *Columns,
                                HeddleIm2colWideMode Mode, void *OutMap) {
  if (Mode != HEDDLE_IM2COL_W && Mode != HEDDLE_IM2COL_W_128)
    return refuse("a way of taking pixels along W that there is not");
  return encodeColumns(Description, Columns,
                       Mode == HEDDLE_IM2COL_W ? TensorAccess::Im2colW
                                               : TensorAccess::Im2colW128,
                       OutMap);
}
