//===- Tables.h - Roots of one and chirps -----------------------*- C++ -*-===//
//
// Part of the Heddle Project, under the Apache License v2.0 with LLVM
// Exceptions. See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The numbers that depend on a length alone, in double precision.
//
//===----------------------------------------------------------------------===//

#ifndef HEDDLE_LIB_CUDA_FFT_TABLES_H
#define HEDDLE_LIB_CUDA_FFT_TABLES_H

#include <complex>
#include <cstdint>
#include <vector>

namespace heddle::cuda::fft {

/// exp(-2 pi i k / Length) for all k.
std::vector<std::complex<double>> rootsOfOne(uint32_t Length);

/// exp(-pi i k^2 / Length) for all k.
std::vector<std::complex<double>> chirp(uint32_t Length);

/// What a line of Padded elements is convolved with, divided by Padded: the
/// chirp's conjugate from -Length + 1 to Length - 1, the negative indices at
/// the line's end.
std::vector<std::complex<double>> convolvedChirp(uint32_t Length,
                                                 uint32_t Padded);

} // namespace heddle::cuda::fft

#endif // HEDDLE_LIB_CUDA_FFT_TABLES_H
