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
              HEDDLE_MAX_TENSOR_RANK == MaxTensorRank);

HeddleError heddleTensorMapEncode(const HeddleTensorMapDescription *Description,
                                  void *OutMap) {
  if (!Description)
    return nullArgument("Description");
  if (!OutMap)
    return nullArgument("OutMap");
  HeddleTensorMapDescription Given;
  heddleTensorMapDescriptionInit(&Given);
  if (!readStruct(Description, Given))
    return makeError(HEDDLE_ERROR_VERSION,
                     "the description of a tensor map states no size");
  const char *Error = nullptr;
  if (Given.Element > unsigned(TensorElement::B6x16P32) ||
      Given.Swizzle > unsigned(TensorSwizzle::Bytes96) ||
      Given.SwizzleAtomicity > unsigned(TensorAtom::Bytes64) ||
      Given.Fill > unsigned(TensorFill::NaN))
    Error = "an element type, a swizzle or a fill that there is not";
  TensorMap Map;
  if (!Error) {
    TensorDescription D;
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
    Error = encodeTensorMap(D, Map);
  }
  if (Error)
    return makeError(HEDDLE_ERROR_INVALID_ARGUMENT,
                     std::string("the tensor map: ") + Error);
  std::memcpy(OutMap, &Map, sizeof(Map));
  return nullptr;
}
