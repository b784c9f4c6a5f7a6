//===- Request.h - A transform as a program asks for it ---------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What a plan of cuFFT is made from, with numbers as its headers have them.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_FFT_REQUEST_H
#define HEDDLE_LIB_CUDA_FFT_REQUEST_H

#include "FFT/Parameters.h"

#include <cstddef>

namespace heddle::cuda::fft {

/// cufftResult.
enum Result : int {
  Success = 0,
  InvalidPlan = 1,
  AllocFailed = 2,
  InvalidType = 3,
  InvalidValue = 4,
  InternalError = 5,
  ExecFailed = 6,
  SetupFailed = 7,
  InvalidSize = 8,
  NoWorkspace = 13,
  NotImplemented = 14,
  NotSupported = 16,
};

constexpr unsigned MaxRank = 3;

/// The elements on one side of a transform, in a layout that a program gave or
/// in that of a dense array.
struct Side {
  Kind Elements = Complex;
  Storage Numbers = Native;
  bool IsDense = true;
  int64_t Embed[MaxRank] = {}; ///< Extents in memory; the first is not used.
  int64_t Stride = 1;
  int64_t Distance = 0; ///< Between the transforms of a batch.
};

struct Request {
  unsigned Rank = 1;
  int64_t Extents[MaxRank] = {};
  int64_t Batch = 1;
  bool IsDouble = false;
  Side In, Out;

  size_t numberBytes() const { return IsDouble ? 8 : 4; }
  size_t elementBytes(const Side &S) const {
    size_t Bytes = S.Numbers == Native ? numberBytes() : 2;
    return S.Elements == Real ? Bytes : 2 * Bytes;
  }
};

} // namespace heddle::cuda::fft

#endif // HEDDLE_LIB_CUDA_FFT_REQUEST_H
