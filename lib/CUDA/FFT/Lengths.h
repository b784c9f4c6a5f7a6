//===- Lengths.h - How lines of a length are transformed --------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lengths without large prime factors are transformed by passes of those; long
// ones in two steps; all others through a longer line (Bluestein).
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_FFT_LENGTHS_H
#define HEDDLE_LIB_CUDA_FFT_LENGTHS_H

#include "llvm/ADT/SmallVector.h"

#include <cstdint>
#include <optional>
#include <utility>

namespace heddle::cuda::fft {

/// The radices of the passes, the largest first; none if a prime factor of
/// Length has no pass. Those of 1 are an empty list.
std::optional<llvm::SmallVector<uint32_t, 16>> radicesOf(uint64_t Length);

/// The two factors of a length that are closest to each other, where none is
/// above Limit.
std::optional<std::pair<uint32_t, uint32_t>> splitOf(uint64_t Length,
                                                     uint32_t Limit);

/// The least length from Least on that passes or two steps of them transform;
/// none if it were too long.
std::optional<uint32_t> nextLength(uint64_t Least, uint32_t Limit);

} // namespace heddle::cuda::fft

#endif // HEDDLE_LIB_CUDA_FFT_LENGTHS_H
