//===- Parameters.h - What a kernel of a transform is told ------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Shared by the host, which plans the steps of a transform, and the kernel that
// runs one. A step transforms many lines of the same length: each is read from
// one place, transformed in shared memory and written to another.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_FFT_PARAMETERS_H
#define HEDDLE_LIB_CUDA_FFT_PARAMETERS_H

#include <stdint.h>

namespace heddle::cuda::fft {

/// What the elements in memory are.
enum Kind : uint32_t {
  Complex,
  Real,      ///< Its imaginary part is zero, and is not written.
  Hermitian, ///< Complex, the first half; the second one is its mirror image.
};

/// The type of their numbers.
enum Storage : uint32_t {
  Native, ///< As the transform computes.
  Half,
  BFloat,
};

/// Which element of a table a number is multiplied with.
enum FactorRule : uint32_t {
  NoFactor,
  ByIndex,   ///< That of the element's index in the whole line.
  ByProduct, ///< That of the element's number times the line's first
             ///< coordinate.
};

/// The coordinates of a line. The first one says which part of a longer line it
/// is; for whole lines it is 0.
constexpr unsigned NumCoordinates = 4;
constexpr unsigned MaxPasses = 16;

/// Where a step reads or writes its lines. Element E of the line with the
/// coordinates C has the index E * Scale + C[0] * Shift in the whole line, and
/// is that many strides behind the line's begin.
struct Place {
  int64_t Stride;                  ///< In elements, as all strides.
  int64_t Strides[NumCoordinates]; ///< That of coordinate 0 is not used.
  uint64_t Factors;                ///< The address of a table.
  uint32_t Factoring;              ///< FactorRule
  uint32_t ElementKind;            ///< Kind
  uint32_t NumberStorage;          ///< Storage
  uint32_t Scale;
  uint32_t Shift;
  uint32_t Count;  ///< Elements of this index or more are zero, or not written.
  uint32_t Length; ///< Of the line of which Hermitian elements are the half.
  /// The real and the imaginary part change places, which makes the inverse
  /// transform of the forward one: beside memory where the transform's
  /// direction is inverse, beside memory in any case, beside the transform in
  /// any case.
  uint32_t SwapsInverse;
  uint32_t SwapsOutside;
  uint32_t SwapsInside;
  uint32_t LinesFirst; ///< Whether lines are closer in memory than elements.
};

struct Step {
  Place In, Out;
  uint64_t Roots; ///< The address of Length roots of one.
  uint32_t Counts[NumCoordinates];
  uint32_t Lines;  ///< The product of Counts.
  uint32_t Length; ///< Of the lines as they are transformed.
  uint32_t NumPasses;
  uint32_t LogLines;   ///< Lines of a block, as a power of two.
  uint32_t LogThreads; ///< Threads of a line, as a power of two.
  uint32_t Radices[MaxPasses];
  /// ceil(2^32 / L) for the product L of the radices before; the high word of
  /// the product of it and a number is the number divided by L.
  uint32_t Divisors[MaxPasses];
};

/// The radices of passes. The others are products of them.
constexpr uint32_t PassRadices[] = {13, 11, 7, 5, 3, 4, 2};
constexpr unsigned MaxThreads = 256;

} // namespace heddle::cuda::fft

#endif // HEDDLE_LIB_CUDA_FFT_PARAMETERS_H
